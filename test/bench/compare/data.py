# SPDX-License-Identifier: GPL-2.0-or-later
"""Results: a line of results.csv for each row and direction, made of the row's runs."""

from __future__ import annotations

import csv
import itertools
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .rows import OVER_TIME, Row

Run = dict[str, Any]

MIB, GIB = 1 << 20, 1 << 30

#: Full speed again is this part of the speed before, over so many ms.
FULL, WINDOW_MS = 0.9, 1000

PERCENTILES = {"p50_ms": "50", "p99_ms": "99", "p99_9_ms": "99.9"}

#: Metrics with their lowest and highest run; of the others, the median is kept.
SPREAD = ("mib_s", "pause_ms", "out_percent", "first_percent")

FACTS = (
    "series", "kernel", "modules", "measured", "runs", "kind", "setup", "links", "rw", "bs_kib",
    "depth", "jobs", "seconds", "direction",
)  # fmt: skip
METRICS = (
    "mib_s", *PERCENTILES, "pause_ms", "before_mib_s", "out_mib_s", "out_percent", "first_percent",
    "rest_percent", "recovery_s", "connect_ms", "memory_kib", "idle", "cpu_s_per_gib",
    "resent_per_1000", "timeouts", "reinjected", "no_room",
)  # fmt: skip
COLUMNS = (
    *FACTS,
    *(f"{m}{end}" for m in METRICS for end in (("", "_low", "_high") if m in SPREAD else ("",))),
    "link_percent", "subflows", "key",
)  # fmt: skip


class DataError(Exception):
    """results.csv or a run is not what this package writes."""


@dataclass(frozen=True)
class Result:
    """A line of results.csv."""

    fields: Mapping[str, str]

    def __getitem__(self, name: str) -> float:
        """Return a metric's median; KeyError if it was not measured."""
        if not self.fields[name]:
            raise KeyError(f"{self.fields['key']} has no {name}")
        return float(self.fields[name])

    def has(self, name: str) -> bool:
        return bool(self.fields[name])


class Data:
    """All results, by series, row and direction."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        self._results: dict[tuple[str, str, str], Result] = {}
        for result in results:
            f = result.fields
            self._results[f["series"], f["key"], f["direction"]] = result

    def __iter__(self) -> Iterator[Result]:
        return iter(self._results.values())

    @classmethod
    def read(cls, path: Path) -> Data:
        """Read results.csv; there are no results if there is no file."""
        if not path.exists():
            return cls()
        with path.open(newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != COLUMNS:
                raise DataError(f"{path}: unknown columns; restore or delete the file")
            return cls(Result(line) for line in reader)

    def write(self, path: Path) -> None:
        """Write results.csv, sorted, so that a row that is measured again changes its line only."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._results[key].fields for key in sorted(self._results))

    def find(self, series: str, row: Row, direction: str = "") -> Result | None:
        """Return the result of a row, by default in its main direction."""
        return self._results.get((series, row.key, direction or row.load.directions()[0]))

    def of(self, series: str) -> list[Result]:
        """Return all results of a kernel series."""
        return [result for (name, _, _), result in self._results.items() if name == series]

    def forget(self, series: str, keys: Collection[str]) -> None:
        self._results = {
            (name, key, way): result for (name, key, way), result in self._results.items()
            if name != series or key not in keys
        }  # fmt: skip

    def add(self, row: Row, runs: Sequence[Run], **facts: str) -> None:
        """Add or replace a row's results."""
        for fields in _lines(row, runs):
            result = Result({**dict.fromkeys(COLUMNS, ""), **fields, **facts})
            self._results[facts["series"], row.key, fields["direction"]] = result


def _lines(row: Row, runs: Sequence[Run]) -> Iterator[dict[str, str]]:
    load = row.load
    subflows = {count for run in runs for count in run.get("subflows", ())}
    facts = {
        "runs": len(runs), "kind": row.kind, "setup": row.setup.name, "links": row.links.name,
        "rw": load.rw, "bs_kib": load.bs, "depth": load.depth, "jobs": load.jobs,
        "seconds": load.seconds, "key": row.key,
        "subflows": " ".join(map(str, sorted(subflows))),
    }  # fmt: skip
    if row.kind != "connect":
        facts["link_percent"] = " ".join(f"{100 * share:.0f}" for share in link_shares(runs))
    for way in load.directions():
        found = {k: str(v) for k, v in facts.items()} | {"direction": way}
        for name, metric in METRIC.items():
            values = [value for run in runs if (value := metric(row, run, way)) is not None]
            # one run without it, such as one that never reached full speed again, is worse than all
            if len(values) < len(runs) or not values:
                continue
            found[name] = shown(statistics.median(values))
            if name in SPREAD:
                found[f"{name}_low"], found[f"{name}_high"] = map(shown, (min(values), max(values)))
        yield found


def shown(value: float) -> str:
    """Return a number with four significant digits."""
    return f"{float(f'{value:.4g}'):.10g}"


Metric = Callable[[Row, Run, str], float | None]


def longest_pause(completions: Sequence[float], since: float, until: float) -> float:
    """Return the longest time in ms between two completions that ends after ``since``.

    The end of the run counts as a completion: I/O that stands still has paused until then.
    """
    times = [0.0, *sorted(completions), until]
    return max((b - a for a, b in itertools.pairwise(times) if b > since), default=0.0)


