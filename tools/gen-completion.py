#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make shell completion from the command table: fill the tables of a template."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import naming

Table = dict[str, Any]

# What an option's value is, by the option's name and otherwise by what its help calls the value.
KINDS_BY_NAME = {
    "dev": "link,",
    "host-iface": "link",
    "iopolicy": "=numa,round-robin,queue-depth",
    "mode": "=steer,address",
    "netns": "netns",
    "nqn": "nqn",
    "ranking": "=namespace,ctrl,multipath",
    "role": "=host,target",
    "subsysnqn": "nqn",
    "task": "=register,deregister",
}
KINDS_BY_META = {"DEV": "controller", "DEVICE": "controller", "FILE": "file", "LINK": "link"}
ZSH_ACTIONS = {
    "command": "_nvme_commands",
    "controller": "_nvme_controllers",
    "controller,": "_nvme_controller_list",
    "device": "_nvme_devices",
    "file": "_files",
    "link": "_nvme_links",
    "link,": "_nvme_link_list",
    "netns": "_nvme_netns",
    "nqn": "_nvme_nqns",
    "nqn,": "_nvme_nqn_list",
    "-": " ",
}


class Completion:
    """The command table, as completion sees it."""

    def __init__(self, table: Table) -> None:
        self.transports = table["transports"].replace(" ", "")
        self.builtin = [command for group in table["groups"] for command in group["commands"]]
        self.plugins = table["plugins"]

    def all_commands(self) -> list[tuple[str, Table, bool]]:
        """Each command as a page or shell names it, and whether it is a plugin's."""
        # A program may have the commands of its plugin without the plugin's name, too.
        shared = [command for plugin in self.plugins for command in plugin["commands"]]
        commands = [(command["name"], command, command in shared) for command in self.builtin]
        for plugin in self.plugins:
            prefix = plugin["name"]
            commands += [(f"{prefix}-{c['name']}", c, True) for c in plugin["commands"]]
        return commands

    def kind(self, option: Table, command: Table) -> str:
        """What an option's value is; "" if it takes none."""
        if option["type"] in ("flag", "count"):
            return ""
        meta = option["meta"] or ""
        if option["name"] == "transport":
            return f"={self.transports}"
        if option["name"] == "output-format":
            return "=" + ",".join(command["formats"])
        if "|" in meta:
            return "=" + meta.replace("|", ",")
        kind = KINDS_BY_META.get(meta.split("[")[0], "-")
        kind = KINDS_BY_NAME.get(option["name"], kind)
        if option["name"] == "role" and "auto" in option["help"]:
            kind += ",auto"
        return f"{kind}," if "," in meta and kind != "-" and not kind.endswith(",") else kind

    @staticmethod
    def operand_kind(command: Table, is_plugin: bool) -> str:
        """What follows the options; "" if nothing does."""
        operands = command["operands"] or ""
        if "DEV" in operands or "/dev/" in operands:
            return "controller" if is_plugin and operands != "DEVICE" else "device"
        if "COMMAND" in operands:
            return "command"
        return "file" if "FILE" in operands else ""


def names(commands: list[Table]) -> str:
    """The names of commands, for a shell."""
    return " ".join(command["name"] for command in commands)


def bash_option(option: Table, kind: str) -> str:
    """long/letter/kind, see the template."""
    may = "?" if option["bare"] is not None else ""
    return f"{option['name']}/{option['letter'] or ''}/{may}{kind}"


def bash_tables(completion: Completion) -> dict[str, str]:
    """What the template for bash has holes for."""
    options = []
    operands = []
    for name, command, is_plugin in completion.all_commands():
        entries = " ".join(bash_option(o, completion.kind(o, command)) for o in command["options"])
        options.append(f'\t{name}) echo "{entries}" ;;')
        kind = completion.operand_kind(command, is_plugin)
        if kind:
            operands.append(f"\t{name}) echo {kind} ;;")
    return {
        "commands": names(completion.builtin),
        "plugins": names(completion.plugins),
        "plugin_commands": "\n".join(
            f'\t{p["name"]}) echo "{names(p["commands"])}" ;;' for p in completion.plugins
        ),
        "options": "\n".join(options),
        "operands": "\n".join(operands),
    }


