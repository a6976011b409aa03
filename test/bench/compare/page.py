# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/performance.md, its charts and doc/performance-goals.md, from results.csv."""

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nvmelab.releases import DEFAULT_SERIES

from . import figures
from .campaign import calibrated
from .charts import Bar, Panel, draw
from .data import MIB, Data, Result
from .figures import (
    BOND_HASH,
    BOND_RR,
    CLEAN,
    FASTEST,
    KEPT,
    KEPT_INLINE,
    MAIN,
    MPTCP,
    NATIVE,
    PUBLISHED,
    READ_WRITE,
    RELAY,
    RELAY_KEPT,
    TCP,
    UNEQUAL,
    one_queue,
    outage,
)  # fmt: skip
from .goals import goals
from .rows import Load, Row, Setup
from .text import GOALS, PERFORMANCE

#: Below the directory of documents.
RESULTS = Path("performance/results.csv")

WHAT = "Compare NVMe over MPTCP with TCP, native multipath and bonding; write doc/performance.md."

NONE = "-"
OWN = ("mptcp", "mptcp with keep", "relay", "relay with keep")

SHOWN = (TCP, BOND_HASH, BOND_RR, *NATIVE.values(), MPTCP, RELAY)
OTHERS = (BOND_HASH, BOND_RR, *FASTEST.values())

#: KiB and depth of the outages' requests.
SMALL, LARGE = figures.OUTAGE_REQUESTS


@dataclass(frozen=True)
class View:
    """The results of one kernel series, as text, numbers and bars."""

    data: Data
    series: str

    def find(self, row: Row) -> Result | None:
        return self.data.find(self.series, row)

    def number(self, row: Row, metric: str) -> float | None:
        """Return a median, or None if it was not measured."""
        found = self.find(row)
        return found[metric] if found and found.has(metric) else None

    def text(self, row: Row, metric: str, digits: int = 0, scale: float = 1) -> str:
        found = self.number(row, metric)
        return NONE if found is None else f"{found * scale:.{digits}f}"

    def ratio(self, above: Row, below: Row, metric: str = "mib_s") -> str:
        """Return the ratio of two medians as text."""
        found = [self.number(row, metric) for row in (above, below)]
        return f"{found[0] / found[1]:.2f}" if found[0] and found[1] else NONE

    def of_links(self, row: Row) -> str:
        """Return which percentage of the links' rate the data is."""
        speed = self.number(row, "mib_s")
        return NONE if speed is None else f"{100 * speed * MIB * 8 / row.links.rate:.0f}"

    def span(self, rows: Iterable[Row], metric: str, digits: int = 0) -> str:
        """Return the least and the most of these rows' medians."""
        found = [value for row in rows if (value := self.number(row, metric)) is not None]
        if not found:
            return NONE
        least, most = (f"{value:.{digits}f}" for value in (min(found), max(found)))
        return least if least == most else f"{least} to {most}"

    def bar(self, row: Row, metric: str, scale: float = 1) -> Bar | None:
        """Return the bar of a metric with its spread."""
        found = self.find(row)
        if not found or not found.has(metric):
            return None
        ends = (f"{metric}{end}" for end in ("", "_low", "_high"))
        return Bar(*(found[end] * scale if found.has(end) else found[metric] for end in ends))

    def fact(self, row: Row, name: str) -> str:
        found = self.find(row)
        return found.fields[name] if found else NONE

    def facts(self, name: str) -> list[str]:
        """Return all values of a fact of the results."""
        return sorted({result.fields[name] for result in self.data.of(self.series)})


def equal(setup: Setup, rw: str) -> Row:
    """Return a row of four equal links."""
    return Row(setup, CLEAN, replace(MAIN, rw=rw))


def pulled(setup: Setup, rw: str, requests: tuple[int, int], kind: str = "pull") -> Row:
    """Return a row of an outage; small requests of our own set-ups share one queue."""
    own = setup.endpoints == "planner" and requests == SMALL
    return outage(one_queue(setup) if own else setup, rw, *requests, kind)


