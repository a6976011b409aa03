# SPDX-License-Identifier: LGPL-2.1-or-later
"""The document of libnvme.mptcp.report(): what "nvme mptcp report" writes, as dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._document import Document, of
from ._documents import Problem, Snapshot
from ._findings import Findings


@dataclass(frozen=True, slots=True)
class Kernel:
    """The kernel of a machine."""

    release: str
    version: str
    machine: str
    mptcp_ipv6: bool
    """Can MPTCP sockets for IPv6 be made?"""


@dataclass(frozen=True, slots=True)
class TargetPort:
    """A port of an NVMe target."""

    name: str
    trtype: str | None
    relay: bool
    """A relay takes its connections."""
    traddr: str | None
    trsvcid: int | None
    subsystems: tuple[str, ...]
    """The names of the subsystems that it offers."""


@dataclass(frozen=True, slots=True)
class Listener:
    """An MPTCP socket that accepts connections."""

    local: str
    """Address and port."""
    link: str | None
    """The network interface that it is bound to."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address of a network interface."""

    address: str
    prefix: int
    link: str | None
    ifindex: int
    scope: int
    """See enum rt_scope_t in linux/rtnetlink.h."""
    flags: tuple[str, ...] | None
    """Such as permanent or tentative."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route, of any table but the local one; each next hop is one."""

    family: str
    """ipv4 or ipv6."""
    table: int
    type: str
    """unicast, blackhole, unreachable, prohibit, throw or other."""
    dst: str
    """A prefix, or default."""
    gatewayed: bool
    gateway: str | None
    source: str | None
    link: str | None
    ifindex: int | None
    metric: int
    protocol: int
    """Who made it: see RTPROT_KERNEL and the like in linux/rtnetlink.h."""


@dataclass(frozen=True, slots=True)
class RoutingRule:
    """A rule of the routing policy."""

    family: str
    """ipv4 or ipv6."""
    priority: int
    action: int
    """1: look into the table; see linux/fib_rules.h for others."""
    table: int
    from_: str
    """The prefix that packets come from."""
    to: str
    """The prefix that packets go to."""
    iif: str | None
    oif: str | None
    other_selectors: bool
    """It selects by marks, users, ports or the like as well."""


@dataclass(frozen=True, slots=True)
class Report(Document):
    """All that a machine says about its MPTCP; there are no keys in it."""

    report: str
    """nvme-mptcp."""
    version: int
    """1."""
    program: str
    """What made it."""
    taken_s: int
    """Seconds since 1970."""
    taken: str
    """The same as a date."""
    hostname: str
    sysctls: dict[str, int | None] = field(hash=False)
    """By their paths below /proc/sys."""
    counters: dict[str, dict[str, int]] = field(hash=False)
    """Since the network namespace was made."""
    interval_ms: int | None
    """Time between two looks at counters."""
    grown: dict[str, dict[str, int]] | None = field(hash=False)
    """By how much they have grown in between."""
    kernel: Kernel = of(Kernel)
    missing: tuple[Problem, ...] = of(Problem)
    """Parts that are not here, or not complete."""
    findings: Findings = of(Findings)
    """What check() finds there."""
    ports: tuple[TargetPort, ...] = of(TargetPort)
    listeners: tuple[Listener, ...] = of(Listener)
    addresses: tuple[Address, ...] = of(Address)
    routes: tuple[Route, ...] = of(Route)
    rules: tuple[RoutingRule, ...] = of(RoutingRule)
    """In the order in which they apply."""
    snapshot: Snapshot = of(Snapshot)
