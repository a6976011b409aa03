// SPDX-License-Identifier: GPL-2.0-or-later
#include "in-use.h"

#define MOUNTS "/proc/self/mountinfo"
#define SWAPS "/proc/swaps"

struct in_use_block {
	char *name; /* nvme0n1, or nvme0n1p2 */
	char *number; /* major:minor, e.g. "259:2" */
	bool is_partition; /* partition of the last namespace before it in the list */
	bool warns; /* being in use is a warning, not an error */
	int fd; /* opened exclusively, or -1 */
};

enum kind {
	KIND_OTHER,
	KIND_CTRL,
	KIND_NS,
	KIND_PARTITION,
};

struct target {
	char *name; /* kernel name; nvme0n1 for ng0n1 as well */
	enum kind kind;
};

static void target_free_cleanup(struct target *target)
{
	free(target->name);
}

static void block_free(struct in_use_block *block)
{
	free(block->name);
	free(block->number);
	close_cleanup(&block->fd);
}

void in_use_release_cleanup(struct in_use_claim *claim)
{
	for (size_t i = 0; i < claim->n; i++)
		block_free(&claim->blocks[i]);
	free(claim->blocks);
	*claim = (struct in_use_claim){ 0 };
}

static enum kind kind_of(const char *name)
{
	unsigned int a, b, p;
	int end = 0;

	if (sscanf(name, "nvme%un%up%u%n", &a, &b, &p, &end) == 3 && !name[end])
		return KIND_PARTITION;
	if (sscanf(name, "nvme%un%u%n", &a, &b, &end) == 2 && !name[end])
		return KIND_NS;
	if (sscanf(name, "nvme%u%n", &a, &end) == 1 && !name[end])
		return KIND_CTRL;
	return KIND_OTHER;
}

/* Find the kernel name and the kind of the device, whatever path it was opened by. */
static int find_target(struct command *cmd, const struct device *dev, bool force,
		       struct target *target)
{
	unsigned int ctrl, ns;
	struct stat st;
	char *name;
	int end = 0;

	if (fstat(dev->fd, &st))
		return command_fail(cmd, errno, "%s", dev->path);
	name = nvme_device_name(st.st_rdev, dev->is_block);
	if (!name && errno == ENOENT && force)
		name = strdup(dev->name);
	if (!name && errno == ENOENT)
		return command_fail(
			cmd, 0,
			"%s: not found in /sys: cannot check whether it is an NVMe device and in "
			"use (is /sys mounted?)",
			dev->path);
	if (!name)
		return command_fail(cmd, errno, "%s", dev->path);
	if (sscanf(name, "ng%un%u%n", &ctrl, &ns, &end) == 2 && !name[end]) {
		free(name);
		name = text_format("nvme%un%u", ctrl, ns);
		if (!name)
			return command_fail(cmd, ENOMEM, "%s", dev->path);
	}
	target->name = name;
	target->kind = kind_of(name);
	return 0;
}

static int require_whole(struct command *cmd, const struct device *dev, const struct target *target)
{
	if (target->kind != KIND_PARTITION)
		return 0;
	return command_fail(cmd, 0,
			    "%s is a partition, but %s needs the whole namespace: use /dev/%.*s",
			    dev->path, cmd->name, (int)(strrchr(target->name, 'p') - target->name),
			    target->name);
}

static int require_nvme(struct command *cmd, const struct device *dev, const struct target *target)
{
	if (require_whole(cmd, dev, target))
		return 1;
	if (target->kind == KIND_OTHER)
		return command_fail(cmd, 0,
				    "%s is not an NVMe device (" NVME_COMMAND " list prints them)",
				    dev->path);
	return 0;
}

int in_use_require_nvme(struct command *cmd, const struct device *dev)
{
	_cleanup_(target_free) struct target target = { 0 };

	return find_target(cmd, dev, true, &target) || require_nvme(cmd, dev, &target);
}

static int by_number(const void *a, const void *b)
{
	return strcmp(((const struct in_use_block *)a)->number,
		      ((const struct in_use_block *)b)->number);
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct in_use_block *)a)->name,
			  ((const struct in_use_block *)b)->name);
}

