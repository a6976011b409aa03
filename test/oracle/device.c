/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that take more than one command, allocate, or depend on what the controller answers. The
 * controller is made up here; its pages hold what makes the libraries take every turn.
 */
#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>

#include "oracle.h"

/* What the controller of this call is like. */
static struct {
	struct nvme_id_ctrl id;
	struct nvme_id_ns ns;
	unsigned char page[1 << 20]; /* of any log */
	unsigned int n_logs; /* log commands so far */
	unsigned int changes; /* how many of them find that the page has changed */
} device;

static void send_page(const struct nvme_passthru_cmd64 *cmd, unsigned char *data)
{
	uint64_t offset = cmd->cdw12 | (uint64_t)cmd->cdw13 << 32;
	uint32_t len = cmd->data_len;

	if (device.n_logs++ < device.changes)
		device.page[0]++;
	for (uint32_t i = 0; data && i < len && offset + i < sizeof(device.page); i++)
		data[i] = device.page[offset + i];
}

static int answer(struct nvme_passthru_cmd64 *cmd, void *data)
{
	cmd->result = 0;
	switch (cmd->opcode) {
	case nvme_admin_identify:
		if ((cmd->cdw10 & 0xff) == NVME_IDENTIFY_CNS_CTRL)
			memcpy(data, &device.id, sizeof(device.id));
		else if ((cmd->cdw10 & 0xff) == NVME_IDENTIFY_CNS_NS)
			memcpy(data, &device.ns, sizeof(device.ns));
		else
			memset(data, 0x5a, cmd->data_len);
		return 0;
	case nvme_admin_get_log_page:
		send_page(cmd, data);
		return 0;
	}
	return 0;
}

/* A controller that answers; in some rounds it fails instead. */
static int begin(void)
{
	int fd = oracle_begin();

	if (oracle_round % 8 < 6)
		oracle_answer = answer;
	return fd;
}

static void reset(void)
{
	memset(&device, 0, sizeof(device));
	for (size_t i = 0; i < sizeof(device.page); i++)
		device.page[i] = (unsigned char)(i * 13);
}

/* An Asymmetric Namespace Access page of @groups groups with @nsids namespaces each. */
static size_t make_ana_page(unsigned int groups, unsigned int nsids, bool rgo)
{
	struct nvme_ana_log log = { .chgcnt = htole64(7), .ngrps = htole16((uint16_t)groups) };
	size_t end = sizeof(log);

	memset(device.page, 0, sizeof(device.page));
	memcpy(device.page, &log, sizeof(log));
	for (unsigned int i = 0; i < groups; i++) {
		struct nvme_ana_group_desc desc = {
			.grpid = htole32(i + 1),
			.nnsids = htole32(rgo ? 0 : nsids),
			.state = 1,
		};

		memcpy(device.page + end, &desc, sizeof(desc));
		end += sizeof(desc) + (rgo ? 0 : nsids * sizeof(uint32_t));
	}
	return end;
}

static void call_ana(void)
{
	static const uint32_t spaces[] = {
		15, 40, 200, 1002, 3000, 4096, 4100, 8192, 16386, 65536
	};
	bool rgo = oracle_draw_below("rgo", 2), rae = oracle_draw_below("rae", 2);
	unsigned int retries = oracle_draw_below("retries", 5);
	unsigned int groups = oracle_draw_below("groups", 40);
	unsigned int nsids = oracle_draw_below("nsids", 100);
	uint32_t len = spaces[oracle_draw_below("space", 10)];
	size_t end;
	int ret;

	reset();
	end = make_ana_page(groups, nsids, rgo);
	device.changes = oracle_draw_below("changes", 8);
	printf(" page=%zu len=%u", end, len);
	ret = nvme_get_ana_log_atomic(begin(), rgo, rae, retries, (void *)oracle_buffer, &len);
	oracle_end(ret);
	if (!ret) {
		oracle_note("len", len);
		oracle_note_bytes("log", oracle_buffer, len);
	}
}

static void call_ana_len(void)
{
	size_t len = 0;

	reset();
	device.id.nanagrpid = htole32((uint32_t)oracle_draw("nanagrpid", 32));
	device.id.mnan = htole32((uint32_t)oracle_draw("mnan", 32));
	oracle_end(nvme_get_ana_log_len(begin(), &len));
	oracle_note("len", len);
}