def quote(text: str) -> str:
    """One word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_described(commands: list[Table], indent: str) -> str:
    """Lines of 'name:description'."""
    return "\n".join(
        indent + quote(f"{command['name']}:{command['summary']}") for command in commands
    )


def zsh_action(kind: str) -> str:
    """How _arguments completes a kind of value."""
    if kind.startswith("="):
        return "(" + kind[1:].replace(",", " ") + ")"
    return ZSH_ACTIONS[kind]


def zsh_option(option: Table, kind: str) -> list[str]:
    """The specifications of an option: one for its name and one for its letter."""
    spec = re.sub(r"([\[\]:\\])", r"\\\1", option["help"])
    repeated = option["type"] == "count"
    value = ""
    if kind:
        meta = (option["meta"] or "value").replace(":", " ")
        value = f":{'' if option['bare'] is None else ':'}{meta}:{zsh_action(kind)}"
    both = [f"--{option['name']}"] + ([f"-{option['letter']}"] if option["letter"] else [])
    specs = []
    for name in both:
        exclusion = "*" if repeated else f"({' '.join(both)})"
        sign = ""
        if kind:
            sign = "=" if name.startswith("--") else "+"
            if option["bare"] is not None:
                sign = "=-" if sign == "=" else "-"
        specs.append(quote(f"{exclusion}{name}{sign}[{spec}]{value}"))
    return specs


def zsh_tables(completion: Completion) -> dict[str, str]:
    """What the template for zsh has holes for."""
    arguments = []
    for name, command, is_plugin in completion.all_commands():
        specs = [quote("(- *)--help[show the options]")]
        for option in command["options"]:
            specs += zsh_option(option, completion.kind(option, command))
        kind = completion.operand_kind(command, is_plugin)
        if kind:
            many = "*" if "..." in command["operands"] else "1"
            specs.append(quote(f"{many}:{kind}:{zsh_action(kind)}"))
            if kind == "command":
                specs.append(quote("2:command:_nvme_second_word"))
        lines = " \\\n\t\t\t".join(specs)
        arguments.append(f"\t({name})\n\t\t_arguments \\\n\t\t\t{lines}\n\t\t;;")
    functions = []
    plugins = []
    for plugin in completion.plugins:
        function = f"_nvme_{plugin['name'].replace('-', '_')}"
        functions.append(
            f"{function}_commands()\n{{\n\tlocal -a commands\n\tcommands=(\n"
            f"{zsh_described(plugin['commands'], chr(9) * 2)}\n\t)\n"
            f"\t_describe -t commands 'nvme {plugin['name']} command' commands\n}}"
        )
        plugins.append(
            f"\t({plugin['name']})\n"
            f"\t\t_arguments -C '1:command:{function}_commands' '*::argument:->argument' &&\n"
            f"\t\t\treturn\n"
            f"\t\t_nvme_arguments {plugin['name']}-$words[1]\n\t\t;;"
        )
    return {
        "commands": zsh_described(completion.builtin + completion.plugins, "\t\t"),
        "plugin_functions": "\n\n".join(functions),
        "arguments": "\n".join(arguments),
        "plugins": "\n".join(plugins),
    }


def main() -> int:
    """Fill one template."""
    parser = argparse.ArgumentParser(description="Make shell completion from the command table.")
    parser.add_argument("--table", type=Path, required=True, help="JSON dump of the command table")
    parser.add_argument("shell", choices=["bash", "zsh"])
    parser.add_argument("template", type=Path)
    parser.add_argument("--beside", action="store_true", help="installed beside nvme-cli")
    args = parser.parse_args()
    completion = Completion(json.loads(args.table.read_text(encoding="utf-8")))
    tables = bash_tables(completion) if args.shell == "bash" else zsh_tables(completion)
    text = args.template.read_text(encoding="utf-8")
    text = re.sub(r"@(\w+)@", lambda match: tables[match[1]], text)
    sys.stdout.write(naming.completion(text) if args.beside else text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
