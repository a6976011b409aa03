// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * connect-all --nbft: the connections that the firmware booted from, as its NVMe Boot Firmware
 * Table describes them (NVM Express Boot Specification 1.0).
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "discovery.h"

DEFINE_CLEANUP(struct nbft_info *, nvme_nbft_free);
DEFINE_CLEANUP(struct nvme_fabrics_uri *, nvme_free_uri);

/* The table has the host that the target permits; the command line precedes it. */
static nvme_host_t table_host(struct discovery *d, const struct discover_args *args,
			      const struct nbft_info *nbft)
{
	const char *hostnqn = args->fabrics.hostnqn, *hostid = args->fabrics.hostid;
	char uuid[NVME_UUID_LEN_STRING];

	if (!hostnqn && nbft->host.nqn && *nbft->host.nqn)
		hostnqn = nbft->host.nqn;
	if (!hostid && nbft->host.id && !nvme_uuid_to_string(nbft->host.id, uuid))
		hostid = uuid;
	if (!hostnqn)
		return d->host;
	return nvme_lookup_host(d->cmd->root, hostnqn, hostid);
}

static void report(struct discovery *d, const struct fabrics_args *fabrics, const char *device,
		   const char *result)
{
	struct out *out = d->cmd->out;

	if (device)
		out_text(out, "device: %s\n", out_safe(out, device));
	out_object(out, NULL);
	out_str(out, "transport", fabrics->transport);
	out_str(out, "traddr", fabrics->traddr);
	out_str(out, "trsvcid", fabrics->trsvcid);
	out_str(out, "subnqn", fabrics->nqn);
	out_str(out, "device", device);
	out_str(out, "result", result);
	out_end(out);
}

/* 0 or the errno of the attempt; *reason is kept until the next one. */
static int connect_once(struct discovery *d, const struct fabrics_args *fabrics,
			const char **reason)
{
	nvme_ctrl_t c;
	int err;

	*reason = NULL;
	c = fabrics_create_ctrl(d->cmd, fabrics, fabrics->nqn);
	if (!c)
		return errno;
	err = nvmf_add_ctrl(d->host, c, NULL) ? errno : 0;
	if (!err) {
		report(d, fabrics, nvme_ctrl_get_name(c), "connected");
		hint_later(d->cmd, d->fresh, c);
		return 0;
	}
	nvme_free_ctrl(c);
	*reason = nvmf_host_get_connect_error(d->host);
	return err;
}

/* One namespace's subsystem through one of the host's interfaces. */
static int connect_through(struct discovery *d, const struct discover_args *args,
			   const struct nbft_info_subsystem_ns *ns, const struct nbft_info_hfi *hfi)
{
	struct fabrics_args fabrics = args->fabrics;
	const char *reason, *meaning;
	int err;

	fabrics.transport = ns->transport;
	fabrics.traddr = ns->traddr;
	fabrics.trsvcid = ns->trsvcid;
	fabrics.nqn = ns->subsys_nqn;
	fabrics.options.cfg.hdr_digest |= ns->pdu_header_digest_required;
	fabrics.options.cfg.data_digest |= ns->data_digest_required;
	if (!fabrics.host_traddr && *hfi->tcp_info.ipaddr &&
	    nvmf_transport_has(fabrics.transport, NVMF_TRANSPORT_HOST_TRADDR))
		fabrics.host_traddr = hfi->tcp_info.ipaddr;
	if (fabrics_check(d->cmd, &fabrics))
		return 1;
	err = connect_once(d, &fabrics, &reason);
	/* DHCP may have given the interface another address since. */
	if (err == ENVME_CONNECT_ADDRNOTAVAIL && *hfi->tcp_info.dhcp_server_ipaddr) {
		fabrics.host_traddr = NULL;
		err = connect_once(d, &fabrics, &reason);
	}
	if (!err || err == ENVME_CONNECT_ALREADY || err == ENVME_CONNECT_IGNORED)
		return 0;
	meaning = fabrics_error_meaning(err, reason);
	report(d, &fabrics, NULL, reason ? reason : meaning);
	if (!ns->unavailable)
		command_warn(d->cmd, 0, "SSNS %d: no controller found: %s%s%s", ns->index,
			     meaning ? meaning : "", meaning && reason ? ": " : "",
			     reason ? reason : "");
	return !ns->unavailable;
}

