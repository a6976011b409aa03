# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp explain: the document of the rules, as the program prints it."""

import csv
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import NVME, TOP, Nvme, read_to_end, schema
from test_mptcp import conforms, run
from test_mptcp_rules import DOCUMENT, documented

SCHEMA = schema("mptcp-rules")
GENERATOR = TOP / "tools/gen-rules.py"
ROW = "| A01 | E | host | a | lab |\n"
PARAGRAPHS = "".join(f"**{label}.** text\n\n" for label in ("Meaning", "How it is decided", "Fix"))
SEVERITIES = {"E": "error", "W": "warning", "I": "info"}


def words(text: str) -> list[str]:
    """The words of a text, however it is broken and marked."""
    return text.replace("`", "").replace("\\|", "|").replace("…", "...").split()


class Part(NamedTuple):
    """What the document has about a rule below its heading."""

    meaning: str
    decided: str
    fix: str
    example: str


PART = re.compile(
    r"^### ([A-Z]\d+)\n\n"
    r"\*\*Meaning\.\*\* (.+?)\n\n"
    r"\*\*How it is decided\.\*\* (.+?)\n\n"
    r"\*\*Fix\.\*\* (.+?)\n\n"
    r"```\n(.+?)^```$",
    re.MULTILINE | re.DOTALL,
)


def parts() -> dict[str, Part]:
    """The parts of the section about each rule."""
    section = DOCUMENT.partition("\n## Each rule\n")[2].partition("\n## ")[0]
    found = {rule: Part(*part) for rule, *part in PART.findall(section)}
    assert len(found) == section.count("\n### ")
    return found


def test_the_list_is_that_of_the_document() -> None:
    result = run("mptcp", "explain", status=0)
    header, *rows = result.out.splitlines()
    assert header.split() == ["RULE", "SEVERITY", "SIDE", "TITLE"]
    listed = {row.split()[0]: tuple(row.split()[1:3]) for row in rows}
    assert listed == {
        rule: (SEVERITIES[row.severity], row.side) for rule, row in documented().items()
    }
    title = header.index("TITLE")
    assert all(row[title - 1] == " " and row[title:].strip() for row in rows), "not aligned"
    assert max(map(len, rows)) <= 100


def test_the_list_as_json() -> None:
    document = conforms(run("mptcp", "explain", "-o", "json").json, SCHEMA)
    assert [rule["rule"] for rule in document["rules"]] == list(documented())


#: Rules whose advice was measured: set-up, links, and for each number in the rule's text the load
#: and the depth.
MEASURED = {
    "C07": ("mptcp-selftest-1q", "lossy70", (("read", "32"), ("write", "32")),
            r"reads were ([\d.]+) times and writes ([\d.]+) times"),
    "C15": ("mptcp-rmem-1q", "quarter", (("read", "32"),),
            r"queue were ([\d.]+) times as fast with a buffer of 32 MiB"),
    "C16": ("mptcp-inline-1q", "clean", (("write", "32"), ("write", "8")),
            r"of 32 were ([\d.]+) times .* depth of 8, ([\d.]+) "),
}  # fmt: skip


@pytest.mark.parametrize("rule", MEASURED)
def test_a_measured_gain_is_that_of_the_results(rule: str) -> None:
    """A rule's ratios to one mptcp controller with one queue are those of results.csv."""
    setup, links, loads, numbers = MEASURED[rule]
    with (TOP / "doc/performance/results.csv").open(newline="") as file:
        rows = [r for r in csv.DictReader(file) if (r["series"], r["links"]) == ("6.12", links)]
    printed = re.search(numbers, " ".join(run("mptcp", "explain", rule).out.split()))
    assert printed
    for number, load in zip(printed.groups(), loads, strict=True):
        speeds = [
            float(r["mib_s"]) for name in (setup, "mptcp-1q") for r in rows
            if r["setup"] == name and (r["rw"], r["depth"], r["bs_kib"]) == (*load, "128")
        ]  # fmt: skip
        assert float(number) == pytest.approx(speeds[0] / speeds[1], abs=0.06)