/* Sort by name, partitions after their namespace; drop duplicates: the tree has one per host. */
static void sort(struct in_use_claim *claim)
{
	size_t kept = 0;

	if (!claim->n)
		return;
	qsort(claim->blocks, claim->n, sizeof(*claim->blocks), by_name);
	for (size_t i = 1; i < claim->n; i++) {
		if (by_name(&claim->blocks[kept], &claim->blocks[i]))
			claim->blocks[++kept] = claim->blocks[i];
		else
			block_free(&claim->blocks[i]);
	}
	claim->n = kept + 1;
}

static int add_block(struct in_use_claim *claim, const char *name, bool is_partition)
{
	struct in_use_block *blocks =
		reallocarray(claim->blocks, claim->n + 1, sizeof(*claim->blocks));
	struct in_use_block block = { .fd = -1, .is_partition = is_partition };

	if (!blocks)
		return -ENOMEM;
	claim->blocks = blocks;
	block.number = nvme_block_number(name);
	if (!block.number)
		return errno == ENOENT ? 0 : -errno;
	block.name = strdup(name);
	if (!block.name) {
		free(block.number);
		return -ENOMEM;
	}
	claim->blocks[claim->n++] = block;
	return 0;
}

static int add_namespace(struct in_use_claim *claim, const char *name)
{
	_cleanup_(free) char *partitions = NULL;
	int err = add_block(claim, name, false);
	char *rest;

	partitions = err ? NULL : nvme_block_partitions(name);
	if (!partitions)
		return err ? err : errno == ENOENT ? 0 : -errno;
	rest = partitions;
	for (char *part; !err && (part = strsep(&rest, " ")) != NULL;)
		if (*part)
			err = add_block(claim, part, true);
	return err;
}

static int add_namespace_if(struct in_use_claim *claim, nvme_ns_t n, uint32_t nsid)
{
	if (nsid != NVME_NSID_ALL && (uint32_t)nvme_ns_get_nsid(n) != nsid)
		return 0;
	return add_namespace(claim, nvme_ns_get_name(n));
}

static bool subsystem_has(nvme_subsystem_t s, const char *name)
{
	nvme_ctrl_t c;
	nvme_ns_t n;

	nvme_subsystem_for_each_ns(s, n)
		if (!strcmp(nvme_ns_get_name(n), name))
			return true;
	nvme_subsystem_for_each_ctrl(s, c) {
		if (!strcmp(nvme_ctrl_get_name(c), name))
			return true;
		nvme_ctrl_for_each_ns(c, n)
			if (!strcmp(nvme_ns_get_name(n), name))
				return true;
	}
	return false;
}

/* Add the namespaces of subsystem @s on all of its controllers, or only the one with this @nsid. */
static int add_subsystem(struct in_use_claim *claim, nvme_subsystem_t s, uint32_t nsid)
{
	nvme_ctrl_t c;
	nvme_ns_t n;
	int err = 0;

	nvme_subsystem_for_each_ns(s, n)
		err = err ? err : add_namespace_if(claim, n, nsid);
	nvme_subsystem_for_each_ctrl(s, c)
		nvme_ctrl_for_each_ns(c, n)
			err = err ? err : add_namespace_if(claim, n, nsid);
	return err;
}

/* The tree has a subsystem per host where the kernel has only one: add the namespaces of all. */
static int add_by_nsid(struct command *cmd, struct in_use_claim *claim, const char *name,
		       uint32_t nsid)
{
	nvme_root_t root = command_root(cmd);
	nvme_subsystem_t s;
	nvme_host_t h;
	int err = 0;

	if (!root)
		return 1;
	if (nvme_scan_topology(root, NULL, NULL))
		return command_fail_scan(cmd);
	nvme_for_each_host(root, h)
		nvme_for_each_subsystem(h, s)
			if (!err && subsystem_has(s, name))
				err = add_subsystem(claim, s, nsid);
	return err ? command_fail(cmd, -err, "%s: the namespaces of %s", cmd->name, name) : 0;
}

