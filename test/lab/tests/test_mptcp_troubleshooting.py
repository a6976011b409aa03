# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/troubleshooting.md: each of its states is found by the rule that it names, and cured."""

import re
from typing import Any

import pytest
import troubleshooting
from failover import Document
from faults import rules, shown
from lab import Lab

COMMAND = re.compile(r"^    ((?:host|target)# .*)$", re.MULTILINE)


def case(name: str) -> Any:
    """A chapter on its own links."""
    shape, _ = troubleshooting.CHAPTERS[name]
    return pytest.param(name, id=name.replace(" ", "-"), marks=pytest.mark.topology(shape))


def commands(text: str) -> list[str]:
    return COMMAND.findall(text)


@pytest.mark.limit(180)
@pytest.mark.parametrize("name", [case(name) for name in troubleshooting.CHAPTERS])
def test_chapter(lab: Lab, name: str) -> None:
    document = Document(troubleshooting.PAGE)
    troubleshooting.begin(document, name)
    _, chapter = troubleshooting.CHAPTERS[name]
    found = chapter(troubleshooting.Desk(lab, document))
    print(document.text())
    assert not rules(found), shown(found)
    # the document holds the same commands in the same order
    heading = document.parts[0].splitlines()[0]
    written = troubleshooting.PAGE.read_text().partition(f"{heading}\n")[2].partition("\n## ")[0]
    assert commands(written) == commands(document.text())
