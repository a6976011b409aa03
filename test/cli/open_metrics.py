# SPDX-License-Identifier: LGPL-2.1-or-later
"""A strict reader of OpenMetrics 1.0 text, as far as gauges and counters go."""

import re
from dataclasses import dataclass, field

LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SAMPLE = re.compile(r"([a-z_]+)(?:\{(.*)\})? (-?[0-9]+(?:\.[0-9]+)?)")


@dataclass
class Family:
    """A metric family: its description and its samples by their labels."""

    name: str
    type: str = ""
    unit: str | None = None
    help: str = ""
    samples: dict[tuple[tuple[str, str], ...], float] = field(default_factory=dict)


def unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), value)


def labels_of(text: str) -> tuple[tuple[str, str], ...]:
    """The labels between braces; nothing may be left over, and no name may come twice."""
    found, end = [], 0
    while end < len(text):
        match = LABEL.match(text, end)
        assert match, f"labels: {text[end:]!r}"
        found.append((match[1], unescaped(match[2])))
        end = match.end()
    assert len({name for name, _ in found}) == len(found), text
    return tuple(found)


def parse(text: str) -> dict[str, Family]:
    """All families; everything that the specification asks of the text is asserted."""
    families: dict[str, Family] = {}
    assert text.endswith("# EOF\n") and text.count("# EOF") == 1
    current: Family | None = None
    for line in text.split("\n")[:-2]:
        if line.startswith("# "):
            kind, name, rest = line[2:].split(" ", 2)
            if kind == "TYPE":
                assert name not in families, f"{name} is there twice"
                current = families[name] = Family(name, type=rest)
                assert rest in ("gauge", "counter") and not name.endswith("_total")
                continue
            assert current and current.name == name and not current.samples
            if kind == "UNIT":
                assert name.endswith(f"_{rest}"), f"{name} does not end with {rest}"
                current.unit = rest
            else:
                assert kind == "HELP" and "\\" not in rest
                current.help = rest
            continue
        match = SAMPLE.fullmatch(line)
        assert match and current, f"no sample: {line!r}"
        suffix = "_total" if current.type == "counter" else ""
        assert match[1] == current.name + suffix
        labels = labels_of(match[2] or "")
        assert labels not in current.samples, f"there twice: {line}"
        current.samples[labels] = float(match[3])
    assert all(f.help for f in families.values())
    return families
