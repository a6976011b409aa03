# SPDX-License-Identifier: GPL-2.0-or-later
"""What `make compare` writes: the document, its pictures and the raw data; and what it measures."""

from __future__ import annotations

import csv
import itertools
import json
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nvmelab.runner import Lab, Options, Result, Wanted
from nvmetools import PROJECT
from nvmetools.ui import Ui
from compare import cli, figures, pictures, runner
from compare.analysis import Value, summarize
from compare.document import Facts, Writer
from compare.figures import FIGURES
from compare.results import bring_in, earlier, start_anew, with_older
from compare.rows import OVER_TIME, Row, row_of
from compare.runner import Campaign
from compare.store import RUNS, StoreError
from compare.tables import block_table, shown, significant
from compare_runs import MIB, fio_run, put

VERSION = "6.12.0-lab"
FULL = 10e6 / 8 / MIB


def options(top: Path) -> Options:
    return Options(top, top, False, "6.12", None, None, None, 2048, 4, "off")


def prepare(_lab: Lab, _wanted: Wanted) -> tuple[Any, Any]:
    """Stands in for building a kernel."""
    return SimpleNamespace(version=VERSION), SimpleNamespace(modules=Path("modules-abc.erofs"))


@pytest.fixture(autouse=True)
def _no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lab, "prepare", prepare)


class Guest:
    """Stands in for the machine: measures what its plan has, up to a number of runs."""

    def __init__(self, top: Path, most: int = 10**6) -> None:
        self.top = top
        self.most = most
        self.boots: list[list[tuple[Row, int]]] = []
        self.status = 0
        self.failing: set[str] = set()
        self.lock = threading.Lock()

    def run(self, lab: Lab, name: str, commands: Sequence[Sequence[str]], **more: Any) -> Result:
        assert more["icount"] is True
        assert commands == [["python3", "/project/test/lab/measure.py", "/extra/plan.json"]]
        assert lab.options.extra
        plan = json.loads((lab.options.extra / "plan.json").read_text())
        todo = [(row_of(entry["row"]), entry["run"]) for entry in plan]
        with self.lock:
            self.boots.append(todo)
            # beside another guest, the lab gives it a directory of its own
            directory = self.top / "lab-results" / f"{name}.{len(self.boots)}"
        for row, number in todo[: self.most]:
            run = {"error": "LabTimeout: no disk"} if row.key in self.failing else run_of(row)
            put(directory / RUNS, row, number, run)
        if len(todo) > self.most:
            raise KeyboardInterrupt
        return Result(name, self.status or int(bool(self.failing)), directory, [], 1.0)


def run_of(row: Row) -> dict[str, Any]:
    """tcp over one link has one, everything else four; loss takes 16/delay of it."""
    lossy = row.links.shapes[0].delay
    part = 16 / lossy if lossy else 1.0
    count = len(row.links.shapes)
    single = row.setup.transport == "tcp" and row.setup.paths == 1 and not row.setup.bond
    rates = [FULL * part] + [0.0 if single else FULL * part] * (count - 1)
    run = fio_run(sum(rates), rw=row.load.rw, links=rates, subflows=[4] if not single else [])
    if row.kind in OVER_TIME:
        done = [t for t in range(0, row.load.seconds * 1000, 25) if not 5000 < t < 5600]
        run |= {"completions": done, "pulled_ms": 5000.0, "back_ms": 10000.0}
    if row.kind == "connect":
        run |= {"connect_s": 0.1 * row.setup.paths, "memory": 1 << 20, "connections": 5}
    return run


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guest:
    made = Guest(tmp_path)
    monkeypatch.setattr(Lab, "run", lambda lab, name, commands, **more: made.run(
        lab, name, commands, **more))  # fmt: skip
    return made


def campaign(top: Path, **more: Any) -> Campaign:
    return Campaign(Lab(options(top), Ui()), top / "compare", **more)


