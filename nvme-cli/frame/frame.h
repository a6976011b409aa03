/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of the frame, for commands and plugins. Each part has its own header. */
#pragma once

#include "input/args.h"
#include "bits.h"
#include "bytes.h"
#include "command.h"
#include "fields.h"
#include "names.h"
#include "out.h"
#include "shared/cleanup.h"
#include "shared/text.h"
