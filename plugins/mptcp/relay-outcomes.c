// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last result of connecting for each portal of a relay. The data threads record it; the main
 * thread writes it to the log, on which they must not wait.
 */
#include <pthread.h>
#include <sys/eventfd.h>

#include "relay.h"

/* Maximum number of portals whose last result is remembered. */
#define MAX_RELAY_PORTALS 1024
/* Time for which a portal without MPTCP has shorter attempts over MPTCP, in ms. */
#define PLAIN_MS 60000

struct outcome {
	char portal[56], peer[56];
	int err;
	int reported; /* last errno reported; refusals by limits are reported separately */
	bool is_news;
	int64_t plain_until; /* ms of CLOCK_MONOTONIC */
};

struct relay_outcomes {
	pthread_mutex_t lock;
	int news;
	size_t n;
	struct outcome list[MAX_RELAY_PORTALS];
};

struct relay_outcomes *relay_outcomes_new(void)
{
	struct relay_outcomes *outcomes = calloc(1, sizeof(*outcomes));

	if (!outcomes)
		return NULL;
	outcomes->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (outcomes->news < 0) {
		free(outcomes);
		return NULL;
	}
	pthread_mutex_init(&outcomes->lock, NULL);
	return outcomes;
}

void relay_outcomes_free(struct relay_outcomes *outcomes)
{
	if (!outcomes)
		return;
	close(outcomes->news);
	pthread_mutex_destroy(&outcomes->lock);
	free(outcomes);
}

/* Return the portal's outcome, a new one if needed and @adds, or NULL. */
static struct outcome *find_outcome(struct relay_outcomes *outcomes, const char *portal, bool adds)
{
	for (size_t i = 0; i < outcomes->n; i++)
		if (!strcmp(outcomes->list[i].portal, portal))
			return &outcomes->list[i];
	if (!adds || outcomes->n == MAX_RELAY_PORTALS)
		return NULL;
	memcpy(outcomes->list[outcomes->n].portal, portal, sizeof(outcomes->list[0].portal));
	return &outcomes->list[outcomes->n++];
}

static void set_outcome(struct relay_outcomes *outcomes, const char *portal, const char *peer,
			int err, bool is_limit)
{
	const uint64_t one = 1;
	struct outcome *found;
	bool is_news = false;

	pthread_mutex_lock(&outcomes->lock);
	found = find_outcome(outcomes, portal, true);
	if (found) {
		is_news = !is_limit && found->reported != err;
		found->is_news |= is_news;
		found->err = err;
		if (!is_limit)
			found->reported = err;
		memcpy(found->peer, peer, sizeof(found->peer));
	}
	if (found && !err)
		found->plain_until = 0;
	else if (found && err == EPROTONOSUPPORT && found->plain_until < keep_clock_ms())
		found->plain_until = keep_clock_ms() + PLAIN_MS;
	pthread_mutex_unlock(&outcomes->lock);
	if (is_news)
		(void)!write(outcomes->news, &one, sizeof(one));
}

void relay_outcomes_note(struct relay_outcomes *outcomes, const char *portal, const char *peer,
			 int err)
{
	set_outcome(outcomes, portal, peer, err, false);
}

void relay_outcomes_refused(struct relay_outcomes *outcomes, const char *portal, const char *peer,
			    int err)
{
	set_outcome(outcomes, portal, peer, err, true);
}

bool relay_outcomes_is_plain(struct relay_outcomes *outcomes, const char *portal)
{
	const struct outcome *found;
	bool is_plain;

	pthread_mutex_lock(&outcomes->lock);
	found = find_outcome(outcomes, portal, false);
	is_plain = found && keep_clock_ms() < found->plain_until;
	pthread_mutex_unlock(&outcomes->lock);
	return is_plain;
}

int relay_outcomes_list(struct relay_outcomes *outcomes, struct nvme_mptcp_relay_result **ret,
			size_t *n)
{
	struct nvme_mptcp_relay_result *list;

	pthread_mutex_lock(&outcomes->lock);
	list = calloc(outcomes->n + 1, sizeof(*list));
	for (size_t i = 0; list && i < outcomes->n; i++) {
		list[i].err = outcomes->list[i].err;
		memcpy(list[i].portal, outcomes->list[i].portal, sizeof(list[i].portal));
		memcpy(list[i].peer, outcomes->list[i].peer, sizeof(list[i].peer));
	}
	*n = list ? outcomes->n : 0;
	pthread_mutex_unlock(&outcomes->lock);
	*ret = list;
	return list ? 0 : -ENOMEM;
}

int relay_outcomes_fd(const struct relay_outcomes *outcomes)
{
	return outcomes->news;
}

static const char *advice(int err)
{
	switch (err) {
	case ECONNREFUSED:
		return " (is a port of nvmet enabled there?)";
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case ENETUNREACH:
		return " (is the target up, and is there a route?)";
	case EADDRNOTAVAIL:
		return " (the source address of the connection no longer exists)";
	default:
		return "";
	}
}

const char *relay_outcome_text(int err)
{
	return err == EPROTONOSUPPORT
		       ? "plain TCP over one link: SYNs with the MPTCP option get no reply"
		       : strerror(err);
}

/* Name the command that finds where SYNs are dropped. */
static int report_plain(const struct outcome *outcome, struct keep_log *log)
{
	const bool is_v6 = outcome->portal[0] == '[';
	const char *address = outcome->portal + is_v6, *port = strrchr(address, ':');

	return keep_log_text(
		log, KEEP_WARNING, "failure",
		"%s for %s: %s (" NVME_COMMAND
		" mptcp check --traddr %.*s --trsvcid %s finds where they are dropped)",
		outcome->portal, outcome->peer, relay_outcome_text(EPROTONOSUPPORT),
		port ? (int)(port - address) - is_v6 : 0, address, port ? port + 1 : "");
}

static int report_outcome(const struct outcome *outcome, struct keep_log *log)
{
	if (!outcome->reported)
		return keep_log_text(log, KEEP_INFO, "status", "%s answers again", outcome->portal);
	if (outcome->reported == EPROTONOSUPPORT)
		return report_plain(outcome, log);
	return keep_log_text(log, KEEP_WARNING, "failure", "%s for %s: %s%s", outcome->portal,
			     outcome->peer, relay_outcome_text(outcome->reported),
			     advice(outcome->reported));
}

int relay_outcomes_report(struct relay_outcomes *outcomes, struct keep_log *log)
{
	uint64_t n;
	int status = 0;

	if (read(outcomes->news, &n, sizeof(n)) != sizeof(n))
		return 0;
	for (size_t i = 0; !status; i++) {
		struct outcome outcome;

		pthread_mutex_lock(&outcomes->lock);
		if (i >= outcomes->n) {
			pthread_mutex_unlock(&outcomes->lock);
			break;
		}
		outcome = outcomes->list[i];
		outcomes->list[i].is_news = false;
		pthread_mutex_unlock(&outcomes->lock);
		if (outcome.is_news)
			status = report_outcome(&outcome, log);
	}
	return status;
}
