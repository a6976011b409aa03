/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Host fabric interfaces, security profiles and discovery controllers of an NBFT. */
#include <arpa/inet.h>

#include "base/str.h"
#include "../transport-private.h"
#include "nbft.h"

#define TRINFO_VERSION 1

const char *nbft_transport(__u8 trtype)
{
	const struct transport *transport = transport_by_trtype(trtype);

	/* The specification defines the layout for TCP; transports with that layout use it. */
	return transport && transport->tsas == NVMF_TSAS_TCP ? transport->name : NULL;
}

void nbft_address(const __u8 in6[16], char text[40])
{
	static const __u8 mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	bool v4 = !memcmp(in6, mapped, sizeof(mapped));

	/* 40 bytes hold every IPv6 address, as v4-mapped ones are written as IPv4. */
	if (!inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? in6 + 12 : in6, text, 40))
		text[0] = '\0';
}

#define FIND(kind, name) \
	struct nbft_info_##kind *name(const struct nbft_info *nbft, int index) \
	{ \
		for (struct nbft_info_##kind **one = nbft->kind##_list; *one; one++) \
			if ((*one)->index == index) \
				return *one; \
		return NULL; \
	}

FIND(hfi, nbft_find_hfi)
FIND(security, nbft_find_security)
FIND(discovery, nbft_find_discovery)

static int read_tcp_info(const struct nbft_table *table, const struct nbft_hfi *hfi,
			 struct nbft_info_hfi_info_tcp *info)
{
	const __u8 *bytes =
		nbft_heap_object(table, &hfi->trinfo_obj, sizeof(struct nbft_hfi_info_tcp));
	struct nbft_hfi_info_tcp tcp;

	if (!bytes)
		return -EINVAL;
	memcpy(&tcp, bytes, sizeof(tcp));
	if (tcp.structure_id != NBFT_DESC_HFI_TRINFO || tcp.version != TRINFO_VERSION ||
	    tcp.trtype != hfi->trtype || le16toh(tcp.hfi_index) != hfi->index ||
	    !(tcp.flags & NBFT_HFI_INFO_TCP_VALID))
		return -EINVAL;

	info->pci_sbdf = le32toh(tcp.pci_sbdf);
	memcpy(info->mac_addr, tcp.mac_addr, sizeof(info->mac_addr));
	info->vlan = le16toh(tcp.vlan);
	info->ip_origin = tcp.ip_origin;
	nbft_address(tcp.ip_address, info->ipaddr);
	info->subnet_mask_prefix = tcp.subnet_mask_prefix;
	nbft_address(tcp.ip_gateway, info->gateway_ipaddr);
	info->route_metric = le16toh(tcp.route_metric);
	nbft_address(tcp.primary_dns, info->primary_dns_ipaddr);
	nbft_address(tcp.secondary_dns, info->secondary_dns_ipaddr);
	info->this_hfi_is_default_route = tcp.flags & NBFT_HFI_INFO_TCP_GLOBAL_ROUTE;
	info->dhcp_override = tcp.flags & NBFT_HFI_INFO_TCP_DHCP_OVERRIDE;
	/* Boot scripts assume DHCP for an interface with a DHCP server. */
	if (info->dhcp_override)
		nbft_address(tcp.dhcp_server, info->dhcp_server_ipaddr);
	return nbft_heap_string(table, &tcp.host_name_obj, &info->host_name);
}

int nbft_add_hfi(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft)
{
	_cleanup_(free) struct nbft_info_hfi *info = NULL;
	const char *transport;
	struct nbft_hfi hfi;
	int err;

	if (!nbft_copy(table, offset, &hfi, sizeof(hfi)))
		return -EINVAL;
	if (!(hfi.flags & NBFT_HFI_VALID))
		return 0;
	transport = nbft_transport(hfi.trtype);
	if (!transport)
		return -EINVAL;
	info = calloc(1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->index = hfi.index;
	str_copy(info->transport, sizeof(info->transport), transport, strlen(transport));
	err = read_tcp_info(table, &hfi, &info->tcp_info);
	if (err)
		return err;
	nbft_append(nbft->hfi_list, steal_ptr(&info));
	return 0;
}

int nbft_add_security(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft)
{
	struct nbft_info_security *info;
	struct nbft_security security;

	if (!nbft_copy(table, offset, &security, sizeof(security)))
		return -EINVAL;
	if (!(le16toh(security.flags) & NBFT_SECURITY_VALID))
		return 0;
	info = calloc(1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->index = security.index;
	nbft_append(nbft->security_list, info);
	return 0;
}

int nbft_add_discovery(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft)
{
	_cleanup_(free) struct nbft_info_discovery *info = NULL;
	_cleanup_(free) char *uri = NULL;
	struct nbft_discovery discovery;
	int err;

	if (!nbft_copy(table, offset, &discovery, sizeof(discovery)))
		return -EINVAL;
	if (!(discovery.flags & NBFT_DISCOVERY_VALID))
		return 0;
	info = calloc(1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	info->index = discovery.index;
	if (discovery.sec_index)
		info->security = nbft_find_security(nbft, discovery.sec_index);
	if (discovery.hfi_index)
		info->hfi = nbft_find_hfi(nbft, discovery.hfi_index);
	err = nbft_heap_string(table, &discovery.discovery_ctrl_addr_obj, &uri)
		      ?: nbft_heap_string(table, &discovery.discovery_ctrl_nqn_obj, &info->nqn);
	if (err)
		return err;
	info->uri = steal_ptr(&uri);
	nbft_append(nbft->discovery_list, steal_ptr(&info));
	return 0;
}
