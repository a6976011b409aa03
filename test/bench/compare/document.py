# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/compare.md and what stands beside it, from the runs that there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import export, pictures, scaling
from .analysis import PERCENTILES, Value
from .answers import QUESTIONS
from .figures import Block, Figure
from .goals import goals, why_missed
from .reasons import listed, reason
from .results import Kernel, Results
from .rows import PULL_S, RATE, RETURN_S
from .tables import (
    COST,
    Labelled,
    Summaries,
    adaptive_table,
    block_table,
    capacity,
    measured,
    published_ratios,
    published_table,
    sum_of,
    table,
)

TOP = """\
# The table that reviewers asked for

What does NVMe over MPTCP give where native multipath, bonding or plain tcp are the alternative?
What has been published are ratios of one size of requests on links that are alike. Here are those
again, and what was asked for since: other sizes and depths, links that differ, a cable that is
pulled, a bond, native multipath switched off, and the cost. Everything below is written by

    make compare

in about an hour on two quiet processors. It goes on from the runs that are here;
`make compare FIGURE={example} ANEW=1` measures one part again, `make compare LONG=1` has tables
of every combination, whose runs are among those below. Each number is a median of {runs}
runs or more with the least and the most of them, each run over connections of its own; each row
says why, from what the kernel counted in the same runs. All runs, with all counters:
[results.json](compare/results.json); as a table: [results.csv](compare/results.csv).
"""

SET_UP = """\
## Set-up

{machines}

Host and target are network namespaces of one virtual machine ([test/lab](../test/lab/README.md))
of {cpus} processors, joined by four links of {rate:g} Mbit/s, which netem makes so in both
directions; the target's disk is memory. The guest's clock counts instructions (QEMU's icount):
how busy the machine is that emulates it does not show, and a second is 500 million instructions
of all its processors together. The rate is what leaves these idle for more than half of the time,
and each row has how much they were (where they were not, the row says so). fio uses
direct I/O by libaio. Each request is counted by itself, since on slow links many end at once: speed
is the slope of all bytes completed over time, latency is from submitting until completion. Runs are
kept apart: TCP does not remember what it learned of an address (`tcp_no_metrics_save`), and lost
SYNs do not turn MPTCP off (`blackhole_timeout` 0). MPTCP's scheduler is {scheduler}.{blind}{older}

*Planned endpoints* are those that `nvme mptcp setup` makes: one subflow on each link. *The
selftest's* are those of the kernel series' own test: `subflow` on every link of the host,
`signal` on every link of the target, which makes several subflows a link. Native multipath has
one controller for each link.
"""

SCALING = """\
## Scaling

The published numbers come from links of 1 Gbit/s, 5 ms and 0.5 % of loss. Without loss,
everything goes in proportion to the rate. A tcp that loses does not: its rate follows from
round-trip time and loss whatever the link can carry (Mathis and others, 1997). On a slower link
it would lose less of what it could have. So the delay grows until tcp's share of the link is the
published one, {share:.2f} (reads by round-robin, {lossy:g} of {clean:g} MiB/s). The delay is
measured, not computed, as nobody has published how large the lost packets were: {delay}

One cell of the table of ratios is thereby given, and the others are not. In these rows each
controller has one I/O queue.
"""

POLICIES = """\
A policy *adaptive* of native multipath was proposed and is not in the kernel. What was published of
it, two tcp paths of which one has 30 ms more, beside the other policies and MPTCP here, over two
links of which one has 30 ms more, and 300 ms:
"""

LIMITS = """\
## Limits

- The processors are emulated. Rates and latencies are not those of any machine; what is compared
  has the same clock. What a processor spends on a segment beside the memory's speed is not seen.
- Host and target are one machine and one kernel: they share its processors, and a link is a queue
  in memory that loses and delays by chance, packet by packet and not in bursts.
- Links of {rate:g} Mbit/s bring about timers that weigh less, and buffers that weigh more, than
  those of 100 Gbit/s: a retransmission time-out of 200 ms costs here what 20 µs cost there.
- A link's queue holds 10000 packets: nothing is lost in it, whatever is under way, and much waits
  in it. Latencies at depth 32 are those of queues; a switch would drop instead.
- What is counted is completed requests, and requests end in bursts: with 4 MiB under way and a run
  of 8 s, a link can come out some percent above or below what it carries.
- The modules are this project's ([kernel](../kernel/README.md)), not the posted
  series.
- Real network cards, their offloads and two real machines were not measured.
"""


