// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme changed-ns-list-log, changed-alloc-ns-list-log (log pages 04h and 1Ch) */
#include "log-page.h"

static const struct arg changed_ns_options[] = {
	LOG_PAGE_OPT_RAW,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

/* nvme-cli 2.x counts from 1 in JSON, but from 0 in text. */
static void show_namespaces(struct out *out, const struct nvme_ns_list *list)
{
	for (unsigned int i = 0; i < NVME_ID_NS_LIST_MAX && list->ns[i]; i++) {
		char key[16], value[16];

		snprintf(key, sizeof(key), "[%4u]", i + 1);
		snprintf(value, sizeof(value), "%#x", le32toh(list->ns[i]));
		out_text(out, "[%4u]:%s\n", i, value);
		out_str(out, key, value);
	}
}

static int show_changed(struct command *cmd, const void *data, bool explain)
{
	const struct log_page *page = cmd->spec->row;
	const struct nvme_ns_list *list = data;
	bool too_many = le32toh(list->ns[0]) == NVME_NSID_ALL;
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_str(out, page->title, cmd->device->name);
	if (too_many) {
		out_text(out, "more than %d ns changed\n", NVME_ID_NS_LIST_MAX);
		out_str(out, cmd->device->name, "more than 1024 ns changed");
		return out_end(out);
	}
	if (!list->ns[0])
		out_text(out, "no ns changed\n");
	out_object(out, cmd->device->name);
	show_namespaces(out, list);
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(changed_ns_list_log_command, "changed-ns-list-log",
		 "List attached namespaces that changed", changed_ns_options,
		 LOG_ARGS(.nsid = NVME_NSID_ALL, .rae = true), log_page_run,
		 .lid = NVME_LOG_LID_CHANGED_NS, .size = sizeof(struct nvme_ns_list),
		 .what = "changed ns list log", .title = "Changed Attached Namespace List Log",
		 .show = show_changed);

LOG_PAGE_COMMAND(changed_alloc_ns_list_log_command, "changed-alloc-ns-list-log",
		 "List allocated namespaces that changed", changed_ns_options,
		 LOG_ARGS(.nsid = NVME_NSID_ALL, .rae = true), log_page_run,
		 .lid = NVME_LOG_LID_CHANGED_ALLOC_NS_LIST, .size = sizeof(struct nvme_ns_list),
		 .what = "changed allocated ns list log",
		 .title = "Changed Allocated Namespace List Log", .show = show_changed);
