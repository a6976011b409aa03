# SPDX-License-Identifier: GPL-2.0-or-later
"""What the runs of a row come to: medians with their spread, and the counters behind them."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .rows import OVER_TIME, PULL_S, RETURN_S, Row
from .store import Run

MIB = 1 << 20
GIB = 1 << 30

PERCENTILES = ("50", "99", "99.9")

#: Counters of the kernel that reasons are made of, as nstat calls them.
SENT, AGAIN, TIMEOUTS = "OutSegs", "RetransSegs", "TCPTimeouts"
REORDERED = "TCPSACKReorder"
REINJECTED, NO_ROOM = "MPTCPRetrans", "NoDSSInWindow"

#: Of the speed before, what counts as full speed again, and over how long, in ms.
FULL = 0.9
WINDOW_MS = 1000


@dataclass(frozen=True)
class Value:
    """A median with the least and the most of its runs."""

    median: float
    low: float
    high: float
    mean: float = field(default=0, compare=False)

    @classmethod
    def of(cls, values: Iterable[float]) -> Value:
        """Of one value at least."""
        found = list(values)
        return cls(statistics.median(found), min(found), max(found), statistics.fmean(found))

    def __truediv__(self, divisor: float) -> Value:
        values = (self.median, self.low, self.high, self.mean)
        return Value(*(value / divisor for value in values))


@dataclass(frozen=True)
class Summary:
    """All that is said of a row; what was not measured is missing or empty.

    speed: MiB/s by direction; latency: ms by direction and percentile; idle: part of the
    processors; shares: each link's part of the bytes; rates: bit/s of each link; retransmitted:
    segments of a thousand, reordered: times in as many; answers: segments that the receiving side
    sends for each GiB; windows: segments, by link, of the side
    that sends most.
    """

    row: Row
    runs: int
    speed: Mapping[str, Value] = field(default_factory=dict)
    latency: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    idle: Value | None = None
    cpu_per_gib: Value | None = None
    answers: Value | None = None
    shares: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    retransmitted: Value | None = None
    reordered: Value | None = None
    timeouts: Value | None = None
    reinjected: Value | None = None
    no_room: Value | None = None
    windows: Mapping[int, float] = field(default_factory=dict)
    subflows: tuple[int, ...] = ()
    scheduler: str = ""
    versions: tuple[str, ...] = ()
    pull: Pull | None = None
    connect_ms: Value | None = None
    memory_kib: Value | None = None

    @property
    def total(self) -> float:
        """MiB/s of all directions together."""
        return sum(value.median for value in self.speed.values())

    @property
    def of_links(self) -> float | None:
        """Which part of what the links could carry together the data was; None if unknown.

        Reads and writes go in opposite directions, and links carry as much in each of them.
        """
        rate = self.row.links.rate
        return self.total * self.row.load.part * MIB * 8 / rate if rate else None


@dataclass(frozen=True)
class Pull:
    """A cable pulled: longest pause and time to full speed in s (None: not within the run).

    before, out: MiB/s until the pull and from the pull until the return; part: out by before, of
    each run by itself; first and rest: the same of the first second and of what follows. ``series``
    is MiB/s of each tenth of a second of the run in the middle by its pause.
    """

    pause: Value
    recovery: Value | None
    before: Value
    out: Value
    part: Value
    first: Value
    rest: Value
    series: tuple[float, ...]


def longest_pause(completions: Sequence[float], since: float, until: float) -> float:
    """The longest time in ms between two completions that ends after ``since``.

    The end of the run counts as one: I/O that stands still at the end has paused until then.
    """
    times = [0.0, *sorted(completions), until]
    gaps = [after - before for before, after in itertools.pairwise(times) if after > since]
    return max(gaps, default=0.0)


def completed(completions: Sequence[float], since: float, until: float) -> float:
    """Return the mean number of completions in a millisecond of this time."""
    return sum(1 for t in completions if since <= t < until) / (until - since)


def speed_before(completions: Sequence[float], pulled: float) -> float:
    """Return the same from one second after the start, which fio needs, until the pull."""
    return completed(completions, WINDOW_MS, pulled)


def full_again(completions: Sequence[float], pulled: float, back: float) -> float | None:
    """Time in ms from the cable's return until a second that is as fast as before, or None.

    As fast as before is ``FULL`` of the mean from one second after the start until the pull.
    """
    before = speed_before(completions, pulled)
    wanted = FULL * before * WINDOW_MS
    later = sorted(t for t in completions if t >= back)
    if not later or not before:
        return None
    begin = back
    while begin + WINDOW_MS <= later[-1]:
        inside = sum(1 for t in later if begin <= t < begin + WINDOW_MS)
        if inside >= wanted:
            return begin - back
        begin += 100
    return None


def series(completions: Sequence[float], size: int, seconds: float) -> tuple[float, ...]:
    """MiB/s of each tenth of a second; completions in ms, of ``size`` bytes each."""
    counts = [0] * round(seconds * 10)
    for time in completions:
        place = int(time // 100)
        if 0 <= place < len(counts):
            counts[place] += 1
    return tuple(count * size * 10 / MIB for count in counts)


def summarize(row: Row, runs: Sequence[Run]) -> Summary:
    """Sums the runs of a row up; ValueError if there is none."""
    if not runs:
        raise ValueError(f"{row.key} was not measured")
    if row.kind == "connect":
        return Summary(
            row, len(runs),
            connect_ms=Value.of(run["connect_s"] * 1000 / row.setup.paths for run in runs),
            memory_kib=Value.of(run["memory"] / 1024 / run["connections"] for run in runs),
            subflows=_subflows(runs),
        )  # fmt: skip
    fields: dict[str, Any] = {} if row.kind in OVER_TIME else _of_fio(row, runs)
    sides = [_sender(run) for run in runs]
    return Summary(
        row,
        len(runs),
        idle=Value.of(map(idle_of, runs)) if any(map(counts_work, runs)) else None,
        shares=_shares(runs),
        rates=_rates(runs),
        retransmitted=_of_sent(runs, sides, AGAIN),
        reordered=_of_sent(runs, sides, REORDERED),
        answers=_answers(runs, sides),
        timeouts=_sum(runs, "tcp", TIMEOUTS),
        reinjected=_sum(runs, "mptcp", REINJECTED),
        no_room=_sum(runs, "mptcp", NO_ROOM),
        windows=_windows(runs, sides),
        subflows=_subflows(runs),
        scheduler=str(runs[0].get("scheduler", "")),
        # what does not begin with its program's name is the version of something else
        versions=tuple(
            str(v)
            for run in runs
            for name, v in run.get("versions", {}).items()
            if str(v).startswith(name)
        ),
        pull=_pull(row, runs) if row.kind in OVER_TIME else None,
        **fields,
    )


def counts_work(run: Run) -> bool:
    """Did the kernel notice that processors worked? By the lab's clock, some count them as idle."""
    return float(run["cpu"]["busy"]) > 0 if "busy" in run["cpu"] else True


