# SPDX-License-Identifier: GPL-2.0-or-later
"""Command lines of what connects, lists, transfers blocks and handles keys, and their machines."""

import sys

from conftest import TOP
from program import FakeHost, Prepare, golden_cases
from their_machine import NQN, answers_connect, make_topology

sys.path.insert(0, str(TOP / "test/cli"))

import discovery_log as dl
from device_data import ID_NS
from fake_sysfs import DISCOVERY_NQN

IDENTIFY, GET_LOG, DISCOVERY_PAGE = 0x06, 0x02, 0x70
NEW = "nqn.2026-01.org.example:new"
PORTAL = "-t tcp -a 10.1.1.6"
CONNECT = f"-t tcp -a 10.1.1.5 -n {NEW}"
SECRET = "00112233445566778899aabbccddeeff" * 2


def topology(host: FakeHost) -> None:
    """Subsystems over fabrics and PCI, in several states, with their device files."""
    make_topology(host)
    for name in ("nvme0n1", "nvme0n2", "nvme1n1"):
        for device in (name, name.replace("nvme", "ng")):
            (host.fake / device).mkdir(exist_ok=True)


def nothing(host: FakeHost) -> None:
    """No controller at all."""


def connecting(host: FakeHost) -> None:
    """The same, and the next connect brings up a controller."""
    make_topology(host)
    answers_connect(host)


def discovering(host: FakeHost) -> None:
    """The next connect brings up a discovery controller, those after it what its records name."""
    discovery = host.subsystem(6, DISCOVERY_NQN)
    address = "traddr=10.1.1.6,trsvcid=8009"
    host.answer_connected(discovery.controller(6, address=address, connected=False))
    subnqn = DISCOVERY_NQN.encode().ljust(256, b"\0")
    host.command("nvme6", "admin", IDENTIFY, 1, (bytes(768) + subnqn).ljust(4096, b"\0"))
    entries = [dl.entry(trtype=3), dl.entry(trtype=3, traddr=b"10.1.1.9", portid=2, treq=1)]
    host.command("nvme6", "admin", GET_LOG, DISCOVERY_PAGE, dl.log(*entries))
    subsystem = host.subsystem(7, "nqn.2025-01.test:one")
    for number, traddr in ((7, "10.1.1.1"), (8, "10.1.1.9")):
        address = f"traddr={traddr},trsvcid=4420"
        host.answer_connected(subsystem.controller(number, address=address, connected=False))


def finding(host: FakeHost) -> None:
    """The same, and the records are of all kinds, and of some that there are not."""
    discovering(host)
    kinds = [
        *(
            dl.entry(trtype=3, adrfam=n, traddr=at)
            for n in (*range(5), 254, 255)
            for at in (b"", b"x")
        ),
        *(dl.entry(trtype=n, subtype=n, treq=n, eflags=n) for n in (*range(4), 8, 15, 254)),
        *(dl.entry(trtype=3, tsas=bytes([n])) for n in range(4)),
        *(dl.entry(trtype=1, tsas=bytes([n] * 10)) for n in range(6)),
    ]
    host.command("nvme6", "admin", GET_LOG, DISCOVERY_PAGE, dl.log(*kinds))


def blocks(host: FakeHost) -> None:
    """A namespace with blocks of 512 bytes."""
    golden_cases.answering(host)
    (host.fake / "whole-commands").write_text("")
    for device in ("nvme0", "nvme0n1"):
        host.command(device, "admin", IDENTIFY, 0, ID_NS)


TEXT = ("",)
BOTH = ("", "-o json")
ALL = ("", "-o json", "-v", "-v -o json")

