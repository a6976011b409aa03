#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a pair of relays costs, beside pairs of other proxies, over unlimited veth links.

Two network namespaces stand for host and target. Clients on the host and a server on the target use
plain TCP; what is between them is nothing, `nvme mptcp relay` on both sides (MPTCP over four links;
plain TCP where the host has MPTCP disabled), or a proxy of others on both sides (TCP over one link,
all that they can do). haproxy and systemd-socket-proxyd are measured where they are installed;
Debian has both.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

from mptcp_net import PORT, Network, why_not  # noqa: E402 (a module of test/cli)

LINKS = 4
QUEUES = 4
#: Where the proxies of others listen.
OTHER = 4421
PORTAL = "10.77.1.1"
PROXYD = Path("/lib/systemd/systemd-socket-proxyd")
TICKS = os.sysconf("SC_CLK_TCK")

#: The first byte of a connection says what it does: read all, write, or answer requests.
SERVER = """
import socket, sys, threading
def serve(c):
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    what, block = c.recv(1), memoryview(bytearray(1 << 20))
    try:
        while True:
            if what == b"r":
                c.sendall(block)
            elif what == b"w":
                if not c.recv_into(block):
                    return
            else:
                if not c.recv(72, socket.MSG_WAITALL):
                    return
                c.sendall(block[:4096])
    except OSError:
        pass
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind((sys.argv[1], int(sys.argv[2])))
listener.listen(64)
print("ready", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""

#: Prints how many bytes, or requests, one connection did in so many seconds.
CLIENT = """
import socket, sys, time
c = socket.create_connection((sys.argv[1], int(sys.argv[2])), 20)
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
what, seconds = sys.argv[3], float(sys.argv[4])
c.sendall(what.encode())
block, n = memoryview(bytearray(1 << 20)), 0
end = time.monotonic() + seconds
while time.monotonic() < end:
    if what == "r":
        n += c.recv_into(block)
    elif what == "w":
        n += c.send(block)
    else:
        c.sendall(block[:72])
        n += len(c.recv(4096, socket.MSG_WAITALL)) // 4096
print(n)
"""

HAPROXY = """
global
    maxconn 100
    {splice}
defaults
    mode tcp
    {option}
    timeout connect 5s
    timeout client 1h
    timeout server 1h
listen l
    bind {listen}
    server s {to}
"""


def inside(side: str, *command: str | Path) -> list[str]:
    """Returns the command line that runs a command in a namespace."""
    return ["ip", "netns", "exec", side, *map(str, command)]


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """Returns the processor time of a process, its threads and the children it has."""
    pids = [process.pid]
    for pid in pids:
        pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


@contextmanager
def started(command: list[str], ready: str = "") -> Iterator[subprocess.Popen[str]]:
    """Runs a program, from when it prints a word, or for half a second."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout
        if ready:
            lines = iter(process.stdout.readline, "")
            said = []
            for line in lines:
                said.append(line)
                if ready in line:
                    break
            else:
                raise SystemExit(f"{command}: {''.join(said)}")
        else:
            time.sleep(0.5)
            if process.poll() is not None:
                raise SystemExit(f"{command}: {process.stdout.read()}")
        yield process
    finally:
        process.terminate()
        process.wait()


Processes = list[subprocess.Popen[str]]


def relays(net: Network, stack: ExitStack, nvme: Path, mptcp: bool = True) -> tuple[str, Processes]:
    """Starts a relay on each side; clients connect to the target's address."""
    net.sysctl(net.host, f"net.mptcp.enabled={int(mptcp)}")
    net.limits(8, 8)
    for link in range(2, LINKS + 1):
        net.endpoint(net.target, f"10.77.{link}.1", "signal")
    relay = (nvme, "mptcp", "relay")
    both = (
        inside(net.target, *relay, "--port", str(PORT)),
        inside(net.host, *relay, "--portal", f"{PORTAL}:{PORT}"),
    )
    return f"{PORTAL} {PORT}", [stack.enter_context(started(c, "Relaying")) for c in both]


def haproxies(
    net: Network, stack: ExitStack, splice: str = "", option: str = ""
) -> tuple[str, Processes]:
    """Starts haproxy on each side, with its defaults unless options are given."""
    running = []
    for side, listen, to in ways(net):
        config = stack.enter_context(tempfile.NamedTemporaryFile("w", suffix=".cfg"))
        config.write(HAPROXY.format(listen=listen, to=to, splice=splice, option=option))
        config.flush()
        running.append(
            stack.enter_context(started(inside(side, "haproxy", "-db", "-f", config.name)))
        )
    return f"127.0.0.1 {OTHER}", running