COSTS = """\
The time follows how often what has arrived is handed on and acknowledged: the more arrives at once,
the fewer segments go back, and the less each GiB costs. Of one set-up, runs with fewer of them cost
less as well. It says more of the emulated network than of MPTCP.
"""

BLIND = """

By this clock {} counts its processors as idle whatever they do: its rows have
no such number."""

OLDER = """

These figures have rows of earlier patches of the modules ([kernel](../kernel/README.md)), which
have not been measured again: {}."""

#: What a picture shows, by the unit of its bars.
BARS = {"MiB/s": "MiB/s; the dotted line is what the links carry",
        "seconds a GiB": "seconds of a processor for each GiB"}  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """What the document has to know beside the runs."""

    machine: str
    cpus: int
    long: bool
    runs: int | None = None


class Writer:
    """Writes the document, its pictures and the raw data into a directory.

    ``name`` is that of the document and of the directory with what stands beside it, ``command``
    what writes it.
    """

    name = "compare"
    command = "make compare"

    def __init__(self, top: Path, campaigns: Sequence[Results], facts: Facts) -> None:
        self.top = top
        self.campaigns = campaigns
        self.facts = facts
        self.beside = top / self.name

    def write(self, figures: Sequence[Figure]) -> list[str]:
        """Writes everything; returns the names of figures that had nothing to show."""
        self.beside.mkdir(parents=True, exist_ok=True)
        self._clear()
        sections, absent = [], []
        for figure in figures:
            text = "".join(self._of_kernel(figure, campaign) for campaign in self.campaigns)
            if text:
                sections.append(f"## {figure.title}\n\n*{figure.question}*\n\n{text}")
            else:
                absent.append(figure.name)
        parts = [self._top(figures), self._set_up(figures), self._scaling(), *sections]
        parts += [*self._answers(figures), self._goals(figures), self._failed()]
        parts += [self._absent(absent), self._limits()]
        (self.top / f"{self.name}.md").write_text("\n".join(part for part in parts if part))
        self._raw(figures)
        return absent

    def _clear(self) -> None:
        """Takes away pictures of before: one that nothing leads to would stay for good."""
        for path in self.beside.glob("*.svg"):
            path.unlink()

    def _raw(self, figures: Sequence[Figure]) -> None:
        kernels = [campaign.kernel for campaign in self.campaigns]
        # whoever writes the tables of all combinations next has them
        rows = {row.key: row for c in self.campaigns for f in figures for row in c.combinations(f)}
        there = [r for r in rows.values() if any(k.holder(r).store.runs(r) for k in kernels)]
        (self.beside / export.RAW).write_text(export.as_json(kernels, there))
        (self.beside / "results.csv").write_text(export.as_csv(kernels, there))

    def _top(self, figures: Sequence[Figure]) -> str:
        runs = self.facts.runs or min((row.runs for c in self.campaigns for f in figures
                                       for row in c.rows(f)), default=0)  # fmt: skip
        text = TOP.format(example=figures[0].name if figures else "alone", runs=runs)
        several = "a median of 1\nruns or more with the least and the most of them"
        return text.replace(several, "one run") if runs == 1 else text

    def _set_up(self, figures: Sequence[Figure]) -> str:
        found = [s for c in self.campaigns for s in self._all(c, figures).values()]
        schedulers = sorted({f"`{s.scheduler}`" for s in found if s.scheduler})
        programs = sorted({name for s in found for name in s.versions})
        kernels = [f"- Linux {c.kernel.version}\n" for c in self.campaigns]
        inside = [f"- {listed(programs)}\n"] if programs else []
        machines = "".join([*kernels, *inside, f"- on {self.facts.machine}"])
        blind = [f"Linux {c.kernel.version}" for c in self.campaigns
                 if is_blind(self._all(c, figures))]  # fmt: skip
        older = [f"{listed(names)} on Linux {c.kernel.version}" for c in self.campaigns
                 if (names := _of_older(c, figures))]  # fmt: skip
        return SET_UP.format(
            machines=machines, cpus=self.facts.cpus, rate=RATE / 1e6,
            older=OLDER.format("; ".join(older)) if older else "",
            blind=BLIND.format(listed(blind)) if blind else "",
            scheduler=listed(schedulers) or "that of the kernel",
        )  # fmt: skip

    def _scaling(self) -> str:
        found = [
            f"{delay:g} ms each way on Linux {c.kernel.version}"
            for c in self.campaigns
            if (delay := c.kernel.delay(self.facts.runs)) is not None
        ]
        if not found:
            return ""
        return SCALING.format(
            share=scaling.PUBLISHED_SHARE, lossy=scaling.PUBLISHED_LOSSY,
            clean=scaling.PUBLISHED_CLEAN, delay="; ".join(found) + ".",
        )  # fmt: skip

    def _of_kernel(self, figure: Figure, campaign: Results) -> str:
        kernel = campaign.kernel
        rows = campaign.rows(figure)
        summaries = kernel.summaries(rows)
        missing = len(rows) - len(summaries)
        # of another kernel, what other figures have is not worth a section
        few = campaign is not self.campaigns[0] and 2 * missing > len(rows)
        if not summaries or few:
            return ""
        blocks = figure.blocks(kernel.delay(self.facts.runs), self.facts.long)
        text = ""
        if figure.name == "published":
            ratios = published_table(published_ratios(summaries, blocks))
            text += f"mptcp by tcp, as published and here:\n\n{ratios}\n" if ratios else ""
        if figure.name == "asymmetric":
            ratios = adaptive_table(summaries, blocks)
            text += f"{POLICIES}\n{ratios}\n" if ratios else ""
        for name, title in self._pictures(figure, kernel, blocks, summaries):
            text += f"![{title}]({self.name}/{name})\n\n"
        for block in blocks:
            found = block_table(block, summaries)
            if found and block.name == COST:
                found += f"\n{COSTS}"
            if found:
                text += f"**{block.title[0].upper()}{block.title[1:]}**{_load(block)}\n\n{found}\n"
        if not text:
            return ""
        if len(self.campaigns) > 1:
            text = f"### Linux {kernel.version}\n\n{text}"
        if missing:
            text += (
                f"{missing} of {len(rows)} rows of this figure have not been measured yet; "
                f"`{self._command_for(figure.name)}` goes on.\n\n"
            )
        return text

    def _pictures(
        self, figure: Figure, kernel: Kernel, blocks: Sequence[Block], summaries: Summaries
    ) -> Iterator[tuple[str, str]]:
        """Draws what a figure shows; yields files and what they show."""
        stem = f"{figure.name}-{kernel.series}"
        cells = [(b, measured(b, summaries)) for b in blocks]
        # of several blocks the first one: the others have its rows with other requests
        pulls = {b.title: {label: s.pull.series for label, s in found if s.pull}
                 for b, found in cells}  # fmt: skip
        title = next((title for title, found in pulls.items() if found), "")
        if title:
            marks = {"out": PULL_S, "back": RETURN_S}
            speeds = any(s.speed for _, found in cells for _, s in found)
            name = f"{stem}-time.svg" if speeds else f"{stem}.svg"
            pictures.draw_lines(pulls[title], marks, "MiB/s", self.beside / name)
            yield name, f"{title[0].upper()}{title[1:]}: MiB/s over time"
        bars = [_bars(b, found) for b, found in cells if found and found[0][1].speed]
        bars = [panel for panel in bars if pictures.shows(panel)]
        if bars:
            pictures.draw_bars(bars, self.beside / f"{stem}.svg")
            what = BARS.get(bars[0].unit, bars[0].unit)
            yield f"{stem}.svg", f"{figure.title}: {what}"
        latencies = _latencies(cells[0][1]) if figure.name == "alone" and cells else {}
        if latencies:
            pictures.draw_latencies(latencies, self.beside / f"{stem}-latency.svg")
            yield f"{stem}-latency.svg", f"{cells[0][0].title}: latency by percentile"

    def _command_for(self, figure: str) -> str:
        """What measures one figure."""
        return f"{self.command} FIGURE={figure}"

    def _limits(self) -> str:
        return LIMITS.format(rate=RATE / 1e6)

    def _absent(self, names: Sequence[str]) -> str:
        if not names:
            return ""
        commands = "".join(f"    {self._command_for(name)}\n" for name in names)
        return f"## Not measured\n\nThese figures have no rows yet:\n\n{commands}"

    def _all(self, campaign: Results, figures: Sequence[Figure]) -> Summaries:
        return campaign.kernel.summaries([row for f in figures for row in campaign.rows(f)])

    def _answers(self, figures: Sequence[Figure]) -> Iterator[str]:
        first = self.campaigns[0]
        summaries = self._all(first, figures)
        for question in QUESTIONS:
            answer = question.answer(summaries)
            if answer:
                yield f"## {question.heading}\n\nOn Linux {first.kernel.version}:\n\n{answer}"

    def _goals(self, figures: Sequence[Figure]) -> str:
        lines = []
        found: list[Summaries] = []
        for campaign in self.campaigns:
            summaries = self._all(campaign, figures)
            found.append(summaries)
            for goal in goals(campaign.kernel.delay(self.facts.runs)):
                value = goal.value(summaries)
                if value is not None:
                    verdict = goal.verdict(summaries)
                    why = reason(summaries[goal.above.key]) if verdict == "missed" else ""
                    lines.append([campaign.kernel.version, goal.text, f"{goal.least:g}",
                                  f"{value:.2f}", verdict, why])  # fmt: skip
        head = ["Linux", "", "at least", "measured", "", "why it was missed"]
        return f"## Goals\n\n{table(head, lines)}\n{why_missed(found)}" if lines else ""

    def _failed(self) -> str:
        lines = [
            f"- Linux {c.kernel.version}, `{key}`: {_first_line(errors)}\n"
            for c in self.campaigns for key, errors in sorted(c.failed.items())
        ]  # fmt: skip
        return f"## Rows that failed\n\n{''.join(lines)}" if lines else ""


