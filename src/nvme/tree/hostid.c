/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host's identity: NQN and host ID, from arguments, files or the machine. Targets grant access
 * and hold reservations by it, so an invalid file is an error: another identity must not be used.
 */
#include "base/env.h"
#include "hostid-private.h"
#include "private.h"

#include "config.h"

#define HOSTNQN_FILE SYSCONFDIR "/nvme/hostnqn"
#define HOSTID_FILE SYSCONFDIR "/nvme/hostid"

#define UUID_TEXT_LEN (NVME_UUID_LEN_STRING - 1)

bool hostid_is_identity(const unsigned char uuid[NVME_UUID_LEN])
{
	for (int i = 1; i < NVME_UUID_LEN; i++)
		if (uuid[i] != uuid[0])
			return true;
	return uuid[0] != 0x00 && uuid[0] != 0xff;
}

bool hostid_parse(const char *text, unsigned char uuid[NVME_UUID_LEN])
{
	return strlen(text) == UUID_TEXT_LEN && !nvme_uuid_from_string(text, uuid);
}

/* Parse a name of @n bytes without trailing white space. */
static int name_parse(const char *text, size_t n, size_t max, char **ret)
{
	_cleanup_(free) char *line = strndup(text, n);
	size_t len;

	if (!line)
		return -ENOMEM;
	str_trim_end(line);
	len = strlen(line);
	if (!len)
		return -ENOENT;
	if (len > max)
		return -EMSGSIZE;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)line[i]) || line[i] == ' ' || line[i] == ',')
			return -EINVAL;
	*ret = steal_ptr(&line);
	return 0;
}

int hostid_file_parse(const char *text, size_t n, size_t max, char **ret)
{
	const char *newline = memchr(text, '\n', n);

	return name_parse(text, newline ? (size_t)(newline - text) : n, max, ret);
}

/* Read the first line of @path. Return 0, -ENOENT, -EMSGSIZE beyond @max, -EINVAL or -errno. */
static int read_line(const char *path, size_t max, char **ret)
{
	_cleanup_(fclose) FILE *file = fopen(path, "re");
	char text[1024];
	size_t n;

	if (!file)
		return -errno;
	n = fread(text, 1, sizeof(text), file);
	if (ferror(file))
		return -EIO;
	return hostid_file_parse(text, n, max, ret);
}

/* A name of this host, from an environment variable ("" means none) or a file. */
struct own_name {
	const char *what;
	size_t max;
	int level; /* log level for an invalid name */
	const char *variable, *value;
	const char *path;
};

static const char *own_name_source(const struct own_name *name)
{
	return name->value ? name->variable : name->path;
}

static int own_name_read(const struct own_name *name, char **ret)
{
	const char *source = own_name_source(name);
	int err = name->value ? name_parse(name->value, strlen(name->value), name->max, ret)
			      : read_line(name->path, name->max, ret);

	switch (err) {
	case -EMSGSIZE:
		log_msg(NULL, name->level, "%s: the %s is longer than %zu bytes", source,
			name->what, name->max);
		return -EINVAL;
	case -EINVAL:
		log_msg(NULL, name->level,
			"%s: not a valid %s: it contains blanks, commas or control characters",
			source, name->what);
		return -EINVAL;
	case 0:
	case -ENOENT:
		return err;
	default:
		log_msg(NULL, name->level, "%s: %s", source, strerror(-err));
		return err;
	}
}

static int hostnqn_from_file(int level, char **ret)
{
	struct own_name name = {
		.what = "host NQN",
		.max = NVMF_NQN_SIZE,
		.level = level,
		.variable = "LIBNVME_HOSTNQN",
		.value = env_hostnqn(),
		.path = HOSTNQN_FILE,
	};

	return own_name_read(&name, ret);
}

static int hostid_from_file(int level, char **ret)
{
	struct own_name name = {
		.what = "host identifier",
		.max = UUID_TEXT_LEN,
		.level = level,
		.variable = "LIBNVME_HOSTID",
		.value = env_hostid(),
		.path = HOSTID_FILE,
	};
	_cleanup_(free) char *text = NULL;
	unsigned char uuid[NVME_UUID_LEN];
	int err;

	err = own_name_read(&name, &text);
	if (err)
		return err;
	if (!hostid_parse(text, uuid) || !hostid_is_identity(uuid)) {
		log_msg(NULL, level, "%s: \"%s\" is not a UUID that identifies a host",
			own_name_source(&name), text);
		return -EINVAL;
	}
	*ret = steal_ptr(&text);
	return 0;
}

static int hostid_generate(char **ret)
{
	unsigned char uuid[NVME_UUID_LEN];
	char text[NVME_UUID_LEN_STRING];

	if (hostid_of_machine(uuid) && nvme_uuid_random(uuid) < 0)
		return -EIO;
	nvme_uuid_to_string(uuid, text);
	return str_set(ret, text);
}

