# SPDX-License-Identifier: LGPL-2.1-or-later
"""Configure the kernel's NVMe target through configfs.

>>> from libnvme import nvmet
>>> target = nvmet.Target()
>>> subsystem = target.create_subsystem("nqn.2025-01.example:disk", allow_any_host=True)
>>> subsystem.create_namespace("/dev/vdb", uuid="8ffb0f23-3c8e-4b0b-9d6f-0a4f6a8d1b57")
>>> target.create_port(1, trtype="mptcp", traddr="0.0.0.0").add(subsystem)

A whole target is saved to, and restored from, a JSON file in the format of nvmetcli; from a shell:
python3 -m libnvme.nvmet save|restore|clear [FILE]. nvme-mptcp-target.service restores one at boot.
The module nvmet must be loaded and configfs mounted. A port listens while it has subsystems, in the
network namespace of the process that added the first one. A host that connects to a subsystem that
is missing at that moment gets a permanent error and gives its controller up. Therefore create
namespaces and hosts first, and add all subsystems at once: port.add(one, other).

If the kernel refuses something, OSError is raised, which names the attribute and the value, but no
secrets. An invalid configuration raises ConfigError before anything is changed.
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

# The kernel requires the transport before the rest of an address.
FIRST = ("addr_trtype", "addr_adrfam", "addr_traddr", "addr_trsvcid")


_NodeT = TypeVar("_NodeT", bound="Node")


class Node:
    """A directory in configfs, whose files are attributes."""

    #: True if the function that returned this object, such as create_port(), created it.
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
        """Return the attributes whose names begin with the group and "_", without that prefix."""
        found = {}
        for path in sorted(self.path.glob(f"{group}_*")):
            value = self.get(path.name) if path.is_file() else None
            if value is not None:
                found[path.name.removeprefix(f"{group}_")] = value
        return found

    def get(self, name: str) -> str | None:
        """Return the value of an attribute; None if it does not exist or is write-only."""
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
        """Write attributes in the order that the kernel requires."""
        first = [name for name in FIRST if name in attributes]
        for name in first + [name for name in attributes if name not in first]:
            self.set(name, attributes[name])

    def exists(self) -> bool:
        """Return whether it exists."""
        return self.path.is_dir()

    def make(self) -> None:
        """Create it, with the kernel's defaults, unless it exists."""
        _mkdir(self.path)

    def delete(self) -> None:
        """Remove it."""
        _rmdir(self.path)

    def require(self) -> None:
        """Raise FileNotFoundError, which names it, unless it exists."""
        if not self.path.is_dir():
            kind = type(self).__name__.lower()
            raise FileNotFoundError(errno.ENOENT, f"there is no such {kind}", str(self.path))

    def _write(self, name: str, text: str) -> None:
        # No O_CREAT: attributes cannot be created.
        fd = os.open(self.path / name, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(fd, os.fsencode(text))
        finally:
            os.close(fd)

    def _make(self, cls: Callable[[Path], _NodeT], where: str, name: str) -> _NodeT:
        """Return the node of a name below a directory of this one, created if necessary."""
        with self._made(cls, where, name) as node:
            return node

    @contextlib.contextmanager
    def _made(self, cls: Callable[[Path], _NodeT], where: str, name: str) -> Iterator[_NodeT]:
        """Do the same; remove a new node if filling it fails, and keep one that existed."""
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
                # The error that is raised is more useful.
                with contextlib.suppress(OSError):
                    node.delete()
            raise

    def _nodes(self, cls: Callable[[Path], _NodeT], where: str) -> Iterator[_NodeT]:
        """Yield the nodes below a directory, in order."""
        top = self.path / where
        for name in sorted(os.listdir(top), key=_natural) if top.is_dir() else []:
            yield cls(top / name)

    def _linked(self, cls: Callable[[Path], _NodeT], where: str, top: str) -> Iterator[_NodeT]:
        """Yield the target's nodes that the links in a directory lead to, in order of the links."""
        for link in self._nodes(Node, where):
            with contextlib.suppress(FileNotFoundError):  # removed in the meantime
                yield cls(self.path.parent.parent / top / Path(os.readlink(link.path)).name)

    def _link(self, where: str, *targets: Node) -> None:
        """Link to other nodes unless they are linked; if one link fails, remove the new ones.

        The links are created without a pause in between, since a port listens from the first one.
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
                # The error that is raised is more useful.
                with contextlib.suppress(OSError):
                    for path in made:
                        _unlink(path)
                reason = os.strerror(error.errno or errno.EIO)
                place = str(self.path / where)
                raise OSError(error.errno, f"{reason}: '{target.name}'", place) from None

    def _unlink_all(self, where: str, *targets: Node) -> None:
        """Remove all links or those to targets, without a pause in between."""
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
    """Return a sort key: numbers in their order, before names."""
    return (int(name), "") if name.isdecimal() else (sys.maxsize, name)


class Host(Node):
    """A host that subsystems can allow, with its keys for DH-HMAC-CHAP."""

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
        """Its NQN."""
        return self.path.name


class Namespace(Node):
    """A namespace of a subsystem."""

    @property
    def nsid(self) -> int:
        """Its id."""
        return int(self.path.name)

    @property
    def enabled(self) -> bool:
        """Whether hosts see it."""
        return self.get("enable") == "1"

    def enable(self, on: bool = True) -> None:
        """Show it to hosts, or hide it; its device can be changed only while it is hidden."""
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
    """The controller to which a subsystem passes commands instead of having namespaces."""


class Subsystem(Node):
    """A subsystem: the namespaces that a connected host gets."""

    @property
    def nqn(self) -> str:
        """Its NQN."""
        return self.path.name

    def namespaces(self) -> Iterator[Namespace]:
        """Yield its namespaces."""
        return self._nodes(Namespace, "namespaces")

    def namespace(self, nsid: int | str) -> Namespace:
        """Return the namespace of an id, which need not exist."""
        return Namespace(self.path / "namespaces" / str(nsid))

    def passthru(self) -> Passthru:
        """Return the passthru controller; not all kernels have it."""
        return Passthru(self.path / "passthru")

    def hosts(self) -> Iterator[Host]:
        """Yield the hosts that it allows."""
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

        An existing namespace is kept even if it cannot be changed as requested.
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
        """Allow hosts to connect; with attr_allow_any_host=0 only allowed hosts can."""
        self._link("allowed_hosts", *hosts)

    def disallow(self, *hosts: Host) -> None:
        """Stop allowing hosts; existing connections remain."""
        if hosts:
            self._unlink_all("allowed_hosts", *hosts)

    def delete(self) -> None:
        """Remove it with its namespaces; no port may offer it."""
        self._unlink_all("allowed_hosts")
        for namespace in self.namespaces():
            namespace.delete()
        super().delete()


class Referral(Node):
    """An entry in a port's discovery log that refers to another target."""


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

        Add subsystems that belong together in one call: a host then finds one without the other
        only for the time that the kernel takes to add them.
        """
        self._link("subsystems", *subsystems)

    def withdraw(self, *subsystems: Subsystem) -> None:
        """Stop offering subsystems; their controllers that use this port are removed."""
        if subsystems:
            self._unlink_all("subsystems", *subsystems)

    def remove(self, *subsystems: Subsystem) -> None:
        """Withdraw subsystems: the counterpart of add()."""
        self.withdraw(*subsystems)

    def address(self) -> str:
        """Return the port's number, transport and address for messages."""
        get = {name: self.get(f"addr_{name}") or "" for name in ("trtype", "traddr", "trsvcid")}
        traddr = f"[{get['traddr']}]" if ":" in get["traddr"] else get["traddr"]
        return f"port {self.path.name}, {get['trtype']} {traddr}:{get['trsvcid']}"

    def ana_group(self, grpid: int | str) -> Node:
        """Return the ANA group of a number, which need not exist."""
        return Node(self.path / "ana_groups" / str(grpid))

    def referral(self, name: str) -> Referral:
        """Return the referral of a name, which need not exist."""
        return Referral(self.path / "referrals" / name)

    def close(self) -> None:
        """Stop offering subsystems and listening; controllers that use this port are removed."""
        self._unlink_all("subsystems")

    def set_ana(self, group: int, state: str) -> None:
        """Set the ANA state of a group on this port, e.g. optimized or inaccessible."""
        name = str(check_grpid(group, "group"))
        self._make(Node, "ana_groups", name).set("ana_state", state)

    def create_referral(self, name: str, **addr: object) -> Referral:
        """Add a referral to another target: trtype=, adrfam=, traddr=, trsvcid=, portid=."""
        with self._made(Referral, "referrals", check_name(name, "referrals")) as referral:
            referral.set_all({f"addr_{key}": value for key, value in addr.items()})
            referral.set("enable", True)
        return referral

    def delete(self) -> None:
        """Stop listening and remove it; controllers that use this port are removed."""
        self.close()
        for referral in self.referrals():
            referral.delete()
        for group in self.ana_groups():
            if group.path.name != "1":
                group.delete()
        super().delete()


class Target(Node):
    """The whole target."""

    def __init__(self, root: str | os.PathLike[str] = CONFIGFS) -> None:
        super().__init__(Path(root))
        if not self.path.is_dir():
            hint = "no such directory; load the module nvmet and mount configfs"
            raise FileNotFoundError(errno.ENOENT, hint, str(self.path))

    def hosts(self) -> Iterator[Host]:
        """Yield the known hosts."""
        return self._nodes(Host, "hosts")

    def subsystems(self) -> Iterator[Subsystem]:
        """Yield the subsystems."""
        return self._nodes(Subsystem, "subsystems")

    def ports(self) -> Iterator[Port]:
        """Yield the ports."""
        return self._nodes(Port, "ports")

    def host(self, nqn: str) -> Host:
        """Return the host of an NQN, which need not exist."""
        return Host(self.path / "hosts" / nqn)

    def subsystem(self, nqn: str) -> Subsystem:
        """Return the subsystem of an NQN, which need not exist."""
        return Subsystem(self.path / "subsystems" / nqn)

    def port(self, portid: int | str) -> Port:
        """Return the port of a number, which need not exist."""
        return Port(self.path / "ports" / str(portid))

    def create_host(
        self, nqn: str, dhchap_key: str | None = None, dhchap_ctrl_key: str | None = None
    ) -> Host:
        """Add a host; with a key it must authenticate, with dhchap_ctrl_key the controller, too."""
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

        As in the kernel, only allowed hosts can connect unless any host is allowed.
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
        """Add a port; without traddr it has no address, like loop. param: e.g. mdts=.

        adrfam is by default the family of the IP address traddr; fc requires it.
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
        """Remove everything, including objects of other programs.

        All ports are closed before anything else is removed. The subsystems of a port are withdrawn
        one after the other, and the kernel cannot stop the port from listening before that: hosts
        that connect to a withdrawn subsystem in that moment get a permanent error.
        """
        for port in self.ports():
            port.close()
        for node in (*self.ports(), *self.subsystems(), *self.hosts()):
            node.delete()

    def save(self) -> dict[str, Any]:
        """Return the current configuration, including the keys of DH-HMAC-CHAP."""
        return save_target(self)

    def restore(
        self, config: Mapping[str, Any], *, backup: str | os.PathLike[str] | None = None
    ) -> None:
        """Make the target match config; if that fails, restore the previous configuration.

        Objects that match already are unchanged: hosts that use them notice nothing. New objects
        are created before existing ones are changed, and ports listen once everything that they
        offer is ready, except for the moment described at clear().

        Devices of namespaces that hosts must see must exist, or nothing is changed. Ports whose
        addresses this machine does not have do not stop the restore: Incomplete names them after
        everything else is restored. Attributes that this kernel does not have cause a warning in
        the log, but those of keys and addresses raise OSError.

        A signal that would end the program restores the previous configuration first, in the main
        thread. For signals that cannot be caught, backup is a file that has that configuration
        meanwhile, including keys: restore it. An existing file is kept, since it is left from a
        restore that was killed. The file is removed at the end, and renamed to end in .incomplete
        if ports are missing.
        """
        restore(self, config, backup)

    def apply(
        self, config: Mapping[str, Any], *, backup: str | os.PathLike[str] | None = None
    ) -> tuple[Change, ...]:
        """Make the target match config, as restore() does, and return the changes.

        A second call changes nothing: the result is empty. It contains no keys.
        """
        before = self.save()
        self.restore(config, backup=backup)
        return tuple(changes(before, self.save()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    return run(Target, arguments, str(CONFIGFS), str(SAVED), BACKUP)


if __name__ == "__main__":
    sys.exit(main())
