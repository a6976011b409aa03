#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make a large /sys for benchmarks, laid out as the kernel lays it out.

Values that many controllers share are hard links to one file, so that ten thousand controllers fit
in memory. The library reads the result through LIBNVME_SYSFS_PATH.
"""

import argparse
import os
from pathlib import Path

HOSTID = "6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
HOSTNQN = f"nqn.2014-08.org.nvmexpress:uuid:{HOSTID}"

CTRL_ATTRS = {
    "cntrltype": "io",
    "dctype": "none",
    "dhchap_ctrl_secret": "none",
    "dhchap_secret": "none",
    "fast_io_fail_tmo": "off",
    "firmware_rev": "6.12",
    "hostid": HOSTID,
    "hostnqn": HOSTNQN,
    "kato": "5",
    "model": "Linux".ljust(40),
    "numa_node": "-1",
    "queue_count": "5",
    "reconnect_delay": "10",
    "serial": "0123456789abcdef0123",
    "sqsize": "127",
    "state": "live",
}
SUBSYSTEM_ATTRS = {
    "firmware_rev": "6.12",
    "iopolicy": "numa",
    "model": "Linux".ljust(40),
    "serial": "0123456789abcdef0123",
    "subsystype": "nvm",
}
NS_ATTRS = {
    "csi": "0",
    "metadata_bytes": "0",
    "nuse": "2097152",
    "size": "2097152",
    "uuid": "0d1a6b5c-7b0b-4b7e-9e43-000000000001",
    "wwid": "uuid.0d1a6b5c-7b0b-4b7e-9e43-000000000001",
}
PATH_ATTRS = {"ana_state": "optimized", "numa_nodes": "0", "queue_depth": "0"}


class Sysfs:
    """A tree below one directory."""

    def __init__(self, root: Path) -> None:
        self.values: dict[str, str] = {}
        self.pool = root / "values"
        self.devices = root / "sys/devices/virtual"
        self.class_nvme = root / "sys/class/nvme"
        self.class_subsystem = root / "sys/class/nvme-subsystem"
        for directory in (self.pool, self.class_nvme, self.class_subsystem):
            directory.mkdir(parents=True)
        (self.devices / "nvme-fabrics/ctl").mkdir(parents=True)
        (self.devices / "nvme-subsystem").mkdir()

    def attr(self, directory: str, name: str, value: str) -> None:
        """Write an attribute, as a link if another one has the same value."""
        path = f"{directory}/{name}"
        known = self.values.get(value)
        if known:
            os.link(known, path)
            return
        with open(path, "w", encoding="ascii") as file:
            file.write(value + "\n")
        self.values[value] = path

    def attrs(self, directory: str, values: dict[str, str]) -> None:
        for name, value in values.items():
            self.attr(directory, name, value)

    def subsystem(self, instance: int, namespaces: int) -> str:
        """Make a subsystem with namespace heads and return its NQN."""
        nqn = f"nqn.2024-01.org.example:bench.{instance}"
        directory = f"{self.devices}/nvme-subsystem/nvme-subsys{instance}"
        os.mkdir(directory)
        self.attr(directory, "subsysnqn", nqn)
        self.attrs(directory, SUBSYSTEM_ATTRS)
        for head in range(1, namespaces + 1):
            ns = f"{directory}/nvme{instance}n{head}"
            os.makedirs(f"{ns}/queue")
            self.attr(ns, "nsid", str(head))
            self.attrs(ns, NS_ATTRS)
            self.attr(f"{ns}/queue", "logical_block_size", "512")
        os.symlink(
            f"../../devices/virtual/nvme-subsystem/nvme-subsys{instance}",
            f"{self.class_subsystem}/nvme-subsys{instance}",
        )
        return nqn

    def ctrl(self, instance: int, subsystem: int, nqn: str, namespaces: int) -> None:
        """Make a controller of a subsystem with a path to each of its namespaces."""
        directory = f"{self.devices}/nvme-fabrics/ctl/nvme{instance}"
        os.mkdir(directory)
        high, low = divmod(instance, 250)
        traddr = f"10.{high // 250}.{high % 250}.{low + 1}"
        self.attr(directory, "address", f"traddr={traddr},trsvcid=4420,src_addr=10.255.0.1")
        portal = f"NVME_TRADDR={traddr}\nNVME_TRSVCID=4420"
        self.attr(directory, "uevent", f"{portal}\nNVME_HOST_TRADDR=none\nNVME_HOST_IFACE=none")
        self.attr(directory, "subsysnqn", nqn)
        self.attr(directory, "cntlid", str(instance % 65520))
        self.attr(directory, "transport", "mptcp" if instance % 2 else "tcp")
        self.attrs(directory, CTRL_ATTRS)
        for head in range(1, namespaces + 1):
            path = f"{directory}/nvme{subsystem}c{instance}n{head}"
            os.mkdir(path)
            self.attrs(path, PATH_ATTRS)
        os.symlink(
            f"../../devices/virtual/nvme-fabrics/ctl/nvme{instance}",
            f"{self.class_nvme}/nvme{instance}",
        )
        os.symlink(
            f"../../nvme-fabrics/ctl/nvme{instance}",
            f"{self.devices}/nvme-subsystem/nvme-subsys{subsystem}/nvme{instance}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, help="directory to make, on a file system in memory")
    parser.add_argument("--controllers", type=int, default=4000)
    parser.add_argument("--namespaces", type=int, default=2, help="namespaces per subsystem")
    parser.add_argument("--per-subsystem", type=int, default=1, help="controllers per subsystem")
    args = parser.parse_args()

    sysfs = Sysfs(args.root)
    for first in range(0, args.controllers, args.per_subsystem):
        nqn = sysfs.subsystem(first, args.namespaces)
        for instance in range(first, min(first + args.per_subsystem, args.controllers)):
            sysfs.ctrl(instance, first, nqn, args.namespaces)


if __name__ == "__main__":
    main()
