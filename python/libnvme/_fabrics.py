# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connecting within a time, options of connections, and discovery logs with their referrals."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from os import PathLike
from typing import TYPE_CHECKING, Any

from ._objects import Error, number
from ._portals import Portal, silent
from ._walk import Incomplete, Outcome, Start, Walk
from ._within import milliseconds, module, within

if TYPE_CHECKING:
    from . import nvme

_IpAddress = str | IPv4Address | IPv6Address

PATIENCE = 1.0  # seconds for a portal to answer where no timeout is given

#: What the kernel shows of a connection, and the option that it came from.
SHOWN = {
    "ctrl_loss_tmo": "ctrl_loss_tmo",
    "reconnect_delay": "reconnect_delay",
    "fast_io_fail_tmo": "fast_io_fail_tmo",
    "kato": "keep_alive_tmo",
}


def options(ctrl: Any) -> dict[str, Any]:
    """The options of a controller, see nvme.ctrl.options()."""
    found: dict[str, Any] = ctrl._options()
    if ctrl.name is None:
        return found
    for attribute, key in SHOWN.items():
        text = ctrl._attribute(attribute)
        value = -1 if text == "off" else number(text)
        if value is not None and not (value == -1 and key == "reconnect_delay"):
            found[key] = value
    special = found.get("nr_write_queues", 0) + found.get("nr_poll_queues", 0)
    queues = (ctrl.queues or 0) - 1 - special
    if ctrl.cntrltype != "discovery" and queues > 0:
        found["nr_io_queues"] = queues
        if ctrl.queue_size:
            found["queue_size"] = ctrl.queue_size
    for key in ("host_traddr", "host_iface"):
        if getattr(ctrl, key):
            found[key] = getattr(ctrl, key)
    _add_tls(ctrl, found)
    return found


def _add_tls(ctrl: Any, found: dict[str, Any]) -> None:
    """A connection with TLS is to be one again; the key that DH-HMAC-CHAP made is gone then."""
    if ctrl._attribute("tls_key") is None:
        return
    if ctrl._attribute("tls_mode") == "concat" or found.get("concat"):
        found["concat"] = True
        found.pop("tls_key", None)
    else:
        found["tls"] = True


def connect(ctrl: Any, host: Any, cfg: Any, timeout: float | None) -> None:
    """Connect a controller, see nvme.ctrl.connect()."""
    if timeout is None:
        ctrl._connect(host, cfg)
        return
    ends = time.monotonic() + milliseconds(timeout) / 1000
    portal = portal_of(ctrl, cfg or {})
    if portal and silent([portal], timeout):
        raise Error(errno.ETIMEDOUT, f"{portal} did not answer within {timeout:g} s")

    def call() -> None:
        ctrl._connect(host, cfg)

    def undo(_: None) -> None:
        ctrl.disconnect()

    within(
        host,
        ends,
        call,
        undo,
        f"connecting to {ctrl.subsysnqn} at {ctrl.traddr or ctrl.transport}: not done "
        f"within {timeout:g} s",
    )


def portal_of(ctrl: Any, cfg: dict[str, Any]) -> Portal | None:
    def option(key: str) -> str | None:
        value = cfg.get(key) or getattr(ctrl, key)
        return os.fsdecode(value) if value else None

    host = option("host_traddr"), option("host_iface")
    return _portal(ctrl.transport, ctrl.traddr, ctrl.trsvcid, host, ctrl.discovery_ctrl)


def _portal(
    transport: str,
    traddr: str | None,
    trsvcid: str | None,
    host: tuple[str | None, str | None],
    discovery: bool = False,
) -> Portal | None:
    nvme: Any = module()
    if not nvme._is_called(transport):
        return None
    return Portal(traddr, trsvcid or nvme._port_of(transport, discovery), *host)


