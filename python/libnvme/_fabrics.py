# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connecting within a time, options of connections, and discovery logs with their referrals."""

from __future__ import annotations

import errno
import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any, TypeVar

from ._objects import Error, number
from ._objects import address as address_text
from ._objects import options as options_text
from ._portals import Portal, silent

if TYPE_CHECKING:
    from . import nvme

_T = TypeVar("_T")
_IpAddress = str | IPv4Address | IPv6Address

MAX_DEPTH = 8  # of referrals
MAX_REFERRALS = 256  # in one run
LONGEST_MS = 2**32 - 1
PATIENCE = 1.0  # seconds for a portal to answer where no timeout is given

#: What the kernel shows of a connection, and the option that it came from.
SHOWN = {
    "ctrl_loss_tmo": "ctrl_loss_tmo",
    "reconnect_delay": "reconnect_delay",
    "fast_io_fail_tmo": "fast_io_fail_tmo",
    "kato": "keep_alive_tmo",
}


def _module() -> Any:
    """libnvme.nvme, which imports this module; its private names are in no stub."""
    from . import nvme

    return nvme


def milliseconds(timeout: float | None) -> int:
    """Of a timeout in seconds; 0 if there is none."""
    if timeout is None:
        return 0
    if not timeout > 0 or math.isinf(timeout):
        raise ValueError(f"timeout is {timeout!r}, not a positive number of seconds")
    return min(max(1, round(timeout * 1000)), LONGEST_MS)


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
    portal = _portal_of(ctrl, cfg or {})
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


def _portal_of(ctrl: Any, cfg: dict[str, Any]) -> Portal | None:
    nvme: Any = _module()
    if not nvme._is_called(ctrl.transport):
        return None

    def option(key: str) -> str | None:
        value = cfg.get(key) or getattr(ctrl, key)
        return os.fsdecode(value) if value else None

    port = ctrl.trsvcid or nvme._port_of(ctrl.transport, ctrl.discovery_ctrl)
    return Portal(ctrl.traddr, port, option("host_traddr"), option("host_iface"))


def within(
    host: Any, ends: float, call: Callable[[], _T], undo: Callable[[_T], None], late: str
) -> _T:
    """Call something that blocks in the kernel, and wait for it no longer than until a time.

    What comes of it later is undone. Its root is refused to everybody until then.
    """
    nvme: Any = _module()
    lock, done = threading.Lock(), threading.Event()
    results: list[_T] = []
    failures: list[BaseException] = []
    given_up = False

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # is raised where somebody waits
            failures.append(error)
        with lock:
            done.set()
            if not given_up or not results:
                return
        try:
            undo(results[0])
        except (Error, AttributeError, ReferenceError) as error:
            logging.getLogger("libnvme").error("%s, and then not undone: %s", late, error)

    def give_up() -> bool:
        nonlocal given_up
        with lock:
            given_up = not done.is_set()
            if given_up:
                nvme._give_up(host)
            return given_up

    threading.Thread(target=work, daemon=True).start()
    try:
        over = done.wait(max(0.0, ends - time.monotonic()))
    except BaseException:
        give_up()
        raise
    if not over and give_up():
        raise Error(errno.ETIMEDOUT, late)
    if failures:
        raise failures[0]
    return results[0]


@dataclass(frozen=True)
class Outcome:
    """What became of an entry of a discovery log."""

    entry: Any
    """The entry, as ctrl.discover() returns it."""
    result: str
    """"connected", "already connected", "failed", or "skipped: " and why."""
    ctrl: nvme.ctrl | None = None
    """The controller that is connected."""
    error: Error | None = None
    """Why it failed."""


class Incomplete(Error):
    """A part failed; errno and text tell why, and the rest is done all the same."""

    __module__ = "libnvme.nvme"

    def __init__(self, done: list[Any], failures: list[Outcome]) -> None:
        whys = [f"{_where(failed.entry)}: {failed.error}" for failed in failures]
        assert failures[0].error
        super().__init__(failures[0].error.errno, "; ".join(whys))
        #: What discover() or connect_all() returns otherwise: entries, or outcomes.
        self.done = done
        #: Outcomes of what failed, each with its error.
        self.failures = tuple(failures)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self.done, list(self.failures))


def _where(entry: dict[str, Any]) -> str:
    port = f":{entry['trsvcid']}" if entry["trsvcid"] else ""
    return f"{entry['subnqn']} at {entry['traddr']}{port}"


