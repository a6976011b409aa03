// SPDX-License-Identifier: LGPL-2.1-or-later
/* Creates plans step by step, and reads them. */
#include "steps.h"

static const char *const action_names[STEP_ACTIONS] = {
	[STEP_ADD] = "add",	    [STEP_DELETE] = "delete", [STEP_REPLACE] = "replace",
	[STEP_FLAGS] = "flags",	    [STEP_LIMITS] = "limits", [STEP_RENEW] = "renew",
	[STEP_SETTING] = "setting", [STEP_CLOSE] = "close",   [STEP_FILE] = "config",
	[STEP_COMMAND] = "command",
};

const char *step_action_name(enum step_action action)
{
	return action_names[action];
}

bool step_removes(const struct nvme_mptcp_step *step)
{
	return step->action == STEP_DELETE || step->action == STEP_REPLACE ||
	       step->action == STEP_RENEW;
}

struct nvme_mptcp_plan *plan_new(const struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
				 enum nvme_mptcp_plan_method method)
{
	struct nvme_mptcp_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->role = role;
	plan->method = method;
	plan->limits.subflows = snap->limit_subflows;
	plan->limits.add_addr_accepted = snap->limit_add_addr_accepted;
	plan->err = str_set(&plan->netns, snap->netns);
	return plan;
}

static void free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static void free_content(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

static void free_step(struct nvme_mptcp_step *step)
{
	free_content(step->before);
	free_content(step->after);
	free(step->setting);
	free(step->command);
	free(step->why);
	free(step->error);
}

void plan_drop_step(struct nvme_mptcp_plan *plan, size_t i)
{
	struct nvme_mptcp_step *step = &plan->steps[i];

	free_step(step);
	memmove(step, step + 1, (plan->n_steps - i - 1) * sizeof(*step));
	plan->n_steps--;
}

void nvme_mptcp_plan_free(nvme_mptcp_plan_t plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->n_steps; i++)
		free_step(&plan->steps[i]);
	for (size_t i = 0; i < plan->n_notes; i++) {
		free(plan->notes[i].text);
		free(plan->notes[i].command);
	}
	for (size_t i = 0; i < plan->n_gaps; i++) {
		free(plan->gaps[i].subject);
		free_names(plan->gaps[i].ctrls);
	}
	free(plan->links);
	free(plan->steps);
	free(plan->notes);
	free(plan->gaps);
	free(plan->portals);
	free(plan->wanted);
	free(plan->netns);
	free(plan);
}

int plan_finish(struct nvme_mptcp_plan *plan, int err, struct nvme_mptcp_plan **ret)
{
	if (!err)
		err = plan->err;
	if (err)
		nvme_mptcp_plan_free(plan);
	else
		*ret = plan;
	return err;
}

void plan_note_disabled(struct nvme_mptcp_plan *plan)
{
	plan_note(plan, NVME_MPTCP_ROLE_AUTO, "sysctl -w net.mptcp.enabled=1",
		  "MPTCP is disabled (net.mptcp.enabled): no new connection can be made");
}

static void put_flags(FILE *out, int64_t old, int64_t new)
{
	const int64_t changed = old ^ new;

	if (changed & NVME_MPTCP_ENDPOINT_BACKUP)
		fprintf(out, " %sbackup", new &NVME_MPTCP_ENDPOINT_BACKUP ? "" : "no");
	if (changed & NVME_MPTCP_ENDPOINT_FULLMESH)
		fprintf(out, " %sfullmesh", new &NVME_MPTCP_ENDPOINT_FULLMESH ? "" : "no");
}

struct pm_limits plan_changed_limits(const struct pm_limits *from, const struct pm_limits *to)
{
	struct pm_limits set = *to;

	if (set.subflows == from->subflows)
		set.subflows = NVME_MPTCP_UNKNOWN;
	if (set.add_addr_accepted == from->add_addr_accepted)
		set.add_addr_accepted = NVME_MPTCP_UNKNOWN;
	return set;
}

