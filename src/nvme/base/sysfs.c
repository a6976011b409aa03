/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cleanup.h"
#include "env.h"
#include "memory.h"
#include "shared/sigpipe.h"
#include "sysfs-lock.h"
#include "sysfs.h"

#define ROOT_MAX 1024
#define DIR_MAX (ROOT_MAX + 64)

static const char *const suffixes[SYSFS_PATHS] = {
	[SYSFS_CLASS_NVME] = "/sys/class/nvme",
	[SYSFS_CLASS_NVME_SUBSYSTEM] = "/sys/class/nvme-subsystem",
	[SYSFS_BLOCK] = "/sys/block",
	[SYSFS_CLASS_BLOCK] = "/sys/class/block",
	[SYSFS_DEV_BLOCK] = "/sys/dev/block",
	[SYSFS_DEV_CHAR] = "/sys/dev/char",
	[SYSFS_PCI_SLOTS] = "/sys/bus/pci/slots",
	[SYSFS_DMI_ENTRIES] = "/sys/firmware/dmi/entries",
	[SYSFS_DMI_PRODUCT_UUID] = "/sys/class/dmi/id/product_uuid",
	[SYSFS_IBM_PARTITION_UUID] = "/proc/device-tree/ibm,partition-uuid",
	[SYSFS_NVMET_PORTS] = "/sys/kernel/config/nvmet/ports",
	[SYSFS_MODULES] = "/sys/module",
	[SYSFS_CLASS] = "/sys/class",
};

/* Per thread: threads with trees of their own share no lock. */
static _Thread_local char paths[SYSFS_PATHS][DIR_MAX];

const char *sysfs_root(void)
{
	return env_sysfs_path();
}

const char *sysfs_path(enum sysfs_path path)
{
	const char *root = sysfs_root();
	size_t len = strlen(root);

	if (len >= ROOT_MAX)
		return "";
	memcpy(paths[path], root, len);
	memcpy(paths[path] + len, suffixes[path], strlen(suffixes[path]) + 1);
	return paths[path];
}

