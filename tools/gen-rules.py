#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the text of nvme mptcp explain from doc/mptcp-rules.md, as a table in C.

Rules are the rows of its tables with seven columns (rule, severity, side, finds, decided by, what
mends it, tested); a code block below "### RULE" in the section "## Examples" is a rule's example.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

SEVERITIES = {"E": "ERROR", "W": "WARNING", "I": "INFO"}
EXAMPLES = "\n## Examples\n"


class RulesError(Exception):
    """A document that is not laid out as it has to be."""


class Rule(NamedTuple):
    """A row of a table."""

    name: str
    severity: str
    side: str
    finds: str
    decided: str
    mends: str
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


def examples_of(text: str, rules: list[Rule]) -> dict[str, str]:
    """The code block of each rule that has one."""
    section = text.partition(EXAMPLES)[2].partition("\n## ")[0]
    found: dict[str, str] = {}
    for part in re.split(r"^### ", section, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        block = re.search(r"^```\n(.*?)^```$", rest, re.DOTALL | re.MULTILINE)
        if name not in {rule.name for rule in rules}:
            raise RulesError(f"example of {name}, which is no rule")
        if not block or name in found:
            raise RulesError(f"example of {name}: one code block is needed")
        found[name] = block[1]
    return found


def literal(text: str) -> str:
    """A string of C, a line of the text on each."""
    lines = text.splitlines(keepends=True) or [""]
    escaped = [re.sub(r'(["\\])', r"\\\1", line).replace("\n", "\\n") for line in lines]
    return "\n\t\t".join(f'"{line}"' for line in escaped)


def table(text: str) -> str:
    """The table in C, see plugins/mptcp/explain.h."""
    rules = rules_of(text)
    examples = examples_of(text, rules)
    rows = []
    for rule in rules:
        cells = [
            f".name = {literal(rule.name)}",
            f".severity = NVME_MPTCP_{SEVERITIES[rule.severity]}",
            f".side = {literal(rule.side)}",
            f".finds = {literal(rule.finds)}",
            f".decided = {literal(rule.decided)}",
        ]
        if rule.mends != "–":
            cells.append(f".mends = {literal(rule.mends)}")
        if rule.name in examples:
            cells.append(f".example = {literal(examples[rule.name])}")
        rows.append("\t{\n\t\t" + ",\n\t\t".join(cells) + ",\n\t},\n")
    return (
        "/* Made from doc/mptcp-rules.md by tools/gen-rules.py. */\n"
        '#include "explain.h"\n\n'
        "const struct rule_text rule_texts[] = {\n" + "".join(rows) + "\t{},\n};\n"
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("document", type=Path)
    parser.add_argument("output", type=Path)
    args = parser.parse_args()
    try:
        args.output.write_text(table(args.document.read_text(encoding="utf-8")), encoding="utf-8")
    except RulesError as error:
        sys.exit(f"{args.document}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
