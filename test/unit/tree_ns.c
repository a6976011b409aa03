/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a namespace is: from /sys where the kernel tells, from Identify where it does not. */
#include <endian.h>

#include "unit.h"
#include "commands.h"
#include "fake_sysfs.h"
#include "tree/private.h"

#define NQN "nqn.2024-01.org.example:a"
#define NS_DIR "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1"

static nvme_root_t r;
static nvme_ns_t n;

static int begin(void **state)
{
	fake_sysfs_begin();
	fake_subsystem(0, NQN);
	fake_fabrics(0, 0, "mptcp", "traddr=192.0.2.1,trsvcid=4420", NQN);
	fake_head(0, 1, 1);
	fake_path(0, 0, 1);
	r = nvme_create_root(NULL, -1);
	if (nvme_scan_topology(r, NULL, NULL))
		return -1;
	n = nvme_subsystem_first_ns(nvme_first_subsystem(nvme_first_host(r)));
	/* Commands go to the stand-in, which takes any descriptor. */
	n->fd = FD;
	commands_reset(NULL);
	return 0;
}

static int end(void **state)
{
	n->fd = -1;
	nvme_free_tree(r);
	fake_sysfs_end();
	return 0;
}

TEST(bad_identifiers_are_none)
{
	static const unsigned char none[16];
	unsigned char out[16];

	fake_attr("0d1a6b5c-7b0b-4b7e-9e43-00000000000\n", NS_DIR "/uuid");
	fake_attr("01020304-0506-0708-090a-0b0c0d0e0f1012\n", NS_DIR "/nguid");
	fake_attr("zz 25 38 b1 11 b2 a0 01\n", NS_DIR "/eui");
	nvme_ns_get_uuid(n, out);
	assert_memory_equal(out, none, 16);
	assert_memory_equal(nvme_ns_get_nguid(n), none, 16);
	assert_memory_equal(nvme_ns_get_eui64(n), none, 8);
	assert_int_equal(n_seen, 0);
}

static int answer_identify(unsigned int count, struct seen *s, void *data)
{
	struct nvme_id_ns *id = data;
	char *desc = data;

	assert_int_equal(s->fd, FD);
	assert_int_equal(s->cmd.nsid, 1);
	assert_int_equal(s->cmd.opcode, nvme_admin_identify);
	if ((s->cmd.cdw10 & 0xff) == NVME_IDENTIFY_CNS_NS) {
		id->nuse = htole64(10);
		id->flbas = 1;
		id->lbaf[1].ms = htole16(16);
		id->lbaf[1].ds = 12;
		return 0;
	}
	assert_int_equal(s->cmd.cdw10 & 0xff, NVME_IDENTIFY_CNS_NS_DESC_LIST);
	desc[0] = NVME_NIDT_EUI64;
	desc[1] = 8;
	memset(desc + 4, 0xaa, 8);
	desc[12] = NVME_NIDT_UUID;
	desc[13] = 16;
	memset(desc + 16, 0xbb, 16);
	/* Wrong lengths are skipped, up to one that is longer than what is left. */
	for (int at = 32; at + 259 < 4096; at += 259) {
		desc[at] = NVME_NIDT_NGUID;
		desc[at + 1] = (char)255;
	}
	desc[32 + 15 * 259] = NVME_NIDT_NGUID;
	desc[33 + 15 * 259] = (char)255;
	return 0;
}

TEST(older_kernels_leave_sizes_to_identify)
{
	fake_remove(NS_DIR "/csi");
	fake_remove(NS_DIR "/nuse");
	fake_remove(NS_DIR "/metadata_bytes");
	commands_reset(answer_identify);
	assert_int_equal(nvme_ns_get_lba_size(n), 4096);
	assert_int_equal(nvme_ns_get_lba_count(n), 131072 / 8);
	assert_int_equal(nvme_ns_get_csi(n), NVME_CSI_NVM);
	assert_int_equal(n_seen, 0);
	assert_int_equal(nvme_ns_get_lba_util(n), 10);
	assert_int_equal(nvme_ns_get_meta_size(n), 16);
	assert_int_equal(n_seen, 1);
}

