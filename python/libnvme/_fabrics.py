# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connecting within a time, options of connections, and what a walk through logs leads to."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ._objects import Error, number
from ._portals import Portal, silent
from ._walk import Incomplete, Outcome, Walk
from ._within import milliseconds, module, within

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
