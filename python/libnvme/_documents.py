# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots and events of libnvme.mptcp: what "nvme mptcp" prints as JSON, as dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ._document import Document, of
from ._words import Attribution, EventName, LinkKind, Reason


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a snapshot that is missing or incomplete."""

    part: str
    """The part, such as "endpoints"."""
    errno: int
    """The reason as an errno: EAGAIN if the part was read, but changed meanwhile."""
    text: str
    """The reason as a sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the kernel's path manager."""

    subflows: int | None
    """Subflows that a connection may have besides the initial one."""
    add_addr_accepted: int | None
    """Announced addresses that a connection may accept."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A local address that the path manager uses."""

    id: int
    address: str
    port: int | None
    flags: tuple[str, ...] | None
    """signal, subflow, backup, fullmesh, implicit, laminar, or a number such as 0x40."""
    ifindex: int | None
    dev: str | None
    """The interface that it was given with."""
    link: str | None
    """The interface that has the address."""
    subflows: int | None
    """Established subflows that leave from it, whether they carry data or not."""


@dataclass(frozen=True, slots=True)
class Link:
    """A network interface."""

    name: str
    ifindex: int
    up: bool | None
    carrier: bool | None
    usable: bool | None
    """Up, with a carrier and a global address, and no member of a bond or bridge.

    Whether a route leads over it to a controller's target is in Controller.coverage."""
    mtu: int | None
    speed_mbps: int | None
    master: int | None
    """ifindex of the bond or bridge that it belongs to."""
    kind: LinkKind
    """What is at its other end."""
    wire: int
    """ifindex of the link whose cable it shares, its own if it shares none."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What connections have sent and received over one link."""

    link: str | None
    speed_mbps: int | None
    subflows: int
    """Those that carry data, see Subflow.carrying."""
    dead: int | None
    """Established ones that carry nothing."""
    pending: int
    """Those that are not established yet."""
    bytes_sent: int | None
    bytes_received: int | None
    share: float | None
    """Part of the bytes of all links, 0 to 1."""
    possible_links: tuple[str, ...] = ()
    """Where the link is None: it is one of these for each subflow."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """A link, and what connections have on it and ought to have."""

    link: str | None
    """None where it is not known which one lacks subflows."""
    wanted: bool
    """Ought it to carry the connections?"""
    reason: Reason
    """Why it ought to, or need not."""
    trouble: str | None
    """Why it, or an established subflow there, carries nothing at present."""
    covered: int
    """Connections with one subflow there that carries data."""
    missing: int
    """Connections without one."""
    superfluous: int
    """Connections with several there, or on the wire that it shares."""
    unwanted: int
    """Connections that need none."""
    pending: int
    """Of those missing: joins under way."""
    backups: int
    """Of those covered: backups."""


class Portal(NamedTuple):
    """An IP address and a port."""

    address: str
    """Without brackets; an address of one link ends in % and its name or number."""
    port: int

    def __str__(self) -> str:
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{address}:{self.port}"


def split(text: str | None) -> Portal | None:
    """192.0.2.1:4420 or [2001:db8::1]:4420 in two; None where there is none."""
    address, colon, port = (text or "").rpartition(":")
    if not colon or not port.isdecimal():
        return None
    return Portal(address.removeprefix("[").removesuffix("]"), int(port))


class Ends:
    """What has two ends: their address and port apart, None where the kernel tells none."""

    __slots__ = ()

    local: str | None
    remote: str | None

    @property
    def local_address(self) -> str | None:
        """The IP address of this end."""
        return getattr(split(self.local), "address", None)

    @property
    def local_port(self) -> int | None:
        """The port of this end."""
        return getattr(split(self.local), "port", None)

    @property
    def remote_address(self) -> str | None:
        """The IP address of the other end."""
        return getattr(split(self.remote), "address", None)

    @property
    def remote_port(self) -> int | None:
        """The port of the other end."""
        return getattr(split(self.remote), "port", None)


@dataclass(frozen=True, slots=True)
class Subflow(Ends):
    """One TCP socket of a connection; see struct tcp_info in linux/tcp.h for the counters."""

    local: str
    """Address and port."""
    remote: str
    """Address and port."""
    link: str | None
    """The network interface that it leaves by."""
    bound: bool
    """Bound to that link; otherwise routing decides."""
    id_local: int | None
    id_remote: int | None
    flags: tuple[str, ...] | None
    state: str
    carrying: bool | None
    """Established, on a usable link, and making progress when it has data.

    The kernel leaves a subflow in state ESTAB when its link goes down or loses its carrier."""
    trouble: str | None
    """Why it carries nothing although it is established."""
    rtt_us: int | None
    rttvar_us: int | None
    min_rtt_us: int | None
    rto_us: int | None
    cwnd: int | None
    mss: int | None
    pmtu: int | None
    unacked: int | None
    lost: int | None
    timeouts: int | None
    retrans: int | None
    bytes_sent: int | None
    bytes_acked: int | None
    bytes_received: int | None
    bytes_retrans: int | None
    bytes_notsent: int | None
    delivery_rate: int | None
    """Bytes per second."""
    pacing_rate: int | None
    """Bytes per second."""
    busy_us: int | None
    rwnd_limited_us: int | None
    sndbuf_limited_us: int | None
    last_data_sent_ms: int | None
    last_data_recv_ms: int | None
    last_ack_recv_ms: int | None
    reorderings: int | None
    timeouts_total: int | None
    timeouts_ms: int | None
    delivered_ce: int | None
    """Segments delivered with a mark of congestion (ECN)."""
    received_ce: int | None
    delivered_ce_bytes: int | None
    received_ce_bytes: int | None
    possible_links: tuple[str, ...] = ()
    """Where its route has next hops on several links: these links. The kernel picks one of them."""


@dataclass(frozen=True, slots=True)
class Connection(Ends):
    """One MPTCP socket: one queue of a controller; see struct mptcp_info in linux/mptcp.h."""

    token: int | None
    attribution: Attribution
    """How its controller was found."""
    state: str
    fallback: bool | None
    """It fell back to plain TCP."""
    local: str
    remote: str
    inode: int
    pid: int | None
    """A process that holds it; 0 if the kernel does."""
    extra_subflows: int | None
    subflows_total: int | None
    subflows_max: int | None
    add_addr_signal: int | None
    add_addr_signal_max: int | None
    add_addr_accepted: int | None
    add_addr_accepted_max: int | None
    local_addr_used: int | None
    local_addr_max: int | None
    laminar_max: int | None
    """Endpoints of that kind; None if there is none, or if the kernel has no such endpoints."""
    fullmesh_max: int | None
    """Likewise."""
    checksum: int | None
    retransmits: int | None
    bytes_retrans: int | None
    bytes_sent: int | None
    bytes_received: int | None
    bytes_acked: int | None
    last_data_sent_ms: int | None
    last_data_recv_ms: int | None
    last_ack_recv_ms: int | None
    subflows: tuple[Subflow, ...] = of(Subflow)


class _Connections:
    """What has connections."""

    __slots__ = ()

    connections: tuple[Connection, ...]

    def subflows(self) -> Iterator[Subflow]:
        """Yield the subflows of all connections."""
        for connection in self.connections:
            yield from connection.subflows


@dataclass(frozen=True, slots=True)
class Controller(_Connections):
    """A controller whose transport has subflows."""

    name: str
    subsysnqn: str | None
    transport: str
    state: str | None
    traddr: str | None
    trsvcid: str | None
    host_traddr: str | None
    host_iface: str | None
    src_addr: str | None
    relay: bool
    """Its transport is plain TCP, and a relay carries its connections."""
    bypassed: bool
    """A relay serves its portal, and it is connected straight to the target."""
    connections_expected: int | None
    """Its queues, the admin queue included."""
    connections_shared: int
    """Connections that it or another controller owns, see Snapshot.shared."""
    connections_found: int
    subflows_found: int
    fallback: int
    """Connections that fell back to plain TCP."""
    links: tuple[Usage, ...] = of(Usage)
    coverage: tuple[Coverage, ...] = of(Coverage)
    connections: tuple[Connection, ...] = of(Connection)


@dataclass(frozen=True, slots=True)
class Group(_Connections):
    """Connections that belong to one of several controllers, or to none."""

    controllers: tuple[str, ...] | None
    """The controllers that may own them."""
    connections_found: int
    subflows_found: int
    fallback: int
    """Connections that fell back to plain TCP."""
    links: tuple[Usage, ...] = of(Usage)
    coverage: tuple[Coverage, ...] = of(Coverage)
    connections: tuple[Connection, ...] = of(Connection)


@dataclass(frozen=True, slots=True)
class Snapshot(Document):
    """One consistent look at MPTCP and at the controllers that use it."""

    taken_ms: int
    """CLOCK_BOOTTIME in milliseconds."""
    netns: str | None
    """The network namespace that was asked for; None: the caller's."""
    enabled: bool | None
    """May new sockets use MPTCP?"""
    path_manager: str | None
    scheduler: str | None
    settings: dict[str, str] = field(hash=False)
    """The files of /proc/sys/net/mptcp."""
    problems: tuple[Problem, ...] = of(Problem)
    limits: Limits = of(Limits)
    endpoints: tuple[Endpoint, ...] = of(Endpoint)
    links: tuple[Link, ...] = of(Link)
    controllers: tuple[Controller, ...] = of(Controller)
    shared: tuple[Group, ...] = of(Group)
    """Connections that belong to one of several controllers each."""
    userspace: Group = of(Group)
    """Connections that processes hold."""
    other: Group = of(Group)
    """Connections of the kernel that belong to no controller: on a target, those of its hosts."""

    def controller(self, name: str) -> Controller:
        """The controller of that name, such as "nvme1"; LookupError if there is none."""
        for controller in self.controllers:
            if controller.name == name:
                return controller
        raise LookupError(f"no controller {name} with subflows")

    def subflows(self) -> Iterator[Subflow]:
        """Yield the subflows of all controllers, those of shared connections included."""
        for owner in (*self.controllers, *self.shared):
            yield from owner.subflows()


@dataclass(frozen=True, slots=True)
class Event(Document, Ends):
    """Something that the path manager reported."""

    time_us: int
    """Microseconds since 1970."""
    event: EventName | None
    """What happened, such as "subflow-closed"; None for an event of a later kernel, see type.

    "lost" says that events were lost because they were not read in time."""
    type: int
    """The kernel's number of the event."""
    controller: str | None
    """The controller that it happened to; several with commas where the connection is shared."""
    token: int | None
    """The connection that it happened to."""
    local: str | None
    remote: str | None
    link: str | None
    """The link that a subflow is bound to, or that went down or came back."""
    id_local: int | None
    id_remote: int | None
    backup: bool | None
    error: int | None
    """errno that a subflow ended with."""
    reset_reason: int | None
    """RFC 8684 section 3.6."""
    reset_flags: int | None
    ifindex: int | None
    server_side: bool | None
    """The peer made the connection."""
    no_join_id0: bool | None
    """The peer takes no subflows to its initial address."""
    reset_text: str | None
    """The reason of the reset in words."""
