// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme delete-ns: NVM Express Base Specification 2.1, section 5.1.21 */
#include "device/request.h"

struct delete_ns_args {
	uint32_t nsid;
	bool force;
};

REQUEST_COMMAND(delete_ns_command, "delete-ns", "Delete a namespace with its data",
		GENERIC(OPT(UINT, "namespace-id", 'n', struct delete_ns_args, nsid, "N",
			    "namespace, 0xffffffff for all (default: the device's own)"),
			OPT_FORCE(struct delete_ns_args,
				  "delete the namespace even if it is in use")),
		struct delete_ns_args, .opcode = nvme_admin_ns_mgmt,
		REQUEST_NSID(OWN, struct delete_ns_args), .cdw10 = NVME_NS_MGMT_SEL_DELETE,
		REQUEST_ERASES(NS, struct delete_ns_args), .answer = request_answer_nsid);