static int hostnqn_from_hostid(const char *hostid, char **ret)
{
	*ret = str_format(UUID_NQN_PREFIX "%s", hostid);
	return *ret ? 0 : -ENOMEM;
}

/* Return the UUID in a UUID-based NQN, or NULL. */
static const char *hostid_in_nqn(const char *hostnqn)
{
	unsigned char uuid[NVME_UUID_LEN];

	if (strncmp(hostnqn, UUID_NQN_PREFIX, strlen(UUID_NQN_PREFIX)) != 0)
		return NULL;
	hostnqn += strlen(UUID_NQN_PREFIX);
	return hostid_parse(hostnqn, uuid) ? hostnqn : NULL;
}

/* Return @err, but 0 for a missing file. */
static int optional(int err)
{
	return err == -ENOENT ? 0 : err;
}

static int get_ids(struct nvme_root *r, const char *hostnqn_arg, const char *hostid_arg,
		   char **hostnqn, char **hostid)
{
	struct nvme_host *first = nvme_first_host(r);
	/* A scan that found invalid names has already logged them. */
	const int level = r && r->unnamed_host ? LOG_DEBUG : LOG_ERR;
	const char *in_nqn;
	int err = 0;

	if (first && first == r->unnamed_host)
		first = nvme_next_host(r, first);
	if (hostnqn_arg && *hostnqn_arg)
		err = str_set(hostnqn, hostnqn_arg);
	if (!err && hostid_arg && *hostid_arg)
		err = str_set(hostid, hostid_arg);

	/* A host ID from the tree belongs to that host's NQN only. */
	if (!err && !*hostnqn && first && first->hostnqn)
		err = str_set(hostnqn, first->hostnqn);
	if (!err && !*hostid && first && first->hostid && str_eq(*hostnqn, first->hostnqn))
		err = str_set(hostid, first->hostid);
	if (!err && !*hostnqn)
		err = optional(hostnqn_from_file(level, hostnqn));
	if (!err && !*hostid)
		err = optional(hostid_from_file(level, hostid));

	in_nqn = !err && *hostnqn ? hostid_in_nqn(*hostnqn) : NULL;
	if (!err && !*hostid)
		err = in_nqn ? str_set(hostid, in_nqn) : hostid_generate(hostid);
	if (!err && !*hostnqn)
		err = hostnqn_from_hostid(*hostid, hostnqn);
	if (!err && in_nqn && strcasecmp(in_nqn, *hostid) != 0)
		log_debug(r, "host NQN %s and host identifier %s do not match", *hostnqn, *hostid);
	return err;
}

int hostid_names(struct nvme_root *r, char **hostnqn, char **hostid)
{
	return get_ids(r, NULL, NULL, hostnqn, hostid);
}

int hostid_of_nqn(const char *hostnqn, char **ret)
{
	_cleanup_(free) char *own = NULL;
	const char *in_nqn = hostid_in_nqn(hostnqn);
	int err = hostnqn_from_file(LOG_ERR, &own);

	if (!err && !strcmp(own, hostnqn))
		err = hostid_from_file(LOG_ERR, ret);
	if (err == -ENOMEM || *ret || !in_nqn)
		return err == -ENOMEM ? err : 0;
	return str_set(ret, in_nqn);
}

int nvme_host_get_ids(nvme_root_t r, char *hostnqn_arg, char *hostid_arg, char **hostnqn,
		      char **hostid)
{
	_cleanup_(free) char *nqn = NULL;
	_cleanup_(free) char *id = NULL;
	int err = get_ids(r, hostnqn_arg, hostid_arg, &nqn, &id);

	if (err)
		return failure_errno(err);
	*hostnqn = steal_ptr(&nqn);
	*hostid = steal_ptr(&id);
	return 0;
}

char *nvmf_hostnqn_from_file(void)
{
	char *hostnqn = NULL;
	int err = hostnqn_from_file(LOG_ERR, &hostnqn);

	return err ? failure_null(err) : hostnqn;
}

char *nvmf_hostid_from_file(void)
{
	char *hostid = NULL;
	int err = hostid_from_file(LOG_ERR, &hostid);

	return err ? failure_null(err) : hostid;
}

char *nvmf_hostid_generate(void)
{
	char *hostid = NULL;
	int err = hostid_generate(&hostid);

	return err ? failure_null(err) : hostid;
}

char *nvmf_hostnqn_generate_from_hostid(char *hostid)
{
	_cleanup_(free) char *generated = NULL;
	char *hostnqn = NULL;
	int err = (hostid ? 0 : hostid_generate(&generated))
			  ?: hostnqn_from_hostid(hostid ? hostid : generated, &hostnqn);

	return err ? failure_null(err) : hostnqn;
}

char *nvmf_hostnqn_generate(void)
{
	return nvmf_hostnqn_generate_from_hostid(NULL);
}
