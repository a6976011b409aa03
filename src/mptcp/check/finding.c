// SPDX-License-Identifier: LGPL-2.1-or-later
/* Findings: created by rules, read by programs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"
#include "shared/getter.h"

#define SCHEMA_VERSION 1

static char *format(struct check *c, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

static char *format(struct check *c, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) >= 0)
		return text;
	c->err = -ENOMEM;
	return NULL;
}

struct nvme_mptcp_finding *finding_add(struct check *c, enum rule_id rule, struct subject subject)
{
	struct nvme_mptcp_findings *all = c->findings;
	struct nvme_mptcp_finding *f = array_add(&all->finding, &all->n, sizeof(*f));
	const unsigned int sides = rule_get(rule)->sides;

	if (!f) {
		c->err = -ENOMEM;
		return NULL;
	}
	f->rule = rule;
	f->severity = rule_get(rule)->severity;
	f->order = all->n;
	f->side = sides == ON_HOST     ? NVME_MPTCP_ROLE_HOST
		  : sides == ON_TARGET ? NVME_MPTCP_ROLE_TARGET
				       : check_side(c);
	f->subject = subject;
	if (subject_write(&subject, f->object, &f->text))
		c->err = -ENOMEM;
	memset(f->subject.name, 0, sizeof(f->subject.name));
	return f;
}

struct nvme_mptcp_finding *finding_add_endpoint(struct check *c, enum rule_id rule,
						const struct nvme_mptcp_endpoint *ep)
{
	return finding_add(c, rule, subject_endpoint(ep->id, ep->address));
}

struct nvme_mptcp_finding *finding_add_path(struct check *c, enum rule_id rule,
					    const struct in6_addr *local,
					    const struct in6_addr *remote)
{
	return check_has_found_path(c, rule, local, remote)
		       ? NULL
		       : finding_add(c, rule, subject_path(local, remote));
}

struct nvme_mptcp_finding *finding_add_growth(struct check *c, enum rule_id rule,
					      struct subject subject, const char *const *names)
{
	struct nvme_mptcp_finding *f = NULL;

	for (; *names; names++) {
		const int64_t n = check_counter_growth(c, "MPTcpExt", *names);

		if (n && !f)
			f = finding_add(c, rule, subject);
		if (n)
			finding_number(c, f, *names, n);
	}
	return f;
}

void finding_set_severity(struct nvme_mptcp_finding *f, enum nvme_mptcp_severity severity)
{
	if (f)
		f->severity = severity;
}

void finding_set_side(struct nvme_mptcp_finding *f, enum nvme_mptcp_role side)
{
	if (f)
		f->side = side;
}

const struct nvme_mptcp_endpoint *finding_endpoint(const struct check *side,
						   const struct nvme_mptcp_finding *f)
{
	FOR_EACH_ENDPOINT(side, ep)
		if (f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT && ep->id == f->subject.number)
			return ep;
	return NULL;
}

const struct nvme_mptcp_link *finding_link(const struct check *side,
					   const struct nvme_mptcp_finding *f)
{
	const struct nvme_mptcp_endpoint *ep = finding_endpoint(side, f);

	if (f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT)
		return ep ? endpoint_carrier(ep) : NULL;
	return plan_link_by_name(side->snap, f->object[0]);
}

const char *finding_get_fact(const struct nvme_mptcp_finding *f, const char *key)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (!strcmp(f->evidence[i].key, key))
			return f->evidence[i].value;
	return NULL;
}

struct nvme_mptcp_finding *finding_why(struct check *c, struct nvme_mptcp_finding *f,
				       const char *fmt, ...)
{
	char *before;
	va_list ap;

	if (!f)
		return NULL;
	va_start(ap, fmt);
	before = f->why;
	f->why = format(c, fmt, ap);
	va_end(ap);
	free(before);
	return f;
}

struct nvme_mptcp_finding *finding_why_subject(struct check *c, struct nvme_mptcp_finding *f,
					       const char *fmt, ...)
{
	char *subject, *predicate;
	va_list ap;

	if (!f)
		return NULL;
	subject = subject_begin_sentence(&f->subject, f->object);
	va_start(ap, fmt);
	predicate = format(c, fmt, ap);
	va_end(ap);
	if (subject && predicate)
		finding_why(c, f, "%s %s", subject, predicate);
	else
		c->err = -ENOMEM;
	free(subject);
	free(predicate);
	return f;
}

void finding_why_more(struct check *c, struct nvme_mptcp_finding *f, const char *fmt, ...)
{
	char *more;
	va_list ap;

	if (!f || !f->why)
		return;
	va_start(ap, fmt);
	more = format(c, fmt, ap);
	va_end(ap);
	if (more)
		finding_why(c, f, "%s%s", f->why, more);
	free(more);
}

void finding_fact(struct check *c, struct nvme_mptcp_finding *f, const char *key, const char *fmt,
		  ...)
{
	struct pair *pair;
	va_list ap;

	if (!f)
		return;
	pair = array_add(&f->evidence, &f->n_evidence, sizeof(*pair));
	if (!pair) {
		c->err = -ENOMEM;
		return;
	}
	va_start(ap, fmt);
	pair->key = strdup(key);
	pair->value = format(c, fmt, ap);
	va_end(ap);
	if (!pair->key)
		c->err = -ENOMEM;
}

void finding_number(struct check *c, struct nvme_mptcp_finding *f, const char *key, int64_t value)
{
	finding_fact(c, f, key, "%lld", (long long)value);
}

static void add_fix(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		    char *command)
{
	struct fix *fix = array_add(&f->fixes, &f->n_fixes, sizeof(*fix));

	if (!fix || !command)
		c->err = -ENOMEM;
	if (!fix) {
		free(command);
		return;
	}
	*fix = (struct fix){ side, FIX_PLAIN, command };
}

static void fix_in(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		   const char *netns, const char *fmt, va_list ap)
	__attribute__((format(printf, 5, 0)));

static void fix_in(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		   const char *netns, const char *fmt, va_list ap)
{
	_cleanup_(free) char *plain = NULL;

	if (!f)
		return;
	plain = format(c, fmt, ap);
	add_fix(c, f, side, plain ? snapshot_command(plain, netns) : NULL);
}

void finding_fix(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		 const char *fmt, ...)
{
	/* The other side has its own namespaces. */
	const char *netns = c->role & (1U << side) ? c->snap->netns : c->other_netns;
	va_list ap;

	va_start(ap, fmt);
	fix_in(c, f, side, netns, fmt, ap);
	va_end(ap);
}

