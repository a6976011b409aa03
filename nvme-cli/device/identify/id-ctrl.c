// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-ctrl: Identify Controller (CNS 01h), NVM Express Base Specification 2.0, figure 275 */
#include "identify.h"

struct id_ctrl_args {
	bool vendor_specific, raw, human;
};

#define DEC(member) FIELD(DEC, struct nvme_id_ctrl, member)
#define HEX(member) FIELD(HEX, struct nvme_id_ctrl, member)
#define CHARS(member) FIELD(CHARS, struct nvme_id_ctrl, member)
#define NOTED(member, note) FIELD_NOTED(DEC, struct nvme_id_ctrl, member, note)

static const struct field *const id_ctrl_fields = FIELDS(
	HEX(vid), HEX(ssvid), CHARS(sn), CHARS(mn), CHARS(fr), DEC(rab),
	FIELD(OUI, struct nvme_id_ctrl, ieee), HEX(cmic), DEC(mdts), HEX(cntlid), HEX(ver),
	HEX(rtd3r), HEX(rtd3e), HEX(oaes), HEX(ctratt), HEX(rrls), HEX(bpcap), HEX(nssl), DEC(plsi),
	DEC(cntrltype), FIELD(UUID, struct nvme_id_ctrl, fguid), DEC(crdt1), DEC(crdt2), DEC(crdt3),
	DEC(crcap), DEC(nvmsr), DEC(vwci), DEC(mec), HEX(oacs), DEC(acl), DEC(aerl), HEX(frmw),
	HEX(lpa), DEC(elpe), DEC(npss), HEX(avscc), HEX(apsta), DEC(wctemp), DEC(cctemp), DEC(mtfa),
	DEC(hmpre), DEC(hmmin), NOTED(tnvmcap, "Total NVM Capacity (TNVMCAP)"),
	NOTED(unvmcap, "Unallocated NVM Capacity (UNVMCAP)"), HEX(rpmbs), DEC(edstt), DEC(dsto),
	DEC(fwug), DEC(kas), HEX(hctma), DEC(mntmt), DEC(mxtmt), HEX(sanicap), DEC(hmminds),
	DEC(hmmaxd), DEC(nsetidmax), DEC(endgidmax), DEC(anatt), DEC(anacap), DEC(anagrpmax),
	DEC(nanagrpid), DEC(pels), DEC(domainid), DEC(kpioc), DEC(mptfawr), DEC(megcap),
	HEX(tmpthha), DEC(cqt), HEX(sqes), HEX(cqes), DEC(maxcmd), DEC(nn), HEX(oncs), HEX(fuses),
	HEX(fna), HEX(vwc), DEC(awun), DEC(awupf), DEC(icsvscc), DEC(nwpc), DEC(acwu), HEX(ocfs),
	HEX(sgls), DEC(mnan), DEC(maxdna), DEC(maxcna), DEC(oaqd), DEC(rhiri), DEC(hirt),
	DEC(cmmrtd), DEC(nmmrtd), DEC(minmrtg), DEC(maxmrtg), DEC(trattr), DEC(mcudmq),
	DEC(mnsudmq), DEC(mcmr), DEC(nmcmr), DEC(mcdqpc), CHARS(subnqn), DEC(ioccsz), DEC(iorcsz),
	DEC(icdoff), HEX(fcatt), DEC(msdbd), DEC(ofcs));

#define PSD(label, member) FIELD_NAMED(label, DEC, struct nvme_id_psd, member)

/* A power state in JSON, without the scales, which are bit fields and are printed separately. */
static const struct field *const psd_throughput =
	FIELDS(PSD("entry_lat", enlat), PSD("exit_lat", exlat), PSD("read_tput", rrt),
	       PSD("read_lat", rrl), PSD("write_tput", rwt), PSD("write_lat", rwl),
	       PSD("idle_power", idlp));

/* Format a power in watts. @scale is 1 for units of 0.0001 W, 2 for 0.01 W, 0 if not reported. */
static void watts(char *text, size_t size, uint16_t power, unsigned int scale)
{
	if (scale == 1)
		snprintf(text, size, "%u.%04uW", power / 10000U, power % 10000U);
	else if (scale == 2)
		snprintf(text, size, "%u.%02uW", power / 100U, power % 100U);
	else
		snprintf(text, size, "%s", scale ? "reserved" : "-");
}

/* Workloads as in nvme-cli 2.x: NVM Express Base Specification 2.0, section 8.15.3. */
static const char *const workloads[] = { "-", "1MiB 32 RW, 30s idle", "80K 128KiB SW", "reserved",
					 NULL };

