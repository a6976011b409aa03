// SPDX-License-Identifier: LGPL-2.1-or-later
/* The keeper of a network namespace: what earlier ones made, and when a round is due. */
#include <net/if.h>

#include "base/pause.h"
#include "base/versioned.h"
#include "keep-state.h"
#include "keeper.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

/* Pause as a multiple of a round's CPU time, to use at most a fifth of a CPU; maximum in ms. */
#define REST_TIMES 4
#define MAX_REST_MS 5000
/* Interval of inspections, in ms: nothing reports changes of endpoints, limits and portals. */
#define INSPECT_MS 20000
/* Time for subflows to form after a plan was applied, in ms. */
#define JOIN_WAIT_MS 2500
/* Maximum number of plans that replace one because something was done at once meanwhile. */
#define MAX_ROUNDS 3

/* Remove the lock file that earlier versions left. */
static int remove_old_lock(const struct nvme_mptcp_keeper *k)
{
	_cleanup_(free) char *path = NULL;
	int err = memory_print(&path, "%s.lock", k->path);

	if (!err)
		unlink(path);
	return err;
}

static int start(struct nvme_mptcp_keeper *k, const struct nvme_mptcp_keeper_args *args,
		 pid_t *holder)
{
	const char *dir = args->state_dir ? args->state_dir : KEEP_DIR;
	uint64_t cookie = 0;
	int err = str_set(&k->netns, args->netns);

	if (!err && k->keeps) {
		err = plan_intent_directory(dir);
		if (err)
			failure_note(err, "%s, where keep notes what it made: %s", dir,
				     strerror(-err));
	}
	if (!err)
		err = k->ops->enter(k->netns, k->keeps ? &k->lock : NULL, holder, &cookie);
	if (err == -EBUSY)
		keep_lock_report_busy(k->netns, *holder);
	if (!err)
		err = memory_print(&k->path, "%s/netns-%" PRIu64, dir, cookie);
	if (!err && k->keeps)
		err = remove_old_lock(k);
	if (err)
		return err;
	err = keep_state_read(k->path, &k->own);
	/* A damaged file is ignored, and replaced by the next change. */
	if (!err || err == -ENOENT || err == -EBADMSG)
		return 0;
	return failure_note(err, "%s, where keep notes what it made: %s", k->path, strerror(-err));
}

int keeper_open(const struct nvme_mptcp_keeper_args *args, const struct keeper_ops *ops,
		nvme_mptcp_keeper_t *ret, pid_t *holder)
{
	struct nvme_mptcp_keeper_args known;
	struct nvme_mptcp_keeper *k = NULL;
	int err = versioned_take(&known, args);

	if (err)
		return err;
	k = calloc(1, sizeof(*k));
	if (!k)
		return memory_noted(-ENOMEM);
	k->ops = ops;
	k->clock = known.clock;
	k->clock_arg = known.clock_arg;
	k->keeps = holder;
	k->lock.fd = k->notices.epoll = -1;
	k->again = k->urgent = k->pulse.due = KEEP_NEVER;
	err = memory_noted(start(k, &known, holder));
	if (err) {
		nvme_mptcp_keeper_close(k);
		return err;
	}
	keep_debounce_note(&k->quiet, keeper_now(k) - KEEP_SETTLED_MS);
	*ret = k;
	return 0;
}

int nvme_mptcp_keeper_open(const struct nvme_mptcp_keeper_args *args, nvme_mptcp_keeper_t *ret,
			   pid_t *holder)
{
	int err;

	*holder = 0;
	err = keeper_open(args, &keeper_kernel_ops, ret, holder);
	return err ? failure_raise(err, "keeping endpoints") : 0;
}

int nvme_mptcp_keeper_look(const struct nvme_mptcp_keeper_args *args, nvme_mptcp_keeper_t *ret)
{
	int err = keeper_open(args, &keeper_kernel_ops, ret, NULL);

	return err ? failure_raise(err, "keeping endpoints") : 0;
}

void nvme_mptcp_keeper_close(nvme_mptcp_keeper_t k)
{
	if (!k)
		return;
	notice_close(&k->notices);
	keep_own_clear(&k->own);
	keep_rates_clear(&k->pulse.rates);
	nvme_mptcp_snapshot_free(k->snap);
	while (k->done)
		nvme_mptcp_plan_free(nvme_mptcp_keeper_done(k));
	idmap_free(k->tokens);
	if (k->totals)
		k->totals_free(k->totals);
	free(k->netns);
	free(k->path);
	keep_lock_release(&k->lock);
	free(k);
}

