# SPDX-License-Identifier: GPL-2.0-or-later
"""The command test/mutate."""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from .draw import Mutant, draw, sources
from .suites import room_of
from .workshop import Broken, Suite, Workshop, end_all, tracked

TOP = Path(__file__).resolve().parents[2]

DESCRIPTION = """\
Changes one line of the C code at a time, in a copy of the tree, and runs the suites that should
notice. What no suite notices is printed: a test is missing there, or the line makes no difference.
A change that does not compile, or that compiles to the same code, does not count."""


@dataclass
class Tally:
    """What became of the mutants so far."""

    killed: int = 0
    survivors: list[tuple[int, Mutant]] = field(default_factory=list)
    rooms: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, mutant: Mutant, killer: str | None) -> None:
        """Counts a mutant."""
        room = room_of(mutant.path).prefix
        self.rooms[room] += 1
        if killer:
            self.killed += 1
            self.found[room] += 1
        else:
            self.survivors.append((number, mutant))

    def summary(self, seed: int) -> str:
        """Returns survivors, rooms and the sum."""
        total = self.killed + len(self.survivors)
        lines = [f"survivor {number}: {mutant}" for number, mutant in self.survivors]
        lines += [f"{room:24} {self.found[room]:4} of {n:4}" for room, n in self.rooms.items()]
        share = f", {100 * self.killed / total:.0f} %" if total else ""
        return "\n".join([*lines, f"seed {seed}: {self.killed} of {total} killed{share}"])


def arguments() -> argparse.Namespace:
    """Returns what the command line has."""
    parser = argparse.ArgumentParser(
        prog="test/mutate",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed", type=int, default=1, help="what the draw begins with (1)")
    parser.add_argument("--count", type=int, default=30, help="how many mutants count (30)")
    parser.add_argument(
        "--jobs", type=int, default=1, help="copies of the tree to work in at a time (1)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        metavar="S",
        help="run suites of a fault's room for so long, and others, the quickest first (all)",
    )
    parser.add_argument("--minutes", type=float, help="begin no mutant after this time")
    parser.add_argument(
        "--pick", help="only these of them by number, e.g. 3,17: after a test was written"
    )
    parser.add_argument(
        "--unit", action="store_true", help="C unit tests alone; others may notice what they miss"
    )
    parser.add_argument("--list", action="store_true", help="print the mutants; run nothing")
    parser.add_argument(
        "rooms", nargs="*", metavar="ROOM", help="directories or files, e.g. src/nvme/tree (all)"
    )
    return parser.parse_args()


@dataclass
class Work:
    """Mutants to try, and what became of them; one thread for each workshop takes from it."""

    asked: argparse.Namespace
    tally: Tally = field(default_factory=Tally)
    began: float = field(default_factory=time.monotonic)
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: bool = False
    #: Whose copy of the tree finds out what counts as a mutant: that of the thread that asks.
    asking: Workshop | None = None

    def __post_init__(self) -> None:
        files = sources(TOP, tracked(TOP), self.asked.rooms)
        drawn = draw(TOP, files, self.asked.seed, self._accepts)
        self.drawn = enumerate(itertools.islice(drawn, self.asked.count), 1)
        self.picked = {int(n) for n in self.asked.pick.split(",")} if self.asked.pick else None

    def _accepts(self, mutant: Mutant) -> bool:
        return self.asking is not None and not self.over and self.asking.is_fault(mutant)

    def take(self, workshop: Workshop) -> tuple[int, Mutant] | None:
        """Returns the next mutant, with its number, or None when there is none to begin."""
        with self.lock:
            self.asking = workshop
            for number, mutant in self.drawn:
                if self.over:
                    break
                if self.picked is None or number in self.picked:
                    return number, mutant
        return None

    def settle(self, workshop: Workshop) -> None:
        """Finds out what becomes of mutants, until there are none left."""
        while taken := self.take(workshop):
            number, mutant = taken
            if self.asked.list:
                print(f"{number}: {mutant}", flush=True)
                continue
            if self.asked.minutes and time.monotonic() - self.began > 60 * self.asked.minutes:
                print(f"{self.asked.minutes:g} minutes are over", flush=True)
                return
            start = time.monotonic()
            killer = workshop.killer(mutant, unit_only=self.asked.unit)
            took = time.monotonic() - start
            if self.over:
                return
            fate = f"killed by {killer}" if killer else f"SURVIVED\n{mutant}"
            where = f"{mutant.path}:{mutant.number}"
            with self.lock:
                self.tally.add(number, mutant, killer)
                print(f"{number}/{self.asked.count} {where} ({took:.0f} s): {fate}", flush=True)

    def side_by_side(self, workshops: list[Workshop], step: Callable[[Workshop], None]) -> None:
        """Takes a step in all workshops; the first failure ends the others."""
        with ThreadPoolExecutor(len(workshops)) as pool:
            under_way = [pool.submit(step, workshop) for workshop in workshops]
            try:
                for done in as_completed(under_way):
                    done.result()
            except BaseException:
                self.over = True
                end_all()
                raise


def count(work: Work, workshops: list[Workshop]) -> None:
    """Counts what suites execute, each in one of the workshops."""
    missing = iter(workshops[0].uncounted())
    lock = threading.Lock()

    def next_one() -> Iterator[Suite]:
        while not work.over:
            with lock:
                suite = next(missing, None)
            if suite is None:
                return
            yield suite

    work.side_by_side(
        workshops, lambda w: w.count(next_one(), lambda text: print(text, flush=True))
    )


def main() -> int:
    """Returns 0 when nothing survived, 1 when something did, 2 when nothing could be found out."""
    asked = arguments()
    top = Path(os.environ.get("BUILD", str(TOP / "build")) + "-mutate").resolve()
    workshops = [Workshop(top.with_name(f"{top.name}{n}")) for n in ("", *range(2, asked.jobs + 1))]
    for workshop in workshops:
        workshop.limit_s = asked.seconds
        workshop.others = [w for w in workshops if w is not workshop]
    work = Work(asked)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if shutil.which("ccache"):
        os.environ.setdefault("CC", "ccache gcc")
        os.environ.setdefault("CCACHE_BASEDIR", str(top.parent))
        os.environ.setdefault("CCACHE_NOHASHDIR", "1")
    try:
        for workshop in workshops:
            workshop.enter()
            workshop.fill(TOP, tracked(TOP))
            workshop.configure()
        if not asked.list:
            count(work, workshops)
        work.side_by_side(workshops, work.settle)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    except Broken as error:
        print(f"test/mutate: {error}")
        return 2
    if not asked.list:
        print(work.tally.summary(asked.seed))
    return 1 if work.tally.survivors else 0
