# SPDX-License-Identifier: LGPL-2.1-or-later
"""MPTCP state and configuration of this machine's NVMe controllers.

>>> from libnvme import mptcp
>>> for ctrl in mptcp.snapshot().controllers:
...     for subflow in ctrl.subflows():
...         print(ctrl.name, subflow.link, subflow.local, subflow.remote, subflow.rtt_us)

The package nvme_mptcp has the same functions on top of the distribution's libnvme: import
nvme_mptcp as mptcp.

snapshot() reads controllers, their connections and subflows, endpoints, limits and links. check()
explains why traffic is not on all links, setup() gives every link an endpoint, repair() restores
subflows that died, monitor() waits for events, report() writes everything to one document, which
read_report() and check(peer=...) read on another machine.

A snapshot is consistent. All objects are plain data: they do not change, compare by value and refer
to no other objects. Their names and meanings are those of the documents that the commands "nvme
mptcp ... -o json" print. None means that the kernel did not report a value; a part that could not
be read at all, because of missing privileges or missing MPTCP, is one of Snapshot.problems. Reading
requires no privileges for what the kernel shows to all users; monitor() and changes require
CAP_NET_ADMIN.

Terms: a connection is one MPTCP socket, which carries one NVMe queue; its subflows are TCP sockets;
the link of a subflow is the network interface that it uses.
"""

from __future__ import annotations

import sys

if __name__ == "libnvme.mptcp" and not hasattr(sys.modules["libnvme"], "__libnvme_version__"):
    from ._foreign import complain

    complain(__file__.rpartition("/")[0])

from . import _mptcp

TYPE_CHECKING = False  # typing defines it, but importing typing takes longer than this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ._arguments import IpAddress, Path
    from ._changes import Change, Rate
    from ._collector import Collector
    from ._documents import (
        Connection,
        ConnectionOwner,
        Controller,
        Coverage,
        Endpoint,
        Event,
        Group,
        Limits,
        Link,
        Portal,
        Problem,
        Snapshot,
        Subflow,
        Usage,
        split,
    )
    from ._findings import ClosedSubflow, Finding, Findings, Fix, Trial
    from ._keeper import Keeper
    from ._monitor import Monitor, monitor
    from ._plans import Gap, Note, Plan, PlanFailed, PlanLink, Step
    from ._pm import endpoints, limits
    from ._report import Address, Kernel, Listener, Report, Route, RoutingRule, TargetPort
    from ._words import (
        Action,
        Attribution,
        ChangeKind,
        ChangeSubject,
        EventName,
        LinkKind,
        Method,
        MetricsFormat,
        Reason,
        Role,
        Severity,
        Side,
        StepState,
        Subject,
        TrialOutcome,
    )

__all__ = [
    "Action", "Address", "Attribution", "Change", "ChangeKind", "ChangeSubject", "ClosedSubflow",
    "Collector", "Connection", "ConnectionOwner", "Controller", "Coverage", "Endpoint", "Event",
    "EventName", "Finding", "Findings", "Fix", "Gap", "Group", "Keeper", "Kernel", "Limits", "Link",
    "LinkKind", "Listener", "Method", "MetricsFormat", "Monitor", "Note", "Plan", "PlanFailed",
    "PlanLink", "Portal", "Problem", "Rate", "Reason", "Report", "Role", "Route", "RoutingRule",
    "Severity", "Side", "Snapshot", "Step", "StepState", "Subflow", "Subject", "TargetPort",
    "Trial", "TrialOutcome", "Usage", "check", "endpoints", "limits", "metrics", "monitor",
    "read_report", "repair", "report", "setup", "snapshot", "split", "wait_until_whole",
]  # fmt: skip

#: Modules of public names that are imported on first use.
_LATER = {
    "_changes": "Change Rate",
    "_collector": "Collector",
    "_documents": "Connection ConnectionOwner Controller Coverage Endpoint Event Group Limits Link "
    "Portal Problem Snapshot Subflow Usage split",
    "_findings": "ClosedSubflow Finding Findings Fix Trial",
    "_keeper": "Keeper",
    "_monitor": "Monitor monitor",
    "_plans": "Gap Note Plan PlanFailed PlanLink Step",
    "_pm": "endpoints limits",
    "_report": "Address Kernel Listener Report Route RoutingRule TargetPort",
    "_words": "Action Attribution ChangeKind ChangeSubject EventName LinkKind Method MetricsFormat "
    "Reason Role Severity Side StepState Subject TrialOutcome",
}

if not TYPE_CHECKING:

    def __getattr__(name):
        for module, names in _LATER.items():
            if name in names.split():
                import importlib

                value = getattr(importlib.import_module(f".{module}", __package__), name)
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})


_POLL_INTERVAL_S = 0.5


def snapshot(netns: Path | None = None) -> Snapshot:
    """Return the state of MPTCP in a network namespace, by default the caller's.

    netns is a name below /run/netns, or a path. Nothing is changed. OSError is raised if the
    namespace cannot be entered.
    """
    from ._arguments import path_text
    from ._document import make
    from ._documents import Snapshot

    return make(Snapshot, _mptcp.snapshot(path_text(netns)))


