// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-uuid: UUID List (CNS 17h) */
#include "identify.h"

struct uuid_args {
	bool raw, human;
};

static bool is_end(const struct nvme_id_uuid_list_entry *entry)
{
	static const __u8 none[sizeof(entry->uuid)];

	return !memcmp(entry->uuid, none, sizeof(none));
}

static bool is_invalid(const struct nvme_id_uuid_list_entry *entry)
{
	for (size_t i = 0; i < sizeof(entry->uuid); i++)
		if (entry->uuid[i] != 0xff)
			return false;
	return true;
}

static void show_id_uuid(struct out *out, unsigned int number,
			 const struct nvme_id_uuid_list_entry *entry, bool explain)
{
	static const char *const associations[] = { "No association reported",
						    "associated with PCI Vendor ID",
						    "associated with PCI Subsystem Vendor ID",
						    "Reserved", NULL };
	const unsigned int association = entry->header & 3;
	char uuid[37];

	field_format_bytes(uuid, entry->uuid, sizeof(entry->uuid), true);
	out_text(out,
		 " Entry[%3u]\n.................\nassociation  : %#x %s\nUUID         : %s%s\n"
		 ".................\n",
		 number, association, explain ? bits_word(associations, association) : "", uuid,
		 explain && is_invalid(entry) ? " (Invalid UUID)" : "");
	out_object(out, NULL);
	out_uint(out, "association", association);
	out_str(out, "uuid", uuid);
	out_end(out);
}

static int answer_id_uuid(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_uuid_list *list = request_data(c);
	const struct uuid_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "NVME Identify UUID:\n");
	out_object(out, NULL);
	out_array(out, "UUID-list");
	for (unsigned int i = 0; i < NVME_ID_UUID_LIST_MAX && !is_end(&list->entry[i]); i++)
		show_id_uuid(out, i + 1, &list->entry[i], args->human || cmd->common.verbose);
	return out_ends(out, 2);
}

IDENTIFY_COMMAND(id_uuid_command, "id-uuid", "List the UUIDs of vendor specific information",
		 BINARY(OPT_FLAG("raw-binary", 'b', struct uuid_args, raw,
				 "write the list's bytes"),
			OPT_FLAG("human-readable", 'H', struct uuid_args, human,
				 "explain the associations")),
		 struct uuid_args, NULL, NVME_IDENTIFY_CNS_UUID_LIST, .answer = answer_id_uuid);
