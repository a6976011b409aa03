# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures in the lab: what listing costs beside Debian's nvme, and what four links carry.

    test/lab/lab run --icount --timeout 3600 test/lab/benchmark.py [-- --runs N --rounds N]

Every pair alternates between the two programs in one run, and so do tcp and mptcp. With --icount
the guest's clock counts instructions, so that it does not matter what else the machine does; what
is measured lies in memory. The numbers are those of an emulated machine: compare the columns, not
the machines.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lab import Lab, Namespace, Port, Subsystem, Target, Topology
from lab.counters import Counters
from lab.host import BUILD, REFERENCE_ROOT
from lab.network import SIDES

LIBRARIES = "x86_64-linux-gnu/*.so.*"
PORT = {"tcp": 4420, "mptcp": 4421}
#: Those of ports whose hosts may send this much of a write with its command.
INLINE_PORT = {"tcp": 4422, "mptcp": 4423}
INLINE_BYTES = 128 << 10
SUBSYSTEMS, LINKS = 4, 4
DISK = "nqn.2024-01.lab:disk{}"


@dataclass(frozen=True)
class Program:
    """A program with the libraries that it is to find."""

    name: str
    path: Path
    environment: Mapping[str, str]

    def arguments(self, words: Sequence[str]) -> list[str]:
        """Its command line."""
        return [str(self.path), *words]


@dataclass(frozen=True)
class Cost:
    """What one run of a program cost, in milliseconds, or medians of that."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Pair:
    """What both programs cost for the same command."""

    command: str
    ours: Cost
    theirs: Cost
    our_calls: int
    their_calls: int

    def row(self) -> str:
        """Its line of the table."""
        return (
            f"| {self.command} | {self.ours.wall:.1f} | {self.theirs.wall:.1f} "
            f"| {self.theirs.wall / self.ours.wall:.2f} "
            f"| {self.ours.cpu:.1f} | {self.theirs.cpu:.1f} "
            f"| {self.theirs.cpu / self.ours.cpu:.2f} "
            f"| {self.our_calls} | {self.their_calls} "
            f"| {self.their_calls / self.our_calls:.2f} |"
        )


def copied(scratch: Path) -> tuple[Program, Program]:
    """Copies both programs with their libraries into memory: the build is on a slow share."""
    ours, theirs = scratch / "ours", scratch / "theirs"
    for top in (ours, theirs):
        (top / "lib").mkdir(parents=True)
    shutil.copy2(f"{BUILD}/nvme-cli/nvme", ours / "nvme")
    for name in ("libnvme.so.1", "libnvme-mptcp.so.0"):
        shutil.copy2(f"{BUILD}/libnvme/{name}", ours / "lib" / name)
    shutil.copy2(REFERENCE_ROOT / "usr/sbin/nvme", theirs / "nvme")
    for place in ("lib", "usr/lib"):
        for library in (REFERENCE_ROOT / place).glob(LIBRARIES):
            shutil.copy2(library, theirs / "lib" / library.name)
    return tuple(
        Program(name, top / "nvme", {**os.environ, "LD_LIBRARY_PATH": str(top / "lib")})
        for name, top in (("ours", ours), ("nvme 2.3", theirs))
    )  # type: ignore[return-value]


def run(program: Program, words: Sequence[str]) -> Cost:
    """Runs a program once; what it prints goes nowhere, and it must succeed."""
    arguments = program.arguments(words)
    nowhere = os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC)
    began = time.monotonic()
    process = os.posix_spawn(
        program.path, arguments, program.environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)],
    )  # fmt: skip
    _, status, usage = os.wait4(process, 0)
    wall = time.monotonic() - began
    os.close(nowhere)
    if status:
        raise SystemExit(f"{program.name}: {' '.join(words)}: status {status}")
    return Cost(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000)


def system_calls(program: Program, words: Sequence[str], scratch: Path) -> int:
    """Counts a program's system calls with strace."""
    counts = scratch / "calls"
    strace = ["strace", "-f", "-c", "-U", "name,calls", "-o", str(counts)]
    command = [*strace, *program.arguments(words)]
    subprocess.run(command, env=program.environment, stdout=subprocess.DEVNULL, check=True)
    found = re.search(r"^total +(\d+)$", counts.read_text(), re.M)
    if not found:
        raise SystemExit(f"strace said nothing of {' '.join(words)}")
    return int(found[1])


def median(costs: Sequence[Cost]) -> Cost:
    """Returns the medians of both times."""
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
    )


