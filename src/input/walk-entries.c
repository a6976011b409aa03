/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handle the entries of discovery logs: connect subsystems and follow referrals. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "walk-private.h"

#define MAX_DEPTH 8 /* referrals in a row */
#define MAX_REFERRALS 256 /* referrals in one run */

/* A queued log entry. */
struct entry_item {
	struct queue_item item;
	struct source *source;
	struct walk_step step;
};

static int end_entry(const struct source *source, const struct walk_step *step, enum walk_end how,
		     nvme_ctrl_t c, const char *reason)
{
	return WALK_DONE(source->walk, step, .end = how, .c = c, .reason = reason);
}

/* Return the connected controller that an entry leads to, whatever its name. */
static nvme_ctrl_t find_connected(const struct source *source, const struct walk_step *step)
{
	const struct fabrics_args *args = &source->args.fabrics;
	const bool referral = step->kind == WALK_REFERRAL;
	nvme_root_t root = source->walk->setup.root;
	struct muted muted = input_mute(root);
	nvme_ctrl_t described, c;

	described = nvme_create_ctrl(root, step->subnqn, step->transport,
				     *step->traddr ? step->traddr : NULL, args->host_traddr,
				     args->host_iface, *step->trsvcid ? step->trsvcid : NULL);
	input_unmute(&muted);
	if (!described)
		return NULL;
	nvme_ctrl_set_discovery_ctrl(described, referral);
	c = nvmf_find_connected(source->host, described);
	nvme_free_ctrl(described);
	return c && (!referral || nvme_ctrl_is_discovery_ctrl(c)) ? c : NULL;
}

/* True if it stays connected. If it has an NQN of its own, flag EPCSD of its entry decides. */
static bool is_kept(const struct source *source, const struct nvmf_disc_log_entry *e)
{
	return input_is_well_known_nqn(e->subnqn) ? source->args.persistent
						  : le16toh(e->eflags) & NVMF_DISC_EFLAGS_EPCSD;
}

static int follow_referral(struct source *source, const struct walk_step *step, nvme_ctrl_t c,
			   bool ends)
{
	struct source *next = source_of_referral(source);
	int status;

	if (!next)
		return 1;
	status = source_read(next, step, c, ends);
	return source_unref(next) | status;
}

static int fail_entry(const struct source *source, const struct walk_step *step, int err,
		      const char *reason)
{
	/* The library's sentence about an address is complete without the meaning of the code. */
	const char *meaning = walk_meaning(err == ENVME_CONNECT_TRADDR ? 0 : err, reason);
	struct walk_result result = { .end = WALK_FAILED, .err = err, .reason = reason };

	return walk_report(source->walk, step, &result,
			   "failed to connect to nqn=%s,transport=%s,traddr=%s,trsvcid=%s: %s%s%s",
			   step->subnqn, step->transport, step->traddr, step->trsvcid,
			   meaning ? meaning : "", meaning && reason ? ": " : "",
			   reason ? reason : "");
}

/* The kernel reports it as connected, although find_connected() did not find it. */
static int end_already(const struct source *source, const struct walk_step *step)
{
	struct walk_result result = { .end = WALK_ALREADY, .err = ENVME_CONNECT_ALREADY };

	return walk_report(
		source->walk, step, &result,
		"already connected to hostnqn=%s,nqn=%s,transport=%s,traddr=%s,trsvcid=%s",
		nvme_host_get_hostnqn(source->host), step->subnqn, step->transport, step->traddr,
		step->trsvcid);
}

