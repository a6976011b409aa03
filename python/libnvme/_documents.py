# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots and events of libnvme.mptcp: the JSON output of "nvme mptcp" as dataclasses."""

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
    """The reason as an errno: EAGAIN if the part was read, but kept changing."""
    text: str
    """The reason as a sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the kernel's path manager."""

    subflows: int | None = None
    """Maximum number of subflows of a connection in addition to the initial one."""
    add_addr_accepted: int | None = None
    """Maximum number of announced addresses that a connection accepts."""


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
    """The interface specified when it was added."""
    link: str | None = None
    """The interface that has the address."""
    subflows: int | None = None
    """Number of established subflows that use it, whether they carry data or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A network interface."""

    name: str
    ifindex: int
    up: bool | None = None
    carrier: bool | None = None
    usable: bool | None = None
    """Up, with a carrier and a global address, and not a member of a bond or bridge.

    Controller.coverage shows whether a route to a controller's target leads over it."""
    mtu: int | None = None
    speed_mbps: int | None = None
    master: int | None = None
    """ifindex of its bond or bridge."""
    kind: LinkKind
    """What is at the other end."""
    wire: int
    """ifindex of the link whose cable it shares, its own if it shares none."""
    type: str | None = None
    """The kernel's name of its kind, such as "vlan"; None for a card."""
    parent: int | None = None
    """ifindex of the link that a VLAN, macvlan or similar is on."""
    vlan: int | None = None
    """ID of a VLAN."""
    vlan_gate: int | None = None
    """ifindex of the bridge below, or of a port of it, that stops the VLAN."""
    active_port: int | None = None
    """ifindex of the port that an active-backup bond sends over."""
    unmonitored: bool | None = None
    """A bond that does not notice that a port is dead; None for other links."""
    no_partner: bool | None = None
    """A bond by LACP (802.3ad) whose other end does not take part; None for other links."""
    aggregator: int | None = None
    """The one that a bond by LACP uses, or that its port is in."""
    table: int | None = None
    """Routing table of a VRF."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Traffic of connections over one link."""

    link: str | None = None
    speed_mbps: int | None = None
    subflows: int = 0
    """Subflows that carry data, see Subflow.carrying."""
    dead: int | None = None
    """Established subflows that carry no data."""
    pending: int = 0
    """Subflows that are not established yet."""
    bytes_sent: int | None = None
    bytes_received: int | None = None
    share: float | None = None
    """Share of the bytes of all links, 0 to 1."""
    possible_links: tuple[str, ...] = ()
    """If link is None: the links of which each subflow uses one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """A link, and how it covers connections."""

    link: str | None = None
    """None if it is unknown on which link subflows are missing."""
    wanted: bool
    """Whether it must carry the connections."""
    reason: Reason
    """Why it must, or need not."""
    trouble: str | None = None
    """Why the link, or an established subflow on it, carries no data at present."""
    covered: int = 0
    """Connections with one subflow on it that carries data."""
    missing: int = 0
    """Connections without such a subflow."""
    superfluous: int = 0
    """Connections with several on it, or on the wire that it shares."""
    unwanted: int = 0
    """Connections that need no subflow on it."""
    pending: int = 0
    """Part of missing: joins in progress."""
    backups: int = 0
    """Part of covered: backups."""


class Portal(NamedTuple):
    """An IP address and a port."""

    address: str
    """Without brackets; a link-local address ends with % and the name or number of the link."""
    port: int

    def __str__(self) -> str:
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{address}:{self.port}"


def split(text: str | None) -> Portal | None:
    """Split 192.0.2.1:4420 or [2001:db8::1]:4420 into address and port; return None for neither."""
    address, colon, port = (text or "").rpartition(":")
    if not colon or not port.isdecimal():
        return None
    return Portal(address.removeprefix("[").removesuffix("]"), int(port))


class Ends:
    """Base of objects with two ends: address and port of each, None if the kernel reports none."""

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
    """The network interface that it uses."""
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
    """Why it carries no data although it is established."""
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
    """Segments delivered with a congestion mark (ECN)."""
    received_ce: int | None = None
    delivered_ce_bytes: int | None = None
    received_ce_bytes: int | None = None
    possible_links: tuple[str, ...] = ()
    """If its route has next hops on several links: these links. The kernel picks one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(Ends):
    """One MPTCP socket: one queue of a controller; see struct mptcp_info in linux/mptcp.h."""

    token: int | None = None
    attribution: Attribution = "none"
    """How its controller was determined."""
    state: str
    fallback: bool | None = None
    """It fell back to plain TCP."""
    local: str
    remote: str
    inode: int = 0
    pid: int | None = None
    """A process that has it open; 0 for the kernel."""
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
    """Number of laminar endpoints; None if there are none, or if the kernel does not have them."""
    fullmesh_max: int | None = None
    """The same for fullmesh endpoints."""
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
    """The owner of connections: a Controller or a Group. For functions that accept both."""

    __slots__ = ()

    connections_found: int
    subflows_found: int
    fallback: int
    links: tuple[Usage, ...]
    coverage: tuple[Coverage, ...]
    connections: tuple[Connection, ...]

    @property
    def missing(self) -> int:
        """Number of missing subflows, on all links that must carry its connections."""
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
    """A relay serves its portal, but it is connected directly to the target."""
    connections_expected: int | None = None
    """Number of its queues, including the admin queue."""
    connections_shared: int = 0
    """Number of connections that either it or another controller owns, see Snapshot.shared."""
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
    """A consistent snapshot of MPTCP and of the controllers that use it."""

    taken_ms: int
    """CLOCK_BOOTTIME in milliseconds."""
    netns: str | None = None
    """The requested network namespace; None: the caller's."""
    enabled: bool | None = None
    """Whether new sockets can use MPTCP."""
    path_manager: str | None = None
    scheduler: str | None = None
    settings: dict[str, str] = field(hash=False, default_factory=dict)
    """Contents of the files in /proc/sys/net/mptcp."""
    problems: tuple[Problem, ...] = of(Problem, ())
    limits: Limits = of(Limits, Limits())
    endpoints: tuple[Endpoint, ...] = of(Endpoint, ())
    links: tuple[Link, ...] = of(Link, ())
    controllers: tuple[Controller, ...] = of(Controller, ())
    shared: tuple[Group, ...] = of(Group, ())
    """Connections that each belong to one of several controllers."""
    userspace: Group = of(Group, Group())
    """Connections of processes."""
    other: Group = of(Group, Group())
    """Connections of the kernel that belong to no controller: on a target, those of its hosts."""

    def controller(self, name: str) -> Controller:
        """Return the controller of a name, such as "nvme1"; raise LookupError if there is none."""
        for controller in self.controllers:
            if controller.name == name:
                return controller
        raise LookupError(f"no controller {name} with subflows")

    def owners(self) -> Iterator[ConnectionOwner]:
        """Yield the controllers, and the groups of connections that controllers share."""
        yield from self.controllers
        yield from self.shared

    def missing(self, name: str) -> tuple[str, ...]:
        """Return in words what a controller needs to be whole; empty: all links carry it.

        A whole controller is live and has a connection for each queue and none in fallback; each
        connection has a subflow that carries data on each link that must carry it. LookupError is
        raised if there is no such controller.
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
        """Return the differences of a later snapshot; counters and estimates are not compared."""
        from ._changes import diff

        return diff(self, later)

    def rates(self, later: Snapshot) -> tuple[Rate, ...]:
        """Return the traffic rates of each controller over each link until a later snapshot.

        Bytes of subflows that ended meanwhile are not counted. ValueError is raised if the other
        snapshot is not later.
        """
        from ._changes import rates

        return rates(self, later)

    @classmethod
    def from_json(cls, text: str | bytes) -> Snapshot:
        """Make a Snapshot from the output of to_json() or "nvme mptcp show-subflows -o json".

        The text is not trusted. Parts that show-subflows and show-endpoints omit are empty. Unknown
        keys are ignored. ValueError, which states the place, is raised if it is no such document.
        """
        return read_document(cls, text, _complete)

    def subflows(self) -> Iterator[Subflow]:
        """Yield the subflows of all controllers, including those of shared connections."""
        for owner in (*self.controllers, *self.shared):
            yield from owner.subflows()


#: Defaults for the parts that documents of show-subflows or show-endpoints do not have.
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
    """An event of the path manager."""

    time_us: int
    """Microseconds since 1970."""
    event: EventName | None = None
    """The name of the event, such as "subflow-closed"; None if unknown, see type.

    "lost" means that events were lost because they were not read in time. Events of a later kernel
    are unknown."""
    type: int
    """The kernel's number of the event."""
    controller: str | None = None
    """The controller concerned; several, separated by commas, if the connection is shared."""
    token: int | None = None
    """The connection concerned."""
    local: str | None = None
    remote: str | None = None
    link: str | None = None
    """The link that a subflow is bound to, or that went down or came up."""
    id_local: int | None = None
    id_remote: int | None = None
    backup: bool | None = None
    error: int | None = None
    """errno with which a subflow ended."""
    reset_reason: int | None = None
    """RFC 8684 section 3.6."""
    reset_flags: int | None = None
    ifindex: int | None = None
    server_side: bool | None = None
    """The peer initiated the connection."""
    no_join_id0: bool | None = None
    """The peer accepts no subflows to its initial address."""
    reset_text: str | None = None
    """Reason of the reset in words."""