def check(
    ctrls: str | Iterable[str] = (),
    *,
    traddr: IpAddress | None = None,
    trsvcid: str | int | None = None,
    host_traddr: IpAddress | None = None,
    host_iface: str | None = None,
    trial: bool = True,
    peer: Path | None = None,
    role: Role = "auto",
    netns: Path | None = None,
    interval: float = 1,
    ignore: str | Iterable[str] = (),
    config: Path | None = None,
) -> Findings:
    """Find out why traffic is not on all links, and which commands fix it; the worst come first.

    ctrls names controllers, by default all. traddr and trsvcid give a target that is not connected
    yet: unless trial is false, a connection to it is tried, from host_traddr and over host_iface if
    given, watched for about a second and closed. The same is done for portals of live controllers
    with missing subflows that nothing on this machine explains. peer is a file that report() wrote
    on the other side; the rules for that side are run, too. role is host, target or auto. Counters
    must grow within interval seconds to be evidence; with 0 they are hints. Findings of the rules
    in ignore, and of those that the hosts in the configuration config ignore, are counted but
    omitted; by default no configuration is read. No setting is changed. ValueError, which states
    the place, is raised if peer is no report or config no configuration; it is also raised if peer
    is of this side, and if ignore names an unknown rule.
    """
    import errno
    import os

    from ._arguments import path_text, role_number, text, texts
    from ._document import make
    from ._findings import Findings
    from ._objects import address, number_text
    from ._times import interval_ms

    names = texts(ctrls, "ctrls")
    if names and traddr is not None:
        raise ValueError(
            "ctrls and traddr: specify connected controllers, or an address to test, not both"
        )
    if traddr is None and not (host_traddr is None and host_iface is None):
        raise ValueError("host_traddr and host_iface require traddr")
    target = (
        text(address(traddr), "traddr"),
        text(number_text(trsvcid), "trsvcid"),
        text(address(host_traddr), "host_traddr"),
        text(host_iface, "host_iface"),
    )
    file = path_text(peer)
    ignored = texts(ignore, "ignore")
    if config is not None:
        ignored += tuple(_mptcp.ignored(os.fsdecode(config)))
    number = role_number(role)
    wait_ms = interval_ms(interval)
    # a target does not connect
    tried = trial and role != "target"
    try:
        document = _mptcp.check(
            path_text(netns), names, target, file, ignored, number, tried, wait_ms
        )
    except OSError as error:
        if error.errno == errno.EPROTO:
            raise ValueError(error.strerror) from None
        raise
    return make(Findings, document)


def report(file: Path | None = None, *, netns: Path | None = None, interval: float = 1) -> Report:
    """Return everything about MPTCP on this machine, for a bug report or for the other side.

    If file is given, it is replaced as a whole. A symbolic link is followed, but not one of another
    user in a world-writable directory. Counters are read twice, interval seconds apart. The report
    contains addresses and names, but no keys.
    """
    from ._arguments import path_text
    from ._document import make
    from ._report import Report
    from ._times import interval_ms

    path = path_text(file)
    document = _mptcp.report(path_text(netns), interval_ms(interval))
    if path is not None:
        _mptcp.save(path, document, False)
    return make(Report, document)


def metrics(
    file: Path | None = None,
    *,
    format: MetricsFormat | None = None,
    netns: Path | None = None,
    interval: float = 0,
    max_controllers: int = 1000,
) -> str:
    """Return metrics for a monitoring system: the text that "nvme mptcp metrics" prints.

    If file is given, it is written as by report(). The format is openmetrics by default, and
    prometheus for a file that ends in .prom, which a textfile collector reads. Findings based on
    counters are included if these grow within interval seconds. Controllers beyond max_controllers
    have no series of their own. nvme-mptcp-metrics(1) lists all names and labels.
    """
    from typing import get_args

    from ._arguments import path_text
    from ._times import interval_ms
    from ._words import MetricsFormat

    formats, path = get_args(MetricsFormat), path_text(file)
    if format is None:
        is_collected = path is not None and path.endswith(".prom")
        format = "prometheus" if is_collected else "openmetrics"
    if format not in formats:
        raise ValueError(f"format is {format!r}, not one of {', '.join(formats)}")
    if not isinstance(max_controllers, int):
        raise TypeError(f"max_controllers must be int, not {type(max_controllers).__name__}")
    if max_controllers < 1:
        raise ValueError(f"max_controllers is {max_controllers}, not 1 or more")
    document = _mptcp.metrics(
        path_text(netns), interval_ms(interval), formats.index(format), max_controllers
    )
    if path is not None:
        _mptcp.save(path, document.removesuffix("\n"), False, True)
    return document


def read_report(file: Path) -> Report:
    """Read a document that report() wrote, perhaps on another machine; it is not trusted.

    ValueError, which states the place, is raised if it is no report.
    """
    import os

    from ._document import make
    from ._report import Report

    _mptcp.read_report(os.fsdecode(file))
    with open(file, encoding="utf-8") as stream:
        return make(Report, stream.read())


