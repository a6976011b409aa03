# SPDX-License-Identifier: GPL-2.0-or-later
"""test/words.py: words that documents and help texts may not have, and where it does not look."""

import sys

import pytest
from conftest import TOP

sys.path.append(str(TOP / "test"))

import words


@pytest.mark.parametrize(
    "text", ["The service mends it.", "A link lacks\na subflow.", "It is told.", "Beside the code"]
)
def test_words_are_found(text: str) -> None:
    assert len(list(words.found("doc/x.md", text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "`beside`",
        "    host# tells",
        "```\nanew\n```",
        "[x](beside.md)",
        "- stands for 0",
        "a stand-in",
    ],
)
def test_code_and_other_meanings_are_left_out(text: str) -> None:
    assert list(words.found("doc/x.md", text)) == []


def test_places_are_lines() -> None:
    assert list(words.found("x.md", "a\n\n`b\nc` tells\n")) == ["x.md:4: tells"]


def test_helps_of_commands_are_read() -> None:
    table = {"groups": [{"help": "one", "options": [{"help": "two", "name": "no"}]}]}
    assert list(words.helps(table)) == ["one", "two"]
