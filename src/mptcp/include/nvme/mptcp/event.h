/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of the path manager as they happen, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_EVENT_H
#define _LIBNVME_MPTCP_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvme_mptcp_monitor *nvme_mptcp_monitor_t;
typedef const struct nvme_mptcp_event *nvme_mptcp_event_t;

/**
 * enum nvme_mptcp_event_type - types of events, linux/mptcp_pm.h
 * @NVME_MPTCP_EVENT_LOST:		   Events were lost because they were not read in time
 * @NVME_MPTCP_EVENT_CREATED:		   A connection was created
 * @NVME_MPTCP_EVENT_ESTABLISHED:	   A connection is established: subflows may be started
 * @NVME_MPTCP_EVENT_CLOSED:		   A connection was closed
 * @NVME_MPTCP_EVENT_ANNOUNCED:		   The peer announced an address
 * @NVME_MPTCP_EVENT_REMOVED:		   The peer withdrew an address
 * @NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED: A subflow was established
 * @NVME_MPTCP_EVENT_SUBFLOW_CLOSED:	   A subflow was closed, or failed to connect
 * @NVME_MPTCP_EVENT_SUBFLOW_PRIORITY:	   A subflow became a backup, or stopped being one
 * @NVME_MPTCP_EVENT_LISTENER_CREATED:	   A socket accepts MPTCP connections
 * @NVME_MPTCP_EVENT_LISTENER_CLOSED:	   A socket no longer accepts MPTCP connections
 * @NVME_MPTCP_EVENT_LINK_DOWN:		   A link of a controller went down, lost its carrier or was
 *					   removed
 * @NVME_MPTCP_EVENT_LINK_UP:		   A link of a controller came back
 *
 * Later kernels may have more. The last two are not from the path manager, which does not monitor
 * links.
 */
enum nvme_mptcp_event_type {
	NVME_MPTCP_EVENT_LOST = 0,
	NVME_MPTCP_EVENT_CREATED = 1,
	NVME_MPTCP_EVENT_ESTABLISHED = 2,
	NVME_MPTCP_EVENT_CLOSED = 3,
	NVME_MPTCP_EVENT_ANNOUNCED = 6,
	NVME_MPTCP_EVENT_REMOVED = 7,
	NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED = 10,
	NVME_MPTCP_EVENT_SUBFLOW_CLOSED = 11,
	NVME_MPTCP_EVENT_SUBFLOW_PRIORITY = 13,
	NVME_MPTCP_EVENT_LISTENER_CREATED = 15,
	NVME_MPTCP_EVENT_LISTENER_CLOSED = 16,
	NVME_MPTCP_EVENT_LINK_DOWN = 65536,
	NVME_MPTCP_EVENT_LINK_UP = 65537,
};

/**
 * nvme_mptcp_monitor_open() - listen to the path manager
 * @netns: Network namespace, as for nvme_mptcp_snapshot_take()
 * @ret:   Where to store the monitor, to be freed with nvme_mptcp_monitor_close()
 *
 * Needs CAP_NET_ADMIN. The controller of a connection is looked up when the connection first
 * appears.
 *
 * Return: 0, or -1 with errno: EPERM, EOPNOTSUPP if the kernel has no path manager, or the errors
 * of nvme_mptcp_snapshot_take().
 */
int nvme_mptcp_monitor_open(const char *netns, nvme_mptcp_monitor_t *ret);

/**
 * nvme_mptcp_monitor_close() - stop listening
 * @mon: Monitor, or NULL
 */
void nvme_mptcp_monitor_close(nvme_mptcp_monitor_t mon);

/**
 * nvme_mptcp_monitor_get_fd() - descriptor for poll()
 *
 * Return: A descriptor that the monitor owns; it becomes readable when there is an event.
 */
int nvme_mptcp_monitor_get_fd(nvme_mptcp_monitor_t mon);

/**
 * nvme_mptcp_monitor_next() - the next event
 * @ret: Where to store the event, which lives until the next call
 *
 * Does not wait. Call it until it returns 0, then poll().
 *
 * Return: 1 if there was an event, 0 if there is none now, -1 with errno.
 */
int nvme_mptcp_monitor_next(nvme_mptcp_monitor_t mon, nvme_mptcp_event_t *ret);

