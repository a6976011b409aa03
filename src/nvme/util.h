/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers for NVMe commands: status and errno as text, UUIDs, data layouts, IP addresses.
 *
 * Common to all functions unless noted otherwise:
 * @copy: Array of @nr descriptors to fill
 * @eilbrts: Expected initial reference tags
 * @elbatms: Expected application tag masks
 * @elbats: Expected application tags
 * @len: Where to store the number of bytes
 * @nlbs: Numbers of logical blocks, minus one
 * @nr: Number of descriptors
 * @slbas: First logical blocks
 */
#ifndef _LIBNVME_UTIL_H
#define _LIBNVME_UTIL_H

#include <ifaddrs.h>
#include <stdbool.h>
#include <stddef.h>

#include <nvme/types.h>
#include <nvme/util/features.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvme_connect_err - errno values of failed connects
 * @ENVME_CONNECT_RESOLVE: The host name does not resolve
 * @ENVME_CONNECT_ADDRFAM: Unknown address family
 * @ENVME_CONNECT_TRADDR: The transport address is not an address and does not resolve
 * @ENVME_CONNECT_TARG: No transport given
 * @ENVME_CONNECT_AARG: No transport address given
 * @ENVME_CONNECT_OPEN: /dev/nvme-fabrics cannot be opened
 * @ENVME_CONNECT_WRITE: Writing to /dev/nvme-fabrics failed for any other reason
 * @ENVME_CONNECT_READ: Reading the reply of /dev/nvme-fabrics failed
 * @ENVME_CONNECT_PARSE: The reply of /dev/nvme-fabrics names no controller
 * @ENVME_CONNECT_INVAL_TR: The new controller has no address
 * @ENVME_CONNECT_LOOKUP_SUBSYS_NAME: The subsystem of the new controller is not in /sys
 * @ENVME_CONNECT_LOOKUP_SUBSYS: The subsystem of the new controller cannot be added
 * @ENVME_CONNECT_ALREADY: Already connected
 * @ENVME_CONNECT_INVAL: The kernel refuses an option, or options contradict each other
 * @ENVME_CONNECT_ADDRINUSE: The host NQN is used with another host identifier
 * @ENVME_CONNECT_NODEV: No such network interface
 * @ENVME_CONNECT_OPNOTSUPP: The kernel does not support a requested option
 * @ENVME_CONNECT_CONNREFUSED: Nothing listens at the address
 * @ENVME_CONNECT_ADDRNOTAVAIL: The host has no such address
 * @ENVME_CONNECT_IGNORED: The subsystem belongs to another application
 * @ENVME_CONNECT_NOKEY: The TLS key is not in the keyring
 */
enum nvme_connect_err {
	ENVME_CONNECT_RESOLVE = 1000,
	ENVME_CONNECT_ADDRFAM,
	ENVME_CONNECT_TRADDR,
	ENVME_CONNECT_TARG,
	ENVME_CONNECT_AARG,
	ENVME_CONNECT_OPEN,
	ENVME_CONNECT_WRITE,
	ENVME_CONNECT_READ,
	ENVME_CONNECT_PARSE,
	ENVME_CONNECT_INVAL_TR,
	ENVME_CONNECT_LOOKUP_SUBSYS_NAME,
	ENVME_CONNECT_LOOKUP_SUBSYS,
	ENVME_CONNECT_ALREADY,
	ENVME_CONNECT_INVAL,
	ENVME_CONNECT_ADDRINUSE,
	ENVME_CONNECT_NODEV,
	ENVME_CONNECT_OPNOTSUPP,
	ENVME_CONNECT_CONNREFUSED,
	ENVME_CONNECT_ADDRNOTAVAIL,
	ENVME_CONNECT_IGNORED,
	ENVME_CONNECT_NOKEY,
};

/**
 * nvme_status_to_errno() - errno closest to an NVMe status
 * @status:  Status of a command; negative: errno has the reason
 * @fabrics: Read command specific values as those of Fabrics commands
 *
 * Return: An errno value; 0 for success.
 */
__u8 nvme_status_to_errno(int status, bool fabrics);

/**
 * nvme_status_to_string() - NVMe status as text
 * @status:  Status of a command; negative: errno has the reason
 * @fabrics: Read command specific values as those of Fabrics commands
 *
 * Return: A static string, or that of strerror(3).
 */