/* @tool is "ip mptcp", or "ip -n NAME mptcp" for another namespace. */
static void put_command(FILE *out, const char *tool, const struct nvme_mptcp_step *step)
{
	char text[ENDPOINT_SPEC_TEXT];

	fputs(tool, out);
	if (step_removes(step))
		fprintf(out, " endpoint delete id %u", step->old.id);
	if (step->action == STEP_REPLACE || step->action == STEP_RENEW)
		fprintf(out, " && %s", tool);
	if (step->action == STEP_FLAGS) {
		fprintf(out, " endpoint change id %u", step->old.id);
		put_flags(out, step->old.flags, step->new.flags);
	} else if (step->action == STEP_LIMITS) {
		const struct pm_limits set =
			plan_changed_limits(&step->old_limits, &step->new_limits);

		fputs(" limits set", out);
		if (set.subflows != NVME_MPTCP_UNKNOWN)
			fprintf(out, " subflows %lld", (long long)set.subflows);
		if (set.add_addr_accepted != NVME_MPTCP_UNKNOWN)
			fprintf(out, " add_addr_accepted %lld", (long long)set.add_addr_accepted);
	} else if (step->action != STEP_DELETE) {
		endpoint_spec_text(&step->new, text);
		fprintf(out, " endpoint add %s", text);
	}
}

static char *command_of(const struct nvme_mptcp_plan *plan, const struct nvme_mptcp_step *step)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	_cleanup_(free) char *tool = NULL;
	char setting[SETTING_PATH + 64];

	if (step->action == STEP_CLOSE) {
		snprintf(setting, sizeof(setting), "ss -K -t src %s dst %s",
			 ADDRESS_PORT_STRING(&step->local), ADDRESS_PORT_STRING(&step->remote));
		return snapshot_command(setting, plan->netns);
	}
	if (step->action == STEP_SETTING && *step->setting == '/') {
		/* configfs is the same in all network namespaces */
		snprintf(setting, sizeof(setting), "echo %lld >%s", (long long)step->new_value,
			 step->setting);
		return strdup(setting);
	}
	if (step->action == STEP_SETTING) {
		snprintf(setting, sizeof(setting), "sysctl -w net.mptcp.%s=%lld", step->setting,
			 (long long)step->new_value);
		return snapshot_command(setting, plan->netns);
	}
	tool = snapshot_command("ip mptcp", plan->netns);
	if (!tool)
		return NULL;
	if (text_open(&text))
		put_command(text.stream, tool, step);
	return text_close(&text) ? NULL : text_take(&text);
}

static char *__attribute__((format(printf, 1, 0))) format(const char *fmt, va_list ap)
{
	char *text;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

/* Takes @why, which may be NULL: finish_step() sees that. */
static struct nvme_mptcp_step *new_step(struct nvme_mptcp_plan *plan, enum step_action action,
					char *why)
{
	struct nvme_mptcp_step *step = array_add(&plan->steps, &plan->n_steps, sizeof(*step));

	if (step) {
		step->action = action;
		step->why = why;
	} else {
		plan->err = -ENOMEM;
		free(why);
	}
	return step;
}

/* Set the command of a complete step. */
static struct nvme_mptcp_step *finish_step(struct nvme_mptcp_plan *plan,
					   struct nvme_mptcp_step *step)
{
	free(step->command);
	step->command = command_of(plan, step);
	if (!step->why || !step->command)
		plan->err = -ENOMEM;
	return step;
}

struct nvme_mptcp_step *plan_step(struct nvme_mptcp_plan *plan, enum step_action action,
				  const struct endpoint_spec *old, const struct endpoint_spec *new,
				  const char *why, ...)
{
	struct nvme_mptcp_step *step;
	va_list ap;

	va_start(ap, why);
	step = new_step(plan, action, format(why, ap));
	va_end(ap);
	if (!step)
		return NULL;
	if (old)
		step->old = *old;
	if (new)
		step->new = *new;
	return finish_step(plan, step);
}

void plan_limits_step(struct nvme_mptcp_plan *plan, const struct pm_limits *old,
		      const struct pm_limits *new, const char *why)
{
	struct nvme_mptcp_step *step = new_step(plan, STEP_LIMITS, strdup(why));

	if (!step)
		return;
	step->old_limits = *old;
	step->new_limits = *new;
	finish_step(plan, step);
}

static void lower(struct nvme_mptcp_plan *plan, const char *name, int64_t *limit, int64_t *wanted,
		  int64_t most)
{
	if (*limit <= most)
		return;
	plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "The limit %s becomes %lld instead of %lld, the maximum of this kernel", name,
		  (long long)most, (long long)*limit);
	*limit = *wanted = most;
}

void plan_lower_limits(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, int64_t most)
{
	lower(plan, "subflows", &step->new_limits.subflows, &plan->limits.subflows, most);
	lower(plan, "add_addr_accepted", &step->new_limits.add_addr_accepted,
	      &plan->limits.add_addr_accepted, most);
	plan->limit_max = (uint32_t)most;
	finish_step(plan, step);
}

