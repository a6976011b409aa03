# SPDX-License-Identifier: GPL-2.0-or-later
"""All of the kernel series' own test, as TAP: what `test/lab/lab sweep [WORD…]` runs in the guest.

Every kind of address, transport, number of paths and I/O policy, on links that lose nothing and on
links that do: 144 points. With words, only the runs that have all of them. Prints TAP version 13
and writes it to /results/sweep.tap.
"""

import functools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from lab import Lab, tap
from lab.selftest import RUNS, Run, perform

RESULT = Path("/results/sweep.tap")


def chosen(words: Sequence[str]) -> list[Run]:
    """The runs whose address, transport and links have all these words."""
    known = {word for run in RUNS for word in (run.way.family, run.way.transport, run.links)}
    unknown = sorted(set(words) - known)
    if unknown:
        raise SystemExit(f"sweep: {unknown[0]}: none of {', '.join(sorted(known))}")
    runs = [r for r in RUNS if set(words) <= {r.way.family, r.way.transport, r.links}]
    if not runs:
        raise SystemExit(f"sweep: no run has {' and '.join(words)}")
    return runs


def main(words: Sequence[str], out: TextIO) -> int:
    """Runs what is chosen; 1 if a point failed."""
    runs = chosen(words)
    with RESULT.open("w") as file:
        report = tap.Report([out, file])
        report.plan(sum(len(run.points()) for run in runs))
        for run in runs:
            report.points(run.points(), functools.partial(in_a_lab, run))
    return int(report.failed > 0)


def in_a_lab(run: Run) -> Iterator[str]:
    """Performs a run on links of its own."""
    with Lab(run.topology()) as lab:
        yield from perform(lab, run)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
