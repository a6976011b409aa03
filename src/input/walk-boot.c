/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connect what the firmware booted from: its NVMe Boot Firmware Table, Boot Specification 1.0. */
#include <dirent.h>

#include "walk-private.h"

DEFINE_CLEANUP(struct nvme_fabrics_uri *, nvme_free_uri);

/* Return the table's host, which the target permits; options of the command line override it. */
static nvme_host_t table_host(const struct walk *walk, const struct discover_args *args,
			      const struct nbft_info *nbft)
{
	const char *hostnqn = args->fabrics.hostnqn, *hostid = args->fabrics.hostid;
	char uuid[NVME_UUID_LEN_STRING];

	if (!hostnqn && nbft->host.nqn && *nbft->host.nqn)
		hostnqn = nbft->host.nqn;
	if (!hostid && nbft->host.id && !nvme_uuid_to_string(nbft->host.id, uuid))
		hostid = uuid;
	if (!hostnqn)
		return walk->host;
	return nvme_lookup_host(walk->setup.root, hostnqn, hostid);
}

/* A subsystem of a boot namespace, reached through one of the host's interfaces. */
struct boot_item {
	struct queue_item item;
	struct walk *walk;
	struct walk_step step;
	struct fabrics_args args;
	const struct nbft_info_subsystem_ns *ns;
	const struct nbft_info_hfi *hfi;
};

/* A table, its host, and the arguments of the walk. */
struct boot_table {
	struct walk *walk;
	const struct discover_args *args;
	struct nbft_info *nbft;
	const char *path;
	nvme_host_t host;
};

/* A controller that the firmware could not reach is not a failure. */
static int fail_boot(const struct boot_item *boot, int err, const char *reason)
{
	const char *meaning = walk_meaning(err, reason);
	struct walk_result result = {
		.end = WALK_FAILED,
		.err = err,
		.reason = reason,
		.optional = boot->ns->unavailable,
	};

	return walk_report(boot->walk, &boot->step, &result, "SSNS %d: no controller found: %s%s%s",
			   boot->ns->index, meaning ? meaning : "", meaning && reason ? ": " : "",
			   reason ? reason : "");
}

/* Return 0 or the errno of the attempt; *reason is valid until the next attempt. */
static int connect_once(const struct boot_item *boot, const char **reason, char **why)
{
	struct walk *walk = boot->walk;
	nvme_ctrl_t c;
	int err;

	*reason = NULL;
	c = input_create_ctrl(walk->setup.root, &boot->args, boot->args.nqn, why);
	if (!c) {
		err = errno;
		*reason = *why;
		return err;
	}
	if (walk_connect(walk, &boot->step, c, reason)) {
		WALK_DONE(walk, &boot->step, .end = WALK_CONNECTED, .c = c);
		return 0;
	}
	err = errno;
	if (walk->lost)
		return err;
	nvme_free_ctrl(c);
	*reason = nvmf_host_get_connect_error(boot->step.host);
	return err;
}

static int run_boot(struct queue *queue, struct queue_item *item)
{
	struct boot_item *boot = (struct boot_item *)item;
	_cleanup_(free) char *why = NULL, *again = NULL;
	const char *reason;
	int err;

	if (walk_is_abandoned(boot->walk, &boot->step))
		return 1;
	err = connect_once(boot, &reason, &why);
	/* DHCP may have assigned another address to the interface since boot. */
	if (err == ENVME_CONNECT_ADDRNOTAVAIL && *boot->hfi->tcp_info.dhcp_server_ipaddr) {
		boot->args.host_traddr = NULL;
		err = connect_once(boot, &reason, &again);
	}
	if (err == ENVME_CONNECT_ALREADY)
		return WALK_DONE(boot->walk, &boot->step, .end = WALK_ALREADY, .err = err);
	if (err == ENVME_CONNECT_IGNORED)
		return WALK_DONE(boot->walk, &boot->step, .end = WALK_SKIPPED, .err = err,
				 .reason = WALK_OTHERS);
	return err ? fail_boot(boot, err, reason) : 0;
}

