/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned namespaces and their zones. Use <nvme/ioctl.h>. NVM Express Zoned Namespace Command Set.
 *
 * Common to all functions unless noted otherwise:
 * Return: 0, the NVMe status, or -1 with errno set.
 */
#pragma once

/**
 * nvme_zns_identify_ctrl() - Identify Controller for zoned namespaces (CNS 06h, CSI 02h)
 * @fd:		Controller or namespace device
 * @id:		Where to store the data structure
 *
 * Return: As nvme_identify().
 */
static inline int nvme_zns_identify_ctrl(int fd, struct nvme_zns_id_ctrl *id)
{
	return nvme_identify_ctrl_csi(fd, NVME_CSI_ZNS, id);
}

/**
 * nvme_zns_identify_ns() - Identify Namespace of a zoned namespace (CNS 05h, CSI 02h)
 * @fd:		Controller or namespace device
 * @nsid:	Namespace
 * @data:	Where to store the data structure
 *
 * Return: As nvme_identify().
 */
static inline int nvme_zns_identify_ns(int fd, __u32 nsid, struct nvme_zns_id_ns *data)
{
	return nvme_identify_ns_csi(fd, nsid, NVME_UUID_NONE, NVME_CSI_ZNS, data);
}

/**
 * nvme_zns_mgmt_send() - Zone Management Send (79h)
 * @args: Zone or all zones, action, and data if the action has any
 */
int nvme_zns_mgmt_send(struct nvme_zns_mgmt_send_args *args);

/**
 * nvme_zns_mgmt_recv() - Zone Management Receive (7Ah)
 * @args: First zone, action, its specific fields and a buffer, bytes, a multiple of 4
 */
int nvme_zns_mgmt_recv(struct nvme_zns_mgmt_recv_args *args);

/**
 * nvme_zns_report_zones() - report zones
 * @fd:		Namespace device
 * @nsid:	Namespace
 * @slba:	First block of the first zone
 * @opts:	State of the zones to report
 * @extended:	With zone descriptor extensions
 * @partial:	Count only the zones in @data, not all matching zones
 * @data_len:	Bytes at @data, a multiple of 4
 * @data:	Where to store a struct nvme_zone_report with its descriptors
 * @timeout:	Milliseconds; 0: the driver's default
 * @result:	Where to store dword 0 of the completion, or NULL
 *
 * Return: As nvme_zns_mgmt_recv().
 */
static inline int nvme_zns_report_zones(int fd, __u32 nsid, __u64 slba,
					enum nvme_zns_report_options opts, bool extended,
					bool partial, __u32 data_len, void *data, __u32 timeout,
					__u32 *result)
{
	struct nvme_zns_mgmt_recv_args args = {
		.slba = slba,
		.result = result,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = timeout,
		.nsid = nsid,
		.zra = extended ? NVME_ZNS_ZRA_EXTENDED_REPORT_ZONES : NVME_ZNS_ZRA_REPORT_ZONES,
		.data_len = data_len,
		.zrasf = (__u16)opts,
		.zras_feat = partial,
	};

	return nvme_zns_mgmt_recv(&args);
}

/**
 * nvme_zns_append() - Zone Append (7Dh)
 * @args: Zone, blocks less one, buffers, control and protection information; the first block of
 *	  the written data is stored in @args->result
 *
 * Accepts the structure up to lbatm and up to ilbrt_u64.
 */
int nvme_zns_append(struct nvme_zns_append_args *args);