static void call_log_page(void)
{
	struct nvme_get_log_args args = { .args_size = sizeof(args), .log = oracle_buffer };
	uint32_t piece;

	reset();
	args.lpo = oracle_draw_length("lpo");
	args.len = oracle_draw_length("len");
	args.lid = (enum nvme_cmd_get_log_lid)oracle_draw("lid", 8);
	args.nsid = (__u32)oracle_draw("nsid", 32);
	args.csi = (enum nvme_csi)oracle_draw("csi", 8);
	args.lsi = (__u16)oracle_draw("lsi", 16);
	args.lsp = (__u8)oracle_draw("lsp", 7);
	args.uuidx = (__u8)oracle_draw("uuidx", 7);
	args.rae = oracle_draw("rae", 1);
	args.ot = oracle_draw("ot", 1);
	args.timeout = (__u32)oracle_draw("timeout", 32);
	args.args_size = oracle_draw_size((int)sizeof(args));
	/* The original never ends with nothing to ask for at a time. */
	piece = 512U << oracle_draw_below("piece", 6);
	args.fd = begin();
	oracle_end(nvme_get_log_page(args.fd, piece, &args));
	oracle_note_bytes("log", oracle_buffer, 8192);
}

static void call_fw_download_seq(void)
{
	uint32_t piece = 512U << oracle_draw_below("piece", 4);
	uint32_t offset = oracle_draw_length("offset");
	/* The original reads on for ever behind a size that is no multiple of the piece. */
	uint32_t size = piece * oracle_draw_below("pieces", 9);

	oracle_end(nvme_fw_download_seq(oracle_begin(), size, piece, offset, oracle_buffer));
}

static void note_telemetry(int ret, struct nvme_telemetry_log *log, size_t size)
{
	oracle_end(ret);
	if (ret)
		return;
	oracle_note("size", size);
	oracle_note_bytes("log", log, size);
	free(log);
}

static enum nvme_telemetry_da make_telemetry(void)
{
	struct nvme_telemetry_log *header = (void *)device.page;

	reset();
	header->dalb1 = htole16((uint16_t)oracle_draw_below("dalb1", 8));
	header->dalb2 = htole16((uint16_t)oracle_draw_below("dalb2", 16));
	header->dalb3 = htole16((uint16_t)oracle_draw_below("dalb3", 64));
	header->dalb4 = htole32(oracle_draw_below("dalb4", 80));
	header->ctrlavail = oracle_draw_below("ctrlavail", 2);
	device.id.lpa = (__u8)(oracle_draw_below("lpa", 4) << 3 | oracle_draw_below("da4", 2) << 6);
	device.id.mdts = (__u8)oracle_draw_below("mdts", 6);
	return (enum nvme_telemetry_da)oracle_draw_below("da", 6);
}

static void call_ctrl_telemetry(void)
{
	struct nvme_telemetry_log *log = NULL;
	enum nvme_telemetry_da da = make_telemetry();
	bool rae = oracle_draw("rae", 1);
	size_t size = 0;
	int ret = nvme_get_ctrl_telemetry(begin(), rae, &log, da, &size);

	note_telemetry(ret, log, size);
}

static void call_host_telemetry(void)
{
	struct nvme_telemetry_log *log = NULL;
	enum nvme_telemetry_da da = make_telemetry();
	size_t size = 0;
	int ret = nvme_get_host_telemetry(begin(), &log, da, &size);

	note_telemetry(ret, log, size);
}

static void call_new_host_telemetry(void)
{
	struct nvme_telemetry_log *log = NULL;
	enum nvme_telemetry_da da = make_telemetry();
	size_t size = 0;
	int ret = nvme_get_new_host_telemetry(begin(), &log, da, &size);

	note_telemetry(ret, log, size);
}

static void call_telemetry_log(void)
{
	struct nvme_telemetry_log *log = NULL;
	enum nvme_telemetry_da da = make_telemetry();
	bool create = oracle_draw("create", 1), ctrl = oracle_draw("ctrl", 1);
	bool rae = oracle_draw("rae", 1);
	size_t most = (size_t)512 << oracle_draw_below("most", 8), size = 0;
	int ret = nvme_get_telemetry_log(begin(), create, ctrl, rae, most, da, &log, &size);

	note_telemetry(ret, log, size);
}

static void call_telemetry_max(void)
{
	enum nvme_telemetry_da da = 9;
	size_t most = 0;

	make_telemetry();
	oracle_end(nvme_get_telemetry_max(begin(), &da, &most));
	oracle_note("da", da);
	oracle_note("most", most);
}

