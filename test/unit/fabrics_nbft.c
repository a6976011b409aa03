/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The NVMe Boot Firmware Table: a good one, and what firmware may make of it. */
#include <endian.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvme/log.h>
#include <nvme/nbft.h>

#include "unit.h"
#include "fabrics/nbft.h"

#define HEAP 1024
#define N_HFI 3

/* A table with three interfaces, a discovery controller, a security profile and a subsystem. */
struct table {
	struct nbft_header header;
	struct nbft_control control;
	struct nbft_host host;
	struct nbft_hfi hfi[N_HFI];
	struct nbft_security security;
	struct nbft_discovery discovery;
	struct nbft_ssns ssns;
	__u8 heap[HEAP];
};

_Static_assert(sizeof(struct table) == 480 + HEAP, "there is no room between the parts");

static struct table t;
static uint32_t heap_used;

static struct nbft_heap_obj put(const void *bytes, size_t n)
{
	struct nbft_heap_obj obj = {
		.offset = htole32((uint32_t)offsetof(struct table, heap) + heap_used),
		.length = htole16((uint16_t)n),
	};

	assert_true(heap_used + n + 1 <= HEAP);
	memcpy(t.heap + heap_used, bytes, n);
	heap_used += (uint32_t)n + 1;
	return obj;
}

static struct nbft_heap_obj put_string(const char *s)
{
	return put(s, strlen(s));
}

static void v4(__u8 *in6, __u8 last)
{
	const __u8 bytes[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 168, 1, last };

	memcpy(in6, bytes, sizeof(bytes));
}

static void make_hfi(unsigned int i)
{
	struct nbft_hfi_info_tcp info = {
		.structure_id = NBFT_DESC_HFI_TRINFO,
		.version = 1,
		.trtype = NBFT_TRTYPE_TCP,
		.trinfo_version = 1,
		.hfi_index = htole16((uint16_t)(i + 1)),
		.flags = NBFT_HFI_INFO_TCP_VALID | NBFT_HFI_INFO_TCP_GLOBAL_ROUTE,
		.pci_sbdf = htole32(0x10203),
		.mac_addr = { 0x52, 0x54, 0, 0x72, 0xc5, 0xae },
		.vlan = htole16(7),
		.ip_origin = 4,
		.subnet_mask_prefix = 24,
		.route_metric = htole16(500),
	};

	v4(info.ip_address, (__u8)(30 + i));
	v4(info.ip_gateway, 1);
	info.primary_dns[0] = 0xfd;
	info.primary_dns[15] = 0x53;
	info.host_name_obj = put_string("host-vm");
	t.hfi[i].structure_id = NBFT_DESC_HFI;
	t.hfi[i].index = (__u8)(i + 1);
	t.hfi[i].flags = NBFT_HFI_VALID;
	t.hfi[i].trtype = NBFT_TRTYPE_TCP;
	t.hfi[i].trinfo_obj = put(&info, sizeof(info));
}

static void make_control(void)
{
	struct nbft_control *c = &t.control;

	c->structure_id = NBFT_DESC_CONTROL;
	c->major_revision = 1;
	c->csl = htole16(sizeof(*c));
	c->flags = NBFT_CONTROL_VALID;
	c->hdesc.offset = htole32(offsetof(struct table, host));
	c->hdesc.length = htole16(sizeof(t.host));
	c->hsv = c->hfiv = c->secv = c->discv = c->ssnsv = 1;
	c->hfio = htole32(offsetof(struct table, hfi));
	c->hfil = htole16(sizeof(t.hfi[0]));
	c->num_hfi = N_HFI;
	c->seco = htole32(offsetof(struct table, security));
	c->secl = htole16(sizeof(t.security));
	c->num_sec = 1;
	c->disco = htole32(offsetof(struct table, discovery));
	c->discl = htole16(sizeof(t.discovery));
	c->num_disc = 1;
	c->ssnso = htole32(offsetof(struct table, ssns));
	c->ssnsl = htole16(sizeof(t.ssns));
	c->num_ssns = 1;
}