void plan_setting_step(struct nvme_mptcp_plan *plan, const char *name, int64_t old, int64_t new,
		       const char *why)
{
	struct nvme_mptcp_step *step = new_step(plan, STEP_SETTING, strdup(why));

	if (!step)
		return;
	step->setting = strdup(name);
	step->old_value = old;
	step->new_value = new;
	if (step->setting)
		finish_step(plan, step);
	else
		plan->err = -ENOMEM;
}

int plan_file_step(struct nvme_mptcp_plan *plan, const char *path, char *before, char *after,
		   const char *command, const char *why)
{
	struct nvme_mptcp_step *step = new_step(plan, STEP_FILE, strdup(why));

	if (!step) {
		free_content(before);
		free_content(after);
		return -ENOMEM;
	}
	step->before = before;
	step->after = after;
	step->setting = strdup(path);
	step->command = strdup(command);
	if (!step->setting || !step->command || !step->why)
		plan->err = -ENOMEM;
	return plan->err;
}

int nvme_mptcp_plan_add_command(nvme_mptcp_plan_t plan, const char *command, const char *why,
				enum nvme_mptcp_step_state state, const char *error)
{
	struct nvme_mptcp_step *step = new_step(plan, STEP_COMMAND, strdup(why));

	failure_begin();
	if (step) {
		step->state = state;
		step->command = strdup(command);
		step->error = error ? strdup(error) : NULL;
	}
	if (step && step->command && step->why && (!error || step->error))
		return 0;
	if (step)
		plan_drop_step(plan, plan->n_steps - 1);
	return failure_raise(-ENOMEM, "a step of a plan");
}

struct nvme_mptcp_step *plan_close_step(struct nvme_mptcp_plan *plan,
					const struct socket_address *local,
					const struct socket_address *remote, const char *why, ...)
{
	struct nvme_mptcp_step *step;
	va_list ap;

	va_start(ap, why);
	step = new_step(plan, STEP_CLOSE, format(why, ap));
	va_end(ap);
	if (!step)
		return NULL;
	step->local = *local;
	step->remote = *remote;
	return finish_step(plan, step);
}

int plan_check_devices(const struct nvme_mptcp_snapshot *snap, const char *const *devices)
{
	for (; devices && *devices; devices++)
		if (!plan_link_by_name(snap, *devices))
			return failure_note(
				-ENODEV, "dev=%s: no such network interface (ip link lists them)",
				*devices);
	return 0;
}

void plan_propagate_id(struct nvme_mptcp_plan *plan, size_t i)
{
	const struct endpoint_spec *made = &plan->steps[i].new;

	for (; i < plan->n_steps; i++) {
		struct nvme_mptcp_step *step = &plan->steps[i];

		if (step->action != STEP_DELETE || step->old.id || step->old.port != made->port ||
		    !address_equal(&step->old.ip, &made->ip))
			continue;
		step->old.id = made->id;
		free(step->command);
		step->command = command_of(plan, step);
		if (!step->command)
			plan->err = -ENOMEM;
	}
}

void plan_note(struct nvme_mptcp_plan *plan, enum nvme_mptcp_role side, const char *command,
	       const char *text, ...)
{
	struct plan_note *note = array_add(&plan->notes, &plan->n_notes, sizeof(*note));
	/* The other side has its own namespaces. */
	const bool is_here = side == NVME_MPTCP_ROLE_AUTO || side == plan->role;
	va_list ap;

	if (!note) {
		plan->err = -ENOMEM;
		return;
	}
	note->side = side;
	va_start(ap, text);
	note->text = format(text, ap);
	va_end(ap);
	if (command)
		note->command = snapshot_command(command, is_here ? plan->netns : NULL);
	if (!note->text || (command && !note->command))
		plan->err = -ENOMEM;
}

static char **copy_names(const char *const *names)
{
	size_t n = 0;
	char **copy;

	while (names[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(names[i]);
		if (copy[i])
			continue;
		free_names(copy);
		return NULL;
	}
	return copy;
}

/* "nvme0,nvme1" */
static char *join_names(const char *const *names)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out = text_open(&text);

	for (size_t i = 0; out && names[i]; i++)
		fprintf(out, "%s%s", i ? "," : "", names[i]);
	return text_close(&text) ? NULL : text_take(&text);
}

