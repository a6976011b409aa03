# SPDX-License-Identifier: LGPL-2.1-or-later
"""What programs of <nvme/mptcp.h> rely on: changes are reported, and refused from a release on."""

import warnings
from pathlib import Path

import mptcp_interface
import pytest

HEADER = """
#define NVME_FEW 3
/** enum nvme_kind - a comment; with { */
enum nvme_kind {
	NVME_ONE,
	NVME_TWO = 4,
};
struct nvme_way {
	const char *from;
	int (*go)(void *arg);
};
const char *nvme_kind_name(enum nvme_kind kind);
"""


def interface(header: str) -> set[str]:
    statements = mptcp_interface.statements(header)
    return {line for one in statements for line in mptcp_interface.lines_of(one)}


def test_interface(root: Path) -> None:
    """Nothing is taken away or changed once it is frozen, and what is new is recorded."""
    recorded, now = mptcp_interface.recorded(), mptcp_interface.lines()
    gone = [f"- {line}" for line in recorded if line not in now]
    new = [f"+ {line}" for line in now if line not in recorded]
    if not gone and not new:
        return
    text = "\n".join(["<nvme/mptcp.h> is not what test/data/abi/mptcp.txt has:", *gone, *new])
    text += "\ntest/abi/mptcp_interface.py writes it anew"
    if mptcp_interface.is_frozen((root / "meson.build").read_text(encoding="utf-8")):
        pytest.fail(text)
    warnings.warn(text, stacklevel=1)


@pytest.mark.parametrize(
    ("old", "new", "gone", "added"),
    [
        ("	NVME_TWO = 4,\n", "	NVME_TWO = 4,\n	NVME_THREE,\n", 0, 1),
        ("	NVME_ONE,\n", "	NVME_ONE,\n	NVME_THREE,\n", 1, 2),
        ("arg);\n};", "arg);\n	int size;\n};", 0, 1),
        ("	const char *from;\n", "	int size;\n	const char *from;\n", 2, 3),
        ("(enum nvme_kind kind)", "(int kind)", 1, 1),
        ("NVME_FEW 3", "NVME_FEW 4", 1, 1),
        ("a comment", "another; comment", 0, 0),
    ],
)
def test_growth_takes_nothing_away(old: str, new: str, gone: int, added: int) -> None:
    """An end that grows is told from a change."""
    before, after = interface(HEADER), interface(HEADER.replace(old, new))
    assert (len(before - after), len(after - before)) == (gone, added)


@pytest.mark.parametrize(
    ("version", "frozen"),
    [("0.2.0", False), ("0.3.0", True), ("0.3.1", True), ("0.10.0", True), ("1.0", True)],
)
def test_release_freezes(version: str, frozen: bool) -> None:
    """The line beside the version decides."""
    meson = f"  version: '{version}',\n)\nmptcp_frozen_from = '0.3.0'\n"
    assert mptcp_interface.is_frozen(meson) is frozen
