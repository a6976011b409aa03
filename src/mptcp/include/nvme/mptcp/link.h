/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links and endpoints of a snapshot, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_LINK_H
#define _LIBNVME_MPTCP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_mptcp_link_next() - go through the links
 * @link: A link, or NULL for the first one
 *
 * Return: The next link in the order of their interface indices, or NULL after the last one.
 */
nvme_mptcp_link_t nvme_mptcp_link_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link);

/**
 * nvme_mptcp_for_each_link() - go through the links
 * @snap: Snapshot
 * @link: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_link(snap, link) \
	for (nvme_mptcp_link_t link = nvme_mptcp_link_next(snap, NULL); link; \
	     link = nvme_mptcp_link_next(snap, link))

/** nvme_mptcp_link_name() - name of the network interface, e.g. "eth0" */
const char *nvme_mptcp_link_name(nvme_mptcp_link_t link);

/** nvme_mptcp_link_ifindex() - its interface index */
int nvme_mptcp_link_ifindex(nvme_mptcp_link_t link);

/** nvme_mptcp_link_is_up() - has an administrator brought it up? True if IFF_UP is set */
bool nvme_mptcp_link_is_up(nvme_mptcp_link_t link);

/** nvme_mptcp_link_has_carrier() - is there a signal? True if IFF_LOWER_UP is set */
bool nvme_mptcp_link_has_carrier(nvme_mptcp_link_t link);

