// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns list: the zoned namespaces in nvme list */
#include "listing/list.h"
#include "zns.h"

static bool is_zoned(nvme_ns_t n)
{
	_cleanup_(free) char *model = nvme_get_ns_attr(n, "queue/zoned");

	return model && !strcmp(model, "host-managed");
}

static int list_zoned(struct command *cmd)
{
	if (!command_root(cmd))
		return 1;
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0)
		return command_fail_scan(cmd);
	return list_some(cmd, is_zoned, false);
}

COMMAND(zns_list_command, "list", "List the zoned namespaces", OPTIONS(GENERIC_OPTIONS),
	.formats = OUT_TEXT | OUT_JSON, .run = list_zoned);
