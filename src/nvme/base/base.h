/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What most sources of the libraries use of this room; the header of a room includes it. */
#pragma once

#include "shared/text.h"
#include "address.h"
#include "array.h"
#include "cleanup.h"
#include "failure.h"
#include "map.h"
#include "memory.h"
#include "str.h"
