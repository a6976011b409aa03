# SPDX-License-Identifier: GPL-2.0-or-later
"""The reviewers' questions, answered by the rows that were measured.

An answer is made of what the tables have: without its rows there is none. What the counters do not
show is not said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .analysis import Summary
from .reasons import listed, reason
from .tables import Summaries

FLAKY = """\
A request that went to the controller of the flaky link stays with it: nothing moves it to another
link until that controller is given up. With a fixed number of requests under way, those wait, and
then the other links wait for them. MPTCP decides by segment, and sends again over other links
what one does not acknowledge.
"""

SLOW = """\
Round-robin gives every link the same number of requests, so all of them go at the pace of the
slowest; queue-depth follows how fast a path answers. MPTCP has one order of bytes over all links:
what the fast ones bring early waits in the receive buffer for what the slow one has.
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


def _pick(summaries: Summaries, setup: str, links: str, rw: str = "read") -> Summary | None:
    """The row of a set-up on some links, of the figures' usual load."""
    found = [
        s
        for s in summaries.values()
        if s.row.kind == "fio" and s.row.setup.name == setup and s.row.links.name == links
        and s.row.load.rw == rw and s.row.load.jobs > 1
    ]  # fmt: skip
    return found[0] if found else None


def _compared(name: str, s: Summary, clean: Summary | None) -> str:
    """How much is left of what four equal links gave."""
    text = f"{name}: {s.total:.2f} MiB/s"
    if clean and clean.total:
        text += f", {100 * s.total / clean.total:.0f} % of {clean.total:.2f} on four equal links"
    return f"- {text}. {reason(s)}\n"


def _left(summaries: Summaries, links: Iterable[str], setups: Iterable[str]) -> str:
    lines = ""
    for name in links:
        for setup in setups:
            s = _pick(summaries, setup, name)
            if s:
                lines += _compared(f"{s.row.setup.title}, {s.row.links.title}", s,
                                   _pick(summaries, setup, "clean"))  # fmt: skip
    return lines


def flaky(summaries: Summaries) -> str:
    """One flaky path over tcp."""
    setups = ("native-round-robin", "native-queue-depth", "mptcp")
    lines = _left(summaries, ("loss3", "flaps"), setups)
    if not lines:
        return ""
    return f"{FLAKY}\n{lines}"


def slow(summaries: Summaries) -> str:
    """A slow path."""
    lines = _left(
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
)
