# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rules of nvme mptcp check, what doc/mptcp-rules.md says of them, and what tests them."""

import re
from pathlib import Path
from typing import NamedTuple

from conftest import TOP

SIDES = {"0": "any", "ON_HOST": "host", "ON_TARGET": "target", "ON_BOTH": "both"}
LETTERS = {"ERROR": "E", "WARNING": "W", "INFO": "I"}
DOCUMENT = (TOP / "doc/mptcp-rules.md").read_text()


class Row(NamedTuple):
    """What the document says of a rule."""

    severity: str
    side: str
    finds: str
    tested: str


def documented() -> dict[str, Row]:
    """The rules of the tables by family."""
    rows = {}
    for line in DOCUMENT.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and re.fullmatch(r"[A-Z]\d+", cells[0]):
            assert cells[0] not in rows, line
            rows[cells[0]] = Row(*cells[1:])
    return rows


def proved_elsewhere() -> dict[str, str]:
    """The rules that the lab does not prove, and the test of each."""
    section = DOCUMENT.split("## How each rule is proved\n")[1]
    return dict(re.findall(r"^\| ([A-Z]\d+) \| (\S+) \| .+ \|$", section, re.MULTILINE))


def without_findings() -> set[str]:
    """The numbers that name no finding."""
    section = DOCUMENT.split("## Numbers without findings of their own\n")[1].split("\n## ")[0]
    return set(re.findall(r"^- ([A-Z]\d+): ", section, re.MULTILINE))


def written() -> dict[str, tuple[str, str]]:
    """The rules of the library: severity and side."""
    found = {}
    table = (TOP / "src/mptcp/check/rule-list.h").read_text()
    for rule, severity, side in re.findall(r"X\(([A-Z]\d+), (\w+), (\w+), \w+, ", table):
        assert rule not in found, f"{rule} is there twice"
        found[rule] = (LETTERS[severity], SIDES[side])
    return found


def named(*patterns: str) -> set[str]:
    """The rules that strings of some tests name."""
    rules: set[str] = set()
    for pattern in patterns:
        for path in Path(TOP).glob(pattern):
            for text in re.findall(r'"([^"\n]*)"', path.read_text()):
                rules |= set(re.findall(r"\b[A-Z]\d{1,2}\b", text))
    return rules


def test_every_rule_is_documented_and_no_other() -> None:
    assert {rule: (row.severity, row.side) for rule, row in documented().items()} == written()


def test_every_rule_has_its_row_complete() -> None:
    for rule, row in documented().items():
        assert row.finds, rule
        assert row.tested in ("lab", "netns", "unit"), rule


def test_every_rule_is_tested() -> None:
    where = {
        "unit": named("test/unit/mptcp_*.c"),
        "netns": named("test/cli/test_mptcp_check.py", "test/cli/test_mptcp_trial.py"),
        "lab": named("test/lab/tests/test_*.py"),
    }
    for rule, row in documented().items():
        assert rule in where[row.tested], f"{rule} is not tested there: {row.tested}"


def test_what_the_lab_does_not_prove_says_why() -> None:
    elsewhere = proved_elsewhere()
    assert set(elsewhere) == {rule for rule, row in documented().items() if row.tested != "lab"}
    for rule, path in elsewhere.items():
        assert rule in named(path), f"{path} does not test {rule}"


def test_what_each_rule_needs_is_said() -> None:
    section = DOCUMENT.split("## What each rule needs to see\n")[1].split("\n## ")[0]
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("| ")][1:]
    assert {rule for row in rows for rule in row.split()} == set(written())


def test_numbers_without_findings_have_none() -> None:
    assert without_findings()
    assert not without_findings() & set(written())


def former() -> dict[str, str]:
    """Former numbers, and the rules that they stand for."""
    section = DOCUMENT.split("## Former numbers\n")[1].split("\n## ")[0]
    return dict(re.findall(r"^\| ([A-Z]\d+) \| ([A-Z]\d+) \| .+ \|$", section, re.MULTILINE))


def test_former_numbers_are_those_of_the_library() -> None:
    table = (TOP / "src/mptcp/check/rule-list.h").read_text().split("#define FORMER_RULES")[1]
    assert former() == dict(re.findall(r"X\(([A-Z]\d+), ([A-Z]\d+)\)", table))
    assert not set(former()) & set(written()) and set(former().values()) <= set(written())


def test_no_number_is_left_out() -> None:
    known = set(written()) | without_findings() | set(former())
    for family in "KOHARFCNT":
        numbers = sorted(int(rule[1:]) for rule in known if rule[0] == family)
        assert numbers == list(range(1, len(numbers) + 1)), family