int nvme_mptcp_keeper_listen(nvme_mptcp_keeper_t k)
{
	int err;

	failure_begin();
	err = k->notices.epoll < 0 ? k->ops->listen(k->netns, &k->notices) : 0;
	if (err)
		return failure_raise(err, "keeping endpoints");
	k->inspect = keeper_now(k) + INSPECT_MS;
	return k->notices.epoll;
}

/* True if a link's notice is news: a round is pending, or it differs from the last round's. */
static bool is_news(const struct nvme_mptcp_keeper *k, const struct notice *n)
{
	const unsigned int flags = IFF_UP | IFF_LOWER_UP;
	const struct nvme_mptcp_link *link = link_by_index(k->snap, n->ifindex);

	if (k->quiet.since || !link || n->gone || !n->name)
		return true;
	return (link->flags & flags) != (n->flags & flags) || link->master != n->master ||
	       strcmp(link->name, n->name) != 0;
}

/* True if it is about a listener or our connections: other programs make thousands of theirs. */
static bool is_of_concern(const struct nvme_mptcp_keeper *k, const struct nvme_mptcp_event *ev)
{
	if (ev->type == NVME_MPTCP_EVENT_LISTENER_CREATED ||
	    ev->type == NVME_MPTCP_EVENT_LISTENER_CLOSED)
		return true;
	if (ev->token != NVME_MPTCP_UNKNOWN && idmap_get(k->tokens, (uint64_t)ev->token))
		return true;
	return (ev->has_remote && k->ports[ev->remote.port]) ||
	       (ev->has_local && k->ports[ev->local.port]);
}

/* Clear the pauses of endpoints on @ifindex (0: all), so that the next round retries. */
static void clear_backoff(struct nvme_mptcp_keeper *k, int ifindex)
{
	FOR_EACH(kept, k->own.endpoints, k->own.n_endpoints) {
		if (ifindex && kept->link && kept->link != ifindex)
			continue;
		kept->failures = 0;
		kept->not_before = 0;
	}
}

void keeper_handle_notice(const struct notice *n, void *arg)
{
	struct nvme_mptcp_keeper *k = arg;

	keeper_check_urgent(k, n);
	if (n->kind == NOTICE_LINK && k->snap && !is_news(k, n))
		return;
	if (n->kind == NOTICE_EVENT && k->snap && !is_of_concern(k, &n->event))
		return;
	if (n->kind != NOTICE_EVENT)
		clear_backoff(k, n->ifindex);
	else if (n->event.type == NVME_MPTCP_EVENT_ANNOUNCED)
		clear_backoff(k, 0);
	keep_debounce_note(&k->quiet, keeper_now(k));
}

static int inspect(struct nvme_mptcp_keeper *k)
{
	struct nvme_mptcp_snapshot *now = snapshot_new();
	int err = now ? k->ops->inspect(k->netns, now) : -ENOMEM;

	if (!err && (!k->snap || !keep_is_same_state(k->snap, now)))
		keep_debounce_note(&k->quiet, keeper_now(k));
	nvme_mptcp_snapshot_free(now);
	return err;
}

int nvme_mptcp_keeper_read(nvme_mptcp_keeper_t k)
{
	const int64_t now = keeper_now(k);
	int err;

	failure_begin();
	err = keeper_process_notices(k);
	keep_lock_answer(&k->lock);
	if (!err && k->notices.epoll >= 0 && now >= k->inspect && !k->quiet.since) {
		err = inspect(k);
		k->inspect = now + INSPECT_MS;
	}
	return memory_noted(err) ? failure_raise(err, "keeping endpoints") : 0;
}

void nvme_mptcp_keeper_forgive(nvme_mptcp_keeper_t k)
{
	keep_own_reset_conflicts(&k->own);
	clear_backoff(k, 0);
	k->failures = 0;
	k->again = KEEP_NEVER;
	keep_debounce_note(&k->quiet, keeper_now(k));
}

static int64_t round_due(const struct nvme_mptcp_keeper *k)
{
	const int64_t quiet = keep_debounce_due(&k->quiet);
	int64_t due = quiet < k->again ? quiet : k->again;

	/* After a failure, wait for the next attempt, whatever happens meanwhile. */
	if (k->failures && due < k->again)
		due = k->again;
	return due < k->rested ? k->rested : due;
}

int nvme_mptcp_keeper_wait(nvme_mptcp_keeper_t k)
{
	const int64_t round = round_due(k), now = keeper_now(k);
	int64_t due = round;

	if (round <= now)
		return 0;
	if (k->notices.epoll >= 0 && k->inspect < due)
		due = k->inspect;
	due = k->urgent < due ? k->urgent : due;
	due = k->pulse.due < due ? k->pulse.due : due;
	if (due == KEEP_NEVER)
		return -1;
	return due > now ? (int)(due - now) : 1;
}

