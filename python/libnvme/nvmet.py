# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel's NVMe target, set up through configfs.

>>> from libnvme import nvmet
>>> target = nvmet.Target()
>>> subsystem = target.create_subsystem("nqn.2025-01.example:disk", allow_any_host=True)
>>> subsystem.create_namespace("/dev/vdb", uuid="8ffb0f23-3c8e-4b0b-9d6f-0a4f6a8d1b57")
>>> target.create_port(1, trtype="mptcp", traddr="0.0.0.0").add(subsystem)

A whole target is saved to, and restored from, a JSON file in the format of nvmetcli; from a shell:
python3 -m libnvme.nvmet save|restore|clear [FILE]. nvme-mptcp-target.service restores one at boot.
The module nvmet has to be loaded and configfs mounted. A port listens in the network namespace of
whoever adds its first subsystem, and from the first one to the last. A host that connects to one
that is missing meanwhile is told not to try again, and gives its controller up: so namespaces and
hosts come first, and subsystems all at once, port.add(one, other).

What the kernel refuses raises OSError, which names the attribute and the value, but not secrets. A
configuration that makes no sense raises ConfigError before anything is touched.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from libnvme._nvmet_check import (
    ConfigError,
    check,
    check_devices,
    check_grpid,
    check_name,
    check_nsid,
    check_portid,
    check_value,
    family_of,
)
from libnvme._nvmet_save import load, save_host, save_port, save_subsystem, store

__all__ = ["ConfigError", "Host", "Namespace", "Port", "Referral", "Subsystem", "Target", "main"]

CONFIGFS = Path("/sys/kernel/config/nvmet")
SAVED = Path("/etc/nvmet/config.json")
SECRETS = ("dhchap_key", "dhchap_ctrl_key")
ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)

# The kernel wants the transport before the rest of an address.
FIRST = ("addr_trtype", "addr_adrfam", "addr_traddr", "addr_trsvcid")


_NodeT = TypeVar("_NodeT", bound="Node")


class Node:
    """A directory of configfs, whose files are attributes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self.path == other.path

    def __hash__(self) -> int:
        return hash(self.path)

    def attributes(self, group: str) -> dict[str, str]:
        """The attributes whose names begin with that group and "_", by the rest of the name."""
        found = {}
        for path in sorted(self.path.glob(f"{group}_*")):
            value = self.get(path.name) if path.is_file() else None
            if value is not None:
                found[path.name.removeprefix(f"{group}_")] = value
        return found

    def get(self, name: str) -> str | None:
        """The value of an attribute; None if there is no such attribute or it is write-only."""
        try:
            return (self.path / name).read_text(encoding="utf-8").strip()
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EACCES, errno.EINVAL):
                return None
            raise

    def set(self, name: str, value: object) -> None:
        """Write an attribute, unless it has that value already."""
        text = check_value(value, str(self.path / name))
        if self.get(name) == text:
            return
        try:
            self._write(name, text)
        except OSError as error:
            shown = "the key" if name in SECRETS else f"'{text}'"
            reason = os.strerror(error.errno or errno.EIO)
            if error.errno == errno.ENOENT and not (self.path / name).exists():
                self.require()
                reason = "this kernel has no such attribute"
            raise OSError(error.errno, f"{reason}: {shown}", str(self.path / name)) from None

    def set_all(self, attributes: Mapping[str, object]) -> None:
        """Write attributes in the order that the kernel wants."""
        first = [name for name in FIRST if name in attributes]
        for name in first + [name for name in attributes if name not in first]:
            self.set(name, attributes[name])

    def delete(self) -> None:
        """Remove it."""
        _rmdir(self.path)

    def require(self) -> None:
        """Raise FileNotFoundError, which names it, unless it is there."""
        if not self.path.is_dir():
            kind = type(self).__name__.lower()
            raise FileNotFoundError(errno.ENOENT, f"there is no such {kind}", str(self.path))

    def _write(self, name: str, text: str) -> None:
        # No O_CREAT: an attribute is there or it is not.
        fd = os.open(self.path / name, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(fd, os.fsencode(text))
        finally:
            os.close(fd)

    def _make(self, cls: Callable[[Path], _NodeT], where: str, name: str) -> _NodeT:
        """The node of that name below a directory of this one, made if need be."""
        with self._made(cls, where, name) as node:
            return node

    @contextlib.contextmanager
    def _made(self, cls: Callable[[Path], _NodeT], where: str, name: str) -> Iterator[_NodeT]:
        """The same; what was made goes if filling it fails, and what was there before stays."""
        node = cls(self.path / where / name)
        is_new = not node.path.is_dir()
        if is_new:
            self.require()
            _mkdir(node.path)
        try:
            yield node
        except BaseException:
            if is_new:
                # The error that is raised says more.
                with contextlib.suppress(OSError):
                    node.delete()
            raise

    def _nodes(self, cls: Callable[[Path], _NodeT], where: str) -> Iterator[_NodeT]:
        """The nodes below a directory, in order."""
        top = self.path / where
        for name in sorted(os.listdir(top), key=_natural) if top.is_dir() else []:
            yield cls(top / name)

    def _linked(self, cls: Callable[[Path], _NodeT], where: str, top: str) -> Iterator[_NodeT]:
        """The target's nodes that the links in a directory lead to, in order of the links."""
        for link in self._nodes(Node, where):
            with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                yield cls(self.path.parent.parent / top / Path(os.readlink(link.path)).name)

    def _link(self, where: str, *targets: Node) -> None:
        """Link to other nodes, unless they are linked already: to all, or to no more than before.

        One link follows the other with nothing between, since a port listens from the first one.
        """
        for node in (self, *targets):
            node.require()
        links = [(node.path, self.path / where / node.path.name) for node in targets]
        made: list[Path] = []
        with _in_one_go():
            try:
                for target, link in links:
                    with contextlib.suppress(FileExistsError):
                        _symlink(target, link)
                        made.append(link)
            except OSError as error:
                # The error that is raised says more.
                with contextlib.suppress(OSError):
                    for path in made:
                        _unlink(path)
                reason = os.strerror(error.errno or errno.EIO)
                place = str(self.path / where)
                raise OSError(error.errno, f"{reason}: '{target.name}'", place) from None

    def _unlink_all(self, where: str) -> None:
        """Remove all links, one after the other with nothing between."""
        links = [node.path for node in self._nodes(Node, where)]
        with _in_one_go():
            for link in links:
                _unlink(link)