static int connect_namespaces(struct discovery *d, const struct discover_args *args,
			      const struct nbft_info *nbft)
{
	int status = 0;

	for (struct nbft_info_subsystem_ns **ns = nbft->subsystem_ns_list; ns && *ns; ns++) {
		if (!(*ns)->subsys_nqn || fabrics_is_well_known_nqn((*ns)->subsys_nqn))
			continue;
		for (int i = 0; i < (*ns)->num_hfis; i++)
			if (connect_through(d, args, *ns, (*ns)->hfis[i]))
				status = 1;
	}
	return status;
}

static bool is_referenced(const struct nbft_info *nbft, const struct nbft_info_discovery *dc)
{
	for (struct nbft_info_subsystem_ns **ns = nbft->subsystem_ns_list; ns && *ns; ns++)
		if ((*ns)->discovery == dc)
			return true;
	return false;
}

/* "nvme+tcp://192.168.1.20:8009/" */
static int discover_uri(struct discovery *d, const struct discover_args *args,
			const struct nbft_info_discovery *dc)
{
	_cleanup_(nvme_free_uri) struct nvme_fabrics_uri *uri = nvme_parse_uri(dc->uri);
	struct discover_args one = *args;
	char port[16];

	if (!uri || strcmp(uri->scheme, "nvme") || !uri->protocol ||
	    !nvmf_transport_has(uri->protocol, NVMF_TRANSPORT_IP))
		return command_fail(d->cmd, 0, "Discovery Descriptor %d: cannot use URI '%s'",
				    dc->index, dc->uri);
	snprintf(port, sizeof(port), "%d", uri->port);
	one.fabrics.transport = uri->protocol;
	one.fabrics.traddr = uri->host;
	one.fabrics.trsvcid = uri->port ? port : NULL;
	one.fabrics.nqn = dc->nqn && *dc->nqn ? dc->nqn : NULL;
	if (!one.fabrics.host_traddr && dc->hfi && *dc->hfi->tcp_info.ipaddr)
		one.fabrics.host_traddr = dc->hfi->tcp_info.ipaddr;
	return fabrics_check(d->cmd, &one.fabrics) || discovery_run_one(d, &one);
}

/* Discovery controllers that led to no namespace of the table are asked anew. */
static int discover_descriptors(struct discovery *d, const struct discover_args *args,
				const struct nbft_info *nbft)
{
	int status = 0;

	for (struct nbft_info_discovery **dc = nbft->discovery_list; dc && *dc; dc++)
		if ((*dc)->uri && !is_referenced(nbft, *dc) && discover_uri(d, args, *dc))
			status = 1;
	return status;
}

static int connect_table(struct discovery *d, const struct discover_args *args, const char *path)
{
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;
	struct discovery own = *d;
	int status;

	if (nvme_nbft_read(&nbft, path))
		return command_fail(d->cmd, errno, "Failed to read %s", path);
	own.host = table_host(d, args, nbft);
	if (!own.host)
		return command_fail(d->cmd, errno, "Failed to use the host of %s", path);
	if (own.host != d->host &&
	    fabrics_apply_mptcp(d->cmd, (const nvme_host_t[]){ own.host, NULL }))
		return 1;
	status = connect_namespaces(&own, args, nbft);
	if (discover_descriptors(&own, args, nbft))
		status = 1;
	d->visited = own.visited;
	d->n_visited = own.n_visited;
	return status;
}

static int is_table(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "NBFT", 4);
}

int nbft_connect(struct discovery *d, const struct discover_args *args)
{
	struct dirent **tables;
	int status = 0, n = scandir(args->nbft_path, &tables, is_table, alphasort);

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return command_fail(d->cmd, errno, "Failed to read %s", args->nbft_path);
	for (int i = 0; i < n; i++) {
		_cleanup_(free) char *path = NULL;

		if (asprintf(&path, "%s/%s", args->nbft_path, tables[i]->d_name) < 0) {
			path = NULL;
			status = command_fail(d->cmd, ENOMEM, "Failed to read %s", args->nbft_path);
		} else if (connect_table(d, args, path)) {
			status = 1;
		}
		free(tables[i]);
	}
	free(tables);
	return status;
}
