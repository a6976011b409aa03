# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures rows of `make thread` in the guest: `measure.py PLAN`, which test/bench/thread wrote.

Each run ends as a file in /results/runs, with what fio said and what the kernel counted meanwhile.
A run that fails leaves a file with the reason, and the next one begins.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from lab import Endpoint, Lab, Limits, Link, Port, Subsystem, Target, Topology, wait_until
from lab.bonding import bonded
from lab.counters import Counters, link_bytes, windows
from lab.host import BUILD, Controller
from lab.network import SIDES, Side
from thread.rows import PULL_S, RETURN_S, Row, Shape, row_of

NQN = "nqn.2024-01.lab:disk"
PORT = {"mptcp": 4420, "tcp": 4421}
RESULTS = Path("/results/runs")
MULTIPATH = Path("/sys/module/nvme_core/parameters/multipath")
DISK_MIB = 64

CPUS = os.cpu_count() or 1

#: fio's percentiles, and the time before it counts, s.
PERCENTILES = (50, 99, 99.9)
RAMP_S = 2

#: Settings of the host by which runs do not depend on each other.
INDEPENDENT = {"ipv4.tcp_no_metrics_save": 1, "mptcp.blackhole_timeout": 0}

#: Bytes on the links by which fio is seen to have begun.
BEGUN = 64 << 10


def link(shape: Shape) -> Link:
    """A link as rows have it."""
    return Link.both(
        rate=f"{shape.rate}bit",
        delay=f"{shape.delay:g}ms" if shape.delay else "",
        loss=f"{shape.loss:g}%" if shape.loss else "",
    )


def topology(row: Row) -> Topology:
    """The links and endpoints of a row; those of the planner come from the planner."""
    count = len(row.links.shapes)
    endpoints: dict[Side, tuple[Endpoint, ...]] = {}
    limits = Limits(8, 8) if row.setup.endpoints == "selftest" else Limits(0, 0)
    if row.setup.endpoints == "selftest":
        endpoints = dict(Topology.selftest(count).endpoints)
    return Topology(
        links=tuple(map(link, row.links.shapes)),
        families=("ipv4",),
        limits={side: limits for side in SIDES},
        endpoints=endpoints,
    )


class Bench:
    """A row's links, target and host, ready to connect."""

    def __init__(self, lab: Lab, row: Row) -> None:
        self.lab = lab
        self.row = row
        self.port = PORT[row.setup.transport]

    @contextmanager
    def ready(self) -> Iterator[None]:
        """The target offers its disk, and endpoints, bond and buffers are as the row has them."""
        setup = self.row.setup
        with ExitStack() as stack:
            if setup.bond:
                stack.enter_context(bonded(self.lab.network, setup.bond))
            ports = tuple(Port(i, name, trsvcid=PORT[name]) for i, name in enumerate(PORT, 1))
            self.lab.target.configure(Target((Subsystem(NQN),), ports, ramdisk_mib=DISK_MIB))
            if setup.rmem:
                stack.enter_context(self._rmem())
            if setup.endpoints == "planner":
                self.lab.host.command("nvme mptcp setup --role host --traddr 10.1.1.1 --apply")
                self.lab.network.set_limits("target", Limits(8, 0))
            if setup.backup:
                self._make_backup()
            yield

    def _make_backup(self) -> None:
        """Has the endpoint of a link be used when the others have failed."""
        address = f"10.1.{self.row.setup.backup}.2"
        shown = self.lab.network.run("host", "ip", "-j", "mptcp", "endpoint", "show")
        (number,) = (e["id"] for e in json.loads(shown) if e["address"] == address)
        self.lab.network.ip("host", f"mptcp endpoint change id {number} backup")

    @contextmanager
    def _rmem(self) -> Iterator[None]:
        """The host is in the initial namespace, which outlives the lab."""
        name = Path("/proc/sys/net/ipv4/tcp_rmem")
        before = name.read_text()
        for side in SIDES:
            self.lab.network.sysctl(side, "ipv4.tcp_rmem", self.row.setup.rmem)
        try:
            yield
        finally:
            name.write_text(before)

    def connect(self) -> list[Controller]:
        """Connects as many controllers as the row has, over the links in turn."""
        setup, count = self.row.setup, len(self.row.links.shapes)
        # several of the same link are wanted where it is the connecting that is measured
        more: dict[str, Any] = {"duplicate_connect": True} if setup.paths > count else {}
        if setup.queues:
            more |= {"nr_io_queues": setup.queues}
        more |= setup.connect_options()
        return [
            self.lab.host.connect(
                NQN, setup.transport, f"10.1.{1 + i % count}.1", self.port, **more
            )
            for i in range(setup.paths)
        ]

    def subflows(self) -> list[int]:
        """How many subflows each connection has, once that does not change for a second."""
        if self.row.setup.transport != "mptcp":
            return []
        seen: list[dict[str, int]] = []

        def quiet() -> bool:
            seen.append(self.lab.host.subflows_per_connection(self.port))
            return len(seen) >= 4 and all(s == seen[-1] for s in seen[-4:]) and bool(seen[-1])

        wait_until(quiet, "a number of subflows that stays", 40, pause=0.33)
        found = sorted(seen[-1].values())
        wanted = len(self.row.links.shapes)
        lossless = not any(shape.loss or shape.period for shape in self.row.links.shapes)
        if self.row.setup.endpoints == "planner" and lossless and set(found) != {wanted}:
            raise AssertionError(f"{found} subflows, where each connection is to have {wanted}")
        return found

    def disk(self, first: Controller) -> Path:
        """The disk that fio uses; without native multipath each controller has one of its own."""
        if self.row.setup.multipath:
            disk = self.lab.host.disk(NQN)
            wait_until(lambda: paths_of(disk) == self.row.setup.paths, f"all paths of {disk}", 20)
            if self.row.setup.policy:
                (subsystem,) = Path("/sys/class/nvme-subsystem").glob("nvme-subsys*")
                (subsystem / "iopolicy").write_text(self.row.setup.policy)
            return disk

        def find() -> Path | None:
            names = [p.name for p in first.directory.glob(f"{first.name}n*")]
            return next((Path("/dev", n) for n in names if Path("/dev", n).exists()), None)

        return wait_until(find, f"a disk of {first.name}")


