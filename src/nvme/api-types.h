/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments of the commands that take a structure.
 *
 * Every structure carries its own size in args_size, so that it can grow without breaking programs
 * built against an older header.
 */
#ifndef _LIBNVME_API_TYPES_H
#define _LIBNVME_API_TYPES_H

#include <stdbool.h>

#include <nvme/types.h>

struct nvme_identify_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	enum nvme_identify_cns cns;
	enum nvme_csi csi;
	__u32 nsid;
	__u16 cntid;
	__u16 cns_specific_id;
	__u8 uuidx;
};

struct nvme_get_log_args {
	__u64 lpo;
	__u32 *result;
	void *log;
	int args_size;
	int fd;
	__u32 timeout;
	enum nvme_cmd_get_log_lid lid;
	__u32 len;
	__u32 nsid;
	enum nvme_csi csi;
	__u16 lsi;
	__u8 lsp;
	__u8 uuidx;
	bool rae;
	bool ot;
};

struct nvme_set_features_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 cdw11;
	__u32 cdw12;
	__u32 cdw13;
	__u32 cdw15;
	__u32 data_len;
	bool save;
	__u8 uuidx;
	__u8 fid;
};

struct nvme_get_features_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_get_features_sel sel;
	__u32 cdw11;
	__u32 data_len;
	__u8 fid;
	__u8 uuidx;
};

struct nvme_format_nvm_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_cmd_format_mset mset;
	enum nvme_cmd_format_pi pi;
	enum nvme_cmd_format_pil pil;
	enum nvme_cmd_format_ses ses;
	__u8 lbaf;
	__u8 rsvd1[7];
	__u8 lbafu;
};

struct nvme_ns_mgmt_args {
	__u32 *result;
	struct nvme_id_ns *ns;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_ns_mgmt_sel sel;
	__u8 csi;
	__u8 rsvd1[3];
	void *rsvd2;
	struct nvme_ns_mgmt_host_sw_specified *data;
};

struct nvme_ns_attach_args {
	__u32 *result;
	struct nvme_ctrl_list *ctrlist;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_ns_attach_sel sel;
};

struct nvme_fw_download_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 offset;
	__u32 data_len;
};

struct nvme_fw_commit_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	enum nvme_fw_commit_ca action;
	__u8 slot;
	bool bpid;
};

struct nvme_security_send_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 tl;
	__u32 data_len;
	__u8 nssf;
	__u8 spsp0;
	__u8 spsp1;
	__u8 secp;
};

struct nvme_security_receive_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 al;
	__u32 data_len;
	__u8 nssf;
	__u8 spsp0;
	__u8 spsp1;
	__u8 secp;
};

struct nvme_get_lba_status_args {
	__u64 slba;
	__u32 *result;
	struct nvme_lba_status *lbas;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 mndw;
	enum nvme_lba_status_atype atype;
	__u16 rl;
};

struct nvme_directive_send_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_directive_send_doper doper;
	enum nvme_directive_dtype dtype;
	__u32 cdw12;
	__u32 data_len;
	__u16 dspec;
};

struct nvme_directive_recv_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_directive_receive_doper doper;
	enum nvme_directive_dtype dtype;
	__u32 cdw12;
	__u32 data_len;
	__u16 dspec;
};

struct nvme_capacity_mgmt_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 cdw11;
	__u32 cdw12;
	__u16 element_id;
	__u8 op;
};

struct nvme_lockdown_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u8 scp;
	__u8 prhbt;
	__u8 ifc;
	__u8 ofi;
	__u8 uuidx;
};

struct nvme_set_property_args {
	__u64 value;
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	int offset;
};

struct nvme_get_property_args {
	__u64 *value;
	int args_size;
	int fd;
	__u32 timeout;
	int offset;
};

struct nvme_sanitize_nvm_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	enum nvme_sanitize_sanact sanact;
	__u32 ovrpat;
	bool ause;
	__u8 owpass;
	bool oipbp;
	bool nodas;
	bool emvs;
};

struct nvme_dev_self_test_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_dst_stc stc;
};

struct nvme_virtual_mgmt_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	enum nvme_virt_mgmt_act act;
	enum nvme_virt_mgmt_rt rt;
	__u16 cntlid;
	__u16 nr;
};

