// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules K and O: MPTCP support of the kernel, and what the caller may see. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "rules.h"
#include "transport.h"
#include "mptcp/trial/trial-state.h"

static const char *setting(const struct check *c, const char *name)
{
	return nvme_mptcp_setting(c->snap, name);
}

void rule_no_mptcp(struct check *c, enum rule_id rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_SETTINGS) != EOPNOTSUPP)
		return;
	finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_KERNEL)),
		    "This kernel has no MPTCP: /proc/sys/net/mptcp does not exist. Boot one "
		    "built with CONFIG_MPTCP=y");
}

void rule_mptcp_disabled(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f;

	/* On a target with MPTCP ports, T09 reports it. */
	if (!str_eq(setting(c, "enabled"), "0") || (c->role == ON_TARGET && check_has_ports(c)))
		return;
	f = finding_add(c, rule, subject_setting("net.mptcp.enabled"));
	finding_why(c, f,
		    "MPTCP is disabled in this network namespace: MPTCP sockets cannot be created");
	finding_fact(c, f, "enabled", "0");
	finding_fix(c, f, check_side(c), "sysctl -w net.mptcp.enabled=1");
}

void rule_no_ipv6(struct check *c, enum rule_id rule)
{
	bool wanted = false;

	for (size_t i = 0; i < c->n_portals; i++)
		wanted |= !address_is_v4(&c->portals[i].address.ip);
	FOR_EACH_ENDPOINT(c, ep)
		wanted |= !address_is_v4(&ep->ip);
	if (!wanted || c->ops->has_family(c, AF_INET6))
		return;
	finding_why(c, finding_add(c, rule, subject_kernel("IPv6")),
		    "This kernel has no MPTCP over IPv6, which an address here requires. Boot "
		    "one built with CONFIG_MPTCP_IPV6=y, and do not disable IPv6");
}

void rule_no_diagnosis(struct check *c, enum rule_id rule)
{
	static const struct {
		enum nvme_mptcp_part part;
		const char *module;
	} parts[] = {
		{ NVME_MPTCP_CONNECTIONS, "mptcp_diag" },
		{ NVME_MPTCP_SUBFLOWS, "tcp_diag" },
	};

	if (check_has_found(c, RULE_K01))
		return;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct nvme_mptcp_finding *f;

		if (nvme_mptcp_snapshot_errno(c->snap, parts[i].part) != EOPNOTSUPP)
			continue;
		f = finding_add(c, rule, subject_module(parts[i].module));
		finding_why(c, f, "%s", nvme_mptcp_snapshot_problem(c->snap, parts[i].part));
		/* Without mptcp_diag, tcp_diag is not tested. */
		finding_fix(c, f, check_side(c), "modprobe -a mptcp_diag tcp_diag");
	}
}

static bool keeps_its_manager(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	return connection_has_userspace_manager(c->snap, conn);
}

void rule_userspace_path_manager(struct check *c, enum rule_id rule)
{
	const char *manager = nvme_mptcp_path_manager(c->snap);
	const char *command = snapshot_kernel_manager(c->snap);
	struct nvme_mptcp_finding *f;
	size_t n = 0;

	FOR_EACH_CONN(c, conn)
		n += connection_has_userspace_manager(c->snap, conn);
	if (!command && !n)
		return;
	f = finding_add(c, rule, subject_kernel("path manager"));
	finding_why(c, f,
		    command ? "New connections wait for a path manager in user "
			      "space; endpoints and limits do not apply to them"
			    : "Connections that were made under a path manager in user space stay "
			      "under it: endpoints and limits do not apply to them");
	if (manager)
		finding_fact(c, f, "path_manager", "%s", manager);
	finding_fact(c, f, "connections", "%zu", n);
	if (command)
		finding_fix(c, f, check_side(c), "%s", command);
	fix_reset(c, f, keeps_its_manager);
}

/* The kernel's lists have underscores in module names even if the files have hyphens. */
static const char *host_module(char *name, size_t size)
{
	snprintf(name, size, "%s", nvmf_transport_module("mptcp"));
	for (char *p = strchr(name, '-'); p; p = strchr(p, '-'))
		*p = '_';
	return name;
}

const struct offer check_nvmet_offer = { "nvmet_tcp", "nvmet-transport-4" };

bool check_has_found_module(const struct check *c, const char *module)
{
	FOR_EACH(f, c->findings->finding, c->findings->n)
		if (f->rule == RULE_K06 && str_eq(finding_get_fact(f, "module"), module))
			return true;
	return false;
}

