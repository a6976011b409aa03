# SPDX-License-Identifier: GPL-2.0-or-later
"""The reviewers' questions, answered by the rows that were measured.

An answer is made of what the tables have: without its rows there is none. What the counters do not
show is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .analysis import Summary
from .figures import (
    ADVISED,
    BACKUP,
    CLEAN,
    GOAL_DEPTHS,
    INLINE,
    LOSSY_S,
    MAIN,
    MPTCP,
    PULLED,
    QUARTER,
    READ_WRITE,
    SELFTEST,
    SHORT_SEND,
    goal_load,
    one_queue,
)
from .reasons import listed, reason
from .rows import GROWN_S, Load, Row, Setup
from .tables import Summaries

SETTINGS = """\
Against planned endpoints and the kernel's own settings; rules are those of `nvme mptcp check`
([mptcp-rules.md](mptcp-rules.md)). Below 1 a setting costs. Reads and writes of which
nothing else is said are 32 at a time by four jobs, each with an I/O queue of its own.
"""

ONE_CONNECTION = """\
What is under way on one connection decides: with all requests on one I/O queue the receive buffer
does not hold what waits for the slow link, and with a quarter of them on each of four it does.
"""

FLAKY = """\
Over tcp a request stays with the controller that it went to: nothing moves it to another link until
that controller is given up. What its link loses is sent again over that link, after a round trip,
or after a time-out that doubles each time. With a fixed number of requests under way, the other
links wait for those in the end. MPTCP decides by segment, and sends again over other links what one
does not acknowledge.
"""

NEAR = """\
These links have no delay of their own, and 32 requests keep their queues filled: a link goes on
with what waits there while a lost segment is sent again. So one flaky link costs tcp little speed
here, and shows in the slowest requests. What costs much is loss where the way is long, and the
congestion window limits what is under way:
"""

SLOW = """\
Round-robin gives every link the same number of requests, so all of them go at the pace of the
slowest; queue-depth follows how fast a path answers. MPTCP gives the next bytes to the link that
will have sent its own first, but has one order of bytes over all of them: what the fast links bring
early waits in the receive buffer for what the slow one has, and what finds no room there comes
again after a time-out. More requests on one connection are more that waits: see below for what
settings give.
"""

BOND = """\
A bond joins links that end in the same two machines (or switches) and are one network. 802.3ad
puts a connection on one link, by a hash of its addresses and ports: no connection is faster than
its link, and several may share one. balance-rr deals packets out by turns; they may arrive out of
order, and tcp has to tell that from loss.
"""

ON_TOP = """\
What native multipath gives beside speed is not in these numbers: a second controller, on another
portal or another machine, takes over when the first one's target is gone, and MPTCP has only one
of them.
"""


#: Times as fast that leave no doubt.
CLEARLY = 1.2

#: tcp and mptcp where all links lose and delay.
LOSSY = ("native-round-robin-1q", "mptcp4-planner-round-robin-1q")


def _pick(summaries: Summaries, setup: str, links: str, rw: str = "read") -> Summary | None:
    """The row of a set-up on some links, of the figures' usual load."""
    found = [
        s
        for s in summaries.values()
        if s.row.kind == "fio" and s.row.setup.name == setup and s.row.links.name == links
        and s.row.load.rw == rw and s.row.load.jobs > 1
    ]  # fmt: skip
    return found[0] if found else None


def _said(s: Summary) -> str:
    """How much of what its links carry a row gives, its slowest requests, and why."""
    text = f"{s.row.setup.title}, {s.row.links.title}: {s.total:.2f} MiB/s"
    if s.of_links is not None:
        text += f", {100 * s.of_links:.0f} % of what the links carry"
    slowest = max(percentiles["99.9"].median for percentiles in s.latency.values()) / 1000
    return f"- {text}; one request of a thousand took {slowest:.1f} s or more. {reason(s)}\n"


def _all_said(summaries: Summaries, links: Iterable[str], setups: Iterable[str]) -> str:
    found = (_pick(summaries, setup, name) for name in links for setup in setups)
    return "".join(_said(s) for s in found if s)


def flaky(summaries: Summaries) -> str:
    """One flaky path over tcp."""
    setups = ("native-round-robin", "native-queue-depth", "mptcp")
    lines = _all_said(summaries, ("loss3", "flaps"), setups)
    if not lines:
        return ""
    far = dict.fromkeys(
        s.row.links.name for s in summaries.values() if s.row.links.name.startswith("lossy")
    )
    # the one that calibration found: with all transports
    pairs = [[_pick(summaries, name, links) for name in LOSSY] for links in far]
    lossy = "".join(_said(s) for pair in pairs if all(pair) for s in pair if s)
    return f"{FLAKY}\n{lines}" + (f"\n{NEAR}\n{lossy}" if lossy else "")


def slow(summaries: Summaries) -> str:
    """A slow path."""
    lines = _all_said(
        summaries, ("half", "quarter", "delay30", "delay300"),
        ("native-round-robin", "native-queue-depth", "mptcp", "mptcp-rmem"),
    )  # fmt: skip
    if not lines:
        return ""
    return f"{SLOW}\n{lines}"


def bonding(summaries: Summaries) -> str:
    """A bond."""
    rows = [
        (s, rw)
        for rw in ("read", "write")
        for setup in ("bond-802.3ad", "bond-balance-rr", "mptcp")
        if (s := _pick(summaries, setup, "clean", rw))
    ]
    if len({s.row.setup.name for s, _ in rows}) < 2:
        return ""
    lines = "".join(
        f"- {s.row.setup.title}, {rw}s: {s.total:.2f} MiB/s. {reason(s)}\n" for s, rw in rows
    )
    return f"{BOND}\n{lines}"


