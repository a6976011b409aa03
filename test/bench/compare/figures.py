# SPDX-License-Identifier: GPL-2.0-or-later
"""The figures: each is a question and the rows that answer it."""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .rows import GROWN_S, LINKS, RATE, SLOWER, Links, Load, Row, Setup, Shape

POLICIES = ("numa", "round-robin", "queue-depth")
READ_WRITE = ("read", "write")

TCP = Setup("tcp", "tcp, one controller")
MPTCP = Setup("mptcp", "mptcp", "mptcp", endpoints="planner")
SELFTEST = Setup("mptcp-selftest", "mptcp, the selftest's endpoints", "mptcp", endpoints="selftest")
RELAY = Setup("relay", "relay", endpoints="planner", relay=True)
BOND_HASH = Setup("bond-802.3ad", "bond, 802.3ad layer3+4", bond="802.3ad")
BOND_RR = Setup("bond-balance-rr", "bond, balance-rr", bond="balance-rr")
NATIVE = {
    policy: Setup(f"native-{policy}", f"native multipath, {policy}", paths=LINKS, policy=policy)
    for policy in POLICIES
}
#: Rule C15 advises this for links of unequal rates.
ADVISED = replace(
    MPTCP, name="mptcp-rmem", title="mptcp, tcp_rmem as advised", rmem="4096 131072 33554432"
)


def one_queue(setup: Setup) -> Setup:
    """Return the set-up with one I/O queue, so that all requests share one connection."""
    title = f"{setup.title}, one I/O queue"
    return replace(setup, name=f"{setup.name}-1q", title=title, queues=1)


#: Buffers do not shrink with links that are a hundred times slower than real ones: 512 KiB is what
#: four of these links carry in a tenth of a second.
SHORT_SEND = one_queue(replace(
    MPTCP, name="mptcp-wmem", title="mptcp, send buffer of 512 KiB", wmem="4096 16384 524288"
))  # fmt: skip
#: Rule C16 advises this: the target need not ask for a write's data (R2T).
INLINE = one_queue(replace(
    MPTCP, name="mptcp-inline", title="mptcp, inline data of 128 KiB", inline=131072
))  # fmt: skip
#: Rules C15 and C16 together, over all I/O queues.
ALL_ADVISED = replace(
    ADVISED, name="mptcp-advised", title="mptcp, tcp_rmem and inline data as advised",
    inline=INLINE.inline,
)  # fmt: skip
BACKUP = replace(MPTCP, name="mptcp-backup", title="mptcp, the slow link is a backup", backup=4)

CLEAN = Links("clean", (Shape(),) * LINKS, "four equal links")

#: One of these links carries what four of the others do.
FAST = Links("fast", (Shape(rate=LINKS * RATE),) * LINKS, "links of four times the rate")


def _one_differs(name: str, title: str, shape: Shape) -> Links:
    return Links(name, (Shape(),) * (LINKS - 1) + (shape,), title)


