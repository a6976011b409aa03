/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of libnvme after version 1.3 that the nvme-mptcp commands and the Python package
 * nvme_mptcp use. With an older libnvme, each does what is possible without it. libnvme itself does
 * not see these functions.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "older.h"

void *older_find(const char *name)
{
	static void *library;

	/*
	 * Search libnvme only: the replacements are hidden, and a Python module loads its libraries
	 * locally.
	 */
	if (!library)
		library = dlopen("libnvme.so.1", RTLD_LAZY | RTLD_NOLOAD);
	return library ? dlsym(library, name) : NULL;
}

void *older_find_own(const char *name)
{
	return older_find("nvmf_set_options") ? older_find(name) : NULL;
}

/* An older library reads namespaces as well, which only takes longer. */
void nvme_root_skip_namespaces(nvme_root_t r)
{
	__typeof__(&nvme_root_skip_namespaces) skip = OWN(nvme_root_skip_namespaces);

	if (skip)
		skip(r);
}

/* An older library has no count. libnvme-mptcp counts its own failures. */
unsigned int nvme_memory_failures(void)
{
	__typeof__(&nvme_memory_failures) count = OWN(nvme_memory_failures);

	return count ? count() : 0;
}

char older_reason[512];
static bool is_refused; /* the last file was refused; older_reason has the reason */

/* An older library only logs the reason. */
const char *nvme_config_error(nvme_root_t r)
{
	__typeof__(&nvme_config_error) reason = OWN(nvme_config_error);

	if (reason)
		return reason(r);
	return is_refused ? older_reason : NULL;
}

/* An older library silently skips what it cannot read. */
const char *nvme_config_problem(nvme_root_t r, size_t i, bool *refused)
{
	__typeof__(&nvme_config_problem) problem = OWN(nvme_config_problem);

	return problem ? problem(r, i, refused) : NULL;
}

/*
 * An older library cannot return its level: assume the default. -v asks for LOG_INFO and below, and
 * input_mute() does not change these levels.
 */
int nvme_get_logging_level(nvme_root_t r, bool *pid, bool *timestamp)
{
	__typeof__(&nvme_get_logging_level) level = OWN(nvme_get_logging_level);

	if (level)
		return level(r, pid, timestamp);
	if (pid)
		*pid = false;
	if (timestamp)
		*timestamp = false;
	return LOG_NOTICE;
}

/*
 * Return a connected controller; all controllers of a subsystem have the same model, serial and
 * firmware.
 */
static nvme_ctrl_t first_live(nvme_subsystem_t s)
{
	nvme_ctrl_t c;

	nvme_subsystem_for_each_ctrl(s, c)
		if (nvme_ctrl_get_name(c))
			return c;
	return NULL;
}

const char *nvme_subsystem_get_model(nvme_subsystem_t s)
{
	nvme_ctrl_t c = first_live(s);

	return c ? nvme_ctrl_get_model(c) : NULL;
}

const char *nvme_subsystem_get_serial(nvme_subsystem_t s)
{
	nvme_ctrl_t c = first_live(s);

	return c ? nvme_ctrl_get_serial(c) : NULL;
}

const char *nvme_subsystem_get_fw_rev(nvme_subsystem_t s)
{
	nvme_ctrl_t c = first_live(s);

	return c ? nvme_ctrl_get_firmware(c) : NULL;
}

/* The result is valid until the next call. */
const char *nvme_subsystem_get_iopolicy(nvme_subsystem_t s)
{
	static char policy[64];
	char *value = nvme_get_subsys_attr(s, "iopolicy");
	const size_t length = value ? strnlen(value, sizeof(policy)) : sizeof(policy);
	const bool fits = length < sizeof(policy);

	if (fits)
		memcpy(policy, value, length + 1);
	free(value);
	return fits ? policy : NULL;
}

/*
 * Clear errno after success: the original may leave any value, which the commands take for a
 * failure. The linker redirects calls of nvme_read_config() here.
 */
int __wrap_nvme_read_config(nvme_root_t r, const char *file);

int __wrap_nvme_read_config(nvme_root_t r, const char *file)
{
	int ret = older_check_config ? older_check_config(file) : 0;

	is_refused = ret;
	if (ret) {
		errno = -ret;
		return -1;
	}
	ret = __real_nvme_read_config(r, file);
	if (ret)
		return ret;
	if (older_note_config)
		older_note_config(file);
	errno = 0;
	return 0;
}
