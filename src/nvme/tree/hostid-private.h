/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of the host's identity that are tested by themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <nvme/types.h>

struct nvme_root;

/* NQNs made of a UUID (NVM Express Base Specification, NVMe Qualified Names). */
#define UUID_NQN_PREFIX "nqn.2014-08.org.nvmexpress:uuid:"

/* Not all zeros or ones or another single byte, which is what firmware without a UUID reports. */
bool hostid_is_identity(const unsigned char uuid[NVME_UUID_LEN]);

/* Is the whole of @text a UUID? */
bool hostid_parse(const char *text, unsigned char uuid[NVME_UUID_LEN]);

/*
 * The first line of @n bytes of a file, without white space at its end. 0 and a string to free,
 * -ENOENT if it is empty, -EMSGSIZE if it is longer than @max bytes, -EINVAL if it holds blanks,
 * commas or control characters, -ENOMEM.
 */
int hostid_file_parse(const char *text, size_t n, size_t max, char **ret);

/*
 * The identifier that goes with @hostnqn: that of the file, if the NQN is the file's, else the UUID in
 * the NQN. 0 and a string to free, or NULL if there is none; -ENOMEM.
 */
int hostid_of_nqn(const char *hostnqn, char **ret);

/*
 * What nvme_host_get_ids() finds without arguments. 0 or -errno; @hostnqn, to be freed, may be known then, too.
 */
int hostid_names(struct nvme_root *r, char **hostnqn, char **hostid);

/* machine.c: the UUID of this machine's firmware or partition. 0 or -ENOENT. */
int hostid_of_machine(unsigned char uuid[NVME_UUID_LEN]);
