// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme disconnect, nvme disconnect-all */
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>

#include "device/in-use.h"
#include "fabrics.h"

struct disconnect_args {
	const char *nqn, *device, *transport, *traddr, *trsvcid, *host_traddr, *host_iface;
};

#define ADDRESS(name, letter, member, meta, help) \
	OPT(STR, name, letter, struct disconnect_args, member, meta, help)

/* Controllers to disconnect. */
struct picked {
	nvme_ctrl_t *ctrls;
	size_t n;
};

static void picked_free_cleanup(struct picked *picked)
{
	free(picked->ctrls);
}

static bool is_picked(const struct picked *picked, const char *name)
{
	for (size_t i = 0; i < picked->n; i++)
		if (!strcmp(nvme_ctrl_get_name(picked->ctrls[i]), name))
			return true;
	return false;
}

/* Return 0 or -ENOMEM. */
static int pick_ctrl(struct picked *picked, nvme_ctrl_t c)
{
	nvme_ctrl_t *ctrls;

	if (is_picked(picked, nvme_ctrl_get_name(c)))
		return 0;
	ctrls = reallocarray(picked->ctrls, picked->n + 1, sizeof(*ctrls));
	if (!ctrls)
		return -ENOMEM;
	picked->ctrls = ctrls;
	picked->ctrls[picked->n++] = c;
	return 0;
}

/* Compare two IPv6 addresses, whatever their notation. */
static bool is_same_ip(const char *a, const char *b)
{
	struct in6_addr x, y;

	return inet_pton(AF_INET6, a, &x) == 1 && inet_pton(AF_INET6, b, &y) == 1 &&
	       IN6_ARE_ADDR_EQUAL(&x, &y);
}

static bool is_same_value(const char *wanted, const char *value)
{
	return !wanted || (value && (!strcmp(wanted, value) || is_same_ip(wanted, value)));
}

/* True if the connection starts from @wanted: the given host_traddr, else the kernel's choice. */
static bool starts_from(nvme_ctrl_t c, const char *wanted)
{
	const char *address = nvme_ctrl_get_address(c);
	const char *source = address ? strstr(address, "src_addr=") : NULL;
	_cleanup_(free) char *value = NULL;

	if (!wanted || nvme_ctrl_get_host_traddr(c) || !source)
		return is_same_value(wanted, nvme_ctrl_get_host_traddr(c));
	source += strlen("src_addr=");
	value = strndup(source, strcspn(source, ","));
	return is_same_value(wanted, value);
}

/* Unknown transports count as fabrics: the kernel may have some that the library does not list. */
static bool is_fabric(const char *transport)
{
	return !nvmf_transport_is_known(transport) ||
	       nvmf_transport_has(transport, NVMF_TRANSPORT_FABRICS);
}

static bool is_selected(const struct disconnect_args *args, nvme_ctrl_t c)
{
	return nvme_ctrl_get_name(c) && (args->nqn || is_fabric(nvme_ctrl_get_transport(c))) &&
	       is_same_value(args->transport, nvme_ctrl_get_transport(c)) &&
	       is_same_value(args->traddr, nvme_ctrl_get_traddr(c)) &&
	       is_same_value(args->trsvcid, nvme_ctrl_get_trsvcid(c)) &&
	       starts_from(c, args->host_traddr) &&
	       is_same_value(args->host_iface, nvme_ctrl_get_host_iface(c));
}

static int disconnect_ctrl(struct command *cmd, nvme_ctrl_t c, const char *what)
{
	_cleanup_(free) char *name = strdup(nvme_ctrl_get_name(c));
	struct muted muted = input_mute(cmd->root);
	int ret = nvme_disconnect_ctrl(c);

	input_unmute(&muted);
	if (!ret)
		return 0;
	return command_fail(cmd, errno, "%s %s", what, name ? name : "controller");
}

/* Pick the selected controllers of subsystem @nqn, or of all for NULL. Return 0 or -ENOMEM. */
static int pick_selected(struct command *cmd, const char *nqn, struct picked *picked)
{
	const struct disconnect_args *args = cmd->args;
	nvme_host_t h;
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	nvme_for_each_host(cmd->root, h) {
		nvme_for_each_subsystem(h, s) {
			const char *subsysnqn = nvme_subsystem_get_nqn(s);

			if (nqn && (!subsysnqn || strcmp(subsysnqn, nqn)))
				continue;
			nvme_subsystem_for_each_ctrl(s, c)
				if (is_selected(args, c) && pick_ctrl(picked, c))
					return -ENOMEM;
		}
	}
	return 0;
}

