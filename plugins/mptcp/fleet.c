// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Summary of the reports of many machines, in one pass: each report is read, counted and freed
 * before the next one. The output lists rules, and the machines on which they were found.
 */
#include <dirent.h>
#include <search.h>

#include "mptcp.h"

#define SHOWN 3 /* maximum number of machines printed per rule, without -v */

/* A finding on a machine. */
struct place {
	char *machine, *file, *subject, *why;
};

struct problem {
	char *rule;
	const char *severity; /* static */
	struct place *places;
	size_t n_places;
	size_t n_machines;
	size_t last; /* number of the last report with this problem, to count a machine once */
	char *machines; /* list for text output */
};

struct unreadable {
	char *file, *reason;
};

/* A report that was read. */
struct taken {
	char *file, *machine;
	int64_t taken, age; /* seconds; a negative age means that the machine's clock was ahead */
	size_t errors, warnings;
};

/* A hostname found in reports. */
struct machine {
	char *name;
	size_t n_reports;
};

struct fleet {
	void *by_name; /* tsearch(3) tree of struct machine */
	/* tsearch(3) tree by rule and severity: reports may contain unknown rules */
	void *by_rule;
	struct problem **problems;
	size_t n_problems;
	struct unreadable *unreadable;
	size_t n_unreadable;
	struct taken *taken;
	size_t n_reports, n_clean;
	size_t n_errors; /* reports with errors */
	time_t now;
	bool failed; /* out of memory */
};

static char *copy(struct fleet *fleet, const char *text)
{
	char *result = strdup(text ? text : "");

	fleet->failed |= !result;
	return result;
}

static int by_rule(const void *a, const void *b)
{
	const struct problem *x = a, *y = b;
	int order = strcmp(x->rule, y->rule);

	return order ? order : strcmp(x->severity, y->severity);
}