const char *nvme_status_to_string(int status, bool fabrics);

/**
 * nvme_errno_to_string() - errno or &enum nvme_connect_err as text
 * @err: Positive value
 *
 * Return: A static string, or that of strerror(3).
 */
const char *nvme_errno_to_string(int err);

/**
 * nvme_init_ctrl_list() - fill in a controller list
 * @cntlist:   List to fill
 * @num_ctrls: Number of identifiers, at most NVME_ID_CTRL_LIST_MAX are used
 * @ctrlist:   Identifiers
 */
void nvme_init_ctrl_list(struct nvme_ctrl_list *cntlist, __u16 num_ctrls, __u16 *ctrlist);

/**
 * nvme_init_dsm_range() - fill in ranges for Dataset Management
 * @dsm:       Array of @nr_ranges ranges to fill
 * @ctx_attrs: Context attributes
 * @llbas:     Numbers of logical blocks
 * @nr_ranges: Number of ranges
 */
void nvme_init_dsm_range(struct nvme_dsm_range *dsm, __u32 *ctx_attrs, __u32 *llbas, __u64 *slbas,
			 __u16 nr_ranges);

/** nvme_init_copy_range() - fill in Copy source ranges, descriptor format 0 */
void nvme_init_copy_range(struct nvme_copy_range *copy, __u16 *nlbs, __u64 *slbas, __u32 *eilbrts,
			  __u32 *elbatms, __u32 *elbats, __u16 nr);

/** nvme_init_copy_range_f1() - fill in Copy source ranges, descriptor format 1 */
void nvme_init_copy_range_f1(struct nvme_copy_range_f1 *copy, __u16 *nlbs, __u64 *slbas,
			     __u64 *eilbrts, __u32 *elbatms, __u32 *elbats, __u16 nr);

/**
 * nvme_init_copy_range_f2() - fill in Copy source ranges, descriptor format 2
 * @snsids:  Source namespaces
 * @sopts:   Source options
 */
void nvme_init_copy_range_f2(struct nvme_copy_range_f2 *copy, __u32 *snsids, __u16 *nlbs,
			     __u64 *slbas, __u16 *sopts, __u32 *eilbrts, __u32 *elbatms,
			     __u32 *elbats, __u16 nr);

/**
 * nvme_init_copy_range_f3() - fill in Copy source ranges, descriptor format 3
 * @snsids:  Source namespaces
 * @sopts:   Source options
 */
void nvme_init_copy_range_f3(struct nvme_copy_range_f3 *copy, __u32 *snsids, __u16 *nlbs,
			     __u64 *slbas, __u16 *sopts, __u64 *eilbrts, __u32 *elbatms,
			     __u32 *elbats, __u16 nr);

/**
 * nvme_get_feature_length() - bytes that Get Features transfers
 * @fid:   Feature identifier
 * @cdw11: Dword 11 of the command
 *
 * Return: 0, or -1 with errno EINVAL if the feature is not known.
 */
int nvme_get_feature_length(int fid, __u32 cdw11, __u32 *len);

/**
 * nvme_get_feature_length2() - bytes that Get or Set Features transfers
 * @fid:   Feature identifier
 * @cdw11: Dword 11 of the command
 * @dir:   Direction
 *
 * Return: 0, or -1 with errno EINVAL if the feature is not known.
 */
int nvme_get_feature_length2(int fid, __u32 cdw11, enum nvme_data_tfr dir, __u32 *len);

/**
 * nvme_get_directive_receive_length() - bytes that Directive Receive transfers
 * @dtype: Directive type
 * @doper: Directive operation
 *
 * Return: 0, or -1 with errno EINVAL if the combination is not known.
 */
int nvme_get_directive_receive_length(enum nvme_directive_dtype dtype,
				      enum nvme_directive_receive_doper doper, __u32 *len);

/**
 * nvme_id_ns_flbas_to_lbaf_inuse() - the LBA format that a namespace uses
 * @flbas:	Formatted LBA size, from Identify Namespace
 * @lbaf_inuse:	Where to store the index of the format
 */
static inline void nvme_id_ns_flbas_to_lbaf_inuse(__u8 flbas, __u8 *lbaf_inuse)
{
	*lbaf_inuse = (NVME_GET(flbas, FLBAS_HIGHER) << 4) | NVME_GET(flbas, FLBAS_LOWER);
}

