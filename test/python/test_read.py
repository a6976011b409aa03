# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reader of the library's JSON agrees with Python's own, and no text brings it down."""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import BUILD

sys.path.insert(0, str(BUILD / "python"))

from libnvme import _mptcp, mptcp
from libnvme._document import make, of


@dataclass(frozen=True, slots=True)
class Inner:
    """Something below."""

    name: str | None
    number: int | None


@dataclass(frozen=True, slots=True)
class Outer:
    """Something with all kinds of values."""

    value: Any
    from_: Any
    words: dict[str, Any]
    one: Inner | None = of(Inner)
    many: tuple[Inner, ...] = of(Inner)


VALUES = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-1",
    "42",
    "999999999999999999",
    "-99999999999999999",
    "123456789012345678901234567890",
    "1.5",
    "-2.5e3",
    "1E2",
    '""',
    '"a"',
    '"a longer text that comes once and is not kept for later"',
    '"\\u00e4\\n\\"\\\\ and more"',
    '"\\ud83d\\ude00"',
    '"ä€😀"',
    "[]",
    "[1, [2, []], {}]",
    '[{"a": [1]}]',
]


@pytest.mark.parametrize("value", VALUES)
def test_values(value: str) -> None:
    """Each value is what json makes of it, as a field, in a dict, in a list and in an object."""
    text = (
        f'{{"value": {value}, "later": {value}, "words": {{"x": {value}, "y" : [{value}]}},'
        f'\n\t"from": {value}, "one": {{"name": {value}}}, "many": [{{"number": {value}}}, {{}}]}}'
    )
    found = make(Outer, text)
    assert found == make(Outer, json.loads(text))
    assert repr(found) == repr(make(Outer, json.loads(text)))
    assert found.one == Inner(found.value, None)
    assert found.words["x"] == json.loads(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "[]",
        "{",
        "{}x",
        "{} {}",
        '{"value"}',
        '{"value":}',
        '{"value": 1,}',
        '{"value": 1 "from": 2}',
        '{"value": [1, 2}',
        '{"value": [1,,2]}',
        '{"value": "',
        '{"value": "\\',
        '{"value": "\\q"}',
        '{"value": nul',
        '{"value": -}',
        '{"value": 1-2}',
        '{"value": 1.2.3}',
        '{"value": ' + "[" * 1000,
        '{"words": {"a": 1, "b"}}',
        '{"words": {1: 2}}',
        '{"one": {"name"}}',
        "{'value': 1}",
        '{"value": "\0"',
    ],
)
def test_what_is_no_json(text: str) -> None:
    """It is refused."""
    with pytest.raises(ValueError, match=r"."):
        make(Outer, text)


def test_damaged_documents() -> None:
    """Whatever is changed, something is read or refused."""
    text = mptcp.snapshot().to_json()[:4000]
    choose = random.Random(1)
    read = 0
    for _ in range(3000):
        at, size = choose.randrange(len(text)), choose.randrange(4)
        new = "".join(choose.choices('{}[]",:\\0-9etn x', k=choose.randrange(4)))
        try:
            make(mptcp.Snapshot, text[:at] + new + text[at + size :])
            read += 1
        except ValueError:
            pass
    assert read < 3000


def test_descriptions() -> None:
    """Only slots can be filled."""

    class Loose:
        value = 5

    with pytest.raises(TypeError, match="Loose.value is no slot"):
        _mptcp.describe(Loose, (("value", "value", None),))
    with pytest.raises(AttributeError):
        _mptcp.describe(Inner, (("value", "value", None),))
    with pytest.raises(ValueError, match="Capsule"):
        _mptcp.read(Inner, "{}")


def test_same_as_before() -> None:
    """A snapshot comes out the same by both ways."""
    text = _mptcp.snapshot(None)
    assert make(mptcp.Snapshot, text) == make(mptcp.Snapshot, json.loads(text))
