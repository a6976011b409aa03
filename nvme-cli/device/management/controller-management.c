// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme virt-mgmt, capacity-mgmt, lockdown: Base Specification 2.1, 5.2.6, 5.1.3 and 5.1.15 */
#include "device/request.h"

struct virt_mgmt_args {
	uint16_t cntlid, nr;
	uint8_t rt, act;
};

static const struct arg virt_mgmt_options[] = {
	OPT(SHORT, "cntlid", 'c', struct virt_mgmt_args, cntlid, "N", "controller"),
	OPT(BYTE, "rt", 'r', struct virt_mgmt_args, rt, "N", "resources: 0 queues, 1 interrupts"),
	OPT(BYTE, "act", 'a', struct virt_mgmt_args, act, "N",
	    "1 allocates to the primary controller, 7 takes the secondary offline, 8 assigns to it, 9 "
	    "brings it online"),
	OPT(SHORT, "nr", 'n', struct virt_mgmt_args, nr, "N", "number of resources"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int virt_mgmt_answer(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	return command_succeed(cmd, "success, Number of Controller Resources Modified (NRM):%#x",
			       c->result);
}

REQUEST_COMMAND(virt_mgmt_command, "virt-mgmt",
		"Assign resources to secondary controllers, turn them on or off", virt_mgmt_options,
		struct virt_mgmt_args, .opcode = nvme_admin_virtual_mgmt,
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 4, struct virt_mgmt_args, act),
				       REQUEST_BITS(10, 8, 3, struct virt_mgmt_args, rt),
				       REQUEST_BITS(10, 16, 16, struct virt_mgmt_args, cntlid),
				       REQUEST_BITS(11, 0, 16, struct virt_mgmt_args, nr)),
		.answer = virt_mgmt_answer);

#define CAPACITY_LAST_OPERATION 0xf
#define CAPACITY_CREATE_GROUP 1
#define CAPACITY_CREATE_SET 3

struct capacity_args {
	uint8_t operation;
	uint16_t element_id;
	uint32_t cap_lower, cap_upper;
};

static const struct arg capacity_options[] = {
	OPT(BYTE, "operation", 'O', struct capacity_args, operation, "N",
	    "0 selects a configuration, 1 creates an endurance group, 2 deletes one, 3 creates an NVM "
	    "set, 4 deletes one"),
	OPT(SHORT, "element-id", 'i', struct capacity_args, element_id, "N",
	    "configuration, endurance group or NVM set"),
	OPT(UINT, "cap-lower", 'l', struct capacity_args, cap_lower, "N",
	    "bytes of the new element, lower 32 bits"),
	OPT(UINT, "cap-upper", 'u', struct capacity_args, cap_upper, "N",
	    "bytes of the new element, upper 32 bits"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int capacity_check(struct command *cmd)
{
	const struct capacity_args *args = cmd->args;

	return args->operation > CAPACITY_LAST_OPERATION
		       ? command_fail(cmd, 0, "invalid operation field: %u (--operation=0 to %d)",
				      args->operation, CAPACITY_LAST_OPERATION)
		       : 0;
}

static int capacity_answer(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct capacity_args *args = cmd->args;
	const char *what = args->operation == CAPACITY_CREATE_GROUP ? "Endurance Group"
			   : args->operation == CAPACITY_CREATE_SET ? "NVM Set"
								    : NULL;
	struct out *out = cmd->out;

	out_text(out, "Capacity Management Command is Success\n");
	if (what)
		out_text(out, "Created Element Identifier for %s is: %u\n", what, c->result);
	out_object(out, NULL);
	out_str(out, "result", "Capacity Management Command is Success");
	if (what)
		out_uint(out, "element_id", c->result);
	return out_end(out);
}

DEVICE_COMMAND(capacity_mgmt_command, "capacity-mgmt",
	       "Configure, create or delete endurance groups and NVM sets", capacity_options,
	       struct capacity_args,
	       .defaults = &(const struct capacity_args){ .operation = UINT8_MAX,
							  .element_id = UINT16_MAX },
	       REQUEST_ROW(.opcode = nvme_admin_capacity_mgmt,
			   .parts = REQUEST_PARTS(
				   REQUEST_BITS(10, 0, 4, struct capacity_args, operation),
				   REQUEST_BITS(10, 16, 16, struct capacity_args, element_id),
				   REQUEST_BITS(11, 0, 32, struct capacity_args, cap_lower),
				   REQUEST_BITS(12, 0, 32, struct capacity_args, cap_upper)),
			   .check = capacity_check, .answer = capacity_answer));

struct lockdown_args {
	uint8_t ofi, ifc, prhbt, scp, uuid;
};

static const struct arg lockdown_options[] = {
	OPT(BYTE, "ofi", 'O', struct lockdown_args, ofi, "N", "opcode or feature"),
	OPT(BYTE, "ifc", 'f', struct lockdown_args, ifc, "N",
	    "interface: 0 Admin queues, 1 those and management endpoints, 2 management endpoints"),
	OPT(BYTE, "prhbt", 'p', struct lockdown_args, prhbt, "N", "0 allows it, 1 prohibits it"),
	OPT(BYTE, "scp", 's', struct lockdown_args, scp, "N",
	    "meaning of --ofi: 0 an Admin command, 2 a feature to set, 3 a management interface "
	    "command, 4 a PCIe command"),
	OPT(BYTE, "uuid", 'U', struct lockdown_args, uuid, "N", "UUID index"),
	GENERIC_OPTIONS,
	OPT_END,
};

REQUEST_COMMAND(lockdown_command, "lockdown", "Prohibit or allow a command or a feature",
		lockdown_options, struct lockdown_args, .opcode = nvme_admin_lockdown,
		.parts = REQUEST_PARTS(
			REQUEST_PART(10, 0, 4, struct lockdown_args, scp, "scope settings"),
			REQUEST_PART(10, 4, 1, struct lockdown_args, prhbt, "prohibit settings"),
			REQUEST_PART(10, 5, 2, struct lockdown_args, ifc, "interface settings"),
			REQUEST_BITS(10, 8, 8, struct lockdown_args, ofi),
			REQUEST_PART(14, 0, 7, struct lockdown_args, uuid, "UUID index settings")),
		.success = "Lockdown Command is Successful");