/* K06: missing support can be detected only while nothing uses the module. */
void rule_mptcp_not_offered(struct check *c, enum rule_id rule)
{
	char name[64];
	const struct offer offers[] = {
		[NVME_MPTCP_ROLE_HOST] = { host_module(name, sizeof(name)),
					   nvmf_transport_module("mptcp") },
		[NVME_MPTCP_ROLE_TARGET] = check_nvmet_offer,
	};
	/* A relay replaces the transport. */
	const struct nvme_mptcp_relay_status *relay = c->snap->relay;
	const bool used[] = {
		[NVME_MPTCP_ROLE_HOST] = c->snap->n_ctrls || relayed_has_portals(c->snap),
		[NVME_MPTCP_ROLE_TARGET] = check_has_ports(c) || (relay && relay->n_ports),
	};

	if (check_has_found(c, RULE_K01))
		return;
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		const struct offer *offer = &offers[role];
		struct nvme_mptcp_finding *f;

		if (!(c->role & (1U << role)) || used[role] || c->ops->offers(c, offer) != 0)
			continue;
		f = finding_why(
			c, finding_add(c, rule, subject_module(offer->module)),
			"This kernel has MPTCP, but no module %s with the transport mptcp: %s. A "
			"relay on both sides carries controllers of the transport tcp over MPTCP",
			offer->module,
			role == NVME_MPTCP_ROLE_HOST ? "it cannot connect over it"
						     : "it does not accept ports of that type");
		finding_fact(c, f, "module", "%s", offer->module);
		finding_fact(c, f, "alias", "%s", offer->alias);
		fix_relay(c, f, (enum nvme_mptcp_role)role);
	}
}

/* Number of SYNs with the option before one is sent without; not a setting of all kernels. */
#define SYN_RETRANS "syn_retrans_before_tcp_fallback"

void fix_blackhole(struct check *c, struct nvme_mptcp_finding *f)
{
	int64_t timeout;

	/* Without MPTCP such connections work: in the pause, they can be established again. */
	FOR_EACH_CONN(c, conn) {
		const struct path_ends ends = check_conn_ends(conn);

		if (conn->fallback == 1 && check_drops_option(c, &ends))
			return;
	}
	/* The value must not change; in a report it may be anything. */
	if (!setting(c, "blackhole_timeout") ||
	    str_parse_int(setting(c, "blackhole_timeout"), 0, INT32_MAX, &timeout))
		return;
	finding_fix(c, f, check_side(c), "sysctl -w net.mptcp.blackhole_timeout=%lld",
		    (long long)timeout);
}

void rule_blackhole(struct check *c, enum rule_id rule)
{
	int64_t seen = check_counter_growth(c, "MPTcpExt", "Blackhole");
	int64_t disabled_now = check_counter_growth(c, "MPTcpExt", "MPCapableSYNTXDisabled");
	struct nvme_mptcp_finding *f;

	if ((!seen && !disabled_now) || (c->trial && c->trial->ended_pause && !disabled_now) ||
	    str_eq(setting(c, "blackhole_timeout"), "0"))
		return;
	f = finding_why(c, finding_add(c, rule, subject_kernel("blackhole")),
			"SYNs with the MPTCP option were lost on the path, so the kernel "
			"makes plain TCP connections for a while (blackhole_timeout, "
			"doubling). Writing the setting again ends this");
	finding_number(c, f, "Blackhole", seen);
	finding_number(c, f, "MPCapableSYNTXDisabled", disabled_now);
	if (setting(c, SYN_RETRANS))
		finding_fact(c, f, SYN_RETRANS, "%s", setting(c, SYN_RETRANS));
	fix_blackhole(c, f);
}

void rule_unusual_settings(struct check *c, enum rule_id rule)
{
	const char *scheduler = nvme_mptcp_scheduler(c->snap);
	struct nvme_mptcp_finding *f;

	if (str_eq(setting(c, "checksum_enabled"), "1")) {
		f = finding_why(
			c, finding_add(c, rule, subject_setting("net.mptcp.checksum_enabled")),
			"Checksums of all data are computed by the CPU, which costs throughput");
		finding_fact(c, f, "checksum_enabled", "1");
	}
	if (scheduler && !str_eq(scheduler, "default")) {
		f = finding_why(c, finding_add(c, rule, subject_setting("net.mptcp.scheduler")),
				"A scheduler other than the kernel's default chooses the subflows");
		finding_fact(c, f, "scheduler", "%s", scheduler);
	}
}

