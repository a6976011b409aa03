# SPDX-License-Identifier: GPL-2.0-or-later
"""Configure the kernel's NVMe target from a description, through libnvme.nvmet, with ramdisks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from libnvme import nvmet

from .system import CONFIGFS, load_module, mount_configfs, network_namespace, unload_module

NVMET = CONFIGFS / "nvmet"

DEFAULT_ADDRESS = {"ipv4": "0.0.0.0", "ipv6": "::"}


@dataclass(frozen=True)
class Namespace:
    """A namespace, on its own ramdisk unless ``device`` names a block device."""

    nsid: int = 1
    device: str = ""


@dataclass(frozen=True)
class AllowedHost:
    """A host that may use a subsystem, with its DH-HMAC-CHAP keys if it must authenticate."""

    nqn: str
    dhchap_key: str = ""
    dhchap_ctrl_key: str = ""
    dhchap_dhgroup: str = ""


@dataclass(frozen=True)
class Subsystem:
    """A subsystem, open to any host unless hosts are listed."""

    nqn: str
    namespaces: tuple[Namespace, ...] = (Namespace(),)
    hosts: tuple[AllowedHost, ...] = ()
    serial: str = ""
    model: str = ""


@dataclass(frozen=True)
class Referral:
    """An entry of a port's discovery log about another target."""

    name: str
    traddr: str
    trsvcid: int = 8009
    trtype: str = "mptcp"
    adrfam: str = "ipv4"
    id: int = 0


@dataclass(frozen=True)
class Port:
    """A port, which offers all subsystems unless some are listed.

    ``tls`` is "required" or "not required" for a port with TLS. ``inline`` is the maximum size in
    bytes of in-capsule write data; 0 is the kernel's default.
    """

    id: int = 1
    trtype: str = "mptcp"
    adrfam: str = "ipv4"
    traddr: str = ""
    trsvcid: int = 4420
    subsystems: tuple[str, ...] | None = None
    referrals: tuple[Referral, ...] = ()
    tls: str = ""
    inline: int = 0


@dataclass(frozen=True)
class Target:
    """Configuration of a target. ``ramdisk_mib`` is the size of each namespace's ramdisk."""

    subsystems: tuple[Subsystem, ...]
    ports: tuple[Port, ...] = (Port(),)
    ramdisk_mib: int = 64

    @classmethod
    def simple(cls, *nqns: str, trtype: str = "mptcp", adrfam: str = "ipv4") -> Target:
        """Return a target with one port on all addresses, and one namespace per subsystem."""
        return cls(
            subsystems=tuple(Subsystem(nqn) for nqn in nqns),
            ports=(Port(trtype=trtype, adrfam=adrfam),),
        )

    def ramdisks(self) -> int:
        """Return the number of ramdisks that the description needs."""
        return sum(not ns.device for sub in self.subsystems for ns in sub.namespaces)


@dataclass
class Nvmet:
    """The target of the guest."""

    namespace: str | None = "target"
    _ramdisks: tuple[int, int] = field(default=(0, 0), init=False)

    def configure(self, target: Target) -> None:
        """Configure exactly what the description contains."""
        self.clear()
        mount_configfs()
        self._make_ramdisks(target.ramdisks(), target.ramdisk_mib)
        devices = (f"/dev/ram{n}" for n in range(target.ramdisks()))
        top = nvmet.Target(NVMET)
        hosts = {}
        for host in sorted({h for sub in target.subsystems for h in sub.hosts}, key=str):
            hosts[host.nqn] = top.create_host(host.nqn, host.dhchap_key, host.dhchap_ctrl_key)
            if host.dhchap_dhgroup:
                hosts[host.nqn].set("dhchap_dhgroup", host.dhchap_dhgroup)
        for subsystem in target.subsystems:
            _make_subsystem(top, subsystem, hosts, devices)
        for port in target.ports:
            self.add_port(port, [subsystem.nqn for subsystem in target.subsystems])

    def add_port(self, port: Port, nqns: list[str]) -> None:
        """Add a port; it listens as soon as it offers a subsystem."""
        top = nvmet.Target(NVMET)
        loop = port.trtype == "loop"
        made = top.create_port(
            port.id,
            trtype=port.trtype,
            adrfam=port.adrfam,
            traddr="" if loop else port.traddr or DEFAULT_ADDRESS[port.adrfam],
            trsvcid=port.trsvcid,
            **({"inline_data_size": port.inline} if port.inline else {}),
        )
        if port.tls:
            made.set("addr_tsas", "tls1.3")
            made.set("addr_treq", port.tls)
        for referral in port.referrals:
            made.create_referral(
                referral.name,
                trtype=referral.trtype,
                adrfam=referral.adrfam,
                traddr=referral.traddr,
                trsvcid=referral.trsvcid,
                portid=referral.id,
            )
        # the socket is in the network namespace of the thread that enables the port
        with network_namespace(self.namespace):
            offered = nqns if port.subsystems is None else port.subsystems
            made.add(*(nvmet.Subsystem(NVMET / "subsystems" / nqn) for nqn in offered))

    def remove_port(self, id: int) -> None:
        """Remove a port, with its listener and the controllers connected through it."""
        nvmet.Port(NVMET / "ports" / str(id)).delete()

    def clear(self) -> None:
        """Remove everything from the target, regardless of its origin, and free the ramdisks."""
        if NVMET.exists():
            nvmet.Target(NVMET).clear()
        self._make_ramdisks(0, 0)

    def _make_ramdisks(self, count: int, mib: int) -> None:
        """Create exactly this many ramdisks; only unloading brd frees their memory."""
        if self._ramdisks == (0, 0) and not count:
            return
        unload_module("brd")
        if count:
            load_module("brd", f"rd_nr={count} rd_size={mib * 1024}")
        self._ramdisks = (count, mib)


def _make_subsystem(
    top: nvmet.Target, subsystem: Subsystem, hosts: dict[str, nvmet.Host], ramdisks: Iterator[str]
) -> None:
    attributes = {"serial": subsystem.serial, "model": subsystem.model}
    made = top.create_subsystem(
        subsystem.nqn,
        allow_any_host=not subsystem.hosts,
        **{name: value for name, value in attributes.items() if value},
    )
    for host in subsystem.hosts:
        made.allow(hosts[host.nqn])
    for namespace in subsystem.namespaces:
        made.create_namespace(namespace.device or next(ramdisks), namespace.nsid)
