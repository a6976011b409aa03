// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Log of nvme mptcp keep: lines or JSON documents on standard output, or entries of the journal, in
 * the protocol of systemd's documentation "Native Journal Protocol".
 */
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "keep.h"
#include "monitor-links.h"

#define JOURNAL "/run/systemd/journal/socket"

/* A log entry; members that are NULL are omitted. */
struct keep_entry {
	enum keep_priority priority;
	const char *event; /* "step", "note", "status", "failure", "reloaded", "reset", "lost" */
	const char *text; /* a sentence */
	const char *action; /* of a step, like the following members */
	const char *state;
	const char *command;
	const char *error;
	const char *link;
	const char *rule;
	const char *side; /* side on which to run a note's command */
	const char *const *ctrls; /* NULL-terminated */
};

/*
 * True if standard error is connected to the journal: systemd sets JOURNAL_STREAM to its device and
 * inode.
 */
static bool leads_to_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == device && st.st_ino == inode;
}

static int open_journal(void)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

void keep_log_open(struct keep_log *log, struct command *cmd)
{
	*log = (struct keep_log){ .cmd = cmd, .journal = -1 };
	if (!out_is_json(cmd->out) && leads_to_journal())
		log->journal = open_journal();
}

static void free_notes(char **notes, size_t n)
{
	while (n--)
		free(notes[n]);
	free(notes);
}

void keep_log_close(struct keep_log *log)
{
	if (log->journal >= 0)
		close(log->journal);
	free_notes(log->notes, log->n_notes);
	free(log->rest);
	keep_log_reset(log);
	*log = (struct keep_log){ .journal = -1 };
}

/* Write a field. Newlines in the value become spaces, since a newline ends the field. */
static void put_field(FILE *to, const char *key, const char *value)
{
	if (!value)
		return;
	fprintf(to, "%s=", key);
	for (; *value; value++)
		fputc(*value == '\n' ? ' ' : *value, to);
	fputc('\n', to);
}

static void put_fields(FILE *to, const struct keep_entry *entry)
{
	fprintf(to, "PRIORITY=%d\nSYSLOG_IDENTIFIER=nvme-mptcp\n", entry->priority);
	fputs("MESSAGE=", to);
	if (entry->command && entry->state)
		fprintf(to, "%s: %s%s%s: ", entry->command, entry->state, entry->error ? ", " : "",
			entry->error ? entry->error : "");
	for (const char *c = entry->text; *c; c++)
		fputc(*c == '\n' ? ' ' : *c, to);
	fputc('\n', to);
	put_field(to, "EVENT", entry->event);
	put_field(to, "ACTION", entry->action);
	put_field(to, "STATE", entry->state);
	put_field(to, "COMMAND", entry->command);
	put_field(to, "ERROR", entry->error);
	put_field(to, "LINK", entry->link);
	put_field(to, "RULE", entry->rule);
	put_field(to, "SIDE", entry->side);
	for (size_t i = 0; entry->ctrls && entry->ctrls[i] && i < KEEP_MAX_CTRLS; i++)
		put_field(to, "CONTROLLER", entry->ctrls[i]);
}

static int send_entry(struct keep_log *log, const struct keep_entry *entry)
{
	_cleanup_(text_wipe) struct text text = { 0 };

	if (text_open(&text))
		put_fields(text.stream, entry);
	if (text_close(&text))
		return -ENOMEM;
	return send(log->journal, text.bytes, text.length,
		    MSG_NOSIGNAL | (log->is_urgent ? MSG_DONTWAIT : 0)) < 0
		       ? -errno
		       : 0;
}

static int64_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static void show_json(struct out *out, const struct keep_entry *entry)
{
	out_object(out, NULL);
	out_int(out, "time_us", microseconds());
	out_str(out, "event", entry->event);
	out_int(out, "priority", entry->priority);
	out_str(out, "text", entry->text);
	out_str(out, "action", entry->action);
	out_str(out, "state", entry->state);
	out_str(out, "command", entry->command);
	out_str(out, "error", entry->error);
	out_str(out, "link", entry->link);
	out_str(out, "rule", entry->rule);
	out_str(out, "side", entry->side);
	out_array(out, "controllers");
	for (size_t i = 0; entry->ctrls && entry->ctrls[i] && i < KEEP_MAX_CTRLS; i++)
		out_str(out, NULL, entry->ctrls[i]);
	out_end(out);
	out_end(out);
}

static enum out_colour colour_of(enum keep_priority priority)
{
	switch (priority) {
	case KEEP_ERROR:
		return OUT_RED;
	case KEEP_WARNING:
		return OUT_YELLOW;
	default:
		return OUT_PLAIN;
	}
}

static void show_text(struct out *out, const struct keep_entry *entry)
{
	monitor_show_start(out, microseconds(), entry->link, colour_of(entry->priority),
			   entry->state ? entry->state : entry->event);
	if (entry->command && entry->state)
		out_text(out, "  %s", out_safe(out, entry->command));
	if (entry->error)
		out_text(out, "  %s", out_safe(out, entry->error));
	out_text(out, "  %s\n", out_safe(out, entry->text));
}

