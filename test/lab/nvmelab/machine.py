# SPDX-License-Identifier: GPL-2.0-or-later
"""Run QEMU: one boot, one job, and a guaranteed end.

The guest's output is sent over a virtio-serial port, its kernel log over the serial console, and
its exit status and result files over a writable 9p share.
"""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from nvmetools import ToolError
from nvmetools.cache import Cache
from nvmetools.process import die_with_parent, die_with_parent_in_session

from . import pci
from .boot import append_file

QEMU = "qemu-system-x86_64"
PROBE_SECONDS = 5.0
PROBE_ALIVE = b"lab probe: alive"
#: Seconds until QEMU must exit after the job's status is known.
POWER_OFF_SECONDS = 15.0

COMMAND_LINE = (
    "console=ttyS0", "ignore_loglevel", "printk.devkmsg=on", "log_buf_len=4M",
    "panic=-1", "oops=panic", "mitigations=off", "random.trust_cpu=on", "no_timer_check",
    "sysctl.kernel.hung_task_timeout_secs=80", "audit=0",
)  # fmt: skip

#: Without KVM, the guest's init brings up the other CPUs, see guest/init.c.
COMMAND_LINE_TCG = ("maxcpus=1", "noreplace-smp")

#: With icount, idle time is skipped: the guest's clock jumps while it waits for a busy disk of the
#: host. A task that waits for minutes of that clock does not hang.
COMMAND_LINE_ICOUNT = ("sysctl.kernel.hung_task_timeout_secs=0",)


@dataclass(frozen=True)
class Share:
    """A host directory that is shared with the guest."""

    tag: str
    source: Path
    target: str
    writable: bool = False


@dataclass
class Job:
    """Commands that the guest runs one after another until one fails."""

    commands: Sequence[Sequence[str]]
    environment: dict[str, str] = field(default_factory=dict)
    shares: Sequence[Share] = ()
    links: dict[str, str] = field(default_factory=dict)
    directory: str = "/project"
    interactive: bool = False

    def encode(self) -> bytes:
        """Return the job in the format that guest/init.c reads."""
        words = [f"M{s.tag}:{s.target}:{'rw' if s.writable else 'ro'}" for s in self.shares]
        words += [f"L{name}:{target}" for name, target in self.links.items()]
        words.append(f"D{self.directory}")
        if self.interactive:
            words.append("T/dev/hvc0")
        words += [f"E{name}={value}" for name, value in self.environment.items()]
        for command in self.commands:
            words += [f"A{argument}" for argument in command]
            words.append("X")
        if any("\0" in word for word in words):
            raise ToolError("a NUL byte cannot be passed to the guest")
        return "".join(f"{word}\0" for word in words).encode()


#: QEMU's arguments for each accelerator. With icount, the guest's clock counts instructions, 500
#: million per second, and skips idle time, so that the load of the machine has no effect.
ACCELERATORS = {
    "kvm": ("-accel", "kvm"),
    "tcg": ("-accel", "tcg,thread=multi"),
    "icount": ("-accel", "tcg,thread=single", "-icount", "shift=1,sleep=off"),
}


#: CPU of emulated guests. TCG runs rep movsb byte by byte: without erms, copying is 2 to 4 times as
#: fast. fsrm must go as well: 6.1 patches memmove for both, and crashes at once with only one of
#: them. cx16: the flags that QEMU 7.2 leaves after cmpxchg16b may be the operand of an earlier
#: comparison. An interrupt right then saves and restores them, with random trap and direction
#: flags. The kernel's allocator uses cmpxchg16b: three guests of an hour's measurements ended with
#: inexplicable oopses.
EMULATED_CPU = "max,-erms,-fsrm,-cx16"


@dataclass(frozen=True)
class Hardware:
    """Size of the virtual machine, and its accelerator: a key of ACCELERATORS.

    With ``pci`` it has the NVMe devices of the module pci. ``qemu`` is the command if it is not the
    machine's own QEMU.
    """

    accelerator: str
    memory: int = 2048
    cpus: int = 2
    pci: bool = False
    qemu: tuple[str, ...] = ()

    def arguments(self) -> list[str]:
        """Return QEMU's arguments for this hardware."""
        return [
            *ACCELERATORS[self.accelerator],
            "-cpu", "host" if self.accelerator == "kvm" else EMULATED_CPU,
            "-smp", str(self.cpus), "-m", str(self.memory),
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
        ]  # fmt: skip

    def kernel_parameters(self) -> tuple[str, ...]:
        return COMMAND_LINE + {
            "kvm": (), "tcg": COMMAND_LINE_TCG, "icount": COMMAND_LINE_TCG + COMMAND_LINE_ICOUNT,
        }[self.accelerator]  # fmt: skip


@dataclass(frozen=True)
class Disks:
    """The files of a boot."""

    vmlinuz: Path
    initramfs: Path
    root: Path
    modules: Path


def escape(path: Path) -> str:
    """Double the commas, which would end a value in QEMU's options."""
    return str(path).replace(",", ",,")


