# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reading discovery logs with their referrals, and what became of what they list."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._objects import Error
from ._objects import address as address_text
from ._objects import options as options_text
from ._within import milliseconds, module, within

if TYPE_CHECKING:
    from . import nvme

MAX_DEPTH = 8  # of referrals
MAX_REFERRALS = 256  # in one run


@dataclass(frozen=True)
class Outcome:
    """What became of an entry of a discovery log, of a controller or line of the configuration."""

    entry: Any
    """The entry, as ctrl.discover() returns it. What comes from the configuration has trtype,
    traddr, trsvcid and subnqn; its subtype is "nvme", or "referral" for a discovery controller."""
    result: str
    """"connected", "already connected", "failed", or "skipped: " and why."""
    ctrl: nvme.ctrl | None = None
    """The controller that is connected."""
    error: Error | None = None
    """Why it failed."""
    place: str | None = None
    """The line that led to it: "/etc/nvme/discovery.conf:3"."""


class Incomplete(Error):
    """A part failed; errno and text tell why, and the rest is done all the same."""

    __module__ = "libnvme.nvme"

    def __init__(self, done: list[Any], failures: list[Outcome]) -> None:
        whys = [f"{_where(failed)}{failed.error}" for failed in failures]
        assert failures[0].error
        super().__init__(failures[0].error.errno, "; ".join(whys))
        #: What discover() or connect_all() returns otherwise: entries, or outcomes.
        self.done = done
        #: Outcomes of what failed, each with its error.
        self.failures = tuple(failures)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.done, list(self.failures))


def _where(outcome: Outcome) -> str:
    entry = outcome.entry
    place = f"{outcome.place}: " if outcome.place else ""
    if not entry["trtype"]:
        return place  # a line that could not be read
    port = f":{entry['trsvcid']}" if entry["trsvcid"] else ""
    return f"{place}{entry['subnqn']} at {entry['traddr']}{port}: "


@dataclass
class Start:
    """Where a walk begins: a discovery controller, and how it is connected."""

    transport: str
    traddr: Any = None
    trsvcid: Any = None
    nqn: str | None = None
    place: str | None = None
    """The line that describes it."""
    persistent: bool = False
    """It stays connected."""
    force: bool = False
    """One that is connected already is not used."""
    secret: str | None = None
    """The host's, in place of what it has."""
    keys: dict[str, str] = field(default_factory=dict)
    """Properties of the controller."""


