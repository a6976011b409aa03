# SPDX-License-Identifier: LGPL-2.1-or-later
"""Differences between two snapshots, and traffic rates between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ._words import ChangeKind, ChangeSubject

if TYPE_CHECKING:
    from ._documents import Connection, Snapshot, Subflow

#: Counters are not compared, and parts of an object have changes of their own.
_COUNTED = frozenset(
    "bytes_sent bytes_received bytes_acked bytes_retrans bytes_notsent rtt_us rttvar_us min_rtt_us"
    " rto_us cwnd unacked lost timeouts retrans delivery_rate pacing_rate busy_us rwnd_limited_us"
    " sndbuf_limited_us last_data_sent_ms last_data_recv_ms last_ack_recv_ms reorderings mss pmtu"
    " timeouts_total timeouts_ms delivered_ce received_ce delivered_ce_bytes received_ce_bytes"
    " retransmits subflows_total subflows_max links coverage connections subflows inode".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A difference between two snapshots."""

    kind: ChangeKind
    subject: ChangeSubject
    name: str
    """The object: "nvme0", "endpoint 3 (192.0.2.1)", "nvme0: 192.0.2.1:50000 192.0.2.9:4420"."""
    attribute: str | None = None
    """The attribute that changed, such as "state" or "carrying"."""
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        if self.kind != "changed":
            return f"{self.subject} {self.name} {self.kind}"
        return f"{self.subject} {self.name}: {self.attribute} {self.before} → {self.after}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Rates at which a controller sent and received over a link between two snapshots."""

    controller: str
    """The controller's name; several, separated by commas, if they share connections."""
    link: str | None
    """The network interface; None if unknown."""
    seconds: float
    """Time between the snapshots."""
    subflows: int
    """Number of subflows that are in both snapshots or are new."""
    sent: float
    """Bytes per second, like received and retransmitted."""
    received: float
    retransmitted: float


def _owners(snapshot: Snapshot) -> Iterator[tuple[str, tuple[Connection, ...]]]:
    for ctrl in snapshot.controllers:
        yield ctrl.name, ctrl.connections
    for group in snapshot.shared:
        yield ",".join(group.controllers or ()), group.connections


def _subflows(snapshot: Snapshot) -> dict[tuple[Any, ...], tuple[str, Subflow]]:
    """Return the subflows with their owners, by what identifies a subflow during its lifetime."""
    return {
        (connection.token, connection.inode, subflow.local, subflow.remote): (owner, subflow)
        for owner, connections in _owners(snapshot)
        for connection in connections
        for subflow in connection.subflows
    }


def _things(snapshot: Snapshot) -> dict[tuple[ChangeSubject, Any], tuple[str, Any]]:
    found: dict[tuple[ChangeSubject, Any], tuple[str, Any]] = {}
    for ctrl in snapshot.controllers:
        found["controller", ctrl.name] = ctrl.name, ctrl
    for owner, connections in _owners(snapshot):
        for connection in connections:
            name = f"{owner}: {connection.local} {connection.remote}"
            found["connection", (connection.token, connection.inode)] = name, connection
    for key, (owner, subflow) in _subflows(snapshot).items():
        found["subflow", key] = f"{owner}: {subflow.local} {subflow.remote}", subflow
    for endpoint in snapshot.endpoints:
        key = (endpoint.id, endpoint.address, endpoint.port)
        found["endpoint", key] = f"{endpoint.id} ({endpoint.address})", endpoint
    for link in snapshot.links:
        found["link", link.ifindex] = link.name, link
    found["limits", None] = "of the path manager", snapshot.limits
    for name, value in snapshot.settings.items():
        found["setting", name] = name, {"value": value}
    for problem in snapshot.problems:
        found["problem", problem.part] = problem.part, problem
    return found


def _values(thing: Any) -> dict[str, Any]:
    if isinstance(thing, dict):
        return thing
    return {m.name: getattr(thing, m.name) for m in fields(thing) if m.name not in _COUNTED}


def diff(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Implement Snapshot.diff()."""
    old, new = _things(before), _things(after)
    changes: list[Change] = []
    for (subject, key), (name, thing) in old.items():
        if (subject, key) not in new:
            changes.append(Change(kind="removed", subject=subject, name=name, before=thing))
            continue
        was, now = _values(thing), _values(new[subject, key][1])
        changes += [
            Change(
                kind="changed",
                subject=subject,
                name=name,
                attribute=attribute,
                before=was[attribute],
                after=now[attribute],
            )
            for attribute in was
            if was[attribute] != now[attribute]
        ]
    changes += [
        Change(kind="added", subject=subject, name=name, after=thing)
        for (subject, key), (name, thing) in new.items()
        if (subject, key) not in old
    ]
    return tuple(changes)


def _grown(subflow: Subflow, earlier: Subflow | None, counter: str) -> int:
    """Return the growth of a counter; counters of a new subflow begin with 0."""
    now = getattr(subflow, counter) or 0
    was = (getattr(earlier, counter) or 0) if earlier else 0
    return max(0, now - was)


_COUNTERS: Mapping[str, str] = {
    "sent": "bytes_sent",
    "received": "bytes_received",
    "retransmitted": "bytes_retrans",
}


def rates(before: Snapshot, after: Snapshot) -> tuple[Rate, ...]:
    """Implement Snapshot.rates()."""
    seconds = (after.taken_ms - before.taken_ms) / 1000
    if seconds <= 0:
        raise ValueError(f"rates: the other snapshot is {-seconds:g} s older, not later")
    old = _subflows(before)
    sums: dict[tuple[str, str | None], list[int]] = {}
    for key, (owner, subflow) in _subflows(after).items():
        row = sums.setdefault((owner, subflow.link), [0] * (1 + len(_COUNTERS)))
        earlier = old.get(key, (owner, None))[1]
        row[0] += 1
        for i, counter in enumerate(_COUNTERS.values(), 1):
            row[i] += _grown(subflow, earlier, counter)
    return tuple(_rates(sums.items(), seconds))


def _rates(
    sums: Iterable[tuple[tuple[str, str | None], list[int]]], seconds: float
) -> Iterator[Rate]:
    for (owner, link), (subflows, *grown) in sums:
        speeds = dict(zip(_COUNTERS, (bytes_ / seconds for bytes_ in grown), strict=True))
        yield Rate(controller=owner, link=link, seconds=seconds, subflows=subflows, **speeds)
