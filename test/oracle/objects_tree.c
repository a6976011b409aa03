/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree of a machine: every property of every object, scans, look-ups and filters. */
#include <dirent.h>
#include <stdlib.h>

#include "objects.h"

#define NQN "nqn.2026-01.org.example:a"

static void show_path(nvme_path_t p)
{
	const char *of = nvme_path_get_name(p);

	TEXT(of, nvme_path_get_name(p));
	TEXT(of, nvme_path_get_ana_state(p));
	TEXT(of, nvme_path_get_numa_nodes(p));
	NUMBER(of, nvme_path_get_queue_depth(p));
	TEXT(of, nvme_path_get_sysfs_dir(p));
	TEXT(of, nvme_ctrl_get_name(nvme_path_get_ctrl(p)));
	TEXT(of, nvme_path_get_ns(p) ? nvme_ns_get_name(nvme_path_get_ns(p)) : NULL);
	OWNED(of, nvme_get_path_attr(p, "ana_grpid"));
	OWNED(of, nvme_get_path_attr(p, "nothing"));
}

static void show_ns(nvme_ns_t n)
{
	const char *of = nvme_ns_get_name(n);
	unsigned char uuid[NVME_UUID_LEN];

	TEXT(of, nvme_ns_get_name(n));
	TEXT(of, nvme_ns_get_generic_name(n));
	TEXT(of, nvme_ns_get_sysfs_dir(n));
	TEXT(of, nvme_ns_get_firmware(n));
	TEXT(of, nvme_ns_get_serial(n));
	TEXT(of, nvme_ns_get_model(n));
	NUMBER(of, nvme_ns_get_nsid(n));
	NUMBER(of, nvme_ns_get_lba_size(n));
	NUMBER(of, nvme_ns_get_meta_size(n));
	NUMBER(of, nvme_ns_get_lba_count(n));
	NUMBER(of, nvme_ns_get_lba_util(n));
	NUMBER(of, nvme_ns_get_csi(n));
	NUMBER(of, nvme_ns_get_ctrl(n) != NULL);
	TEXT(of, nvme_subsystem_get_name(nvme_ns_get_subsystem(n)));
	nvme_ns_get_uuid(n, uuid);
	BYTES(of, nvme_ns_get_eui64(n), 8);
	BYTES(of, nvme_ns_get_nguid(n), 16);
	BYTES(of, uuid, sizeof(uuid));
	OWNED(of, nvme_get_ns_attr(n, "wwid"));
	for (nvme_path_t p = nvme_namespace_first_path(n); p; p = nvme_namespace_next_path(n, p))
		show_path(p);
}

static void show_commands(nvme_ns_t n)
{
	const char *of = nvme_ns_get_name(n);
	struct nvme_id_ns id = {};
	unsigned char data[4096] = {};

	NUMBER(of, nvme_ns_get_fd(n) >= 0);
	RESULT(of, nvme_ns_identify(n, &id));
	RESULT(of, nvme_ns_read(n, data, 0, 512));
	RESULT(of, nvme_ns_write(n, data, 512, 512));
	RESULT(of, nvme_ns_compare(n, data, 512, 512));
	RESULT(of, nvme_ns_verify(n, 512, 1024));
	RESULT(of, nvme_ns_write_zeros(n, 0, 1024));
	RESULT(of, nvme_ns_write_uncorrectable(n, 0, 512));
	RESULT(of, nvme_ns_flush(n));
	RESULT(of, nvme_ns_read(n, data, 1, 512));
	nvme_ns_release_fd(n);
}

