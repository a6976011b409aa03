/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registration with a discovery controller: what is sent, and when nothing is. */
#include <endian.h>

#include <libnvme.h>

#include "unit.h"
#include "fabrics/private.h"
#include "fake_sysfs.h"

#define NQN "nqn.2024-01.org.example:cdc"

static const unsigned char hostid[16] = { 0x6a, 0x2b, 0x2a, 0x5c, 0x6f, 0x2f, 0x4f, 0x3e,
					  0x8e, 0x0d, 0x6d, 0x6f, 0x5a, 0x5c, 0x00, 0x01 };

static struct {
	struct nvme_passthru_cmd cmd;
	unsigned char data[4096];
	unsigned int sent, identified;
	__u8 dctype; /* in Identify */
	int status;
} target;

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	if (cmd->opcode == nvme_admin_identify) {
		struct nvme_id_ctrl *id = (struct nvme_id_ctrl *)(uintptr_t)cmd->addr;

		memset(id, 0, sizeof(*id));
		id->dctype = target.dctype;
		target.identified++;
		return 0;
	}
	target.cmd = *cmd;
	assert_true(cmd->data_len <= sizeof(target.data));
	memcpy(target.data, (void *)(uintptr_t)cmd->addr, cmd->data_len);
	target.sent++;
	if (result)
		*result = 77;
	return target.status;
}

static nvme_ctrl_t scan(nvme_root_t r, const char *transport, const char *address,
			const char *dctype)
{
	nvme_ctrl_t c;

	fake_subsystem(0, NQN);
	fake_ctrl(&(struct fake_ctrl){
		.transport = transport,
		.address = address,
		.subsysnqn = NQN,
		.hostnqn = FAKE_HOSTNQN,
		.hostid = FAKE_HOSTID,
	});
	if (dctype)
		fake_attr(dctype, "sys/class/nvme/nvme0/dctype");
	c = nvme_scan_ctrl(r, "nvme0");
	assert_non_null(c);
	c->fd = 0;
	return c;
}

static void release(nvme_root_t r, nvme_ctrl_t c)
{
	c->fd = -1;
	nvme_free_tree(r);
}

/* The system and its release, as a shell says them. */
static void expect_version(const char *version)
{
	FILE *shell =
		popen(". /etc/os-release 2>/dev/null; echo $(uname -sr) $NAME $VERSION_ID", "r");
	char expected[256];

	assert_non_null(shell);
	assert_non_null(fgets(expected, sizeof(expected), shell));
	pclose(shell);
	expected[strcspn(expected, "\n")] = '\0';
	/* The last byte of the field ends it. */
	expected[NVMF_EVER_LEN - 1] = '\0';
	assert_string_equal(version, expected);
}

TEST(test_register)
{
	nvme_root_t r = nvme_create_root(NULL, -1);
	nvme_ctrl_t c = scan(r, "mptcp", "traddr=192.0.2.1,trsvcid=8009", "cdc");
	const struct nvmf_dim_data *dim = (const void *)target.data;
	const struct nvmf_ext_die *die = &dim->die[0].extended;
	const struct nvmf_ext_attr *attr = die->exat;
	__u32 result = 0;

	assert_true(nvmf_is_registration_supported(c));
	assert_int_equal(nvmf_register_ctrl(c, NVMF_DIM_TAS_REGISTER, &result), 0);
	assert_int_equal(result, 77);
	assert_int_equal(target.cmd.opcode, 0x21);
	assert_int_equal(target.cmd.cdw10 & 0xf, NVMF_DIM_TAS_REGISTER);
	assert_int_equal(target.cmd.data_len, 1024 + 1032 + 20);
	assert_int_equal(le32toh(dim->tdl), target.cmd.data_len);
	assert_int_equal(le64toh(dim->nument), 1);
	assert_int_equal(le16toh(dim->entfmt), NVMF_DIM_ENTFMT_EXTENDED);
	assert_int_equal(le16toh(dim->etype), NVMF_DIM_ETYPE_HOST);
	assert_int_equal(le16toh(dim->ektype), 0x5f);
	assert_string_equal(dim->eid, FAKE_HOSTNQN);
	assert_true(strlen(dim->ename) > 0);
	assert_memory_equal(dim->ever, "Linux ", 6);
	expect_version(dim->ever);
	assert_int_equal(die->trtype, NVMF_TRTYPE_MPTCP);
	assert_int_equal(die->adrfam, NVMF_ADDR_FAMILY_IP4);
	assert_string_equal(die->traddr, "");
	assert_string_equal(die->nqn, FAKE_HOSTNQN);
	assert_int_equal(le32toh(die->tel), 1032 + 20);
	assert_int_equal(le16toh(die->numexat), 1);
	assert_int_equal(le16toh(attr->exattype), NVMF_EXATTYPE_HOSTID);
	assert_int_equal(le16toh(attr->exatlen), 16);
	assert_memory_equal(attr->exatval, hostid, sizeof(hostid));
	release(r, c);
}

