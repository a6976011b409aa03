/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of fabrics/ share. Functions return 0 or a negative code: -errno, or the negative
 * of a value of enum nvme_connect_err, which start at 1000 and so cannot be mistaken for an errno.
 * A function that fails to connect leaves the reason with connect_error_set().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tree/private.h"
#include "option-table.h"

/* Literally so: tests put something else in its place by interposing open(). */
#define NVMF_DEVICE "/dev/nvme-fabrics"

/* A longer line is refused by the kernel with ENOMEM (nvmf_dev_write() in fabrics.c). */
#define CONNECT_STRING_SIZE 4096

/* supported.c */

/*
 * The options of the running kernel, read once per tree. 0, -ENVME_CONNECT_OPEN with errno set if
 * the device cannot be opened, -ENOMEM.
 */
int fabrics_options_get(struct nvme_root *r, const struct fabrics_options **ret);

/*
 * Can the running kernel encrypt this transport? The options that it lists stand for tcp, and are
 * checked with them; another transport's module has to be loaded and show that it can.
 */
bool fabrics_has_tls(const struct transport *transport);

/* One attempt to connect, from the values to the kernel's answer. */
struct connect {
	struct nvme_host *h;
	struct nvme_ctrl *c;
	const struct fabrics_options *options; /* of the running kernel; NULL until it was asked */
	char *traddr, *host_traddr; /* resolved, or NULL where the controller's is an address */
	char *hostid; /* of a host that is described without one; NULL: left to the kernel */
	long keyring, tls_key; /* serial numbers to hand over, 0: none */
	size_t len;
	struct {
		size_t at, len;
	} secrets[N_OPTIONS]; /* where @line must not be shown */
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

/* option-value.c */

/* What is handed over for an option. */
struct option_value {
	const char *text; /* OPTION_TYPE_TEXT */
	long number; /* a number, or a serial number */
};

/* false: the option is not asked for. Keys are found by connect_find_keys() first. */
bool option_value(const struct connect *connect, enum fabrics_option id, struct option_value *ret);

/*
 * Takes over the options of @from that differ from their default, all of them or only those that
 * @c has at their default. 0 or -ENOMEM.
 */
int option_merge(struct nvme_ctrl *c, const struct nvmf_options *from, bool replace);
int option_merge_config(struct nvme_ctrl *c, const struct nvme_fabrics_config *cfg, bool replace);

/* option-check.c: an error with a reason if a value is wrong, or the transport lacks an option. */
int option_check_values(struct connect *connect);

/* An error if the kernel does not know an option that guards the connection; or just this one. */
int option_check_kernel(struct connect *connect);
int option_check_known(struct connect *connect, enum fabrics_option id);

/* option-line.c */

/* Builds the line from values that have been checked. Nothing has been written if this fails. */
int connect_string_build(struct connect *connect);

/* A copy of the line for the log, secrets hidden. NULL without memory. */
char *connect_string_shown(const struct connect *connect);

/* tls.c: finds or makes the keys that the options ask for. */
int connect_find_keys(struct connect *connect);

/* connect.c */

/* The port of @c; where that is open, the one of its transport's row, or NULL. */
const char *connect_port(const struct nvme_ctrl *c);

/* What a description leaves open and the transport's row knows: the port. 0 or -ENOMEM. */
int connect_complete(struct nvme_ctrl *c);

/* Resolves, checks, builds, writes. Returns the instance of the new controller. */
int connect_run(struct connect *connect);

/* twin.c: the controller that connecting @c, at @traddr if that is not NULL, would duplicate. */
struct nvme_ctrl *connect_find_twin(struct nvme_host *h, const struct nvme_ctrl *c,
				    const char *traddr);

/* error.c */

/* Keeps the reason with controller and host and returns -@code. No memory, no reason. */
int connect_error_set(struct nvme_host *h, struct nvme_ctrl *c, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Forgets the reason of an earlier attempt. */
void connect_error_clear(struct nvme_host *h, struct nvme_ctrl *c);

/* Same for a failed open of the device and for a failed write; @log: the kernel's messages, or NULL. */
int connect_error_open(struct nvme_host *h, struct nvme_ctrl *c, int err);
int connect_error_write(struct connect *connect, int err, const char *log);

/* "10.1.1.1:4420", "[fd00::1]:4420" or what else names the place of @c; escaped; NULL without memory. */
char *connect_where(const struct nvme_ctrl *c);

/* @s for a message: escaped, and cut if it is long. NULL without memory. */
char *connect_shown(const char *s);

/* For "%s": the text, or a replacement if there was no memory for it. */
static inline const char *or_unknown(const char *s)
{
	return s ? s : "?";
}

/* add.c: nvmf_add_ctrl() in two steps */

/* Fills what @c leaves open from what the tree knows about it. */
int fabrics_prepare(struct nvme_host *h, struct nvme_ctrl *c);

/* Connects and attaches. @written: has the kernel been asked? */
int fabrics_add(struct nvme_host *h, struct nvme_ctrl *c, bool *written);
