// SPDX-License-Identifier: GPL-2.0-or-later
#include "request.h"

void *request_data(const struct nvme_passthru_cmd *c)
{
	return (void *)(uintptr_t)c->addr;
}

static uint64_t value_of(const struct command *cmd, const struct request_part *part)
{
	const void *at = (const char *)cmd->args + part->offset;

	switch (part->size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		return *(const uint16_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

int request_check(struct command *cmd, const struct request_part *parts)
{
	for (const struct request_part *part = parts; part && part->option; part++) {
		const uint64_t value = value_of(cmd, part);
		const uint64_t max =
			part->width < 64 ? (UINT64_C(1) << part->width) - 1 : UINT64_MAX;

		if (part->dword && value > max)
			return command_fail(cmd, 0, "invalid %s:%llu (up to %llu)", part->option,
					    (unsigned long long)value, (unsigned long long)max);
	}
	return 0;
}

static __u32 *dword_of(struct nvme_passthru_cmd *c, unsigned int number)
{
	__u32 *const dwords[] = {
		&c->cdw10, &c->cdw11, &c->cdw12, &c->cdw13, &c->cdw14, &c->cdw15
	};

	return dwords[number - 10];
}

static void put_part(struct nvme_passthru_cmd *c, const struct request_part *part, uint64_t value)
{
	const uint64_t little = htole64(value);

	if (!part->dword) {
		memcpy((char *)request_data(c) + part->at, &little, part->width);
		return;
	}
	*dword_of(c, part->dword) |= (__u32)(value << part->at);
	if (part->width > 32)
		*dword_of(c, part->dword + 1) |= (__u32)(value >> 32);
}

void request_put(const struct command *cmd, const struct request_part *parts,
		 struct nvme_passthru_cmd *c)
{
	for (const struct request_part *part = parts; part && part->option; part++)
		put_part(c, part, value_of(cmd, part));
}

static int find_nsid(struct command *cmd, const struct request *req, uint32_t *nsid)
{
	uint32_t given = 0;

	if (req->has_nsid != REQUEST_NO_NSID)
		memcpy(&given, (const char *)cmd->args + req->nsid, sizeof(given));
	switch (req->has_nsid) {
	case REQUEST_OWN_NSID:
		return device_nsid(cmd, cmd->device, given, nsid) ? 1 : 0;
	case REQUEST_GIVEN_NSID:
		if (!given)
			return command_fail(cmd, 0, "%s: namespace-id parameter required",
					    cmd->name);
		break;
	case REQUEST_NO_NSID:
	case REQUEST_ANY_NSID:
		break;
	}
	*nsid = given;
	return 0;
}

static int claim(struct command *cmd, const struct request *req, uint32_t nsid,
		 struct in_use_claim *claimed)
{
	const bool *force = (const void *)((const char *)cmd->args + req->force);

	if (req->erases && !(req->keeps && req->keeps(cmd)))
		return in_use_claim(cmd, cmd->device, req->erases, nsid, *force, claimed);
	return (req->opcode & 3) == 2 ? 0 : in_use_require_nvme(cmd, cmd->device);
}

static int submit_request(struct command *cmd, const struct request *req,
			  struct nvme_passthru_cmd *c)
{
	int ret = nvme_submit_passthru(cmd->device->fd,
				       req->io ? NVME_IOCTL_IO_CMD : NVME_IOCTL_ADMIN_CMD, c,
				       &c->result);

	if (ret || cmd->common.dry_run)
		return device_result(cmd, ret, req->what ? req->what : cmd->name);
	if (c->opcode & 2 && command_writes_bytes(cmd))
		return bytes_write(cmd, request_data(c), c->data_len);
	if (req->answer)
		return req->answer(cmd, c);
	return command_succeed(cmd, "%s", req->success);
}

static int read_input(struct command *cmd, const struct request *req,
		      const struct nvme_passthru_cmd *c)
{
	const char *const *path = (const void *)((const char *)cmd->args + req->file);

	return req->has_file && c->data_len ? bytes_read(cmd, *path, request_data(c), c->data_len)
					    : 0;
}

static int prepare_request(struct command *cmd, const struct request *req, __u32 *length,
			   void **data)
{
	*length = req->data_len;
	if (request_check(cmd, req->parts) || (req->check && req->check(cmd)) ||
	    (req->measure && req->measure(cmd, length)))
		return 1;
	*data = calloc(1, *length + 1U);
	return *data ? 0 : command_fail(cmd, ENOMEM, "%s: data of %u bytes", cmd->name, *length);
}

int request_run(struct command *cmd)
{
	const struct request *req = cmd->spec->row;
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) void *data = NULL;
	struct nvme_passthru_cmd c = {
		.opcode = req->opcode,
		.cdw10 = req->cdw10,
		.cdw11 = req->cdw11,
		.timeout_ms = cmd->common.timeout ? cmd->common.timeout : req->timeout,
	};

	if (prepare_request(cmd, req, &c.data_len, &data) || device_open(cmd, &dev) ||
	    find_nsid(cmd, req, &c.nsid) || claim(cmd, req, c.nsid, &claimed))
		return 1;
	c.addr = c.data_len ? (__u64)(uintptr_t)data : 0;
	request_put(cmd, req->parts, &c);
	if ((req->build && req->build(cmd, &c)) || read_input(cmd, req, &c))
		return 1;
	return submit_request(cmd, req, &c);
}

int request_answer_nsid(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	return command_succeed_with(cmd, cmd->name, c->nsid);
}