void plan_gap(struct nvme_mptcp_plan *plan, const char *const *ctrls, const char *link,
	      size_t missing, size_t connections)
{
	struct plan_gap *gap = array_add(&plan->gaps, &plan->n_gaps, sizeof(*gap));

	if (gap) {
		gap->subject = ctrls ? join_names(ctrls) : strdup("hosts");
		gap->ctrls = ctrls ? copy_names(ctrls) : NULL;
	}
	if (!gap || !gap->subject || (ctrls && !gap->ctrls)) {
		plan->err = -ENOMEM;
		return;
	}
	str_copy(gap->link, sizeof(gap->link), link, strlen(link));
	gap->gap.missing = missing;
	gap->gap.connections = connections;
}

GETTER(enum nvme_mptcp_plan_method, nvme_mptcp_plan_method, nvme_mptcp_plan_t, method);

const char *nvme_mptcp_plan_method_name(enum nvme_mptcp_plan_method method)
{
	static const char *const names[] = {
		[NVME_MPTCP_METHOD_ANNOUNCED] = "announced",
		[NVME_MPTCP_METHOD_LAMINAR] = "laminar",
		[NVME_MPTCP_METHOD_ROUTED] = "routed",
		[NVME_MPTCP_METHOD_SUBFLOW] = "subflow",
		[NVME_MPTCP_METHOD_SIGNAL] = "signal",
		[NVME_MPTCP_METHOD_SINGLE] = "single",
		[NVME_MPTCP_METHOD_REPAIR] = "repair",
		[NVME_MPTCP_METHOD_CONFIG] = "config",
	};

	return (size_t)method < sizeof(names) / sizeof(*names) ? names[method] : "unknown";
}

const char *nvme_mptcp_plan_link(nvme_mptcp_plan_t plan, size_t i, const char **address)
{
	if (i >= plan->n_links)
		return NULL;
	*address = plan->links[i].address;
	return plan->links[i].name;
}

nvme_mptcp_step_t nvme_mptcp_step_next(nvme_mptcp_plan_t plan, nvme_mptcp_step_t step)
{
	const struct nvme_mptcp_step *next = step ? step + 1 : plan->steps;

	return plan->n_steps && next < plan->steps + plan->n_steps ? next : NULL;
}

GETTER(const char *, nvme_mptcp_step_command, nvme_mptcp_step_t, command);
GETTER(const char *, nvme_mptcp_step_why, nvme_mptcp_step_t, why);
GETTER(enum nvme_mptcp_step_state, nvme_mptcp_step_state, nvme_mptcp_step_t, state);

const char *nvme_mptcp_step_state_name(enum nvme_mptcp_step_state state)
{
	static const char *const names[] = { "planned", "done", "failed", "undone", "stuck" };

	return state >= 0 && (size_t)state < sizeof(names) / sizeof(*names) ? names[state]
									    : "unknown";
}

const char *nvme_mptcp_step_action(nvme_mptcp_step_t step)
{
	return step_action_name(step->action);
}

const char *nvme_mptcp_step_link(nvme_mptcp_step_t step)
{
	const char *device = step->action == STEP_DELETE ? step->old.device : step->new.device;

	return *device ? device : NULL;
}

const char *nvme_mptcp_step_rule(nvme_mptcp_step_t step)
{
	static const char *const rules[STEP_ACTIONS] = {
		[STEP_DELETE] = "H17", [STEP_REPLACE] = "H08", [STEP_LIMITS] = "H05",
		[STEP_RENEW] = "C05",  [STEP_SETTING] = "T15",
	};

	if (step->rule)
		return step->rule;
	if (step->action == STEP_ADD)
		return step->new.flags &NVME_MPTCP_ENDPOINT_SIGNAL ? "T01" : "H01";
	return rules[step->action];
}

GETTER(const char *, nvme_mptcp_step_error, nvme_mptcp_step_t, error);

const char *nvme_mptcp_plan_note(nvme_mptcp_plan_t plan, size_t i, enum nvme_mptcp_role *side,
				 const char **command)
{
	if (i >= plan->n_notes)
		return NULL;
	*side = plan->notes[i].side;
	*command = plan->notes[i].command;
	return plan->notes[i].text;
}

GETTER(size_t, nvme_mptcp_plan_unrepairable, nvme_mptcp_plan_t, n_unrepairable);

const struct nvme_mptcp_gap *nvme_mptcp_plan_gap(nvme_mptcp_plan_t plan, size_t i)
{
	if (i >= plan->n_gaps)
		return NULL;
	/* The array may have moved since the gap was added. */
	plan->gaps[i].gap.subject = plan->gaps[i].subject;
	plan->gaps[i].gap.link = plan->gaps[i].link;
	plan->gaps[i].gap.ctrls = (const char *const *)plan->gaps[i].ctrls;
	return &plan->gaps[i].gap;
}
