# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots and events of libnvme.mptcp: what "nvme mptcp" prints as JSON, as dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ._document import Document, of, read_document
from ._words import Attribution, EventName, LinkKind, Reason

if TYPE_CHECKING:
    from ._changes import Change, Rate


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

    subflows: int | None = None
    """Subflows that a connection may have in addition to the initial one."""
    add_addr_accepted: int | None = None
    """Announced addresses that a connection may accept."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A local address that the path manager uses."""

    id: int
    address: str
    port: int | None = None
    flags: tuple[str, ...] | None = None
    """signal, subflow, backup, fullmesh, implicit, laminar, or a number such as 0x40."""
    ifindex: int | None = None
    dev: str | None = None
    """The interface that it was given with."""
    link: str | None = None
    """The interface that has the address."""
    subflows: int | None = None
    """Established subflows that leave from it, whether they carry data or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A network interface."""

    name: str
    ifindex: int
    up: bool | None = None
    carrier: bool | None = None
    usable: bool | None = None
    """Up, with a carrier and a global address, and no member of a bond or bridge.

    Whether a route leads over it to a controller's target is in Controller.coverage."""
    mtu: int | None = None
    speed_mbps: int | None = None
    master: int | None = None
    """ifindex of the bond or bridge that it belongs to."""
    kind: LinkKind
    """What is at its other end."""
    wire: int
    """ifindex of the link whose cable it shares, its own if it shares none."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What connections have sent and received over one link."""

    link: str | None = None
    speed_mbps: int | None = None
    subflows: int = 0
    """Those that carry data, see Subflow.carrying."""
    dead: int | None = None
    """Established ones that carry nothing."""
    pending: int = 0
    """Those that are not established yet."""
    bytes_sent: int | None = None
    bytes_received: int | None = None
    share: float | None = None
    """Part of the bytes of all links, 0 to 1."""
    possible_links: tuple[str, ...] = ()
    """Where the link is None: it is one of these for each subflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """A link, and what connections have on it and ought to have."""

    link: str | None = None
    """None where it is not known which one lacks subflows."""
    wanted: bool
    """Ought it to carry the connections?"""
    reason: Reason
    """Why it ought to, or need not."""
    trouble: str | None = None
    """Why it, or an established subflow there, carries nothing at present."""
    covered: int = 0
    """Connections with one subflow there that carries data."""
    missing: int = 0
    """Connections without one."""
    superfluous: int = 0
    """Connections with several there, or on the wire that it shares."""
    unwanted: int = 0
    """Connections that need none."""
    pending: int = 0
    """Of those missing: joins under way."""
    backups: int = 0
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Subflow(Ends):
    """One TCP socket of a connection; see struct tcp_info in linux/tcp.h for the counters."""

    local: str
    """Address and port."""
    remote: str
    """Address and port."""
    link: str | None = None
    """The network interface that it leaves by."""
    bound: bool = False
    """Bound to that link; otherwise routing decides."""
    id_local: int | None = None
    id_remote: int | None = None
    flags: tuple[str, ...] | None = None
    state: str
    carrying: bool | None = None
    """Established, on a usable link, and making progress when it has data.

    The kernel leaves a subflow in state ESTAB when its link goes down or loses its carrier."""
    trouble: str | None = None
    """Why it carries nothing although it is established."""
    rtt_us: int | None = None
    rttvar_us: int | None = None
    min_rtt_us: int | None = None
    rto_us: int | None = None
    cwnd: int | None = None
    mss: int | None = None
    pmtu: int | None = None
    unacked: int | None = None
    lost: int | None = None
    timeouts: int | None = None
    retrans: int | None = None
    bytes_sent: int | None = None
    bytes_acked: int | None = None
    bytes_received: int | None = None
    bytes_retrans: int | None = None
    bytes_notsent: int | None = None
    delivery_rate: int | None = None
    """Bytes per second."""
    pacing_rate: int | None = None
    """Bytes per second."""
    busy_us: int | None = None
    rwnd_limited_us: int | None = None
    sndbuf_limited_us: int | None = None
    last_data_sent_ms: int | None = None
    last_data_recv_ms: int | None = None
    last_ack_recv_ms: int | None = None
    reorderings: int | None = None
    timeouts_total: int | None = None
    timeouts_ms: int | None = None
    delivered_ce: int | None = None
    """Segments delivered with a mark of congestion (ECN)."""
    received_ce: int | None = None
    delivered_ce_bytes: int | None = None
    received_ce_bytes: int | None = None
    possible_links: tuple[str, ...] = ()
    """Where its route has next hops on several links: these links. The kernel picks one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(Ends):
    """One MPTCP socket: one queue of a controller; see struct mptcp_info in linux/mptcp.h."""

    token: int | None = None
    attribution: Attribution = "none"
    """How its controller was found."""
    state: str
    fallback: bool | None = None
    """It fell back to plain TCP."""
    local: str
    remote: str
    inode: int = 0
    pid: int | None = None
    """A process that holds it; 0 if the kernel does."""
    extra_subflows: int | None = None
    subflows_total: int | None = None
    subflows_max: int | None = None
    add_addr_signal: int | None = None
    add_addr_signal_max: int | None = None
    add_addr_accepted: int | None = None
    add_addr_accepted_max: int | None = None
    local_addr_used: int | None = None
    local_addr_max: int | None = None
    laminar_max: int | None = None
    """Endpoints of that kind; None if there is none, or if the kernel has no such endpoints."""
    fullmesh_max: int | None = None
    """Likewise."""
    checksum: int | None = None
    retransmits: int | None = None
    bytes_retrans: int | None = None
    bytes_sent: int | None = None
    bytes_received: int | None = None
    bytes_acked: int | None = None
    last_data_sent_ms: int | None = None
    last_data_recv_ms: int | None = None
    last_ack_recv_ms: int | None = None
    subflows: tuple[Subflow, ...] = of(Subflow, ())