void finding_fix_in(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		    const char *netns, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fix_in(c, f, side, netns, fmt, ap);
	va_end(ap);
}

void finding_fix_verbatim(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
			  const char *command)
{
	if (f)
		add_fix(c, f, side, strdup(command));
}

void finding_fix_is(struct nvme_mptcp_finding *f, enum fix_kind kind)
{
	if (f && f->n_fixes)
		f->fixes[f->n_fixes - 1].kind = kind;
}

bool check_has_found(const struct check *c, enum rule_id rule)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (c->findings->finding[i].rule == rule)
			return true;
	return false;
}

bool check_has_found_path(const struct check *c, enum rule_id rule, const struct in6_addr *local,
			  const struct in6_addr *remote)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == rule && subject_is_path(&f->subject, local, remote))
			return true;
	return false;
}

bool check_has_found_link(const struct check *c, enum rule_id rule, const char *link)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == rule && f->object[0] && !strcmp(f->object[0], link))
			return true;
	return false;
}

void finding_drop_fixes(struct nvme_mptcp_finding *f)
{
	for (size_t i = 0; i < f->n_fixes; i++)
		free(f->fixes[i].command);
	f->n_fixes = 0;
}

void finding_clear(struct nvme_mptcp_finding *f)
{
	for (size_t i = 0; i < f->n_evidence; i++) {
		free(f->evidence[i].key);
		free(f->evidence[i].value);
	}
	finding_drop_fixes(f);
	free(f->evidence);
	free(f->fixes);
	for (size_t i = 0; i < SUBJECT_OBJECTS; i++)
		free(f->object[i]);
	free(f->text);
	free(f->why);
}

size_t finding_drop_if(struct nvme_mptcp_findings *all,
		       bool (*is_gone)(const struct nvme_mptcp_finding *f, const void *arg),
		       const void *arg)
{
	const size_t before = all->n;
	size_t kept = 0;

	FOR_EACH(f, all->finding, all->n)
		if (is_gone(f, arg))
			finding_clear(f);
		else
			all->finding[kept++] = *f;
	all->n = kept;
	return before - kept;
}

bool check_endpoint_has_warning(const struct check *c, const struct nvme_mptcp_endpoint *ep)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->severity != NVME_MPTCP_INFO &&
		    ((f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT &&
		      f->subject.number == ep->id) ||
		     (f->rule == RULE_F10 && f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
		      address_equal(&f->subject.ip[0], &ep->ip))))
			return true;
	return false;
}

void nvme_mptcp_findings_free(nvme_mptcp_findings_t findings)
{
	if (!findings)
		return;
	for (size_t i = 0; i < findings->n; i++)
		finding_clear(&findings->finding[i]);
	free(findings->finding);
	free(findings->trial);
	free(findings->peer);
	free(findings->connects_by);
	free(findings);
}

GETTER(unsigned int, nvme_mptcp_findings_own_role, nvme_mptcp_findings_t, own_role);
GETTER(size_t, nvme_mptcp_findings_ignored, nvme_mptcp_findings_t, ignored);
GETTER(unsigned int, nvme_mptcp_findings_role, nvme_mptcp_findings_t, role);

