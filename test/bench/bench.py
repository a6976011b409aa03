#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What scanning many controllers and reading a large configuration cost.

Trees of /sys are made up in memory and bind-mounted over /sys in a mount namespace of this
program's own, so it needs root. Debian's nvme is measured in the same run; it is unpacked into a
cache and never installed.
"""

import argparse
import json
import os
import platform
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NoReturn

from make_sysfs import HOSTID, HOSTNQN

HERE = Path(__file__).resolve().parent
CONTROLLERS = (100, 1000, 4000, 10000)
NAMESPACES = 2
PORTS = 16000

#: Seconds of CPU on a core of 2.5 GHz.
TARGETS = {"scan 4000": 0.12, "scan 10000": 0.35, "config 1": 0.2, "config 4000": 0.2}

#: Debian 13 calls the library libnvme1t64; libnvme1 is a name there that it provides.
REFERENCE = ("nvme-cli", '?and(?name("^libnvme1(t64)?$"), ?not(?virtual))')

Command = Sequence[str | Path]


class BenchError(Exception):
    """Something that cannot be measured, and why."""


class TooLong(Exception):
    """A program used up the CPU time that it was given."""


@dataclass
class Measure:
    """What one program cost with one input."""

    name: str
    seconds: float
    runs: int
    target: float | None = None
    reference: float | None = None
    reference_ended: bool = True
    calls: dict[str, float] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """How many times as long Debian's nvme took."""
        return self.reference / self.seconds if self.reference else None

    def cells(self) -> list[str]:
        total = sum(self.calls.values())
        at_least = "" if self.reference_ended else ">"
        return [
            self.name,
            f"{self.seconds:.3f}",
            "" if self.target is None else f"{self.target:.2f}",
            "" if self.target is None else ("met" if self.seconds <= self.target else "missed"),
            f"{total:.1f}" if total else "",
            "" if self.reference is None else f"{at_least}{self.reference:.3f}",
            "" if self.ratio is None else f"{at_least}{self.ratio:.0f}",
        ]


HEADINGS = ["", "CPU s", "target", "", "calls/ctrl", "nvme 2.3 s", "ratio"]


def spent() -> float:
    """The user and system time of programs that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cpu_seconds(command: Command, limit: int | None = None) -> float:
    """Runs a program with its output thrown away; returns its user and system time."""
    before = spent()
    bounded = ["prlimit", f"--cpu={limit}", *command] if limit else command
    done = subprocess.run(bounded, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = spent()
    if limit and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise TooLong
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise BenchError(f"{command[0]} ended with status {done.returncode}: {said}")
    return after - before


def median_seconds(command: Command, runs: int) -> float:
    """Runs a program several times, after one run that warms the caches up."""
    cpu_seconds(command)
    return statistics.median(cpu_seconds(command) for _ in range(runs))


def system_calls(command: Command, controllers: int) -> dict[str, float]:
    """Counts a program's system calls by name, for each controller; {} without strace."""
    if not shutil.which("strace"):
        return {}
    with tempfile.NamedTemporaryFile("r") as counts:
        strace = ["strace", "-f", "-c", "-U", "name,calls", "-o", counts.name]
        subprocess.run([*strace, *command], stdout=subprocess.DEVNULL, check=True)
        found = re.findall(r"^(\w+) +(\d+)$", counts.read(), re.M)
    return {
        name: int(calls) / controllers
        for name, calls in found
        if name != "total" and int(calls) >= controllers / 10
    }


def run(command: Command, what: str, cwd: Path | None = None) -> None:
    """Runs a tool that has to succeed."""
    try:
        subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        raise BenchError(f"{what}: {command[0]} is not installed") from None
    except subprocess.CalledProcessError as error:
        raise BenchError(f"{what}: {error.stderr.strip()}") from None


def reference(cache: Path) -> Command:
    """Returns the command that runs Debian's nvme; it is fetched the first time."""
    try:
        release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:
        release = ""
    top = cache / f"nvme-reference-{release}"
    program = top / "usr/sbin/nvme"
    if not program.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            download = ["apt-get", "download", "--quiet", "-o", "APT::Sandbox::User=", *REFERENCE]
            run(download, "fetching Debian's nvme", Path(scratch))
            for package in Path(scratch).glob("*.deb"):
                run(["dpkg", "-x", package, top], f"unpacking {package.name}")
    library = next(top.glob("usr/lib/*/libnvme.so.1")).parent
    return ["env", f"LD_LIBRARY_PATH={library}", program]


@contextmanager
def sysfs(controllers: int, per_subsystem: int) -> Iterator[None]:
    """Puts a made-up tree in place of /sys."""
    with tempfile.TemporaryDirectory() as top:
        # every hard link counts as an inode there
        run(["mount", "-t", "tmpfs", "-o", "nr_inodes=0,mode=755", "bench", top], "tmpfs")
        try:
            make = [sys.executable, str(HERE / "make_sysfs.py"), f"{top}/tree"]
            numbers = [f"--controllers={controllers}", f"--per-subsystem={per_subsystem}"]
            run([*make, *numbers, f"--namespaces={NAMESPACES}"], "making a tree")
            run(["mount", "--bind", f"{top}/tree/sys", "/sys"], "mounting over /sys")
            try:
                yield
            finally:
                run(["umount", "/sys"], "unmounting /sys")
        finally:
            run(["umount", top], "unmounting the tree")


