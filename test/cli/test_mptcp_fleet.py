# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp report --peers: the reports of many machines in one pass."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import TOP, Result, schema
from test_mptcp import conforms, run

SCHEMA = schema("mptcp-fleet")
REPORT = json.loads((TOP / "test/fuzz/corpus/mptcp-report/host").read_text())
TITLES = {"H05": "Subflow limit reached", "A07": "Link without carrier"}


def finding(rule: str, severity: str, subject: str = "limit subflows") -> dict[str, Any]:
    return {
        "rule": rule, "severity": severity, "side": "host", "subject": subject, "kind": "limit",
        "objects": [], "evidence": {}, "why": f"{subject} is in the way", "fix": [],
    }  # fmt: skip


def write(path: Path, hostname: str, *findings: dict[str, Any]) -> None:
    """A report of a machine with these findings."""
    report = REPORT | {"hostname": hostname}
    report["findings"] = REPORT["findings"] | {"findings": list(findings)}
    path.write_text(json.dumps(report))


def fleet(directory: Path, *options: str, status: int = 2) -> Result:
    return run("mptcp", "report", "--peers", str(directory), *options, status=status)


def test_most_frequent_first(tmp_path: Path) -> None:
    a07 = finding("A07", "error", "link h2")
    for i in range(1, 6):
        write(tmp_path / f"r{i}.json", f"host{i}", finding("H05", "error"))
    write(tmp_path / "r6.json", "host6", a07, a07, finding("H16", "warning"))
    write(tmp_path / "r7.json", "host7", a07, a07)
    write(tmp_path / "r8.json", "host8", finding("A11", "info"))
    document = conforms(fleet(tmp_path, "-o", "json").json, SCHEMA)
    assert (document["reports"], document["clean"], document["unreadable"]) == (8, 1, [])
    shown = [(p["rule"], p["machines"], p["findings"]) for p in document["problems"]]
    assert shown == [("H05", 5, 5), ("A07", 2, 4), ("H16", 1, 1)]
    for problem in document["problems"][:2]:
        assert problem["what"] == TITLES[problem["rule"]]
    assert document["problems"][1]["where"][3] == {
        "machine": "host7", "file": "r7.json", "subject": "link h2", "why": "link h2 is in the way",
    }  # fmt: skip

    text = fleet(tmp_path).out
    assert "8 reports, 1 of them without warnings and errors" in text
    assert "host1, host2, host3 and 2 more" in text and "host6, host7" in text
    assert text.index("H05") < text.index("A07") < text.index("H16")
    assert "host1, host2, host3, host4, host5" in fleet(tmp_path, "-v").out


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path / "good.json", "host1", finding("H05", "error"))
    (tmp_path / "cut.json").write_text(json.dumps(REPORT)[:2000])
    (tmp_path / "other.json").write_text('{"report": "of something else"}')
    (tmp_path / "empty.json").touch()
    (tmp_path / "notes.txt").write_text("no report")
    (tmp_path / ".hidden.json").write_text("no report")
    (tmp_path / "directory.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to("nowhere")
    (tmp_path / "link-to-pipe.json").symlink_to("pipe.json")
    (tmp_path / "link-to-zeros.json").symlink_to("/dev/zero")
    (tmp_path / "link-to-directory.json").symlink_to("directory.json")
    document = conforms(fleet(tmp_path, "-o", "json").json, SCHEMA)
    assert document["reports"] == 1 and document["problems"][0]["rule"] == "H05"
    assert [u["file"] for u in document["unreadable"]] == [
        "cut.json", "empty.json", "gone.json", "link-to-directory.json", "link-to-pipe.json",
        "link-to-zeros.json", "other.json",
    ]  # fmt: skip
    assert all(u["reason"] for u in document["unreadable"])
    assert "not written by" in fleet(tmp_path).out


def test_reports_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """Nobody knows whether they are of one machine; a report without a name has its file's."""
    write(tmp_path / "monday.json", "host1", finding("H05", "error"))
    write(tmp_path / "tuesday.json", "host1", finding("H05", "error"))
    write(tmp_path / "wednesday.json", "host1")
    write(tmp_path / "x.json", "host2", finding("H05", "error"))
    write(tmp_path / "z.json", "", finding("A07", "error"))
    out = " ".join(fleet(tmp_path).out.split())
    assert "host1 (monday.json), host1 (tuesday.json), host2" in out
    assert out.endswith("z.json")
    problems = fleet(tmp_path, "-o", "json").json["problems"]
    assert [(p["rule"], p["machines"]) for p in problems] == [("H05", 3), ("A07", 1)]
    assert problems[1]["where"][0]["machine"] == "z.json"


def test_status(tmp_path: Path) -> None:
    """As that of check, for all machines together."""
    write(tmp_path / "r1.json", "host1", finding("A11", "info"))
    fleet(tmp_path, status=0)
    write(tmp_path / "r2.json", "host2", finding("H16", "warning"))
    fleet(tmp_path, status=1)
    (tmp_path / "r3.json").write_text("no report")
    fleet(tmp_path, status=3)
    write(tmp_path / "r4.json", "host4", finding("H05", "error"))
    fleet(tmp_path, status=2)


def test_ages(tmp_path: Path) -> None:
    """What was reported long ago may not be so any more, and a clock may be wrong."""
    ages = {"host1": 90, "host2": 7000, "host3": 3 * 86400 + 5, "host4": -3600}
    for name, age in ages.items():
        write(tmp_path / f"{name}.json", name, finding("H16", "warning"))
        report = json.loads((tmp_path / f"{name}.json").read_text())
        report["taken_s"] = int(time.time()) - age
        (tmp_path / f"{name}.json").write_text(json.dumps(report))
    document = conforms(fleet(tmp_path, "-o", "json", status=1).json, SCHEMA)
    for file in document["files"]:
        assert 0 <= file["age_s"] - ages[file["machine"]] < 60
        assert (file["errors"], file["warnings"]) == (0, 1)
        assert file["file"] == file["machine"] + ".json"
    out = fleet(tmp_path, status=1).out
    assert "The oldest was taken 3 days ago, the newest in the future\n" in out
    out = fleet(tmp_path, "-v", status=1).out
    for name, age in (("host2", "116 minutes ago"), ("host3", "3 days ago")):
        assert re.search(rf"^{name} +{age} +0 +1 +{name}\.json$", out, re.MULTILINE), out
    for name in ("host1", "host2", "host4"):
        (tmp_path / f"{name}.json").unlink()
    assert "\nTaken 3 days ago\n" in fleet(tmp_path, status=1).out


def test_texts_of_others_are_shown_and_no_more(tmp_path: Path) -> None:
    evil = "\x1b[2J\u202e\n\r$(reboot)"
    write(tmp_path / "r.json", evil, finding("Z99", "error", evil), finding("H05", "error", evil))
    document = fleet(tmp_path, "-o", "json").json
    assert {p["where"][0]["machine"] for p in document["problems"]} == {evil}
    assert document["problems"][1]["what"] == "Unknown rule (written by another version)"
    for options in ((), ("-v",)):
        shown = fleet(tmp_path, *options).out.replace("\n", "")
        assert all(" " <= c <= "~" for c in shown)
    out = fleet(tmp_path, "-o", "json").out
    assert "\x1b" not in out and "\r" not in out


@pytest.mark.parametrize(
    "change",
    [
        {"rule": 5}, {"rule": "$(x)"}, {"rule": None}, {"severity": "fatal"}, {"severity": None},
        {"subject": 1}, {"why": []}, {"why": None},
    ],
)  # fmt: skip
def test_findings_are_checked(change: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path / "r.json", "host1", finding("H05", "error") | change)
    document = fleet(tmp_path, "-o", "json", status=3).json
    (unreadable,) = document["unreadable"]
    assert "findings" in unreadable["reason"] and document["reports"] == 0


def test_what_is_refused(tmp_path: Path) -> None:
    for options in ((), ("-O", "x"), ("--netns", "x")):
        result = run("mptcp", "report", "--peers", str(tmp_path), *options, status=1)
        assert result.err
    result = run("mptcp", "report", "--peers", str(tmp_path / "none"), status=1)
    assert "none" in result.err


def test_rules_that_nobody_has(tmp_path: Path) -> None:
    """However many a report names, it neither hides the others nor ends the command."""
    names = [f"{letter}{number}" for letter in "XYZ" for number in range(400)]
    write(tmp_path / "r1.json", "odd", *(finding(name, "error") for name in names))
    write(tmp_path / "r2.json", "odd2", *(finding(name, "warning") for name in names))
    write(tmp_path / "r3.json", "good", finding("H05", "error"))
    document = fleet(tmp_path, "-o", "json").json
    found = [(problem["rule"], problem["severity"]) for problem in document["problems"]]
    assert document["reports"] == 3 and len(found) == len(set(found)) == 2401
    assert {rule for rule, _ in found} == {*names, "H05"}
    (place,) = next(p["where"] for p in document["problems"] if p["rule"] == "H05")
    assert place["machine"] == "good"


def test_a_thousand_reports(tmp_path: Path) -> None:
    for i in range(1000):
        write(tmp_path / f"r{i}.json", f"host{i}", finding("H05", "error"))
    document = fleet(tmp_path, "-o", "json").json
    (problem,) = document["problems"]
    assert problem["machines"] == 1000
    names = [place["machine"] for place in problem["where"]]
    assert names == [f"host{i}" for i in range(1000)], "in the order of their numbers"
