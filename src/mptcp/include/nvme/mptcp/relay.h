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
 * A relay carries the connections of a kernel without NVMe over MPTCP. On a host it takes the
 * connections of nvme-tcp to certain portals and makes MPTCP connections to the same portals. On a
 * target it takes MPTCP connections to certain ports and connects to the ports of nvmet-tcp.
 *
 * The library knows which connections to take and where they lead: it makes the listeners, the rules
 * of the packet filter, and both sockets of each connection. Moving bytes is the caller's part.
 * One relay is used by one thread at a time.
 */
typedef struct nvme_mptcp_relay *nvme_mptcp_relay_t;

/**
 * struct nvme_mptcp_relay_args - which connections to relay
 * @config:	 Configuration whose objects "relay" are added to the rest; NULL: none
 * @portals:	 Host: portals, "192.0.2.1:4420", "[2001:db8::1]:4420", or an address (port 4420);
 *		 ended by NULL. NULL: none
 * @auto_portals: Portals that "auto" means in @config, ended by NULL. NULL: none
 * @ports:	 Target: port numbers, "4420", ended by NULL. NULL: none
 * @links:	 Network interfaces on which they are taken, ended by NULL; portals do not use them. NULL: all
 *		 but lo
 * @args_size:	 Size of this structure
 * @send_buffer: Bytes of the send buffer of an MPTCP socket; 0: 256 KiB
 * @by_address:	 Host: listen on a loopback address for each portal, without rules and privileges
 * @hostid:	 nvme_mptcp_plan_relay(): ID of this host, for an object that it adds; NULL: not known
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
 * @accepted: Socket of the connection that was taken
 * @made:     Socket that is connecting to where it leads; writable once that is decided (SO_ERROR)
 * @is_target: @accepted is the MPTCP socket; otherwise @made is
 * @portal:   Portal that was asked for, "192.0.2.1:4420"
 * @peer:     Address and port of the end that asked
 *
 * Both do not block.
 */
struct nvme_mptcp_relay_pair {
	int accepted;
	int made;
	bool is_target;
	char portal[56];
	char peer[56];
};

/**
 * nvme_mptcp_relay_new() - check what is to be relayed
 * @args: What to relay
 * @ret:  Where to store the relay, to be freed with nvme_mptcp_relay_free()
 *
 * Reads the addresses and interfaces of the caller's network namespace. Nothing is changed.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(): EINVAL if @args is wrong (no address, a
 * portal twice, link-local or of this machine), ENODEV for an interface that is not there, ENODATA
 * if there is nothing to relay, ENOMEM.
 */
int nvme_mptcp_relay_new(const struct nvme_mptcp_relay_args *args, nvme_mptcp_relay_t *ret);

/**
 * nvme_mptcp_plan_relay() - plan to name in a configuration what is to be relayed
 * @plan:    Plan of nvme_mptcp_setup(), whose last step it becomes
 * @snap:    Snapshot that @plan was made from
 * @file:    JSON configuration; it need not exist
 * @hostnqn: NQN of this host, whose object it becomes part of unless another one has an object
 *	     "relay"; NULL: not known
 * @args:    Portals, ports and links to add; a target's without @ports are those of its ports of nvmet
 *	     that a relay can take. The rest is not used
 *
 * All other keys of the file stay, also unknown ones, in their order; the layout becomes that of
 * nvme_update_config(). What the file has already is not added, nor are portals where they are "auto"; a note
 * says so. Without additions the file is not written. The file as it will be is checked like
 * nvme_mptcp_relay_new() does, before anything is changed. nvme_mptcp_plan_apply() writes it as a whole, unless
 * another program has changed it meanwhile.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(): EINVAL and ENODEV as nvme_mptcp_relay_new(); EPROTO
 * if the file is wrong; ENODATA if the object of this host is missing and @hostnqn is NULL; ENOMEM; or
 * why the file cannot be read.
 */