def test_a_run_that_was_ended_goes_on_where_it_stopped(guest: Guest, tmp_path: Path) -> None:
    figure = FIGURES["alone"]
    guest.most = 7
    with pytest.raises(KeyboardInterrupt):
        campaign(tmp_path).measure(figure)
    first = {(row.key, number) for row, number in guest.boots[0][:7]}
    guest.most, guest.boots = 10**6, []
    again = campaign(tmp_path)
    again.measure(figure)
    measured = [(row.key, number) for boot in guest.boots for row, number in boot]
    assert not first & set(measured)
    assert len(first) + len(measured) == 3 * len(figure.rows(None, False))
    assert again.failed == {} and again.trouble == []
    guest.boots = []
    campaign(tmp_path).measure(figure)
    assert guest.boots == []


def test_a_boot_has_one_setting_of_native_multipath(guest: Guest, tmp_path: Path) -> None:
    campaign(tmp_path).measure(FIGURES["alone"])
    settings = [{row.setup.multipath for row, _ in boot} for boot in guest.boots]
    assert sorted(map(list, settings)) == [[False], [True]]


def test_the_delay_comes_from_calibration_before_what_needs_it(
    guest: Guest, tmp_path: Path
) -> None:
    """In these runs the share is 16 by the delay: 0.2325 is at 70 ms, in steps of 5."""
    made = campaign(tmp_path)
    made.measure(FIGURES["published"])
    assert made.kernel.delay() == 70.0
    names = [{row.links.name for row, _ in boot} for boot in guest.boots]
    assert "lossy70" not in names[0] and "lossy70" in names[-1]
    assert {row.links.name for row in made.rows(FIGURES["published"])} == {
        "clean", "lossy20", "lossy40", "lossy80", "lossy160", "lossy70",
    }  # fmt: skip


def test_what_fails_is_tried_once_and_named(guest: Guest, tmp_path: Path) -> None:
    bad = FIGURES["cost"].rows(None, False)[0]
    guest.failing = {bad.key}
    made = campaign(tmp_path)
    made.measure(FIGURES["cost"])
    assert len(guest.boots) == 1
    assert made.failed == {bad.key: ["LabTimeout: no disk"] * 3}
    assert made.trouble == []


def test_two_guests_share_what_is_to_be_measured(guest: Guest, tmp_path: Path) -> None:
    figure = FIGURES["asymmetric"]
    made = campaign(tmp_path, jobs=2)
    made.measure(figure)
    assert made.failed == {} and len(guest.boots) == 2
    loads = [sum(runner.weight(row) for row, _ in boot) for boot in guest.boots]
    assert max(loads) < 1.1 * min(loads)
    for boot in guest.boots:
        places = [(number, row.place) for row, number in boot]
        groups = [place for place, _ in itertools.groupby(places)]
        assert len(groups) == len(set(groups))
    assert made.measured == sum(map(len, guest.boots)) == 3 * len(figure.rows(None, False))


def test_few_runs_are_no_work_for_many_guests() -> None:
    row = Row(figures.TCP, figures.CLEAN)
    assert runner.shared([(row, 1)], 3) == [[(row, 1)]]
    assert runner.shared([], 2) == []


def test_a_kernel_that_complains_is_not_passed_over(guest: Guest, tmp_path: Path) -> None:
    guest.status = 125
    made = campaign(tmp_path)
    made.measure(FIGURES["cost"])
    assert "status 125" in made.trouble[0]


