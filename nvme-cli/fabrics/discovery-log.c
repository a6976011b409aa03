// SPDX-License-Identifier: GPL-2.0-or-later
/* Print a discovery log (log page 70h). Its content is untrusted: see out.h. */
#include "discovery.h"

static void show_tsas(struct out *out, const struct nvmf_disc_log_entry *e)
{
	switch (nvmf_trtype_tsas_kind(e->trtype)) {
	case NVMF_TSAS_TCP:
		out_str(out, "sectype", nvmf_sectype_str(e->tsas.tcp.sectype));
		break;
	case NVMF_TSAS_RDMA:
		out_label_width(out, 13);
		out_str(out, "rdma_prtype", nvmf_prtype_str(e->tsas.rdma.prtype));
		out_str(out, "rdma_qptype", nvmf_qptype_str(e->tsas.rdma.qptype));
		out_str(out, "rdma_cms", nvmf_cms_str(e->tsas.rdma.cms));
		out_label_width(out, 11);
		out_uint_as(out, "rdma_pkey", le16toh(e->tsas.rdma.pkey), "%#04x",
			    le16toh(e->tsas.rdma.pkey));
		break;
	case NVMF_TSAS_NONE:
		break;
	}
}

static void show_entry(struct out *out, const struct nvmf_disc_log_entry *e)
{
	char trsvcid[NVMF_TRSVCID_SIZE + 1] = "", traddr[NVMF_TRADDR_SIZE + 1] = "";
	char subnqn[sizeof(e->subnqn) + 1] = "";

	memcpy(trsvcid, e->trsvcid, sizeof(e->trsvcid));
	memcpy(traddr, e->traddr, sizeof(e->traddr));
	memcpy(subnqn, e->subnqn, sizeof(e->subnqn));

	out_listing(out, NULL, OUT_COLON_PAD, 9);
	out_str(out, "trtype", nvmf_trtype_str(e->trtype));
	out_str_as(out, "adrfam", nvmf_adrfam_str(e->adrfam), "%s",
		   *traddr ? nvmf_adrfam_str(e->adrfam) : "");
	out_str(out, "subtype", nvmf_subtype_str(e->subtype));
	out_str(out, "treq", nvmf_treq_str(e->treq));
	out_uint(out, "portid", le16toh(e->portid));
	out_str(out, "trsvcid", trsvcid);
	out_str(out, "subnqn", subnqn);
	out_str(out, "traddr", traddr);
	out_str(out, "eflags", nvmf_eflags_str(le16toh(e->eflags)));
	show_tsas(out, e);
	out_end(out);
}

static int save_raw(struct command *cmd, const char *path, const void *log, size_t size)
{
	if (bytes_save(cmd, path, log, size))
		return 1;
	out_text(cmd->out, "Discovery log is saved to %s\n", out_safe(cmd->out, path));
	return 0;
}

int discovery_show_log(struct command *cmd, const struct nvmf_discovery_log *log, const char *raw)
{
	uint64_t numrec = le64toh(log->numrec), genctr = le64toh(log->genctr);
	const size_t size = sizeof(*log) + numrec * sizeof(log->entries[0]);
	struct out *out = cmd->out;

	if (raw)
		return save_raw(cmd, raw, log, size);
	if (out_format(out) == OUT_BINARY)
		return bytes_write(cmd, log, size);
	out_object(out, NULL);
	out_text(out,
		 "\nDiscovery Log Number of Records %" PRIu64 ", Generation counter %" PRIu64 "\n",
		 numrec, genctr);
	out_uint(out, "genctr", genctr);
	out_array(out, "records");
	for (uint64_t i = 0; i < numrec; i++) {
		out_text(out, "=====Discovery Log Entry %" PRIu64 "======\n", i);
		show_entry(out, &log->entries[i]);
	}
	return out_ends(out, 2);
}
