# SPDX-License-Identifier: LGPL-2.1-or-later
"""The document of libnvme.mptcp.report(): what "nvme mptcp report" writes, as dataclasses."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from . import _mptcp
from ._document import Document, of, read_document
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPort:
    """A port of an NVMe target."""

    name: str
    trtype: str | None = None
    relay: bool
    """A relay takes its connections."""
    traddr: str | None = None
    trsvcid: int | None = None
    subsystems: tuple[str, ...] = ()
    """The names of the subsystems that it offers."""


@dataclass(frozen=True, slots=True)
class Listener:
    """An MPTCP socket that accepts connections."""

    local: str
    """Address and port."""
    link: str | None = None
    """The network interface that it is bound to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address of a network interface."""

    address: str
    prefix: int
    link: str | None = None
    ifindex: int
    scope: int
    """See enum rt_scope_t in linux/rtnetlink.h."""
    flags: tuple[str, ...] | None = None
    """Such as permanent or tentative."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    gateway: str | None = None
    source: str | None = None
    link: str | None = None
    ifindex: int | None = None
    metric: int
    protocol: int
    """Who made it: see RTPROT_KERNEL and the like in linux/rtnetlink.h."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    iif: str | None = None
    oif: str | None = None
    other_selectors: bool
    """It selects by marks, users, ports or the like as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    sysctls: dict[str, int | None] = field(hash=False, default_factory=dict)
    """By their paths below /proc/sys."""
    counters: dict[str, dict[str, int]] = field(hash=False, default_factory=dict)
    """Since the network namespace was made."""
    interval_ms: int | None = None
    """Time between two looks at counters."""
    grown: dict[str, dict[str, int]] | None = field(hash=False, default=None)
    """By how much they have grown in between."""
    kernel: Kernel = of(Kernel)
    missing: tuple[Problem, ...] = of(Problem, ())
    """Parts that are not here, or not complete."""
    findings: Findings = of(Findings)
    """What check() finds there."""
    ports: tuple[TargetPort, ...] = of(TargetPort, ())
    listeners: tuple[Listener, ...] = of(Listener, ())
    addresses: tuple[Address, ...] = of(Address, ())
    routes: tuple[Route, ...] = of(Route, ())
    rules: tuple[RoutingRule, ...] = of(RoutingRule, ())
    """In the order in which they apply."""
    snapshot: Snapshot = of(Snapshot)

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Read what report() wrote, as strictly as read_report() does; it is not trusted.

        ValueError is raised if it is no report, and says where.
        """
        found = read_document(cls, text)
        data = text.encode() if isinstance(text, str) else text
        descriptor = os.memfd_create("report")
        try:
            file = f"/proc/self/fd/{descriptor}"
            with open(file, "wb") as stream:
                stream.write(data)
            try:
                _mptcp.read_report(file)
            except ValueError as error:
                raise ValueError(str(error).replace(file, cls.__name__)) from None
        finally:
            os.close(descriptor)
        return found
