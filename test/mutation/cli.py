# SPDX-License-Identifier: GPL-2.0-or-later
"""The command test/mutate."""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from .draw import Mutant, draw, sources
from .suites import room_of
from .workshop import Broken, Workshop, tracked

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


def settle(asked: argparse.Namespace, workshop: Workshop, tally: Tally) -> None:
    """Draws mutants and finds out what becomes of each."""
    files = sources(TOP, tracked(TOP), asked.rooms)
    picked = {int(n) for n in asked.pick.split(",")} if asked.pick else None
    began = time.monotonic()
    drawn = itertools.islice(draw(TOP, files, asked.seed, workshop.is_fault), asked.count)
    for number, mutant in enumerate(drawn, 1):
        if picked is not None and number not in picked:
            continue
        if asked.list:
            print(f"{number}: {mutant}", flush=True)
            continue
        if asked.minutes and time.monotonic() - began > 60 * asked.minutes:
            print(f"{asked.minutes:g} minutes are over", flush=True)
            return
        start = time.monotonic()
        killer = workshop.killer(mutant, unit_only=asked.unit)
        tally.add(number, mutant, killer)
        fate = f"killed by {killer}" if killer else f"SURVIVED\n{mutant}"
        took = time.monotonic() - start
        where = f"{mutant.path}:{mutant.number}"
        print(f"{number}/{asked.count} {where} ({took:.0f} s): {fate}", flush=True)


def main() -> int:
    """Returns 0 when nothing survived, 1 when something did, 2 when nothing could be found out."""
    asked = arguments()
    workshop = Workshop(Path(os.environ.get("BUILD", str(TOP / "build")) + "-mutate").resolve())
    tally = Tally()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if shutil.which("ccache"):
        os.environ.setdefault("CC", "ccache gcc")
        os.environ.setdefault("CCACHE_BASEDIR", str(workshop.top))
    try:
        workshop.fill(TOP, tracked(TOP))
        workshop.configure()
        if not asked.list:
            workshop.count(lambda text: print(text, flush=True))
        settle(asked, workshop, tally)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    except Broken as error:
        print(f"test/mutate: {error}")
        return 2
    if not asked.list:
        print(tally.summary(asked.seed))
    return 1 if tally.survivors else 0
