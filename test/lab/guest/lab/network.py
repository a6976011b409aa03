# SPDX-License-Identifier: GPL-2.0-or-later
"""Links between a host and a target, with MPTCP endpoints and limits.

The target is in the network namespace "target", the host in the guest's initial namespace (or in
one of its own). Link i is a veth pair: "h<i>" 10.1.<i>.2 and fd00:1:<i>::2 on the host,
"t<i>" 10.1.<i>.1 and fd00:1:<i>::1 on the target.

A topology is a plain value. It is converted to lines for `ip -batch` and `tc -batch`, which take
one process per side and tool.
"""

from __future__ import annotations

import json
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .system import network_namespace

Side = Literal["host", "target"]
Family = Literal["ipv4", "ipv6"]

SIDES: tuple[Side, Side] = ("host", "target")
LAST_BYTE: dict[Side, int] = {"host": 2, "target": 1}

#: Queue length in packets. With a delay, netem's default of 1000 drops packets at these rates.
DEEP_QUEUE = 10000


def address(side: Side, link: int, family: Family = "ipv4") -> str:
    """Return a side's address on a link; links are counted from 1."""
    if family == "ipv4":
        return f"10.1.{link}.{LAST_BYTE[side]}"
    return f"fd00:1:{link}::{LAST_BYTE[side]}"


def interface(side: Side, link: int) -> str:
    return f"{side[0]}{link}"


@dataclass(frozen=True)
class Shape:
    """Shaping of one direction of a link, in tc's syntax; "" is no change."""

    rate: str = "100mbit"
    delay: str = ""
    loss: str = ""
    limit: int = DEEP_QUEUE

    def netem(self) -> str:
        """Return the arguments of netem, or "" without shaping."""
        parts = [f"{name} {getattr(self, name)}" for name in ("rate", "delay", "loss")
                 if getattr(self, name)]  # fmt: skip
        return " ".join([*parts, f"limit {self.limit}"]) if parts else ""


_DEFAULT_SHAPE = Shape()


@dataclass(frozen=True)
class Link:
    """A link, with the shaping of packets from the target and from the host."""

    to_host: Shape = _DEFAULT_SHAPE
    to_target: Shape = _DEFAULT_SHAPE

    @classmethod
    def both(cls, **shape: Any) -> Link:
        """Return a link with the same shaping in both directions."""
        return cls(Shape(**shape), Shape(**shape))


@dataclass(frozen=True)
class Limits:
    """The path manager's limits of one side."""

    subflows: int = 8
    add_addr_accepted: int = 8

    def line(self) -> str:
        """Return the line of `ip` that sets them."""
        return (
            f"mptcp limits set subflows {self.subflows} add_addr_accepted {self.add_addr_accepted}"
        )


@dataclass(frozen=True)
class Endpoint:
    """A path-manager endpoint on a side's own address of a link."""

    link: int
    flags: tuple[str, ...]
    family: Family = "ipv4"
    dev: bool = False
    id: int | None = None
    port: int | None = None

    def words(self, side: Side) -> str:
        """Return the arguments of `ip mptcp endpoint add`."""
        words = [address(side, self.link, self.family)]
        if self.dev:
            words += ["dev", interface(side, self.link)]
        if self.id is not None:
            words += ["id", str(self.id)]
        words += self.flags
        if self.port is not None:
            words += ["port", str(self.port)]
        return " ".join(words)


def _on_all(links: int, flag: str, family: Family) -> tuple[Endpoint, ...]:
    return tuple(Endpoint(i, (flag,), family) for i in range(1, links + 1))


