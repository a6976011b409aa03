# SPDX-License-Identifier: LGPL-2.1-or-later
"""Namespaces of this machine's kernel, joined as a shape wants, and what their kernel shows.

Nothing here asks the program under test: subflows are read with ss(8), and the interface that each
one uses is where its SYN was seen to leave and its answer to come in.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

PORT = 4420
AGENT = Path(__file__).with_name("shape_agent.py")
NUMBERS = itertools.count()

#: How long subflows may take to come about, and how long none may come on top.
FORM_SECONDS = 3.0
QUIET_SECONDS = 0.2

SUBFLOW = re.compile(r"tcp-ulp-mptcp flags:(\S+) token:[0-9a-f]+\(id:\d+\)/([0-9a-f]+)\(id:(\d+)\)")


#: What tools/setup installs; without them nothing is proved, which is a failure.
TOOLS = ("ip", "ss", "tc", "nstat", "unshare", "sysctl", "nft", "iptables")


def missing_tools() -> list[str]:
    """Programs that are to be there on a machine that the set-up prepared."""
    return [tool for tool in TOOLS if not shutil.which(tool)]


def why_not() -> str | None:
    """Why shapes cannot be built on this machine, whatever is installed; or None."""
    if os.geteuid():
        return "network namespaces need root"
    if not Path("/proc/sys/net/mptcp").is_dir():
        return "this kernel has no MPTCP"
    probe = subprocess.run(["unshare", "-n", "true"], capture_output=True, text=True)
    if probe.returncode:
        return f"no network namespaces (CAP_SYS_ADMIN): {probe.stderr.strip()}"
    return lacks("veth")


@cache
def lacks(kind: str) -> str | None:
    """Why this kernel has no devices, or no firewall, of this kind; or None."""
    pair = "link add test0 type veth peer name test1"
    words = {
        "veth": pair,
        "bridge": "link add test0 type bridge",
        "dummy": "link add test0 type dummy",
        "bond": "link add test0 type bond",
        "tun": "tuntap add dev test0 mode tun",
        "vlan": f"{pair}; link add link test0 name test2 type vlan id 5",
        "vrf": "link add test0 type vrf table 10",
        "vxlan": "link add test0 type vxlan id 5 dstport 4789 remote 192.0.2.1 dev lo",
        "macvlan": f"{pair}; link add link test0 name test2 type macvlan",
    }
    rule = "type filter hook input priority 0; tcp dport 1 reject with tcp reset"
    scripts = {
        "nft": (["nft", "-f", "-"], f"table inet test {{ chain test {{ {rule}; }}; }}\n"),
        "iptables": (["iptables", "-A", "OUTPUT", "-p", "tcp", "-j", "REJECT"], ""),
    }
    lines = "\n".join(line.strip() for line in words.get(kind, "").split(";"))
    command, script = scripts.get(kind, (["ip", "-batch", "-"], lines))
    probe = subprocess.run(
        ["unshare", "-n", *command], input=script, capture_output=True, text=True
    )
    reason = (probe.stderr.strip() or f"status {probe.returncode}").splitlines()
    what = kind if kind in scripts else f"{kind} devices"
    return f"no {what} in this kernel: {reason[0]}" if probe.returncode else None


class Agent:
    """A process inside a namespace, see shape_agent.py."""

    def __init__(self, netns: str, *arguments: str) -> None:
        self.process = subprocess.Popen(
            ["ip", "netns", "exec", netns, sys.executable, "-I", AGENT, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._reply() == {"ready": True}

    def _reply(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the process in the namespace ended early"
        return json.loads(line)

    def ask(self, do: str, **values: Any) -> Any:
        """Have it do something; OSError if it could not."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self.process.stdin.flush()
        reply = self._reply()
        if "error" in reply:
            raise OSError(reply["error"])
        return reply

    def stop(self) -> None:
        """End it; the kernel resets its connections."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()


@dataclass(frozen=True)
class Subflow:
    """One established subflow as ss shows it."""

    token: str
    local: str
    local_port: int
    remote: str
    remote_port: int
    flags: str
    #: Physical interfaces by which its SYN left and the answer came in.
    out: tuple[str, ...] = ()
    back: tuple[str, ...] = ()

    @property
    def backup(self) -> bool:
        return "b" in self.flags or "B" in self.flags


def split_address(text: str) -> tuple[str, int]:
    """Address and port of ss, without device and brackets."""
    address, _, port = text.rpartition(":")
    address = address.partition("%")[0].strip("[]").partition("%")[0]
    return address.removeprefix("::ffff:"), int(port)


class Net:
    """Namespaces; "host" and "target" exist in each."""

    def __init__(self) -> None:
        self.prefix = f"shape-{os.getpid()}-{next(NUMBERS)}"
        self.sides: list[str] = []
        self.agents: list[Agent] = []
        self.queues: Agent | None = None

    def __enter__(self) -> Net:
        try:
            self.add("host", "target")
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.remove()

    def remove(self) -> None:
        """End what runs, and delete the namespaces."""
        for agent in self.agents:
            agent.stop()
        self.agents.clear()
        for side in self.sides:
            subprocess.run(["ip", "netns", "del", self.name(side)], capture_output=True)

    def name(self, side: str) -> str:
        """The namespace of a side, as ip(8) names it."""
        return f"{self.prefix}-{side}"

    def add(self, *sides: str) -> None:
        """Make namespaces; twice is once."""
        for side in sides:
            if side in self.sides:
                continue
            self.sides.append(side)
            subprocess.run(["ip", "netns", "add", self.name(side)], check=True)
            self.sysctl(
                side,
                "net.ipv4.conf.all.rp_filter=0",
                "net.ipv4.conf.default.rp_filter=0",
                "net.ipv6.conf.default.accept_dad=0",
                "net.mptcp.enabled=1",
            )
            self.ip(side, "link set lo up")

    def ip(self, side: str, *lines: str) -> None:
        """Run lines of ip(8), some of which begin with -6; {SIDE} is the namespace of a side."""
        names = {each: self.name(each) for each in self.sides}
        for six, group in itertools.groupby(lines, lambda line: line.startswith("-6 ")):
            script = "".join(f"{line.removeprefix('-6 ').format(**names)}\n" for line in group)
            done = subprocess.run(
                ["ip", *(["-6"] if six else []), "-n", self.name(side), "-batch", "-"],
                input=script, capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode == 0, f"{side}: {done.stderr}\n{script}"

    def run(self, side: str, *command: str, stdin: str = "") -> str:
        done = subprocess.run(["ip", "netns", "exec", self.name(side), *command], input=stdin,
                              capture_output=True, text=True, timeout=60)  # fmt: skip
        assert done.returncode == 0, f"{side}: {command}: {done.stderr or done.stdout}"
        return done.stdout

    def sysctl(self, side: str, *settings: str) -> None:
        self.run(side, "sysctl", "-qw", *settings)

    def nft(self, side: str, hook: str, *rules: str) -> None:
        """Add rules of a firewall to the table inet shape of a side."""
        text = "; ".join(rules)
        chain = f"chain {hook} {{ type filter hook {hook} priority 0; {text}; }};"
        self.run(side, "nft", "-f", "-", stdin=f"table inet shape {{ {chain} }}\n")

    def agent(self, side: str, *words: str) -> Agent:
        """A process in the namespace of a side, which ends with it."""
        self.agents.append(Agent(self.name(side), *words))
        return self.agents[-1]

    def listen(
        self, *addresses: str, protocol: int = 262, port: int = PORT, side: str = "target"
    ) -> Agent:
        """A target that accepts connections at these addresses."""
        return self.agent(side, "target", str(protocol), str(port), *addresses)

    def connect(
        self, address: str, count: int = 2, source: str = "", device: str = "", port: int = PORT
    ) -> str:
        """Connect the queues of a controller; the address that they start from."""
        if not self.queues:
            self.queues = self.agent("host", "host")
        reply = self.queues.ask(
            "connect", address=address, port=port, count=count, source=source, device=device
        )
        return str(reply["local"][0])

    def disconnect(self) -> None:
        assert self.queues
        self.queues.ask("close")

    def subflows(self, wires: Iterable[str] = (), port: int = PORT) -> list[Subflow]:
        """Established subflows of the host to this port, with the interfaces among @wires."""
        listing = self.run("host", "ss", "-tinHO", "state", "established")
        seen = self.queues.ask("wires") if self.queues else {}
        known = set(wires)
        found = []
        for line in listing.splitlines():
            if not (match := SUBFLOW.search(line)):
                continue
            local, remote = (split_address(word) for word in line.split()[2:4])
            if remote[1] != port:
                continue
            ways = seen.get(f"{local[0]} {local[1]} {remote[0]} {remote[1]}", {})
            out, back = (
                tuple(name for name in ways.get(way, ()) if not known or name in known)
                for way in ("out", "in")
            )
            found.append(Subflow(match[2], *local, *remote, match[1], out, back))
        return found

    def carried(self, wires: Iterable[str], port: int = PORT) -> dict[str, Counter[str]]:
        """Subflows of each connection per physical interface."""
        result: dict[str, Counter[str]] = {}
        for subflow in self.subflows(wires, port):
            names = " and ".join(subflow.out) or f"another link, from {subflow.local}"
            result.setdefault(subflow.token, Counter())[names] += 1
        return result

    def settles(
        self, wires: Iterable[str], right: Callable[[dict[str, Counter[str]]], bool],
        seconds: float = FORM_SECONDS,
    ) -> dict[str, Counter[str]]:  # fmt: skip
        """What the connections carry once it is right, and a little later; or in the end."""
        wires = tuple(wires)
        deadline = time.monotonic() + seconds
        while not right(self.carried(wires)) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(QUIET_SECONDS)
        return self.carried(wires)

    def endpoints(self, side: str) -> list[str]:
        """The path manager's endpoints, one line each, as ip(8) shows them."""
        return self.run(side, "ip", "mptcp", "endpoint", "show").splitlines()

    def limits(self, side: str) -> str:
        """The path manager's limits, as ip(8) shows them."""
        return self.run(side, "ip", "mptcp", "limits", "show").strip()