static int collect(struct command *cmd, const struct device *dev, const struct target *target,
		   enum in_use_scope scope, uint32_t nsid, struct in_use_claim *claim)
{
	__u32 own;
	int err;

	if (scope == IN_USE_NS && target->kind == KIND_NS && !nvme_get_nsid(dev->fd, &own) &&
	    own == nsid) {
		err = add_namespace(claim, target->name);
		return err ? command_fail(cmd, -err, "%s", dev->path) : 0;
	}
	return add_by_nsid(cmd, claim, target->name,
			   scope == IN_USE_SUBSYSTEM ? NVME_NSID_ALL : nsid);
}

static int refuse(struct command *cmd, const struct in_use_block *block, const char *how,
		  const char *by, const char *remedy)
{
	if (block->warns) {
		command_warn(cmd, 0, "%s is in use: %s%s", block->name, how, by);
		return 1;
	}
	return command_fail(cmd, 0, "%s is in use: %s%s (%s, or use --force)", block->name, how, by,
			    remedy);
}

static int check_holders(struct command *cmd, const struct in_use_claim *claim)
{
	for (size_t i = 0; i < claim->n; i++) {
		_cleanup_(free) char *holders = nvme_block_holders(claim->blocks[i].name);

		if (!holders && errno != ENOENT && claim->blocks->warns)
			return errno == ENOMEM ? -ENOMEM : 0;
		if (!holders && errno != ENOENT)
			return command_fail(cmd, errno, "%s: holders", claim->blocks[i].name);
		if (!holders || !*holders)
			continue;
		holders[strlen(holders) - 1] = '\0';
		return refuse(cmd, &claim->blocks[i], "held by ", holders, "remove the holder");
	}
	return 0;
}

static const struct in_use_block *find_block(const struct in_use_claim *sorted, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct in_use_block key = { .name = strdupa(slash ? slash + 1 : path) };

	return sorted->n ? bsearch(&key, sorted->blocks, sorted->n, sizeof(key), by_name) : NULL;
}

/* Decode escapes such as "\040", which the kernel writes for blanks in paths. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && isdigit(text[1]) && isdigit(text[2]) && isdigit(text[3])) {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				       (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/*
 * See proc_pid_mountinfo(5): field 3 is the device number, field 5 the mount point; the type and
 * the source follow " - ". The source identifies the device if the file system has a device number
 * of its own.
 */
static int check_mount(struct command *cmd, const struct in_use_claim *by_numbers,
		       const struct in_use_claim *by_names, char *line)
{
	struct in_use_block key = { 0 };
	const struct in_use_block *found;
	char point[4096], source[4096] = "", number[64];
	const char *more = strstr(line, " - ");

	if (sscanf(line, "%*s %*s %63s %*s %4095s", number, point) != 2)
		return 0;
	if (more)
		sscanf(more, " - %*s %4095s", source);
	key.number = number;
	found = bsearch(&key, by_numbers->blocks, by_numbers->n, sizeof(key), by_number);
	if (!found && !strncmp(source, "/dev/", 5))
		found = find_block(by_names, source);
	if (!found)
		return 0;
	unescape(point);
	return refuse(cmd, found, "mounted on ", point, "unmount it");
}

static int check_swap(struct command *cmd, const struct in_use_claim *by_names, const char *line)
{
	const struct in_use_block *found;
	char path[4096];

	if (sscanf(line, "%4095s", path) != 1)
		return 0;
	found = find_block(by_names, path);
	return found ? refuse(cmd, found, "it holds swap", "", "run swapoff") : 0;
}

/* A list or device that cannot be read is an error; if use only warns, return 0, or -ENOMEM. */
static int handle_unreadable(struct command *cmd, const struct in_use_claim *claim, int err,
			     const char *what, const char *file)
{
	if (claim->n && claim->blocks->warns)
		return err == ENOMEM ? -ENOMEM : 0;
	return command_fail(cmd, err, "%s: cannot determine %s, so --force is required: %s",
			    cmd->name, what, file);
}

