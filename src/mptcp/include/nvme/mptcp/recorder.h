/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording whose the connections are that a connect makes, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_RECORDER_H
#define _LIBNVME_MPTCP_RECORDER_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kernels without the attribute queue_addrs do not show which connections a controller has. Their
 * addresses tell two controllers behind one portal apart only if it was noted which connections
 * appeared while each of them was connected:
 *
 *	recorder = nvme_mptcp_record_begin(&args);
 *	err = nvmf_add_ctrl(h, c, NULL);
 *	nvme_mptcp_record_end(recorder, err ? NULL : nvme_ctrl_get_name(c));
 */
typedef struct nvme_mptcp_recorder *nvme_mptcp_recorder_t;

/**
 * struct nvme_mptcp_record_args - what is about to be connected
 * @transport: Its transport; one without subflows is not recorded
 * @traddr:    Address or host name of the target
 * @trsvcid:   Its port
 * @warn:      Is called before nvme_mptcp_record_begin() waits for another process; @text is one
 *	       sentence without control characters, and gone afterwards. Or NULL
 * @arg:       For @warn
 * @args_size: Size of this structure
 */
struct nvme_mptcp_record_args {
	const char *transport;
	const char *traddr;
	const char *trsvcid;
	void (*warn)(const char *text, void *arg);
	void *arg;
	int args_size;
};

/**
 * nvme_mptcp_record_begin() - note the connections that there are before a connect
 * @args: What is connected
 *
 * Lists the MPTCP sockets of the caller's network namespace. Waits up to 10 seconds for another process
 * that connects to the same portal. Where the kernel shows the queues of its controllers, nothing
 * is done.
 *
 * Return: A recorder for nvme_mptcp_record_end(). NULL: nothing is recorded, because nothing needs
 * it or because the state directory or the sockets cannot be used. That is no failure: connect all
 * the same.
 */
nvme_mptcp_recorder_t nvme_mptcp_record_begin(const struct nvme_mptcp_record_args *args);

/**
 * nvme_mptcp_record_end() - write down which connections a connect made
 * @recorder: Recorder, or NULL; it is freed
 * @ctrl:     Name of the new controller, as "nvme1"; NULL: there is none
 *
 * Writes the record of @ctrl to the state directory if it is certain which connections are its own.
 * errno stays.
 */
void nvme_mptcp_record_end(nvme_mptcp_recorder_t recorder, const char *ctrl);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_RECORDER_H */