def qemu_command(
    hardware: Hardware, disks: Disks, initramfs: Path, job: Job, console: Path
) -> list[str]:
    """Return the command line of one boot."""
    command = [
        *(hardware.qemu or (QEMU,)), *hardware.arguments(),
        "-kernel", str(disks.vmlinuz), "-initrd", str(initramfs),
        "-append", " ".join(hardware.kernel_parameters()),
        "-chardev", f"file,id=console,path={escape(console)}", "-serial", "chardev:console",
        "-device", "virtio-serial-pci",
        "-chardev", "stdio,id=job,signal=off",
        "-device", "virtconsole,chardev=job" if job.interactive else "virtserialport,chardev=job",
    ]  # fmt: skip
    for disk in (disks.root, disks.modules):
        command += [
            "-drive", f"file={escape(disk)},format=raw,if=virtio,readonly=on,cache=unsafe",
        ]  # fmt: skip
    for share in job.shares:
        access = "" if share.writable else ",readonly=on"
        command += [
            "-virtfs",
            f"local,path={escape(share.source)},mount_tag={share.tag},security_model=none,"
            f"multidevs=remap{access}",
        ]  # fmt: skip
    return command


def check_installed() -> None:
    """Raise if QEMU is missing."""
    if not shutil.which(QEMU):
        raise ToolError(f"{QEMU} is not installed: install the package qemu-system-x86")


def _in_memory(content: bytes) -> int:
    """Return the descriptor of an anonymous file in memory."""
    fd = os.memfd_create("initramfs")
    with open(fd, "wb", closefd=False) as stream:
        stream.write(content)
    return fd


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()


def _relay(process: subprocess.Popen[bytes], out: BinaryIO, status: Path, deadline: float) -> bool:
    """Copy the guest's output until QEMU ends. Return whether it ended in time.

    Once the status exists, the guest only has to power off, so the remaining wait is short.
    """
    assert process.stdout
    stream = process.stdout.fileno()
    powering_off = False
    while True:
        now = time.monotonic()
        if not powering_off and status.exists():
            powering_off = True
            deadline = now + POWER_OFF_SECONDS
        if now >= deadline:
            return powering_off
        if select.select([stream], [], [], min(deadline - now, 0.5))[0]:
            data = os.read(stream, 65536)
            if not data:
                return True
            out.write(data)
            out.flush()


@dataclass(frozen=True)
class Outcome:
    """Result of a boot: the job's exit status (None: none arrived), and whether it was in time."""

    status: int | None
    in_time: bool
    seconds: float


def run(
    hardware: Hardware, disks: Disks, job: Job, results: Path, timeout: float, out: BinaryIO
) -> Outcome:
    """Boot, run the job, and wait for the end, at most ``timeout`` seconds."""
    check_installed()
    status = results / "status"
    status.unlink(missing_ok=True)
    console = results / "console.log"
    began = time.monotonic()
    fds: list[int] = []

    def handed_over(fd: int) -> Path:
        fds.append(fd)
        return Path(f"/proc/self/fd/{fd}")

    try:
        content = append_file(disks.initramfs.read_bytes(), "job", job.encode())
        command = qemu_command(hardware, disks, handed_over(_in_memory(content)), job, console)
        if hardware.pci:
            command += pci.arguments(
                pci.offers(QEMU), lambda size: handed_over(pci.sparse_disk(size))
            )
        process = subprocess.Popen(
            command,
            # a pipe that stays open: at end of file, QEMU would close the guest's port
            stdin=None if job.interactive else subprocess.PIPE,
            stdout=None if job.interactive else subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=fds,
            preexec_fn=die_with_parent_in_session if job.interactive else die_with_parent,
        )
    finally:
        for fd in fds:
            os.close(fd)
    try:
        if job.interactive:
            with _terminal_as_it_was():
                in_time = _wait(process, timeout)
        else:
            in_time = _relay(process, out, status, began + timeout)
            if in_time:
                _wait(process, POWER_OFF_SECONDS)
    finally:
        _stop(process)
    assert process.stderr
    complaint = process.stderr.read().decode(errors="replace").strip()
    if process.returncode > 0:
        raise ToolError(f"{QEMU} failed (exit status {process.returncode}): {complaint}")
    text = status.read_text().strip() if status.exists() else ""
    return Outcome(int(text) if text.isdigit() else None, in_time, time.monotonic() - began)


@contextlib.contextmanager
def _terminal_as_it_was() -> Iterator[None]:
    """Restore the terminal's modes afterwards: a killed QEMU does not."""
    attributes = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)


def _wait(process: subprocess.Popen[bytes], timeout: float) -> bool:
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        return False
    return True


def _probe_kvm(vmlinuz: Path, initramfs: Path) -> bool:
    """Boot with KVM up to the first user process. A guest that hangs or dies means no KVM."""
    command = [
        QEMU, *Hardware("kvm", memory=256, cpus=1).arguments(),
        "-kernel", str(vmlinuz), "-initrd", str(initramfs),
        "-append", "console=ttyS0 quiet panic=-1", "-serial", "stdio",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)  # fmt: skip
    try:
        output, _ = process.communicate(timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    finally:
        _stop(process)
    return PROBE_ALIVE in output


def choose_accelerator(wish: str, cache: Cache, vmlinuz: Path, probe: Path) -> str:
    """Return "kvm" or "tcg". For "auto", test KVM with a short boot, once per boot of the host."""
    if wish != "auto":
        return "kvm" if wish == "on" else "tcg"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return "tcg"
    check_installed()
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    verdict = cache.top / f"kvm-{boot_id}"
    with cache.lock("kvm"):
        if not verdict.exists():
            for old in cache.top.glob("kvm-*-*"):
                old.unlink()
            works = _probe_kvm(vmlinuz, probe)
            verdict.write_text("kvm" if works else "tcg")
    return verdict.read_text()