def compare(programs: tuple[Program, Program], words: str, runs: int, scratch: Path) -> Pair:
    """Measures a pair; both run once before, and then by turns, the first one changing."""
    split = words.split()
    costs: dict[str, list[Cost]] = {program.name: [] for program in programs}
    for program in programs:
        run(program, split)
    for number in range(runs):
        for program in programs if number % 2 else reversed(programs):
            costs[program.name].append(run(program, split))
    ours, theirs = (median(costs[program.name]) for program in programs)
    calls = [system_calls(program, split, scratch) for program in programs]
    return Pair(words, ours, theirs, *calls)


def listing_target() -> Target:
    """Subsystems of two namespaces each, on a port that all links lead to."""
    namespaces = (Namespace(1), Namespace(2))
    return Target(
        tuple(Subsystem(DISK.format(i), namespaces) for i in range(SUBSYSTEMS)),
        (Port(1, "mptcp", trsvcid=PORT["mptcp"]),),
        ramdisk_mib=16,
    )


def listing_pairs(lab: Lab, runs: int) -> list[Pair]:
    """Listing and identifying, with sixteen controllers."""
    lab.target.configure(listing_target())
    for i in range(SUBSYSTEMS):
        for link in range(1, LINKS + 1):
            lab.host.connect(
                DISK.format(i), "mptcp", f"10.1.{link}.1", PORT["mptcp"], nr_io_queues=1
            )
        lab.host.disk(DISK.format(i), 2)
    scratch = Path("/tmp/benchmark")
    programs = copied(scratch)
    try:
        commands = ("version", "list", "list -o json", "list-subsys", "list-subsys -o json",
                    "id-ctrl /dev/nvme0", "id-ctrl /dev/nvme0 -o json")  # fmt: skip
        return [compare(programs, words, runs, scratch) for words in commands]
    finally:
        shutil.rmtree(scratch)
        lab.reset()


@dataclass(frozen=True)
class Load:
    """What fio does: requests of 128 KiB in sequence, so many at a time over so many I/O queues.

    ``inline``: what is written goes with its command, and is not asked for (R2T). ``short``: the
    send buffers are SHORT_SEND.
    """

    rw: str
    queues: int = 1
    depth: int = 8
    inline: bool = False
    short: bool = False

    @property
    def seconds(self) -> int:
        """How long it is measured."""
        return MEASURED_ASKED_S if self.rw == "write" and not self.inline else MEASURED_S

    def row(self) -> str:
        """The beginning of its row."""
        how = [self.rw]
        if self.inline:
            how.append("with the command")
        if self.short:
            how.append(f"send buffer of {SHORT_SEND.split()[-1]} bytes")
        return f"| {', '.join(how)} | {self.queues} | {self.depth} "


#: net.ipv4.tcp_wmem by which a connection holds what four links carry in a tenth of a second. The
#: kernel's 4 MiB are meant for links a hundred times as fast, and hold nearly a second here.
SHORT_SEND = "4096 16384 524288"

#: What is measured, and what shows how depth and queues matter.
LOADS = (Load("read"), Load("write", inline=True), Load("write"))
MORE_LOADS = tuple(
    replace(load, queues=queues, depth=depth)
    for queues, depth in ((1, 32), (2, 8), (2, 32))
    for load in (*LOADS, Load("write", short=True))
)

#: Seconds until subflows have found their windows, and seconds that are measured.
RAMP_S, MEASURED_S = 15, 30

#: Writes whose data is asked for come in bursts: it takes as long until their mean says something.
MEASURED_ASKED_S = 240

#: TCP keeps what it learned of an address for the next connection; a run is to know nothing.
INDEPENDENT = {side: {"ipv4.tcp_no_metrics_save": 1} for side in SIDES}

#: Counters of the kernel that tell how a run went, by what both sides counted together.
TOLD = ("RetransSegs", "MPTCPRetrans", "NoDSSInWindow")


@dataclass(frozen=True)
class Speed:
    """What a run carried, in MiB/s, and what the kernel counted from its connecting to its end."""

    load: Load
    transport: str
    mib: float
    links: list[dict[str, int]]
    counters: dict[str, int]


@contextmanager
def send_buffers(lab: Lab, wanted: str) -> Iterator[None]:
    """Has both sides use other send buffers than the kernel's, unless that is ""."""
    if not wanted:
        yield
        return
    before = Path("/proc/sys/net/ipv4/tcp_wmem").read_text().strip()
    for side in SIDES:
        lab.network.sysctl(side, "ipv4.tcp_wmem", wanted)
    try:
        yield
    finally:
        for side in SIDES:
            lab.network.sysctl(side, "ipv4.tcp_wmem", before)


def measure(lab: Lab, load: Load, transport: str) -> Speed:
    """One run, over a controller of its own."""
    with send_buffers(lab, SHORT_SEND if load.short else ""):
        return measured(lab, load, transport)