def _mkdir(path: Path) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(path)


def _rmdir(path: Path) -> None:
    os.rmdir(path)


def _symlink(target: Path, link: Path) -> None:
    os.symlink(target, link)


def _unlink(path: Path) -> None:
    os.unlink(path)


@contextlib.contextmanager
def _in_one_go() -> Iterator[None]:
    """Let signals that end the program wait, so that no port stays half open.

    Python runs handlers in the main thread, whichever thread the kernel gave the signal: masks of
    this thread alone would not hold them back. Other threads are not interrupted.
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
        yield
    finally:
        for held, handler in before.items():
            signal.signal(held, handler)
        for late in arrived:
            signal.raise_signal(late)


def _natural(name: str) -> tuple[int, str]:
    """Numbers in their order, before names."""
    return (int(name), "") if name.isdecimal() else (sys.maxsize, name)


class Host(Node):
    """A host that subsystems may let in, with the keys of DH-HMAC-CHAP."""

    @property
    def nqn(self) -> str:
        """Its name."""
        return self.path.name


class Namespace(Node):
    """A namespace of a subsystem."""

    @property
    def nsid(self) -> int:
        """Its id."""
        return int(self.path.name)

    @property
    def enabled(self) -> bool:
        """Do hosts see it?"""
        return self.get("enable") == "1"

    def enable(self, on: bool = True) -> None:
        """Show it to hosts, or hide it; only then can its device be changed."""
        try:
            self.set("enable", on)
        except OSError as error:
            device = self.get("device_path")
            if not on or device is None:
                raise
            reason = os.strerror(error.errno or errno.EIO)
            where = str(self.path / "enable")
            raise OSError(error.errno, f"{reason}: the device '{device}'", where) from None

    def delete(self) -> None:
        """Hide it from hosts and remove it."""
        self.enable(False)
        super().delete()


class Subsystem(Node):
    """A subsystem: the namespaces that a host gets when it connects."""

    @property
    def nqn(self) -> str:
        """Its name."""
        return self.path.name

    def namespaces(self) -> Iterator[Namespace]:
        """Yield its namespaces."""
        return self._nodes(Namespace, "namespaces")

    def hosts(self) -> Iterator[Host]:
        """Yield the hosts that it lets in."""
        return self._linked(Host, "allowed_hosts", "hosts")

    def create_namespace(
        self,
        device: str | os.PathLike[str],
        nsid: int = 1,
        *,
        uuid: str | UUID | None = None,
        nguid: str | None = None,
        ana_group: int | None = None,
        buffered: bool = False,
    ) -> Namespace:
        """Add a namespace on a block device or a file, and show it to hosts.

        One that is there already stays, also if it cannot be as it is asked for.
        """
        name = str(check_nsid(nsid, "nsid"))
        with self._made(Namespace, "namespaces", name) as namespace:
            namespace.set("device_path", os.fsdecode(device))
            if uuid:
                namespace.set("device_uuid", uuid)
            if nguid:
                namespace.set("device_nguid", nguid)
            if ana_group is not None:
                namespace.set("ana_grpid", ana_group)
            if buffered:
                namespace.set("buffered_io", True)
            namespace.enable()
        return namespace

    def allow(self, host: Host) -> None:
        """Let a host in; with attr_allow_any_host=0 only such hosts get in."""
        self._link("allowed_hosts", host)

    def delete(self) -> None:
        """Remove it with its namespaces; no port may offer it any more."""
        self._unlink_all("allowed_hosts")
        for namespace in self.namespaces():
            namespace.delete()
        super().delete()


class Referral(Node):
    """What a port's discovery log says about another target."""


