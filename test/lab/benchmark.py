# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures in the lab: what listing costs beside Debian's nvme.

    test/lab/lab run --icount --timeout 3600 test/lab/benchmark.py [-- --runs N]

Every pair alternates between the two programs in one run. With --icount
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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab import Lab, Namespace, Port, Subsystem, Target, Topology
from lab.host import BUILD, REFERENCE_ROOT

LIBRARIES = "x86_64-linux-gnu/*.so.*"
PORT = 4421
SUBSYSTEMS, LINKS = 4, 4
DISK = "nqn.2024-01.lab:disk{}"


@dataclass(frozen=True)
class Program:
    """A program with the libraries that it is to find."""

    name: str
    path: Path
    environment: Mapping[str, str]

    def arguments(self, words: Sequence[str]) -> list[str]:
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
    process = os.posix_spawn(program.path, arguments, program.environment,
                             file_actions=[(os.POSIX_SPAWN_DUP2, nowhere, 1)])  # fmt: skip
    _, status, usage = os.wait4(process, 0)
    wall = time.monotonic() - began
    os.close(nowhere)
    if status:
        raise SystemExit(f"{program.name}: {' '.join(words)}: status {status}")
    return Cost(wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000)


def system_calls(program: Program, words: Sequence[str], scratch: Path) -> int:
    counts = scratch / "calls"
    strace = ["strace", "-f", "-c", "-U", "name,calls", "-o", str(counts)]
    command = [*strace, *program.arguments(words)]
    subprocess.run(command, env=program.environment, stdout=subprocess.DEVNULL, check=True)
    found = re.search(r"^total +(\d+)$", counts.read_text(), re.M)
    if not found:
        raise SystemExit(f"strace said nothing of {' '.join(words)}")
    return int(found[1])


def median(costs: Sequence[Cost]) -> Cost:
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
        (Port(1, "mptcp", trsvcid=PORT),),
        ramdisk_mib=16,
    )


def listing_pairs(lab: Lab, runs: int) -> list[Pair]:
    """Listing and identifying, with sixteen controllers."""
    lab.target.configure(listing_target())
    for i in range(SUBSYSTEMS):
        for link in range(1, LINKS + 1):
            lab.host.connect(DISK.format(i), "mptcp", f"10.1.{link}.1", PORT, nr_io_queues=1)
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


def show_pairs(pairs: Sequence[Pair], runs: int) -> None:
    print(
        f"{SUBSYSTEMS * LINKS} mptcp controllers, {SUBSYSTEMS * 2} namespaces; medians of "
        f"{runs} runs by turns; milliseconds\n"
    )
    print("| | wall | nvme 2.3 | ratio | CPU | nvme 2.3 | ratio | calls | nvme 2.3 | ratio |")
    print("|-|-|-|-|-|-|-|-|-|-|")
    for pair in pairs:
        print(pair.row())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="runs of each program (%(default)s)")
    parser.add_argument("--json", type=Path, default=Path("/results/benchmark.json"))
    args = parser.parse_args()

    with Lab(Topology.one_per_link(LINKS, rate="100mbit")) as lab:
        pairs = listing_pairs(lab, args.runs)
    show_pairs(pairs, args.runs)
    args.json.write_text(json.dumps({"pairs": [asdict(pair) for pair in pairs]}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
