// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme nbft show: the content of the tables, NVM Express Boot Specification 1.0 */
#include <dirent.h>

#include "nbft.h"

DEFINE_CLEANUP(struct nbft_info *, nvme_nbft_free);

struct nbft_show_args {
	bool subsystem, hfi, discovery;
	const char *path;
};

static void hex(char *text, size_t size, const unsigned char *bytes, size_t n, const char *between)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%02x", i ? between : "",
					 bytes[i]);
}

/* Format segment, bus, device and function, e.g. 0:40:0.0. */
static void pci_address(char *text, size_t size, __u32 sbdf)
{
	snprintf(text, size, "%x:%x:%x.%x", sbdf >> 16, sbdf >> 8 & 0xff, sbdf >> 3 & 0x1f,
		 sbdf & 7);
}

static void show_host(struct out *out, const struct nbft_info_host *host)
{
	static const char *const primary[] = { "not indicated", "unselected", "selected" };
	unsigned int flag = (unsigned int)host->primary;
	char id[NVME_UUID_LEN_STRING];

	if (!out_is_json(out))
		return;
	out_object(out, "host");
	out_str(out, "nqn", host->nqn);
	out_str(out, "id", host->id && !nvme_uuid_to_string(host->id, id) ? id : NULL);
	out_uint(out, "host_id_configured", host->host_id_configured);
	out_uint(out, "host_nqn_configured", host->host_nqn_configured);
	out_str(out, "primary_admin_host_flag", flag < 3 ? primary[flag] : "reserved");
	out_end(out);
}

static const char *nid_type(enum nbft_info_nid_type type)
{
	static const char *const names[] = { "none", "eui64", "nguid", "uuid" };

	return (size_t)type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

static void show_nid(struct out *out, const struct nbft_info_subsystem_ns *ns)
{
	char text[NVME_UUID_LEN_STRING] = "";

	if (!ns->nid)
		text[0] = '\0';
	else if (ns->nid_type == NBFT_INFO_NID_TYPE_NS_UUID)
		nvme_uuid_to_string(ns->nid, text);
	else if (ns->nid_type != NBFT_INFO_NID_TYPE_NONE)
		hex(text, sizeof(text), ns->nid, ns->nid_type == NBFT_INFO_NID_TYPE_EUI64 ? 8 : 16,
		    "");
	out_str(out, "nid", text);
}

static void subsystem_json(struct out *out, const struct nbft_info_subsystem_ns *ns)
{
	out_int(out, "index", ns->index);
	out_int(out, "num_hfis", ns->num_hfis);
	out_array(out, "hfis");
	for (int i = 0; i < ns->num_hfis; i++)
		out_int(out, NULL, ns->hfis[i]->index);
	out_end(out);
	out_str(out, "transport", ns->transport);
	out_str(out, "traddr", ns->traddr);
	out_str(out, "trsvcid", ns->trsvcid);
	out_uint(out, "subsys_port_id", ns->subsys_port_id);
	out_uint(out, "nsid", ns->nsid);
	out_str(out, "nid_type", nid_type(ns->nid_type));
	show_nid(out, ns);
	out_str(out, "subsys_nqn", ns->subsys_nqn);
	out_int(out, "controller_id", ns->controller_id);
	out_int(out, "asqsz", ns->asqsz);
	if (ns->dhcp_root_path_string)
		out_str(out, "dhcp_root_path_string", ns->dhcp_root_path_string);
	out_uint(out, "pdu_header_digest_required", ns->pdu_header_digest_required);
	out_uint(out, "data_digest_required", ns->data_digest_required);
	out_uint(out, "discovered", ns->discovered);
	out_uint(out, "unavailable", ns->unavailable);
}

static void subsystem_text(struct out *out, const struct nbft_info_subsystem_ns *ns)
{
	out_int(out, "index", ns->index);
	out_str(out, "subsys_nqn", ns->subsys_nqn);
	out_str(out, "transport", ns->transport);
	out_str(out, "traddr", ns->traddr);
	out_str(out, "trsvcid", ns->trsvcid);
	out_array(out, "hfis");
	for (int i = 0; i < ns->num_hfis; i++)
		out_int(out, NULL, ns->hfis[i]->index);
	out_end(out);
}

static void show_hfi(struct out *out, const struct nbft_info_hfi *hfi)
{
	const struct nbft_info_hfi_info_tcp *tcp = &hfi->tcp_info;
	char pci[32], mac[32];

	pci_address(pci, sizeof(pci), tcp->pci_sbdf);
	hex(mac, sizeof(mac), tcp->mac_addr, sizeof(tcp->mac_addr), ":");
	out_int(out, "index", hfi->index);
	out_str(out, "transport", hfi->transport);
	out_str(out, "pcidev", pci);
	out_str(out, "mac_addr", mac);
	out_uint(out_json_only(out), "vlan", tcp->vlan);
	out_uint(out_json_only(out), "ip_origin", tcp->ip_origin);
	out_bool(out_text_only(out), "dhcp", tcp->dhcp_override);
	out_str(out, "ipaddr", tcp->ipaddr);
	out_uint(out, "subnet_mask_prefix", tcp->subnet_mask_prefix);
	out_str(out, "gateway_ipaddr", tcp->gateway_ipaddr);
	out_uint(out_json_only(out), "route_metric", tcp->route_metric);
	out_str(out, "primary_dns_ipaddr", tcp->primary_dns_ipaddr);
	out_str(out_json_only(out), "secondary_dns_ipaddr", tcp->secondary_dns_ipaddr);
	out_str(out_json_only(out), "dhcp_server_ipaddr", tcp->dhcp_server_ipaddr);
	if (tcp->host_name)
		out_str(out_json_only(out), "host_name", tcp->host_name);
	out_uint(out_json_only(out), "this_hfi_is_default_route", tcp->this_hfi_is_default_route);
	out_uint(out_json_only(out), "dhcp_override", tcp->dhcp_override);
}

static void heading(struct out *out, const char *what, bool empty)
{
	out_text(out, "\nNBFT %s:\n\n%s", what, empty ? "(empty)\n" : "");
}

static void show_subsystems(struct out *out, struct nbft_info_subsystem_ns *const *list)
{
	heading(out, "Subsystems", !list || !*list);
	out_table(out, "subsystem", "Idx", "NQN:20", "Trsp", "Address:8", "SvcId", "HFIs");
	out_table_grid(out);
	for (; list && *list; list++) {
		out_row(out);
		(out_is_json(out) ? subsystem_json : subsystem_text)(out, *list);
	}
	out_end(out);
}

static void show_hfis(struct out *out, struct nbft_info_hfi *const *list)
{
	heading(out, "HFIs", !list || !*list);
	out_table(out, "hfi", "Idx", "Trsp", "PCI Addr:10", "MAC Addr:17", "DHCP", "IP Addr:8",
		  "Mask", "Gateway:8", "DNS:8");
	out_table_grid(out);
	for (; list && *list; list++) {
		out_row(out);
		show_hfi(out, *list);
	}
	out_end(out);
}

static void show_discovery(struct out *out, struct nbft_info_discovery *const *list)
{
	heading(out, "Discovery Controllers", !list || !*list);
	out_table(out, "discovery", "Idx", "URI:12", "NQN:20");
	out_table_grid(out);
	for (; list && *list; list++) {
		const struct nbft_info_discovery *dc = *list;

		out_row(out);
		out_int(out, "index", dc->index);
		if (out_is_json(out) && dc->security)
			out_int(out, "security", dc->security->index);
		if (out_is_json(out) && dc->hfi)
			out_int(out, "hfi", dc->hfi->index);
		out_str(out, "uri", dc->uri);
		out_str(out, "nqn", dc->nqn);
	}
	out_end(out);
}

static int show_table(struct command *cmd, const char *path)
{
	const struct nbft_show_args *args = cmd->args;
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;
	bool all = !args->subsystem && !args->hfi && !args->discovery;
	struct out *out = cmd->out;

	if (nvme_nbft_read(&nbft, path)) {
		command_warn(cmd, 0, "%s: %s", path,
			     errno == EINVAL ? "not an NVMe Boot Firmware Table" : strerror(errno));
		return 1;
	}
	out_text(out, "%s:\n", out_safe(out, path));
	out_object(out, NULL);
	out_str(out, "filename", path);
	show_host(out, &nbft->host);
	if (all || args->subsystem)
		show_subsystems(out, nbft->subsystem_ns_list);
	if (all || args->hfi)
		show_hfis(out, nbft->hfi_list);
	if (all || args->discovery)
		show_discovery(out, nbft->discovery_list);
	out_end(out);
	out_text(out, "\n");
	return 0;
}

static int is_table(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "NBFT", 4);
}