static int refuse_boot(struct queue *queue, struct queue_item *item, const char *reason)
{
	return fail_boot((struct boot_item *)item, 0, reason);
}

static void queue_boot(struct boot_item *boot)
{
	const struct fabrics_args *args = &boot->args;

	boot->item.run = run_boot;
	boot->item.refuse = refuse_boot;
	queue_add(boot->walk->queue, &boot->item,
		  &(const struct portal_address){
			  .transport = args->transport,
			  .traddr = args->traddr,
			  .trsvcid = args->trsvcid,
			  .host_traddr = args->host_traddr,
			  .host_iface = args->host_iface,
		  });
}

static int check_boot(const struct walk *walk, const struct walk_step *step,
		      const struct fabrics_args *args)
{
	_cleanup_(free) char *why = NULL;
	const int err = input_check(args, &why);
	const struct walk_result result = {
		.end = WALK_FAILED,
		.err = -err,
		.reason = why,
		.text = why ? why : walk->setup.name,
	};

	return err ? walk_done(walk, step, &result) : 0;
}

static int connect_through(const struct boot_table *table, const struct nbft_info_subsystem_ns *ns,
			   const struct nbft_info_hfi *hfi)
{
	_cleanup_(free) struct boot_item *boot = calloc(1, sizeof(*boot));
	struct walk *walk = table->walk;
	struct fabrics_args *fabrics;

	if (!boot)
		return walk_no_memory(walk);
	*boot = (struct boot_item){
		.walk = walk, .args = table->args->fabrics, .ns = ns, .hfi = hfi
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
	boot->step = (struct walk_step){
		.kind = WALK_BOOT,
		.order = walk->n_steps++,
		.path = table->path,
		.transport = fabrics->transport,
		.traddr = fabrics->traddr,
		.trsvcid = fabrics->trsvcid,
		.subnqn = fabrics->nqn,
		.host = table->host,
	};
	if (check_boot(walk, &boot->step, fabrics))
		return 1;
	queue_boot(boot);
	boot = NULL;
	return 0;
}

static int connect_namespaces(const struct boot_table *table)
{
	int status = 0;

	for (struct nbft_info_subsystem_ns **ns = table->nbft->subsystem_ns_list; ns && *ns; ns++) {
		if (!(*ns)->subsys_nqn || input_is_well_known_nqn((*ns)->subsys_nqn))
			continue;
		for (int i = 0; i < (*ns)->num_hfis; i++)
			if (connect_through(table, *ns, (*ns)->hfis[i]))
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

/* Report a source that cannot be used; it is numbered like the others. Return: 1. */
static int fail_source(const struct boot_table *table, const char *subnqn, int err,
		       const char *reason, const char *text)
{
	struct walk *walk = table->walk;
	const struct walk_step step = {
		.kind = WALK_SOURCE,
		.order = walk->n_steps++,
		.source = ++walk->n_sources,
		.path = table->path,
		.subnqn = subnqn,
	};
	const struct walk_result result = {
		.end = WALK_FAILED, .err = err, .reason = reason, .text = text
	};

	return walk_done(walk, &step, &result);
}

/* Report a table, or the directory, that cannot be used. @how: "Failed to read". Return: 1. */
static int fail_table(const struct boot_table *table, int err, const char *how)
{
	const char *meaning = input_error_text(err);
	_cleanup_(free) char *reason = text_format("%s cannot be used: %s", table->path, meaning);
	_cleanup_(free) char *text = text_format("%s %s: %s", how, table->path, meaning);

	return fail_source(table, NULL, err, reason, text ? text : strerror(ENOMEM));
}

static int fail_uri(const struct boot_table *table, const struct nbft_info_discovery *dc)
{
	_cleanup_(free) char *text =
		text_format("Discovery Descriptor %d: cannot use URI '%s'", dc->index, dc->uri);

	return fail_source(table, dc->nqn ? dc->nqn : "", EINVAL, text,
			   text ? text : strerror(ENOMEM));
}

/* Read the log of a discovery controller given by a URI like "nvme+tcp://192.168.1.20:8009/". */
static int discover_uri(const struct boot_table *table, const struct nbft_info_discovery *dc)
{
	_cleanup_(nvme_free_uri) struct nvme_fabrics_uri *uri = nvme_parse_uri(dc->uri);
	struct fabrics_args *own;
	struct source *source;
	struct walk_step step;

	if (!uri || strcmp(uri->scheme, "nvme") || !uri->protocol ||
	    !nvmf_transport_has(uri->protocol, NVMF_TRANSPORT_IP))
		return fail_uri(table, dc);
	source = source_new(table->walk, table->host, table->args);
	if (!source)
		return 1;
	/* The parts of the URI, each ending with a NUL. */
	source->text = text_format("%s%c%s%c%d", uri->protocol, '\0', uri->host, '\0', uri->port);
	if (!source->text) {
		source_unref(source);
		return walk_no_memory(table->walk);
	}
	source->path = table->path;
	own = &source->args.fabrics;
	own->transport = source->text;
	own->traddr = own->transport + strlen(own->transport) + 1;
	own->trsvcid = uri->port ? own->traddr + strlen(own->traddr) + 1 : NULL;
	own->nqn = dc->nqn && *dc->nqn ? dc->nqn : NULL;
	if (!own->host_traddr && dc->hfi && *dc->hfi->tcp_info.ipaddr)
		own->host_traddr = dc->hfi->tcp_info.ipaddr;
	step = source_step(source);
	if (!check_boot(table->walk, &step, own))
		return source_add(source);
	source_unref(source);
	return 1;
}

/* Read the logs of discovery controllers that no namespace of the table refers to. */
static int discover_descriptors(const struct boot_table *table)
{
	int status = 0;

	for (struct nbft_info_discovery **dc = table->nbft->discovery_list; dc && *dc; dc++)
		if ((*dc)->uri && !is_referenced(table->nbft, *dc) && discover_uri(table, *dc))
			status = 1;
	return status;
}

/* Read the table. It and its path are valid as long as the walk. Return 0, or 1 after a message. */
static int read_table(struct boot_table *table)
{
	struct walk *walk = table->walk;
	struct nbft_info **tables =
		reallocarray(walk->tables, walk->n_tables + 1, sizeof(struct nbft_info *));

	if (!tables)
		return fail_table(table, ENOMEM, "Failed to read");
	walk->tables = tables;
	if (nvme_nbft_read(&tables[walk->n_tables], table->path))
		return fail_table(table, errno, "Failed to read");
	table->nbft = tables[walk->n_tables++];
	table->path = table->nbft->filename;
	return 0;
}

static int connect_table(struct walk *walk, const struct discover_args *args, const char *path)
{
	const struct walk_calls *calls = walk->setup.calls;
	struct boot_table table = { .walk = walk, .args = args, .path = path };
	int status;

	if (read_table(&table))
		return 1;
	table.host = table_host(walk, args, table.nbft);
	if (!table.host)
		return fail_table(&table, errno, "Failed to use the host of");
	if (table.host != walk->host && calls->prepare &&
	    calls->prepare(walk->setup.arg, table.path, table.host))
		return 1;
	status = connect_namespaces(&table);
	if (discover_descriptors(&table))
		status = 1;
	return status;
}

static int is_table(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "NBFT", 4);
}

int walk_boot(struct walk *walk, const struct discover_args *args)
{
	const struct boot_table directory = { .walk = walk, .path = args->nbft_path };
	struct dirent **tables;
	int status = 0, n = scandir(args->nbft_path, &tables, is_table, alphasort);

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return fail_table(&directory, errno, "Failed to read");
	for (int i = 0; i < n; i++) {
		_cleanup_(free) char *path =
			text_format("%s/%s", args->nbft_path, tables[i]->d_name);

		if (!path)
			status =
				walk_fail(walk, NULL, ENOMEM, "Failed to read %s", args->nbft_path);
		else if (connect_table(walk, args, path))
			status = 1;
		free(tables[i]);
	}
	free(tables);
	return status;
}