/* True if an entry of a subsystem or controller in /sys is a namespace (@of_ns) or a controller. */
static bool is_sysfs_entry(const char *name, bool of_ns)
{
	unsigned int number, nsid;
	int end = 0;

	if (of_ns)
		return sscanf(name, "nvme%un%u%n", &number, &nsid, &end) == 2 && !name[end];
	return sscanf(name, "nvme%u%n", &number, &end) == 1 && !name[end];
}

/* Add @dir's namespaces, by name in sysfs, unless a controller there stays. Return 0 or -ENOMEM. */
static int add_lost_namespaces(const struct picked *picked, const char *dir,
			       struct in_use_claim *lost)
{
	struct dirent **entries = NULL;
	int n = dir ? scandir(dir, &entries, NULL, versionsort) : 0;
	int err = n < 0 && errno == ENOMEM ? -ENOMEM : 0;
	bool stays = false;

	for (int i = 0; i < n; i++)
		stays |= is_sysfs_entry(entries[i]->d_name, false) &&
			 !is_picked(picked, entries[i]->d_name);
	for (int i = 0; i < n; i++) {
		if (!stays && is_sysfs_entry(entries[i]->d_name, true) &&
		    in_use_add(lost, entries[i]->d_name) == -ENOMEM)
			err = -ENOMEM;
		free(entries[i]);
	}
	free(entries);
	return err;
}

/* Ask the user on a terminal. Scripts continue, as with nvme-cli 2.x. */
static bool is_confirmed(void)
{
	_cleanup_(free) char *answer = NULL;
	size_t size = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return true;
	fputs("Disconnect anyway? [y/N] ", stderr);
	return getline(&answer, &size, stdin) > 0 && tolower((unsigned char)*answer) == 'y';
}

/* Ask before namespaces in use disappear. Not in nvme-mptcp: other libnvme cannot find users. */
static int confirm_disconnect(struct command *cmd, const struct picked *picked)
{
	_cleanup_(in_use_release) struct in_use_claim lost = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < picked->n; i++) {
		nvme_subsystem_t s = nvme_ctrl_get_subsystem(picked->ctrls[i]);

		ret = add_lost_namespaces(picked, s ? nvme_subsystem_get_sysfs_dir(s) : NULL,
					  &lost);
		if (!ret)
			ret = add_lost_namespaces(picked, nvme_ctrl_get_sysfs_dir(picked->ctrls[i]),
						  &lost);
	}
	if (!ret)
		ret = in_use_warn(cmd, &lost);
	if (ret < 0)
		return command_fail(cmd, -ret, "Failed to disconnect");
	return ret && !is_confirmed() ? command_fail(cmd, 0, "Nothing was disconnected") : 0;
}

/* Disconnect the controllers; *@n is increased for each that succeeded. Return the exit status. */
static int disconnect_picked(struct command *cmd, const struct picked *picked, const char *what,
			     unsigned int *n)
{
	int status = 0;

	for (size_t i = 0; i < picked->n; i++) {
		if (disconnect_ctrl(cmd, picked->ctrls[i], what))
			status = 1;
		else
			++*n;
	}
	return status;
}

/* Scan only the given subsystem; for several, one pass over all is cheaper. */
static int scan_for_nqns(nvme_root_t root, const char *nqns)
{
	return !nqns || strchr(nqns, ',') ? nvme_scan_topology(root, NULL, NULL)
					  : nvme_scan_subsystem(root, nqns);
}

static int disconnect_by_nqn(struct command *cmd, const char *nqns)
{
	_cleanup_(picked_free) struct picked picked = { 0 };
	_cleanup_(free) char *list = nqns ? strdup(nqns) : NULL;
	unsigned int n = 0;
	int status, err = 0;

	if (nqns && !list)
		return command_fail(cmd, ENOMEM, "Failed to disconnect %s", nqns);
	nvme_root_skip_namespaces(cmd->root);
	if (scan_for_nqns(cmd->root, nqns) < 0 && errno != ENOENT)
		return command_fail(cmd, errno, "Failed to scan topology");
	if (!nqns)
		err = pick_selected(cmd, NULL, &picked);
	for (char *p = list, *nqn; !err && (nqn = strsep(&p, ",")) != NULL;)
		if (*nqn)
			err = pick_selected(cmd, nqn, &picked);
	if (err)
		return command_fail(cmd, -err, "Failed to disconnect");
	if (!NVME_ALONE && confirm_disconnect(cmd, &picked))
		return 1;
	status = disconnect_picked(cmd, &picked, "Failed to disconnect", &n);
	if (nqns)
		out_text(cmd->out, "NQN:%s ", out_safe(cmd->out, nqns));
	out_text(cmd->out, "disconnected %u controller(s)\n", n);
	return status;
}

