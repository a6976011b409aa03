/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The answers of the running kernel to what rules ask. */
#ifndef NVME_MPTCP_ASK_H
#define NVME_MPTCP_ASK_H

#include "rules.h"

extern const struct check_ops ask_kernel_ops;

/* The number below /proc/sys/, the last one where there are several, or NVME_MPTCP_UNKNOWN. */
int64_t ask_setting(struct check *c, const char *path);

/* See check_ops. */
bool ask_one_wire(struct check *c, int one, int other, const struct in6_addr *local,
		  const struct in6_addr *remote);

/* Does this line of the kernel's lists show what is offered? @arg: a struct offer */
bool ask_is_alias(const char *line, const void *arg);
bool ask_is_function(const char *line, const void *arg);

/* Does a module that was loaded from elsewhere than the kernel's own directory? 1, 0 or NVME_MPTCP_UNKNOWN. */
int ask_is_loaded(const struct offer *offer);

#endif /* NVME_MPTCP_ASK_H */
