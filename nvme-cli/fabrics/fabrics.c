// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "config.h"
#include "fabrics.h"

struct string_rule {
	const char *option;
	size_t offset;
	size_t max; /* bytes */
	bool secret; /* is not repeated in messages */
};

/* clang-format off */
#define TEXT_RULE(id, name, json, owner, member, longest, traits, rules, argument, ...) \
	{ argument, offsetof(struct fabrics_args, name), longest, (rules) & NVMF_OPTION_SECRET },
#define KEY_RULE(id, name, longest, traits, rules, argument, ...) \
	{ argument, offsetof(struct fabrics_args, name), longest, (rules) & NVMF_OPTION_SECRET },

static const struct string_rule string_rules[] = {
	NVMF_OPTIONS(NVMF_NO_ROW, TEXT_RULE, KEY_RULE, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)
};

struct int_rule {
	const char *option;
	size_t offset;
	int min, max;
};

#define NUMBER_RULE(id, name, owner, least, most, standard, unset, traits, rules, argument, ...) \
	{ argument, offsetof(struct fabrics_args, options.NVMF_OPTION_MEMBER(owner, name)), least, most },

static const struct int_rule int_rules[] = {
	NVMF_OPTIONS(NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NUMBER_RULE, NVMF_NO_ROW, NVMF_NO_ROW)
};
/* clang-format on */

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define SHOWN 64 /* bytes of an over-long value in a message */

static int check_string(struct command *cmd, const struct string_rule *rule, const char *value)
{
	size_t length = strlen(value);
	const char *shown = rule->secret ? "<secret>" : value;
	const char *cut = !rule->secret && length > SHOWN ? "..." : "";

	if (length > rule->max) {
		command_fail(cmd, 0,
			     "Invalid --%s '%.*s%s': %zu bytes are more than the %zu it can have",
			     rule->option, SHOWN, shown, cut, length, rule->max);
		return -EINVAL;
	}
	for (const char *p = value; *p; p++) {
		if (*p == ',') {
			command_fail(
				cmd, 0,
				"Invalid --%s '%.*s%s': a comma would start another option of the "
				"kernel, no value can have one",
				rule->option, SHOWN, shown, cut);
			return -EINVAL;
		}
		if ((unsigned char)*p < 0x20 || *p == 0x7f) {
			command_fail(cmd, 0, "Invalid --%s '%.*s%s': control character 0x%02x",
				     rule->option, SHOWN, shown, cut, (unsigned char)*p);
			return -EINVAL;
		}
	}
	if (!length) {
		command_fail(cmd, 0, "Invalid --%s '': leave the option out instead", rule->option);
		return -EINVAL;
	}
	return 0;
}

static int check_port(struct command *cmd, const char *trsvcid)
{
	char *end;
	unsigned long port = strtoul(trsvcid, &end, 10);

	if (trsvcid[strspn(trsvcid, "0123456789")] || !port || port > 65535) {
		command_fail(cmd, 0, "Invalid --trsvcid '%s': use a port from 1 to 65535", trsvcid);
		return -EINVAL;
	}
	return 0;
}

static int check_transport(struct command *cmd, const char *transport)
{
	if (!nvmf_transport_is_known(transport)) {
		command_fail(cmd, 0, "Unknown transport '%.*s': use one of %s", SHOWN, transport,
			     nvmf_transport_names());
		return -EINVAL;
	}
	if (!nvmf_transport_has(transport, NVMF_TRANSPORT_FABRICS)) {
		command_fail(cmd, 0, "Transport '%s' is no fabric: use one of %s", transport,
			     nvmf_transport_names());
		return -EINVAL;
	}
	return 0;
}

bool fabrics_is_none(const char *value)
{
	return value && !strcasecmp(value, "none");
}

