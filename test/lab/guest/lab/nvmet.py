# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's NVMe target, configured through configfs from one description."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .system import CONFIGFS, load_module, mount_configfs, network_namespace, unload_module

NVMET = CONFIGFS / "nvmet"

DEFAULT_ADDRESS = {"ipv4": "0.0.0.0", "ipv6": "::"}


@dataclass(frozen=True)
class Namespace:
    """A namespace; on a ramdisk of its own unless ``device`` names a block device."""

    nsid: int = 1
    device: str = ""


@dataclass(frozen=True)
class AllowedHost:
    """A host that a subsystem lets in, with its DH-HMAC-CHAP keys if it must authenticate."""

    nqn: str
    dhchap_key: str = ""
    dhchap_ctrl_key: str = ""


@dataclass(frozen=True)
class Subsystem:
    """A subsystem; open to any host unless hosts are named."""

    nqn: str
    namespaces: tuple[Namespace, ...] = (Namespace(),)
    hosts: tuple[AllowedHost, ...] = ()
    serial: str = ""
    model: str = ""


@dataclass(frozen=True)
class Referral:
    """What a port's discovery log says about another target."""

    name: str
    traddr: str
    trsvcid: int = 8009
    trtype: str = "mptcp"
    adrfam: str = "ipv4"
    id: int = 0


@dataclass(frozen=True)
class Port:
    """A port; it offers every subsystem unless some are named."""

    id: int = 1
    trtype: str = "mptcp"
    adrfam: str = "ipv4"
    traddr: str = ""
    trsvcid: int = 4420
    subsystems: tuple[str, ...] | None = None
    referrals: tuple[Referral, ...] = ()


@dataclass(frozen=True)
class Target:
    """All that a target offers. ``ramdisk_mib`` is the size of each namespace's ramdisk."""

    subsystems: tuple[Subsystem, ...]
    ports: tuple[Port, ...] = (Port(),)
    ramdisk_mib: int = 64

    @classmethod
    def simple(cls, *nqns: str, trtype: str = "mptcp", adrfam: str = "ipv4") -> Target:
        """One port on all addresses, and subsystems of one namespace each."""
        return cls(
            subsystems=tuple(Subsystem(nqn) for nqn in nqns),
            ports=(Port(trtype=trtype, adrfam=adrfam),),
        )

    def ramdisks(self) -> int:
        """Returns how many ramdisks the description needs."""
        return sum(not ns.device for sub in self.subsystems for ns in sub.namespaces)


@dataclass
class Nvmet:
    """The target as it stands in the guest."""

    namespace: str | None = "target"
    _ramdisks: tuple[int, int] = field(default=(0, 0), init=False)

    def configure(self, target: Target) -> None:
        """Offers what the description says, and nothing else."""
        self.clear()
        mount_configfs()
        self._make_ramdisks(target.ramdisks(), target.ramdisk_mib)
        devices = (f"/dev/ram{n}" for n in range(target.ramdisks()))
        for host in sorted({h for sub in target.subsystems for h in sub.hosts}, key=str):
            _make_host(host)
        for subsystem in target.subsystems:
            _make_subsystem(subsystem, devices)
        for port in target.ports:
            self.add_port(port, [subsystem.nqn for subsystem in target.subsystems])

    def add_port(self, port: Port, nqns: list[str]) -> None:
        """Adds a port; it listens once it offers its first subsystem."""
        top = _make(NVMET / "ports" / str(port.id))
        _write(top / "addr_trtype", port.trtype)
        if port.trtype != "loop":
            _write(top / "addr_adrfam", port.adrfam)
            _write(top / "addr_traddr", port.traddr or DEFAULT_ADDRESS[port.adrfam])
            _write(top / "addr_trsvcid", str(port.trsvcid))
        for referral in port.referrals:
            _make_referral(top, referral)
        # the socket belongs to the network namespace of whoever enables the port
        with network_namespace(self.namespace):
            for nqn in nqns if port.subsystems is None else port.subsystems:
                (top / "subsystems" / nqn).symlink_to(NVMET / "subsystems" / nqn)

    def remove_port(self, id: int) -> None:
        """Removes a port: its listener and the controllers that came through it go."""
        top = NVMET / "ports" / str(id)
        for link in list((top / "subsystems").iterdir()):
            link.unlink()
        for referral in list((top / "referrals").iterdir()):
            referral.rmdir()
        top.rmdir()

    def clear(self) -> None:
        """Removes everything from the target, whoever configured it, and frees the ramdisks."""
        if NVMET.exists():
            for port in list((NVMET / "ports").iterdir()):
                self.remove_port(int(port.name))
            for subsystem in list((NVMET / "subsystems").iterdir()):
                _remove_subsystem(subsystem)
            for host in list((NVMET / "hosts").iterdir()):
                host.rmdir()
        self._make_ramdisks(0, 0)

    def _make_ramdisks(self, count: int, mib: int) -> None:
        """Has exactly this many ramdisks; unloading brd is what gives their memory back."""
        if self._ramdisks == (0, 0) and not count:
            return
        unload_module("brd")
        if count:
            load_module("brd", f"rd_nr={count} rd_size={mib * 1024}")
        self._ramdisks = (count, mib)


@contextmanager
def _naming(path: Path, value: str) -> Iterator[None]:
    """Names what was written where when the kernel refuses it."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}: '{value}' to {path}") from error


def _write(path: Path, value: str) -> None:
    with _naming(path, value):
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(fd, value.encode())
        finally:
            os.close(fd)


def _make(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


def _make_host(host: AllowedHost) -> None:
    top = _make(NVMET / "hosts" / host.nqn)
    if host.dhchap_key:
        _write(top / "dhchap_key", host.dhchap_key)
    if host.dhchap_ctrl_key:
        _write(top / "dhchap_ctrl_key", host.dhchap_ctrl_key)


def _make_subsystem(subsystem: Subsystem, ramdisks: Iterator[str]) -> None:
    top = _make(NVMET / "subsystems" / subsystem.nqn)
    if subsystem.serial:
        _write(top / "attr_serial", subsystem.serial)
    if subsystem.model:
        _write(top / "attr_model", subsystem.model)
    _write(top / "attr_allow_any_host", "0" if subsystem.hosts else "1")
    for host in subsystem.hosts:
        (top / "allowed_hosts" / host.nqn).symlink_to(NVMET / "hosts" / host.nqn)
    for namespace in subsystem.namespaces:
        place = _make(top / "namespaces" / str(namespace.nsid))
        _write(place / "device_path", namespace.device or next(ramdisks))
        _write(place / "enable", "1")


def _make_referral(port: Path, referral: Referral) -> None:
    top = _make(port / "referrals" / referral.name)
    _write(top / "addr_trtype", referral.trtype)
    _write(top / "addr_adrfam", referral.adrfam)
    _write(top / "addr_traddr", referral.traddr)
    _write(top / "addr_trsvcid", str(referral.trsvcid))
    _write(top / "addr_portid", str(referral.id))
    _write(top / "enable", "1")


def _remove_subsystem(top: Path) -> None:
    for namespace in list((top / "namespaces").iterdir()):
        _write(namespace / "enable", "0")
        namespace.rmdir()
    for host in list((top / "allowed_hosts").iterdir()):
        host.unlink()
    top.rmdir()