def paths_of(disk: Path, top: Path = Path("/sys/class/nvme")) -> int:
    """How many controllers lead to a disk: a hidden device for each, nvme0c1n1 for nvme0n1."""
    subsystem, namespace = disk.name.removeprefix("nvme").split("n")
    return len(list(top.glob(f"nvme*/nvme{subsystem}c*n{namespace}")))


def fio_options(row: Row) -> dict[str, object]:
    """What fio is told, see Host.fio for the rest."""
    load = row.load
    if load.depth % load.jobs:
        raise ValueError(f"a depth of {load.depth} is not shared evenly by {load.jobs} jobs")
    options: dict[str, object] = {
        "rw": load.rw, "bs": f"{load.bs}k", "iodepth": load.depth // load.jobs,
        "runtime": load.seconds, "ramp_time": RAMP_S, "thread": 1,
        "percentile_list": ":".join(f"{p:g}" for p in PERCENTILES),
    }  # fmt: skip
    if load.rw in ("rw", "randrw"):
        options["rwmixread"] = 70
    if load.jobs > 1:
        options |= {
            "numjobs": load.jobs,
            "size": f"{DISK_MIB // load.jobs}m",
            "offset_increment": f"{DISK_MIB // load.jobs}m",
            "cpus_allowed": f"0-{CPUS - 1}",
            "cpus_allowed_policy": "split",
        }
    return options


def of_fio(job: dict[str, Any], row: Row) -> dict[str, Any]:
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
        """Does it."""
        try:
            self._work()
        except BaseException as error:
            self._error = error

    def end(self) -> None:
        """Waits for the end."""
        self.join()
        if self._error:
            raise self._error


@contextmanager
def flapping(lab: Lab, row: Row) -> Iterator[None]:
    """The last link loses its carrier for some time of every period, if the row has that."""
    shape, number = row.links.shapes[-1], len(row.links.shapes)
    if not shape.period:
        yield
        return
    ending = threading.Event()

    def flap() -> None:
        while not ending.wait(shape.period - shape.down):
            lab.network.set_link("target", number, False)
            ending.wait(shape.down)
            lab.network.set_link("target", number, True)

    worker = Worker(flap)
    worker.start()
    try:
        yield
    finally:
        ending.set()
        worker.end()


def traffic(lab: Lab) -> int:
    """Bytes that have passed the links."""
    return sum(sum(link.values()) for link in link_bytes(lab.network))


def wait_for_fio(lab: Lab, worker: Worker, before: int) -> None:
    """Waits until it moves something, or has failed."""

    def begun() -> bool:
        return not worker.is_alive() or traffic(lab) > before + BEGUN

    wait_until(begun, "fio at work", 60, pause=0.05)


