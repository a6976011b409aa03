/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of a configuration, and guards: connections refused because it is invalid. */
#include <strings.h>

#include "base/reader.h"
#include "private.h"

void root_forget_problems(struct nvme_root *r)
{
	reader_problems_free(r->config_problems, r->n_config_problems);
	r->config_problems = NULL;
	r->n_config_problems = 0;
}

void root_forget_guards(struct nvme_root *r)
{
	for (size_t i = 0; i < r->n_config_guards; i++) {
		struct config_guard *guard = &r->config_guards[i];

		free(guard->hostnqn);
		free(guard->subsysnqn);
		free(guard->traddr);
		free(guard->text);
	}
	free(r->config_guards);
	r->config_guards = NULL;
	r->n_config_guards = 0;
}

int root_add_guard(struct nvme_root *r, const char *hostnqn, const char *subsysnqn,
		   const char *traddr, const char *text)
{
	struct config_guard *guard =
		array_add(&r->config_guards, &r->n_config_guards, sizeof(*guard));

	return guard && !str_set(&guard->hostnqn, hostnqn) &&
			       !str_set(&guard->subsysnqn, subsysnqn) &&
			       !str_set(&guard->traddr, traddr) && !str_set(&guard->text, text)
		       ? 0
		       : -ENOMEM;
}

/* Compare host names as strings ignoring case, and addresses by value. */
static bool guards_address(const char *wanted, const char *traddr)
{
	struct ip_addr a, b;

	return !wanted || (traddr && (!strcasecmp(wanted, traddr) ||
				      (!address_parse(wanted, &a) && !address_parse(traddr, &b) &&
				       address_matches(&a, &b))));
}

const char *root_guard_text(const struct nvme_host *h, const struct nvme_ctrl *c)
{
	for (size_t i = 0; i < h->r->n_config_guards; i++) {
		const struct config_guard *guard = &h->r->config_guards[i];

		if (str_eq(guard->hostnqn, h->hostnqn) &&
		    (!guard->subsysnqn || str_eq(guard->subsysnqn, c->subsysnqn)) &&
		    guards_address(guard->traddr, c->traddr))
			return guard->text;
	}
	return NULL;
}

const char *nvme_config_error(nvme_root_t r)
{
	if (r->config_error)
		return r->config_error;
	for (size_t i = 0; i < r->n_config_problems; i++)
		if (r->config_problems[i].refused)
			return r->config_problems[i].text;
	return NULL;
}

const char *nvme_config_problem(nvme_root_t r, size_t i, bool *refused)
{
	if (i >= r->n_config_problems)
		return NULL;
	if (refused)
		*refused = r->config_problems[i].refused;
	return r->config_problems[i].text;
}
