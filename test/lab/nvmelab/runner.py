# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the lab once: prepare the boot, claim a directory for the results, and judge the run."""

import fcntl
import itertools
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from nvmetools import PROJECT, ToolError
from nvmetools.cache import Cache
from nvmetools.ui import Ui, elapsed

from . import boot, emulator, klog, machine, original, prometheus, releases, root

INIT_SOURCE = PROJECT / "test/lab/guest/init.c"

#: Exit statuses of the lab itself; others are the guest's.
STATUS_TIME_LIMIT = 124
STATUS_KERNEL_TROUBLE = 125
STATUS_NO_STATUS = 126

SHOWN_FINDINGS = 10

#: Mount point of the directory of --with, and of a copy that the guest may change.
EXTRA_SHARE = "/extra-original"
EXTRA_COPY = "/extra"

#: Debian's nvme 2.16, for boots with emulated devices.
ORIGINAL_SHARE = "/opt/original"

#: Prometheus' programs, for boots with icount, where hours pass in moments.
PROMETHEUS_SHARE = "/opt/prometheus"


@dataclass(frozen=True)
class Options:
    """The common options of every subcommand."""

    cache: Path
    build: Path
    stock: bool
    series: str | None
    kernel: Path | None
    modules: Path | None
    timeout: float | None
    memory: int
    cpus: int
    kvm: str
    icount: bool = False
    pci: bool = False
    extra: Path | None = None


@dataclass(frozen=True)
class Wanted:
    """A kernel to boot: a series, with this project's modules or as Debian built it."""

    series: str = releases.DEFAULT_SERIES
    stock: bool = False

    def __str__(self) -> str:
        return f"{self.series} (stock)" if self.stock else f"{self.series} with NVMe over MPTCP"


@dataclass(frozen=True)
class Result:
    """Result of a run; ``status`` is the lab's exit status."""

    name: str
    status: int
    directory: Path
    findings: Sequence[klog.Finding]
    seconds: float
    is_emulated: bool = False


def guest_path(path: Path, extra: Path | None = None) -> str:
    """Return the guest's path of a file of the project, or of the directory ``extra``."""
    resolved = path.resolve()
    if not resolved.exists():
        raise ToolError(f"{path}: no such file")
    if extra and resolved.is_relative_to(extra.resolve()):
        return str(Path(EXTRA_COPY) / resolved.relative_to(extra.resolve()))
    try:
        return str(Path("/project") / resolved.relative_to(PROJECT))
    except ValueError:
        raise ToolError(
            f"{path} is outside the project ({PROJECT}) and not visible in the guest: "
            "pass its directory with --with"
        ) from None


def claim_directory(top: Path, name: str, keep: bool = False) -> tuple[Path, int]:
    """Return an empty directory for a run's results, and the descriptor that locks it.

    It is ``top``/``name``, or ``name``.2 and so on while other runs use those. The lock ends with
    the process that took it.
    """
    for number in itertools.count(1):
        directory = top / (name if number == 1 else f"{name}.{number}")
        directory.mkdir(parents=True, exist_ok=True)
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            continue
        for path in () if keep else directory.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        return directory, fd
    raise AssertionError("counting has no end")


def split_console(console: Path, kernel_log: Path) -> list[klog.Finding]:
    """Write the kernel's part of the console to a separate file, and judge the whole console."""
    lines = console.read_text(errors="replace").splitlines() if console.exists() else []
    judged = [line for line in lines if klog.is_judged(line)]
    kernel_log.write_text("".join(f"{line}\n" for line in judged))
    return klog.findings(judged)


