/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe Boot Firmware Table (NBFT): the ACPI table as it lies in memory, and what it says.
 */
#ifndef _LIBNVME_NBFT_H
#define _LIBNVME_NBFT_H

#include <stdbool.h>
#include <sys/types.h>

#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Signature of the ACPI table. */
#define NBFT_HEADER_SIG "NBFT"

enum nbft_desc_type {
	NBFT_DESC_HEADER = 0,
	NBFT_DESC_CONTROL = 1,
	NBFT_DESC_HOST = 2,
	NBFT_DESC_HFI = 3,
	NBFT_DESC_SSNS = 4,
	NBFT_DESC_SECURITY = 5,
	NBFT_DESC_DISCOVERY = 6,
	NBFT_DESC_HFI_TRINFO = 7,
	NBFT_DESC_RESERVED_8 = 8,
	NBFT_DESC_SSNS_EXT_INFO = 9,
};

enum nbft_trtype {
	NBFT_TRTYPE_TCP = 3,
};

struct nbft_heap_obj {
	__le32 offset;
	__le16 length;
} __attribute__((packed));

struct nbft_header {
	char signature[4];
	__le32 length;
	__u8 major_revision;
	__u8 checksum;
	char oem_id[6];
	char oem_table_id[8];
	__le32 oem_revision;
	__le32 creator_id;
	__le32 creator_revision;
	__le32 heap_offset;
	__le32 heap_length;
	struct nbft_heap_obj driver_dev_path_sig;
	__u8 minor_revision;
	__u8 reserved[13];
};

enum nbft_control_flags {
	NBFT_CONTROL_VALID = 1 << 0,
};

struct nbft_control {
	__u8 structure_id;
	__u8 major_revision;
	__u8 minor_revision;
	__u8 reserved1;
	__le16 csl;
	__u8 flags;
	__u8 reserved2;
	struct nbft_heap_obj hdesc;
	__u8 hsv;
	__u8 reserved3;
	__le32 hfio;
	__le16 hfil;
	__u8 hfiv;
	__u8 num_hfi;
	__le32 ssnso;
	__le16 ssnsl;
	__u8 ssnsv;
	__u8 num_ssns;
	__le32 seco;
	__le16 secl;
	__u8 secv;
	__u8 num_sec;
	__le32 disco;
	__le16 discl;
	__u8 discv;
	__u8 num_disc;
	__u8 reserved4[16];
};

enum nbft_host_flags {
	NBFT_HOST_VALID = 0x01,
	NBFT_HOST_HOSTID_CONFIGURED = 0x02,
	NBFT_HOST_HOSTNQN_CONFIGURED = 0x04,
	NBFT_HOST_PRIMARY_ADMIN_MASK = 0x18,
	NBFT_HOST_PRIMARY_ADMIN_NOT_INDICATED = 0x00,
	NBFT_HOST_PRIMARY_ADMIN_UNSELECTED = 0x08,
	NBFT_HOST_PRIMARY_ADMIN_SELECTED = 0x10,
};

struct nbft_host {
	__u8 structure_id;
	__u8 flags;
	__u8 host_id[16];
	struct nbft_heap_obj host_nqn_obj;
	__u8 reserved[8];
};

enum nbft_hfi_flags {
	NBFT_HFI_VALID = 1 << 0,
};

struct nbft_hfi {
	__u8 structure_id;
	__u8 index;
	__u8 flags;
	__u8 trtype;
	__u8 reserved1[12];
	struct nbft_heap_obj trinfo_obj;
	__u8 reserved2[10];
};

enum nbft_hfi_info_tcp_flags {
	NBFT_HFI_INFO_TCP_VALID = 1 << 0,
	NBFT_HFI_INFO_TCP_GLOBAL_ROUTE = 1 << 1,
	NBFT_HFI_INFO_TCP_DHCP_OVERRIDE = 1 << 2,
};

struct nbft_hfi_info_tcp {
	__u8 structure_id;
	__u8 version;
	__u8 trtype;
	__u8 trinfo_version;
	__le16 hfi_index;
	__u8 flags;
	__le32 pci_sbdf;
	__u8 mac_addr[6];
	__le16 vlan;
	__u8 ip_origin;
	__u8 ip_address[16];
	__u8 subnet_mask_prefix;
	__u8 ip_gateway[16];
	__u8 reserved1;
	__le16 route_metric;
	__u8 primary_dns[16];
	__u8 secondary_dns[16];
	__u8 dhcp_server[16];
	struct nbft_heap_obj host_name_obj;
	__u8 reserved2[18];
} __attribute__((packed));

