/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe Boot Firmware Table (NBFT): the layout of the ACPI table, and its parsed contents.
 * Names in quotes are sections of the NVM Express Boot Specification.
 */
#ifndef _LIBNVME_NBFT_H
#define _LIBNVME_NBFT_H

#include <stdbool.h>
#include <sys/types.h>

#include <nvme/types.h>

/* Columns are aligned by hand. */
/* clang-format off */

#ifdef __cplusplus
extern "C" {
#endif

/* Signature of the ACPI table. */
#define NBFT_HEADER_SIG "NBFT"

/** enum nbft_desc_type - descriptor types; "NBFT Descriptor Types" */
enum nbft_desc_type {
	NBFT_DESC_HEADER = 0,		/* &struct nbft_header */
	NBFT_DESC_CONTROL = 1,		/* &struct nbft_control */
	NBFT_DESC_HOST = 2,		/* &struct nbft_host */
	NBFT_DESC_HFI = 3,		/* &struct nbft_hfi */
	NBFT_DESC_SSNS = 4,		/* &struct nbft_ssns */
	NBFT_DESC_SECURITY = 5,		/* &struct nbft_security */
	NBFT_DESC_DISCOVERY = 6,	/* &struct nbft_discovery */
	NBFT_DESC_HFI_TRINFO = 7,	/* &struct nbft_hfi_info_tcp */
	NBFT_DESC_RESERVED_8 = 8,	/* reserved */
	NBFT_DESC_SSNS_EXT_INFO = 9,	/* &struct nbft_ssns_ext_info */
};

/** enum nbft_trtype - transport types of host fabric interfaces; "HFI Descriptor" */
enum nbft_trtype {
	NBFT_TRTYPE_TCP = 3,	/* TCP */
};

/** struct nbft_heap_obj - reference to an object in the heap; "Heap Object Reference" */
struct nbft_heap_obj {
	__le32 offset;	/* from the beginning of the table */
	__le16 length;	/* bytes; without the NUL of strings */
} __attribute__((packed));

/** struct nbft_header - header of the table; "NBFT Table Header" */
struct nbft_header {
	char signature[4];				/* NBFT_HEADER_SIG */
	__le32 length;					/* length of the table in bytes */
	__u8 major_revision;				/* major revision */
	__u8 checksum;					/* complement: the sum of all bytes is 0 */
	char oem_id[6];					/* OEM id */
	char oem_table_id[8];				/* OEM table id */
	__le32 oem_revision;				/* OEM revision */
	__le32 creator_id;				/* id of the creator */
	__le32 creator_revision;			/* revision of the creator */
	__le32 heap_offset;				/* offset of the heap */
	__le32 heap_length;				/* length of the heap in bytes */
	struct nbft_heap_obj driver_dev_path_sig;	/* signature of the driver's device path */
	__u8 minor_revision;				/* minor revision */
	__u8 reserved[13];
};

/** enum nbft_control_flags - flags of the Control descriptor; "Control Descriptor" */
enum nbft_control_flags {
	NBFT_CONTROL_VALID = 1 << 0,	/* the descriptor is valid */
};

/**
 * struct nbft_control - Control descriptor
 *
 * Offsets of the descriptor lists. The version is that of the descriptors' layout.
 *
 * NVM Express Boot Specification, "Control Descriptor".
 */
struct nbft_control {
	__u8 structure_id;		/* NBFT_DESC_CONTROL */
	__u8 major_revision;		/* major revision */
	__u8 minor_revision;		/* minor revision */
	__u8 reserved1;
	__le16 csl;			/* length of this descriptor in bytes */
	__u8 flags;			/* &enum nbft_control_flags */
	__u8 reserved2;
	struct nbft_heap_obj hdesc;	/* Host descriptor */
	__u8 hsv;			/* version of the Host descriptor */
	__u8 reserved3;
	__le32 hfio;			/* offset of the HFI descriptors */
	__le16 hfil;			/* length of an HFI descriptor in bytes */
	__u8 hfiv;			/* version of the HFI descriptors */
	__u8 num_hfi;			/* number of HFI descriptors */
	__le32 ssnso;			/* offset of the SSNS descriptors */
	__le16 ssnsl;			/* length of an SSNS descriptor in bytes */
	__u8 ssnsv;			/* version of the SSNS descriptors */
	__u8 num_ssns;			/* number of SSNS descriptors */
	__le32 seco;			/* offset of the Security descriptors */
	__le16 secl;			/* length of a Security descriptor in bytes */
	__u8 secv;			/* version of the Security descriptors */
	__u8 num_sec;			/* number of Security descriptors */
	__le32 disco;			/* offset of the Discovery descriptors */
	__le16 discl;			/* length of a Discovery descriptor in bytes */
	__u8 discv;			/* version of the Discovery descriptors */
	__u8 num_disc;			/* number of Discovery descriptors */
	__u8 reserved4[16];
};

/** enum nbft_host_flags - flags of the Host descriptor; "Host Descriptor" */
enum nbft_host_flags {
	NBFT_HOST_VALID = 0x01,				/* the descriptor is valid */
	NBFT_HOST_HOSTID_CONFIGURED = 0x02,		/* the Host Identifier was configured */
	NBFT_HOST_HOSTNQN_CONFIGURED = 0x04,		/* the host NQN was configured */
	NBFT_HOST_PRIMARY_ADMIN_MASK = 0x18,		/* primary administrative host */
	NBFT_HOST_PRIMARY_ADMIN_NOT_INDICATED = 0x00,	/* not indicated */
	NBFT_HOST_PRIMARY_ADMIN_UNSELECTED = 0x08,	/* not selected */
	NBFT_HOST_PRIMARY_ADMIN_SELECTED = 0x10,	/* selected */
};

/** struct nbft_host - Host descriptor; "Host Descriptor" */
struct nbft_host {
	__u8 structure_id;			/* NBFT_DESC_HOST */
	__u8 flags;				/* &enum nbft_host_flags */
	__u8 host_id[16];			/* Host Identifier */
	struct nbft_heap_obj host_nqn_obj;	/* host NQN */
	__u8 reserved[8];
};

/** enum nbft_hfi_flags - flags of the HFI descriptor; "HFI Descriptor" */
enum nbft_hfi_flags {
	NBFT_HFI_VALID = 1 << 0,	/* the descriptor is valid */
};

/** struct nbft_hfi - Host Fabric Interface descriptor; "HFI Descriptor" */
struct nbft_hfi {
	__u8 structure_id;			/* NBFT_DESC_HFI */
	__u8 index;				/* index, from 1 */
	__u8 flags;				/* &enum nbft_hfi_flags */
	__u8 trtype;				/* &enum nbft_trtype */
	__u8 reserved1[12];
	struct nbft_heap_obj trinfo_obj;	/* &struct nbft_hfi_info_tcp */
	__u8 reserved2[10];
};

/**
 * enum nbft_hfi_info_tcp_flags - flags of the HFI Transport Info descriptor
 *
 * NVM Express Boot Specification, "HFI Transport Info Descriptor".
 */
enum nbft_hfi_info_tcp_flags {
	NBFT_HFI_INFO_TCP_VALID = 1 << 0,		/* the descriptor is valid */
	NBFT_HFI_INFO_TCP_GLOBAL_ROUTE = 1 << 1,	/* the gateway is for all destinations */
	NBFT_HFI_INFO_TCP_DHCP_OVERRIDE = 1 << 2,	/* DHCP set the address */
};

/**
 * struct nbft_hfi_info_tcp - HFI Transport Info descriptor for TCP
 *
 * Addresses are IPv6, or v4-mapped.
 *
 * NVM Express Boot Specification, "HFI Transport Info Descriptor".
 */
struct nbft_hfi_info_tcp {
	__u8 structure_id;			/* NBFT_DESC_HFI_TRINFO */
	__u8 version;				/* version of this descriptor */
	__u8 trtype;				/* &enum nbft_trtype */
	__u8 trinfo_version;			/* version of the fields below */
	__le16 hfi_index;			/* HFI descriptor that it belongs to */
	__u8 flags;				/* &enum nbft_hfi_info_tcp_flags */
	__le32 pci_sbdf;			/* PCI segment, bus, device, function */
	__u8 mac_addr[6];			/* MAC address */
	__le16 vlan;				/* VLAN, 0 for none */
	__u8 ip_origin;				/* origin of the address */
	__u8 ip_address[16];			/* IP address */
	__u8 subnet_mask_prefix;		/* prefix length of the network */
	__u8 ip_gateway[16];			/* gateway */
	__u8 reserved1;
	__le16 route_metric;			/* metric of the route */
	__u8 primary_dns[16];			/* first DNS server */
	__u8 secondary_dns[16];			/* second DNS server */
	__u8 dhcp_server[16];			/* DHCP server */
	struct nbft_heap_obj host_name_obj;	/* host name */
	__u8 reserved2[18];
} __attribute__((packed));

/** enum nbft_ssns_flags - flags of the Subsystem Namespace descriptor; "SSNS Descriptor" */
enum nbft_ssns_flags {
	NBFT_SSNS_VALID = 0x0001,			/* the descriptor is valid */
	NBFT_SSNS_NON_BOOTABLE_ENTRY = 0x0002,		/* not bootable */
	NBFT_SSNS_USE_SECURITY_FIELD = 0x0004,		/* the security descriptor index is valid */
	NBFT_SSNS_DHCP_ROOT_PATH_OVERRIDE = 0x0008,	/* a DHCP root path took precedence */
	NBFT_SSNS_EXTENDED_INFO_IN_USE = 0x0010,	/* there is extended information */
	NBFT_SSNS_SEPARATE_DISCOVERY_CTRL = 0x0020,	/* discovered by another controller */
	NBFT_SSNS_DISCOVERED_NAMESPACE = 0x0040,	/* found by discovery */
	NBFT_SSNS_UNAVAIL_NAMESPACE_MASK = 0x180,	/* availability */
	NBFT_SSNS_UNAVAIL_NAMESPACE_NOTIND = 0x0000,	/* not indicated */
	NBFT_SSNS_UNAVAIL_NAMESPACE_AVAIL = 0x0080,	/* available */
	NBFT_SSNS_UNAVAIL_NAMESPACE_UNAVAIL = 0x0100,	/* not available */
};

/**
 * enum nbft_ssns_trflags - transport flags of the Subsystem Namespace descriptor
 *
 * NVM Express Boot Specification, "SSNS Descriptor".
 */
enum nbft_ssns_trflags {
	NBFT_SSNS_TRFLAG_VALID = 1 << 0,	/* the flags are valid */
	NBFT_SSNS_PDU_HEADER_DIGEST = 1 << 1,	/* header digest is required */
	NBFT_SSNS_DATA_DIGEST = 1 << 2,		/* data digest is required */
};

/** struct nbft_ssns - Subsystem Namespace descriptor; "SSNS Descriptor" */
struct nbft_ssns {
	__u8 structure_id;				/* NBFT_DESC_SSNS */
	__le16 index;					/* index, from 1 */
	__le16 flags;					/* &enum nbft_ssns_flags */
	__u8 trtype;					/* &enum nbft_trtype */
	__le16 trflags;					/* &enum nbft_ssns_trflags */
	__u8 primary_discovery_ctrl_index;		/* Discovery descriptor, 0 for none */
	__u8 reserved1;
	struct nbft_heap_obj subsys_traddr_obj;		/* transport address, 16 bytes */
	struct nbft_heap_obj subsys_trsvcid_obj;	/* port as a string */
	__le16 subsys_port_id;				/* port of the subsystem */
	__le32 nsid;					/* namespace */
	__u8 nidt;					/* &enum nbft_info_nid_type */
	__u8 nid[16];					/* identifier of the namespace */
	__u8 security_desc_index;			/* Security descriptor */
	__u8 primary_hfi_desc_index;			/* HFI descriptor */
	__u8 reserved2;
	struct nbft_heap_obj secondary_hfi_assoc_obj;	/* indexes of further HFI descriptors */
	struct nbft_heap_obj subsys_ns_nqn_obj;		/* NQN of the subsystem */
	struct nbft_heap_obj ssns_extended_info_desc_obj;	/* &struct nbft_ssns_ext_info */
	__u8 reserved3[62];
} __attribute__((packed));

/**
 * enum nbft_ssns_ext_info_flags - flags of the SSNS Extended Information descriptor
 *
 * NVM Express Boot Specification, "SSNS Extended Information Descriptor".
 */
enum nbft_ssns_ext_info_flags {
	NBFT_SSNS_EXT_INFO_VALID = 1 << 0,		/* the descriptor is valid */
	NBFT_SSNS_EXT_INFO_ADMIN_ASQSZ = 1 << 1,	/* asqsz is valid */
};

/**
 * struct nbft_ssns_ext_info - SSNS Extended Information descriptor
 *
 * NVM Express Boot Specification, "SSNS Extended Information Descriptor".
 */
struct nbft_ssns_ext_info {
	__u8 structure_id;				/* NBFT_DESC_SSNS_EXT_INFO */
	__u8 version;					/* version of this descriptor */
	__le16 ssns_index;				/* SSNS descriptor that it belongs to */
	__le32 flags;					/* &enum nbft_ssns_ext_info_flags */
	__le16 cntlid;					/* controller */
	__le16 asqsz;					/* entries of the Admin submission queue */
	struct nbft_heap_obj dhcp_root_path_str_obj;	/* DHCP root path */
} __attribute__((packed));

/** enum nbft_security_flags - flags of the Security descriptor; "Security Profile Descriptor" */
enum nbft_security_flags {
	/* The descriptor. */
	NBFT_SECURITY_VALID = 0x0001,				/* valid */

	/* In-band authentication. */
	NBFT_SECURITY_IN_BAND_AUTH_MASK = 0x6,			/* mask */
	NBFT_SECURITY_IN_BAND_AUTH_NOT_SUPPORTED = 0x0000,	/* not supported */
	NBFT_SECURITY_IN_BAND_AUTH_NOT_REQUIRED = 0x0002,	/* possible */
	NBFT_SECURITY_IN_BAND_AUTH_REQUIRED = 0x0004,		/* required */

	/* Provider of the list of authentication protocols. */
	NBFT_SECURITY_AUTH_POLICY_LIST_MASK = 0x18,		/* mask */
	NBFT_SECURITY_AUTH_POLICY_LIST_NOT_SUPPORTED = 0x0000,	/* there is none */
	NBFT_SECURITY_AUTH_POLICY_LIST_DRIVER = 0x0008,		/* the driver */
	NBFT_SECURITY_AUTH_POLICY_LIST_ADMIN = 0x0010,		/* the administrator */

	/* Secure channel. */
	NBFT_SECURITY_SEC_CHAN_NEG_MASK = 0x60,			/* mask */
	NBFT_SECURITY_SEC_CHAN_NEG_NOT_SUPPORTED = 0x0000,	/* not supported */
	NBFT_SECURITY_SEC_CHAN_NEG_NOT_REQUIRED = 0x0020,	/* possible */
	NBFT_SECURITY_SEC_CHAN_NEG_REQUIRED = 0x0040,		/* required */

	/* Provider of the list of secure channel algorithms. */
	NBFT_SECURITY_SEC_POLICY_LIST_MASK = 0x180,		/* mask */
	NBFT_SECURITY_SEC_POLICY_LIST_NOT_SUPPORTED = 0x0000,	/* there is none */
	NBFT_SECURITY_SEC_POLICY_LIST_DRIVER = 0x0080,		/* the driver */
	NBFT_SECURITY_SEC_POLICY_LIST_ADMIN = 0x0100,		/* the administrator */

	/* Restrictions. */
	NBFT_SECURITY_CIPHER_RESTRICTED = 0x0200,		/* cipher suites are restricted */
	NBFT_SECURITY_AUTH_DH_GROUPS_RESTRICTED = 0x0400,	/* DH groups are restricted */
	NBFT_SECURITY_SEC_HASH_FUNC_POLICY_LIST = 0x0800,	/* hash functions are restricted */
};

/** enum nbft_security_secret_type - location of the secret; "Security Profile Descriptor" */
enum nbft_security_secret_type {
	NBFT_SECURITY_SECRET_REDFISH_HOST_IFACE_URI = 2,	/* Redfish host interface */
};

/** struct nbft_security - Security Profile descriptor; "Security Profile Descriptor" */
struct nbft_security {
	__u8 structure_id;			/* NBFT_DESC_SECURITY */
	__u8 index;				/* index, from 1 */
	__le16 flags;				/* &enum nbft_security_flags */
	__u8 secret_type;			/* &enum nbft_security_secret_type */
	__u8 reserved1;
	struct nbft_heap_obj sec_chan_alg_obj;	/* secure channel algorithms */
	struct nbft_heap_obj auth_proto_obj;	/* authentication protocols */
	struct nbft_heap_obj cipher_suite_obj;	/* cipher suites */
	struct nbft_heap_obj dh_grp_obj;	/* DH groups */
	struct nbft_heap_obj sec_hash_func_obj;	/* hash functions */
	struct nbft_heap_obj sec_keypath_obj;	/* location of the secret */
	__u8 reserved2[22];
};

/** enum nbft_discovery_flags - flags of the Discovery descriptor; "Discovery Descriptor" */
enum nbft_discovery_flags {
	NBFT_DISCOVERY_VALID = 1 << 0,	/* the descriptor is valid */
};

/** struct nbft_discovery - Discovery descriptor; "Discovery Descriptor" */
struct nbft_discovery {
	__u8 structure_id;				/* NBFT_DESC_DISCOVERY */
	__u8 flags;					/* &enum nbft_discovery_flags */
	__u8 index;					/* index, from 1 */
	__u8 hfi_index;					/* HFI descriptor */
	__u8 sec_index;					/* Security descriptor */
	__u8 reserved1;
	struct nbft_heap_obj discovery_ctrl_addr_obj;	/* URI of the discovery controller */
	struct nbft_heap_obj discovery_ctrl_nqn_obj;	/* NQN of the discovery subsystem */
	__u8 reserved2[14];
};

/** enum nbft_info_primary_admin_host_flag - primary administrative host */
enum nbft_info_primary_admin_host_flag {
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_NOT_INDICATED = 0,	/* not indicated */
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_UNSELECTED = 1,	/* not selected */
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_SELECTED = 2,		/* selected */
	NBFT_INFO_PRIMARY_ADMIN_HOST_FLAG_RESERVED = 3,		/* reserved */
};

/** struct nbft_info_host - contents of the table about the host */
struct nbft_info_host {
	unsigned char *id;				/* Host Identifier, 16 bytes */
	char *nqn;					/* host NQN */
	bool host_id_configured;			/* the Host Identifier was configured */
	bool host_nqn_configured;			/* the host NQN was configured */
	enum nbft_info_primary_admin_host_flag primary;	/* primary administrative host */
};

/**
 * struct nbft_info_hfi_info_tcp - contents of the table about TCP on an interface
 *
 * Addresses are text, "" if there is none.
 */
struct nbft_info_hfi_info_tcp {
	__u32 pci_sbdf;			/* PCI segment, bus, device, function */
	__u8 mac_addr[6];		/* MAC address */
	__u16 vlan;			/* VLAN, 0 for none */
	__u8 ip_origin;			/* origin of the address */
	char ipaddr[40];		/* IP address */
	__u8 subnet_mask_prefix;	/* prefix length of the network */
	char gateway_ipaddr[40];	/* gateway */
	__u16 route_metric;		/* metric of the route */
	char primary_dns_ipaddr[40];	/* first DNS server */
	char secondary_dns_ipaddr[40];	/* second DNS server */
	char dhcp_server_ipaddr[40];	/* DHCP server */
	char *host_name;		/* host name, or NULL */
	bool this_hfi_is_default_route;	/* the gateway is for all destinations */
	bool dhcp_override;		/* DHCP set the address */
};

/** struct nbft_info_hfi - contents of the table about a host fabric interface */
struct nbft_info_hfi {
	int index;				/* index of the descriptor */
	char transport[8];			/* name of the transport */
	struct nbft_info_hfi_info_tcp tcp_info;	/* if the transport is TCP */
};

/** struct nbft_info_security - contents of the table about security */
struct nbft_info_security {
	int index;	/* index of the descriptor */
};

/** struct nbft_info_discovery - contents of the table about a discovery controller */
struct nbft_info_discovery {
	int index;				/* index of the descriptor */
	struct nbft_info_security *security;	/* its security, or NULL */
	struct nbft_info_hfi *hfi;		/* interface used to reach it, or NULL */
	char *uri;				/* URI */
	char *nqn;				/* NQN */
};

/** enum nbft_info_nid_type - types of namespace identifiers */
enum nbft_info_nid_type {
	NBFT_INFO_NID_TYPE_NONE = 0,	/* none */
	NBFT_INFO_NID_TYPE_EUI64 = 1,	/* EUI-64, 8 bytes */
	NBFT_INFO_NID_TYPE_NGUID = 2,	/* NGUID, 16 bytes */
	NBFT_INFO_NID_TYPE_NS_UUID = 3,	/* UUID, 16 bytes */
};

/** struct nbft_info_subsystem_ns - contents of the table about a namespace to connect to */
struct nbft_info_subsystem_ns {
	int index;				/* index of the descriptor */
	struct nbft_info_discovery *discovery;	/* its discovery controller, or NULL */
	struct nbft_info_security *security;	/* its security, or NULL */
	int num_hfis;				/* number of hfis */
	struct nbft_info_hfi **hfis;		/* interfaces, the primary one first */
	char transport[8];			/* name of the transport */
	char traddr[40];			/* transport address */
	char *trsvcid;				/* port */
	__u16 subsys_port_id;			/* port of the subsystem */
	__u32 nsid;				/* namespace */
	enum nbft_info_nid_type nid_type;	/* type of nid */
	__u8 *nid;				/* identifier of the namespace */
	char *subsys_nqn;			/* NQN of the subsystem */
	bool pdu_header_digest_required;	/* header digest is required */
	bool data_digest_required;		/* data digest is required */
	int controller_id;			/* controller id, if the table has one */
	int asqsz;				/* entries of the Admin submission queue */
	char *dhcp_root_path_string;		/* DHCP root path, or NULL */
	bool discovered;			/* found by discovery */
	bool unavailable;			/* was not available */
};

/**
 * struct nbft_info - all contents of an NBFT
 *
 * The lists end with a NULL pointer and may themselves be NULL.
 */
struct nbft_info {
	char *filename;						/* file that was read */
	__u8 *raw_nbft;						/* the table as it was read */
	ssize_t raw_nbft_size;					/* bytes of raw_nbft */
	struct nbft_info_host host;				/* the host */
	struct nbft_info_hfi **hfi_list;			/* host fabric interfaces */
	struct nbft_info_security **security_list;		/* security profiles */
	struct nbft_info_discovery **discovery_list;		/* discovery controllers */
	struct nbft_info_subsystem_ns **subsystem_ns_list;	/* namespaces */
};

/**
 * nvme_nbft_read() - read and check an NBFT
 * @nbft:	Where to store the contents; unchanged on failure
 * @filename:	File with the table, e.g. /sys/firmware/acpi/tables/NBFT
 *
 * The table comes from firmware and is not trusted: signature, length, checksum, every offset and
 * every string are checked. Invalid descriptors are skipped and logged.
 *
 * Return: 0, or -1 with errno set: EINVAL for a table that is not an NBFT, ENOMEM, or the reason
 * why the file could not be read. The caller owns *@nbft and releases it with nvme_nbft_free().
 */
int nvme_nbft_read(struct nbft_info **nbft, const char *filename);

/**
 * nvme_nbft_free() - free the contents of an NBFT
 * @nbft:	Contents, or NULL; all pointers into it become invalid
 */
void nvme_nbft_free(struct nbft_info *nbft);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_NBFT_H */