void rule_no_retransmission(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f;

	if (!str_eq(setting(c, "add_addr_timeout"), "0"))
		return;
	f = finding_why(c, finding_add(c, rule, subject_setting("net.mptcp.add_addr_timeout")),
			"If the packet that announces an address is lost, it is "
			"not sent again: the host then never learns of that link");
	finding_fact(c, f, "add_addr_timeout", "0");
	finding_fix(c, f, check_side(c), "sysctl -w net.mptcp.add_addr_timeout=120");
}

void rule_syn_cookies(struct check *c, enum rule_id rule)
{
	int64_t sent = check_counter_growth(c, "TcpExt", "SyncookiesSent");
	struct nvme_mptcp_finding *f;

	if (!sent)
		return;
	f = finding_why(c, finding_add(c, rule, subject_kernel("SYN cookies")),
			"The target answered SYNs with cookies because its queue was "
			"full. Subflows that join at such a moment may be rejected");
	finding_number(c, f, "SyncookiesSent", sent);
	/* 2 sends cookies always, which is for tests; 1 only while the queue is full. */
	if (c->ops->setting(c, "net/ipv4/tcp_syncookies") == 2)
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.ipv4.tcp_syncookies=1");
}

void rule_sockets_denied(struct check *c, enum rule_id rule)
{
	bool hit = c->n_conns && !check_has_extra_subflows(c);
	int64_t failed = check_counter_growth_or_total(c, "MPJoinSynTxCreatSkErr", hit);
	struct nvme_mptcp_finding *f;

	/* The counter includes sockets that a program closes while they join. */
	if (!failed || !hit)
		return;
	f = finding_why(c, finding_add(c, rule, subject_kernel("socket creation")),
			"No connection has a second subflow, and the kernel failed to create "
			"sockets for subflows. Its counter includes connections of any "
			"program that close meanwhile. A security module may deny the sockets");
	finding_number(c, f, "MPJoinSynTxCreatSkErr", failed);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ausearch -m AVC,SECCOMP -ts recent");
}

void rule_tcp_signatures(struct check *c, enum rule_id rule)
{
	static const char *const names[] = { "MD5SigFallback", "MD5SigReset", "TCPAOFallback",
					     NULL };

	finding_why(c, finding_add_growth(c, rule, subject_kernel("TCP signatures"), names),
		    "TCP-MD5 or TCP-AO is configured for this peer. MPTCP cannot be combined with "
		    "either");
}

/* Settings and counters are in /proc, which may not be mounted. */
static void without_proc(struct check *c, enum rule_id rule)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_SETTINGS, NVME_MPTCP_COUNTERS };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (nvme_mptcp_snapshot_errno(c->snap, parts[i]) != ENOENT)
			continue;
		finding_why(c, finding_add(c, rule, subject_part(nvme_mptcp_part_name(parts[i]))),
			    "Findings based on %s are left out: %s", nvme_mptcp_part_name(parts[i]),
			    nvme_mptcp_snapshot_problem(c->snap, parts[i]));
		return;
	}
}

void rule_parts_hidden(struct check *c, enum rule_id rule)
{
	without_proc(c, rule);
	for (int part = 0; part < NVME_MPTCP_PARTS; part++) {
		int err = nvme_mptcp_snapshot_errno(c->snap, part);
		struct nvme_mptcp_finding *f;

		if (err != EPERM && err != EACCES)
			continue;
		f = finding_why(c, finding_add(c, rule, subject_part(nvme_mptcp_part_name(part))),
				"A part of the snapshot is missing because reading it requires "
				"privileges: %s",
				nvme_mptcp_snapshot_problem(c->snap, part));
		finding_fix(c, f, check_side(c), "sudo " NVME_MPTCP_COMMAND " check");
	}
}

void rule_parts_unstable(struct check *c, enum rule_id rule)
{
	for (int part = 0; part < NVME_MPTCP_PARTS; part++) {
		if (nvme_mptcp_snapshot_errno(c->snap, part) != EAGAIN)
			continue;
		finding_why(c, finding_add(c, rule, subject_part(nvme_mptcp_part_name(part))),
			    "The snapshot changed while it was read, "
			    "so findings may be wrong; check again: %s",
			    nvme_mptcp_snapshot_problem(c->snap, part));
	}
}
