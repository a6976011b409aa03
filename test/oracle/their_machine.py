# SPDX-License-Identifier: GPL-2.0-or-later
"""The machine that nvme-cli 2.16 runs on twice: controllers of every kind and their answers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import BUILD, TOP, Original

sys.path.insert(0, str(TOP / "test/cli"))

import device_data as data
import discovery_log as dl
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN, FakeHost, write_attributes

NQN = "nqn.2026-01.org.example:a"
PCI_NQN = "nqn.2026-01.org.example:pci"

GET_LOG, IDENTIFY, SET_FEATURES, GET_FEATURES, FABRICS = 0x02, 0x06, 0x09, 0x0A, 0x7F

#: Pages that begin with how much of them there is: none of LBA status, boot partition,
#: reachability, FDP events and changed zones; the headers of what discovery controllers have.
EMPTY = (0x0E, 0x15, 0x1A, 0x1B, 0x23, 0xBF)
HEADERS = {0x71: {20: data.u32(1024)}, 0x72: {20: data.u32(1024)}, 0x73: {4: data.u32(64)}}


def pattern(size: int, seed: int) -> bytes:
    """Returns bytes that a page may hold: small numbers mostly, text nowhere."""
    return bytes((i * seed + i // 7) % 11 if i % 5 else 0 for i in range(size))


def make_answers(top: Path) -> None:
    """What devices answer, for all machines: a controller's and a discovery controller's."""
    host = FakeHost(top)
    for device in ("controller", "discovery"):
        write_answers(host, device)
    identify = (bytes(768) + DISCOVERY_NQN.encode()).ljust(4096, b"\0")
    host.command("discovery", "admin", IDENTIFY, 1, identify)


def answering(host: FakeHost, device: str, answers: Path, kind: str = "controller") -> None:
    """A device that answers like others of its kind."""
    directory = host.fake / device
    if directory.exists():
        directory.rmdir()
    directory.symlink_to(answers / "fake" / kind)


def write_answers(host: FakeHost, device: str) -> None:
    """The answers to every Identify, log page and feature."""
    for cns, answer in ((0, data.ID_NS), (1, data.ID_CTRL), (2, data.NS_LIST), (3, data.NS_DESCS)):
        host.command(device, "admin", IDENTIFY, cns, answer)
    for cns in (0x12, 0x13):
        host.command(device, "admin", IDENTIFY, cns, data.CTRL_LIST)
    for lid, answer in ((0, data.SUPPORTED), (1, data.ERRORS), (2, data.SMART), (0xC, data.ANA)):
        host.command(device, "admin", GET_LOG, lid, answer)
    for lid in EMPTY:
        host.command(device, "admin", GET_LOG, lid, bytes(16384))
    for lid, header in HEADERS.items():
        host.command(device, "admin", GET_LOG, lid, data.place(16384, header))
    log = dl.log(dl.entry(), dl.entry(traddr=b"10.1.1.9", portid=2, treq=1))
    host.command(device, "admin", GET_LOG, 0x70, log)
    for feature in range(0x20):
        host.command(device, "admin", GET_FEATURES, feature, pattern(4096, 3), result=feature * 7)
        host.command(device, "admin", SET_FEATURES, feature, result=feature)
    host.command(device, "admin", FABRICS, 0, result=0x460001)
    host.command(device, "admin", FABRICS, 1, result=0x8200F0003FF)
    (host.fake / device / "otherwise").write_bytes(pattern(16384, 7))
    (host.fake / device / "otherwise.result").write_text("1")


def make_topology(host: FakeHost) -> None:
    """Two subsystems over fabrics, with states and addresses of many kinds, and one of PCI."""
    first = host.subsystem(0, NQN, iopolicy="round-robin")
    first.controller(0)
    first.controller(1, address="traddr=10.1.1.9,trsvcid=4420,host_traddr=10.1.1.2")
    first.controller(3, "rdma", "traddr=fd00::1,trsvcid=4420", state="connecting")
    first.namespace(1)
    first.namespace(2, ana="non-optimized", nuse=1000)
    second = host.subsystem(1, PCI_NQN)
    second.controller(2, "pcie", "0000:00:04.0", hostnqn=None, hostid=None)
    second.namespace(1)
    third = host.subsystem(2, DISCOVERY_NQN)
    third.controller(4, address="traddr=10.1.1.7,trsvcid=8009", kato=30)
    write_attributes(host.sys / "bus/pci/slots/7", {"address": "0000:00:04"})


def make_tables(host: FakeHost) -> None:
    """A boot table."""
    path = host.root / "tables"
    path.mkdir()
    shutil.copy(TOP / "test/fuzz/corpus/nbft/good", path / "NBFT")


def boot_tables(top: Path) -> None:
    """Three boot tables: as it is, with a static interface, and with one that asked DHCP."""
    good = (TOP / "test/fuzz/corpus/nbft/good").read_bytes()
    (top / "NBFT").write_bytes(good)
    server = bytes(10) + b"\xff\xff" + bytes([192, 168, 1, 9])
    for name, override in (("NBFT-static", 0), ("NBFT-dhcp", 1)):
        (top / name).write_bytes(with_dhcp(good, server, override))


def with_dhcp(table: bytes, server: bytes, override: int) -> bytes:
    """Returns a table whose first interface has a DHCP server, and the flag that it counts."""
    found = table.index(bytes.fromhex("525400"))  # of its hardware address
    trinfo = found - 11
    changed = bytearray(table)
    changed[trinfo + 88 : trinfo + 104] = server
    changed[trinfo + 6] = changed[trinfo + 6] & ~4 | override << 2
    changed[9] = 0
    changed[9] = -sum(changed) & 0xFF
    return bytes(changed)


def answers_connect(host: FakeHost) -> None:
    """The next connect brings up nvme5, of a subsystem that is not there yet."""
    subsystem = host.subsystem(5, "nqn.2026-01.org.example:new")
    address = "traddr=10.1.1.5,trsvcid=4420"
    host.answer_connected(subsystem.controller(5, address=address, connected=False))


def refuses_connect(host: FakeHost) -> None:
    """The next connects fail."""
    for number in (111, 114, 22, 2):
        host.answer_error(number)


def answers_discovery(host: FakeHost) -> None:
    """The next connect brings up a discovery controller nvme6, those after it nvme7 and nvme8."""
    discovery = host.subsystem(6, DISCOVERY_NQN)
    address = "traddr=10.1.1.6,trsvcid=8009"
    host.answer_connected(discovery.controller(6, address=address, connected=False))
    answering(host, "nvme6", (host.fake / "nvme0").resolve().parents[1], "discovery")
    subsystem = host.subsystem(7, "nqn.2025-01.test:one")
    for number, traddr in ((7, "10.1.1.1"), (8, "10.1.1.9")):
        address = f"traddr={traddr},trsvcid=4420"
        host.answer_connected(subsystem.controller(number, address=address, connected=False))


def describes(host: FakeHost) -> None:
    """A configuration with two ports of a subsystem, and the connects that it leads to."""
    port = {"transport": "tcp", "trsvcid": "4420"}
    config = [
        {
            "hostnqn": HOSTNQN,
            "hostid": HOSTID,
            "hostsymname": "rack 7",
            "subsystems": [
                {
                    "nqn": "nqn.2026-01.org.example:new",
                    "application": "backup",
                    "ports": [
                        port | {"traddr": "10.1.1.5", "nr_io_queues": 3, "changeddigest": True},
                        port | {"traddr": "10.1.1.9", "queue_size": 64},
                    ],
                }
            ],
        }
    ]
    (host.root / "config.json").write_text(json.dumps(config))
    answers_connect(host)


def environment(host: FakeHost) -> dict[str, str]:
    """That of any program over the stand-in for the kernel."""
    return {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C",
        "FAKE_DIR": str(host.fake),
        "FAKE_EXACT": "1",
        "LIBNVME_SYSFS_PATH": str(host.root / "sysfs"),
        "LD_PRELOAD": str(BUILD / "test/cli/fake-kernel.so"),
    }


def run_over(
    original: Original, first: list[Path], host: FakeHost, *command: object,
    env: dict[str, str] | None = None, cwd: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
    """Runs a program on a machine over the libraries in the first directories."""
    loader = original.top / "usr/lib64/ld-linux-x86-64.so.2"
    path = ":".join(map(str, [*first, original.libraries]))
    return subprocess.run(
        [str(loader), "--library-path", path, *map(str, command)],
        env=environment(host) | (env or {}),
        cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
    )  # fmt: skip


def made(top: Path, answers: Path) -> FakeHost:
    """Returns a machine below a directory."""
    host = FakeHost(top)
    (host.fake / "whole-commands").write_text("")
    make_topology(host)
    make_tables(host)
    for device in ("nvme0", "nvme0n1", "nvme2", "nvme1n1", "nvme4"):
        answering(host, device, answers)
    return host