class _Walk:
    """Reads discovery logs, and those that they refer to."""

    def __init__(self, root: Any, host: Any, cfg: Any, timeout: float | None) -> None:
        self.root, self.host, self.timeout = root, host, timeout
        self.cfg = options_text(cfg)
        self.visited: set[tuple[Any, ...]] = set()
        self.failures: list[Outcome] = []

    def describe(self, nqn: str, transport: str, traddr: Any, trsvcid: Any) -> Any:
        """A discovery controller that is not connected yet."""
        cfg = self.cfg or {}
        ctrl = _module().ctrl(
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
        there = ctrl._twin(self.host)
        if there is not None and there.discovery_ctrl:
            entries = self._log(there)
        else:
            # nobody watches a connection that ends at once
            cfg = {k: v for k, v in (self.cfg or {}).items() if k != "keep_alive_tmo"}
            ctrl.connect(self.host, cfg, self.timeout)
            with ctrl:
                entries = self._log(ctrl)
        for entry, raw in entries:
            yield entry, raw
            if follow and entry["subtype"] == "referral":
                yield from self._refer(entry, ctrl.transport, depth + 1)

    def _log(self, ctrl: Any) -> list[tuple[dict[str, Any], bytes]]:
        entries: list[Any] = ctrl._discovery_log(0, 10, milliseconds(self.timeout), True)
        return entries

    def _refer(
        self, entry: dict[str, Any], transport: str, depth: int
    ) -> Iterator[tuple[dict[str, Any], bytes]]:
        nvme: Any = _module()
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
            self.failures.append(Outcome(entry, "failed", None, error))


def discover(
    root: nvme.root,
    transport: str,
    traddr: _IpAddress | None = None,
    trsvcid: str | int | None = None,
    *,
    host: nvme.host | None = None,
    subsysnqn: str | None = None,
    cfg: Any = None,
    referrals: bool = True,
    timeout: float | None = None,
) -> list[Any]:
    """The entries of the discovery log at an address, and of those that it refers to.

    A discovery controller that is connected is used, another one is connected as host, by default
    this machine's, and disconnected again. cfg are options as ctrl.connect() takes them; timeout
    is for each connection and each request, in seconds. An entry is a dict as of ctrl.discover();
    each referral comes before the entries behind it. As nvme-connect-all(1) does it, a referral is
    followed once, by the same transport, eight in a row and 256 in all. Incomplete is raised where
    one cannot be read, with what is known in its attribute done.
    """
    walk = _Walk(root, host or _module().host(root), cfg, timeout)
    entries = [entry for entry, _ in _start(walk, transport, traddr, trsvcid, subsysnqn, referrals)]
    if walk.failures:
        raise Incomplete(entries, walk.failures)
    return entries


def _start(
    walk: _Walk, transport: str, traddr: Any, trsvcid: Any, nqn: str | None, referrals: bool
) -> Iterator[tuple[dict[str, Any], bytes]]:
    nvme: Any = _module()
    trsvcid = trsvcid or nvme._port_of(transport, True)
    ctrl = walk.describe(nqn or nvme.NVME_DISC_SUBSYS_NAME, transport, traddr, trsvcid)
    walk.visited.add((transport, address_text(traddr), str(trsvcid), ctrl.subsysnqn))
    return walk.read(ctrl, referrals)


def connect_all(
    root: nvme.root,
    transport: str,
    traddr: _IpAddress | None = None,
    trsvcid: str | int | None = None,
    *,
    host: nvme.host | None = None,
    subsysnqn: str | None = None,
    cfg: Any = None,
    referrals: bool = True,
    timeout: float | None = None,
) -> list[Outcome]:
    """Connect every subsystem that discover() finds, and tell what became of each.

    The arguments are those of discover(). What is connected already stays as it is; entries of
    another transport are skipped. All portals are called at the same time first, and those that
    answer come first; those that do not are connected in the end, or fail if there is a timeout.
    Each entry's requirements, such as TLS, are honoured. Incomplete is raised after all of them if
    one failed; its attribute done has all outcomes.
    """
    walk = _Walk(root, host or _module().host(root), cfg, timeout)
    found = list(_start(walk, transport, traddr, trsvcid, subsysnqn, referrals))
    wanted = [(entry, raw) for entry, raw in found if entry["subtype"] == "nvme"]
    outcomes = _connect_entries(walk, transport, wanted)
    failures = walk.failures + [outcome for outcome in outcomes if outcome.error]
    if failures:
        raise Incomplete(walk.failures + outcomes, failures)
    return outcomes


def _connect_entries(
    walk: _Walk, transport: str, entries: list[tuple[dict[str, Any], bytes]]
) -> list[Outcome]:
    """Connect those whose portals answer, then the others; the outcomes are in the log's order."""
    outcomes: dict[int, Outcome] = {}
    portals: dict[int, Portal | None] = {}
    for i, (entry, _) in enumerate(entries):
        if entry["trtype"] != transport:
            outcomes[i] = Outcome(entry, "skipped: another transport")
            continue
        nqn, traddr, trsvcid = (entry[key] for key in ("subnqn", "traddr", "trsvcid"))
        described = walk.describe(nqn, transport, traddr, trsvcid)
        described.discovery_ctrl = False
        portals[i] = _portal_of(described, walk.cfg or {})
    mute = set(silent({p for p in portals.values() if p}, walk.timeout or PATIENCE))
    for i in sorted(portals, key=lambda i: portals[i] in mute):
        entry, raw = entries[i]
        late = portals[i] if portals[i] in mute and walk.timeout else None
        outcomes[i] = _connect_entry(walk, entry, raw, late)
    return [outcomes[i] for i in sorted(outcomes)]


def _connect_entry(walk: _Walk, entry: dict[str, Any], raw: bytes, late: Portal | None) -> Outcome:
    nvme: Any = _module()
    try:
        if late:
            text = f"{late} did not answer within {walk.timeout:g} s"
            raise Error(errno.ETIMEDOUT, text)
        ctrl = _connected(walk, entry, raw)
    except Error as error:
        if error.errno == nvme._ALREADY:
            return Outcome(entry, "already connected")
        if error.errno in (errno.EAGAIN, nvme._IGNORED):
            return Outcome(entry, "skipped: for another application")
        return Outcome(entry, "failed", None, error)
    return Outcome(entry, "connected", ctrl)


def _connected(walk: _Walk, entry: dict[str, Any], raw: bytes) -> Any:
    nvme: Any = _module()
    if walk.timeout is None:
        return nvme._connect_entry(walk.host, raw, walk.cfg)

    def call() -> Any:
        return nvme._connect_entry(walk.host, raw, walk.cfg)

    def undo(ctrl: Any) -> None:
        ctrl.disconnect()

    return within(
        walk.host,
        time.monotonic() + walk.timeout,
        call,
        undo,
        f"not connected within {walk.timeout:g} s",
    )


for _public in (Outcome, discover, connect_all):
    _public.__module__ = "libnvme.nvme"