def _of_older(results: Results, figures: Sequence[Figure]) -> list[str]:
    """Name the figures with rows that only earlier patches were measured with."""
    kernel = results.kernel
    return [f"`{figure.name}`" for figure in figures
            if any(kernel.holder(row) is not kernel for row in results.rows(figure))]  # fmt: skip


def is_blind(summaries: Summaries) -> bool:
    """Did the kernel notice no work of its processors?"""
    idle = [s.idle for s in summaries.values() if s.speed]
    return bool(idle) and not any(idle)


def _bars(block: Block, found: Labelled) -> pictures.Bars:
    """How fast it is, and what the links could carry; or what it costs."""
    if block.name == COST:
        costs = [(label, s.cpu_per_gib) for label, s in found if s.cpu_per_gib]
        return pictures.Bars(block.title, "seconds a GiB", costs)
    speeds = [(label, sum_of(s)) for label, s in found]
    return pictures.Bars(block.title, "MiB/s", speeds, capacity(found[0][1].row) or None)


def _first_line(errors: Sequence[str]) -> str:
    return errors[0].split("\n", 1)[0]


def _load(block: Block) -> str:
    """What fio does in a block, where that is the same in all its rows; else how long."""
    if block.name == "cost-connect":
        return ""
    loads = {row.load for _, row in block.cells}
    if len(loads) == 1:
        return f" ({loads.pop().title})"
    both = "; links carry as much in both directions at once" if any(
        load.part < 1 for load in loads) else ""  # fmt: skip
    times = sorted({load.time for load in loads}, key=len)
    if len(times) == 1:
        return f" ({times[0]}{both})"
    longer = [row.load for _, row in block.cells if row.load.ramp == max(x.ramp for x in loads)]
    if len(longer) == len(block.cells):
        return f" ({' or '.join(times)}{both})"
    # those of the goals
    by_depth = len({load.depth for load in loads}) > 1
    which = dict.fromkeys(f"depth {x.depth}" if by_depth else f"{x.bs} KiB" for x in longer)
    return f" ({times[0]}; {listed(list(which))}: {longer[0].time})"


def _latencies(found: Labelled) -> Mapping[str, Mapping[str, Value]]:
    return {
        label: {p: percentiles[p] for p in PERCENTILES}
        for label, s in found
        for percentiles in s.latency.values()
    }