def test_every_rule_is_explained_as_documented() -> None:
    rules = documented()
    document = conforms(run("mptcp", "explain", *rules, "-o", "json").json, SCHEMA)
    for rule in document["rules"]:
        row = rules[rule["rule"]]
        assert words(rule["finds"]) == words(row.finds)
        *texts, example = parts()[rule["rule"]]
        shown = [words(rule[key]) for key in ("meaning", "decided_by", "fix")]
        assert shown == [words(text) for text in texts]
        assert rule["example"] == example


@pytest.mark.parametrize(("former", "now"), [("R02", "R01"), ("t13", "T10"), ("H16", "H05")])
def test_a_former_number_explains_its_rule(former: str, now: str) -> None:
    assert run("mptcp", "explain", former).out == run("mptcp", "explain", now).out


def test_a_rule_in_text() -> None:
    result = run("mptcp", "explain", "a07", "C12")
    first, second = result.out.split("\n\n\nC12 ")
    assert first.startswith("A07  Link without carrier  (error, side: both)\n\nMeaning\n    ")
    part = parts()["C12"]
    printed = " ".join(second.split())
    for heading, text in zip(("Meaning", "How it is decided", "Fix"), part, strict=False):
        assert f" {heading} {' '.join(words(text))} " in printed
    assert result.out.endswith("\nExample\n" + part.example)


def test_every_rule_fits_a_terminal() -> None:
    result = run("mptcp", "explain", *documented())
    wide = [line for line in result.out.splitlines() if len(line) > 80]
    assert all(re.match(r" {14}(host|target)\s+# ", line) for line in wide), wide


def test_a_rule_that_there_is_not() -> None:
    said = run("mptcp", "explain", "A07", "X7").refused()
    assert said == "X7: unknown rule (nvme mptcp explain lists them)\n"


def test_examples_are_findings_of_their_rule() -> None:
    assert set(parts()) == set(documented())
    for rule, part in parts().items():
        severity, name, subject = part.example.splitlines()[0].split(maxsplit=2)
        # Some rules are worse or better than usual, which their row tells.
        known = {SEVERITIES[documented()[rule].severity]}
        letters = re.findall(r"\b([EWI])\b(?=:| if| where)", documented()[rule].finds)
        known |= {SEVERITIES[letter] for letter in letters}
        assert severity in known and name == rule and subject, part.example


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing\n", "no rules"),
        ("| A01 | E | host | a |\n", "A01 has 4 columns"),
        ("| A01 | X | host | a | lab |\n", "A01 has the severity 'X'"),
        (ROW * 2, "A01 is there twice"),
        (ROW, "A01 has no part in ## Each rule"),
        (f"{ROW}\n## Each rule\n\n### A02\n", "A02, which is no rule"),
        (f"{ROW}\n## Each rule\n\n### A01\n\n```\nx\n```\n", "no paragraph **Meaning.**"),
        (f"{ROW}\n## Each rule\n\n### A01\n\n{PARAGRAPHS}", "no code block"),
        (f"{ROW}\n## Each rule\n" + f"\n### A01\n\n{PARAGRAPHS}```\nx\n```\n" * 2, "two parts"),
        (
            f"{ROW}\n## Each rule\n\n### A01\n\n{PARAGRAPHS}Of no part.\n\n```\nx\n```\n",
            "A01 has more than its parts: Of no part.",
        ),
    ],
)
def test_a_document_that_is_wrong_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    document = tmp_path / "rules.md"
    document.write_text(text)
    done = subprocess.run(
        [sys.executable, GENERATOR, document, tmp_path / "out.c"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert reason in done.stderr
    assert not (tmp_path / "out.c").exists()


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_colours(nvme: Nvme, environment: dict[str, str], coloured: bool) -> None:
    """On a terminal that has them, unless NO_COLOR is set; the text is the same."""
    ours, theirs = pty.openpty()
    command = [NVME, "mptcp", "explain", "C09"]
    with subprocess.Popen(command, stdout=theirs, env=nvme.environment() | environment) as program:
        os.close(theirs)
        shown = read_to_end(ours)
    assert program.returncode == 0
    assert ("\033[" in shown) == coloured
    assert re.sub(r"\033\[\d*m", "", shown) == nvme("mptcp", "explain", "C09").out
