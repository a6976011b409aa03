#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make manual pages from the command table and hand-written prose.

A page's source is doc/man/PAGE.scd in scdoc(5)'s markup: its sections from DESCRIPTION on, which
has no heading. A block at the end of a description is EXAMPLES, and a line "; see nvme ss(8)" at
the top is SEE ALSO. NAME, SYNOPSIS and the list of options come from the table, so they say what
the program does. A section OPTIONS of the source does not replace the list; it adds to single
options:

        *--nr-io-queues*
                Each queue is one connection.

Such additions are read from options-generic.scd as well, or from each FILE that the source has a
line "; include FILE" for at its top; those that name an option which the command does not have are
left out, whereas in the source itself they are an error.
"; alone FILE" at the top adds the sections of FILE, SYNOPSIS too, to those of the source where the
plugin is a program of its own as well: not with --beside.
A line of its own that reads "@commands@" becomes the list of commands, in nvme(1), or of the
plugin's, in its page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import naming

SECTIONS = (
    "DESCRIPTION", "OPTIONS", "COMMANDS", "OUTPUT", "MESSAGES", "EXIT STATUS", "ENVIRONMENT",
    "FILES", "NOTES", "EXAMPLES", "SEE ALSO",
)  # fmt: skip
EXIT_STATUS = "0 on success, 1 after any failure; a message on standard error names the cause."
Table = dict[str, Any]


class PageError(Exception):
    """A source that contradicts itself or the command table."""


@dataclass
class Page:
    """What a manual page is about: the program, a plugin or a command."""

    name: str
    summary: str
    usage: str
    command: Table | None = None
    listed: list[tuple[str, list[tuple[str, str]]]] = field(default_factory=list)


def escape(text: str) -> str:
    """Text as scdoc shows it unchanged."""
    return re.sub(r"[\\*_]|^[^\w]", r"\\\g<0>", text)


def page_name(*words: str) -> str:
    """The page of a command: nvme-connect, nvme-mptcp-check."""
    return "-".join(("nvme", *words))


def commands_of(table: Table) -> list[Table]:
    """The built-in commands in the order of the general help."""
    return [command for group in table["groups"] for command in group["commands"]]


def links(prefix: tuple[str, ...], commands: list[Table]) -> list[tuple[str, str]]:
    """Page and summary of each command."""
    return [(page_name(*prefix, c["name"]), c["summary"]) for c in commands]


def command_page(prefix: tuple[str, ...], command: Table) -> Page:
    """The page of one command."""
    words = (*prefix, command["name"])
    usage = f"*nvme {escape(' '.join(words))}*"
    if command["operands"]:
        usage += " " + re.sub(r"[\w/]+", lambda m: f"_{escape(str(m[0]))}_", command["operands"])
    if command["options"]:
        usage += " [_OPTION_...]"
    return Page(page_name(*words), command["summary"], usage, command)


def all_pages(table: Table) -> dict[str, Page]:
    """Every page that there has to be."""
    top = Page(
        "nvme",
        "manage NVMe devices and NVMe over Fabrics connections",
        "*nvme* _COMMAND_ [_OPTION_...]",
    )
    top.listed = [(g["title"], links((), g["commands"])) for g in table["groups"]]
    top.listed.append(("Plugins", [(page_name(p["name"]), p["summary"]) for p in table["plugins"]]))
    pages = [top, *(command_page((), command) for command in commands_of(table))]
    for plugin in table["plugins"]:
        prefix = (plugin["name"],)
        page = Page(
            page_name(*prefix), plugin["summary"], f"*nvme {prefix[0]}* _COMMAND_ [_OPTION_...]"
        )
        page.listed = [("", links(prefix, plugin["commands"]))]
        pages += [page, *(command_page(prefix, command) for command in plugin["commands"])]
    return {page.name: page for page in pages}


def reference(page: str) -> str:
    """A page as others refer to it: nvme, ss(8)."""
    name, bracket, number = page.partition("(")
    return f"*{name}*{bracket or '('}{number or '1)'}"


def read_sections(source: Path) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The files that a source names, by what they are to it, and its sections by title."""
    named: dict[str, list[str]] = {"include": [], "alone": [], "see": []}
    title = "DESCRIPTION"
    sections = {title: ""}
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("; "):
            word, _, name = line.removeprefix("; ").partition(" ")
            if word in named:
                named[word].append(name)
        elif line.startswith("# "):
            title = line.removeprefix("# ")
            if title not in (*SECTIONS, "SYNOPSIS") or sections.get(title):
                raise PageError(f"{source}: section '{title}' is unknown or there twice")
            sections[title] = ""
        elif line or sections[title]:
            sections[title] += line + "\n"
    description, *example = re.split(
        r"^(?=```\n(?:.+\n)+```\n\Z)", sections[title], flags=re.MULTILINE
    )
    if title == "DESCRIPTION" and example:
        sections |= {title: description, "EXAMPLES": example[0]}
    for pages in named["see"]:
        sections["SEE ALSO"] = ", ".join(map(reference, pages.split()))
    return named, {title: text.strip("\n") for title, text in sections.items() if text.strip()}


def read_notes(text: str, source: Path) -> dict[str, str]:
    """Additions to options: "*--name*" and indented lines below it."""
    notes: dict[str, str] = {}
    name = None
    for line in text.splitlines():
        head = re.fullmatch(r"\*--([\w-]+)\*", line)
        if head:
            name = head[1]
            notes[name] = ""
        elif name and (not line or line.startswith("\t")):
            notes[name] += line + "\n"
        else:
            raise PageError(f"{source}: not an addition to an option: {line}")
    return {name: text.strip("\n") for name, text in notes.items()}


def sentence(text: str) -> str:
    """Capital first letter, unless a list of words stands there, and a full stop at the end."""
    first = text.split()[0]
    start = text[0] if first.endswith((",", ":")) else text[0].upper()
    return start + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def enumerate_words(words: list[str]) -> str:
    """a, b or c."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def default_text(option: Table) -> str:
    """The default where it says something: 0 and -1 leave a matter to kernel or controller."""
    value = option["default"]
    if value is None or (not isinstance(value, str) and value <= 0):
        return ""
    text = f"{value:#x}" if isinstance(value, int) and value > 0xFFFFF else str(value)
    return f" Default: {escape(text)}."


