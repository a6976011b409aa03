# SPDX-License-Identifier: GPL-2.0-or-later
"""Measures rows of `make compare` in the guest: `measure.py PLAN`, which test/bench/compare wrote.

Each run ends as a file in /results/runs. What is done in a run is in test/bench/compare/drive.py;
this is the place where it is done.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))

from compare.drive import KINDS, Worker, fio_options, logging, perform_all, until, wait_for_fio
from compare.requests import completions, logged
from compare.rows import OVER_TIME, PULL_S, RETURN_S, SLOWER, Row, Shape, row_of
from lab import Endpoint, Lab, Limits, Link, Port, Subsystem, Target, Topology, wait_until
from lab.bonding import bonded
from lab.counters import Counters, link_bytes, windows
from lab.host import BUILD, Controller
from lab.network import SIDES, Side
from lab.relay import running
from nvmelab.counted import parse_available, paths_of

NQN = "nqn.2024-01.lab:disk"
PORT = {"mptcp": 4420, "tcp": 4421}
#: A relay on the target takes what arrives for one address.
RELAYED = "10.1.1.1"
RESULTS = Path("/results/runs")
MULTIPATH = Path("/sys/module/nvme_core/parameters/multipath")
DISK_MIB = 64

CPUS = os.cpu_count() or 1

#: Bytes on all links in so many seconds that are nobody's: a bond's and neighbours' packets.
SILENCE, SILENCE_S = 4096, 0.2

#: Settings of the host by which runs do not depend on each other.
INDEPENDENT = {"ipv4.tcp_no_metrics_save": 1, "mptcp.blackhole_timeout": 0}


def link(shape: Shape) -> Link:
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

    cpus = CPUS
    disk_mib = DISK_MIB
    slow = True

    def __init__(self, lab: Lab, row: Row) -> None:
        self.lab = lab
        self.row = row
        self.port = PORT[row.setup.transport]
        self.controllers: list[Controller] = []

    @contextmanager
    def ready(self) -> Iterator[None]:
        """The target offers its disk, and endpoints, bond and buffers are as the row has them."""
        setup = self.row.setup
        with ExitStack() as stack:
            if setup.bond:
                stack.enter_context(bonded(self.lab.network, setup.bond))
            ports = tuple(
                Port(i, name, traddr=traddr, trsvcid=PORT[name], inline=setup.inline)
                for i, (name, traddr) in enumerate(
                    (("mptcp", ""), ("tcp", RELAYED if setup.relay else "")), 1
                )
            )
            self.lab.target.configure(Target((Subsystem(NQN),), ports, ramdisk_mib=DISK_MIB))
            for name in ("rmem", "wmem"):
                if wanted := getattr(setup, name):
                    stack.enter_context(self._buffers(f"tcp_{name}", wanted))
            if setup.endpoints == "planner":
                self.lab.host.command("nvme mptcp setup --role host --traddr 10.1.1.1 --apply")
                self.lab.network.set_limits("target", Limits(8, 0))
            if setup.backup:
                self._make_backup()
            if setup.relay:
                portal = f"{RELAYED}:{self.port}"
                stack.enter_context(running(self.lab, "target", "--port", str(self.port)))
                stack.enter_context(running(self.lab, None, "--portal", portal))
            yield

    def _make_backup(self) -> None:
        """Has the endpoint of a link be used when the others have failed."""
        address = f"10.1.{self.row.setup.backup}.2"
        shown = self.lab.network.run("host", "ip", "-j", "mptcp", "endpoint", "show")
        (number,) = (e["id"] for e in json.loads(shown) if e["address"] == address)
        self.lab.network.ip("host", f"mptcp endpoint change id {number} backup")

    @contextmanager
    def _buffers(self, name: str, wanted: str) -> Iterator[None]:
        """The host is in the initial namespace, which outlives the lab."""
        path = Path("/proc/sys/net/ipv4", name)
        before = path.read_text()
        for side in SIDES:
            self.lab.network.sysctl(side, f"ipv4.{name}", wanted)
        try:
            yield
        finally:
            path.write_text(before)

    def _wait_for_silence(self) -> None:
        """What a run has left in a slow link would hold up connecting for longer than it may."""
        before = self.traffic()

        def silent() -> bool:
            nonlocal before
            last, before = before, self.traffic()
            return before - last < SILENCE

        time.sleep(SILENCE_S)
        wait_until(silent, "links that carry nothing", 60, pause=SILENCE_S)

    def connect(self) -> float:
        """Connects as many controllers as the row has, over the links in turn; takes so many s."""
        self._wait_for_silence()
        setup, count = self.row.setup, len(self.row.links.shapes)
        # several of the same link are wanted where it is the connecting that is measured
        more: dict[str, Any] = {"duplicate_connect": True} if setup.paths > count else {}
        if setup.queues:
            more |= {"nr_io_queues": setup.queues}
        more |= setup.connect_options()
        begin = time.monotonic()
        self.controllers = [
            self.lab.host.connect(
                NQN, setup.transport, f"10.1.{1 + i % count}.1", self.port, **more
            )
            for i in range(setup.paths)
        ]
        return time.monotonic() - begin

    def queues(self) -> int:
        return sum(int(c.attribute("queue_count")) for c in self.controllers)

    def disconnect(self) -> None:
        """Nothing else is connected in the guest."""
        self.lab.host.disconnect_all()

    def subflows(self) -> dict[str, int]:
        return self.lab.host.subflows_per_connection(self.port)

    def disk(self) -> str:
        """The disk that fio uses; without native multipath each controller has one of its own."""
        if self.row.setup.multipath:
            disk = self.lab.host.disk(NQN)
            wait_until(lambda: paths_of(disk) == self.row.setup.paths, f"all paths of {disk}", 20)
            if self.row.setup.policy:
                (subsystem,) = Path("/sys/class/nvme-subsystem").glob("nvme-subsys*")
                (subsystem / "iopolicy").write_text(self.row.setup.policy)
            return str(disk)
        first = self.controllers[0]

        def find() -> Path | None:
            names = [p.name for p in first.directory.glob(f"{first.name}n*")]
            return next((Path("/dev", n) for n in names if Path("/dev", n).exists()), None)

        return str(wait_until(find, f"a disk of {first.name}"))

    def available(self) -> int:
        return parse_available(Path("/proc/meminfo").read_text())

    def traffic(self) -> int:
        """Of all links, as the host sees it."""
        return sum(sum(link.values()) for link in link_bytes(self.lab.network))

    def counters(self) -> Read:
        return Read(Counters.read(self.lab.network))

    def windows(self) -> dict[str, list[tuple[int, int]]]:
        """Planned endpoints are bound to links."""
        by_local = self.row.setup.endpoints == "planner"
        return {side: windows(self.lab.network, side, by_local) for side in SIDES}

    def fio(self, disk: str, options: Mapping[str, object]) -> dict[str, Any]:
        return self.lab.host.fio(Path(disk), **options)

    def unsteady(self) -> AbstractContextManager[None]:
        return flapping(self.lab, self.row)


@dataclass(frozen=True)
class Read:
    """Counters of the guest, which has so many processors."""

    counters: Counters

    def since(self, before: Read) -> dict[str, Any]:
        return self.counters.since(before.counters, CPUS)


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


def set_first_link(lab: Lab, row: Row, well: bool) -> None:
    """Pull the cable of link 1 at the target, or slow the link down, or undo that."""
    if row.kind == "pull":
        lab.network.set_link("target", 1, well)
        return
    shape = row.links.shapes[0]
    lab.network.shape(1, link(shape if well else replace(shape, rate=shape.rate // SLOWER)).to_host)


def measure_over_time(bench: Bench, disk: str) -> dict[str, Any]:
    """When requests were completed while the first link is out, or slow, for a while."""
    lab, row = bench.lab, bench.row
    before = bench.traffic()
    with tempfile.TemporaryDirectory() as scratch, keeping(row):
        options = fio_options(row, DISK_MIB, CPUS) | logging(scratch)
        worker = Worker(lambda: void(bench.fio(disk, options)))
        worker.start()
        wait_for_fio(bench, worker, before)
        begin, day = time.monotonic(), time.time()
        first = bench.counters()
        until(begin + PULL_S / 2)
        seen = bench.windows()
        moments = []
        for moment, up in ((PULL_S, False), (RETURN_S, True)):
            until(begin + moment)
            set_first_link(lab, row, up)
            moments.append((time.monotonic() - begin) * 1000)
        until(begin + row.load.seconds - 0.2)
        last = bench.counters()
        worker.end()
        done = completions(logged(Path(scratch)), day)
    return {
        "completions": done, "pulled_ms": moments[0], "back_ms": moments[1], "windows": seen,
        **last.since(first),
    }  # fmt: skip


def void(_: object) -> None:
    """Drops a result."""


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

    def facts(self) -> dict[str, Any]:
        return {
            "kernel": os.uname().release, "cpus": CPUS, "versions": versions(),
            "scheduler": Path("/proc/sys/net/mptcp/scheduler").read_text().strip(),
        }  # fmt: skip

    def clear(self) -> None:
        stack, self._stack, self._place = self._stack, ExitStack(), None
        stack.close()


@functools.cache
def versions() -> dict[str, str]:
    return {
        "fio": first_line("fio", "--version"),
        # the last word is another library's version
        "iproute2": re.findall(r"iproute2-[^\s,]+", first_line("ip", "-V"))[0],
    }


def first_line(*command: str) -> str:
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return text.split("\n", 1)[0].strip()


#: What is done with a disk here.
GUEST_KINDS = {**KINDS, **dict.fromkeys(OVER_TIME, measure_over_time)}


def in_memory() -> None:
    """Copies nvme and its libraries into memory: shared files stop the guest's clock."""
    top = Path(tempfile.mkdtemp(prefix="compare-"))
    shutil.copy2(f"{BUILD}/nvme-cli/nvme", top / "nvme")
    for name in ("libnvme.so.1", "libnvme-mptcp.so.0"):
        shutil.copy2(f"{BUILD}/libnvme/{name}", top / name)
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
    failed = perform_all(Stand(), todo, RESULTS, GUEST_KINDS)
    with contextlib.suppress(BrokenPipeError):
        print(f"{len(todo) - len(failed)} of {len(todo)} runs measured", flush=True)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
