# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the shared libraries export is what libnvme 1.16 exports, and ours beside it."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import contract
import new_symbols
import pytest

OURS = new_symbols.NODE
LINKED = {"libc.so.6", "libjson-c.so.5", "libkeyutils.so.1"}
LINKED_MPTCP = {"libc.so.6", "libjson-c.so.5", "libmnl.so.0", "libnvme.so.1"}
#: Nodes of the oldest libnvme that libnvme-mptcp runs over.
OLDEST = {"LIBNVME_1_0", "LIBNVME_1_1", "LIBNVME_1_2", "LIBNVME_1_3"}


def readelf(*arguments: str | Path) -> str:
    return subprocess.run(
        ["readelf", "--wide", *arguments], check=True, capture_output=True, text=True
    ).stdout


@dataclass(frozen=True)
class Symbol:
    node: str
    binding: str
    default: bool


def symbols_of(library: Path) -> dict[str, Symbol]:
    """Return each exported function or object of a library."""
    found = {}
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[3] not in ("FUNC", "OBJECT") or fields[6] in ("UND", "ABS"):
            continue
        name, at, node = fields[7].partition("@")
        found[name] = Symbol(node.lstrip("@"), fields[4], node.startswith("@") or not at)
    return found


@pytest.fixture(scope="module")
def exported(library: Path) -> dict[str, Symbol]:
    return symbols_of(library)


@pytest.fixture(scope="module")
def mptcp_exported(mptcp_library: Path) -> dict[str, Symbol]:
    return symbols_of(mptcp_library)


def documented(root: Path, title: str) -> set[str]:
    """Return the symbols in the list of a section of doc/compatibility-list.md."""
    text = (root / "doc" / "compatibility-list.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    assert section, f"doc/compatibility-list.md: no section '{title}'"
    return set(re.findall(r"^- `(\w+)(?:\(\))?`(?:: \S|$)", section[1], re.M))


def test_every_symbol_is_there_or_documented(
    root: Path, data: Path, exported: dict[str, Symbol]
) -> None:
    """What is missing is exactly what the documentation says is missing."""
    missing = set(contract.symbols(data)) - set(exported)
    listed = documented(root, "Symbols that are not offered")
    absent = sorted(missing - listed)
    assert not absent, f"promised but not exported: {' '.join(absent)}"
    present = sorted(listed - missing)
    assert not present, f"documented as not offered, yet exported: {' '.join(present)}"


def test_every_symbol_has_its_node(data: Path, exported: dict[str, Symbol]) -> None:
    wanted = contract.symbols(data)
    wrong = {
        name: f"{symbol.node} instead of {wanted[name]}"
        for name, symbol in exported.items()
        if name in wanted and (symbol.node != wanted[name] or not symbol.default)
    }
    assert wrong == {}


def test_what_is_new_has_a_node_of_its_own(data: Path, exported: dict[str, Symbol]) -> None:
    """No symbol of ours may pass for one of libnvme 1.16."""
    wanted = contract.symbols(data)
    strangers = {n: s.node for n, s in exported.items() if n not in wanted and s.node != OURS}
    assert strangers == {}
    assert [name for name in exported if not name.startswith(("nvme_", "nvmf_"))] == []


def test_what_is_new_is_documented(
    exported: dict[str, Symbol], mptcp_exported: dict[str, Symbol]
) -> None:
    ours = set(new_symbols.symbols(OURS))
    mptcp = set(new_symbols.symbols(new_symbols.MPTCP_NODE))
    assert sorted((ours | mptcp) - new_symbols.documented()) == [], "without a comment in a header"
    assert sorted(ours - set(exported)) == [], "in libnvme.map, but not exported"
    assert sorted(mptcp - set(mptcp_exported)) == [], "in libnvme-mptcp.map, but not exported"


def test_only_mptcp_is_above(
    exported: dict[str, Symbol], mptcp_exported: dict[str, Symbol]
) -> None:
    """What both libraries compile in is exported by libnvme at most."""
    others = {n: s.node for n, s in mptcp_exported.items() if not n.startswith("nvme_mptcp_")}
    assert others == {}
    assert {s.node for s in mptcp_exported.values()} == {new_symbols.MPTCP_NODE}
    assert [name for name in exported if name.startswith("nvme_mptcp_")] == []


def test_mptcp_needs_nothing_later_than_1_3(mptcp_library: Path) -> None:
    """Debian 12's libnvme has each symbol that libnvme-mptcp takes, under the same node."""
    taken = {}
    for line in readelf("--dyn-syms", mptcp_library).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[6] == "UND" and fields[7].startswith(("nvme_", "nvmf_")):
            name, _, node = fields[7].partition("@")
            taken[name] = node.strip("@")
    assert taken, "it takes nothing at all"
    assert {name: node for name, node in taken.items() if node not in OLDEST} == {}


def test_every_node_is_defined(data: Path, library: Path) -> None:
    text = readelf("--version-info", library)
    definitions = text[text.index("Version definition section") :].split("Version needs section")[0]
    defined = set(re.findall(r"Name: (LIBNVME_\S+)", definitions))
    assert defined >= set(contract.symbols(data).values()) | {OURS}


def test_soname(library: Path, mptcp_library: Path) -> None:
    """Programs look the libraries up by these names."""
    assert "Library soname: [libnvme.so.1]" in readelf("--dynamic", library)
    assert "Library soname: [libnvme-mptcp.so.0]" in readelf("--dynamic", mptcp_library)


def links_of(library: Path) -> set[str]:
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic", library)))
    return {n for n in needed if not n.startswith(("libasan", "libubsan", "ld-linux"))}


def test_links_what_it_should(library: Path, mptcp_library: Path) -> None:
    """Nothing is linked that the packaging does not know of."""
    assert links_of(library) <= LINKED
    assert links_of(mptcp_library) <= LINKED_MPTCP


@pytest.mark.parametrize("name", ["nvme_submit_passthru", "nvme_submit_passthru64"])
def test_passthrough_can_be_replaced(name: str, library: Path, exported: dict[str, Symbol]) -> None:
    """Programs put their own passthrough before ours: weak, and called through the PLT."""
    assert exported[name].binding == "WEAK"
    relocations = readelf("--relocs", library)
    assert re.search(rf"\b{name}(@\S+)? \+ 0$", relocations, re.M), f"{name} is bound locally"
    assert "SYMBOLIC" not in readelf("--dynamic", library)