/* Print an emergency power fail time; scales: Base Specification 2.1, "Power State Descriptor". */
static void vault_time(struct out *out, const char *label, __u8 time, unsigned int scale)
{
	static const char *const units[] = {
		"1 microsecond",     "10 microseconds",	 "100 microseconds", "1 millisecond",
		"10 milliseconds",   "100 milliseconds", "1 second",	     "10 seconds",
		"100 seconds",	     "1,000 seconds",	 "10,000 seconds",   "100,000 seconds",
		"1,000,000 seconds",
	};
	const char *unit = scale < sizeof(units) / sizeof(units[0]) ? units[scale] : "Reserved";

	if (time && time < 100)
		out_text(out, "            %s: %u (unit: %s)\n", label, time, unit);
	else
		out_text(out, "            %s: %s\n", label, time ? "reserved" : "-");
}

static void psd_text(struct out *out, unsigned int index, const struct nvme_id_psd *psd)
{
	char maximum[16], idle[16], active[16];

	watts(maximum, sizeof(maximum), le16toh(psd->mp), psd->flags & 1 ? 1 : 2);
	watts(idle, sizeof(idle), le16toh(psd->idlp), psd->ips >> 6);
	watts(active, sizeof(active), le16toh(psd->actp), psd->apws >> 6);
	out_text(out, "ps %6u : mp:%s %soperational enlat:%u exlat:%u rrt:%u rrl:%u\n", index,
		 maximum, psd->flags & 2 ? "non-" : "", le32toh(psd->enlat), le32toh(psd->exlat),
		 psd->rrt, psd->rrl);
	out_text(out, "            rwt:%u rwl:%u idle_power:%s active_power:%s\n", psd->rwt,
		 psd->rwl, idle, active);
	out_text(out, "            active_power_workload:%s\n",
		 bits_word(workloads, psd->apws & 7));
	vault_time(out, "emergency power fail recovery time", psd->epfrt, psd->epfr_fqv_ts & 0xf);
	vault_time(out, "forced quiescence vault time", psd->fqvt, psd->epfr_fqv_ts >> 4);
	vault_time(out, "emergency power fail vault time", psd->epfvt, psd->epfvts & 0xf);
}

static void psd_json(struct out *out, const struct nvme_id_psd *psd)
{
	out_object(out, NULL);
	out_uint(out, "max_power", le16toh(psd->mp));
	out_uint(out, "max_power_scale", psd->flags & 1);
	out_uint(out, "non-operational_state", (psd->flags & 2) >> 1);
	out_fields(out, psd_throughput, NULL, psd);
	out_uint(out, "idle_scale", psd->ips >> 6);
	out_uint(out, "active_power", le16toh(psd->actp));
	out_uint(out, "active_power_work", psd->apws & 7);
	out_uint(out, "active_scale", psd->apws >> 6);
	out_uint(out, "emerg_power_fail_recover_time", psd->epfrt);
	out_uint(out, "emerg_power_fail_recover_scale", psd->epfr_fqv_ts & 0xf);
	out_uint(out, "force_quiesce_vault_time", psd->fqvt);
	out_uint(out, "force_quiesce_vault_scale", psd->epfr_fqv_ts >> 4);
	out_uint(out, "emerg_power_fail_vault_time", psd->epfvt);
	out_uint(out, "emerg_power_fail_vault_scale", psd->epfvts & 0xf);
	out_end(out);
}

static int answer_id_ctrl(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_ctrl *id = request_data(c);
	const struct id_ctrl_args *args = cmd->args;
	unsigned int n_states = id->npss < 31 ? id->npss + 1U : 32;
	struct out *out = cmd->out;

	out_text(out, "NVME Identify Controller:\n");
	out_listing(out, NULL, OUT_PAD_COLON, 10);
	out_fields(out, id_ctrl_fields, args->human || cmd->common.verbose ? id_ctrl_bits : NULL,
		   id);
	out_array(out, "psds");
	for (unsigned int i = 0; i < n_states; i++) {
		if (out_is_json(out))
			psd_json(out, &id->psd[i]);
		else
			psd_text(out, i, &id->psd[i]);
	}
	out_end(out);
	if (args->vendor_specific) {
		out_text(out, "vs[]:\n");
		out_dump(out, "vs", id->vs, sizeof(id->vs));
	}
	return out_end(out);
}

IDENTIFY_COMMAND(
	id_ctrl_command, "id-ctrl", "Identify Controller",
	BINARY(OPT_FLAG("vendor-specific", 'V', struct id_ctrl_args, vendor_specific,
			"also show the vendor specific bytes"),
	       OPT_FLAG("raw-binary", 'b', struct id_ctrl_args, raw, "write the structure's bytes"),
	       OPT_FLAG("human-readable", 'H', struct id_ctrl_args, human, "explain the bits")),
	struct id_ctrl_args, NULL, NVME_IDENTIFY_CNS_CTRL, .what = "identify controller",
	.answer = answer_id_ctrl);