enum nbft_ssns_flags {
	NBFT_SSNS_VALID = 0x0001,
	NBFT_SSNS_NON_BOOTABLE_ENTRY = 0x0002,
	NBFT_SSNS_USE_SECURITY_FIELD = 0x0004,
	NBFT_SSNS_DHCP_ROOT_PATH_OVERRIDE = 0x0008,
	NBFT_SSNS_EXTENDED_INFO_IN_USE = 0x0010,
	NBFT_SSNS_SEPARATE_DISCOVERY_CTRL = 0x0020,
	NBFT_SSNS_DISCOVERED_NAMESPACE = 0x0040,
	NBFT_SSNS_UNAVAIL_NAMESPACE_MASK = 0x180,
	NBFT_SSNS_UNAVAIL_NAMESPACE_NOTIND = 0x0000,
	NBFT_SSNS_UNAVAIL_NAMESPACE_AVAIL = 0x0080,
	NBFT_SSNS_UNAVAIL_NAMESPACE_UNAVAIL = 0x0100,
};

enum nbft_ssns_trflags {
	NBFT_SSNS_TRFLAG_VALID = 1 << 0,
	NBFT_SSNS_PDU_HEADER_DIGEST = 1 << 1,
	NBFT_SSNS_DATA_DIGEST = 1 << 2,
};

struct nbft_ssns {
	__u8 structure_id;
	__le16 index;
	__le16 flags;
	__u8 trtype;
	__le16 trflags;
	__u8 primary_discovery_ctrl_index;
	__u8 reserved1;
	struct nbft_heap_obj subsys_traddr_obj;
	struct nbft_heap_obj subsys_trsvcid_obj;
	__le16 subsys_port_id;
	__le32 nsid;
	__u8 nidt;
	__u8 nid[16];
	__u8 security_desc_index;
	__u8 primary_hfi_desc_index;
	__u8 reserved2;
	struct nbft_heap_obj secondary_hfi_assoc_obj;
	struct nbft_heap_obj subsys_ns_nqn_obj;
	struct nbft_heap_obj ssns_extended_info_desc_obj;
	__u8 reserved3[62];
} __attribute__((packed));

enum nbft_ssns_ext_info_flags {
	NBFT_SSNS_EXT_INFO_VALID = 1 << 0,
	NBFT_SSNS_EXT_INFO_ADMIN_ASQSZ = 1 << 1,
};

struct nbft_ssns_ext_info {
	__u8 structure_id;
	__u8 version;
	__le16 ssns_index;
	__le32 flags;
	__le16 cntlid;
	__le16 asqsz;
	struct nbft_heap_obj dhcp_root_path_str_obj;
} __attribute__((packed));

enum nbft_security_flags {
	NBFT_SECURITY_VALID = 0x0001,
	NBFT_SECURITY_IN_BAND_AUTH_MASK = 0x6,
	NBFT_SECURITY_IN_BAND_AUTH_NOT_SUPPORTED = 0x0000,
	NBFT_SECURITY_IN_BAND_AUTH_NOT_REQUIRED = 0x0002,
	NBFT_SECURITY_IN_BAND_AUTH_REQUIRED = 0x0004,
	NBFT_SECURITY_AUTH_POLICY_LIST_MASK = 0x18,
	NBFT_SECURITY_AUTH_POLICY_LIST_NOT_SUPPORTED = 0x0000,
	NBFT_SECURITY_AUTH_POLICY_LIST_DRIVER = 0x0008,
	NBFT_SECURITY_AUTH_POLICY_LIST_ADMIN = 0x0010,
	NBFT_SECURITY_SEC_CHAN_NEG_MASK = 0x60,
	NBFT_SECURITY_SEC_CHAN_NEG_NOT_SUPPORTED = 0x0000,
	NBFT_SECURITY_SEC_CHAN_NEG_NOT_REQUIRED = 0x0020,
	NBFT_SECURITY_SEC_CHAN_NEG_REQUIRED = 0x0040,
	NBFT_SECURITY_SEC_POLICY_LIST_MASK = 0x180,
	NBFT_SECURITY_SEC_POLICY_LIST_NOT_SUPPORTED = 0x0000,
	NBFT_SECURITY_SEC_POLICY_LIST_DRIVER = 0x0080,
	NBFT_SECURITY_SEC_POLICY_LIST_ADMIN = 0x0100,
	NBFT_SECURITY_CIPHER_RESTRICTED = 0x0200,
	NBFT_SECURITY_AUTH_DH_GROUPS_RESTRICTED = 0x0400,
	NBFT_SECURITY_SEC_HASH_FUNC_POLICY_LIST = 0x0800,
};

