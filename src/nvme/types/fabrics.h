/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe over Fabrics: Discovery log page, Discovery Information Management, Connect.
 */
#ifndef _LIBNVME_TYPES_FABRICS_H
#define _LIBNVME_TYPES_FABRICS_H

#include "base.h"

/* The well-known NQN of discovery subsystems (NVM Express Base Specification, "NVMe Qualified Names"). */
#define NVME_DISC_SUBSYS_NAME "nqn.2014-08.org.nvmexpress.discovery"

/* Ports registered with IANA: I/O subsystems over RDMA and TCP, and discovery over TCP. */
#define NVME_RDMA_IP_PORT 4420
#define NVME_DISC_IP_PORT 8009

/* Longest NQN without the terminating NUL, and the size of the transport service id field. */
#define NVMF_NQN_SIZE 223
#define NVMF_TRSVCID_SIZE 32

enum nvme_subsys_type {
	NVME_NQN_DISC = 1,
	NVME_NQN_NVME = 2,
	NVME_NQN_CURR = 3,
};

enum nvmf_disc_eflags {
	NVMF_DISC_EFLAGS_NONE = 0,
	NVMF_DISC_EFLAGS_DUPRETINFO = 1 << 0,
	NVMF_DISC_EFLAGS_EPCSD = 1 << 1,
	NVMF_DISC_EFLAGS_NCC = 1 << 2,
};

/* Duplicate returned information and an explicit persistent connection at once. */
#define NVMF_DISC_EFLAGS_BOTH (NVMF_DISC_EFLAGS_DUPRETINFO | NVMF_DISC_EFLAGS_EPCSD)

/*
 * TRTYPE of NVMe over MPTCP. No value has been assigned: 4 is the first one that the specification
 * leaves reserved, and provisional. Target, kernel and this library must agree on it; should another
 * value be assigned one day, this is the only place to change.
 */
#define NVMF_TRTYPE_MPTCP_VALUE 4

enum nvmf_trtype {
	NVMF_TRTYPE_UNSPECIFIED = 0x00,
	NVMF_TRTYPE_RDMA = 0x01,
	NVMF_TRTYPE_FC = 0x02,
	NVMF_TRTYPE_TCP = 0x03,
	NVMF_TRTYPE_MPTCP = NVMF_TRTYPE_MPTCP_VALUE,
	NVMF_TRTYPE_LOOP = 0xfe,
	NVMF_TRTYPE_MAX = 0xff,
};

enum nvmf_addr_family {
	NVMF_ADDR_FAMILY_PCI = 0x00,
	NVMF_ADDR_FAMILY_IP4 = 0x01,
	NVMF_ADDR_FAMILY_IP6 = 0x02,
	NVMF_ADDR_FAMILY_IB = 0x03,
	NVMF_ADDR_FAMILY_FC = 0x04,
	NVMF_ADDR_FAMILY_LOOP = 0xfe,
};

enum nvmf_treq {
	NVMF_TREQ_NOT_SPECIFIED = 0,
	NVMF_TREQ_REQUIRED = 1,
	NVMF_TREQ_NOT_REQUIRED = 2,
	NVMF_TREQ_DISABLE_SQFLOW = 4,
};

enum nvmf_rdma_qptype {
	NVMF_RDMA_QPTYPE_CONNECTED = 1,
	NVMF_RDMA_QPTYPE_DATAGRAM = 2,
};

enum nvmf_rdma_prtype {
	NVMF_RDMA_PRTYPE_NOT_SPECIFIED = 1,
	NVMF_RDMA_PRTYPE_IB = 2,
	NVMF_RDMA_PRTYPE_ROCE = 3,
	NVMF_RDMA_PRTYPE_ROCEV2 = 4,
	NVMF_RDMA_PRTYPE_IWARP = 5,
};

enum nvmf_rdma_cms {
	NVMF_RDMA_CMS_RDMA_CM = 1,
};

enum nvmf_tcp_sectype {
	NVMF_TCP_SECTYPE_NONE = 0,
	NVMF_TCP_SECTYPE_TLS = 1,
	NVMF_TCP_SECTYPE_TLS13 = 2,
};

union nvmf_tsas {
	char common[NVMF_TSAS_SIZE];
	struct rdma {
		__u8 qptype;
		__u8 prtype;
		__u8 cms;
		__u8 rsvd3[5];
		__le16 pkey;
		__u8 rsvd10[246];
	} rdma;
	struct tcp {
		__u8 sectype;
	} tcp;
};

struct nvmf_disc_log_entry {
	__u8 trtype;
	__u8 adrfam;
	__u8 subtype;
	__u8 treq;
	__le16 portid;
	__le16 cntlid;
	__le16 asqsz;
	__le16 eflags;
	__u8 rsvd12[20];
	char trsvcid[32];
	__u8 rsvd64[192];
	char subnqn[NVME_NQN_LENGTH];
	char traddr[NVMF_TRADDR_SIZE];
	union nvmf_tsas tsas;
};

