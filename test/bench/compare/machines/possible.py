# SPDX-License-Identifier: GPL-2.0-or-later
"""Which rows two machines can have whose network stays as it is, and why others cannot be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .. import figures
from ..figures import FIGURES, Block, Figure
from ..reasons import number
from ..rows import LINKS, OVER_TIME, Links, Row, Shape

#: What of a row cannot be had there; the first that is true is the reason.
REASONS: tuple[tuple[Callable[[Row], bool], str], ...] = (
    (lambda row: any(s.delay or s.loss or s.period for s in row.links.shapes),
     "its links would have to delay, lose or flap"),
    (lambda row: row.links.rate != figures.CLEAN.rate or len(row.links.shapes) != LINKS,
     "it needs links of other rates or another number of them"),
    (lambda row: bool(row.setup.bond), "a bond would take the links' addresses away"),
    (lambda row: not row.setup.multipath,
     "nvme_core would have to be loaded anew, and with it every NVMe disk"),
    (lambda row: row.setup.endpoints == "selftest",
     "the selftest's endpoints would be in the place of those that the machines have"),
    (lambda row: bool(row.setup.rmem), "tcp_rmem is a setting of all that the machines do"),
    (lambda row: bool(row.setup.wmem), "tcp_wmem is a setting of all that the machines do"),
    (lambda row: bool(row.setup.inline), "ports there are as hosts meet them"),
    (lambda row: bool(row.setup.backup), "an endpoint that may be somebody's would be changed"),
    (lambda row: row.setup.keep, "`nvme mptcp keep` may be at work there for others"),
    (lambda row: row.setup.relay, "relays would have to run on both machines"),
    (lambda row: row.kind in OVER_TIME, "a cable would have to be pulled"),
)  # fmt: skip

#: Figures that would have rows, and no answer.
NO_ANSWER: Mapping[str, str] = {
    "settings": "what it sets is left as it is there",
    "published": "its ratios are those of links with loss and of the selftest's endpoints",
}

#: What a title says of links that are made for it.
AT_ONE_SPEED = ", at the same speed"

#: With one link there is nothing to choose from.
ONE_LINK = "with one link there is one path"


@dataclass(frozen=True)
class Absent:
    """A row or a figure that is not possible, and why."""

    name: str
    reason: str


def why_not(row: Row, links: int = LINKS) -> str:
    """Why a row is not possible there, over so many links; "" if it is."""
    found = next((text for is_so, text in REASONS if is_so(row)), "")
    return found or (ONE_LINK if links == 1 and row.setup.policy else "")


def why_no_figure(figure: Figure, long: bool = True) -> str:
    """Why nothing of a figure is possible; "" if something is."""
    if figure.name in NO_ANSWER:
        return NO_ANSWER[figure.name]
    rows = figure.rows(None, long)
    reasons = list(dict.fromkeys(why_not(row) for row in rows))
    return "" if "" in reasons else "; ".join(reasons)


def real_links(speeds: list[int]) -> Links:
    """Links of these speeds in Mbit/s, 0 where nobody knows."""
    count, title = len(speeds), f"{number(len(speeds))} real link{'s' if len(speeds) > 1 else ''}"
    known = sorted(set(speeds))
    if 0 not in known:
        title += f" of {' and '.join(f'{speed} Mbit/s' for speed in known)}"
    return Links(f"real{count}", tuple(Shape(rate=speed * 10**6) for speed in speeds), title)


def _on(row: Row, links: Links) -> Row:
    setup, count = row.setup, len(links.shapes)
    if row.setup.policy:
        # a controller for each link
        title = setup.title.replace("four", number(count), 1)
        setup = replace(setup, paths=count, title=title)
    return replace(row, links=links, setup=setup)


def _block(block: Block, links: Links) -> Block:
    count = len(links.shapes)
    cells = tuple(
        (label.replace("four tcp", f"{number(count)} tcp"), _on(row, links))
        for label, row in block.cells
        if not why_not(row, count)
    )
    there = {label for label, _ in cells}
    # what compares at one speed does so over a link that is not there
    title = block.title.replace(figures.CLEAN.title, links.title).removesuffix(AT_ONE_SPEED)
    return replace(block, title=title, cells=cells, base=block.base if block.base in there else "")


def on_machines(figure: Figure, links: Links) -> Figure:
    """The figure with the rows that are possible, over these links."""

    def blocks(_delay: float | None, long: bool) -> tuple[Block, ...]:
        found = (_block(block, links) for block in figure.blocks(None, long))
        return tuple(block for block in found if block.cells)

    return replace(figure, blocks=blocks)


def possible_figures(links: Links) -> dict[str, Figure]:
    """The figures that have rows there, by name."""
    found = {name: f for name, f in FIGURES.items() if not why_no_figure(f)}
    return {name: on_machines(figure, links) for name, figure in found.items()}


def absent(links: int, long: bool) -> list[Absent]:
    """All that is left out, each once: figures by their names, rows by their figure and title."""
    found: dict[str, Absent] = {}
    for figure in FIGURES.values():
        reason = why_no_figure(figure)
        if reason:
            found[figure.name] = Absent(f"figure `{figure.name}`", reason)
            continue
        for block in figure.blocks(None, long) if figure.name in figures.usual(long) else ():
            for _, row in block.cells:
                reason = why_not(row, links)
                if reason:
                    name = f"`{figure.name}`: {row.setup.title}"
                    found.setdefault(name, Absent(name, reason))
    return list(found.values())
