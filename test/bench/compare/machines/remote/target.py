# SPDX-License-Identifier: GPL-2.0-or-later
"""The target's side: a disk of memory, a subsystem and ports of our own, and nothing of others."""

import importlib
import os
import socket
from collections.abc import Mapping, Sequence
from typing import Any

from .journal import Journal
from .place import Refused, at, loaded_modules, run

CONFIGFS = "/sys/kernel/config/nvmet"
DISK = "/dev/ram0"

#: Modules of the target, and those that they bring.
MODULES = ("nvmet", "nvmet-tcp")

#: By these a subsystem is known for what it is.
SERIAL, MODEL = "compare", "compare benchmark"

#: Where port numbers of configfs that we take begin; those below are likely to be somebody's.
FIRST_PORT_ID = 40000

MPTCP = 262
WRITTEN = 1 << 20

#: Any address of a family.
ANY = {"ipv4": "0.0.0.0", "ipv6": "::"}
FAMILY = {"ipv4": socket.AF_INET, "ipv6": socket.AF_INET6}


def nvmet_target() -> Any:
    """The target of libnvme.nvmet, which python3-nvme-mptcp has."""
    return importlib.import_module("libnvme.nvmet").Target(at(CONFIGFS))


class Listeners:
    """Listens on the ports that are to be the target's: nobody has them, and hosts get here."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []

    def open(self, family: str, ports: Sequence[int]) -> list[str]:
        """Returns why ports cannot be had; without reasons it listens for MPTCP on all of them."""
        trouble = []
        for port in ports:
            try:
                listener = socket.socket(FAMILY[family], socket.SOCK_STREAM, MPTCP)
            except OSError as error:
                return [f"no MPTCP socket: {error.strerror} (sysctl -w net.mptcp.enabled=1)"]
            self._sockets.append(listener)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((ANY[family], port))
                listener.listen(64)
            except OSError as error:
                trouble.append(f"port {port}: {error.strerror}")
        if trouble:
            self.close()
        return trouble

    def close(self) -> None:
        sockets, self._sockets = self._sockets, []
        for listener in sockets:
            listener.close()


def offer(
    journal: Journal, nqn: str, host: str, family: str, ports: Mapping[str, int], mib: int
) -> None:
    """Offers one disk of memory to one host, on ports by their transport.

    Refused if the subsystem, the host or a ramdisk is there already. All of it is written once, so
    that reads copy memory as those of a disk do.
    """
    before = loaded_modules()
    if "brd" in before or at("/sys/module/brd").exists():
        raise Refused("the module brd is loaded: its ramdisks are somebody's")
    journal.note("modules", "modules", before=before)
    run(["modprobe", "brd", "rd_nr=1", f"rd_size={mib * 1024}"])
    _fill(mib)
    for module in MODULES:
        run(["modprobe", module])
    target = nvmet_target()
    for kind, name in (("subsystems", nqn), ("hosts", host)):
        if at(f"{CONFIGFS}/{kind}/{name}").exists():
            raise Refused(f"{CONFIGFS}/{kind}/{name} is there already, and not made by this run")
    journal.note("nvmet-host", f"host {host}", nqn=host)
    allowed = target.create_host(host)
    journal.note("nvmet-subsystem", f"subsystem {nqn}", nqn=nqn)
    subsystem = target.create_subsystem(nqn, serial=SERIAL, model=MODEL)
    subsystem.allow(allowed)
    subsystem.create_namespace(at(DISK))
    taken = {port.portid for port in target.ports()}
    for transport, number in ports.items():
        id = next(n for n in range(FIRST_PORT_ID, 1 << 16) if n not in taken)
        taken.add(id)
        text = f"port {id}, {transport} on {number}"
        journal.note("nvmet-port", text, id=id, nqn=nqn, trsvcid=number)
        port = target.create_port(
            id, trtype=transport, traddr=ANY[family], trsvcid=number, adrfam=family
        )
        port.add(subsystem)


def _fill(mib: int) -> None:
    """Writes the whole disk, so that its memory is there."""
    with open(at(DISK), "r+b", buffering=0) as disk:
        for part in range(mib):
            disk.write(bytes(WRITTEN))
            # or the kernel would have all of it twice for a while
            os.fdatasync(disk.fileno())
            os.posix_fadvise(disk.fileno(), part * WRITTEN, WRITTEN, os.POSIX_FADV_DONTNEED)