static void make_ssns(void)
{
	struct nbft_ssns_ext_info ext = {
		.structure_id = NBFT_DESC_SSNS_EXT_INFO,
		.version = 1,
		.ssns_index = htole16(1),
		.flags = htole32(NBFT_SSNS_EXT_INFO_VALID | NBFT_SSNS_EXT_INFO_ADMIN_ASQSZ),
		.cntlid = htole16(5),
		.asqsz = htole16(32),
	};
	static const __u8 secondary[] = { 2, 3 };
	__u8 traddr[16];

	v4(traddr, 20);
	ext.dhcp_root_path_str_obj = put_string("NVME+TCP://192.168.1.20:4420/nqn.sub");
	t.ssns.structure_id = NBFT_DESC_SSNS;
	t.ssns.index = htole16(1);
	t.ssns.flags = htole16(NBFT_SSNS_VALID | NBFT_SSNS_USE_SECURITY_FIELD |
			       NBFT_SSNS_EXTENDED_INFO_IN_USE | NBFT_SSNS_DISCOVERED_NAMESPACE |
			       NBFT_SSNS_UNAVAIL_NAMESPACE_UNAVAIL);
	t.ssns.trtype = NBFT_TRTYPE_TCP;
	t.ssns.trflags = htole16(NBFT_SSNS_TRFLAG_VALID | NBFT_SSNS_DATA_DIGEST);
	t.ssns.primary_discovery_ctrl_index = 1;
	t.ssns.subsys_traddr_obj = put(traddr, sizeof(traddr));
	t.ssns.subsys_trsvcid_obj = put_string("4420");
	t.ssns.subsys_port_id = htole16(1);
	t.ssns.nsid = htole32(1);
	t.ssns.nidt = NBFT_INFO_NID_TYPE_NS_UUID;
	memset(t.ssns.nid, 0xab, sizeof(t.ssns.nid));
	t.ssns.security_desc_index = 1;
	t.ssns.primary_hfi_desc_index = 1;
	t.ssns.secondary_hfi_assoc_obj = put(secondary, sizeof(secondary));
	t.ssns.subsys_ns_nqn_obj = put_string("nqn.sub");
	t.ssns.ssns_extended_info_desc_obj = put(&ext, sizeof(ext));
}

static void make_table(void)
{
	memset(&t, 0, sizeof(t));
	heap_used = 0;
	memcpy(t.header.signature, "NBFT", 4);
	t.header.length = htole32(sizeof(t));
	t.header.major_revision = 1;
	t.header.heap_offset = htole32(offsetof(struct table, heap));
	t.header.heap_length = htole32(HEAP);
	make_control();
	t.host.structure_id = NBFT_DESC_HOST;
	t.host.flags =
		NBFT_HOST_VALID | NBFT_HOST_HOSTID_CONFIGURED | NBFT_HOST_PRIMARY_ADMIN_SELECTED;
	memset(t.host.host_id, 0x11, sizeof(t.host.host_id));
	t.host.host_nqn_obj = put_string("nqn.host");
	for (unsigned int i = 0; i < N_HFI; i++)
		make_hfi(i);
	t.security.structure_id = NBFT_DESC_SECURITY;
	t.security.index = 1;
	t.security.flags = htole16(NBFT_SECURITY_VALID);
	t.discovery.structure_id = NBFT_DESC_DISCOVERY;
	t.discovery.flags = NBFT_DISCOVERY_VALID;
	t.discovery.index = 1;
	t.discovery.hfi_index = 1;
	t.discovery.sec_index = 1;
	t.discovery.discovery_ctrl_addr_obj = put_string("nvme+tcp://192.168.1.20:8009/");
	t.discovery.discovery_ctrl_nqn_obj = put_string("nqn.2014-08.org.nvmexpress.discovery");
	make_ssns();
}

static void seal(void *table, size_t n)
{
	__u8 *bytes = table, sum = 0;

	bytes[offsetof(struct nbft_header, checksum)] = 0;
	for (size_t i = 0; i < n; i++)
		sum = (__u8)(sum + bytes[i]);
	bytes[offsetof(struct nbft_header, checksum)] = (__u8)-sum;
}

static int parse_bytes(const void *bytes, size_t n, struct nbft_info **ret)
{
	__u8 *raw = malloc(n ? n : 1);

	assert_non_null(raw);
	memcpy(raw, bytes, n);
	return nbft_parse("test", raw, n, ret);
}

