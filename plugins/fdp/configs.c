// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp configs: FDP Configurations (log page 20h) */
#include "fdp.h"

#define HEAD sizeof(struct nvme_fdp_config_log)

enum { ATTRIBUTES };

static const struct bits config_bits[] = {
	{ ATTRIBUTES, 7, 1, "FDP Configuration", .words = WORDS("Not Valid", "Valid") },
	{ ATTRIBUTES, 4, 1, "FDP Volatile Write Cache", .words = WORDS("Not Present", "Present") },
	{ ATTRIBUTES, 0, 4, "Reclaim Group Identifier Format" },
	{ 0, 0, 0, NULL },
};

#define CONFIG(kind, member, label) \
	FIELD_LABELLED(kind, struct nvme_fdp_config_desc, member, #member, label)

static const struct field *const attribute_fields = FIELDS(CONFIG(HEX, fdpa, "FDP Attributes"));

static const struct field *const config_fields =
	FIELDS(CONFIG(DEC, vss, "Vendor Specific Size"),
	       CONFIG(DEC, nrg, "Number of Reclaim Groups"),
	       CONFIG(DEC, nruh, "Number of Reclaim Unit Handles"),
	       CONFIG(DEC, nnss, "Number of Namespaces Supported"),
	       CONFIG(DEC, runs, "Reclaim Unit Nominal Size"),
	       CONFIG(DEC, erutl, "Estimated Reclaim Unit Time Limit"));

static const struct field *const json_fields =
	FIELDS(FIELD(DEC, struct nvme_fdp_config_desc, maxpids));

static void show_handles(struct out *out, const struct nvme_fdp_ruh_desc *handles, unsigned int n)
{
	out_text(out, "Reclaim Unit Handle List:\n");
	out_array(out, "ruhs");
	for (unsigned int i = 0; i < n; i++) {
		out_text(out, "  [%u]: %s\n", i,
			 bits_word(WORDS("Reserved", "Initially Isolated", "Persistently Isolated",
					 "Reserved"),
				   handles[i].ruht));
		out_uint_object(out, "ruht", handles[i].ruht);
	}
	out_end(out);
}

static void show_config(struct out *out, const unsigned char *at, bool explain)
{
	struct nvme_fdp_config_desc config; /* may be unaligned in the page */

	memcpy(&config, at, sizeof(config));
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, attribute_fields, NULL, at);
	if (explain)
		out_bits_text(out, config_bits, ATTRIBUTES, config.fdpa);
	out_fields(out, config_fields, NULL, at);
	if (out_is_json(out))
		out_fields(out, json_fields, NULL, at);
	show_handles(out, (const void *)(at + sizeof(config)), le16toh(config.nruh));
	out_text(out, "\n");
	out_end(out);
}

/* Return the descriptor at @offset; NULL if it and its handles do not fit its size or the page. */
static const unsigned char *config_at(const struct log_bytes *log, uint64_t offset, uint16_t *size)
{
	struct nvme_fdp_config_desc config;
	size_t needed = sizeof(config);

	if (!log_page_holds(log, offset, 1, needed))
		return NULL;
	memcpy(&config, log->at + offset, sizeof(config));
	*size = le16toh(config.size);
	needed += le16toh(config.nruh) * sizeof(*config.ruhs);
	return *size < needed || !log_page_holds(log, offset, 1, needed) ? NULL : log->at + offset;
}

static int show_configs(struct command *cmd, const struct log_bytes *log, bool explain)
{
	const struct nvme_fdp_config_log *head = (const void *)log->at;
	const unsigned char *config;
	const unsigned int n = le16toh(head->n); /* 0's based */
	struct out *out = cmd->out;
	uint64_t offset = HEAD;
	uint16_t size;

	out_object(out, NULL);
	out_uint(out, "n", n);
	out_array(out, "configs");
	for (unsigned int i = 0; i <= n; i++) {
		config = config_at(log, offset, &size);
		if (!config)
			return log_page_ends(cmd, "configuration", i, n + 1U, log);
		show_config(out, config, explain);
		offset += size;
	}
	return out_ends(out, 2);
}

int fdp_log_run(struct command *cmd)
{
	const struct log_page_args *args = cmd->args;

	if (!args->lsi)
		return command_fail(cmd, 0, "endurance group identifier required");
	return log_page_run(cmd);
}

LOG_PAGE_COMMAND(fdp_configs_command, "configs", "List the configurations of an Endurance Group",
		 OPTIONS(FDP_OPT_ENDURANCE_GROUP, LOG_PAGE_OPTIONS),
		 LOG_ARGS(.nsid = NVME_NSID_NONE), fdp_log_run, .lid = NVME_LOG_LID_FDP_CONFIGS,
		 .size = HEAD, .what = "fdp configurations log",
		 .length_at = offsetof(struct nvme_fdp_config_log, size), .length_size = 4,
		 .show_bytes = show_configs);
