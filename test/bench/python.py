#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What Python costs beside the command: all properties of many controllers, and a big snapshot.

Each pair of programs is measured in turns, so that both meet the machine in the same mood. Python's
start, which a script pays once, stands in a column of its own.
"""

import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import bench

CONTROLLERS = 4000
SOCKETS = 8000
IPPROTO_MPTCP = 262

#: Programs print how much they saw, and what that cost in CPU time.
EVERYTHING = """
import time
from libnvme import nvme

began = time.process_time()
seen = 0
properties = [name for name, value in vars(nvme.ctrl).items() if isinstance(value, property)]
for host in nvme.root().hosts():
    for subsystem in host.subsystems():
        for ctrl in subsystem.controllers():
            seen += 1
            for name in properties:
                getattr(ctrl, name)
print(seen, time.process_time() - began)
"""

SNAPSHOT = """
import time
from libnvme import mptcp

began = time.process_time()
snapshot = mptcp.snapshot()
print(len(snapshot.userspace.connections), time.process_time() - began)
"""


@dataclass
class Pair:
    """What Python and the command that does the same cost, in seconds of CPU."""

    name: str
    start: float
    python: float
    command: float
    most: float
    """The ratio that is accepted."""

    @property
    def ratio(self) -> float:
        """How many times as much Python costs."""
        return self.python / self.command


def cost(source: str, n: int) -> tuple[float, float]:
    """Runs a Python program of those above: what its start and end cost, and what it measured."""
    before = bench.spent()
    python = [sys.executable, "-c", source]
    done = subprocess.run(python, capture_output=True, text=True, check=False)
    whole = bench.spent() - before
    if done.returncode:
        raise bench.BenchError(f"Python: {done.stderr.strip()}")
    seen, measured = done.stdout.split()
    if int(seen) != n:
        raise bench.BenchError(f"Python saw {seen}, not {n}")
    return whole - float(measured), float(measured)


def measure(name: str, source: str, command: bench.Command, runs: int, n: int, most: float) -> Pair:
    """Measures both in turns, after one run that warms the caches up."""
    cost(source, n)
    bench.cpu_seconds(command)
    costs = [(*cost(source, n), bench.cpu_seconds(command)) for _ in range(runs)]
    start, python, other = (statistics.median(column) for column in zip(*costs, strict=True))
    return Pair(name, start, python, other, most)


@contextmanager
def sockets(number: int) -> Iterator[None]:
    """Connections within this machine, in a network namespace of this program's own."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(number + 100, most), max(number + 100, most)))
    bench.run(["ip", "link", "set", "lo", "up"], "bringing the loopback link up")
    kept: list[socket.socket] = []
    try:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
        kept.append(listener)
        listener.bind(("127.0.0.1", 4420))
        listener.listen(128)
        for _ in range(number // 2):
            client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
            client.connect(("127.0.0.1", 4420))
            server, _ = listener.accept()
            client.send(b"x")
            server.recv(1)
            kept += [client, server]
        yield
    except OSError as error:
        raise bench.BenchError(f"making MPTCP sockets: {error}") from error
    finally:
        for kept_one in kept:
            kept_one.close()


def controllers(build: Path, runs: int) -> Pair:
    """Every property of every controller; the command lists them all with what it knows."""
    command: bench.Command = [build / "nvme-cli/nvme", "list", "-v", "-o", "json"]
    with bench.sysfs(CONTROLLERS, 1):
        return measure(f"{CONTROLLERS} controllers", EVERYTHING, command, runs, CONTROLLERS, 1.5)


def snapshot(build: Path, runs: int) -> Pair:
    """A snapshot with sockets of processes."""
    command: bench.Command = [
        build / "nvme-cli/nvme", "mptcp", "show-subflows", "--userspace", "-o", "json",
    ]  # fmt: skip
    with sockets(SOCKETS):
        return measure(f"{SOCKETS} sockets", SNAPSHOT, command, runs, SOCKETS, 5)


def show(pairs: list[Pair]) -> None:
    print(f"{'':18}{'start s':>9}{'Python s':>10}{'nvme s':>8}{'ratio':>7}")
    for pair in pairs:
        verdict = "met" if pair.ratio <= pair.most else "missed"
        cells = f"{pair.start:9.3f}{pair.python:10.3f}{pair.command:8.3f}{pair.ratio:7.2f}"
        print(f"{pair.name:18}{cells}  {verdict}")


def main() -> int:
    """Returns 0 if no ratio is above what is accepted."""
    parser = bench.arguments("Measure what Python costs beside the command.", 7)
    args = parser.parse_known_args()[0]
    build = args.build.resolve()
    if not (build / "python/libnvme/nvme.py").exists():
        print("bench: skipped: this build has no Python module")
        return 0
    if os.geteuid():
        raise bench.BenchError("mounting over /sys and network namespaces need root")
    if not os.environ.get("BENCH_PYTHON_NAMESPACE"):
        os.environ["BENCH_PYTHON_NAMESPACE"] = "1"
        isolated = ["unshare", "--mount", "--net"]
        os.execvp(isolated[0], [*isolated, sys.executable, __file__, *sys.argv[1:]])
    began = time.monotonic()
    os.environ["PYTHONPATH"] = str(build / "python")
    with tempfile.TemporaryDirectory() as compiled:
        # modules are compiled once, as those are that are installed
        os.environ["PYTHONPYCACHEPREFIX"] = compiled
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        pairs = [controllers(build, args.runs), snapshot(build, args.runs)]
    show(pairs)
    print(f"{time.monotonic() - began:.0f} s in all")
    return int(any(pair.ratio > pair.most for pair in pairs))


if __name__ == "__main__":
    bench.end_with(main)
