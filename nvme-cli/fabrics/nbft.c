// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * connect-all --nbft: the connections that the firmware booted from, as its NVMe Boot Firmware
 * Table describes them (NVM Express Boot Specification 1.0).
 */
#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "discovery.h"

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

/* One namespace's subsystem through one of the host's interfaces. */
struct nbft_item {
	struct queue_item item;
	struct discovery *d;
	nvme_host_t host;
	struct fabrics_args args;
	const struct nbft_info_subsystem_ns *ns;
	const struct nbft_info_hfi *hfi;
};

static void report(const struct nbft_item *boot, const char *device, const char *result)
{
	queue_report(boot->d->queue, &(const struct queue_row){
					     .transport = boot->args.transport,
					     .traddr = boot->args.traddr,
					     .trsvcid = boot->args.trsvcid,
					     .subnqn = boot->args.nqn,
					     .device = device,
					     .result = result,
					     .brief = true,
				     });
}

/* 0 or the errno of the attempt; *reason is kept until the next one. */
static int connect_once(const struct nbft_item *boot, const char **reason)
{
	struct discovery *d = boot->d;
	nvme_ctrl_t c;
	int err;

	*reason = NULL;
	c = fabrics_create_ctrl(d->cmd, &boot->args, boot->args.nqn);
	if (!c)
		return errno;
	err = fabrics_add_ctrl(d->cmd, boot->host, c) ? errno : 0;
	if (!err) {
		report(boot, nvme_ctrl_get_name(c), "connected");
		hint_later(d->cmd, d->fresh, c);
		return 0;
	}
	nvme_free_ctrl(c);
	*reason = nvmf_host_get_connect_error(boot->host);
	return err;
}

/* What the firmware did not reach either is no failure. */
static int fail(const struct nbft_item *boot, int err, const char *reason)
{
	const char *meaning = err ? fabrics_error_meaning(err, reason) : NULL;

	report(boot, NULL, reason ? reason : meaning);
	if (!boot->ns->unavailable)
		command_warn(boot->d->cmd, 0, "SSNS %d: no controller found: %s%s%s",
			     boot->ns->index, meaning ? meaning : "", meaning && reason ? ": " : "",
			     reason ? reason : "");
	return !boot->ns->unavailable;
}

static int run(struct queue *queue, struct queue_item *item)
{
	struct nbft_item *boot = (struct nbft_item *)item;
	const char *reason;
	int err = connect_once(boot, &reason);

	/* DHCP may have given the interface another address since. */
	if (err == ENVME_CONNECT_ADDRNOTAVAIL && *boot->hfi->tcp_info.dhcp_server_ipaddr) {
		boot->args.host_traddr = NULL;
		err = connect_once(boot, &reason);
	}
	if (!err || err == ENVME_CONNECT_ALREADY || err == ENVME_CONNECT_IGNORED)
		return 0;
	return fail(boot, err, reason);
}

static int skip(struct queue *queue, struct queue_item *item)
{
	return fail((struct nbft_item *)item, 0, QUEUE_SKIPPED);
}

static int queue_boot(struct nbft_item *boot)
{
	const struct fabrics_args *args = &boot->args;

	boot->item.run = run;
	boot->item.skip = skip;
	queue_add(boot->d->queue, &boot->item,
		  &(const struct portal_address){
			  .transport = args->transport,
			  .traddr = args->traddr,
			  .trsvcid = args->trsvcid,
			  .host_traddr = args->host_traddr,
			  .host_iface = args->host_iface,
		  });
	return 0;
}

static int connect_through(struct discovery *d, nvme_host_t host, const struct discover_args *args,
			   const struct nbft_info_subsystem_ns *ns, const struct nbft_info_hfi *hfi)
{
	_cleanup_(free) struct nbft_item *boot = calloc(1, sizeof(*boot));
	struct fabrics_args *fabrics;

	if (!boot)
		return command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
	*boot = (struct nbft_item){
		.d = d, .host = host, .args = args->fabrics, .ns = ns, .hfi = hfi
	};
	fabrics = &boot->args;
	fabrics->transport = ns->transport;
	fabrics->traddr = ns->traddr;
	fabrics->trsvcid = ns->trsvcid;
	fabrics->nqn = ns->subsys_nqn;
	fabrics->options.cfg.hdr_digest |= ns->pdu_header_digest_required;
	fabrics->options.cfg.data_digest |= ns->data_digest_required;
	if (!fabrics->host_traddr && *hfi->tcp_info.ipaddr &&
	    nvmf_transport_has(fabrics->transport, NVMF_TRANSPORT_HOST_TRADDR))
		fabrics->host_traddr = hfi->tcp_info.ipaddr;
	if (fabrics_check(d->cmd, fabrics))
		return 1;
	queue_boot(boot);
	boot = NULL;
	return 0;
}