class Walk:
    """Reads discovery logs, and those that they refer to."""

    def __init__(self, root: Any, host: Any, start: Start, cfg: Any, timeout: float | None) -> None:
        self.root, self.host, self.start, self.timeout = root, host, start, timeout
        self.cfg = options_text(cfg)
        self.visited: set[tuple[Any, ...]] = set()
        self.failures: list[Outcome] = []
        self.kept: list[Any] = []  # discovery controllers that stay connected

    @contextmanager
    def secret(self) -> Iterator[None]:
        """Within it the host has the secret of this walk."""
        before = self.host.dhchap_key
        if self.start.secret:
            self.host.dhchap_key = self.start.secret
        try:
            yield
        finally:
            if self.start.secret:
                self.host.dhchap_key = before

    def first(self) -> Any:
        """The discovery controller that it begins with, not connected."""
        nvme: Any = module()
        start = self.start
        trsvcid = start.trsvcid or nvme._port_of(start.transport, True)
        nqn = start.nqn or nvme.NVME_DISC_SUBSYS_NAME
        ctrl = self.describe(nqn, start.transport, start.traddr, trsvcid)
        for name, value in start.keys.items():
            setattr(ctrl, name, value)
        return ctrl

    def entries(self, follow: bool) -> list[tuple[dict[str, Any], bytes]]:
        """All entries, with their bytes."""
        with self.secret():
            ctrl = self.first()
            traddr = address_text(self.start.traddr)
            self.visited.add((self.start.transport, traddr, ctrl.trsvcid, ctrl.subsysnqn))
            return list(self.read(ctrl, follow))

    def connect(self, raw: bytes, cfg: Any) -> Any:
        """The controller of an entry, connected."""

        def call() -> Any:
            return module()._connect_entry(self.host, raw, cfg)

        def undo(ctrl: Any) -> None:
            ctrl.disconnect()

        if self.timeout is None:
            return call()
        ends = time.monotonic() + self.timeout
        return within(self.host, ends, call, undo, f"not connected within {self.timeout:g} s")

    def fail(self, entry: Any, error: Error) -> None:
        """Note what cannot be read."""
        self.failures.append(Outcome(entry, "failed", None, error, self.start.place))

    def _stays(self, nqn: str, depth: int) -> bool:
        nvme: Any = module()
        well_known: bool = nqn == nvme.NVME_DISC_SUBSYS_NAME
        if depth:
            return self.start.persistent and well_known
        # one with an NQN of its own stays where the configuration requires it
        return self.start.persistent or (not well_known and bool(nvme._stays(self.host)))

    def describe(self, nqn: str, transport: str, traddr: Any, trsvcid: Any) -> Any:
        """A discovery controller that is not connected yet."""
        cfg = self.cfg or {}
        ctrl = module().ctrl(
            self.root,
            nqn,
            transport,
            traddr or None,
            host_traddr=cfg.get("host_traddr"),
            host_iface=cfg.get("host_iface"),
            trsvcid=trsvcid or None,
        )
        ctrl.discovery_ctrl = True
        return ctrl

    def read(
        self, ctrl: Any, follow: bool, depth: int = 0
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        """The entries of a log, each referral before those behind it, with their bytes."""
        there = None if self.start.force and not depth else ctrl._twin(self.host)
        if there is not None and there.discovery_ctrl:
            entries = self._log(there)
        else:
            entries = self._connect_and_read(ctrl, depth)
        for entry, raw in entries:
            yield entry, raw
            if follow and entry["subtype"] == "referral":
                yield from self._refer(entry, ctrl.transport, depth + 1)

    def _connect_and_read(self, ctrl: Any, depth: int) -> list[tuple[dict[str, Any], bytes]]:
        cfg = dict(self.cfg or {})
        keep_alive = cfg.pop("keep_alive_tmo", None)
        stays = self._stays(ctrl.subsysnqn, depth)
        if stays:  # nobody watches a connection that ends at once
            cfg["keep_alive_tmo"] = keep_alive or module()._KEEP_ALIVE
        ctrl.connect(self.host, cfg, self.timeout)
        if stays:
            self.kept.append(ctrl)
            return self._log(ctrl)
        with ctrl:
            return self._log(ctrl)

    def _log(self, ctrl: Any) -> list[tuple[dict[str, Any], bytes]]:
        entries: list[Any] = ctrl._discovery_log(0, 10, milliseconds(self.timeout), True)
        return entries

    def _refer(
        self, entry: dict[str, Any], transport: str, depth: int
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        nvme: Any = module()
        key = tuple(entry[name] for name in ("trtype", "traddr", "trsvcid", "subnqn"))
        if entry["eflags"] & nvme.NVMF_DISC_EFLAGS_DUPRETINFO or key in self.visited:
            return
        if entry["trtype"] != transport:
            return
        try:
            if depth > MAX_DEPTH or len(self.visited) >= MAX_REFERRALS:
                why = "too many referrals" + (" in a row" if depth > MAX_DEPTH else "")
                raise Error(errno.ELOOP, why)
            self.visited.add(key)
            ctrl = self.describe(entry["subnqn"], transport, entry["traddr"], entry["trsvcid"])
            yield from self.read(ctrl, True, depth)
        except Error as error:
            self.fail(entry, error)


Outcome.__module__ = "libnvme.nvme"
