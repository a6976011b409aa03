/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A configuration with every key. */
#pragma once

#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
#define HOSTID "6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
#define NQN "nqn.2024-01.org.example:a"

static const char everything[] =
	"[{\"hostnqn\":\"" HOSTNQN "\",\"hostid\":\"" HOSTID "\",\n"
	"\"dhchap_key\":\"DHHC-1:00:host:\",\"hostsymname\":\"a host\",\n"
	"\"persistent_discovery_ctrl\":false,\n"
	"\"mptcp\":{\"limits\":{\"subflows\":8,\"add_addr_accepted\":0},\"endpoints\":[\n"
	"{\"address\":\"10.1.2.2\",\"dev\":\"eth2\",\"flags\":[\"subflow\",\"backup\"],\"id\":3}]},\n"
	"\"subsystems\":[{\"nqn\":\"" NQN "\",\"application\":\"app\",\"ports\":[{\n"
	"\"transport\":\"tcp\",\"traddr\":\"192.0.2.1\",\"host_traddr\":\"192.0.2.9\",\n"
	"\"host_iface\":\"eth0\",\"trsvcid\":4420,\"dhchap_key\":\"DHHC-1:00:one:\",\n"
	"\"dhchap_ctrl_key\":\"DHHC-1:00:two:\",\"tls\":true,\"keyring\":\".nvme\",\n"
	"\"tls_key_identity\":\"NVMe0R01 a b\",\"tls_key\":\"NVMeTLSkey-1:01:x:\",\n"
	"\"nr_io_queues\":1,\"nr_write_queues\":2,\"nr_poll_queues\":3,\"queue_size\":128,\n"
	"\"keep_alive_tmo\":5,\"reconnect_delay\":6,\"ctrl_loss_tmo\":-1,\"fast_io_fail_tmo\":7,\n"
	"\"tos\":0,\"duplicate_connect\":true,\"disable_sqflow\":true,\"hdr_digest\":true,\n"
	"\"data_digest\":true,\"concat\":false,\"persistent\":true,\"discovery\":true}]}]}]\n";
