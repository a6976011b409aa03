/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/net/netstat, /proc/net/stat and records of connecting: text files of others. */
#include <stdlib.h>
#include <string.h>

#include "mptcp/snapshot/counters.h"
#include "mptcp/snapshot/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct counters counters = {};
	struct record record;
	char *text = malloc(size + 1);

	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (!record_parse(text, &record))
		record_clear(&record);
	counters.text[0] = text;
	if (!counters_parse(text, &counters)) {
		counters_sort(&counters);
		counters_get(&counters, "MPTcpExt", "AddAddr");
	}
	counters_clear(&counters);

	text = malloc(size + 1);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	counters.text[0] = text;
	if (!counters_parse_cpus("conntrack", text, &counters))
		counters_sort(&counters);
	counters_clear(&counters);
	return 0;
}
