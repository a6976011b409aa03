# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of `make compare`."""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from nvmelab.machine import QEMU
from nvmelab.releases import DEFAULT_SERIES, SERIES
from nvmelab.runner import Lab, Options
from nvmelab.sidebyside import available_memory
from nvmetools import PROJECT, ToolError
from nvmetools.cache import default_dir
from nvmetools.process import leave_on_signals
from nvmetools.ui import Ui, failure

from .document import Facts, Writer
from .export import RAW
from .figures import FIGURES, Figure, usual
from .listing import lines_of_lab, lines_of_machines
from .machines import run as machines
from .machines.site import PreflightError
from .results import bring_in, earlier, start_anew, with_older
from .runner import Campaign, boot_name
from .store import StoreError

#: The guest's: a controller has an I/O queue for each processor.
CPUS = 4
MEMORY_MIB = 2048

#: Guests at a time, and memory beside a guest's own, in MiB.
USUAL_JOBS = 2
SPARE_MIB = 512

#: Below the build directory.
RUNS_TOP = "compare"

DURATION = (
    "A run of everything takes about an hour on two quiet processors, by the processor time of "
    "runs that were measured on an AMD EPYC, and --long about 100 minutes; the first time the "
    "lab's kernels are built before. How busy the machine is changes that, and no number. Runs "
    "that are there, of before or of the document's raw data for the same kernel and modules, are "
    "not measured again."
)

#: What is measured on the second kernel as well, unless figures are named.
ON_BOTH = ("alone", "goals")


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="compare", description=__doc__, epilog=DURATION, allow_abbrev=False
    )
    top.add_argument(
        "--figure", action="append", choices=sorted(FIGURES), metavar="NAME", default=[],
        help=f"measure this one alone; may be repeated: {', '.join(FIGURES)}",
    )  # fmt: skip
    top.add_argument(
        "--long", action="store_true", help="every combination, and two minutes of the main rows"
    )
    top.add_argument(
        "--kernel-series", action="append", choices=sorted(SERIES), dest="series", default=[],
        help=f"on this kernel; may be repeated (all of it on {DEFAULT_SERIES}, and "
        f"{', '.join(ON_BOTH)} on the newest)",
    )  # fmt: skip
    top.add_argument("--runs", type=_positive, metavar="N", help="runs of each row (3)")
    top.add_argument(
        "--jobs", type=_positive, metavar="N",
        help="guests at a time (2, where processors and memory are there)",
    )  # fmt: skip
    either = top.add_mutually_exclusive_group()
    either.add_argument(
        "--anew", action="store_true",
        help="forget what was measured of this before, here and in the document's raw data",
    )  # fmt: skip
    either.add_argument(
        "--write-only", action="store_true", help="measure nothing, write what there is"
    )
    top.add_argument(
        "--list", action="store_true",
        help="measure and write nothing, say what would be measured and how long that takes",
    )  # fmt: skip
    top.add_argument(
        "--output", type=Path, metavar="DIR",
        help="where the document goes (doc/, as compare.md; of real machines below the build "
        "directory, as compare-machines.md)",
    )  # fmt: skip
    top.add_argument(
        "--build", type=Path, default=PROJECT / "build", metavar="DIR",
        help="the project's build directory, where runs are kept (build/)",
    )  # fmt: skip
    top.add_argument("--cache", type=Path, default=default_dir(), metavar="DIR",
                     help="where kernels and images are kept (%(default)s)")  # fmt: skip
    machines.add_options(top)
    top.add_argument("-v", "--verbose", action="store_true", help="say more")
    return top


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least 1")
    return int(text)


