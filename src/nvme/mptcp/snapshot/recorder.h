/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watching a connect, with everything that tests want to choose. */
#ifndef NVME_MPTCP_RECORDER_H
#define NVME_MPTCP_RECORDER_H

#include "snapshot.h"

/* NULL if it cannot be watched; then the connections stay unrecorded. */
struct nvme_mptcp_recorder *recorder_begin(const char *dir, const char *traddr,
					   const char *trsvcid);

/* 0; -EAGAIN if what appeared is not @queues connections (0: any number); other -errno. */
int recorder_end(struct nvme_mptcp_recorder *rec, const char *ctrl, const char *subsysnqn,
		 const struct socket_address *portal, long queues);

#endif /* NVME_MPTCP_RECORDER_H */