int sysfs_open_dir(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int sysfs_open(enum sysfs_path path)
{
	return sysfs_open_dir(AT_FDCWD, sysfs_path(path));
}

/* Store the path of @name in the directory of @attr. */
static int sibling_path(const char *attr, const char *name, char path[PATH_MAX])
{
	const char *slash = strrchr(attr, '/');
	size_t dir_len = slash ? (size_t)(slash + 1 - attr) : 0, name_len = strlen(name);

	if (dir_len + name_len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path, attr, dir_len);
	memcpy(path + dir_len, name, name_len + 1);
	return 0;
}

/* True if the kernel reads the attribute from the sockets of a controller. */
static bool reads_sockets(int dirfd, const char *attr)
{
	const char *slash = strrchr(attr, '/');
	const char *name = slash ? slash + 1 : attr;
	char path[PATH_MAX];

	/* Only fabrics controllers have a hostnqn. */
	return (!strcmp(name, "address") || !strcmp(name, "queue_addrs")) &&
	       !sibling_path(attr, "hostnqn", path) && sysfs_exists(dirfd, path);
}

/* Return 0 if the controller is live, -ENOTCONN in any other state, -errno if it is gone. */
static int check_live(int dirfd, const char *attr)
{
	static const char live[] = "live\n";
	char path[PATH_MAX], state[32];
	int err = sibling_path(attr, "state", path);
	ssize_t len = err ? err : sysfs_read_raw(dirfd, path, state, sizeof(state));

	if (len < 0)
		return (int)len;
	return len == sizeof(live) - 1 && !memcmp(state, live, sizeof(live) - 1) ? 0 : -ENOTCONN;
}

/* An open attribute, and the lock that some attributes need until they are closed. */
struct open_attr {
	int fd;
	struct sysfs_lock lock;
};

#define ATTR_CLOSED \
	{ \
		-1, \
		{ \
			-1, -1 \
		} \
	}

static void close_attr_cleanup(struct open_attr *open)
{
	close_cleanup(&open->fd);
	sysfs_lock_release(&open->lock);
}

static int open_attr(int dirfd, const char *attr, struct open_attr *ret)
{
	bool sockets = reads_sockets(dirfd, attr);
	/* Before locking, as only live controllers need it, and again in case that changed. */
	int err = sockets ? check_live(dirfd, attr) : 0;

	if (!err && sockets)
		err = sysfs_lock_take(&ret->lock);
	if (!err && sockets)
		err = check_live(dirfd, attr);
	if (err)
		return err;
	ret->fd = openat(dirfd, attr, O_RDONLY | O_CLOEXEC);
	return ret->fd < 0 ? memory_noted(-errno) : 0;
}

/* One read() suffices: the kernel returns the whole attribute. */
ssize_t sysfs_read_raw(int dirfd, const char *attr, void *buf, size_t size)
{
	_cleanup_(close_attr) struct open_attr open = ATTR_CLOSED;
	ssize_t len = open_attr(dirfd, attr, &open);

	if (len < 0)
		return len;
	do
		len = read(open.fd, buf, size);
	while (len < 0 && errno == EINTR);
	return len < 0 ? -errno : len;
}

static int read_to_end(int fd, char **text, size_t *used)
{
	size_t size = 0;
	ssize_t len;

	do {
		if (*used == size) {
			char *larger;

			size = size ? 2 * size : SYSFS_VALUE_MAX + 1;
			larger = size > SYSFS_LONG_MAX ? NULL : realloc(*text, size + 1);
			if (!larger)
				return size > SYSFS_LONG_MAX ? -EFBIG : -ENOMEM;
			*text = larger;
		}
		len = read(fd, *text + *used, size - *used);
		*used += len > 0 ? (size_t)len : 0;
	} while (len > 0 || (len < 0 && errno == EINTR));
	return len < 0 ? -errno : 0;
}

int sysfs_read_long(int dirfd, const char *attr, char **ret)
{
	_cleanup_(close_attr) struct open_attr open = ATTR_CLOSED;
	_cleanup_(free) char *text = NULL;
	size_t used = 0;
	int err = open_attr(dirfd, attr, &open) ?: read_to_end(open.fd, &text, &used);

	if (err)
		return memory_noted(err);
	text[used] = '\0';
	*ret = steal_ptr(&text);
	return 0;
}

static ssize_t read_value(int dirfd, const char *attr, char *buf, size_t size)
{
	ssize_t len = sysfs_read_raw(dirfd, attr, buf, size);

	if (len < 0)
		return len;

	len = (ssize_t)strnlen(buf, (size_t)len);
	if (len && buf[len - 1] == '\n')
		len--;
	while (len && buf[len - 1] == ' ')
		len--;
	return len ? len : -ENODATA;
}

int sysfs_read_at(int dirfd, const char *attr, char **ret)
{
	char buf[SYSFS_VALUE_MAX];
	ssize_t len = read_value(dirfd, attr, buf, sizeof(buf));
	char *value;

	if (len < 0)
		return memory_noted_read((int)len);
	value = strndup(buf, (size_t)len);
	/* The value may be a secret. */
	explicit_bzero(buf, (size_t)len);
	if (!value)
		return memory_noted(-ENOMEM);
	*ret = value;
	return 0;
}

int sysfs_read_optional(int dirfd, const char *attr, char **ret)
{
	int err = sysfs_read_at(dirfd, attr, ret);

	if (!err)
		return 0;
	*ret = NULL;
	return err == -ENOENT || err == -ENODATA || err == -ENODEV || err == -ENXIO ? 0 : err;
}

ssize_t sysfs_read_buf(int dirfd, const char *attr, char *buf, size_t size)
{
	char value[SYSFS_VALUE_MAX];
	ssize_t len = read_value(dirfd, attr, value, sizeof(value));

	if (len < 0)
		return len;
	if ((size_t)len >= size)
		return -EOVERFLOW;
	memcpy(buf, value, (size_t)len);
	buf[len] = '\0';
	return len;
}

/* Store @dir "/" @name in @path. Scans call this most often, hence no snprintf(). */
static int join(char path[PATH_MAX], const char *dir, const char *name)
{
	size_t dir_len = strlen(dir), name_len = strlen(name);

	if (dir_len + name_len + 2 > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path, dir, dir_len);
	path[dir_len] = '/';
	memcpy(path + dir_len + 1, name, name_len + 1);
	return 0;
}

int sysfs_read_below(int dirfd, const char *name, const char *attr, char **ret)
{
	char path[PATH_MAX];

	return join(path, name, attr) ?: sysfs_read_at(dirfd, path, ret);
}

ssize_t sysfs_read_buf_below(int dirfd, const char *name, const char *attr, char *buf, size_t size)
{
	char path[PATH_MAX];

	return join(path, name, attr)
		       ?: memory_noted_read((int)sysfs_read_buf(dirfd, path, buf, size));
}

/* Find the line "@key=value" of @uevent. Return the value and its length, or NULL. */
static const char *uevent_value(const char *uevent, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	for (const char *line = uevent; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, key, key_len) && line[key_len] == '=') {
			*len = strcspn(line + key_len + 1, "\n");
			return line + key_len + 1;
		}
	return NULL;
}

