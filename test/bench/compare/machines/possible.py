# SPDX-License-Identifier: GPL-2.0-or-later
"""Which rows two machines can have whose network stays as it is, and why others cannot be."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .. import figures
from ..figures import FIGURES, Figure
from ..rows import LINKS, OVER_TIME, Links, Row, Shape

#: Why a row is not possible there; the first that is true is the reason.
REASONS: tuple[tuple[Callable[[Row], bool], str], ...] = (
    (lambda row: any(s.delay or s.loss or s.period for s in row.links.shapes),
     "its links would have to delay, lose or flap"),
    (lambda row: row.links.rate != figures.CLEAN.rate or len(row.links.shapes) != LINKS,
     "it needs links of other rates or another number of them"),
    (lambda row: bool(row.setup.bond), "a bond would take the links' addresses away"),
    (lambda row: row.setup.endpoints == "selftest",
     "the selftest's endpoints would replace those of the machines"),
    (lambda row: bool(row.setup.rmem), "tcp_rmem applies to the whole machine"),
    (lambda row: bool(row.setup.wmem), "tcp_wmem applies to the whole machine"),
    (lambda row: bool(row.setup.inline), "inline data of the machines' ports stays as it is"),
    (lambda row: bool(row.setup.backup), "an endpoint that others may use would change"),
    (lambda row: row.setup.relay, "a relay would have to run on both machines"),
    (lambda row: row.setup.keep, "`nvme mptcp keep` may run there for others"),
    (lambda row: row.kind in OVER_TIME, "a cable would have to be pulled"),
)  # fmt: skip

#: Figures that would have rows, but no answer.
NO_ANSWER: Mapping[str, str] = {
    "settings": "the settings that it compares stay as they are",
    "published": "its ratios need links with loss and the selftest's endpoints",
}

ONE_LINK = "with one link there is one path"


@dataclass(frozen=True)
class Absent:
    """A row or a figure that is not possible, and why."""

    name: str
    reason: str


def why_not(row: Row, links: int = LINKS) -> str:
    """Return why a row is not possible over so many links; "" if it is."""
    found = next((text for is_so, text in REASONS if is_so(row)), "")
    return found or (ONE_LINK if links == 1 and row.setup.policy else "")


def why_no_figure(figure: Figure) -> str:
    """Return why no row of a figure is possible; "" if one is."""
    if figure.name in NO_ANSWER:
        return NO_ANSWER[figure.name]
    reasons = list(dict.fromkeys(why_not(row) for row in figure.rows(None)))
    return "" if "" in reasons else "; ".join(reasons)


def real_links(speeds: list[int]) -> Links:
    """Return links of these speeds in Mbit/s, 0 if not known."""
    title = f"{len(speeds)} real link{'s' if len(speeds) > 1 else ''}"
    known = sorted(set(speeds))
    if 0 not in known:
        title += f" of {' and '.join(f'{speed} Mbit/s' for speed in known)}"
    return Links(f"real{len(speeds)}", tuple(Shape(rate=s * 10**6) for s in speeds), title)


def possible_figures(links: Links) -> dict[str, Figure]:
    """Return the figures that have rows there, with these rows over these links."""
    count = len(links.shapes)

    def on(row: Row) -> Row:
        # a controller for each link
        setup = replace(row.setup, paths=count) if row.setup.policy else row.setup
        return replace(row, links=links, setup=setup)

    def possible(figure: Figure) -> Figure:
        def rows(_delay: float | None) -> tuple[Row, ...]:
            return tuple(on(row) for row in figure.rows(None) if not why_not(row, count))

        return replace(figure, rows=rows)

    return {name: possible(figure) for name, figure in FIGURES.items() if not why_no_figure(figure)}


def absent(links: int) -> list[Absent]:
    """Return all that is left out: figures by name, rows by their figure and title."""
    found: dict[str, Absent] = {}
    for figure in FIGURES.values():
        reason = why_no_figure(figure)
        if reason:
            found[figure.name] = Absent(f"figure `{figure.name}`", reason)
            continue
        for row in figure.rows(None):
            if reason := why_not(row, links):
                name = f"`{figure.name}`: {row.setup.title}"
                found.setdefault(name, Absent(name, reason))
    return list(found.values())
