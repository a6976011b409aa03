# SPDX-License-Identifier: GPL-2.0-or-later
"""Why a row is as fast as it is, in a sentence or two, from the counters of the same runs.

Each clause is a row of CLAUSES: it looks at the counters and says what they show, or nothing. A
clause states what was counted; it names a cause only where the counters leave no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .analysis import Summary

#: A link is full above this part of its rate, and carries nothing below that part of all bytes.
FULL = 0.93
NOTHING = 0.02

#: Shares are alike if none is this much above or below an equal one.
ALIKE = 0.15

#: Of a thousand segments, what is worth a word; and where links are full all the same.
SOME_LOST = 1.0
MANY_LOST = 20.0

#: Pieces that MPTCP sends again in a run, below which it is not worth a word; and where links are
#: not full, as each of them may have been waited for.
FEW_PIECES = 10
FEW_STANDSTILLS = 3

#: Runs of which the slowest has less than this part of the fastest have not met the same.
UNEVEN = 0.9

#: Bytes of a write that the kernel's target takes with its command, unless its port has others.
INLINE = 16384

NUMBERS = ("no", "one", "two", "three", "four")


def number(count: int) -> str:
    """Writes a small number as a word."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def listed(words: Sequence[str]) -> str:
    """Joins words as a sentence does: a, b and c."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def _plural(count: float, word: str) -> str:
    return f"{count:.0f} {word}{'' if round(count) == 1 else 's'}"


def full_links(s: Summary) -> list[int]:
    """The numbers of the links that carry about what they can, as far as that is known."""
    pairs = zip(s.rates, s.row.links.shapes, strict=True)
    return [
        i for i, (rate, shape) in enumerate(pairs, 1) if shape.rate and rate >= FULL * shape.rate
    ]


def all_full(s: Summary) -> bool:
    """Does every link that carries something carry what it can?"""
    carrying = [i for i, share in enumerate(s.shares, 1) if share >= NOTHING]
    return bool(carrying) and set(carrying) <= set(full_links(s))


def _processors(s: Summary) -> str:
    if s.idle is None or s.idle.median >= 0.5:
        return ""
    return (f"the processors were idle for only {100 * s.idle.median:.0f} % of the time and may "
            "have been the limit")  # fmt: skip


def _all(count: int) -> str:
    return "both links" if count == 2 else f"all {number(count)} links"


def _carriers(s: Summary) -> str:
    """Which links carry how much, and whether they can carry more."""
    carrying = [i for i, share in enumerate(s.shares, 1) if share >= NOTHING]
    count = len(s.row.links.shapes)
    if not carrying:
        return ""
    full = [i for i in full_links(s) if i in carrying]
    known = bool(s.row.links.rate)
    if len(carrying) == 1:
        state = (" and is full" if full else " and is not full") if known else ""
        return f"one link of {number(count)} carries everything{state}"
    shares = [s.shares[i - 1] for i in carrying]
    alike = all(abs(share * len(shares) - 1) <= ALIKE for share in shares)
    who = _all(count) if len(carrying) == count else (
        f"{number(len(carrying))} of {number(count)} links")  # fmt: skip
    what = "carry the same" if alike else (
        f"carry {listed([f'{100 * share:.0f}' for share in shares])} %")  # fmt: skip
    if not known:
        return f"{who} {what}"
    if len(full) == len(carrying):
        return f"{who} {what} and are full"
    some = number(len(full)) if full else "none"
    return f"{who} {what}; {some} of them {'are' if len(full) > 1 else 'is'} full"


def _lost(s: Summary) -> str:
    if s.retransmitted is None or s.retransmitted.median < SOME_LOST:
        return ""
    text = f"{s.retransmitted.median:.0f} of 1000 segments were sent again"
    if all_full(s):
        # then loss is not what limits, but what comes twice takes its part of the links
        return f"{text}, which takes some of what they carry" if (
            s.retransmitted.median >= MANY_LOST) else ""  # fmt: skip
    if s.timeouts and s.timeouts.median:
        text += f", with {_plural(s.timeouts.median, 'retransmission time-out')}"
    return text + _windows(s)


def _reordered(s: Summary) -> str:
    """Segments that overtake each other: the sender takes that for loss at first."""
    if s.reordered is None or s.reordered.median < MANY_LOST:
        return ""
    text = f"{s.reordered.median:.0f} times in 1000 segments they were seen to arrive out of order"
    return f"{text} (TCPSACKReorder){_windows(s)}"


def _windows(s: Summary) -> str:
    if not s.windows:
        return ""
    least, most = min(s.windows.values()), max(s.windows.values())
    span = f"{least:.0f}" if round(least) == round(most) else f"{least:.0f} to {most:.0f}"
    return f", which leaves congestion windows of {span} segments"


def _uneven(s: Summary) -> bool:
    """Did one run meet what the median does not show?"""
    return not all_full(s) and any(v.low < UNEVEN * v.high for v in s.speed.values())


def _overrun(s: Summary) -> str:
    """MPTCP's receive buffer: what arrives beyond the window is dropped."""
    if s.no_room is None or not (s.no_room.median or (_uneven(s) and s.no_room.high)):
        return ""
    segments = _plural(s.no_room.median, "segment") if s.no_room.median else (
        f"in one run {_plural(s.no_room.high, 'segment')}")  # fmt: skip
    return (f"{segments} found no room in the receive window of the connection (NoDSSInWindow) and "
            "had to come again")  # fmt: skip


