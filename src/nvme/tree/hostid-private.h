/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions for the host's identity, some of them separate for unit tests. */
#pragma once

#include "shared/std.h"

#include <nvme/types.h>

struct nvme_root;

/* Prefix of UUID-based NQNs (NVM Express Base Specification, NVMe Qualified Names). */
#define UUID_NQN_PREFIX "nqn.2014-08.org.nvmexpress:uuid:"

/* False if all bytes are equal to 0x00 or 0xff, which firmware without a UUID reports. */
bool hostid_is_identity(const unsigned char uuid[NVME_UUID_LEN]);

/* True if @text is exactly a UUID. */
bool hostid_parse(const char *text, unsigned char uuid[NVME_UUID_LEN]);

/*
 * Parse the first line of @n bytes of a file, without trailing white space. Return 0 and a string
 * to free, -ENOENT if it is empty, -EMSGSIZE if it is longer than @max bytes, -EINVAL if it
 * contains spaces, commas or control characters, or -ENOMEM.
 */
int hostid_file_parse(const char *text, size_t n, size_t max, char **ret);

/*
 * Find the host ID for @hostnqn: the one in the file if the NQN is the one in the file, otherwise
 * the UUID in the NQN. Return 0 and a string to free, or NULL if there is none; -ENOMEM.
 */
int hostid_of_nqn(const char *hostnqn, char **ret);

/* Find host NQN and ID, to be freed in any case, like nvme_host_get_ids(). Return 0 or -errno. */
int hostid_names(struct nvme_root *r, char **hostnqn, char **hostid);

/* machine.c: read the UUID of this machine's firmware or partition. Return 0 or -ENOENT. */
int hostid_of_machine(unsigned char uuid[NVME_UUID_LEN]);
