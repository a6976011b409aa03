# SPDX-License-Identifier: GPL-2.0-or-later
"""What two programs printed and did for the same command line, and where that differs."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

#: Of program.py's sets of data, those with what no specification allows.
HOSTILE = ("ones", "random")

#: Features with data of a length that libnvme 1.13 does not know: the controller has none of them.
LONGER = (0x1C, 0x21)


@dataclass(frozen=True)
class Run:
    """What a run left behind."""

    status: int
    out: bytes
    err: bytes
    written: list[str]

    @property
    def lines(self) -> list[str]:
        """The text, blanks between words as one: columns are a matter of taste."""
        text = self.out.decode(errors="backslashreplace")
        return [" ".join(line.split()) for line in text.splitlines() if line.strip()]

    @property
    def document(self) -> Any:
        """The JSON; bytes that are no UTF-8 are kept as surrogates."""
        return json.loads(self.out.decode(errors="surrogateescape"), strict=False)

    @property
    def is_document(self) -> bool:
        """Is it JSON, and one document of it?"""
        try:
            return self.document is not None
        except json.JSONDecodeError:
            return False


@dataclass(frozen=True)
class Case:
    """A command line on a machine."""

    command: str
    args: tuple[str, ...]
    data: str
    prepare: Callable[[Any], None] = field(compare=False)

    @property
    def is_json(self) -> bool:
        return "json" in self.args

    def __str__(self) -> str:
        return " ".join(("nvme", self.command, *self.args, f"({self.data})"))


@dataclass(frozen=True)
class Difference:
    """One thing that differs: a line, or a place of a document, as in "lbafs[].rp"."""

    kind: str  # status, sent, line, document, missing, extra, type, value, length
    place: str  # the field, which is the same for all elements of a list
    ours: Any = None
    theirs: Any = None


def _field(key: str) -> str:
    """A key without the number of its element, or the address of a buffer of the original."""
    return re.sub(r"(?<=[a-z]) \d+$", "[]", key.partition(" buf=")[0])


def in_documents(place: str, a: Any, b: Any) -> Iterator[Difference]:
    """Where two documents differ, key by key, types included."""
    if type(a) is not type(b):
        yield Difference("type", place, a, b)
    elif isinstance(a, dict):
        for key in a.keys() | b.keys():
            below = f"{place}.{_field(key)}".removeprefix(".")
            if key not in a:
                yield Difference("missing", below, None, b[key])
            elif key not in b:
                yield Difference("extra", below, a[key], None)
            else:
                yield from in_documents(below, a[key], b[key])
        common = [key for key in a if key in b]
        if common != [key for key in b if key in a]:
            yield Difference("order", place, common, list(b))
    elif isinstance(a, list):
        if len(a) != len(b):
            yield Difference("length", f"{place}[]", len(a), len(b))
        for x, y in zip(a, b, strict=False):
            yield from in_documents(f"{place}[]", x, y)
    elif a != b:
        yield Difference("value", place, a, b)


def line_place(line: str) -> str:
    """What a line is about: all but its values, and the number of its element.

    That stands before its colon or first digit; of explained bits it is all but their digits.
    """
    if bits := re.match(r"(\[\d+:\d+\]) ?: \S+ (.*)", line):
        return " ".join(bits.groups())
    if re.fullmatch(r"[- ]+", line):
        return "---"
    if line.startswith("Node "):
        return "Node"
    if device := re.match(r"(/dev/)?nvme\d", line):
        return f"{device[1] or ''}nvme[]"
    label, colon, _ = line.partition(":")
    if not colon:
        return re.split(r"\d", label)[0].strip()
    return re.sub(r" *\[ ?\d+\]$| +\d+$", "[]", label.strip())


def in_lines(a: list[str], b: list[str]) -> Iterator[Difference]:
    """Where two texts differ, line by line."""
    from difflib import SequenceMatcher

    for what, i, j, k, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if what == "equal":
            continue
        for number in range(max(j - i, n - k)):
            one = a[i + number] if i + number < j else None
            other = b[k + number] if k + number < n else None
            place = line_place(other if other is not None else one or "")
            yield Difference("line", place, one, other)


def in_json(one: Run, other: Run) -> Iterator[Difference]:
    """Where two outputs of JSON differ; the original's may be no document at all."""
    if other.is_document:
        yield from in_documents("", one.document, other.document)
    else:
        yield Difference("document", "", one.document, other.out)


def compare(case: Case, one: Run, other: Run) -> Iterator[Difference]:
    """All that differs between our run and the original's."""
    if one.status != other.status:
        yield Difference("status", "", one.status, other.status)
    if one.written != other.written:
        yield Difference("sent", "", one.written, other.written)
    if one.status or other.status:
        return
    if case.is_json:
        yield from in_json(one, other)
    elif "binary" in case.args or "-b" in case.args:
        if one.out != other.out:
            yield Difference("bytes", "", one.out[:64], other.out[:64])
    else:
        yield from in_lines(one.lines, other.lines)
