// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme connect-all: connects the subsystems of discovery logs, and follows their referrals. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "discovery.h"

#define MAX_DEPTH 8 /* of referrals */
#define MAX_REFERRALS 256 /* in one run */

/* An entry of a log. */
struct entry_item {
	struct queue_item item;
	struct source *source;
	struct nvmf_disc_log_entry *e;
};

static int connect_entries(struct source *source);

static void report(struct source *source, const struct nvmf_disc_log_entry *e, nvme_ctrl_t c,
		   const char *result)
{
	queue_report(source->d->queue, &(const struct queue_row){
					       .transport = nvmf_trtype_str(e->trtype),
					       .traddr = e->traddr,
					       .trsvcid = e->trsvcid,
					       .subnqn = e->subnqn,
					       .device = c ? nvme_ctrl_get_name(c) : NULL,
					       .result = result,
				       });
}

/* The controller that an entry leads to, by whatever name it is connected. */
static nvme_ctrl_t find_connected(const struct source *source, const struct nvmf_disc_log_entry *e)
{
	const struct fabrics_args *args = &source->args.fabrics;
	const bool referral = e->subtype == NVME_NQN_DISC;
	nvme_root_t root = source->d->cmd->root;
	struct muted muted = input_mute(root);
	nvme_ctrl_t described, c;

	described = nvme_create_ctrl(root, e->subnqn, nvmf_trtype_str(e->trtype),
				     *e->traddr ? e->traddr : NULL, args->host_traddr,
				     args->host_iface, *e->trsvcid ? e->trsvcid : NULL);
	input_unmute(&muted);
	if (!described)
		return NULL;
	nvme_ctrl_set_discovery_ctrl(described, referral);
	c = nvmf_find_connected(source->host, described);
	nvme_free_ctrl(described);
	return c && (!referral || nvme_ctrl_is_discovery_ctrl(c)) ? c : NULL;
}

/* Does the discovery controller stay connected? For one with an NQN of its own, its record decides. */
static bool is_kept(const struct source *source, const struct nvmf_disc_log_entry *e)
{
	return fabrics_is_well_known_nqn(e->subnqn) ? source->args.persistent
						    : le16toh(e->eflags) & NVMF_DISC_EFLAGS_EPCSD;
}

/* Reads the log of discovery controller @c that @e refers to. */
static int follow(struct source *source, const struct nvmf_disc_log_entry *e, nvme_ctrl_t c,
		  bool ends)
{
	struct source *next = source_of_referral(source);
	int status;

	if (!next)
		return 1;
	status = source_read(next, c, ends);
	return source_unref(next) | status;
}

static int fail_entry(struct source *source, const struct nvmf_disc_log_entry *e, int err,
		      const char *reason)
{
	const char *meaning = err ? fabrics_error_meaning(err, reason) : NULL;

	report(source, e, NULL, reason ? reason : meaning);
	command_warn(source->d->cmd, 0,
		     "failed to connect to nqn=%s,transport=%s,traddr=%s,trsvcid=%s: %s%s%s",
		     e->subnqn, nvmf_trtype_str(e->trtype), e->traddr, e->trsvcid,
		     meaning ? meaning : "", meaning && reason ? ": " : "", reason ? reason : "");
	return 1;
}

static int connect_entry(struct source *source, struct nvmf_disc_log_entry *e, bool referral)
{
	const struct fabrics_args *args = &source->args.fabrics;
	struct nvmf_options options = input_options(args);
	struct discovery *d = source->d;
	bool is_discovery = false;
	nvme_ctrl_t c;
	int err;

	if (referral)
		options.cfg.keep_alive_tmo = discovery_keep_alive(args, is_kept(source, e));
	errno = 0;
	c = fabrics_add_entry(d->cmd, source->host, e, &options, &is_discovery);
	err = errno;
	if (c) {
		report(source, e, c, "connected");
		if (is_discovery)
			return follow(source, e, c, !is_kept(source, e));
		hint_later(d->cmd, d->fresh, c);
		return 0;
	}
	if (err == EAGAIN || err == ENVME_CONNECT_IGNORED)
		return 0;
	if (err != ENVME_CONNECT_ALREADY)
		return fail_entry(source, e, err == ENVME_CONNECT_TRADDR ? 0 : err,
				  nvmf_host_get_connect_error(source->host));
	report(source, e, NULL, "already connected");
	if (!d->cmd->common.quiet)
		command_warn(d->cmd, 0,
			     "already connected to hostnqn=%s,nqn=%s,transport=%s,traddr=%s,"
			     "trsvcid=%s",
			     nvme_host_get_hostnqn(source->host), e->subnqn,
			     nvmf_trtype_str(e->trtype), e->traddr, e->trsvcid);
	return 0;
}

