# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs on disk: a file for each, so that what was ended goes on where it stopped.

A run's file is KEY.N.json. The guest writes them one by one, as a whole or not at all, into the
results of its boot; they are brought here after the boot, and before the next one if it was ended.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from .rows import Row

#: Below a boot's results.
RUNS = "runs"

_RUN = re.compile(r"(?P<key>.+)\.(?P<number>\d+)\.json")

Run = dict[str, Any]


class StoreError(Exception):
    """A file of a run is not what the guest writes."""


class Store:
    """The runs of one kernel."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)

    def harvest(self, boots: Iterable[Path]) -> int:
        """Moves here what the guests of these boots have written; returns how many runs."""
        count = 0
        for path in sorted(file for boot in boots for file in (boot / RUNS).glob("*.json")):
            # across file systems a move is no single step
            partial = self.top / f"{path.name}.partial"
            shutil.copyfile(path, partial)
            partial.rename(self.top / path.name)
            path.unlink()
            count += 1
        return count

    def take(self, key: str, row: object, runs: Iterable[Run]) -> int:
        """Keeps runs of a row that were measured elsewhere and are not here; returns how many."""
        count = 0
        for run in runs:
            path = self.top / f"{key}.{int(run['run'])}.json"
            if not path.exists():
                path.write_text(json.dumps({"row": row, **run}))
                count += 1
        return count

    def forget(self, keys: Collection[str]) -> None:
        """Removes all runs of these rows."""
        for path in self.top.glob("*.json"):
            match = _RUN.fullmatch(path.name)
            if match and match["key"] in keys:
                path.unlink()

    def runs(self, row: Row) -> list[Run]:
        """The runs of a row that were measured, in the order of their numbers."""
        return [run for _, run in self._numbered(row) if "error" not in run]

    def errors(self, row: Row) -> list[str]:
        """Why runs of a row failed; they count as missing."""
        return [str(run["error"]) for _, run in self._numbered(row) if "error" in run]

    def missing(self, row: Row) -> list[int]:
        """The numbers of the runs that are still to be measured."""
        there = {number for number, run in self._numbered(row) if "error" not in run}
        return [number for number in range(1, row.runs + 1) if number not in there]

    def todo(self, rows: Iterable[Row]) -> list[tuple[Row, int]]:
        """What is to be measured of these rows, each once, by what they want set up.

        So what is ended leaves rows that are whole, and links are set up once. The guest's clock
        does not drift: runs of a row need not lie far apart.
        """
        unique = {row.key: row for row in rows}
        places: dict[object, int] = {}
        for row in unique.values():
            places.setdefault(row.place, len(places))
        found = [(row, number) for row in unique.values() for number in self.missing(row)]
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
                raise StoreError(f"{path}: {error}: delete it, and it is measured again") from None
            if not isinstance(run, dict):
                raise StoreError(f"{path}: no object: delete it, and it is measured again")
            found.append((int(match["number"]), run))
        return sorted(found, key=lambda pair: pair[0])


def plan_document(todo: Sequence[tuple[Row, int]]) -> str:
    """Writes what a boot is to measure, as test/lab/measure.py reads it."""
    return json.dumps([{"row": row.as_json(), "run": run} for row, run in todo], indent=1)
