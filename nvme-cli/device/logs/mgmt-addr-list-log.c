// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mgmt-addr-list-log: Management Address List (log page 18h) */
#include "log-page.h"

#define END_OF_LIST 0xff

static void show_address(struct out *out, unsigned int index,
			 const struct nvme_mgmt_addr_desc *address)
{
	char key[32], type[16], text[sizeof(address->madrs) + 1];
	const char *name = bits_word(WORDS("Unknown", "NVM subsystem management agent",
					   "fabric interface manager", "Unknown"),
				     address->mat);

	memcpy(text, address->madrs, sizeof(address->madrs));
	text[sizeof(address->madrs)] = '\0';
	snprintf(key, sizeof(key), "descriptor: %u", index);
	snprintf(type, sizeof(type), "type: %u", address->mat);
	out_text(out, "Descriptor: %u, Type: %u (%s), Address: %s\n", index, address->mat, name,
		 out_safe(out, text));
	out_object(out, key);
	out_object(out, type);
	out_str(out, "definition", name);
	out_end(out);
	out_str(out, "address", text);
	out_end(out);
}

static int show_addresses(struct command *cmd, const void *data, bool explain)
{
	const struct nvme_mgmt_addr_list_log *log = data;
	const unsigned int n = sizeof(log->mad) / sizeof(log->mad[0]);
	struct out *out = cmd->out;
	bool any = false;

	out_text(out, "Management Address List:\n");
	out_object(out, NULL);
	for (unsigned int i = 0; i < n && log->mad[i].mat != END_OF_LIST; i++) {
		if (log->mad[i].mat != 1 && log->mad[i].mat != 2)
			continue;
		show_address(out, i, &log->mad[i]);
		any = true;
	}
	if (!any) {
		out_text(out, "All management address descriptors reserved\n");
		out_str(out, "list", "All management address descriptors reserved");
	}
	return out_end(out);
}

LOG_PAGE_COMMAND(mgmt_addr_list_log_command, "mgmt-addr-list-log",
		 "Show the Management Address List log", OPTIONS(GENERIC_OPTIONS_BINARY),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run, .lid = NVME_LOG_LID_MGMT_ADDR_LIST,
		 .size = sizeof(struct nvme_mgmt_addr_list_log),
		 .what = "management address list log", .show = show_addresses);