def setup(
    role: Side,
    *,
    traddr: IpAddress | Iterable[IpAddress] = (),
    dev: str | Iterable[str] = (),
    replace: bool = False,
    apply: bool = False,
    save: Path | None = None,
    netns: Path | None = None,
) -> Plan:
    """Plan endpoints and limits so that every usable link carries each connection once.

    role is host, which connects, or target. traddr are the addresses of the target, the one to
    connect to first; by default those of the connected controllers. dev are the network interfaces
    to use, of any kind; by default those for storage. With replace, conflicting endpoints of other
    programs are changed or deleted, and limits lowered; otherwise they are kept, and a note states
    the effect. The equivalent object "mptcp" of a host in config.json, Plan.config, is written to
    the file save if given.

    For a host, a trial connection to the first address shows which links a connection uses without
    any change, see check(): if it uses all of them, nothing is planned. Without an answer within
    six seconds the plan is based on routes and endpoints alone.

    Nothing is changed unless apply is true; then the steps of the plan are executed, which requires
    CAP_NET_ADMIN. If one fails, those before it are undone and PlanFailed is raised. A second call
    does nothing. OSError is raised if no plan is possible: no such interface (ENODEV), no usable
    link (ENOLINK), no space for an endpoint (ENOSPC), or a kernel that does not provide the data
    for a plan (ENODATA).
    """
    import json

    from ._arguments import path_text, plan_of, role_number, texts

    addresses, devices = texts(traddr, "traddr"), texts(dev, "dev")
    written = path_text(save)
    number = role_number(role, "host", "target")
    made = _mptcp.setup(path_text(netns), addresses, devices, number, replace, apply)
    plan = plan_of(*made)
    if written is not None:
        _mptcp.save(written, json.dumps(plan.config, indent=2), False)
    return plan


def repair(
    ctrls: str | Iterable[str] = (),
    *,
    dev: str | Iterable[str] = (),
    role: Role = "auto",
    force: bool = False,
    apply: bool = True,
    wait: float = 0,
    netns: Path | None = None,
) -> Plan:
    """Restore subflows that died or never formed.

    The kernel does not retry by itself. ctrls names controllers, by default all; dev the network
    interfaces that must carry each connection, by default those that have an endpoint or carry one.
    role is host, target or auto: host if there are controllers. With force, subflows in use are
    closed and formed again, too. Working subflows are closed only after a trial connection got one
    from the same address, and the only subflow of a connection is never closed.

    With apply=False nothing is changed. Plan.missing lists the subflows that were missing before;
    new subflows take a moment, and repair(apply=False).missing lists those missing then. With wait,
    missing subflows are checked for that many seconds, and PlanFailed with errno ETIMEDOUT is
    raised if some remain. PlanFailed is raised after all steps if the kernel refused one, OSError
    if no plan is possible.
    """
    import time

    from ._arguments import path_text, plan_of, role_number, texts
    from ._times import seconds

    names, devices = texts(ctrls, "ctrls"), texts(dev, "dev")
    number, patience = role_number(role), seconds(wait, "wait")

    def run(does: bool) -> Plan:
        made = _mptcp.repair(path_text(netns), names, devices, number, force, does)
        return plan_of(*made)

    plan = run(apply)
    if apply and patience > 0 and plan.steps:
        _wait_for_subflows(plan, lambda: run(False), time.monotonic() + patience)
    return plan


def _wait_for_subflows(plan: Plan, plan_again: Callable[[], Plan], ends: float) -> None:
    """Wait until no subflows are missing; raise PlanFailed at the time ends."""
    import errno
    import time

    from ._plans import PlanFailed

    while True:
        time.sleep(min(_POLL_INTERVAL_S, max(0, ends - time.monotonic())))
        missing = plan_again().missing
        if not missing:
            return
        if time.monotonic() >= ends:
            gaps = ", ".join(f"{gap.missing} of {gap.subject} on {gap.link}" for gap in missing)
            raise PlanFailed(errno.ETIMEDOUT, f"subflows are still missing: {gaps}", plan)


def wait_until_whole(ctrl: str, timeout: float = 30, *, netns: Path | None = None) -> Controller:
    """Wait until all links carry a controller, and return its state.

    ctrl is its name, such as "nvme0". Snapshot.missing() defines whole; a controller that a relay
    carries counts like any other. TimeoutError, which lists what is missing, is raised after
    timeout seconds. Subflows take a moment after connect(); subflows that died are restored by
    repair() or a Keeper, not by this function.
    """
    import errno
    import time

    from ._arguments import text
    from ._times import seconds

    name = text(ctrl, "ctrl")
    if name is None:
        raise TypeError("ctrl must be str, not NoneType: the controller is not connected")
    ends = time.monotonic() + seconds(timeout, "timeout")
    while True:
        seen = snapshot(netns)
        try:
            missing = seen.missing(name)
        except LookupError as error:
            missing = (str(error),)
        if not missing:
            return seen.controller(name)
        left = ends - time.monotonic()
        if left <= 0:
            words = f"{name} is not whole after {timeout:g} s: {', '.join(missing)}"
            raise TimeoutError(errno.ETIMEDOUT, words)
        time.sleep(min(_POLL_INTERVAL_S, left))