void fabrics_drop_none(struct fabrics_args *args)
{
	const char **values[] = { &args->trsvcid, &args->host_traddr, &args->host_iface };

	for (size_t i = 0; i < N_ELEMENTS(values); i++)
		if (fabrics_is_none(*values[i]))
			*values[i] = NULL;
}

int fabrics_check(struct command *cmd, const struct fabrics_args *args)
{
	unsigned char uuid[NVME_UUID_LEN];

	if (args->transport && check_transport(cmd, args->transport))
		return -EINVAL;
	for (size_t i = 0; i < N_ELEMENTS(string_rules); i++) {
		const char *const *value =
			(const void *)((const char *)args + string_rules[i].offset);

		if (*value && check_string(cmd, &string_rules[i], *value))
			return -EINVAL;
	}
	for (size_t i = 0; i < N_ELEMENTS(int_rules); i++) {
		const struct int_rule *rule = &int_rules[i];
		int value = *(const int *)(const void *)((const char *)args + rule->offset);

		if (value < rule->min || value > rule->max) {
			command_fail(cmd, 0, "Invalid --%s %d: use a number from %d to %d",
				     rule->option, value, rule->min, rule->max);
			return -EINVAL;
		}
	}
	if (args->trsvcid && args->transport &&
	    nvmf_transport_has(args->transport, NVMF_TRANSPORT_TRSVCID) &&
	    check_port(cmd, args->trsvcid))
		return -EINVAL;
	if (args->hostid && nvme_uuid_from_string(args->hostid, uuid)) {
		command_fail(cmd, 0, "Invalid --hostid '%s': use a UUID", args->hostid);
		return -EINVAL;
	}
	if (args->options.cfg.tls && args->options.cfg.concat) {
		command_fail(cmd, 0, "cannot specify --tls and --concat together");
		return -EINVAL;
	}
	return 0;
}

int fabrics_check_address(struct command *cmd, const struct fabrics_args *args)
{
	if (!args->transport) {
		command_fail(cmd, 0, "required argument [--transport | -t] not specified");
		return -EINVAL;
	}
	if (!args->traddr && nvmf_transport_has(args->transport, NVMF_TRANSPORT_TRADDR)) {
		command_fail(cmd, 0,
			     "required argument [--traddr | -a] not specified for transport %s",
			     args->transport);
		return -EINVAL;
	}
	return 0;
}

int fabrics_dump_config(struct command *cmd)
{
	if (nvme_dump_config(cmd->root))
		return command_fail(cmd, errno, "Failed to print the configuration");
	return 0;
}

/* Where a command reports the failure itself, the library would log it once more. */
struct muted fabrics_mute(nvme_root_t root)
{
	struct muted muted = { .root = root };

	muted.level = nvme_get_logging_level(root, &muted.pid, &muted.timestamp);
	if (muted.level < LOG_INFO)
		nvme_init_logging(root, LOG_CRIT, muted.pid, muted.timestamp);
	return muted;
}

/* errno stays. */
void fabrics_unmute(const struct muted *muted)
{
	int err = errno;

	nvme_init_logging(muted->root, muted->level, muted->pid, muted->timestamp);
	errno = err;
}

/* The one key that a file written by hand most often lacks, and whose value is not made up. */
static const char *way_out(const char *reason)
{
	return reason && strstr(reason, "\"hostnqn\" is missing")
		       ? " (" NVME_COMMAND " show-hostnqn prints that of this machine)"
		       : "";
}

int fabrics_read_config(struct command *cmd, const char *file, bool must_exist)
{
	struct muted muted;
	int ret, err;

	if (access(file, R_OK)) {
		if (errno == ENOENT && !must_exist)
			return 0;
		command_fail(cmd, errno, "Failed to read configuration %s", file);
		return -EINVAL;
	}
	muted = fabrics_mute(cmd->root);
	ret = nvme_read_config(cmd->root, file);
	fabrics_unmute(&muted);
	/* What no program of libnvme 1.x sees as a failure: nothing was read. */
	err = errno == ENOENT ? 0 : errno;
	if (ret || err) {
		const char *reason = nvme_config_error(cmd->root);

		command_fail(cmd, reason ? 0 : err, "Failed to read configuration %s%s",
			     reason ? reason : file, way_out(reason));
		return -EINVAL;
	}
	return 0;
}

