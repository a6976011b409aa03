/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints, announced addresses and subflows beside the links for storage. */
#ifndef NVME_MPTCP_BESIDE_H
#define NVME_MPTCP_BESIDE_H

#include "rules.h"

/*
 * Does an endpoint start from a link that only a default route leads to the target by, as a management
 * link, while those that setup uses carry all connections? Without it, nothing would be lost.
 */
bool check_is_beside(struct check *c, const struct nvme_mptcp_endpoint *ep);

/* The same of the endpoint that a join starts from. */
bool check_starts_beside(struct check *c, const struct in6_addr *local);

/* What is found about joins from such an endpoint, or to such an address, gets the command that deletes it. */
void check_do_without(struct check *c);

/* Announced addresses that no network of this host has: no join, or none that arrives. */
void check_announced_ways(struct check *c, enum rule_id rule, bool v4);

/*
 * Does only a default route lead to an announced address, while all links that setup uses carry? Then the
 * target need not announce it.
 */
bool check_do_not_announce(struct check *c, struct nvme_mptcp_finding *f,
			   const struct in6_addr *remote);

/* The identifier by which the target announced an address; 0: unknown. */
unsigned int check_announced_id(const struct check *c, const struct in6_addr *remote);

/* A network card like those that carry, with a carrier, that nothing uses; NULL: there is none. */
const struct nvme_mptcp_link *check_spare_link(struct check *c, const struct in6_addr *remote);

/* Says what it needs to lead to @remote. */
void check_advise_spare(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_link *spare, const struct in6_addr *remote);

/* The first address of a link that packets to @like could start from; or NULL. */
const struct local_address *check_own_address(const struct check *c,
					      const struct nvme_mptcp_link *link,
					      const struct in6_addr *like);

/* Is IPv6 switched off on this link? */
bool check_is_without_ipv6(struct check *c, const struct nvme_mptcp_link *link);

/* Would both be in one network of the usual size, or (@bits fewer) nearly? */
bool check_is_alike(const struct in6_addr *x, const struct in6_addr *y, unsigned int bits);

/* Announced addresses and portals that a route or rule leads to by another link than the one they are on. */
void check_astray_ways(struct check *c, enum rule_id rule, bool v4);

/* Has a connection a working subflow on the wire of this link? */
bool check_is_wire_used(const struct check *c, const struct nvme_mptcp_link *link);

/* Has the rule found something about this address? */
bool check_has_found_address(const struct check *c, enum rule_id rule, const struct in6_addr *ip);

/* Words that stand for the portal and, if that is link-local, for the link that it is behind. */
#define CHECK_PORTAL_WORDS (ADDRESS_TEXT + 8 + SHELL_WORD(LINK_NAME))
const char *check_portal_words(const struct check *c, const char *between,
			       char words[static CHECK_PORTAL_WORDS]);

/* " to port N" of an address that is announced with a port of its own, else nothing. */
#define CHECK_PORT_WORDS 16
void check_port_words(const struct check *c, const struct socket_address *remote,
		      char words[static CHECK_PORT_WORDS]);

/* The ends of a trial's connection that did not come about; false: it did, or is not known. */
bool check_portal_ends(struct check *c, struct way_ends *ret);

/* Does a route or rule of this host put a subflow elsewhere that belongs on @link? */
bool check_is_led_past(const struct check *c, const struct nvme_mptcp_link *link);

/* Says it if a route or rule of this host puts a subflow on @link that belongs on another one. */
bool check_is_led_astray(struct check *c, struct nvme_mptcp_finding *f,
			 const struct nvme_mptcp_link *link);
#endif /* NVME_MPTCP_BESIDE_H */