def measured(lab: Lab, load: Load, transport: str) -> Speed:
    """One run, as both sides are set."""
    before = Counters.read(lab.network)
    port = (INLINE_PORT if load.inline else PORT)[transport]
    lab.host.connect(DISK.format(0), transport, trsvcid=port, nr_io_queues=load.queues)
    if transport == "mptcp":
        lab.host.wait_for_subflows(LINKS, 1 + load.queues, port)
    disk = lab.host.disk(DISK.format(0))
    job = lab.host.fio(
        disk, rw=load.rw, iodepth=load.depth, ramp_time=RAMP_S, runtime=load.seconds
    )  # fmt: skip
    moved = Counters.read(lab.network).since(before, os.cpu_count() or 1)
    lab.host.disconnect_all()
    counted: Counter[str] = Counter()
    for family in (moved["tcp"], moved["mptcp"]):
        for side in family.values():
            counted.update(side)
    mib = float(job[load.rw]["bw_bytes"]) / (1 << 20)
    return Speed(load, transport, mib, moved["links"], dict(counted))


def link_speeds(lab: Lab, loads: Sequence[Load], rounds: int) -> list[Speed]:
    """Measures both transports with each load, by turns, so many rounds of that."""
    ports = [Port(i, name, trsvcid=PORT[name]) for i, name in enumerate(PORT, 1)]
    ports += [
        Port(i, name, trsvcid=INLINE_PORT[name], inline=INLINE_BYTES)
        for i, name in enumerate(INLINE_PORT, len(ports) + 1)
    ]
    lab.target.configure(Target((Subsystem(DISK.format(0)),), tuple(ports)))
    todo = [(load, name) for _ in range(rounds) for load in loads for name in PORT]
    try:
        return [measure(lab, load, name) for load, name in todo]
    finally:
        lab.reset()


def show_pairs(pairs: Sequence[Pair], runs: int) -> None:
    """Prints the table of pairs."""
    print(
        f"{SUBSYSTEMS * LINKS} mptcp controllers, {SUBSYSTEMS * 2} namespaces; medians of "
        f"{runs} runs by turns; milliseconds\n"
    )
    print("| | wall | nvme 2.3 | ratio | CPU | nvme 2.3 | ratio | calls | nvme 2.3 | ratio |")
    print("|-|-|-|-|-|-|-|-|-|-|")
    for pair in pairs:
        print(pair.row())


def show_speeds(speeds: Sequence[Speed]) -> None:
    """Prints the table of speeds: a row for each load, ratios of the runs of each round."""
    print(f"\nOne controller, {LINKS} links of 10 Mbit/s, requests of 128 KiB in sequence; MiB/s\n")
    print("| | I/O queues | depth | tcp | mptcp | ratios | median |")
    print("|-|-|-|-|-|-|-|")
    for load in dict.fromkeys(speed.load for speed in speeds):
        tcp, mptcp = (
            [s.mib for s in speeds if s.load == load and s.transport == name] for name in PORT
        )
        ratios = [theirs / ours for ours, theirs in zip(tcp, mptcp, strict=True)]
        shown = [" ".join(f"{value:.2f}" for value in values) for values in (tcp, mptcp, ratios)]
        print(f"{load.row()}| {' | '.join(shown)} | {statistics.median(ratios):.2f} |")
    print(f"\n| mptcp | I/O queues | depth | {' | '.join(TOLD)} |")
    print("|-|-|-|" + "-|" * len(TOLD))
    for speed in speeds:
        if speed.transport == "mptcp":
            told = " | ".join(str(speed.counters.get(name, 0)) for name in TOLD)
            print(f"{speed.load.row()}| {told} |")


def main() -> int:
    """Measures and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=15, help="runs of each program; 0: none (%(default)s)"
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="runs of each load and transport (%(default)s)"
    )
    parser.add_argument("--more", action="store_true", help="other depths and queues, too")
    parser.add_argument("--json", type=Path, default=Path("/results/benchmark.json"))
    args = parser.parse_args()

    pairs: list[Pair] = []
    if args.runs:
        with Lab(Topology.one_per_link(LINKS, rate="100mbit")) as lab:
            pairs = listing_pairs(lab, args.runs)
        show_pairs(pairs, args.runs)
    loads = LOADS + MORE_LOADS if args.more else LOADS
    with Lab(replace(Topology.one_per_link(LINKS, rate="10mbit"), sysctls=INDEPENDENT)) as lab:
        speeds = link_speeds(lab, loads, args.rounds)
    show_speeds(speeds)
    result = {"pairs": [asdict(p) for p in pairs], "speeds": [asdict(s) for s in speeds]}
    args.json.write_text(json.dumps(result, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
