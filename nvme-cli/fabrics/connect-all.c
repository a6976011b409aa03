// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme connect-all: connects the subsystems of discovery logs, and follows their referrals. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "discovery.h"
#include "portal.h"

#define MAX_DEPTH 8 /* of referrals */
#define MAX_REFERRALS 256 /* in one run */

static int connect_entries(struct discovery *d, const struct discover_args *args, nvme_ctrl_t c,
			   struct nvmf_discovery_log *log);

/* The result of one entry: a line under -v, an object in JSON. */
static void report(struct discovery *d, const struct nvmf_disc_log_entry *e, nvme_ctrl_t c,
		   const char *result)
{
	const char *device = c ? nvme_ctrl_get_name(c) : NULL;
	const char *transport = nvmf_trtype_str(e->trtype);
	struct out *out = d->cmd->out;

	if (d->cmd->common.verbose)
		out_text(out, "%s: %s %s:%s %s: %s\n", device ? device : "-", transport,
			 out_safe(out, e->traddr), out_safe(out, e->trsvcid),
			 out_safe(out, e->subnqn), out_safe(out, result));
	out_object(out, NULL);
	out_str(out, "transport", transport);
	out_str(out, "traddr", e->traddr);
	out_str(out, "trsvcid", e->trsvcid);
	out_str(out, "subnqn", e->subnqn);
	out_str(out, "device", device);
	out_str(out, "result", result);
	out_end(out);
}

/* The controller that the entry leads to, if it is there already. */
static nvme_ctrl_t find_connected(struct discovery *d, const struct discover_args *args,
				  const struct nvmf_disc_log_entry *e)
{
	nvme_subsystem_t s = nvme_lookup_subsystem(d->host, NULL, e->subnqn);
	nvme_ctrl_t c;

	if (!s)
		return NULL;
	c = nvme_ctrl_find(s, nvmf_trtype_str(e->trtype), *e->traddr ? e->traddr : NULL,
			   *e->trsvcid ? e->trsvcid : NULL, e->subnqn, args->fabrics.host_traddr,
			   args->fabrics.host_iface);
	return c && nvme_ctrl_get_name(c) ? c : NULL;
}

/* Remembers a referral's portal. Returns 1 if it is new, 0 if not, or -errno. */
static int visit(struct discovery *d, const struct nvmf_disc_log_entry *e)
{
	_cleanup_(free) char *portal = NULL;
	char **visited;

	if (asprintf(&portal, "%u %s %s %s", e->trtype, e->traddr, e->trsvcid, e->subnqn) < 0) {
		portal = NULL;
		return -ENOMEM;
	}
	for (size_t i = 0; i < d->n_visited; i++)
		if (!strcmp(d->visited[i], portal))
			return 0;
	if (d->n_visited == MAX_REFERRALS)
		return -E2BIG;
	visited = reallocarray(d->visited, d->n_visited + 1, sizeof(*visited));
	if (!visited)
		return -ENOMEM;
	d->visited = visited;
	visited[d->n_visited++] = portal;
	portal = NULL;
	return 1;
}

/* Does the discovery controller stay connected? For one with an NQN of its own, its record decides. */
static bool is_kept(const struct discover_args *args, const struct nvmf_disc_log_entry *e)
{
	return fabrics_is_well_known_nqn(e->subnqn) ? args->persistent
						    : le16toh(e->eflags) & NVMF_DISC_EFLAGS_EPCSD;
}

static int follow(struct discovery *d, const struct discover_args *args, nvme_ctrl_t c,
		  const struct nvmf_disc_log_entry *e)
{
	_cleanup_(free) struct nvmf_discovery_log *log = discovery_read_log(d->cmd, c);
	int status = 1;

	if (log) {
		d->depth++;
		status = connect_entries(d, args, c, log);
		d->depth--;
	}
	if (is_kept(args, e))
		return status;
	if (nvme_disconnect_ctrl(c))
		return command_fail(d->cmd, errno,
				    "failed to disconnect the discovery controller at %s",
				    e->traddr);
	nvme_free_ctrl(c);
	return status;
}

static int connect_entry(struct discovery *d, const struct discover_args *args,
			 struct nvmf_disc_log_entry *e, bool referral)
{
	struct nvmf_options options = fabrics_options(&args->fabrics);
	const char *reason, *meaning;
	bool is_discovery = false;
	nvme_ctrl_t c;
	int err;

