# SPDX-License-Identifier: GPL-2.0-or-later
"""Results of `make compare`: from runs to results.csv, charts and the documents."""

import json
import re
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compare import campaign, charts, cli, figures, page
from compare.campaign import RUNS, LabCampaign
from compare.data import Data, DataError, full_again, longest_pause
from compare.figures import FIGURES
from compare.goals import goals
from compare.rows import OVER_TIME, Load, Row, row_of
from compare_runs import MIB, fio_run, put
from nvmelab.runner import Lab, Result
from nvmetools.ui import Ui

ROW = Row(figures.MPTCP, figures.CLEAN, Load())
#: MiB/s of a link of 10 Mbit/s.
FULL = 10e6 / 8 / MIB
PROJECT = Path(__file__).resolve().parents[3]
FACTS = {"series": "6.12", "kernel": "6.12.0-lab", "modules": "m", "measured": "2026-11-28"}


def result(row: Row, *runs: dict[str, Any], way: str = "") -> Any:
    data = Data()
    data.add(row, runs, **FACTS)
    return data.find("6.12", row, way)


# metrics


def test_the_median_has_the_least_and_the_most() -> None:
    found = result(ROW, fio_run(4.0), fio_run(3.0, latency=(12, 18, 90)), fio_run(4.5))
    assert (found["mib_s"], found["mib_s_low"], found["mib_s_high"]) == (4.0, 3.0, 4.5)
    assert (found["p50_ms"], found["p99_9_ms"], found["runs"]) == (10, 30, 3)


def test_mixed_loads_have_both_directions() -> None:
    row = Row(figures.MPTCP, figures.CLEAN, Load("randrw"))
    for way in ("read", "write"):
        assert result(row, fio_run(4.0, rw="randrw"), way=way)["mib_s"] == 2.0


def test_counters_are_those_of_the_right_side() -> None:
    """32 MiB, a fifth of 8 s busy, and 5 of 1000 segments of the sender sent again."""
    facts: dict[str, Any] = {"sent": 1000, "again": 5, "timeouts": 2, "reinjected": 3, "no_room": 4}
    for rw in ("read", "write"):
        found = result(Row(figures.MPTCP, figures.CLEAN, Load(rw)), fio_run(rw=rw, **facts))
        names = ("resent_per_1000", "timeouts", "reinjected", "no_room")
        assert [found[name] for name in names] == [5, 2, 3, 4]
        assert found["cpu_s_per_gib"] == pytest.approx(0.2 * 8 * 1024 / 32)
        assert found["idle"] == pytest.approx(0.8)
    assert result(ROW, fio_run(links=(3, 1, 0, 0))).fields["link_percent"] == "75 25 0 0"


def test_a_kernel_that_counts_no_work_has_no_idle_time() -> None:
    found = result(ROW, fio_run(idle=1.0))
    assert not found.has("idle") and not found.has("cpu_s_per_gib")
    with pytest.raises(KeyError, match="has no idle"):
        found["idle"]


def test_pauses_are_those_after_the_fault() -> None:
    assert longest_pause([0, 900, 1000, 1400, 2000], 950, 2100) == 600
    assert longest_pause([], 0, 500) == 500
    assert longest_pause([100, 200], 50, 5000) == 4800


def test_full_speed_is_nine_tenths_of_the_speed_before() -> None:
    before = list(range(0, 5000, 10))
    slow, fast = list(range(5000, 11000, 20)), list(range(11000, 16000, 10))
    assert full_again([*before, *slow, *fast], 5000, 10000) == pytest.approx(800, abs=100)
    assert full_again([*before, *slow], 5000, 10000) is None


def outage(step: int = 25, gap: int = 600) -> dict[str, Any]:
    """Return a run with a completion every ``step`` ms and a pause after the fault at 5 s."""
    done = [t for t in range(0, 14000, step) if not 5000 < t < 5000 + gap]
    return fio_run() | {"completions": done, "pulled_ms": 5000.0, "back_ms": 10000.0}


def test_an_outage_has_its_pause_and_its_throughput() -> None:
    row = figures.outage(figures.MPTCP, "read", 128, 32)
    found = result(row, outage(), outage(gap=500), outage(gap=900))
    assert (found["pause_ms"], found["pause_ms_low"], found["pause_ms_high"]) == (600, 500, 900)
    # 160 of 128 KiB in 4 s; 200 less the 23 of the pause in 5 s, all in the first second
    assert found["before_mib_s"] == 5.0 and found["recovery_s"] == 0
    assert found["out_percent"] == pytest.approx(88.5)
    assert found["first_percent"] == pytest.approx(42.5) and found["rest_percent"] == 100


