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
 * nvme_mptcp_link_next() - iterate over the links
 * @link: A link, or NULL for the first one
 *
 * Return: The next link in the order of their interface indices, or NULL after the last one.
 */
nvme_mptcp_link_t nvme_mptcp_link_next(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link);

/**
 * nvme_mptcp_for_each_link() - iterate over the links
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

/** nvme_mptcp_link_is_up() - true if IFF_UP is set: an administrator has brought it up */
bool nvme_mptcp_link_is_up(nvme_mptcp_link_t link);

/** nvme_mptcp_link_has_carrier() - true if IFF_LOWER_UP is set: it has a carrier */
bool nvme_mptcp_link_has_carrier(nvme_mptcp_link_t link);

/** nvme_mptcp_link_mtu() - MTU in bytes, or NVME_MPTCP_UNKNOWN */
int64_t nvme_mptcp_link_mtu(nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_speed() - speed that the driver reports
 *
 * Only read for links that carry a subflow or have an endpoint.
 *
 * Return: Megabits per second, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_link_speed(nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_master() - bond, bridge or VRF of a link
 *
 * Return: Its interface index, or 0.
 */
int nvme_mptcp_link_master(nvme_mptcp_link_t link);

/**
 * enum nvme_mptcp_link_kind - kinds of links by what they lead to
 * @NVME_MPTCP_LINK_PHYSICAL:	A network card, or a device on top of one: a VLAN, a macvlan, a
 *				bond, a bridge with a network card among its ports. Unknown kinds
 *				count as well
 * @NVME_MPTCP_LINK_VETH:	One end of a pair with the other end in another network namespace:
 *				in a container it leads outside, on the machine to the container
 * @NVME_MPTCP_LINK_VIRTUAL:	Leads nowhere outside this machine, or is a tunnel: a bridge without
 *				a network card, a dummy, tun, WireGuard, VXLAN, ...
 */
enum nvme_mptcp_link_kind {
	NVME_MPTCP_LINK_PHYSICAL,
	NVME_MPTCP_LINK_VETH,
	NVME_MPTCP_LINK_VIRTUAL,
};

/**
 * nvme_mptcp_link_kind() - kind of a link
 *
 * Return: The kind, from IFLA_INFO_KIND and, for devices on top of others, from theirs.
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
 * nvme_mptcp_link_wire() - link that represents the wire of a link
 * @link: Link of the snapshot
 *
 * VLANs, macvlans, tunnels with a known far end and similar devices share the wire of the device
 * below, and members that of their bond or bridge. Two subflows on one wire add no bandwidth.
 *
 * Return: The link that represents the wire; @link itself if it shares none.
 */
nvme_mptcp_link_t nvme_mptcp_link_wire(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link);

/**
 * nvme_mptcp_link_is_usable() - whether a link can carry subflows
 * @link: Link of the snapshot
 * @v6:	  true: of IPv6 connections
 *
 * Return: true if it is up, has a carrier and a global address of that family, is no loopback and
 * belongs to no bond, bridge or VRF. Routes to a target are not considered.
 */
bool nvme_mptcp_link_is_usable(nvme_mptcp_snapshot_t snap, nvme_mptcp_link_t link, bool v6);

/**
 * nvme_mptcp_endpoint_next() - iterate over the endpoints
 * @ep:	  An endpoint, or NULL for the first one
 *
 * Return: The next endpoint in the order of their ids, or NULL after the last one.
 */
nvme_mptcp_endpoint_t nvme_mptcp_endpoint_next(nvme_mptcp_snapshot_t snap,
					       nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_for_each_endpoint() - iterate over the endpoints
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

/** nvme_mptcp_endpoint_port() - port announced with the address, or 0 for none */
unsigned int nvme_mptcp_endpoint_port(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_flags() - flags of an endpoint
 *
 * Return: Or-ed &enum nvme_mptcp_endpoint_flag and bits of later kernels, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_endpoint_flags(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_ifindex() - interface index that the endpoint was created with
 *
 * Return: The interface index, which may no longer exist, or 0 if it was created without one.
 */
int nvme_mptcp_endpoint_ifindex(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_device() - link that the endpoint was created with
 *
 * Return: The link, or NULL if it was created without one or the interface is gone.
 */
nvme_mptcp_link_t nvme_mptcp_endpoint_device(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_link() - link that has the endpoint's address; NULL if no interface has it
 */
nvme_mptcp_link_t nvme_mptcp_endpoint_link(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_subflows() - number of established subflows of an endpoint
 *
 * Counts subflows from its address in all connections of the namespace, whether they carry data or
 * not.
 *
 * Return: The number, or NVME_MPTCP_UNKNOWN if the subflows could not be read.
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
 * nvme_mptcp_endpoint_starts_by_itself() - whether it starts a subflow of each connection
 *
 * Return: true if it has %NVME_MPTCP_ENDPOINT_SUBFLOW and was not created by the kernel; false also
 * if its flags are unknown. net/mptcp/pm_kernel.c starts subflows from no other endpoints, whatever
 * other flags they have.
 */
bool nvme_mptcp_endpoint_starts_by_itself(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_starts_when_announced() - whether it starts subflows to announced addresses
 *
 * Return: true if it has %NVME_MPTCP_ENDPOINT_FULLMESH or %NVME_MPTCP_ENDPOINT_LAMINAR and was not
 * created by the kernel; it may start a subflow by itself as well. false also if its flags are
 * unknown.
 */
bool nvme_mptcp_endpoint_starts_when_announced(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_announces() - whether its address is announced to the peer
 *
 * Return: true if it has %NVME_MPTCP_ENDPOINT_SIGNAL; false also if its flags are unknown.
 */
bool nvme_mptcp_endpoint_announces(nvme_mptcp_endpoint_t ep);

/**
 * nvme_mptcp_endpoint_is_initial() - whether the initial subflow of a connection uses its address
 *
 * Return: true if it does: the endpoint then adds no subflow to @conn.
 */
bool nvme_mptcp_endpoint_is_initial(nvme_mptcp_endpoint_t ep, nvme_mptcp_connection_t conn);

/**
 * nvme_mptcp_endpoint_fits() - whether it has the address family of a portal
 * @traddr: Transport address of the portal
 *
 * Return: true if both are IPv4 or both are IPv6: subflows of one family cannot join a connection
 * of the other. false if @traddr is NULL or no IP address.
 */
bool nvme_mptcp_endpoint_fits(nvme_mptcp_endpoint_t ep, const char *traddr);

/**
 * nvme_mptcp_endpoint_is_usable() - whether packets can be sent from its address
 *
 * Return: true if an interface has its address, is up and has a carrier, and is the one that the
 * endpoint was created with, if any.
 */
bool nvme_mptcp_endpoint_is_usable(nvme_mptcp_endpoint_t ep);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_LINK_H */
