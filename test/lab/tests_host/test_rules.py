# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules of nvme mptcp check that the document calls proved in the lab are named there."""

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| ([A-Z]\d+) \|.*\| (lab|netns|unit) \|$", re.MULTILINE)


def named(pattern: str) -> set[str]:
    """The rules that tests of the lab name."""
    found: set[str] = set()
    for path in (PROJECT / "test/lab/tests").glob(pattern):
        found.update(re.findall(r'"([A-Z]\d+)"', path.read_text()))
    return found


def test_rules_are_proved_where_the_document_says() -> None:
    rows = dict(ROW.findall((PROJECT / "doc/mptcp-rules.md").read_text()))
    proved = {rule for rule, where in rows.items() if where == "lab"}
    assert proved
    assert proved - named("test_*.py") == set()
    assert named("test_rules_*.py") - proved == set(), "proved in the lab, and not said to be"
