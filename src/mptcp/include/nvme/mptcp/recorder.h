/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recording which controller owns new connections, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_RECORDER_H
#define _LIBNVME_MPTCP_RECORDER_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Kernels without the attribute queue_addrs do not show the connections of a controller. Addresses
 * cannot distinguish two controllers of one portal, so the connections that appear during each
 * connect are recorded:
 *
 *	recorder = nvme_mptcp_record_begin(&args);
 *	err = nvmf_add_ctrl(h, c, NULL);
 *	nvme_mptcp_record_end(recorder, err ? NULL : nvme_ctrl_get_name(c));
 */
typedef struct nvme_mptcp_recorder *nvme_mptcp_recorder_t;

/**
 * struct nvme_mptcp_record_args - description of a connect
 * @transport: Transport; transports without subflows are not recorded
 * @traddr:    Address or host name of the target
 * @trsvcid:   Its port
 * @warn:      Function to call before nvme_mptcp_record_begin() waits for another process, or NULL;
 *	       @text is one sentence without control characters, valid during the call
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
 * nvme_mptcp_record_begin() - record the existing connections before a connect
 * @args: Description of the connect
 *
 * Lists the MPTCP sockets of the caller's network namespace. Waits up to 10 s for another process
 * that connects to the same portal. Does nothing if the kernel shows the queues of its controllers.
 *
 * Return: A recorder for nvme_mptcp_record_end(). NULL: nothing is recorded, because it is
 * unnecessary or because the state directory or the sockets cannot be used. That is no failure:
 * connect anyway.
 */
nvme_mptcp_recorder_t nvme_mptcp_record_begin(const struct nvme_mptcp_record_args *args);

/**
 * nvme_mptcp_record_end() - record the connections that a connect made
 * @recorder: Recorder, or NULL; it is freed
 * @ctrl:     Name of the new controller, e.g. "nvme1"; NULL: the connect failed
 *
 * Writes the record of @ctrl to the state directory if its connections are unambiguous. Preserves
 * errno.
 */
void nvme_mptcp_record_end(nvme_mptcp_recorder_t recorder, const char *ctrl);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_RECORDER_H */