def _reinjected(s: Summary) -> str:
    few = FEW_PIECES if all_full(s) else FEW_STANDSTILLS
    if s.reinjected is None:
        return ""
    often = s.reinjected.median >= few
    if not often and not (_uneven(s) and s.reinjected.high >= few):
        return ""
    again = _plural(s.reinjected.median if often else s.reinjected.high, "piece")
    when = "" if often else "in one run "
    return f"{when}MPTCP sent {again} again on another subflow (MPTCPRetrans)"


def _joined(s: Summary) -> str:
    """Subflows that are missing, or too many, where each link should have one."""
    wanted = len(s.row.links.shapes)
    if s.row.setup.endpoints == "selftest" and max(s.subflows, default=0) > wanted:
        several = f"connections had {listed([str(n) for n in s.subflows])} subflows"
        return "" if all_full(s) else f"{several}, several of them on one link"
    if s.row.setup.endpoints != "planner" or not s.subflows:
        return ""
    if s.subflows == (wanted,):
        return ""
    return f"connections had {listed([str(n) for n in s.subflows])} subflows instead of {wanted}"


def asks_for_data(s: Summary) -> bool:
    """Do writes wait for the target to ask, over several links of one connection?"""
    setup, load = s.row.setup, s.row.load
    taken = setup.inline or INLINE
    return (load.rw.endswith("write") and setup.transport == "mptcp" and load.depth > 1
            and load.bs * 1024 > taken and len(s.row.links.shapes) > 1)  # fmt: skip


def _waiting(s: Summary) -> str:
    """Links with room though nothing was lost: there is not enough under way."""
    if not s.row.links.rate:
        return ""
    lost = s.retransmitted.median if s.retransmitted else 0
    busy = s.idle is not None and s.idle.median < 0.5
    some = any(share >= NOTHING for share in s.shares)
    overrun = s.no_room is not None and s.no_room.median >= FEW_PIECES
    if not some or busy or lost >= SOME_LOST or overrun or all_full(s):
        return ""
    load = s.row.load
    if asks_for_data(s):
        return ("hardly anything was lost: each write waits for the target to ask for its data "
                "(R2T), behind the data of those before it")  # fmt: skip
    if full_links(s) or (s.no_room and s.no_room.median):
        return ""
    under_way = _plural(load.depth, "request")
    leave = "leaves" if load.depth == 1 else "leave"
    return (f"hardly anything was lost: {under_way} of {load.bs} KiB at a time {leave} the links "
            "waiting for the next one")  # fmt: skip


CLAUSES: tuple[Callable[[Summary], str], ...] = (
    _carriers, _processors, _joined, _lost, _reordered, _overrun, _reinjected, _waiting,
)  # fmt: skip


def reason(s: Summary) -> str:
    """Why the row is as it is; a sentence for each thing that its counters show."""
    if s.row.kind == "connect":
        per = f"{listed([str(n) for n in s.subflows])} subflows each" if s.subflows else "one each"
        return f"TCP connections for a connection of NVMe: {per}."
    found = [clause(s) for clause in CLAUSES]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in found if text)


__all__ = ["full_links", "listed", "number", "reason"]