static int by_name(const void *a, const void *b)
{
	const struct machine *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void free_machine(void *machine)
{
	free(((struct machine *)machine)->name);
	free(machine);
}

static void count_machine(struct fleet *fleet, const char *name)
{
	const struct machine wanted = { .name = (char *)name };
	struct machine **found = tfind(&wanted, &fleet->by_name, by_name);
	struct machine *added;

	if (found) {
		(*found)->n_reports++;
		return;
	}
	added = calloc(1, sizeof(*added));
	if (added) {
		*added = (struct machine){ .name = strdup(name), .n_reports = 1 };
		if (added->name && tsearch(added, &fleet->by_name, by_name))
			return;
		free_machine(added);
	}
	fleet->failed = true;
}

/*
 * True if several reports have this hostname: older reports of one machine, or machines of the same
 * name.
 */
static bool is_several(const struct fleet *fleet, const char *name)
{
	const struct machine wanted = { .name = (char *)name };
	struct machine **found = tfind(&wanted, &fleet->by_name, by_name);

	return found && (*found)->n_reports > 1;
}

static void free_problem(struct problem *problem)
{
	for (size_t i = 0; i < problem->n_places; i++) {
		free(problem->places[i].machine);
		free(problem->places[i].file);
		free(problem->places[i].subject);
		free(problem->places[i].why);
	}
	free(problem->places);
	free(problem->rule);
	free(problem->machines);
	free(problem);
}

/*
 * Return @array with space for element @n, or NULL if out of memory. It grows if @n is a power of
 * two.
 */
static void *grow_array(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : reallocarray(array, n ? 2 * n : 1, size);
}

static struct problem *add_problem(struct fleet *fleet, const char *rule, const char *severity)
{
	struct problem **grown = grow_array(fleet->problems, fleet->n_problems, sizeof(*grown));
	struct problem *added = grown ? calloc(1, sizeof(*added)) : NULL;

	if (grown)
		fleet->problems = grown;
	if (!added)
		return NULL;
	added->rule = strdup(rule);
	added->severity = severity;
	if (!added->rule || !tsearch(added, &fleet->by_rule, by_rule)) {
		free_problem(added);
		return NULL;
	}
	grown[fleet->n_problems++] = added;
	return added;
}

static struct problem *find_problem(struct fleet *fleet, const char *rule, const char *severity)
{
	const struct problem wanted = { .rule = (char *)rule, .severity = severity };
	struct problem **found = tfind(&wanted, &fleet->by_rule, by_rule);
	struct problem *problem = found ? *found : add_problem(fleet, rule, severity);

	fleet->failed |= !problem;
	return problem;
}

static struct place *add_place(struct fleet *fleet, struct problem *problem)
{
	struct place *grown = grow_array(problem->places, problem->n_places, sizeof(*grown));

	if (!grown) {
		fleet->failed = true;
		return NULL;
	}
	problem->places = grown;
	return &grown[problem->n_places++];
}

static int rank(const char *severity)
{
	return strcmp(severity, nvme_mptcp_severity_name(NVME_MPTCP_ERROR)) ? 0 : 1;
}

static void count_report(struct fleet *fleet, const char *file, nvme_mptcp_peer_t peer)
{
	const char *machine = nvme_mptcp_peer_hostname(peer), *severity, *subject, *why, *rule;
	struct taken *grown = grow_array(fleet->taken, fleet->n_reports, sizeof(*grown)), *taken;

	if (!grown) {
		fleet->failed = true;
		return;
	}
	fleet->taken = grown;
	taken = &grown[fleet->n_reports++];
	if (!machine || !*machine)
		machine = file;
	*taken = (struct taken){ copy(fleet, file), copy(fleet, machine),
				 nvme_mptcp_peer_taken(peer) };
	taken->age = fleet->now - taken->taken;
	count_machine(fleet, machine);
	for (size_t i = 0; (rule = nvme_mptcp_peer_finding(peer, i, &severity, &subject, &why));
	     i++) {
		struct problem *problem;
		struct place *place;

		if (!strcmp(severity, nvme_mptcp_severity_name(NVME_MPTCP_INFO)))
			continue;
		*(rank(severity) ? &taken->errors : &taken->warnings) += 1;
		problem = find_problem(fleet, rule, severity);
		place = problem ? add_place(fleet, problem) : NULL;
		if (!place)
			return;
		*place = (struct place){ copy(fleet, machine), copy(fleet, file),
					 copy(fleet, subject), copy(fleet, why) };
		problem->n_machines += problem->last != fleet->n_reports;
		problem->last = fleet->n_reports;
	}
	fleet->n_clean += !taken->errors && !taken->warnings;
	fleet->n_errors += !!taken->errors;
}

static void note_unreadable(struct fleet *fleet, const char *file, const char *reason)
{
	struct unreadable *grown =
		realloc(fleet->unreadable, (fleet->n_unreadable + 1) * sizeof(*grown));

	if (!grown) {
		fleet->failed = true;
		return;
	}
	fleet->unreadable = grown;
	grown[fleet->n_unreadable++] =
		(struct unreadable){ copy(fleet, file), copy(fleet, reason) };
}

static void read_report(struct fleet *fleet, const char *directory, const char *name)
{
	_cleanup_(nvme_mptcp_peer_free) nvme_mptcp_peer_t peer = NULL;
	_cleanup_(free) char *path = NULL, *error = NULL;
	struct stat status;

	if (asprintf(&path, "%s/%s", directory, name) < 0) {
		path = NULL;
		fleet->failed = true;
		return;
	}
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		note_unreadable(fleet, name, "not a regular file");
	else if (!nvme_mptcp_peer_read(path, &peer, &error))
		count_report(fleet, name, peer);
	else if (errno == ENOMEM)
		fleet->failed = true;
	else
		note_unreadable(fleet, name, error ? error : command_error_text(errno));
}

/*
 * Select *.json files. Pipes are skipped, since opening them blocks, and so are hidden files, which
 * may be an editor's. Symbolic links are checked when they are read.
 */
static int is_report(const struct dirent *entry)
{
	static const char suffix[] = ".json";
	size_t length = strlen(entry->d_name);

	return *entry->d_name != '.' && length > strlen(suffix) &&
	       !strcmp(entry->d_name + length - strlen(suffix), suffix) &&
	       (entry->d_type == DT_REG || entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN);
}

/* Sort by number of machines, then severity, then rule. */
static int most_frequent(const void *a, const void *b)
{
	const struct problem *x = *(struct problem *const *)a, *y = *(struct problem *const *)b;

	if (x->n_machines != y->n_machines)
		return x->n_machines > y->n_machines ? -1 : 1;
	if (rank(x->severity) != rank(y->severity))
		return rank(y->severity) - rank(x->severity);
	return strcmp(x->rule, y->rule);
}

static const char *title_of(const char *rule)
{
	const char *title, *name;

	for (size_t i = 0; (name = nvme_mptcp_rule(i, &title)); i++)
		if (!strcmp(name, rule))
			return title;
	return "Unknown rule (written by another version)";
}

/* Return the names of the first machines, each once: "host1, host2 (b.json) and 7 more". */
static char *machines_of(const struct fleet *fleet, const struct problem *problem, bool all)
{
	const char *last = NULL;
	size_t size = 0, shown = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < problem->n_places; i++) {
		if (last && !strcmp(last, problem->places[i].file))
			continue;
		last = problem->places[i].file;
		if (!all && shown == SHOWN)
			break;
		fprintf(out, "%s%s", shown++ ? ", " : "", problem->places[i].machine);
		if (is_several(fleet, problem->places[i].machine))
			fprintf(out, " (%s)", last);
	}
	if (shown < problem->n_machines)
		fprintf(out, " and %zu more", problem->n_machines - shown);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void show_places(struct out *out, const struct problem *problem)
{
	out_json_only(out);
	out_array(out, "where");
	for (size_t i = 0; i < problem->n_places; i++) {
		out_object(out, NULL);
		out_str(out, "machine", problem->places[i].machine);
		out_str(out, "file", problem->places[i].file);
		out_str(out, "subject", problem->places[i].subject);
		out_str(out, "why", problem->places[i].why);
		out_end(out);
	}
	out_end(out);
}

static void show_problems(struct command *cmd, struct fleet *fleet)
{
	struct out *out = cmd->out;

	out_table(out, "problems", "MACHINES:r", "FINDINGS:r", "SEVERITY", "RULE", "WHAT", "WHERE");
	for (size_t i = 0; i < fleet->n_problems; i++) {
		const struct problem *problem = fleet->problems[i];

		out_row(out);
		out_uint(out, "machines", problem->n_machines);
		out_uint(out, "findings", problem->n_places);
		out_str(out, "severity", problem->severity);
		out_str(out, "rule", problem->rule);
		out_str(out, "what", title_of(problem->rule));
		out_text_only(out);
		out_str(out, NULL, problem->machines);
		show_places(out, problem);
	}
	out_end(out);
}

static void show_unreadable(struct command *cmd, const struct fleet *fleet)
{
	struct out *out = cmd->out;

	if (fleet->n_unreadable)
		out_text(out, "\n");
	out_table(out, "unreadable", "FILE", "NOT READABLE");
	for (size_t i = 0; i < fleet->n_unreadable; i++) {
		out_row(out);
		out_str(out, "file", fleet->unreadable[i].file);
		out_str(out, "reason", fleet->unreadable[i].reason);
	}
	out_end(out);
}

/* Sort the problems and allocate their texts before any output, which is then complete. */
static bool prepare(struct fleet *fleet, bool all)
{
	if (fleet->n_problems)
		qsort(fleet->problems, fleet->n_problems, sizeof(struct problem *), most_frequent);
	for (size_t i = 0; i < fleet->n_problems; i++) {
		fleet->problems[i]->machines = machines_of(fleet, fleet->problems[i], all);
		if (!fleet->problems[i]->machines)
			return false;
	}
	return true;
}

#define AGE_TEXT 48

static const char *age_text(int64_t s, char text[static AGE_TEXT])
{
	static const struct {
		int64_t s;
		const char *name;
	} units[] = { { 86400, "days" }, { 3600, "hours" }, { 60, "minutes" }, { 1, "seconds" } };
	size_t i = 0;

	if (s < 0)
		return "in the future";
	while (i < 3 && s < 2 * units[i].s)
		i++;
	snprintf(text, AGE_TEXT, "%" PRId64 " %s ago", s / units[i].s, units[i].name);
	return text;
}

/*
 * Print the ages of the oldest and newest report: old reports may be outdated, and an age in the
 * future means a wrong clock.
 */
static void show_span(struct out *out, const struct fleet *fleet)
{
	char oldest[AGE_TEXT], newest[AGE_TEXT];
	int64_t least = INT64_MAX, most = INT64_MIN;
	const char *from, *to;

	for (size_t i = 0; i < fleet->n_reports; i++) {
		least = fleet->taken[i].age < least ? fleet->taken[i].age : least;
		most = fleet->taken[i].age > most ? fleet->taken[i].age : most;
	}
	if (!fleet->n_reports)
		return;
	from = age_text(most, oldest);
	to = age_text(least, newest);
	if (!strcmp(from, to))
		out_text(out, "Taken %s\n", from);
	else
		out_text(out, "The oldest was taken %s, the newest %s\n", from, to);
}

static void show_taken(struct command *cmd, const struct fleet *fleet)
{
	struct out *out = cmd->out;
	char text[AGE_TEXT];

	if (!cmd->common.verbose)
		out_json_only(out);
	else
		out_text(out, "\n");
	out_table(out, "files", "MACHINE", "TAKEN", "ERRORS:r", "WARNINGS:r", "FILE");
	for (size_t i = 0; i < fleet->n_reports; i++) {
		const struct taken *taken = &fleet->taken[i];

		out_row(out);
		out_str(out, "machine", taken->machine);
		out_text_only(out);
		out_str(out, NULL, age_text(taken->age, text));
		out_uint(out, "errors", taken->errors);
		out_uint(out, "warnings", taken->warnings);
		out_str(out, "file", taken->file);
		out_json_only(out);
		out_int(out, "taken_s", taken->taken);
		out_json_only(out);
		out_int(out, "age_s", taken->age);
	}
	out_end(out);
}

/* Return the exit status, as check does: 2 errors, 3 unreadable reports, 1 warnings, 0 none. */
static int status_of(const struct fleet *fleet)
{
	return fleet->n_errors			   ? 2
	       : fleet->n_unreadable		   ? 3
	       : fleet->n_clean < fleet->n_reports ? 1
						   : 0;
}

static int show(struct command *cmd, struct fleet *fleet)
{
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_uint(out, "reports", fleet->n_reports);
	out_uint(out, "clean", fleet->n_clean);
	out_text(out, "%zu report%s, %zu of them without warnings and errors\n", fleet->n_reports,
		 fleet->n_reports == 1 ? "" : "s", fleet->n_clean);
	show_span(out, fleet);
	out_text(out, "%s", fleet->n_problems ? "\n" : "");
	show_problems(cmd, fleet);
	show_taken(cmd, fleet);
	show_unreadable(cmd, fleet);
	out_end(out);
	return status_of(fleet);
}

static void clear(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n_problems; i++) {
		tdelete(fleet->problems[i], &fleet->by_rule, by_rule);
		free_problem(fleet->problems[i]);
	}
	free(fleet->problems);
	for (size_t i = 0; i < fleet->n_unreadable; i++) {
		free(fleet->unreadable[i].file);
		free(fleet->unreadable[i].reason);
	}
	free(fleet->unreadable);
	for (size_t i = 0; i < fleet->n_reports; i++) {
		free(fleet->taken[i].file);
		free(fleet->taken[i].machine);
	}
	free(fleet->taken);
	tdestroy(fleet->by_name, free_machine);
	free(fleet);
}

int fleet_show(struct command *cmd, const char *directory)
{
	struct fleet *fleet = calloc(1, sizeof(*fleet));
	struct dirent **entries = NULL;
	int n, status;

	if (!fleet)
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	fleet->now = time(NULL);
	n = scandir(directory, &entries, is_report, versionsort);
	for (int i = 0; i < n; i++) {
		if (!fleet->failed)
			read_report(fleet, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (n < 0)
		status = command_fail(cmd, errno, "%s", directory);
	else if (!n)
		status = command_fail(cmd, 0,
				      "%s contains no reports (*.json files; " NVME_MPTCP_COMMAND
				      " report -O FILE writes one)",
				      directory);
	else if (fleet->failed || !prepare(fleet, cmd->common.verbose))
		status = command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	else
		status = show(cmd, fleet);
	clear(fleet);
	return status;
}