def until(moment: float) -> None:
    """Sleeps until a time of the monotonic clock."""
    time.sleep(max(0.0, moment - time.monotonic()))


def measure_fio(bench: Bench, disk: Path) -> dict[str, Any]:
    """How fast it is, and what is counted while fio counts as well."""
    lab, row = bench.lab, bench.row
    found: dict[str, Any] = {}
    before = traffic(lab)

    def go() -> None:
        found["fio"] = of_fio(lab.host.fio(disk, **fio_options(row)), row)

    with flapping(lab, row):
        worker = Worker(go)
        worker.start()
        wait_for_fio(lab, worker, before)
        begin = time.monotonic() + RAMP_S
        until(begin)
        first = Counters.read(lab.network)
        until(begin + row.load.seconds / 2)
        by_local = row.setup.endpoints == "planner"
        found["windows"] = {side: windows(lab.network, side, by_local) for side in SIDES}
        until(begin + row.load.seconds - 0.2)
        last = Counters.read(lab.network)
        worker.end()
    return found | last.since(first, CPUS)


@contextmanager
def keeping(row: Row) -> Iterator[None]:
    """`nvme mptcp keep` beside it, if the row has that."""
    if not row.setup.keep:
        yield
        return
    command = ["nvme", "mptcp", "keep", "--auto", "--config", "none", "-o", "json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        time.sleep(2)
        yield
        if process.poll() is not None:
            raise AssertionError(f"nvme mptcp keep ended with status {process.returncode}")
    finally:
        process.terminate()
        process.wait(30)


def completions(directory: Path, begin: float) -> list[int]:
    """When fio's requests were completed, in ms since ``begin`` (s, the clock of the day)."""
    lines = [line for log in directory.glob("*_lat.*.log") for line in log.read_text().split("\n")]
    times = sorted(int(line.split(",")[0]) - round(begin * 1000) for line in lines if line)
    return [max(0, time) for time in times]


def measure_pull(bench: Bench, disk: Path) -> dict[str, Any]:
    """When requests were completed while the first link's cable is out for a while."""
    lab, row = bench.lab, bench.row
    before = traffic(lab)
    with tempfile.TemporaryDirectory() as scratch, keeping(row):
        options = fio_options(row) | {
            "ramp_time": None, "write_lat_log": f"{scratch}/pull", "log_unix_epoch": 1,
        }  # fmt: skip
        worker = Worker(lambda: void(lab.host.fio(disk, **options)))
        worker.start()
        wait_for_fio(lab, worker, before)
        begin, day = time.monotonic(), time.time()
        first = Counters.read(lab.network)
        until(begin + PULL_S / 2)
        by_local = row.setup.endpoints == "planner"
        seen = {side: windows(lab.network, side, by_local) for side in SIDES}
        moments = []
        for moment, up in ((PULL_S, False), (RETURN_S, True)):
            until(begin + moment)
            lab.network.set_link("target", 1, up)
            moments.append((time.monotonic() - begin) * 1000)
        until(begin + row.load.seconds - 0.2)
        last = Counters.read(lab.network)
        worker.end()
        done = completions(Path(scratch), day)
    return {
        "completions": done, "pulled_ms": moments[0], "back_ms": moments[1], "windows": seen,
        **last.since(first, CPUS),
    }  # fmt: skip


def void(_: object) -> None:
    """Drops a result."""


def available() -> int:
    """Bytes of memory that are to be had."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise AssertionError("/proc/meminfo has no MemAvailable")


def measure_connect(bench: Bench) -> dict[str, Any]:
    """How long the controllers take to connect one after another, and how much memory."""
    memory, begin = available(), time.monotonic()
    controllers = bench.connect()
    took = time.monotonic() - begin
    subflows = bench.subflows()
    queues = sum(int(c.attribute("queue_count")) for c in controllers)
    return {
        "connect_s": took, "memory": memory - available(), "connections": queues,
        "subflows": subflows,
    }  # fmt: skip


def measure(bench: Bench) -> dict[str, Any]:
    """One run, over connections of its own."""
    try:
        if bench.row.kind == "connect":
            return measure_connect(bench)
        controllers = bench.connect()
        disk = bench.disk(controllers[0])
        found: dict[str, Any] = {"subflows": bench.subflows()}
        work = {"fio": measure_fio, "pull": measure_pull}[bench.row.kind]
        return found | work(bench, disk)
    finally:
        bench.lab.host.disconnect_all()


class Stand:
    """Links, target and endpoints that stand, for as long as the next run wants the same."""

    def __init__(self) -> None:
        self._place: object = None
        self._stack = ExitStack()

    def bench(self, row: Row) -> Bench:
        """Returns them as a row wants them, set up anew unless they stand like that."""
        if row.place != self._place:
            self.clear()
            self._lab = self._stack.enter_context(Lab(topology(row)))
            self._stack.enter_context(Bench(self._lab, row).ready())
            self._place = row.place
        elif row.setup.endpoints != "planner":
            # the kernel adds some of its own for announced addresses
            self._lab.network.renew_endpoints()
        return Bench(self._lab, row)

    def clear(self) -> None:
        """Takes everything down."""
        stack, self._stack, self._place = self._stack, ExitStack(), None
        stack.close()


def write(path: Path, document: object) -> None:
    """As a whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(document))
    partial.rename(path)