TEST(older_kernels_leave_identifiers_to_identify)
{
	unsigned char out[16], bb[16], aa[8];
	static const unsigned char none[16];

	fake_remove(NS_DIR "/wwid");
	fake_remove(NS_DIR "/uuid");
	fake_remove(NS_DIR "/nguid");
	fake_remove(NS_DIR "/eui");
	commands_reset(answer_identify);
	memset(bb, 0xbb, sizeof(bb));
	memset(aa, 0xaa, sizeof(aa));
	nvme_ns_get_uuid(n, out);
	assert_memory_equal(out, bb, 16);
	assert_memory_equal(nvme_ns_get_eui64(n), aa, 8);
	assert_memory_equal(nvme_ns_get_nguid(n), none, 16);
	assert_int_equal(n_seen, 1);
}

static int answer_refuse(unsigned int count, struct seen *s, void *data)
{
	return NVME_SC_INVALID_NS | NVME_SC_DNR;
}

TEST(a_refused_identify_leaves_what_is_known)
{
	fake_remove(NS_DIR "/nuse");
	fake_remove(NS_DIR "/metadata_bytes");
	commands_reset(answer_refuse);
	assert_int_equal(nvme_ns_get_lba_size(n), 4096);
	assert_int_equal(nvme_ns_get_lba_count(n), 131072 / 8);
	assert_int_equal(nvme_ns_get_meta_size(n), 0);
	assert_int_equal(n_seen, 1);
}

TEST(odd_sizes_are_refused)
{
	static const char *const sizes[] = {
		"0\n", "-1\n", "511\n", "99999999999\n", "4k\n", "\n"
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		char buf[4096];

		fake_attr(sizes[i], NS_DIR "/queue/logical_block_size");
		n->geometry.size_known = false;
		assert_int_equal(nvme_ns_get_lba_size(n), 0);
		assert_int_equal(nvme_ns_get_lba_count(n), 0);
		ASSERT_FAILS(nvme_ns_read(n, buf, 0, sizeof(buf)), EINVAL);
	}
}

TEST(io_has_limits)
{
	static char buf[8192];

	assert_int_equal(nvme_ns_verify(n, 0, 65536UL * 4096), 0);
	assert_int_equal(seen[0].cmd.cdw12 & 0xffff, 0xffff);
	errno = 0;
	assert_int_equal(nvme_ns_read(n, buf, 1, 4096), -1);
	assert_int_equal(nvme_ns_read(n, buf, 0, 4095), -1);
	assert_int_equal(nvme_ns_read(n, buf, 0, 0), -1);
	assert_int_equal(nvme_ns_read(n, buf, -4096, 4096), -1);
	ASSERT_FAILS(nvme_ns_verify(n, 0, 65537UL * 4096), EINVAL);
	assert_int_equal(n_seen, 1);
}

TEST(a_namespace_is_read_without_a_tree)
{
	nvme_ns_t alone;

	fake_attr("9\n", "sys/block/nvme7n9/nsid");
	fake_attr("Model of the subsystem\n", "sys/block/nvme7n9/device/model");
	alone = nvme_scan_namespace("nvme7n9");
	assert_non_null(alone);
	assert_int_equal(nvme_ns_get_nsid(alone), 9);
	assert_string_equal(nvme_ns_get_model(alone), "Model of the subsystem");
	assert_null(nvme_ns_get_serial(alone));
	assert_null(nvme_ns_get_subsystem(alone));
	assert_null(nvme_ns_get_ctrl(alone));
	nvme_free_ns(alone);
	ASSERT_NONE(nvme_scan_namespace("nvme7n10"), ENOENT);
	ASSERT_NONE(nvme_scan_namespace("../block"), EINVAL);
}

EACH_TEST(begin, end)
