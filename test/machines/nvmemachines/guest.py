# SPDX-License-Identifier: GPL-2.0-or-later
"""One machine: a copy of the system disk, its cards, and QEMU, from power-on to power-off.

QEMU gets the kernel and initramfs that the disk's /vmlinuz points to, as a boot loader would load
them, so that the next boot runs an upgraded kernel. When the guest reboots, QEMU ends and is
started again.
"""

import json
import re
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nvmelab import machine
from nvmetools import ToolError, debian
from nvmetools.fresh import Release
from nvmetools.process import die_with_parent

from .console import Console

DISK_SIZE = 256 << 20

#: First PCI slot; the guest names the cards after their slots.
FIRST_SLOT = 0x10

INTERFACE = """\
auto {name}
iface {name} inet static
    address {address}/24
"""

#: An additional card for ssh: in a slot after those of the links, connected to QEMU's user network.
SSH_SLOT = FIRST_SLOT + 15
SSH_INTERFACE = f"ens{SSH_SLOT}"
SSH_ADDRESS = "10.0.2.15"

QMP_SECONDS = 10.0

#: Maximum time to save a stopped machine to a file, or to load it.
SAVE_SECONDS = 600.0

COMMAND_LINE = ("root=LABEL=root", "ro", "console=ttyS0", "no_timer_check", "mitigations=off")

#: For emulation: longer timeouts of systemd and udev, and no patching of the kernel for one CPU,
#: which takes too long.
COMMAND_LINE_TCG = (
    "noreplace-smp", "systemd.default_timeout_start_sec=900",
    "systemd.default_device_timeout_sec=900", "udev.event_timeout=900",
)  # fmt: skip


@dataclass(frozen=True)
class Side:
    """The role of a machine. Link i has the network 10.1.i.0/24; ``number`` is the host part."""

    name: str
    number: int
    disk: bool = False

    def address(self, link: int) -> str:
        """Return its address on a link; links are counted from 1."""
        return f"10.1.{link}.{self.number}"


TARGET = Side("target", 1, disk=True)
HOST = Side("host", 2)


def interface(link: int) -> str:
    """Return the guest's name of its card on a link."""
    return f"ens{FIRST_SLOT + link}"