class Port(Node):
    """An address that hosts connect to."""

    @property
    def portid(self) -> int:
        """Its number."""
        return int(self.path.name)

    def subsystems(self) -> Iterator[Subsystem]:
        """Yield the subsystems that it offers."""
        return self._linked(Subsystem, "subsystems", "subsystems")

    def referrals(self) -> Iterator[Referral]:
        """Yield its referrals."""
        return self._nodes(Referral, "referrals")

    def ana_groups(self) -> Iterator[Node]:
        """Yield its ANA groups; group 1 is always there."""
        return self._nodes(Node, "ana_groups")

    def add(self, *subsystems: Subsystem) -> None:
        """Offer subsystems, all or none; the first one makes the port listen.

        Those that belong together are given together: no host then meets the one without the other
        for longer than the kernel takes to add them.
        """
        self._link("subsystems", *subsystems)

    def close(self) -> None:
        """Offer nothing more, and so stop listening; controllers that came through it go."""
        self._unlink_all("subsystems")

    def set_ana(self, group: int, state: str) -> None:
        """Say how good this way to an ANA group is, e.g. optimized, non-optimized, inaccessible."""
        name = str(check_grpid(group, "group"))
        self._make(Node, "ana_groups", name).set("ana_state", state)

    def create_referral(self, name: str, **addr: object) -> Referral:
        """Refer to another target: trtype=, adrfam=, traddr=, trsvcid=, portid=."""
        with self._made(Referral, "referrals", check_name(name, "referrals")) as referral:
            referral.set_all({f"addr_{key}": value for key, value in addr.items()})
            referral.set("enable", True)
        return referral

    def delete(self) -> None:
        """Stop listening and remove it; controllers that came through it go."""
        self.close()
        for referral in self.referrals():
            referral.delete()
        for group in self.ana_groups():
            if group.path.name != "1":
                group.delete()
        super().delete()


