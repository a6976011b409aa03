# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make compare` would measure, said before it does."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from nvmelab.kernel import patches_key

from .figures import Figure
from .machines.possible import absent, real_links
from .machines.run import chosen
from .results import Kernel, Results, earlier
from .rows import LINKS, Row
from .runner import PACE, whole_minutes
from .store import Store

HEADINGS = ("FIGURE", "ROWS", "RUNS", "MISSING", "MINUTES")


def lines_of_lab(
    args: argparse.Namespace, top: Path, wanted: Iterable[tuple[str, Sequence[Figure]]], jobs: int
) -> list[str]:
    """What is measured in the lab, on each kernel.

    Runs count that were measured with today's patches, on the kernel that was last; should Debian
    have a newer one by now, all of them are missing.
    """
    lines: list[str] = []
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        known = {
            results.kernel.series: results
            for results in earlier(top, (), args.long, args.runs)
            if results.kernel.modules == patches_key(results.kernel.series)
        }
        for series, figures in wanted:
            nothing = Kernel(series, "of which there are no runs", "", Store(Path(scratch, series)))
            results = known.get(series) or Results(nothing, args.long, args.runs)
            lines += _table(
                f"in the lab, kernel {series} ({results.kernel.version})",
                results, figures, args.anew, PACE / jobs,
            )  # fmt: skip
    return lines


def lines_of_machines(args: argparse.Namespace) -> list[str]:
    """What is measured between two machines: of new ones, all of it; nobody is asked anything."""
    links = real_links([0] * (len(args.traddr) or LINKS))
    count = len(links.shapes)
    with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
        results = Results(Kernel("machines", "", "", Store(Path(scratch))), args.long, args.runs)
        lines = _table(
            f"from {args.host} to {args.target}, over {count} link{'s' if count > 1 else ''}",
            results, chosen(links, args.figure, args.long), True, 1,
        )  # fmt: skip
    return lines + [f"left out: {left.name}: {left.reason}" for left in absent(count, args.long)]


def _table(
    title: str, results: Results, figures: Iterable[Figure], anew: bool, pace: float
) -> list[str]:
    """A line for each figure; pace is how many seconds one of a row's takes."""
    lines = [title, "  {:12} {:>6} {:>6} {:>8} {:>8}".format(*HEADINGS)]
    for figure in figures:
        rows = results.rows(figure)
        todo: list[Row] = [row for row, _ in results.kernel.store.todo(rows)]
        if anew:
            todo = [row for row in rows for _ in range(row.runs)]
        lines.append(
            f"  {figure.name:12} {len(rows):6} {sum(row.runs for row in rows):6} {len(todo):8} "
            f"{whole_minutes(todo, pace) if todo else 0:8}"
        )
    return lines