HALF = _one_differs("half", "half the rate", Shape(rate=RATE // 2))
QUARTER = _one_differs("quarter", "a quarter of the rate", Shape(rate=RATE // 4))
UNEQUAL = (
    HALF,
    QUARTER,
    _one_differs("delay30", "30 ms more delay", Shape(delay=30)),
    _one_differs("delay300", "300 ms more delay", Shape(delay=300)),
    _one_differs("loss3", "3 % loss", Shape(loss=3)),
    _one_differs("flaps", "down 1 s in every 5 s", Shape(down=1, period=5)),
)

#: Four jobs keep all queues of a controller busy.
MAIN = Load(jobs=4, depth=32)
DEPTHS = (8, 32)


def grown(rw: str, depth: int) -> Load:
    """Return sequential 128 KiB requests of one job, measured once its windows have grown."""
    return Load(rw, depth=depth, ramp=GROWN_S)


#: Longer, because chance decides more.
LOSSY_S = 20


def lossy(delay: float) -> Links:
    """Return the links of the published table at a delay."""
    title = f"{delay:g} ms and {LOSS:g} % loss"
    return Links(f"lossy{delay:g}", (Shape(delay=delay, loss=LOSS),) * LINKS, title)


@dataclass(frozen=True)
class Figure:
    """A question and its rows; ``rows`` takes the calibrated delay (None: not measured yet)."""

    name: str
    question: str
    rows: Callable[[float | None], tuple[Row, ...]]


# published

#: Delays tried, in ms each way, with the published loss.
DELAYS = (20.0, 40.0, 80.0, 160.0)
LOSS = 0.5

#: Throughput in MiB/s as published: reads and writes by links, policy and transport.
PUBLISHED: Mapping[tuple[str, str], Mapping[str, tuple[float, float]]] = {
    ("clean", "numa"): {"tcp": (114, 114), "mptcp": (445, 443)},
    ("clean", "round-robin"): {"tcp": (456, 455), "mptcp": (446, 445)},
    ("clean", "queue-depth"): {"tcp": (456, 455), "mptcp": (446, 445)},
    ("lossy", "round-robin"): {"tcp": (106, 98.5), "mptcp": (426, 428)},
    ("lossy", "queue-depth"): {"tcp": (168, 128), "mptcp": (425, 414)},
}
PUBLISHED_SHARE = 106 / 456

ORIGINAL_TCP = {p: replace(s, name=f"{s.name}-1q", queues=1) for p, s in NATIVE.items()}
ORIGINAL_MPTCP = {
    p: Setup(f"mptcp4-selftest-{p}-1q", f"four mptcp controllers, {p}", "mptcp", LINKS, p,
             "selftest", queues=1)
    for p in POLICIES
}  # fmt: skip
PLANNED_MPTCP = replace(
    ORIGINAL_MPTCP["round-robin"], name="mptcp4-planner-round-robin-1q",
    title="four mptcp controllers, round-robin, planned endpoints", endpoints="planner",
)  # fmt: skip


def calibration() -> dict[float, Row]:
    """Return the rows that find the delay: tcp reads with round-robin, by delay (0: no loss)."""
    setup, load = ORIGINAL_TCP["round-robin"], replace(MAIN, seconds=LOSSY_S)
    found = {delay: Row(setup, lossy(delay), load) for delay in DELAYS}
    return {0.0: Row(setup, CLEAN, MAIN), **found}


def delay_for(share: float, shares: Mapping[float, float]) -> float:
    """Return the delay in ms at which tcp has this share of a link, rounded to 5 ms.

    Without loss, results scale with the rate. The rate of a loss-limited tcp follows from round
    trip and loss only (Mathis et al., 1997), so slow links need a longer delay until tcp has its
    published share. The size of the packets that were lost was not published, so the delay is
    measured: between two delays the share is a straight line in logarithms; beyond them the
    nearest one is taken.
    """
    points = sorted((delay, max(value, 1e-6)) for delay, value in shares.items())
    for (before, high), (after, low) in itertools.pairwise(points):
        if high >= share >= low:
            spread = math.log(high) - math.log(low)
            part = (math.log(high) - math.log(share)) / spread if spread else 0.0
            return max(5.0, 5.0 * round(before * math.exp(part * math.log(after / before)) / 5.0))
    return min(points, key=lambda point: abs(math.log(point[1] / share)))[0]


def _published(delay: float | None) -> tuple[Row, ...]:
    setups = (*ORIGINAL_TCP.values(), *ORIGINAL_MPTCP.values(), PLANNED_MPTCP)
    rows = [Row(s, CLEAN, replace(MAIN, rw=rw)) for rw in READ_WRITE for s in setups]
    if delay is not None:
        load = replace(MAIN, seconds=LOSSY_S)
        rows += [Row(s, lossy(delay), replace(load, rw=rw)) for rw in READ_WRITE for s in setups]
    return (*calibration().values(), *rows)


# the others


def _alone(_delay: float | None) -> tuple[Row, ...]:
    setups = (TCP, MPTCP, RELAY, SELFTEST, BOND_HASH, BOND_RR, *NATIVE.values())
    return tuple(Row(s, CLEAN, replace(MAIN, rw=rw)) for rw in READ_WRITE for s in setups)


def _goals(_delay: float | None) -> tuple[Row, ...]:
    rows = []
    for rw, depth in itertools.product(READ_WRITE, DEPTHS):
        more = (SHORT_SEND, INLINE) if rw == "write" else ()
        setups = (TCP, MPTCP, ALL_ADVISED, one_queue(MPTCP), one_queue(RELAY), *more)
        rows += [Row(s, CLEAN, grown(rw, depth)) for s in setups]
    return tuple(rows)


def _asymmetric(_delay: float | None) -> tuple[Row, ...]:
    rows = []
    for links in UNEQUAL:
        period = int(links.shapes[-1].period)
        load = replace(MAIN, seconds=3 * period) if period else MAIN
        advised = (ADVISED,) if links in (HALF, QUARTER) else ()
        setups = (MPTCP, BOND_HASH, *NATIVE.values(), *advised)
        rows += [Row(s, links, load) for s in setups]
    return tuple(rows)


#: The cable is back after ten of these seconds.
OUTAGE_S = 14
OUTAGE_RUNS = 5

#: KiB and depth of the requests.
OUTAGE_REQUESTS = ((16, 8), (128, 32))

KEPT = replace(MPTCP, name="mptcp-keep", title="mptcp with keep", keep=True)
KEPT_INLINE = replace(
    KEPT, name="mptcp-keep-inline", title="mptcp with keep, inline data of 128 KiB",
    inline=INLINE.inline,
)  # fmt: skip
RELAY_KEPT = replace(RELAY, name="relay-keep", title="relay with keep", keep=True)


def _fastest(policy: str) -> Setup:
    """Return native multipath with the shortest limits for finding a dead path."""
    native, options = NATIVE[policy], "keep_alive_tmo=1,reconnect_delay=1"
    return replace(native, name=f"{native.name}-best", options=options)


FASTEST = {policy: _fastest(policy) for policy in ("queue-depth", "round-robin")}


def outage_setups(bs: int) -> tuple[Setup, ...]:
    """Return mptcp at its best: small requests over several queues leave links idle."""
    found = (MPTCP, KEPT, RELAY_KEPT)
    return tuple(map(one_queue, found)) if bs <= 16 else found


def outage(setup: Setup, rw: str, bs: int, depth: int, kind: str = "pull") -> Row:
    """Return a row of the failover figure."""
    load = replace(MAIN, rw=rw, bs=bs, depth=depth, seconds=OUTAGE_S)
    return Row(setup, CLEAN, load, kind, OUTAGE_RUNS)


def _failover(_delay: float | None) -> tuple[Row, ...]:
    others = (*FASTEST.values(), BOND_HASH, BOND_RR)
    rows = []
    for rw, (bs, depth) in itertools.product(READ_WRITE, OUTAGE_REQUESTS):
        more = (KEPT_INLINE,) if rw == "write" and bs > 16 else ()
        setups = (*outage_setups(bs), *more, *others)
        rows += [outage(s, rw, bs, depth) for s in setups]
    for rw, (bs, depth) in zip(READ_WRITE, OUTAGE_REQUESTS, strict=True):
        setups = (*outage_setups(bs), FASTEST["queue-depth"], BOND_HASH, BOND_RR)
        rows += [outage(s, rw, bs, depth, "slow") for s in setups]
    return tuple(rows)


def _settings(delay: float | None) -> tuple[Row, ...]:
    load, one = Load(ramp=GROWN_S), one_queue(MPTCP)
    rows = [
        Row(s, QUARTER, replace(MAIN, rw=rw)) for rw in READ_WRITE for s in (MPTCP, ADVISED, BACKUP)
    ]
    rows += [Row(one_queue(s), QUARTER, load) for s in (MPTCP, ADVISED, BACKUP)]
    rows += [Row(one, QUARTER, replace(load, depth=depth)) for depth in (16, 8)]
    if delay is not None:
        load = replace(MAIN, seconds=LOSSY_S)
        setups = (one, one_queue(SELFTEST))
        rows += [Row(s, lossy(delay), replace(load, rw=rw)) for rw in READ_WRITE for s in setups]
    return tuple(rows)


SIZES = (4, 8, 32, 128)


def _sizes(_delay: float | None) -> tuple[Row, ...]:
    loads = []
    for rw in READ_WRITE:
        loads += [Load(rw, bs) for bs in SIZES[:-1]] + [grown(rw, depth) for depth in DEPTHS]
        loads += [Load(rw, depth=depth) for depth in (1, 128)]
    loads += [Load(rw, 4) for rw in ("randread", "randwrite", "randrw")]
    return tuple(Row(s, CLEAN, load) for load in loads for s in (TCP, MPTCP))


COUNTS = (1, 16, 64)

#: Four times one slow link would count what a second costs however little it moves.
TCP_FAST = replace(TCP, name="tcp-fast", title="tcp, one link of four times the rate")


def _cost(_delay: float | None) -> tuple[Row, ...]:
    rows = [
        Row(replace(s, name=f"{s.name}-{count}", paths=count), CLEAN, kind="connect")
        for s, count in itertools.product((TCP, MPTCP), COUNTS)
    ]
    compared = (
        (TCP_FAST, FAST), (MPTCP, CLEAN), (RELAY, CLEAN), (NATIVE["round-robin"], CLEAN)
    )  # fmt: skip
    rows += [Row(s, links, replace(MAIN, rw=rw)) for rw in READ_WRITE for s, links in compared]
    return tuple(rows)


FIGURES = {
    figure.name: figure
    for figure in (
        Figure("alone", "How much do four equal links carry?", _alone),
        Figure("failover", "What does a failed or slow link cost?", _failover),
        Figure("asymmetric", "What is left when one link is worse than the others?", _asymmetric),
        Figure("published", "Are the published ratios reproducible?", _published),
        Figure("goals", "Do four links carry 3.8 times one, at any depth?", _goals),
        Figure("settings", "What do settings change?", _settings),
        Figure("sizes", "Does it hold for other sizes and depths?", _sizes),
        Figure("cost", "What do processor, memory and connecting cost?", _cost),
    )
}

__all__ = ["FIGURES", "SLOWER", "Figure"]