struct nvme_io_args {
	__u64 slba;
	__u64 storage_tag;
	__u32 *result;
	void *data;
	void *metadata;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 reftag;
	__u32 data_len;
	__u32 metadata_len;
	__u16 nlb;
	__u16 control;
	__u16 apptag;
	__u16 appmask;
	__u16 dspec;
	__u8 dsm;
	__u8 rsvd1[1];
	__u64 reftag_u64;
	__u8 sts;
	__u8 pif;
};

struct nvme_dsm_args {
	__u32 *result;
	struct nvme_dsm_range *dsm;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 attrs;
	__u16 nr_ranges;
};

struct nvme_copy_args {
	__u64 sdlba;
	__u32 *result;
	struct nvme_copy_range *copy;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 ilbrt;
	int lr;
	int fua;
	__u16 nr;
	__u16 dspec;
	__u16 lbatm;
	__u16 lbat;
	__u8 prinfor;
	__u8 prinfow;
	__u8 dtype;
	__u8 format;
	__u64 ilbrt_u64;
};

struct nvme_resv_acquire_args {
	__u64 crkey;
	__u64 nrkey;
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_resv_rtype rtype;
	enum nvme_resv_racqa racqa;
	bool iekey;
};

struct nvme_resv_register_args {
	__u64 crkey;
	__u64 nrkey;
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_resv_rrega rrega;
	enum nvme_resv_cptpl cptpl;
	bool iekey;
};

struct nvme_resv_release_args {
	__u64 crkey;
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_resv_rtype rtype;
	enum nvme_resv_rrela rrela;
	bool iekey;
};

struct nvme_resv_report_args {
	__u32 *result;
	struct nvme_resv_status *report;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 len;
	bool eds;
};

struct nvme_io_mgmt_recv_args {
	void *data;
	int args_size;
	int fd;
	__u32 nsid;
	__u32 data_len;
	__u32 timeout;
	__u16 mos;
	__u8 mo;
};

struct nvme_io_mgmt_send_args {
	void *data;
	int args_size;
	int fd;
	__u32 nsid;
	__u32 data_len;
	__u32 timeout;
	__u16 mos;
	__u8 mo;
};

struct nvme_zns_mgmt_send_args {
	__u64 slba;
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_zns_send_action zsa;
	__u32 data_len;
	bool select_all;
	__u8 zsaso;
};

struct nvme_zns_mgmt_recv_args {
	__u64 slba;
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	enum nvme_zns_recv_action zra;
	__u32 data_len;
	__u16 zrasf;
	bool zras_feat;
};

struct nvme_zns_append_args {
	__u64 zslba;
	__u64 *result;
	void *data;
	void *metadata;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 nsid;
	__u32 ilbrt;
	__u32 data_len;
	__u32 metadata_len;
	__u16 nlb;
	__u16 control;
	__u16 lbat;
	__u16 lbatm;
	__u8 rsvd1[4];
	__u64 ilbrt_u64;
};

struct nvme_dim_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 data_len;
	__u8 tas;
};

struct nvme_lm_cdq_args {
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u16 mos;
	__u16 cntlid;
	__u16 cdqid;
	__u8 sel;
	__u8 sz_u8;
	__u8 rsvd1[4];
	__u32 sz;
};

struct nvme_lm_track_send_args {
	__u32 *result;
	int args_size;
	int fd;
	__u32 timeout;
	__u16 mos;
	__u16 cdqid;
	__u8 sel;
};

struct nvme_lm_migration_send_args {
	__u64 offset;
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 numd;
	__u16 mos;
	__u16 cntlid;
	__u16 csuuidi;
	__u8 sel;
	__u8 uidx;
	__u8 stype;
	__u8 seqind;
	__u8 csvi;
	bool dudmq;
};

struct nvme_lm_migration_recv_args {
	__u64 offset;
	__u32 *result;
	void *data;
	int args_size;
	int fd;
	__u32 timeout;
	__u32 numd;
	__u16 mos;
	__u16 cntlid;
	__u16 csuuidi;
	__u8 sel;
	__u8 uidx;
	__u8 csuidxp;
};

#endif /* _LIBNVME_API_TYPES_H */
