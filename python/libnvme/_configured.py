# SPDX-License-Identifier: LGPL-2.1-or-later
"""What discover() and connect_all() do without an address: as the files below /etc/nvme have it."""

from __future__ import annotations

import errno
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ._fabrics import Job, Jobs, complete, portal_of, walk_jobs
from ._firmware import Firmware
from ._objects import Error
from ._objects import options as options_text
from ._objects import path as path_text
from ._portals import Portal
from ._walk import Incomplete, Outcome, Start, Walk, entry_of
from ._within import module

LOG = logging.getLogger("libnvme")


class Run:
    """One reading of the files, in a tree of its own: what is described comes before a scan.

    Both are the command's own steps. What becomes connected is taken over by the caller's root.
    """

    def __init__(
        self,
        root: Any,
        host: Any,
        cfg: Any,
        base: Start,
        timeout: float | None,
        config: Any,
        context: Any,
    ) -> None:
        nvme = module()
        self.base = base  # what is asked for of each discovery controller
        self.root, self.timeout, self.context = root, timeout, context
        self.cfg = options_text(cfg)
        self.who = (host.hostnqn, host.hostid) if host else (None, None)
        self.tree = nvme._read_files(root, path_text(config))
        self.described = list(self._describe())
        nvme._scan_files(self.tree, context)
        self.host = nvme._host_of(self.tree, *self.who)
        if host and host.dhchap_key:
            self.host.dhchap_key = host.dhchap_key
        self.visited: set[tuple[Any, ...]] = set()
        self.walks: list[Walk] = []

    def _describe(self) -> Iterator[Any]:
        for host in self.tree.hosts():
            for subsystem in host.subsystems():
                yield from subsystem.controllers()

    def _meant(self) -> Iterator[tuple[Any, Any]]:
        for ctrl in self.described:
            host = ctrl.subsystem.host
            if module()._is_meant(host, *self.who):
                yield host, ctrl

    def prepare(self) -> None:
        """Endpoints and limits, before anything is connected."""
        self.prepare_host(*self.who)

    def prepare_host(self, hostnqn: str | None, hostid: str | None) -> None:
        """The same for the hosts of that name."""
        for note in module()._apply_mptcp(self.tree, hostnqn, hostid):
            LOG.warning("%s", note)

    def jobs(self) -> list[Job]:
        """The controllers that are described, but for those of discovery."""
        nvme = module()
        return [
            self._job(host, ctrl)
            for host, ctrl in self._meant()
            if not ctrl.discovery_ctrl and nvme._is_fabric(ctrl.transport)
        ]

    def _job(self, host: Any, ctrl: Any) -> Job:
        entry = entry_of("nvme", ctrl.transport, ctrl.traddr, ctrl.trsvcid, ctrl.subsysnqn)
        if self.context and ctrl.subsystem.application != self.context:
            return Job(entry, None, skipped="for another application")
        portal = portal_of(ctrl, {})

        def connect() -> Any:
            if ctrl.name:
                raise Error(module()._ALREADY, "already connected")
            ctrl.connect(host, None, self.timeout)
            return ctrl

        return Job(entry, None, portal, connect=connect)

    def sources(self) -> Iterator[Walk | Outcome]:
        """The discovery controllers that are described, then those of the lines; or why not."""
        for host, ctrl in self._meant():
            if ctrl.discovery_ctrl:
                yield self._described_walk(host, ctrl)
        for line in module()._lines(self.cfg, *self.who):
            for warning in (line["warnings"] or "").splitlines():
                LOG.warning("%s: %s", line["place"], warning)
            if line["error"] is not None:
                error = Error(line["errno"], line["error"])
                yield Outcome(entry_of("", "", "", "", ""), "failed", None, error, line["place"])
            elif line["transport"] or line["traddr"]:
                yield self._line_walk(line)

    def _described_walk(self, host: Any, ctrl: Any) -> Walk:
        cfg = dict(self.cfg or {})
        for name in ("host_traddr", "host_iface"):
            cfg[name] = getattr(ctrl, name)
        start = Start(ctrl.transport, ctrl.traddr, ctrl.trsvcid, ctrl.subsysnqn)
        start.persistent = ctrl.persistent
        return self.walk(host, start, cfg)

    def _line_walk(self, line: dict[str, Any]) -> Walk | Outcome:
        start = Start(
            *(line[name] for name in ("transport", "traddr", "trsvcid", "nqn", "place")),
            *(line[name] for name in ("persistent", "force", "secret", "keys")),
        )
        try:
            own = (line["hostnqn"], line["hostid"])
            host = self.host if own == self.who else module()._host_of(self.tree, *own)
        except (Error, ValueError) as error:
            return self.failed(start, error)
        return self.walk(host, start, line["cfg"])

    def walk(self, host: Any, start: Start, cfg: Any) -> Walk:
        """One that is read in this run."""
        start.persistent |= self.base.persistent
        start.force |= self.base.force
        walk = Walk(self.tree, host, start, cfg, self.timeout)
        walk.visited = self.visited
        self.walks.append(walk)
        return walk

    def failed(self, start: Start, error: Error | ValueError) -> Outcome:
        """A discovery controller that could not be read."""
        nqn = start.nqn or module().NVME_DISC_SUBSYS_NAME
        entry = entry_of("referral", start.transport, start.traddr, start.trsvcid, nqn)
        if not isinstance(error, Error):  # a text that the library would not take
            error = Error(errno.EINVAL, str(error))
        return Outcome(entry, "failed", None, error, start.place)

    def adopt(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The same with controllers of the caller's root, which learns of what stays connected."""
        for walk in self.walks:
            for ctrl in walk.kept:
                self._adopted(ctrl)
        return [
            replace(outcome, ctrl=self._adopted(outcome.ctrl)) if outcome.ctrl else outcome
            for outcome in outcomes
        ]

    def _adopted(self, ctrl: Any) -> Any:
        try:
            return module()._adopt(self.root, ctrl)
        except (Error, ReferenceError):
            return ctrl  # it is gone again


def _portal(walk: Walk) -> Portal | None:
    try:
        return portal_of(walk.first(), walk.cfg or {})
    except (Error, ValueError):
        return None  # whoever reads it says why


class _Sources:
    """The sources of a connect_all(): those that answer are read before what is silent."""

    def __init__(
        self, run: Run, jobs: Jobs, referrals: bool, sources: list[Walk | Outcome]
    ) -> None:
        self.run, self.jobs, self.referrals, self.all = run, jobs, referrals, sources
        self.portals = {i: _portal(s) for i, s in enumerate(self.all) if isinstance(s, Walk)}
        self.numbers: dict[int, range] = {}
        self.failures: dict[int, Outcome] = {}

    def read(self) -> None:
        """Read the logs, and connect what they list as far as it answers."""
        self.jobs.call(self.portals.values())
        for mute in (False, True):
            found = {
                i: self._jobs_of(i, walk)
                for i, walk in enumerate(self.all)
                if isinstance(walk, Walk) and self.jobs.is_mute(self.portals[i]) == mute
            }
            # all of them are called at the same time, and then those of each log in turn
            self.jobs.call(job.portal for jobs in found.values() for job in jobs)
            for i, jobs in found.items():
                self.numbers[i] = self.jobs.add(jobs)

    def _jobs_of(self, i: int, walk: Walk) -> list[Job]:
        try:
            late = self.jobs.late(self.portals[i])
            if late:
                raise late
            return walk_jobs(walk, self.referrals)
        except (Error, ValueError) as error:
            self.failures[i] = self.run.failed(walk.start, error)
            return []

    def outcomes(self) -> Iterator[Outcome]:
        """In the order of the files."""
        for i, source in enumerate(self.all):
            if isinstance(source, Outcome):
                yield source
                continue
            if i in self.failures:
                yield self.failures[i]
            yield from source.failures
            yield from self.jobs.outcomes_of(self.numbers[i])


def discover(
    root: Any,
    host: Any,
    cfg: Any,
    base: Start,
    referrals: bool,
    timeout: Any,
    config: Any,
    context: Any,
) -> list[Any]:
    """See nvme.discover()."""
    run = Run(root, host, cfg, base, timeout, config, context)
    entries: list[Any] = []
    failures: list[Outcome] = []
    for source in run.sources():
        if isinstance(source, Outcome):
            failures.append(source)
            continue
        try:
            entries += [entry for entry, _ in source.entries(referrals)]
        except (Error, ValueError) as error:
            failures.append(run.failed(source.start, error))
        failures += source.failures
    run.adopt([])
    if failures:
        raise Incomplete(entries, failures)
    return entries


def connect_all(
    root: Any,
    host: Any,
    cfg: Any,
    base: Start,
    referrals: bool,
    timeout: Any,
    config: Any,
    context: Any,
    boot: tuple[bool | None, Any],
) -> list[Outcome]:
    """See nvme.connect_all()."""
    run = Run(root, host, cfg, base, timeout, config, context)
    run.prepare()
    only_boot, directory = boot
    jobs = Jobs(timeout)
    firmware = Firmware() if only_boot is False else Firmware.read(run, directory)
    made = jobs.add(firmware.jobs)
    described = jobs.add([] if only_boot else run.jobs())
    found = [*firmware.sources, *([] if only_boot else run.sources())]
    sources = _Sources(run, jobs, referrals, found)
    sources.read()
    outcomes = jobs.outcomes_of(made) + jobs.outcomes_of(described) + list(sources.outcomes())
    return complete(run.adopt(outcomes))