def option_entry(option: Table, formats: list[str], note: str | None) -> str:
    """One entry of the list of options."""
    names = [f"*-{option['letter']}*"] if option["letter"] else []
    meta = f"_{escape(option['meta'] or 'VALUE')}_"
    if option["type"] in ("flag", "count"):
        names.append(f"*--{escape(option['name'])}*")
    elif option["bare"] is not None:
        names.append(f"*--{escape(option['name'])}*[={meta}]")
    else:
        names.append(f"*--{escape(option['name'])}*={meta}")
    if option["name"] == "output-format" and formats:
        choice = enumerate_words([f"_{name}_" for name in formats])
        text = f"Print the result as {choice}. Default: _{formats[0]}_."
    else:
        text = sentence(escape(option["help"])) + default_text(option)
    entry = f"{', '.join(names)}\n\t{text}\n"
    return entry + (f"\n{note}\n" if note else "")


def option_list(command: Table, own: dict[str, str], shared: dict[str, str], source: Path) -> str:
    """The list of a command's options."""
    names = [option["name"] for option in command["options"]]
    unknown = sorted(set(own) - set(names))
    if unknown:
        raise PageError(f"{source}: nvme {command['name']} has no option --{', --'.join(unknown)}")
    notes = shared | own
    return "\n".join(
        option_entry(option, command["formats"], notes.get(option["name"]))
        for option in command["options"]
    )


def command_list(page: Page) -> str:
    """The commands that a page leads to, with a heading for each group."""
    parts = []
    for title, entries in page.listed:
        if title:
            parts.append(f"## {title}\n")
        parts += [
            f"*{escape(name)}*(1)\n\t{sentence(escape(summary))}\n" for name, summary in entries
        ]
    return "\n".join(parts)


def compose(page: Page, title: str, source: Path, version: str, beside: bool) -> str:
    """A whole page in scdoc's markup."""
    named, sections = read_sections(source)
    usage = page.usage
    for name in [] if beside else named["alone"]:
        for section, text in read_sections(source.parent / name)[1].items():
            sections[section] = f"{sections.get(section, '')}\n\n{text}".lstrip("\n")
        usage += f"\n\n{sections.pop('SYNOPSIS', '')}"
    shared: dict[str, str] = {}
    for name in named["include"] or ["options-generic.scd"]:
        path = source.parent / name
        shared |= read_notes(read_sections(path)[1].get("OPTIONS", ""), path)
    own = read_notes(sections.pop("OPTIONS", ""), source)
    if "DESCRIPTION" not in sections:
        raise PageError(f"{source}: has no description ahead of its first section")
    if page.command and page.command["options"]:
        sections["OPTIONS"] = option_list(page.command, own, shared, source)
    elif own:
        raise PageError(f"{source}: {page.name} has no options")
    sections.setdefault("EXIT STATUS", EXIT_STATUS)
    summary = page.summary
    if summary[1:2].islower():
        summary = summary[0].lower() + summary[1:]
    text = f'{title}(1) "nvme {version}" "NVMe over MPTCP"\n\n'
    text += f"# NAME\n\n{escape(title)} - {escape(summary)}\n\n# SYNOPSIS\n\n{usage}\n"
    for title in SECTIONS:
        if title in sections:
            text += f"\n# {title}\n\n{sections[title]}\n"
    return text.replace("\n@commands@\n", f"\n{command_list(page)}\n")


def render(text: str, name: str, scdoc: str, newest: float) -> bytes:
    """The page in roff; dated by its sources, unless SOURCE_DATE_EPOCH says otherwise."""
    environment = {"SOURCE_DATE_EPOCH": str(int(newest))} | os.environ
    done = subprocess.run(
        [scdoc], input=text.encode(), capture_output=True, env=environment, check=False
    )
    if done.returncode:
        raise PageError(f"{name}: {done.stderr.decode().strip()}")
    # scdoc does not say that a page has tables, by which man decides to call tbl
    return (b"'\\\" t\n" if b"\n.TS\n" in done.stdout else b"") + done.stdout


def main() -> int:
    """Write the pages of the named sources."""
    parser = argparse.ArgumentParser(description="Make manual pages from the command table.")
    parser.add_argument("--table", type=Path, required=True, help="JSON dump of the command table")
    parser.add_argument("--output", type=Path, required=True, help="directory for the pages")
    parser.add_argument("--scdoc", default="scdoc", help="the program that renders")
    parser.add_argument("--beside", action="store_true", help="installed beside nvme-cli")
    parser.add_argument("sources", type=Path, nargs="+", metavar="PAGE.scd")
    args = parser.parse_args()
    table = json.loads(args.table.read_text(encoding="utf-8"))
    pages = all_pages(table)
    try:
        for source in args.sources:
            page = pages.get(source.stem)
            if not page:
                raise PageError(f"{source}: nvme has no such command")
            title = naming.page(page.name) if args.beside else page.name
            text = compose(page, title, source, table["version"], args.beside)
            if args.beside:
                text = naming.beside(text)
            output = args.output / f"{title}.1"
            output.write_bytes(render(text, str(source), args.scdoc, source.stat().st_mtime))
    except PageError as error:
        print(f"gen-man: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