def test_a_run_without_recovery_leaves_none() -> None:
    row = figures.outage(figures.MPTCP, "read", 128, 32)
    never = outage() | {"completions": list(range(0, 5000, 25))}
    assert not result(row, outage(), never).has("recovery_s")


# results.csv


def test_results_are_read_as_written(tmp_path: Path) -> None:
    data = Data()
    data.add(ROW, [fio_run(4.0)], **FACTS)
    data.write(tmp_path / "a/results.csv")
    again = Data.read(tmp_path / "a/results.csv")
    found = again.find("6.12", ROW)
    assert found and found["mib_s"] == 4.0 and found.fields["measured"] == "2026-11-28"
    again.write(tmp_path / "b.csv")
    assert (tmp_path / "a/results.csv").read_text() == (tmp_path / "b.csv").read_text()
    again.forget("6.12", {ROW.key})
    assert again.find("6.12", ROW) is None


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"results\.csv: unknown columns"):
        Data.read(tmp_path / "results.csv")


# measuring, with a guest that is none


class Guest:
    """Measure what the plan has, up to a number of runs."""

    def __init__(self, top: Path) -> None:
        self.top, self.most, self.status = top, 10**6, 0
        self.boots: list[list[tuple[Row, int]]] = []
        self.failing: set[str] = set()
        self.lock = threading.Lock()

    def run(self, lab: Lab, name: str, commands: Sequence[Sequence[str]], **more: Any) -> Result:
        assert more["icount"] is True and lab.options.extra
        assert commands == [["python3", "/project/test/lab/measure.py", "/extra/plan.json"]]
        planned = json.loads((lab.options.extra / "plan.json").read_text())
        todo = [(row_of(entry["row"]), entry["run"]) for entry in planned]
        with self.lock:
            self.boots.append(todo)
            directory = self.top / "lab-results" / f"{name}.{len(self.boots)}"
        for row, number in todo[: self.most]:
            run = {"error": "LabTimeout: no disk"} if row.key in self.failing else run_of(row)
            put(directory / RUNS, row, number, run)
        if len(todo) > self.most:
            raise KeyboardInterrupt
        return Result(name, self.status or int(bool(self.failing)), directory, [], 1.0)


def run_of(row: Row) -> dict[str, Any]:
    """Return a run: tcp on one link has one, everything else four; loss leaves 16/delay of it."""
    lossy = row.links.shapes[0].delay
    part = 16 / lossy if lossy else 1.0
    single = not row.setup.has_subflows and row.setup.paths == 1 and not row.setup.bond
    count = len(row.links.shapes)
    rates = [FULL * part] + [0.0 if single else FULL * part] * (count - 1)
    run = fio_run(sum(rates), rw=row.load.rw, links=rates, subflows=[] if single else [4])
    if row.kind in OVER_TIME:
        run |= outage()
    if row.kind == "connect":
        run |= {"connect_s": 0.1 * row.setup.paths, "memory": 1 << 20, "connections": 5}
    return run


