# SPDX-License-Identifier: GPL-2.0-or-later
"""What is to be reached, and whether the rows of a run reach it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import figures
from .analysis import Summary
from .reasons import listed
from .rows import Load, Row, Setup

Summaries = Mapping[str, Summary]

ASKED = """\
**Writes** miss it where the target asks for their data. A read's command goes to the target over a
direction that is nearly idle. A write's lies in the same stream of bytes as the data of the writes
before it: the target sees it when all of that has arrived over the slowest link, only then asks for
what is more than its port takes with a command (R2T, 16 KiB), and meanwhile the other links have
nothing left to send. What shows it: over one I/O queue nothing is dropped (NoDSSInWindow), no
link is full, and where the data goes with its command, all four are:
{inline}. A send buffer that holds what the links carry in a tenth of a second leaves less before
the next command: {short}
([more](benchmarks-lab.md#why-writes-carry-less-than-reads)).
"""

QUEUES = """\
**One job over several I/O queues** misses it at times. A request takes the queue of the processor
that its job runs on, and the job is moved among them: several connections share the links by turns,
each with a receive buffer of its own. What arrives beyond the window of one is dropped, and comes
again after a time-out for which that connection's requests wait. What shows it, over all reads of
one job: {several} where there is a queue for each processor; {one} over one queue.
"""


@dataclass(frozen=True)
class Goal:
    """A ratio of two rows, or of a row to what its links can carry (``below`` is None)."""

    text: str
    above: Row
    below: Row | None
    least: float

    def value(self, summaries: Summaries) -> float | None:
        """The ratio of medians; None if a row of it was not measured."""
        above = summaries.get(self.above.key)
        if above is None:
            return None
        if self.below is None:
            return above.of_links
        below = summaries.get(self.below.key)
        return above.total / below.total if below and below.total else None

    def verdict(self, summaries: Summaries) -> str:
        """Reached, missed, or not measured."""
        value = self.value(summaries)
        if value is None:
            return "not measured"
        return "reached" if value >= self.least else "missed"


def _four_times() -> list[Goal]:
    found = []
    for block in figures.FIGURES["goals"].blocks(None, False):
        rows = dict(block.cells)
        base = rows.pop(block.base)
        found += [
            Goal(
                f"{base.load.rw}s of one job, {base.load.depth} at a time, by tcp's: {label}",
                row,
                base,
                3.8,
            )  # fmt: skip
            for label, row in rows.items()
        ]
    return found


def goals(delay: float | None) -> list[Goal]:
    """All of them; that of links with loss once their delay is known."""
    found = _four_times()
    quarter = {
        row.setup.name: row
        for block in figures.FIGURES["asymmetric"].blocks(delay, False)
        for _, row in block.cells
        if row.links is figures.QUARTER
    }
    found.append(Goal(
        "one link at a quarter of the rate, with the advised tcp_rmem, by what the links carry",
        quarter[figures.ADVISED.name], None, 0.9,
    ))  # fmt: skip
    for rw in figures.READ_WRITE if delay is not None else ():
        links, load = figures.lossy(delay or 0), Load(rw, jobs=4, seconds=figures.LOSSY_S)
        found.append(Goal(
            f"four controllers with loss, {rw}s, planned endpoints by the selftest's",
            Row(figures.PLANNED_MPTCP, links, load),
            Row(figures.ORIGINAL_MPTCP["round-robin"], links, load), 1.0,
        ))  # fmt: skip
    found.append(Goal(
        "reads at depth 1, by tcp's",
        Row(figures.MPTCP, figures.CLEAN, Load(depth=1)),
        Row(figures.TCP, figures.CLEAN, Load(depth=1)), 1.0,
    ))  # fmt: skip
    return found


def _said(summaries: Summaries, setup: Setup) -> str:
    """Speeds of a set-up's writes by depth, as times of tcp's."""
    words = []
    for depth in figures.GOAL_DEPTHS:
        load = figures.goal_load("write", depth)
        rows = [summaries.get(Row(s, figures.CLEAN, load).key) for s in (setup, figures.TCP)]
        if rows[0] and rows[1] and rows[1].total:
            words.append(f"{rows[0].total / rows[1].total:.2f} times tcp at depth {depth}")
    return listed(words)


def _dropped(found: Sequence[Summaries], setup: Setup) -> str:
    """What was dropped and sent again in reads of a set-up, on all kernels."""
    totals = [0.0, 0.0]
    for summaries in found:
        for depth in figures.GOAL_DEPTHS:
            s = summaries.get(Row(setup, figures.CLEAN, figures.goal_load("read", depth)).key)
            totals[0] += s.runs * s.no_room.mean if s and s.no_room else 0
            totals[1] += s.runs * s.reinjected.mean if s and s.reinjected else 0
    return f"{totals[0]:.0f} segments (NoDSSInWindow) and {totals[1]:.0f} pieces (MPTCPRetrans)"


def why_missed(found: Sequence[Summaries]) -> str:
    """What keeps one job from the goals of clean links, by what the rows of all kernels show."""
    one = figures.one_queue(figures.MPTCP)
    inline, short = (_said(found[0], s) for s in (figures.INLINE, figures.SHORT_SEND))
    if not inline or not short:
        return ""
    queues = QUEUES.format(several=_dropped(found, figures.MPTCP), one=_dropped(found, one))
    return f"{_filled(ASKED.format(inline=inline, short=short))}\n{_filled(queues)}"


def _filled(paragraph: str) -> str:
    return textwrap.fill(" ".join(paragraph.split()), 100, break_on_hyphens=False) + "\n"
