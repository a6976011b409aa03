# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives a row wherever it is measured: in the lab's guest, or on two real machines.

A ``Site`` is the small interface between what is done, which is here, and where. Each run ends as
a file, with what fio said and what the kernel counted meanwhile; one that fails leaves a file with
the reason, and the next one begins. Only the standard library is imported, and what the guest has.
"""

import json
import math
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from nvmelab.waiting import wait_until
from nvmetools import ToolError

from .requests import logged, of_requests
from .rows import READS, Row

#: fio's percentiles.
PERCENTILES = (50, 99, 99.9)

#: Seconds by which counters are read before fio ends, or by which fio ends later.
EARLIER_S, LONGER_S = 0.2, 1

#: Seconds between looks at the subflows.
PAUSE_S = 0.33

#: Bytes on the links by which fio is seen to have begun.
BEGUN = 64 << 10


class SiteLost(ToolError):
    """The place is gone, so that no further row can be measured there."""


class Reading(Protocol):
    """What the kernel has counted until now."""

    def since(self, before: Any) -> dict[str, Any]:
        """What was counted since an earlier one: window_s, cpu, links, tcp, mptcp."""


class Site(Protocol):
    """Where a row is measured, set up as the row has it."""

    row: Row
    #: Processors of the host, and MiB of the disk.
    cpus: int
    disk_mib: int
    #: Whether requests are so slow that they are counted one by one, by the clock of this process.
    slow: bool

    def connect(self) -> float:
        """Connects as many controllers as the row has, over the links in turn; takes so many s."""

    def queues(self) -> int:
        """How many queues all of these have together, admin queues included."""

    def disconnect(self) -> None:
        """Disconnects them, and waits until they are gone."""

    def disk(self) -> str:
        """The disk that fio uses, once all paths lead to it."""

    def subflows(self) -> Mapping[str, int]:
        """How many subflows each connection has now, by its token."""

    def available(self) -> int:
        """Bytes of memory that are to be had, of both sides."""

    def traffic(self) -> int:
        """Bytes that have passed the links."""

    def counters(self) -> Reading:
        """All that is counted, as it is now."""

    def windows(self) -> dict[str, list[tuple[int, int]]]:
        """Congestion windows of subflows with traffic: by side, each with its link."""

    def fio(self, disk: str, options: Mapping[str, object]) -> dict[str, Any]:
        """Runs one job; returns its part of fio's JSON."""

    def unsteady(self) -> AbstractContextManager[None]:
        """Has links do meanwhile what the row wants of them."""


class Stand(Protocol):
    """What stands for as long as the next run wants the same."""

    def bench(self, row: Row) -> Site:
        """Returns the site as a row wants it."""

    def clear(self) -> None:
        """Takes it down, so that the next run does not meet what this one has left."""

    def facts(self) -> dict[str, Any]:
        """What every run notes of the place: kernel, cpus, versions, scheduler."""


def subflows(site: Site) -> list[int]:
    """How many subflows each connection has, once that does not change for a second.

    It is a second and three round trips of the farthest link.
    """
    row = site.row
    if not row.setup.has_subflows:
        return []
    seen: list[Mapping[str, int]] = []
    # joining takes one and a half round trips, and the first of them what announcing takes
    farthest = max(shape.delay for shape in row.links.shapes) / 1000
    alike = 4 + math.ceil(6 * farthest / PAUSE_S)

    def quiet() -> bool:
        seen.append(site.subflows())
        return len(seen) >= alike and all(s == seen[-1] for s in seen[-alike:]) and bool(seen[-1])

    wait_until(quiet, "a number of subflows that stays", 40, pause=PAUSE_S)
    found = sorted(seen[-1].values())
    wanted = len(row.links.shapes)
    lossless = not any(shape.loss or shape.period for shape in row.links.shapes)
    if row.setup.endpoints == "planner" and lossless and set(found) != {wanted}:
        raise AssertionError(f"{found} subflows, where each connection is to have {wanted}")
    return found


def fio_options(row: Row, disk_mib: int, cpus: int) -> dict[str, object]:
    """What fio is told beside what it is always told."""
    load = row.load
    if load.depth % load.jobs:
        raise ValueError(f"a depth of {load.depth} is not shared evenly by {load.jobs} jobs")
    options: dict[str, object] = {
        "rw": load.rw, "bs": f"{load.bs}k", "iodepth": load.depth // load.jobs,
        "runtime": load.seconds, "ramp_time": load.ramp, "thread": 1,
        "percentile_list": ":".join(f"{p:g}" for p in PERCENTILES),
    }  # fmt: skip
    if load.rw in ("rw", "randrw"):
        options["rwmixread"] = READS
    if load.jobs > 1:
        options |= {
            "numjobs": load.jobs,
            "size": f"{disk_mib // load.jobs}m",
            "offset_increment": f"{disk_mib // load.jobs}m",
            "cpus_allowed": f"0-{cpus - 1}",
            "cpus_allowed_policy": "split",
        }
    return options


def logging(directory: str) -> dict[str, object]:
    """What fio is told so that it logs each request in a directory, from the first one on."""
    return {"ramp_time": None, "write_lat_log": f"{directory}/fio", "log_unix_epoch": 1}