TEST(test_symbolic_name)
{
	nvme_root_t r = nvme_create_root(NULL, -1);
	nvme_ctrl_t c = scan(r, "tcp", "traddr=2001:db8::1,trsvcid=8009", "ddc");
	const struct nvmf_dim_data *dim = (const void *)target.data;
	const struct nvmf_ext_die *die = &dim->die[0].extended;
	const unsigned char *name = (const unsigned char *)die->exat + 20;

	nvme_host_set_hostsymname(nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c)), "host7");
	assert_int_equal(nvmf_register_ctrl(c, NVMF_DIM_TAS_DEREGISTER, NULL), 0);
	assert_int_equal(target.cmd.cdw10 & 0xf, NVMF_DIM_TAS_DEREGISTER);
	assert_int_equal(target.cmd.data_len, 1024 + 1032 + 20 + 12);
	assert_int_equal(die->trtype, NVMF_TRTYPE_TCP);
	assert_int_equal(die->adrfam, NVMF_ADDR_FAMILY_IP6);
	assert_int_equal(le16toh(die->numexat), 2);
	assert_memory_equal(name, "\x02\0\x08\0host7   ", 12);
	release(r, c);
}

TEST(test_identify_answers)
{
	nvme_root_t r = nvme_create_root(NULL, -1);
	nvme_ctrl_t c = scan(r, "tcp", "traddr=192.0.2.1,trsvcid=8009", NULL);

	target.dctype = NVME_CTRL_DCTYPE_CDC;
	assert_int_equal(nvmf_register_ctrl(c, NVMF_DIM_TAS_UPDATE, NULL), 0);
	assert_int_equal(target.identified, 1);
	target.status = 0x4002;
	assert_int_equal(nvmf_register_ctrl(c, NVMF_DIM_TAS_UPDATE, NULL), 0x4002);
	release(r, c);
}

static void assert_refused(const char *transport, const char *address, const char *dctype, int err)
{
	nvme_root_t r = nvme_create_root(NULL, -1);
	nvme_ctrl_t c = scan(r, transport, address, dctype);

	errno = 0;
	assert_int_equal(nvmf_register_ctrl(c, NVMF_DIM_TAS_REGISTER, NULL), -1);
	assert_int_equal(errno, err);
	assert_int_equal(target.sent, 0);
	release(r, c);
}

TEST(test_not_supported)
{
	assert_refused("tcp", "traddr=192.0.2.1,trsvcid=8009", "none", ENOTSUP);
	assert_int_equal(target.identified, 0);
	fake_sysfs_end();
	fake_sysfs_begin();
	assert_refused("tcp", "traddr=192.0.2.1,trsvcid=8009", NULL, ENOTSUP);
	assert_int_equal(target.identified, 1);
}

TEST(test_wrong_transport)
{
	assert_refused("rdma", "traddr=192.0.2.1,trsvcid=4420", "cdc", EINVAL);
}

static int begin(void **state)
{
	memset(&target, 0, sizeof(target));
	nvme_init_default_logging(NULL, -1, false, false);
	fake_sysfs_begin();
	return 0;
}

static int end(void **state)
{
	fake_sysfs_end();
	return 0;
}

EACH_TEST(begin, end)
