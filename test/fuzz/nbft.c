/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boot firmware tables. Signature, length and checksum are put right, so that the rest is reached. */
#include <endian.h>

#include <nvme/log.h>

#include "fabrics/nbft.h"
#include "fuzz.h"

static volatile size_t sink;

static void touch(const char *s)
{
	if (s)
		sink += strlen(s);
}

static void walk(const struct nbft_info *nbft)
{
	touch(nbft->host.nqn);
	for (int i = 0; i < 16; i++)
		sink += nbft->host.id[i];
	for (struct nbft_info_hfi **h = nbft->hfi_list; *h; h++) {
		touch((*h)->tcp_info.ipaddr);
		touch((*h)->tcp_info.host_name);
	}
	for (struct nbft_info_discovery **d = nbft->discovery_list; *d; d++) {
		touch((*d)->uri);
		touch((*d)->nqn);
		if ((*d)->hfi)
			touch((*d)->hfi->transport);
		if ((*d)->security)
			sink += (size_t)(*d)->security->index;
	}
	for (struct nbft_info_subsystem_ns **s = nbft->subsystem_ns_list; *s; s++) {
		touch((*s)->traddr);
		touch((*s)->trsvcid);
		touch((*s)->subsys_nqn);
		touch((*s)->dhcp_root_path_string);
		for (int i = 0; i < 16; i++)
			sink += (*s)->nid[i];
		for (int i = 0; i < (*s)->num_hfis; i++)
			touch((*s)->hfis[i]->transport);
	}
}

static void repair(uint8_t *raw, size_t size)
{
	struct nbft_header header;
	uint8_t sum = 0;

	if (size < sizeof(header))
		return;
	memcpy(&header, raw, sizeof(header));
	memcpy(header.signature, NBFT_HEADER_SIG, sizeof(header.signature));
	header.length = htole32((uint32_t)size);
	header.checksum = 0;
	memcpy(raw, &header, sizeof(header));
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + raw[i]);
	raw[offsetof(struct nbft_header, checksum)] = (uint8_t)-sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nbft_info *nbft = NULL;
	uint8_t *raw = fuzz_copy(data, size);

	repair(raw, size);
	nvme_init_default_logging(NULL, -1, false, false);
	if (!nbft_parse("fuzz", raw, size, &nbft))
		walk(nbft);
	else if (nbft)
		abort();
	nvme_nbft_free(nbft);
	return 0;
}