static struct nbft_info *parse(void)
{
	struct nbft_info *nbft = NULL;

	seal(&t, sizeof(t));
	assert_int_equal(parse_bytes(&t, sizeof(t), &nbft), 0);
	assert_non_null(nbft);
	return nbft;
}

/* A good table but for this is refused. */
#define ASSERT_BAD(change) \
	do { \
		struct nbft_info *nbft = NULL; \
		make_table(); \
		change; \
		seal(&t, sizeof(t)); \
		assert_int_equal(parse_bytes(&t, sizeof(t), &nbft), -EINVAL); \
		assert_null(nbft); \
	} while (0)

TEST(test_bad_header)
{
	ASSERT_BAD(t.header.signature[0] = 'X');
	ASSERT_BAD(t.header.length = htole32(sizeof(t) + 1));
	ASSERT_BAD(t.header.length = htole32(64));
	ASSERT_BAD(t.header.major_revision = 2);
	ASSERT_BAD(t.header.heap_offset = htole32(0xfffffff0));
	ASSERT_BAD(t.header.heap_length = htole32(0xfffffff0));
	ASSERT_BAD(t.control.flags = 0);
	ASSERT_BAD(t.control.structure_id = NBFT_DESC_HOST);
	ASSERT_BAD(t.control.hdesc.offset = htole32(0xfffffff0));
	ASSERT_BAD(t.control.hdesc.length = htole16(8));
	ASSERT_BAD(t.host.host_nqn_obj.offset = htole32(0xfffffff0));
	make_table();
	seal(&t, sizeof(t));
	t.header.checksum++;
	assert_int_equal(parse_bytes(&t, sizeof(t), NULL), -EINVAL);
}

/* Lists that wrap around in 32 bits, or that are too short for what they hold. */
TEST(test_bad_lists)
{
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;

	make_table();
	t.control.hfio = htole32(0xfffffff0);
	t.control.seco = htole32(0xffffffff);
	t.control.disco = htole32(sizeof(t));
	t.control.ssnsl = htole16(8);
	nbft = parse();
	assert_null(nbft->hfi_list[0]);
	assert_null(nbft->security_list[0]);
	assert_null(nbft->discovery_list[0]);
	assert_null(nbft->subsystem_ns_list[0]);
	nvme_nbft_free(nbft);

	make_table();
	t.control.num_hfi = 255;
	t.control.hfil = htole16(0xffff);
	nbft = parse();
	assert_null(nbft->hfi_list[0]);
	assert_int_equal(nbft->subsystem_ns_list[0]->num_hfis, 0);
	assert_null(nbft->subsystem_ns_list[0]->hfis[0]);
}

TEST(test_bad_interfaces)
{
	static const __u8 secondary[] = { 9, 2, 0, 2, 77, 1, 3 };
	struct nbft_info_subsystem_ns *s;
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;

	make_table();
	t.hfi[1].trinfo_obj.length = htole16(2);
	t.hfi[2].trtype = 99;
	t.hfi[0].flags = 0;
	nbft = parse();
	assert_null(nbft->hfi_list[0]);
	assert_int_equal(nbft->subsystem_ns_list[0]->num_hfis, 0);
	nvme_nbft_free(nbft);

	/* Interfaces that are not there leave no holes, those named twice come once. */
	make_table();
	t.ssns.secondary_hfi_assoc_obj = put(secondary, sizeof(secondary));
	nbft = parse();
	s = nbft->subsystem_ns_list[0];
	assert_int_equal(s->num_hfis, 3);
	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(s->hfis[i], nbft->hfi_list[i]);
	assert_null(s->hfis[3]);
}

TEST(test_bad_subsystem)
{
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;

	for (int addresses = 0; addresses <= 1; addresses++) {
		make_table();
		if (addresses)
			t.ssns.subsys_traddr_obj.length = htole16(4);
		else
			t.ssns.secondary_hfi_assoc_obj.offset = htole32(0);
		nbft = parse();
		assert_null(nbft->subsystem_ns_list[0]);
		nvme_nbft_free(nbft);
	}

	/* What it can do without is left out. */
	make_table();
	t.ssns.ssns_extended_info_desc_obj.length = htole16(2);
	t.ssns.primary_discovery_ctrl_index = 9;
	t.ssns.security_desc_index = 9;
	nbft = parse();
	assert_non_null(nbft->subsystem_ns_list[0]);
	assert_null(nbft->subsystem_ns_list[0]->discovery);
	assert_null(nbft->subsystem_ns_list[0]->security);
	assert_null(nbft->subsystem_ns_list[0]->dhcp_root_path_string);
}

