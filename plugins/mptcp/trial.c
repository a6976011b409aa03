// SPDX-License-Identifier: GPL-2.0-or-later
/* Make and print a trial connection. */
#include "mptcp.h"

static bool has_zone(const char *address)
{
	return address && strchr(address, '%');
}

/*
 * Write the options that name an interface, directly or as the zone of an address. Return 0 or
 * -ENOMEM.
 */
static int put_named(const struct nvme_mptcp_trial_args *args, struct text *text)
{
	const struct {
		const char *option, *value;
		bool names;
	} all[] = {
		{ "--traddr", args->traddr, has_zone(args->traddr) },
		{ "--host-traddr", args->host_traddr, has_zone(args->host_traddr) },
		{ "--host-iface", args->host_iface, args->host_iface },
	};
	const char *between = "";

	if (!text_open(text))
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!all[i].names)
			continue;
		fprintf(text->stream, "%s%s=%s", between, all[i].option, all[i].value);
		between = " ";
	}
	return text_close(text);
}

int trial_fail_interface(struct command *cmd, const struct nvme_mptcp_trial_args *args)
{
	_cleanup_(text_wipe) struct text named = { 0 };
	const char *netns = args->netns;

	if (put_named(args, &named))
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, ENOMEM, NVME_COMMAND " %s",
				       cmd->name);
	return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0,
			       "%s: no such network interface%s%s (ip link lists them)",
			       named.bytes, netns ? " in network namespace " : "",
			       netns ? netns : "");
}

int trial_make(struct command *cmd, const struct nvme_mptcp_trial_args *args,
	       nvme_mptcp_trial_t *ret)
{
	if (!nvme_mptcp_try(args, ret))
		return 0;
	switch (errno) {
	case EINVAL:
		return mptcp_fail(cmd, MPTCP_EXIT_NO_ANSWER);
	case ENODEV:
		return trial_fail_interface(cmd, args);
	case EADDRNOTAVAIL:
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0,
				       "--host-traddr=%s: no interface here has this address",
				       args->host_traddr ? args->host_traddr : "");
	case EPERM:
		if (args->host_iface)
			return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, EPERM, "--host-iface=%s",
					       args->host_iface);
	}
	if (args->netns)
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, errno, "network namespace %s",
				       args->netns);
	return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, errno, NVME_COMMAND " %s", cmd->name);
}

static size_t count_carrying(nvme_mptcp_connection_t conn)
{
	size_t n = 0;

	nvme_mptcp_for_each_subflow(conn, sf)
		n += nvme_mptcp_subflow_is_carrying(sf);
	return n;
}

/* Print each link that carries the connection, with the number of subflows if there are several. */
static void show_links(struct out *out, nvme_mptcp_connection_t conn)
{
	char links[MPTCP_LINKS_TEXT], others[MPTCP_LINKS_TEXT];
	const char *begin = " on ";

	nvme_mptcp_for_each_subflow(conn, sf) {
		size_t before = 0, n = 0;
		bool passed = false;

		mptcp_subflow_link_text(sf, links);
		if (!strcmp(links, "-") || !nvme_mptcp_subflow_is_carrying(sf))
			continue;
		nvme_mptcp_for_each_subflow(conn, other) {
			passed |= other == sf;
			if (strcmp(mptcp_subflow_link_text(other, others), links) != 0 ||
			    !nvme_mptcp_subflow_is_carrying(other))
				continue;
			n++;
			before += !passed;
		}
		if (before)
			continue;
		out_text(out, "%s%s", begin, out_safe(out, links));
		if (n > 1)
			out_text(out, " (%zu)", n);
		begin = " ";
	}
}

static void show_accepted(struct out *out, nvme_mptcp_trial_t trial)
{
	nvme_mptcp_connection_t conn = nvme_mptcp_trial_connection(trial);
	int64_t expected = nvme_mptcp_trial_expected(trial);

	out_text(out, "MPTCP accepted");
	if (!conn || expected < 0)
		return;
	out_text(out, ", %zu of %lld subflows", count_carrying(conn), (long long)expected);
	show_links(out, conn);
}

/* Print the subflows that do not carry data; with -v, all of them. */
static void show_subflows(struct command *cmd, nvme_mptcp_connection_t conn)
{
	struct out *out = cmd->out;

	nvme_mptcp_for_each_subflow(conn, sf) {
		const char *trouble = nvme_mptcp_subflow_trouble(sf);
		char links[MPTCP_LINKS_TEXT];

		if (nvme_mptcp_subflow_is_carrying(sf) && !cmd->common.verbose)
			continue;
		out_text(out, "       %-8s %s -> %s  %s%s%s\n",
			 out_safe(out, mptcp_subflow_link_text(sf, links)),
			 nvme_mptcp_subflow_local(sf), nvme_mptcp_subflow_remote(sf),
			 nvme_mptcp_subflow_state(sf), trouble ? ": " : "", trouble ? trouble : "");
	}
}

static void show_announced(struct out *out, nvme_mptcp_trial_t trial)
{
	int64_t n = nvme_mptcp_trial_announced(trial);
	const char *address;

	if (n <= 0)
		return;
	out_text(out, "       the target announced");
	if (!nvme_mptcp_trial_announced_address(trial, 0))
		out_text(out, " %lld address%s", (long long)n, n == 1 ? "" : "es");
	for (size_t i = 0; (address = nvme_mptcp_trial_announced_address(trial, i)); i++)
		out_text(out, " %s", address);
	out_text(out, "\n");
}

void trial_show(struct command *cmd, nvme_mptcp_trial_t trial)
{
	nvme_mptcp_connection_t conn = nvme_mptcp_trial_connection(trial);
	const char *reason = nvme_mptcp_trial_reason(trial);
	struct out *out = cmd->out;

	if (nvme_mptcp_trial_outcome(trial) == NVME_MPTCP_TRIAL_MPTCP) {
		out_text(out, "trial: %s: ", nvme_mptcp_trial_portal(trial));
		show_accepted(out, trial);
		out_text(out, "\n");
		show_announced(out, trial);
	} else {
		char text[512];

		snprintf(text, sizeof(text), "%s: %s", nvme_mptcp_trial_portal(trial), reason);
		out_text(out, "trial: ");
		mptcp_put_sentence(out, text);
	}
	if (conn && nvme_mptcp_connection_fallback(conn) != 1)
		show_subflows(cmd, conn);
	out_text(out, "\n");
}
