// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list-ns, list-ctrl, list-endgrp (CNS 02h, 07h, 10h, 12h, 13h, 19h, 1Ah) */
#include "identify.h"

struct list_args {
	uint32_t nsid;
	int csi;
	bool all;
	uint16_t id;
};
#define ARGS struct list_args

static int check_list_ns(struct command *cmd)
{
	const struct list_args *args = cmd->args;

	return args->nsid
		       ? 0
		       : command_fail(cmd, 0, "Invalid --namespace-id 0: the first namespace is 1");
}

static int build_list_ns(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct list_args *args = cmd->args;

	c->nsid = args->nsid - 1; /* the command lists identifiers greater than this one */
	if (args->csi < 0)
		c->cdw10 = args->all ? NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST
				     : NVME_IDENTIFY_CNS_NS_ACTIVE_LIST;
	else
		c->cdw10 = args->all ? NVME_IDENTIFY_CNS_CSI_ALLOCATED_NS_LIST
				     : NVME_IDENTIFY_CNS_CSI_NS_ACTIVE_LIST;
	c->cdw11 = args->csi < 0 ? 0 : (__u32)args->csi << 24;
	return 0;
}

static int answer_list_ns(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_ns_list *list = request_data(c);
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_text(out, "NVME Namespace List:\n");
	out_array(out, "nsid_list");
	for (unsigned int i = 0; i < NVME_ID_NS_LIST_MAX && list->ns[i]; i++) {
		uint32_t nsid = le32toh(list->ns[i]);

		if (cmd->common.verbose)
			out_text(out, "Identifier %4u: NSID %#x\n", i, nsid);
		else
			out_text(out, "[%4u]:%#x\n", i, nsid);
		out_uint_object(out, "nsid", nsid);
	}
	return out_ends(out, 2);
}

IDENTIFY_COMMAND(list_ns_command, "list-ns", "List the namespaces of a controller",
		 BINARY(OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N", "first namespace to list"),
			OPT(INT, "csi", 'y', ARGS, csi, "N",
			    "only namespaces of this I/O command set"),
			OPT_FLAG("all", 'a', ARGS, all, "include allocated namespaces")),
		 ARGS, (&(const struct list_args){ .nsid = 1, .csi = -1 }), 0,
		 .what = "id namespace list", .check = check_list_ns, .build = build_list_ns,
		 .answer = answer_list_ns);

/* Lists of controllers and of endurance groups have the same layout. */
static int show_ids(struct out *out, const struct nvme_passthru_cmd *c, const char *title,
		    const char *number_key, const char *list_key, const char *id_key)
{
	const struct nvme_ctrl_list *list = request_data(c);
	const unsigned int n = le16toh(list->num);

	out_text(out, "%s: %u\n", title, n);
	out_object(out, NULL);
	out_uint(out, number_key, n);
	out_array(out, list_key);
	for (unsigned int i = 0; i < n && i < NVME_ID_CTRL_LIST_MAX; i++) {
		const unsigned int id = le16toh(list->identifier[i]);

		out_text(out, "[%4u]:%#x\n", i, id);
		out_uint_object(out, id_key, id);
	}
	return out_ends(out, 2);
}

static int build_list_ctrl(struct command *cmd, struct nvme_passthru_cmd *c)
{
	if (c->nsid)
		c->cdw10 = (c->cdw10 & ~0xffU) | NVME_IDENTIFY_CNS_NS_CTRL_LIST;
	return 0;
}

static int answer_list_ctrl(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	return show_ids(cmd->out, c, "num of ctrls present", "num_ctrl", "ctrl_list", "ctrl_id");
}

IDENTIFY_COMMAND(list_ctrl_command, "list-ctrl", "List the controllers of a subsystem",
		 BINARY(OPT(SHORT, "cntid", 'c', ARGS, id, "N", "first controller to list"),
			OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N",
			    "only controllers of this namespace")),
		 ARGS, NULL, NVME_IDENTIFY_CNS_CTRL_LIST, .what = "id controller list",
		 REQUEST_NSID(ANY, ARGS),
		 .parts = REQUEST_PARTS(REQUEST_BITS(10, 16, 16, ARGS, id)),
		 .build = build_list_ctrl, .answer = answer_list_ctrl);

static int answer_list_endgrp(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	return show_ids(cmd->out, c, "num of endurance group ids", "num_endgrp_id", "endgrp_list",
			"endgrp_id");
}

IDENTIFY_COMMAND(list_endgrp_command, "list-endgrp", "List the endurance groups",
		 BINARY(OPT(SHORT, "endgrp-id", 'i', ARGS, id, "N",
			    "first endurance group to list")),
		 ARGS, NULL, NVME_IDENTIFY_CNS_ENDURANCE_GROUP_ID,
		 .parts = REQUEST_PARTS(REQUEST_BITS(11, 0, 16, ARGS, id)),
		 .answer = answer_list_endgrp);
