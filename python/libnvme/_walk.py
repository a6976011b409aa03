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


def is_well_known(nqn: str) -> bool:
    """Is it the NQN that every discovery controller answers to?"""
    return bool(nqn == module().NVME_DISC_SUBSYS_NAME)


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


def entry_of(subtype: str, trtype: Any, traddr: Any, trsvcid: Any, nqn: Any) -> dict[str, Any]:
    """An entry as a discovery log has it, of what something else tells."""
    return {
        "trtype": trtype or "",
        "adrfam": "",
        "traddr": traddr or "",
        "trsvcid": trsvcid or "",
        "subnqn": nqn or "",
        "subtype": subtype,
        "treq": "not specified",
        "portid": 0,
        "cntlid": 0,
        "asqsz": 0,
        "eflags": 0,
    }


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
    device: str | None = None
    """One that is connected already, by its name, in place of an address."""


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
        return self._first(self.start.nqn or module().NVME_DISC_SUBSYS_NAME)

    def _first(self, nqn: str) -> Any:
        start = self.start
        trsvcid = start.trsvcid or module()._port_of(start.transport, True)
        ctrl = self.describe(nqn, start.transport, start.traddr, trsvcid)
        for name, value in start.keys.items():
            setattr(ctrl, name, value)
        return ctrl

    def entries(self, follow: bool) -> list[tuple[dict[str, Any], bytes]]:
        """All entries, with their bytes."""
        if self.start.device:
            ctrl = self._device(self.start.device)
            return list(self._follow(self._log(ctrl), ctrl.transport, follow))
        with self.secret():
            ctrl = self.first()
            traddr = address_text(self.start.traddr)
            self.visited.add((self.start.transport, traddr, ctrl.trsvcid, ctrl.subsysnqn))
            return list(self._follow(self._read_first(ctrl), ctrl.transport, follow))

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

    def _stays(self, nqn: str) -> bool:
        # one with an NQN of its own stays where the configuration requires it
        return self.start.persistent or (not is_well_known(nqn) and module()._stays(self.host))

    def _referral_stays(self, entry: Any) -> bool:
        # one with an NQN of its own stays where its entry requires it
        if is_well_known(entry["subnqn"]):
            return self.start.persistent
        return bool(entry["eflags"] & module().NVMF_DISC_EFLAGS_EPCSD)

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
        ctrl.unique_discovery_ctrl = not is_well_known(nqn)
        return ctrl

    def _device(self, device: str) -> Any:
        """The discovery controller that is called so."""
        name = device.removeprefix("/dev/")
        try:
            ctrl = module()._ctrl_of(self.root, name)
        except Error as error:
            raise Error(errno.ENODEV, f"{name}: no such controller") from error
        if not ctrl.discovery_ctrl:
            raise Error(errno.EINVAL, f"{name} is no discovery controller")
        self.start.transport = ctrl.transport
        self._inherit(ctrl)
        return ctrl

    def twin(self, entry: dict[str, Any]) -> Any:
        """The controller that an entry leads to, if it is connected."""
        described = (entry[name] for name in ("subnqn", "trtype", "traddr", "trsvcid"))
        if not module()._is_fabric(str(entry["trtype"])):
            return None
        try:
            ctrl = self.describe(*described)
        except ValueError:
            return None  # nothing has such a name; connecting says why
        ctrl.discovery_ctrl = entry["subtype"] == "referral"
        return ctrl._twin(self.host)

    def _read_first(self, ctrl: Any) -> list[tuple[dict[str, Any], bytes]]:
        there = None if self.start.force else ctrl._twin(self.host)
        if there is not None and there.discovery_ctrl:
            self._inherit(there)
            return self._log(there)
        self._connect_first(ctrl)
        if is_well_known(ctrl.subsysnqn):
            ctrl = self._by_its_own_name(ctrl)
        return self._log_of_new(ctrl, self._stays(ctrl.subsysnqn))

    def _inherit(self, there: Any) -> None:
        # what is connected through its log starts where it does
        cfg = dict(self.cfg or {})
        for name in ("host_traddr", "host_iface"):
            cfg[name] = cfg.get(name) or getattr(there, name)
        self.cfg = cfg

    def _connect_first(self, ctrl: Any) -> None:
        cfg = self._discovery_cfg(self._stays(ctrl.subsysnqn))
        ctrl.connect(self.host, cfg, self.timeout)

    def _by_its_own_name(self, ctrl: Any) -> Any:
        """One that answers to the well-known NQN may have one that tells it from others."""
        try:
            nqn = ctrl._subnqn()
        except Error:
            ctrl.disconnect()
            raise
        if not nqn or is_well_known(nqn):
            return ctrl
        ctrl.disconnect()
        own = self._first(nqn)
        self._connect_first(own)
        return own

    def _discovery_cfg(self, stays: bool) -> dict[str, Any]:
        cfg = dict(self.cfg or {})
        keep_alive = cfg.pop("keep_alive_tmo", None)
        if stays:  # nobody watches a connection that ends at once
            cfg["keep_alive_tmo"] = keep_alive or module()._KEEP_ALIVE
        return cfg

    def _log_of_new(self, ctrl: Any, stays: bool) -> list[tuple[dict[str, Any], bytes]]:
        if stays:
            self.kept.append(ctrl)
            return self._log(ctrl)
        with ctrl:
            return self._log(ctrl)

    def _log(self, ctrl: Any) -> list[tuple[dict[str, Any], bytes]]:
        entries: list[Any] = ctrl._discovery_log(0, 10, milliseconds(self.timeout), True)
        return entries

    def _follow(
        self,
        log: list[tuple[dict[str, Any], bytes]],
        transport: str,
        follow: bool,
        depth: int = 0,
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        """The entries of a log, each referral before those behind it, with their bytes."""
        for entry, raw in log:
            yield entry, raw
            if follow and entry["subtype"] == "referral":
                yield from self._refer(entry, raw, transport, depth + 1)

    def _refer(
        self, entry: dict[str, Any], raw: bytes, transport: str, depth: int
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        nvme: Any = module()
        key = tuple(entry[name] for name in ("trtype", "traddr", "trsvcid", "subnqn"))
        if entry["eflags"] & nvme.NVMF_DISC_EFLAGS_DUPRETINFO or key in self.visited:
            return
        try:
            there = self.twin(entry)
            if there is None and entry["trtype"] != transport:
                return
            if depth > MAX_DEPTH or len(self.visited) >= MAX_REFERRALS:
                why = "too many referrals" + (" in a row" if depth > MAX_DEPTH else "")
                raise Error(errno.ELOOP, why)
            self.visited.add(key)
            if there is not None and there.discovery_ctrl:
                log = self._log(there)
            else:
                stays = self._referral_stays(entry)
                ctrl = self.connect(raw, self._discovery_cfg(stays))
                log = self._log_of_new(ctrl, stays)
        except Error as error:
            self.fail(entry, error)
            return
        yield from self._follow(log, entry["trtype"], True, depth)


Outcome.__module__ = "libnvme.nvme"