	if (referral)
		options.cfg.keep_alive_tmo = discovery_keep_alive(&args->fabrics, is_kept(args, e));
	errno = 0;
	c = nvmf_connect_entry(d->host, e, &options, &is_discovery);
	err = errno;
	if (c) {
		report(d, e, c, "connected");
		if (!is_discovery)
			hint_later(d->cmd, d->fresh, c);
		return is_discovery ? follow(d, args, c, e) : 0;
	}
	if (err == EAGAIN || err == ENVME_CONNECT_IGNORED)
		return 0;
	if (err == ENVME_CONNECT_ALREADY) {
		report(d, e, NULL, "already connected");
		if (!d->cmd->common.quiet)
			command_warn(
				d->cmd, 0,
				"already connected to hostnqn=%s,nqn=%s,transport=%s,traddr=%s,"
				"trsvcid=%s",
				nvme_host_get_hostnqn(d->host), e->subnqn,
				nvmf_trtype_str(e->trtype), e->traddr, e->trsvcid);
		return 0;
	}
	reason = nvmf_host_get_connect_error(d->host);
	meaning = fabrics_error_meaning(err, reason);
	report(d, e, NULL, reason ? reason : meaning);
	command_warn(d->cmd, 0,
		     "failed to connect to nqn=%s,transport=%s,traddr=%s,trsvcid=%s: %s%s%s",
		     e->subnqn, nvmf_trtype_str(e->trtype), e->traddr, e->trsvcid,
		     meaning ? meaning : "", meaning && reason ? ": " : "", reason ? reason : "");
	return 1;
}

static int handle_entry(struct discovery *d, const struct discover_args *args, nvme_ctrl_t parent,
			struct nvmf_disc_log_entry *e)
{
	bool referral = e->subtype == NVME_NQN_DISC || e->subtype == NVME_NQN_CURR;
	nvme_ctrl_t there;
	int ret;

	if (e->subtype == NVME_NQN_CURR)
		return 0;
	there = find_connected(d, args, e);
	if (there) {
		report(d, e, there, "already connected");
		return 0;
	}
	if (strcmp(nvmf_trtype_str(e->trtype), nvme_ctrl_get_transport(parent))) {
		report(d, e, NULL, "skipped: another transport");
		return 0;
	}
	if (!referral)
		return connect_entry(d, args, e, false);
	if (le16toh(e->eflags) & NVMF_DISC_EFLAGS_DUPRETINFO) {
		report(d, e, NULL, "skipped: returns the same information");
		return 0;
	}
	if (d->depth >= MAX_DEPTH) {
		report(d, e, NULL, "skipped: too many referrals in a row");
		command_warn(d->cmd, 0,
			     "not following the referral to %s:%s: it is number %d in a row",
			     e->traddr, e->trsvcid, MAX_DEPTH + 1);
		return 1;
	}
	ret = visit(d, e);
	if (ret < 0) {
		report(d, e, NULL, "skipped: too many referrals");
		command_warn(d->cmd, ret, "not following the referral to %s:%s", e->traddr,
			     e->trsvcid);
		return 1;
	}
	return ret ? connect_entry(d, args, e, true) : 0;
}

static int connect_entries(struct discovery *d, const struct discover_args *args, nvme_ctrl_t c,
			   struct nvmf_discovery_log *log)
{
	_cleanup_(free) size_t *order = portal_order(args, log);
	size_t numrec = le64toh(log->numrec);
	int status = 0;

	if (!order)
		return command_fail(d->cmd, ENOMEM, "connect-all");
	for (size_t i = 0; i < numrec; i++)
		if (handle_entry(d, args, c, &log->entries[order[i]]))
			status = 1;
	return status;
}

static int connect_all(struct command *cmd)
{
	int status;

	out_array(cmd->out, NULL);
	status = discovery_run(cmd, connect_entries, true);
	out_end(cmd->out);
	return status;
}

const struct command_spec connect_all_command = {
	.name = "connect-all",
	.summary = "Connect to every subsystem of the discovery logs",
	.description = "Connect to every subsystem in the log of the discovery controller at an "
		       "address, or of\nthose in config.json and discovery.conf below /etc/nvme",
	.options = discovery_options,
	.args_size = sizeof(struct discover_args),
	.defaults = &(const struct discover_args)DISCOVER_DEFAULTS,
	.formats = OUT_TEXT | OUT_JSON,
	.run = connect_all,
};
