#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The interface of <nvme/mptcp.h> as lines, and the record of it in test/data/abi/mptcp.txt.

A line is a function, a type, a macro, or one member of a structure or enumeration with its place:
what grows at its end adds lines, and whatever else changes takes some away. The record has the
statements of the headers, with long types wrapped. Run as a program, this writes it.
"""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "src/mptcp/include/nvme"
RECORD = ROOT / "test/data/abi/mptcp.txt"


def statements(text: str) -> list[str]:
    """Return what stands outside of comments and conditions: macros, and what a semicolon ends."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^#ifdef __cplusplus$.*?^#endif$", "", text, flags=re.S | re.M)
    text = text.replace("\\\n", " ")
    macros = re.findall(r"^#define \w+(?:\(.*?\))? .+$", text, re.M)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    found, begin, depth = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == ";" and not depth:
            found.append(text[begin:at])
            begin = at + 1
    return [" ".join(statement.split()) for statement in macros + found]


def lines_of(statement: str) -> list[str]:
    body = re.fullmatch(r"((?:struct|enum) \w+) \{(.*)\}", statement)
    if not body:
        return [statement]
    name, inside = body.groups()
    parts = re.split("[,;]" if name.startswith("enum") else ";", inside)
    members = [part.strip() for part in parts if part.strip()]
    return [f"{name} {place} {member}" for place, member in enumerate(members)]


def declared() -> list[str]:
    """Return the statements of the headers."""
    headers = [HEADERS / "mptcp.h", *sorted((HEADERS / "mptcp").glob("*.h"))]
    return [one for header in headers for one in statements(header.read_text(encoding="utf-8"))]


def lines() -> list[str]:
    """Return the interface as the headers have it."""
    return [line for statement in declared() for line in lines_of(statement)]


def recorded() -> list[str]:
    """Return the interface as it was when the record was written."""
    text = RECORD.read_text(encoding="utf-8").replace("\n\t", " ")
    return [line for statement in text.splitlines() for line in lines_of(statement)]


def is_frozen(meson: str) -> bool:
    """Does the version of meson.build hold the interface?"""
    numbers = re.search(
        r"^  version: '([\d.]+)',$.*^mptcp_frozen_from = '([\d.]+)'$", meson, re.M | re.S
    )
    assert numbers, "meson.build: no version, or no mptcp_frozen_from"
    version, frozen_from = (tuple(map(int, text.split("."))) for text in numbers.groups())
    return version >= frozen_from


if __name__ == "__main__":
    fill = textwrap.TextWrapper(92, subsequent_indent="\t", break_on_hyphens=False).fill
    record = (fill(one) if "{" in one else one for one in declared())
    RECORD.write_text("\n".join(record) + "\n", encoding="utf-8")