#: By command: its machine, its command lines, and what follows each of them.
OTHERS: dict[str, tuple[Prepare, tuple[str, ...], tuple[str, ...]]] = {
    "list": (topology, ("",), ALL),
    "list-subsys": (
        topology,
        ("", "/dev/nvme0n1", "/dev/nvme1n1", "/dev/nvme7n1", "bogus", f"-n {NQN}", "-n bogus"),
        ALL,
    ),
    "show-topology": (
        topology,
        (
            *("", "-r ctrl", "-r namespace", "-r multipath", "-r bogus"),
            *("-o tabular", "-o json", "-r multipath -o json"),
        ),
        ("", "-v"),
    ),
    "connect": (
        connecting,
        (
            CONNECT,
            f"{CONNECT} -s 4421 -w 10.1.1.2 -f eth0 -i 4 -W 2 -P 1 -Q 64 -k 7 -c 5 -l 60",
            f"{CONNECT} --tos=3 -D --disable-sqflow -g -G -F 9",
            f"{CONNECT} -q nqn.h -I 12345678-2222-3333-4444-555555555555",
            f"{CONNECT} -o bogus",
            f"-t rdma -a 10.1.1.5 -n {NEW}",
            "-t tcp -a 10.1.1.5",
            f"-a 10.1.1.5 -n {NEW}",
            f"-t tcp -n {NEW}",
        ),
        BOTH,
    ),
    "discover": (finding, (PORTAL, f"{PORTAL} -s 8010 -k 9", "-t tcp"), BOTH),
    "connect-all": (discovering, (PORTAL, f"{PORTAL} -i 3 -l 9"), TEXT),
    "disconnect": (
        topology,
        ("", f"-n {NQN}", "-n bogus", "-d nvme0", "-d /dev/nvme1", f"-d nvme0 -n {NQN}"),
        ("", "-v"),
    ),
    "disconnect-all": (topology, ("", "-r rdma", "-r bogus"), ("", "-v")),
    "dim": (topology, ("", "-d nvme0", "-d nvme0 -t bogus"), TEXT),
    "config": (topology, ("-J none -R -O",), TEXT),
    "show-hostnqn": (nothing, ("",), TEXT),
    "gen-dhchap-key": (
        nothing,
        (
            *(f"-m {hmac} -n nqn.h -s {SECRET}" for hmac in (0, 1, 4)),
            f"-m 3 -n nqn.h -s {SECRET}{SECRET}",
            f"-m 2 -l 48 -n nqn.h -s {SECRET[:96]}{SECRET[:32]}",
            "-l 33",
            "-m 1 -l 48",
        ),
        BOTH,
    ),
    "check-dhchap-key": (nothing, ("", f"-k {golden_cases.DHCHAP}", "-k DHHC-1:09:x:"), BOTH),
    "gen-tls-key": (nothing, (f"-m 1 -s {SECRET}", "-m 7", "-I 3"), BOTH),
    "check-tls-key": (
        nothing,
        ("", f"-d {golden_cases.TLS} -n nqn.h -c nqn.s -I 0", f"-d {golden_cases.TLS} -n nqn.h"),
        BOTH,
    ),
    "flush": (blocks, ("NS", "CTRL", "CTRL -n 3", "CTRL -n 0xffffffff"), BOTH),
    "dsm": (
        blocks,
        ("NS", "NS -d -s 1 -b 2", "NS -d -w -r -a 1,2 -s 3,4 -b 5,6", "NS -c 7 -s 1 -b 1"),
        BOTH,
    ),
    "reset": (blocks, ("CTRL",), ("-v", "-v -o json")),
    "subsystem-reset": (blocks, ("CTRL",), ("-v", "-v -o json")),
    "ns-rescan": (blocks, ("CTRL",), ("-v", "-v -o json")),
    "set-property": (
        blocks,
        ("CTRL", "CTRL -O 0x14", "CTRL -V 5", "CTRL -O 0x1c -V 5", "CTRL -O 0x14 -V 0x460001"),
        TEXT,
    ),
    "read": (
        blocks,
        (
            "NS -s 5 -c 0 -z 512",
            "NS -s 0x123456789a -c 1 -z 1Ki -d /dev/null -l -f -p 3 -r 7 -a 8 -m 9 -D 4",
            "CTRL -n 3 -c 0 -z 512 -d /dev/null",
            "NS -c 2 -z 512 -d /dev/null",
            "NS -c 1 -z 8Ki -y 8 -d /dev/null -M /dev/null",
            "NS -c 0",
            "NS -p 16 -z 512",
        ),
        BOTH,
    ),
    "write": (
        blocks,
        (
            "NS -s 5 -c 0 -z 512 -d IMAGE",
            "NS -c 0 -z 512 -d IMAGE -l -f -p 3 -r 7 -a 8 -m 9 -T 1 -S 5 -D 4",
            "CTRL -n 3 -c 0 -z 512 -d IMAGE",
            "NS -c 3 -z 512 -d IMAGE",
            "NS -c 0 -z 512 -d /nonexistent",
            "NS -T 16 -z 512 -d IMAGE",
        ),
        BOTH,
    ),
    "compare": (blocks, ("NS -s 5 -c 0 -z 512 -d IMAGE", "NS -c 0"), BOTH),
}
