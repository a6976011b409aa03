# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command table: as the build dumped it, and as test/data/nvme-options.txt wants it."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conftest import BUILD, TOP

LIST = TOP / "test/data/nvme-options.txt"


@dataclass(frozen=True)
class Option:
    """What scripts rely on."""

    letter: str | None
    type: str
    default: str | int | None


@dataclass
class Command:
    """One command."""

    options: dict[str, Option] = field(default_factory=dict)
    formats: list[str] = field(default_factory=list)


def dump() -> dict[str, Any]:
    """What the build wrote."""
    document: dict[str, Any] = json.loads((BUILD / "nvme-cli/commands.json").read_text())
    return document


def builtin() -> dict[str, dict[str, Any]]:
    """The commands that belong to no plugin, by name."""
    return {c["name"]: c for group in dump()["groups"] for c in group["commands"]}


def of_plugins() -> dict[str, dict[str, Any]]:
    """The others, as in "mptcp check"."""
    return {f"{p['name']} {c['name']}": c for p in dump()["plugins"] for c in p["commands"]}


def actual() -> dict[str, Command]:
    """The built-in commands of the program."""
    return {
        name: Command(
            {
                option["name"]: Option(option["letter"], option["type"], option["default"])
                for option in command["options"]
            },
            command["formats"],
        )
        for name, command in builtin().items()
    }


def default_value(word: str, kind: str) -> str | int | None:
    """A default as the list spells it."""
    if word == "-":
        return None
    return word if kind == "string" else int(word, 0)


def expected(path: Path = LIST) -> dict[str, Command]:
    """The built-in commands of the list."""
    blocks: dict[str, dict[str, Option]] = {}
    commands: dict[str, Command] = {}
    options: dict[str, Option] = {}
    command = Command()
    text = re.sub(r"#.*", "", path.read_text())
    for line in re.split("[;\n]", text):
        words = line.split()
        if not words:
            continue
        if words[0] == "block":
            options = blocks[words[1]] = {}
        elif words[0] == "command":
            options = {name: o for block in words[2:] for name, o in blocks[block].items()}
            command = commands[words[1]] = Command(options)
        elif words[0] == "formats":
            command.formats = words[1:]
        else:
            name, letter, kind, default = words
            option = Option(None if letter == "-" else letter, kind, default_value(default, kind))
            options[name.lstrip("+~")] = option
    return commands