static bool is_json(const char *name)
{
	size_t length = strlen(name);

	return *name != '.' && length > 5 && !strcmp(name + length - 5, ".json");
}

/* Other managers leave descriptions of the connections that are theirs in STATEDIR. */
static int read_state(struct command *cmd)
{
	_cleanup_(closedir) DIR *dir = opendir(STATEDIR);
	struct dirent *entry;

	if (!dir && errno != ENOENT) {
		command_fail(cmd, errno, "Failed to read %s", STATEDIR);
		return -EINVAL;
	}
	while (dir && (entry = readdir(dir))) {
		_cleanup_(free) char *path = NULL;

		if (!is_json(entry->d_name))
			continue;
		if (asprintf(&path, "%s/%s", STATEDIR, entry->d_name) < 0) {
			path = NULL;
			command_fail(cmd, ENOMEM, "Failed to read %s", STATEDIR);
			return -ENOMEM;
		}
		if (fabrics_read_config(cmd, path, false))
			return -EINVAL;
	}
	return 0;
}

int fabrics_read(struct command *cmd, const struct fabrics_args *args, const char *file)
{
	bool named = args->config;

	if (!command_root(cmd))
		return -ENOMEM;
	if (file && !fabrics_is_none(file) && fabrics_read_config(cmd, file, named))
		return -EINVAL;
	return read_state(cmd);
}

/* Subsystems that the configuration has for no application are anybody's, and so for this one. */
static int claim_unmarked(struct command *cmd, const char *context)
{
	nvme_subsystem_t s;
	nvme_host_t h;

	nvme_for_each_host(cmd->root, h)
		nvme_for_each_subsystem(h, s) {
			if (nvme_subsystem_get_application(s))
				continue;
			nvme_subsystem_set_application(s, context);
			if (!nvme_subsystem_get_application(s))
				return -ENOMEM;
		}
	return 0;
}

int fabrics_scan(struct command *cmd, const struct fabrics_args *args, const char *nqn)
{
	if (args->context && claim_unmarked(cmd, args->context)) {
		command_fail(cmd, ENOMEM, "%s", cmd->name);
		return -ENOMEM;
	}
	if (args->context)
		nvme_root_set_application(cmd->root, args->context);
	nvme_root_skip_namespaces(cmd->root);
	if (nqn ? nvme_scan_subsystem(cmd->root, nqn) < 0
		: nvme_scan_topology(cmd->root, NULL, NULL) < 0) {
		int err = errno;
		const char *module = nvmf_transport_module(args->transport);

		command_fail(cmd, 0, "Failed to scan topology: %s%s%s%s", strerror(err),
			     err == ENOENT ? " (are the NVMe modules loaded? modprobe " : "",
			     err == ENOENT ? (module ? module : "nvme-fabrics") : "",
			     err == ENOENT ? ")" : "");
		return -err;
	}
	return 0;
}

/* A host that the configuration describes without an identifier; the library finds that. */
static nvme_host_t find_described(nvme_root_t root, const char *hostnqn)
{
	nvme_host_t h;

	nvme_for_each_host(root, h)
		if (!nvme_host_get_hostid(h) && !strcmp(nvme_host_get_hostnqn(h), hostnqn))
			return h;
	return NULL;
}

