/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UUIDs as text and as bytes: RFC 9562. */
#include <sys/random.h>

#include "base/failure.h"
#include "base/str.h"
#include "../util.h"

int nvme_uuid_to_string(unsigned char uuid[16], char *str)
{
	int n = snprintf(str, NVME_UUID_LEN_STRING,
			 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			 uuid[0], uuid[1], uuid[2], uuid[3], uuid[4], uuid[5], uuid[6], uuid[7],
			 uuid[8], uuid[9], uuid[10], uuid[11], uuid[12], uuid[13], uuid[14],
			 uuid[15]);

	return n == NVME_UUID_LEN_STRING - 1 ? 0 : -EINVAL;
}

int nvme_uuid_from_string(const char *str, unsigned char uuid[16])
{
	unsigned char parsed[NVME_UUID_LEN];

	for (int i = 0; i < NVME_UUID_LEN; i++) {
		int byte;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *str++ != '-')
			return -EINVAL;
		byte = str_hex_byte(str);
		if (byte < 0)
			return -EINVAL;
		parsed[i] = (unsigned char)byte;
		str += 2;
	}
	memcpy(uuid, parsed, sizeof(parsed));
	return 0;
}

int nvme_uuid_random(unsigned char uuid[16])
{
	unsigned char random[NVME_UUID_LEN];
	ssize_t n = getrandom(random, sizeof(random), 0);

	if (n < 0)
		return -errno;
	if (n != sizeof(random))
		return -EIO;
	random[6] = (random[6] & 0x0f) | 0x40;
	random[8] = (random[8] & 0x3f) | 0x80;
	memcpy(uuid, random, sizeof(random));
	return 0;
}

int nvme_uuid_find(struct nvme_id_uuid_list *uuid_list, const unsigned char uuid[16])
{
	static const unsigned char end[NVME_UUID_LEN];

	if (!uuid_list || !uuid)
		return failure_errno(-EINVAL);
	for (unsigned int i = 0; i < NVME_ID_UUID_LIST_MAX; i++) {
		if (!memcmp(uuid, uuid_list->entry[i].uuid, NVME_UUID_LEN))
			return (int)i + 1;
		if (!memcmp(end, uuid_list->entry[i].uuid, NVME_UUID_LEN))
			break;
	}
	return failure_errno(-ENOENT);
}