def discover(
    root: nvme.root,
    transport: str | None = None,
    traddr: _IpAddress | None = None,
    trsvcid: str | int | None = None,
    *,
    host: nvme.host | None = None,
    subsysnqn: str | None = None,
    cfg: Any = None,
    referrals: bool = True,
    timeout: float | None = None,
    config: str | PathLike[str] | None = None,
    context: str | None = None,
    device: str | None = None,
    persistent: bool = False,
    force: bool = False,
) -> list[Any]:
    """The entries of the discovery log at an address, and of those that it refers to.

    A discovery controller that is connected is used, another one is connected as host, by default
    this machine's, and disconnected again; one that tells an NQN of its own is connected by that.
    With persistent it stays, with force one that is connected already is not used. device, such as
    "nvme0", is one that is connected, in place of an address. cfg are options as ctrl.connect()
    takes them; timeout is for each connection and each request, in seconds. An entry is a dict as
    of ctrl.discover(); each referral comes before the entries behind it. As nvme-connect-all(1)
    does it, a referral is followed once, by the same transport, eight in a row and 256 in all.
    Incomplete is raised where one cannot be read, with what is known in its attribute done.

    Without a transport, the logs of the discovery controllers that are configured, as
    nvme-discover(1) reads them: first those in config, a JSON configuration, by default
    /etc/nvme/config.json if it exists, "none" for no such file; then those of the lines of
    /etc/nvme/discovery.conf, which start from cfg and host. host is one of those that the
    configuration describes, by default all. Those that are to be persistent stay connected. context
    is the application that connects: subsystems of other ones are left alone. Error is raised where
    the configuration is wrong; a line that is wrong, or cannot be followed, fails alone.
    """
    start = _start(transport, traddr, trsvcid, subsysnqn, device, persistent, force)
    _check_address(start, {"config": config, "context": context})
    if not start.transport and not device:
        listed: list[Any] = _configured().discover(
            root, host, cfg, start, referrals, timeout, config, context
        )
        return listed
    walk = Walk(root, host or module().host(root), start, cfg, timeout)
    entries = [entry for entry, _ in walk.entries(referrals)]
    if walk.failures:
        raise Incomplete(entries, walk.failures)
    return entries


def _configured() -> Any:
    from . import _configured

    return _configured


def _start(
    transport: str | None,
    traddr: Any,
    trsvcid: Any,
    nqn: str | None,
    device: str | None,
    persistent: bool,
    force: bool,
) -> Start:
    start = Start(transport or "", traddr, trsvcid, nqn)
    start.device, start.persistent, start.force = device, persistent, force
    return start


def _check_address(start: Start, files: dict[str, Any]) -> None:
    """An address is given or it is not; nothing of half of it is dropped."""
    names = {"subsysnqn": start.nqn, "traddr": start.traddr, "trsvcid": start.trsvcid}
    given = [name for name, value in names.items() if value is not None]
    of_files = [name for name, value in files.items() if value is not None]
    if not start.transport and given:
        raise TypeError(f"{', '.join(given)} without a transport")
    if (start.transport or start.device) and of_files:
        what = "device" if start.device else "transport"
        raise TypeError(f"{', '.join(of_files)}: only without a {what}")
    if start.transport and start.device:
        raise TypeError("device: only without a transport")


def connect_all(
    root: nvme.root,
    transport: str | None = None,
    traddr: _IpAddress | None = None,
    trsvcid: str | int | None = None,
    *,
    host: nvme.host | None = None,
    subsysnqn: str | None = None,
    cfg: Any = None,
    referrals: bool = True,
    timeout: float | None = None,
    config: str | PathLike[str] | None = None,
    context: str | None = None,
    device: str | None = None,
    persistent: bool = False,
    force: bool = False,
    nbft: bool | None = None,
    nbft_path: str | PathLike[str] | None = None,
) -> list[Outcome]:
    """Connect every subsystem that discover() finds, and tell what became of each.

    The arguments are those of discover(). What is connected already stays as it is; entries of
    another transport are skipped. All portals are called at the same time first, and those that
    answer come first; those that do not are connected in the end, or fail if there is a timeout.
    Each entry's requirements, such as TLS, are honoured. Incomplete is raised after all of them if
    one failed; its attribute done has all outcomes.

    Without a transport, as nvme-connect-all(1) without an address: the endpoints and limits of
    config are set, nothing is connected if that fails; then what the firmware booted from is
    connected, as its tables in the directory nbft_path say, see nbft_get(), by default those of
    this machine; then the controllers that config describes, each by its own options, and what the
    logs of discover() list, by cfg. Outcomes are in that order, and one failure hides no other.
    With nbft=True there is only what the firmware has, with nbft=False all but that.
    """
    start = _start(transport, traddr, trsvcid, subsysnqn, device, persistent, force)
    files = {"config": config, "context": context, "nbft": nbft, "nbft_path": nbft_path}
    _check_address(start, files)
    if not start.transport and not device:
        boot = (nbft, nbft_path)
        made: list[Outcome] = _configured().connect_all(
            root, host, cfg, start, referrals, timeout, config, context, boot
        )
        return made
    walk = Walk(root, host or module().host(root), start, cfg, timeout)
    jobs = Jobs(timeout)
    outcomes = jobs.outcomes_of(jobs.add(walk_jobs(walk, referrals)))
    return complete(walk.failures + outcomes)


