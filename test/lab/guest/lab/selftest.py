# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the nvme commands of the kernel series' own test, with the same checks.

Host and target are in separate network namespaces, with four links of 1 Gbit/s, with and without 5
ms of delay and 0.5 % of loss; `signal` endpoints on the target, `subflow` endpoints on the host.
The target has a port for each path; with a single path, the port listens on all addresses. Every
connection, including discovery, leaves through the first link.
"""

import dataclasses
import itertools
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .bench import Lab
from .network import Family, Topology
from .nvmet import Port, Subsystem, Target
from .system import KernelLog
from .ways import ADDRESS, PORT, Way

NQN = "nqn.2024-01.lab:nvmet_subsystem"
IFACE = "h1"
PATHS = 4
POLICIES = ("numa", "round-robin", "queue-depth")

#: Types of links: parameters of netem.
LINKS: dict[str, dict[str, Any]] = {"clean": {}, "lossy": {"delay": "5ms", "loss": "0.5%"}}

#: Options for the traffic class.
TOS = {"ipv4": "--tos=0x10", "ipv6": "--tclass=0x10", "v4mapped": "--tos=0x10"}

#: Kernel messages that fail the test.
TROUBLE = re.compile(
    "starting error recovery|Buffer I/O error|fatal error occurred|failed nvme_keep_alive_end_io"
)

#: A pending keep-alive fails when its controller is removed, like any other command.
EXPECTED_OF_REMOVAL = "failed nvme_keep_alive_end_io"


@dataclass(frozen=True)
class Run:
    """A run of the test: transport and address, type of links, and maximum number of paths."""

    way: Way
    links: str = "clean"
    paths: int = PATHS

    def topology(self) -> Topology:
        """Return the test's links, with addresses of the right family."""
        family: Family = "ipv6" if self.way.family == "ipv6" else "ipv4"
        return dataclasses.replace(
            Topology.selftest(4, rate="1000mbit", family=family, **LINKS[self.links]),
            host_namespace="host",
            sysctls={"target": {"ipv4.tcp_reflect_tos": 1}},
        )

    def points(self) -> list[str]:
        """Return the names of the points that the run passes, in order."""
        return [
            f"{self.way.family} {self.way.transport} {self.links} paths={count} {policy}"
            for count in range(1, self.paths + 1)
            for policy in POLICIES
        ]

    def __str__(self) -> str:
        return f"{self.way}-{self.links}"


#: All combinations of addresses, transports and links.
RUNS = tuple(
    Run(Way(transport, family), links)
    for family, transport, links in itertools.product(ADDRESS, PORT, LINKS)
)


def offer(lab: Lab, way: Way, paths: int) -> list[str]:
    """Make the target offer a disk on ``paths`` ports; return the options to reach them."""
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
    """Read and write 128 KiB blocks at several offsets, four at a time; verify what was written."""
    size = 128 << 10
    places = [size * n for n in (17, 3, 40, 9)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda place: lab.host.read(disk, size, place), places))
        blocks = [os.urandom(size) for _ in places]
        list(pool.map(lambda block, place: lab.host.write(disk, block, place), blocks, places))
        assert list(pool.map(lambda place: lab.host.read(disk, size, place), places)) == blocks


def perform(lab: Lab, run: Run) -> Iterator[str]:
    """Run the commands and checks of the test in order, with I/O on every number of paths.

    Yield each of the run's points after it passed, the last one after everything else. A failure
    raises an exception.
    """
    nvme = lab.host.nvme
    log = KernelLog()
    points = run.points()
    extras = f"{TOS[run.way.family]} --host-iface={IFACE}"
    portals = offer(lab, run.way, run.paths)

    nvme(f"discover {portals[0]} {extras}")
    for count, portal in enumerate(portals, 1):
        said = nvme(f"connect {portal} -n {NQN} {extras}")
        # older versions of the test expect the device as the fourth word
        assert re.fullmatch(r"nvme\d+", said.split()[3])
        disk = lab.host.disk(NQN)
        found = re.search(rf"^.*(nvme-subsys[0-9]+).*{NQN}", nvme("list-subsys"), re.M)
        assert found, "no line with both the subsystem's name and its NQN"
        assert [c.state for c in lab.host.controllers()] == ["live"] * count
        for name in POLICIES:
            Path("/sys/class/nvme-subsystem", found[1], "iopolicy").write_text(name)
            transfer(lab, disk)
            if len(points) > 1:
                yield points.pop(0)
    assert f"%{IFACE}" in lab.network.run("host", "ss", "-tnp", "-e")
    assert NQN in nvme(f"id-ctrl {disk}")
    assert str(disk) in nvme("list")
    assert f"iopolicy={POLICIES[-1]}" in nvme("list-subsys")
    nvme(f"flush {disk}")
    trouble = [line for line in log.read() if TROUBLE.search(line)]
    said = nvme(f"disconnect -n {NQN}")
    assert said == f"NQN:{NQN} disconnected {run.paths} controller(s)\n"

    ended = [line for line in log.read() if EXPECTED_OF_REMOVAL not in line]
    log.close()
    assert trouble + [line for line in ended if TROUBLE.search(line)] == []
    yield points.pop(0)
