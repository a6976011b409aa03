# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of `make compare`."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from nvmelab.kernel import edits_key
from nvmelab.releases import DEFAULT_SERIES, SERIES
from nvmelab.runner import Lab, Options
from nvmelab.sidebyside import available_memory
from nvmetools import PROJECT, ToolError
from nvmetools.cache import default_dir
from nvmetools.process import leave_on_signals
from nvmetools.ui import Ui, failure

from . import page
from .campaign import PACE, SHORT, TOP, Campaign, LabCampaign, Store, minutes, say_failures
from .data import Data, DataError
from .figures import FIGURES, Figure
from .machines import run as machines
from .machines.site import PreflightError

#: A controller has an I/O queue for each of the guest's processors.
CPUS = 4
MEMORY_MIB = 2048

#: Guests at a time, and memory besides a guest's own, in MiB.
USUAL_JOBS = 2
SPARE_MIB = 512

#: Figures that are measured on the newest kernel as well, unless figures are named.
ON_BOTH = ("alone", "goals", "failover")

HEADINGS = ("FIGURE", "ROWS", "RUNS", "MISSING", "MINUTES")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="compare", description=page.WHAT, allow_abbrev=False)
    top.add_argument(
        "--figure", action="append", choices=sorted(FIGURES), metavar="NAME", default=[],
        help=f"measure only this figure; may be repeated: {', '.join(FIGURES)}",
    )  # fmt: skip
    top.add_argument(
        "--kernel-series", action="append", choices=sorted(SERIES), dest="series", default=[],
        help=f"measure on this kernel; may be repeated (default: all figures on {DEFAULT_SERIES}, "
        f"and {', '.join(ON_BOTH)} on the newest)",
    )  # fmt: skip
    top.add_argument("--runs", type=_positive, metavar="N", help="runs of each row")
    top.add_argument(
        "--jobs", type=_positive, metavar="N",
        help="guests at a time (default: 2 if processors and memory suffice)",
    )  # fmt: skip
    either = top.add_mutually_exclusive_group()
    either.add_argument("--anew", action="store_true", help="measure again what has results")
    either.add_argument(
        "--write-only", action="store_true", help="only write the documents from the results"
    )
    top.add_argument(
        "--list", action="store_true", help="only print what would be measured, and how long"
    )
    top.add_argument(
        "--output", type=Path, metavar="DIR",
        help="where the documents go (default: doc/; of real machines: the build directory)",
    )  # fmt: skip
    top.add_argument(
        "--build", type=Path, default=PROJECT / "build", metavar="DIR",
        help="the project's build directory, which keeps the runs (default: build/)",
    )  # fmt: skip
    top.add_argument("--cache", type=Path, default=default_dir(), metavar="DIR",
                     help="the cache of kernels and images (default: %(default)s)")  # fmt: skip
    machines.add_options(top)
    top.add_argument("-v", "--verbose", action="store_true", help="print more")
    return top


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least 1")
    return int(text)


def guests(wanted: int | None, processors: int | None = None, memory: int | None = None) -> int:
    """Return how many guests run at a time: two if processors and memory (MiB) suffice."""
    if wanted:
        return wanted
    memory = available_memory() if memory is None else memory
    most = (processors or os.cpu_count() or 1, memory // (MEMORY_MIB + SPARE_MIB))
    return max(1, min(USUAL_JOBS, *most))


def chosen(args: argparse.Namespace) -> list[tuple[str, list[Figure]]]:
    """Return the figures to measure, by kernel series."""
    named = [FIGURES[name] for name in FIGURES if name in args.figure]
    first = named or list(FIGURES.values())
    if args.series:
        return [(series, first) for series in dict.fromkeys(args.series)]
    return [(DEFAULT_SERIES, first), ("newest", named or [FIGURES[name] for name in ON_BOTH])]


def options(args: argparse.Namespace, series: str) -> Options:
    """Return the lab's options for a kernel."""
    return Options(
        cache=args.cache.expanduser(), build=args.build, stock=False, series=series, kernel=None,
        modules=None, timeout=None, memory=MEMORY_MIB, cpus=CPUS, kvm="off", icount=True,
    )  # fmt: skip


def listed(args: argparse.Namespace, data: Data) -> Iterable[str]:
    """Yield what would be measured on each kernel, if that of the results is still the newest."""
    for series, figures in chosen(args):
        modules = edits_key(series)
        version = next((r.fields["kernel"] for r in data.of(series)), "of which there are no runs")
        store = Store(args.build / TOP / f"{version}-{modules[:SHORT]}")
        campaign = Campaign(data, series, version, modules, store, args.runs)
        yield f"in the lab, kernel {series} ({version})"
        yield from table_of(campaign, figures, PACE / guests(args.jobs))


def table_of(campaign: Campaign, figures: Iterable[Figure], pace: float) -> Iterable[str]:
    """Yield a line for each figure; pace: seconds for each second of a row."""
    yield "  {:12} {:>6} {:>6} {:>8} {:>8}".format(*HEADINGS)
    for figure in figures:
        rows = campaign.rows(figure)
        todo = campaign.todo(rows)
        about = minutes((row for row, _ in todo), pace) if todo else 0
        runs = sum(row.runs for row in rows)
        yield f"  {figure.name:12} {len(rows):6} {runs:6} {len(todo):8} {about:8}"


def run(args: argparse.Namespace, ui: Ui) -> int:
    """Measure what is missing and write the documents; return 1 if a row failed."""
    machines.check(args)
    if args.host:
        if args.list:
            print("\n".join(machines.listed(args, table_of)))
            return 0
        return machines.run(args, ui)
    output = args.output or PROJECT / "doc"
    results = output / page.RESULTS
    data = Data.read(results)
    if args.list:
        print("\n".join(listed(args, data)))
        return 0
    status = 0
    if not args.write_only:
        if not (args.build / "nvme-cli/nvme").exists():
            raise ToolError(f"{args.build / 'nvme-cli/nvme'}: not found; run `make` first")
        for series, figures in chosen(args):
            campaign = LabCampaign(
                Lab(options(args, series), ui), data, runs=args.runs, jobs=guests(args.jobs)
            )
            if args.anew:
                campaign.forget([row for f in figures for row in campaign.rows(f)])
            if not sum(campaign.measure(figure) for figure in figures):
                ui.say(
                    f"{series}: all rows have results; --anew (make compare ANEW=1) repeats them"
                )
            data.write(results)
            status |= say_failures(campaign, ui)
    for path in page.write(data, output):
        ui.say(f"written: {path}")
    return status


def main(argv: Sequence[str] | None = None) -> int:
    """Run; return the exit status: 1 if a row failed, 2 if nothing could be measured."""
    top = parser()
    args = top.parse_args(argv)
    if args.list and args.write_only:
        top.error("argument --list: not allowed with argument --write-only")
    leave_on_signals()
    ui = Ui(verbose=args.verbose)
    again = "what was measured is kept, and the same command goes on from there (without --anew)"
    try:
        return run(args, ui)
    except PreflightError as error:
        for text in error.texts:
            sys.stderr.write(f"compare: {text}\n")
        sys.stderr.write("compare: nothing was measured, and nothing is left there\n")
        return 2
    except (ToolError, DataError, OSError) as error:
        sys.stderr.write(failure("compare", error, again) + "\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(f"compare: interrupted; {again}\n")
        return 130