def patched(top: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    made = Guest(top)
    prepared = SimpleNamespace(version="6.12.0-lab"), SimpleNamespace(modules=Path("m.erofs"))
    monkeypatch.setattr(Lab, "prepare", lambda _lab, _wanted: prepared)
    monkeypatch.setattr(Lab, "run", lambda lab, name, commands, **more: made.run(
        lab, name, commands, **more))  # fmt: skip
    (top / "nvme-cli").mkdir()
    (top / "nvme-cli/nvme").touch()
    return made


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    return patched(tmp_path, monkeypatch)


def lab_campaign(top: Path, data: Data, **more: Any) -> LabCampaign:
    args = cli.parser().parse_args(["--build", str(top), "--cache", str(top / "cache")])
    return LabCampaign(Lab(cli.options(args, "6.12"), Ui()), data, **more)


def compare(top: Path, *words: str) -> int:
    places = ["--build", str(top), "--cache", str(top / "cache"), "--output", str(top / "doc")]
    return cli.main([*places, "--kernel-series", "6.12", *words])


def test_an_interrupted_command_goes_on_where_it_stopped(guest: Guest, tmp_path: Path) -> None:
    guest.most = 7
    with pytest.raises(KeyboardInterrupt):
        lab_campaign(tmp_path, Data()).measure(FIGURES["alone"])
    first = {(row.key, number) for row, number in guest.boots[0][:7]}
    guest.most, guest.boots = 10**6, []
    data = Data()
    again = lab_campaign(tmp_path, data)
    again.measure(FIGURES["alone"])
    measured = [(row.key, number) for boot in guest.boots for row, number in boot]
    assert not first & set(measured) and not again.failed
    assert len(first) + len(measured) == 3 * len(FIGURES["alone"].rows(None))
    # what has results is not measured, on a machine without the runs either
    assert lab_campaign(tmp_path / "other", data).measure(FIGURES["alone"]) == 0


def test_the_delay_is_calibrated_before_it_is_used(guest: Guest, tmp_path: Path) -> None:
    """In these runs the share is 16 / delay: 0.2325 is at 70 ms, in steps of 5."""
    made = lab_campaign(tmp_path, Data())
    made.measure(FIGURES["published"])
    assert made.delay() == 70.0
    names = [{row.links.name for row, _ in boot} for boot in guest.boots]
    assert "lossy70" not in names[0] and "lossy70" in names[-1]


def test_failures_are_tried_once_and_printed(
    guest: Guest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = FIGURES["cost"].rows(None)[0]
    guest.failing = {bad.key}
    assert compare(tmp_path, "--figure", "cost", "--jobs", "1") == 1
    assert len(guest.boots) == 1
    said = capsys.readouterr()
    assert f"{bad.key} failed: LabTimeout: no disk" in said.out + said.err
    guest.failing, guest.status = set(), 125
    made = lab_campaign(tmp_path, Data())
    made.measure(FIGURES["cost"])
    assert any("status 125" in error for error in made.failed.values())


def test_two_guests_share_the_runs(guest: Guest, tmp_path: Path) -> None:
    made = lab_campaign(tmp_path, Data(), jobs=2)
    made.measure(FIGURES["asymmetric"])
    loads = [sum(campaign.weight(row) for row, _ in boot) for boot in guest.boots]
    assert len(loads) == 2 and max(loads) < 1.1 * min(loads)
    assert campaign.shared([(ROW, 1)], 3) == [[(ROW, 1)]]


# documents


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the documents of a run of everything."""
    top = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as monkeypatch:
        patched(top, monkeypatch)
        assert compare(top) == 0
    return top / "doc"


def test_the_page_has_its_charts_and_numbers(written: Path) -> None:
    text = (written / "performance.md").read_text()
    assert text.count("\n") < 200
    shown = set(re.findall(r"\]\(performance/([^)]+\.svg)\)", text))
    assert shown == {path.name for path in (written / "performance").glob("*.svg")}
    assert "{" not in text and "None" not in text and "nan" not in text
    rows = text.split("## Summary")[1].split("\n\n")[1].splitlines()
    assert len(rows) <= 10 and len({row.count("|") for row in rows}) == 1
    assert "| reads, MiB/s | 1.19 | 4.77 | 4.77 | 4.77 | 4.77 | 4.77 |" in rows
    assert "pauses for 600 ms with [keep]" in " ".join(text.split())
    # 426 by 106 as published; in these runs loss meets both alike
    assert "| 0.5 % loss | round-robin | 4.02 | 1.00 | 4.35 | 1.00 |" in text
    assert "70 ms each way" in text


def test_goals_are_reached_or_have_their_counters(written: Path) -> None:
    text = (written / "performance-goals.md").read_text()
    assert "| 6.12 | reads, depth 8: mptcp, to tcp | 3.8 | 4.00 | reached |  |" in text
    assert len([line for line in text.splitlines() if "reached" in line]) == len(goals(70.0))
    data = Data()
    data.add(goals(None)[0].above, [fio_run(3.0, no_room=7)], **FACTS)
    below = goals(None)[0].below
    assert below
    data.add(below, [fio_run(1.0)], **FACTS)
    table = page.goals_table([page.View(data, "6.12")])
    assert "| 3.00 | missed | links 25 25 25 25 %" in table and "NoDSSInWindow 7" in table


def test_what_is_not_measured_is_no_number(tmp_path: Path) -> None:
    page.write(Data(), tmp_path)
    text = (tmp_path / "performance.md").read_text()
    assert "| reads, MiB/s | - | - | - | - | - | - |" in text
    assert "The newest kernel was not measured." in text


def test_the_documents_are_those_of_the_results(tmp_path: Path) -> None:
    """doc/performance.md, its charts and goals follow from doc/performance/results.csv."""
    data = Data.read(PROJECT / "doc" / page.RESULTS)
    for path in page.write(data, tmp_path):
        there = PROJECT / "doc" / path.relative_to(tmp_path)
        assert there.read_text() == path.read_text(), f"{there}: run compare --write-only"


def luminance(colour: str) -> float:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_charts_are_small_and_readable_on_both_backgrounds(written: Path) -> None:
    for path in (written / "performance").glob("*.svg"):
        text = path.read_text()
        assert text.count("\n") < 120 and "prefers-color-scheme:dark" in text
        assert text.count("<rect") == text.count('class="v"') + 6, path
    fills = [fill for fill, _ in charts.COLOURS]
    for fill, ground in ((f, g) for f in fills for g in (charts.PAPER, charts.SCREEN)):
        assert contrast(fill, ground) >= 2, (fill, ground)
    assert contrast(*fills) > 1.8
    assert contrast(charts.INK_ON_PAPER, charts.PAPER) > 7
    assert contrast(charts.INK_ON_SCREEN, charts.SCREEN) > 7


# the command


def test_figures_and_kernels_are_chosen() -> None:
    def names(*words: str) -> dict[str, list[str]]:
        found = cli.chosen(cli.parser().parse_args(words))
        return {series: [figure.name for figure in figures] for series, figures in found}

    assert names() == {"6.12": list(FIGURES), "newest": list(cli.ON_BOTH)}
    assert names("--figure", "cost") == {"6.12": ["cost"], "newest": ["cost"]}
    assert names("--kernel-series", "newest") == {"newest": list(FIGURES)}


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--figure", "none"], "invalid choice"), (["--runs", "0"], "at least 1"),
     (["--list", "--write-only"], "not allowed with"),
     (["--anew", "--write-only"], "not allowed with")],
)  # fmt: skip
def test_wrong_options_are_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(words)
    assert said in capsys.readouterr().err


def test_without_a_build_nothing_is_booted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path) == 2
    assert "run `make` first" in capsys.readouterr().err


def test_the_list_has_what_is_missing(
    guest: Guest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(tmp_path, "--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "in the lab, kernel 6.12 (of which there are no runs)"
    assert lines[1].split() == list(cli.HEADINGS)
    rows = FIGURES["failover"].rows(None)
    runs = sum(row.runs for row in rows)
    numbers = next(line.split() for line in lines if "failover" in line)
    assert numbers[1:4] == [str(len(rows)), str(runs), str(runs)]
    assert not guest.boots and not (tmp_path / "doc").exists()
    assert compare(tmp_path, "--figure", "alone") == 0
    capsys.readouterr()
    assert compare(tmp_path, "--list", "--figure", "alone") == 0
    assert capsys.readouterr().out.splitlines()[2].split()[3:] == ["0", "0"]


@pytest.mark.parametrize(
    ("given", "named"),
    [("FIGURE=cost", "cost"), ("KERNEL_SERIES=newest", "newest"),
     ("HOST=h TARGET=t", "from h to t"), ('HOST=h TARGET=t TRADDR="10.0.0.1 10.0.1.1"', "2 link")],
)  # fmt: skip
def test_make_passes_its_variables(tmp_path: Path, given: str, named: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"make BUILD={tmp_path} LIST=1 compare {given}"], cwd=PROJECT,
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert named in done.stdout and not done.stderr


def test_guests_are_as_many_as_fit() -> None:
    assert [cli.guests(3, 1, 0), cli.guests(None, 8, 64_000), cli.guests(None, 1, 64_000)] == [
        3, 2, 1,
    ]  # fmt: skip
    assert cli.guests(None, 8, 3000) == 1 and cli.guests(None, 8, 0) == 1


def test_a_run_of_everything_takes_about_an_hour() -> None:
    """On two idle processors, by what a second of the guest's clock costs there."""
    rows = [row for names in (FIGURES, cli.ON_BOTH) for name in names
            for row in dict.fromkeys(FIGURES[name].rows(80.0))]  # fmt: skip
    seconds = sum(row.runs * campaign.weight(row) for row in rows)
    assert campaign.PACE * seconds / cli.USUAL_JOBS < 90 * 60
    longer = replace(ROW, load=replace(ROW.load, seconds=60))
    assert campaign.limit([(longer, 1)]) > campaign.limit([(ROW, 1)]) > ROW.load.seconds
