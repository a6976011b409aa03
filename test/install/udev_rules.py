# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads udev rules as udev(7) describes them and works out what they do with an event."""

import fnmatch
import re
from dataclasses import dataclass, field
from pathlib import Path

MATCH_KEYS = {"ACTION", "SUBSYSTEM", "KERNEL", "ATTR", "ENV", "TEST"}
ASSIGN_KEYS = {"ATTR", "ENV", "RUN", "LABEL", "GOTO", "NAME"}
TOKEN = re.compile(
    r"(?P<key>[A-Z]+)(?:\{(?P<name>[^}]*)\})?(?P<operator>==|!=|\+=|:=|=)\"(?P<value>[^\"]*)\""
)


class RulesError(Exception):
    """udev would refuse this line, or ignore part of it."""


@dataclass
class Term:
    """One expression of a rule."""

    key: str
    name: str
    operator: str
    value: str

    @property
    def is_match(self) -> bool:
        """Does it compare instead of assigning?"""
        return self.operator in ("==", "!=")


@dataclass
class Event:
    """What the kernel announces, with the attributes of its device."""

    action: str
    subsystem: str
    kernel: str
    env: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)

    def value(self, term: Term) -> str | None:
        """What a term compares with; None if the device has no such thing."""
        values = {"ACTION": self.action, "SUBSYSTEM": self.subsystem, "KERNEL": self.kernel}
        if term.key == "ATTR":
            return self.attributes.get(term.name)
        if term.key == "ENV":
            return self.env.get(term.name, "")
        return values[term.key]

    def matches(self, term: Term) -> bool:
        """Does a term hold?"""
        if term.key == "TEST":
            found: bool = term.value in self.files
        else:
            value = self.value(term)
            patterns = term.value.split("|")
            found = value is not None and any(fnmatch.fnmatchcase(value, p) for p in patterns)
        return found == (term.operator == "==")

    def expand(self, text: str) -> str:
        """Substitutes $kernel and $env{…}."""
        text = re.sub(r"\$env\{(\w+)\}", lambda match: self.env.get(match[1], ""), text)
        return text.replace("$kernel", self.kernel)


@dataclass
class Outcome:
    """What rules do with an event."""

    run: list[str] = field(default_factory=list)
    name: str | None = None  # of a network interface
    attributes: dict[str, str] = field(default_factory=dict)


def parse_line(line: str) -> list[Term]:
    terms = []
    rest = line.strip()
    while rest:
        found = TOKEN.match(rest)
        if not found:
            raise RulesError(f"not an expression: {rest}")
        term = Term(found["key"], found["name"] or "", found["operator"], found["value"])
        if term.key not in (MATCH_KEYS if term.is_match else ASSIGN_KEYS):
            raise RulesError(f"{term.key} does not go with {term.operator}: {rest}")
        if (term.key in ("ATTR", "ENV")) != bool(term.name):
            raise RulesError(f"{term.key} with a name in braces or without: {rest}")
        if term.key == "RUN" and not term.value.startswith("/"):
            raise RulesError(f"a program without its directory: {rest}")
        terms.append(term)
        rest = rest[found.end() :].lstrip()
        if rest and not rest.startswith(","):
            raise RulesError(f"no comma: {rest}")
        if rest == ",":
            raise RulesError(f"a comma at the end: {line}")
        rest = rest[1:].lstrip()
    if any(term.is_match for term in terms if term.key == "LABEL"):
        raise RulesError(f"LABEL compared: {line}")
    return terms


def parse(path: Path) -> list[list[Term]]:
    """The rules of a file; every GOTO must lead to a LABEL further down."""
    text = re.sub(r"\\\n\s*", "", path.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    rules = [parse_line(line) for line in lines]
    for i, rule in enumerate(rules):
        for term in rule:
            if term.key == "GOTO" and target(rules, i, term.value) is None:
                raise RulesError(f"{path.name}: GOTO {term.value} leads nowhere")
    return rules


def target(rules: list[list[Term]], start: int, label: str) -> int | None:
    """The rule behind a label below the rule @start."""
    for i in range(start + 1, len(rules)):
        if any(term.key == "LABEL" and term.value == label for term in rules[i]):
            return i
    return None


def apply(rules: list[list[Term]], event: Event) -> Outcome:
    outcome = Outcome()
    i = 0
    while i < len(rules):
        rule = rules[i]
        following = i + 1
        if all(event.matches(term) for term in rule if term.is_match):
            for term in rule:
                if term.is_match:
                    continue
                if term.key == "RUN":
                    outcome.run.append(event.expand(term.value))
                elif term.key == "ATTR":
                    outcome.attributes[term.name] = term.value
                elif term.key == "NAME":
                    outcome.name = event.expand(term.value)
                elif term.key == "GOTO":
                    following = target(rules, i, term.value) or len(rules)
        i = following
    return outcome
