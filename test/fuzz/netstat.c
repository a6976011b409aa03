/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/net/netstat, /proc/net/stat, records of connecting and queues: text files of others. */
#include "mptcp/snapshot/counters.h"
#include "mptcp/snapshot/record.h"
#include "mptcp/snapshot/snapshot.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct counters counters = {};
	struct ctrl_queue *queues = NULL;
	struct record record;
	size_t n_queues;
	char *text = fuzz_text(data, size);

	if (!record_parse(text, &record))
		record_clear(&record);
	if (!ctrl_queues_parse(text, &queues, &n_queues))
		free(queues);
	counters.text[0] = text;
	if (!counter_parse(text, &counters)) {
		counter_sort(&counters);
		counter_get(&counters, "MPTcpExt", "AddAddr");
	}
	counter_clear(&counters);

	text = fuzz_text(data, size);
	counters.text[0] = text;
	if (!counter_parse_cpus("conntrack", text, &counters))
		counter_sort(&counters);
	counter_clear(&counters);
	return 0;
}