@dataclass(frozen=True)
class Topology:
    """Links, addresses, limits and endpoints."""

    links: tuple[Link, ...] = (Link(),) * 4
    families: tuple[Family, ...] = ("ipv4", "ipv6")
    limits: dict[Side, Limits] = field(
        default_factory=lambda: {"host": Limits(), "target": Limits()}
    )
    endpoints: dict[Side, tuple[Endpoint, ...]] = field(default_factory=dict)
    #: Seconds after which the target repeats an announcement that was not echoed. The host drops an
    #: announcement while it handles another, and the kernel's default of 120 s is too long here.
    add_addr_timeout: int = 1
    #: Sysctls below net, for sides with a network namespace of their own, which is deleted
    #: afterwards.
    sysctls: dict[Side, dict[str, object]] = field(default_factory=dict)
    host_namespace: str | None = None

    @classmethod
    def one_per_link(cls, links: int = 4, family: Family = "ipv4", **shape: Any) -> Topology:
        """Return a topology in which the target announces all addresses: a subflow per link."""
        return cls(
            links=(Link.both(**shape),) * links,
            endpoints={"target": _on_all(links, "signal", family)},
        )

    @classmethod
    def selftest(cls, links: int = 4, family: Family = "ipv4", **shape: Any) -> Topology:
        """Return the topology of the kernel's own test: the host has "subflow" endpoints, too."""
        return cls(
            links=(Link.both(**shape),) * links,
            endpoints={
                "host": _on_all(links, "subflow", family),
                "target": _on_all(links, "signal", family),
            },
        )

    @classmethod
    def single_path(cls, links: int = 4, **shape: Any) -> Topology:
        """Return a topology without endpoints: each connection uses its first link only."""
        none = Limits(0, 0)
        return cls(links=(Link.both(**shape),) * links, limits={"host": none, "target": none})

    def namespace(self, side: Side) -> str | None:
        """Return the name of a side's network namespace; None is the initial one."""
        return "target" if side == "target" else self.host_namespace

    def namespace_commands(self) -> list[str]:
        """Return the ip lines that create namespaces and links, for the initial namespace."""
        host = f" netns {self.host_namespace}" if self.host_namespace else ""
        names = [name for name in (self.host_namespace, "target") if name]
        lines = [f"netns add {name}" for name in names]
        for i in range(1, len(self.links) + 1):
            lines.append(
                f"link add {interface('host', i)}{host} type veth "
                f"peer name {interface('target', i)} netns target"
            )
        return lines

    def address_commands(self, side: Side) -> list[str]:
        """Return the ip lines that set a side's addresses and routes, and take its links up."""
        lines = [] if self.namespace(side) is None else ["link set lo up"]
        for i in range(1, len(self.links) + 1):
            name = interface(side, i)
            for family in self.families:
                tail = "/24" if family == "ipv4" else "/64 nodad"
                lines.append(f"address add {address(side, i, family)}{tail} dev {name}")
            lines.append(f"link set {name} up")
        if side == "host":
            for i in range(1, len(self.links) + 1):
                for family in self.families:
                    prefix = "0.0.0.0/0" if family == "ipv4" else "::/0"
                    lines.append(
                        f"route add {prefix} via {address('target', i, family)} "
                        f"dev {interface('host', i)} metric {10 * i}"
                    )
        return lines

    def path_manager_commands(self, side: Side) -> list[str]:
        """Return the ip lines that set a side's limits and endpoints."""
        return [
            "mptcp endpoint flush",
            self.limits.get(side, Limits()).line(),
            *(f"mptcp endpoint add {e.words(side)}" for e in self.endpoints.get(side, ())),
        ]

    def shaping_commands(self, side: Side) -> list[str]:
        """Return the tc lines that shape packets from a side."""
        lines = []
        for i, link in enumerate(self.links, 1):
            netem = (link.to_target if side == "host" else link.to_host).netem()
            if netem:
                lines.append(f"qdisc replace dev {interface(side, i)} root netem {netem}")
        return lines