/* It is taken if it is of this kind, version and subsystem, and marked valid. */
TEST(test_extended_info)
{
	static const struct {
		size_t at;
		__u8 value;
	} wrong[] = {
		{ offsetof(struct nbft_ssns_ext_info, structure_id), NBFT_DESC_SSNS },
		{ offsetof(struct nbft_ssns_ext_info, version), 2 },
		{ offsetof(struct nbft_ssns_ext_info, ssns_index), 2 },
		{ offsetof(struct nbft_ssns_ext_info, flags), NBFT_SSNS_EXT_INFO_ADMIN_ASQSZ },
		{ offsetof(struct nbft_ssns_ext_info, flags), NBFT_SSNS_EXT_INFO_VALID },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const bool valid = wrong[i].value == NBFT_SSNS_EXT_INFO_VALID;
		const struct nbft_info_subsystem_ns *s;
		_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;

		make_table();
		((__u8 *)&t)[le32toh(t.ssns.ssns_extended_info_desc_obj.offset) + wrong[i].at] =
			wrong[i].value;
		nbft = parse();
		s = nbft->subsystem_ns_list[0];
		assert_non_null(s);
		assert_int_equal(!!s->dhcp_root_path_string, valid);
		assert_int_equal(s->controller_id, valid ? 5 : 0);
		assert_int_equal(s->asqsz, 0);
	}
}

/* Every byte set to every extreme, and every length: nothing may be touched outside. */
TEST(test_mutations)
{
	static const __u8 values[] = { 0x00, 0x01, 0x7f, 0x80, 0xf0, 0xff };
	struct nbft_info *nbft;

	make_table();
	for (size_t i = 0; i < sizeof(t); i++) {
		__u8 *byte = (__u8 *)&t + i, saved = *byte;

		for (size_t v = 0; v < sizeof(values); v++) {
			*byte = values[v];
			seal(&t, sizeof(t));
			nbft = NULL;
			if (!parse_bytes(&t, sizeof(t), &nbft))
				nvme_nbft_free(nbft);
			else
				assert_null(nbft);
		}
		*byte = saved;
	}
	for (size_t n = 0; n < sizeof(t); n++) {
		t.header.length = htole32((uint32_t)n);
		seal(&t, n);
		nbft = NULL;
		if (!parse_bytes(&t, n, &nbft))
			nvme_nbft_free(nbft);
	}
}

TEST(test_files)
{
	char dir[] = "/tmp/nbft-XXXXXX", path[64], fifo[64];
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = NULL;
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/NBFT", dir);
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	ASSERT_FAILS(nvme_nbft_read(&nbft, path), ENOENT);
	ASSERT_FAILS(nvme_nbft_read(&nbft, dir), EINVAL);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	ASSERT_FAILS(nvme_nbft_read(&nbft, fifo), EINVAL);

	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	ASSERT_FAILS(nvme_nbft_read(&nbft, path), EINVAL);
	assert_int_equal(truncate(path, (1 << 20) + 1), 0);
	ASSERT_FAILS(nvme_nbft_read(&nbft, path), EFBIG);
	assert_null(nbft);

	/* More bytes than the table has are no harm. */
	make_table();
	seal(&t, sizeof(t));
	file = fopen(path, "w");
	assert_int_equal(fwrite(&t, sizeof(t), 1, file), 1);
	fprintf(file, "padding");
	fclose(file);
	assert_int_equal(nvme_nbft_read(&nbft, path), 0);
	assert_string_equal(nbft->filename, path);
	remove(fifo);
	remove(path);
	remove(dir);
}

static int quiet(void **state)
{
	nvme_init_default_logging(NULL, -1, false, false);
	return 0;
}

ALL_TESTS(quiet, NULL)
