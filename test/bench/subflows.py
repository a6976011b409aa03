#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What showing the subflows of many connections costs, beside `ss` on the same sockets.

The sockets are real ones of the running kernel, in two network namespaces of this program's own:
one has the ends that are measured, the other those that they are connected to. It needs root, a
kernel with MPTCP, iproute2, and some 30 KiB of the kernel's memory for each connection.
"""

import argparse
import ctypes
import json
import os
import platform
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path

from bench import BenchError, arguments, end_with, show

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
IPPROTO_MPTCP = 262
PORT = 4420
SUBFLOWS = 7
CONNECTIONS = (1000, 10000)

#: The CPU time of ``ss``. By the clock it is the same on a machine with nothing else to do.
GOAL = 1.0

#: What ten times the connections may cost at most, in multiples of ten times the time.
LINEAR = 1.3

#: Subflows form one after another; a busy machine takes its time.
PATIENCE_S = 300

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass
class Times:
    """What a program took, run by run: seconds of CPU, seconds by the clock."""

    cpu: list[float] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)

    def cells(self) -> list[str]:
        """Median and spread of both."""
        cells = []
        for seconds in (self.cpu, self.clock):
            cells += [f"{statistics.median(seconds):.3f}", f"{min(seconds):.3f}-{max(seconds):.3f}"]
        return cells


@dataclass
class Measure:
    """What both programs took for one number of connections."""

    connections: int
    subflows: int
    nvme: Times = field(default_factory=Times)
    ss: Times = field(default_factory=Times)
    peak_kib: int = 0

    @property
    def ratio(self) -> float:
        """How many times the CPU time of ``ss`` ours takes."""
        return statistics.median(self.nvme.cpu) / statistics.median(self.ss.cpu)

    @property
    def clock_ratio(self) -> float:
        """The same by the clock."""
        return statistics.median(self.nvme.clock) / statistics.median(self.ss.clock)

    def rows(self) -> list[list[str]]:
        name = f"{self.connections} x {self.subflows // self.connections}"
        ratios = [f"{self.ratio:.2f}", f"{self.clock_ratio:.2f}"]
        verdict = "met" if self.ratio <= GOAL else "missed"
        return [
            [name, "nvme", *self.nvme.cells(), *ratios, verdict, f"{self.peak_kib / 1024:.0f}"],
            ["", "ss", *self.ss.cells(), "", "", "", ""],
        ]


HEADINGS = ["subflows", "", "CPU s", "spread", "clock s", "spread", "ratio", "clock", "", "MiB"]


def unshare() -> None:
    """Enters a new network namespace."""
    if _libc.unshare(CLONE_NEWNET):
        number = ctypes.get_errno()
        raise BenchError(f"a new network namespace: {os.strerror(number)}")


def ip(*lines: str) -> None:
    """Runs lines of `ip` in the namespace that this process is in."""
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(
        ["ip", "-batch", "-"], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchError(f"ip: {done.stderr.strip()}")


def open_files(count: int) -> None:
    """Lets this process have that many sockets."""
    wanted = count + 100
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
    except (OSError, ValueError) as error:
        raise BenchError(f"{wanted} open files: {error} (/proc/sys/fs/nr_open)") from None


def end_with_parent() -> None:
    """Has the kernel end this process, and so its sockets, with the one that started it."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def serve(ready: Connection, connections: int) -> None:
    """The other ends: accepts the connections, answers a byte on each, and keeps them."""
    end_with_parent()
    unshare()
    open_files(connections)
    ip("link set lo up", "mptcp limits set subflows 8")
    ready.send(os.getpid())
    ready.recv()
    ip("address add 10.9.0.254/16 dev s0", "link set s0 up")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP) as listener:
        listener.bind(("10.9.0.254", PORT))
        listener.listen(128)
        ready.send("listening")
        kept = []
        for _ in range(connections):
            peer, _address = listener.accept()
            peer.sendall(peer.recv(1))
            kept.append(peer)
        signal.pause()


def hold(ready: Connection, connections: int, subflows: int) -> None:
    """The ends that are measured: connects, and keeps the connections until it is killed."""
    end_with_parent()
    unshare()
    open_files(connections)
    ours, theirs = Pipe()
    server = Process(target=serve, args=(theirs, connections))
    server.start()
    pid = ours.recv()
    ip(
        "link set lo up",
        f"link add c0 type veth peer name s0 netns {pid}",
        *(f"address add 10.9.0.{i}/16 dev c0" for i in range(1, subflows + 1)),
        "link set c0 up",
        "mptcp limits set subflows 8 add_addr_accepted 0",
        *(f"mptcp endpoint add 10.9.0.{i} dev c0 subflow" for i in range(2, subflows + 1)),
    )
    # every connection has a port of its own here
    Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("1024 65535\n")
    ours.send("the link is there")
    ours.recv()
    kept = []
    for _ in range(connections):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
        sock.connect(("10.9.0.254", PORT))
        sock.sendall(b"x")
        if sock.recv(1) != b"x":
            raise BenchError("the other end closed a connection")
        kept.append(sock)
    ready.send((os.getpid(), pid))
    signal.pause()


def wait_for_end(pid: int) -> None:
    """Waits until a process is gone, and its sockets with it."""
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.05)