def of_fio(job: Mapping[str, Any], row: Row) -> dict[str, Any]:
    """What is kept of fio's result: bytes/s, and completion latency in ns."""
    return {
        way: {
            "bw": job[way]["bw_bytes"],
            "iops": job[way]["iops"],
            "latency": {
                f"{p:g}": job[way]["clat_ns"]["percentile"][f"{p:.6f}"] for p in PERCENTILES
            },
        }
        for way in row.load.directions()
    }


class Worker(threading.Thread):
    """Does something beside; what it raised is raised again where its end is waited for."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def end(self) -> None:
        self.join()
        if self._error:
            raise self._error


def wait_for_fio(site: Site, worker: Worker, before: int) -> None:
    """Waits until it moves something, or has failed."""

    def begun() -> bool:
        return not worker.is_alive() or site.traffic() > before + BEGUN

    wait_until(begun, "fio at work", 60, pause=0.05)


def until(moment: float) -> None:
    """Sleeps until a time of the monotonic clock."""
    time.sleep(max(0.0, moment - time.monotonic()))


def measure_fio(site: Site, disk: str) -> dict[str, Any]:
    """How fast it is, and what is counted meanwhile."""
    row = site.row
    found: dict[str, Any] = {}
    before = site.traffic()
    options = fio_options(row, site.disk_mib, site.cpus)
    with tempfile.TemporaryDirectory() as scratch, site.unsteady():
        if site.slow:
            # fio goes on for longer than is counted
            whole = row.load.ramp + row.load.seconds + LONGER_S
            options |= logging(scratch) | {"runtime": whole}

        def go() -> None:
            found["fio"] = of_fio(site.fio(disk, options), row)

        worker = Worker(go)
        worker.start()
        wait_for_fio(site, worker, before)
        begin = time.monotonic() + row.load.ramp
        until(begin)
        first, day = site.counters(), time.time()
        until(begin + row.load.seconds / 2)
        found["windows"] = site.windows()
        until(begin + row.load.seconds - (0 if site.slow else EARLIER_S))
        last = site.counters()
        worker.end()
        if site.slow:
            found["fio"] = of_requests(
                logged(Path(scratch)), day, row.load.seconds, row.load.directions(), PERCENTILES
            )
    return found | last.since(first)


def measure_connect(site: Site) -> dict[str, Any]:
    """How long the controllers take to connect one after another, and how much memory."""
    memory = site.available()
    took = site.connect()
    found = subflows(site)
    return {
        "connect_s": took, "memory": memory - site.available(), "connections": site.queues(),
        "subflows": found,
    }  # fmt: skip


#: What is done with the disk of a connected row, by its kind, wherever it is measured.
Kinds = Mapping[str, Callable[[Any, str], dict[str, Any]]]
KINDS: Kinds = {"fio": measure_fio}


def measure(site: Site, kinds: Kinds = KINDS) -> dict[str, Any]:
    """One run, over connections of its own."""
    try:
        if site.row.kind == "connect":
            return measure_connect(site)
        site.connect()
        disk = site.disk()
        found: dict[str, Any] = {"subflows": subflows(site)}
        return found | kinds[site.row.kind](site, disk)
    finally:
        site.disconnect()


def write(path: Path, document: object) -> None:
    """As a whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(document))
    partial.rename(path)


def perform(stand: Stand, row: Row, number: int, runs: Path, kinds: Kinds = KINDS) -> bool:
    """Measures a run and keeps it, or why it failed; tells whether it is there."""
    begin = time.monotonic()
    facts: dict[str, Any] = {"row": row.as_json(), "run": number, **stand.facts()}
    error = ""
    try:
        facts |= measure(stand.bench(row), kinds)
    except SiteLost:
        raise
    except Exception as failure:  # the next row is another one's
        if not isinstance(failure, ToolError):
            traceback.print_exc()
        error = f"{type(failure).__name__}: {failure}"
    if error:
        facts["error"] = error
    write(runs / f"{row.key}.{number}.json", facts)
    said = error.split("\n", 1)[0] if error else _said(facts)
    print(f"{time.monotonic() - begin:6.1f} s  {row.key}.{number}: {said}", flush=True)
    if error or row.kind != "fio":
        stand.clear()
    return not error


def _said(facts: Mapping[str, Any]) -> str:
    if "fio" in facts:
        return ", ".join(f"{w} {f['bw'] / (1 << 20):.2f} MiB/s" for w, f in facts["fio"].items())
    if "connect_s" in facts:
        return f"{facts['connect_s']:.2f} s"
    return f"{len(facts['completions'])} requests"


def perform_all(
    stand: Stand, todo: Sequence[tuple[Row, int]], runs: Path, kinds: Kinds = KINDS
) -> list[str]:
    """Measures all of it, one after another, then takes the stand down; returns what failed."""
    runs.mkdir(parents=True, exist_ok=True)
    try:
        return [row.key for row, number in todo if not perform(stand, row, number, runs, kinds)]
    finally:
        stand.clear()