nvme_host_t fabrics_host(struct command *cmd, const struct fabrics_args *args)
{
	_cleanup_(free) char *hostnqn = NULL, *hostid = NULL;
	nvme_host_t h;

	if (nvme_host_get_ids(cmd->root, (char *)args->hostnqn, (char *)args->hostid, &hostnqn,
			      &hostid)) {
		command_fail(cmd, errno, "Failed to work out the host's NQN and identifier");
		return NULL;
	}
	h = find_described(cmd->root, hostnqn);
	if (!h || args->hostid)
		h = nvme_lookup_host(cmd->root, hostnqn, hostid);
	if (!h) {
		command_fail(cmd, errno, "Failed to use host %s", hostnqn);
		return NULL;
	}
	if (args->dhchap_secret)
		nvme_host_set_dhchap_key(h, args->dhchap_secret);
	return h;
}

/* A serial number, where one stands instead of a name or key. */
static bool is_serial(const char *text, long *serial)
{
	char *end;

	if (!text)
		return false;
	errno = 0;
	*serial = strtol(text, &end, 0);
	return !errno && end != text && !*end && *serial > 0;
}

struct nvmf_options fabrics_options(const struct fabrics_args *args)
{
#define TAKE_TEXT(id, name, json, owner, member, ...) TAKE_##owner(name, member)
#define TAKE_HOST(name, member)
#define TAKE_CTRL(name, member)
#define TAKE_PEER(name, member)
#define TAKE_CFG(name, member) options.cfg.member = (char *)args->name;
#define TAKE_OWN(name, member) options.member = (char *)args->name;
	struct nvmf_options options = args->options;
	long serial;

	NVMF_OPTIONS(NVMF_NO_ROW, TAKE_TEXT, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)
	if (is_serial(args->keyring, &serial))
		options.cfg.keyring = serial;
	if (is_serial(args->tls_key, &serial))
		options.cfg.tls_key = serial;
	return options;
}

void fabrics_set_keys(nvme_ctrl_t c, const struct fabrics_args *args)
{
	long serial;

	if (args->dhchap_ctrl_secret)
		nvme_ctrl_set_dhchap_key(c, args->dhchap_ctrl_secret);
	if (args->keyring && !is_serial(args->keyring, &serial))
		nvme_ctrl_set_keyring(c, args->keyring);
	if (args->tls_key && !is_serial(args->tls_key, &serial))
		nvme_ctrl_set_tls_key(c, args->tls_key);
	if (args->tls_key_identity)
		nvme_ctrl_set_tls_key_identity(c, args->tls_key_identity);
}

nvme_ctrl_t fabrics_create_ctrl(struct command *cmd, const struct fabrics_args *args,
				const char *nqn)
{
	const struct nvmf_options options = fabrics_options(args);
	struct muted muted = fabrics_mute(cmd->root);
	nvme_ctrl_t c;

	c = nvme_create_ctrl(cmd->root, nqn, args->transport, args->traddr, args->host_traddr,
			     args->host_iface, args->trsvcid);
	fabrics_unmute(&muted);
	if (c && !nvmf_set_options(c, &options, false)) {
		fabrics_set_keys(c, args);
		return c;
	}
	if (!c && errno == ENVME_CONNECT_TRADDR)
		command_fail(
			cmd, 0,
			"Invalid --host-traddr '%s': neither an address nor a name that resolves",
			args->host_traddr);
	else
		command_fail(cmd, errno, "could not add new controller");
	if (c)
		nvme_free_ctrl(c);
	return NULL;
}

const char *fabrics_error_meaning(int err, const char *reason)
{
	const char *meaning = command_error_text(err);

	return reason && strstr(reason, meaning) ? NULL : meaning;
}

int fabrics_fail_connect(struct command *cmd, nvme_ctrl_t c, int err, const char *what)
{
	const char *reason = nvmf_ctrl_get_connect_error(c);
	const char *meaning = fabrics_error_meaning(err, reason);

	return command_fail(cmd, 0, "%s %s%s%s", what, meaning ? meaning : "",
			    meaning && reason ? ": " : "", reason ? reason : "");
}

bool fabrics_is_well_known_nqn(const char *nqn)
{
	return !strcmp(nqn, NVME_DISC_SUBSYS_NAME);
}