/**
 * nvme_mptcp_event_type() - type of an event
 *
 * Return: An &enum nvme_mptcp_event_type, or the number of a later kernel's event.
 */
unsigned int nvme_mptcp_event_type(nvme_mptcp_event_t ev);

/**
 * nvme_mptcp_event_type_name() - name of a type, as in JSON
 * @type: Type
 *
 * Return: A static string such as "subflow-established", or NULL if it has no name.
 */
const char *nvme_mptcp_event_type_name(unsigned int type);

/** nvme_mptcp_event_time() - when the event was read, in microseconds since 1970, CLOCK_REALTIME */
int64_t nvme_mptcp_event_time(nvme_mptcp_event_t ev);

/**
 * nvme_mptcp_event_ctrl() - controller of an event
 *
 * Return: A name such as "nvme1", or several separated by commas if controllers share the
 * connection; NULL if there is none or it is unknown.
 */
const char *nvme_mptcp_event_ctrl(nvme_mptcp_event_t ev);

/**
 * nvme_mptcp_event_token() - connection of an event
 *
 * Return: Its local token, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_event_token(nvme_mptcp_event_t ev);

/** nvme_mptcp_event_local() - local address and port, e.g. "192.0.2.1:40000", or NULL */
const char *nvme_mptcp_event_local(nvme_mptcp_event_t ev);

/**
 * nvme_mptcp_event_remote() - remote address and port
 *
 * Return: A string such as "192.0.2.1:4420", or "192.0.2.1" where the event has no port; or NULL.
 */
const char *nvme_mptcp_event_remote(nvme_mptcp_event_t ev);

/**
 * nvme_mptcp_event_link() - link of an event
 *
 * Return: Name of the network interface that the subflow is bound to, or NULL.
 */
const char *nvme_mptcp_event_link(nvme_mptcp_event_t ev);

/**
 * enum nvme_mptcp_event_value - values of an event
 * @NVME_MPTCP_EVENT_ID_LOCAL:	   Id of the local address
 * @NVME_MPTCP_EVENT_ID_REMOTE:	   Id of the remote address
 * @NVME_MPTCP_EVENT_BACKUP:	   1 if the subflow is a backup
 * @NVME_MPTCP_EVENT_ERROR:	   errno of a closed subflow
 * @NVME_MPTCP_EVENT_RESET_REASON: Reset reason, RFC 8684 section 3.6
 * @NVME_MPTCP_EVENT_RESET_FLAGS:  1 if the reset reason is transient
 * @NVME_MPTCP_EVENT_IFINDEX:	   Index of the network interface that the subflow is bound to
 * @NVME_MPTCP_EVENT_SERVER_SIDE:  1 if the peer made the connection
 * @NVME_MPTCP_EVENT_NO_JOIN_ID0:  1 if the peer accepts no subflows to its initial address
 */
enum nvme_mptcp_event_value {
	NVME_MPTCP_EVENT_ID_LOCAL,
	NVME_MPTCP_EVENT_ID_REMOTE,
	NVME_MPTCP_EVENT_BACKUP,
	NVME_MPTCP_EVENT_ERROR,
	NVME_MPTCP_EVENT_RESET_REASON,
	NVME_MPTCP_EVENT_RESET_FLAGS,
	NVME_MPTCP_EVENT_IFINDEX,
	NVME_MPTCP_EVENT_SERVER_SIDE,
	NVME_MPTCP_EVENT_NO_JOIN_ID0,
};

/**
 * nvme_mptcp_event_value() - get a value of an event
 * @value: Which
 *
 * Return: The value, or NVME_MPTCP_UNKNOWN if the event does not have it.
 */
int64_t nvme_mptcp_event_value(nvme_mptcp_event_t ev, enum nvme_mptcp_event_value value);

/**
 * nvme_mptcp_event_reason() - why a subflow was reset, as text
 *
 * Return: A static string, or NULL if it was not reset or no reason was given.
 */
const char *nvme_mptcp_event_reason(nvme_mptcp_event_t ev);

/**
 * nvme_mptcp_event_to_json() - an event as a JSON document on one line
 *
 * The document follows the schema mptcp-event.json.
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_event_to_json(nvme_mptcp_event_t ev);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_EVENT_H */
