/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared declarations of fabrics/. Functions return 0 or a negative code: -errno, or a negated
 * value of enum nvme_connect_err, which start at 1000 and are never errno values. A function that
 * fails to connect stores the reason with connect_error_set().
 */
#pragma once

#include "../tree/private.h"
#include "option-table.h"

/* Must stay a literal path: tests intercept open() for it. */
#define NVMF_DEVICE "/dev/nvme-fabrics"

/* The kernel rejects longer lines with ENOMEM (nvmf_dev_write() in fabrics.c). */
#define CONNECT_STRING_SIZE 4096

/* supported.c */

/*
 * Return the options that the running kernel supports, read once per tree. Return 0,
 * -ENVME_CONNECT_OPEN with errno set if the device cannot be opened, or -ENOMEM.
 */
int fabrics_options_get(struct nvme_root *r, const struct fabrics_options **ret);

/*
 * True if the running kernel supports TLS for this transport. For tcp, the options that the kernel
 * lists decide later; another transport's module must be loaded and show a TLS parameter.
 */
bool fabrics_has_tls(const struct transport *transport);

/* State of one attempt to connect. */
struct connect {
	struct nvme_host *h;
	struct nvme_ctrl *c;
	const struct fabrics_options
		*options; /* supported by the running kernel; NULL until read */
	char *traddr, *host_traddr; /* resolved addresses; NULL if the controller's is an address */
	char *hostid; /* for a host without one; NULL: left to the kernel */
	long keyring, tls_key; /* key serial numbers for the kernel; 0: none */
	size_t len;
	struct {
		size_t at, len;
	} secrets[N_OPTIONS]; /* parts of @line to mask in logs */
	unsigned int n_secrets;
	bool written; /* the line was written to the kernel */
	char line[CONNECT_STRING_SIZE];
};

/* Wipe the line and free what the attempt owns. */
void connect_release_cleanup(struct connect *connect);

/* option-value.c */

/* The value of an option for the kernel. */
struct option_value {
	const char *text; /* OPTION_TYPE_TEXT */
	long number; /* a number, or a serial number */
};

/* Get the value of an option. False if it is not set. Call connect_find_keys() first for keys. */
bool option_value(const struct connect *connect, enum fabrics_option id, struct option_value *ret);

/*
 * Copy the options of @from that differ from their defaults: all if @replace is set, otherwise only
 * those that @c has at the default. Return 0 or -ENOMEM.
 */
int option_merge(struct nvme_ctrl *c, const struct nvmf_options *from, bool replace);
int option_merge_config(struct nvme_ctrl *c, const struct nvme_fabrics_config *cfg, bool replace);

/* Fail and store the reason for invalid values and options the transport does not support. */
int option_check_values(struct connect *connect);

/* Fail if the kernel does not know a set option that protects the connection, or option @id. */
int option_check_kernel(struct connect *connect);
int option_check_known(struct connect *connect, enum fabrics_option id);

/* option-line.c */

/* Build the line from checked values. Nothing has been written if this fails. */
int connect_string_build(struct connect *connect);

/* Return a copy of the line with secrets masked, for logs. NULL if out of memory. */
char *connect_string_shown(const struct connect *connect);

/* tls.c: find or create the keys for the options. */
int connect_find_keys(struct connect *connect);

/* connect.c */

/* Return the port of @c, or the default of its transport's row, which may be NULL. */
const char *connect_port(const struct nvme_ctrl *c);

/* Set the port to the transport's default if it is unset. Return 0 or -ENOMEM. */
int connect_complete(struct nvme_ctrl *c);

/* Check, resolve, build and write the line. Return the instance of the new controller. */
int connect_run(struct connect *connect);

/* Return the controller that connecting @c (to @traddr unless NULL) would duplicate, or NULL. */
struct nvme_ctrl *connect_find_duplicate(struct nvme_host *h, const struct nvme_ctrl *c,
					 const char *traddr);

/* error.c */

/* Store the reason in controller and host (NULL if out of memory). Return -@code. */
int connect_error_set(struct nvme_host *h, struct nvme_ctrl *c, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
#define connect_fail(connect, ...) connect_error_set((connect)->h, (connect)->c, __VA_ARGS__)

/* Clear the reason of an earlier attempt. */
void connect_error_clear(struct nvme_host *h, struct nvme_ctrl *c);

/* Store the reason for a failed open() or write() of the device. @log: kernel messages, or NULL. */
int connect_error_open(struct nvme_host *h, struct nvme_ctrl *c, int err);
int connect_error_write(struct connect *connect, int err, const char *log);

/* Return "10.1.1.1:4420" or another description of @c's address, escaped. NULL if out of memory. */
char *connect_address_text(const struct nvme_ctrl *c);

/* Return @s escaped and truncated for a message. NULL if out of memory. */
char *connect_escape(const char *s);

/* Return @s, or "?" if it is NULL (out of memory), for "%s". */
static inline const char *or_unknown(const char *s)
{
	return s ? s : "?";
}

/* add.c: nvmf_add_ctrl() in two steps */

/* Fill unset values of @c from the tree, and check that it may connect. */
int fabrics_prepare(struct nvme_host *h, struct nvme_ctrl *c);

/* Connect and attach to the tree. Set *@written if the line was written to the kernel. */
int fabrics_add(struct nvme_host *h, struct nvme_ctrl *c, bool *written);
