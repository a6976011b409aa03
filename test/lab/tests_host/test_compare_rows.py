# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of figures of `make compare`, the keys of its rows, and what was measured of them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from compare import figures, scaling
from compare.figures import FIGURES
from compare.rows import LATER, OVER_TIME, Links, Load, Row, Setup, Shape, row_of
from compare.store import RUNS, Store, StoreError, plan_document
from compare_runs import fio_run, put

ROW = Row(figures.MPTCP, figures.CLEAN, Load())
DOCUMENT = Path(__file__).resolve().parents[3] / "doc"


def test_a_row_goes_to_the_guest_and_back() -> None:
    for figure in FIGURES.values():
        for row in figure.rows(50.0, True):
            assert row_of(json.loads(json.dumps(row.as_json()))) == row


def test_a_row_of_another_version_is_refused() -> None:
    document = ROW.as_json()
    document["setup"]["colour"] = "blue"
    with pytest.raises(TypeError, match="colour"):
        row_of(document)


def changed(row: Row) -> list[Row]:
    """The row with one fact changed at a time."""
    shape = row.links.shapes[0]
    shapes = [dataclasses.replace(shape, **{name: 3}) for name in ("rate", "delay", "loss", "down")]
    found = [dataclasses.replace(row, links=Links("clean", (s, *row.links.shapes[1:])))
             for s in shapes]  # fmt: skip
    found += [dataclasses.replace(row, setup=dataclasses.replace(row.setup, **change))
              for change in ({"rmem": "1 2 3"}, {"wmem": "1 2 3"}, {"queues": 1}, {"keep": True},
                             {"multipath": False}, {"endpoints": "selftest"}, {"paths": 2},
                             {"policy": "numa"}, {"backup": 1}, {"options": "a=1"},
                             {"inline": 131072})]  # fmt: skip
    found += [dataclasses.replace(row, load=dataclasses.replace(row.load, **change))
              for change in ({"bs": 4}, {"depth": 8}, {"rw": "write"}, {"jobs": 2},
                             {"seconds": 9}, {"ramp": 15})]  # fmt: skip
    return [*found, dataclasses.replace(row, kind="pull")]


def test_whatever_is_measured_is_in_the_key() -> None:
    rows = [ROW, *changed(ROW)]
    assert len({row.key for row in rows}) == len(rows)


def test_runs_of_before_there_was_a_setting_still_count() -> None:
    """As the document has them: a setting that came later, at what it was, changes no key."""
    old = ROW.as_json()
    for part, names in LATER.items():
        for name in names:
            del old[part][name]
    assert row_of(old) == ROW
    raw = json.loads((DOCUMENT / "compare/results.json").read_text())
    rows = [(key, found["row"]) for kernel in raw.values() for key, found in kernel["rows"].items()]
    assert rows and all(row_of(row).key == key for key, row in rows)


def test_options_are_numbers_by_their_names() -> None:
    setup = dataclasses.replace(ROW.setup, options="ctrl_loss_tmo=10,fast_io_fail_tmo=1")
    assert setup.connect_options() == {"ctrl_loss_tmo": 10, "fast_io_fail_tmo": 1}
    assert ROW.setup.connect_options() == {}


def test_what_is_only_said_is_not_in_the_key() -> None:
    setup = dataclasses.replace(ROW.setup, title="something else")
    links = dataclasses.replace(ROW.links, title="something else")
    assert Row(setup, links, ROW.load, runs=9).key == ROW.key


@pytest.mark.parametrize("long", [False, True])
def test_rows_of_one_name_are_one_measurement(long: bool) -> None:
    """Else one name of a set-up or of links would stand for two things in a table."""
    rows = [row for figure in FIGURES.values() for row in figure.rows(50.0, long)]
    setups: dict[str, Setup] = {}
    links: dict[str, Links] = {}
    for row in rows:
        assert setups.setdefault(row.setup.name, row.setup) == row.setup
        assert links.setdefault(row.links.name, row.links) == row.links
        assert row.load.depth % row.load.jobs == 0
        assert row.runs >= 3
        assert (row.setup.policy != "") == (row.setup.paths > 1 and row.kind == "fio") or (
            row.kind in ("connect", *OVER_TIME)
        )


def test_what_reviewers_asked_for_is_there() -> None:
    published = FIGURES["published"].rows(50.0, False)
    combinations = {(r.setup.transport, r.setup.policy, r.links.name, r.load.rw) for r in published}
    for transport in ("tcp", "mptcp"):
        for policy in ("numa", "round-robin", "queue-depth"):
            for links in ("clean", "lossy50"):
                for rw in ("read", "write"):
                    assert (transport, policy, links, rw) in combinations
    alone = {r.setup.name for r in FIGURES["alone"].rows(None, False)}
    assert {"tcp", "mptcp", "mptcp-selftest", "bond-802.3ad", "bond-balance-rr", "tcp-n",
            "mptcp-n"} <= alone  # fmt: skip
    every = FIGURES["sizes"].rows(None, True)
    assert {r.load.bs for r in every} == {4, 8, 32, 128}
    assert {r.load.depth for r in every} == {1, 8, 32, 128}