def measure_scan(
    build: Path, debian: Command | None, controllers: int, args: argparse.Namespace
) -> Measure:
    """Lists all subsystems as JSON."""
    list_subsys = ["list-subsys", "-o", "json"]
    ours: Command = [build / "nvme-cli/nvme", *list_subsys]
    name = f"scan {controllers}"
    with sysfs(controllers, args.per_subsystem):
        measure = Measure(name, median_seconds(ours, args.runs), args.runs, TARGETS.get(name))
        measure.calls = system_calls(ours, controllers)
        if debian:
            try:
                measure.reference = cpu_seconds([*debian, *list_subsys], args.patience)
            except TooLong:
                measure.reference, measure.reference_ended = float(args.patience), False
    return measure


def make_config(path: Path, subsystems: int) -> None:
    """Writes a configuration of PORTS ports that are spread evenly over subsystems."""
    ports = [
        {
            "transport": "mptcp" if i % 2 else "tcp",
            "traddr": f"10.{i // 62500}.{i // 250 % 250}.{i % 250 + 1}",
            "trsvcid": "4420",
            "ctrl_loss_tmo": 1800,
        }
        for i in range(PORTS)
    ]
    each = PORTS // subsystems
    host = {
        "hostnqn": HOSTNQN,
        "hostid": HOSTID,
        "subsystems": [
            {"nqn": f"nqn.2024-01.org.example:bench.{n}", "ports": ports[n * each : (n + 1) * each]}
            for n in range(subsystems)
        ],
    }
    path.write_text(json.dumps([host], indent=2))


def measure_config(build: Path, subsystems: int, runs: int) -> Measure:
    name = f"config {subsystems}"
    with tempfile.TemporaryDirectory() as top:
        path = Path(top, "config.json")
        make_config(path, subsystems)
        command = [build / "test/bench/bench-config", path]
        return Measure(name, median_seconds(command, runs), runs, TARGETS[name])


def note(text: str) -> None:
    """Tells something beside the table."""
    sys.stderr.write(f"bench: {text}\n")


def show(rows: Sequence[Sequence[str]], names: int = 1) -> None:
    """Prints a table, whose first columns are names."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        cells[:names] = map(str.ljust, row[:names], widths)
        print("  ".join(cells).rstrip())


def processor() -> str:
    """The name of the processor and how fast it runs."""
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"^model name\s*: (.*)$", text, re.M)
    speed = re.search(r"^cpu MHz\s*: (.*)$", text, re.M)
    return f"{name[1] if name else platform.machine()}, {float(speed[1]) if speed else 0:.0f} MHz"


def save(path: Path, measures: Sequence[Measure]) -> None:
    document = {
        "processor": processor(),
        "kernel": platform.release(),
        "measures": [{**asdict(measure), "ratio": measure.ratio} for measure in measures],
    }
    path.write_text(json.dumps(document, indent=1) + "\n")


def own_namespace() -> None:
    """Starts this program again in a mount namespace of its own."""
    if os.environ.get("BENCH_NAMESPACE"):
        return
    if os.geteuid() != 0:
        raise BenchError("mounting over /sys needs root")
    os.environ["BENCH_NAMESPACE"] = "1"
    os.execvp("unshare", ["unshare", "--mount", sys.executable, __file__, *sys.argv[1:]])


def arguments(description: str, runs: int, target: str = "goal") -> argparse.ArgumentParser:
    """What all programs are told; test/bench/run gives all of them the same arguments."""
    parser = argparse.ArgumentParser(
        description=description,
        epilog=f"Exit status: 0, 1 if a {target} was missed, 2 if something could not be measured.",
    )
    build = Path(os.environ.get("BUILD", HERE.parents[1] / "build"))
    parser.add_argument("--build", type=Path, default=build, help="build directory (%(default)s)")
    parser.add_argument("--runs", type=int, default=runs, help="runs per median (%(default)s)")
    return parser


def end_with(main: Callable[[], int]) -> NoReturn:
    """Ends with the exit status of a program, 2 if it could not measure."""
    try:
        sys.exit(main())
    except BenchError as error:
        note(str(error))
        sys.exit(2)


def parse() -> argparse.Namespace:
    what = "Measure the CPU time of scanning /sys and of reading a configuration."
    parser = arguments(what, 9, "target")
    parser.prog = "test/bench/run"
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "nvme-mptcp-bench")
    parser.add_argument("--cache", type=Path, default=cache, help="for Debian's nvme (%(default)s)")
    parser.add_argument(
        "--patience", type=int, default=100, metavar="SECONDS",
        help="CPU time that Debian's nvme may take for a tree (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--no-reference", action="store_true", help="leave Debian's nvme out")
    parser.add_argument("--per-subsystem", type=int, default=1, metavar="N", help="(%(default)s)")
    parser.add_argument(
        "--controllers", type=int, nargs="+", default=CONTROLLERS, help="sizes of the trees"
    )
    parser.add_argument(
        "--connections", type=int, nargs="+", help="numbers of MPTCP connections, for subflows.py"
    )
    return parser.parse_args()


def main() -> int:
    """Measures everything and says whether the targets were met."""
    args = parse()
    own_namespace()
    if not (args.build / "test/bench/bench-config").exists():
        raise BenchError(f"{args.build}: no build with benchmarks; run make, or give --build")
    began = time.monotonic()
    debian = None if args.no_reference else reference(args.cache)
    measures = [measure_scan(args.build, debian, n, args) for n in args.controllers]
    measures += [measure_config(args.build, n, args.runs) for n in (1, 4000)]
    show([HEADINGS, *(measure.cells() for measure in measures)])
    print(f"{processor()}; {time.monotonic() - began:.0f} s in all")
    save(args.build / "bench.json", measures)
    return int(any(m.target is not None and m.seconds > m.target for m in measures))


if __name__ == "__main__":
    end_with(main)