/* May the log behind a referral be read? 1; 0 if it was already; -1 after a message. */
static int check_referral(struct source *source, const struct nvmf_disc_log_entry *e)
{
	struct discovery *d = source->d;
	const char *why = NULL;
	int new = 0;

	if (source->depth >= MAX_DEPTH)
		why = "too many referrals in a row";
	else if (d->n_referrals >= MAX_REFERRALS)
		why = "too many referrals";
	else
		new = discovery_visit(d, "%u %s %s %s", e->trtype, e->traddr, e->trsvcid,
				      e->subnqn);
	if (new < 0)
		why = "out of memory";
	d->n_referrals += new > 0;
	if (!why)
		return new;
	report(source, e, NULL, why);
	command_warn(d->cmd, 0, "not following the referral to %s:%s: %s (number %zu, %u in a row)",
		     e->traddr, e->trsvcid, why, d->n_referrals + 1, source->depth + 1);
	return -1;
}

static bool is_same_transport(const struct source *source, const struct nvmf_disc_log_entry *e)
{
	return !strcmp(nvmf_trtype_str(e->trtype), nvme_ctrl_get_transport(source->c));
}

static int skip_entry(struct source *source, const struct nvmf_disc_log_entry *e, const char *why)
{
	report(source, e, NULL, why);
	return 0;
}

/* One that is connected is read all the same: there may be more behind it than there was. */
static int handle_referral(struct source *source, struct nvmf_disc_log_entry *e)
{
	nvme_ctrl_t there;
	int ret;

	if (le16toh(e->eflags) & NVMF_DISC_EFLAGS_DUPRETINFO)
		return skip_entry(source, e, "skipped: returns the same information");
	ret = check_referral(source, e);
	if (ret <= 0)
		return ret < 0;
	there = find_connected(source, e);
	if (!there && !is_same_transport(source, e))
		return skip_entry(source, e, "skipped: another transport");
	if (!there)
		return connect_entry(source, e, true);
	report(source, e, there, "already connected");
	if (discovery_is_visited(source->d, nvme_ctrl_get_name(there)))
		return 0;
	return follow(source, e, there, false);
}

static int handle_entry(struct source *source, struct nvmf_disc_log_entry *e)
{
	nvme_ctrl_t there;

	if (e->subtype == NVME_NQN_DISC)
		return handle_referral(source, e);
	there = find_connected(source, e);
	if (there) {
		report(source, e, there, "already connected");
		return 0;
	}
	if (!is_same_transport(source, e))
		return skip_entry(source, e, "skipped: another transport");
	return connect_entry(source, e, false);
}

static int run(struct queue *queue, struct queue_item *item)
{
	struct entry_item *queued = (struct entry_item *)item;
	char *secret;
	int status;

	source_enter(queued->source, &secret);
	status = handle_entry(queued->source, queued->e);
	source_leave(queued->source, secret);
	return source_unref(queued->source) | status;
}

static int skip(struct queue *queue, struct queue_item *item)
{
	struct entry_item *queued = (struct entry_item *)item;

	fail_entry(queued->source, queued->e, 0, QUEUE_SKIPPED);
	source_unref(queued->source);
	return 1;
}

static int add_entry(struct source *source, struct nvmf_disc_log_entry *e)
{
	const struct fabrics_args *args = &source->args.fabrics;
	const struct portal_address address = {
		.transport = nvmf_trtype_str(e->trtype),
		.traddr = e->traddr,
		.trsvcid = e->trsvcid,
		.host_traddr = args->host_traddr,
		.host_iface = args->host_iface,
		.discovery = e->subtype == NVME_NQN_DISC,
	};
	struct entry_item *queued = calloc(1, sizeof(*queued));

	if (!queued)
		return command_fail(source->d->cmd, ENOMEM, "%s", source->d->cmd->name);
	queued->source = source_ref(source);
	queued->e = e;
	queued->item.place = source_place(source);
	queued->item.run = run;
	queued->item.skip = skip;
	queue_add(source->d->queue, &queued->item, &address);
	return 0;
}

static int connect_entries(struct source *source)
{
	size_t numrec = le64toh(source->log->numrec);

	for (size_t i = 0; i < numrec; i++)
		if (source->log->entries[i].subtype != NVME_NQN_CURR &&
		    add_entry(source, &source->log->entries[i]))
			return 1;
	return 0;
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
