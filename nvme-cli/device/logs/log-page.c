// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "log-page.h"

int log_page_run(struct command *cmd)
{
	const struct log_page *page = cmd->spec->row;
	const struct log_page_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) void *log = calloc(1, page->size);
	int ret;

	if (!log)
		return command_fail(cmd, ENOMEM, "%s", page->what);
	if (device_open(cmd, &dev))
		return 1;
	ret = nvme_get_nsid_log(dev.fd, false, page->lid, args->nsid, page->size, log);
	if (ret)
		return device_result(cmd, ret, page->what);
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log, page->size);
	return page->show(cmd, &dev, log, args->human || cmd->common.verbose);
}
