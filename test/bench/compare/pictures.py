# SPDX-License-Identifier: GPL-2.0-or-later
"""Pictures as SVG, by matplotlib: bars with their spread, lines over time, latencies.

A picture is shown on white paper and on a dark screen. Ink is a colour that follows the reader's
choice by a style sheet inside the picture; the background is transparent, and the other colours
are seen on both (a test computes their contrast).
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .analysis import Value

PAPER, SCREEN = "#ffffff", "#0d1117"

#: Tenths of a second that a point of a line over time stands for: requests end in bursts, and one
#: of them would have a scale for itself.
STEP = 5

#: Tells lines of one kind from each other, in their order; and lines that lie on each other.
STYLES = (("-", "o"), ("--", "s"), (":", "^"), ("-.", "D"))
SIDEWAYS = 0.02

#: Bars and lines of a kind have one colour in all pictures, by what is first found in their names.
#: Each is at least 3 to 1 on PAPER and on SCREEN.
KINDS = (("mptcp", "#d0641e"), ("bond", "#b65fc4"), ("controllers", "#1f8f9f"), ("", "#2f7fd6"))
COLOURS = tuple(colour for _, colour in KINDS)

#: What matplotlib draws in, and what the reader sees instead.
_INK = "#123456"
INK_ON_PAPER, INK_ON_SCREEN = "#1f2328", "#e6edf3"
_STYLE = (
    f"<style>svg{{--ink:{INK_ON_PAPER}}}"
    f"@media (prefers-color-scheme:dark){{svg{{--ink:{INK_ON_SCREEN}}}}}</style>"
)

SETTINGS = {
    "svg.hashsalt": "compare", "svg.fonttype": "none", "font.family": "sans-serif",
    "font.size": 9, "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _INK,
    "xtick.color": _INK, "ytick.color": _INK, "axes.spines.top": False,
    "axes.spines.right": False, "axes.titlelocation": "left", "legend.frameon": False,
}  # fmt: skip


@dataclass(frozen=True)
class Bars:
    """A panel of bars: what they are in, and each one's label and value."""

    title: str
    unit: str
    bars: Sequence[tuple[str, Value]]
    limit: float | None = None


def colour_of(name: str) -> str:
    """The colour of a bar or line of this name."""
    return next(colour for kind, colour in KINDS if kind in name)


def luminance(colour: str) -> float:
    """Relative luminance of a #rrggbb colour (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else math.pow((p + 0.055) / 1.055, 2.4) for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast of two colours (WCAG 2.1), from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def follow_reader(svg: str) -> str:
    """Has ink follow the reader's choice, and takes out what a later run would change."""
    svg = re.sub(r"(?s)<metadata>.*?</metadata>\s*", "", svg)
    svg = svg.replace(_INK, f"var(--ink, {INK_ON_PAPER})")
    return re.sub(r"(<svg\b[^>]*>)", rf"\1\n {_STYLE}", svg, count=1)


def _figure(panels: int, heights: Sequence[float]) -> tuple[Any, Any]:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update(SETTINGS)
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(
        panels, 1, squeeze=False, figsize=(8, 0.3 + sum(heights)), layout="constrained",
        gridspec_kw={"height_ratios": heights},
    )  # fmt: skip
    return figure, axes