/* Check the kernel's lists of mounts and swap, each in one pass. */
static int check_lists(struct command *cmd, const struct in_use_claim *by_numbers,
		       const struct in_use_claim *by_names)
{
	_cleanup_(fclose) FILE *mounts = fopen(MOUNTS, "re");
	const int mounts_errno = errno;
	_cleanup_(fclose) FILE *swaps = fopen(SWAPS, "re");
	const int swaps_errno = errno;
	_cleanup_(free) char *line = NULL;
	size_t size = 0;
	int status = 0;

	if (!mounts)
		return handle_unreadable(cmd, by_names, mounts_errno, "what is mounted", MOUNTS);
	if (!swaps && swaps_errno != ENOENT) /* kernel without swap support */
		return handle_unreadable(cmd, by_names, swaps_errno, "what holds swap", SWAPS);
	errno = 0;
	while (!status && getline(&line, &size, mounts) > 0)
		status = check_mount(cmd, by_numbers, by_names, line);
	if (!status && !feof(mounts))
		return handle_unreadable(cmd, by_names, errno, "what is mounted", MOUNTS);
	while (!status && swaps && getline(&line, &size, swaps) > 0)
		status = check_swap(cmd, by_names, line);
	if (!status && swaps && !feof(swaps))
		return handle_unreadable(cmd, by_names, errno, "what holds swap", SWAPS);
	return status;
}

/* Open the block devices with O_EXCL: that also fails for users in none of the kernel's lists. */
static int claim_blocks(struct command *cmd, struct in_use_claim *claim)
{
	char path[300];

	for (size_t i = 0; i < claim->n; i++) {
		struct in_use_block *block = &claim->blocks[i];

		if (block->is_partition || block->fd >= 0)
			continue; /* covered by the whole device */
		snprintf(path, sizeof(path), "/dev/%s", block->name);
		block->fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
		if (block->fd < 0 && errno == EBUSY)
			return refuse(cmd, block, "claimed by the kernel or another program", "",
				      "release it there");
		if (block->fd < 0 && errno != ENOENT && errno != ENXIO && errno != ENODEV)
			return handle_unreadable(cmd, claim, errno, "whether it is in use", path);
	}
	return 0;
}

/* Look the blocks up in the kernel's lists and holders. Return 0, 1 after a message, or -ENOMEM. */
static int check_listed(struct command *cmd, const struct in_use_claim *claim)
{
	_cleanup_(free) struct in_use_block *numbers = calloc(claim->n + 1, sizeof(*numbers));
	struct in_use_claim by_numbers = { numbers, claim->n };
	int ret;

	if (!numbers)
		return -ENOMEM;
	if (claim->n)
		memcpy(numbers, claim->blocks, claim->n * sizeof(*numbers));
	qsort(numbers, claim->n, sizeof(*numbers), by_number);
	ret = check_lists(cmd, &by_numbers, claim);
	return ret ? ret : check_holders(cmd, claim);
}

int in_use_add(struct in_use_claim *claim, const char *name)
{
	return add_namespace(claim, name);
}

int in_use_warn(struct command *cmd, struct in_use_claim *claim)
{
	if (!claim->n)
		return 0;
	for (size_t i = 0; i < claim->n; i++)
		claim->blocks[i].warns = true;
	sort(claim);
	return check_listed(cmd, claim);
}

int in_use_claim(struct command *cmd, const struct device *dev, enum in_use_scope scope,
		 uint32_t nsid, bool force, struct in_use_claim *claim)
{
	_cleanup_(target_free) struct target target = { 0 };
	int ret;

	if (find_target(cmd, dev, force, &target) || require_nvme(cmd, dev, &target))
		return 1;
	if (force)
		return 0;
	in_use_release_cleanup(claim);
	if (collect(cmd, dev, &target, scope, nsid, claim))
		return 1;
	sort(claim);
	ret = check_listed(cmd, claim);
	if (ret < 0)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	return ret ? ret : claim_blocks(cmd, claim);
}

void in_use_print(const struct in_use_claim *claim, FILE *stream)
{
	for (size_t i = 0; i < claim->n; i++)
		fprintf(stream, "%s%s", !claim->blocks[i].is_partition ? i ? "\n" : "" : " ",
			claim->blocks[i].name);
	if (claim->n)
		fputc('\n', stream);
}