static int look(struct nvme_mptcp_keeper *k)
{
	struct nvme_mptcp_snapshot *snap;
	int err = k->ops->take(k->netns, &snap);

	if (err)
		return err;
	nvme_mptcp_snapshot_free(k->snap);
	k->snap = snap;
	return 0;
}

static void put_token(struct idmap *tokens, const struct nvme_mptcp_set *set, int *err)
{
	for (const struct nvme_mptcp_connection *conn = set->first; conn && !*err;
	     conn = conn->next)
		if (conn->has_token)
			*err = idmap_put(tokens, conn->token, tokens);
}

/* Choose the connections and ports whose events are handled until the next round. */
static int choose_events(struct nvme_mptcp_keeper *k, enum nvme_mptcp_role role)
{
	const struct nvme_mptcp_snapshot *snap = k->snap;
	int err = 0;

	idmap_free(k->tokens);
	k->tokens = idmap_new(snap->n_connections);
	if (!k->tokens)
		return -ENOMEM;
	memset(k->ports, 0, sizeof(k->ports));
	for (size_t i = 0; i < snap->n_ctrls; i++) {
		if (snap->ctrls[i].has_portal)
			k->ports[snap->ctrls[i].portal.port] = true;
		put_token(k->tokens, &snap->ctrls[i].set, &err);
	}
	for (size_t i = 0; i < snap->n_shared; i++)
		put_token(k->tokens, &snap->shared[i].set, &err);
	if (role != NVME_MPTCP_ROLE_TARGET)
		return err;
	put_token(k->tokens, &snap->other, &err);
	for (const struct nvme_mptcp_connection *conn = snap->other.first; conn; conn = conn->next)
		k->ports[conn->local.port] = true;
	for (size_t i = 0; i < snap->n_listeners; i++)
		k->ports[snap->listeners[i].local.port] = true;
	return err;
}

/* Read the network and act: endpoints whose links are back are restored before they are missed. */
static int read_and_act(struct nvme_mptcp_keeper *k)
{
	int err = look(k);

	if (!err && k->keeps)
		err = choose_events(k, k->role);
	if (!err && k->keeps)
		err = keeper_act(k, k->snap);
	return err > 0 ? look(k) : err;
}

static int read_and_plan(struct nvme_mptcp_keeper *k, struct keep_round *r)
{
	const struct pause_service *before;
	struct pause_service service;
	int err = read_and_act(k);

	if (err)
		return err;
	r->now = keeper_now(k);
	r->snap = k->snap;
	k->known.may_ask = k->keeps;
	k->has_acted = false;
	keep_own_update(&k->own, k->snap, r->now);
	err = k->ops->learn(k->netns, k->snap, &k->known);
	before = pause_set_service(keeper_service(k, &service));
	if (!err)
		err = k->ops->plan(r);
	pause_set_service(before);
	return err;
}

static int plan(struct nvme_mptcp_keeper *k, const struct nvme_mptcp_keep_args *args,
		struct nvme_mptcp_plan **ret)
{
	struct keep_round r = {
		.args = args, .own = &k->own, .known = &k->known, .lock = &k->lock
	};
	int err = read_and_plan(k, &r);

	/* Plan again if something was done at once meanwhile, which the plan does not include. */
	for (int i = 0; !err && k->has_acted && i < MAX_ROUNDS; i++) {
		nvme_mptcp_plan_free(r.plan);
		err = read_and_plan(k, &r);
	}
	if (err)
		return err;
	err = choose_events(k, r.role);
	if (err) {
		nvme_mptcp_plan_free(r.plan);
		return err;
	}
	k->again = r.again;
	k->role = r.role;
	if (k->keeps)
		keep_poll_select(&k->pulse, k->snap, k->tokens, k->role, r.now);
	if (!r.plan->n_steps)
		k->failures = 0;
	*ret = r.plan;
	return 0;
}

static void fail_round(struct nvme_mptcp_keeper *k)
{
	k->again = keeper_now(k) + keep_retry_delay_ms(++k->failures);
}