enum nvmf_log_discovery_lid_support {
	NVMF_LOG_DISC_LID_NONE = 0,
	NVMF_LOG_DISC_LID_EXTDLPES = 1 << 0,
	NVMF_LOG_DISC_LID_PLEOS = 1 << 1,
	NVMF_LOG_DISC_LID_ALLSUBES = 1 << 2,
};

enum nvmf_log_discovery_lsp {
	NVMF_LOG_DISC_LSP_NONE = 0,
	NVMF_LOG_DISC_LSP_EXTDLPE = 1 << 0,
	NVMF_LOG_DISC_LSP_PLEO = 1 << 1,
	NVMF_LOG_DISC_LSP_ALLSUBE = 1 << 2,
};

struct nvmf_discovery_log {
	__le64 genctr;
	__le64 numrec;
	__le16 recfmt;
	__u8 rsvd14[1006];
	struct nvmf_disc_log_entry entries[];
};

/* Sizes of the entity name and the entity version in &struct nvmf_dim_data. */
#define NVMF_ENAME_LEN 256
#define NVMF_EVER_LEN 64

enum nvmf_dim_tas {
	NVMF_DIM_TAS_REGISTER = 0,
	NVMF_DIM_TAS_DEREGISTER = 1,
	NVMF_DIM_TAS_UPDATE = 2,
};

enum nvmf_dim_entfmt {
	NVMF_DIM_ENTFMT_BASIC = 1,
	NVMF_DIM_ENTFMT_EXTENDED = 2,
};

enum nvmf_dim_etype {
	NVMF_DIM_ETYPE_HOST = 1,
	NVMF_DIM_ETYPE_DDC = 2,
	NVMF_DIM_ETYPE_CDC = 3,
};

enum nvmf_exattype {
	NVMF_EXATTYPE_HOSTID = 1,
	NVMF_EXATTYPE_SYMNAME = 2,
};

struct nvmf_ext_attr {
	__le16 exattype;
	__le16 exatlen;
	__u8 exatval[];
};

struct nvmf_ext_die {
	__u8 trtype;
	__u8 adrfam;
	__u8 subtype;
	__u8 treq;
	__le16 portid;
	__le16 cntlid;
	__le16 asqsz;
	__u8 rsvd10[22];
	char trsvcid[32];
	__u8 resv64[192];
	char nqn[NVME_NQN_LENGTH];
	char traddr[NVMF_TRADDR_SIZE];
	union nvmf_tsas tsas;
	__le32 tel;
	__le16 numexat;
	__u8 resv1030[2];
	struct nvmf_ext_attr exat[];
};

union nvmf_die {
	struct nvmf_disc_log_entry basic[0];
	struct nvmf_ext_die extended;
};

struct nvmf_dim_data {
	__le32 tdl;
	__u8 rsvd4[4];
	__le64 nument;
	__le16 entfmt;
	__le16 etype;
	__u8 portlcl;
	__u8 rsvd21;
	__le16 ektype;
	char eid[NVME_NQN_LENGTH];
	char ename[256];
	char ever[64];
	__u8 rsvd600[424];
	union nvmf_die die[];
};

struct nvmf_connect_data {
	__u8 hostid[16];
	__le16 cntlid;
	char rsvd4[238];
	char subsysnqn[NVME_NQN_LENGTH];
	char hostnqn[NVME_NQN_LENGTH];
	char rsvd5[256];
};

struct nvme_host_ext_discover_log {
	__u8 trtype;
	__u8 adrfam;
	__u8 rsvd2[8];
	__le16 eflags;
	__u8 rsvd12[244];
	char hostnqn[NVME_NQN_LENGTH];
	char traddr[NVMF_TRADDR_SIZE];
	union nvmf_tsas tsas;
	__le32 tel;
	__le16 numexat;
	__u8 rsvd1030[2];
	struct nvmf_ext_attr exat[];
};

struct nvme_host_discover_log {
	__le64 genctr;
	__le64 numrec;
	__le16 recfmt;
	__u8 hdlpf;
	__u8 rsvd19;
	__le32 thdlpl;
	__u8 rsvd24[1000];
	struct nvme_host_ext_discover_log hedlpe[];
};

struct nvme_ave_tr_record {
	__u8 aveadrfam;
	__u8 rsvd1;
	__le16 avetrsvcid;
	__u8 avetraddr[16];
};

struct nvme_ave_discover_log_entry {
	__le32 tel;
	char avenqn[224];
	__u8 numatr;
	__u8 rsvd229[3];
	struct nvme_ave_tr_record atr[];
};

struct nvme_ave_discover_log {
	__le64 genctr;
	__le64 numrec;
	__le16 recfmt;
	__u8 rsvd18[2];
	__le32 tadlpl;
	__u8 rsvd24[1000];
	struct nvme_ave_discover_log_entry adlpe[];
};

struct nvme_pull_model_ddc_req_log {
	__u8 ori;
	__u8 rsvd1[3];
	__le32 tpdrpl;
	__u8 osp[];
};

#endif /* _LIBNVME_TYPES_FABRICS_H */
