# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line, and the order of the steps."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nvmelab import boot, machine
from nvmelab.runner import INIT_SOURCE, claim_directory
from nvmetools import PROJECT, ToolError, debian, packages
from nvmetools.cache import Cache, default_dir
from nvmetools.fresh import RELEASES, Release, build_directory, release_of
from nvmetools.process import leave_on_signals
from nvmetools.ui import Ui, failure

from . import guest, image, others, remote
from .steps import CheckError, Machines, Walk

TUTORIAL = PROJECT / "doc/tutorial-module.md"

#: The usual release of the machines: its backports have a kernel that there are patches for.
RELEASE = "13"

#: The part of the tutorial that takes everything away again.
GOING_BACK = "How to go back"

#: The cable that is pulled apart from the tutorial's.
CABLE = 1

#: The part of the tutorial behind the packages.
TARGET = "The target"

#: What is measured over ssh, if nothing else is asked for.
COMPARE = "--figure cost --runs 1"

#: With room for the target's disk of memory, in MiB.
COMPARE_MEMORY = 2048

#: Without KVM a second processor of each machine is a third and fourth thread for two.
PROCESSORS = {"kvm": 2, "tcg": 1}


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="test/machines/run",
        description="Boots two full virtual machines of Debian, joined by links and nothing else, "
        "installs the project's packages with apt, follows doc/tutorial-module.md, reboots, pulls "
        "cables, upgrades the kernel and removes the packages. Consoles, and every command with "
        "what it printed, are kept in build/machines.",
    )
    top.add_argument(
        "--release", choices=[release.number for release in RELEASES], default=RELEASE,
        help="Debian's number (%(default)s); only 13 has another kernel to upgrade to",
    )  # fmt: skip
    top.add_argument(
        "--links", type=int, default=4, metavar="N", help="cards of each (%(default)s)"
    )
    top.add_argument(
        "--built",
        action="store_true",
        help="take the packages that `make deb` has built",
    )
    top.add_argument("--kvm", choices=("auto", "on", "off"), default="auto", help="(%(default)s)")
    top.add_argument(
        "--update-tutorial", action="store_true",
        help="write what commands printed into doc/tutorial-module.md, which is about --links 2",
    )  # fmt: skip
    top.add_argument(
        "--tutorial-only", action="store_true", help="end where the tutorial does, before upgrades"
    )
    top.add_argument(
        "--compare", nargs="?", const=COMPARE, metavar="OPTIONS",
        help="only install the packages, and have `make compare` measure between both over ssh, "
        "with these options (%(const)s)",
    )  # fmt: skip
    top.add_argument(
        "--cache", type=Path, default=default_dir(), metavar="DIR",
        help="where disks are kept (%(default)s)",
    )  # fmt: skip
    top.add_argument(
        "--list", action="store_true", help="do nothing, only print what would be done"
    )
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def accelerator(cache: Cache, wish: str, parts: image.Parts) -> str:
    """Returns what runs the machines: a short boot of their kernel shows whether KVM does."""
    with cache.scratch() as scratch:
        names = ["tar", "-C", str(scratch), "-xf", str(parts.server), "--wildcards"]
        debian.run([*names, "./boot/vmlinuz-*"], "reading the kernel")
        [kernel] = scratch.glob("boot/vmlinuz-*")
        return machine.choose_accelerator(
            wish, cache, kernel, boot.probe_initramfs(cache, INIT_SOURCE)
        )


def project_packages(
    cache: Cache, release: Release, parts: image.Parts, way: str, built: bool, ui: Ui
) -> list[Path]:
    """Returns the project's packages for machines; emulated, with modules built already."""
    debs = packages.built(release) if built else packages.build(cache, release, True, ui)
    debs = [deb for deb in debs if "-dbgsym_" not in deb.name]
    if way == "kvm":
        return debs
    [source] = [deb for deb in debs if deb.name.startswith("nvme-mptcp-dkms_")]
    ui.say(
        "emulated: DKMS runs here, in a root of the same packages, and its modules are installed"
    )
    return [deb for deb in debs if deb != source] + [
        image.built_modules(cache, release, parts, source, ui)
    ]


