/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json.h>

#include "private.h"

struct nvme_host *host_new(struct nvme_root *r, const char *hostnqn, const char *hostid)
{
	struct nvme_host *h = calloc(1, sizeof(*h));
	struct nvme_host *same;

	if (!h)
		return NULL;
	TAILQ_INIT(&h->subsystems);
	h->subsystems_by_nqn = map_new(0);
	h->subsystems_by_name = map_new(0);
	if (!h->subsystems_by_nqn || !h->subsystems_by_name || str_set(&h->hostnqn, hostnqn) ||
	    str_set(&h->hostid, hostid))
		goto no_memory;

	same = map_get(r->hosts_by_nqn, hostnqn);
	if (!same && map_put(r->hosts_by_nqn, hostnqn, h))
		goto no_memory;
	while (same && same->next_same_nqn)
		same = same->next_same_nqn;
	if (same)
		same->next_same_nqn = h;
	TAILQ_INSERT_TAIL(&r->hosts, h, entry);
	h->r = r;
	h->serial_number = ++r->next_serial;
	return h;

no_memory:
	nvme_free_host(h);
	return NULL;
}

static void forget_host(struct nvme_root *r, struct nvme_host *h)
{
	chain_remove(r->hosts_by_nqn, h->hostnqn, h, next_same_nqn);
	if (r->default_host == h)
		r->default_host = NULL;
	if (r->unnamed_host == h)
		r->unnamed_host = NULL;
	TAILQ_REMOVE(&r->hosts, h, entry);
}

void nvme_free_host(nvme_host_t h)
{
	struct nvme_subsystem *s;

	if (!h)
		return;
	while ((s = TAILQ_FIRST(&h->subsystems)))
		nvme_free_subsystem(s);
	if (h->r)
		forget_host(h->r, h);
	map_free(h->subsystems_by_nqn);
	map_free(h->subsystems_by_name);
	free(h->hostnqn);
	free(h->hostid);
	free(h->hostsymname);
	free(h->connect_error);
	str_free_secret(h->dhchap_key);
	json_object_put(h->unknown_keys);
	free(h->mptcp_text);
	json_object_put(h->mptcp);
	free(h);
}

GETTER(nvme_root_t, nvme_host_get_root, nvme_host_t, r);
GETTER(const char *, nvme_host_get_hostnqn, nvme_host_t, hostnqn);
GETTER(const char *, nvme_host_get_hostid, nvme_host_t, hostid);
GETTER(const char *, nvme_host_get_hostsymname, nvme_host_t, hostsymname);

void nvme_host_set_hostsymname(nvme_host_t h, const char *hostsymname)
{
	if (str_eq(h->hostsymname, hostsymname))
		return;
	if (memory_noted(str_set(&h->hostsymname, hostsymname)))
		log_err(h->r, "out of memory: symbolic name \"%s\" not set", hostsymname);
	else
		h->r->modified = true;
}

/* The kernel has no object for a host: it shows the host's secret on its controllers. */
const char *nvme_host_get_dhchap_key(nvme_host_t h)
{
	_cleanup_(str_free_secret) char *secret = NULL;
	struct nvme_subsystem *s;
	struct nvme_ctrl *c;

	if (h->dhchap_key)
		return h->dhchap_key;
	TAILQ_FOREACH(s, &h->subsystems, entry) {
		TAILQ_FOREACH(c, &s->ctrls, entry) {
			if (!c->name)
				continue;
			secret = nvme_get_ctrl_attr(c, "dhchap_secret");
			if (!str_is_unset(secret))
				h->dhchap_key = steal_ptr(&secret);
			return h->dhchap_key;
		}
	}
	return NULL;
}

void nvme_host_set_dhchap_key(nvme_host_t h, const char *key)
{
	if (str_eq(h->dhchap_key, key))
		return;
	if (memory_noted(str_set_secret(&h->dhchap_key, key)))
		log_err(h->r, "out of memory: secret of host %s not set", h->hostnqn);
	else
		h->r->modified = true;
}

bool nvme_host_is_pdc_enabled(nvme_host_t h, bool fallback)
{
	return h->pdc_enabled_valid ? h->pdc_enabled : fallback;
}

void nvme_host_set_pdc_enabled(nvme_host_t h, bool enabled)
{
	h->pdc_enabled_valid = true;
	h->pdc_enabled = enabled;
}

void nvme_host_release_fds(struct nvme_host *h)
{
	struct nvme_subsystem *s;

	TAILQ_FOREACH(s, &h->subsystems, entry)
		nvme_subsystem_release_fds(s);
}

GETTER_OF(nvme_subsystem_t, nvme_first_subsystem, nvme_host_t,
	  object ? TAILQ_FIRST(&object->subsystems) : NULL);
TREE_NEXT(nvme_subsystem_t, nvme_next_subsystem, nvme_host_t, entry);

static bool subsystem_fits(const struct nvme_subsystem *s, const char *name, const char *subsysnqn)
{
	const char *application = s->h->r->application;

	if (subsysnqn && s->subsysnqn && strcmp(s->subsysnqn, subsysnqn) != 0)
		return false;
	if (name && s->name && strcmp(s->name, name) != 0)
		return false;
	return !application || str_eq(s->application, application);
}

struct nvme_subsystem *subsystem_find(struct nvme_host *h, const char *name, const char *subsysnqn)
{
	struct nvme_subsystem *s;

	if (subsysnqn) {
		for (s = map_get(h->subsystems_by_nqn, subsysnqn); s; s = s->next_same_nqn)
			if (subsystem_fits(s, name, subsysnqn))
				return s;
	} else if (name) {
		for (s = map_get(h->subsystems_by_name, name); s; s = s->next_same_name)
			if (subsystem_fits(s, name, NULL))
				return s;
	} else {
		TAILQ_FOREACH(s, &h->subsystems, entry)
			if (subsystem_fits(s, NULL, NULL))
				return s;
	}
	return NULL;
}

struct nvme_subsystem *subsystem_lookup(struct nvme_host *h, const char *name,
					const char *subsysnqn)
{
	struct nvme_subsystem *s = subsystem_find(h, name, subsysnqn);

	if (!s) {
		s = subsystem_new(h, subsysnqn);
		if (!s)
			return NULL;
		if (str_set(&s->application, h->r->application)) {
			nvme_free_subsystem(s);
			return NULL;
		}
		h->r->modified = true;
	}
	if (name && !s->name && subsystem_set_name(s, name))
		return NULL;
	return s;
}

nvme_subsystem_t nvme_lookup_subsystem(struct nvme_host *h, const char *name, const char *subsysnqn)
{
	struct nvme_subsystem *s = subsystem_lookup(h, name, subsysnqn);

	if (!s)
		errno = ENOMEM;
	return s;
}