nvme_mptcp_finding_t nvme_mptcp_finding_next(nvme_mptcp_findings_t findings, nvme_mptcp_finding_t f)
{
	size_t next = f ? (size_t)(f - findings->finding) + 1 : 0;

	return next < findings->n ? &findings->finding[next] : NULL;
}

const char *nvme_mptcp_finding_rule(nvme_mptcp_finding_t f)
{
	return rule_get(f->rule)->name;
}

GETTER(enum nvme_mptcp_severity, nvme_mptcp_finding_severity, nvme_mptcp_finding_t, severity);
GETTER(enum nvme_mptcp_role, nvme_mptcp_finding_side, nvme_mptcp_finding_t, side);

const char *nvme_mptcp_severity_name(enum nvme_mptcp_severity severity)
{
	static const char *const names[] = { "info", "warning", "error" };

	return (unsigned int)severity < 3 ? names[severity] : "unknown";
}

GETTER(const char *, nvme_mptcp_finding_subject, nvme_mptcp_finding_t, text);
GETTER(enum nvme_mptcp_subject, nvme_mptcp_finding_kind, nvme_mptcp_finding_t, subject.kind);

const char *nvme_mptcp_finding_object(nvme_mptcp_finding_t f, size_t i)
{
	return i < SUBJECT_OBJECTS ? f->object[i] : NULL;
}

const char *nvme_mptcp_finding_why(nvme_mptcp_finding_t f)
{
	return f->why ? f->why : rule_get(f->rule)->title;
}

const char *nvme_mptcp_finding_evidence(nvme_mptcp_finding_t f, size_t i, const char **value)
{
	if (i >= f->n_evidence)
		return NULL;
	*value = f->evidence[i].value;
	return f->evidence[i].key;
}

const char *nvme_mptcp_finding_fix(nvme_mptcp_finding_t f, size_t i, enum nvme_mptcp_role *side)
{
	if (i >= f->n_fixes)
		return NULL;
	*side = f->fixes[i].side;
	return f->fixes[i].command;
}

/* Keys are unique in JSON: the last value counts. */
static bool is_last(const struct nvme_mptcp_finding *f, size_t i)
{
	for (size_t j = i + 1; j < f->n_evidence; j++)
		if (!strcmp(f->evidence[i].key, f->evidence[j].key))
			return false;
	return true;
}

static void encode(struct json_stream *s, const struct nvme_mptcp_finding *f)
{
	stream_dict(s, NULL);
	stream_string(s, "rule", rule_get(f->rule)->name);
	stream_string(s, "severity", nvme_mptcp_severity_name(f->severity));
	stream_string(s, "side", nvme_mptcp_role_name(f->side));
	stream_string(s, "subject", f->text);
	stream_string(s, "kind", nvme_mptcp_subject_name(f->subject.kind));
	stream_list(s, "objects");
	for (size_t i = 0; i < SUBJECT_OBJECTS && f->object[i]; i++)
		stream_string(s, NULL, f->object[i]);
	stream_end_list(s);
	stream_dict(s, "evidence");
	for (size_t i = 0; i < f->n_evidence; i++)
		if (is_last(f, i))
			stream_string(s, f->evidence[i].key, f->evidence[i].value);
	stream_end_dict(s);
	stream_string(s, "why", nvme_mptcp_finding_why(f));
	stream_list(s, "fix");
	for (size_t i = 0; i < f->n_fixes; i++) {
		stream_dict(s, NULL);
		stream_string(s, "side", nvme_mptcp_role_name(f->fixes[i].side));
		stream_string(s, "command", f->fixes[i].command);
		stream_end_dict(s);
	}
	stream_end_list(s);
	stream_end_dict(s);
}

void finding_encode_all(struct json_stream *s, const char *key, nvme_mptcp_findings_t findings)
{
	stream_dict(s, key);
	json_put_int(s, "version", SCHEMA_VERSION);
	stream_list(s, "roles");
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++)
		if (findings->role & (1U << role))
			stream_string(s, NULL, nvme_mptcp_role_name(role));
	stream_end_list(s);
	json_put_int(s, "ignored", (int64_t)findings->ignored);
	if (findings->peer)
		stream_string(s, "peer", findings->peer);
	if (findings->connects_by)
		stream_string(s, "connects_by", findings->connects_by);
	if (findings->trial)
		stream_literal(s, "trial", findings->trial);
	stream_list(s, "findings");
	for (size_t i = 0; i < findings->n; i++)
		encode(s, &findings->finding[i]);
	stream_end_list(s);
	stream_end_dict(s);
}

char *nvme_mptcp_findings_to_json(nvme_mptcp_findings_t findings, bool pretty)
{
	struct json_stream s = { .pretty = pretty };

	finding_encode_all(&s, NULL, findings);
	return stream_finish(&s);
}
