/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON configuration: what is refused has a reason, what is accepted is written and read alike. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <libnvme.h>
#include <nvme/mptcp.h>

#include "config/private.h"
#include "shared/json-stream.h"
#include "fuzz.h"

/* What libnvme keeps as it is. */
static void read_mptcp(const char *file)
{
	nvme_mptcp_config_t config = nvme_mptcp_config_new();

	if (!config)
		abort();
	if (nvme_mptcp_config_read(config, file) && !nvme_mptcp_config_error(config))
		abort();
	nvme_mptcp_config_free(config);
}

static nvme_root_t read_text(const void *text, size_t size)
{
	nvme_root_t r = nvme_create_root(NULL, -1);
	int fd = memfd_create("config", 0);
	char path[64];
	int err;

	if (!r || fd < 0 || write(fd, text, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = nvme_read_config(r, path);
	read_mptcp(path);
	close(fd);
	if (!err && !nvme_config_error(r))
		return r;
	if (!nvme_config_error(r) || (!nvme_config_problem(r, 0, NULL) && nvme_first_host(r)))
		abort();
	nvme_free_tree(r);
	return NULL;
}

/* To be freed. */
static char *dump(nvme_root_t r)
{
	struct json_stream out = { .pretty = true };
	bool secrets;
	char *text;

	config_put(r, &out, &secrets);
	text = stream_finish(&out);
	if (!text || out.replaced)
		abort();
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	nvme_root_t first = read_text(data, size), second;
	char *once, *twice;

	if (!first)
		return 0;
	once = dump(first);
	second = read_text(once, strlen(once));
	if (!second)
		abort();
	twice = dump(second);
	if (strcmp(once, twice) != 0)
		abort();
	free(once);
	free(twice);
	nvme_free_tree(first);
	nvme_free_tree(second);
	return 0;
}
