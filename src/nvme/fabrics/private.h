/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fabrics/ share. Functions return 0 or a negative code: -errno, or the negative
 * of a value of enum nvme_connect_err, which start at 1000 and so cannot be mistaken for an errno.
 * A function that fails to connect leaves the reason with connect_error_set().
 */
#ifndef NVME_FABRICS_PRIVATE_H
#define NVME_FABRICS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tree/private.h"

/* Literally so: tests put something else in its place by interposing open(). */
#define NVMF_DEVICE "/dev/nvme-fabrics"

/* A longer line is refused by the kernel with ENOMEM (nvmf_dev_write() in fabrics.c). */
#define CONNECT_STRING_SIZE 4096

/* Every option that the kernel may know; their order says nothing. */
enum fabrics_option {
	OPTION_CNTLID,
	OPTION_CONCAT,
	OPTION_CTRL_LOSS_TMO,
	OPTION_DATA_DIGEST,
	OPTION_DHCHAP_CTRL_SECRET,
	OPTION_DHCHAP_SECRET,
	OPTION_DISABLE_SQFLOW,
	OPTION_DISCOVERY,
	OPTION_DUPLICATE_CONNECT,
	OPTION_FAST_IO_FAIL_TMO,
	OPTION_HDR_DIGEST,
	OPTION_HOST_IFACE,
	OPTION_HOST_TRADDR,
	OPTION_HOSTID,
	OPTION_HOSTNQN,
	OPTION_INSTANCE,
	OPTION_KEEP_ALIVE_TMO,
	OPTION_KEYRING,
	OPTION_NQN,
	OPTION_NR_IO_QUEUES,
	OPTION_NR_POLL_QUEUES,
	OPTION_NR_WRITE_QUEUES,
	OPTION_QUEUE_SIZE,
	OPTION_RECONNECT_DELAY,
	OPTION_TCLASS,
	OPTION_TLS,
	OPTION_TLS_KEY,
	OPTION_TOS,
	OPTION_TRADDR,
	OPTION_TRANSPORT,
	OPTION_TRSVCID,
	N_OPTIONS,
};

/* Options that the running kernel lists, one bit each. One plain block of memory. */
struct fabrics_options {
	uint64_t known;
};

static inline bool option_is_known(const struct fabrics_options *options, enum fabrics_option id)
{
	return options->known & (UINT64_C(1) << id);
}

/* supported.c */

/* Name as the kernel spells it, up to "=". */
const char *option_name(enum fabrics_option id);

/* What @text, as read from the device, lists: names between commas, with or without "=%s". */
void fabrics_options_parse(const char *text, size_t n, struct fabrics_options *ret);

/*
 * The options of the running kernel, read once per tree. 0, -ENVME_CONNECT_OPEN with errno set if
 * the device cannot be opened, -ENOMEM.
 */
int fabrics_options_get(struct nvme_root *r, const struct fabrics_options **ret);

/* One attempt to connect, from the values to the kernel's answer. */
struct connect {
	struct nvme_host *h;
	struct nvme_ctrl *c;
	const struct fabrics_options *options;
	char *traddr, *host_traddr; /* resolved, or NULL where the controller's is an address */
	char *hostid; /* of a host that is described without one; NULL: left to the kernel */
	long keyring, tls_key; /* serial numbers to hand over, 0: none */
	size_t len;
	struct {
		size_t at, len;
	} secrets[2]; /* where @line must not be shown */
	unsigned int n_secrets;
	bool written; /* the kernel has seen the line */
	char line[CONNECT_STRING_SIZE];
};

/* Wipes the line and frees what the attempt owns. */
void connect_release(struct connect *connect);

static inline void connect_release_cleanup(struct connect *connect)
{
	connect_release(connect);
}

/* options.c */

/* Checks all values and builds the line. Nothing has been written if this fails. */
int connect_string_build(struct connect *connect);

/* A copy of the line for the log, secrets hidden. NULL without memory. */
char *connect_string_shown(const struct connect *connect);

/* tls.c: finds or makes the keys that the options ask for. */
int connect_find_keys(struct connect *connect);

/* connect.c: resolves, builds, writes. Returns the instance of the new controller. */
int connect_run(struct connect *connect);

/* error.c */

/* Keeps the reason with controller and host and returns -@code. No memory, no reason. */
int connect_error_set(struct nvme_host *h, struct nvme_ctrl *c, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Forgets the reason of an earlier attempt. */
void connect_error_clear(struct nvme_host *h, struct nvme_ctrl *c);

/* Same for a failed open of the device and for a failed write; @log: what the kernel said, or NULL. */
int connect_error_open(struct nvme_host *h, struct nvme_ctrl *c, int err);
int connect_error_write(struct connect *connect, int err, const char *log);

/* "10.1.1.1:4420", "[fd00::1]:4420" or what else says where @c is; escaped; NULL without memory. */
char *ctrl_where(const struct nvme_ctrl *c);

/* @s for a message: escaped, and cut if it is long. NULL without memory. */
char *shown(const char *s);

/* For "%s": the text, or a replacement if there was no memory for it. */
static inline const char *or_unknown(const char *s)
{
	return s ? s : "?";
}

/*
 * config.c: takes over the options of @from that differ from their default, all of them or only
 * those that @cfg has at their default. 0 or -ENOMEM.
 */
int config_merge(struct nvme_fabrics_config *cfg, const struct nvme_fabrics_config *from,
		 bool replace);

/* add.c: nvmf_add_ctrl() in two steps */

/* Fills what @c leaves open from @cfg (may be NULL), then from what the tree knows about it. */
int fabrics_prepare(struct nvme_host *h, struct nvme_ctrl *c,
		    const struct nvme_fabrics_config *cfg);

/* Connects and attaches. @written: has the kernel been asked? */
int fabrics_add(struct nvme_host *h, struct nvme_ctrl *c, bool *written);

#endif /* NVME_FABRICS_PRIVATE_H */
