// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Creates an nftables table that belongs to this process, with libnftables(3). The library is
 * loaded at run time: commands that do not relay start without it. Its context keeps the netlink
 * socket that owns the table (NFT_TABLE_F_OWNER), so the table exists as long as the context.
 */
#include <dlfcn.h>

#include "steering.h"

#define LIBRARY "libnftables.so.1"

struct relay_filter {
	void *library;
	void *context;
	void (*context_free)(void *context);
};

struct calls {
	void *(*context_new)(uint32_t flags);
	void (*context_free)(void *context);
	int (*buffer_error)(void *context);
	const char *(*error)(void *context);
	int (*run)(void *context, const char *commands);
};

/* POSIX guarantees that the address of a function fits into a void pointer. */
static bool find_call(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found;
}

static bool find_calls(void *library, struct calls *ret)
{
	return find_call(library, "nft_ctx_new", &ret->context_new) &&
	       find_call(library, "nft_ctx_free", &ret->context_free) &&
	       find_call(library, "nft_ctx_buffer_error", &ret->buffer_error) &&
	       find_call(library, "nft_ctx_get_error_buffer", &ret->error) &&
	       find_call(library, "nft_run_cmd_from_buffer", &ret->run);
}

/*
 * Derive an error from the library's message, since it gives no code: "internal:0:0-0: Error: Could
 * not process rule: ...".
 */
static int refuse_table(const char *words)
{
	const char *error = strstr(words, "Error: ");
	int err;

	error = error ? error + strlen("Error: ") : words;
	err = strstr(error, "not permitted") || strstr(error, "Permission denied") ? -EPERM
	      : strstr(error, "exists") || strstr(error, "busy")		   ? -EBUSY
										   : -EOPNOTSUPP;
	return failure_note(err, "rules of the packet filter (nftables): %.*s%s",
			    (int)strcspn(error, "\n"), error,
			    err == -EPERM   ? " (CAP_NET_ADMIN is required)"
			    : err == -EBUSY ? " (another process has the table nvme_mptcp_relay)"
			    : err == -EOPNOTSUPP
				    ? " (the kernel needs nf_tables with tproxy; --mode "
				      "address needs neither)"
				    : "");
}

int relay_filter_open(const char *table, struct relay_filter **ret)
{
	struct relay_filter *filter = calloc(1, sizeof(*filter));
	struct calls calls;
	int err = 0;

	if (!filter)
		return -ENOMEM;
	filter->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!filter->library || !find_calls(filter->library, &calls)) {
		err = failure_note(-EOPNOTSUPP,
				   LIBRARY " cannot be loaded: install libnftables1 (nftables), "
					   "or use loopback addresses (--mode address)");
		goto fail;
	}
	filter->context = calls.context_new(0);
	filter->context_free = calls.context_free;
	if (!filter->context || calls.buffer_error(filter->context)) {
		err = -ENOMEM;
		goto fail;
	}
	if (calls.run(filter->context, table)) {
		err = refuse_table(calls.error(filter->context));
		goto fail;
	}
	*ret = filter;
	return 0;
fail:
	relay_filter_close(filter);
	return err;
}

void relay_filter_close(struct relay_filter *filter)
{
	if (!filter)
		return;
	if (filter->context)
		filter->context_free(filter->context);
	if (filter->library)
		dlclose(filter->library);
	free(filter);
}
