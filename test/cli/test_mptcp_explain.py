# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp explain: the document of the rules, as the program prints it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import TOP
from test_mptcp import conforms, run
from test_mptcp_rules import DOCUMENT, documented

SCHEMA = json.loads((TOP / "doc/schema/mptcp-rules.json").read_text())
GENERATOR = TOP / "tools/gen-rules.py"
SEVERITIES = {"E": "error", "W": "warning", "I": "info"}


def words(text: str) -> list[str]:
    """The words of a text, however it is broken and marked."""
    return text.replace("`", "").replace("\\|", "|").replace("…", "...").split()


def examples() -> dict[str, str]:
    """The code block below each heading of the section of examples."""
    section = DOCUMENT.partition("\n## Examples\n")[2].partition("\n## ")[0]
    found = re.findall(r"^### ([A-Z]\d+)\n+```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert len(found) == len(dict(found)) == section.count("\n### ")
    return dict(found)


def test_the_list_is_that_of_the_document() -> None:
    result = run("mptcp", "explain")
    assert result.status == 0
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
    document = run("mptcp", "explain", "-o", "json").json
    conforms(document, SCHEMA)
    assert [rule["rule"] for rule in document["rules"]] == list(documented())


def test_every_rule_is_explained_as_documented() -> None:
    rules = documented()
    document = run("mptcp", "explain", *rules, "-o", "json").json
    conforms(document, SCHEMA)
    for rule in document["rules"]:
        row = rules[rule["rule"]]
        assert words(rule["finds"]) == words(row.finds)
        assert words(rule["decided_by"]) == words(row.decided)
        assert words(rule["mends"] or "–") == words(row.mends)
        assert rule["example"] == examples().get(rule["rule"])


def test_a_rule_in_text() -> None:
    result = run("mptcp", "explain", "a07", "C12")
    first, second = result.out.split("\n\nC12 ")
    assert first.startswith("A07  Link without carrier  (error, side: both)\n")
    row = documented()["C12"]
    said = " ".join(second.split())
    for label, text in (("finds", row.finds), ("decided by", row.decided)):
        assert f"{label} {' '.join(words(text))}" in said
    assert max(map(len, result.out.splitlines())) <= 100


def test_a_rule_that_there_is_not() -> None:
    result = run("mptcp", "explain", "A07", "X7")
    assert (result.status, result.out) == (1, "")
    assert result.err == "X7: there is no such rule (nvme mptcp explain lists them)\n"


def test_examples_are_findings_of_their_rule() -> None:
    assert len(examples()) >= 25
    for rule, text in examples().items():
        assert rule in documented()
        severity, name, subject = text.splitlines()[0].split(maxsplit=2)
        # Some rules are worse or better than usual, which their row tells.
        known = {SEVERITIES[documented()[rule].severity]}
        known |= {SEVERITIES[s] for s in re.findall(r"\b([EWI])\b(?=:| if| where)",
                                                    " ".join(documented()[rule]))}  # fmt: skip
        assert severity in known and name == rule and subject, text
        assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing\n", "no rules"),
        ("| A01 | E | host | a | b |\n", "A01 has 5 columns"),
        ("| A01 | X | host | a | b | c | lab |\n", "A01 has the severity 'X'"),
        ("| A01 | E | host | a | b | c | lab |\n" * 2, "A01 is there twice"),
        ("| A01 | E | host | a | b | c | lab |\n\n## Examples\n\n### A02\n", "which is no rule"),
        ("| A01 | E | host | a | b | c | lab |\n\n## Examples\n\n### A01\nx\n", "one code block"),
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
