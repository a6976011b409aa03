# SPDX-License-Identifier: GPL-2.0-or-later
"""Access the NVMe devices that QEMU emulates in the guest, see nvmelab.pci."""

import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nvmelab.original import Original
from nvmelab.pci import SUBSYSTEMS
from nvmelab.waiting import wait_until

from .bench import prepare_guest
from .host import CONTROLLERS, Host
from .network import Network, Topology

#: Format of the NQNs of QEMU's subsystems.
NQN = "nqn.2019-08.org.qemu:{}"

#: Debian's nvme 2.16: the share, and a copy to run, since 9p is slow to read at each start.
SHARED = Path("/opt/original")
COPY = Path("/tmp/original")


@dataclass(frozen=True)
class Ended:
    """Exit status and output of a program."""

    status: int
    out: bytes
    err: str


def _copied(shared: Original) -> Original:
    """Copy a program with the libraries that its loader lists."""
    copy = Original(COPY)
    listing = subprocess.run(
        [str(shared.loader), "--library-path", str(shared.libraries), "--list", str(shared.nvme)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    libraries = [Path(word) for word in listing.split() if word.startswith(str(shared.libraries))]
    for file in (shared.nvme, shared.loader, *libraries):
        target = COPY / file.relative_to(shared.top)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return copy


#: linux/blkzoned.h: conditions of zones, and the ioctls that report and reset zones.
EMPTY, IMPLICITLY_OPEN, EXPLICITLY_OPEN, CLOSED, FULL = 1, 2, 3, 4, 14
BLKREPORTZONE, BLKRESETZONE = 0xC0101282, 0x40101283
REPORT, ZONE = struct.Struct("<QII"), struct.Struct("<QQQBBBB4xQ24x")


@dataclass(frozen=True)
class Zone:
    """A zone as reported by the kernel, in blocks of 512 bytes."""

    start: int
    write_pointer: int
    condition: int


def zones(device: str) -> list[Zone]:
    """Return all zones, as reported by the kernel."""
    most = 64
    buffer = bytearray(REPORT.pack(0, most, 0) + bytes(ZONE.size * most))
    with open(device, "rb", buffering=0) as disk:
        fcntl.ioctl(disk, BLKREPORTZONE, buffer)
    _, count, _ = REPORT.unpack_from(buffer)
    found = (ZONE.unpack_from(buffer, REPORT.size + i * ZONE.size) for i in range(count))
    return [Zone(start, pointer, condition) for start, _, pointer, _, condition, *_ in found]


def reset_zones(device: str, blocks: int) -> None:
    """Reset all zones through the kernel."""
    with open(device, "r+b", buffering=0) as disk:
        fcntl.ioctl(disk, BLKRESETZONE, struct.pack("<QQ", 0, blocks))


#: linux/nvme_ioctl.h: NVME_IOCTL_ADMIN_CMD and struct nvme_passthru_cmd.
NVME_IOCTL_ADMIN_CMD = 0xC0484E41
COMMAND = struct.Struct("<BBHI8xQQII6III")
IDENTIFY, CNS_CONTROLLER = 0x06, 1
#: Offset of CTRATT in Identify Controller, and its bit for Flexible Data Placement.
CTRATT, FDPS = 96, 1 << 19


def identify_controller(device: str) -> bytes:
    """Return the data of Identify Controller, from an ioctl of this process."""
    answer = ctypes.create_string_buffer(4096)
    address = ctypes.addressof(answer)
    words = (CNS_CONTROLLER, 0, 0, 0, 0, 0)
    command = COMMAND.pack(IDENTIFY, 0, 0, 0, 0, address, 0, len(answer), *words, 0, 0)
    with open(device, "rb", buffering=0) as file:
        fcntl.ioctl(file, NVME_IOCTL_ADMIN_CMD, bytearray(command))
    return answer.raw


class Pci:
    """The devices, the project's nvme as run by ``host``, and Debian 13's nvme."""

    def __init__(self) -> None:
        prepare_guest()
        self.host = Host(Network(Topology.one_per_link(0)))
        self.wait()

    def wait(self) -> None:
        """Wait until all controllers and their namespaces exist."""
        for subsystem in SUBSYSTEMS:
            for number in range(subsystem.controllers):
                self.controller(subsystem.name, number)
            for namespace in subsystem.namespaces:
                if namespace.options.get("detached") != "on":
                    self.namespace(subsystem.name, namespace.nsid)

    def controller(self, subsystem: str, number: int = 0) -> str:
        """Return the device of a subsystem's controller, after waiting until it is live."""

        def find() -> str | None:
            for path in CONTROLLERS.iterdir():
                attributes = [
                    (path / name).read_text().strip() for name in ("subsysnqn", "cntlid", "state")
                ]
                if attributes == [NQN.format(subsystem), str(number), "live"]:
                    return f"/dev/{path.name}"
            return None

        return wait_until(find, f"controller {number} of {subsystem}", 30)

    def namespace(self, subsystem: str, nsid: int = 1) -> str:
        """Return the block device of a namespace, after waiting until it exists."""
        return str(self.host.disk(NQN.format(subsystem), nsid))

    @cached_property
    def has_placement(self) -> bool:
        """Return whether QEMU has data placement, according to the controller."""
        answer = identify_controller(self.controller("placement"))
        return bool(int.from_bytes(answer[CTRATT : CTRATT + 4], "little") & FDPS)

    @cached_property
    def _original(self) -> Original:
        return _copied(Original(SHARED))

    def ours(self, *words: str) -> Ended:
        """Run the project's nvme; any exit status is accepted."""
        return _run(["nvme", *words])

    def original(self, *words: str) -> Ended:
        """Run Debian's nvme 2.16; any exit status is accepted."""
        return _run(self._original.command(self._original.nvme, *words))


def _run(command: list[str]) -> Ended:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=90,
                          check=False, env={**os.environ, "LC_ALL": "C"})  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr.decode(errors="backslashreplace"))