class ConnectionOwner:
    """What has connections: a Controller, or a Group of them. For functions that take both."""

    __slots__ = ()

    connections_found: int
    subflows_found: int
    fallback: int
    links: tuple[Usage, ...]
    coverage: tuple[Coverage, ...]
    connections: tuple[Connection, ...]

    @property
    def missing(self) -> int:
        """How many subflows are missing, on all links that ought to carry its connections."""
        return sum(coverage.missing for coverage in self.coverage if coverage.wanted)

    def subflows(self) -> Iterator[Subflow]:
        """Yield the subflows of all connections."""
        for connection in self.connections:
            yield from connection.subflows


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller(ConnectionOwner):
    """A controller whose transport has subflows."""

    name: str
    subsysnqn: str | None = None
    transport: str
    state: str | None = None
    traddr: str | None = None
    trsvcid: str | None = None
    host_traddr: str | None = None
    host_iface: str | None = None
    src_addr: str | None = None
    relay: bool = False
    """Its transport is plain TCP, and a relay carries its connections."""
    bypassed: bool = False
    """A relay serves its portal, and it is connected straight to the target."""
    connections_expected: int | None = None
    """Its queues, the admin queue included."""
    connections_shared: int = 0
    """Connections that it or another controller owns, see Snapshot.shared."""
    connections_found: int = 0
    subflows_found: int = 0
    fallback: int = 0
    """Connections that fell back to plain TCP."""
    links: tuple[Usage, ...] = of(Usage, ())
    coverage: tuple[Coverage, ...] = of(Coverage, ())
    connections: tuple[Connection, ...] = of(Connection, ())


@dataclass(frozen=True, slots=True)
class Group(ConnectionOwner):
    """Connections that belong to one of several controllers, or to none."""

    controllers: tuple[str, ...] | None = None
    """The controllers that may own them."""
    connections_found: int = 0
    subflows_found: int = 0
    fallback: int = 0
    """Connections that fell back to plain TCP."""
    links: tuple[Usage, ...] = of(Usage, ())
    coverage: tuple[Coverage, ...] = of(Coverage, ())
    connections: tuple[Connection, ...] = of(Connection, ())


