/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe over Fabrics: Discovery log page, Discovery Information Management, Connect.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_FABRICS_H
#define _LIBNVME_TYPES_FABRICS_H

#include "base.h"

/* The NQN that all discovery subsystems answer to. */
#define NVME_DISC_SUBSYS_NAME "nqn.2014-08.org.nvmexpress.discovery"

/* Ports registered with IANA: I/O subsystems over RDMA and TCP, and discovery over TCP. */
#define NVME_RDMA_IP_PORT 4420
#define NVME_DISC_IP_PORT 8009

/* Longest NQN without the terminating NUL, and the size of the transport service id field. */
#define NVMF_NQN_SIZE 223
#define NVMF_TRSVCID_SIZE 32

/**
 * enum nvme_subsys_type - subsystem type of a Discovery Log Page Entry; "Discovery Log Page Entry
 * Data Structure"
 */
enum nvme_subsys_type {
	NVME_NQN_DISC = 1,	/* another discovery subsystem (a referral) */
	NVME_NQN_NVME = 2,	/* an NVM subsystem */
	NVME_NQN_CURR = 3,	/* the discovery subsystem itself */
};

/**
 * enum nvmf_disc_eflags - entry flags of a Discovery Log Page Entry; "Discovery Log Page Entry Data
 * Structure"
 */
enum nvmf_disc_eflags {
	NVMF_DISC_EFLAGS_NONE = 0,		/* nothing indicated */
	NVMF_DISC_EFLAGS_DUPRETINFO = 1 << 0,	/* every port returns the same information */
	NVMF_DISC_EFLAGS_EPCSD = 1 << 1,	/* explicit persistent connection to discovery */
	NVMF_DISC_EFLAGS_NCC = 1 << 2,		/* no connectivity to a CDC */
};

/* Duplicate returned information and an explicit persistent connection at once. */
#define NVMF_DISC_EFLAGS_BOTH (NVMF_DISC_EFLAGS_DUPRETINFO | NVMF_DISC_EFLAGS_EPCSD)

/*
 * TRTYPE of NVMe over MPTCP. NVM Express has assigned no value: 4, the first reserved one, is
 * provisional. Target, kernel and this library must use the same value. If NVM Express assigns
 * another one, only this line must change.
 */
#define NVMF_TRTYPE_MPTCP_VALUE 4

/**
 * enum nvmf_trtype - transport types; "Discovery Log Page Entry Data Structure"
 *
 * The values appear in discovery log entries, in the NVMe Boot Firmware Table and in error log
 * entries.
 */
enum nvmf_trtype {
	NVMF_TRTYPE_UNSPECIFIED = 0x00,			/* not indicated */
	NVMF_TRTYPE_RDMA = 0x01,			/* RDMA: InfiniBand, RoCE, iWARP */
	NVMF_TRTYPE_FC = 0x02,				/* Fibre Channel */
	NVMF_TRTYPE_TCP = 0x03,				/* TCP */
	NVMF_TRTYPE_MPTCP = NVMF_TRTYPE_MPTCP_VALUE,	/* Multipath TCP; provisional, see above */
	NVMF_TRTYPE_LOOP = 0xfe,			/* host and target in one kernel */
	NVMF_TRTYPE_MAX = 0xff,				/* largest value of the field */
};

/**
 * enum nvmf_addr_family - address families of transport addresses; "Discovery Log Page Entry Data
 * Structure"
 */
enum nvmf_addr_family {
	NVMF_ADDR_FAMILY_PCI = 0x00,	/* PCI Express */
	NVMF_ADDR_FAMILY_IP4 = 0x01,	/* IPv4 address in dotted decimal notation */
	NVMF_ADDR_FAMILY_IP6 = 0x02,	/* IPv6 address in its text form */
	NVMF_ADDR_FAMILY_IB = 0x03,	/* InfiniBand */
	NVMF_ADDR_FAMILY_FC = 0x04,	/* Fibre Channel */
	NVMF_ADDR_FAMILY_LOOP = 0xfe,	/* host and target in one kernel */
};

/**
 * enum nvmf_treq - transport requirements of a Discovery Log Page Entry; "Discovery Log Page Entry
 * Data Structure"
 *
 * The two lowest bits: whether a secure channel is required; the third one is a flag.
 */
enum nvmf_treq {
	NVMF_TREQ_NOT_SPECIFIED = 0,		/* nothing specified about a secure channel */
	NVMF_TREQ_REQUIRED = 1,			/* a secure channel is required */
	NVMF_TREQ_NOT_REQUIRED = 2,		/* a secure channel is possible */
	NVMF_TREQ_DISABLE_SQFLOW = 1 << 2,	/* submission queue flow control can be disabled */
};