def _write(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    path.write_text(follow_reader(text.getvalue()))


def shows(panel: Bars) -> bool:
    """Has a panel anything to see? Where all is 0, there is not even a scale."""
    return any(value.high > 0 for _, value in panel.bars)


def draw_bars(panels: Sequence[Bars], path: Path) -> None:
    """Bars below each other, with the least and the most of the runs as a line on each.

    A limit is what the links could carry together. Each panel has something that shows.
    """
    figure, axes = _figure(len(panels), [0.7 + 0.24 * len(panel.bars) for panel in panels])
    for axis, panel in zip(axes[:, 0], panels, strict=True):
        values = [value for _, value in panel.bars]
        medians = [value.median for value in values]
        spread = [
            [value.median - value.low for value in values],
            [value.high - value.median for value in values],
        ]
        places = range(len(values))
        axis.barh(places, medians, height=0.66, xerr=spread, ecolor=_INK, capsize=2,
                  color=[colour_of(label) for label, _ in panel.bars])  # fmt: skip
        axis.set_yticks(places, [label for label, _ in panel.bars])
        axis.invert_yaxis()
        axis.set_title(panel.title)
        axis.set_xlabel(panel.unit)
        if panel.limit:
            axis.axvline(panel.limit, color=_INK, linestyle=":", linewidth=1)
        axis.set_xlim(0, 1.05 * max([panel.limit or 0, *(value.high for value in values)]))
    _write(figure, path)


def means(values: Sequence[float], step: int) -> list[float]:
    """Means of so many values each; the last ones may be fewer."""
    parts = [values[i : i + step] for i in range(0, len(values), step)]
    return [sum(part) / len(part) for part in parts]


def draw_lines(
    tenths: Mapping[str, Sequence[float]], marks: Mapping[str, float], unit: str, path: Path
) -> None:
    """A line below each other for each name, over time, of values for each tenth of a second.

    Marks are times (s) with a name. All lines have one scale.
    """
    lines = {name: means(values, STEP) for name, values in tenths.items()}
    figure, axes = _figure(len(lines), [0.85] * len(lines))
    top = max((max(values, default=0) for values in lines.values()), default=1) or 1
    for place, (axis, (name, values)) in enumerate(zip(axes[:, 0], lines.items(), strict=True)):
        # the last value lasts as long as the others
        times = [i * STEP / 10 for i in range(len(values) + 1)]
        drawn = [*values, *values[-1:]]
        colour = colour_of(name)
        axis.step(times, drawn, where="post", color=colour, linewidth=1)
        axis.fill_between(times, drawn, step="post", color=colour, alpha=0.35, linewidth=0)
        axis.set_ylim(0, 1.05 * top)
        axis.set_xlim(0, len(values) * STEP / 10)
        axis.set_title(name)
        axis.set_ylabel(unit)
        for mark, time in marks.items():
            axis.axvline(time, color=_INK, linestyle=":", linewidth=1)
            if not place:
                # above the title: within the panel it would lie on the line
                axis.annotate(mark, (time, 1), xycoords=("data", "axes fraction"), xytext=(0, 20),
                              textcoords="offset points", ha="center")  # fmt: skip
        if place + 1 < len(lines):
            axis.tick_params(labelbottom=False)
    axes[-1, 0].set_xlabel("seconds")
    _write(figure, path)


def draw_latencies(lines: Mapping[str, Mapping[str, Value]], path: Path) -> None:
    """Latency by percentile, a line with its spread for each name, on a logarithmic scale."""
    figure, axes = _figure(1, [3.4])
    axis = axes[0, 0]
    seen: Counter[str] = Counter()
    for place, (name, percentiles) in enumerate(lines.items()):
        labels = list(percentiles)
        colour = colour_of(name)
        style, marker = STYLES[seen[colour] % len(STYLES)]
        seen[colour] += 1
        aside = SIDEWAYS * (place - (len(lines) - 1) / 2)
        medians = [percentiles[p].median for p in labels]
        spread = [
            [percentiles[p].median - percentiles[p].low for p in labels],
            [percentiles[p].high - percentiles[p].median for p in labels],
        ]
        axis.errorbar([i + aside for i in range(len(labels))], medians, yerr=spread, label=name,
                      capsize=2, marker=marker, markersize=4, color=colour,
                      linestyle=style)  # fmt: skip
        axis.set_xticks(range(len(labels)), [f"p{p}" for p in labels])
    axis.set_yscale("log")
    # 20, not a power of ten
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_formatter("{x:g}")
    axis.set_xlabel("percentile of the requests")
    axis.set_ylabel("ms")
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    _write(figure, path)
