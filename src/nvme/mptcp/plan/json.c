// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans as JSON, doc/schema/mptcp-plan.json, and what they aim at as config.json has it. */
#include <json-c/json.h>

#include "mptcp/snapshot/json.h"
#include "steps.h"

#define SCHEMA_VERSION 1

static struct json_object *encode_config(struct json_writer *w, const struct nvme_mptcp_plan *plan)
{
	struct json_object *config = json_dict(w);
	struct json_object *limits = json_dict(w);
	struct json_object *endpoints = json_list(w);

	if (plan->limits.subflows != NVME_MPTCP_UNKNOWN)
		json_put_int(w, limits, "subflows", plan->limits.subflows);
	if (plan->limits.add_addr_accepted != NVME_MPTCP_UNKNOWN)
		json_put_int(w, limits, "add_addr_accepted", plan->limits.add_addr_accepted);
	json_put(w, config, "limits", limits);
	for (size_t i = 0; i < plan->n_wanted; i++) {
		const struct endpoint_spec *spec = &plan->wanted[i];
		struct json_object *dict = json_dict(w);
		char text[ADDRESS_TEXT];

		address_text(&spec->ip, text);
		json_put_string(w, dict, "address", text);
		json_put_string(w, dict, "dev", spec->device);
		json_put_flags(w, dict, "flags", spec->flags, endpoint_flag_names, ENDPOINT_FLAGS);
		json_append(w, endpoints, dict);
	}
	json_put(w, config, "endpoints", endpoints);
	return config;
}

static void put_links(struct json_writer *w, struct json_object *top,
		      const struct nvme_mptcp_plan *plan)
{
	struct json_object *list = json_list(w);

	for (size_t i = 0; i < plan->n_links; i++) {
		struct json_object *dict = json_dict(w);

		json_put_string(w, dict, "link", plan->links[i].name);
		json_put_string(w, dict, "address", plan->links[i].address);
		json_append(w, list, dict);
	}
	json_put(w, top, "links", list);
}

static void put_steps(struct json_writer *w, struct json_object *top,
		      const struct nvme_mptcp_plan *plan)
{
	struct json_object *list = json_list(w);

	for (size_t i = 0; i < plan->n_steps; i++) {
		const struct nvme_mptcp_step *step = &plan->steps[i];
		struct json_object *dict = json_dict(w);

		json_put_string(w, dict, "action", step_action_name(step->action));
		json_put_string(w, dict, "command", step->command);
		json_put_string(w, dict, "why", step->why);
		json_put_string(w, dict, "state", nvme_mptcp_step_state_name(step->state));
		json_put_string(w, dict, "error", step->error);
		json_append(w, list, dict);
	}
	json_put(w, top, "steps", list);
}

static void put_notes(struct json_writer *w, struct json_object *top,
		      const struct nvme_mptcp_plan *plan)
{
	struct json_object *list = json_list(w);

	for (size_t i = 0; i < plan->n_notes; i++) {
		const struct plan_note *note = &plan->notes[i];
		struct json_object *dict = json_dict(w);

		json_put_string(w, dict, "text", note->text);
		json_put_string(w, dict, "side", nvme_mptcp_role_name(note->side));
		json_put_string(w, dict, "command", note->command);
		json_append(w, list, dict);
	}
	json_put(w, top, "notes", list);
}

static struct json_object *encode_names(struct json_writer *w, char *const *names)
{
	struct json_object *list = json_list(w);

	for (size_t i = 0; names && names[i]; i++)
		json_append(w, list, json_string(w, names[i]));
	return list;
}

static void put_gaps(struct json_writer *w, struct json_object *top,
		     const struct nvme_mptcp_plan *plan)
{
	struct json_object *list = json_list(w);

	for (size_t i = 0; i < plan->n_gaps; i++) {
		const struct plan_gap *gap = &plan->gaps[i];
		struct json_object *dict = json_dict(w);

		json_put_string(w, dict, "subject", gap->subject);
		json_put(w, dict, "controllers", encode_names(w, gap->ctrls));
		json_put_string(w, dict, "link", gap->link);
		json_put_int(w, dict, "missing", (int64_t)gap->gap.missing);
		json_put_int(w, dict, "connections", (int64_t)gap->gap.connections);
		json_append(w, list, dict);
	}
	json_put(w, top, "missing", list);
}

char *nvme_mptcp_plan_to_json(nvme_mptcp_plan_t plan, bool pretty)
{
	struct json_writer w = {};
	struct json_object *top = json_dict(&w);

	json_put_int(&w, top, "version", SCHEMA_VERSION);
	json_put_string(&w, top, "netns", plan->netns);
	json_put_string(&w, top, "role", nvme_mptcp_role_name(plan->role));
	json_put_string(&w, top, "method", nvme_mptcp_plan_method_name(plan->method));
	put_links(&w, top, plan);
	if (plan->independent)
		put_gaps(&w, top, plan);
	put_steps(&w, top, plan);
	put_notes(&w, top, plan);
	if (!plan->independent)
		json_put(&w, top, "config", encode_config(&w, plan));
	return json_finish(&w, top, pretty);
}

char *nvme_mptcp_plan_to_config(nvme_mptcp_plan_t plan)
{
	struct json_writer w = {};

	return json_finish(&w, encode_config(&w, plan), true);
}
