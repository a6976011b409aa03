#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Brings the list of new symbols in doc/compatibility.md up to date.

Names come from our nodes, in libnvme.map and libnvme-mptcp.map, what they are for from
the comments of the public headers.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = "LIBNVME_MPTCP_1"
MPTCP_NODE = "NVME_MPTCP_0"
MAPS = {NODE: "libnvme.map", MPTCP_NODE: "libnvme-mptcp.map"}
TITLE = "What is new"
DOCUMENT = ROOT / "doc" / "compatibility.md"

SUMMARY = re.compile(r"^ \* (\w+)\(\) - (.+(?:\n \* {2,}\S.*)*)", re.M)


def symbols(node: str) -> list[str]:
    """Return the names in a node, in their order."""
    text = (ROOT / "libnvme" / MAPS[node]).read_text(encoding="utf-8")
    body = text[text.index(f"\n{node} {{") :].partition("};")[0]
    return re.findall(r"^\t\t(\w+);$", body, re.M)


def documentation() -> dict[str, tuple[str, str]]:
    """Return the header to include for each function, and its summary."""
    found = {}
    for top in (ROOT / "src/nvme", ROOT / "src/mptcp/include/nvme"):
        for header in sorted(top.rglob("*.h")):
            topic = header.relative_to(top).parts[0].removesuffix(".h")
            for name, summary in SUMMARY.findall(header.read_text(encoding="utf-8")):
                words = " ".join(line.strip(" *") for line in summary.split("\n"))
                found[name] = (f"<nvme/{topic}.h>", words)
    return found


def section() -> str:
    """Return the section as it should be."""
    documented = documentation()
    by_header: dict[str, list[str]] = {}
    for node in MAPS:
        for name in symbols(node):
            header, summary = documented[name]
            by_header.setdefault(header, []).append(f"- `{name}()`: {summary}")
    lines = [
        f"## {TITLE}",
        "",
        f"These symbols have the version node `{NODE}`, and those of `<nvme/mptcp.h>` the node",
        f"`{MPTCP_NODE}` of `libnvme-mptcp.so.0`. Their headers say what each does in full.",
    ]
    for header, entries in sorted(by_header.items()):
        lines += ["", f"### `{header}`", "", *entries]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Replace the section, which is the last one."""
    text = DOCUMENT.read_text(encoding="utf-8")
    before = text[: text.index(f"## {TITLE}\n")]
    DOCUMENT.write_text(before + section(), encoding="utf-8")


if __name__ == "__main__":
    main()