int nvme_mptcp_plan_relay(nvme_mptcp_plan_t plan, nvme_mptcp_snapshot_t snap, const char *file,
			  const char *hostnqn, const struct nvme_mptcp_relay_args *args);

/**
 * nvme_mptcp_relay_free() - stop taking connections
 * @relay: Relay, or NULL
 *
 * Removes the rules and closes the listeners. Sockets that it gave out are the caller's.
 */
void nvme_mptcp_relay_free(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_rules() - the rules that nvme_mptcp_relay_open() makes
 *
 * Return: Lines as nft(8) and ip(8) take them, owned by @relay; "" if it needs none; NULL with errno
 * ENOMEM.
 */
const char *nvme_mptcp_relay_rules(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_open() - make listeners and rules
 *
 * The rules are those of the calling process and vanish with it. Needs CAP_NET_ADMIN, unless
 * connections are taken by address.
 *
 * Return: 0, or -1 with errno, see nvme_mptcp_error(): EADDRINUSE if a port has another listener,
 * EBUSY if another relay runs in this network namespace, EPERM without the privilege, EOPNOTSUPP if
 * the kernel or libnftables is missing what it takes, ENOMEM. Nothing is left then.
 */
int nvme_mptcp_relay_open(nvme_mptcp_relay_t relay);

/**
 * struct nvme_mptcp_relay_handover - what a relay leaves for the program that the process executes next
 * @fds:   Open descriptors, to be freed
 * @n:     Their number
 * @round: Times that this was done
 */
struct nvme_mptcp_relay_handover {
	int *fds;
	size_t n;
	unsigned int round;
};

/**
 * nvme_mptcp_relay_hand_over() - leave listeners and rules open when the process executes a program
 * @relay: Open relay
 * @ret:   Where to store what nvme_mptcp_relay_take_over() needs there
 *
 * Return: 0, or -1 with errno: EBADF if the owner of the rules is unknown, ENOMEM.
 */
int nvme_mptcp_relay_hand_over(nvme_mptcp_relay_t relay, struct nvme_mptcp_relay_handover *ret);

/**
 * nvme_mptcp_relay_take_over() - use listeners and rules that were left open
 * @relay: Relay that is not open yet; the descriptors are its own from here on
 * @h:     What was left
 *
 * No packet goes past the relay: the rules that were stay until its own are there. What it does not
 * need is closed by nvme_mptcp_relay_control(), which comes after nvme_mptcp_relay_open().
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int nvme_mptcp_relay_take_over(nvme_mptcp_relay_t relay, const struct nvme_mptcp_relay_handover *h);

/**
 * nvme_mptcp_relay_notice() - what to know about an open relay
 * @relay: Relay
 * @i:	   Number, from 0
 *
 * Return: A sentence owned by @relay, or NULL after the last one.
 */
const char *nvme_mptcp_relay_notice(nvme_mptcp_relay_t relay, size_t i);

/**
 * nvme_mptcp_relay_listener() - a descriptor that is readable when there is a connection to take
 * @relay: Open relay
 * @i:	   Number, from 0
 *
 * Return: The descriptor, owned by @relay, or -1 after the last one.
 */
int nvme_mptcp_relay_listener(nvme_mptcp_relay_t relay, size_t i);

/**
 * nvme_mptcp_relay_accept() - take a connection, and begin to connect to where it leads
 * @relay: Open relay
 * @i:	   Number of the listener
 * @ret:   Where to store the two sockets
 *
 * A host's relay takes connections of user 0 only, which are those of the kernel, and connects from
 * the address that they come from.
 *
 * Return: 0, or -1 with errno: EAGAIN if there is none; EACCES if it may not be relayed, and has been
 * reset; EMFILE, ENFILE, ENOBUFS or ENOMEM if resources are exhausted; or why connecting failed at
 * once, and it has been reset. @ret has the texts of a connection that was reset.
 */
int nvme_mptcp_relay_accept(nvme_mptcp_relay_t relay, size_t i, struct nvme_mptcp_relay_pair *ret);

/**
 * struct nvme_mptcp_relay_connection - one relayed connection
 * @id:		 Counts from 1 since the relay began
 * @token:	 Local token of its MPTCP connection, as nvme_mptcp_connection_token() has it; 0: not
 *		 connected yet, or not known
 * @to_mptcp:	 Bytes that went to the other side
 * @from_mptcp:	 Bytes that came from there
 * @subflows:	 Its subflows; 0 if not known
 * @is_target:	 By the relay of a target
 * @is_open:	 Both of its sockets are connected
 * @is_fallback: It has fallen back to plain TCP
 * @portal:	 Portal that was asked for, "192.0.2.1:4420"
 * @peer:	 Address and port of the end that asked
 * @inode:	 Number of its MPTCP socket, as nvme_mptcp_connection_inode() has it; 0: not connected yet
 * @cntlid:	 Number of the controller that it is a queue of; -1: not known, as with TLS
 * @subsysnqn:	 Subsystem of that controller; "": not known
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
 * struct nvme_mptcp_relay_result - what the last attempt to connect for a portal came to
 * @err:	0, or an errno
 * @is_steered: This host's connections to the portal are taken by rules
 * @portal:	Portal
 * @peer:	Address and port of the end that asked; "" if none has
 * @at:		Where this host connects to for the portal: the portal itself if it is steered, a
 *		loopback address if connections are taken by address; "" if the relay serves no such portal
 */
struct nvme_mptcp_relay_result {
	int err;
	bool is_steered;
	char portal[56];
	char peer[56];
	char at[56];
};

/**
 * struct nvme_mptcp_relay_status - what a relay has at a moment
 * @connections:   Connections, in no order
 * @n_connections: Their number
 * @results:	   The last result of each portal that was asked for, or is steered
 * @n_results:	   Their number
 * @ports:	   Target: port numbers whose connections it takes; nvme_mptcp_relay_answer() fills
 *		   them in
 * @n_ports:	   Their number
 */
struct nvme_mptcp_relay_status {
	struct nvme_mptcp_relay_connection *connections;
	size_t n_connections;
	struct nvme_mptcp_relay_result *results;
	size_t n_results;
	uint16_t *ports;
	size_t n_ports;
};

/**
 * nvme_mptcp_relay_control() - listen for those who ask what a relay has
 * @relay: Open relay
 *
 * The socket is below /run/nvme-mptcp, one for each network namespace, and for root alone.
 *
 * Return: A descriptor, owned by @relay, that is readable when a client asks; -1 with errno.
 */
int nvme_mptcp_relay_control(nvme_mptcp_relay_t relay);

/**
 * nvme_mptcp_relay_answer() - answer one of those who ask
 * @relay:  Relay
 * @status: What it has
 *
 * Never waits for the other end.
 *
 * Return: 0, or -1 with errno: EAGAIN if no client asks.
 */
int nvme_mptcp_relay_answer(nvme_mptcp_relay_t relay, const struct nvme_mptcp_relay_status *status);

/**
 * nvme_mptcp_relay_ask() - what the relay of a network namespace has
 * @netns: Network namespace, as for nvme_mptcp_snapshot_take(); NULL: the caller's
 * @ret:   Where to store it, to be freed with nvme_mptcp_relay_status_free()
 *
 * Return: 0, or -1 with errno: ENOENT if none runs there, EACCES without the privilege to ask,
 * ETIMEDOUT if it does not answer, EBADMSG if the answer is wrong, ENOMEM.
 */
int nvme_mptcp_relay_ask(const char *netns, struct nvme_mptcp_relay_status **ret);

/**
 * nvme_mptcp_relay_status_free() - free what a relay has
 * @status: Status, or NULL
 */
void nvme_mptcp_relay_status_free(struct nvme_mptcp_relay_status *status);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_RELAY_H */
