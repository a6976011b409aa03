# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of `make compare`: their keys, the figures that they are in, and their runs on disk."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from compare import figures
from compare.campaign import RUNS, Store, plan
from compare.data import DataError
from compare.figures import FIGURES
from compare.rows import LATER, Links, Load, Row, Setup, Shape, row_of
from compare_runs import fio_run, put

ROW = Row(figures.MPTCP, figures.CLEAN, Load())


def test_a_row_goes_to_the_guest_and_back() -> None:
    for figure in FIGURES.values():
        for row in figure.rows(50.0):
            (entry,) = json.loads(plan([(row, 3)]))
            assert row_of(entry["row"]) == row and entry["run"] == 3
    document = ROW.as_json()
    document["setup"]["colour"] = "blue"
    with pytest.raises(TypeError, match="colour"):
        row_of(document)


def changed(row: Row) -> list[Row]:
    """Return the row with one fact changed at a time."""
    shape = row.links.shapes[0]
    shapes = [dataclasses.replace(shape, **{name: 3}) for name in ("rate", "delay", "loss", "down")]
    found = [dataclasses.replace(row, links=Links("clean", (s, *row.links.shapes[1:])))
             for s in shapes]  # fmt: skip
    found += [dataclasses.replace(row, setup=dataclasses.replace(row.setup, **change))
              for change in ({"rmem": "1 2 3"}, {"wmem": "1 2 3"}, {"queues": 1}, {"keep": True},
                             {"multipath": False}, {"endpoints": "selftest"}, {"paths": 2},
                             {"policy": "numa"}, {"backup": 1}, {"options": "a=1"},
                             {"inline": 131072}, {"relay": True})]  # fmt: skip
    found += [dataclasses.replace(row, load=dataclasses.replace(row.load, **change))
              for change in ({"bs": 4}, {"depth": 8}, {"rw": "write"}, {"jobs": 2},
                             {"seconds": 9}, {"ramp": 15})]  # fmt: skip
    return [*found, dataclasses.replace(row, kind="pull")]


def test_everything_that_is_measured_is_in_the_key() -> None:
    rows = [ROW, *changed(ROW)]
    assert len({row.key for row in rows}) == len(rows)
    titled = dataclasses.replace(ROW.setup, title="something else")
    assert Row(titled, ROW.links, ROW.load, runs=9).key == ROW.key


def test_a_setting_that_came_later_changes_no_key_at_its_default() -> None:
    old = ROW.as_json()
    for part, names in LATER.items():
        for name in names:
            del old[part][name]
    assert row_of(old) == ROW


def test_rows_of_one_name_are_one_measurement() -> None:
    setups: dict[str, Setup] = {}
    links: dict[str, Links] = {}
    for row in (row for figure in FIGURES.values() for row in figure.rows(50.0)):
        assert setups.setdefault(row.setup.name, row.setup) == row.setup
        assert links.setdefault(row.links.name, row.links) == row.links
        assert row.load.depth % row.load.jobs == 0 and row.runs >= 3


def test_the_relay_is_measured_next_to_its_alternatives() -> None:
    for name in ("alone", "failover", "goals", "cost"):
        rows = FIGURES[name].rows(None)
        relayed = [row for row in rows if row.setup.relay]
        assert {row.load.rw for row in relayed} == {"read", "write"}
        assert all(row.setup.transport == "tcp" and row.setup.has_subflows for row in relayed)
        loads = {row.load for row in rows if row.setup.transport == "mptcp"}
        assert {row.load for row in relayed} <= loads
    kinds = {(r.kind, r.load.bs) for r in FIGURES["failover"].rows(None) if r.setup.relay}
    assert kinds == {("pull", 16), ("pull", 128), ("slow", 16), ("slow", 128)}


def test_without_calibration_only_calibration_has_loss() -> None:
    rows = FIGURES["published"].rows(None)
    lossy = {row.links.name for row in rows if row.links.shapes[0].loss}
    assert lossy == {f"lossy{delay:g}" for delay in figures.DELAYS}


def test_the_delay_lies_between_two_measurements() -> None:
    """A share that is inverse to the delay is found exactly; beyond, the nearest is taken."""
    shares = {delay: 16 / delay for delay in (20.0, 40.0, 80.0, 160.0)}
    found = [figures.delay_for(share, shares) for share in (0.32, 0.16, 0.8, 0.9, 0.01)]
    assert found == [50.0, 100.0, 20.0, 20.0, 160.0]


# runs on disk


def test_runs_that_exist_are_not_measured_again(tmp_path: Path) -> None:
    other = Row(figures.TCP, figures.CLEAN)
    put(tmp_path, ROW, 2, fio_run())
    put(tmp_path, ROW, 3, {"error": "LabTimeout: no disk"})
    store = Store(tmp_path)
    assert [(row.setup.name, number) for row, number in store.todo([ROW, other, ROW])] == [
        ("mptcp", 1), ("mptcp", 3), ("tcp", 1), ("tcp", 2), ("tcp", 3),
    ]  # fmt: skip
    assert len(store.runs(ROW)) == 1 and store.errors(ROW) == ["LabTimeout: no disk"]
    store.forget({ROW.key})
    assert not store.runs(ROW)


def test_runs_on_the_same_links_are_neighbours(tmp_path: Path) -> None:
    rows = [Row(setup, links, runs=1) for links in (figures.CLEAN, figures.HALF)
            for setup in (figures.TCP, figures.MPTCP, figures.NATIVE["numa"])]  # fmt: skip
    found = [(row.links.name, row.setup.name) for row, _ in Store(tmp_path).todo(rows)]
    one = ["tcp", "native-numa", "mptcp"]
    assert found == [(links, name) for links in ("clean", "half") for name in one]


def test_runs_of_an_interrupted_boot_are_collected(tmp_path: Path) -> None:
    boot = tmp_path / "lab-results/compare-6.12"
    put(boot / RUNS, ROW, 1, fio_run(3.0))
    (boot / RUNS / f"{ROW.key}.2.partial").write_text("{")
    store = Store(tmp_path / "compare/6.12")
    store.collect([boot, tmp_path / "lab-results/never-was"])
    assert [run["run"] for run in store.runs(ROW)] == [1]
    assert not list((boot / RUNS).glob("*.json"))


def test_rows_of_another_shape_do_not_count(tmp_path: Path) -> None:
    faster = Row(ROW.setup, Links("clean", (Shape(rate=20_000_000),) * 4), ROW.load)
    put(tmp_path, faster, 1, fio_run())
    assert not Store(tmp_path).runs(ROW) and Store(tmp_path).runs(faster)


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_broken_run_is_an_error_with_its_name(tmp_path: Path, text: str) -> None:
    put(tmp_path, ROW, 1, fio_run()).write_text(text)
    with pytest.raises(DataError, match=r"mptcp\.clean.*\.1\.json.*delete it"):
        Store(tmp_path).todo([ROW])