def enter(pid: int) -> None:
    """Enters the network namespace of a process."""
    fd = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.setns(fd, CLONE_NEWNET):
            raise BenchError(f"network namespace of {pid}: {os.strerror(ctypes.get_errno())}")
    finally:
        os.close(fd)


def run(command: Sequence[str | Path], output: Path, times: Times | None = None) -> int:
    """Runs a program, notes what it took, and returns its greatest resident size in KiB."""
    with output.open("wb") as file:
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=file)
        _pid, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BenchError(f"{command[0]} ended with status {process.returncode}")
    if times:
        times.cpu.append(usage.ru_utime + usage.ru_stime)
        times.clock.append(took)
    return int(usage.ru_maxrss)


def established(output: Path) -> int:
    """How many established TCP sockets `ss` shows."""
    with output.open("rb") as file:
        return sum(line.startswith(b"tcp") and b" ESTAB " in line for line in file)


def wait_for_subflows(connections: int, subflows: int, output: Path) -> None:
    """Waits until all subflows are there."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        run(["ss", "-HtMn"], output)
        found = established(output)
        if found == connections * subflows:
            return
        if time.monotonic() > deadline:
            raise BenchError(f"{found} of {connections * subflows} subflows formed")
        time.sleep(0.5)


def see_all(output: Path, connections: int, subflows: int) -> None:
    """Sees that nothing is missing from what is measured.

    In a process of its own: the size of this one counts as that of the programs that it starts.
    """
    document = json.loads(output.read_text())
    held = document["userspace"]
    found = held["connections_found"], held["subflows_found"]
    if found != (connections, connections * subflows) or document["problems"]:
        raise BenchError(f"{found} connections and subflows shown, {document['problems']}")
    states = [s["state"] for c in held["connections"] for s in c["subflows"]]
    if states.count("ESTAB") != connections * subflows:
        raise BenchError(f"{states.count('ESTAB')} established subflows shown")


@contextmanager
def held(connections: int, scratch: Path) -> Iterator[None]:
    """Connections with all their subflows, in whose network namespace this process then is."""
    mine, other = Pipe()
    holder = Process(target=hold, args=(other, connections, SUBFLOWS))
    holder.start()
    other.close()
    server = 0
    try:
        try:
            pid, server = mine.recv()
        except EOFError:
            raise BenchError("the connections could not be made") from None
        enter(pid)
        wait_for_subflows(connections, SUBFLOWS, scratch / "ss")
        yield
    finally:
        holder.kill()
        holder.join()
        if server:
            wait_for_end(server)


def measure(nvme: Path, connections: int, runs: int, scratch: Path) -> Measure:
    """Opens the connections, and runs both programs in turns."""
    ours: list[str | Path] = [nvme, "mptcp", "show-subflows", "--userspace", "-o", "json"]
    theirs: list[str | Path] = ["ss", "-tMni"]
    result = Measure(connections, connections * SUBFLOWS)
    with held(connections, scratch):
        run(ours, scratch / "nvme")
        run(theirs, scratch / "ss")
        checker = Process(target=see_all, args=(scratch / "nvme", connections, SUBFLOWS))
        checker.start()
        checker.join()
        if checker.exitcode:
            raise BenchError("something is missing from what was to be measured")
        for _ in range(runs):
            result.peak_kib = max(result.peak_kib, run(ours, scratch / "nvme", result.nvme))
            run(theirs, scratch / "ss", result.ss)
    return result


def growth(measures: Sequence[Measure]) -> float:
    """How much longer the last takes than its size tells, compared with the first."""
    first, last = measures[0], measures[-1]
    times = statistics.median(last.nvme.cpu) / statistics.median(first.nvme.cpu)
    return times / (last.connections / first.connections)


def parse() -> argparse.Namespace:
    parser = arguments("Measure nvme mptcp show-subflows beside ss on the same sockets.", 11)
    parser.add_argument(
        "--connections", type=int, nargs="+", default=CONNECTIONS, help="numbers of connections"
    )
    return parser.parse_known_args()[0]


def main() -> int:
    """Measures everything and says whether the goals were met."""
    args = parse()
    nvme = args.build / "nvme-cli/nvme"
    if not nvme.exists():
        raise BenchError(f"{args.build}: no build; run make, or give --build")
    if os.geteuid() != 0:
        raise BenchError("network namespaces need root")
    if not shutil.which("ss"):
        raise BenchError("ss is missing: install iproute2")
    if not Path("/proc/sys/net/mptcp").exists():
        raise BenchError("this kernel has no MPTCP")
    with tempfile.TemporaryDirectory() as scratch:
        measures = [measure(nvme, n, args.runs, Path(scratch)) for n in sorted(args.connections)]
    show([HEADINGS, *(row for m in measures for row in m.rows())], 2)
    grown = growth(measures)
    times = measures[-1].connections / measures[0].connections
    if len(measures) > 1:
        print(f"{times:g} times the connections take {times * grown:.1f} times as long")
    version = subprocess.run(["ss", "-V"], capture_output=True, text=True, check=True).stdout
    print(f"Linux {platform.release()}, {version.strip()}")
    document = {"kernel": platform.release(), "measures": [asdict(m) for m in measures]}
    (args.build / "bench-subflows.json").write_text(json.dumps(document, indent=1) + "\n")
    return int(any(m.ratio > GOAL for m in measures) or grown > LINEAR)


if __name__ == "__main__":
    end_with(main)