def test_without_calibration_nothing_lossy_is_planned_but_calibration() -> None:
    rows = FIGURES["published"].rows(None, False)
    lossy = {row.links.name for row in rows if row.links.shapes[0].loss}
    assert lossy == {f"lossy{delay:g}" for delay in scaling.DELAYS}


def test_the_delay_is_read_off_between_two_measurements() -> None:
    """A share that is inverse to the delay, as in the model, is found exactly."""
    shares = {delay: 16 / delay for delay in (20.0, 40.0, 80.0, 160.0)}
    assert scaling.delay_for(0.32, shares) == 50.0
    assert scaling.delay_for(0.16, shares) == 100.0
    assert scaling.delay_for(0.8, shares) == 20.0


def test_beyond_what_was_measured_the_nearest_delay_is_taken() -> None:
    shares = {20.0: 0.5, 40.0: 0.3}
    assert scaling.delay_for(0.9, shares) == 20.0
    assert scaling.delay_for(0.1, shares) == 40.0
    with pytest.raises(ValueError, match="two delays"):
        scaling.delay_for(0.5, {20.0: 0.5})


def test_the_model_is_the_published_one() -> None:
    """1448 bytes, 100 ms and 1 %: 1.22 segments by root p and round trip."""
    assert scaling.mathis(1448, 0.1, 0.01) == pytest.approx(177_343, rel=1e-4)


# runs on disk


def test_what_is_there_is_not_measured_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    other = Row(figures.TCP, figures.CLEAN)
    put(tmp_path, ROW, 2, fio_run())
    todo = store.todo([ROW, other, ROW])
    assert [(row.setup.name, number) for row, number in todo] == [
        ("mptcp", 1), ("mptcp", 3), ("tcp", 1), ("tcp", 2), ("tcp", 3),
    ]  # fmt: skip
    assert store.missing(dataclasses.replace(ROW, runs=2)) == [1]


def test_runs_on_the_same_links_are_neighbours(tmp_path: Path) -> None:
    rows = [Row(setup, links, runs=1) for links in (figures.CLEAN, figures.HALF)
            for setup in (figures.TCP, figures.MPTCP, figures.NATIVE["numa"])]  # fmt: skip
    found = [(row.links.name, row.setup.name) for row, _ in Store(tmp_path).todo(rows)]
    one = ["tcp", "native-numa", "mptcp"]
    assert found == [(links, name) for links in ("clean", "half") for name in one]


def test_what_is_ended_leaves_whole_rows(tmp_path: Path) -> None:
    rows = [Row(figures.TCP, figures.CLEAN), Row(figures.MPTCP, figures.CLEAN)]
    found = [(row.setup.name, number) for row, number in Store(tmp_path).todo(rows)]
    assert found == [(name, number) for name in ("tcp", "mptcp") for number in (1, 2, 3)]


def test_a_run_that_failed_counts_as_missing_and_tells_why(tmp_path: Path) -> None:
    store = Store(tmp_path)
    put(tmp_path, ROW, 1, {"error": "LabTimeout: no disk"})
    assert store.missing(ROW) == [1, 2, 3]
    assert store.runs(ROW) == []
    assert store.errors(ROW) == ["LabTimeout: no disk"]


def test_runs_come_out_of_a_boot_that_was_ended(tmp_path: Path) -> None:
    """What was half written stays where it is."""
    boot = tmp_path / "lab-results/compare-6.12"
    put(boot / RUNS, ROW, 1, fio_run(3.0))
    put(boot / RUNS, ROW, 2, fio_run(4.0))
    (boot / RUNS / f"{ROW.key}.3.partial").write_text("{")
    store = Store(tmp_path / "compare/6.12")
    assert store.harvest([boot, tmp_path / "lab-results/never-was"]) == 2
    assert store.missing(ROW) == [3]
    assert [run["run"] for run in store.runs(ROW)] == [1, 2]
    assert not list((boot / RUNS).glob("*.json"))
    assert store.harvest([boot]) == 0


def test_rows_of_another_shape_do_not_answer(tmp_path: Path) -> None:
    store = Store(tmp_path)
    faster = Row(ROW.setup, Links("clean", (Shape(rate=20_000_000),) * 4), ROW.load)
    put(tmp_path, faster, 1, fio_run())
    assert store.missing(ROW) == [1, 2, 3]
    assert store.missing(faster) == [2, 3]


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_broken_run_is_an_error_with_its_name(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    put(tmp_path, ROW, 1, fio_run()).write_text(text)
    with pytest.raises(StoreError, match=r"mptcp\.clean.*\.1\.json.*delete it"):
        store.missing(ROW)


def test_the_plan_is_what_the_guest_reads() -> None:
    (entry,) = json.loads(plan_document([(ROW, 3)]))
    assert (row_of(entry["row"]), entry["run"]) == (ROW, 3)