/** nvme_mptcp_link_mtu() - the largest packet in bytes, or NVME_MPTCP_UNKNOWN */
int64_t nvme_mptcp_link_mtu(nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_speed() - the speed that the driver reports
 *
 * Asked only of links that carry a subflow or have an endpoint.
 *
 * Return: Megabits per second, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_link_speed(nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_master() - the bond, bridge or VRF that the link belongs to
 *
 * Return: Its interface index, or 0.
 */
int nvme_mptcp_link_master(nvme_mptcp_link_t link);

/**
 * enum nvme_mptcp_link_kind - what is at the other end of a link
 * @NVME_MPTCP_LINK_PHYSICAL:	A network card, or what lies on one: a VLAN, a macvlan, a bond, a
 *				bridge with a network card among its ports. Kinds that are not known
 *				count as well
 * @NVME_MPTCP_LINK_VETH:	One end of a pair whose other end is a network namespace: in a
 *				container the way out, on its machine the way in
 * @NVME_MPTCP_LINK_VIRTUAL:	Nothing outside this machine, or a tunnel: a bridge without a network
 *				card, a dummy, tun, WireGuard, VXLAN, ...
 */
enum nvme_mptcp_link_kind {
	NVME_MPTCP_LINK_PHYSICAL,
	NVME_MPTCP_LINK_VETH,
	NVME_MPTCP_LINK_VIRTUAL,
};

/**
 * nvme_mptcp_link_kind() - what is at its other end
 *
 * Return: The kind, by IFLA_INFO_KIND and, for what lies on others, by theirs.
 */
enum nvme_mptcp_link_kind nvme_mptcp_link_kind(nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_kind_name() - name of a kind, as in JSON
 * @kind: Kind
 *
 * Return: A static string such as "physical"; "unknown" for any other.
 */
const char *nvme_mptcp_link_kind_name(enum nvme_mptcp_link_kind kind);

/**
 * nvme_mptcp_link_wire() - the link whose cable it shares
 * @link: One of its links
 *
 * VLANs, macvlans and the like share the wire of what they lie on, members that of their bond or
 * bridge. Two subflows on one wire add no bandwidth.
 *
 * Return: The link that stands for the wire, @link itself if it shares none.
 */
nvme_mptcp_link_t nvme_mptcp_link_wire(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_is_usable() - could it carry subflows?
 * @link: One of its links
 * @v6:	  Of IPv6 connections?
 *
 * Return: True if it is up, has a carrier and a global address of that family, is no loopback and
 * belongs to no bond, bridge or VRF. Whether a route leads by it to a target is another question.
 */
bool nvme_mptcp_link_is_usable(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link, bool v6);

/**
 * nvme_mptcp_endpoint_next() - go through the endpoints
 * @ep:	  An endpoint, or NULL for the first one
 *
 * Return: The next endpoint in the order of their ids, or NULL after the last one.
 */
nvme_mptcp_endpoint_t nvme_mptcp_endpoint_next(nvme_mptcp_snapshot_t snap,
					       nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_for_each_endpoint() - go through the endpoints
 * @snap: Snapshot
 * @ep:	  Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_endpoint(snap, ep) \
	for (nvme_mptcp_endpoint_t ep = nvme_mptcp_endpoint_next(snap, NULL); ep; \
	     ep = nvme_mptcp_endpoint_next(snap, ep))

/** nvme_mptcp_endpoint_id() - address id, 1 to 255 */
unsigned int nvme_mptcp_endpoint_id(nvme_mptcp_endpoint_t ep);

/** nvme_mptcp_endpoint_address() - IP address, e.g. "192.0.2.1" or "2001:db8::1" */
const char *nvme_mptcp_endpoint_address(nvme_mptcp_endpoint_t ep);

/** nvme_mptcp_endpoint_port() - port that is announced with the address, or 0 for none */
unsigned int nvme_mptcp_endpoint_port(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_flags() - what it is for
 *
 * Return: Or-ed &enum nvme_mptcp_endpoint_flag and bits of later kernels, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_endpoint_flags(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_ifindex() - the interface that it was given with
 *
 * Return: The interface index, which may no longer exist, or 0 if it was given without one.
 */
int nvme_mptcp_endpoint_ifindex(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_device() - the link that it was given with
 *
 * Return: The link, or NULL if there was none or the interface is gone.
 */
nvme_mptcp_link_t nvme_mptcp_endpoint_device(nvme_mptcp_endpoint_t ep);

/** nvme_mptcp_endpoint_link() - the link that has the address; NULL if no interface has it */
nvme_mptcp_link_t nvme_mptcp_endpoint_link(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_subflows() - how many established subflows use it
 *
 * Counts subflows that start from its address, in all connections of the namespace, whether they carry
 * data or not.
 *
 * Return: The number, or NVME_MPTCP_UNKNOWN if subflows could not be read.
 */
int64_t nvme_mptcp_endpoint_subflows(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_flag_name() - name of a flag, as in JSON and for ip-mptcp(8)
 * @flag: One flag
 *
 * Return: A static string such as "subflow", or NULL if there is no such flag.
 */
const char *nvme_mptcp_endpoint_flag_name(enum nvme_mptcp_endpoint_flag flag);

/**
 * nvme_mptcp_endpoint_starts_by_itself() - does it start a subflow of each connection?
 *
 * Return: true if it has %NVME_MPTCP_ENDPOINT_SUBFLOW and is not the kernel's own; false also if its
 * flags are not known. net/mptcp/pm_kernel.c starts from no others, whatever else they are.
 */
bool nvme_mptcp_endpoint_starts_by_itself(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_starts_when_announced() - does it start subflows to announced addresses?
 *
 * Return: true if it has %NVME_MPTCP_ENDPOINT_FULLMESH or %NVME_MPTCP_ENDPOINT_LAMINAR and is not
 * the kernel's own; it may start one by itself as well. false also if its flags are not known.
 */
bool nvme_mptcp_endpoint_starts_when_announced(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_announces() - is its address announced to the peer?
 *
 * Return: true if it has %NVME_MPTCP_ENDPOINT_SIGNAL; false also if its flags are not known.
 */
bool nvme_mptcp_endpoint_announces(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_is_initial() - does a connection start from its address anyway?
 *
 * Return: true if it does: then the endpoint gives @conn no further subflow.
 */
bool nvme_mptcp_endpoint_is_initial(nvme_mptcp_endpoint_t ep, nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_endpoint_fits() - is it of the address family of a portal?
 * @traddr: Transport address of the portal
 *
 * Return: true if both are IPv4 or both are IPv6: subflows of one family do not join a connection of
 * the other. false if @traddr is NULL or no IP address.
 */
bool nvme_mptcp_endpoint_fits(nvme_mptcp_endpoint_t ep, const char *traddr);

/**
 * nvme_mptcp_endpoint_is_usable() - can anything leave from it?
 *
 * Return: true if an interface has its address, which is up and has a carrier, and is the one that
 * the endpoint was given with, if any.
 */
bool nvme_mptcp_endpoint_is_usable(nvme_mptcp_endpoint_t ep);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_LINK_H */
