# SPDX-License-Identifier: GPL-2.0-or-later
"""The ratios that are to be reached."""

from collections.abc import Callable
from dataclasses import dataclass

from . import figures
from .data import MIB
from .figures import CLEAN, DEPTHS, READ_WRITE, TCP, grown
from .rows import Load, Row

Number = Callable[[Row, str], float | None]


@dataclass(frozen=True)
class Goal:
    """A ratio of two rows, or of a row to what its links carry (``below`` is None)."""

    text: str
    above: Row
    below: Row | None
    least: float

    def value(self, number: Number) -> float | None:
        """Return the ratio of medians, or None if a row was not measured."""
        above = number(self.above, "mib_s")
        below = number(self.below, "mib_s") if self.below else self.above.links.rate / 8 / MIB
        return above / below if above is not None and below else None


def goals(delay: float | None) -> list[Goal]:
    """Return all goals; ``delay`` is that of the lossy links, None if not calibrated."""
    found = [
        Goal(f"{rw}s, depth {depth}: {row.setup.title}, to tcp", row,
             Row(TCP, CLEAN, grown(rw, depth)), 3.8)
        for rw in READ_WRITE for depth in DEPTHS
        for row in figures.FIGURES["goals"].rows(None)
        if row.load == grown(rw, depth) and row.setup != TCP
    ]  # fmt: skip
    relay, kernel = figures.one_queue(figures.RELAY), figures.one_queue(figures.MPTCP)
    found += [
        Goal(f"{rw}s, depth {depth}: relay, to mptcp over one I/O queue",
             Row(relay, CLEAN, grown(rw, depth)), Row(kernel, CLEAN, grown(rw, depth)), 0.97)
        for rw in READ_WRITE for depth in DEPTHS
    ]  # fmt: skip
    found.append(Goal("one link at a quarter of its rate, advised tcp_rmem, to the links' rate",
                      Row(figures.ADVISED, figures.QUARTER, figures.MAIN), None, 0.9))  # fmt: skip
    for rw in READ_WRITE if delay is not None else ():
        links, load = figures.lossy(delay or 0), Load(rw, jobs=4, seconds=figures.LOSSY_S)
        planned = Row(figures.PLANNED_MPTCP, links, load)
        usual = Row(figures.ORIGINAL_MPTCP["round-robin"], links, load)
        found.append(
            Goal(f"{rw}s with loss: planned endpoints, to the selftest's", planned, usual, 1.0)
        )
    found.append(Goal("reads, depth 1: mptcp, to tcp", Row(figures.MPTCP, CLEAN, Load(depth=1)),
                      Row(TCP, CLEAN, Load(depth=1)), 1.0))  # fmt: skip
    return found
