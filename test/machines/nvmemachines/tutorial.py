# SPDX-License-Identifier: GPL-2.0-or-later
"""Parse a tutorial as a script: commands and their output, in order.

A line of code that begins with a machine's name and "# " is a command. Lines that begin with "> "
continue it, and the lines after that are its output:

    host# nvme-mptcp list                   the whole output is shown
    target# apt install …                   no lines below: the output is not shown
    host# systemctl status nvme-mptcp       "…" below: as many of the last lines as follow; "…"
                                            alone: all of them, from the next run on
    both# systemctl reboot                  on both machines at once; the host's output is shown
    host# nvme-mptcp check                  any exit status is accepted: it is the result
    debian-12# apt-get install …            on both machines, if they run that release

Manual actions are comments: <!-- cable 2 out -->, <!-- cable 2 in -->, <!-- wait 10 -->.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

PROMPT = re.compile(r"    (host|target|both|debian-\d+)# (.+)")
MORE = re.compile(r"    > (.*)")
OUTPUT = re.compile(r"    (.*)")
DEED = re.compile(r"<!-- (cable|wait) (\d+)(?: (in|out))? -->")
HEADING = re.compile(r"## (.+)")
ELISION = "…"


@dataclass
class Command:
    """A command, the position of its output in the document, and that output."""

    machine: str
    text: str
    begin: int
    shown: list[str] = field(default_factory=list)

    def excerpt(self, printed: str) -> list[str]:
        """Return the part of a new output that replaces the old one."""
        lines = printed.split("\n") if printed else []
        if not self.shown:
            return []
        if self.shown[0] == ELISION and self.shown != [ELISION]:
            return [ELISION, *lines[-max(len(self.shown) - 1, 1) :]]
        return lines


@dataclass(frozen=True)
class Deed:
    """A manual action: pull or plug in a cable, or wait for some seconds."""

    kind: str
    number: int
    there: bool


@dataclass(frozen=True)
class Heading:
    """The heading of a part of the document."""

    text: str


Item = Command | Deed | Heading


def read(text: str) -> list[Item]:
    """Return headings, commands and actions in order."""
    return list(_items(text.split("\n")))


def parts(text: str) -> dict[str, list[Command | Deed]]:
    """Return the commands and actions below each heading that has some."""
    below: list[Command | Deed] = []
    found: dict[str, list[Command | Deed]] = {}
    for item in read(text):
        if isinstance(item, Heading):
            below = found[item.text] = []
        else:
            below.append(item)
    return {heading: items for heading, items in found.items() if items}


def _items(lines: list[str]) -> Iterator[Item]:
    command: Command | None = None
    for number, line in enumerate(lines):
        found = PROMPT.fullmatch(line)
        if found:
            if command:
                yield _trimmed(command)
            command = Command(found[1], found[2], number + 1)
        elif command and (more := MORE.fullmatch(line)) and not command.shown:
            command.text += f"\n{more[1]}"
            command.begin = number + 1
        elif command and (output := OUTPUT.fullmatch(line)):
            command.shown.append(output[1])
        elif command and not line:
            command.shown.append("")
        else:
            if command:
                yield _trimmed(command)
                command = None
            if heading := HEADING.fullmatch(line):
                yield Heading(heading[1])
            if deed := DEED.fullmatch(line):
                yield Deed(deed[1], int(deed[2]), deed[3] == "in")
    if command:
        yield _trimmed(command)


def _trimmed(command: Command) -> Command:
    """Remove empty lines at the end of the shown output."""
    while command.shown and not command.shown[-1]:
        command.shown.pop()
    return command


def renew(text: str, printed: Mapping[str, Sequence[str]]) -> str:
    """Return the document with the new output of each command, at each of its occurrences."""
    lines = text.split("\n")
    left = {command: iter(outputs) for command, outputs in printed.items()}
    commands = [item for item in read(text) if isinstance(item, Command)]
    outputs = [next(left.get(command.text, iter(())), None) for command in commands]
    for command, output in reversed(list(zip(commands, outputs, strict=True))):
        if output is not None:
            lines[command.begin : command.begin + len(command.shown)] = [
                f"    {line}".rstrip() for line in command.excerpt(output)
            ]
    return "\n".join(lines)
