// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp setup --relay: the configuration of the relay, and its service. */
#include <spawn.h>
#include <sys/wait.h>
#include <net/if.h>

#include "setup-relay.h"

#define UNIT "nvme-mptcp-relay.service"
/* The relay's unit starts this unit (Wants=). */
#define KEEP_UNIT "nvme-mptcp.service"
#define MAX_COMMAND_WORDS 8

extern char **environ;

/* True if systemd runs; the test of sd_booted(3). */
static bool has_systemd(void)
{
	return !access("/run/systemd/system", F_OK);
}

static int check_relay_side(struct command *cmd, const struct setup_args *args,
			    enum nvme_mptcp_role role)
{
	if (!args->relay && (args->trsvcid || args->port))
		return command_fail(cmd, 0, "%s requires --relay",
				    args->port ? "--port" : "--trsvcid");
	if (!args->relay)
		return 0;
	if (args->netns)
		return command_fail(cmd, 0,
				    "--netns=%s: the relay's service runs in the network namespace "
				    "of the machine; in another one, start " NVME_MPTCP_COMMAND
				    " relay (ip netns exec)",
				    args->netns);
	if (role == NVME_MPTCP_ROLE_TARGET && args->trsvcid)
		return command_fail(cmd, 0, "--trsvcid applies to hosts; on a target use --port");
	if (role == NVME_MPTCP_ROLE_HOST && args->port)
		return command_fail(cmd, 0, "--port applies to targets; on a host use --trsvcid");
	if (role == NVME_MPTCP_ROLE_HOST && !args->traddr)
		return command_fail(
			cmd, 0, "--traddr is required: its first address is the portal to relay");
	return 0;
}

/* True if the options select what to relay, or another configuration. */
static bool names_relayed(const char *options)
{
	static const char *const names[] = { "--port", "--dev", "--config", "-a", "-s", "-J" };

	for (const char *at = options; *at; at += strcspn(at, " "), at += strspn(at, " "))
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			if (!strncmp(at, names[i], strlen(names[i])))
				return true;
	return false;
}

/*
 * Fail if RELAY_OPTIONS of the service replaces the configuration: changing the file would have no
 * effect.
 */
static int check_service_options(struct command *cmd)
{
	static const char variable[] = "RELAY_OPTIONS=";
	char line[4096] = "", *options;
	FILE *from;

	if (!has_systemd())
		return 0;
	from = popen("systemctl show --property=Environment --value " UNIT " 2>/dev/null", "r");
	if (!from)
		return command_fail(cmd, errno, "systemctl show " UNIT);
	if (!fgets(line, sizeof(line), from))
		*line = '\0';
	pclose(from);
	options = strstr(line, variable);
	if (!options)
		return 0;
	/* The value ends with the character in front of the variable: a blank or a quote. */
	options[strcspn(options, (char[]){ options > line ? options[-1] : ' ', '\n', '\0' })] =
		'\0';
	options += strlen(variable);
	if (!names_relayed(options))
		return 0;
	return command_fail(cmd, 0,
			    "RELAY_OPTIONS=\"%s\" of " UNIT " replaces " CONFIG_FILE
			    ", which --relay changes: remove the variable (systemctl edit " UNIT
			    "), or add to it and leave out --relay",
			    options);
}

int relay_setup_check(struct command *cmd, enum nvme_mptcp_role role)
{
	const struct setup_args *args = cmd->args;
	int status = check_relay_side(cmd, args, role), err;

	if (!status && args->relay)
		status = check_service_options(cmd);
	if (status || !args->relay || !args->apply)
		return status;
	err = file_check(CONFIG_FILE);
	/* Without the directory there is no host NQN either, which the plan reports with a command. */
	return err && err != -ENOENT ? command_fail(cmd, -err, "%s", CONFIG_FILE) : 0;
}

int relay_setup_links(struct command *cmd, const char ***devices)
{
	const struct setup_args *args = cmd->args;
	nvme_mptcp_config_t config;
	char names[1024] = "";
	const char *link;
	size_t length = 0, n = 0;

	if (!args->relay || args->dev)
		return 0;
	config = nvme_mptcp_config_new();
	if (!config)
		return command_fail(cmd, ENOMEM, "%s", CONFIG_FILE);
	/* relay_setup_plan() reports a file that cannot be read. */
	nvme_mptcp_config_read(config, CONFIG_FILE);
	for (; (link = nvme_mptcp_config_relay_link(config, n)) && length < sizeof(names); n++)
		if (if_nametoindex(link))
			length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
						   length ? "," : "", link);
	nvme_mptcp_config_free(config);
	if (length >= sizeof(names))
		return command_fail(cmd, 0, "too many links of the object \"relay\" in %s",
				    CONFIG_FILE);
	if (n && !length)
		return command_fail(cmd, 0,
				    "links of the object \"relay\" in " CONFIG_FILE
				    ": none of them exists (ip link lists those that do)");
	return n ? plan_list_split(cmd, names, devices) : 0;
}

