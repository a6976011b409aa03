#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What texts call things where the program is installed beside nvme-cli, as nvme-mptcp.

Called with a text on standard input, it prints the same text with the names of that layout:

    nvme connect          nvme-mptcp connect
    nvme mptcp check      nvme-mptcp check, since the name need not be typed twice
    nvme-connect(1)       nvme-mptcp-connect(1)
    nvmf-connect@         nvme-mptcp-connect@
    .../doc/nvme/         .../doc/nvme-mptcp/
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PROGRAM = "nvme-mptcp"
PLUGIN = "mptcp"

#: A page for each command is where all their names are without a build.
PAGES = Path(__file__).resolve().parents[1] / "doc/man"


def command_words() -> str:
    """A pattern of the words that follow the program's name: commands, plugins, placeholders."""
    names = {path.stem.removeprefix("nvme-") for path in PAGES.glob("nvme-*.scd")}
    ordered = sorted(names | {"id-ctr"}, key=len, reverse=True)
    return "|".join([*map(re.escape, ordered), "_COMMAND_", "<command>"])


def page(name: str) -> str:
    """The manual page of that name: nvme-connect is nvme-mptcp-connect."""
    if name.startswith(f"nvme-{PLUGIN}-"):
        return name
    return re.sub("^nvme", PROGRAM, name)


def beside(text: str) -> str:
    """The text as it is installed beside nvme-cli."""
    name = r"(?<![\w/.-])nvme"
    text = re.sub(rf"{name}\s+{PLUGIN}(?![\w-])", PROGRAM, text)
    command = rf"{name}(?=\s+(?:{command_words()})(?![\w-]))(?! version \d)"
    text = re.sub(command, PROGRAM, text)
    text = re.sub(r"\*(nvme[\w-]*)\*\(1\)", lambda m: f"*{page(m[1])}*(1)", text)
    text = re.sub(r"\*nvme\*(?!\()", f"*{PROGRAM}*", text)
    text = re.sub(r"\bnvmf-(?=autoconnect|connect)", f"{PROGRAM}-", text)
    return text.replace("/doc/nvme/", f"/doc/{PROGRAM}/")


def completion(text: str) -> str:
    """A completion whose functions do not meet those of nvme-cli's in one shell."""
    text = re.sub(r"\b_nvme", "_nvmemptcp", beside(text))
    return re.sub(r"(?m)^(#compdef|complete -F \w+) nvme$", rf"\1 {PROGRAM}", text)


if __name__ == "__main__":
    sys.stdout.write(beside(sys.stdin.read()))