/**
 * enum nvmf_rdma_qptype - RDMA queue pair service types; RDMA Transport "Transport Specific Address
 * Subtype"
 */
enum nvmf_rdma_qptype {
	NVMF_RDMA_QPTYPE_CONNECTED = 1,	/* reliable connected */
	NVMF_RDMA_QPTYPE_DATAGRAM = 2,	/* reliable datagram */
};

/**
 * enum nvmf_rdma_prtype - RDMA provider types; RDMA Transport "Transport Specific Address Subtype"
 */
enum nvmf_rdma_prtype {
	NVMF_RDMA_PRTYPE_NOT_SPECIFIED = 1,	/* not specified */
	NVMF_RDMA_PRTYPE_IB = 2,		/* InfiniBand */
	NVMF_RDMA_PRTYPE_ROCE = 3,		/* RoCE version 1 */
	NVMF_RDMA_PRTYPE_ROCEV2 = 4,		/* RoCE version 2 */
	NVMF_RDMA_PRTYPE_IWARP = 5,		/* iWARP */
};

/**
 * enum nvmf_rdma_cms - RDMA connection management services; RDMA Transport "Transport Specific
 * Address Subtype"
 */
enum nvmf_rdma_cms {
	NVMF_RDMA_CMS_RDMA_CM = 1,	/* RDMA connection manager over IP addresses */
};

/**
 * enum nvmf_tcp_sectype - security types of the TCP transport; TCP Transport "Transport Specific
 * Address Subtype"
 */
enum nvmf_tcp_sectype {
	NVMF_TCP_SECTYPE_NONE = 0,	/* no security */
	NVMF_TCP_SECTYPE_TLS = 1,	/* TLS version 1.2 */
	NVMF_TCP_SECTYPE_TLS13 = 2,	/* TLS version 1.3 or later */
};

/**
 * union nvmf_tsas - Transport Specific Address Subtype; "Discovery Log Page Entry Data Structure"
 *
 * The valid member depends on the entry's transport type. MPTCP uses the layout of TCP.
 */
union nvmf_tsas {
	char common[NVMF_TSAS_SIZE];	/* all of the field, for any transport */
	struct rdma {
		__u8 qptype;		/* &enum nvmf_rdma_qptype */
		__u8 prtype;		/* &enum nvmf_rdma_prtype */
		__u8 cms;		/* &enum nvmf_rdma_cms */
		__u8 rsvd3[5];
		__le16 pkey;		/* InfiniBand partition key */
		__u8 rsvd10[246];
	} rdma;
	struct tcp {
		__u8 sectype;		/* &enum nvmf_tcp_sectype */
	} tcp;
};

/**
 * struct nvmf_disc_log_entry - "Discovery Log Page Entry Data Structure"
 *
 * Strings are ASCII, padded with spaces or NULs, and need not be terminated. Every field comes from
 * the network and is untrusted.
 */
struct nvmf_disc_log_entry {
	__u8 trtype;			/* &enum nvmf_trtype */
	__u8 adrfam;			/* &enum nvmf_addr_family */
	__u8 subtype;			/* &enum nvme_subsys_type */
	__u8 treq;			/* &enum nvmf_treq */
	__le16 portid;			/* port of the subsystem */
	__le16 cntlid;			/* controller; 0xffff: dynamic, 0xfffe: any static one */
	__le16 asqsz;			/* largest Admin submission queue */
	__le16 eflags;			/* &enum nvmf_disc_eflags */
	__u8 rsvd12[20];
	char trsvcid[32];		/* transport service identifier: the port, for IP */
	__u8 rsvd64[192];
	char subnqn[NVME_NQN_LENGTH];	/* NQN of the subsystem */
	char traddr[NVMF_TRADDR_SIZE];	/* transport address */
	union nvmf_tsas tsas;		/* transport specific address subtype */
};

/**
 * enum nvmf_log_discovery_lid_support - what the Supported Log Pages log page reports about the
 * Discovery log page; "Discovery Log Page"
 *
 * The bits are in the LID Specific Parameter of log page 70h.
 */
enum nvmf_log_discovery_lid_support {
	NVMF_LOG_DISC_LID_NONE = 0,		/* nothing supported */
	NVMF_LOG_DISC_LID_EXTDLPES = 1 << 0,	/* extended entries can be asked for */
	NVMF_LOG_DISC_LID_PLEOS = 1 << 1,	/* can return the entries of one port only */
	NVMF_LOG_DISC_LID_ALLSUBES = 1 << 2,	/* entries of all subsystems can be asked for */
};