static int connect_listed(struct source *source, const struct walk_step *step)
{
	const struct fabrics_args *args = &source->args.fabrics;
	struct nvmf_options options = input_options(args);
	bool is_discovery = false, kept = true;
	const char *reason;
	nvme_ctrl_t c;
	int err;

	if (step->kind == WALK_REFERRAL) {
		kept = is_kept(source, step->entry);
		options.cfg.keep_alive_tmo = walk_keep_alive(args, kept);
	}
	c = walk_connect_entry(source->walk, step, &options, &is_discovery, &reason);
	err = errno;
	if (c) {
		if (is_discovery)
			kept = is_kept(source, step->entry);
		WALK_DONE(source->walk, step, .end = WALK_CONNECTED, .c = c,
			  .ends = is_discovery && !kept);
		return is_discovery ? follow_referral(source, step, c, !kept) : 0;
	}
	if (err == EAGAIN || err == ENVME_CONNECT_IGNORED)
		return WALK_DONE(source->walk, step, .end = WALK_SKIPPED, .err = err,
				 .reason = WALK_OTHERS);
	return err == ENVME_CONNECT_ALREADY ? end_already(source, step)
					    : fail_entry(source, step, err, reason);
}

/* Return 1 if the referral is new, 0 if not, or -errno. */
static int visit_referral(const struct source *source, const struct walk_step *step)
{
	char number[16];

	if (nvmf_transport_is_known(step->transport))
		return walk_visit(source->walk, "%s %s %s %s", step->transport, step->traddr,
				  step->trsvcid, step->subnqn);
	snprintf(number, sizeof(number), "%u", step->entry->trtype);
	return walk_visit(source->walk, "%s %s %s %s", number, step->traddr, step->trsvcid,
			  step->subnqn);
}

/* Return 1 if a referral is to be followed, 0 if it was followed before, -1 after a message. */
static int check_referral(struct source *source, const struct walk_step *step)
{
	struct walk *walk = source->walk;
	struct walk_result result = { .end = WALK_FAILED, .err = ELOOP };
	int new = 0;

	if (source->depth >= MAX_DEPTH)
		result.reason = "too many referrals in a row";
	else if (walk->n_referrals >= MAX_REFERRALS)
		result.reason = "too many referrals";
	else
		new = visit_referral(source, step);
	if (new < 0) {
		result.reason = "out of memory";
		result.err = ENOMEM;
	}
	walk->n_referrals += new > 0;
	if (!result.reason)
		return new;
	walk_report(walk, step, &result,
		    "not following the referral to %s:%s: %s (number %zu, %u in a row)",
		    step->traddr, step->trsvcid, result.reason, walk->n_referrals + 1,
		    source->depth + 1);
	return -1;
}

/* If a relay carries the source, its entries may have its transport or the requested one. */
static bool has_other_transport(const struct source *source, const struct walk_step *step)
{
	const char *asked = source->args.fabrics.transport;

	return strcmp(step->transport, source->transport) != 0 &&
	       (!asked || strcmp(step->transport, asked) != 0);
}

/* Read the log even if the discovery controller is connected: it may have new entries. */
static int handle_referral(struct source *source, const struct walk_step *step)
{
	nvme_ctrl_t there;
	int ret;

	if (walk_is_abandoned(source->walk, step))
		return 1;
	if (le16toh(step->entry->eflags) & NVMF_DISC_EFLAGS_DUPRETINFO)
		return end_entry(source, step, WALK_SKIPPED, NULL,
				 "skipped: returns the same information");
	ret = check_referral(source, step);
	if (ret <= 0)
		return ret < 0;
	there = find_connected(source, step);
	if (!there && has_other_transport(source, step))
		return end_entry(source, step, WALK_SKIPPED, NULL, WALK_OTHER_TRANSPORT);
	if (!there)
		return connect_listed(source, step);
	end_entry(source, step, WALK_ALREADY, there, NULL);
	if (walk_is_visited(source->walk, nvme_ctrl_get_name(there)))
		return 0;
	return follow_referral(source, step, there, false);
}

/* True if there is nothing to connect; that result is reported. */
static bool is_settled(const struct source *source, const struct walk_step *step)
{
	nvme_ctrl_t there = find_connected(source, step);

	if (there)
		end_entry(source, step, WALK_ALREADY, there, NULL);
	else if (has_other_transport(source, step))
		end_entry(source, step, WALK_SKIPPED, NULL, WALK_OTHER_TRANSPORT);
	else
		return false;
	return true;
}

