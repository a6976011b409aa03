/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings about joins that fail, which several rules report. */
#pragma once

#include "rules.h"

/* Return what an ICMP message says of the machine that sent it. */
const char *check_rejection_text(const struct probe_result *way);

/* Report F02: an ICMP message rejects a join. @probe_result: the probe that got it, or NULL. */
struct nvme_mptcp_finding *check_report_rejected_join(struct check *c, const struct in6_addr *local,
						      const struct socket_address *remote,
						      const struct probe_result *probe_result);

/* Report R08 if a card of the target answers that belongs to the network of another link. */
bool check_report_other_card(struct check *c, const struct nvme_mptcp_subflow *join);

/*
 * True if the next hop does not answer. The finding is R08 of a join; NULL if it exists already. It
 * is F10 if this host drops the kernel's ARP, else NULL for check_report_dropped_arp().
 */
bool check_hop_is_silent(struct check *c, const struct route_answer *route);
/* Report F10 if the target cannot reply because this host does not answer ARP on the link. */
bool check_report_untold_arp(struct check *c, const struct path_ends *ends,
			     const struct nvme_mptcp_link *link);
struct nvme_mptcp_finding *check_report_dropped_arp(struct check *c, const struct in6_addr *local,
						    const struct in6_addr *remote,
						    const struct route_answer *route);
struct nvme_mptcp_finding *check_report_silent_hop(struct check *c, const struct path_ends *ends,
						   const struct route_answer *route);

/*
 * Name the rule or route of this host that forbids packets from @local (NULL: the source that
 * routes choose) to @remote over a link (0: any), or say that one does; add the commands that show it.
 */
#define FORBIDDING_TEXT 160
const char *check_name_forbidding(struct check *c, const struct in6_addr *local,
				  const struct in6_addr *remote, int ifindex,
				  char text[static FORBIDDING_TEXT]);
void check_show_forbidding(struct check *c, struct nvme_mptcp_finding *f,
			   const struct in6_addr *remote, const char *text);

/* Return the type of route for which a kernel returns this error; NULL: there is no route at all. */
const char *check_forbidding_type(int err);

/* Return the controller's name, or another word for what the connection belongs to. */
const char *check_owner_text(const struct nvme_mptcp_connection *conn);

/*
 * True if the target reports an error in a packet on this path: it arrives, and the report returns.
 * IPv4 reports it before rules of the target's firewall for input apply.
 */
bool check_is_reported(struct check *c, const struct in6_addr *local,
		       const struct socket_address *remote, int ifindex);

/* What a router does that gets packets and reports none whose hop limit ends there. */
#define MUTE_ROUTER \
	"it does not report packets whose hop limit ends there, as routers do that forward them. " \
	"Forwarding is off there, or its reverse path filter or firewall drops what comes by this " \
	"link"

/* Report F01 if the target reports errors in packets of this path, but answers none. */
bool check_report_filtered(struct check *c, const struct nvme_mptcp_subflow *sf);

/* Report R05 or F01 if the target answers other sources over the join's link. */
bool check_report_missing_return(struct check *c, const struct nvme_mptcp_subflow *sf,
				 const struct route_answer *route);

/* Return another address of the near end's link from which the target accepts a connection; or NULL. */
const struct local_address *check_other_source(struct check *c, const struct path_ends *ends);

/* Add that there is one, and how to start from it. False if there is none. */
bool check_say_other_source(struct check *c, struct nvme_mptcp_finding *f,
			    const struct path_ends *ends);

/* Explain why the target answers @other over a link, but not @ends. @near: no router is between. */
void check_explain_return(struct check *c, struct nvme_mptcp_finding *f,
			  const struct path_ends *ends, const struct in6_addr *other, bool near);

/*
 * Report F02 if the target refuses on this link what it accepts on the first one. @closed: as a
 * closed port does.
 */
bool check_report_redirected(struct check *c, const struct in6_addr *local,
			     const struct in6_addr *remote, int err, bool closed);

/* Report why a join gets no reply: F01, or F02, F03, F10, R05 or R08 if probes show the cause. */
void check_report_unanswered(struct check *c, enum rule_id rule,
			     const struct nvme_mptcp_subflow *sf);

#define ECHO_SIZE 576 /* fits the MTU of any link */

/* True if an echo request between these ends gets a reply. Asked once. */
bool check_answers_echo(struct check *c, const struct path_ends *ends);

/* Return ask_once_told(). Asked once. */
bool check_answers_once_told(struct check *c, const struct path_ends *ends, int ifindex);