static int connect_namespaces(struct discovery *d, nvme_host_t host,
			      const struct discover_args *args, const struct nbft_info *nbft)
{
	int status = 0;

	for (struct nbft_info_subsystem_ns **ns = nbft->subsystem_ns_list; ns && *ns; ns++) {
		if (!(*ns)->subsys_nqn || fabrics_is_well_known_nqn((*ns)->subsys_nqn))
			continue;
		for (int i = 0; i < (*ns)->num_hfis; i++)
			if (connect_through(d, host, args, *ns, (*ns)->hfis[i]))
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
static int discover_uri(struct discovery *d, nvme_host_t host, const struct discover_args *args,
			const struct nbft_info_discovery *dc)
{
	_cleanup_(nvme_free_uri) struct nvme_fabrics_uri *uri = nvme_parse_uri(dc->uri);
	struct fabrics_args *own;
	struct source *source;

	if (!uri || strcmp(uri->scheme, "nvme") || !uri->protocol ||
	    !nvmf_transport_has(uri->protocol, NVMF_TRANSPORT_IP))
		return command_fail(d->cmd, 0, "Discovery Descriptor %d: cannot use URI '%s'",
				    dc->index, dc->uri);
	source = source_new(d, host, args);
	if (!source)
		return 1;
	/* The words of the URI, one behind the other. */
	if (asprintf(&source->text, "%s%c%s%c%d", uri->protocol, '\0', uri->host, '\0', uri->port) <
	    0) {
		source->text = NULL;
		source_unref(source);
		return command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
	}
	own = &source->args.fabrics;
	own->transport = source->text;
	own->traddr = own->transport + strlen(own->transport) + 1;
	own->trsvcid = uri->port ? own->traddr + strlen(own->traddr) + 1 : NULL;
	own->nqn = dc->nqn && *dc->nqn ? dc->nqn : NULL;
	if (!own->host_traddr && dc->hfi && *dc->hfi->tcp_info.ipaddr)
		own->host_traddr = dc->hfi->tcp_info.ipaddr;
	if (!fabrics_check(d->cmd, own))
		return discovery_add_source(source);
	source_unref(source);
	return 1;
}

/* Discovery controllers that led to no namespace of the table are asked anew. */
static int discover_descriptors(struct discovery *d, nvme_host_t host,
				const struct discover_args *args, const struct nbft_info *nbft)
{
	int status = 0;

	for (struct nbft_info_discovery **dc = nbft->discovery_list; dc && *dc; dc++)
		if ((*dc)->uri && !is_referenced(nbft, *dc) && discover_uri(d, host, args, *dc))
			status = 1;
	return status;
}

/* The table at @path, which lasts as long as @d. NULL after a message. */
static struct nbft_info *read_table(struct discovery *d, const char *path)
{
	struct nbft_info **tables =
		reallocarray(d->tables, d->n_tables + 1, sizeof(struct nbft_info *));

	if (!tables) {
		command_fail(d->cmd, ENOMEM, "Failed to read %s", path);
		return NULL;
	}
	d->tables = tables;
	if (nvme_nbft_read(&tables[d->n_tables], path)) {
		command_fail(d->cmd, errno, "Failed to read %s", path);
		return NULL;
	}
	return tables[d->n_tables++];
}

static int connect_table(struct discovery *d, const struct discover_args *args, const char *path)
{
	struct nbft_info *nbft = read_table(d, path);
	nvme_host_t host;
	int status;

	if (!nbft)
		return 1;
	host = table_host(d, args, nbft);
	if (!host)
		return command_fail(d->cmd, errno, "Failed to use the host of %s", path);
	if (host != d->host &&
	    fabrics_apply_mptcp(d->cmd, nvme_host_get_hostnqn(host), nvme_host_get_hostid(host)))
		return 1;
	status = connect_namespaces(d, host, args, nbft);
	if (discover_descriptors(d, host, args, nbft))
		status = 1;
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