def idle_of(run: Run) -> float:
    """Part of the time that processors were idle; of two machines, those of the busier one."""
    cpu = run["cpu"]
    sides = cpu.get("sides", {"": cpu}).values()
    return min(max(0.0, 1.0 - float(side["busy"]) / float(side["total"])) for side in sides)


def _of_fio(row: Row, runs: Sequence[Run]) -> dict[str, Any]:
    ways = row.load.directions()
    return {
        "speed": {way: Value.of(run["fio"][way]["bw"] for run in runs) / MIB for way in ways},
        "latency": {
            way: {p: Value.of(run["fio"][way]["latency"][p] for run in runs) / 1e6
                  for p in PERCENTILES}
            for way in ways
        },
        # of the same window, by what passed the links
        "cpu_per_gib": Value.of(
            run["cpu"]["busy"] / max(1, sum(map(_bytes, run["links"]))) * GIB for run in runs
        ) if any(map(counts_work, runs)) else None,
    }  # fmt: skip


def _bytes(link: Mapping[str, int]) -> int:
    return link["rx"] + link["tx"]


def _sender(run: Run) -> str:
    """The side that sends most: the target while the host reads."""
    received = sum(link["rx"] for link in run["links"])
    return "target" if received >= sum(link["tx"] for link in run["links"]) else "host"


