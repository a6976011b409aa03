# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two network namespaces of this machine's kernel, joined by veth pairs, with MPTCP sockets.

The sockets are those of small processes. To the nvme command they look like the kernel's own when
it runs where it cannot see these processes: in a PID namespace.
"""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PORT = 4420
NUMBERS = itertools.count()
#: What a command begins with that sees no other process; it ends with the one that hides them.
HIDE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")

#: Calls serve() for each connection to an address (1), over a protocol (2), to a port (3).
LISTEN = """
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
listener = socket.socket(family, socket.SOCK_STREAM, int(sys.argv[2]))
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind((sys.argv[1], int(sys.argv[3])))
listener.listen(1024)
print("ready", flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
"""

SERVER = f"""
import socket, sys, threading
def serve(c):
    while data := c.recv(65536):
        c.sendall(data)
{LISTEN}"""

#: Answers ICReq with ICResp or what its fourth argument says, and waits for the end or "closes".
TARGET = f"""
import socket, sys, threading
answer = bytes.fromhex(sys.argv[4])
def serve(c):
    try:
        got = b""
        while len(got) < 128 and (data := c.recv(128 - len(got))):
            got += data
        if got[:8].hex() != "0000800080000000":
            return
        if answer:
            c.sendall(answer)
        while "closes" not in sys.argv and c.recv(4096):
            pass
    except OSError:
        pass
    finally:
        c.close()
{LISTEN}"""

#: The PDU, NVMe TCP Transport Specification: header, PFV 0, CPDA 0, no digests, MAXH2CDATA 128 KiB.
ICRESP = bytes([1, 0, 128, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]) + bytes(112)

CLIENT = f"""
import socket, sys, time
target, source, device, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
family = socket.AF_INET6 if ":" in target else socket.AF_INET
made = []
for _ in range(count):
    c = socket.socket(family, socket.SOCK_STREAM, 262)
    if device:
        c.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    if source:
        c.bind((source, 0))
    c.connect((target, {PORT}))
    made.append(c)
for _ in range(3):
    for c in made:
        c.sendall(b"x" * 20000)
        left = 20000
        while left:
            left -= len(c.recv(left))
    time.sleep(0.2)
print("ready", flush=True)
sys.stdin.read()
"""


@functools.cache
def why_not() -> str | None:
    """Why these tests cannot run here, or None."""
    if os.geteuid():
        return "network namespaces need root"
    if not Path("/proc/sys/net/mptcp").is_dir():
        return "this kernel has no MPTCP"
    for tool in ("ip", "unshare", "sysctl"):
        if not shutil.which(tool):
            return f"there is no {tool}"
    probe = subprocess.run(
        ["unshare", "-n", "ip", "link", "add", "type", "veth"], capture_output=True
    )
    return None if probe.returncode == 0 else f"no veth pairs: {probe.stderr.decode().strip()}"


def enter(side: str, *command: str | Path) -> list[str | Path]:
    """The command in a network namespace."""
    return ["ip", "netns", "exec", side, *command]


@contextmanager
def killed(*processes: subprocess.Popen[Any]) -> Iterator[subprocess.Popen[Any]]:
    """Processes that end with a block; the first one."""
    try:
        yield processes[0]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


class Network:
    """Namespaces host and target, with links eth1..ethN on both sides (10.77.i.2 and 10.77.i.1).

    @first are the limits that both have in the beginning. Without root or MPTCP a test is skipped.
    """

    def __init__(self, links: int = 4, *first: int) -> None:
        self.links = links
        self.first = first
        number = next(NUMBERS)
        self.host = f"nvme-host-{os.getpid()}-{number}"
        self.target = f"nvme-target-{os.getpid()}-{number}"
        self.running: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Network:
        if reason := why_not():
            import pytest

            pytest.skip(f"skipped: {reason}")
        try:
            self._build()
            if self.first:
                self.limits(*self.first)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._remove()

    @staticmethod
    def ip(*args: str, netns: str | None = None) -> None:
        """Run ip(8)."""
        where = ["-n", netns] if netns else []
        subprocess.run(["ip", *where, *args], check=True, capture_output=True)

    @staticmethod
    def batch(side: str, *lines: str) -> None:
        """Run ip(8) once for many commands in the namespace @side; the first that fails ends it."""
        subprocess.run(
            ["ip", "-n", side, "-batch", "-"],
            input="\n".join(lines), text=True, check=True, capture_output=True,
        )  # fmt: skip

    def _build(self) -> None:
        links = range(1, self.links + 1)
        for side in (self.host, self.target):
            self.ip("netns", "add", side)
            # The greater of "all" and the link's own counts, and links get theirs from "default".
            filters = [f"net.ipv4.conf.{conf}.rp_filter=0" for conf in ("all", "default")]
            self.sysctl(side, *filters, "net.mptcp.enabled=1")
        peer = f"type veth peer netns {self.target} name"
        self.batch(self.host, *(f"link add eth{i} {peer} eth{i}" for i in links))
        for side, last in ((self.target, 1), (self.host, 2)):
            up = [f"link set {name} up" for name in ("lo", *(f"eth{i}" for i in links))]
            self.batch(side, *(f"addr add 10.77.{i}.{last}/24 dev eth{i}" for i in links), *up)
        self.repair_routes()

    @contextmanager
    def changed(self, side: str, change: str, undo: str = "") -> Iterator[None]:
        """Change something with ip(8) or sysctl(8) for the time of a block; what it adds goes."""

        def do(command: str) -> None:
            if command.startswith("net."):
                self.sysctl(side, command)
            else:
                self.ip(*command.split(), netns=side)

        do(change)
        try:
            yield
        finally:
            do(undo or change.replace(" add ", " del ", 1))
            if undo.endswith(" up"):
                self.repair_routes()

    def rename(self, link: str, name: str) -> None:
        """Give a link of the host another name, which it can only have while it is down."""
        self.ip("link", "set", "dev", link, "down", netns=self.host)
        self.ip("link", "set", "dev", link, "name", name, netns=self.host)
        self.ip("link", "set", "dev", name, "up", netns=self.host)

    def repair_routes(self) -> None:
        """Give the host a default route by each link; a link that goes down loses its own."""
        links = range(1, self.links + 1)
        route = "route replace default via 10.77.{0}.1 dev eth{0} metric {1}"
        self.batch(self.host, *(route.format(i, 100 + i) for i in links))
        for side, last in ((self.target, 1), (self.host, 2)):
            address = f"addr replace fd77:{{0}}::{last}/64 dev eth{{0}} nodad"
            self.batch(side, *(address.format(i) for i in links))

    def _remove(self) -> None:
        self.stop()
        for side in (self.host, self.target):
            subprocess.run(["ip", "netns", "del", side], capture_output=True, check=False)

    def sysctl(self, side: str, *settings: str) -> None:
        """Set sysctls on one side."""
        subprocess.run(enter(side, "sysctl", "-qw", *settings), check=True)

    def limits(self, subflows: int, accepted: int) -> None:
        """Set the path manager's limits on both sides."""
        for side in (self.host, self.target):
            wanted = ["subflows", str(subflows), "add_addr_accepted", str(accepted)]
            self.ip("mptcp", "limits", "set", *wanted, netns=side)

    def endpoint(self, side: str, address: str, *more: str) -> None:
        """Add an endpoint."""
        self.ip("mptcp", "endpoint", "add", address, *more, netns=side)

    def subflows_by(self, *links: int, more: str = "subflow") -> None:
        """Add an endpoint of the host on each of these links."""
        for i in links:
            self.endpoint(self.host, f"10.77.{i}.2", "dev", f"eth{i}", *more.split())

    def announce_by(self, *links: int) -> None:
        """Have the target announce its address on each of these links."""
        for i in links:
            self.endpoint(self.target, f"10.77.{i}.1", "dev", f"eth{i}", "signal")

    def notes(self, side: str, name: str = "netns") -> list[Path]:
        """What programs keep of this network namespace below /run."""
        ask = "import socket; print(int.from_bytes(socket.socket().getsockopt(1, 71, 8), 'little'))"
        cookie = subprocess.check_output(enter(side, sys.executable, "-c", ask), text=True)
        return sorted(Path("/run/nvme-mptcp").glob(f"{name}-{int(cookie)}*"))

    def _start(self, side: str, script: str, *args: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            enter(side, sys.executable, "-c", script, *args),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.running.append(process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n", "the socket process ended early"
        return process

    def serve(
        self, address: str = "0.0.0.0", protocol: int = 262, port: int = PORT
    ) -> subprocess.Popen[str]:
        """Accept connections on the target."""
        return self._start(self.target, SERVER, address, str(protocol), str(port))

    def answer(
        self, address: str = "0.0.0.0", protocol: int = 262, what: bytes = ICRESP, end: str = ""
    ) -> subprocess.Popen[str]:
        """Accept connections on the target as an NVMe/TCP target, up to its first answer."""
        return self._start(self.target, TARGET, address, str(protocol), str(PORT), what.hex(), end)

    def connect(
        self, target: str, count: int = 1, source: str = "", device: str = ""
    ) -> subprocess.Popen[str]:
        """Connect @count MPTCP sockets from the host; they live until stop()."""
        return self._start(self.host, CLIENT, target, source, device, str(count))

    def connections(self, count: int = 1, protocol: int = 262) -> subprocess.Popen[str]:
        """Serve on the target, and connect @count sockets to its first address."""
        self.serve(protocol=protocol)
        return self.connect("10.77.1.1", count)

    def ss(self, side: str, *what: str) -> str:
        """Sockets of one side."""
        return subprocess.check_output(enter(side, "ss", *what), text=True)

    def subflows(self, side: str) -> int:
        """Established TCP sockets that are part of an MPTCP connection."""
        return self.ss(side, "-HtniO", "state", "established").count("tcp-ulp-mptcp")

    def wait_for_subflows(self, count: int) -> None:
        """Wait until the host has this many established, and name those that it has if not."""
        deadline = time.monotonic() + 30
        while self.subflows(self.host) != count:
            assert time.monotonic() < deadline, self.ss(self.host, "-tniOM")
            time.sleep(0.1)

    def stop(self, process: subprocess.Popen[str] | None = None) -> None:
        """End one process of sockets, or all."""
        for each in [process] if process else list(self.running):
            each.kill()
            each.wait()
            for pipe in (each.stdin, each.stdout):
                if pipe:
                    pipe.close()
            self.running.remove(each)
        if not process:
            for side in (self.host, self.target):
                subprocess.run(
                    ["ip", "-n", side, "mptcp", "endpoint", "flush"], capture_output=True
                )