static int log_fd(const struct keep_log *log)
{
	return log->journal >= 0 ? log->journal : STDOUT_FILENO;
}

/*
 * True if @fd is writable; a pipe then takes PIPE_BUF bytes. Waits for that unless log->is_urgent:
 * the reader may have stopped.
 */
static bool has_room(const struct keep_log *log, int fd)
{
	struct pollfd fds = { .fd = fd, .events = POLLOUT };

	while (poll(&fds, 1, log->is_urgent ? 0 : -1) < 0)
		if (errno != EINTR)
			return true;
	return fds.revents;
}

/* Write the rest in pieces of PIPE_BUF bytes, which a pipe takes completely or not at all. */
static int log_rest(struct keep_log *log)
{
	int err = 0;

	while (log->n_rest && !err && has_room(log, STDOUT_FILENO)) {
		const size_t n = log->n_rest < PIPE_BUF ? log->n_rest : PIPE_BUF;

		fwrite(log->rest, 1, n, stdout);
		err = out_finish(log->cmd->out);
		log->n_rest -= n;
		memmove(log->rest, log->rest + n, log->n_rest);
	}
	return err ? 1 : 0;
}

static int log_to_stdout(struct keep_log *log, const struct keep_entry *entry)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	struct out *out = log->cmd->out;
	FILE *stream;

	if (!text_open(&text))
		return command_fail(log->cmd, ENOMEM, NVME_COMMAND " %s", log->cmd->name);
	stream = out_redirect(out, text.stream);
	if (out_is_json(out))
		show_json(out, entry);
	else
		show_text(out, entry);
	out_redirect(out, stream);
	if (text_close(&text))
		return command_fail(log->cmd, ENOMEM, NVME_COMMAND " %s", log->cmd->name);
	free(log->rest);
	log->n_rest = text.length;
	log->rest = text_take(&text);
	return log_rest(log);
}

/*
 * Write an entry. If the journal is full after all, the entry is lost; without a journal, or if
 * sending fails, the entry goes to standard output.
 */
static int log_put(struct keep_log *log, const struct keep_entry *entry)
{
	const int err = log->journal >= 0 ? send_entry(log, entry) : -ENOTCONN;

	if (err == -EAGAIN)
		log->lost++;
	return !err || err == -EAGAIN ? 0 : log_to_stdout(log, entry);
}

static int log_lost(struct keep_log *log)
{
	char text[96];
	const struct keep_entry entry = { .priority = KEEP_WARNING, .event = "lost", .text = text };

	snprintf(text, sizeof(text),
		 "%zu entr%s could not be written, because no process read "
		 "them",
		 log->lost, log->lost == 1 ? "y" : "ies");
	log->lost = 0;
	/* The status may be among the lost entries, so log it again. */
	keep_log_reset(log);
	return log_put(log, &entry);
}

int keep_log_poll_fd(const struct keep_log *log)
{
	return log->n_rest ? STDOUT_FILENO : log->lost ? log_fd(log) : -1;
}

int keep_log_flush(struct keep_log *log)
{
	const int err = log_rest(log);

	return err || log->n_rest || !log->lost || !has_room(log, log_fd(log)) ? err
									       : log_lost(log);
}

static int log_entry(struct keep_log *log, const struct keep_entry *entry)
{
	const int err = keep_log_flush(log);

	if (err)
		return err;
	if (log->n_rest || log->lost || !has_room(log, log_fd(log))) {
		log->lost++;
		return 0;
	}
	return log_put(log, entry);
}

int keep_log_text(struct keep_log *log, enum keep_priority priority, const char *event,
		  const char *fmt, ...)
{
	struct keep_entry entry = { .priority = priority, .event = event };
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	entry.text = text;
	return log_entry(log, &entry);
}

/* Return the controllers with missing subflows on the link of a step, or NULL. */
static const char *const *ctrls_on(nvme_mptcp_plan_t plan, const char *link,
				   const char *names[static KEEP_MAX_CTRLS + 1])
{
	const struct nvme_mptcp_gap *gap;
	size_t n = 0;

	for (size_t i = 0; link && n < KEEP_MAX_CTRLS && (gap = nvme_mptcp_plan_gap(plan, i)); i++)
		for (size_t j = 0; gap->ctrls && gap->ctrls[j] && n < KEEP_MAX_CTRLS; j++)
			if (!strcmp(gap->link, link))
				names[n++] = gap->ctrls[j];
	names[n] = NULL;
	return n ? names : NULL;
}

