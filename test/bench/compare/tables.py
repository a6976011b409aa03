# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of a figure, as Markdown: each kind of row has its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .analysis import MIB, PERCENTILES, Summary, Value
from .figures import ADAPTIVE, PUBLISHED, READ_WRITE, TWO_FAR, TWO_UNEQUAL, Block
from .reasons import listed, reason
from .rows import OVER_TIME, Row

#: A ratio is the published one if it is no farther away than this part of it.
SAME = 0.1

PUBLISHED_WHY = """\
Without loss, tcp by round-robin fills all links, and MPTCP on top of it can only cost; by numa tcp
has one link, and MPTCP all. With loss, tcp has what its congestion windows allow, and MPTCP the
same for each of its subflows, of which the selftest's endpoints make several a link: how many times
as much that is depends on how the losses fall, and these rows spread for it. Writes over the
selftest's endpoints stay below reads where several subflows share a link: see *why* in their rows.
"""

#: What the columns of a pulled cable are.
PULLED_WHAT = """\
*MiB/s before* counts the requests that complete from one second after the start until the fault,
*MiB/s meanwhile* those from the fault until its end, the pause included. *% of before* is their
ratio in each run, over the whole fault, its first second and the rest. Each value is the median of
the runs with the lowest and highest. Three of four links carry 75 %. A bond by hash (layer3+4) can
leave links unused, so it starts lower and can lose nothing when a link fails: compare its MiB/s.
"""

#: The block whose table is of processor time.
COST = "cost-cpu"

Summaries = Mapping[str, Summary]
Labelled = Sequence[tuple[str, Summary]]


def shown(value: Value | None, digits: int = 2) -> str:
    """A median and its spread: 4.51 (4.38 to 4.60); the spread only where it shows."""
    if value is None:
        return "-"
    median, low, high = (f"{v:.{digits}f}" for v in (value.median, value.low, value.high))
    return median if low == high else f"{median} ({low} to {high})"


def significant(value: Value | None) -> str:
    """The same with digits by its size: for latencies, which span four orders."""
    if value is None:
        return "-"
    return shown(value, 2 if value.median < 10 else 1 if value.median < 100 else 0)


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    rule = "|" + "-|" * len(head) + "\n"
    head_line, *rest = (f"| {' | '.join(row)} |\n" for row in (head, *lines))
    return head_line + rule + "".join(rest)


def measured(block: Block, summaries: Summaries) -> list[tuple[str, Summary]]:
    """The cells of a block that were measured."""
    return [(label, summaries[row.key]) for label, row in block.cells if row.key in summaries]


def capacity(row: Row) -> float:
    """What a row's links carry together of its load, in MiB/s, with headers; 0 if not known."""
    return row.links.rate / row.load.part / 8 / MIB


def _of_fio(block: Block, cells: Labelled) -> str:
    base = next((s.total for label, s in cells if label == block.base), 0.0)
    relative = f"times {block.base}" if base else "of the links"
    lines = []
    for label, s in cells:
        speed = " + ".join(shown(s.speed[way]) for way in s.speed)
        part = s.total / base if base else s.of_links
        times = "-" if part is None else f"{part:.2f}"
        latency = [
            " / ".join(significant(s.latency[way][p]) for way in s.latency) for p in PERCENTILES
        ]
        idle = f"{100 * s.idle.median:.0f} %" if s.idle else "-"
        lines.append([label, speed, times, *latency, idle, reason(s)])
    head = ["", "MiB/s", relative, *(f"p{p} ms" for p in PERCENTILES), "idle", "why"]
    return table(head, lines)


def _of_pull(block: Block, cells: Labelled) -> str:
    lines = []
    for label, s in cells:
        assert s.pull
        recovery = shown(s.pull.recovery, 1) if s.pull.recovery else (
            f"not within {s.row.load.seconds} s")  # fmt: skip
        parts = (s.pull.part, s.pull.first, s.pull.rest)
        lines.append([label, shown(s.pull.pause / 0.001, 0), shown(s.pull.before),
                      shown(s.pull.out), *(shown(_percent(part), 0) for part in parts), recovery,
                      reason(s)])  # fmt: skip
    head = ["", "longest pause, ms", "MiB/s before", "MiB/s meanwhile", "% of before",
            "% in the first second", "% after it", "full speed after the return, s",
            "why"]  # fmt: skip
    return table(head, lines) + f"\n{PULLED_WHAT}"


def _of_connect(block: Block, cells: Labelled) -> str:
    lines = [
        [label, shown(s.connect_ms, 1), shown(s.memory_kib, 0), reason(s)] for label, s in cells
    ]
    head = ["", "ms a controller", "KiB a connection", ""]
    return table(head, lines)


def cpu_table(cells: Labelled) -> str:
    """Processor time for each GiB."""
    return table(
        ["", "MiB/s", "seconds a GiB", "idle", "why"],
        [
            [label, shown(sum_of(s)), shown(s.cpu_per_gib, 1), shown(_percent(s.idle), 0) + " %",
             _answered(s)]
            for label, s in cells
        ],
    )  # fmt: skip


