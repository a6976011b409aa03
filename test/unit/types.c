/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Field access and the computations in the public types. */
#include <nvme/types.h>

#include "unit.h"

TEST(only_five_properties_are_wide)
{
	static const __u32 wide[] = { NVME_REG_CAP, NVME_REG_ASQ, NVME_REG_ACQ, NVME_REG_BPMBL,
				      NVME_REG_CMBMSC };
	size_t found = 0;

	for (__u32 offset = 0; offset <= NVME_REG_PMRMSCU; offset += 4)
		found += nvme_is_64bit_reg(offset);
	assert_int_equal(found, sizeof(wide) / sizeof(wide[0]));
	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		assert_true(nvme_is_64bit_reg(wide[i]));
}

TEST(sizes_are_in_bytes)
{
	assert_int_equal(nvme_cmb_size(NVME_SET(3, CMBSZ_SZ)), 3 * 4096);
	assert_int_equal(nvme_cmb_size(NVME_SET(2, CMBSZ_SZ) | NVME_SET(2, CMBSZ_SZU)), 2 << 20);
	assert_true(nvme_cmb_size(NVME_SET(0xfffff, CMBSZ_SZ) |
				  NVME_SET(NVME_CMBSZ_SZU_64G, CMBSZ_SZU)) == 0xfffffULL << 36);
	assert_int_equal(nvme_pmr_size(NVME_SET(5, PMREBS_PMRWBZ)), 5);
	assert_true(nvme_pmr_size(NVME_SET(0xffffff, PMREBS_PMRWBZ) |
				  NVME_SET(NVME_PMREBS_PMRSZU_1G, PMREBS_PMRSZU)) == 0xffffffULL
											     << 30);
	assert_int_equal(nvme_pmr_throughput(NVME_SET(7, PMRSWTP_PMRSWTV) |
					     NVME_SET(1, PMRSWTP_PMRSWTU)),
			 7 * 1024);
}

/* libnvme 1.16 read the unit here. */
TEST(throughput_value_is_not_its_unit)
{
	__u32 pmrswtp = NVME_SET(7, PMRSWTP_PMRSWTV) | NVME_SET(2, PMRSWTP_PMRSWTU);

	assert_int_equal(NVME_PMRSWTP_PMRSWTV(pmrswtp), 7);
	assert_int_equal(NVME_PMRSWTP_PMRSWTU(pmrswtp), 2);
}

TEST(power_scale_is_in_the_upper_bits)
{
	assert_int_equal(nvme_psd_power_scale(0x80), NVME_PSD_PS_10_MILLI_WATT);
	assert_int_equal(nvme_psd_power_scale(0x7f), NVME_PSD_PS_100_MICRO_WATT);
	assert_int_equal(nvme_psd_power_scale(0x3f), NVME_PSD_PS_NOT_REPORTED);
}

TEST(a_result_says_who_reported_it)
{
	int mi = NVME_SET(NVME_STATUS_TYPE_MI, STATUS_TYPE) | 4;

	assert_int_equal(nvme_status_get_type(mi), NVME_STATUS_TYPE_MI);
	assert_int_equal(nvme_status_get_value(mi), 4);
	assert_int_equal(nvme_status_get_type(NVME_SC_INVALID_FIELD), NVME_STATUS_TYPE_NVME);
	assert_true(nvme_status_equals(mi, NVME_STATUS_TYPE_MI, 4));
	assert_false(nvme_status_equals(mi, NVME_STATUS_TYPE_NVME, 4));
	assert_false(nvme_status_equals(mi, NVME_STATUS_TYPE_MI, 5));
}

TEST(a_negative_result_equals_no_status)
{
	unsigned int rest = nvme_status_get_value(-1);

	assert_false(nvme_status_equals(-1, (enum nvme_status_type)7, rest));
	assert_false(nvme_status_equals(-1, NVME_STATUS_TYPE_NVME, rest));
}
