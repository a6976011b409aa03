# SPDX-License-Identifier: GPL-2.0-or-later
"""Measure rows: keep each run on disk, and boot guests until no run is missing.

A run's file is KEY.N.json. The guest writes it whole or not at all into the results of its boot,
and it is collected from there: an interrupted command goes on where it stopped.
"""

import dataclasses
import itertools
import json
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO

from nvmelab import sidebyside
from nvmelab.kernel import edits_key
from nvmelab.runner import Lab
from nvmelab.runner import Result as Boot
from nvmetools.ui import Ui

from .data import Data, DataError, Run
from .figures import PUBLISHED_SHARE, Figure, calibration, delay_for
from .rows import Row

#: Below the build directory, and below a boot's results.
TOP, RUNS = "compare", "runs"

SCRIPT = "/project/test/lab/measure.py"

#: A boot's time limit in s: for itself, for each run, and for each second of fio. Emulation on a
#: busy machine is slow; a run that hangs is ended by its own limits in the guest.
LIMITS = (300.0, 180.0, 20.0)

#: What a run takes besides fio, in s of the guest's clock, and the processor seconds of each.
SET_UP_S = 3.0
PACE = 0.5

#: Length of the key of the modules in results.csv.
SHORT = 8

_RUN = re.compile(r"(?P<key>.+)\.(?P<number>\d+)\.json")


class Store:
    """The runs of one kernel with one set of modules."""

    def __init__(self, top: Path) -> None:
        self.top = top

    def collect(self, boots: Iterable[Path]) -> None:
        """Move the runs of these boots here."""
        self.top.mkdir(parents=True, exist_ok=True)
        for path in sorted(file for boot in boots for file in (boot / RUNS).glob("*.json")):
            # a move to another file system is not atomic
            partial = self.top / f"{path.name}.partial"
            shutil.copyfile(path, partial)
            partial.rename(self.top / path.name)
            path.unlink()

    def forget(self, keys: Collection[str]) -> None:
        for path in self.top.glob("*.json"):
            match = _RUN.fullmatch(path.name)
            if match and match["key"] in keys:
                path.unlink()

    def runs(self, row: Row) -> list[Run]:
        """Return the runs of a row that succeeded, in order."""
        return [run for _, run in self._numbered(row) if "error" not in run]

    def errors(self, row: Row) -> list[str]:
        """Return why runs of a row failed; these count as missing."""
        return [str(run["error"]) for _, run in self._numbered(row) if "error" in run]

    def measured(self, row: Row) -> str:
        """Return the day of the last run."""
        times = [path.stat().st_mtime for path in self.top.glob(f"{row.key}.*.json")]
        return time.strftime("%Y-%m-%d", time.gmtime(max(times)))

    def todo(self, rows: Iterable[Row]) -> list[tuple[Row, int]]:
        """Return the missing runs, grouped by what has to be set up."""
        places: dict[object, int] = {}
        found = []
        for row in {row.key: row for row in rows}.values():
            there = {number for number, run in self._numbered(row) if "error" not in run}
            places.setdefault(row.place, len(places))
            found += [(row, n) for n in range(1, row.runs + 1) if n not in there]
        return sorted(found, key=lambda pair: (places[pair[0].place], pair[1]))

    def _numbered(self, row: Row) -> list[tuple[int, Run]]:
        found = []
        for path in self.top.glob(f"{row.key}.*.json"):
            match = _RUN.fullmatch(path.name)
            if not match or match["key"] != row.key or int(match["number"]) > row.runs:
                continue
            try:
                run = json.loads(path.read_text())
            except ValueError as error:
                raise DataError(f"{path}: {error}: delete it, and it is measured again") from None
            if not isinstance(run, dict):
                raise DataError(f"{path}: no object: delete it, and it is measured again")
            found.append((int(match["number"]), run))
        return sorted(found, key=lambda pair: pair[0])


class Campaign:
    """Rows on one kernel: which are measured, which are missing, which failed."""

    def __init__(
        self, data: Data, series: str, version: str, modules: str, store: Store,
        runs: int | None = None,
    ) -> None:  # fmt: skip
        self.data, self.store, self.runs = data, store, runs
        self.series, self.version, self.modules = series, version, modules[:SHORT]
        self.failed: dict[str, str] = {}

    def rows(self, figure: Figure) -> tuple[Row, ...]:
        """Return the rows of a figure that are known so far, each once."""
        found = {row.key: row for row in figure.rows(self.delay())}.values()
        return tuple(dataclasses.replace(r, runs=self.runs) if self.runs else r for r in found)

    def delay(self) -> float | None:
        """Return the delay of the links with loss; None until calibration is measured."""
        return calibrated(self.data, self.series)

    def todo(self, rows: Iterable[Row]) -> list[tuple[Row, int]]:
        """Return the missing runs; results count if kernel, modules and number of runs match."""
        return self.store.todo(row for row in rows if not self._is_measured(row))

    def _is_measured(self, row: Row) -> bool:
        result = self.data.find(self.series, row)
        return (
            result is not None
            and (result.fields["kernel"], result.fields["modules"]) == (self.version, self.modules)
            and result["runs"] >= row.runs
        )

    def add_results(self, rows: Iterable[Row]) -> None:
        """Add the results of rows whose runs are all there."""
        for row in rows:
            if self._is_measured(row):
                continue
            if self.store.todo([row]):
                self.failed[row.key] = (self.store.errors(row) or ["it was not measured"])[0]
                continue
            self.failed.pop(row.key, None)
            self.data.add(
                row, self.store.runs(row), series=self.series, kernel=self.version,
                modules=self.modules, measured=self.store.measured(row),
            )  # fmt: skip

    def forget(self, rows: Iterable[Row]) -> None:
        """Forget the results of rows, so that they are measured again."""
        keys = {row.key for row in rows}
        self.store.forget(keys)
        self.data.forget(self.series, keys)