@dataclass(frozen=True, slots=True)
class Snapshot(Document):
    """One consistent look at MPTCP and at the controllers that use it."""

    taken_ms: int
    """CLOCK_BOOTTIME in milliseconds."""
    netns: str | None = None
    """The network namespace that was asked for; None: the caller's."""
    enabled: bool | None = None
    """May new sockets use MPTCP?"""
    path_manager: str | None = None
    scheduler: str | None = None
    settings: dict[str, str] = field(hash=False, default_factory=dict)
    """The files of /proc/sys/net/mptcp."""
    problems: tuple[Problem, ...] = of(Problem, ())
    limits: Limits = of(Limits, Limits())
    endpoints: tuple[Endpoint, ...] = of(Endpoint, ())
    links: tuple[Link, ...] = of(Link, ())
    controllers: tuple[Controller, ...] = of(Controller, ())
    shared: tuple[Group, ...] = of(Group, ())
    """Connections that belong to one of several controllers each."""
    userspace: Group = of(Group, Group())
    """Connections that processes hold."""
    other: Group = of(Group, Group())
    """Connections of the kernel that belong to no controller: on a target, those of its hosts."""

    def controller(self, name: str) -> Controller:
        """The controller of that name, such as "nvme1"; LookupError if there is none."""
        for controller in self.controllers:
            if controller.name == name:
                return controller
        raise LookupError(f"no controller {name} with subflows")

    def owners(self) -> Iterator[ConnectionOwner]:
        """Yield the controllers, and the groups of connections that controllers share."""
        yield from self.controllers
        yield from self.shared

    def missing(self, name: str) -> tuple[str, ...]:
        """Return in words what is missing of a whole controller; nothing: all links carry it.

        A whole controller is live, has a connection for each queue and none in fallback, and each
        has a subflow that carries data on each link that ought to. LookupError is raised if there
        is no such controller.
        """
        ctrl = self.controller(name)
        if ctrl.state != "live":
            return (f"it is {ctrl.state or 'in an unknown state'}",)
        shared = [group for group in self.shared if name in (group.controllers or ())]
        words = []
        found = ctrl.connections_found + ctrl.connections_shared
        if not found or (ctrl.connections_expected or 0) > found:
            words.append(f"{found} of {ctrl.connections_expected} connections")
        if ctrl.bypassed:
            words.append("it bypasses the relay")
        for owner in (ctrl, *shared):
            if owner.fallback:
                words.append(f"{owner.fallback} connections fell back to plain TCP")
            words += [
                f"{coverage.missing} subflows missing on {coverage.link or 'an unknown link'}"
                for coverage in owner.coverage
                if coverage.wanted and coverage.missing
            ]
        return tuple(words)

    def diff(self, later: Snapshot) -> tuple[Change, ...]:
        """Return what is different in a later snapshot; counters and estimates are not compared."""
        from ._changes import diff

        return diff(self, later)

    def rates(self, later: Snapshot) -> tuple[Rate, ...]:
        """Return what each controller sent and received over each link until a later snapshot.

        Bytes of subflows that ended meanwhile are not counted. ValueError is raised if the other
        snapshot is not later.
        """
        from ._changes import rates

        return rates(self, later)

    @classmethod
    def from_json(cls, text: str | bytes) -> Snapshot:
        """Read what to_json() or "nvme mptcp show-subflows -o json" wrote; it is not trusted.

        Parts that show-subflows and show-endpoints leave out are empty. Keys that are not known are
        left out. ValueError is raised if it is no such document, and says where.
        """
        return read_document(cls, text, _complete)

    def subflows(self) -> Iterator[Subflow]:
        """Yield the subflows of all controllers, those of shared connections included."""
        for owner in (*self.controllers, *self.shared):
            yield from owner.subflows()


#: What a document of show-subflows or of show-endpoints does not have.
_PARTS: dict[str, Any] = {
    "settings": {},
    "limits": {"subflows": None, "add_addr_accepted": None},
    "endpoints": [],
    "links": [],
    "controllers": [],
    "shared": [],
    "userspace": None,
    "other": None,
}


def _complete(data: dict[str, Any]) -> dict[str, Any]:
    if "controllers" not in data and "endpoints" not in data:
        return data
    group: dict[str, Any] = {"connections_found": 0, "subflows_found": 0, "fallback": 0}
    group |= {"links": [], "coverage": [], "connections": []}
    return {name: group if empty is None else empty for name, empty in _PARTS.items()} | data


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Document, Ends):
    """Something that the path manager reported."""

    time_us: int
    """Microseconds since 1970."""
    event: EventName | None = None
    """What happened, such as "subflow-closed"; None for an event of a later kernel, see type.

    "lost" says that events were lost because they were not read in time."""
    type: int
    """The kernel's number of the event."""
    controller: str | None = None
    """The controller that it happened to; several with commas where the connection is shared."""
    token: int | None = None
    """The connection that it happened to."""
    local: str | None = None
    remote: str | None = None
    link: str | None = None
    """The link that a subflow is bound to, or that went down or came back."""
    id_local: int | None = None
    id_remote: int | None = None
    backup: bool | None = None
    error: int | None = None
    """errno that a subflow ended with."""
    reset_reason: int | None = None
    """RFC 8684 section 3.6."""
    reset_flags: int | None = None
    ifindex: int | None = None
    server_side: bool | None = None
    """The peer made the connection."""
    no_join_id0: bool | None = None
    """The peer takes no subflows to its initial address."""
    reset_text: str | None = None
    """The reason of the reset in words."""