@functools.cache
def versions() -> dict[str, str]:
    """Of the programs that numbers come from."""
    return {
        "fio": first_line("fio", "--version"),
        "iproute2": first_line("ip", "-V").rpartition(" ")[2],
    }


def first_line(*command: str) -> str:
    """The first line that a program prints."""
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return text.split("\n", 1)[0].strip()


def perform(stand: Stand, row: Row, number: int) -> bool:
    """Measures a run and keeps it, or why it failed; tells whether it is there."""
    begin = time.monotonic()
    facts: dict[str, Any] = {
        "row": row.as_json(), "run": number, "kernel": os.uname().release,
        "cpus": CPUS, "versions": versions(),
        "scheduler": Path("/proc/sys/net/mptcp/scheduler").read_text().strip(),
    }  # fmt: skip
    error = ""
    try:
        facts |= measure(stand.bench(row))
    except Exception as failure:  # the next row is another one's
        traceback.print_exc()
        error = f"{type(failure).__name__}: {failure}"
    if error:
        facts["error"] = error
    write(RESULTS / f"{row.key}.{number}.json", facts)
    said = error.split("\n", 1)[0] if error else _said(facts)
    print(f"{time.monotonic() - begin:6.1f} s  {row.key}.{number}: {said}", flush=True)
    if error or row.kind != "fio":
        stand.clear()
    return not error


def _said(facts: dict[str, Any]) -> str:
    if "fio" in facts:
        return ", ".join(f"{w} {f['bw'] / (1 << 20):.2f} MiB/s" for w, f in facts["fio"].items())
    if "connect_s" in facts:
        return f"{facts['connect_s']:.2f} s"
    return f"{len(facts['completions'])} requests"


def in_memory() -> None:
    """Copies nvme and its library into memory: shared files stop the guest's clock."""
    top = Path(tempfile.mkdtemp(prefix="thread-"))
    shutil.copy2(f"{BUILD}/nvme-cli/nvme", top / "nvme")
    shutil.copy2(f"{BUILD}/libnvme/libnvme.so.1", top / "libnvme.so.1")
    os.environ["PATH"] = f"{top}:{os.environ['PATH']}"
    os.environ["LD_LIBRARY_PATH"] = str(top)


def load_core(multipath: bool) -> None:
    """Loads nvme-core with or without native multipath, which is settled when it is loaded."""
    wanted = "Y" if multipath else "N"
    subprocess.run(["modprobe", "nvme_core", f"multipath={wanted}"], check=True)
    if MULTIPATH.read_text().strip() != wanted:
        raise SystemExit(f"{MULTIPATH} is not {wanted}: nvme_core was loaded before")


def keep_runs_apart() -> None:
    """Has no run be told by the kernel what an earlier one met.

    The host's namespace outlives the runs: TCP keeps what it learned of an address there, and
    MPTCP turns itself off for a while after SYNs that were lost.
    """
    for name, value in INDEPENDENT.items():
        Path("/proc/sys/net", *name.split(".")).write_text(f"{value}\n")


def main(plan: Path) -> int:
    """Measures everything of the plan; 1 if something of it failed."""
    todo = [(row_of(entry["row"]), int(entry["run"])) for entry in json.loads(plan.read_text())]
    (multipath,) = {row.setup.multipath for row, _ in todo}
    load_core(multipath)
    in_memory()
    keep_runs_apart()
    RESULTS.mkdir(exist_ok=True)
    stand = Stand()
    try:
        failed = [row.key for row, number in todo if not perform(stand, row, number)]
    finally:
        stand.clear()
    with contextlib.suppress(BrokenPipeError):
        print(f"{len(todo) - len(failed)} of {len(todo)} runs measured", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
