/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Table of rules. Columns: identifier in doc/mptcp-rules.md, severity, sides on which the rule
 * applies (0: any), function without the prefix rule_, and title. Rules run in this order and may
 * use the findings of those before them.
 */
#pragma once

/* clang-format off */
#define RULES(X) \
	/* rules-kernel.c */ \
	X(K01, ERROR, 0, no_mptcp, "No MPTCP in this kernel") \
	X(K02, ERROR, 0, mptcp_disabled, "MPTCP disabled") \
	X(K03, ERROR, 0, no_ipv6, "No MPTCP over IPv6") \
	X(K04, WARNING, 0, no_diagnosis, "Sockets cannot be listed") \
	X(K05, ERROR, 0, userspace_path_manager, "Path manager in user space") \
	X(K06, ERROR, ON_BOTH, mptcp_not_offered, "No NVMe over MPTCP in this kernel") \
	X(K07, WARNING, ON_HOST, blackhole, "MPTCP suspended after a blackhole") \
	X(K08, INFO, 0, unusual_settings, "Checksums or a non-default scheduler") \
	X(K09, WARNING, ON_TARGET, no_retransmission, "Addresses announced only once") \
	X(K10, WARNING, ON_TARGET, syn_cookies, "SYN cookies were sent") \
	X(K11, WARNING, ON_HOST, sockets_denied, "Subflow sockets denied") \
	X(K12, WARNING, ON_HOST, tcp_signatures, "TCP signatures prevent MPTCP") \
	X(O1, WARNING, 0, parts_hidden, "Visible only with privileges") \
	X(O2, INFO, 0, parts_unstable, "Changed while being read") \
	/* rules-controller.c: no disk is worse than a slow one */ \
	X(N02, WARNING, ON_HOST, ctrl_not_live, "Controller not live") \
	/* rules-endpoint.c */ \
	X(H02, ERROR, ON_HOST, signal_on_host, "Host endpoint that is only announced") \
	X(H05, ERROR, ON_HOST, subflow_limit_reached, "Subflow limit reached") \
	/* rules-start.c */ \
	X(H01, ERROR, ON_HOST, nothing_starts, "Nothing starts subflows") \
	/* rules-endpoint.c */ \
	X(H04, ERROR, ON_HOST, other_family, "Endpoint and target of different families") \
	X(H06, ERROR, ON_HOST, announcements_ignored, "Announced addresses are ignored") \
	X(H07, WARNING, ON_HOST, route_by_other_link, "Endpoint whose route uses another link") \
	X(H08, ERROR, ON_BOTH, wrong_device, "Endpoint on a device without its address") \
	X(H09, ERROR, ON_BOTH, device_gone, "Endpoint on a device that is gone") \
	X(H14, WARNING, ON_HOST, all_backup, "All further subflows are backups") \
	X(H17, ERROR, ON_BOTH, address_gone, "Endpoint whose address is gone") \
	X(H20, WARNING, ON_HOST, added_later, "Endpoints not tried by connections") \
	X(H21, WARNING, ON_HOST, announcement_dropped, "Announced address dropped") \
	/* rules-table.c */ \
	X(H10, ERROR, ON_BOTH, endpoints_full, "Endpoint table full") \
	X(H22, WARNING, ON_HOST, endpoint_without_effect, "Endpoint without effect") \
	X(H11, WARNING, ON_BOTH, endpoint_twice, "Two endpoints with one address") \
	X(H12, INFO, ON_HOST, endpoint_implicit, "Endpoint created by the kernel") \
	X(H13, ERROR, ON_BOTH, endpoint_contradictory, "Endpoint with conflicting flags") \
	X(H18, WARNING, ON_BOTH, two_managers, "Two services create endpoints") \
	X(H19, INFO, ON_TARGET, made_by_manager, "Service creates host endpoints on a target") \
	/* rules-link.c */ \
	X(A02, ERROR, ON_BOTH, address_tentative, "Tentative address") \
	X(A03, INFO, ON_BOTH, address_deprecated, "Deprecated address") \
	X(A04, ERROR, ON_BOTH, address_link_local, "Link-local address without a device") \
	X(A05, WARNING, ON_HOST, address_loopback, "Loopback on one side only") \
	X(A06, ERROR, ON_BOTH, link_down, "Link administratively down") \
	X(A07, ERROR, ON_BOTH, no_carrier, "Link without carrier") \
	X(A08, WARNING, ON_BOTH, link_enslaved, "Link that belongs to a bond or bridge") \
	X(A09, WARNING, ON_HOST, mtu_differs, "Different MTUs") \
	X(A10, INFO, ON_BOTH, same_link, "Two endpoints on one link") \
	X(A11, INFO, ON_HOST, link_unused, "Unused link") \
	/* rules-bond.c */ \
	X(A15, WARNING, ON_BOTH, bond_ports, "Bond with a port that carries nothing") \
	/* rules-kept.c */ \
	X(A14, WARNING, ON_BOTH, kept_out, "Link taken out of use by keep") \
	/* rules-route.c */ \
	X(R01, ERROR, ON_HOST, no_route, "No route over the link") \
	X(R03, WARNING, ON_BOTH, no_own_route, "Link without a route of its own") \
	X(R04, WARNING, ON_HOST, routing_rule_without_device, "Routing rule ignored with a device") \
	X(R05, WARNING, ON_TARGET, routes_asymmetric, "Replies leave over another link") \
	X(R06, ERROR, ON_BOTH, reverse_path, "Strict reverse path filter") \
	X(R07, WARNING, ON_BOTH, one_subnet, "Two links in one subnet") \
	X(R08, ERROR, ON_BOTH, no_neighbour, "Next hop does not answer") \
	/* rules-start.c */ \
	X(R09, INFO, ON_HOST, first_route, "Link that connections start over") \
	/* rules-controller.c */ \
	X(N07, ERROR, ON_HOST, ctrl_elsewhere, "Connected in another network namespace") \
	X(N09, WARNING, ON_HOST, ctrl_bypassed, "Controller bypasses the relay") \
	X(N01, INFO, 0, ctrl_on_one_link, "Controllers over one link") \
	X(N03, INFO, ON_HOST, ctrls_share, "Connections of unknown controllers") \
	X(N04, WARNING, ON_HOST, connections_missing, "Connections missing") \
	X(N05, WARNING, ON_HOST, no_device_given, "Bound controller, endpoint without a device") \
	X(N06, WARNING, ON_HOST, both_layers, "Both multipath layers at once") \
	/* rules-path.c */ \
	X(F09, WARNING, ON_BOTH, behind_nat, "Private address announced") \
	/* rules-probe.c: before less specific rules */ \
	X(F10, ERROR, ON_BOTH, local_drop, "This host drops packets or replies") \
	X(A12, WARNING, ON_HOST, large_packets_lost, "Packets are lost") \
	/* rules-address.c */ \
	X(A13, ERROR, ON_HOST, address_shared, "Address used by two machines") \
	/* rules-path.c */ \
	X(F01, ERROR, ON_HOST, join_unanswered, "Join without an answer") \
	X(F02, ERROR, ON_HOST, join_refused, "Joins refused") \
	X(F03, ERROR, ON_HOST, join_stripped, "MPTCP removed from joins") \
	/* rules-packets.c */ \
	X(F04, ERROR, ON_HOST, capable_stripped, "MPTCP removed or not offered") \
	X(F05, WARNING, ON_HOST, option_dropped, "MPTCP option dropped on the path") \
	X(F06, WARNING, ON_BOTH, packets_invalid, "Packets classified as invalid") \
	X(F07, WARNING, ON_BOTH, data_changed, "Data changed on the path") \
	X(F08, WARNING, ON_TARGET, announcements_lost, "Announcements lost") \
	/* rules-connection.c */ \
	X(C01, ERROR, ON_HOST, fallback, "Fallback to plain TCP") \
	X(C02, INFO, ON_HOST, not_established, "Not fully established") \
	X(C05, WARNING, ON_HOST, subflow_gone, "Subflows lost") \
	X(C06, WARNING, ON_HOST, queues_uneven, "Queues with different subflows") \
	X(C07, INFO, ON_HOST, link_slow, "One link much slower") \
	X(C04, WARNING, ON_BOTH, subflow_stale, "Subflow not used by the kernel") \
	X(C08, WARNING, ON_HOST, join_without_proof, "Join replies fail authentication") \
	/* rules-probe.c */ \
	X(C17, WARNING, ON_HOST, path_silent, "Idle path that does not answer") \
	/* rules-load.c */ \
	X(C15, WARNING, ON_BOTH, links_unequal, "One link slows all of them down") \
	X(C18, WARNING, ON_BOTH, link_delivers_little, "One link delivers far less than the others") \
	/* rules-connection.c */ \
	X(C12, WARNING, ON_BOTH, buffer_overrun, "Receive buffer overrun") \
	/* rules-load.c */ \
	X(C16, INFO, ON_HOST, writes_wait, "Writes wait for each other") \
	/* rules-target.c */ \
	X(T01, WARNING, ON_TARGET, nothing_announced, "Links are not announced") \
	X(T02, ERROR, ON_TARGET, subflow_on_target, "Target connects back") \
	X(T03, ERROR, ON_TARGET, no_listener, "Announced, but nothing listens") \
	X(T04, ERROR, ON_TARGET, announced_and_absent, "Announced, but not configured") \
	X(T05, INFO, ON_TARGET, announces_the_portal, "Announces the portal") \
	X(T06, ERROR, ON_TARGET, target_full, "Target accepts too few subflows") \
	X(T07, ERROR, ON_TARGET, no_join_to_initial, "No joins to the portal, and no other address") \
	X(T08, WARNING, ON_TARGET, plain_port, "No port offers MPTCP") \
	X(T09, ERROR, ON_TARGET, switched_off, "MPTCP disabled on a target") \
	X(T14, ERROR, ON_TARGET, not_listening, "Port does not listen") \
	X(T10, WARNING, ON_TARGET, misdirected, "Misdirected joins or connections") \
	X(T15, WARNING, ON_TARGET, announced_again_late, "Announcements repeated late") \
	X(N08, ERROR, ON_TARGET, port_encrypted, "TLS on a port for MPTCP") \
	/* rules-portal.c */ \
	X(C09, ERROR, ON_HOST, target_unreachable, "Target unreachable") \
	X(C10, ERROR, ON_HOST, no_target, "No NVMe target at the other end") \
	/* rules-trial.c */ \
	X(C11, WARNING, ON_HOST, trial_incomplete, "Subflows missing in a trial") \
	/* rules-coverage.c */ \
	X(C13, WARNING, ON_HOST, link_uncovered, "Link without a subflow") \
	X(C14, WARNING, ON_HOST, link_crowded, "Several subflows on one wire")

/* Former numbers of rules. As names, they refer to the rule that replaced them. */
#define FORMER_RULES(X) \
	X(H03, H01) \
	X(H15, R01) \
	X(H16, H05) \
	X(R02, R01) \
	X(R10, F10) \
	X(R11, F10) \
	X(T11, T10) \
	X(T12, T10) \
	X(T13, T10)
/* clang-format on */