def complete(outcomes: list[Outcome]) -> list[Outcome]:
    """The outcomes; Incomplete if one of them failed."""
    failed = [outcome for outcome in outcomes if outcome.error]
    if failed:
        raise Incomplete(outcomes, failed)
    return outcomes


@dataclass
class Job:
    """Something to connect."""

    entry: Any
    place: str | None
    portal: Portal | None = None
    skipped: str | None = None
    """Why it is not."""
    connected: bool = False
    """It is already."""
    optional: str | None = None
    """Why it is no failure if it cannot be connected."""
    connect: Callable[[], Any] = lambda: None
    """Returns the controller."""


class Jobs:
    """Connects what answers first, and what is silent in the end."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self.mute: dict[Portal, bool] = {}
        self.waiting: list[tuple[int, Job]] = []
        self.outcomes: dict[int, Outcome] = {}
        self.count = 0

    def call(self, portals: Iterable[Portal | None]) -> None:
        """Find out which of these answer."""
        new = {portal for portal in portals if portal} - self.mute.keys()
        found = set(silent(new, self.timeout or PATIENCE))
        self.mute.update({portal: portal in found for portal in new})

    def is_mute(self, portal: Portal | None) -> bool:
        """Did that portal not answer?"""
        return portal is not None and self.mute[portal]

    def late(self, portal: Portal | None) -> Error | None:
        """The failure of what is not left to the kernel, which waits for minutes."""
        if not self.timeout or not self.is_mute(portal):
            return None
        text = f"{portal} did not answer within {self.timeout:g} s"
        return Error(errno.ETIMEDOUT, text)

    def add(self, jobs: list[Job]) -> range:
        """Connect those whose portals answer. Their numbers."""
        self.call(job.portal for job in jobs)
        numbers = range(self.count, self.count + len(jobs))
        self.count += len(jobs)
        for i, job in zip(numbers, jobs, strict=True):
            if self.is_mute(job.portal):
                self.waiting.append((i, job))
            else:
                self.outcomes[i] = self._run(job)
        return numbers

    def finish(self) -> None:
        """Connect the others."""
        for i, job in self.waiting:
            self.outcomes[i] = self._run(job)
        self.waiting.clear()

    def outcomes_of(self, numbers: range) -> list[Outcome]:
        """What became of all of them."""
        self.finish()
        return [self.outcomes[i] for i in numbers]

    def _run(self, job: Job) -> Outcome:
        nvme: Any = module()
        if job.connected:
            return Outcome(job.entry, "already connected", place=job.place)
        if job.skipped:
            return Outcome(job.entry, f"skipped: {job.skipped}", place=job.place)
        try:
            late = self.late(job.portal)
            if late:
                raise late
            ctrl = job.connect()
        except Error as error:
            if error.errno == nvme._ALREADY:
                return Outcome(job.entry, "already connected", place=job.place)
            if error.errno in (errno.EAGAIN, nvme._IGNORED):
                return Outcome(job.entry, "skipped: for another application", place=job.place)
            if job.optional:
                result = f"skipped: {job.optional}: {error}"
                return Outcome(job.entry, result, place=job.place)
            return Outcome(job.entry, "failed", None, error, job.place)
        return Outcome(job.entry, "connected", ctrl, place=job.place)


def walk_jobs(walk: Walk, referrals: bool) -> list[Job]:
    """What the logs of a walk list."""
    found = walk.entries(referrals)
    return [_job(walk, entry, raw) for entry, raw in found if entry["subtype"] == "nvme"]


def _job(walk: Walk, entry: Any, raw: bytes) -> Job:
    place = walk.start.place
    if walk.twin(entry) is not None:
        return Job(entry, place, connected=True)
    if entry["trtype"] != walk.start.transport:
        return Job(entry, place, skipped="another transport")
    cfg = walk.cfg or {}
    host = cfg.get("host_traddr"), cfg.get("host_iface")
    portal = _portal(entry["trtype"], entry["traddr"], entry["trsvcid"], host)

    def connect() -> Any:
        with walk.secret():
            return walk.connect(raw, walk.cfg)

    return Job(entry, place, portal, connect=connect)


for _public in (discover, connect_all):
    _public.__module__ = "libnvme.nvme"
