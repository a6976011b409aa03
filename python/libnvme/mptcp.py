# SPDX-License-Identifier: LGPL-2.1-or-later
"""What MPTCP does for the NVMe controllers of this machine.

>>> from libnvme import mptcp
>>> for ctrl in mptcp.snapshot().controllers:
...     for subflow in ctrl.subflows():
...         print(ctrl.name, subflow.link, subflow.local, subflow.remote, subflow.rtt_us)

A snapshot is one consistent look. Its objects are plain data: they stay as they are, compare by
value and refer to nothing outside. They have the names and the meaning of the document that
"nvme mptcp show-subflows -o json" prints. None stands for what the kernel did not tell; a part
that could not be read at all, for lack of privileges or of MPTCP, is one of Snapshot.problems.

Words: a connection is one MPTCP socket, which carries one NVMe queue; its subflows are TCP
sockets; the link of a subflow is the network interface that it leaves by.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import Any, TypeVar

from . import _mptcp

__all__ = [
    "Connection",
    "Controller",
    "Endpoint",
    "Event",
    "Finding",
    "Fix",
    "Group",
    "Limits",
    "Link",
    "Monitor",
    "Problem",
    "Snapshot",
    "Subflow",
    "Usage",
    "check",
    "monitor",
    "snapshot",
]

_T = TypeVar("_T")


_converters: dict[type, tuple[tuple[str, Any], ...]] = {}


def _make(cls: type[_T], data: Mapping[str, Any]) -> _T:
    """An object of a dataclass from a JSON object; keys that it does not know are left out."""
    if cls not in _converters:
        made = ((f.name, f.metadata.get("of")) for f in fields(cls))
        _converters[cls] = tuple(made)
    values = []
    for name, of in _converters[cls]:
        value = data.get(name)
        if isinstance(value, list):
            value = tuple(_make(of, item) for item in value) if of else tuple(value)
        elif of and value is not None:
            value = _make(of, value)
        values.append(value)
    return cls(*values)


def _of(cls: type) -> Any:
    return field(metadata={"of": cls})


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
    """Live subflows that leave from it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A network interface."""

    name: str
    ifindex: int
    up: bool | None
    carrier: bool | None
    mtu: int | None
    speed_mbps: int | None
    master: int | None
    """ifindex of the bond or bridge that it belongs to."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What connections have sent and received over one link."""

    link: str | None
    speed_mbps: int | None
    subflows: int
    """Established ones."""
    pending: int
    """Those that are not established yet."""
    bytes_sent: int | None
    bytes_received: int | None
    share: float | None
    """Part of the bytes of all links, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Subflow:
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


@dataclass(frozen=True, slots=True)
class Connection:
    """One MPTCP socket: one queue of a controller; see struct mptcp_info in linux/mptcp.h."""

    token: int | None
    attribution: str
    """How its controller was found: none, exact, recorded, inferred, shared or userspace."""
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
    checksum: int | None
    retransmits: int | None
    bytes_retrans: int | None
    bytes_sent: int | None
    bytes_received: int | None
    bytes_acked: int | None
    last_data_sent_ms: int | None
    last_data_recv_ms: int | None
    last_ack_recv_ms: int | None
    subflows: tuple[Subflow, ...] = _of(Subflow)


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
    connections_expected: int | None
    """Its queues, the admin queue included."""
    connections_shared: int
    """Connections that it or another controller owns, see Snapshot.shared."""
    connections_found: int
    subflows_found: int
    fallback: int
    """Connections that fell back to plain TCP."""
    links: tuple[Usage, ...] = _of(Usage)
    connections: tuple[Connection, ...] = _of(Connection)


@dataclass(frozen=True, slots=True)
class Group(_Connections):
    """Connections that belong to one of several controllers, or to none."""

    controllers: tuple[str, ...] | None
    """The controllers that may own them."""
    connections_found: int
    subflows_found: int
    fallback: int
    """Connections that fell back to plain TCP."""
    links: tuple[Usage, ...] = _of(Usage)
    connections: tuple[Connection, ...] = _of(Connection)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One consistent look at MPTCP and at the controllers that use it."""

    taken_ms: int
    """CLOCK_BOOTTIME in milliseconds."""
    netns: str | None
    """The network namespace that was asked for; None: the caller's."""
    enabled: bool | None
    """May new sockets use MPTCP?"""
    path_manager: str | None
    scheduler: str | None
    settings: dict[str, str]
    """The files of /proc/sys/net/mptcp."""
    problems: tuple[Problem, ...] = _of(Problem)
    limits: Limits = _of(Limits)
    endpoints: tuple[Endpoint, ...] = _of(Endpoint)
    links: tuple[Link, ...] = _of(Link)
    controllers: tuple[Controller, ...] = _of(Controller)
    shared: tuple[Group, ...] = _of(Group)
    """Connections that belong to one of several controllers each."""
    userspace: Group = _of(Group)
    """Connections that processes hold."""
    other: Group = _of(Group)
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
class Event:
    """Something that the path manager reported."""

    time_us: int
    """Microseconds since 1970."""
    event: str | None
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
    """The link that a subflow is bound to."""
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


