#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Refuse words in documents, public headers and help texts that read as translated.

CONTRIBUTING.md has the style. Code, commands and quotations between backquotes are left out.
"""

import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = (
    "*.md", "*.scd", "*.rst", "*.README.Debian",
    "src/mptcp/include/*.h", "src/nvme/*.h",
    ":!src/nvme/*private.h", ":!src/nvme/base", ":!src/nvme/config",
)  # fmt: skip
WORDS = re.compile(
    r"\b(mend(s|ed|ing)?|lacks|lacking|anew|afresh|besides?|to be had|(is|are|was|were) (told|said)"
    r"|tells|stands?(?!-| for)|house|rooms?|somebody|nobody|whoever|as it is meant|with closed eyes"
    r"|that matters|want of|made-up|outlives?|all the same)\b",
    re.IGNORECASE,
)
#: Its table has the rooms that test/house.py knows.
EXEMPT = {"doc/architecture.md": r"rooms?"}
CODE = re.compile(r"(?ms)^```.*?^```$|^(?: {4}|\t(?=\S+# )).*?$|`[^`]*`|\]\([^)]*\)")


def prose(text: str) -> str:
    """The text without code; lines keep their numbers."""
    return CODE.sub(lambda match: "\n" * match[0].count("\n"), text)


def found(name: str, text: str) -> Iterator[str]:
    """Each word that is refused, with its place."""
    for number, line in enumerate(prose(text).splitlines(), 1):
        for match in WORDS.finditer(line):
            if not re.fullmatch(EXEMPT.get(name, "-"), match[0]):
                yield f"{name}:{number}: {match[0]}"


def helps(value: object) -> Iterator[str]:
    """The help texts in the table of commands."""
    if isinstance(value, dict):
        yield from (text for key, text in value.items() if key == "help" and isinstance(text, str))
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from helps(each)


def main(build: pathlib.Path) -> int:
    """Print what is refused; returns the exit status."""
    listed = ["git", "ls-files", "--", *DOCUMENTS]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in names.split()}
    table = build / "nvme-cli/commands.json"
    if table.exists():
        texts["help"] = "\n\n".join(helps(json.loads(table.read_text(encoding="utf-8"))))
    failed = False
    for name, text in texts.items():
        hits = list(found(name, text))
        if hits:
            print("\n".join(hits), file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
