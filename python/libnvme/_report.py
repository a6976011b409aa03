# SPDX-License-Identifier: LGPL-2.1-or-later
"""The document of libnvme.mptcp.report(), which "nvme mptcp report" writes, as dataclasses."""

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
    """Whether MPTCP sockets for IPv6 can be created."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetPort:
    """A port of an NVMe target."""

    name: str
    trtype: str | None = None
    relay: bool
    """A relay takes the port's connections."""
    traddr: str | None = None
    trsvcid: int | None = None
    subsystems: tuple[str, ...] = ()
    """Names of the subsystems that it offers."""


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
    """A route of any table but the local one; each next hop is a separate route."""

    family: str
    """ipv4 or ipv6."""
    table: int
    type: str
    """unicast, blackhole, unreachable, prohibit, throw or other."""
    dst: str
    """A prefix, or default."""
    gatewayed: bool
    gateway: str | None = None
    gateway_silent: bool | None = None
    """True if the kernel got no answer from it on the link."""
    source: str | None = None
    link: str | None = None
    ifindex: int | None = None
    metric: int
    protocol: int
    """Origin: see RTPROT_KERNEL and the like in linux/rtnetlink.h."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingRule:
    """A policy routing rule."""

    family: str
    """ipv4 or ipv6."""
    priority: int
    action: int
    """1: look up in the table; see linux/fib_rules.h for others."""
    table: int
    from_: str
    """Prefix of the source address."""
    to: str
    """Prefix of the destination address."""
    iif: str | None = None
    oif: str | None = None
    other_selectors: bool
    """It also selects by marks, users, ports or the like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Document):
    """The MPTCP state of a machine; it contains no keys."""

    report: str
    """nvme-mptcp."""
    version: int
    """1."""
    program: str
    """The program that made it."""
    taken_s: int
    """Seconds since 1970."""
    taken: str
    """The same time as a date."""
    hostname: str
    sysctls: dict[str, int | None] = field(hash=False, default_factory=dict)
    """Values by their paths below /proc/sys."""
    counters: dict[str, dict[str, int]] = field(hash=False, default_factory=dict)
    """Since the network namespace was created."""
    interval_ms: int | None = None
    """Time between two readings of the counters."""
    grown: dict[str, dict[str, int]] | None = field(hash=False, default=None)
    """Growth of the counters in that time."""
    filters: dict[str, bool] | None = field(hash=False, default=None)
    """Whether the machine filters packets at all: ip, arp, and tc for traffic control."""
    kernel: Kernel = of(Kernel)
    missing: tuple[Problem, ...] = of(Problem, ())
    """Parts that are missing or incomplete."""
    findings: Findings = of(Findings)
    """The findings of check() on that machine."""
    ports: tuple[TargetPort, ...] = of(TargetPort, ())
    listeners: tuple[Listener, ...] = of(Listener, ())
    addresses: tuple[Address, ...] = of(Address, ())
    routes: tuple[Route, ...] = of(Route, ())
    rules: tuple[RoutingRule, ...] = of(RoutingRule, ())
    """In the order in which they apply."""
    snapshot: Snapshot = of(Snapshot)

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Make a Report from the output of report(), which is not trusted.

        It is checked as strictly as by read_report(). ValueError, which states the place, is raised
        if text is no report.
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
