# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots guests until every row has its runs, or until nothing more can be had."""

from __future__ import annotations

import dataclasses
import itertools
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from nvmelab import sidebyside
from nvmelab.kernel import patches_key
from nvmelab.runner import Lab, Result

from .figures import Figure
from .results import IDENTITY, Results, kernel_in
from .rows import Row
from .store import plan_document

SCRIPT = "/project/test/lab/measure.py"

#: A boot's time limit, in s: for itself, for each run, and for each second of fio's. Emulation on a
#: busy machine is slow; a run that hangs is ended by its own limits in the guest.
LIMITS = (300.0, 180.0, 20.0)

#: What a run takes beside fio, in s of the guest's clock: connecting above all.
SET_UP_S = 3.0

#: Seconds of a processor for each of these, about: where the guest is idle its clock leaps.
PACE = 0.5


def boot_name(series: str) -> str:
    """Under which a boot's results are kept, or with a number behind it."""
    return f"compare-{series}"


class Campaign(Results):
    """Measures figures on one kernel."""

    def __init__(
        self, lab: Lab, top: Path, *, long: bool = False, runs: int | None = None, jobs: int = 1
    ) -> None:
        self.lab = lab
        kernel, _ = lab.prepare(lab.wanted)
        series = lab.wanted.series
        # other patches are another kernel
        found = kernel_in(top, series, kernel.version, patches_key(series))
        (found.store.top / IDENTITY).touch()
        super().__init__(found, long, runs)
        self.name = boot_name(series)
        self.jobs = jobs
        self.measured = 0
        self.trouble: list[str] = []

    def measure(self, figure: Figure) -> None:
        """Measures what a figure lacks. What fails is tried once, and noted."""
        tried: set[tuple[str, int]] = set()
        while True:
            self.harvest()
            rows = self.rows(figure)
            todo = [
                pair for pair in self.kernel.store.todo(rows) if (pair[0].key, pair[1]) not in tried
            ]
            if not todo:
                break
            # nvme-core takes multipath when it is loaded: a boot has one setting of it
            first = todo[0][0].setup.multipath
            batch = [pair for pair in todo if pair[0].setup.multipath == first]
            have = sum(len(self.kernel.store.runs(row)) for row in rows)
            self.lab.ui.say(
                f"{figure.name}: {len(todo)} runs to measure, {have} are there "
                f"({self.kernel.version}); {minutes(todo, self.jobs)} on quiet processors"
            )
            self.boots(batch)
            self.measured += len(batch)
            tried |= {(row.key, number) for row, number in batch}
        for row in rows:
            if self.kernel.store.missing(row):
                errors = self.kernel.store.errors(row)
                self.failed[row.key] = errors or ["the guest ended before it"]

    def boots(self, todo: Sequence[tuple[Row, int]]) -> None:
        """Boots guests side by side that measure this, and takes what they left."""
        tasks = [partial(self.boot, part) for part in shared(todo, self.jobs)]
        results = sidebyside.run(tasks, self.jobs, sys.stdout.buffer)
        self.kernel.store.harvest([result.directory for result in results])
        for result in results:
            # a run that failed makes the guest's status 1, and is noted by itself
            if result.status not in (0, 1):
                trouble = f"a boot ended with status {result.status}: {result.directory}"
                self.trouble.append(trouble)

    def boot(self, todo: Sequence[tuple[Row, int]], out: BinaryIO) -> Result:
        """Boots a guest that measures this."""
        with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
            Path(scratch, "plan.json").write_text(plan_document(todo))
            options = dataclasses.replace(self.lab.options, extra=Path(scratch))
            return Lab(options, self.lab.ui).run(
                self.name, [["python3", SCRIPT, "/extra/plan.json"]], timeout=limit(todo),
                icount=True, out=out,
            )  # fmt: skip

    def harvest(self) -> None:
        """Takes what a boot left that was ended from outside, before the next one clears it."""
        boots = (self.lab.options.build / "lab-results").glob(f"{self.name}*")
        self.kernel.store.harvest(boots)


def weight(row: Row) -> float:
    """Seconds of the guest's clock that a run of a row takes, about."""
    return SET_UP_S + row.load.ramp + row.load.seconds


def minutes(todo: Sequence[tuple[Row, int]], jobs: int) -> str:
    """How long it takes so many guests to measure this, if nothing else wants their processors."""
    return f"about {whole_minutes((row for row, _ in todo), PACE / jobs)} min"


def whole_minutes(rows: Iterable[Row], pace: float) -> int:
    """How long it takes to measure these, at least one; pace: seconds for each of a row's."""
    return max(1, round(pace * sum(map(weight, rows)) / 60))


def shared(todo: Sequence[tuple[Row, int]], jobs: int) -> list[list[tuple[Row, int]]]:
    """Deals runs out to so many guests, which are to end at about the same time.

    Runs that want the same set up stay together and in their order.
    """
    parts: list[list[tuple[Row, int]]] = [[] for _ in range(jobs)]
    loads = [0.0] * jobs
    for _, group in itertools.groupby(todo, key=lambda pair: (pair[1], pair[0].place)):
        found = list(group)
        least = loads.index(min(loads))
        parts[least] += found
        loads[least] += sum(weight(row) for row, _ in found)
    return [part for part in parts if part]


def limit(todo: Sequence[tuple[Row, int]]) -> float:
    """Seconds after which a boot with this to do is ended."""
    boot, run, second = LIMITS
    return boot + sum(run + second * (row.load.ramp + row.load.seconds) for row, _ in todo)