int sysfs_read_portal(int dirfd, const char *name, char **ret)
{
	static const struct {
		const char *key, *name;
	} parts[] = {
		{ "NVME_TRADDR", "traddr" },
		{ "NVME_TRSVCID", "trsvcid" },
		{ "NVME_HOST_TRADDR", "host_traddr" },
		{ "NVME_HOST_IFACE", "host_iface" },
	};
	_cleanup_(free) char *uevent = NULL;
	char text[SYSFS_VALUE_MAX + 64];
	size_t used = 0, len;
	int err = sysfs_read_below(dirfd, name, "uevent", &uevent);

	if (err)
		return err == -ENODATA ? -ENOENT : err;
	if (!uevent_value(uevent, parts[0].key, &len))
		return -ENOENT;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *value = uevent_value(uevent, parts[i].key, &len);

		/* Skip unset values. Loop controllers without an address have "(null)". */
		if (!value || !len || (len == 4 && !strncmp(value, "none", len)) ||
		    (len == 6 && !strncmp(value, "(null)", len)))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%.*s",
					 used ? "," : "", parts[i].name, (int)len, value);
	}
	if (!used)
		return -ENODATA;
	*ret = strdup(text);
	return *ret ? 0 : memory_noted(-ENOMEM);
}

int sysfs_read(const char *dir, const char *attr, char **ret)
{
	char path[PATH_MAX];

	return join(path, dir, attr) ?: sysfs_read_at(AT_FDCWD, path, ret);
}

int sysfs_write(const char *dir, const char *attr, const char *value)
{
	_cleanup_(sigpipe_restore) struct sigpipe before = { 0 };
	_cleanup_(close) int fd = -1;
	size_t len = strlen(value);
	char path[PATH_MAX];
	ssize_t written;
	int err = join(path, dir, attr);

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	sigpipe_block(&before);
	written = write(fd, value, len);
	if (written < 0)
		return -errno;
	return (size_t)written == len ? 0 : -EIO;
}

/* In /sys/module, a module's name has underscores where its file and modprobe(8) have hyphens. */
bool sysfs_module_has(const char *module, const char *name)
{
	char path[PATH_MAX], full[PATH_MAX], known[NAME_MAX + 1];
	size_t i;

	for (i = 0; module[i]; i++) {
		if (i == NAME_MAX)
			return false;
		known[i] = module[i] == '-' ? '_' : module[i];
	}
	known[i] = '\0';
	return !join(path, sysfs_path(SYSFS_MODULES), known) && !join(full, path, name) &&
	       sysfs_exists(AT_FDCWD, full);
}

