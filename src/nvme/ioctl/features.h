/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Get Features (0Ah) and Set Features (09h). Use <nvme/ioctl.h>. Follows NVM Express Base, commands
 * of these names.
 *
 * Common to all functions unless noted otherwise:
 * @fd: Controller or namespace device
 * @result: Where to store dword 0 of the completion, or NULL
 */
#pragma once

/**
 * nvme_set_features() - set one feature
 * @args:	Feature, dwords 11 to 15, whether to save, and @args->data_len bytes of data if the
 *	  feature has one
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
int nvme_set_features(struct nvme_set_features_args *args);

/**
 * nvme_set_features_data() - set a feature that has a data structure
 * @fid:	Feature, enum nvme_features_id
 * @nsid:	Namespace, or NVME_NSID_NONE or NVME_NSID_ALL as the feature asks
 * @cdw11:	Dword 11
 * @save:	Keep the value across power cycles and resets
 * @data_len:	Bytes at @data
 * @data:	Data structure to send
 *
 * Return: As nvme_set_features().
 */
static inline int nvme_set_features_data(int fd, __u8 fid, __u32 nsid, __u32 cdw11, bool save,
					 __u32 data_len, void *data, __u32 *result)
{
	struct nvme_set_features_args args = {
		.result = result,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.cdw11 = cdw11,
		.cdw12 = 0,
		.cdw13 = 0,
		.cdw15 = 0,
		.data_len = data_len,
		.save = save,
		.uuidx = NVME_UUID_NONE,
		.fid = fid,
	};

	return nvme_set_features(&args);
}

/**
 * nvme_set_features_simple() - set a feature whose value fits in dword 11
 * @fid:	Feature, enum nvme_features_id
 * @nsid:	Namespace, or NVME_NSID_NONE or NVME_NSID_ALL as the feature asks
 * @cdw11:	Dword 11
 * @save:	Keep the value across power cycles and resets
 *
 * Return: As nvme_set_features().
 */
static inline int nvme_set_features_simple(int fd, __u8 fid, __u32 nsid, __u32 cdw11, bool save,
					   __u32 *result)
{
	return nvme_set_features_data(fd, fid, nsid, cdw11, save, 0, NULL, result);
}

/**
 * nvme_get_features() - read one feature
 * @args:	Feature, selected value, dword 11, and a buffer of @args->data_len bytes if the
 *	  feature has one
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
int nvme_get_features(struct nvme_get_features_args *args);

/**
 * nvme_get_features_data() - read the current value of a feature that has a data structure
 * @fid:	Feature
 * @nsid:	Namespace, or NVME_NSID_NONE for features of the controller
 * @data_len:	Bytes at @data
 * @data:	Where to store the data structure
 *
 * Return: As nvme_get_features().
 */
static inline int nvme_get_features_data(int fd, enum nvme_features_id fid, __u32 nsid,
					 __u32 data_len, void *data, __u32 *result)
{
	struct nvme_get_features_args args = {
		.result = result,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.sel = NVME_GET_FEATURES_SEL_CURRENT,
		.cdw11 = 0,
		.data_len = data_len,
		.fid = (__u8)fid,
		.uuidx = NVME_UUID_NONE,
	};

	return nvme_get_features(&args);
}

/**
 * nvme_get_features_simple() - read the current value of a feature that fits in the result
 * @fid:	Feature
 * @nsid:	Namespace, or NVME_NSID_NONE for features of the controller
 *
 * Return: As nvme_get_features().
 */
static inline int nvme_get_features_simple(int fd, enum nvme_features_id fid, __u32 nsid,
					   __u32 *result)
{
	return nvme_get_features_data(fd, fid, nsid, 0, NULL, result);
}
