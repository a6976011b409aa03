/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>
#include <string.h>

#include "../util.h"

#define CONNECT_ERR(name) [ENVME_CONNECT_##name - ENVME_CONNECT_RESOLVE]

static const char *const connect_errors[] = {
	CONNECT_ERR(RESOLVE) = "failed to resolve host",
	CONNECT_ERR(ADDRFAM) = "unrecognized address family",
	CONNECT_ERR(TRADDR) = "failed to get transport address",
	CONNECT_ERR(TARG) = "no transport specified",
	CONNECT_ERR(AARG) = "no transport address specified",
	CONNECT_ERR(OPEN) = "failed to open nvme-fabrics device",
	CONNECT_ERR(WRITE) = "failed to write to nvme-fabrics device",
	CONNECT_ERR(READ) = "failed to read from nvme-fabrics device",
	CONNECT_ERR(PARSE) = "failed to parse ctrl info",
	CONNECT_ERR(INVAL_TR) = "invalid transport type",
	CONNECT_ERR(LOOKUP_SUBSYS_NAME) = "failed to lookup subsystem name",
	CONNECT_ERR(LOOKUP_SUBSYS) = "failed to lookup subsystem",
	CONNECT_ERR(ALREADY) = "already connected",
	CONNECT_ERR(INVAL) = "invalid arguments/configuration",
	CONNECT_ERR(ADDRINUSE) = "hostnqn already in use",
	CONNECT_ERR(NODEV) = "invalid interface",
	CONNECT_ERR(OPNOTSUPP) = "not supported",
	CONNECT_ERR(CONNREFUSED) = "connection refused",
	CONNECT_ERR(ADDRNOTAVAIL) = "cannot assign requested address",
	CONNECT_ERR(IGNORED) = "connection ignored",
	CONNECT_ERR(NOKEY) = "pre-shared TLS key is missing",
};

const char *nvme_errno_to_string(int err)
{
	size_t index = (size_t)err - ENVME_CONNECT_RESOLVE;

	if (err < ENVME_CONNECT_RESOLVE)
		return strerror(err);
	if (index < sizeof(connect_errors) / sizeof(connect_errors[0]))
		return connect_errors[index];
	return "unrecognized";
}
