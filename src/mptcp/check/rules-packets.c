// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules F04 to F08: the MPTCP option, data and announcements on the path. doc/mptcp-rules.md */
#include "config.h"
#include "rules.h"
#include "mptcp/trial/trial-state.h"

static bool has_fallback(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (conn->fallback == 1)
			return true;
	return false;
}

void rule_capable_stripped(struct check *c, enum rule_id rule)
{
	int64_t plain = check_counter_growth(c, "MPTcpExt", "MPCapableFallbackSYNACK");
	struct nvme_mptcp_finding *f;

	/* C01 reports existing connections in fallback. */
	if (!plain || !c->before || has_fallback(c) ||
	    (c->trial && c->trial->outcome != NVME_MPTCP_TRIAL_FALLBACK))
		return;
	f = finding_why(c, finding_add(c, rule, subject_packet("SYN/ACK")),
			"A target answered without MPTCP: the port's trtype is tcp, or a middlebox "
			"removes the option (TCP option 30)");
	/* If controllers have all that they need, it was another program's connection. */
	if (f && !c->trial && (c->n_conns || !check_owns_counter_growth(c)))
		f->severity = NVME_MPTCP_INFO;
	finding_number(c, f, "MPCapableFallbackSYNACK", plain);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
		    "grep . /sys/kernel/config/nvmet/ports/*/addr_trtype");
}

#define OPTION_DROPPED "a middlebox drops packets that carry it"

void rule_option_dropped(struct check *c, enum rule_id rule)
{
	int64_t dropped = check_counter_growth(c, "MPTcpExt", "MPCapableSYNTXDrop");
	struct nvme_mptcp_finding *f;
	struct path_ends ends;

	/* The counter also grows if there was no reply at all. */
	if (!dropped || (c->trial && !c->n_conns) || !check_owns_counter_growth(c))
		return;
	f = finding_add(c, rule, subject_packet("SYN"));
	finding_why(c, f, "SYNs were answered only without the MPTCP option: ");
	finding_number(c, f, "MPCapableSYNTXDrop", dropped);
	if (c->n_conns) {
		ends = check_conn_ends(c->conns[0]);
		check_explain_fallback(c, f, &ends, OPTION_DROPPED);
	} else {
		finding_why_more(c, f, OPTION_DROPPED);
	}
	/* K07 is the kernel's reaction to it. */
	for (size_t i = 0; i < c->findings->n; i++)
		if (c->findings->finding[i].rule == RULE_K07)
			c->findings->finding[i].severity = NVME_MPTCP_INFO;
}

void rule_data_changed(struct check *c, enum rule_id rule)
{
	static const char *const names[] = {
		"DSSCorruptionFallback",
		"DSSCorruptionReset",
		"DssFallback",
		"MPFailTx",
		"MPFailRx",
		"DataCsumErr",
		NULL,
	};

	if (check_owns_counter_growth(c))
		finding_why(c, finding_add_growth(c, rule, subject_packet("data"), names),
			    "A middlebox changes the data or its MPTCP options: connections fall "
			    "back or are reset");
}

static bool has_timeouts(const struct check *c)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (sf->value[NVME_MPTCP_TIMEOUTS] > 0)
			return true;
	return !c->n_conns;
}

void rule_packets_invalid(struct check *c, enum rule_id rule)
{
	int64_t invalid = check_counter_growth(c, "conntrack", "invalid");
	struct nvme_mptcp_finding *f;

	/* F10 reports packets that this host's firewall drops. */
	if (!c->before || !invalid || !has_timeouts(c) || check_has_found(c, RULE_F10) ||
	    c->ops->setting(c, "net/netfilter/nf_conntrack_tcp_be_liberal") != 0)
		return;
	f = finding_why(c, finding_add(c, rule, subject_kernel("connection tracking")),
			"This machine's connection tracking classifies packets as invalid while "
			"subflows wait for answers: a firewall rule that drops invalid packets "
			"breaks subflows whose two directions use different paths");
	finding_number(c, f, "invalid", invalid);
	finding_fact(c, f, "nf_conntrack_tcp_be_liberal", "0");
	finding_fix(c, f, check_side(c), "sysctl -w net.netfilter.nf_conntrack_tcp_be_liberal=1");
}

/* True if addresses are being announced, or were announced to an existing connection. */
static bool announces(const struct check *c)
{
	FOR_EACH_CONN(c, conn)
		if (conn->value[NVME_MPTCP_CONN_ADD_ADDR_SIGNAL] > 0)
			return true;
	return check_counter_growth(c, "MPTcpExt", "AddAddrTx") ||
	       check_counter_growth(c, "MPTcpExt", "AddAddrTxDrop");
}

void rule_announcements_lost(struct check *c, enum rule_id rule)
{
	int64_t sent = check_counter_total(c, "MPTcpExt", "AddAddrTx");
	int64_t unsent = check_counter_total(c, "MPTcpExt", "AddAddrTxDrop");
	int64_t echoed = counter_get(&c->snap->counters, "MPTcpExt", "EchoAdd");
	struct nvme_mptcp_finding *f;

	if (echoed || (!sent && !unsent) || !announces(c))
		return;
	f = finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ANNOUNCEMENT));
	finding_why(c, f,
		    unsent ? "Addresses were not announced, because their option did not fit "
			     "into a packet with other options"
			   : "Addresses are announced, but no host ever confirms one: a middlebox "
			     "removes the option. Endpoints on the hosts work without it");
	finding_number(c, f, "AddAddrTx", sent);
	finding_number(c, f, "AddAddrTxDrop", unsent);
	finding_fact(c, f, "EchoAdd", "0");
	if (unsent) {
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.ipv4.tcp_timestamps=0");
	} else if (c->n_conns) {
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST,
			    NVME_MPTCP_COMMAND " setup --role host --traddr %s --apply",
			    ADDRESS_STRING(&c->conns[0]->local.ip));
		finding_fix_is(f, FIX_SETUP);
	}
}

bool check_report_redirected(struct check *c, const struct in6_addr *local,
			     const struct in6_addr *remote, int err, bool closed)
{
	const struct local_address *own = snapshot_find_address(c->snap, local);
	const struct nvme_mptcp_link *first = plan_link_by_ip(c->snap, &c->trial->conn->local.ip);
	struct nvme_mptcp_finding *f;

	if (!own || !first || !check_is_targets_card(c, own->ifindex, remote))
		return false;
	f = finding_add_path(c, RULE_F02, local, remote);
	finding_why_subject(
		c, f,
		"is refused, though over %s the target listens at that address: a rule "
		"of its firewall %s %s%s%s",
		first->name, closed ? "sends what arrives from" : "rejects what arrives from",
		LINK_STRING(c->snap, own->ifindex),
		closed ? " to another port or machine (nft redirect or dnat)" : "",
		closed && c->snap->relay ? ", or its relay takes no connections on that link" : "");
	finding_fact(c, f, "errno", "%d", err);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "%s",
		    closed && c->snap->relay ? NVME_MPTCP_COMMAND " check --role target"
					     : "nft list ruleset");
	return true;
}
