# SPDX-License-Identifier: GPL-2.0-or-later
"""Command lines as the files beside this one list them."""

from collections.abc import Iterator
from pathlib import Path

Table = dict[str, tuple[str, ...]]


def calls(name: str) -> Iterator[str]:
    """Yields the lines of a file, one for each part in braces; a tab continues a line."""
    text = Path(__file__).with_name(name).read_text()
    for line in text.replace("\n\t", " ").splitlines():
        if not line or line.startswith("#"):
            continue
        begin, _, rest = line.partition("{")
        parts, _, end = rest.partition("}")
        yield from (" ".join(f"{begin}{part}{end}".split()) for part in parts.split("|"))


def tables(name: str) -> list[Table]:
    """Returns the sections of a file: by command, what follows its name."""
    found: list[Table] = []
    for line in calls(name):
        if line.startswith("["):
            found.append({})
            continue
        command, _, more = line.partition(": ")
        found[-1][command] = (*found[-1].get(command, ()), more)
    return found
