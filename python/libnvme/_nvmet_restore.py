# SPDX-License-Identifier: LGPL-2.1-or-later
"""Change the kernel's target to match a configuration, by changing only differences."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._nvmet_check import attributes, check, check_devices, same
from ._nvmet_save import HOST, NAMESPACE, PORT, REFERRAL, SUBSYSTEM, TARGET, save_target, store

if TYPE_CHECKING:
    from .nvmet import Host, Namespace, Node, Port, Subsystem, Target

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)

#: Values for attributes of existing objects that the configuration does not name: access that they
#: grant must not persist.
DEFAULTS: dict[str, dict[str, object]] = {
    "subsystem": {"attr_allow_any_host": "0", "attr_pi_enable": "0"},
    "namespace": {"ana_grpid": "1", "buffered_io": "0", "resv_enable": "0"},
    "port": {"addr_treq": "not specified", "param_pi_enable": "0"},
}

#: Attributes that must not be skipped if the kernel does not have them.
SECURITY = ("addr_", "dhchap_", "attr_allow_any_host")

#: Errors of ports that cannot listen on this machine at present.
ABSENT = (
    errno.EADDRNOTAVAIL,
    errno.EADDRINUSE,
    errno.EAFNOSUPPORT,
    errno.ENODEV,
    errno.ENETDOWN,
    errno.ENETUNREACH,
)


class Incomplete(OSError):
    """All is restored except ports whose addresses are not available; ports has the reasons."""

    def __init__(self, ports: Mapping[int, str]) -> None:
        self.ports = dict(ports)
        text = "; ".join(self.ports.values())
        super().__init__(errno.EADDRNOTAVAIL, f"{text}; everything else is restored")

    def __str__(self) -> str:
        return str(self.strerror)


class Lost(OSError):
    """A restore failed, and the previous configuration could not be restored either."""


def _nqn(data: Mapping[str, Any]) -> str:
    return str(data["nqn"])


def _number(data: Mapping[str, Any], key: str) -> str:
    return str(int(data[key]))


def _by_name(
    items: Iterable[Mapping[str, Any]], name_of: Callable[[Mapping[str, Any]], str]
) -> dict[str, Mapping[str, Any]]:
    return {name_of(item): item for item in items}


class Change:
    """A change of the target; step() is called before each of its steps and can abort it."""

    def __init__(self, target: Target, step: Callable[[], None]) -> None:
        self.target = target
        self.step = step
        self.closed: dict[int, str] = {}

    def become(self, config: Mapping[str, Any]) -> None:
        """Change the target to match config.

        New objects come first: they disturb no host, and if one fails nothing else has been
        changed.
        """
        hosts = _by_name(config.get("hosts", ()), _nqn)
        subsystems = _by_name(config.get("subsystems", ()), _nqn)
        ports = _by_name(config.get("ports", ()), lambda item: _number(item, "portid"))
        self._set(self.target, attributes(config, TARGET))
        there = {*self.target.hosts(), *self.target.subsystems(), *self.target.ports()}
        for is_new in (True, False):
            if not is_new:
                self._withdraw(ports)
            for nqn, data in hosts.items():
                if is_new is ((host := self.target.host(nqn)) not in there):
                    self._host(host, data)
            for nqn, data in subsystems.items():
                if is_new is ((subsystem := self.target.subsystem(nqn)) not in there):
                    self._subsystem(subsystem, data)
            for portid, data in ports.items():
                if is_new is ((port := self.target.port(portid)) not in there):
                    self._port(port, data)
        self._remove(self.target.subsystems(), subsystems)
        self._remove(self.target.hosts(), hosts)
        self._open(ports)

    def _set(self, node: Node, wanted: Mapping[str, object]) -> None:
        """Write the attributes that this kernel has, and warn about others."""
        offered = {}
        for name, value in wanted.items():
            if not isinstance(value, (str, int)) or not (node.path / name).exists():
                if name.startswith(SECURITY):
                    node.set(name, value)  # raises an error that names it
                logging.getLogger("libnvme").warning(
                    "nvmet: %s is not set: this kernel has no such attribute", node.path / name
                )
            elif not same(name, node.get(name), value):
                offered[name] = value
        if not offered:
            return
        self.step()
        try:
            node.set_all(offered)
        except OSError:
            # The kernel accepts some only after others, such as the minimum controller id after the
            # maximum.
            node.set_all(dict(reversed(offered.items())))

    def _set_live(self, node: Node, wanted: Mapping[str, object], stop: Callable[[], bool]) -> None:
        """Write attributes; if the kernel refuses and the object is live, stop it and try again."""
        try:
            self._set(node, wanted)
        except OSError:
            if not stop():
                raise
            self._set(node, wanted)

    def _named(
        self, kind: str, node: Node, data: Mapping[str, Any], structure: tuple[str, ...]
    ) -> dict[str, object]:
        """Return the attributes that a node must have."""
        unnamed = {k: v for k, v in DEFAULTS.get(kind, {}).items() if (node.path / k).exists()}
        return unnamed | attributes(data, structure)

    def _remove(self, nodes: Iterable[Node], wanted: Mapping[str, Any] | set[str]) -> None:
        for node in nodes:
            if node.path.name not in wanted:
                self.step()
                node.delete()

    def _withdraw(self, ports: Mapping[str, Mapping[str, Any]]) -> None:
        """Withdraw the subsystems that ports must no longer offer."""
        for port in self.target.ports():
            wanted = ports.get(port.path.name)
            if wanted is None:
                self.step()
                port.delete()
                continue
            gone = [s for s in port.subsystems() if s.nqn not in wanted.get("subsystems", ())]
            if gone:
                self.step()
                port.withdraw(*gone)

    def _host(self, host: Host, data: Mapping[str, Any]) -> None:
        wanted = attributes(data, HOST)
        keys = ("dhchap_key", "dhchap_ctrl_key")
        if any(host.get(key) and not wanted.get(key) for key in keys):
            # Its keys must go. Subsystems allow it again when they are configured.
            self.step()
            for subsystem in self.target.subsystems():
                subsystem.disallow(host)
            host.delete()
        self._make(host)
        self._set(host, wanted)

    def _make(self, node: Node) -> None:
        if not node.exists():
            self.step()
            node.make()

    def _subsystem(self, subsystem: Subsystem, data: Mapping[str, Any]) -> None:
        allowed = [self.target.host(nqn) for nqn in data.get("allowed_hosts", ())]
        was_there = subsystem.exists()
        self._make(subsystem)
        for host in subsystem.hosts():
            if host not in allowed:
                self.step()
                subsystem.disallow(host)

        def renew() -> bool:
            """Recreate the subsystem: some attributes can be set only before a host has seen it."""
            if not was_there:
                return False
            for port in self.target.ports():
                port.withdraw(subsystem)
            subsystem.delete()
            subsystem.make()
            return True

        self._set_live(subsystem, self._named("subsystem", subsystem, data, SUBSYSTEM), renew)
        items = _by_name(data.get("namespaces", ()), lambda item: _number(item, "nsid"))
        self._remove(subsystem.namespaces(), items)
        self._passthru(subsystem, data.get("passthru") or {})
        for nsid, item in items.items():
            self._namespace(subsystem.namespace(nsid), item)
        missing = [host for host in allowed if host not in list(subsystem.hosts())]
        if missing:
            self.step()
            subsystem.allow(*missing)

    def _passthru(self, subsystem: Subsystem, data: Mapping[str, Any]) -> None:
        passthru = subsystem.passthru()
        wanted = attributes(data, NAMESPACE)
        enable = bool(int(data.get("enable", 0)))
        if passthru.exists():
            self._set_live(passthru, wanted, partial(_stop, passthru))
            if passthru.enabled != enable:
                self.step()
                passthru.enable(enable)
        elif enable:
            passthru.require()
        elif wanted:
            self._set(passthru, wanted)

    def _namespace(self, namespace: Namespace, data: Mapping[str, Any]) -> None:
        self._make(namespace)
        wanted = self._named("namespace", namespace, data, NAMESPACE)
        self._set_live(namespace, wanted, partial(_stop, namespace))
        enable = bool(int(data.get("enable", 0)))
        if namespace.enabled != enable:
            self.step()
            namespace.enable(enable)

    def _port(self, port: Port, data: Mapping[str, Any]) -> None:
        """Configure a port; if its address must change, it stops listening."""
        self._make(port)
        is_open = any(port.subsystems())
        wanted = self._named("port", port, data, PORT)
        if is_open:
            # A negative number lets the kernel choose; it has replaced it by its choice.
            wanted = {
                name: value
                for name, value in wanted.items()
                if not (name.startswith("param_") and str(value).startswith("-"))
            }

        def close() -> bool:
            port.close()
            return is_open

        self._set_live(port, wanted, close)
        groups = _by_name(data.get("ana_groups", ()), lambda item: _number(item, "grpid"))
        self._remove(port.ana_groups(), {"1", *groups})
        for grpid, item in ({"1": {"ana": {"state": "optimized"}}} | groups).items():
            group = port.ana_group(grpid)
            self._make(group)
            self._set(group, attributes(item, ("grpid",)))
        referrals = _by_name(data.get("referrals", ()), lambda item: str(item["name"]))
        self._remove(port.referrals(), referrals)
        for name, entry in referrals.items():
            referral = port.referral(name)
            self._make(referral)
            self._set_live(referral, attributes(entry, REFERRAL), partial(_stop, referral))
            self._set(referral, {"enable": bool(int(entry.get("enable", 1)))})

    def _open(self, ports: Mapping[str, Mapping[str, Any]]) -> None:
        """Offer the missing subsystems, and note the ports that cannot listen here."""
        # Ports with many subsystems first, while no other port brings hosts for the kernel to
        # serve.
        for portid, data in sorted(
            ports.items(), key=lambda item: len(item[1].get("subsystems", ())), reverse=True
        ):
            port = self.target.port(portid)
            offered = list(port.subsystems())
            wanted = [self.target.subsystem(nqn) for nqn in data.get("subsystems", ())]
            missing = [subsystem for subsystem in wanted if subsystem not in offered]
            if not missing:
                continue
            self.step()
            try:
                port.add(*missing)
            except OSError as error:
                if offered or error.errno not in ABSENT:
                    raise
                self.closed[port.portid] = f"{port.address()}: {os.strerror(error.errno)}"


def _stop(node: Any) -> bool:
    """Disable an object; return whether it was enabled."""
    is_on = bool(node.get("enable") == "1")
    if is_on:
        node.set("enable", False)
    return is_on


@contextlib.contextmanager
def in_one_go() -> Iterator[Sequence[int]]:
    """Defer signals that end the program, so that no port stays half open; yield those that arrive.

    Python runs handlers in the main thread, whichever thread the kernel gave the signal: the signal
    mask of this thread alone would not defer them. Other threads are not interrupted.
    """
    arrived: list[int] = []
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            handler = signal.getsignal(number)
            if handler is not None and handler is not signal.SIG_IGN:
                before[number] = handler
                signal.signal(number, lambda number, _frame: arrived.append(number))
    try:
        yield arrived
    finally:
        for held, handler in before.items():
            signal.signal(held, handler)
        for late in arrived:
            signal.raise_signal(late)


@contextlib.contextmanager
def _backed_up(before: Mapping[str, Any], backup: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keep the previous configuration in a file while the target is being changed."""
    if backup is None:
        yield
        return
    file = Path(backup)
    incomplete = file.with_suffix(".incomplete")
    if file.exists():
        log = logging.getLogger("libnvme")
        log.warning(
            "nvmet: %s is from a restore that was killed; it is kept until a restore succeeds", file
        )
    else:
        if not file.parent.is_dir():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.parent.chmod(0o755)  # other users read the library's files there
        store(before, file)
    try:
        yield
    except Lost:
        raise
    except Incomplete:
        file.replace(incomplete)
        raise
    except BaseException:
        file.unlink()
        raise
    file.unlink()
    incomplete.unlink(missing_ok=True)


def restore(
    target: Target, config: Mapping[str, Any], backup: str | os.PathLike[str] | None
) -> None:
    """Implement Target.restore()."""
    check(config)
    check_devices(config)
    before = save_target(target)
    with in_one_go() as arrived, _backed_up(before, backup):

        def step() -> None:
            if arrived:
                name = signal.Signals(arrived[0]).name
                raise InterruptedError(errno.EINTR, f"{name}; the target is as it was before")

        change = Change(target, step)
        try:
            change.become(config)
        except BaseException as error:
            _put_back(target, before, error)
            raise
        if change.closed:
            raise Incomplete(change.closed)


def _put_back(target: Target, before: Mapping[str, Any], error: BaseException) -> None:
    back = Change(target, lambda: None)
    number = error.errno if isinstance(error, OSError) and error.errno else errno.EIO
    try:
        back.become(before)
    except OSError as second:
        text = f"{error}; the previous configuration could not be restored either: {second}"
        raise Lost(number, text) from error
    if back.closed:
        text = f"{error}; not reopened: {'; '.join(back.closed.values())}"
        raise Lost(number, text) from error
