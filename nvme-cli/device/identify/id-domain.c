// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-domain: Domain List (CNS 18h) */
#include "identify.h"

struct domain_args {
	uint16_t domain;
};

/* In text, each line contains the number of the entry. */
static void show_id_domain(struct out *out, unsigned int index,
			   const struct nvme_id_domain_attr *domain)
{
	char labels[4][64];
	static const char *const names[] = { "Domain Id", "Domain Capacity",
					     "Unallocated Domain Capacity",
					     "Max Endurance Group Domain Capacity" };

	for (unsigned int i = 0; i < 4; i++)
		snprintf(labels[i], sizeof(labels[i]), "%s for Attr Entry[%u]", names[i], index);
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint(out_label(out, labels[0]), "dom_id", le16toh(domain->dom_id));
	out_uint128(out_label(out, labels[1]), "dom_cap", domain->dom_cap);
	out_uint128(out_label(out, labels[2]), "unalloc_dom_cap", domain->unalloc_dom_cap);
	out_uint128(out_label(out, labels[3]), "max_egrp_dom_cap", domain->max_egrp_dom_cap);
	out_end(out);
}

static int answer_id_domain(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_domain_list *list = request_data(c);
	struct out *out = cmd->out;

	out_text(out, "NVMe Identify command for Domain List is successful:\n"
		      "NVMe Identify Domain List:\n");
	out_text(out, "Number of Domain Entries: %u\n", list->num);
	out_object(out, NULL);
	out_uint(out, "num_dom_entries", list->num);
	out_array(out, "domain_list");
	for (unsigned int i = 0; i < list->num && i < NVME_ID_DOMAIN_LIST_MAX; i++)
		show_id_domain(out, i, &list->domain_attr[i]);
	return out_ends(out, 2);
}

IDENTIFY_COMMAND(id_domain_command, "id-domain", "List the domains of a subsystem",
		 BINARY(OPT(SHORT, "dom-id", 'd', struct domain_args, domain, "N",
			    "first domain to list")),
		 struct domain_args, &(const struct domain_args){ .domain = UINT16_MAX },
		 NVME_IDENTIFY_CNS_DOMAIN_LIST,
		 .parts = REQUEST_PARTS(REQUEST_BITS(11, 0, 16, struct domain_args, domain)),
		 .answer = answer_id_domain);
