# SPDX-License-Identifier: LGPL-2.1-or-later
"""What MPTCP does for the NVMe controllers of this machine.

>>> from libnvme import mptcp
>>> for ctrl in mptcp.snapshot().controllers:
...     for subflow in ctrl.subflows():
...         print(ctrl.name, subflow.link, subflow.local, subflow.remote, subflow.rtt_us)

snapshot() looks: at controllers, their connections and subflows, endpoints, limits and links.
check() says why traffic is not on all links, setup() gives every link an endpoint, repair() brings
back subflows that died, monitor() waits for what happens, report() puts everything into one
document, which read_report() and check(peer=...) read on another machine.

A snapshot is one consistent look. All objects are plain data: they stay as they are, compare by
value and refer to nothing outside. They have the names and the meaning of the documents that the
commands "nvme mptcp ... -o json" print. None stands for what the kernel did not tell; a part that
could not be read at all, for lack of privileges or of MPTCP, is one of Snapshot.problems.
Looking takes no privileges, as far as the kernel shows something without; monitor() and changing
something take CAP_NET_ADMIN.

Words: a connection is one MPTCP socket, which carries one NVMe queue; its subflows are TCP
sockets; the link of a subflow is the network interface that it leaves by.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from . import _mptcp
from ._document import make
from ._documents import (
    Connection,
    Controller,
    Coverage,
    Endpoint,
    Event,
    Group,
    Limits,
    Link,
    Problem,
    Snapshot,
    Subflow,
    Usage,
)
from ._findings import ClosedSubflow, Finding, Findings, Fix, Trial
from ._plans import Gap, Note, Plan, PlanFailed, PlanLink, Step
from ._report import Address, Kernel, Listener, Report, Route, RoutingRule, TargetPort

__all__ = [
    "Address",
    "ClosedSubflow",
    "Connection",
    "Controller",
    "Coverage",
    "Endpoint",
    "Event",
    "Finding",
    "Findings",
    "Fix",
    "Gap",
    "Group",
    "Kernel",
    "Limits",
    "Link",
    "Listener",
    "Monitor",
    "Note",
    "Plan",
    "PlanFailed",
    "PlanLink",
    "Problem",
    "Report",
    "Route",
    "RoutingRule",
    "Snapshot",
    "Step",
    "Subflow",
    "TargetPort",
    "Trial",
    "Usage",
    "check",
    "monitor",
    "read_report",
    "repair",
    "report",
    "setup",
    "snapshot",
]


def snapshot(netns: str | None = None) -> Snapshot:
    """Look at MPTCP, in a network namespace (a name below /run/netns, or a path) or the caller's.

    Nothing is changed. OSError is raised if the namespace cannot be entered.
    """
    return make(Snapshot, _mptcp.snapshot(netns))


_ROLES = ("auto", "host", "target")


def check(
    ctrls: str | Iterable[str] = (),
    *,
    traddr: str | None = None,
    trsvcid: str | None = None,
    host_traddr: str | None = None,
    host_iface: str | None = None,
    trial: bool = True,
    peer: str | os.PathLike[str] | None = None,
    role: str = "auto",
    netns: str | None = None,
    interval: float = 1,
    ignore: str | Iterable[str] = (),
) -> Findings:
    """Find out why traffic is not on all links, and what to run; the worst come first.

    ctrls names controllers, all of them by default. traddr and trsvcid tell a target that is not
    connected yet: unless trial is false, a connection to it is tried, from host_traddr and by
    host_iface if they are given, watched for a second or so and closed. So are portals of live
    controllers that lack subflows while nothing here says why. peer is a file that
    report() made on the other side, whose rules are run as well. role is host, target or auto.
    Counters have to grow within interval seconds to be evidence; with 0 they are taken as hints.
    What the rules that ignore names find is counted and left out; the configuration is not read.
    No setting is changed. ValueError is raised if peer is no report, and says where, if it is one
    of this side, and if ignore names a rule that there is not.
    """
    names = _list(ctrls, "ctrls")
    if names and traddr is not None:
        raise ValueError(
            "ctrls and traddr: controllers that are connected, or an address that is not"
        )
    if traddr is None and not (host_traddr is None and host_iface is None):
        raise ValueError(
            "host_traddr and host_iface say how to connect to traddr, which is missing"
        )
    way = (traddr, trsvcid, host_traddr, host_iface)
    file = None if peer is None else os.fspath(peer)
    ignored = _list(ignore, "ignore")
    number = _role(role)
    wait_ms = _milliseconds(interval)
    reasons = {
        errno.EINVAL: f"traddr={traddr} trsvcid={trsvcid}: an IP address and a port are wanted",
        errno.ENODEV: f"host_iface={host_iface}: no such network interface",
        errno.EADDRNOTAVAIL: f"host_traddr={host_traddr}: no interface here has this address",
        errno.EPROTO: f"peer={file}: this is a report of this side, not of the other one",
    }
    with _explained(reasons):
        # a target does not connect
        tried = trial and role != "target"
        document = _mptcp.check(netns, names, way, file, ignored, number, tried, wait_ms)
    return make(Findings, document)


def report(
    file: str | os.PathLike[str] | None = None, *, netns: str | None = None, interval: float = 1
) -> Report:
    """Everything about MPTCP here in one document, for a bug report or for the other side.

    It is written to file, if that is given, which it replaces as a whole. A symbolic link is
    followed, but not one of another user in a directory where everybody may write. Counters are
    looked at twice, interval seconds apart. There are no keys in it, but addresses and names.
    """
    document = _mptcp.report(netns, _milliseconds(interval))
    if file is not None:
        _mptcp.save(os.fspath(file), document, False)
    return make(Report, document)


def read_report(file: str | os.PathLike[str]) -> Report:
    """Read a document that report() wrote, perhaps on another machine; it is not trusted.

    ValueError is raised if it is none, and says where.
    """
    _mptcp.read_report(os.fspath(file))
    return make(Report, Path(file).read_text(encoding="utf-8"))


def setup(
    role: str,
    *,
    traddr: str | Iterable[str] = (),
    dev: str | Iterable[str] = (),
    replace: bool = False,
    apply: bool = False,
    netns: str | None = None,
) -> Plan:
    """Plan endpoints and limits so that every usable link carries each connection once.

    role is host, which connects, or target. traddr are the addresses of the target, the one to
    connect to first; by default those of the controllers that there are. dev are the network
    interfaces to use, whatever they are; by default those that are there for storage. With replace,
    endpoints of others that stand in the way are changed or deleted, and limits lowered; else they
    are kept, and a note says what they cost.

    Nothing is changed unless apply is true; then the plan is made and its steps are done, which
    takes CAP_NET_ADMIN. If one fails, those before it are undone and PlanFailed is raised. Doing it
    again does nothing. OSError is raised if there can be no plan: no such interface (ENODEV), no
    usable link (ENOLINK), no room for an endpoint (ENOSPC), or a kernel that does not show what a
    plan is made from (ENODATA).
    """
    addresses, devices = _list(traddr, "traddr"), _list(dev, "dev")
    number = _role(role, "host", "target")
    with _explained(_plan_reasons(addresses, devices)):
        made = _mptcp.setup(netns, addresses, devices, number, replace, apply)
    return _plan(*made)


def repair(
    ctrls: str | Iterable[str] = (),
    *,
    dev: str | Iterable[str] = (),
    role: str = "auto",
    force: bool = False,
    apply: bool = True,
    netns: str | None = None,
) -> Plan:
    """Bring back subflows that died or never formed, without disturbing those that live.

    The kernel does not try again by itself. ctrls names controllers, all of them by default; dev
    the network interfaces that ought to carry each connection, by default those that have an
    endpoint or carry one. role is host, target or auto: a host if there are controllers. With
    force also what costs living subflows is done: those of that link are formed anew.

    With apply=False nothing is changed. Plan.missing says what was missing before; new subflows
    take a moment, repair(apply=False).missing says what is missing then. PlanFailed is raised
    after all steps if the kernel refused one, OSError if there can be no plan.
    """
    names, devices = _list(ctrls, "ctrls"), _list(dev, "dev")
    number = _role(role)
    with _explained(_plan_reasons((), devices)):
        made = _mptcp.repair(netns, names, devices, number, force, apply)
    return _plan(*made)


def _plan_reasons(traddrs: tuple[str, ...], devices: tuple[str, ...]) -> dict[int, str]:
    return {
        errno.EINVAL: f"traddr={','.join(traddrs)}: IP addresses of one family are wanted",
        errno.ENODEV: f"dev={','.join(devices)}: no such network interface",
        errno.ENOLINK: "no link is usable: it has to be up, with a carrier and a global address "
        "of the target's family",
        errno.ENOSPC: "endpoints of others fill the kernel's table, and replace=True deletes them",
    }


@contextmanager
def _explained(reasons: dict[int, str]) -> Iterator[None]:
    """Say what an errno of the library means here."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in reasons:
            if error.errno == errno.EPROTO:
                raise ValueError(reasons[error.errno]) from None
            raise OSError(error.errno, reasons[error.errno]) from None
        raise


def _plan(document: str, failed: int) -> Plan:
    plan = make(Plan, document)
    if failed:
        refused = next((step for step in plan.steps if step.error), None)
        text = f"{refused.command}: {refused.error}" if refused else os.strerror(failed)
        raise PlanFailed(failed, text, plan)
    return plan


def _role(role: str, *allowed: str) -> int:
    if role not in (allowed or _ROLES):
        raise ValueError(f"role is {role!r}, not one of {', '.join(allowed or _ROLES)}")
    return _ROLES.index(role)


def _list(words: str | Iterable[str], name: str) -> tuple[str, ...]:
    if not isinstance(words, Iterable) or isinstance(words, bytes):
        raise TypeError(f"{name} must be str or several of them, not {type(words).__name__}")
    given = (words,) if isinstance(words, str) else tuple(words)
    for word in given:
        if not isinstance(word, str):
            raise TypeError(f"{name} must be str, not {type(word).__name__}")
    return given


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
        return None if document is None else make(Event, document)

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