/**
 * enum nvmf_log_discovery_lsp - entries to return in the Discovery log page; "Discovery Log Page"
 *
 * Bits of the Log Specific Field of Get Log Page.
 */
enum nvmf_log_discovery_lsp {
	NVMF_LOG_DISC_LSP_NONE = 0,		/* all entries for this host in the basic format */
	NVMF_LOG_DISC_LSP_EXTDLPE = 1 << 0,	/* extended entries */
	NVMF_LOG_DISC_LSP_PLEO = 1 << 1,	/* entries of the port in use only */
	NVMF_LOG_DISC_LSP_ALLSUBE = 1 << 2,	/* entries of all subsystems, allowed or not */
};

/**
 * struct nvmf_discovery_log - "Discovery Log Page"
 *
 * If the generation counter changes between two reads, the pieces belong to different logs.
 */
struct nvmf_discovery_log {
	__le64 genctr;				/* generation counter, grows with every change */
	__le64 numrec;				/* number of entries */
	__le16 recfmt;				/* format of the log, 0 */
	__u8 rsvd14[1006];
	struct nvmf_disc_log_entry entries[];	/* the entries */
};

/* Sizes of the entity name and the entity version in &struct nvmf_dim_data. */
#define NVMF_ENAME_LEN 256
#define NVMF_EVER_LEN 64

/**
 * enum nvmf_dim_tas - tasks of the Discovery Information Management command; "Discovery Information
 * Management command"
 */
enum nvmf_dim_tas {
	NVMF_DIM_TAS_REGISTER = 0,	/* register */
	NVMF_DIM_TAS_DEREGISTER = 1,	/* withdraw a registration */
	NVMF_DIM_TAS_UPDATE = 2,	/* replace a registration */
};

/**
 * enum nvmf_dim_entfmt - formats of discovery information entries; "Discovery Information
 * Management command"
 */
enum nvmf_dim_entfmt {
	NVMF_DIM_ENTFMT_BASIC = 1,	/* &struct nvmf_disc_log_entry */
	NVMF_DIM_ENTFMT_EXTENDED = 2,	/* &struct nvmf_ext_die */
};

/** enum nvmf_dim_etype - entities that register; "Discovery Information Management command" */
enum nvmf_dim_etype {
	NVMF_DIM_ETYPE_HOST = 1,	/* host */
	NVMF_DIM_ETYPE_DDC = 2,		/* direct discovery controller */
	NVMF_DIM_ETYPE_CDC = 3,		/* centralized discovery controller */
};

/** enum nvmf_exattype - types of extended attributes; "Extended Discovery Information Entry" */
enum nvmf_exattype {
	NVMF_EXATTYPE_HOSTID = 1,	/* Host Identifier */
	NVMF_EXATTYPE_SYMNAME = 2,	/* symbolic name */
};

/**
 * struct nvmf_ext_attr - one extended attribute of a discovery information entry; "Extended
 * Discovery Information Entry"
 */
struct nvmf_ext_attr {
	__le16 exattype;	/* &enum nvmf_exattype */
	__le16 exatlen;		/* bytes of the value, a multiple of 4 */
	__u8 exatval[];		/* the value */
};

/** struct nvmf_ext_die - "Extended Discovery Information Entry" */
struct nvmf_ext_die {
	__u8 trtype;			/* &enum nvmf_trtype */
	__u8 adrfam;			/* &enum nvmf_addr_family */
	__u8 subtype;			/* &enum nvme_subsys_type */
	__u8 treq;			/* &enum nvmf_treq */
	__le16 portid;			/* port of the subsystem */
	__le16 cntlid;			/* controller */
	__le16 asqsz;			/* largest Admin submission queue */
	__u8 rsvd10[22];
	char trsvcid[32];		/* transport service identifier */
	__u8 resv64[192];
	char nqn[NVME_NQN_LENGTH];	/* NQN of host or subsystem */
	char traddr[NVMF_TRADDR_SIZE];	/* transport address */
	union nvmf_tsas tsas;		/* transport specific address subtype */
	__le32 tel;			/* total bytes of this entry */
	__le16 numexat;			/* number of extended attributes */
	__u8 resv1030[2];
	struct nvmf_ext_attr exat[];	/* the extended attributes */
};

/** union nvmf_die - Discovery Information Entry in either format */
union nvmf_die {
	struct nvmf_disc_log_entry basic[0];	/* basic entry, one or more */
	struct nvmf_ext_die extended;		/* extended entry; its length is its own tel */
};

/**
 * struct nvmf_dim_data - data of the Discovery Information Management command; "Discovery
 * Information Management command"
 */
