/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of the frame, for commands and plugins. Each part has its own header. */
#pragma once

#include "config.h"
#include "bytes.h"
#include "fields.h"
#include "shared/cleanup.h"
#include "shared/text.h"
