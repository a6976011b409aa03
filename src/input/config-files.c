/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON configuration files, the scan for existing controllers, and the identity of the host. */
#include <dirent.h>
#include <syslog.h>

#include "config-files.h"
#include "config.h"
#include "connect-args.h"

/* Callers report failures themselves; the library would log them a second time. */
struct muted input_mute(nvme_root_t root)
{
	struct muted muted = { .root = root };

	muted.level = nvme_get_logging_level(root, &muted.pid, &muted.timestamp);
	if (muted.level < LOG_INFO)
		nvme_init_logging(root, LOG_CRIT, muted.pid, muted.timestamp);
	return muted;
}

void input_unmute(const struct muted *muted)
{
	int err = errno;

	nvme_init_logging(muted->root, muted->level, muted->pid, muted->timestamp);
	errno = err;
}

#define READ_FAILED "Failed to read configuration "

/* How to find the host NQN: the key most often missing in files written by hand. */
static const char *hostnqn_hint(const char *reason)
{
	return reason && strstr(reason, "\"hostnqn\" is missing")
		       ? " (" NVME_COMMAND " show-hostnqn prints this host's NQN)"
		       : "";
}

/* Read the MPTCP settings, which libnvme ignores but preserves. */
static int read_mptcp(nvme_mptcp_config_t config, const char *file, char **why)
{
	const char *reason;
	int err;

	if (!nvme_mptcp_config_read(config, file))
		return 0;
	err = errno;
	reason = nvme_mptcp_config_error(config);
	if (reason)
		return input_fail(why, err, READ_FAILED "%s", reason);
	return input_fail(why, err, READ_FAILED "%s: %s", file, strerror(err));
}

static void pass_problem(const struct input_config *into, bool failure, const char *text)
{
	_cleanup_(free) char *sentence = text_format("%s%s%s", failure ? READ_FAILED : "", text,
						     failure ? hostnqn_hint(text) : "");

	into->problem(into->arg, failure,
		      sentence	? sentence
		      : failure ? READ_FAILED
				: strerror(ENOMEM));
}

/* Pass on warnings, and also errors, since the caller goes on with the rest of the file. */
static void pass_problems(const struct input_config *into)
{
	const char *text;
	bool refused;

	for (size_t i = 0; (text = nvme_config_problem(into->root, i, &refused)); i++)
		pass_problem(into, refused, text);
	if (!nvme_config_problem(into->root, 0, NULL) && nvme_config_error(into->root))
		pass_problem(into, true, nvme_config_error(into->root));
}

/* Read the MPTCP settings of a file that has errors elsewhere. */
static void read_partial_mptcp(const struct input_config *into, const char *file)
{
	_cleanup_(free) char *why = NULL;

	/* A file that is not JSON has no MPTCP settings. */
	if (nvme_config_problem(into->root, 0, NULL) && read_mptcp(into->mptcp, file, &why))
		into->problem(into->arg, true, why ? why : strerror(ENOMEM));
}

/* A file that the user did not name does not stop the others. @err: errno. */
static int fail_file(const struct input_config *into, const char *file, bool named, int err,
		     char **why)
{
	_cleanup_(free) char *text = NULL;

	if (!into->problem || named || err == ENOMEM)
		return input_fail(why, err, READ_FAILED "%s: %s", file, strerror(err));
	text = text_format("%s: %s", file, strerror(err));
	if (!text)
		return -ENOMEM;
	pass_problem(into, true, text);
	return 0;
}

int input_note_renamed(const char *file, char **text)
{
	_cleanup_(free) char *renamed = text_format("%s.converted", file);

	if (!renamed)
		return -ENOMEM;
	if (!access(file, F_OK) || access(renamed, F_OK))
		return 0;
	*text = text_format(
		"%s is not read: nvme-cli 3 has renamed %s; to use it here, copy it back", renamed,
		file);
	return *text ? 0 : -ENOMEM;
}

static int note_missing_file(const struct input_config *into, const char *file)
{
	_cleanup_(free) char *text = NULL;
	int err = into->problem ? input_note_renamed(file, &text) : 0;

	if (text)
		pass_problem(into, false, text);
	return err;
}