static void call_block_size(void)
{
	__u32 nsid = (__u32)oracle_draw("nsid", 32);
	int size = 0;

	reset();
	device.ns.flbas = (__u8)oracle_draw("flbas", 7);
	for (unsigned int i = 0; i < sizeof(device.ns.lbaf) / sizeof(device.ns.lbaf[0]); i++)
		device.ns.lbaf[i].ds = (__u8)(9 + i % 8);
	oracle_end(nvme_get_logical_block_size(begin(), nsid, &size));
	oracle_note("size", (uint64_t)size);
}

static void call_nsid(void)
{
	__u32 nsid = 0;

	oracle_end(nvme_get_nsid(oracle_begin(), &nsid));
	oracle_note("nsid", nsid);
}

static void call_attach(bool attach)
{
	__u32 nsid = (__u32)oracle_draw("nsid", 32);
	__u16 n = (__u16)oracle_draw_below("num", 40);
	__u16 list[40];

	for (unsigned int i = 0; i < 40; i++)
		list[i] = (__u16)(i * 1000 + 3);
	oracle_end(attach ? nvme_namespace_attach_ctrls(oracle_begin(), nsid, n, list)
			  : nvme_namespace_detach_ctrls(oracle_begin(), nsid, n, list));
}

static void call_attach_ctrls(void)
{
	call_attach(true);
}

static void call_detach_ctrls(void)
{
	call_attach(false);
}

static struct nvme_passthru_cmd64 draw_command(void)
{
	struct nvme_passthru_cmd64 cmd = {
		.opcode = (__u8)oracle_draw("opcode", 8),
		.flags = (__u8)oracle_draw("flags", 8),
		.rsvd1 = (__u16)oracle_draw("rsvd", 16),
		.nsid = (__u32)oracle_draw("nsid", 32),
		.cdw2 = (__u32)oracle_draw("cdw2", 32),
		.cdw3 = (__u32)oracle_draw("cdw3", 32),
		.addr = (uintptr_t)oracle_buffer,
		.data_len = oracle_draw_length("len"),
		.cdw10 = (__u32)oracle_draw("cdw10", 32),
		.cdw15 = (__u32)oracle_draw("cdw15", 32),
		.timeout_ms = (__u32)oracle_draw("timeout", 32),
	};

	return cmd;
}

static void submit(int (*function)(int fd, struct nvme_passthru_cmd *cmd, __u32 *result))
{
	struct nvme_passthru_cmd64 wide = draw_command();
	struct nvme_passthru_cmd cmd;
	__u32 result = 0;
	__u32 *where = oracle_draw_pointer("result", &result);

	memcpy(&cmd, &wide, offsetof(struct nvme_passthru_cmd, result));
	cmd.result = 0;
	oracle_end(function(oracle_begin(), &cmd, where));
	oracle_note("result", result);
}

static void submit_wide(int (*function)(int fd, struct nvme_passthru_cmd64 *cmd, __u64 *result))
{
	struct nvme_passthru_cmd64 cmd = draw_command();
	__u64 result = 0;
	__u64 *where = oracle_draw_pointer("result", &result);

	oracle_end(function(oracle_begin(), &cmd, where));
	oracle_note("result", result);
}

static void call_submit_admin(void)
{
	submit(nvme_submit_admin_passthru);
}

static void call_submit_io(void)
{
	submit(nvme_submit_io_passthru);
}

static void call_submit_admin64(void)
{
	submit_wide(nvme_submit_admin_passthru64);
}

static void call_submit_io64(void)
{
	submit_wide(nvme_submit_io_passthru64);
}

const struct oracle_call oracle_device[] = {
	{ "nvme_get_ana_log_atomic", call_ana },
	{ "nvme_get_ana_log_len", call_ana_len },
	{ "nvme_get_log_page", call_log_page },
	{ "nvme_fw_download_seq", call_fw_download_seq },
	{ "nvme_get_ctrl_telemetry", call_ctrl_telemetry },
	{ "nvme_get_host_telemetry", call_host_telemetry },
	{ "nvme_get_new_host_telemetry", call_new_host_telemetry },
	{ "nvme_get_telemetry_log", call_telemetry_log },
	{ "nvme_get_telemetry_max", call_telemetry_max },
	{ "nvme_get_logical_block_size", call_block_size },
	{ "nvme_get_nsid", call_nsid },
	{ "nvme_namespace_attach_ctrls", call_attach_ctrls },
	{ "nvme_namespace_detach_ctrls", call_detach_ctrls },
	{ "nvme_submit_admin_passthru", call_submit_admin },
	{ "nvme_submit_io_passthru", call_submit_io },
	{ "nvme_submit_admin_passthru64", call_submit_admin64 },
	{ "nvme_submit_io_passthru64", call_submit_io64 },
	{},
};