def proxyds(net: Network, stack: ExitStack) -> tuple[str, Processes]:
    """Starts systemd-socket-proxyd on each side, as a socket unit does: SIGPIPE would end it."""
    activate = ("env", "--ignore-signal=PIPE", "systemd-socket-activate", "-l")
    running = [
        stack.enter_context(started(inside(side, *activate, listen, PROXYD, to)))
        for side, listen, to in ways(net)
    ]
    return f"127.0.0.1 {OTHER}", running


def ways(net: Network) -> list[tuple[str, str, str]]:
    """Returns for each proxy of a pair its namespace, where it listens, and where it connects."""
    return [
        (net.target, f"{PORTAL}:{OTHER}", f"{PORTAL}:{PORT}"),
        (net.host, f"127.0.0.1:{OTHER}", f"{PORTAL}:{OTHER}"),
    ]


Way = Callable[[Network, ExitStack], tuple[str, Processes]]


def all_ways(nvme: Path) -> dict[str, Way]:
    """Returns what is measured."""
    found: dict[str, Way] = {
        "direct": lambda net, stack: (f"{PORTAL} {PORT}", []),
        "relay": lambda net, stack: relays(net, stack, nvme),
        "relay, plain TCP": lambda net, stack: relays(net, stack, nvme, False),
    }
    if shutil.which("haproxy"):
        found["haproxy"] = haproxies
        found["haproxy, splice"] = lambda net, stack: haproxies(
            net, stack, "tune.pipesize 1048576", "option splice-auto"
        )
    if PROXYD.exists() and shutil.which("systemd-socket-activate"):
        found["socket-proxyd"] = proxyds
    return found


def load(net: Network, where: str, what: str, count: int, seconds: float) -> int:
    """Runs clients at once and returns the sum of what they did."""
    command = inside(net.host, sys.executable, "-c", CLIENT, *where.split(), what, str(seconds))
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    return sum(int(process.communicate(timeout=seconds + 60)[0]) for process in running)


def measure(way: Way, seconds: float) -> dict[str, float]:
    """Measures one way once: GiB/s and CPU seconds per GiB of both directions, µs of a request."""
    numbers = {}
    with Network(LINKS) as net, ExitStack() as stack:
        net._start(net.target, SERVER, PORTAL, str(PORT))
        where, proxies = way(net, stack)
        for what in ("r", "w"):
            load(net, where, what, QUEUES, 0.5)
            before = sum(map(cpu_seconds, proxies))
            gib = load(net, where, what, QUEUES, seconds) / 2**30
            numbers[f"{what} GiB/s"] = gib / seconds
            numbers[f"{what} s/GiB"] = (sum(map(cpu_seconds, proxies)) - before) / gib
        numbers["µs"] = seconds / load(net, where, "q", 1, seconds) * 1e6
    return numbers


def main() -> int:
    """Measures all ways in turns and prints the medians."""
    parser = argparse.ArgumentParser(
        description="Measure a pair of relays beside other pairs of proxies, over veth links.",
        epilog="s/GiB is the processor time of both proxies; µs is a request of 72 bytes with an "
        "answer of 4 KiB, one at a time. Exit status: 0, 1 if a run failed, 2 if nothing can be "
        "measured.",
    )
    build = Path(os.environ.get("BUILD", HERE.parents[1] / "build"))
    parser.add_argument("--build", type=Path, default=build, help="build directory (%(default)s)")
    parser.add_argument("--runs", type=int, default=5, help="runs per median (%(default)s)")
    parser.add_argument("--seconds", type=float, default=3, help="of each load (%(default)s)")
    args = parser.parse_args()
    if reason := why_not():
        print(f"relay.py: {reason}", file=sys.stderr)
        return 2
    found = all_ways(args.build.resolve() / "nvme-cli/nvme")
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in found}
    for _ in range(args.runs):
        for name, way in found.items():
            try:
                runs[name].append(measure(way, args.seconds))
            except ValueError:  # a client that failed prints no number
                print(f"relay.py: {name}: one run failed and does not count", file=sys.stderr)
    complete = all(len(rows) == args.runs for rows in runs.values())
    runs = {name: rows for name, rows in runs.items() if rows}
    if not runs:
        return 2
    columns = list(next(iter(runs.values()))[0])
    print(f"{'':18}" + "".join(f"{column:>10}" for column in columns))
    for name, rows in runs.items():
        medians = (statistics.median(row[column] for row in rows) for column in columns)
        print(f"{name:18}" + "".join(f"{m:10.0f}" if m >= 10 else f"{m:10.2f}" for m in medians))
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