enum nbft_security_secret_type {
	NBFT_SECURITY_SECRET_REDFISH_HOST_IFACE_URI = 2,
};

struct nbft_security {
	__u8 structure_id;
	__u8 index;
	__le16 flags;
	__u8 secret_type;
	__u8 reserved1;
	struct nbft_heap_obj sec_chan_alg_obj;
	struct nbft_heap_obj auth_proto_obj;
	struct nbft_heap_obj cipher_suite_obj;
	struct nbft_heap_obj dh_grp_obj;
	struct nbft_heap_obj sec_hash_func_obj;
	struct nbft_heap_obj sec_keypath_obj;
	__u8 reserved2[22];
};

enum nbft_discovery_flags {
	NBFT_DISCOVERY_VALID = 1 << 0,
};

struct nbft_discovery {
	__u8 structure_id;
	__u8 flags;
	__u8 index;
	__u8 hfi_index;
	__u8 sec_index;
	__u8 reserved1;
	struct nbft_heap_obj discovery_ctrl_addr_obj;
	struct nbft_heap_obj discovery_ctrl_nqn_obj;
	__u8 reserved2[14];
};

enum nbft_info_primary_admin_host_flag {
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_NOT_INDICATED = 0,
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_UNSELECTED = 1,
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_SELECTED = 2,
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_RESERVED = 3,
};

struct nbft_info_host {
	unsigned char *id;
	char *nqn;
	bool host_id_configured;
	bool host_nqn_configured;
	enum nbft_info_primary_admin_host_flag primary;
};

struct nbft_info_hfi_info_tcp {
	__u32 pci_sbdf;
	__u8 mac_addr[6];
	__u16 vlan;
	__u8 ip_origin;
	char ipaddr[40];
	__u8 subnet_mask_prefix;
	char gateway_ipaddr[40];
	__u16 route_metric;
	char primary_dns_ipaddr[40];
	char secondary_dns_ipaddr[40];
	char dhcp_server_ipaddr[40];
	char *host_name;
	bool this_hfi_is_default_route;
	bool dhcp_override;
};

struct nbft_info_hfi {
	int index;
	char transport[8];
	struct nbft_info_hfi_info_tcp tcp_info;
};

struct nbft_info_security {
	int index;
};

struct nbft_info_discovery {
	int index;
	struct nbft_info_security *security;
	struct nbft_info_hfi *hfi;
	char *uri;
	char *nqn;
};

enum nbft_info_nid_type {
	NBFT_INFO_NID_TYPE_NONE = 0,
	NBFT_INFO_NID_TYPE_EUI64 = 1,
	NBFT_INFO_NID_TYPE_NGUID = 2,
	NBFT_INFO_NID_TYPE_NS_UUID = 3,
};

struct nbft_info_subsystem_ns {
	int index;
	struct nbft_info_discovery *discovery;
	struct nbft_info_security *security;
	int num_hfis;
	struct nbft_info_hfi **hfis;
	char transport[8];
	char traddr[40];
	char *trsvcid;
	__u16 subsys_port_id;
	__u32 nsid;
	enum nbft_info_nid_type nid_type;
	__u8 *nid;
	char *subsys_nqn;
	bool pdu_header_digest_required;
	bool data_digest_required;
	int controller_id;
	int asqsz;
	char *dhcp_root_path_string;
	bool discovered;
	bool unavailable;
};

struct nbft_info {
	char *filename;
	__u8 *raw_nbft;
	ssize_t raw_nbft_size;
	struct nbft_info_host host;
	struct nbft_info_hfi **hfi_list;
	struct nbft_info_security **security_list;
	struct nbft_info_discovery **discovery_list;
	struct nbft_info_subsystem_ns **subsystem_ns_list;
};

/**
 * nvme_nbft_read() - read and check an NBFT
 * @nbft:	Where to store what was read; untouched on failure
 * @filename:	File that holds the table, as /sys/firmware/acpi/tables/NBFT
 *
 * The table comes from firmware and is not trusted: signature, length, checksum, every offset and
 * every string are checked. A descriptor that cannot be read is left out and logged.
 *
 * Return: 0, or -1 with errno set: EINVAL for a table that is not an NBFT, ENOMEM, or the reason why
 * the file could not be read. The caller owns *@nbft and releases it with nvme_nbft_free().
 */
int nvme_nbft_read(struct nbft_info **nbft, const char *filename);

/**
 * nvme_nbft_free() - release what nvme_nbft_read() returned
 * @nbft:	May be NULL; no pointer taken from it may be used afterwards
 */
void nvme_nbft_free(struct nbft_info *nbft);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_NBFT_H */
