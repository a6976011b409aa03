/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up /sys, laid out as the kernel's, for LIBNVME_SYSFS_PATH; failures to build it abort. */
#pragma once

#include <stddef.h>

/* What a controller shows; attributes that are NULL are left out. */
struct fake_ctrl {
	int instance;
	int subsystem;
	const char *transport;
	const char *address;
	const char *subsysnqn;
	const char *hostnqn;
	const char *hostid;
	const char *cntrltype;
	const char *pci; /* address of the function that it is, instead of a fabrics controller */
};

/* Makes an empty tree and points the library at it; returns its path. */
const char *fake_sysfs_begin(void);

/* Removes it. */
void fake_sysfs_end(void);

/* Creates a file with its directories, below the root of the tree. */
void fake_attr(const char *value, const char *path_fmt, ...) __attribute__((format(printf, 2, 3)));
void fake_remove(const char *path_fmt, ...) __attribute__((format(printf, 1, 2)));

/* A subsystem of its own, then a controller with a link from it. */
void fake_subsystem(int instance, const char *nqn);
void fake_ctrl(const struct fake_ctrl *ctrl);

/* The same in short, for the host below. */
void fake_fabrics(int instance, int subsystem, const char *transport, const char *address,
		  const char *nqn);

/* A namespace head below a subsystem and a path to it, or one of a controller without multipath. */
void fake_head(int subsystem, int head, unsigned int nsid);
void fake_path(int subsystem, int ctrl, int head);
void fake_private_ns(int ctrl, int head, unsigned int nsid);

/* A block device of number "259:1", part of @disk and held by @holder unless those are NULL. */
void fake_block(const char *disk, const char *name, const char *number, const char *holder);

/* Subsystem 0: nvme0 over tcp and nvme10 over mptcp, of one portal; paths to two namespaces. */
void fake_multipath(void);

#define FAKE_NQN "nqn.2024-01.org.example:a"
#define FAKE_HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
#define FAKE_HOSTID "6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