static int handle_entry(struct source *source, const struct walk_step *step)
{
	if (step->kind == WALK_REFERRAL)
		return handle_referral(source, step);
	return is_settled(source, step) ? 0 : connect_listed(source, step);
}

static int run_entry(struct queue *queue, struct queue_item *item)
{
	struct entry_item *queued = (struct entry_item *)item;
	struct source *source = queued->source;
	char *secret;
	int status;

	if (walk_is_abandoned(source->walk, &queued->step))
		return source_unref(source) | 1;
	source_apply_secret(source, &secret);
	status = handle_entry(source, &queued->step);
	source_restore_secret(source, secret);
	return source_unref(source) | status;
}

/* A silent portal is not a failure if the entry need not be connected. */
static int refuse_entry(struct queue *queue, struct queue_item *item, const char *reason)
{
	struct entry_item *queued = (struct entry_item *)item;
	struct source *source = queued->source;
	int status = 0;

	if (walk_is_abandoned(source->walk, &queued->step))
		status = 1;
	else if (!source->walk->setup.silence_timeout || !is_settled(source, &queued->step))
		status = fail_entry(source, &queued->step, 0, reason);
	return source_unref(source) | status;
}

static int add_entry(struct source *source, const struct walk_step *step)
{
	const struct fabrics_args *args = &source->args.fabrics;
	const struct portal_address address = {
		.transport = step->transport,
		.traddr = step->traddr,
		.trsvcid = step->trsvcid,
		.host_traddr = args->host_traddr,
		.host_iface = args->host_iface,
		.discovery = step->kind == WALK_REFERRAL,
	};
	struct entry_item *queued = calloc(1, sizeof(*queued));

	if (!queued)
		return walk_no_memory(source->walk);
	queued->source = source_ref(source);
	queued->step = *step;
	queued->item.place = step->place;
	queued->item.run = run_entry;
	queued->item.refuse = refuse_entry;
	queue_add(source->walk->queue, &queued->item, &address);
	return 0;
}

/* If all logs are read first, follow a referral before the entries after it. */
static int use_first(struct source *source, const struct walk_step *step)
{
	const struct walk_setup *setup = &source->walk->setup;

	if (step->kind == WALK_REFERRAL && !setup->no_referrals)
		return handle_entry(source, step);
	if (step->entry->subtype == NVME_NQN_NVME && setup->connects)
		return add_entry(source, step);
	return 0;
}

static bool is_link_local(const char *address)
{
	struct in6_addr in6;

	return inet_pton(AF_INET6, address, &in6) == 1 && IN6_IS_ADDR_LINKLOCAL(&in6);
}

void walk_add_zone(struct nvmf_discovery_log *log, const char *traddr)
{
	const size_t numrec = le64toh(log->numrec);
	const char *zone = traddr ? strchr(traddr, '%') : NULL;

	for (size_t i = 0; zone && i < numrec; i++) {
		char *address = log->entries[i].traddr;
		const size_t length = strlen(address);

		if (is_link_local(address))
			snprintf(address + length, sizeof(log->entries[i].traddr) - length, "%s",
				 zone);
	}
}

int walk_entries(struct source *source, const struct walk_step *origin)
{
	const struct walk_setup *setup = &source->walk->setup;
	const size_t numrec = le64toh(source->log->numrec);
	int status = 0;

	for (size_t i = 0; i < numrec; i++) {
		const struct walk_step step =
			source_make_entry_step(source, &source->log->entries[i]);

		if (setup->calls->found)
			setup->calls->found(setup->arg, &step);
		if (setup->logs_first)
			status |= use_first(source, &step);
		else if (step.entry->subtype != NVME_NQN_CURR && add_entry(source, &step))
			return 1;
	}
	return status;
}
