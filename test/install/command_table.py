# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program's table of commands, as manual pages and completion are made from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[2]


@dataclass
class CommandTable:
    """Commands by the name of their page without "nvme-": connect, mptcp-check."""

    commands: dict[str, dict[str, Any]]
    plugins: list[str]
    transports: list[str]

    @classmethod
    def load(cls, path: Path) -> CommandTable:
        """Read what the build dumped."""
        dump = json.loads(path.read_text(encoding="utf-8"))
        commands = {c["name"]: c for group in dump["groups"] for c in group["commands"]}
        for plugin in dump["plugins"]:
            commands |= {f"{plugin['name']}-{c['name']}": c for c in plugin["commands"]}
        plugins = [plugin["name"] for plugin in dump["plugins"]]
        return cls(commands, plugins, dump["transports"].split(", "))

    def pages(self) -> set[str]:
        names = [*self.plugins, *self.commands]
        return {"nvme", *(f"nvme-{name}" for name in names)}

    def complaints(self, words: list[str]) -> list[str]:
        """What is wrong with a command line that starts with nvme; it is written for people."""
        name, rest = words[1], words[2:]
        if name in self.plugins:
            name, rest = f"{name}-{rest[0]}", rest[1:]
        command = self.commands.get(name)
        if not command:
            return [f"no command {name}"]
        takes = {}
        for option in command["options"]:
            flag = option["type"] in ("flag", "count")
            value = not flag and option["bare"] is None
            takes[f"--{option['name']}"] = value
            if option["letter"]:
                takes[f"-{option['letter']}"] = value
        found = []
        operands = []
        while rest:
            word = rest.pop(0)
            option_name = word.split("=")[0]
            if not word.startswith("-"):
                operands.append(word)
            elif option_name not in takes:
                found.append(f"nvme {name} has no option {option_name}")
            elif takes[option_name] and "=" not in word:
                if not rest:
                    found.append(f"{option_name} needs a value")
                    continue
                rest.pop(0)
        if operands and not command["operands"]:
            found.append(f"nvme {name} takes no operands: {operands}")
        return found
