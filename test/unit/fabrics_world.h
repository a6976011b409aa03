/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree with one host, and the lines that its controllers are connected with. Include cmocka first. */
#pragma once

#include <nvme/tree.h>

#include "fabrics_standin.h"

#ifndef NQN
#define NQN "nqn.2024-01.org.example:sub"
#define HOSTID "11111111-2222-3333-4444-555555555555"
#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:" HOSTID
#endif
#define SECRET "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"

static nvme_root_t r;
static nvme_host_t h;

static int world_start(void **state)
{
	if (kernel_start(state))
		return -1;
	r = nvme_create_root(NULL, -1);
	h = nvme_lookup_host(r, HOSTNQN, NULL);
	return h ? 0 : -1;
}

static int world_stop(void **state)
{
	nvme_free_tree(r);
	return kernel_stop(state);
}

static inline void assert_written(const char *line)
{
	assert_string_equal(kernel.line, line);
}

#define LINE(transport, traddr) \
	"nqn=" NQN ",transport=" transport ",traddr=" traddr ",trsvcid=4420,hostnqn=" HOSTNQN \
	",hostid=" HOSTID