# what is written


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document of a run of everything; drawing takes its time, so it is made once."""
    top = tmp_path_factory.mktemp("written")
    guest = Guest(top)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Lab, "prepare", prepare)
        patched.setattr(Lab, "run", lambda lab, name, commands, **more: guest.run(
            lab, name, commands, **more))  # fmt: skip
        made = campaign(top)
        for name in figures.usual(False):
            made.measure(FIGURES[name])
        writer = Writer(top / "doc", [made], Facts("2 processors", 4, False))
        absent = writer.write(list(FIGURES.values()))
    assert absent == ["steady"]
    return top / "doc"


def test_the_document_has_every_figure_with_its_picture(written: Path) -> None:
    text = (written / "compare.md").read_text()
    for figure in FIGURES.values():
        assert (f"## {figure.title}\n" in text) == (figure.name != "steady")
    assert "make compare FIGURE=steady" in text
    found = re.findall(r"^!\[.*\]\(compare/([^)]+)\)", text, re.M)
    assert len(found) == len(set(found)) and "settings-6.12-time.svg" in found
    linked = set(re.findall(r"\]\(compare/([^)]+)\)", text))
    assert linked == {path.name for path in (written / "compare").iterdir()}
    assert "alone-6.12-latency.svg" in linked and "failover-6.12.svg" in linked
    assert "- fio-3.33 and iproute2-6.1.0\n" in text
    assert "{" not in text and "None" not in text and "nan" not in text


def test_the_document_has_ratios_answers_and_goals(written: Path) -> None:
    text = (written / "compare.md").read_text()
    # 426 by 106, and the same in these runs, whose loss meets both alike
    assert "| lossy | round-robin | reads | 4.02 | 1.00 |" in text
    assert "70 ms each way" in text
    # 350 by 50, which nobody can measure here, and the same speed for all in these runs
    assert "| adaptive | 7.00 | 6.77 | - | - | - | - |" in text
    assert "| queue-depth | 4.60 | 5.84 | 1.00 | 1.00 | 1.00 | 1.00 |" in text
    for heading in ("one flaky path", "slow path do", "differ from bonding", "on top"):
        assert re.search(rf"^## .*{heading}.*\?$", text, re.M), heading
    assert re.search(
        r"\| 6\.12\.0-lab \| reads of one job, 8 .* \| 3\.8 \| 4\.00 \| reached \|", text
    )
    # no request from 5 s until 5.6 s, and everything as before when the cable is back
    # 160 of 128 KiB in 4 s, and 200 less the 23 of the pause in 5 s, all of it in the first second
    assert "| 600 | 5.00 | 4.42 | 88 | 43 | 100 | 0.0 |" in text
    tables = re.findall(r"^\*\*[^\n]*while a (?:cable|link) .*?(?=\n\*\*|\n## )", text, re.S | re.M)
    assert len(tables) == 7
    assert all("*% of before* is" in each for each in tables)
    assert (
        "| four tcp controllers, queue-depth, keep_alive_tmo=1, reconnect_delay=1 | 600 |"
        in (tables[0])
    )


def test_the_readme_quotes_the_table_of_a_pulled_cable() -> None:
    """README's figures of a pulled cable are those of the project's own document."""
    section = (PROJECT / "doc/compare.md").read_text().partition("## A cable is pulled")[2]
    rows = [line.split(" | ") for line in section.split("\n## ")[0].splitlines()]
    head = next(row for row in rows if row[-1] == "why |")
    parts = {row[0].strip("| "): row[head.index("% of before")] for row in rows if len(row) > 4}
    readme = " ".join((PROJECT / "README.md").read_text().split())
    own = parts["mptcp, planned endpoints"].replace(")", " %)").replace(" (", " % (")
    other = parts["four tcp controllers, queue-depth"].split()[0]
    assert f"{own} in the lab, where native multipath by queue-depth kept {other} %" in readme


def test_every_row_has_its_reason(written: Path) -> None:
    lines = (written / "compare.md").read_text().splitlines()
    head = [i for i, line in enumerate(lines) if line.startswith("|") and line.endswith("| why |")]
    assert head
    for start in head:
        rows = []
        for line in lines[start + 2 :]:
            if not line.startswith("|"):
                break
            rows.append(line)
        assert rows and all(row.endswith(". |") for row in rows)


def test_tables_are_as_wide_as_their_heads(written: Path) -> None:
    width = 0
    for line in (written / "compare.md").read_text().splitlines():
        cells = line.count("|") if line.startswith("|") else 0
        assert not (cells and width) or cells == width, line
        width = cells


def test_raw_data_is_all_that_was_measured(written: Path) -> None:
    document = json.loads((written / "compare/results.json").read_text())
    assert list(document) == [VERSION]
    assert document[VERSION]["series"] == "6.12"
    rows = document[VERSION]["rows"]
    assert all(len(entry["runs"]) == row_of(entry["row"]).runs for entry in rows.values())
    lines = list(csv.DictReader((written / "compare/results.csv").open()))
    fio = [key for key, entry in rows.items() if entry["row"]["kind"] == "fio"]
    assert {line["row"] for line in lines} == set(fio)
    one = next(line for line in lines if line["setup"] == "tcp" and line["direction"] == "read")
    assert float(one["mib_s"]) == pytest.approx(FULL, abs=1e-3)
    assert one["link_shares"] == "1.000 0.000 0.000 0.000"


def test_raw_data_keep_the_combinations_of_a_long_run(guest: Guest, tmp_path: Path) -> None:
    """Their tables are a long document's; whoever writes that next need not measure them."""
    figure = FIGURES["failover"]
    campaign(tmp_path, long=True).measure(figure)
    rows = {row.key for row in figure.rows(None, True)}
    assert rows > {row.key for row in figure.rows(None, False)}
    Writer(tmp_path, [campaign(tmp_path)], Facts("2 processors", 4, False)).write([figure])
    (kernel,) = json.loads((tmp_path / "compare/results.json").read_text()).values()
    assert set(kernel["rows"]) == rows


