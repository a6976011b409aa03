// SPDX-License-Identifier: LGPL-2.1-or-later
/* Immediate actions of the keeper: between rounds, in their pauses, and when it ends. */
#include <net/if.h>

#include "base/pause.h"
#include "keeper.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

/* Pause before the network is read again after a failure, in ms. */
#define GLANCE_RETRY_MS 2500

int64_t keeper_now(const struct nvme_mptcp_keeper *k)
{
	struct timespec now;

	if (k->clock)
		return k->clock(k->clock_arg);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* True if a subflow of the last snapshot or an endpoint, even out of use, is on this interface. */
static bool is_concerned(const struct nvme_mptcp_snapshot *snap, const struct keep_own *own,
			 int ifindex)
{
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].link && snap->subflows[i].link->ifindex == ifindex)
			return true;
	for (size_t i = 0; i < snap->n_endpoints; i++) {
		const struct nvme_mptcp_link *link = endpoint_carrier(&snap->endpoints[i]);

		if (link && link->ifindex == ifindex)
			return true;
	}
	for (size_t i = 0; i < own->n_outs; i++)
		if (own->outs[i].how != KEEP_OUTAGE_OVER &&
		    (!own->outs[i].spec.ifindex || own->outs[i].spec.ifindex == ifindex))
			return true;
	return false;
}

/* A link or an address came or went, or notices were lost: read the network. */
void keeper_check_urgent(struct nvme_mptcp_keeper *k, const struct notice *n)
{
	const unsigned int flags = IFF_UP | IFF_LOWER_UP;
	const bool is_lost = n->gone || (n->kind == NOTICE_LINK && (n->flags & flags) != flags);

	if (n->kind != NOTICE_LINK && n->kind != NOTICE_ADDRESS && n->kind != NOTICE_LOST)
		return;
	if (!k->keeps || !k->snap || (n->ifindex && !is_concerned(k->snap, &k->own, n->ifindex)))
		return;
	if (is_lost)
		keep_fast_note_link_loss(&k->own, n->ifindex);
	k->urgent = keeper_now(k);
}

static struct keep_fast fast_of(struct nvme_mptcp_keeper *k, struct nvme_mptcp_snapshot *snap)
{
	return (struct keep_fast){ .snap = snap,
				   .own = &k->own,
				   .tokens = k->tokens,
				   .rates = &k->pulse.rates,
				   .role = k->role,
				   .now = keeper_now(k) };
}

/* Apply the plan and queue it for nvme_mptcp_keeper_done(). 1 if there was any, 0, or -ENOMEM. */
static int apply_fast(struct nvme_mptcp_keeper *k, struct keep_fast *f, int err)
{
	struct nvme_mptcp_plan **last = &k->done;

	if (err || !f->plan->n_steps) {
		nvme_mptcp_plan_free(f->plan);
		return err;
	}
	k->has_acted = true;
	if (k->applied)
		k->applied->is_stale = true;
	err = keep_fast_apply(f, k->path, k->ops->act);
	while (*last)
		last = &(*last)->next;
	*last = f->plan;
	return err ? err : 1;
}

int keeper_act(struct nvme_mptcp_keeper *k, struct nvme_mptcp_snapshot *snap)
{
	struct keep_fast f = fast_of(k, snap);
	int err = keep_fast_plan(&f);

	k->urgent = err ? f.now : f.due;
	return apply_fast(k, &f, err);
}

static int take_fast(struct nvme_mptcp_keeper *k)
{
	struct nvme_mptcp_snapshot *snap;
	int err = k->ops->take_fast(k->netns, &snap);

	/* The next round reports what cannot be read. */
	if (err) {
		k->urgent = keeper_now(k) + GLANCE_RETRY_MS;
		return err == -ENOMEM ? err : 0;
	}
	err = keeper_act(k, snap);
	nvme_mptcp_snapshot_free(snap);
	if (err > 0)
		keep_debounce_note(&k->quiet, keeper_now(k));
	return err < 0 ? err : 0;
}

int keeper_process_notices(struct nvme_mptcp_keeper *k)
{
	const int64_t now = keeper_now(k);
	bool trouble = false;
	int err = k->notices.epoll < 0 ? 0
				       : k->ops->read_notices(&k->notices, keeper_handle_notice, k);

	if (!err)
		err = keep_poll_run(&k->pulse, k->tokens, k->ops->sample_subflows, k->netns, now,
				    &trouble);
	if (!err && k->keeps && (trouble || now >= k->urgent))
		err = take_fast(k);
	return err;
}

/* The next nvme_mptcp_keeper_read() retries and reports what fails here. */
static void serve(void *arg, int ms)
{
	struct nvme_mptcp_keeper *k = arg;
	struct pollfd heard = { .fd = k->notices.epoll, .events = POLLIN };
	const int64_t now = keeper_now(k);
	int64_t due = k->urgent < k->pulse.due ? k->urgent : k->pulse.due;

	due = due < now ? 0 : due - now;
	poll(&heard, 1, due < ms ? (int)due : ms);
	if (keeper_process_notices(k))
		k->urgent = keeper_now(k);
}

const struct pause_service *keeper_service(struct nvme_mptcp_keeper *k, struct pause_service *room)
{
	*room = (struct pause_service){ serve, k };
	return k->notices.epoll < 0 || !k->keeps ? NULL : room;
}

nvme_mptcp_plan_t nvme_mptcp_keeper_done(nvme_mptcp_keeper_t k)
{
	nvme_mptcp_plan_t done = k->done;

	if (done)
		k->done = done->next;
	return done;
}

static int end(struct nvme_mptcp_keeper *k)
{
	struct nvme_mptcp_snapshot *snap;
	struct keep_fast f;
	int err;

	if (!k->keeps || !keep_outage_link(&k->own, NULL, 0))
		return 0;
	err = k->ops->take_fast(k->netns, &snap);
	if (err)
		return err;
	f = fast_of(k, snap);
	err = apply_fast(k, &f, keep_fast_end(&f));
	nvme_mptcp_snapshot_free(snap);
	return err < 0 ? err : 0;
}

int nvme_mptcp_keeper_end(nvme_mptcp_keeper_t k)
{
	int err;

	failure_begin();
	err = end(k);
	return memory_noted(err) ? failure_raise(err, "putting endpoints of dead links back") : 0;
}