def guests(wanted: int | None, processors: int | None = None, memory: int | None = None) -> int:
    """How many at a time: as many as wanted, or two if the machine has room for them (MiB)."""
    if wanted:
        return wanted
    memory = available_memory() if memory is None else memory
    room = (processors or os.cpu_count() or 1, memory // (MEMORY_MIB + SPARE_MIB))
    return max(1, min(USUAL_JOBS, *room))


def machine(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Says what the lab runs on."""
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    name = re.sub(r"\s+", " ", model[1]) if model else platform.machine()
    return f"{os.cpu_count()} processors ({name})"


def emulator() -> str:
    """Says what emulates: "QEMU 10.0.2", "QEMU" where that is not to be had."""
    try:
        text = subprocess.run([QEMU, "--version"], stdout=subprocess.PIPE, text=True).stdout
    except OSError:
        text = ""
    version = re.search(r"version (\S+)", text)
    return f"QEMU {version[1]}" if version else "QEMU"


def chosen(args: argparse.Namespace) -> list[tuple[str, list[Figure]]]:
    """The figures to measure, by kernel series."""
    named = [FIGURES[name] for name in FIGURES if name in args.figure]
    first = named or [FIGURES[name] for name in usual(args.long)]
    if args.series:
        return [(series, first) for series in dict.fromkeys(args.series)]
    second = named or [FIGURES[name] for name in ON_BOTH]
    return [(DEFAULT_SERIES, first), ("newest", second)]


def options(args: argparse.Namespace, series: str) -> Options:
    """The lab's, for a kernel."""
    return Options(
        cache=args.cache.expanduser(), build=args.build, stock=False, series=series, kernel=None,
        modules=None, timeout=None, memory=MEMORY_MIB, cpus=CPUS, kvm="off", icount=True,
    )  # fmt: skip


def measured(args: argparse.Namespace, ui: Ui) -> list[Campaign]:
    """Measures what is missing."""
    if not (args.build / "nvme-cli/nvme").exists():
        raise ToolError(f"{args.build / 'nvme-cli/nvme'} is not there yet: run `make` first")
    campaigns = []
    for series, wanted in chosen(args):
        campaign = Campaign(
            Lab(options(args, series), ui), args.build / RUNS_TOP, long=args.long, runs=args.runs,
            jobs=guests(args.jobs),
        )  # fmt: skip
        campaigns.append(campaign)
        if args.anew:
            # what a boot has left that was ended is of before, too
            campaign.harvest()
            start_anew(campaign.kernel, [row for f in wanted for row in campaign.rows(f)])
        for figure in wanted:
            campaign.measure(figure)
    if not any(campaign.measured for campaign in campaigns):
        ui.say("all of it was measured before; --anew (make compare ANEW=1) measures it again")
    return campaigns


def run(args: argparse.Namespace, ui: Ui) -> int:
    """Measures what is missing, writes the document; 1 if a row has no result."""
    machines.check(args)
    if args.list and args.write_only:
        raise ToolError("--list writes nothing: it does not go with --write-only")
    if args.host:
        return _print(lines_of_machines(args)) if args.list else machines.run(args, ui)
    args.output = args.output or PROJECT / "doc"
    figures, top = list(FIGURES.values()), args.build / RUNS_TOP
    count = bring_in(top, args.output / "compare" / RAW)
    if count and not args.list:
        ui.say(f"{count} runs are in the document already (--anew measures them again)")
    if args.list:
        return _print(lines_of_lab(args, top, chosen(args), guests(args.jobs)))
    campaigns = [] if args.write_only else measured(args, ui)
    before = earlier(top, {c.kernel.series for c in campaigns}, args.long, args.runs)
    for results in before:
        # a boot that was ended from outside, or is still at work
        boots = (args.build / "lab-results").glob(f"{boot_name(results.kernel.series)}*")
        results.kernel.store.harvest(boots)
    if not campaigns and not before:
        raise ToolError(f"{top}: no runs there, and none in {args.output / 'compare' / RAW}")
    for results in (*campaigns, *before):
        with_older(top, results.kernel)
    facts = Facts(f"{machine()}, {emulator()}", CPUS, args.long, args.runs)
    absent = Writer(args.output, [*campaigns, *before], facts).write(figures)
    ui.say(f"written: {args.output / 'compare.md'}")
    if absent:
        ui.say(f"without rows: {', '.join(absent)}")
    return _report(campaigns, ui)


def _print(lines: Iterable[str]) -> int:
    print("\n".join(lines))
    return 0


def _report(campaigns: Sequence[Campaign], ui: Ui) -> int:
    """Names what went wrong; the exit status."""
    status = 0
    for campaign in campaigns:
        for key, errors in campaign.failed.items():
            ui.say(f"compare: {campaign.kernel.version}: {key} failed: {errors[0]}")
            status = 1
        for trouble in campaign.trouble:
            ui.say(f"compare: {trouble}")
            status = 1
    if status:
        ui.say("compare: the same command measures again what failed, and nothing else")
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Runs; returns the exit status: 1 if a row failed, 2 if nothing could be measured."""
    args = parser().parse_args(argv)
    leave_on_signals()
    ui = Ui(verbose=args.verbose)
    try:
        return run(args, ui)
    except PreflightError as error:
        for text in error.texts:
            sys.stderr.write(f"compare: {text}\n")
        sys.stderr.write("compare: nothing was measured, and nothing is left there\n")
        return 2
    except (ToolError, StoreError, OSError) as error:
        way_out = (
            "what was measured is kept, and the same command goes on from there (without --anew)"
        )
        sys.stderr.write(failure("compare", error, way_out) + "\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(
            "compare: interrupted; the same command goes on where it stopped (without --anew)\n"
        )
        return 130