def test_pictures_follow_the_reader_and_are_the_same_again(written: Path, tmp_path: Path) -> None:
    for path in (written / "compare").glob("*.svg"):
        text = path.read_text()
        ET.fromstring(text)
        assert "prefers-color-scheme:dark" in text
        assert "#123456" not in text and "#000000" not in text
        assert "<metadata" not in text
    values = {"a": {"50": Value(1, 1, 1), "99": Value(5, 4, 6)}}
    for name in ("one.svg", "two.svg"):
        pictures.draw_latencies(values, tmp_path / name)
    assert (tmp_path / "one.svg").read_text() == (tmp_path / "two.svg").read_text()


def test_a_panel_without_anything_to_see_is_left_out(tmp_path: Path) -> None:
    zero, some = Value(0, 0, 0), Value(0, 0, 1)
    assert not pictures.shows(pictures.Bars("a", "s", [("x", zero), ("y", zero)]))
    assert pictures.shows(pictures.Bars("a", "s", [("x", zero), ("y", some)]))
    made = campaign(tmp_path)
    figure = FIGURES["cost"]
    for row in figure.rows(None, False):
        run = run_of(row) | {"cpu": {"busy": 0.0, "total": 8.0}}
        for number in (1, 2, 3):
            put(made.kernel.store.top, row, number, run)
    Writer(tmp_path / "doc", [made], Facts("m", 4, False)).write([figure])
    text = (tmp_path / "doc/compare.md").read_text()
    assert not list((tmp_path / "doc/compare").glob("*.svg"))
    assert "seconds a GiB" not in text and "KiB a connection" in text
    assert f"Linux {VERSION} counts its processors as idle" in text


def test_a_kernel_that_sees_little_of_its_work_has_no_idle_time_at_all(tmp_path: Path) -> None:
    made = campaign(tmp_path)
    rows = FIGURES["goals"].rows(None, False)[:3]
    for row, busy in zip(rows, (0.0, 0.0, 0.7), strict=True):
        for number in (1, 2, 3):
            run = run_of(row) | {"cpu": {"busy": busy, "total": 8.0}}
            put(made.kernel.store.top, row, number, run)
    assert [s.idle for s in made.kernel.summaries(rows).values()] == [None] * 3


def test_lines_over_time_are_means() -> None:
    assert pictures.means([0, 0, 36, 0, 0, 1, 2], 5) == [7.2, 1.5]
    assert pictures.means([], 5) == []


