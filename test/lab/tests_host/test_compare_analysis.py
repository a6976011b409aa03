# SPDX-License-Identifier: GPL-2.0-or-later
"""Medians, pauses and reasons of `make compare`, from runs that are written by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from compare import figures
from compare.analysis import Value, full_again, longest_pause, series, summarize
from compare.goals import Goal, goals
from compare.reasons import reason
from compare.rows import Load, Row
from compare_runs import MIB, fio_run

ROW = Row(figures.MPTCP, figures.CLEAN, Load())
#: Of a link of 10 Mbit/s.
FULL = 10e6 / 8 / MIB


def why(row: Row = ROW, **facts: Any) -> str:
    return reason(summarize(row, [fio_run(**facts)] * 3))


def test_the_median_stands_with_the_least_and_the_most() -> None:
    runs = [fio_run(4.0), fio_run(3.0), fio_run(4.5)]
    summary = summarize(ROW, runs)
    assert summary.speed == {"read": Value(4.0, 3.0, 4.5)}
    assert summary.total == 4.0
    assert summary.of_links == pytest.approx(4.0 / (4 * FULL))
    assert summary.runs == 3


def test_latency_is_in_milliseconds_by_percentile() -> None:
    summary = summarize(ROW, [fio_run(latency=(10, 20, 30)), fio_run(latency=(12, 18, 90))])
    assert summary.latency["read"]["50"] == Value(11, 10, 12)
    assert summary.latency["read"]["99.9"] == Value(60, 30, 90)


def test_mixed_loads_have_both_directions() -> None:
    row = Row(figures.MPTCP, figures.CLEAN, Load("randrw"))
    summary = summarize(row, [fio_run(4.0, rw="randrw")])
    assert set(summary.speed) == {"read", "write"}
    assert summary.total == 4.0
    # links carry as much in both directions, and 70 % of it goes in one
    assert summary.of_links == pytest.approx(0.7 * 4.0 / (4 * FULL))


def test_processors_whose_work_is_not_counted_have_no_idle_time() -> None:
    blind = fio_run(idle=1.0)
    assert summarize(ROW, [fio_run(idle=0.9)] * 3).idle == Value(pytest.approx(0.9), 0.9, 0.9)
    summary = summarize(ROW, [blind] * 3)
    assert summary.idle is None and summary.cpu_per_gib is None
    assert "processors" not in reason(summary)


def test_a_version_is_that_of_its_program() -> None:
    run = fio_run() | {"versions": {"fio": "fio-3.33", "iproute2": "1.1.2"}}
    assert summarize(ROW, [run]).versions == ("fio-3.33",)


def test_a_row_without_runs_is_no_result() -> None:
    with pytest.raises(ValueError, match="was not measured"):
        summarize(ROW, [])


def test_retransmissions_are_those_of_the_side_that_sends() -> None:
    reading = summarize(ROW, [fio_run(sent=1000, again=5)])
    assert reading.retransmitted == Value(5, 5, 5)
    writing = Row(figures.MPTCP, figures.CLEAN, Load("write"))
    written = summarize(writing, [fio_run(rw="write", sent=1000, again=7)])
    assert written.retransmitted == Value(7, 7, 7)


def test_processor_time_is_that_of_the_bytes_of_its_window() -> None:
    """A fifth of 8 s, and 32 MiB."""
    summary = summarize(ROW, [fio_run(idle=0.8, window=8.0, links=(1, 1, 1, 1))])
    assert summary.cpu_per_gib
    assert summary.cpu_per_gib.median == pytest.approx(0.2 * 8 * 1024 / 32)


def test_what_a_receiver_sends_back_is_counted_by_gib() -> None:
    """Half as many as the 4000 of the sender, for 32 MiB."""
    summary = summarize(ROW, [fio_run(sent=4000, window=8.0, links=(1, 1, 1, 1))])
    assert summary.answers and summary.answers.median == pytest.approx(2000 * 1024 / 32)


# reasons


def test_full_links_are_the_reason() -> None:
    assert why(links=(FULL,) * 4) == "All four links carry the same and are full."


def test_one_link_of_four() -> None:
    tcp = Row(figures.TCP, figures.CLEAN)
    assert why(tcp, links=(FULL, 0, 0, 0)) == "One link of four carries everything and is full."


def test_shares_are_named_where_they_differ() -> None:
    said = why(links=(FULL, FULL, FULL, FULL / 4), again=400)
    assert said.startswith("All four links carry 31, 31, 31 and 8 %; three of them are full.")


def test_loss_is_told_with_what_it_leaves() -> None:
    said = why(
        links=(0.2,) * 4, again=20, timeouts=3, windows=[(1, 6), (2, 8), (3, 7), (4, 9)],
        speed=0.8,
    )  # fmt: skip
    assert "5 of 1000 segments were sent again, with 3 retransmission time-outs" in said
    assert "congestion windows of 6 to 9 segments" in said


def test_loss_that_costs_nothing_is_not_the_reason() -> None:
    assert "sent again" not in why(links=(FULL,) * 4, again=20)
    assert "40 of 1000 segments were sent again, which takes some" in why(
        links=(FULL,) * 4, again=160
    )


def test_segments_that_overtake_each_other_are_told_with_what_they_leave() -> None:
    """Even where the links are full: on longer ones such windows would not fill them."""
    text = why(sent=1000, reordered=194, windows=((1, 3), (1, 5), (1, 7)), links=(FULL,) * 4)
    assert "194 times in 1000 segments they were seen to arrive out of order" in text
    assert text.endswith("congestion windows of 5 segments.")
    assert "out of order" not in why(sent=1000, reordered=3)


def test_an_overrun_buffer_is_named_by_its_counter() -> None:
    said = why(links=(0.2,) * 4, no_room=120, reinjected=10, speed=0.8)
    assert "120 segments found no room" in said and "NoDSSInWindow" in said
    assert "MPTCP sent 10 pieces again" in said
    # full links have lost no time by them; where they are not full, each may have been waited for
    assert "pieces" not in why(links=(FULL,) * 4, reinjected=9)
    assert "9 pieces" in why(links=(0.2,) * 4, reinjected=9)
    assert "pieces" not in why(links=(0.2,) * 4, reinjected=2)


def test_what_one_run_met_is_said_where_that_one_is_slow() -> None:
    slow, fast = fio_run(2.0, links=(0.5,) * 4, no_room=17, reinjected=5), fio_run(links=(1.0,) * 4)
    said = reason(summarize(ROW, [fast, fast, slow]))
    assert "In one run 17 segments found no room" in said
    assert "In one run MPTCP sent 5 pieces again" in said
    alike = fio_run(3.9, links=(0.97,) * 4, no_room=17, reinjected=5)
    assert "one run" not in reason(summarize(ROW, [fast, fast, alike]))


def test_writes_that_are_asked_for_say_so() -> None:
    write = Load("write", depth=32)
    row = Row(figures.MPTCP, figures.CLEAN, write)
    facts: dict[str, Any] = {"rw": "write", "links": (0.9, 0.7, 0.5, 0.4)}
    assert "(R2T)" in why(row, **facts)
    # neither what goes with its command, nor where there is no next one, nor over one link
    for other in (
        Row(figures.INLINE, figures.CLEAN, write),
        Row(figures.MPTCP, figures.CLEAN, dataclasses.replace(write, bs=8)),
        Row(figures.MPTCP, figures.CLEAN, dataclasses.replace(write, depth=1)),
        Row(figures.TCP, figures.CLEAN, write),
    ):
        assert "(R2T)" not in why(other, **facts)
    assert "(R2T)" not in why(row, **facts, again=400)
    assert "(R2T)" not in why(ROW, links=(0.9, 0.7, 0.5, 0.4))
    assert "(R2T)" not in why(row, rw="write", links=(FULL,) * 4)


def test_links_with_room_and_no_loss_wait_for_requests() -> None:
    row = Row(figures.MPTCP, figures.CLEAN, Load(depth=1))
    said = why(row, links=(0.3,) * 4, speed=1.2)
    assert "1 request of 128 KiB at a time leaves the links waiting" in said
    assert "waiting" not in why(row, links=(0.3,) * 4, speed=1.2, idle=0.2)


def test_busy_processors_are_not_passed_over() -> None:
    assert "idle for only 30 % of the time" in why(idle=0.3, links=(0.9,) * 4)


def test_missing_subflows_are_told() -> None:
    assert "Connections had 3 and 4 subflows instead of 4" in why(subflows=(3, 4, 4))
    assert "subflows" not in why(subflows=(4, 4))
    assert "none of them is full" in why()


def test_several_subflows_on_a_link_are_told_where_links_have_room() -> None:
    row = Row(figures.SELFTEST, figures.CLEAN)
    assert "Connections had 7 subflows, several of them on one link" in why(row, subflows=(7, 7))
    assert "subflows" not in why(row, subflows=(7, 7), links=(1.19,) * 4)


# over time


def test_the_longest_pause_is_behind_the_pull() -> None:
    """A gap before it does not count, one that it began does."""
    times = [*range(0, 1000, 10), *range(3000, 5000, 10), *range(5400, 8000, 10)]
    assert longest_pause(times, 4000, 8000) == 410
    assert longest_pause(times, 2000, 8000) == 2010


def test_a_pause_that_lasts_until_the_end_counts() -> None:
    assert longest_pause(range(0, 5000, 10), 5000, 20000) == 20000 - 4990
    assert longest_pause([], 5000, 20000) == 20000


def test_full_speed_is_a_second_as_fast_as_before() -> None:
    fast, slow = list(range(0, 5000, 10)), list(range(5000, 12000, 40))
    again = list(range(12000, 20000, 10))
    assert full_again([*fast, *slow, *again], 5000, 10000) == pytest.approx(1900, abs=101)
    assert full_again([*fast, *slow], 5000, 10000) is None
    assert full_again(fast, 5000, 10000) is None


def test_speed_that_never_dropped_is_full_at_once() -> None:
    assert full_again(range(0, 20000, 10), 5000, 10000) == 0


def test_what_a_pulled_cable_leaves_is_a_part_of_each_run() -> None:
    """Requests of 128 KiB: 80 in a second are 10 MiB/s. The first second does not count."""
    row = dataclasses.replace(ROW, kind="pull", load=Load(bs=128, seconds=20))
    common = {**fio_run(), "pulled_ms": 5000, "back_ms": 10000}
    after = [*range(10000, 20000, 25)]
    runs = [
        {**common, "completions": [*before, *out, *after]}
        for before, out in (
            ([1000 + 12.5 * i for i in range(320)], [9000 + 10 * i for i in range(100)]),
            ([*range(0, 5000, 25)], [*range(5000, 10000, 25)]),
            ([*range(1000, 5000, 25)], []),
        )
    ]
    pull = summarize(row, runs).pull
    assert pull and pull.before == Value(5, 5, 10)
    assert pull.out == Value(2.5, 0, 5)
    # 2.5 of 10, 5 of 5 and nothing: the ratio of the medians would be 0.5
    assert pull.part == Value(0.25, 0, 1)
    assert pull.first == Value(0, 0, 1) and pull.rest == Value(0.3125, 0, 1)
    nothing = {**common, "completions": after}
    pull = summarize(row, [nothing]).pull
    assert pull and pull.before == pull.part == Value(0, 0, 0)


def test_a_series_is_a_rate() -> None:
    values = series([5, 15, 150, 999999], MIB, 0.3)
    assert values == (20.0, 10.0, 0.0)


def test_one_run_that_never_recovers_is_no_median() -> None:
    row = dataclasses.replace(ROW, kind="pull", load=Load(seconds=20))
    whole = list(range(0, 20000, 10))
    cut = list(range(0, 5000, 10))
    common = {**fio_run(), "pulled_ms": 5000, "back_ms": 10000}
    good, bad = {**common, "completions": whole}, {**common, "completions": cut}
    summary = summarize(row, [good, good, bad])
    assert summary.pull and summary.pull.recovery is None
    assert summary.pull.pause == Value(0.01, 0.01, 15.01)
    summary = summarize(row, [good, good, good])
    assert summary.pull and summary.pull.recovery == Value(0, 0, 0)


def test_connecting_is_told_by_controller_and_connection() -> None:
    setup = dataclasses.replace(figures.MPTCP, name="mptcp-16", paths=16)
    row = Row(setup, figures.CLEAN, kind="connect")
    run = {"connect_s": 3.2, "memory": 80 * 100 * 1024, "connections": 80, "subflows": [4] * 80}
    summary = summarize(row, [run])
    assert summary.connect_ms == Value(200, 200, 200)
    assert summary.memory_kib == Value(100, 100, 100)


# goals


def summaries(pairs: dict[Row, float]) -> Any:
    return {
        row.key: summarize(row, [fio_run(speed, rw=row.load.rw)]) for row, speed in pairs.items()
    }


def test_a_goal_is_reached_missed_or_not_measured() -> None:
    above, below = Row(figures.MPTCP, figures.CLEAN), Row(figures.TCP, figures.CLEAN)
    goal = Goal("four times", above, below, 3.8)
    assert goal.verdict(summaries({above: 3.8, below: 1.0})) == "reached"
    assert goal.verdict(summaries({above: 3.7, below: 1.0})) == "missed"
    assert goal.verdict(summaries({above: 3.8})) == "not measured"
    alone = Goal("of the links", above, None, 0.9)
    assert alone.value(summaries({above: 4 * FULL})) == pytest.approx(1.0)


def test_every_goal_is_of_rows_that_a_default_run_measures() -> None:
    known = {row.key for figure in figures.FIGURES.values() for row in figure.rows(50.0, False)}
    for goal in goals(50.0):
        assert goal.above.key in known, goal.text
        assert goal.below is None or goal.below.key in known, goal.text