def _tcp(run: Run, side: str, name: str) -> int:
    return int(run["tcp"][side].get(name, 0))


def _of_sent(runs: Sequence[Run], sides: Sequence[str], name: str) -> Value:
    """A counter of the side that sends most, by a thousand segments that it sent."""
    return Value.of(
        1000 * _tcp(run, side, name) / max(1, _tcp(run, side, SENT))
        for run, side in zip(runs, sides, strict=True)
    )


def _answers(runs: Sequence[Run], sides: Sequence[str]) -> Value:
    """Segments that the side sends back that receives most, acknowledgements above all, by GiB."""
    other = {"host": "target", "target": "host"}
    return Value.of(
        _tcp(run, other[side], SENT) / max(1, sum(map(_bytes, run["links"]))) * GIB
        for run, side in zip(runs, sides, strict=True)
    )


def _sum(runs: Sequence[Run], family: str, name: str) -> Value:
    """A counter of both sides together."""
    return Value.of(sum(int(side.get(name, 0)) for side in run[family].values()) for run in runs)


def _by_link(runs: Sequence[Run], value: Callable[[Run, Mapping[str, int]], float]) -> list[float]:
    rows = [[value(run, link) for link in run["links"]] for run in runs]
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def _shares(runs: Sequence[Run]) -> tuple[float, ...]:
    totals = _by_link(runs, lambda run, link: _bytes(link))
    whole = sum(totals)
    return tuple(total / whole for total in totals) if whole else ()


def _rates(runs: Sequence[Run]) -> tuple[float, ...]:
    """Of the direction that carries most, with headers."""
    return tuple(_by_link(runs, lambda run, link: 8 * max(link.values()) / float(run["window_s"])))


def _windows(runs: Sequence[Run], sides: Sequence[str]) -> dict[int, float]:
    """Congestion windows of the sending side, by link: the median of subflows with traffic."""
    found: dict[int, list[float]] = {}
    for run, side in zip(runs, sides, strict=True):
        for link, window in run["windows"][side]:
            found.setdefault(int(link), []).append(window)
    return {link: statistics.median(found[link]) for link in sorted(found)}


def _subflows(runs: Sequence[Run]) -> tuple[int, ...]:
    """Which numbers of subflows connections had, in any run."""
    return tuple(sorted({int(count) for run in runs for count in run.get("subflows", ())}))


def _pull(row: Row, runs: Sequence[Run]) -> Pull:
    pauses = [
        longest_pause(run["completions"], run["pulled_ms"], row.load.seconds * 1000) / 1000
        for run in runs
    ]
    recoveries = [full_again(run["completions"], run["pulled_ms"], run["back_ms"]) for run in runs]
    before = [speed_before(run["completions"], run["pulled_ms"]) for run in runs]

    moments = [(run["pulled_ms"], run["pulled_ms"] + WINDOW_MS, run["back_ms"]) for run in runs]

    def speeds(begin: int, end: int) -> list[float]:
        """Return the speed of each run between two of its moments."""
        return [completed(run["completions"], of_run[begin], of_run[end])
                for run, of_run in zip(runs, moments, strict=True)]  # fmt: skip

    def parts(found: Sequence[float]) -> Value:
        return Value.of(s / b if b else 0.0 for s, b in zip(found, before, strict=True))

    out = speeds(0, 2)
    mib_s = row.load.bs * 1024 * 1000 / MIB
    middle = sorted(range(len(runs)), key=lambda i: pauses[i])[len(runs) // 2]
    there = [time / 1000 for time in recoveries if time is not None]
    # a run that never got there is slower than all that did
    whole = len(there) == len(runs)
    return Pull(
        Value.of(pauses),
        Value.of(there) if whole else None,
        Value.of(speed * mib_s for speed in before),
        Value.of(speed * mib_s for speed in out),
        parts(out),
        parts(speeds(0, 1)),
        parts(speeds(1, 2)),
        series(runs[middle]["completions"], row.load.bs * 1024, row.load.seconds),
    )


__all__ = ["PULL_S", "RETURN_S", "Pull", "Summary", "Value", "summarize"]