static int disconnect_by_device(struct command *cmd, const char *devices)
{
	_cleanup_(picked_free) struct picked picked = { 0 };
	_cleanup_(free) char *list = strdup(devices);
	unsigned int n = 0;
	int status = 0;

	if (!list)
		return command_fail(cmd, ENOMEM, "Failed to disconnect %s", devices);
	nvme_root_skip_namespaces(cmd->root);
	for (char *p = list, *device; (device = strsep(&p, ",")) != NULL;) {
		const char *name = strncmp(device, "/dev/", 5) ? device : device + 5;
		nvme_ctrl_t c;

		if (!*device)
			continue;
		c = nvme_scan_ctrl(cmd->root, name);
		if (!c)
			status = command_fail(cmd, 0, "Did not find device %s", device);
		else if (pick_ctrl(&picked, c))
			return command_fail(cmd, ENOMEM, "Failed to disconnect %s", device);
	}
	if (!status && !picked.n)
		status = command_fail(cmd, 0, "Did not find device '%s'", devices);
	return (!NVME_ALONE && confirm_disconnect(cmd, &picked)) ||
	       disconnect_picked(cmd, &picked, "Failed to disconnect", &n) || status;
}

static int disconnect(struct command *cmd)
{
	const struct disconnect_args *args = cmd->args;
	const bool by_address = args->transport || args->traddr || args->trsvcid ||
				args->host_traddr || args->host_iface;

	if (!args->nqn && !args->device && !by_address)
		return command_fail(cmd, 0,
				    "Neither device name [--device | -d] nor NQN [--nqn | -n] "
				    "provided");
	if (args->nqn && args->device)
		return command_fail(cmd, 0,
				    "Both device name [--device | -d] and NQN [--nqn | -n] are "
				    "specified");
	if (args->device && by_address)
		return command_fail(cmd, 0,
				    "Both device name [--device | -d] and an address are "
				    "specified");
	if (!args->nqn && !args->device && !args->traddr)
		return command_fail(
			cmd, 0,
			"required argument [--traddr | -a] or [--nqn | -n] not "
			"specified (" NVME_COMMAND
			" disconnect-all --transport disconnects all controllers of a transport)");
	if (!command_root(cmd))
		return 1;
	return args->device ? disconnect_by_device(cmd, args->device)
			    : disconnect_by_nqn(cmd, args->nqn);
}

COMMAND(disconnect_command, "disconnect", "Disconnect from a subsystem or controller",
	OPTIONS(OPT(STR, "nqn", 'n', struct disconnect_args, nqn, "NQN[,NQN...]",
		    "subsystems to disconnect from"),
		OPT(STR, "device", 'd', struct disconnect_args, device, "DEV[,DEV...]",
		    "controllers to disconnect, e.g. nvme0"),
		ADDRESS("transport", 't', transport, "NAME", "only controllers of this transport"),
		ADDRESS("traddr", 'a', traddr, "ADDR", "only controllers at this address"),
		ADDRESS("trsvcid", 's', trsvcid, "PORT", "only controllers at this port"),
		ADDRESS("host-traddr", 'w', host_traddr, "ADDR",
			"only controllers that are connected from this address"),
		ADDRESS("host-iface", 'f', host_iface, "NAME",
			"only controllers that are connected over this interface"),
		OPT_VERBOSE),
	.args_size = sizeof(struct disconnect_args), .run = disconnect);

static int disconnect_all(struct command *cmd)
{
	_cleanup_(picked_free) struct picked picked = { 0 };
	unsigned int n = 0;

	if (!command_root(cmd))
		return 1;
	nvme_root_skip_namespaces(cmd->root);
	if (nvme_scan_topology(cmd->root, NULL, NULL) < 0) {
		if (errno == ENOENT)
			return 0;
		return command_fail(cmd, errno, "Failed to scan topology");
	}
	if (pick_selected(cmd, NULL, &picked))
		return command_fail(cmd, ENOMEM, "Failed to disconnect");
	return (!NVME_ALONE && confirm_disconnect(cmd, &picked)) ||
	       disconnect_picked(cmd, &picked, "failed to disconnect", &n);
}

COMMAND(disconnect_all_command, "disconnect-all", "Disconnect from all subsystems",
	OPTIONS(ADDRESS("transport", 'r', transport, "NAME", "only controllers of this transport"),
		OPT_VERBOSE),
	.args_size = sizeof(struct disconnect_args), .run = disconnect_all);