def test_a_goal_that_is_missed_has_its_reason(tmp_path: Path) -> None:
    made = campaign(tmp_path)
    figure = FIGURES["goals"]
    for row in figure.rows(None, False):
        run = run_of(row)
        if row.setup is figures.MPTCP and row.load.rw == "write":
            run = fio_run(2.0, rw="write", links=(0.7, 0.5, 0.5, 0.3))
        elif row.setup is figures.MPTCP:
            run |= fio_run(4 * FULL, links=[FULL] * 4, reinjected=3, subflows=[4])
        for number in (1, 2, 3):
            put(made.kernel.store.top, row, number, run)
    Writer(tmp_path / "doc", [made], Facts("m", 4, False)).write([figure])
    lines = (tmp_path / "doc/compare.md").read_text().splitlines()
    missed = [line for line in lines if line.endswith(" |") and "| missed |" in line]
    assert len(missed) == 2 and all("(R2T)" in line for line in missed)
    text = "\n".join(lines)
    assert "**Writes** miss it" in text and "4.00 times tcp at depth 8" in text
    # 2 rows of 3 runs with 3 pieces each
    assert "18 pieces (MPTCPRetrans) where there is a queue" in text.replace("\n", " ")
    assert max(map(len, text.partition("**Writes**")[2].splitlines())) <= 100


def test_a_picture_that_nothing_leads_to_does_not_stay(tmp_path: Path) -> None:
    old = tmp_path / "doc/compare/gone-6.12.svg"
    old.parent.mkdir(parents=True)
    old.write_text("<svg/>")
    Writer(tmp_path / "doc", [campaign(tmp_path)], Facts("m", 4, False)).write([FIGURES["alone"]])
    assert not old.exists()


@pytest.mark.parametrize("colour", [*pictures.COLOURS])
@pytest.mark.parametrize("ground", [pictures.PAPER, pictures.SCREEN])
def test_colours_are_seen_on_paper_and_on_a_dark_screen(colour: str, ground: str) -> None:
    assert pictures.contrast(colour, ground) >= 3


def test_a_kind_has_one_colour() -> None:
    names = ("tcp, 1", "mptcp, planned", "four mptcp controllers", "tcp over a bond",
             "four tcp controllers, numa")  # fmt: skip
    colours = [pictures.colour_of(name) for name in names]
    assert colours[1] == colours[2] and len(set(colours)) == 4
    assert set(colours) <= set(pictures.COLOURS)


def test_contrast_is_that_of_the_standard() -> None:
    assert pictures.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert pictures.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert pictures.contrast(pictures.INK_ON_PAPER, pictures.PAPER) > 7
    assert pictures.contrast(pictures.INK_ON_SCREEN, pictures.SCREEN) > 7


def test_rows_that_are_not_there_yet_are_counted(tmp_path: Path) -> None:
    """A row with two of its three runs is not there yet."""
    figure = FIGURES["sizes"]
    rows = figure.rows(None, False)
    made = campaign(tmp_path)
    writer = Writer(tmp_path / "doc", [made], Facts("m", 4, False))
    for number in (1, 2):
        put(made.kernel.store.top, rows[0], number, run_of(rows[0]))
    assert writer.write([figure]) == ["sizes"]
    put(made.kernel.store.top, rows[0], 3, run_of(rows[0]))
    assert writer.write([figure]) == []
    text = (tmp_path / "doc/compare.md").read_text()
    assert f"{len(rows) - 1} of {len(rows)} rows of this figure have not been measured" in text


def test_a_failed_row_is_named_in_the_document(guest: Guest, tmp_path: Path) -> None:
    bad = FIGURES["cost"].rows(None, False)[0]
    guest.failing = {bad.key}
    made = campaign(tmp_path)
    made.measure(FIGURES["cost"])
    Writer(tmp_path / "doc", [made], Facts("m", 4, False)).write([FIGURES["cost"]])
    text = (tmp_path / "doc/compare.md").read_text()
    assert f"`{bad.key}`: LabTimeout: no disk" in text