def on_top(summaries: Summaries) -> str:
    """Native multipath on top of MPTCP."""
    with_it, alone = _pick(summaries, "mptcp", "clean"), _pick(summaries, "mptcp-n", "clean")
    many = [
        s for policy in ("round-robin", "queue-depth", "numa")
        if (s := _pick(summaries, f"mptcp4-selftest-{policy}-1q", "clean"))
    ]  # fmt: skip
    if not with_it or not (alone or many):
        return ""
    parts = [f"one controller with it {with_it.total:.2f} MiB/s"]
    if alone:
        parts.append(f"one controller with multipath=n {alone.total:.2f}")
    parts += [f"{s.row.setup.title} {s.total:.2f}" for s in many]
    return f"Reads over four equal links: {listed(parts)}.\n\n{ON_TOP}"


def _times(summaries: Summaries, over: Row, under: Row) -> str:
    """How many times as fast one row is as the other; "" without them."""
    s, base = summaries.get(over.key), summaries.get(under.key)
    return f"{s.total / base.total:.2f}" if s and base and base.total else ""


def _gain(summaries: Summaries, what: str, pairs: Iterable[tuple[str, Row, Row]]) -> str:
    """A line of what a setting gives, by pairs of rows with and without it."""
    found = [(name, _times(summaries, over, under)) for name, over, under in pairs]
    shown = [f"{name} {times}" for name, times in found if times]
    return f"- {what}: {', '.join(shown)} times as fast.\n" if shown else ""


def _pauses(summaries: Summaries) -> str:
    """What time limits of connect give while a cable is out."""
    found = [
        (s.row.setup, s.pull.pause.median) for s in summaries.values()
        if s.pull and s.row.load == PULLED
    ]  # fmt: skip
    pairs = [
        f"{setup.title} {pause:.2f} s, with {other.options.replace(',', ' and ')} {limited:.2f} s"
        for setup, pause in found if not setup.options
        for other, limited in found
        if other.options and other.title == setup.title
    ]  # fmt: skip
    if not pairs:
        return ""
    said = f"- Time limits of connect, the longest pause while a cable is out: {'; '.join(pairs)}."
    return (
        f"{said} ctrl_loss_tmo and fast_io_fail_tmo count from when a controller is known to be "
        "lost, which none is in five seconds unless keep-alive finds it.\n"
    )


def settings(summaries: Summaries) -> str:
    """What each setting gives, and which rule has it."""
    main, alone = MAIN, Load(ramp=GROWN_S)
    one = one_queue(MPTCP)

    def on_quarter(setup: Setup, depth: int = 32) -> list[tuple[str, Row, Row]]:
        pairs = [(f"{rw}s", Row(setup, QUARTER, replace(main, rw=rw, depth=depth)),
                  Row(MPTCP, QUARTER, replace(main, rw=rw))) for rw in READ_WRITE]  # fmt: skip
        single = one if setup is MPTCP else one_queue(setup)
        over = Row(single, QUARTER, replace(alone, depth=depth))
        return [*pairs, ("reads over one I/O queue", over, Row(one, QUARTER, alone))]

    def writes(setup: Setup) -> list[tuple[str, Row, Row]]:
        return [(f"writes at depth {depth}", Row(setup, CLEAN, goal_load("write", depth)),
                 Row(one, CLEAN, goal_load("write", depth))) for depth in GOAL_DEPTHS]  # fmt: skip

    lossy = {s.row.links for s in summaries.values() if s.row.setup.name == "mptcp-selftest-1q"}
    several = [
        (f"{rw}s", Row(one_queue(SELFTEST), links, load), Row(one, links, load))
        for links in lossy for rw in READ_WRITE
        for load in [replace(main, rw=rw, seconds=LOSSY_S)]
    ]  # fmt: skip
    slow = QUARTER.title
    lines = [
        _gain(summaries, f"`tcp_rmem` of 32 MiB, {slow} (rules C12, C15)", on_quarter(ADVISED)),
        _gain(summaries, "That link as a backup (C15)", on_quarter(BACKUP)),
        _gain(summaries, "There, 16 requests at a time, not 32 (C15)", on_quarter(MPTCP, 16)),
        _gain(summaries, "8 requests at a time", on_quarter(MPTCP, 8)),
        _gain(summaries, "Several subflows a link, all links with 140 ms and 0.5 % of loss (C07)",
              several),
        _gain(summaries, "A port that takes 128 KiB of a write with its command, equal links (C16)",
              writes(INLINE)),
        _gain(summaries, "A send buffer of 512 KiB there (C16)", writes(SHORT_SEND)),
        _pauses(summaries),
    ]  # fmt: skip
    if not any(lines):
        return ""
    # as far as it was measured
    if (times := _times(summaries, *on_quarter(ADVISED)[-1][1:])) and float(times) >= CLEARLY:
        lines.append(f"\n{ONE_CONNECTION}")
    return f"{SETTINGS}\n{''.join(lines)}"


@dataclass(frozen=True)
class Question:
    """A heading and what answers it."""

    heading: str
    answer: Callable[[Summaries], str]


QUESTIONS = (
    Question("Why does one flaky path cost so much over tcp?", flaky),
    Question("What does a slow path do?", slow),
    Question("How does it differ from bonding?", bonding),
    Question("What does native multipath still give on top?", on_top),
    Question("What do settings give?", settings),
)