class Network:
    """The topology of the guest; changes by tests are recorded."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.changed = False

    # Without `-force`, a batch stops at its first bad line, which ip reports on stderr.
    def _batch(self, tool: str, side: Side | None, lines: list[str]) -> None:
        if not lines:
            return
        text = "".join(f"{line}\n" for line in lines)
        with network_namespace(self.topology.namespace(side) if side else None):
            done = subprocess.run(
                [tool, "-batch", "-"], input=text, text=True, capture_output=True, check=False
            )
        if done.returncode:
            raise RuntimeError(f"{tool} on the {side or 'guest'}: {done.stderr.strip()}\n{text}")

    def up(self) -> None:
        self._batch("ip", None, self.topology.namespace_commands())
        self._set_sysctl("target", "mptcp.add_addr_timeout", self.topology.add_addr_timeout)
        for side, settings in self.topology.sysctls.items():
            for name, value in settings.items():
                self._set_sysctl(side, name, value)
        for side in SIDES:
            topology = self.topology
            self._batch(
                "ip", side, topology.address_commands(side) + topology.path_manager_commands(side)
            )
            self._batch("tc", side, topology.shaping_commands(side))

    def renew_endpoints(self) -> None:
        """Reset the host's endpoints to those of the topology.

        For an announced address that matches no endpoint of the host, the kernel adds an "implicit"
        endpoint, which persists after the connection.
        """
        self._batch("ip", "host", self.topology.path_manager_commands("host"))

    def down(self) -> None:
        """Remove everything; parts that are gone already are ignored."""
        namespace = self.topology.namespace("host")
        lines = ["mptcp endpoint flush", "mptcp limits set subflows 2 add_addr_accepted 0"]
        if namespace is None:
            present = [i for i in range(1, len(self.topology.links) + 1)
                       if Path("/sys/class/net", interface("host", i)).exists()]  # fmt: skip
            lines += [f"link delete {interface('host', i)}" for i in present]
        names = [name for name in (namespace, "target") if name]
        self._batch("ip", None, lines + [f"netns delete {name}" for name in names
                                         if Path("/run/netns", name).exists()])  # fmt: skip

    def ip(self, side: Side, *lines: str) -> None:
        """Run lines of `ip` on a side, and mark the topology as changed."""
        self.changed = True
        self._batch("ip", side, list(lines))

    def shape(self, link: int, both: Shape) -> None:
        """Replace the shaping of both directions of a link."""
        self.changed = True
        for side in SIDES:
            line = f"qdisc replace dev {interface(side, link)} root netem {both.netem()}"
            self._batch("tc", side, [line])

    def set_link(self, side: Side, link: int, up: bool) -> None:
        """Take a side's end of a link up or down; the other end loses its carrier."""
        self.ip(side, f"link set {interface(side, link)} {'up' if up else 'down'}")

    def add_endpoint(self, side: Side, endpoint: Endpoint) -> None:
        self.ip(side, f"mptcp endpoint add {endpoint.words(side)}")

    def delete_endpoint(self, side: Side, id: int) -> None:
        """Delete an endpoint, which closes its subflows."""
        self.ip(side, f"mptcp endpoint delete id {id}")

    def set_limits(self, side: Side, limits: Limits) -> None:
        self.ip(side, limits.line())

    def endpoints(self, side: Side) -> list[dict[str, Any]]:
        """Return a side's endpoints from the kernel."""
        return self._query(side, "ip", "-j", "mptcp", "endpoint", "show")

    def _query(self, side: Side, *command: str) -> list[dict[str, Any]]:
        output = self.run(side, *command)
        parsed = json.loads(output) if output.strip() else []
        return parsed if isinstance(parsed, list) else [parsed]

    def run(self, side: Side, *command: str, input: str | None = None) -> str:
        """Run a program on a side, which must succeed, and return its output."""
        with network_namespace(self.topology.namespace(side)):
            done = subprocess.run(command, input=input, text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} on the {side}: {done.stderr.strip()}")
        return done.stdout

    def reaches(self, side: Side, traddr: str, timeout: float = 2.0) -> bool:
        """Return whether a side gets an answer from an address; a refusal counts."""
        with network_namespace(self.topology.namespace(side)):
            try:
                socket.create_connection((traddr, 9), timeout).close()
            except ConnectionRefusedError:
                return True
            except OSError:
                return False
            return True

    def drop(self, side: Side, *matches: str) -> None:
        """Drop matching packets that a side receives, for example "tcp dport 4420"."""
        self.changed = True
        rules = "; ".join(f"{match} drop" for match in matches)
        table = (
            "table inet lab { chain input { type filter hook input priority 0; policy accept; "
            f"{rules}; }}; }}\n"
        )
        self.run(side, "nft", "-f", "-", input=table)

    def undrop(self, side: Side) -> None:
        """Remove all drop rules of a side."""
        self.run(side, "nft", "delete", "table", "inet", "lab")

    def count(self, side: Side, **matches: str) -> None:
        """Count packets that a side receives, by name; ``counted`` returns the numbers."""
        self.changed = True
        counters = "; ".join(f"counter {name} {{ }}" for name in matches)
        rules = "; ".join(f'{match} counter name "{name}"' for name, match in matches.items())
        chain = f"chain input {{ type filter hook input priority -1; policy accept; {rules}; }}"
        self.run(side, "nft", "-f", "-", input=f"table inet counted {{ {counters}; {chain}; }}\n")

    def log(self, side: Side, prefix: str, match: str) -> None:
        """Make the kernel log matching packets sent by a side in the initial namespace."""
        self.changed = True
        chain = "chain output { type filter hook output priority 0; policy accept; "
        table = f'table inet logged {{ {chain} {match} log prefix "{prefix}"; }}; }}\n'
        self.run(side, "nft", "-f", "-", input=table)

    def counted(self, side: Side) -> dict[str, int]:
        """Return the number of counted packets under each name."""
        listing = json.loads(
            self.run(side, "nft", "-j", "list", "counters", "table", "inet", "counted")
        )
        found = [item["counter"] for item in listing["nftables"] if "counter" in item]
        return {counter["name"]: counter["packets"] for counter in found}

    def sysctl(self, side: Side, name: str, value: object) -> None:
        """Set a sysctl below net, and mark the topology as changed."""
        self.changed = True
        self._set_sysctl(side, name, value)

    def _set_sysctl(self, side: Side, name: str, value: object) -> None:
        with network_namespace(self.topology.namespace(side)):
            Path("/proc/sys/net", *name.split(".")).write_text(f"{value}\n")

    def mptcp_counters(self, side: Side) -> dict[str, int]:
        """Return a side's MPTcpExt counters."""
        with network_namespace(self.topology.namespace(side)):
            lines = Path("/proc/thread-self/net/netstat").read_text().splitlines()
        names, values = (line.split()[1:] for line in lines if line.startswith("MPTcpExt:"))
        return {name: int(value) for name, value in zip(names, values, strict=True)}
