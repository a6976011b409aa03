// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which parts of a snapshot are missing or incomplete, and why. */
#include "snapshot.h"

void problem_set(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_part part, int err,
		 const char *fmt, ...)
{
	struct problem *problem = &snap->problem[part];
	char *text = NULL;
	char *both = NULL;
	va_list ap;

	memory_noted(err < 0 ? err : -err);
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!problem->err)
		problem->err = err < 0 ? -err : err;
	if (problem->text && text && asprintf(&both, "%s; %s", problem->text, text) >= 0) {
		free(problem->text);
		problem->text = both;
		free(text);
	} else if (!problem->text) {
		problem->text = text;
	} else {
		free(text);
	}
}

void problem_of_answer(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_part part,
		       const struct nl *nl, int err, const char *what)
{
	if (err)
		problem_set(snap, part, err, "%s: %s%s%s", what, strerror(-err),
			    *nl->reply.text ? ": " : "", nl->reply.text);
	else if (nl->reply.malformed)
		problem_set(snap, part, EAGAIN, "%s: %u malformed messages were left out", what,
			    nl->reply.malformed);
	else if (nl->reply.interrupted)
		problem_set(snap, part, EAGAIN, "%s: they kept changing while they were read",
			    what);
}

bool snapshot_shows_subflows(const struct nvme_mptcp_snapshot *snap)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_CONNECTIONS, NVME_MPTCP_SUBFLOWS,
						      NVME_MPTCP_LINKS };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		int err = snap->problem[parts[i]].err;

		/* EAGAIN: connections changed during the dump; new subflows count anyway. */
		if (err && err != EAGAIN)
			return false;
	}
	return true;
}

const char *nvme_mptcp_snapshot_problem(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part)
{
	const struct problem *problem;

	if ((unsigned int)part >= NVME_MPTCP_PARTS)
		return NULL;
	problem = &snap->problem[part];
	if (!problem->err)
		return NULL;
	return problem->text ? problem->text : strerror(problem->err);
}

int nvme_mptcp_snapshot_errno(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part)
{
	return (unsigned int)part < NVME_MPTCP_PARTS ? snap->problem[part].err : 0;
}

const char *nvme_mptcp_error(int err)
{
	return failure_text(err);
}

unsigned int nvme_mptcp_memory_failures(void)
{
	const unsigned int failures = memory_failures();

	if (failures)
		errno = memory_failure_errno();
	return failures;
}

const char *nvme_mptcp_part_name(enum nvme_mptcp_part part)
{
	static const char *const names[NVME_MPTCP_PARTS] = {
		[NVME_MPTCP_SETTINGS] = "settings",
		[NVME_MPTCP_COUNTERS] = "counters",
		[NVME_MPTCP_LIMITS] = "limits",
		[NVME_MPTCP_ENDPOINTS] = "endpoints",
		[NVME_MPTCP_CONNECTIONS] = "connections",
		[NVME_MPTCP_SUBFLOWS] = "subflows",
		[NVME_MPTCP_LINKS] = "links",
		[NVME_MPTCP_ADDRESSES] = "addresses",
		[NVME_MPTCP_OWNERS] = "owners",
		[NVME_MPTCP_CONTROLLERS] = "controllers",
		[NVME_MPTCP_RECORDS] = "records",
	};

	return (unsigned int)part < NVME_MPTCP_PARTS ? names[part] : NULL;
}