def completed(completions: Sequence[float], since: float, until: float) -> float:
    """Return the mean number of completions in a millisecond of this time."""
    return sum(1 for t in completions if since <= t < until) / (until - since)


def full_again(completions: Sequence[float], pulled: float, back: float) -> float | None:
    """Return the time in ms from the cable's return until a second of full speed, or None."""
    wanted = FULL * completed(completions, WINDOW_MS, pulled)
    begin, last = back, max(completions, default=0.0)
    while wanted and begin + WINDOW_MS <= last:
        if completed(completions, begin, begin + WINDOW_MS) >= wanted:
            return begin - back
        begin += 100
    return None


def _fio(metric: Callable[[Run, str], float]) -> Metric:
    return lambda row, run, way: metric(run, way) if row.kind == "fio" else None


def _connect(metric: Callable[[Row, Run], float]) -> Metric:
    return lambda row, run, _: metric(row, run) if row.kind == "connect" else None


def _counted(metric: Callable[[Run], float | None]) -> Metric:
    return lambda row, run, _: None if row.kind == "connect" else metric(run)


def _over_time(metric: Callable[[Row, Run], float | None]) -> Metric:
    return lambda row, run, _: metric(row, run) if row.kind in OVER_TIME else None


def _speed(row: Row, run: Run, begin: float, end: float) -> float:
    return completed(run["completions"], begin, end) * row.load.bs * 1024 * 1000 / MIB


def _before(row: Row, run: Run) -> float:
    """Return the speed before the fault, without the second that fio needs to start."""
    return _speed(row, run, WINDOW_MS, run["pulled_ms"])


def _percent(begin: str, after: float, end: str, later: float = 0) -> Metric:
    def part(row: Row, run: Run) -> float:
        speed = _speed(row, run, run[begin] + after, run[end] + later)
        before = _before(row, run)
        return 100 * speed / before if before else 0.0

    return _over_time(part)


def _recovery(_row: Row, run: Run) -> float | None:
    time = full_again(run["completions"], run["pulled_ms"], run["back_ms"])
    return None if time is None else time / 1000


def sent(run: Run) -> int:
    """Return the bytes on all links."""
    return sum(link["rx"] + link["tx"] for link in run["links"])


def idle(run: Run) -> float | None:
    """Return the idle part of the processors, of the busier side; None if the kernel counts none.

    By the lab's clock, some kernels count all processors as idle.
    """
    sides = run["cpu"].get("sides", {"": run["cpu"]}).values()
    if not run["cpu"]["busy"]:
        return None
    return min(max(0.0, 1 - float(side["busy"]) / float(side["total"])) for side in sides)


def _resent(run: Run) -> float:
    """Return retransmissions per 1000 segments of the side that sends most."""
    received = sum(link["rx"] for link in run["links"])
    tcp = run["tcp"]["target" if 2 * received >= sent(run) else "host"]
    return 1000 * int(tcp.get("RetransSegs", 0)) / max(1, int(tcp.get("OutSegs", 0)))


def _sum(family: str, name: str) -> Metric:
    """Return a counter of both sides together."""
    return _counted(lambda run: sum(int(side.get(name, 0)) for side in run[family].values()))


METRIC: Mapping[str, Metric] = {
    "mib_s": _fio(lambda run, way: float(run["fio"][way]["bw"]) / MIB),
    **{
        name: _fio(lambda run, way, p=p: run["fio"][way]["latency"][p] / 1e6)  # type: ignore[misc]
        for name, p in PERCENTILES.items()
    },
    "pause_ms": _over_time(lambda row, run: longest_pause(
        run["completions"], run["pulled_ms"], row.load.seconds * 1000)),
    "before_mib_s": _over_time(_before),
    "out_mib_s": _over_time(lambda row, run: _speed(row, run, run["pulled_ms"], run["back_ms"])),
    "out_percent": _percent("pulled_ms", 0, "back_ms"),
    "first_percent": _percent("pulled_ms", 0, "pulled_ms", WINDOW_MS),
    "rest_percent": _percent("pulled_ms", WINDOW_MS, "back_ms"),
    "recovery_s": _over_time(_recovery),
    "connect_ms": _connect(lambda row, run: float(run["connect_s"]) * 1000 / row.setup.paths),
    "memory_kib": _connect(lambda _, run: float(run["memory"] / 1024 / run["connections"])),
    "idle": _counted(idle),
    "cpu_s_per_gib": lambda row, run, _: (
        run["cpu"]["busy"] / max(1, sent(run)) * GIB
        if row.kind == "fio" and run["cpu"]["busy"] else None
    ),
    "resent_per_1000": _counted(_resent),
    "timeouts": _sum("tcp", "TCPTimeouts"),
    "reinjected": _sum("mptcp", "MPTCPRetrans"),
    "no_room": _sum("mptcp", "NoDSSInWindow"),
}  # fmt: skip


def link_shares(runs: Sequence[Run]) -> list[float]:
    """Return each link's part of all bytes, the median of the runs."""
    rows = [[link["rx"] + link["tx"] for link in run["links"]] for run in runs]
    totals = [statistics.median(column) for column in zip(*rows, strict=True)]
    return [total / sum(totals) for total in totals] if sum(totals) else []