def failover_old(view: View) -> str:
    """Return what a star in the table of failures says."""
    rows = [older(s) for s in (BOND_RR, NATIVE["queue-depth"])]
    days = " and ".join(sorted({view.fact(row, "measured") for row in rows}))
    return (
        f" *: measured on {days} with an outage in a run of 45 s, queue-depth with the default "
        "time limits."
    )


def older(setup: Setup) -> Row:
    """Return the row of 128 KiB reads with an outage as an earlier version measured it."""
    name = setup.name.replace("round-robin-best", "round-robin-kato")
    if name.endswith("-best"):
        name, setup = name.removesuffix("-best"), replace(setup, options="")
    return Row(replace(setup, name=name), CLEAN, replace(MAIN, seconds=45), "pull")


def known(view: View, row: Row) -> Row:
    """Return the row, or the older one of an alternative if that alone was measured."""
    old = older(row.setup)
    is_old = row.load.rw == "read" and row.load.bs == LARGE[0] and not row.setup.has_subflows
    return old if is_old and not view.find(row) and view.find(old) else row


def unequal(setup: Setup, name: str) -> Row:
    """Return a row of reads while one link is worse."""
    links = next(links for links in UNEQUAL if links.name == name)
    period = int(links.shapes[-1].period)
    return Row(setup, links, replace(MAIN, seconds=3 * period) if period else MAIN)


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table as Markdown."""
    first, *rest = (f"| {' | '.join(line)} |\n" for line in (head, *lines))
    return f"{first}|{'-|' * len(head)}\n{''.join(rest)}"


#: What is shown of outages, by requests. In the first second, much waits for the dead link.
WHILE_OUT = (
    (SMALL, "pause_ms", "pause, ms"),
    (SMALL, "out_percent", "throughput, %"),
    (LARGE, "pause_ms", "pause, ms"),
    (LARGE, "out_percent", "throughput, %"),
    (LARGE, "rest_percent", "after 1 s, %"),
)


def failover_table(view: View) -> str:
    """Return pause and throughput of each set-up while a cable is out, reads and writes."""
    head = [f"{bs} KiB, depth {depth}: {what}" for (bs, depth), _, what in WHILE_OUT]
    lines = []
    for setup in (*OTHERS, MPTCP, KEPT, KEPT_INLINE, RELAY_KEPT):
        cells = []
        for requests, metric, _ in WHILE_OUT:
            rows = [pulled(setup, rw, requests) for rw in READ_WRITE]
            shown = [known(view, row) for row in rows]
            marks = ["" if row in rows else "*" for row in shown]
            texts = (view.text(row, metric) for row in shown)
            cells.append(" / ".join(map("".join, zip(texts, marks, strict=True))))
        lines.append([setup.title, *cells])
    return table(["", *head], [line for line in lines if any(c != "- / -" for c in line[1:])])


def published_table(view: View) -> str:
    """Return the published ratios of mptcp to tcp next to those measured here."""
    delay, lines = figures_delay(view), []
    for (links, policy), published in PUBLISHED.items():
        cells = []
        for place, rw in enumerate(READ_WRITE):
            where = CLEAN if links == "clean" else figures.lossy(delay) if delay else None
            seconds = MAIN.seconds if links == "clean" else figures.LOSSY_S
            load = replace(MAIN, rw=rw, seconds=seconds)
            ours, tcp = figures.ORIGINAL_MPTCP[policy], figures.ORIGINAL_TCP[policy]
            here = view.ratio(Row(ours, where, load), Row(tcp, where, load)) if where else NONE
            cells += [f"{published['mptcp'][place] / published['tcp'][place]:.2f}", here]
        lines.append(["no loss" if links == "clean" else "0.5 % loss", policy, *cells])
    head = ["links", "policy", "reads, published", "here", "writes, published", "here"]
    return table(head, lines)


def figures_delay(view: View) -> float | None:
    """Return the delay that calibration found."""
    return calibrated(view.data, view.series)


def summary(view: View) -> str:
    """Return the table of eight rows."""
    columns = {
        "tcp": TCP, "802.3ad": BOND_HASH, "balance-rr": BOND_RR,
        "native multipath": NATIVE["queue-depth"], "mptcp": MPTCP, "relay": RELAY,
    }  # fmt: skip
    out = {
        "802.3ad": BOND_HASH, "balance-rr": BOND_RR, "native multipath": FASTEST["queue-depth"],
        "mptcp": KEPT, "relay": RELAY_KEPT,
    }  # fmt: skip

    def line(
        title: str, setups: dict[str, Setup], row: object, metric: str, digits: int
    ) -> list[str]:
        return [title] + [
            view.text(row(setups[name]), metric, digits) if name in setups else NONE  # type: ignore[operator]
            for name in columns
        ]

    lines = [
        line("reads, MiB/s", columns, lambda s: equal(s, "read"), "mib_s", 2),
        line("writes, MiB/s", columns, lambda s: equal(s, "write"), "mib_s", 2),
        line("reads, one link at a quarter of its rate, MiB/s", columns,
             lambda s: unequal(s, "quarter"), "mib_s", 2),
        line("cable out, 16 KiB reads at depth 8: longest pause, ms", out,
             lambda s: pulled(s, "read", SMALL), "pause_ms", 0),
        line("the same: throughput while out, % of before", out,
             lambda s: pulled(s, "read", SMALL), "out_percent", 0),
        line("cable out, 128 KiB reads at depth 32: longest pause, ms", out,
             lambda s: known(view, pulled(s, "read", LARGE)), "pause_ms", 0),
        line("the same: throughput while out, % of before", out,
             lambda s: known(view, pulled(s, "read", LARGE)), "out_percent", 0),
        line("link at a tenth of its rate, 16 KiB reads: throughput, %", out,
             lambda s: pulled(s, "read", SMALL, "slow"), "out_percent", 0),
    ]  # fmt: skip
    heads = {"802.3ad": "bond 802.3ad", "balance-rr": "bond balance-rr"}
    lines = [line for line in lines if set(line[1:]) != {NONE}] or lines
    return table(["", *(heads.get(name, name) for name in columns)], lines)


def goals_table(views: Iterable[View]) -> str:
    """Return each goal and whether it is reached."""
    lines = []
    for view in views:
        for goal in goals(figures_delay(view)):
            value = goal.value(view.number)
            if value is None:
                continue
            verdict = "reached" if value >= goal.least else "missed"
            lines.append(
                [view.series, goal.text, f"{goal.least:g}", f"{value:.2f}", verdict,
                 _counted(view.find(goal.above)) if verdict == "missed" else ""]
            )  # fmt: skip
    head = ["Linux", "ratio", "at least", "measured", "", "counters"]
    return table(head, lines)


def _counted(result: Result | None) -> str:
    """Return the counters that explain a missed goal."""
    if not result:
        return ""
    names = {"resent_per_1000": "resent of 1000", "no_room": "NoDSSInWindow",
             "reinjected": "MPTCPRetrans"}  # fmt: skip
    found = [f"{title} {result[name]:.0f}" for name, title in names.items() if result.has(name)]
    return f"links {result.fields['link_percent']} %; {', '.join(found)}"


def charts(view: View, top: Path) -> list[Path]:
    """Draw the charts; return their files."""
    limit = CLEAN.rate / 8 / MIB
    panel = Panel(
        "MiB/s; dotted: what four links carry",
        [[view.bar(equal(s, rw), "mib_s") for rw in READ_WRITE] for s in SHOWN], 2, limit,
    )  # fmt: skip
    paths = [top / "alone.svg"]
    draw(paths[0], "Throughput over four equal links", [s.title for s in SHOWN],
         ("reads", "writes"), [panel], OWN)  # fmt: skip
    for bs, depth in (SMALL, LARGE):
        setups = (*OTHERS, MPTCP, KEPT, RELAY_KEPT)
        rows = [[known(view, pulled(s, rw, (bs, depth))) for rw in READ_WRITE] for s in setups]
        panels = [
            Panel("longest pause, ms (log scale)",
                  [[view.bar(r, "pause_ms") for r in pair] for pair in rows], 0, None, True),
            Panel("throughput while out, % of before",
                  [[view.bar(r, "out_percent") for r in pair] for pair in rows], 0, 75.0),
        ]  # fmt: skip
        paths.append(top / f"failover-{bs}.svg")
        draw(paths[-1], f"One of four cables out, {bs} KiB, depth {depth}",
             [s.title for s in setups], ("reads", "writes"), panels, OWN)  # fmt: skip
    setups = (NATIVE["queue-depth"], MPTCP)
    bars = [
        [_percent(view.bar(unequal(s, links.name), "mib_s"), links.rate) for s in setups]
        for links in UNEQUAL
    ]
    paths.append(top / "unequal.svg")
    draw(paths[-1], "Reads while one of four links is worse", [links.title for links in UNEQUAL],
         ("native, queue-depth", "mptcp"),
         [Panel("% of what the links carry together", bars, 0, 100.0)])  # fmt: skip
    return paths


def _percent(bar: Bar | None, rate: int) -> Bar | None:
    scale = 100 * MIB * 8 / rate
    return bar and Bar(bar.value * scale, bar.low * scale, bar.high * scale)


def write(data: Data, top: Path) -> list[Path]:
    """Write the documents and charts; return their files."""
    view, newest = View(data, DEFAULT_SERIES), View(data, "newest")
    beside = top / RESULTS.parent
    beside.mkdir(parents=True, exist_ok=True)
    found = charts(view, beside)
    texts = {
        "performance.md": filled(PERFORMANCE.format(**values(view, newest))),
        "performance-goals.md": GOALS.format(goals=goals_table((view, newest))),
    }
    for name, text in texts.items():
        (top / name).write_text(text)
        found.append(top / name)
    return found


def values(view: View, newest: View) -> dict[str, str]:
    """Return the numbers of the page's text."""

    def both(setup: Setup, requests: tuple[int, int], metric: str) -> str:
        return view.span([pulled(setup, rw, requests) for rw in READ_WRITE], metric)

    def out(setup: Setup, rw: str, requests: tuple[int, int], metric: str, digits: int = 0) -> str:
        return view.text(pulled(setup, rw, requests), metric, digits)

    def busy(setup: Setup) -> str:
        idle = view.number(equal(setup, "read"), "idle")
        return NONE if idle is None else f"{100 - 100 * idle:.0f}"

    def connect(setup: Setup, metric: str) -> str:
        row = Row(replace(setup, name=f"{setup.name}-16", paths=16), CLEAN, kind="connect")
        return view.text(row, metric)

    def depth1(setup: Setup) -> str:
        return view.text(Row(setup, CLEAN, Load(depth=1)), "p50_ms")

    mptcp = equal(MPTCP, "read")
    failures = failover_table(view)
    return {
        "mptcp_read": view.text(mptcp, "mib_s", 2), "of_links": view.of_links(mptcp),
        "tcp_read": view.text(equal(TCP, "read"), "mib_s", 2),
        "read_ratio": view.ratio(mptcp, equal(TCP, "read")),
        "relay_read": view.text(equal(RELAY, "read"), "mib_s", 2),
        "relay_write": view.text(equal(RELAY, "write"), "mib_s", 2),
        "native_before": view.text(equal(NATIVE["queue-depth"], "read"), "mib_s", 2),
        "native_out": out(FASTEST["queue-depth"], "read", SMALL, "out_percent"),
        "keep_pause": both(KEPT, SMALL, "pause_ms"),
        "keep_out": out(KEPT, "read", SMALL, "out_percent"),
        "bare_pause": both(MPTCP, SMALL, "pause_ms"),
        "bare_out": out(MPTCP, "read", SMALL, "out_percent"),
        "relay_pause": both(RELAY_KEPT, SMALL, "pause_ms"),
        "relay_out": out(RELAY_KEPT, "read", SMALL, "out_percent"),
        "large_bare_out": out(MPTCP, "read", LARGE, "out_percent"),
        "large_keep_read": out(KEPT, "read", LARGE, "pause_ms"),
        "large_keep_write": out(KEPT, "write", LARGE, "pause_ms"),
        "large_keep_out": both(KEPT, LARGE, "out_percent"),
        "large_keep_rest": both(KEPT, LARGE, "rest_percent"),
        "large_relay_read": out(RELAY_KEPT, "read", LARGE, "pause_ms"),
        "large_relay_write": out(RELAY_KEPT, "write", LARGE, "pause_ms"),
        "large_relay_out": both(RELAY_KEPT, LARGE, "out_percent"),
        "large_relay_rest": both(RELAY_KEPT, LARGE, "rest_percent"),
        "slow": slow_link(view),
        "rmem": view.of_links(Row(figures.ADVISED, figures.QUARTER, MAIN)),
        "quarter": view.of_links(Row(MPTCP, figures.QUARTER, MAIN)),
        "delay": f"{figures_delay(view) or 0:g}",
        "connect_mptcp": connect(MPTCP, "connect_ms"), "connect_tcp": connect(TCP, "connect_ms"),
        "memory_mptcp": connect(MPTCP, "memory_kib"), "memory_tcp": connect(TCP, "memory_kib"),
        "depth1_mptcp": depth1(MPTCP), "depth1_tcp": depth1(TCP),
        "busy_mptcp": busy(MPTCP), "busy_native": busy(NATIVE["queue-depth"]),
        "outage_runs": outage_runs(view), "summary": summary(view),
        "failover": failures, "failover_old": failover_old(view) if "*" in failures else "",
        "published": published_table(view),
        "kernels": kernels(view, newest), "failover_newest": failover_newest(newest),
    }  # fmt: skip


