/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Option values, NUL between them: the line holds each at most once, as given, and nothing else. */
#include <nvme/log.h>

#include "fabrics/private.h"
#include "base/str.h"
#include "fuzz.h"

#define N_VALUES 10

static char *next_value(const uint8_t **data, size_t *size)
{
	size_t n = strnlen((const char *)*data, *size);
	char *value = strndup((const char *)*data, n);

	*data += n;
	*size -= n;
	if (*size) {
		*data += 1;
		*size -= 1;
	}
	return value;
}

static int find_option(const char *item, size_t n)
{
	for (int id = 0; id < N_OPTIONS; id++)
		if (strlen(option_name(id)) == n && !memcmp(option_name(id), item, n))
			return id;
	abort();
}

static void check_value(const char *value, const char *given)
{
	if (strcmp(value, given) != 0)
		abort();
}

static void check_line(struct connect *connect)
{
	struct nvme_ctrl *c = connect->c;
	const char *given[N_OPTIONS] = {
		[OPTION_NQN] = c->subsysnqn,
		[OPTION_TRANSPORT] = c->transport_name,
		[OPTION_TRADDR] = c->traddr,
		[OPTION_TRSVCID] = c->trsvcid,
		[OPTION_HOST_TRADDR] = c->options.cfg.host_traddr,
		[OPTION_HOST_IFACE] = c->options.cfg.host_iface,
		[OPTION_HOSTNQN] = connect->h->hostnqn,
		[OPTION_HOSTID] = connect->h->hostid,
		[OPTION_DHCHAP_SECRET] = connect->h->dhchap_key,
		[OPTION_DHCHAP_CTRL_SECRET] = c->dhchap_ctrl_key,
	};
	bool seen[N_OPTIONS] = { false };
	char *rest = connect->line, *item;

	if (connect->len >= sizeof(connect->line) || strlen(connect->line) != connect->len)
		abort();
	while ((item = strsep(&rest, ","))) {
		size_t n = strcspn(item, "=");
		int id = find_option(item, n);

		if (seen[id])
			abort();
		seen[id] = true;
		if (given[id])
			check_value(item + n + 1, given[id]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nvme_host h = { 0 };
	struct nvme_ctrl c = { 0 };
	struct fabrics_options options = { .known = UINT64_MAX };
	struct connect connect = { .h = &h, .c = &c, .options = &options };
	char *values[N_VALUES];
	uint8_t flags;
	char *shown_line;

	if (size < 1)
		return 0;
	flags = *data++;
	size--;
	nvme_init_default_logging(NULL, -1, false, false);
	for (size_t i = 0; i < N_VALUES; i++) {
		values[i] = next_value(&data, &size);
		if (!values[i])
			abort();
	}
	nvmf_default_config(&c.options.cfg);
	c.transport_name = values[0];
	c.transport = transport_by_name(values[0]);
	c.traddr = values[1];
	c.trsvcid = values[2];
	c.subsysnqn = values[3];
	h.hostnqn = values[4];
	h.hostid = values[5];
	c.options.cfg.host_traddr = values[6];
	c.options.cfg.host_iface = values[7];
	h.dhchap_key = values[8];
	c.dhchap_ctrl_key = values[9];
	c.discovery_ctrl = flags & 1;
	c.options.cfg.hdr_digest = flags & 2;
	c.options.cfg.tls = flags & 4;
	c.options.cfg.concat = flags & 8;
	c.options.cfg.tos = flags;

	if (!option_check_values(&connect) && !option_check_kernel(&connect) &&
	    !connect_string_build(&connect)) {
		shown_line = connect_string_shown(&connect);
		free(shown_line);
		check_line(&connect);
	} else if (!c.connect_error) {
		abort();
	}
	connect_error_clear(&h, &c);
	for (size_t i = 0; i < N_VALUES; i++)
		free(values[i]);
	return 0;
}
