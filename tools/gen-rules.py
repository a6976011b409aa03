#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the text of nvme mptcp explain from doc/mptcp-rules.md, as a table in C.

Rules are the rows of its tables with five columns (rule, severity, side, finds, tested). Each has a
part "### RULE" in the section "## Each rule": a paragraph for each of PARTS, and a code block, its
example.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

import naming

SEVERITIES = {"E": "ERROR", "W": "WARNING", "I": "INFO"}
SECTION = "\n## Each rule\n"
FORMER = "\n## Former numbers\n"
PARTS = {"Meaning": "meaning", "How it is decided": "decided", "Fix": "fix"}


class RulesError(Exception):
    """A document that is not laid out as it has to be."""


class Rule(NamedTuple):
    """A row of a table."""

    name: str
    severity: str
    side: str
    finds: str
    tested: str


def plain(cell: str) -> str:
    """A cell as text of any terminal: marks of code are left out, escaped bars are bars."""
    return cell.strip().replace("\\|", "|").replace("`", "").replace("…", "...")


def rules_of(text: str) -> list[Rule]:
    """The rows in the order of the document."""
    rules: dict[str, Rule] = {}
    for number, line in enumerate(text.splitlines(), 1):
        cells = [plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells or not re.fullmatch(r"[A-Z]\d+", cells[0]) or len(cells) == 3:
            continue
        if len(cells) != len(Rule._fields):
            raise RulesError(f"{number}: {cells[0]} has {len(cells)} columns")
        rule = Rule(*cells)
        if rule.severity not in SEVERITIES:
            raise RulesError(f"{number}: {rule.name} has the severity '{rule.severity}'")
        if rule.name in rules:
            raise RulesError(f"{number}: {rule.name} is there twice")
        rules[rule.name] = rule
    if not rules:
        raise RulesError("no rules")
    return list(rules.values())


def parts_of(text: str, rules: list[Rule]) -> dict[str, dict[str, str]]:
    """The paragraphs and the example of each rule, by the members of the table in C."""
    section = text.partition(SECTION)[2].partition("\n## ")[0]
    found: dict[str, dict[str, str]] = {}
    for part in re.split(r"^### ", section, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        if name not in {rule.name for rule in rules}:
            raise RulesError(f"a part about {name}, which is no rule")
        if name in found:
            raise RulesError(f"two parts about {name}")
        found[name] = part_of(name, rest)
    for rule in rules:
        if rule.name not in found:
            raise RulesError(f"{rule.name} has no part in {SECTION.strip()}")
    return found


def part_of(name: str, text: str) -> dict[str, str]:
    """The cells of one rule."""
    cells: dict[str, str] = {}
    for label, member in PARTS.items():
        paragraph = re.search(rf"^\*\*{label}\.\*\* (.+?)\n\n", text, re.DOTALL | re.MULTILINE)
        if not paragraph:
            raise RulesError(f"{name} has no paragraph **{label}.**")
        cells[member] = plain(" ".join(paragraph[1].split()))
        text = text.replace(paragraph[0], "", 1)
    block = re.search(r"^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if not block:
        raise RulesError(f"{name} has no code block, its example")
    rest = text.replace(block[0], "", 1).split()
    if rest:
        raise RulesError(f"{name} has more than its parts: {' '.join(rest[:5])}")
    return cells | {"example": block[1]}


def former_of(text: str, rules: list[Rule]) -> list[tuple[str, str]]:
    """Former numbers, and the rules that they stand for."""
    section = text.partition(FORMER)[2].partition("\n## ")[0]
    found = re.findall(r"^\| ([A-Z]\d+) \| ([A-Z]\d+) \|", section, re.MULTILINE)
    names = {rule.name for rule in rules}
    for former, now in found:
        if former in names or now not in names:
            raise RulesError(f"{former} cannot stand for {now}")
    return found


def literal(text: str) -> str:
    """A string of C, a line of the text on each."""
    lines = text.splitlines(keepends=True) or [""]
    escaped = [re.sub(r'(["\\])', r"\\\1", line).replace("\n", "\\n") for line in lines]
    return "\n\t\t".join(f'"{line}"' for line in escaped)


def table(text: str) -> str:
    """The table in C, see plugins/mptcp/explain.h."""
    rules = rules_of(text)
    parts = parts_of(text, rules)
    rows = []
    for rule in rules:
        cells = [
            f".name = {literal(rule.name)}",
            f".severity = NVME_MPTCP_{SEVERITIES[rule.severity]}",
            f".side = {literal(rule.side)}",
            f".finds = {literal(rule.finds)}",
        ]
        cells += [f".{member} = {literal(cell)}" for member, cell in parts[rule.name].items()]
        rows.append("\t{\n\t\t" + ",\n\t\t".join(cells) + ",\n\t},\n")
    former = "".join(
        f"\t{{ {literal(name)}, {literal(now)} }},\n" for name, now in former_of(text, rules)
    )
    return (
        "/* Made from doc/mptcp-rules.md by tools/gen-rules.py. */\n"
        '#include "explain.h"\n\n'
        "const struct rule_text rule_texts[] = {\n" + "".join(rows) + "\t{},\n};\n\n"
        "const struct rule_former rule_formers[] = {\n" + former + "\t{},\n};\n"
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--beside", action="store_true", help="installed beside nvme-cli")
    args = parser.parse_args()
    text = args.document.read_text(encoding="utf-8")
    try:
        rows = table(naming.beside(text) if args.beside else text)
        args.output.write_text(rows, encoding="utf-8")
    except RulesError as error:
        sys.exit(f"{args.document}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
