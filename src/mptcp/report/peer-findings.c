// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Findings in a report. They are texts of another machine, which are only displayed: its commands
 * are not read, but for one that only shows the rules of a firewall.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "peer-read.h"
#include "peer-sockets.h"

#define MAX_FINDINGS 65536
#define MAX_PEER_TEXT 65536
#define MAX_PEER_EVIDENCE 64
#define MAX_PEER_WORD 128

static const char *const sides[] = { "", "host", "target" };

static const char *word_of(struct json_object *value)
{
	const char *text = value && json_object_is_type(value, json_type_string)
				   ? json_object_get_string(value)
				   : NULL;

	return text && peer_is_word(text, MAX_PEER_WORD) ? text : NULL;
}

static void parse_objects(struct peer_reader *r, struct json_object *in, struct peer_finding *f)
{
	struct json_object *list;

	if (!json_object_object_get_ex(in, "objects", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < SUBJECT_OBJECTS && i < json_object_array_length(list); i++)
		peer_keep(r, &f->object[i], word_of(json_object_array_get_idx(list, i)));
}

static void parse_evidence(struct peer_reader *r, struct json_object *in, struct peer_finding *f)
{
	struct json_object *dict;

	if (!json_object_object_get_ex(in, "evidence", &dict) ||
	    !json_object_is_type(dict, json_type_object))
		return;
	json_object_object_foreach(dict, key, value) {
		const char *text = word_of(value);
		struct pair *pair;

		if (!text || !peer_is_word(key, MAX_PEER_WORD) ||
		    f->n_evidence == MAX_PEER_EVIDENCE)
			continue;
		pair = peer_add(r, in, &f->evidence, &f->n_evidence, sizeof(*pair),
				MAX_PEER_EVIDENCE, "evidence");
		if (!pair)
			return;
		peer_keep(r, &pair->key, key);
		peer_keep(r, &pair->value, text);
	}
}

static void parse_fix(struct peer_reader *r, struct json_object *in, void *arg)
{
	static const char shows[] = "nft list ruleset";
	struct peer_finding *f = arg;
	const int side = peer_read_choice(r, in, "side", MAY, sides, 3);
	const char *command = peer_read_text(r, in, "command", MAY, MAX_PEER_TEXT);
	const size_t n = command ? strlen(command) : 0;

	f->has_fix = true;
	/* In a network namespace, another command precedes it. */
	if (side > 0 && n >= strlen(shows) && !strcmp(command + n - strlen(shows), shows))
		f->rulesets |= 1U << side;
}

static void parse_finding(struct peer_reader *r, struct json_object *in, void *arg)
{
	static const char *const severities[] = { "info", "warning", "error" };
	struct nvme_mptcp_peer *peer = arg;
	const char *rule = peer_read_word(r, in, "rule", MUST, PEER_RULE - 1);
	const int severity = peer_read_choice(r, in, "severity", MUST, severities, 3);
	const char *subject, *why, *text;
	struct peer_finding *added;

	if (!r->err && severity < 0)
		peer_fail(r, in, "the severity is info, warning or error");
	subject = peer_read_text(r, in, "subject", MUST, MAX_PEER_TEXT);
	why = peer_read_text(r, in, "why", MUST, MAX_PEER_TEXT);
	added = peer_add(r, in, &peer->findings, &peer->n_findings, sizeof(*added), MAX_FINDINGS,
			 "findings");
	if (!added)
		return;
	added->severity = (enum nvme_mptcp_severity)severity;
	str_copy(added->rule, sizeof(added->rule), rule, strlen(rule));
	peer_keep(r, &added->subject, subject);
	peer_keep(r, &added->why, why);
	added->side = peer_read_choice(r, in, "side", MAY, sides, 3);
	added->kind = -1;
	text = peer_read_text(r, in, "kind", MAY, MAX_PEER_WORD);
	for (int kind = 0; text && kind <= NVME_MPTCP_SUBJECT_PORT; kind++)
		if (!strcmp(text, nvme_mptcp_subject_name((enum nvme_mptcp_subject)kind)))
			added->kind = kind;
	parse_objects(r, in, added);
	parse_evidence(r, in, added);
	peer_read_each(r, in, "fix", MAY, parse_fix, added);
}

void peer_parse_findings(struct peer_reader *r, struct json_object *findings,
			 struct nvme_mptcp_peer *peer)
{
	peer_read_each(r, findings, "findings", MAY, parse_finding, peer);
}

void peer_clear_findings(struct nvme_mptcp_peer *peer)
{
	for (size_t i = 0; i < peer->n_findings; i++) {
		struct peer_finding *f = &peer->findings[i];

		free(f->subject);
		free(f->why);
		for (size_t j = 0; j < SUBJECT_OBJECTS; j++)
			free(f->object[j]);
		for (size_t j = 0; j < f->n_evidence; j++) {
			free(f->evidence[j].key);
			free(f->evidence[j].value);
		}
		free(f->evidence);
	}
	free(peer->findings);
}

const char *nvme_mptcp_peer_finding(nvme_mptcp_peer_t peer, size_t i, const char **severity,
				    const char **subject, const char **why)
{
	if (i >= peer->n_findings)
		return NULL;
	*severity = nvme_mptcp_severity_name(peer->findings[i].severity);
	*subject = peer->findings[i].subject;
	*why = peer->findings[i].why;
	return peer->findings[i].rule;
}

nvme_mptcp_snapshot_t nvme_mptcp_peer_snapshot(nvme_mptcp_peer_t peer)
{
	return peer->snap;
}