def calibrated(data: Data, series: str) -> float | None:
    """Return the delay at which tcp has its published share of lossy links, or None."""
    found = {delay: data.find(series, row) for delay, row in calibration().items()}
    speeds = {delay: result["mib_s"] for delay, result in found.items() if result}
    if len(speeds) < len(found):
        return None
    clean = speeds.pop(0.0)
    return delay_for(PUBLISHED_SHARE, {delay: speed / clean for delay, speed in speeds.items()})


class LabCampaign(Campaign):
    """Rows that are measured in the lab's guests."""

    def __init__(self, lab: Lab, data: Data, *, runs: int | None = None, jobs: int = 1) -> None:
        self.lab, self.jobs = lab, jobs
        series = lab.wanted.series
        kernel, _ = lab.prepare(lab.wanted)
        modules = edits_key(series)
        store = Store(lab.options.build / TOP / f"{kernel.version}-{modules[:SHORT]}")
        super().__init__(data, series, kernel.version, modules, store, runs)
        self.name = f"compare-{series}"

    def measure(self, figure: Figure) -> int:
        """Measure the missing runs of a figure, each once; return how many there were."""
        tried: set[tuple[str, int]] = set()
        while True:
            # also what an interrupted boot left
            boots = (self.lab.options.build / "lab-results").glob(f"{self.name}*")
            self.store.collect(boots)
            self.add_results(self.rows(figure))
            # calibration may have found the delay of more rows
            rows = self.rows(figure)
            todo = [pair for pair in self.todo(rows) if (pair[0].key, pair[1]) not in tried]
            if not todo:
                return len(tried)
            about = minutes((row for row, _ in todo), PACE / self.jobs)
            self.lab.ui.say(
                f"{figure.name}: {len(todo)} runs to measure on {self.version}, about {about} min "
                "on idle processors"
            )
            tasks = [partial(self._boot, part) for part in shared(todo, self.jobs)]
            for boot in sidebyside.run(tasks, self.jobs, sys.stdout.buffer):
                # a run that failed makes the guest's status 1 and is noted by itself
                if boot.status not in (0, 1):
                    self.failed[str(boot.directory)] = f"the boot ended with status {boot.status}"
            tried |= {(row.key, number) for row, number in todo}

    def _boot(self, todo: Sequence[tuple[Row, int]], out: BinaryIO) -> Boot:
        with tempfile.TemporaryDirectory(prefix="compare-") as scratch:
            Path(scratch, "plan.json").write_text(plan(todo))
            options = dataclasses.replace(self.lab.options, extra=Path(scratch))
            return Lab(options, self.lab.ui).run(
                self.name, [["python3", SCRIPT, "/extra/plan.json"]], timeout=limit(todo),
                icount=True, out=out,
            )  # fmt: skip


def plan(todo: Sequence[tuple[Row, int]]) -> str:
    """Return what a boot is to measure, as test/lab/measure.py reads it."""
    return json.dumps([{"row": row.as_json(), "run": run} for row, run in todo], indent=1)


def weight(row: Row) -> float:
    """Return about how many seconds of the guest's clock a run takes."""
    return SET_UP_S + row.load.ramp + row.load.seconds


def minutes(rows: Iterable[Row], pace: float) -> int:
    """Return about how many minutes these take; pace: seconds for each second of a row."""
    return max(1, round(pace * sum(map(weight, rows)) / 60))


def shared(todo: Sequence[tuple[Row, int]], jobs: int) -> list[list[tuple[Row, int]]]:
    """Deal runs out to guests that end at about the same time; set-ups stay together."""
    parts: list[list[tuple[Row, int]]] = [[] for _ in range(jobs)]
    loads = [0.0] * jobs
    for _, group in itertools.groupby(todo, key=lambda pair: (pair[1], pair[0].place)):
        found = list(group)
        least = loads.index(min(loads))
        parts[least] += found
        loads[least] += sum(weight(row) for row, _ in found)
    return [part for part in parts if part]


def limit(todo: Sequence[tuple[Row, int]]) -> float:
    """Return the seconds after which a boot with these runs is ended."""
    boot, run, second = LIMITS
    return boot + sum(run + second * (row.load.ramp + row.load.seconds) for row, _ in todo)


def say_failures(campaign: Campaign, ui: Ui) -> int:
    """Print what failed; return the exit status."""
    for name, error in campaign.failed.items():
        first = error.split("\n", 1)[0]
        ui.say(f"compare: {campaign.version}: {name} failed: {first}")
    if campaign.failed:
        ui.say("compare: run the same command again to measure only what failed")
    return int(bool(campaign.failed))
