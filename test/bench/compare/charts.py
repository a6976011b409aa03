# SPDX-License-Identifier: GPL-2.0-or-later
"""Bar charts as SVG: a bar, its value and its spread on one line each.

Text follows the reader's light or dark scheme; bars differ in lightness and hatching, and stand out
on both backgrounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import log10
from pathlib import Path

PAPER, SCREEN = "#ffffff", "#0d1117"
INK_ON_PAPER, INK_ON_SCREEN = "#1f2328", "#e6edf3"

#: Fill and stripes of the first and the second series.
COLOURS = (("#1f6fb4", "#1f6fb4"), ("#e39b3d", "#8a5206"))

LABELS, WIDTH, BAR, GAP, TOP = 190, 720, 13, 8, 44

STYLE = f"""<style>text{{font:12px sans-serif;fill:{INK_ON_PAPER}}}path{{stroke:{INK_ON_PAPER}}}\
@media(prefers-color-scheme:dark){{text{{fill:{INK_ON_SCREEN}}}path{{stroke:{INK_ON_SCREEN}}}}}\
.b{{font-weight:bold}}.v{{font-size:11px}}.e{{text-anchor:end}}</style>"""


@dataclass(frozen=True)
class Bar:
    """A value with its lowest and highest run."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Panel:
    """Bars side by side for each group, over one scale."""

    title: str
    #: For each group, a bar or None for each series.
    bars: Sequence[Sequence[Bar | None]]
    digits: int = 2
    #: A dotted line, and what it stands for.
    limit: float | None = None
    logarithmic: bool = False


def draw(
    path: Path, title: str, groups: Sequence[str], series: Sequence[str], panels: Sequence[Panel],
    bold: Sequence[str] = (),
) -> None:  # fmt: skip
    """Write a chart of these groups, with a panel for each quantity."""
    step = BAR * len(series) + GAP
    height = TOP + step * len(groups) + 6
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>", STYLE, *_patterns(len(series)),
        *_legend(series),
    ]  # fmt: skip
    for place, name in enumerate(groups):
        y = TOP + step * place + (step - GAP) / 2 + 4
        weight = ' b"' if name in bold else '"'
        lines.append(f'<text x="{LABELS - 8}" y="{y:g}" class="e{weight}>{escape(name)}</text>')
    width = (WIDTH - LABELS) / len(panels)
    for number, panel in enumerate(panels):
        lines += _panel(panel, LABELS + number * width, width - 8, step, height)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*lines, "</svg>"]) + "\n")


def _patterns(count: int) -> list[str]:
    """Return the hatching of the second series."""
    return [
        f'<pattern id="s{i}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform='
        f'"rotate(45)"><rect width="6" height="6" fill="{fill}"/><rect width="2" height="6" '
        f'fill="{stripe}"/></pattern>'
        for i, (fill, stripe) in enumerate(COLOURS[:count])
    ]


def _legend(series: Sequence[str]) -> list[str]:
    if len(series) < 2:
        return []
    return [
        f'<rect x="{8 + 80 * i}" y="6" width="12" height="12" fill="url(#s{i})"/>'
        f'<text x="{25 + 80 * i}" y="16">{escape(name)}</text>'
        for i, name in enumerate(series)
    ]


def _panel(panel: Panel, left: float, width: float, step: int, height: int) -> list[str]:
    bars = [bar for group in panel.bars for bar in group if bar]
    top = max([bar.high for bar in bars] + [panel.limit or 0]) or 1.0
    room = width - 44

    def x(value: float) -> float:
        """Return the place of a value; a logarithmic scale begins at 10."""
        if panel.logarithmic:
            return left + room * max(0.0, log10(max(value, 1.0) / 10)) / log10(max(top, 100) / 10)
        return left + room * value / top

    lines = [f'<text x="{left:g}" y="34">{escape(panel.title)}</text>']
    for place, group in enumerate(panel.bars):
        for i, bar in enumerate(group):
            if not bar:
                continue
            y = TOP + step * place + BAR * i
            end, low, high = x(bar.value), x(bar.low), x(bar.high)
            spread = f'<path d="M{low:.0f} {y + 6}H{high:.0f}"/>' if high - low >= 2 else ""
            lines.append(
                f'<rect x="{left:.0f}" y="{y}" width="{max(1, end - left):.0f}" height="{BAR - 1}" '
                f'fill="url(#s{i})"/>{spread}<text x="{max(end, high) + 4:.0f}" y="{y + 10}" '
                f'class="v">{bar.value:.{panel.digits}f}</text>'
            )
    if panel.limit:
        at = f"{x(panel.limit):.0f} {TOP - 4}V{height - 6}"
        lines.append(f'<path d="M{at}" stroke-dasharray="2 3"/>')
    return lines