@contextmanager
def supplied(args: argparse.Namespace, ui: Ui) -> Iterator[guest.Supply]:
    """Makes all that a run takes; what it leaves is in build/machines, less the disks."""
    machine.check_installed()
    cache, release = Cache(args.cache.expanduser().resolve()), release_of(args.release)
    parts = image.parts(cache, release, ui)
    way = accelerator(cache, args.kvm, parts)
    debs = project_packages(cache, release, parts, way, args.built, ui)
    system = image.system_disk(cache, release, parts, ui)
    directory, _ = claim_directory(build_directory(), "machines")
    with tempfile.TemporaryDirectory(prefix="nvme-machines-") as sockets:
        project = directory / "project.ext4"
        image.project_disk(debs, Path(sockets), project)
        try:
            yield guest.Supply(
                directory, Path(sockets), release, system, (parts.archive, project), way,
                args.links, cpus=PROCESSORS[way], ssh=bool(args.compare),
                memory=COMPARE_MEMORY if args.compare else 1024,
            )  # fmt: skip
        finally:
            for pattern in ("*.ext4", "*.img", "*-vmlinuz", "*-initrd.img"):
                for path in directory.glob(pattern):
                    path.unlink()


#: What is done next, with the machines and the tutorial.
Stage = Callable[[Machines, Walk], object]


def stages(args: argparse.Namespace) -> Iterator[tuple[str, Stage]]:
    """All that is done, in its order: what it is called, and how."""
    yield "both machines boot", lambda machines, _: machines.start()
    yield "both ask the archive", lambda machines, _: machines.ask_archive()
    if args.compare:
        yield f"tutorial: up to {TARGET!r}", lambda _, walk: walk.until(TARGET)
        yield (
            f"make compare between both: {args.compare}",
            lambda machines, _: remote.compare(machines, shlex.split(args.compare)),
        )
        return
    yield f"tutorial: up to {GOING_BACK!r}", lambda _, walk: walk.until(GOING_BACK)
    if not args.tutorial_only:
        yield "6.12: it runs on both", lambda machines, _: machines.require_kernel("6.12")
        yield from _on_kernel("6.12")
        yield "upgrade of the packages while fio verifies", lambda m, _: m.upgrade_packages()
        yield "NetworkManager and mptcpd beside", lambda machines, _: others.check(machines)
        if image.STOCK[release_of(args.release).codename].backports_kernel:
            yield "upgrade of the kernel", lambda machines, _: machines.upgrade_kernel()
            yield from _on_kernel("7.3")
    yield f"tutorial: {GOING_BACK}", lambda _, walk: walk.until("")
    yield "Debian's own packages are as they were", lambda machines, _: machines.check_intact()
    if args.update_tutorial:
        yield "the tutorial is written", lambda _, walk: TUTORIAL.write_text(walk.renewed())


def _on_kernel(version: str) -> Iterator[tuple[str, Stage]]:
    """What a kernel has to stand."""

    def reboot(machines: Machines, _walk: Walk) -> None:
        machines.reboot(machines.both)
        machines.require_kernel(version)

    yield f"{version}: both reboot", reboot
    yield (
        f"{version}: every link carries every connection",
        lambda machines, _: machines.check_use(version),
    )
    yield (
        f"{version}: cable {CABLE} out and in while fio verifies",
        lambda machines, _: machines.check_cable(CABLE, version),
    )


def run(args: argparse.Namespace, ui: Ui) -> None:
    """One run from beginning to end."""
    with supplied(args, ui) as supply:
        ui.say(f"the transcript and the consoles are in {supply.directory}")
        machines = Machines(supply, ui)
        walk = Walk(machines, TUTORIAL)
        try:
            for _, do in stages(args):
                do(machines, walk)
        except CheckError:
            machines.tell_state()
            raise
        finally:
            machines.stop()
    ui.say("both machines did all of it")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs; returns the exit status."""
    top = parser()
    args = top.parse_args(argv)
    if args.update_tutorial and args.release != RELEASE:
        top.error(f"--update-tutorial: the page shows what Debian {RELEASE} prints")
    if args.list:
        print("\n".join(title for title, _ in stages(args)))
        return 0
    leave_on_signals()
    ui = Ui(verbose=args.verbose)
    try:
        run(args, ui)
    except (ToolError, OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(failure("machines", error, "the transcript has what was before") + "\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("machines: interrupted\n")
        return 130
    return 0