def test_spread_is_shown_where_it_shows() -> None:
    assert shown(Value(4.512, 4.509, 4.514)) == "4.51"
    assert shown(Value(4.5, 4.4, 4.61)) == "4.50 (4.40 to 4.61)"
    assert significant(Value(123.4, 100, 150.6)) == "123 (100 to 151)"
    assert shown(None) == "-"


def test_a_block_without_runs_has_no_table() -> None:
    (block, _) = FIGURES["alone"].blocks(None, False)
    assert block_table(block, {}) == ""
    label, row = block.cells[0]
    table = block_table(block, {row.key: summarize(row, [fio_run(1.0)])})
    assert table.splitlines()[2].startswith(
        f"| {label} | 1.00 | 1.00 | 10.0 | 20.0 | 30.0 | 80 % |"
    )


# the command line


def test_figures_and_kernels_are_chosen() -> None:
    def names(*arguments: str) -> dict[str, list[str]]:
        found = cli.chosen(cli.parser().parse_args(list(arguments)))
        return {series: [figure.name for figure in wanted] for series, wanted in found}

    usual = [name for name in FIGURES if name != "steady"]
    assert names() == {"6.12": usual, "newest": ["alone", "goals"]}
    assert names("--long")["6.12"] == list(FIGURES)
    assert names("--figure", "asymmetric") == {"6.12": ["asymmetric"], "newest": ["asymmetric"]}
    assert names("--kernel-series", "newest") == {"newest": usual}


def test_unknown_figures_and_runs_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--figure", "bonding"], ["--runs", "0"], ["--runs", "x"]):
        with pytest.raises(SystemExit, match="2"):
            cli.main(arguments)
    assert "published" in capsys.readouterr().err


def test_without_a_build_nothing_is_booted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["--build", str(tmp_path)]) == 2
    assert "run `make` first" in capsys.readouterr().err


