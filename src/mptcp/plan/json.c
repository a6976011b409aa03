// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes plans as JSON (schema mptcp-plan.json), and their result as an object of config.json. */
#include "mptcp/snapshot/json.h"
#include "steps.h"

#define SCHEMA_VERSION 1

static void put_wanted(struct json_stream *s, const struct endpoint_spec *spec)
{
	stream_dict(s, NULL);
	stream_string(s, "address", ADDRESS_STRING(&spec->ip));
	/* config.json accepts only the names of interfaces. */
	if (*spec->device)
		stream_string(s, "dev", spec->device);
	json_put_flags(s, "flags", spec->flags, endpoint_flag_names, ENDPOINT_FLAGS);
	if (spec->id)
		json_put_int(s, "id", spec->id);
	if (spec->port)
		json_put_int(s, "port", spec->port);
	stream_end_dict(s);
}

static void put_config(struct json_stream *s, const char *key, const struct nvme_mptcp_plan *plan)
{
	stream_dict(s, key);
	stream_dict(s, "limits");
	if (plan->limits.subflows != NVME_MPTCP_UNKNOWN)
		json_put_int(s, "subflows", plan->limits.subflows);
	if (plan->limits.add_addr_accepted != NVME_MPTCP_UNKNOWN)
		json_put_int(s, "add_addr_accepted", plan->limits.add_addr_accepted);
	stream_end_dict(s);
	stream_list(s, "endpoints");
	for (size_t i = 0; i < plan->n_wanted; i++)
		put_wanted(s, &plan->wanted[i]);
	stream_end_list(s);
	stream_end_dict(s);
}

static void put_links(struct json_stream *s, const struct nvme_mptcp_plan *plan)
{
	stream_list(s, "links");
	for (size_t i = 0; i < plan->n_links; i++) {
		stream_dict(s, NULL);
		stream_string(s, "link", plan->links[i].name);
		stream_string(s, "address", plan->links[i].address);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_steps(struct json_stream *s, const struct nvme_mptcp_plan *plan)
{
	stream_list(s, "steps");
	FOR_EACH(step, plan->steps, plan->n_steps) {
		stream_dict(s, NULL);
		stream_string(s, "action", step_action_name(step->action));
		stream_string(s, "command", step->command);
		stream_string(s, "why", step->why);
		stream_string(s, "state", nvme_mptcp_step_state_name(step->state));
		stream_string(s, "error", step->error);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_notes(struct json_stream *s, const struct nvme_mptcp_plan *plan)
{
	stream_list(s, "notes");
	FOR_EACH(note, plan->notes, plan->n_notes) {
		stream_dict(s, NULL);
		stream_string(s, "text", note->text);
		stream_string(s, "side", nvme_mptcp_role_name(note->side));
		stream_string(s, "command", note->command);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_gaps(struct json_stream *s, const struct nvme_mptcp_plan *plan)
{
	stream_list(s, "missing");
	FOR_EACH(gap, plan->gaps, plan->n_gaps) {
		stream_dict(s, NULL);
		stream_string(s, "subject", gap->subject);
		stream_list(s, "controllers");
		for (size_t j = 0; gap->ctrls && gap->ctrls[j]; j++)
			stream_string(s, NULL, gap->ctrls[j]);
		stream_end_list(s);
		stream_string(s, "link", gap->link);
		json_put_int(s, "missing", (int64_t)gap->gap.missing);
		json_put_int(s, "connections", (int64_t)gap->gap.connections);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

char *nvme_mptcp_plan_to_json(nvme_mptcp_plan_t plan, bool pretty)
{
	struct json_stream s = { .pretty = pretty };

	stream_dict(&s, NULL);
	json_put_int(&s, "version", SCHEMA_VERSION);
	stream_string(&s, "netns", plan->netns);
	stream_string(&s, "role", nvme_mptcp_role_name(plan->role));
	stream_string(&s, "method", nvme_mptcp_plan_method_name(plan->method));
	put_links(&s, plan);
	if (plan->independent)
		put_gaps(&s, plan);
	json_put_int(&s, "unrepairable", (int64_t)plan->n_unrepairable);
	put_steps(&s, plan);
	put_notes(&s, plan);
	if (!plan->independent)
		put_config(&s, "config", plan);
	stream_end_dict(&s);
	return stream_finish(&s);
}

char *nvme_mptcp_plan_to_config(nvme_mptcp_plan_t plan)
{
	struct json_stream s = { .pretty = true };

	put_config(&s, NULL, plan);
	return stream_finish(&s);
}