struct nvmf_dim_data {
	__le32 tdl;			/* bytes of this structure with all entries */
	__u8 rsvd4[4];
	__le64 nument;			/* number of entries */
	__le16 entfmt;			/* &enum nvmf_dim_entfmt */
	__le16 etype;			/* &enum nvmf_dim_etype */
	__u8 portlcl;			/* restrict to the entries of the port in use */
	__u8 rsvd21;
	__le16 ektype;			/* which fields distinguish entries, one bit each */
	char eid[NVME_NQN_LENGTH];	/* NQN of the entity */
	char ename[256];		/* name of the entity, such as its host name */
	char ever[64];			/* version of the entity, such as its operating system */
	__u8 rsvd600[424];
	union nvmf_die die[];		/* the entries */
};

/** struct nvmf_connect_data - data of the Connect command; "Connect Command" */
struct nvmf_connect_data {
	__u8 hostid[16];			/* Host Identifier, a UUID */
	__le16 cntlid;				/* requested controller, 0xffff for any */
	char rsvd4[238];
	char subsysnqn[NVME_NQN_LENGTH];	/* NQN of the subsystem */
	char hostnqn[NVME_NQN_LENGTH];		/* NQN of the host */
	char rsvd5[256];
};

/**
 * struct nvme_host_ext_discover_log - entry of the Host Discovery log page; "Host Discovery log
 * page"
 */
struct nvme_host_ext_discover_log {
	__u8 trtype;			/* &enum nvmf_trtype */
	__u8 adrfam;			/* &enum nvmf_addr_family */
	__u8 rsvd2[8];
	__le16 eflags;			/* &enum nvmf_disc_eflags */
	__u8 rsvd12[244];
	char hostnqn[NVME_NQN_LENGTH];	/* NQN of the host */
	char traddr[NVMF_TRADDR_SIZE];	/* transport address of the host */
	union nvmf_tsas tsas;		/* transport specific address subtype */
	__le32 tel;			/* total bytes of this entry */
	__le16 numexat;			/* number of extended attributes */
	__u8 rsvd1030[2];
	struct nvmf_ext_attr exat[];	/* the extended attributes */
};

/**
 * struct nvme_host_discover_log - "Host Discovery log page"
 *
 * Lists the hosts that are registered with a discovery controller.
 */
struct nvme_host_discover_log {
	__le64 genctr;					/* generation counter */
	__le64 numrec;					/* number of entries */
	__le16 recfmt;					/* format of the log */
	__u8 hdlpf;					/* flags of the page */
	__u8 rsvd19;
	__le32 thdlpl;					/* total bytes of the page */
	__u8 rsvd24[1000];
	struct nvme_host_ext_discover_log hedlpe[];	/* the entries */
};

/**
 * struct nvme_ave_tr_record - transport record of an AVE discovery entry; "AVE Discovery log page"
 */
struct nvme_ave_tr_record {
	__u8 aveadrfam;		/* address family, 1 for IPv4 and 2 for IPv6 */
	__u8 rsvd1;
	__le16 avetrsvcid;	/* port */
	__u8 avetraddr[16];	/* address in network byte order */
};

/**
 * struct nvme_ave_discover_log_entry - entry of the AVE Discovery log page; "AVE Discovery log
 * page"
 */
struct nvme_ave_discover_log_entry {
	__le32 tel;				/* total bytes of this entry */
	char avenqn[224];			/* NQN of the authentication verification entity */
	__u8 numatr;				/* number of transport records */
	__u8 rsvd229[3];
	struct nvme_ave_tr_record atr[];	/* the transport records */
};

/**
 * struct nvme_ave_discover_log - "AVE Discovery log page"
 *
 * Lists the authentication verification entities that a host may use.
 */
struct nvme_ave_discover_log {
	__le64 genctr;					/* generation counter */
	__le64 numrec;					/* number of entries */
	__le16 recfmt;					/* format of the log */
	__u8 rsvd18[2];
	__le32 tadlpl;					/* total bytes of the page */
	__u8 rsvd24[1000];
	struct nvme_ave_discover_log_entry adlpe[];	/* the entries */
};

/**
 * struct nvme_pull_model_ddc_req_log - "Pull Model DDC Request log page"
 *
 * Operation that a direct discovery controller requests from its centralized one.
 */
struct nvme_pull_model_ddc_req_log {
	__u8 ori;	/* requested operation */
	__u8 rsvd1[3];
	__le32 tpdrpl;	/* total bytes of the page */
	__u8 osp[];	/* parameters of the operation */
};

#endif /* _LIBNVME_TYPES_FABRICS_H */
