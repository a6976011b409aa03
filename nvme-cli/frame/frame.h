/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame as commands and plugins include it; each part has a header of its own. */
#pragma once

#include "input/args.h"
#include "bits.h"
#include "bytes.h"
#include "command.h"
#include "fields.h"
#include "names.h"
#include "out.h"
#include "shared/cleanup.h"
