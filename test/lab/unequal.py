# SPDX-License-Identifier: GPL-2.0-or-later
"""What helps where one link of four has a quarter of the others' rate: measured for rule C15.

    test/lab/lab run test/lab/unequal.py [-- --runs N --seconds S --rw write --json FILE]

The cures take turns in one boot, each on a connection of its own, so that whatever else the machine
does meets all of them. The numbers are those of an emulated machine: compare the rows.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab import Endpoint, Lab, Limits, Link, Port, Subsystem, Target, Topology
from lab.network import SIDES, Side

NQN = "nqn.2024-01.lab:disk"
TARGET = Target((Subsystem(NQN),), (Port(1), Port(2, "tcp", trsvcid=4421)))
PORT = {"mptcp": 4420, "tcp": 4421}
LINKS, RATE, SLOW_RATE = 4, "10mbit", "2500kbit"
DEPTH = 32


@dataclass(frozen=True)
class Cure:
    """What might help: a queue depth, a tcp_rmem of both sides, a command of ip on the host.

    ``late`` ones come to a connection that has read for a while already; ``reset`` makes it anew.
    """

    name: str
    depth: int = DEPTH
    rmem: str = ""
    command: str = ""
    equal: bool = False
    transport: str = "mptcp"
    late: bool = False
    reset: bool = False


LARGER = "4096 131072 33554432"
BACKUP = f"mptcp endpoint change id {LINKS} backup"

#: The first is what the others are compared with; the last two are what can be hoped for, and tcp.
CURES = (
    Cure("as it is"),
    Cure("queue depth 16", depth=16),
    Cure("queue depth 8", depth=8),
    Cure("queue depth 4", depth=4),
    Cure(f"tcp_rmem {LARGER}", rmem=LARGER),
    Cure("tcp_rmem 4096 4194304 33554432", rmem="4096 4194304 33554432"),
    Cure("slow link is backup", command=BACKUP),
    Cure("slow link has no endpoint", command=f"mptcp endpoint delete id {LINKS}"),
    Cure("four equal links", equal=True),
    Cure("tcp over one link", transport="tcp"),
    Cure("late: as it is", late=True),
    Cure("late: tcp_rmem", rmem=LARGER, late=True),
    Cure("late: tcp_rmem, reset", rmem=LARGER, late=True, reset=True),
    Cure("late: backup", command=BACKUP, late=True),
    Cure("late: backup, reset", command=BACKUP, late=True, reset=True),
)


def topology() -> Topology:
    """Links of which the last is slow, with an endpoint each, as setup makes them."""
    rates = [RATE] * (LINKS - 1) + [SLOW_RATE]
    endpoints = tuple(Endpoint(i, ("subflow",), dev=True, id=i) for i in range(1, LINKS + 1))
    return Topology(
        links=tuple(Link.both(rate=rate) for rate in rates),
        families=("ipv4",),
        limits={"host": Limits(8, 0), "target": Limits(8, 0)},
        endpoints={"host": endpoints},
    )


def read_rmem(lab: Lab, side: Side) -> str:
    return lab.network.run(side, "sysctl", "-n", "net.ipv4.tcp_rmem").strip()


@contextmanager
def restoring(lab: Lab, cure: Cure) -> Iterator[None]:
    """The links of a cure; afterwards no connection, and the buffers and endpoints of before."""
    before = {side: read_rmem(lab, side) for side in SIDES}
    lab.network.shape(LINKS, Link.both(rate=RATE if cure.equal else SLOW_RATE).to_host)
    try:
        yield
    finally:
        lab.host.disconnect_all()
        for side in SIDES:
            lab.network.sysctl(side, "ipv4.tcp_rmem", before[side])
        lab.network.renew_endpoints()


def apply(lab: Lab, cure: Cure) -> None:
    if cure.rmem:
        for side in SIDES:
            lab.network.sysctl(side, "ipv4.tcp_rmem", cure.rmem)
    if cure.command:
        lab.network.ip("host", cure.command)
    if cure.reset:
        (controller,) = lab.host.controllers()
        (controller.directory / "reset_controller").write_text("1")
        controller.wait_for("live")


def read_speed(lab: Lab, cure: Cure, rw: str, seconds: int) -> float:
    """MiB/s over the connection that is there."""
    job = lab.host.fio(lab.host.disk(NQN), rw=rw, iodepth=cure.depth, ramp_time=2, runtime=seconds)
    return float(job[rw]["bw_bytes"]) / (1 << 20)


def measure(lab: Lab, cure: Cure, rw: str, seconds: int) -> float:
    """MiB/s over a connection of its own."""
    with restoring(lab, cure):
        if cure.rmem and not cure.late:
            for side in SIDES:
                lab.network.sysctl(side, "ipv4.tcp_rmem", cure.rmem)
        port = PORT[cure.transport]
        lab.host.connect(NQN, cure.transport, trsvcid=port, nr_io_queues=1)
        if cure.transport == "mptcp":
            lab.host.wait_for_subflows(LINKS, 2, port)
        if cure.late:
            read_speed(lab, Cure(""), rw, seconds)
        apply(lab, cure)
        return read_speed(lab, cure, rw, seconds)


def show(speeds: Mapping[str, Sequence[float]], rw: str) -> None:
    first = statistics.median(next(iter(speeds.values())))
    print(f"\n| {rw}s, MiB/s | runs | median | times |\n|-|-|-|-|")
    for name, values in speeds.items():
        median = statistics.median(values)
        runs = " ".join(f"{value:.2f}" for value in values)
        print(f"| {name} | {runs} | {median:.2f} | {median / first:.1f} |")


def main() -> int:
    """Measures by turns and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="runs of each cure (%(default)s)")
    parser.add_argument("--seconds", type=int, default=10, help="of each run (%(default)s)")
    parser.add_argument("--rw", choices=("read", "write"), default="read", help="(%(default)s)")
    parser.add_argument("--json", type=Path, default=Path("/results/unequal.json"))
    args = parser.parse_args()

    speeds: dict[str, list[float]] = {cure.name: [] for cure in CURES}
    with Lab(topology()) as lab:
        lab.target.configure(TARGET)
        for _ in range(args.runs):
            for cure in CURES:
                speeds[cure.name].append(measure(lab, cure, args.rw, args.seconds))
                print(f"{cure.name}: {speeds[cure.name][-1]:.2f}", flush=True)
                args.json.write_text(json.dumps(speeds, indent=1))
    show(speeds, args.rw)
    return 0


if __name__ == "__main__":
    sys.exit(main())
