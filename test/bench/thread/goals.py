# SPDX-License-Identifier: GPL-2.0-or-later
"""What is to be reached, and whether the rows of a run reach it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import figures
from .analysis import Summary
from .rows import Load, Row

Summaries = Mapping[str, Summary]


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
    what = [(rw, figures.MPTCP, "") for rw in figures.READ_WRITE]
    what.append(("write", figures.SHORT_SEND, ", with a send buffer of 512 KiB"))
    return [
        Goal(
            f"one controller over four clean links, {rw}s at depth {depth}{set_up}, by tcp's",
            Row(setup, figures.CLEAN, Load(rw, depth=depth)),
            Row(figures.TCP, figures.CLEAN, Load(rw, depth=depth)),
            3.8,
        )
        for rw, setup, set_up in what
        for depth in (8, 32)
    ]


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
