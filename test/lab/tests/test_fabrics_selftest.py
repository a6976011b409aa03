# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel series' own test does with nvme, call by call, and what it looks for.

Host and target are in network namespaces of their own; four links of 1 Gbit/s, with and without
5 ms of delay and 0.5 % of loss; `signal` endpoints on the target, `subflow` endpoints on the host.
The target has a port for each path; of a single path the port listens on all addresses. Every
connection leaves through the first link, and so does discovery.
"""

from __future__ import annotations

import dataclasses
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from lab import Lab, Port, Subsystem, Target, Topology, Way
from lab.system import KernelLog

NQN = "nqn.2024-01.lab:nvmet_subsystem"
IFACE = "h1"
PATHS = 4
POLICIES = ("numa", "round-robin", "queue-depth")

#: What the kernel must not say, as the test has it.
TROUBLE = re.compile(
    "starting error recovery|Buffer I/O error|fatal error occurred|failed nvme_keep_alive_end_io"
)

#: But a keep-alive that is under way when its controller is removed fails like everything else.
EXPECTED_OF_REMOVAL = "failed nvme_keep_alive_end_io"


def topology(**options: Any) -> Topology:
    """The links of the kernel series' test."""
    return dataclasses.replace(
        Topology.selftest(4, rate="1000mbit", **options),
        host_namespace="host",
        sysctls={"target": {"ipv4.tcp_reflect_tos": 1}},
    )


TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])
LOSS = pytest.mark.parametrize(
    "loss",
    [
        pytest.param(False, id="clean", marks=pytest.mark.topology(topology())),
        pytest.param(
            True, id="lossy", marks=pytest.mark.topology(topology(delay="5ms", loss="0.5%"))
        ),
    ],
)

pytestmark = pytest.mark.limit(120)


def offer(lab: Lab, way: Way, paths: int) -> list[str]:
    """Has the target offer a disk on that many ports; returns the options that lead to them."""
    addresses = [way.traddr(i) if paths > 1 else "" for i in range(1, paths + 1)]
    ports = tuple(
        Port(20001 + i, way.transport, way.adrfam, address, 4420 + i)
        for i, address in enumerate(addresses)
    )
    lab.target.configure(Target((Subsystem(NQN),), ports))
    return [
        f"-t {way.transport} -a {address or way.traddr()} -s {port.trsvcid}"
        for address, port in zip(addresses, ports, strict=True)
    ]


def transfer(lab: Lab, disk: Path) -> None:
    """Reads and writes at random places, 128 KiB at a time, four at once; reads what it wrote."""
    size = 128 << 10
    places = [size * n for n in (17, 3, 40, 9)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda place: lab.host.read(disk, size, place), places))
        blocks = [os.urandom(size) for _ in places]
        list(pool.map(lambda block, place: lab.host.write(disk, block, place), blocks, places))
        assert list(pool.map(lambda place: lab.host.read(disk, size, place), places)) == blocks


def sequence(lab: Lab, way: Way, paths: int, tos: str = "--tos=0x10") -> None:
    """The calls of the test in their order, and its greps; load with every number of paths."""
    nvme = lab.host.nvme
    log = KernelLog()
    extras = f"{tos} --host-iface={IFACE}"
    portals = offer(lab, way, paths)

    nvme(f"discover {portals[0]} {extras}")
    for count, portal in enumerate(portals, 1):
        said = nvme(f"connect {portal} -n {NQN} {extras}")
        # older versions of the test take the fourth word for the device
        assert re.fullmatch(r"nvme\d+", said.split()[3])
        disk = lab.host.disk(NQN)
        found = re.search(rf"^.*(nvme-subsys[0-9]+).*{NQN}", nvme("list-subsys"), re.M)
        assert found, "no line with both the subsystem's name and its NQN"
        assert [c.state for c in lab.host.controllers()] == ["live"] * count
        for name in POLICIES:
            Path("/sys/class/nvme-subsystem", found[1], "iopolicy").write_text(name)
            transfer(lab, disk)
    assert f"%{IFACE}" in lab.network.run("host", "ss", "-tnp", "-e")
    assert NQN in nvme(f"id-ctrl {disk}")
    assert str(disk) in nvme("list")
    assert f"iopolicy={POLICIES[-1]}" in nvme("list-subsys")
    nvme(f"flush {disk}")
    trouble = [line for line in log.read() if TROUBLE.search(line)]
    assert nvme(f"disconnect -n {NQN}") == f"NQN:{NQN} disconnected {paths} controller(s)\n"

    ended = [line for line in log.read() if EXPECTED_OF_REMOVAL not in line]
    log.close()
    assert trouble + [line for line in ended if TROUBLE.search(line)] == []


@TRANSPORTS
@LOSS
def test_sequence(lab: Lab, transport: str, loss: bool) -> None:
    """One to four paths over IPv4, each number with every I/O policy."""
    sequence(lab, Way(transport, "ipv4"), PATHS)


@TRANSPORTS
@pytest.mark.topology(topology())
def test_v4mapped(lab: Lab, transport: str) -> None:
    sequence(lab, Way(transport, "v4mapped"), 1)


@pytest.mark.topology(topology())
def test_fio(lab: Lab) -> None:
    """The load of the test itself, shorter: fio's libaio, four jobs, 128 KiB at random places."""
    for portal in offer(lab, Way("mptcp", "ipv4"), 2):
        lab.host.nvme(f"connect {portal} -n {NQN} --iopolicy=round-robin")
    job = lab.host.fio(lab.host.disk(NQN), rw="randrw", numjobs=4, iodepth=8, runtime=1)
    assert min(job[direction]["io_bytes"] for direction in ("read", "write")) > 1 << 20
    lab.host.nvme(f"disconnect -n {NQN}")


@TRANSPORTS
@pytest.mark.topology(topology(family="ipv6"))
def test_ipv6(lab: Lab, transport: str) -> None:
    """Where the traffic class has its own option."""
    sequence(lab, Way(transport, "ipv6"), 1, tos="--tclass=0x10")
