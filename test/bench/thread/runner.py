# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots guests until every row has its runs, or until nothing more can be had."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path

from nvmelab.runner import Lab

from .figures import Figure
from .results import Results, kernel_in
from .rows import Row
from .store import plan_document

SCRIPT = "/project/test/lab/measure.py"

#: A boot's time limit, in s: for itself, for each run, and for each second of fio's. Emulation on a
#: busy machine is slow; a run that hangs is ended by its own limits in the guest.
LIMITS = (300.0, 180.0, 20.0)


class Campaign(Results):
    """Measures figures on one kernel."""

    def __init__(self, lab: Lab, top: Path, *, long: bool = False, runs: int | None = None) -> None:
        self.lab = lab
        kernel, disks = lab.prepare(lab.wanted)
        # the modules' image is named after what is in it: another build is another kernel
        build = disks.modules.stem.rpartition("-")[2]
        place = top / f"{kernel.version}-{build}"
        super().__init__(kernel_in(place, lab.wanted.series, kernel.version), long, runs)
        self.name = f"thread-{lab.wanted.series}"
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
            # one boot at a time: nvme-core takes multipath when it is loaded
            first = todo[0][0].setup.multipath
            batch = [pair for pair in todo if pair[0].setup.multipath == first]
            have = sum(len(self.kernel.store.runs(row)) for row in rows)
            self.lab.ui.say(
                f"{figure.name}: {len(todo)} runs to measure, {have} are there "
                f"({self.kernel.version})"
            )
            self.boot(batch)
            tried |= {(row.key, number) for row, number in batch}
        for row in rows:
            if self.kernel.store.missing(row):
                errors = self.kernel.store.errors(row)
                self.failed[row.key] = errors or ["the guest ended before it"]

    def boot(self, todo: Sequence[tuple[Row, int]]) -> None:
        """Boots a guest that measures this, and takes what it left."""
        with tempfile.TemporaryDirectory(prefix="thread-") as scratch:
            Path(scratch, "plan.json").write_text(plan_document(todo))
            options = dataclasses.replace(self.lab.options, extra=Path(scratch))
            result = Lab(options, self.lab.ui).run(
                self.name, [["python3", SCRIPT, "/extra/plan.json"]], timeout=limit(todo),
                icount=True,
            )  # fmt: skip
        self.kernel.store.harvest([result.directory])
        # a run that failed makes the guest's status 1, and is noted by itself
        if result.status not in (0, 1):
            self.trouble.append(f"a boot ended with status {result.status}: {result.directory}")

    def harvest(self) -> None:
        """Takes what a boot left that was ended from outside, before the next one clears it."""
        boots = (self.lab.options.build / "lab-results").glob(f"{self.name}*")
        self.kernel.store.harvest(boots)


def limit(todo: Sequence[tuple[Row, int]]) -> float:
    """Seconds after which a boot with this to do is ended."""
    boot, run, second = LIMITS
    return boot + sum(run + second * row.load.seconds for row, _ in todo)
