// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts of the subjects of findings. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mptcp/snapshot/snapshot.h"
#include "base/address.h"
#include "subject.h"

#define KINDS (NVME_MPTCP_SUBJECT_PORT + 1)

/* How the text of a kind is built from its objects. */
static const struct kind {
	const char *name; /* in JSON */
	const char *all; /* text without an object */
	const char *before, *between, *after; /* around one or two objects */
	const char *noun; /* replaces @before at the start of a sentence; NULL: keep it */
} kinds[KINDS] = {
	[NVME_MPTCP_SUBJECT_KERNEL] = { "kernel", "kernel" },
	[NVME_MPTCP_SUBJECT_MODULE] = { "module", "modules" },
	[NVME_MPTCP_SUBJECT_PART] = { "part", "snapshot" },
	[NVME_MPTCP_SUBJECT_SERVICE] = { "service", "services" },
	[NVME_MPTCP_SUBJECT_SETTING] = { "setting", "settings" },
	[NVME_MPTCP_SUBJECT_LIMIT] = { "limit", "limits", "limit of " },
	[NVME_MPTCP_SUBJECT_ENDPOINT] = { "endpoint", "endpoints", "endpoint ", " (", ")",
					  "Endpoint " },
	[NVME_MPTCP_SUBJECT_LINK] = { "link", "links", "", " and ", "", "Link " },
	[NVME_MPTCP_SUBJECT_NETWORK] = { "network", "network", "", " of the host, ",
					 " of the target" },
	[NVME_MPTCP_SUBJECT_ADDRESS] = { "address", "addresses" },
	[NVME_MPTCP_SUBJECT_PORTAL] = { "portal", "portals" },
	[NVME_MPTCP_SUBJECT_PATH] = { "path", "paths", "", " -> ", "", "The join from " },
	[NVME_MPTCP_SUBJECT_CONTROLLER] = { "controller", "controllers", .noun = "Controller " },
	[NVME_MPTCP_SUBJECT_SUBSYSTEM] = { "subsystem", "subsystems", .noun = "Subsystem " },
	[NVME_MPTCP_SUBJECT_CONNECTION] = { "connection", "connections" },
	[NVME_MPTCP_SUBJECT_SUBFLOW] = { "subflow", "subflows" },
	[NVME_MPTCP_SUBJECT_JOIN] = { "join", "joins" },
	[NVME_MPTCP_SUBJECT_ANNOUNCEMENT] = { "announcement", "announced addresses" },
	[NVME_MPTCP_SUBJECT_PACKET] = { "packet", "packets" },
	[NVME_MPTCP_SUBJECT_PORT] = { "port", "ports", "port ", .noun = "Port " },
};

static const struct {
	const char *name; /* in ip-mptcp(8) */
	const char *words;
} limits[] = {
	[LIMIT_SUBFLOWS] = { "subflows", "subflows" },
	[LIMIT_ADD_ADDR_ACCEPTED] = { "add_addr_accepted", "announced addresses" },
};

const char *nvme_mptcp_subject_name(enum nvme_mptcp_subject kind)
{
	return (size_t)kind < KINDS ? kinds[kind].name : "unknown";
}

/* Return an object's name, address or number; NULL if there is none. */
static const char *object_text(const struct subject *s, size_t i, char text[static ADDRESS_TEXT])
{
	if (s->kind == NVME_MPTCP_SUBJECT_ENDPOINT && !i && s->name[1])
		snprintf(text, ADDRESS_TEXT, "%zu", s->number);
	else if (s->kind == NVME_MPTCP_SUBJECT_LIMIT && !i)
		return limits[s->number].name;
	else if (s->kind == NVME_MPTCP_SUBJECT_PATH ||
		 (s->kind == NVME_MPTCP_SUBJECT_ADDRESS && !i))
		address_text(&s->ip[i], text);
	else
		return s->name[i];
	return text;
}

static char *make_text(const struct subject *s, const struct kind *kind,
		       char *const object[static SUBJECT_OBJECTS])
{
	const char *before = kind->before ? kind->before : "";
	const char *after = kind->after ? kind->after : "";
	char *text;
	int n;

	if (s->kind == NVME_MPTCP_SUBJECT_CONNECTION && s->number)
		n = asprintf(&text, "%zu connection%s", s->number, s->number == 1 ? "" : "s");
	else if (!object[0])
		n = asprintf(&text, "%s", kind->all);
	else if (s->kind == NVME_MPTCP_SUBJECT_CONTROLLER && s->number)
		n = asprintf(&text, "%s and %zu more", object[0], s->number);
	else if (object[1])
		n = asprintf(&text, "%s%s%s%s%s", before, object[0], kind->between, object[1],
			     after);
	else
		n = asprintf(&text, "%s%s", before,
			     s->kind == NVME_MPTCP_SUBJECT_LIMIT ? limits[s->number].words
								 : object[0]);
	return n < 0 ? NULL : text;
}

int subject_write(const struct subject *s, char *object[static SUBJECT_OBJECTS], char **text)
{
	for (size_t i = 0; i < SUBJECT_OBJECTS; i++) {
		char buffer[ADDRESS_TEXT];
		const char *name = object_text(s, i, buffer);

		object[i] = name ? strdup(name) : NULL;
		if (name && !object[i])
			return -ENOMEM;
	}
	*text = make_text(s, &kinds[s->kind], object);
	return *text ? 0 : -ENOMEM;
}

char *subject_begin_sentence(const struct subject *subject,
			     char *const object[static SUBJECT_OBJECTS])
{
	struct kind kind = kinds[subject->kind];

	if (kind.noun)
		kind.before = kind.noun;
	if (subject->kind == NVME_MPTCP_SUBJECT_PATH)
		kind.between = " to ";
	return make_text(subject, &kind, object);
}

bool subject_is_path(const struct subject *s, const struct in6_addr *local,
		     const struct in6_addr *remote)
{
	return s->kind == NVME_MPTCP_SUBJECT_PATH && address_equal(&s->ip[0], local) &&
	       address_equal(&s->ip[1], remote);
}