def slow_link(view: View) -> str:
    """Return what a link that becomes slow costs."""
    setups = (MPTCP, KEPT, RELAY_KEPT, FASTEST["queue-depth"], BOND_HASH, BOND_RR)

    def found(rw: str, requests: tuple[int, int]) -> str:
        rows = {setup.title: pulled(setup, rw, requests, "slow") for setup in setups}
        texts = {title: view.text(row, "out_percent") for title, row in rows.items()}
        return ", ".join(f"{title} {text}" for title, text in texts.items() if text != NONE)

    head = "**A link that falls to a tenth of its rate** is worse than a dead one."
    reads, writes = found("read", SMALL), found("write", LARGE)
    if not reads or not writes:
        return (
            f"{head} These rows have not been measured with today's keep, which makes it a backup."
        )
    return (
        f"{head} keep makes it a backup. 16 KiB reads, % of before: {reads}. "
        f"128 KiB writes: {writes}."
    )


def outage_runs(view: View) -> str:
    """Return how many runs the rows of outages have."""
    rows = [row for row in figures.FIGURES["failover"].rows(None) if view.find(row)]
    return view.span(rows, "runs")


def kernels(view: View, newest: View) -> str:
    """Return which rows were measured when, on which kernel."""
    found = []
    for each in (view, newest):
        days: dict[str, list[str]] = {}
        for figure in figures.FIGURES.values():
            results = [each.find(row) for row in figure.rows(figures_delay(each))]
            for day in sorted({r.fields["measured"] for r in results if r}):
                days.setdefault(day, []).append(figure.name)
        if days:
            parts = [f"{', '.join(names)} on {day}" for day, names in sorted(days.items())]
            found.append(f"Linux {' and '.join(each.facts('kernel'))}: {'; '.join(parts)}.")
    text = "Figures of `make compare` that have results: " + " ".join(found)
    return "\n> ".join(textwrap.wrap(text, 98, break_on_hyphens=False))


def failover_newest(newest: View) -> str:
    """Return the pauses on the newest kernel, as far as they were measured."""
    rows = [pulled(KEPT, rw, SMALL) for rw in READ_WRITE]
    if not all(newest.find(row) for row in rows):
        return "The newest kernel was not measured."
    return (
        f"On Linux {newest.facts('kernel')[-1]}, mptcp with keep pauses for "
        f"{newest.span(rows, 'pause_ms')} ms with 16 KiB and carries "
        f"{newest.span(rows, 'out_percent')} %."
    )


def filled(text: str) -> str:
    """Return paragraphs filled to 118 columns; tables, headings, quotes and lists stay."""
    parts = []
    for part in text.split("\n\n"):
        if part[:1] in "|#!-> " or "\n|" in part:
            parts.append(part)
            continue
        parts.append(textwrap.fill(" ".join(part.split()), 118, break_long_words=False,
                                   break_on_hyphens=False))  # fmt: skip
    return "\n\n".join(parts).rstrip("\n") + "\n"


__all__ = ["RESULTS", "WHAT", "write"]
