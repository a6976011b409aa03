/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters for the names of NVMe objects in /sys, and lists of them for programs. */
#include "private.h"

/* Skip decimal digits. NULL if there are none. */
static const char *skip_number(const char *s)
{
	if (!s || !isdigit((unsigned char)*s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

static const char *skip_prefix(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s && !strncmp(s, prefix, len) ? s + len : NULL;
}

static bool at_end(const char *s)
{
	return s && !*s;
}

int nvme_namespace_filter(const struct dirent *d)
{
	const char *s = skip_number(skip_prefix(d->d_name, "nvme"));

	return at_end(skip_number(skip_prefix(s, "n")));
}

int nvme_paths_filter(const struct dirent *d)
{
	const char *s = skip_number(skip_prefix(d->d_name, "nvme"));

	s = skip_number(skip_prefix(s, "c"));
	return at_end(skip_number(skip_prefix(s, "n")));
}

int nvme_ctrls_filter(const struct dirent *d)
{
	return at_end(skip_number(skip_prefix(d->d_name, "nvme")));
}

int nvme_subsys_filter(const struct dirent *d)
{
	return at_end(skip_number(skip_prefix(d->d_name, "nvme-subsys")));
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int scan(const char *dir, int (*filter)(const struct dirent *), struct dirent ***ret)
{
	struct dirent **entries;
	int n;

	if (!dir)
		return failure_errno(-ENODEV);
	n = scandir(dir, &entries, filter, by_name);
	if (n >= 0)
		*ret = entries;
	return n;
}

int nvme_scan_subsystems(struct dirent ***subsys)
{
	return scan(sysfs_path(SYSFS_CLASS_NVME_SUBSYSTEM), nvme_subsys_filter, subsys);
}

int nvme_scan_subsystem_namespaces(nvme_subsystem_t s, struct dirent ***ns)
{
	return scan(nvme_subsystem_get_sysfs_dir(s), nvme_namespace_filter, ns);
}

int nvme_scan_ctrls(struct dirent ***ctrls)
{
	return scan(sysfs_path(SYSFS_CLASS_NVME), nvme_ctrls_filter, ctrls);
}

int nvme_scan_ctrl_namespace_paths(nvme_ctrl_t c, struct dirent ***paths)
{
	return scan(nvme_ctrl_get_sysfs_dir(c), nvme_paths_filter, paths);
}

int nvme_scan_ctrl_namespaces(nvme_ctrl_t c, struct dirent ***ns)
{
	return scan(nvme_ctrl_get_sysfs_dir(c), nvme_namespace_filter, ns);
}

int nvme_scan_ns_head_paths(nvme_ns_head_t head, struct dirent ***paths)
{
	return scan(nvme_ns_head_get_sysfs_dir(head), nvme_paths_filter, paths);
}