def test_the_command_measures_writes_and_tells(
    guest: Guest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nvme-cli").mkdir()
    (tmp_path / "nvme-cli/nvme").touch()
    out = tmp_path / "doc"
    arguments = ["--build", str(tmp_path), "--output", str(out), "--figure", "cost",
                 "--kernel-series", "6.12", "--cache", str(tmp_path), "--jobs", "2"]  # fmt: skip
    assert cli.main(arguments) == 0
    boots = len(guest.boots)
    assert boots == 2
    assert cli.main([*arguments, "--write-only"]) == 0
    assert len(guest.boots) == boots
    guest.failing = {"nothing"}
    row = replace(FIGURES["failover"].rows(None, False)[0])
    guest.failing = {row.key}
    assert cli.main([*arguments[:5], "failover", *arguments[6:]]) == 1
    assert f"{row.key} failed: LabTimeout: no disk" in capsys.readouterr().err


def test_what_another_kernel_gave_before_stays_in_the_document(
    guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def either(_lab: Lab, wanted: Wanted) -> tuple[Any, Any]:
        version = {"6.12": VERSION, "newest": "7.3.0-lab"}[wanted.series]
        return SimpleNamespace(version=version), SimpleNamespace(modules=Path("modules-a.erofs"))

    monkeypatch.setattr(Lab, "prepare", either)
    (tmp_path / "nvme-cli").mkdir()
    (tmp_path / "nvme-cli/nvme").touch()
    common = ["--build", str(tmp_path), "--output", str(tmp_path / "doc"), "--figure", "cost",
              "--cache", str(tmp_path)]  # fmt: skip
    for series in ("newest", "6.12"):
        assert cli.main([*common, "--kernel-series", series, "--jobs", "1"]) == 0
    assert len(guest.boots) == 2
    text = (tmp_path / "doc/compare.md").read_text()
    assert "### Linux 7.3.0-lab" in text and f"### Linux {VERSION}" in text
    assert list(json.loads((tmp_path / "doc/compare/results.json").read_text())) == [
        VERSION, "7.3.0-lab",
    ]  # fmt: skip


def test_what_the_document_has_is_not_measured_again(guest: Guest, tmp_path: Path) -> None:
    """Neither where the sources are but not the build, until it is asked for."""
    out = tmp_path / "doc"

    def measured(build: str, *more: str) -> int:
        place = tmp_path / build
        (place / "nvme-cli").mkdir(parents=True, exist_ok=True)
        (place / "nvme-cli/nvme").touch()
        guest.boots, guest.top = [], place
        arguments = ["--build", str(place), "--output", str(out), "--kernel-series", "6.12",
                     "--cache", str(tmp_path), *more]  # fmt: skip
        assert cli.main(arguments) == 0
        return sum(map(len, guest.boots))

    rows = len(FIGURES["cost"].rows(None, False))
    assert measured("one", "--figure", "cost") == 3 * rows
    first = (out / "compare/results.json").read_text()
    assert measured("two", "--figure", "cost") == 0
    assert (out / "compare/results.json").read_text() == first
    with pytest.MonkeyPatch.context() as patched:  # written where no kernel is
        patched.delattr(Lab, "prepare")
        assert measured("four", "--write-only") == 0
    assert (out / "compare/results.json").read_text() == first
    assert measured("two", "--figure", "cost", "--anew") == 3 * rows
    assert measured("three", "--figure", "cost", "--runs", "4") == rows
    # nor does what a boot has left that was ended before
    row = FIGURES["cost"].rows(None, False)[0]
    left = tmp_path / f"two/lab-results/{runner.boot_name('6.12')}.7/runs"
    put(left, row, 1, fio_run())
    assert measured("two", "--figure", "cost", "--anew") == 3 * rows
    # what was forgotten does not come back from the document when such a run was ended
    made = campaign(tmp_path / "two")
    start_anew(made.kernel, made.rows(FIGURES["cost"]))
    assert measured("two", "--figure", "cost") == 3 * rows


def test_other_modules_are_another_kernel(
    guest: Guest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign(tmp_path).measure(FIGURES["cost"])
    monkeypatch.setattr(runner, "patches_key", lambda _series: "others")
    made = campaign(tmp_path)
    assert made.kernel.modules == "others"
    figure = FIGURES["cost"]
    assert not made.kernel.summaries(made.rows(figure))
    # a document has the rows of before until they are measured again, and names their figure
    with_older(tmp_path / "compare", made.kernel)
    assert len(made.kernel.summaries(made.rows(figure))) == len(made.rows(figure))
    assert Writer(tmp_path, [made], Facts("m", 4, False)).write([figure]) == []
    assert f"again: `cost` on Linux {VERSION}." in (tmp_path / "compare.md").read_text()
    raw = tmp_path / "compare/results.json"
    rows = json.loads(raw.read_text())[VERSION]["rows"].values()
    (modules,) = {row["modules"] for row in rows}
    assert modules not in ("others", "")
    # and they come in as what they are
    assert bring_in(tmp_path / "elsewhere", raw) == 3 * len(rows)
    (results,) = earlier(tmp_path / "elsewhere", (), False, None)
    assert results.kernel.modules == "others"
    assert len(results.kernel.store.todo(results.rows(figure))) == 3 * len(rows)
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == sorted(
        f"{VERSION}-{name}" for name in (modules, "others")
    )
    made.measure(figure)
    assert not made.kernel.store.todo(made.rows(figure))
    Writer(tmp_path, [made], Facts("m", 4, False)).write([figure])
    assert "earlier patches" not in (tmp_path / "compare.md").read_text()


@pytest.mark.parametrize("text", ["", "[]", '{"6.12.0-lab": {"rows": {}}}', '{"a": 1}'])
def test_raw_data_of_another_shape_is_refused(tmp_path: Path, text: str) -> None:
    document = tmp_path / "results.json"
    document.write_text(text)
    with pytest.raises(StoreError, match=r"results\.json: not what `make compare` writes"):
        bring_in(tmp_path / "compare", document)