def snapshot(netns: str | None = None) -> Snapshot:
    """Look at MPTCP, in a network namespace (a name below /run/netns, or a path) or the caller's.

    Nothing is changed. OSError is raised if the namespace cannot be entered.
    """
    return _make(Snapshot, json.loads(_mptcp.snapshot(netns)))


@dataclass(frozen=True, slots=True)
class Fix:
    """A command that mends something."""

    side: str
    """Where it is to be run: host or target."""
    command: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Why subflows are missing, or will be; doc/mptcp-rules.md describes the rules."""

    rule: str
    """Its id, such as "H08"."""
    severity: str
    """error, warning or info."""
    subject: str
    """What it is about, such as "nvme1"."""
    evidence: dict[str, str]
    """What the finding rests on."""
    why: str
    """The reason as a sentence."""
    fix: tuple[Fix, ...] = _of(Fix)
    """What to run, in order."""


_ROLES = ("auto", "host", "target")


def check(
    ctrls: Iterable[str] = (),
    *,
    traddr: str | None = None,
    trsvcid: str | None = None,
    role: str = "auto",
    netns: str | None = None,
    interval: float = 1,
) -> list[Finding]:
    """Find out why traffic is not on all links, and what to run; the worst come first.

    ctrls names controllers, all of them by default; traddr and trsvcid tell a target that is not
    connected yet; role is host, target or auto. Counters have to grow within interval seconds to
    be evidence; with 0 they are taken as hints. Nothing is changed.
    """
    if role not in _ROLES:
        raise ValueError(f"role is {role!r}, not one of {', '.join(_ROLES)}")
    if isinstance(ctrls, str):
        raise TypeError("ctrls must be names, not one str")
    wait_ms = _milliseconds(interval)
    number = _ROLES.index(role)
    document = json.loads(_mptcp.check(netns, tuple(ctrls), traddr, trsvcid, number, wait_ms))
    return [_make(Finding, finding) for finding in document["findings"]]


def _milliseconds(seconds: float) -> int:
    return min(max(0, round(seconds * 1000)), 2**31 - 1)


class Monitor:
    """Listens to the path manager from when it is made; iterating waits for the next event.

    Needs CAP_NET_ADMIN. It can be closed, also by a with statement, and given to select().
    """

    def __init__(self, netns: str | None = None) -> None:
        self._monitor = _mptcp.Monitor(netns)

    def wait(self, timeout: float | None = None) -> Event | None:
        """The next event, or None if there is none within timeout seconds."""
        wait_ms = -1 if timeout is None else _milliseconds(timeout)
        document = self._monitor.next(wait_ms)
        return None if document is None else _make(Event, json.loads(document))

    def fileno(self) -> int:
        """A descriptor that becomes readable when there is an event."""
        return self._monitor.fileno()

    def close(self) -> None:
        """Stop listening."""
        self._monitor.close()

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self.wait()
            if event:
                yield event

    def __enter__(self) -> Monitor:
        return self

    def __exit__(
        self,
        type: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def monitor(netns: str | None = None) -> Monitor:
    """Listen to the path manager: for event in mptcp.monitor(): ..."""
    return Monitor(netns)