static void show_ctrl(nvme_ctrl_t c)
{
	const char *of = nvme_ctrl_get_name(c);
	char source[64] = "";

	TEXT(of, nvme_ctrl_get_name(c));
	TEXT(of, nvme_ctrl_get_sysfs_dir(c));
	TEXT(of, nvme_ctrl_get_address(c));
	TEXT(of, nvme_ctrl_get_firmware(c));
	TEXT(of, nvme_ctrl_get_model(c));
	TEXT(of, nvme_ctrl_get_state(c));
	TEXT(of, nvme_ctrl_get_numa_node(c));
	TEXT(of, nvme_ctrl_get_queue_count(c));
	TEXT(of, nvme_ctrl_get_serial(c));
	TEXT(of, nvme_ctrl_get_sqsize(c));
	TEXT(of, nvme_ctrl_get_cntlid(c));
	TEXT(of, nvme_ctrl_get_phy_slot(c));
	TEXT(of, nvme_ctrl_get_transport(c));
	TEXT(of, nvme_ctrl_get_subsysnqn(c));
	TEXT(of, nvme_ctrl_get_traddr(c));
	TEXT(of, nvme_ctrl_get_trsvcid(c));
	TEXT(of, nvme_ctrl_get_host_traddr(c));
	TEXT(of, nvme_ctrl_get_host_iface(c));
	TEXT(of, nvme_ctrl_get_src_addr(c, source, sizeof(source)));
	TEXT(of, nvme_ctrl_get_dhchap_host_key(c));
	TEXT(of, nvme_ctrl_get_dhchap_key(c));
	TEXT(of, nvme_ctrl_get_keyring(c));
	TEXT(of, nvme_ctrl_get_tls_key(c));
	TEXT(of, nvme_ctrl_get_tls_key_identity(c));
	NUMBER(of, nvme_ctrl_is_discovery_ctrl(c));
	NUMBER(of, nvme_ctrl_is_unique_discovery_ctrl(c));
	NUMBER(of, nvme_ctrl_is_persistent(c));
	NUMBER(of, nvmf_is_registration_supported(c));
	TEXT(of, nvme_subsystem_get_nqn(nvme_ctrl_get_subsystem(c)));
	OWNED(of, nvme_get_ctrl_attr(c, "cntrltype"));
	OWNED(of, nvme_get_attr(nvme_ctrl_get_sysfs_dir(c), "dctype"));
	NUMBER(of, nvme_ctrl_get_config(c)->ctrl_loss_tmo);
	for (nvme_ns_t n = nvme_ctrl_first_ns(c); n; n = nvme_ctrl_next_ns(c, n))
		show_ns(n);
	for (nvme_path_t p = nvme_ctrl_first_path(c); p; p = nvme_ctrl_next_path(c, p))
		show_path(p);
}

static void show_subsystem(nvme_subsystem_t s)
{
	const char *of = nvme_subsystem_get_name(s);

	TEXT(of, nvme_subsystem_get_name(s));
	TEXT(of, nvme_subsystem_get_nqn(s));
	TEXT(of, nvme_subsystem_get_sysfs_dir(s));
	TEXT(of, nvme_subsystem_get_type(s));
	TEXT(of, nvme_subsystem_get_application(s));
	TEXT(of, nvme_subsystem_get_iopolicy(s));
	TEXT(of, nvme_subsystem_get_model(s));
	TEXT(of, nvme_subsystem_get_serial(s));
	TEXT(of, nvme_subsystem_get_fw_rev(s));
	TEXT(of, nvme_host_get_hostnqn(nvme_subsystem_get_host(s)));
	OWNED(of, nvme_get_subsys_attr(s, "subsysnqn"));
	nvme_subsystem_set_application(s, "backup");
	TEXT(of, nvme_subsystem_get_application(s));
	for (nvme_ctrl_t c = nvme_subsystem_first_ctrl(s); c; c = nvme_subsystem_next_ctrl(s, c))
		show_ctrl(c);
	for (nvme_ns_t n = nvme_subsystem_first_ns(s); n; n = nvme_subsystem_next_ns(s, n))
		show_ns(n);
	NUMBER(of, nvme_subsystem_lookup_namespace(s, 1) != NULL);
	NUMBER(of, nvme_subsystem_lookup_namespace(s, 77) != NULL);
}