class Lab:
    """Boot the guest according to the options; everything it needs is built on first use."""

    def __init__(self, options: Options, ui: Ui) -> None:
        self.options = options
        self.ui = ui
        self.cache = Cache(options.cache)
        self._accelerator = ""
        self._qemu: tuple[str, ...] = ()

    @property
    def wanted(self) -> Wanted:
        """Return the kernel selected by the options."""
        series = self.options.series or releases.DEFAULT_SERIES
        return Wanted(series, self.options.stock)

    def kernel(self, wanted: Wanted) -> boot.Kernel:
        """Return the user's kernel, or Debian's with stock or patched NVMe modules."""
        from . import kernel

        options = self.options
        if options.kernel and options.modules:
            return kernel.user_kernel(options.kernel, options.modules)
        if options.kernel or options.modules:
            raise ToolError("--kernel and --modules go together: give both")
        with self.ui.step(f"kernel {wanted}") as step:
            return kernel.prepare(
                options.cache, wanted.series, stock=wanted.stock, progress=step.note
            )

    def prepare(self, wanted: Wanted) -> tuple[boot.Kernel, machine.Disks]:
        """Build missing parts of a boot, and return the kernel and the disks."""
        kernel = self.kernel(wanted)
        with self.ui.step("root image") as step:
            image = root.image(self.cache, step.note)
        with self.ui.step(f"modules and initramfs of {kernel.version}") as step:
            files = boot.prepare(self.cache, kernel, INIT_SOURCE, step.note)
        return kernel, machine.Disks(kernel.vmlinuz, files.initramfs, image, files.modules)

    def hardware(
        self, disks: machine.Disks, *, icount: bool = False, pci: bool = False
    ) -> machine.Hardware:
        """Return the hardware to boot on. KVM is tested once, on the first call."""
        if icount or self.options.icount:
            return machine.Hardware("icount", self.options.memory, self.options.cpus, pci)
        if not self._accelerator:
            probe = boot.probe_initramfs(self.cache, INIT_SOURCE)
            self._accelerator = machine.choose_accelerator(
                self.options.kvm, self.cache, disks.vmlinuz, probe
            )
        hardware = machine.Hardware(self._accelerator, self.options.memory, self.options.cpus, pci)
        # Expected outputs and recorded figures come from the machine's own devices and clock.
        return replace(hardware, qemu=self._emulator()) if self._emulates(hardware) else hardware

    def _emulates(self, hardware: machine.Hardware) -> bool:
        return hardware.accelerator == "tcg" and not hardware.pci

    def _emulator(self) -> tuple[str, ...]:
        if not self._qemu:
            with self.ui.step("QEMU") as step:
                self._qemu = emulator.find(self.cache, step.note)
        return self._qemu

    def _beside_pci(self) -> machine.Share:
        """Return the share with Debian's nvme 2.16, which runs with emulated devices compare to."""
        with self.ui.step(f"Debian's nvme {original.VERSION}") as step:
            return machine.Share("original", original.find(self.cache, step.note).top,
                                 ORIGINAL_SHARE)  # fmt: skip

    def _beside_icount(self) -> machine.Share:
        """Return the share with Prometheus, which judges an hour of samples in runs with icount."""
        with self.ui.step("Prometheus"):
            return machine.Share("prometheus", prometheus.find(self.cache).top,
                                 PROMETHEUS_SHARE)  # fmt: skip

    def job(
        self, commands: Sequence[Sequence[str]], results: Path, interactive: bool,
        pci: bool = False, icount: bool = False,
    ) -> machine.Job:  # fmt: skip
        """Return a job of these commands, with the shares and environment of every run.

        For emulated devices, load their driver first: nothing in the guest does that.
        """
        build = self.options.build.resolve()
        columns, rows = shutil.get_terminal_size((100, 24))
        shares = [
            machine.Share("project", PROJECT, "/project"),
            machine.Share("results", results.resolve(), "/results", writable=True),
        ]
        # a build may refer to the sources by their paths on the host
        links = {str(PROJECT): "/project"}
        if build.is_dir():
            shares.append(machine.Share("build", build, "/build"))
            if not build.is_relative_to(PROJECT):
                links[str(build)] = "/build"
        if self.options.extra:
            shares.append(machine.Share("extra", self.options.extra.resolve(), EXTRA_SHARE))
            commands = [["cp", "-a", EXTRA_SHARE, EXTRA_COPY], *commands]
        if pci:
            shares.append(self._beside_pci())
            commands = [["modprobe", "nvme"], *commands]
        if icount:
            shares.append(self._beside_icount())
        environment = {
            "PATH": "/build/nvme-cli:/usr/sbin:/usr/bin:/sbin:/bin",
            "LD_LIBRARY_PATH": "/build/libnvme",
            # the sources come last: without a build of Python, libnvme.nvmet is found there
            "PYTHONPATH": "/build/python:/project/test/lab/guest:/project/test/lab:/project/python",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "LAB_RESULTS": "/results",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "TERM": "linux" if not interactive else "xterm-256color",
            "COLUMNS": str(columns),
            "LINES": str(rows),
        }
        return machine.Job(commands, environment, shares, links, interactive=interactive)

    def run(
        self, name: str, commands: Sequence[Sequence[str]], *, timeout: float,
        wanted: Wanted | None = None, icount: bool = False, pci: bool = False,
        interactive: bool = False, out: BinaryIO | None = None,
    ) -> Result:  # fmt: skip
        """Boot, run the commands and judge the run; its files are in lab-results/``name``."""
        kernel, disks = self.prepare(wanted or self.wanted)
        pci = pci or self.options.pci
        icount = icount or self.options.icount
        hardware = self.hardware(disks, icount=icount, pci=pci)
        # never closed, so that the results stay until the caller has read them
        directory, _ = claim_directory(self.options.build / "lab-results", name)
        if directory.name != name:
            self.ui.say(f"another run uses {name}: results are in {directory}")
        self.ui.say(
            f"booting {kernel.version} ({kernel.flavour}) with {hardware.accelerator.upper()}, "
            f"{hardware.cpus} CPUs, {hardware.memory} MiB"
        )
        job = self.job(commands, directory, interactive, pci, icount)
        timeout = self.options.timeout or timeout
        outcome = machine.run(hardware, disks, job, directory, timeout, out or sys.stdout.buffer)
        findings = split_console(directory / "console.log", directory / "kernel.log")
        status = self._verdict(outcome, findings, directory, timeout)
        emulated = hardware.accelerator != "kvm"
        return Result(name, status, directory, findings, outcome.seconds, emulated)

    def _verdict(
        self, outcome: machine.Outcome, findings: Sequence[klog.Finding], directory: Path,
        timeout: float,
    ) -> int:  # fmt: skip
        """Print what went wrong with the run itself, and return the lab's exit status."""
        if findings:
            self.ui.say(f"the kernel complained, see {directory / 'kernel.log'}:")
            for finding in findings[:SHOWN_FINDINGS]:
                self.ui.say(f"  {finding}")
            if len(findings) > SHOWN_FINDINGS:
                self.ui.say(f"  and {len(findings) - SHOWN_FINDINGS} more lines")
        if not outcome.in_time:
            self.ui.say(f"ended by the time limit of {elapsed(timeout)} (see --timeout)")
            return outcome.status or STATUS_TIME_LIMIT
        if outcome.status is None:
            self.ui.say(f"the guest ended without an exit status, see {directory / 'console.log'}")
            return STATUS_NO_STATUS
        if findings:
            return outcome.status or STATUS_KERNEL_TROUBLE
        self.ui.detail(f"guest ended with status {outcome.status} after {elapsed(outcome.seconds)}")
        return outcome.status
