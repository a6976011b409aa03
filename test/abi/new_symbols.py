# SPDX-License-Identifier: LGPL-2.1-or-later
"""The symbols that libnvme 1.16 does not have: nodes of this project, comments of headers."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = "LIBNVME_MPTCP_1"
MPTCP_NODE = "NVME_MPTCP_0"
MAPS = {NODE: "libnvme.map", MPTCP_NODE: "libnvme-mptcp.map"}

SUMMARY = re.compile(r"^(?: \*|/\*\*) (\w+)\(\) - \S", re.M)


def symbols(node: str) -> list[str]:
    """Return the names in a node, in their order."""
    text = (ROOT / "libnvme" / MAPS[node]).read_text(encoding="utf-8")
    body = text[text.index(f"\n{node} {{") :].partition("};")[0]
    return re.findall(r"^\t\t(\w+);$", body, re.M)


def documented() -> set[str]:
    """Return the functions that have a summary in an installed header."""
    found: set[str] = set()
    for top in (ROOT / "src/nvme", ROOT / "src/mptcp/include/nvme"):
        for header in top.rglob("*.h"):
            found |= set(SUMMARY.findall(header.read_text(encoding="utf-8")))
    return found
