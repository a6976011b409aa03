/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of numbers and strings: names, lengths, URIs, identifiers, structures that are filled. */
#include <stdlib.h>

#include "objects.h"

static void show_names(void)
{
	for (int i = 0; i < 256; i++) {
		char of[16];

		snprintf(of, sizeof(of), "%d", i);
		TEXT(of, nvmf_trtype_str((__u8)i));
		TEXT(of, nvmf_adrfam_str((__u8)i));
		TEXT(of, nvmf_subtype_str((__u8)i));
		TEXT(of, nvmf_treq_str((__u8)i));
		TEXT(of, nvmf_eflags_str((__u16)i));
		TEXT(of, nvmf_sectype_str((__u8)i));
		TEXT(of, nvmf_prtype_str((__u8)i));
		TEXT(of, nvmf_qptype_str((__u8)i));
		TEXT(of, nvmf_cms_str((__u8)i));
	}
}

static void show_statuses(void)
{
	for (int i = -1; i < 0x800; i++) {
		char of[16];

		snprintf(of, sizeof(of), "%#x", i);
		errno = EPIPE;
		NUMBER(of, nvme_status_to_errno(i, false));
		NUMBER(of, nvme_status_to_errno(i, true));
		NUMBER(of, nvme_status_to_errno(i | 0x4000, false));
		NUMBER(of, nvme_status_to_string(i, false) != NULL);
	}
	for (int i = 990; i < 1030; i++) {
		char of[16];

		snprintf(of, sizeof(of), "%d", i);
		TEXT(of, nvme_errno_to_string(i));
		TEXT(of, nvme_errno_to_string(i - 980));
	}
}

static void show_lengths(void)
{
	for (int fid = -1; fid < 260; fid++) {
		for (__u32 cdw11 = 0; cdw11 < 3; cdw11++) {
			__u32 len = 0xabcd;
			char of[32];

			snprintf(of, sizeof(of), "%#x %u", fid, cdw11);
			RESULT(of, nvme_get_feature_length(fid, cdw11, &len));
			NUMBER(of, len);
			len = 0xabcd;
			RESULT(of, nvme_get_feature_length2(fid, cdw11, NVME_DATA_TFR_HOST_TO_CTRL,
							    &len));
			NUMBER(of, len);
			RESULT(of, nvme_get_feature_length2(fid, cdw11, NVME_DATA_TFR_CTRL_TO_HOST,
							    &len));
			NUMBER(of, len);
		}
	}
	for (unsigned int i = 0; i < 64; i++) {
		__u32 len = 0xabcd;
		char of[32];

		snprintf(of, sizeof(of), "%u %u", i / 8, i % 8);
		RESULT(of,
		       nvme_get_directive_receive_length((enum nvme_directive_dtype)(i / 8),
							 (enum nvme_directive_receive_doper)(i % 8),
							 &len));
		NUMBER(of, len);
	}
	for (unsigned int i = 0; i < 16; i++) {
		struct nvme_id_ctrl id = { .nanagrpid = i * 7, .mnan = i * 100, .nn = 1000 };
		char of[16];

		snprintf(of, sizeof(of), "%u", i);
		NUMBER(of, nvme_get_ana_log_len_from_id_ctrl(&id, i & 1));
	}
}

static void show_addresses(void)
{
	static const char *const addresses[] = {
		"10.1.1.1",    "::ffff:10.1.1.1", "fd00::1",
		"fd00:0:0::1", "10.1.1.01",	  "",
		"x",	       "fe80::1%lo",	  "fe80::1%eth",
		"fe80::1",     "10.1.1",	  "fe80::1%1",
		"::10.1.1.1",
	};
	const size_t n = sizeof(addresses) / sizeof(*addresses);

	for (size_t i = 0; i < n * n; i++) {
		char of[64];

		snprintf(of, sizeof(of), "%s %s", addresses[i / n], addresses[i % n]);
		NUMBER(of, nvme_ipaddrs_eq(addresses[i / n], addresses[i % n]));
	}
}

