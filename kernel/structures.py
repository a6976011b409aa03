#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print C assertions that structures have the sizes that a kernel module was built with.

    structures.py FILE NAME... <MODULE.ko

Reads the type information (BTF) of the module. FILE is the name of the module in the message. A
structure that the module does not define, or a module without BTF, gets no assertion.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator

#: Bytes after the three words of a type, by kind: for all, and for each member (btf.rst).
FIXED = {1: 4, 3: 12, 14: 4, 17: 4}
EACH = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
STRUCT = 4

#: With fewer names the length of the kernel's strings may be a wrong one.
CERTAIN = 3


def section(elf: bytes, wanted: bytes) -> bytes:
    """Return a section of a little-endian 64-bit ELF file, empty if it has none."""
    if elf[:6] != b"\x7fELF\x02\x01":
        return b""
    [table] = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    text = headers[names][4]
    for name, _, _, _, offset, length in headers:
        if elf[text + name :].startswith(wanted + b"\0"):
            return elf[offset : offset + length]
    return b""


def structures(types: bytes) -> Iterator[tuple[int, int]]:
    """Yield the offset of the name and the size of every structure."""
    at = 0
    while at < len(types):
        name, info, size = struct.unpack_from("<III", types, at)
        kind, members = info >> 24 & 0x1F, info & 0xFFFF
        if kind == STRUCT:
            yield name, size
        at += 12 + FIXED.get(kind, 0) + EACH.get(kind, 0) * members


def sizes(btf: bytes, names: list[str]) -> dict[str, int]:
    """Return the sizes of the structures that a module defines, by their names.

    Offsets of names include the strings of the kernel itself, of unknown length: the length with
    which most of the names are names of structures, and several are.
    """
    if len(btf) < 24:
        return {}
    [header, type_at, type_size, text_at, text_size] = struct.unpack_from("<IIIII", btf, 4)
    found = dict(structures(btf[header + type_at :][:type_size]))
    text = b"\0" + btf[header + text_at :][:text_size]
    places = {name: text.find(f"\0{name}\0".encode()) for name in names}
    places = {name: place for name, place in places.items() if place >= 0}
    bases = {offset - place for offset in found for place in places.values()}
    base = max(bases, key=lambda base: sum(base + p in found for p in places.values()), default=0)
    sizes = {name: found[base + p] for name, p in places.items() if base + p in found}
    return sizes if len(sizes) >= CERTAIN else {}


def main(file: str, *names: str) -> None:
    """Print one assertion a line."""
    btf = section(sys.stdin.buffer.read(), b".BTF")
    for name, size in sizes(btf, list(names)).items():
        print(
            f'static_assert(sizeof(struct {name}) == {size}, "{name} of {file} has {size} bytes");'
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
