/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /etc/nvme/hostnqn and hostid: a line that is accepted fits and is harmless in an option. */
#include "tree/hostid-private.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char uuid[NVME_UUID_LEN];
	char *line = NULL;

	if (!hostid_file_parse((const char *)data, size, NVMF_NQN_SIZE, &line)) {
		if (!*line || strlen(line) > NVMF_NQN_SIZE || strpbrk(line, ",\r\n\t "))
			abort();
		if (hostid_parse(line, uuid) && strlen(line) != NVME_UUID_LEN_STRING - 1)
			abort();
	} else if (line) {
		abort();
	}
	free(line);
	return 0;
}