static void show_tree(nvme_root_t r)
{
	for (nvme_host_t h = nvme_first_host(r); h; h = nvme_next_host(r, h)) {
		const char *of = nvme_host_get_hostnqn(h);

		TEXT(of, nvme_host_get_hostid(h));
		TEXT(of, nvme_host_get_hostsymname(h));
		TEXT(of, nvme_host_get_dhchap_key(h));
		NUMBER(of, nvme_host_get_root(h) == r);
		NUMBER(of, nvme_host_is_pdc_enabled(h, true));
		NUMBER(of, nvme_host_is_pdc_enabled(h, false));
		for (nvme_subsystem_t s = nvme_first_subsystem(h); s; s = nvme_next_subsystem(h, s))
			show_subsystem(s);
	}
}

static void show_list(const char *call, const char *of, int n, struct dirent **list)
{
	objects_result(call, of, n);
	for (int i = 0; i < n; i++) {
		objects_text(call, of, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

#define LIST(of, function, ...) \
	do { \
		struct dirent **list_ = NULL; \
		int n_ = function(__VA_ARGS__ & list_); \
		show_list(#function, of, n_, list_); \
	} while (0)
#define WITH ,

static void show_filters(void)
{
	static const char *const names[] = {
		"nvme0",       "nvme0n1", "nvme0c1n2", "nvme-subsys0", "nvme",
		"nvme0c0n1p1", ".",	  "..",	       "nvme10",       "ng0n1",
		"nvme0n",      "nvmex",	  "",	       "nvme1n2p3",    "xnvme0",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct dirent d = {};

		snprintf(d.d_name, sizeof(d.d_name), "%s", names[i]);
		NUMBER(names[i], nvme_namespace_filter(&d) != 0);
		NUMBER(names[i], nvme_paths_filter(&d) != 0);
		NUMBER(names[i], nvme_ctrls_filter(&d) != 0);
		NUMBER(names[i], nvme_subsys_filter(&d) != 0);
	}
}

static void show_lists(nvme_root_t r)
{
	nvme_host_t h = nvme_first_host(r);

	LIST("", nvme_scan_subsystems, );
	LIST("", nvme_scan_ctrls, );
	for (nvme_subsystem_t s = nvme_first_subsystem(h); s; s = nvme_next_subsystem(h, s)) {
		LIST(nvme_subsystem_get_name(s), nvme_scan_subsystem_namespaces, s WITH);
		for (nvme_ctrl_t c = nvme_subsystem_first_ctrl(s); c;
		     c = nvme_subsystem_next_ctrl(s, c)) {
			LIST(nvme_ctrl_get_name(c), nvme_scan_ctrl_namespaces, c WITH);
			LIST(nvme_ctrl_get_name(c), nvme_scan_ctrl_namespace_paths, c WITH);
		}
	}
}

static void show_lookups(nvme_root_t r)
{
	nvme_host_t h = nvme_first_host(r);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	nvme_ctrl_t c, found;
	nvme_ns_t n;

	TEXT(NQN, nvme_subsystem_get_name(s));
	TEXT("default", nvme_host_get_hostnqn(nvme_default_host(r)));
	NUMBER("", nvme_lookup_host(r, nvme_host_get_hostnqn(h), NULL) == h);
	NUMBER("", nvme_lookup_subsystem(h, "nvme-subsys1", NULL) != NULL);
	c = nvme_lookup_ctrl(s, "tcp", "10.1.1.1", NULL, NULL, "4420", NULL);
	TEXT("10.1.1.1", nvme_ctrl_get_name(c));
	c = nvme_lookup_ctrl(s, "tcp", "10.1.1.77", NULL, NULL, "4420", NULL);
	TEXT("10.1.1.77", nvme_ctrl_get_name(c));
	found = nvme_ctrl_find(s, "tcp", "10.1.1.9", "4420", NQN, NULL, NULL);
	TEXT("find", found ? nvme_ctrl_get_name(found) : NULL);
	found = nvme_ctrl_find(s, "tcp", "10.1.1.9", "4421", NQN, NULL, NULL);
	TEXT("other port", found ? nvme_ctrl_get_name(found) : NULL);
	c = nvme_lookup_ctrl(s, "tcp", "10.1.1.1", NULL, NULL, "4420", NULL);
	NUMBER("", nvme_ctrl_config_match(c, "tcp", "10.1.1.1", "4420", NQN, NULL, NULL));
	NUMBER("", nvme_ctrl_config_match(c, "tcp", "10.1.1.1", "4420", NQN, "10.1.1.2", NULL));
	NUMBER("", nvme_ctrl_config_match(c, "tcp", "10.1.1.1", "4420", NQN, "10.1.1.3", NULL));
	NUMBER("", nvme_ctrl_config_match(c, "rdma", "10.1.1.1", "4420", NQN, NULL, NULL));
	NUMBER("", nvme_ctrl_config_match(c, "tcp", "10.1.1.1", "4420", "nqn.x", NULL, NULL));
	n = nvme_scan_namespace("nvme0n1");
	TEXT("nvme0n1", n ? nvme_ns_get_name(n) : NULL);
	if (n)
		nvme_free_ns(n);
	c = nvme_scan_ctrl(r, "nvme2");
	TEXT("nvme2", c ? nvme_ctrl_get_address(c) : NULL);
	errno = 0;
	c = nvme_scan_ctrl(r, "nvme99");
	NUMBER("nvme99", c != NULL);
	NUMBER("nvme99", errno);
}

static void show_setters(nvme_root_t r)
{
	nvme_host_t h = nvme_first_host(r);
	nvme_ctrl_t c = nvme_subsystem_first_ctrl(nvme_first_subsystem(h));

	nvme_host_set_hostsymname(h, "rack 7");
	nvme_host_set_dhchap_key(h, "DHHC-1:00:x:");
	nvme_host_set_pdc_enabled(h, true);
	TEXT("set", nvme_host_get_hostsymname(h));
	TEXT("set", nvme_host_get_dhchap_key(h));
	NUMBER("set", nvme_host_is_pdc_enabled(h, false));
	nvme_ctrl_set_dhchap_host_key(c, "DHHC-1:00:y:");
	nvme_ctrl_set_dhchap_key(c, "DHHC-1:00:z:");
	nvme_ctrl_set_keyring(c, ".ring");
	nvme_ctrl_set_tls_key(c, "key");
	nvme_ctrl_set_tls_key_identity(c, "identity");
	nvme_ctrl_set_persistent(c, true);
	nvme_ctrl_set_discovery_ctrl(c, true);
	nvme_ctrl_set_unique_discovery_ctrl(c, true);
	show_ctrl(c);
	nvme_root_set_application(r, "backup");
	TEXT("set", nvme_root_get_application(r));
	NUMBER("release", (nvme_ctrl_get_fd(c) >= 0));
	nvme_ctrl_release_fd(c);
	nvme_subsystem_release_fds(nvme_first_subsystem(h));
	nvme_host_release_fds(h);
	nvme_root_release_fds(r);
}

void objects_tree(void)
{
	nvme_root_t r = nvme_scan(NULL);
	char *hostnqn = NULL, *hostid = NULL;
	struct nvme_id_ctrl id = {};
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	show_tree(r);
	show_filters();
	show_lists(r);
	RESULT("", nvme_host_get_ids(r, NULL, NULL, &hostnqn, &hostid));
	OWNED("", hostnqn);
	OWNED("", hostid);
	s = nvme_first_subsystem(nvme_first_host(r));
	show_commands(nvme_subsystem_first_ns(s));
	c = nvme_subsystem_first_ctrl(s);
	RESULT("nvme0", nvme_ctrl_identify(c, &id));
	nvme_rescan_ctrl(c);
	show_setters(r);
	nvme_refresh_topology(r);
	show_lookups(r);
	nvme_unlink_ctrl(nvme_subsystem_first_ctrl(nvme_first_subsystem(nvme_first_host(r))));
	nvme_free_tree(r);

	r = nvme_create_root(NULL, LOG_ERR);
	nvme_root_skip_namespaces(r);
	RESULT("no namespaces", nvme_scan_topology(r, NULL, NULL));
	NUMBER("", nvme_subsystem_first_ns(nvme_first_subsystem(nvme_first_host(r))) != NULL);
	nvme_free_tree(r);
}
