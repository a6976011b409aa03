// SPDX-License-Identifier: LGPL-2.1-or-later
/* Settings in /proc/sys/net/mptcp and counters, of the calling thread's network namespace. */
#include <dirent.h>
#include <sys/socket.h>

#include "snapshot.h"

#define SETTINGS_DIR "/proc/sys/net/mptcp"
#define MAX_SETTINGS 256

static int read_one(struct nvme_mptcp_snapshot *snap, int dirfd, const char *name)
{
	_cleanup_(close) int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	struct setting *setting;
	char value[512];
	ssize_t n = fd < 0 ? -1 : read(fd, value, sizeof(value) - 1);

	if (n < 0) {
		/* Some settings are write-only. */
		if (errno != EACCES && errno != EPERM && errno != ENOENT)
			problem_set(snap, NVME_MPTCP_SETTINGS, errno, SETTINGS_DIR "/%s: %s", name,
				    strerror(errno));
		return 0;
	}
	value[n] = '\0';
	setting = array_add(&snap->settings, &snap->n_settings, sizeof(*setting));
	if (!setting)
		return -ENOMEM;
	setting->name = strdup(name);
	setting->value = strdup(str_trim_end(value));
	return setting->name && setting->value ? 0 : -ENOMEM;
}

static int by_setting_name(const void *a, const void *b)
{
	return strcmp(((const struct setting *)a)->name, ((const struct setting *)b)->name);
}

/* Ask by creating a socket: /proc may not be mounted. */
static bool has_no_mptcp(void)
{
	_cleanup_(close) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);

	return fd < 0 && (errno == EPROTONOSUPPORT || errno == EINVAL);
}

int snapshot_read_settings(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(closedir) DIR *dir = opendir(SETTINGS_DIR);
	const struct dirent *entry;

	if (!dir) {
		int err = errno;

		if (err == ENOENT && has_no_mptcp())
			problem_set(snap, NVME_MPTCP_SETTINGS, EOPNOTSUPP,
				    SETTINGS_DIR " does not exist: this kernel has no MPTCP; boot "
						 "one built with CONFIG_MPTCP=y");
		else
			problem_set(snap, NVME_MPTCP_SETTINGS, err, SETTINGS_DIR ": %s%s",
				    strerror(err), err == ENOENT ? " (is /proc mounted?)" : "");
		return 0;
	}
	while ((entry = readdir(dir)) && snap->n_settings < MAX_SETTINGS) {
		if (*entry->d_name == '.')
			continue;
		if (read_one(snap, dirfd(dir), entry->d_name))
			return -ENOMEM;
	}
	if (snap->n_settings)
		qsort(snap->settings, snap->n_settings, sizeof(*snap->settings), by_setting_name);
	return 0;
}

int snapshot_read_counters(struct nvme_mptcp_snapshot *snap)
{
	int err = counter_load(&snap->counters);

	if (err == -ENOMEM)
		return err;
	if (err)
		problem_set(snap, NVME_MPTCP_COUNTERS, err, "counters: %s", strerror(-err));
	return 0;
}

int64_t nvme_mptcp_counter(nvme_mptcp_snapshot_t snap, const char *group, const char *name)
{
	return counter_get(&snap->counters, group, name);
}

int setting_write(const char *name, int64_t value)
{
	_cleanup_(close) int fd = -1;
	char path[SETTING_PATH], text[32];
	int length = snprintf(text, sizeof(text), "%lld\n", (long long)value);

	snprintf(path, sizeof(path), "%s%s", *name == '/' ? "" : SETTINGS_DIR "/", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, (size_t)length) < 0 ? -errno : 0;
}

static bool read_sysctl(const char *path, char *value, size_t size)
{
	_cleanup_(close) int fd = -1;
	char full[128];
	ssize_t n;

	if (snprintf(full, sizeof(full), "/proc/sys/%s", path) >= (int)sizeof(full))
		return false;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, value, size - 1);
	if (n < 0)
		return false;
	value[n] = '\0';
	str_trim_end(value);
	return true;
}

int64_t snapshot_sysctl(const char *path)
{
	char value[96];
	const char *last;
	int64_t number;

	if (!read_sysctl(path, value, sizeof(value)))
		return NVME_MPTCP_UNKNOWN;
	last = value + strlen(value);
	while (last > value && !isspace((unsigned char)last[-1]))
		last--;
	return str_parse_int(last, 0, INT32_MAX, &number) ? NVME_MPTCP_UNKNOWN : number;
}

int64_t snapshot_sysctl_number(const char *path, size_t i)
{
	char value[96], *rest = NULL, *word;
	int64_t number;

	if (!read_sysctl(path, value, sizeof(value)))
		return NVME_MPTCP_UNKNOWN;
	for (word = strtok_r(value, " \t", &rest); word && i; i--)
		word = strtok_r(NULL, " \t", &rest);
	return !word || str_parse_int(word, 0, INT32_MAX, &number) ? NVME_MPTCP_UNKNOWN : number;
}
