/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints, announced addresses and subflows on links that are not meant for storage. */
#pragma once

#include "rules.h"

/* True if just a default route leads to the target, as for management, and setup's links carry. */
bool check_is_superfluous(struct check *c, const struct nvme_mptcp_endpoint *ep);

/* True if check_is_superfluous() is true for the endpoint that a join from @local starts from. */
bool check_join_is_superfluous(struct check *c, const struct in6_addr *local);

/* Change findings about joins from such endpoints, or to such addresses, to delete the endpoint. */
void check_suggest_deletion(struct check *c);

/* Report announced addresses outside all networks of this host: no join is sent, or none arrives. */
void check_announced_routes(struct check *c, enum rule_id rule, bool v4);

/* Change the finding if only a default route leads to @remote and all links of setup carry. */
bool check_suggest_withdrawal(struct check *c, struct nvme_mptcp_finding *f,
			      const struct in6_addr *remote);

/* Address that the target announces. */
#define FACT_ANNOUNCED "announced"
/* Address that it should announce instead. */
#define FACT_INSTEAD "instead"

/*
 * Explain a subflow to @remote that shares a wire, if only a default route leads there while a link
 * like those in use has no announced address in its network. False if that is not known.
 */
bool check_announce_instead(struct check *c, struct nvme_mptcp_finding *f,
			    const struct in6_addr *remote);

/* Report T01 about an endpoint of a target that setup would replace with one of another link. */
void check_other_announced(struct check *c, enum rule_id rule);

/* Return a link that carries nothing and leads to an address, other than @by; NULL: none. */
const struct nvme_mptcp_link *check_other_way(struct check *c, const struct in6_addr *remote,
					      const struct nvme_mptcp_link *by);

/*
 * Return such a link over which the target answers, if packets to it leave over @by, which is not in
 * its network; NULL: none.
 */
const struct nvme_mptcp_link *check_better_way(struct check *c, const struct in6_addr *remote,
					       const struct nvme_mptcp_link *by);

/* Say that, and drop other commands. */
void check_say_precedence(struct check *c, struct nvme_mptcp_finding *f,
			  const struct in6_addr *remote, const struct nvme_mptcp_link *by,
			  const struct nvme_mptcp_link *other);

/* Return an unused network card of the same kind as the links in use, with a carrier; NULL if none. */
const struct nvme_mptcp_link *check_spare_link(struct check *c, const struct in6_addr *remote);

/* Add what the spare link needs to reach @remote. */
void check_advise_spare(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_link *spare, const struct in6_addr *remote);

/* Explain a subflow over @by by a rule or route that has precedence over the route of another link. */
bool check_explain_precedence(struct check *c, struct nvme_mptcp_finding *f,
			      const struct in6_addr *remote, const struct nvme_mptcp_link *by);

/* Return the link's first address that is not link-local, of the family of @like (or NULL: any). */
const struct local_address *check_link_address(const struct check *c,
					       const struct nvme_mptcp_link *link,
					       const struct in6_addr *like);

bool check_ipv6_is_disabled(struct check *c, const struct nvme_mptcp_link *link);

/* Explain a missing IPv6 address of an endpoint by its device, on which IPv6 is disabled. */
bool check_explain_ipv6_off(struct check *c, struct nvme_mptcp_finding *f,
			    const struct nvme_mptcp_endpoint *ep);

#define SIMILAR_BITS 8 /* tolerates one mistyped octet */

/* True if both are in one /24 (IPv4) or /64 (IPv6) network, or in one with a prefix @bits shorter. */
bool check_is_similar_network(const struct in6_addr *x, const struct in6_addr *y,
			      unsigned int bits);

/* Report subflows whose route leaves over another link than the one whose network has the address. */
void check_misrouted_subflows(struct check *c, enum rule_id rule, bool v4);

/* True if a connection has a working subflow on the wire of this link. */
bool check_is_segment_used(const struct check *c, const struct nvme_mptcp_link *link);

/* The link that carries the only subflow to an announced address, which another link leads to. */
#define FACT_FOLLOWED_BY "followed_by"

/* Report links in the network of an announced address that one subflow follows, over another link. */
void check_report_beside(struct check *c, enum rule_id rule);

/*
 * Add that networks overlap and return true if a link has nothing because of that, and @crowded has
 * its subflows: the addresses of both ends of each link are in one /24, and the networks are larger.
 */
bool check_say_overlap(struct check *c, struct nvme_mptcp_finding *f,
		       const struct nvme_mptcp_link *link, const struct nvme_mptcp_link *crowded);

bool check_has_found_address(const struct check *c, enum rule_id rule, const struct in6_addr *ip);

/* Write the portal's address and, if it is link-local, @between and the name of its link. */
#define CHECK_PORTAL_TEXT (ADDRESS_TEXT + 8 + SHELL_WORD(LINK_NAME))
const char *check_portal_text(const struct check *c, const char *between,
			      char words[static CHECK_PORTAL_TEXT]);

/* Write " to port N" if the announced port differs from the portal's, else nothing. */
#define CHECK_PORT_TEXT 16
void check_port_text(const struct check *c, const struct socket_address *remote,
		     char words[static CHECK_PORT_TEXT]);

/* Return the ends of the trial's connection if it failed; false if it did not or if they are unknown. */
bool check_portal_ends(struct check *c, struct path_ends *ret);

/* True if a route or rule of this host puts a subflow that belongs on @link on another link. */
bool check_link_is_bypassed(const struct check *c, const struct nvme_mptcp_link *link);

/* Add the reason and return true if a route or rule puts a subflow on @link that belongs on another. */
bool check_explain_misrouted(struct check *c, struct nvme_mptcp_finding *f,
			     const struct nvme_mptcp_link *link);
