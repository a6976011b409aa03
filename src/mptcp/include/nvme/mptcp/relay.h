/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network side of a relay between plain TCP and MPTCP, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_RELAY_H
#define _LIBNVME_MPTCP_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/config.h>
#include <nvme/mptcp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A relay carries the connections of a kernel without NVMe over MPTCP. On a host it accepts the
 * connections of nvme-tcp to certain portals and makes MPTCP connections to the same portals. On a
 * target it accepts MPTCP connections to certain ports and connects to the ports of nvmet-tcp.
 *
 * The library creates the listeners, the packet filter rules and both sockets of each connection.
 * The caller forwards the data. Only one thread may use a relay at a time.
 */
typedef struct nvme_mptcp_relay *nvme_mptcp_relay_t;

/**
 * struct nvme_mptcp_relay_args - which connections to relay
 * @config:	 Configuration whose objects "relay" are added to the other members; NULL: none
 * @portals:	 Host: portals, e.g. "192.0.2.1:4420", "[2001:db8::1]:4420", or addresses (port
 *		 4420); terminated by NULL. NULL: none
 * @auto_portals: Portals that "auto" in @config stands for, terminated by NULL. NULL: none
 * @ports:	 Target: port numbers, "4420", terminated by NULL. NULL: none
 * @links:	 Network interfaces on which @ports are taken, terminated by NULL; not used for
 *		 portals. NULL: all except lo
 * @args_size:	 Size of this structure
 * @send_buffer: Size of the send buffer of MPTCP sockets in bytes; 0: 256 KiB
 * @by_address:	 Host: listen on a loopback address for each portal, which needs no rules and
 *		 privileges
 * @hostid:	 nvme_mptcp_plan_relay(): id of this host, for an object that it adds; NULL: unknown
 */
struct nvme_mptcp_relay_args {
	nvme_mptcp_config_t config;
	const char *const *portals;
	const char *const *auto_portals;
	const char *const *ports;
	const char *const *links;
	int args_size;
	int send_buffer;
	bool by_address;
	const char *hostid;
};

/**
 * struct nvme_mptcp_relay_pair - the two sockets of a relayed connection, which the caller owns
 * @accepted: Socket of the accepted connection
 * @made:     Socket that is connecting to the destination; writable when the result is known
 *	      (SO_ERROR)
 * @is_target: true: @accepted is the MPTCP socket; false: @made is
 * @portal:   Portal that was asked for, "192.0.2.1:4420"
 * @peer:     Address and port of the end that asked
 *
 * Both sockets are non-blocking.
 */
struct nvme_mptcp_relay_pair {
	int accepted;
	int made;
	bool is_target;
	char portal[56];
	char peer[56];
};

/**
 * nvme_mptcp_relay_new() - create a relay and check its arguments
 * @args: What to relay
 * @ret:  Where to store the relay, to be freed with nvme_mptcp_relay_free()
 *
 * Reads the addresses and interfaces of the caller's network namespace. Changes nothing.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(): EINVAL if @args is invalid (an invalid
 * address; a portal that is given twice, link-local or of this machine), ENODEV for a missing
 * interface, ENODATA if there is nothing to relay, ENOMEM.
 */
int nvme_mptcp_relay_new(const struct nvme_mptcp_relay_args *args, nvme_mptcp_relay_t *ret);

/**
 * nvme_mptcp_plan_relay() - plan to add portals, ports and links of a relay to a configuration
 * @plan:    Plan of nvme_mptcp_setup(), which gets another step at its end
 * @snap:    Snapshot that @plan was made from
 * @file:    JSON configuration; it need not exist
 * @hostnqn: NQN of this host, whose object is extended unless another host has an object "relay";
 *	     NULL: unknown
 * @args:    Portals, ports and links to add; on a target without @ports, those nvmet ports that a
 *	     relay can take. Other members are not used
 *
 * All other keys of the file, including unknown ones, keep their order; the layout becomes that of
 * nvme_update_config(). Existing values are not added again, nor are portals if they are "auto"; a
 * note reports that. Without additions the file is not written. The resulting file is checked like
 * by nvme_mptcp_relay_new() before anything is changed. nvme_mptcp_plan_apply() replaces the file
 * atomically, unless another program has changed it meanwhile.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(): EINVAL and ENODEV as nvme_mptcp_relay_new();
 * EPROTO if the file is invalid; ENODATA if the object of this host is missing and @hostnqn is
 * NULL; ENOMEM; or the reason why the file cannot be read.
 */
int nvme_mptcp_plan_relay(nvme_mptcp_plan_t plan, nvme_mptcp_snapshot_t snap, const char *file,
			  const char *hostnqn, const struct nvme_mptcp_relay_args *args);

/**
 * nvme_mptcp_relay_free() - free a relay
 * @relay: Relay, or NULL
 *
 * Removes the rules and closes the listeners. Sockets that it returned belong to the caller.
 */