#ifndef __round_mask
#define __round_mask(val, mult) ((__typeof__(val))((mult)-1))
#endif

#ifndef round_up
#define round_up(val, mult) ((((val)-1) | __round_mask(val, mult)) + 1)
#endif

/**
 * nvmf_exat_len() - length field of an extended attribute
 * @val_len: Bytes of its value
 *
 * Return: @val_len rounded up to dwords.
 */
static inline __u16 nvmf_exat_len(size_t val_len)
{
	return (__u16)round_up(val_len, sizeof(__u32));
}

/**
 * nvmf_exat_size() - size of an extended attribute
 * @val_len: Bytes of its value
 *
 * Return: Bytes of header and padded value.
 */
static inline __u16 nvmf_exat_size(size_t val_len)
{
	return (__u16)(sizeof(struct nvmf_ext_attr) + nvmf_exat_len(val_len));
}

/**
 * nvmf_exat_ptr_next() - the extended attribute after another one
 * @p: Attribute, which must not be the last one
 *
 * Return: Address after @p and its padded value, which belongs to the same buffer.
 */
struct nvmf_ext_attr *nvmf_exat_ptr_next(struct nvmf_ext_attr *p);

/**
 * enum nvme_version - argument of nvme_get_version()
 * @NVME_VERSION_PROJECT: The interface that the library offers, e.g. "1.16.2"
 * @NVME_VERSION_GIT:	  Name and version of this project, e.g. "nvme-mptcp 0.3.0"
 */
enum nvme_version {
	NVME_VERSION_PROJECT = 0,
	NVME_VERSION_GIT = 1,
};

/**
 * nvme_get_version() - version of the library
 * @type: Which one
 *
 * Return: A static string; "n/a" for an unknown @type.
 */
const char *nvme_get_version(enum nvme_version type);

/**
 * nvme_uuid_to_string() - UUID as text
 * @uuid: 16 bytes
 * @str:  Where to store NVME_UUID_LEN_STRING characters
 *
 * Return: 0, or -EINVAL.
 */
int nvme_uuid_to_string(unsigned char uuid[16], char *str);

/**
 * nvme_uuid_from_string() - UUID from text
 * @str:  Text as in RFC 9562, upper or lower case; anything after 36 characters is ignored
 * @uuid: Where to store the 16 bytes
 *
 * Return: 0, or -EINVAL.
 */
int nvme_uuid_from_string(const char *str, unsigned char uuid[16]);

/**
 * nvme_uuid_random() - generate a random UUID, version 4
 * @uuid: Where to store the 16 bytes
 *
 * Return: 0, or -errno if the kernel returns no random numbers.
 */
int nvme_uuid_random(unsigned char uuid[16]);

/**
 * nvme_uuid_find() - find a UUID in the list of a controller
 * @uuid_list: List from Identify
 * @uuid:      UUID to find
 *
 * Return: Its index, counted from 1; -1 with errno: ENOENT if it is not in the list, EINVAL
 * without @uuid_list or @uuid.
 */
int nvme_uuid_find(struct nvme_id_uuid_list *uuid_list, const unsigned char uuid[16]);

/**
 * nvme_ipaddrs_eq() - check whether two texts are the same IP address
 * @addr1: IPv4 or IPv6 address
 * @addr2: IPv4 or IPv6 address
 *
 * Return: true if both are addresses and equal; v4-mapped IPv6 equals IPv4.
 */
bool nvme_ipaddrs_eq(const char *addr1, const char *addr2);

/**
 * nvme_iface_matching_addr() - the network interface that owns an address
 * @iface_list: List from getifaddrs(3)
 * @addr:       IPv4 or IPv6 address
 *
 * Return: Name of the interface, owned by the list, or NULL.
 */
const char *nvme_iface_matching_addr(const struct ifaddrs *iface_list, const char *addr);

/**
 * nvme_iface_primary_addr_matches() - check whether an address is the first one of its family on an
 * interface
 * @iface_list: List from getifaddrs(3)
 * @iface:      Name of the interface
 * @addr:       IPv4 or IPv6 address
 *
 * Return: true if it is.
 */
bool nvme_iface_primary_addr_matches(const struct ifaddrs *iface_list, const char *iface,
				     const char *addr);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_UTIL_H */
