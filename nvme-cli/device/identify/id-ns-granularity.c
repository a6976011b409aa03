// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-ns-granularity: Namespace Granularity List (CNS 16h) */
#include "identify.h"

struct granularity_args {
	uint8_t none;
};

static void show_id_ns_granularity(struct out *out, unsigned int index,
				   const struct nvme_id_ns_granularity_desc *desc)
{
	const uint64_t size = le64toh(desc->nszegran), capacity = le64toh(desc->ncapgran);

	out_text(out, "\n     Entry[%2u] :\n................\n", index);
	out_text(out, "     NSG       : Namespace Size Granularity     : %#" PRIx64 "\n", size);
	out_text(out, "     NCG       : Namespace Capacity Granularity : %#" PRIx64 "\n", capacity);
	out_object(out, NULL);
	out_uint(out, "namespace-size-granularity", size);
	out_uint(out, "namespace-capacity-granularity", capacity);
	out_end(out);
}

static int answer_id_ns_granularity(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_ns_granularity_list *list = request_data(c);
	struct out *out = cmd->out;

	out_text(out, "Identify Namespace Granularity List:\n");
	out_text(out, "   ATTR        : Namespace Granularity Attributes: %#x\n",
		 le32toh(list->attributes));
	out_text(out, "   NUMD        : Number of Descriptors           : %u\n",
		 list->num_descriptors);
	out_object(out, NULL);
	out_uint(out, "attributes", le32toh(list->attributes));
	out_uint(out, "num-descriptors", list->num_descriptors);
	out_array(out, "namespace-granularity-list");
	for (unsigned int i = 0; i <= list->num_descriptors && i < NVME_ID_ND_DESCRIPTOR_MAX; i++)
		show_id_ns_granularity(out, i, &list->entry[i]);
	return out_ends(out, 2);
}

IDENTIFY_COMMAND(id_ns_granularity_command, "id-ns-granularity",
		 "List the granularities of namespaces to create", OPTIONS(GENERIC_OPTIONS_BINARY),
		 struct granularity_args, NULL, NVME_IDENTIFY_CNS_NS_GRANULARITY,
		 .answer = answer_id_ns_granularity);