class Target(Node):
    """The target as a whole."""

    def __init__(self, root: str | os.PathLike[str] = CONFIGFS) -> None:
        super().__init__(Path(root))
        if not self.path.is_dir():
            hint = "no such directory; load the module nvmet and mount configfs"
            raise FileNotFoundError(errno.ENOENT, hint, str(self.path))

    def hosts(self) -> Iterator[Host]:
        """Yield the hosts that are known."""
        return self._nodes(Host, "hosts")

    def subsystems(self) -> Iterator[Subsystem]:
        """Yield the subsystems."""
        return self._nodes(Subsystem, "subsystems")

    def ports(self) -> Iterator[Port]:
        """Yield the ports."""
        return self._nodes(Port, "ports")

    def create_host(
        self, nqn: str, dhchap_key: str | None = None, dhchap_ctrl_key: str | None = None
    ) -> Host:
        """Add a host; with keys it must authenticate, and the controller too if it has one."""
        with self._made(Host, "hosts", check_name(nqn, "hosts")) as host:
            if dhchap_key:
                host.set("dhchap_key", dhchap_key)
            if dhchap_ctrl_key:
                host.set("dhchap_ctrl_key", dhchap_ctrl_key)
        return host

    def create_subsystem(
        self, nqn: str, *, allow_any_host: bool = False, **attr: object
    ) -> Subsystem:
        """Add a subsystem; attr are its attributes, such as serial=, model=, cntlid_min=.

        As in the kernel, hosts get in only if they are allowed, or if any host is.
        """
        with self._made(Subsystem, "subsystems", check_name(nqn, "subsystems")) as subsystem:
            subsystem.set("attr_allow_any_host", allow_any_host)
            subsystem.set_all({f"attr_{key}": value for key, value in attr.items()})
        return subsystem

    def create_port(
        self,
        portid: int,
        *,
        trtype: str,
        traddr: str | IPv4Address | IPv6Address = "",
        trsvcid: str | int = "4420",
        adrfam: str | None = None,
        **param: object,
    ) -> Port:
        """Add a port; without traddr it has no address, as loop has none. param: e.g. mdts=.

        adrfam is that of the IP address traddr, unless it is given; fc needs it.
        """
        family = adrfam or family_of(traddr)
        addr = {"addr_adrfam": family, "addr_traddr": traddr, "addr_trsvcid": trsvcid}
        with self._made(Port, "ports", str(check_portid(portid, "portid"))) as port:
            port.set("addr_trtype", trtype)
            if traddr:
                port.set_all(addr)
            port.set_all({f"param_{key}": value for key, value in param.items()})
        return port

    def clear(self) -> None:
        """Remove everything, whoever made it.

        All ports are closed before anything else goes. While one that has several subsystems is
        closed, they go one after the other, and the kernel has no means to stop it from listening
        before: for that moment hosts that connect to those that are gone are told not to try again.
        """
        for port in self.ports():
            port.close()
        for node in (*self.ports(), *self.subsystems(), *self.hosts()):
            node.delete()

    def save(self) -> dict[str, Any]:
        """The configuration as it stands, keys of DH-HMAC-CHAP included."""
        return {
            "hosts": [save_host(host) for host in self.hosts()],
            "ports": [save_port(port) for port in self.ports()],
            "subsystems": [save_subsystem(subsystem) for subsystem in self.subsystems()],
        }

    def restore(self, config: Mapping[str, Any]) -> None:
        """Have what config says and nothing else; if that fails, have again what there was.

        Devices of namespaces that hosts are to see have to be there, or nothing is touched. Ports
        listen once everything behind them is in place, except for what clear() says: between the
        first subsystem and the last one of a port there are the kernel's calls that add them, and
        nothing else. A port with one subsystem has no such moment.
        """
        check(config)
        check_devices(config)
        before = self.save()
        try:
            self.clear()
            self._apply(config)
        except OSError as error:
            try:
                self.clear()
                self._apply(before)
            except OSError as second:
                text = f"{error}; what there was could not be restored either: {second}"
                raise OSError(error.errno, text) from error
            raise

    def _apply(self, config: Mapping[str, Any]) -> None:
        for data in config.get("hosts", ()):
            host = self._make(Host, "hosts", data["nqn"])
            host.set_all(_attributes(data, "dhchap"))
        for data in config.get("subsystems", ()):
            self._apply_subsystem(data)
        ports = config.get("ports", ())
        offers = [(self._apply_port(data), data.get("subsystems", ())) for data in ports]
        # Those with many subsystems while no other port brings hosts that the kernel has to serve.
        for port, nqns in sorted(offers, key=lambda offer: len(offer[1]), reverse=True):
            port.add(*(Subsystem(self.path / "subsystems" / nqn) for nqn in nqns))

    def _apply_subsystem(self, data: Mapping[str, Any]) -> None:
        subsystem = self._make(Subsystem, "subsystems", data["nqn"])
        subsystem.set_all(_attributes(data, "attr"))
        for item in data.get("namespaces", ()):
            namespace = subsystem._make(Namespace, "namespaces", str(int(item["nsid"])))
            namespace.set_all(_attributes(item, "device"))
            for name in ("ana_grpid", "buffered_io"):
                if name in item:
                    namespace.set(name, item[name])
            namespace.enable(bool(int(item.get("enable", 0))))
        for nqn in data.get("allowed_hosts", ()):
            subsystem.allow(Host(self.path / "hosts" / nqn))

    def _apply_port(self, data: Mapping[str, Any]) -> Port:
        """The port as it is to be, closed."""
        port = self._make(Port, "ports", str(int(data["portid"])))
        port.set_all(_attributes(data, "addr"))
        port.set_all(_attributes(data, "param"))
        for item in data.get("ana_groups", ()):
            port.set_ana(item["grpid"], item["ana"]["state"])
        for item in data.get("referrals", ()):
            referral = port._make(Referral, "referrals", item["name"])
            referral.set_all(_attributes(item, "addr"))
            referral.set("enable", bool(int(item.get("enable", 1))))
        return port


def _attributes(data: Mapping[str, Any], group: str) -> dict[str, object]:
    return {f"{group}_{key}": value for key, value in data.get(group, {}).items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python3 -m libnvme.nvmet", description="Save, restore or clear the NVMe target."
    )
    parser.add_argument("action", choices=("save", "restore", "clear"))
    parser.add_argument("file", nargs="?", default=str(SAVED), help="JSON (default: %(default)s)")
    parser.add_argument("--root", default=str(CONFIGFS), help="nvmet's directory of configfs")
    options = parser.parse_args(arguments)
    try:
        if options.action == "restore":
            config = load(options.file)
            Target(options.root).restore(config)
        elif options.action == "save":
            store(Target(options.root).save(), options.file)
        else:
            Target(options.root).clear()
    except (OSError, ConfigError) as error:
        print(f"nvmet: {options.action}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
