# SPDX-License-Identifier: GPL-2.0-or-later
"""`make compare LIST=1`: what would be measured, and nothing is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nvmelab.kernel import patches_key
from compare import cli, figures, runner
from compare.figures import FIGURES
from compare.results import kernel_in
from compare.rows import Row
from compare_runs import fio_run, put

HEADINGS = ["FIGURE", "ROWS", "RUNS", "MISSING", "MINUTES"]


def listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[list[str], dict[str, list[int]]]:
    """Titles of tables and other lines, and the numbers by figure."""
    arguments = ["--build", str(tmp_path / "build"), "--output", str(tmp_path / "doc"), "--list"]
    assert cli.main([*arguments, *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    tables = [line.split() for line in lines if line.startswith("  ")]
    numbers = {name: [int(n) for n in found] for name, *found in tables if name != HEADINGS[0]}
    assert HEADINGS in tables
    assert not (tmp_path / "doc").exists()
    return [line for line in lines if not line.startswith("  ")], numbers


def test_all_of_a_new_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--jobs", "1", "--kernel-series", "6.12", "--figure", "steady", "--figure", "failover")
    titles, numbers = listed(tmp_path, capsys, *words)
    assert titles == ["in the lab, kernel 6.12 (of which there are no runs)"]
    # eight rows of three runs of two minutes and five seconds, half of that in time
    assert numbers["steady"] == [8, 24, 24, 25]
    rows = FIGURES["failover"].rows(None, False)
    runs = sum(row.runs for row in rows)
    assert numbers["failover"][:3] == [len(rows), runs, runs]
    assert listed(tmp_path, capsys, *words, "--long")[1]["failover"][0] > len(rows)
    # two guests at a time, and two minutes of each row only where that is asked for
    assert listed(tmp_path, capsys, *words, "--jobs", "2")[1]["steady"][3] in (12, 13)
    assert "steady" not in listed(tmp_path, capsys)[1]
    assert "steady" in listed(tmp_path, capsys, "--long")[1]


def test_what_was_measured_is_not_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top = tmp_path / "build" / cli.RUNS_TOP
    kernel = kernel_in(top, "6.12", "6.12.1", patches_key("6.12"))
    row = FIGURES["failover"].rows(None, False)[0]
    for number in (1, 2):
        put(kernel.store.top, row, number, fio_run())
    words = ("--kernel-series", "6.12", "--figure", "failover")
    titles, numbers = listed(tmp_path, capsys, *words)
    assert titles == ["in the lab, kernel 6.12 (6.12.1)"]
    _, runs, missing, _ = numbers["failover"]
    assert missing == runs - 2
    assert listed(tmp_path, capsys, *words, "--anew")[1]["failover"][2] == runs
    # with other patches of ours it is another kernel
    other = kernel_in(tmp_path / "other" / cli.RUNS_TOP, "6.12", "6.12.1", "another")
    put(other.store.top, row, 1, fio_run())
    words = ("--build", str(tmp_path / "other"), *words)
    assert listed(tmp_path, capsys, *words)[1]["failover"][2] == runs


def test_two_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without asking them: nobody of these names is there."""
    words = ("--host", "root@nobody.invalid", "--target", "none.invalid", "--traddr", "10.1.1.1")
    title, *left = listed(tmp_path, capsys, *words)[0]
    assert title == "from root@nobody.invalid to none.invalid, over 1 link"
    assert any(line.startswith("left out: figure `failover`: ") for line in left)


def test_what_does_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--list", "--write-only", "--build", str(tmp_path)]) == 2
    assert "--list writes nothing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("LONG=1", "steady"), ("FIGURE=cost", "cost"), ("KERNEL_SERIES=newest", "newest"),
        ("HOST=h TARGET=t", "from h to t"),
        ('HOST=h TARGET=t TRADDR="10.0.0.1 10.0.1.1"', "2 link"),
    ],
)  # fmt: skip
def test_make_hands_on_what_it_is_given(tmp_path: Path, given: str, named: str) -> None:
    top = Path(__file__).resolve().parents[3]
    command = f"make BUILD={tmp_path} LIST=1 compare {given}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=top, capture_output=True, text=True, check=True, timeout=120
    )
    assert named in done.stdout and not done.stderr


def test_guests_are_as_many_as_there_is_room_for() -> None:
    assert cli.guests(3, 1, 0) == 3
    assert cli.guests(None, 8, 64_000) == 2
    assert cli.guests(None, 1, 64_000) == 1
    assert cli.guests(None, 8, 3000) == 1
    assert cli.guests(None, 8, 0) == 1


def test_how_long_it_takes_is_told_before() -> None:
    row = Row(figures.TCP, figures.CLEAN)
    assert runner.minutes([(row, 1)] * 1000, 1) == "about 108 min"
    assert runner.minutes([(row, 1)] * 1000, 2) == "about 54 min"
    assert runner.minutes([(row, 1)], 2) == "about 1 min"


def test_a_run_of_everything_fits_into_an_hour() -> None:
    """On two quiet processors, by what a second of the guest's clock costs there."""
    kernels = [dict.fromkeys(row for name in names for row in FIGURES[name].rows(80.0, False))
               for names in (figures.usual(False), cli.ON_BOTH)]  # fmt: skip
    seconds = [row.runs * runner.weight(row) for rows in kernels for row in rows]
    assert runner.PACE * sum(seconds) / cli.USUAL_JOBS < 65 * 60


def test_a_boot_is_given_time_for_what_it_does() -> None:
    row = Row(figures.TCP, figures.CLEAN)
    assert runner.limit([(row, 1)] * 10) > runner.limit([(row, 1)]) > row.load.seconds
