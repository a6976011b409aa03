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

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from ._nvmet_apply import Change, attribute, changes, run
from ._nvmet_check import (
    ConfigError,
    check_grpid,
    check_name,
    check_nsid,
    check_portid,
    check_value,
    family_of,
    same,
)
from ._nvmet_check import check as check
from ._nvmet_restore import Incomplete, in_one_go, restore
from ._nvmet_save import load as load
from ._nvmet_save import save_target
from ._nvmet_save import store as store

__all__ = [
    "Change",
    "ConfigError",
    "Host",
    "Incomplete",
    "Namespace",
    "Passthru",
    "Port",
    "Referral",
    "Subsystem",
    "Target",
    "main",
]

CONFIGFS = Path("/sys/kernel/config/nvmet")
SAVED = Path("/etc/nvmet/config.json")
BACKUP = Path("/run/nvme-mptcp/nvmet-before.json")
SECRETS = ("dhchap_key", "dhchap_ctrl_key")

# The kernel wants the transport before the rest of an address.
FIRST = ("addr_trtype", "addr_adrfam", "addr_traddr", "addr_trsvcid")


_NodeT = TypeVar("_NodeT", bound="Node")


class Node:
    """A directory of configfs, whose files are attributes."""

    #: Did the function that returned this, such as create_port(), make it? False: it was there.
    made = False

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
            return os.fsdecode((self.path / name).read_bytes()).strip()
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EACCES, errno.EINVAL):
                return None
            raise

    def set(self, name: str, value: object) -> None:
        """Write an attribute, unless it has that value already."""
        text = check_value(value, str(self.path / name))
        if same(name, self.get(name), text):
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

    def exists(self) -> bool:
        """Is it there?"""
        return self.path.is_dir()

    def make(self) -> None:
        """Make it, with the kernel's defaults, unless it is there."""
        _mkdir(self.path)

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
            node.made = True
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
        with in_one_go():
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

    def _unlink_all(self, where: str, *targets: Node) -> None:
        """Remove links, all or those to targets, one after the other with nothing between."""
        names = [target.path.name for target in targets]
        links = [
            node.path
            for node in self._nodes(Node, where)
            if not names or Path(os.readlink(node.path)).name in names
        ]
        with in_one_go():
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


def _natural(name: str) -> tuple[int, str]:
    """Numbers in their order, before names."""
    return (int(name), "") if name.isdecimal() else (sys.maxsize, name)


class Host(Node):
    """A host that subsystems may let in, with the keys of DH-HMAC-CHAP."""

    dhchap_key: str | None = attribute(
        "dhchap_key", "The host's secret, DHHC-1:...; None: it need not authenticate."
    )
    dhchap_ctrl_key: str | None = attribute(
        "dhchap_ctrl_key", "The secret by which controllers authenticate to the host."
    )
    dhchap_hash: str | None = attribute("dhchap_hash", "The hash, such as hmac(sha256).")
    dhchap_dhgroup: str | None = attribute(
        "dhchap_dhgroup", "The Diffie-Hellman group, such as ffdhe2048 or null."
    )

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


class Passthru(Namespace):
    """The controller that a subsystem passes commands to, in place of namespaces of its own."""


class Subsystem(Node):
    """A subsystem: the namespaces that a host gets when it connects."""

    @property
    def nqn(self) -> str:
        """Its name."""
        return self.path.name

    def namespaces(self) -> Iterator[Namespace]:
        """Yield its namespaces."""
        return self._nodes(Namespace, "namespaces")

    def namespace(self, nsid: int | str) -> Namespace:
        """The namespace of that id, which need not be there."""
        return Namespace(self.path / "namespaces" / str(nsid))

    def passthru(self) -> Passthru:
        """Where commands are passed to; not all kernels have it."""
        return Passthru(self.path / "passthru")

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

    def allow(self, *hosts: Host) -> None:
        """Let hosts in; with attr_allow_any_host=0 only such hosts get in."""
        self._link("allowed_hosts", *hosts)

    def disallow(self, *hosts: Host) -> None:
        """Let hosts in no more; those that are connected stay so."""
        if hosts:
            self._unlink_all("allowed_hosts", *hosts)

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

    def withdraw(self, *subsystems: Subsystem) -> None:
        """Offer subsystems no more; their controllers that came through it go."""
        if subsystems:
            self._unlink_all("subsystems", *subsystems)

    def remove(self, *subsystems: Subsystem) -> None:
        """The same as withdraw(): what add() added is removed."""
        self.withdraw(*subsystems)

    def address(self) -> str:
        """What it is and where, for messages."""
        get = {name: self.get(f"addr_{name}") or "" for name in ("trtype", "traddr", "trsvcid")}
        traddr = f"[{get['traddr']}]" if ":" in get["traddr"] else get["traddr"]
        return f"port {self.path.name}, {get['trtype']} {traddr}:{get['trsvcid']}"

    def ana_group(self, grpid: int | str) -> Node:
        """The ANA group of that number, which need not be there."""
        return Node(self.path / "ana_groups" / str(grpid))

    def referral(self, name: str) -> Referral:
        """The referral of that name, which need not be there."""
        return Referral(self.path / "referrals" / name)

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

    def host(self, nqn: str) -> Host:
        """The host of that name, which need not be there."""
        return Host(self.path / "hosts" / nqn)

    def subsystem(self, nqn: str) -> Subsystem:
        """The subsystem of that name, which need not be there."""
        return Subsystem(self.path / "subsystems" / nqn)

    def port(self, portid: int | str) -> Port:
        """The port of that number, which need not be there."""
        return Port(self.path / "ports" / str(portid))

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
        return save_target(self)

    def restore(
        self, config: Mapping[str, Any], *, backup: str | os.PathLike[str] | None = None
    ) -> None:
        """Have what config says and nothing else; if that fails, have again what there was.

        What is the same already is left alone: hosts that use it notice nothing. What is new is
        made before anything else is touched, and ports listen once everything behind them is in
        place, except for what clear() says.

        Devices of namespaces that hosts are to see have to be there, or nothing is touched. Ports
        whose addresses this machine does not have stop nothing: Incomplete names them when
        everything else is restored. Attributes that this kernel does not have are warned about in
        the log, but those of keys and addresses raise OSError.

        A signal that would end the program puts back what there was before it does, in the main
        thread. For one that cannot be caught backup is a file that has what there was meanwhile,
        keys included: restore it. One that is there already is kept, since a restore ended so. It
        is removed at the end, and renamed to end in .incomplete if ports are missing.
        """
        restore(self, config, backup)

    def apply(
        self, config: Mapping[str, Any], *, backup: str | os.PathLike[str] | None = None
    ) -> tuple[Change, ...]:
        """Have what config says, as restore() does, and return what that changed.

        The second time nothing is: the result is empty. Keys are not in it.
        """
        before = self.save()
        self.restore(config, backup=backup)
        return tuple(changes(before, self.save()))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    return run(Target, arguments, str(CONFIGFS), str(SAVED), BACKUP)


if __name__ == "__main__":
    sys.exit(main())
