/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that are read and written: the configuration, the tree as JSON, boot tables. */
#include <stdlib.h>

#include "objects.h"

static void show_file(const char *of, const char *path)
{
	FILE *file = fopen(path, "re");
	char line[4096];

	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		objects_text("line", of, line);
	}
	if (file)
		fclose(file);
}

static void show_config(const char *path)
{
	nvme_root_t r = nvme_create_root(NULL, -1);
	nvme_ctrl_t c;

	RESULT("config", nvme_read_config(r, path));
	for (nvme_host_t h = nvme_first_host(r); h; h = nvme_next_host(r, h)) {
		TEXT("config", nvme_host_get_hostnqn(h));
		TEXT("config", nvme_host_get_hostid(h));
		TEXT("config", nvme_host_get_hostsymname(h));
		for (nvme_subsystem_t s = nvme_first_subsystem(h); s;
		     s = nvme_next_subsystem(h, s)) {
			TEXT("config", nvme_subsystem_get_nqn(s));
			TEXT("config", nvme_subsystem_get_application(s));
			for (c = nvme_subsystem_first_ctrl(s); c;
			     c = nvme_subsystem_next_ctrl(s, c)) {
				TEXT("config", nvme_ctrl_get_traddr(c));
				TEXT("config", nvme_ctrl_get_trsvcid(c));
				NUMBER("config", nvme_ctrl_get_config(c)->nr_io_queues);
				NUMBER("config", nvme_ctrl_get_config(c)->queue_size);
				NUMBER("config", nvme_ctrl_get_config(c)->data_digest);
			}
		}
	}
	c = nvme_subsystem_first_ctrl(nvme_first_subsystem(nvme_first_host(r)));
	nvme_ctrl_set_persistent(c, true);
	nvme_lookup_ctrl(nvme_ctrl_get_subsystem(c), "rdma", "10.1.1.40", NULL, NULL, "4420", NULL);
	RESULT("config", nvme_dump_config(r));
	puts("");
	RESULT("config", nvme_update_config(r));
	show_file("updated", path);
	nvme_free_tree(r);
	r = nvme_create_root(NULL, -1);
	RESULT("none", nvme_read_config(r, "/nonexistent/config.json"));
	nvme_free_tree(r);
}

static void show_tree_dump(const char *path)
{
	FILE *file = fopen(path, "w+e");
	nvme_root_t r = nvme_create_root(file, LOG_ERR);

	RESULT("", nvme_scan_topology(r, NULL, NULL));
	RESULT("", nvme_dump_tree(r));
	fflush(file);
	show_file("tree", path);
	nvme_free_tree(r);
	fclose(file);
}

static void show_hfi(const struct nbft_info_hfi *hfi)
{
	const struct nbft_info_hfi_info_tcp *tcp = &hfi->tcp_info;
	char of[16];

	snprintf(of, sizeof(of), "hfi %d", hfi->index);
	TEXT(of, hfi->transport);
	NUMBER(of, tcp->pci_sbdf);
	BYTES(of, tcp->mac_addr, sizeof(tcp->mac_addr));
	NUMBER(of, tcp->vlan);
	NUMBER(of, tcp->ip_origin);
	TEXT(of, tcp->ipaddr);
	NUMBER(of, tcp->subnet_mask_prefix);
	TEXT(of, tcp->gateway_ipaddr);
	NUMBER(of, tcp->route_metric);
	TEXT(of, tcp->primary_dns_ipaddr);
	TEXT(of, tcp->secondary_dns_ipaddr);
	TEXT(of, tcp->dhcp_server_ipaddr);
	TEXT(of, tcp->host_name);
	NUMBER(of, tcp->this_hfi_is_default_route);
	NUMBER(of, tcp->dhcp_override);
}

static void show_nbft(const char *path)
{
	struct nbft_info *nbft = NULL;

	RESULT(path, nvme_nbft_read(&nbft, path));
	if (!nbft)
		return;
	TEXT("nbft", nbft->host.nqn);
	BYTES("nbft", nbft->host.id, 16);
	NUMBER("nbft", nbft->host.host_id_configured);
	NUMBER("nbft", nbft->host.host_nqn_configured);
	NUMBER("nbft", nbft->host.primary);
	for (struct nbft_info_hfi **hfi = nbft->hfi_list; hfi && *hfi; hfi++)
		show_hfi(*hfi);
	for (struct nbft_info_discovery **d = nbft->discovery_list; d && *d; d++) {
		TEXT("discovery", (*d)->uri);
		TEXT("discovery", (*d)->nqn);
		NUMBER("discovery", (*d)->hfi ? (*d)->hfi->index : -1);
	}
	for (struct nbft_info_subsystem_ns **s = nbft->subsystem_ns_list; s && *s; s++) {
		TEXT("ns", (*s)->transport);
		TEXT("ns", (*s)->traddr);
		TEXT("ns", (*s)->trsvcid);
		TEXT("ns", (*s)->subsys_nqn);
		NUMBER("ns", (*s)->subsys_port_id);
		NUMBER("ns", (*s)->nsid);
		NUMBER("ns", (*s)->nid_type);
		NUMBER("ns", (*s)->num_hfis);
		NUMBER("ns", (*s)->pdu_header_digest_required);
		NUMBER("ns", (*s)->data_digest_required);
		NUMBER("ns", (*s)->controller_id);
		NUMBER("ns", (*s)->asqsz);
		TEXT("ns", (*s)->dhcp_root_path_string);
	}
	nvme_nbft_free(nbft);
}

void objects_config(void)
{
	show_nbft("NBFT");
	show_nbft("NBFT-static");
	show_nbft("NBFT-dhcp");
	show_tree_dump("tree.json");
	show_config("config.json");
}