void nvme_mptcp_relay_free(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_rules() - list the rules that nvme_mptcp_relay_open() creates
 *
 * Before that, it looks for what they depend on: ports that are in use on all addresses, which adds
 * a notice, and connections to the portals.
 *
 * Return: Lines in the format of nft(8) and ip(8), owned by @relay; "" if it needs none; NULL with
 * errno, see nvme_mptcp_error().
 */
const char *nvme_mptcp_relay_rules(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_open() - create listeners and rules
 *
 * The rules belong to the calling process and disappear with it. Needs CAP_NET_ADMIN, unless
 * connections are taken by address.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(): EADDRINUSE if a port has another listener,
 * EBUSY if another relay runs in this network namespace, EPERM without the privilege, EOPNOTSUPP if
 * kernel or libnftables do not support the required features, ENOMEM. On failure nothing remains.
 */
int nvme_mptcp_relay_open(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_try() - check whether a relay could replace one that is open
 * @relay:   Relay that is not open
 * @running: Open relay of this process
 *
 * Opens the listeners that @running does not have, and closes them again. Call this before a
 * handover: a relay that cannot open ends all connections.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(), as nvme_mptcp_relay_open().
 */
int nvme_mptcp_relay_try(nvme_mptcp_relay_t relay, nvme_mptcp_relay_t running);

/**
 * struct nvme_mptcp_relay_handover - state that a relay leaves for the program that the process
 * executes next
 * @fds:   Open descriptors, to be freed
 * @n:     Their number
 * @round: Number of handovers so far
 */
struct nvme_mptcp_relay_handover {
	int *fds;
	size_t n;
	unsigned int round;
};

/**
 * nvme_mptcp_relay_hand_over() - keep listeners and rules open when the process executes a program
 * @relay: Open relay
 * @ret:   Where to store the state for nvme_mptcp_relay_take_over()
 *
 * Return: 0, or -1 with errno: EBADF if the owner of the rules is unknown, ENOMEM.
 */
int nvme_mptcp_relay_hand_over(nvme_mptcp_relay_t relay, struct nvme_mptcp_relay_handover *ret);

/**
 * nvme_mptcp_relay_take_over() - use listeners and rules from a handover
 * @relay: Relay that is not open yet; it takes ownership of the descriptors
 * @h:     State from nvme_mptcp_relay_hand_over()
 *
 * No packet bypasses the relay: the old rules stay until the new ones are active.
 * nvme_mptcp_relay_control(), to be called after nvme_mptcp_relay_open(), closes the descriptors
 * that are not needed.
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int nvme_mptcp_relay_take_over(nvme_mptcp_relay_t relay, const struct nvme_mptcp_relay_handover *h);

/**
 * nvme_mptcp_relay_serves() - check whether a host's connection from before a handover goes on
 * @relay:    Relay that takes over
 * @portal:   Portal that was asked for, as in struct nvme_mptcp_relay_pair
 * @accepted: Accepted socket of the connection
 *
 * Return: true if @relay serves the portal, and its packets still arrive; false if both sockets are
 * to be reset.
 */
bool nvme_mptcp_relay_serves(nvme_mptcp_relay_t relay, const char *portal, int accepted);

/**
 * nvme_mptcp_relay_notice() - list the notices about an open relay
 * @relay: Relay
 * @i:	   Number, from 0
 *
 * Return: A sentence owned by @relay, or NULL after the last one.
 */
const char *nvme_mptcp_relay_notice(nvme_mptcp_relay_t relay, size_t i);

/**
 * nvme_mptcp_relay_listener() - list the listening sockets, which are readable when there is a
 * connection to accept; the last one shows other relays that one runs
 * @relay: Open relay
 * @i:	   Number, from 0
 *
 * Return: The descriptor, owned by @relay, or -1 after the last one.
 */
int nvme_mptcp_relay_listener(nvme_mptcp_relay_t relay, size_t i);

/**
 * nvme_mptcp_relay_accept() - accept a connection and start connecting to its destination
 * @relay: Open relay
 * @i:	   Number of the listener
 * @ret:   Where to store the two sockets
 *
 * On a host, only connections of user 0, which are the kernel's, are relayed, and the new
 * connection uses their source address.
 *
 * Return: 0, or -1 with errno: EAGAIN if there is none; EACCES if it may not be relayed and has
 * been reset; EMFILE, ENFILE, ENOBUFS or ENOMEM if resources are exhausted; or the reason why
 * connecting failed immediately, when it has been reset too. @ret has the texts of a connection
 * that was reset.
 */
int nvme_mptcp_relay_accept(nvme_mptcp_relay_t relay, size_t i, struct nvme_mptcp_relay_pair *ret);

/**
 * nvme_mptcp_relay_connect() - connect to a portal once more, for an accepted connection
 * @relay:    Relay of a host
 * @portal:   Portal that was asked for, as in struct nvme_mptcp_relay_pair
 * @peer:     Address and port of the end that asked, as there
 * @is_mptcp: true: over MPTCP; false: over TCP, for a path that drops SYNs with the MPTCP option
 *
 * Any thread may call this.
 *
 * Return: A non-blocking socket that is connecting and that the caller owns, or -1 with errno, see
 * nvme_mptcp_error().
 */
int nvme_mptcp_relay_connect(nvme_mptcp_relay_t relay, const char *portal, const char *peer,
			     bool is_mptcp);

/**
 * struct nvme_mptcp_relay_connection - one relayed connection
 * @id:		 Number of the connection, from 1 since the relay started
 * @token:	 Local token of its MPTCP connection, as nvme_mptcp_connection_token(); 0: not
 *		 connected yet, or unknown
 * @to_mptcp:	 Bytes sent to the other side
 * @from_mptcp:	 Bytes received from the other side
 * @subflows:	 Number of subflows; 0 if unknown
 * @is_target:	 true: relayed on a target
 * @is_open:	 true: both sockets are connected
 * @is_fallback: true: in fallback to plain TCP
 * @portal:	 Portal that was asked for, "192.0.2.1:4420"
 * @peer:	 Address and port of the end that asked
 * @inode:	 Inode number of its MPTCP socket, as nvme_mptcp_connection_inode(); 0: not
 *		 connected yet
 * @cntlid:	 Id of the controller of this queue; -1: unknown, e.g. with TLS
 * @subsysnqn:	 NQN of that controller's subsystem; "": unknown
 */
struct nvme_mptcp_relay_connection {
	uint64_t id;
	uint32_t token;
	uint64_t to_mptcp;
	uint64_t from_mptcp;
	uint32_t subflows;
	bool is_target;
	bool is_open;
	bool is_fallback;
	char portal[56];
	char peer[56];
	uint32_t inode;
	int cntlid;
	char subsysnqn[224];
};

/**
 * struct nvme_mptcp_relay_result - result of the last attempt to connect for a portal
 * @err:	0, or an errno; EPROTONOSUPPORT: connected over plain TCP, since SYNs with the MPTCP
 *		option get no reply
 * @is_steered: true: rules redirect this host's connections to the portal
 * @portal:	Portal
 * @peer:	Address and port of the connecting end; "" if there was none
 * @at:		Address to connect to for the portal: the portal itself if it is steered, a loopback
 *		address if connections are taken by address; "" if the relay does not serve it
 */
struct nvme_mptcp_relay_result {
	int err;
	bool is_steered;
	char portal[56];
	char peer[56];
	char at[56];
};

/**
 * struct nvme_mptcp_relay_status - status of a relay
 * @connections:   Connections, unordered
 * @n_connections: Their number
 * @results:	   Last result of each portal that was requested or is steered
 * @n_results:	   Their number
 * @ports:	   Target: port numbers whose connections it takes, set by nvme_mptcp_relay_answer()
 * @n_ports:	   Their number
 * @links:	   Target: network interfaces on which it takes connections, set like @ports
 * @n_links:	   Their number; 0: all but lo
 */
struct nvme_mptcp_relay_status {
	struct nvme_mptcp_relay_connection *connections;
	size_t n_connections;
	struct nvme_mptcp_relay_result *results;
	size_t n_results;
	uint16_t *ports;
	size_t n_ports;
	char (*links)[16];
	size_t n_links;
};

/**
 * nvme_mptcp_relay_control() - listen for status requests
 * @relay: Open relay
 *
 * The socket is in /run/nvme-mptcp, one for each network namespace, and only root can use it.
 *
 * Return: A descriptor, owned by @relay, that is readable when there is a request; -1 with errno.
 */
int nvme_mptcp_relay_control(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_answer() - answer a status request
 * @relay:  Relay
 * @status: Its status
 *
 * Does not wait for the client.
 *
 * Return: 0, or -1 with errno: EAGAIN if there is no request.
 */
int nvme_mptcp_relay_answer(nvme_mptcp_relay_t relay, const struct nvme_mptcp_relay_status *status);

/**
 * nvme_mptcp_relay_ask() - request the status of the relay of a network namespace
 * @netns: Network namespace, as for nvme_mptcp_snapshot_take(); NULL: the caller's
 * @ret:   Where to store the status, to be freed with nvme_mptcp_relay_status_free()
 *
 * Return: 0, or -1 with errno: ENOENT if no relay runs there, EACCES without the privilege,
 * ETIMEDOUT if it does not answer, EBADMSG if the answer is invalid, ENOMEM.
 */
int nvme_mptcp_relay_ask(const char *netns, struct nvme_mptcp_relay_status **ret);

/**
 * nvme_mptcp_relay_status_free() - free the status of a relay
 * @status: Status, or NULL
 */
void nvme_mptcp_relay_status_free(struct nvme_mptcp_relay_status *status);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_RELAY_H */
