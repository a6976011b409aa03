# SPDX-License-Identifier: GPL-2.0-or-later
"""What fio's log of single requests tells: when each was completed, and how fast that was.

On slow links a request takes seconds and requests end in bursts: whether a count of some seconds
has one burst more or less decides its result. fio begins to count when the first request after
ramp_time ends, so that it has one more. Only the standard library is imported.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: fio's directions, by its number.
WAYS = ("read", "write")


@dataclass(frozen=True)
class Request:
    """A request that was completed: when (ms, the clock of the day), how long it took (ns)."""

    time: int
    latency: int
    way: str
    size: int


def logged(directory: Path) -> list[Request]:
    """Reads the logs of all jobs that fio left in a directory (write_lat_log), in order."""
    found = []
    for log in directory.glob("*_lat.*.log"):
        for line in log.read_text().splitlines():
            time, latency, way, size = (int(word) for word in line.split(",")[:4])
            found.append(Request(time, latency, WAYS[way], size))
    return sorted(found, key=lambda request: request.time)


def completions(requests: Iterable[Request], begin: float) -> list[int]:
    """When requests were completed, in ms since ``begin`` (s, the clock of the day)."""
    return [max(0, request.time - round(begin * 1000)) for request in requests]


def rate(requests: Iterable[Request], begin: float, seconds: float) -> float:
    """Bytes/s in the seconds after ``begin`` (s, the clock of the day).

    It is the slope of the line that comes nearest to all bytes completed over time (least squares):
    a request counts most in the middle and nothing at both ends, by 6 t (T - t) / T^3. Whether one
    is just inside or outside makes no difference then.
    """
    times = ((request.time / 1000 - begin, request.size) for request in requests)
    weighted = sum(size * t * (seconds - t) for t, size in times if 0 <= t <= seconds)
    return 6 * weighted / seconds**3


def percentile(values: Sequence[int], share: float) -> int:
    """The least of these values that ``share`` percent of them do not exceed; they are sorted."""
    return values[max(0, -int(-len(values) * share // 100) - 1)]


def of_requests(
    requests: Sequence[Request], begin: float, seconds: float, ways: Iterable[str],
    percentiles: Iterable[float],
) -> dict[str, Any]:  # fmt: skip
    """What is kept of a run: bytes/s and requests/s by direction, and latency in ns.

    Latency is that of requests completed in the same seconds; a direction without any is an error,
    because there is no latency then.
    """
    found: dict[str, Any] = {}
    for way in ways:
        mine = [r for r in requests if r.way == way and 0 <= r.time / 1000 - begin <= seconds]
        if not mine:
            raise AssertionError(f"no {way} was completed in {seconds:g} s")
        speed = rate(mine, begin, seconds)
        times = sorted(request.latency for request in mine)
        found[way] = {
            "bw": speed,
            "iops": speed / mine[0].size,
            "latency": {f"{p:g}": percentile(times, p) for p in percentiles},
        }
    return found