int input_read_config(const struct input_config *into, const char *file, bool must_exist,
		      char **why)
{
	const char *reason;
	struct muted muted;
	int ret, err;

	if (access(file, R_OK)) {
		if (errno == ENOENT && !must_exist)
			return note_missing_file(into, file);
		return fail_file(into, file, must_exist, errno, why);
	}
	muted = input_mute(into->root);
	ret = nvme_read_config(into->root, file);
	input_unmute(&muted);
	/* It returns 0 with errno set if nothing was read; libnvme 1.x programs expect that. */
	err = errno == ENOENT ? 0 : errno;
	if (into->problem)
		pass_problems(into);
	if (!ret && !err)
		return read_mptcp(into->mptcp, file, why);
	reason = nvme_config_error(into->root);
	if (into->problem && reason && err != ENOMEM) {
		read_partial_mptcp(into, file);
		return 0;
	}
	if (reason)
		return input_fail(why, EPROTO, READ_FAILED "%s%s", reason, hostnqn_hint(reason));
	return fail_file(into, file, must_exist, err, why);
}

static bool is_json(const char *name)
{
	size_t length = strlen(name);

	return *name != '.' && length > 5 && !strcmp(name + length - 5, ".json");
}

/* Other connection managers store descriptions of their connections in STATEDIR. */
static int read_state(const struct input_config *into, char **why)
{
	_cleanup_(closedir) DIR *dir = opendir(STATEDIR);
	struct dirent *entry;

	if (!dir && errno != ENOENT)
		return fail_file(into, STATEDIR, false, errno, why);
	while (dir && (entry = readdir(dir))) {
		_cleanup_(free) char *path = NULL;
		int err;

		if (!is_json(entry->d_name))
			continue;
		path = text_format("%s/%s", STATEDIR, entry->d_name);
		if (!path)
			return -ENOMEM;
		err = input_read_config(into, path, false, why);
		if (err)
			return err;
	}
	return 0;
}

int input_read_files(const struct input_config *into, const char *file, bool named, char **why)
{
	int err = 0;

	if (file && !input_is_none(file))
		err = input_read_config(into, file, named, why);
	return err ? err : read_state(into, why);
}

/* Assign subsystems that the configuration assigns to no application to this one. */
static int claim_unmarked(nvme_root_t r, const char *context)
{
	nvme_subsystem_t s;
	nvme_host_t h;

	nvme_for_each_host(r, h)
		nvme_for_each_subsystem(h, s) {
			if (nvme_subsystem_get_application(s))
				continue;
			nvme_subsystem_set_application(s, context);
			if (!nvme_subsystem_get_application(s))
				return -ENOMEM;
		}
	return 0;
}

int input_scan(nvme_root_t r, const struct input_scan *scan, char **why)
{
	const char *module;
	int err;

	if (scan->context && claim_unmarked(r, scan->context))
		return -ENOMEM;
	if (scan->context)
		nvme_root_set_application(r, scan->context);
	nvme_root_skip_namespaces(r);
	if ((scan->nqn ? nvme_scan_subsystem(r, scan->nqn) : nvme_scan_topology(r, NULL, NULL)) >=
	    0)
		return 0;
	err = errno;
	module = nvmf_transport_module(scan->transport);
	return input_fail(why, err, "Failed to scan topology: %s%s%s%s", strerror(err),
			  err == ENOENT ? " (are the NVMe modules loaded? modprobe " : "",
			  err == ENOENT ? (module ? module : "nvme-fabrics") : "",
			  err == ENOENT ? ")" : "");
}

const char *input_error_text(int err)
{
	err = abs(err);
	return err >= ENVME_CONNECT_RESOLVE ? nvme_errno_to_string(err) : strerror(err);
}

/* Find a host described without an identifier, which the library determines. */
static nvme_host_t find_described(nvme_root_t root, const char *hostnqn)
{
	nvme_host_t h;

	nvme_for_each_host(root, h)
		if (!nvme_host_get_hostid(h) && !strcmp(nvme_host_get_hostnqn(h), hostnqn))
			return h;
	return NULL;
}

nvme_host_t input_host(nvme_root_t r, const char *given_nqn, const char *given_id, char **why)
{
	_cleanup_(free) char *hostnqn = NULL, *hostid = NULL;
	nvme_host_t h;

	if (nvme_host_get_ids(r, (char *)given_nqn, (char *)given_id, &hostnqn, &hostid)) {
		input_fail(why, errno, "Failed to determine the host's NQN and identifier: %s",
			   input_error_text(errno));
		return NULL;
	}
	h = find_described(r, hostnqn);
	if (!h || given_id)
		h = nvme_lookup_host(r, hostnqn, hostid);
	if (!h)
		input_fail(why, errno, "Failed to use host %s: %s", hostnqn,
			   input_error_text(errno));
	return h;
}

bool input_host_matches(nvme_host_t h, const char *hostnqn, const char *hostid)
{
	if (hostnqn && strcmp(hostnqn, nvme_host_get_hostnqn(h)) != 0)
		return false;
	return !hostid || !nvme_host_get_hostid(h) || !strcmp(hostid, nvme_host_get_hostid(h));
}