bool sysfs_is_mounted(void)
{
	return sysfs_exists(AT_FDCWD, sysfs_path(SYSFS_CLASS));
}

bool sysfs_exists(int dirfd, const char *name)
{
	return !faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

int sysfs_readlink(int dirfd, const char *name, char **ret)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dirfd, name, target, sizeof(target));
	char *copy;

	if (len < 0)
		return -errno;
	if (len == sizeof(target))
		return -ENAMETOOLONG;
	copy = strndup(target, (size_t)len);
	if (!copy)
		return memory_noted(-ENOMEM);
	*ret = copy;
	return 0;
}

int sysfs_open_target_dir(int dirfd, const char *name)
{
	_cleanup_(free) char *target = NULL;
	char *slash;
	int err = sysfs_readlink(dirfd, name, &target);

	if (err == -EINVAL)
		return sysfs_open_dir(dirfd, ".");
	if (err)
		return err;
	slash = strrchr(target, '/');
	if (!slash)
		return sysfs_open_dir(dirfd, ".");
	*slash = '\0';
	return sysfs_open_dir(dirfd, target);
}

int sysfs_walk(int dirfd, int (*filter)(const struct dirent *),
	       int (*visit)(int dirfd, const char *name, void *arg), void *arg)
{
	union {
		struct dirent entry;
		char bytes[8192];
	} buf;
	ssize_t len;

	if (lseek(dirfd, 0, SEEK_SET) < 0)
		return -errno;
	while ((len = getdents64(dirfd, &buf, sizeof(buf))) > 0) {
		const struct dirent *entry;

		for (ssize_t at = 0; at < len; at += entry->d_reclen) {
			int err;

			entry = (const void *)(buf.bytes + at);
			if (filter && !filter(entry))
				continue;
			err = visit(dirfd, entry->d_name, arg);
			if (err)
				return err;
		}
	}
	return len < 0 ? -errno : 0;
}

struct collection {
	char *storage;
	size_t used, size;
	size_t count;
};

static int collect(int dirfd, const char *name, void *arg)
{
	struct collection *all = arg;
	size_t len = strlen(name) + 1;

	if (len > all->size - all->used) {
		size_t size = all->size ? all->size * 2 : 1024;
		char *larger = realloc(all->storage, size);

		if (!larger)
			return -ENOMEM;
		all->storage = larger;
		all->size = size;
	}
	memcpy(all->storage + all->used, name, len);
	all->used += len;
	all->count++;
	return 0;
}

/* Names in a directory differ in numbers without leading zeros: a longer one is larger. */
static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t x_len, y_len;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	x_len = strspn(x, "0123456789");
	y_len = strspn(y, "0123456789");
	if (x_len != y_len)
		return x_len < y_len ? -1 : 1;
	return (unsigned char)*x - (unsigned char)*y;
}

int sysfs_names(int dirfd, int (*filter)(const struct dirent *), struct sysfs_names *ret)
{
	struct collection all = { 0 };
	struct sysfs_names names = { 0 };
	char *name;
	int err = sysfs_walk(dirfd, filter, collect, &all);

	names.storage = name = all.storage;
	names.name = err ? NULL : calloc(all.count + 1, sizeof(*names.name));
	if (!names.name) {
		free(all.storage);
		return err ?: -ENOMEM;
	}
	for (; names.count < all.count; name += strlen(name) + 1)
		names.name[names.count++] = name;
	qsort(names.name, names.count, sizeof(*names.name), compare_names);
	*ret = names;
	return 0;
}

void sysfs_names_cleanup(struct sysfs_names *names)
{
	free(names->name);
	free(names->storage);
	*names = (struct sysfs_names){ 0 };
}
