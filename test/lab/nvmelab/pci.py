# SPDX-License-Identifier: GPL-2.0-or-later
"""The NVMe devices that QEMU emulates for the guest: controllers on the PCI bus.

Their disks are sparse anonymous files in memory, freed when QEMU ends. Features that the machine's
QEMU does not have are omitted: data placement needs 8.0.
"""

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nvmetools import ToolError

MIB = 1 << 20

#: QEMU's devices, and the options of each.
Offers = Mapping[str, frozenset[str]]

DEVICES = ("nvme-subsys", "nvme-ns")


@dataclass(frozen=True)
class Namespace:
    """A namespace of ``size`` MiB, with options of QEMU's nvme-ns."""

    nsid: int
    size: int
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Subsystem:
    """A subsystem with a number of controllers, and options of QEMU's nvme-subsys."""

    name: str
    serial: str
    controllers: int
    namespaces: tuple[Namespace, ...]
    options: Mapping[str, str] = field(default_factory=dict)


def _blocks(size: int, metadata: int) -> dict[str, str]:
    text = str(size)
    return {"logical_block_size": text, "physical_block_size": text, "ms": str(metadata)}


SUBSYSTEMS = (
    Subsystem("lab", "LAB-PCI", 2,
              (Namespace(1, 32, {"eui64": "0x5254000000000001",
                                 "uuid": "1ab00000-0000-4000-8000-0000000000a1"}),
               Namespace(2, 32, {"detached": "on"}),
               Namespace(3, 16, {**_blocks(4096, 8), "pi": "1"}))),
    # without a block size, QEMU 7.2 dies of a division by zero
    Subsystem("zoned", "LAB-ZONED", 1, (
        Namespace(1, 32, _blocks(512, 0) | {
            "zoned": "on", "zoned.zone_size": "2M", "zoned.zone_capacity": "1M",
            "zoned.max_open": "4", "zoned.max_active": "6", "zoned.descr_ext_size": "64",
            "zoned.numzrwa": "2", "zoned.zrwas": "64K", "zoned.zrwafg": "4K",
        }),
    )),
    Subsystem("placement", "LAB-FDP", 1, (Namespace(1, 32, {"fdp.ruhs": "0;1;2"}),),
              {"fdp": "on", "fdp.runs": "1M", "fdp.nrg": "1", "fdp.nruh": "4"}),
)  # fmt: skip


def offers(qemu: str) -> Offers:
    """Return the options of a QEMU's NVMe devices."""
    return {name: _options_of(qemu, name) for name in DEVICES}


def _options_of(qemu: str, device: str) -> frozenset[str]:
    done = subprocess.run([qemu, "-device", f"{device},help"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)  # fmt: skip
    if done.returncode:
        raise ToolError(
            f"{qemu} cannot emulate {device}: {done.stderr.strip() or done.stdout.strip()}"
        )
    return frozenset(re.findall(r"^ +([\w.-]+)=<", done.stdout, re.MULTILINE))


def _device(name: str, offered: Offers, fixed: str, options: Mapping[str, str]) -> list[str]:
    known = [f"{key}={value}" for key, value in options.items() if key in offered[name]]
    return ["-device", ",".join([name, fixed, *known])]


def arguments(offered: Offers, disk: Callable[[int], Path]) -> list[str]:
    """Return QEMU's arguments for all devices; ``disk`` makes a disk of a given size in bytes."""
    words: list[str] = []
    for subsystem in SUBSYSTEMS:
        name = subsystem.name
        words += _device("nvme-subsys", offered, f"id={name},nqn={name}", subsystem.options)
        for number in range(subsystem.controllers):
            fixed = f"id={name}-controller-{number},serial={subsystem.serial},subsys={name}"
            words += ["-device", f"nvme,{fixed}"]
        for namespace in subsystem.namespaces:
            drive = f"{name}-{namespace.nsid}"
            path = disk(namespace.size * MIB)
            words += [
                "-drive",
                f"file={path},format=raw,if=none,cache=unsafe,discard=unmap,id={drive}",
            ]
            fixed = f"drive={drive},bus={name}-controller-0,nsid={namespace.nsid}"
            words += _device("nvme-ns", offered, fixed, namespace.options)
    return words


def sparse_disk(size: int) -> int:
    """Return the descriptor of a sparse file of this many bytes in memory."""
    fd = os.memfd_create("nvme")
    os.ftruncate(fd, size)
    return fd
