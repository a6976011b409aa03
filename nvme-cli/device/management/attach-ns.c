// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme attach-ns, detach-ns: NVM Express Base Specification 2.1, section 5.1.20 */
#include "device/request.h"

struct attach_ns_args {
	uint32_t nsid;
	const char *controllers;
	bool force;
};

/* clang-format off */
#define ATTACH_OPTIONS \
	OPT(UINT, "namespace-id", 'n', struct attach_ns_args, nsid, "N", "namespace (required)"), \
	OPT(STR, "controllers", 'c', struct attach_ns_args, controllers, "N[,N...]", \
	    "controllers (default: that of the device)")
/* clang-format on */

/* Parse numbers with commas in between. Surplus commas are ignored. */
static int parse(struct nvme_ctrl_list *list, const char *text)
{
	unsigned int n = 0;

	while (*text) {
		uint64_t id;

		if (*text == ',') {
			text++;
			continue;
		}
		if (n == NVME_ID_CTRL_LIST_MAX || args_list_number(&text, UINT16_MAX, &id))
			return -EINVAL;
		list->identifier[n++] = htole16((__u16)id);
	}
	list->num = htole16((__u16)n);
	return 0;
}

static int check_attach_ns(struct command *cmd)
{
	const struct attach_ns_args *args = cmd->args;
	struct nvme_ctrl_list list = { 0 };

	if (!args->nsid)
		return command_fail(cmd, 0, "%s: namespace-id parameter required", cmd->name);
	if (args->controllers && parse(&list, args->controllers))
		return command_fail(
			cmd, 0,
			"%s: controller id list is malformed: '%s' (use numbers up to 65535, "
			"separated by commas)",
			cmd->name, args->controllers);
	return 0;
}

static int build_attach_ns(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct attach_ns_args *args = cmd->args;
	struct nvme_ctrl_list *list = request_data(c);
	struct nvme_id_ctrl ctrl = { 0 };

	if (args->controllers)
		return parse(list, args->controllers);
	if (device_identify_ctrl(cmd, &ctrl))
		return 1;
	list->num = htole16(1);
	list->identifier[0] = ctrl.cntlid;
	return 0;
}

#define ATTACH_REQUEST \
	.opcode = nvme_admin_ns_attach, REQUEST_NSID(GIVEN, struct attach_ns_args), \
	.data_len = sizeof(struct nvme_ctrl_list), .check = check_attach_ns, \
	.build = build_attach_ns, .answer = request_answer_nsid

REQUEST_COMMAND(attach_ns_command, "attach-ns", "Attach a namespace to controllers",
		GENERIC(ATTACH_OPTIONS), struct attach_ns_args, ATTACH_REQUEST,
		.cdw10 = NVME_NS_ATTACH_SEL_CTRL_ATTACH);

REQUEST_COMMAND(detach_ns_command, "detach-ns", "Detach a namespace from controllers",
		GENERIC(ATTACH_OPTIONS, OPT_FORCE(struct attach_ns_args,
						  "detach the namespace even if it is in use")),
		struct attach_ns_args, ATTACH_REQUEST, .cdw10 = NVME_NS_ATTACH_SEL_CTRL_DEATTACH,
		REQUEST_ERASES(NS, struct attach_ns_args));
