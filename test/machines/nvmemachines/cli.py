# SPDX-License-Identifier: GPL-2.0-or-later
"""Parse the command line, and run the stages in order."""

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from nvmelab import boot, machine
from nvmelab.runner import INIT_SOURCE, claim_directory
from nvmetools import PROJECT, ToolError, debian, packages
from nvmetools.cache import Cache, default_dir
from nvmetools.fresh import RELEASES, Release, build_directory, release_of
from nvmetools.process import leave_on_signals
from nvmetools.ui import Ui, failure

from . import guest, image, others, remote, tutorial
from .console import CommandError
from .steps import CheckError, Machines, Walk, saved_in

#: The tutorials to follow: the relay with the release's own kernel, then the modules.
RELAY = PROJECT / "doc/tutorial.md"
MODULE = PROJECT / "doc/tutorial-module.md"

#: Default release of the machines; its backports have a kernel with patches.
RELEASE = "13"

#: The part of each tutorial that removes everything.
GOING_BACK = "How to go back"

#: The parts before the setup of the host.
TARGET_PARTS = ("Install", "Set up the target")

#: The cable to pull in addition to those of the tutorial.
CABLE = 1

#: The part of the modules' tutorial that installs packages.
PACKAGES = "Packages"

#: Default options of compare over ssh.
COMPARE = "--figure cost --runs 1"

#: Memory in MiB for compare, including the target's memory disk.
COMPARE_MEMORY = 2048

#: CPUs of each machine. Without KVM, a second one would add a third and fourth thread for two host
#: CPUs.
PROCESSORS = {"kvm": 2, "tcg": 1}


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="test/machines/run",
        description="Boots two full virtual machines of Debian, joined by links and nothing else, "
        "installs the project's packages with apt, follows doc/tutorial.md and "
        "doc/tutorial-module.md, reboots, pulls cables, upgrades the kernel and removes the "
        "packages. Consoles, and every command with what it printed, are kept in build/machines.",
    )
    top.add_argument(
        "--release", choices=[release.number for release in RELEASES], default=RELEASE,
        help="Debian's number (%(default)s); only 13 has another kernel to upgrade to",
    )  # fmt: skip
    top.add_argument("--links", type=int, default=2, metavar="N",
                     help="cards of each (%(default)s, as in the tutorials)")  # fmt: skip
    top.add_argument(
        "--built", action="store_true", help="take the packages that `make deb` has built"
    )
    top.add_argument("--kvm", choices=("auto", "on", "off"), default="auto", help="(%(default)s)")
    top.add_argument("--update-tutorial", action="store_true",
                     help="write what commands printed into both tutorials")  # fmt: skip
    top.add_argument(
        "--tutorial-only", action="store_true", help="only what both tutorials have, no upgrades"
    )
    top.add_argument("--continue", action="store_true", dest="go_on",
                     help="go on where the last run, with the same options, ended")  # fmt: skip
    top.add_argument(
        "--compare", nargs="?", const=COMPARE, metavar="OPTIONS",
        help="only install the packages, and have `make compare` measure between both over ssh, "
        "with these options (%(const)s)",
    )  # fmt: skip
    top.add_argument(
        "--ansible", action="store_true",
        help="only install the packages, and have the Ansible role set up the host, which reboots",
    )  # fmt: skip
    top.add_argument("--cache", type=Path, default=default_dir(), metavar="DIR",
                     help="where disks are kept (%(default)s)")  # fmt: skip
    top.add_argument(
        "--list", action="store_true", help="do nothing, only print what would be done"
    )
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def accelerator(cache: Cache, wish: str, parts: image.Parts) -> str:
    """Return the accelerator; a short boot of the machines' kernel shows whether KVM works."""
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
    """Return the project's packages for machines; for emulated ones, with built modules."""
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
    """Prepare everything for a run. Its results, without the disks, stay in build/machines."""
    machine.check_installed()
    cache, release = Cache(args.cache.expanduser().resolve()), release_of(args.release)
    parts = image.parts(cache, release, ui)
    way = accelerator(cache, args.kvm, parts)
    system = image.system_disk(cache, release, parts, ui)
    directory, _ = claim_directory(build_directory(), "machines", keep=args.go_on)
    with tempfile.TemporaryDirectory(prefix="nvme-machines-") as sockets:
        project = directory / "project.ext4"
        if not args.go_on:
            debs = project_packages(cache, release, parts, way, args.built, ui)
            image.project_disk(debs, Path(sockets), project)
        yield guest.Supply(directory, Path(sockets), release, system, (parts.archive, project), way,
                           args.links, cpus=PROCESSORS[way], ssh=bool(args.compare or args.ansible),
                           memory=COMPARE_MEMORY if args.compare else 1024)  # fmt: skip
    shutil.rmtree(saved_in(directory), ignore_errors=True)
    for pattern in ("*.ext4", "*.img", "*-vmlinuz", "*-initrd.img"):
        for path in directory.glob(pattern):
            path.unlink()


#: A stage: a function of the machines, and of a function that returns the walk of a document.
Stage = Callable[[Machines, Callable[[Path], Walk]], object]