int nvme_mptcp_keeper_plan(nvme_mptcp_keeper_t k, const struct nvme_mptcp_keep_args *args,
			   nvme_mptcp_plan_t *ret)
{
	const int64_t begin = k->ops->used();
	struct nvme_mptcp_keep_args known;
	int64_t took, now;
	int err = versioned_take(&known, args);

	k->quiet = (struct keep_debounce){};
	if (!err)
		err = plan(k, &known, ret);
	/* CPU time, not elapsed time: load of other programs does not slow keep down. */
	took = (k->ops->used() - begin) * REST_TIMES;
	now = keeper_now(k);
	k->rested = now + (took < MAX_REST_MS ? took : MAX_REST_MS);
	k->inspect = now + INSPECT_MS;
	if (!memory_noted(err))
		return 0;
	fail_round(k);
	return failure_raise(err, "keeping endpoints");
}

int nvme_mptcp_keeper_restore(nvme_mptcp_keeper_t k, nvme_mptcp_plan_t *ret)
{
	int err;

	failure_begin();
	err = look(k);
	if (!err)
		err = keep_plan_restore(k->snap, &k->own, ret);
	return memory_noted(err) ? failure_raise(err, "keeping endpoints") : 0;
}

/* True if the endpoint should be taken back but was left out, since a connection would end. */
static bool is_spared(const struct nvme_mptcp_keeper *k, const struct nvme_mptcp_plan *plan,
		      const struct keep_endpoint *kept)
{
	if (kept->adopted || kept->claim.contested ||
	    !keep_is_unmodified(keep_find_endpoint(k->snap, &kept->spec), kept))
		return false;
	FOR_EACH(step, plan->steps, plan->n_steps)
		if (step->action == STEP_DELETE && step->old.port == kept->spec.port &&
		    address_equal(&step->old.ip, &kept->spec.ip))
			return false;
	return true;
}

static void forget_all_but_spared(struct nvme_mptcp_keeper *k, const struct nvme_mptcp_plan *plan)
{
	for (size_t i = k->own.n_endpoints; i--;)
		if (!is_spared(k, plan, &k->own.endpoints[i]))
			keep_own_drop(&k->own, &k->own.endpoints[i]);
	memset(k->own.values, 0, sizeof(k->own.values));
	k->own.n_outs = 0;
}

/* Take back what keep made. What fails remains in the file for the next attempt. */
static int take_back(struct nvme_mptcp_keeper *k, struct nvme_mptcp_plan *plan)
{
	int err = k->ops->apply(plan), saved;

	if (!err)
		forget_all_but_spared(k, plan);
	saved = keep_state_write(k->path, &k->own);
	return err ? err : saved;
}

/* Apply a plan. Urgent actions run in its pauses, and end it early. */
static int follow(struct nvme_mptcp_keeper *k, struct nvme_mptcp_plan *plan)
{
	struct pause_service service;
	const struct pause_service *before = pause_set_service(keeper_service(k, &service));
	int err;

	k->applied = plan;
	err = k->ops->apply(plan);
	k->applied = NULL;
	pause_set_service(before);
	return err;
}

static int apply(struct nvme_mptcp_keeper *k, struct nvme_mptcp_plan *plan)
{
	struct keep_value before[KEEP_VALUES];
	int err, saved;

	if (plan->takes_back)
		return take_back(k, plan);
	memcpy(before, k->own.values, sizeof(before));
	err = keep_plan_record_intent(plan, &k->own);
	if (!err)
		err = keep_state_write(k->path, &k->own);
	if (!err)
		err = follow(k, plan);
	if (plan->limit_max)
		k->known.limit_max = plan->limit_max;
	keep_plan_record_result(plan, &k->own, before, keeper_now(k));
	saved = keep_state_write(k->path, &k->own);
	return err ? err : saved;
}

int nvme_mptcp_keeper_apply(nvme_mptcp_keeper_t k, nvme_mptcp_plan_t plan)
{
	int err;

	failure_begin();
	err = k->keeps ? apply(k, plan)
		       : failure_note(-EPERM, "this keeper was opened read-only and changes "
					      "nothing");
	if (err) {
		fail_round(k);
	} else {
		k->failures = 0;
		if (plan->n_steps)
			k->again = keeper_now(k) + JOIN_WAIT_MS;
	}
	return memory_noted(err) ? failure_raise(err, "keeping endpoints") : 0;
}

GETTER(nvme_mptcp_snapshot_t, nvme_mptcp_keeper_snapshot, nvme_mptcp_keeper_t, snap);
GETTER(const char *, nvme_mptcp_keeper_file, nvme_mptcp_keeper_t, path);

const char *nvme_mptcp_keeper_out(nvme_mptcp_keeper_t k, size_t i)
{
	return keep_outage_link(&k->own, k->snap, i);
}

bool nvme_mptcp_keeper_slow(nvme_mptcp_keeper_t k, size_t i)
{
	const struct keep_outage *out = keep_outage_at(&k->own, i);

	return out && out->is_slow;
}
