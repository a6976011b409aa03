// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme delete-ns: NVM Express Base Specification 2.1, section 5.1.21 */
#include "commands.h"
#include "device/request.h"

struct delete_ns_args {
	uint32_t nsid;
	bool force;
};

static const struct arg delete_ns_options[] = {
	OPT(UINT, "namespace-id", 'n', struct delete_ns_args, nsid, "N",
	    "namespace, 0xffffffff for all; the device's own if left out"),
	OPT_FORCE(struct delete_ns_args, "delete the namespace even if it is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int answer_delete_ns(struct command *cmd, const struct device *dev,
			    const struct nvme_passthru_cmd *c)
{
	return command_succeed_with(cmd, cmd->name, c->nsid);
}

REQUEST_COMMAND(delete_ns_command, "delete-ns", "Delete a namespace with its data",
		delete_ns_options, struct delete_ns_args, .opcode = nvme_admin_ns_mgmt,
		.has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct delete_ns_args, nsid),
		.cdw10 = NVME_NS_MGMT_SEL_DELETE, .erases = IN_USE_NS,
		.force = offsetof(struct delete_ns_args, force), .answer = answer_delete_ns);