static int log_step(struct keep_log *log, nvme_mptcp_plan_t plan, nvme_mptcp_step_t step)
{
	const enum nvme_mptcp_step_state state = nvme_mptcp_step_state(step);
	const char *names[KEEP_MAX_CTRLS + 1];
	const struct keep_entry entry = {
		.priority = state == NVME_MPTCP_STEP_DONE      ? KEEP_NOTICE
			    : state == NVME_MPTCP_STEP_PLANNED ? KEEP_INFO
							       : KEEP_ERROR,
		.event = "step",
		.text = nvme_mptcp_step_why(step),
		.action = nvme_mptcp_step_action(step),
		.state = nvme_mptcp_step_state_name(state),
		.command = nvme_mptcp_step_command(step),
		.error = nvme_mptcp_step_error(step),
		.link = nvme_mptcp_step_link(step),
		.rule = nvme_mptcp_step_rule(step),
		.ctrls = ctrls_on(plan, nvme_mptcp_step_link(step), names),
	};

	return log_entry(log, &entry);
}

static bool is_known(const struct keep_log *log, const char *note)
{
	for (size_t i = 0; i < log->n_notes; i++)
		if (!strcmp(log->notes[i], note))
			return true;
	return false;
}

static size_t count_notes(nvme_mptcp_plan_t plan)
{
	enum nvme_mptcp_role side;
	const char *command;
	size_t n = 0;

	while (nvme_mptcp_plan_note(plan, n, &side, &command))
		n++;
	return n;
}

static int log_note(struct keep_log *log, const char *text, enum nvme_mptcp_role side,
		    const char *command)
{
	const struct keep_entry entry = {
		.priority = KEEP_WARNING,
		.event = "note",
		.text = text,
		.command = command,
		.side = side == NVME_MPTCP_ROLE_AUTO ? NULL : nvme_mptcp_role_name(side),
	};

	return is_known(log, text) ? 0 : log_entry(log, &entry);
}

static int log_notes(struct keep_log *log, nvme_mptcp_plan_t plan, bool incomplete)
{
	const size_t n = count_notes(plan);
	char **notes = calloc(n + 1, sizeof(*notes));
	int err = notes ? 0 : command_fail(log->cmd, ENOMEM, NVME_COMMAND " %s", log->cmd->name);
	size_t made = 0;

	for (size_t i = 0; !err && i < n; i++) {
		enum nvme_mptcp_role side;
		const char *command, *text = nvme_mptcp_plan_note(plan, i, &side, &command);

		if (side == NVME_MPTCP_ROLE_TARGET && !incomplete)
			continue;
		err = log_note(log, text, side, command);
		if (err)
			break;
		notes[made] = strdup(text);
		if (!notes[made])
			err = command_fail(log->cmd, ENOMEM, NVME_COMMAND " %s", log->cmd->name);
		else
			made++;
	}
	if (err) {
		free_notes(notes, made);
		return err;
	}
	free_notes(log->notes, log->n_notes);
	log->notes = notes;
	log->n_notes = made;
	return 0;
}

int keep_log_plan(struct keep_log *log, nvme_mptcp_plan_t plan, bool incomplete)
{
	int err = 0;

	nvme_mptcp_for_each_step(plan, step) {
		if (!err)
			err = log_step(log, plan, step);
	}
	return err ? err : log_notes(log, plan, incomplete);
}

int keep_log_done(struct keep_log *log, nvme_mptcp_plan_t plan)
{
	enum nvme_mptcp_role side;
	const char *command, *text;
	int err = 0;

	nvme_mptcp_for_each_step(plan, step) {
		if (!err)
			err = log_step(log, plan, step);
	}
	for (size_t i = 0; !err && (text = nvme_mptcp_plan_note(plan, i, &side, &command)); i++)
		err = log_note(log, text, side, command);
	return err;
}

void keep_log_reset(struct keep_log *log)
{
	free(log->failure);
	free(log->status);
	log->failure = log->status = NULL;
}

bool keep_log_has_failed(const struct keep_log *log, const char *text)
{
	return log->failure && !strcmp(log->failure, text);
}

int keep_log_failure(struct keep_log *log, const char *text)
{
	if (keep_log_has_failed(log, text))
		return 0;
	/* Log the next status even if it equals the one before the failure. */
	keep_log_reset(log);
	log->failure = strdup(text);
	if (!log->failure)
		return command_fail(log->cmd, ENOMEM, NVME_COMMAND " %s", log->cmd->name);
	return keep_log_text(log, KEEP_ERROR, "failure", "%s", text);
}

int keep_log_status(struct keep_log *log, const struct keep_status *status)
{
	const struct keep_entry entry = {
		.priority = status->is_well ? KEEP_INFO : KEEP_WARNING,
		.event = "status",
		.text = status->text,
		.ctrls = status->ctrls,
	};

	free(log->failure);
	log->failure = NULL;
	if (log->status && !strcmp(log->status, status->text))
		return 0;
	free(log->status);
	log->status = strdup(status->text);
	if (!log->status)
		return command_fail(log->cmd, ENOMEM, NVME_COMMAND " %s", log->cmd->name);
	return log_entry(log, &entry);
}
