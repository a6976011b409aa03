/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree with one host, and the lines that its controllers are connected with. Include cmocka first. */
#pragma once

#include <nvme/tree.h>

#include "fabrics_standin.h"

#define NQN "nqn.2024-01.org.example:sub"
#define HOSTID "11111111-2222-3333-4444-555555555555"
#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:" HOSTID
#define SECRET "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"

struct world {
	nvme_root_t r;
	nvme_host_t h;
};

static inline struct world world(void)
{
	struct world w = { .r = nvme_create_root(NULL, -1) };

	assert_non_null(w.r);
	w.h = nvme_lookup_host(w.r, HOSTNQN, NULL);
	assert_non_null(w.h);
	return w;
}

static inline void assert_written(const char *line)
{
	assert_string_equal(kernel.line, line);
}

#define LINE(transport, traddr) \
	"nqn=" NQN ",transport=" transport ",traddr=" traddr ",trsvcid=4420,hostnqn=" HOSTNQN \
	",hostid=" HOSTID