def free_port() -> int:
    """Return an unused loopback port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass(frozen=True)
class Supply:
    """Settings shared by all machines of a run."""

    directory: Path
    sockets: Path
    release: Release
    system: Path
    disks: Sequence[Path]
    accelerator: str
    links: int
    memory: int = 1024
    cpus: int = 2
    ssh: bool = False


class Guest:
    """A machine, initially off."""

    def __init__(self, supply: Supply, side: Side) -> None:
        self.supply = supply
        self.side = side
        self.process: subprocess.Popen[bytes] | None = None
        self.console: Console | None = None
        self.prompted = 0.0
        self.boots = 0
        #: Port for ssh on the loopback of the machine that runs QEMU; 0: no ssh.
        self.ssh_port = free_port() if supply.ssh else 0
        self.disk = supply.directory / f"{side.name}.ext4"

    def unpack(self) -> None:
        """Copy the system disk, and write the machine's own files into the copy."""
        command = ["cp", "--sparse=always", "--reflink=auto", str(self.supply.system)]
        debian.run([*command, self.disk], f"copying the disk of {self.side.name}")
        cards = "".join(
            INTERFACE.format(name=interface(link), address=self.side.address(link))
            for link in range(1, self.supply.links + 1)
        )
        self._put("etc/hostname", f"{self.side.name}\n")
        self._put("etc/network/interfaces.d/links", cards)
        if self.side.disk:
            with open(self._extra_disk, "wb") as file:
                file.truncate(DISK_SIZE)

    @property
    def console_log(self) -> Path:
        """Return the file with the messages of kernel and systemd in this boot."""
        return self.supply.directory / f"{self.side.name}-{self.boots}.console.log"

    @property
    def _extra_disk(self) -> Path:
        return self.supply.directory / f"{self.side.name}-data.img"

    def _debugfs(self, request: str, write: bool = False) -> str:
        """Read or change the disk while the machine is off."""
        tool = shutil.which("debugfs", path="/usr/sbin:/sbin:/usr/bin") or "debugfs"
        return debian.run([tool, *(["-w"] if write else []), "-R", request, self.disk], "debugfs")

    def _put(self, name: str, text: str) -> None:
        source = self.supply.sockets / "file"
        source.write_text(text)
        self._debugfs(f"rm {name}", write=True)
        self._debugfs(f"write {source} {name}", write=True)
        if self._debugfs(f"cat {name}").find(text.strip()) < 0:
            raise ToolError(f"{self.disk}: {name} could not be written")

    def _boot_files(self) -> tuple[Path, Path]:
        """Copy the kernel that /vmlinuz points to, and its initramfs; return the copies."""
        found = re.search(r'(?i)link dest: "(\S+?)vmlinuz-([^"]+)"', self._debugfs("stat /vmlinuz"))
        if not found:
            raise ToolError(f"{self.disk}: /vmlinuz leads to no kernel")
        for name, copy in zip(("vmlinuz", "initrd.img"), self._boot_copies, strict=True):
            self._debugfs(f"dump {found[1]}{name}-{found[2]} {copy}")
        return self._boot_copies

    @property
    def _boot_copies(self) -> tuple[Path, Path]:
        name = self.supply.directory / self.side.name
        return Path(f"{name}-vmlinuz"), Path(f"{name}-initrd.img")

    # Power

    def start(self, state: Path | None = None) -> None:
        """Switch it on. QEMU ends when the thread that started it ends.

        With ``state``, load the machine that was saved there; it is stopped.
        """
        if self.console:
            self.console.line.close()
        self.boots += 1
        log = f"{self.side.name}-{self.boots}"
        kernel, initrd = self._boot_files() if not state else self._boot_copies
        for name in ("shell", "monitor"):
            (self.supply.sockets / f"{self.side.name}-{name}").unlink(missing_ok=True)
        self.process = subprocess.Popen(
            self.command(kernel, initrd, log) + (["-incoming", "defer"] if state else []),
            cwd=self.supply.sockets,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=open(self.supply.directory / f"{log}.qemu", "wb"),  # noqa: SIM115
            preexec_fn=die_with_parent,
        )
        self.console = Console(self.side.name, self._connect("shell"), self.ended)
        if state:
            self.ask("migrate-incoming", uri=f"exec:cat {shlex.quote(str(state))}")
            self._wait_while("inmigrate", "query-status")

    def command(self, kernel: Path, initrd: Path, log: str) -> list[str]:
        """Return QEMU's command line; socket names are relative to its working directory."""
        supply, name = self.supply, self.side.name
        hardware = machine.Hardware(supply.accelerator, supply.memory, supply.cpus)
        directory = machine.escape(supply.directory)
        words = COMMAND_LINE if supply.accelerator == "kvm" else COMMAND_LINE + COMMAND_LINE_TCG
        command = [
            machine.QEMU, *hardware.arguments(), "-name", name,
            "-uuid", f"00000000-0000-4000-8000-00000000000{self.side.number}",
            "-kernel", str(kernel), "-initrd", str(initrd),
            "-append", " ".join(words),
            "-chardev", f"file,id=console,path={directory}/{log}.console.log",
            "-serial", "chardev:console",
            "-chardev", f"socket,id=shell,path={name}-shell,server=on,wait=off,"
            f"logfile={directory}/{log}.shell.log",
            "-serial", "chardev:shell",
            "-qmp", f"unix:{name}-monitor,server=on,wait=off",
            "-device", "virtio-rng-pci",
        ]  # fmt: skip
        disks = [(self.disk, False), *((disk, True) for disk in supply.disks)]
        if self.side.disk:
            disks.insert(1, (self._extra_disk, False))
        for disk, reads in disks:
            access = "readonly=on" if reads else "cache=unsafe"
            command += ["-drive", f"file={machine.escape(disk)},format=raw,if=virtio,{access}"]
        for link in range(1, supply.links + 1):
            command += self._card(link)
        return command + (self._ssh_card() if supply.ssh else [])

    def _ssh_card(self) -> list[str]:
        """Return the arguments of a card on an isolated network, with a port forwarded to sshd."""
        forward = f"hostfwd=tcp:127.0.0.1:{self.ssh_port}-{SSH_ADDRESS}:22"
        return [
            "-netdev", f"user,id=ssh,restrict=on,{forward}",
            "-device", f"virtio-net-pci,id=ssh,netdev=ssh,addr={SSH_SLOT:#x}",
        ]  # fmt: skip

    def _card(self, link: int) -> list[str]:
        """Return the arguments of a card and its cable: each machine has a socket for it."""
        own, other = self.side.name, (HOST if self.side == TARGET else TARGET).name
        return [
            "-netdev", f"dgram,id=cable{link},local.type=unix,local.path={own}-{link},"
            f"remote.type=unix,remote.path={other}-{link}",
            "-device", f"virtio-net-pci,id=card{link},netdev=cable{link},"
            f"addr={FIRST_SLOT + link:#x},mac=52:54:00:00:{link:02x}:{self.side.number:02x}",
        ]  # fmt: skip

    def _connect(self, name: str) -> socket.socket:
        path = self.supply.sockets / f"{self.side.name}-{name}"
        deadline = time.monotonic() + QMP_SECONDS
        while True:
            line = socket.socket(socket.AF_UNIX)
            try:
                line.connect(str(path))
            except OSError:
                line.close()
                if self.ended() or time.monotonic() > deadline:
                    log = self.supply.directory / f"{self.side.name}-{self.boots}.qemu"
                    raise ToolError(
                        f"{self.side.name}: {machine.QEMU}: {log.read_text()}"
                    ) from None
                time.sleep(0.1)
            else:
                return line

    def ended(self) -> bool:
        """Return whether the machine is off."""
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """Kill QEMU, like a power failure."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    # While it is on

    def log_in(self, timeout: float) -> None:
        """Wait for the login prompt, record the time, and log in."""
        assert self.console
        self.console.wait_for(r"(?=login: )", timeout, "the login prompt")
        self.prompted = time.monotonic()
        self.console.log_in(timeout)

    def run(self, command: str, timeout: float = 120, status: int | None = 0) -> str:
        """Run a shell command in the machine and return its output."""
        assert self.console
        return self.console.run(command, timeout, status)

    def type(self, command: str) -> None:
        """Type a command without waiting for it."""
        assert self.console
        self.console.send(f"{command}\n")

    def set_cable(self, link: int, there: bool) -> None:
        """Pull the cable out of its card, or plug it in."""
        self.ask("set_link", name=f"card{link}", up=there)

    def ask(self, execute: str, **arguments: object) -> Any:
        """Execute a command of QEMU's monitor and return the answer."""
        answer: dict[str, Any] = {}
        with self._connect("monitor") as line, line.makefile("rw") as monitor:
            json.loads(monitor.readline())
            for request in (
                {"execute": "qmp_capabilities"},
                {"execute": execute, "arguments": arguments},
            ):
                monitor.write(json.dumps(request) + "\n")
                monitor.flush()
                answer = json.loads(monitor.readline())
                while "event" in answer:
                    answer = json.loads(monitor.readline())
                if "error" in answer:
                    raise ToolError(f"{self.side.name}: {request}: {answer['error']}")
        return answer["return"]

    # Save and restore, for --continue

    def _disks(self) -> list[Path]:
        return [self.disk, *([self._extra_disk] if self.side.disk else [])]

    def save(self, into: Path) -> None:
        """Save its memory and disks to a directory; it is stopped meanwhile, and then continues."""
        state = into / f"{self.side.name}.state"
        self.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 32})
        self.ask("migrate", uri=f"exec:cat >{shlex.quote(str(state))}")
        ended = self._wait_while("setup active", "query-migrate")
        if ended != "completed":
            raise ToolError(f"{state}: {ended}")
        self._copy(self.disk.parent, into)

    def restore(self, saved: Path) -> None:
        """Restore it from a directory; it is stopped."""
        self._copy(saved, self.disk.parent)
        self.start(saved / f"{self.side.name}.state")

    def _copy(self, source: Path, target: Path) -> None:
        for disk in self._disks():
            command = ["cp", "--sparse=always", "--reflink=auto", str(source / disk.name)]
            debian.run([*command, target], f"copying the disk of {self.side.name}")

    def _wait_while(self, states: str, query: str) -> str:
        deadline = time.monotonic() + SAVE_SECONDS
        while (state := str(self.ask(query)["status"])) in states.split():
            if time.monotonic() > deadline:
                raise ToolError(f"{self.side.name}: {state} for {SAVE_SECONDS:.0f} s")
            time.sleep(0.2)
        return state
