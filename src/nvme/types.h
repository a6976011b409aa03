/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structures and constants of the NVM Express specifications. */
#ifndef _LIBNVME_TYPES_H
#define _LIBNVME_TYPES_H

#include "types/base.h"
#include "types/registers.h"
#include "types/registers-memory.h"
#include "types/identify-ctrl.h"
#include "types/identify-ctrl-fields.h"
#include "types/identify-ns.h"
#include "types/identify-list.h"
#include "types/zns.h"
#include "types/log.h"
#include "types/log-test.h"
#include "types/log-media.h"
#include "types/feature.h"
#include "types/feature-data.h"
#include "types/log-event.h"
#include "types/log-port.h"
#include "types/fdp.h"
#include "types/fabrics.h"
#include "types/status.h"
#include "types/async-event.h"
#include "types/directive.h"
#include "types/opcode.h"
#include "types/admin.h"
#include "types/io.h"
#include "types/mi.h"
#include "types/migration.h"

#endif /* _LIBNVME_TYPES_H */
