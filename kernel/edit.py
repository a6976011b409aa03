#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Add the transport mptcp to the nvme drivers of a kernel's source.

    edit.py DIRECTORY SERIES              apply all edits to DIRECTORY/drivers/nvme
    edit.py DIRECTORY SERIES PATCH        apply only those of this and earlier patches
    edit.py --patches                     print the numbers of the patches
    edit.py --message PATCH               print what one is about

The list of edits is the file `edits`; the files that it adds are in `common` and SERIES. An anchor
that is not found exactly once is an error that names the edit. In that case no file is changed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: What is done at the anchor: its lines or it alone are replaced, lines come before or after its
#: lines, or lines come around them, which are indented where the text has `@@`.
PLACES = ("@replace", "@word", "@before", "@after", "@wrap")


class EditError(Exception):
    """The list has a mistake, or does not fit the drivers."""


@dataclass
class Step:
    """One entry of the list: a file to add or to copy, or an edit of a file."""

    kind: str
    words: str
    line: int
    patch: str
    series: str = ""
    unless: str = ""
    place: str = ""
    function: str = ""
    find: list[str] = field(default_factory=list)
    to: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)


@dataclass
class Patch:
    """A part of the list, reviewed as one patch."""

    number: str
    title: str
    text: list[str] = field(default_factory=list)


def read(path: Path) -> tuple[list[Patch], list[Step]]:
    """Read the list of edits."""
    patches: list[Patch] = []
    steps: list[Step] = []
    into: list[str] = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        command, _, words = line.partition(" ")
        if command in ("@patch", "@add", "@copy", "@edit"):
            if command == "@patch":
                name, _, title = words.partition(" ")
                patches.append(Patch(name, title))
                into = patches[-1].text
            else:
                steps.append(Step(command, words, number, patches[-1].number))
                into = []
        elif command in ("@for", "@unless", "@function"):
            setattr(steps[-1], {"@for": "series"}.get(command, command[1:]), words)
        elif command in ("@find", "@to"):
            into = steps[-1].find if command == "@find" else steps[-1].to
        elif command in PLACES:
            steps[-1].place = command
            into = steps[-1].text
        elif command[:1] == "@" and command[1:].isalpha():
            raise EditError(f"{path.name}:{number}: {command} is no command of the list")
        elif not line.startswith("@#"):
            into.append(line)
    return patches, steps


def pattern(lines: list[str]) -> re.Pattern[str]:
    """Compile an anchor: white space matches any, and `...` what has none of `;{}`."""
    words = " ".join(lines).split()
    parts = [r"[^;{}]*?".join(map(re.escape, word.split("..."))) for word in words]
    return re.compile(r"\s+".join(parts))


def once(text: str, lines: list[str], where: str) -> tuple[int, int]:
    """Return where the only match of an anchor begins and ends."""
    found = [match.span() for match in pattern(lines).finditer(text)]
    if len(found) != 1:
        anchor = " ".join(" ".join(lines).split())
        times = "not found" if not found else f"found {len(found)} times, not once"
        raise EditError(f"{where}: anchor {times}: {anchor}")
    return found[0]


def body(text: str, name: str, where: str) -> tuple[int, int]:
    """Return where the definition of a function begins and ends."""
    heads = list(
        re.finditer(rf"^[a-z][^;{{}}()]*\b{re.escape(name)}\([^;{{}}]*\)\n{{\n", text, re.M)
    )
    if len(heads) != 1:
        times = "not found" if not heads else f"found {len(heads)} times, not once"
        raise EditError(f"{where}: function {times}: {name}()")
    return heads[0].start(), text.index("\n}\n", heads[0].end() - 1) + 2


def indented(text: str) -> str:
    """Indent lines by a tab."""
    return re.sub(r"^(?=[^\n#])", "\t", text, flags=re.M)


def edited(text: str, step: Step, where: str) -> str:
    """Return the text of a file after one edit."""
    if step.function:
        start, end = body(text, step.function, where)
    else:
        start, end = once(text, step.find, where)
        if step.to:
            _, end = once(text, step.to, where)
            if end < start:
                raise EditError(f"{where}: the anchors are in the wrong order")
    new = "\n".join(step.text)
    if step.place == "@word":
        return text[:start] + new + text[end:]
    start = text.rfind("\n", 0, start) + 1
    end = text.index("\n", end - 1)
    old = text[start:end]
    if step.place == "@before":
        new = f"{new}\n{old}"
    elif step.place == "@after":
        new = f"{old}\n{new}"
    elif step.place == "@wrap":
        new = re.sub(r"^@@$", lambda _: indented(old), new, flags=re.M)
    return text[:start] + new + text[end:]


def apply(drivers: Path, series: str, steps: Iterable[Step]) -> dict[str, str]:
    """Return the new texts of the files that change, by name."""
    files: dict[str, str] = {}

    def text_of(name: str, where: str) -> str:
        if name not in files:
            path = drivers / name
            if not path.is_file():
                raise EditError(f"{where}: {path}: no such file")
            files[name] = path.read_text()
        return files[name]

    for step in steps:
        name, _, what = step.words.partition(" ")
        where = f"edits:{step.line}: {step.words}"
        if step.series and series not in step.series.split():
            continue
        if step.kind == "@add":
            places = [HERE / directory / name for directory in (series, "common")]
            found = next((place for place in places if place.is_file()), None)
            if not found:
                raise EditError(f"{where}: neither {places[0]} nor {places[1]}")
            files[name] = found.read_text()
        elif step.kind == "@copy":
            files[what] = text_of(name, where)
        elif not step.unless or step.unless not in text_of(name, where):
            files[name] = edited(text_of(name, where), step, where)
    return files


def chosen(steps: Iterable[Step], last: str) -> Iterator[Step]:
    """Yield the steps of the patches up to one."""
    return (step for step in steps if not last or step.patch <= last)


def main(*arguments: str) -> int:
    """Do what the arguments say."""
    try:
        patches, steps = read(HERE / "edits")
        if arguments[:1] in (("--patches",), ("--message",)):
            for patch in patches:
                if len(arguments) == 1:
                    print(patch.number)
                elif patch.number == arguments[1]:
                    print(patch.title, "", *patch.text, sep="\n")
            return 0
        if len(arguments) not in (2, 3):
            raise EditError("usage: edit.py DIRECTORY SERIES [PATCH]")
        directory, series, last = (*arguments, "")[:3]
        drivers = Path(directory) / "drivers/nvme"
        for name, text in apply(drivers, series, chosen(steps, last)).items():
            (drivers / name).write_text(text)
    except (EditError, OSError) as error:
        print(f"nvme-mptcp-dkms: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