def stages(args: argparse.Namespace) -> Iterator[tuple[str, Stage]]:
    """Yield the title and function of each stage, in order."""
    release = release_of(args.release)
    yield "both machines boot", lambda machines, _: machines.start()
    yield "both ask the archive", lambda machines, _: machines.ask_archive()
    if args.compare:
        yield from _tutorial(MODULE, lambda heading: heading == PACKAGES)
        yield (
            f"make compare between both: {args.compare}",
            lambda machines, _: remote.compare(machines, shlex.split(args.compare)),
        )
        return
    if args.ansible:
        yield from _tutorial(RELAY, lambda heading: heading in TARGET_PARTS)
        yield "Ansible sets up the host, and both reboot", lambda m, _: remote.ansible(m)
        return
    yield from _tutorial(RELAY, lambda heading: heading != GOING_BACK)
    if not args.tutorial_only:
        yield from _while_fio_verifies("relay")
    yield from _tutorial(RELAY, lambda heading: heading == GOING_BACK)
    yield from _written(args, RELAY)
    yield "Debian's own packages are as they were", lambda m, _: m.check_intact("nvme-cli")
    yield from _tutorial(MODULE, lambda heading: heading != GOING_BACK)
    if not args.tutorial_only:
        yield "6.12: it runs on both", lambda machines, _: machines.require_kernel("6.12")
        yield "nvme-cli goes", lambda machines, _: machines.remove_nvme_cli()
        yield _reboot("6.12")
        yield from _while_fio_verifies("6.12")
        yield "NetworkManager and mptcpd beside", lambda machines, _: others.check(machines)
        if image.STOCK[release.codename].backports_kernel:
            yield "upgrade of the kernel", lambda machines, _: machines.upgrade_kernel()
            yield _reboot("7.3")
            yield from _while_fio_verifies("7.3")
    yield from _tutorial(MODULE, lambda heading: heading == GOING_BACK)
    yield "Debian's own packages are still as they were", lambda m, _: m.check_intact()
    yield from _written(args, MODULE)


def _written(args: argparse.Namespace, page: Path) -> Iterator[tuple[str, Stage]]:
    """Yield the stage that writes the output into a page, right after the page's own stages."""
    if args.update_tutorial:
        yield f"{page.name} is written", partial(_write, page)


def _write(page: Path, _machines: Machines, walk: Callable[[Path], Walk]) -> None:
    page.write_text(walk(page).renewed())


def _tutorial(page: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Stage]]:
    """Yield a stage for each wanted part of a document."""

    def part(heading: str, _machines: Machines, walk: Callable[[Path], Walk]) -> None:
        walk(page).part(heading)

    for heading in filter(wanted, tutorial.parts(page.read_text())):
        yield f"{page.name}: {heading}", partial(part, heading)


def _reboot(version: str) -> tuple[str, Stage]:
    """Return the stage that reboots both machines into a kernel of this version."""

    def reboot(machines: Machines, _walk: Callable[[Path], Walk]) -> None:
        machines.reboot(machines.both)
        machines.require_kernel(version)
        machines.check_use(version)

    return f"{version}: both reboot, and every link carries every connection", reboot


def _while_fio_verifies(what: str) -> Iterator[tuple[str, Stage]]:
    """Yield the stages that users of the disk may notice only as a pause."""
    yield (
        f"{what}: cable {CABLE} out and in while fio verifies",
        lambda machines, _: machines.check_cable(CABLE, what),
    )
    yield (
        f"{what}: upgrade of the packages while fio verifies",
        lambda machines, _: machines.upgrade_packages(what),
    )


def run(args: argparse.Namespace, ui: Ui) -> None:
    """Run all stages, or the remaining ones with --continue."""
    with supplied(args, ui) as supply:
        ui.say(f"the transcript and the consoles are in {supply.directory}")
        machines = Machines(supply, ui)
        done: list[str] = []
        printed: dict[str, dict[str, list[str]]] = {}
        try:
            if args.go_on:
                saved = json.loads((saved_in(supply.directory) / "run.json").read_text())
                done, printed = saved["done"], saved["printed"]
                machines.restore(saved["boots"])

            def walk(page: Path) -> Walk:
                return Walk(machines, page, printed.setdefault(page.name, {}))

            for title, do in stages(args):
                if title not in done:
                    ui.say(title)
                    do(machines, walk)
                    done.append(title)
                    if not args.compare:
                        machines.save({"done": done, "printed": printed})
        except (CheckError, CommandError):
            machines.tell_state()
            raise
        finally:
            machines.stop()
    ui.say("both machines did all of it")


def main(argv: Sequence[str] | None = None) -> int:
    top = parser()
    args = top.parse_args(argv)
    if args.update_tutorial and args.release != RELEASE:
        top.error(f"--update-tutorial: the pages show what Debian {RELEASE} prints")
    if args.list:
        print("\n".join(title for title, _ in stages(args)))
        return 0
    leave_on_signals()
    ui = Ui(verbose=args.verbose)
    try:
        run(args, ui)
    except (ToolError, OSError, subprocess.SubprocessError) as error:
        way_out = "the transcript has what was before; --continue tries it again"
        sys.stderr.write(failure("machines", error, way_out) + "\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("machines: interrupted\n")
        return 130
    return 0