static void show_uris(void)
{
	static const char *const uris[] = {
		"nvme://10.1.1.1",
		"nvme+tcp://10.1.1.1:4420/",
		"nvme+tcp://[fd00::1]:4420/a/b",
		"nvme+rdma://host.example.com",
		"nvme+tcp://user@host:8009/path?query=x#fragment",
		"nvme+tcp://user%40x@host:8009/p%61th/%2f?q%20#f%23",
		"nvme+tcp://[fd00::1",
		"nvme+tcp://host:port/",
		"http://host/",
		"nvme:host",
		"",
		"nvme+tcp:///path",
		"nvme+tcp://host/%zz",
		"nvme+tcp://host:99999/",
		"//host",
	};

	for (size_t i = 0; i < sizeof(uris) / sizeof(*uris); i++) {
		struct nvme_fabrics_uri *uri = nvme_parse_uri(uris[i]);

		NUMBER(uris[i], uri != NULL);
		if (!uri)
			continue;
		TEXT(uris[i], uri->scheme);
		TEXT(uris[i], uri->protocol);
		TEXT(uris[i], uri->userinfo);
		TEXT(uris[i], uri->host);
		NUMBER(uris[i], uri->port);
		for (char **p = uri->path_segments; p && *p; p++)
			TEXT(uris[i], *p);
		TEXT(uris[i], uri->query);
		TEXT(uris[i], uri->fragment);
		nvme_free_uri(uri);
	}
}

static void show_uuids(void)
{
	static const char *const texts[] = {
		"3c5e2f61-7a94-4d0b-9a35-0d1f2b6c8e47", "3C5E2F61-7A94-4D0B-9A35-0D1F2B6C8E47",
		"3c5e2f61-7a94-4d0b-9a35-0d1f2b6c8e4",	"3c5e2f617a944d0b9a350d1f2b6c8e47",
		"xc5e2f61-7a94-4d0b-9a35-0d1f2b6c8e47", "",
	};
	unsigned char uuid[NVME_UUID_LEN];
	struct nvme_id_uuid_list list = {};
	char text[NVME_UUID_LEN_STRING];

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		memset(uuid, 0, sizeof(uuid));
		NUMBER(texts[i], nvme_uuid_from_string(texts[i], uuid) == 0);
		NUMBER(texts[i], nvme_uuid_to_string(uuid, text));
		if (!i)
			TEXT(texts[i], text);
		memcpy(list.entry[3 * i].uuid, uuid, sizeof(uuid));
	}
	nvme_uuid_from_string(texts[0], uuid);
	RESULT("there", nvme_uuid_find(&list, uuid));
	uuid[0]++;
	RESULT("not there", nvme_uuid_find(&list, uuid));
	RESULT("", nvme_uuid_random(uuid));
	NUMBER("version", uuid[6] >> 4);
	NUMBER("variant", uuid[8] >> 6);
}

static void show_ranges(void)
{
	static unsigned char space[8192];
	__u16 few[] = { 1, 2, 3 }, options[] = { 1, 0, 1 };
	__u64 wide[] = { 1ULL << 40, 5, 6 };
	__u32 more[] = { 7, 0x80000001, 9 };

	memset(space, 0xa5, sizeof(space));
	nvme_init_copy_range((void *)space, few, wide, more, more, more, 3);
	BYTES("0", space, 128);
	nvme_init_copy_range_f1((void *)space, few, wide, wide, more, more, 3);
	BYTES("1", space, 160);
	nvme_init_copy_range_f2((void *)space, more, few, wide, options, more, more, more, 3);
	BYTES("2", space, 128);
	nvme_init_copy_range_f3((void *)space, more, few, wide, options, wide, more, more, 3);
	BYTES("3", space, 160);
	nvme_init_dsm_range((void *)space, more, more, wide, 3);
	BYTES("dsm", space, 64);
	memset(space, 0xa5, sizeof(space));
	nvme_init_ctrl_list((void *)space, 3, few);
	BYTES("ctrl list", space, 16);
}

static void show_attributes(void)
{
	static unsigned char space[64] = { 2, 0, 16, 0 };
	struct nvmf_ext_attr *p = (void *)space;

	NUMBER("next", (unsigned char *)nvmf_exat_ptr_next(p) - space);
}

static void show_logging(void)
{
	nvme_root_t r = nvme_create_root(stderr, LOG_WARNING);
	bool pid = true, stamp = true;

	RESULT("", nvme_get_logging_level(r, &pid, &stamp));
	NUMBER("", pid);
	NUMBER("", stamp);
	nvme_init_logging(r, LOG_DEBUG, true, true);
	RESULT("set", nvme_get_logging_level(r, &pid, &stamp));
	NUMBER("set", pid);
	NUMBER("set", stamp);
	nvme_set_debug(true);
	NUMBER("set", nvme_get_debug());
	nvme_set_debug(false);
	NUMBER("unset", nvme_get_debug());
	nvme_set_root(r);
	nvme_init_default_logging(stderr, LOG_ERR, false, false);
	nvme_free_tree(r);
	NUMBER("", nvme_get_version(NVME_VERSION_PROJECT) != NULL);
	NUMBER("", nvme_get_version((enum nvme_version)17) != NULL);
}

void objects_values(void)
{
	show_names();
	show_statuses();
	show_lengths();
	show_addresses();
	show_uris();
	show_uuids();
	show_ranges();
	show_attributes();
	show_logging();
}
