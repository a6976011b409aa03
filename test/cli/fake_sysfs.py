# SPDX-License-Identifier: LGPL-2.1-or-later
"""A machine for the nvme command: /sys below a directory, and the files of the fake kernel.

The layout follows Linux 6.12: class directories hold links into devices/, a subsystem links to its
controllers, namespace heads live below the subsystem and paths below their controller.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

HOSTNQN = "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555"
HOSTID = "11111111-2222-3333-4444-555555555555"
DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery"

# As Linux 6.12 lists them, built with TLS and authentication.
FABRICS_OPTIONS = (
    "instance=%d,cntlid=%d,transport=%s,traddr=%s,trsvcid=%s,nqn=%s,queue_size=%d,nr_io_queues=%d,"
    "reconnect_delay=%d,ctrl_loss_tmo=%d,keep_alive_tmo=%d,hostnqn=%s,host_traddr=%s,host_iface=%s,"
    "hostid=%s,duplicate_connect,disable_sqflow,hdr_digest,data_digest,nr_write_queues=%d,"
    "nr_poll_queues=%d,tos=%d,keyring=%d,tls_key=%d,fast_io_fail_tmo=%d,discovery,"
    "dhchap_secret=%s,dhchap_ctrl_secret=%s,tls\n"
)

#: A root whose /sys has no controllers, as where no module of NVMe is loaded.
NO_CONTROLLERS = str(Path(__file__).resolve().parents[1] / "data/no-controllers")

SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"


def write_attributes(directory: Path, attributes: dict[str, object]) -> None:
    """Write one file per attribute; None leaves it out."""
    for name, value in attributes.items():
        if value is None:
            continue
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")


def uevent(name: str, transport: str, address: str) -> str:
    """Return what a controller over fabrics was connected with, as its attribute uevent has it."""
    parts = dict(part.split("=", 1) for part in address.split(",") if "=" in part)
    lines = [f"DEVNAME={name}", f"NVME_TRTYPE={transport}"]
    lines.append(f"NVME_TRADDR={parts.get('traddr', '(null)')}")
    for key in ("trsvcid", "host_traddr", "host_iface"):
        lines.append(f"NVME_{key.upper()}={parts.get(key, 'none')}")
    return "\n".join(lines)


@dataclass
class Controller:
    """nvmeN."""

    name: str
    directory: Path
    subsystem: Subsystem


@dataclass
class Subsystem:
    """nvme-subsysN."""

    host: FakeHost
    name: str
    nqn: str
    directory: Path
    controllers: list[Controller] = field(default_factory=list)

    def controller(
        self,
        instance: int,
        transport: str = "tcp",
        address: str | None = "traddr=10.1.1.1,trsvcid=4420,src_addr=10.1.1.2",
        *,
        connected: bool = True,
        **attributes: object,
    ) -> Controller:
        """Add nvme<instance>; one that is not connected appears when it is answered."""
        name = f"nvme{instance}"
        kind = "nvme-fabrics/ctl" if transport != "pcie" else "pci"
        directory = self.host.sys / f"devices/virtual/{kind}/{name}"
        directory.mkdir(parents=True)
        values: dict[str, object] = {
            "transport": transport,
            "address": address,
            "state": "live",
            "cntlid": instance + 1,
            "cntrltype": "discovery" if self.nqn == DISCOVERY_NQN else "io",
            "dctype": "none",
            "subsysnqn": self.nqn,
            "hostnqn": HOSTNQN if transport != "pcie" else None,
            "hostid": HOSTID if transport != "pcie" else None,
            "model": "Linux",
            "serial": "8b3f6c1b9a2d4e5f0011",
            "firmware_rev": "6.12.48",
            "numa_node": -1,
            "queue_count": 5,
            "sqsize": 127,
        }
        values |= attributes
        if values["hostnqn"] and values["address"]:
            values["uevent"] = uevent(name, transport, str(values["address"]))
        write_attributes(directory, values)
        (directory / "delete_controller").write_text("")
        (directory / "reset_controller").write_text("")
        self.host.numbered("char", directory, 240, instance)
        (directory / "subsystem").symlink_to(self.host.sys / "class/nvme")
        controller = Controller(name, directory, self)
        self.controllers.append(controller)
        (self.host.fake / name).mkdir(exist_ok=True)
        if connected:
            for target, link in self.links(controller):
                os.symlink(target, link)
        return controller

    def links(self, controller: Controller) -> list[tuple[str, str]]:
        """What makes a controller visible: target and path of each link."""
        return [
            (str(controller.directory), str(self.host.sys / "class/nvme" / controller.name)),
            (str(controller.directory), str(self.directory / controller.name)),
        ]

    def namespace(self, nsid: int, ana: str = "optimized", **attributes: object) -> str:
        """Add a shared namespace with a path through every controller; returns its name."""
        number = self.name.removeprefix("nvme-subsys")
        name = f"nvme{number}n{nsid}"
        head = self.directory / name
        values: dict[str, object] = {
            "nsid": nsid,
            "size": 131072,
            "queue/logical_block_size": 512,
            "metadata_bytes": 0,
            "nuse": 131072,
            "csi": 0,
            "uuid": f"00000000-0000-0000-0000-{nsid:012d}",
            "nguid": f"00000000-0000-0000-0000-{nsid:012d}",
            "wwid": f"uuid.00000000-0000-0000-0000-{nsid:012d}",
        }
        write_attributes(head, values | attributes)
        (self.host.sys / "block" / name).symlink_to(head)
        self.host.block_device(head)
        for controller in self.controllers:
            path = controller.name.removeprefix("nvme")
            path_dir = controller.directory / f"nvme{number}c{path}n{nsid}"
            write_attributes(
                path_dir,
                {"ana_state": ana, "ana_grpid": 1, "nsid": nsid, "size": 131072}
                | {"queue/logical_block_size": 512, "numa_nodes": "0", "queue_depth": 0},
            )
        return name


class FakeHost:
    """One machine below @root, with a kernel that answers as told."""

    def __init__(self, root: Path, *, modules: bool = True) -> None:
        self.root = root
        self.sys = root / "sysfs/sys"
        self.fake = root / "fake"
        self.fake.mkdir(parents=True)
        (self.fake / "root/etc/nvme").mkdir(parents=True)
        (self.fake / "root/run/nvme").mkdir(parents=True)
        self.sys.mkdir(parents=True)
        self.answers = 0
        if modules:
            for name in ("class/nvme", "class/nvme-subsystem", "class/net", "block"):
                (self.sys / name).mkdir(parents=True)
            (self.fake / "fabrics-options").write_text(FABRICS_OPTIONS)
        for name in ("class/block", "dev/block", "dev/char"):
            (self.sys / name).mkdir(parents=True, exist_ok=True)
        (self.fake / "root/proc/self").mkdir(parents=True)
        self.mountinfo.write_text("")
        self.swaps.write_text(SWAPS)
        self.etc = self.fake / "root/etc/nvme"
        self.run = self.fake / "root/run/nvme"
        (self.etc / "hostnqn").write_text(HOSTNQN + "\n")
        (self.etc / "hostid").write_text(HOSTID + "\n")

    @property
    def mountinfo(self) -> Path:
        """What is mounted, as /proc/self/mountinfo has it."""
        return self.fake / "root/proc/self/mountinfo"

    @property
    def swaps(self) -> Path:
        """Where swap is, as /proc/swaps has it."""
        return self.fake / "root/proc/swaps"

    def numbered(self, kind: str, directory: Path, major: int, minor: int) -> None:
        """Give a device its number, by which /sys/dev finds it."""
        number = f"{major}:{minor}"
        (directory / "dev").write_text(f"{number}\n")
        (self.sys / "dev" / kind / number).symlink_to(directory)

    def block_device(self, directory: Path, *holders: str) -> None:
        """Make a directory of /sys a block device, with what is built on it."""
        (directory / "holders").mkdir(parents=True)
        for holder in holders:
            (directory / "holders" / holder).mkdir()
        (self.sys / "class/block" / directory.name).symlink_to(directory)
        self.numbered("block", directory, 259, len(list((self.sys / "dev/block").iterdir())))

    def generic(self, name: str) -> None:
        """Add the character device of a namespace, as in ng0n1."""
        directory = self.sys / "devices/virtual/nvme-generic" / name
        directory.mkdir(parents=True)
        links = self.sys / "class/nvme-generic"
        links.mkdir(exist_ok=True)
        (links / name).symlink_to(directory)
        self.numbered("char", directory, 242, len(list(links.iterdir())))
        (self.fake / name).mkdir()

    def partition(self, name: str, number: int, *holders: str) -> str:
        """Add a partition of a block device; returns its name."""
        directory = (self.sys / "class/block" / name).resolve() / f"{name}p{number}"
        self.block_device(directory, *holders)
        (directory / "partition").write_text(f"{number}\n")
        (self.fake / directory.name).mkdir()
        return directory.name

    def subsystem(self, instance: int, nqn: str, **attributes: object) -> Subsystem:
        """Add nvme-subsys<instance>."""
        name = f"nvme-subsys{instance}"
        directory = self.sys / "devices/virtual/nvme-subsystem" / name
        directory.mkdir(parents=True)
        values: dict[str, object] = {
            "subsysnqn": nqn,
            "model": "Linux",
            "serial": "8b3f6c1b9a2d4e5f0011",
            "firmware_rev": "6.12.48",
            "subsystype": "discovery" if nqn == DISCOVERY_NQN else "nvm",
            "iopolicy": "numa",
        }
        write_attributes(directory, values | attributes)
        (self.sys / "class/nvme-subsystem" / name).symlink_to(directory)
        return Subsystem(self, name, nqn, directory)

    def disk(
        self,
        instance: int = 0,
        transport: str = "mptcp",
        address: str = "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2",
        **attributes: object,
    ) -> Controller:
        """Add the one controller of a subsystem, of two queues unless told otherwise."""
        subsystem = self.subsystem(instance, f"nqn.2026-01.org.example:disk{instance}")
        return subsystem.controller(instance, transport, address, **{"queue_count": 2} | attributes)

    def target_port(
        self, number: int | str = 1, trtype: str = "mptcp", traddr: str = "0.0.0.0", *names: str,
        trsvcid: object = 4420,
    ) -> Path:  # fmt: skip
        """Make a port of nvmet, with subsystems of these names."""
        port = self.sys / f"kernel/config/nvmet/ports/{number}"
        for name in ("", *names):
            (port / "subsystems" / name).mkdir(parents=True, exist_ok=True)
        attributes = {"trtype": trtype, "traddr": traddr, "trsvcid": trsvcid}
        write_attributes(port, {f"addr_{name}": value for name, value in attributes.items()})
        return port

    def answer(self, *lines: str) -> None:
        """Script what the next connect causes."""
        self.answers += 1
        (self.fake / f"answer.{self.answers}").write_text("\n".join(lines) + "\n")

    def answer_connected(self, controller: Controller) -> None:
        """The next connect brings up a controller that was made with connected=False."""
        links = [f"symlink {t} {p}" for t, p in controller.subsystem.links(controller)]
        instance = controller.name.removeprefix("nvme")
        self.answer(*links, f"reply instance={instance},cntlid=1")

    def answer_new(self, nqn: str, *traddrs: str, transport: str = "mptcp", first: int = 0) -> None:
        """The next connects bring up controllers of a new subsystem at these addresses."""
        subsystem = self.subsystem(first, nqn)
        for i, traddr in enumerate(traddrs, first):
            address = f"traddr={traddr},trsvcid=4420"
            self.answer_connected(subsystem.controller(i, transport, address, connected=False))

    def answer_error(self, number: int, *kernel_log: str, times: int = 1) -> None:
        """The next connects fail with an errno and lines in the kernel log."""
        assert number in errno.errorcode
        for _ in range(times):
            self.answer(*(f"kmsg {line}" for line in kernel_log), f"errno {number}")

    def command(
        self, device: str, kind: str, opcode: int, low: int, data: bytes = b"", **more: int
    ) -> None:
        """What a command of a device returns: data, and status=, result= or errno=."""
        (self.fake / device).mkdir(exist_ok=True)
        suffix = f"@{more.pop('nth')}" if "nth" in more else ""
        path = self.fake / device / f"{kind}-{opcode:02x}-{low:02x}{suffix}"
        path.write_bytes(data)
        for name, value in more.items():
            Path(f"{path}.{name}").write_text(str(value))

    @property
    def written(self) -> list[str]:
        """What reached the kernel."""
        path = self.fake / "written"
        return path.read_text(errors="surrogateescape").splitlines() if path.exists() else []

    @property
    def connects(self) -> list[str]:
        """The lines written to /dev/nvme-fabrics."""
        return [
            line.removeprefix("connect ") for line in self.written if line.startswith("connect ")
        ]

    def sent(self, option: str) -> list[str | None]:
        """What each connect has for an option."""
        options = [dict(word.partition("=")[::2] for word in c.split(",")) for c in self.connects]
        return [words.get(option) for words in options]

    def configure(self, document: object) -> Path:
        """Write /etc/nvme/config.json, as text or from a document."""
        path = self.etc / "config.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    @property
    def deleted(self) -> list[str]:
        """The controllers that were deleted."""
        return [line.removeprefix("delete ") for line in self.written if line.startswith("delete ")]
