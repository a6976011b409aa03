/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subsystem namespaces of an NBFT: what the firmware booted from or tried to boot from. */
#include "base/log-private.h"
#include "base/str.h"
#include "nbft.h"

#define EXT_INFO_VERSION 1

void nbft_subsystem_free(struct nbft_info_subsystem_ns *info)
{
	free(info->hfis);
	free(info->trsvcid);
	free(info->subsys_nqn);
	free(info->dhcp_root_path_string);
	free(info);
}

DEFINE_CLEANUP(struct nbft_info_subsystem_ns *, nbft_subsystem_free);

static void add_hfi(const struct nbft_table *table, const struct nbft_info *nbft,
		    struct nbft_info_subsystem_ns *info, int index)
{
	struct nbft_info_hfi *hfi = nbft_find_hfi(nbft, index);

	if (!hfi) {
		log_err(NULL,
			"%s: subsystem namespace %d refers to interface %d, which does not exist",
			table->name, info->index, index);
		return;
	}
	for (int i = 0; i < info->num_hfis; i++)
		if (info->hfis[i] == hfi)
			return;
	info->hfis[info->num_hfis++] = hfi;
}

/* Add the primary interface and the associated ones, without duplicates. */
static int add_hfis(const struct nbft_table *table, const struct nbft_info *nbft,
		    const struct nbft_ssns *ssns, struct nbft_info_subsystem_ns *info)
{
	size_t count = le16toh(ssns->secondary_hfi_assoc_obj.length);
	const __u8 *indexes = NULL;

	if (count) {
		indexes = nbft_heap_object(table, &ssns->secondary_hfi_assoc_obj, 1);
		if (!indexes)
			return -EINVAL;
	}
	info->hfis = calloc(count + 2, sizeof(*info->hfis));
	if (!info->hfis)
		return -ENOMEM;
	if (ssns->primary_hfi_desc_index)
		add_hfi(table, nbft, info, ssns->primary_hfi_desc_index);
	for (size_t i = 0; i < count; i++)
		if (indexes[i])
			add_hfi(table, nbft, info, indexes[i]);
	return 0;
}

static int add_address(const struct nbft_table *table, const struct nbft_ssns *ssns,
		       struct nbft_info_subsystem_ns *info)
{
	const __u8 *traddr = nbft_heap_object(table, &ssns->subsys_traddr_obj, 16);

	if (!traddr)
		return -EINVAL;
	nbft_address(traddr, info->traddr);
	return nbft_heap_string(table, &ssns->subsys_trsvcid_obj, &info->trsvcid)
		       ?: nbft_heap_string(table, &ssns->subsys_ns_nqn_obj, &info->subsys_nqn);
}

static int add_extended_info(const struct nbft_table *table, const struct nbft_ssns *ssns,
			     struct nbft_info_subsystem_ns *info)
{
	const __u8 *bytes = nbft_heap_object(table, &ssns->ssns_extended_info_desc_obj,
					     sizeof(struct nbft_ssns_ext_info));
	struct nbft_ssns_ext_info ext;

	if (!bytes)
		return -EINVAL;
	memcpy(&ext, bytes, sizeof(ext));
	if (ext.structure_id != NBFT_DESC_SSNS_EXT_INFO || ext.version != EXT_INFO_VERSION ||
	    ext.ssns_index != ssns->index)
		return -EINVAL;
	if (!(le32toh(ext.flags) & NBFT_SSNS_EXT_INFO_VALID))
		return 0;
	info->controller_id = le16toh(ext.cntlid);
	if (le32toh(ext.flags) & NBFT_SSNS_EXT_INFO_ADMIN_ASQSZ)
		info->asqsz = le16toh(ext.asqsz);
	return nbft_heap_string(table, &ext.dhcp_root_path_str_obj, &info->dhcp_root_path_string);
}

static void set_flags(const struct nbft_ssns *ssns, struct nbft_info_subsystem_ns *info)
{
	uint16_t flags = le16toh(ssns->flags), trflags = le16toh(ssns->trflags);

	if (trflags & NBFT_SSNS_TRFLAG_VALID) {
		info->pdu_header_digest_required = trflags & NBFT_SSNS_PDU_HEADER_DIGEST;
		info->data_digest_required = trflags & NBFT_SSNS_DATA_DIGEST;
	}
	info->discovered = flags & NBFT_SSNS_DISCOVERED_NAMESPACE;
	info->unavailable =
		(flags & NBFT_SSNS_UNAVAIL_NAMESPACE_MASK) == NBFT_SSNS_UNAVAIL_NAMESPACE_UNAVAIL;
}

int nbft_add_subsystem(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft)
{
	_cleanup_(nbft_subsystem_free) struct nbft_info_subsystem_ns *info = NULL;
	const char *transport;
	struct nbft_ssns ssns;
	int err;

	if (!nbft_copy(table, offset, &ssns, sizeof(ssns)))
		return -EINVAL;
	if (!(le16toh(ssns.flags) & NBFT_SSNS_VALID))
		return 0;
	transport = nbft_transport(ssns.trtype);
	if (!transport || ssns.nidt > NBFT_INFO_NID_TYPE_NS_UUID)
		return -EINVAL;
	info = calloc(1, sizeof(*info));
	if (!info)
		return -ENOMEM;

	info->index = le16toh(ssns.index);
	str_copy(info->transport, sizeof(info->transport), transport, strlen(transport));
	info->subsys_port_id = le16toh(ssns.subsys_port_id);
	info->nsid = le32toh(ssns.nsid);
	info->nid_type = (enum nbft_info_nid_type)ssns.nidt;
	info->nid = table->raw + offset + offsetof(struct nbft_ssns, nid);
	set_flags(&ssns, info);
	if (ssns.primary_discovery_ctrl_index)
		info->discovery = nbft_find_discovery(nbft, ssns.primary_discovery_ctrl_index);
	if (le16toh(ssns.flags) & NBFT_SSNS_USE_SECURITY_FIELD && ssns.security_desc_index)
		info->security = nbft_find_security(nbft, ssns.security_desc_index);

	err = add_address(table, &ssns, info) ?: add_hfis(table, nbft, &ssns, info);
	if (err)
		return err;
	/* Extended information is not needed for connecting. */
	if (le16toh(ssns.flags) & NBFT_SSNS_EXTENDED_INFO_IN_USE)
		err = add_extended_info(table, &ssns, info);
	if (err == -ENOMEM)
		return err;
	if (err)
		log_err(NULL, "%s: subsystem namespace %d: extended information cannot be read",
			table->name, info->index);
	nbft_append(nbft->subsystem_ns_list, steal_ptr(&info));
	return 0;
}
