/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read, Write and similar commands. Follows NVM Express NVM Command Set. */
#include "command-private.h"

/* Storage and reference tags in a command, NVM Command Set, "End-to-end Data Protection". */
struct protection_tags {
	__u8 format; /* enum nvme_nvm_id_ns_pif */
	__u8 storage_bits; /* width of the storage tag (STS) */
	__u64 storage_tag;
	__u64 reference_tag;
};

/* Number of bits that storage tag and reference tag share, and the limits for the storage tag. */
struct tag_space {
	unsigned int bits, min_storage, max_storage;
};

static const struct tag_space tag_spaces[] = {
	[NVME_NVM_PIF_16B_GUARD] = { 32, 0, 32 },
	[NVME_NVM_PIF_32B_GUARD] = { 80, 16, 64 },
	[NVME_NVM_PIF_64B_GUARD] = { 48, 0, 48 },
};

static __u64 low_bits(__u64 value, unsigned int bits)
{
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

/* Fill dwords 2, 3 and 14 of @cmd. Return false if the format or width does not exist. */
static bool place_tags(const struct protection_tags *tags, struct nvme_passthru_cmd *cmd)
{
	const struct tag_space *space;
	unsigned int reference_bits;
	__u64 storage, low, high;

	if (tags->format >= sizeof(tag_spaces) / sizeof(tag_spaces[0]))
		return false;
	space = &tag_spaces[tags->format];
	if (tags->storage_bits < space->min_storage || tags->storage_bits > space->max_storage)
		return false;

	/* Up to 80 bits, with the storage tag above the reference tag. */
	reference_bits = space->bits - tags->storage_bits;
	storage = low_bits(tags->storage_tag, tags->storage_bits);
	low = low_bits(tags->reference_tag, space->bits);
	high = 0;
	if (reference_bits < 64) {
		low |= storage << reference_bits;
		if (reference_bits)
			high = storage >> (64 - reference_bits);
	} else {
		high = storage << (reference_bits - 64);
	}

	cmd->cdw14 = (__u32)low;
	cmd->cdw3 = (__u32)(low >> 32);
	cmd->cdw2 = (__u32)high;
	return true;
}

int nvme_io(struct nvme_io_args *args, __u8 opcode)
{
	struct nvme_passthru_cmd cmd;

	if (!args_between(args, struct nvme_io_args, dsm, pif))
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd){
		.opcode = opcode,
		.nsid = args->nsid,
		.metadata = ioctl_buffer(args->metadata),
		.addr = ioctl_buffer(args->data),
		.metadata_len = args->metadata_len,
		.data_len = args->data_len,
		.cdw10 = (__u32)args->slba,
		.cdw11 = (__u32)(args->slba >> 32),
		.cdw2 = (__u32)(args->storage_tag >> 32) & 0xffff,
		.cdw3 = (__u32)args->storage_tag,
		.cdw12 = args->nlb | (__u32)args->control << 16,
		.cdw13 = args->dsm | (__u32)args->dspec << 16,
		.cdw14 = args->reftag,
		.cdw15 = args->apptag | (__u32)args->appmask << 16,
		.timeout_ms = args->timeout,
	};
	if (args_exceed(args, struct nvme_io_args, dsm)) {
		struct protection_tags tags = {
			.format = args->pif,
			.storage_bits = args->sts,
			.storage_tag = args->storage_tag,
			.reference_tag = args->reftag_u64,
		};

		if (!place_tags(&tags, &cmd))
			return ioctl_refuse(EINVAL);
	}
	return nvme_submit_io_passthru(args->fd, &cmd, args->result);
}

int nvme_dsm(struct nvme_dsm_args *args)
{
	if (!args_complete(args) || !args->nr_ranges || args->nr_ranges > NVME_DSM_MAX_RANGES)
		return ioctl_refuse(EINVAL);
	return submit_io(args, .opcode = nvme_cmd_dsm, .nsid = args->nsid,
			 .addr = ioctl_buffer(args->dsm),
			 .data_len = args->nr_ranges * (__u32)sizeof(*args->dsm),
			 .cdw10 = args->nr_ranges - 1U, .cdw11 = args->attrs);
}

/* Return the size in bytes of a source range in a descriptor format. */
static __u32 copy_range_size(__u8 format)
{
	static const __u8 sizes[] = {
		sizeof(struct nvme_copy_range),
		sizeof(struct nvme_copy_range_f1),
		sizeof(struct nvme_copy_range_f2),
		sizeof(struct nvme_copy_range_f3),
	};

	return sizes[format < sizeof(sizes) ? format : 0];
}

int nvme_copy(struct nvme_copy_args *args)
{
	struct nvme_passthru_cmd cmd;

	if (!args_between(args, struct nvme_copy_args, format, ilbrt_u64) || !args->nr ||
	    args->nr > 256)
		return ioctl_refuse(EINVAL);

	cmd = (struct nvme_passthru_cmd){
		.opcode = nvme_cmd_copy,
		.nsid = args->nsid,
		.addr = ioctl_buffer(args->copy),
		.data_len = args->nr * copy_range_size(args->format),
		.cdw10 = (__u32)args->sdlba,
		.cdw11 = (__u32)(args->sdlba >> 32),
		.cdw12 = (args->nr - 1U) | (args->format & 0xfU) << 8 |
			 (args->prinfor & 0xfU) << 12 | (args->dtype & 0xfU) << 20 |
			 (args->prinfow & 0xfU) << 26 | (args->fua & 1U) << 30 |
			 (args->lr & 1U) << 31,
		.cdw13 = (__u32)args->dspec << 16,
		.cdw14 = args->ilbrt,
		.cdw15 = args->lbat | (__u32)args->lbatm << 16,
		.timeout_ms = args->timeout,
	};
	if (args_exceed(args, struct nvme_copy_args, format)) {
		cmd.cdw3 = (__u32)(args->ilbrt_u64 >> 32);
		cmd.cdw14 = (__u32)args->ilbrt_u64;
	}
	return nvme_submit_io_passthru(args->fd, &cmd, args->result);
}

int nvme_io_mgmt_recv(struct nvme_io_mgmt_recv_args *args)
{
	if (!args_complete(args) || !ioctl_has_dwords(args->data_len))
		return ioctl_refuse(EINVAL);
	return submit_io_to(NULL, args, .opcode = nvme_cmd_io_mgmt_recv, .nsid = args->nsid,
			    .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			    .cdw10 = args->mo | (__u32)args->mos << 16,
			    .cdw11 = ioctl_dwords_less_one(args->data_len));
}

int nvme_io_mgmt_send(struct nvme_io_mgmt_send_args *args)
{
	if (!args_complete(args))
		return ioctl_refuse(EINVAL);
	return submit_io_to(NULL, args, .opcode = nvme_cmd_io_mgmt_send, .nsid = args->nsid,
			    .addr = ioctl_buffer(args->data), .data_len = args->data_len,
			    .cdw10 = args->mo | (__u32)args->mos << 16);
}