def _answered(s: Summary) -> str:
    """What processor time goes with: how often what arrives is handed on and acknowledged."""
    if s.answers is None:
        return ""
    return f"The receiving side sent {shown(s.answers / 1000, 0)} thousand segments for each GiB."


def _percent(value: Value | None) -> Value | None:
    return value / 0.01 if value else None


def sum_of(s: Summary) -> Value:
    """Speed of all directions together: of one it is its own."""
    values = list(s.speed.values())
    return Value(
        sum(v.median for v in values), sum(v.low for v in values), sum(v.high for v in values)
    )


@dataclass(frozen=True)
class Ratio:
    """A published ratio of mptcp to tcp, and ours."""

    links: str
    policy: str
    rw: str
    then: float
    now: float


def published_ratios(summaries: Summaries, blocks: Sequence[Block]) -> list[Ratio]:
    """The published ratios of mptcp to tcp and ours, by links, policy and direction."""
    ours: dict[tuple[str, str, str, str], float] = {}
    for block in blocks:
        for _, s in measured(block, summaries):
            if s.row.setup.endpoints == "planner" or not block.name.startswith("published"):
                continue
            links = "clean" if s.row.links.name == "clean" else "lossy"
            key = (links, s.row.setup.policy, s.row.setup.transport, s.row.load.rw)
            ours[key] = s.total
    found = []
    for (links, policy), values in PUBLISHED.items():
        for place, rw in enumerate(("read", "write")):
            tcp, mptcp = (ours.get((links, policy, t, rw)) for t in ("tcp", "mptcp"))
            if not tcp or not mptcp:
                continue
            then = values["mptcp"][place] / values["tcp"][place]
            found.append(Ratio(links, policy, rw, then, mptcp / tcp))
    return found


def published_table(ratios: Sequence[Ratio]) -> str:
    """Published ratios beside ours, and which of ours are others."""
    lines = [[r.links, r.policy, f"{r.rw}s", f"{r.then:.2f}", f"{r.now:.2f}"] for r in ratios]
    if not lines:
        return ""
    found = {
        "lower": [r for r in ratios if r.now < r.then * (1 - SAME)],
        "higher": [r for r in ratios if r.now > r.then * (1 + SAME)],
    }
    parts = [
        f"{word}: {listed([f'{r.links} {r.policy} {r.rw}s' for r in some])}"
        for word, some in found.items() if some
    ]  # fmt: skip
    others = f"; {'; '.join(parts)}" if parts else ""
    same = sum(abs(r.now / r.then - 1) <= SAME for r in ratios)
    verdict = f"{same} of {len(ratios)} are within a tenth of what was published{others}."
    why = PUBLISHED_WHY if parts else ""
    return f"{table(['links', 'policy', '', 'published', 'here'], lines)}\n{verdict}\n\n{why}"


def adaptive_table(summaries: Summaries, blocks: Sequence[Block]) -> str:
    """The published ratios of policies to numa with one far path beside ours, and mptcp's."""
    names = [f"{links.name}-{rw}" for links in (TWO_UNEQUAL, TWO_FAR) for rw in READ_WRITE]
    ours: dict[str, dict[str, float]] = {name: {} for name in names}
    for block in blocks:
        for _, s in measured(block, summaries):
            name = f"{s.row.links.name}-{s.row.load.rw}"
            if name in ours:
                ours[name][s.row.setup.policy or s.row.setup.transport] = s.total
    if not all(found.get("numa") for found in ours.values()):
        return ""
    lines = []
    for policy in (*ADAPTIVE, "mptcp"):
        then = [f"{value / numa:.2f}" for value, numa in
                zip(ADAPTIVE.get(policy, ()), ADAPTIVE["numa"], strict=False)]  # fmt: skip
        now = [f"{found[policy] / found['numa']:.2f}" if policy in found else "-"
               for found in ours.values()]  # fmt: skip
        lines.append([policy, *(then or ["-", "-"]), *now])
    head = ["times numa"] + [f"{where}, {rw}s" for where in ("published", "30 ms", "300 ms")
                             for rw in READ_WRITE]  # fmt: skip
    return table(head, lines)


_KINDS: Mapping[str, Callable[[Block, Labelled], str]] = {
    "fio": _of_fio, **dict.fromkeys(OVER_TIME, _of_pull), "connect": _of_connect,
}  # fmt: skip


def block_table(block: Block, summaries: Summaries) -> str:
    """A block's table; "" if nothing of it was measured."""
    cells = measured(block, summaries)
    if not cells:
        return ""
    if block.name == COST:
        return cpu_table(cells) if any(s.cpu_per_gib for _, s in cells) else ""
    return _KINDS[cells[0][1].row.kind](block, cells)