static int nbft_show(struct command *cmd)
{
	const struct nbft_show_args *args = cmd->args;
	struct dirent **tables = NULL;
	struct out *out = cmd->out;
	int status = 0, n;

	/* The library reports a malformed table through the root's log. */
	if (!command_root(cmd))
		return 1;
	n = scandir(args->path, &tables, is_table, alphasort);
	if (n < 0)
		return command_fail(cmd, errno, "Failed to read %s", args->path);
	out_array(out, NULL);
	for (int i = 0; i < n; i++) {
		_cleanup_(free) char *path = text_format("%s/%s", args->path, tables[i]->d_name);

		if (!path)
			status = command_fail(cmd, ENOMEM, "Failed to read %s", args->path);
		else if (show_table(cmd, path))
			status = 1;
		free(tables[i]);
	}
	free(tables);
	if (n <= 0)
		out_text(out, "No NBFT in %s: the firmware did not boot over a fabric\n",
			 out_safe(out, args->path));
	out_end(out);
	return status;
}

COMMAND(nbft_show_command, "show", "Show the NVMe Boot Firmware Tables",
	OPTIONS(OPT_FLAG("subsystem", 's', struct nbft_show_args, subsystem, "show the subsystems"),
		OPT_FLAG("hfi", 'H', struct nbft_show_args, hfi, "show the host fabric interfaces"),
		OPT_FLAG("discovery", 'd', struct nbft_show_args, discovery,
			 "show the discovery controllers"),
		OPT(STR, "nbft-path", 0, struct nbft_show_args, path, "DIR",
		    "directory of the tables NBFT*"),
		OPT_FORMAT, OPT_VERBOSE),
	.args_size = sizeof(struct nbft_show_args),
	.defaults = &(const struct nbft_show_args){ .path = NBFT_TABLES },
	.formats = OUT_TEXT | OUT_JSON, .run = nbft_show);