int relay_setup_plan(struct command *cmd, nvme_mptcp_plan_t plan,
		     const struct nvme_mptcp_setup_args *made)
{
	const struct setup_args *args = cmd->args;
	const bool is_target = made->role == NVME_MPTCP_ROLE_TARGET;
	const bool is_bare = !is_target && **made->traddrs != '[' && strchr(*made->traddrs, ':');
	_cleanup_(free) char *hostnqn = nvmf_hostnqn_from_file();
	_cleanup_(free) char *hostid = nvmf_hostid_from_file();
	const char *uuid = hostnqn ? strstr(hostnqn, ":uuid:") : NULL;
	_cleanup_(plan_list_free) const char **ports = NULL;
	_cleanup_(free) char *portal = NULL;
	int status = plan_list_split(cmd, args->port, &ports);

	if (status)
		return status;
	if (!is_target && asprintf(&portal, is_bare ? "[%s]:%s" : "%s:%s", *made->traddrs,
				   args->trsvcid ? args->trsvcid : "4420") < 0) {
		portal = NULL;
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	}
	if (nvme_mptcp_plan_relay(plan, made->snap, CONFIG_FILE, hostnqn,
				  &(struct nvme_mptcp_relay_args){
					  .args_size = sizeof(struct nvme_mptcp_relay_args),
					  .portals = (const char *const[]){ portal, NULL },
					  .ports = ports,
					  .links = args->dev ? made->devices : NULL,
					  .hostid = hostid ? hostid
						    : uuid ? uuid + strlen(":uuid:")
							   : NULL,
				  }))
		return mptcp_fail(cmd, 1);
	return 0;
}

/*
 * Run a command, whose words are separated by single spaces. Return its exit status, or -errno. Its
 * output goes to standard error, since standard output may contain a document.
 */
static int run_words(const char *command, bool is_quiet)
{
	_cleanup_(free) char *words = strdup(command);
	char *argv[MAX_COMMAND_WORDS + 1] = { NULL }, *rest = words;
	posix_spawn_file_actions_t files;
	int status, err;
	pid_t pid;

	if (!words)
		return -ENOMEM;
	for (size_t n = 0; rest && n < MAX_COMMAND_WORDS; n++)
		argv[n] = strsep(&rest, " ");
	err = posix_spawn_file_actions_init(&files);
	if (err)
		return -err;
	if (is_quiet)
		err = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY,
						       0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	if (!err)
		err = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool command_succeeds(const char *command)
{
	return run_words(command, true) == 0;
}

static int do_command(struct command *cmd, nvme_mptcp_plan_t plan, bool run, const char *command,
		      const char *why)
{
	enum nvme_mptcp_step_state state = NVME_MPTCP_STEP_PLANNED;
	char error[128] = "";
	int result = 0;

	if (run) {
		result = run_words(command, false);
		state = result ? NVME_MPTCP_STEP_FAILED : NVME_MPTCP_STEP_DONE;
	}
	if (result < 0)
		snprintf(error, sizeof(error), "%s", strerror(-result));
	else if (result)
		snprintf(error, sizeof(error),
			 "exit status %d (journalctl -u " UNIT " shows "
			 "details)",
			 result);
	if (nvme_mptcp_plan_add_command(plan, command, why, state, result ? error : NULL))
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	if (result)
		command_warn(cmd, 0, "%s: %s", command, error);
	return result ? 1 : 0;
}

static bool changes_config(nvme_mptcp_plan_t plan)
{
	nvme_mptcp_for_each_step(plan, step)
		if (!strcmp(nvme_mptcp_step_action(step), "config"))
			return true;
	return false;
}

static int suggest_commands(struct command *cmd, nvme_mptcp_plan_t plan)
{
	int status = do_command(cmd, plan, false, NVME_MPTCP_COMMAND " relay",
				"Run this by hand: systemd does not run here, or has no " UNIT);

	return status ? status
		      : do_command(cmd, plan, false, NVME_MPTCP_COMMAND " keep --auto",
				   "Run this as well: it takes failed links out of use at once");
}

/*
 * Warn if the service of keep does not run. The relay works without it, but failed links then stop
 * I/O.
 */
static void check_keep(struct command *cmd)
{
	if (!command_succeeds("systemctl is-active " KEEP_UNIT))
		command_warn(cmd, 0,
			     KEEP_UNIT
			     " is not running: until it is, a failed link may stop I/O for "
			     "seconds (systemctl status " KEEP_UNIT ")");
}

static int start_relay(struct command *cmd, nvme_mptcp_plan_t plan, bool run, bool is_active)
{
	if (!is_active)
		return do_command(cmd, plan, run, "systemctl enable --now " UNIT,
				  "The relay and " KEEP_UNIT " start now and at each boot");
	if (!command_succeeds("systemctl is-enabled " UNIT) &&
	    do_command(cmd, plan, run, "systemctl enable " UNIT,
		       "The relay and " KEEP_UNIT " start at each boot"))
		return 1;
	if (!changes_config(plan))
		return 0;
	return do_command(cmd, plan, run, "systemctl reload " UNIT,
			  "The relay reads its configuration again; connections stay open");
}

static int start_services(struct command *cmd, nvme_mptcp_plan_t plan, bool run)
{
	const struct setup_args *args = cmd->args;
	const bool is_active = command_succeeds("systemctl is-active " UNIT);
	const bool has_keep = command_succeeds("systemctl is-active " KEEP_UNIT);
	int status = start_relay(cmd, plan, run, is_active);

	/*
	 * Start keep through the relay's unit: starting it by name fails if an administrator has
	 * masked it.
	 */
	if (!status && is_active && !has_keep)
		status = do_command(cmd, plan, run, "systemctl start " UNIT,
				    "The relay runs, and " KEEP_UNIT " starts with it");
	if (!status && has_keep && args->dev && changes_config(plan))
		status = do_command(cmd, plan, run, "systemctl reload " KEEP_UNIT,
				    "keep reads the relay's links from the configuration");
	if (!status && run)
		check_keep(cmd);
	return status;
}

int relay_setup_start(struct command *cmd, nvme_mptcp_plan_t plan, bool run)
{
	if (!has_systemd() || !command_succeeds("systemctl cat " UNIT))
		return suggest_commands(cmd, plan);
	return start_services(cmd, plan, run);
}
