#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hold the code to the table of rooms in doc/architecture.md.

The table names each room, the rooms that it may use, and the prefixes of its names. What the
rooms really use is read from the symbols of the object files, so a build has to be there.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "doc/architecture.md"

MAX_KNOT = 4
# The objects of libnvme 1.x own and find each other, from the root down to the path.
KNOTS = {"src/nvme/tree/": 17}
MAX_MPTCP_ARROWS = 20
MAX_TWICE = 0.03  # of all names, defined in more than one file

# A line of the formatter's list is a macro whose body is a block.
LOOP_MACRO = re.compile(r"^#define\s+(\w*for_?each\w*)\(", re.IGNORECASE | re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Room:
    """A row of the table."""

    path: str
    may_use: frozenset[str]
    prefixes: tuple[str, ...]


@dataclasses.dataclass
class Unit:
    """An object file, by the path of its source."""

    source: str
    room: str
    defined: set[str] = dataclasses.field(default_factory=set)
    local: set[str] = dataclasses.field(default_factory=set)
    used: set[str] = dataclasses.field(default_factory=set)


Arrow = tuple[str, str]


def read_rooms(text: str) -> dict[str, Room]:
    """Rooms by path: rows whose first cell is a path ending in a slash, or a file."""
    rooms: dict[str, Room] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("| `") or len(cells) != 4:
            continue
        ticked = [re.findall(r"`([^`]+)`", cell) for cell in cells]
        for path in ticked[0]:
            rooms[path] = Room(path, frozenset(ticked[2]), tuple(ticked[3]))
    return rooms


def room_of(source: str, rooms: Iterable[str]) -> str | None:
    """The longest path of a room that the source lies in."""
    fits = [room for room in rooms if source == room or source.startswith(room)]
    return max(fits, key=len, default=None)


def source_of(obj: pathlib.Path, build: pathlib.Path) -> str | None:
    """The source of an object file of meson's, whose name has "_" for "/"."""
    base = obj.relative_to(build).parts[0]
    name = obj.name.removesuffix(".o")
    if name.startswith("meson-generated"):
        return None
    flat = name.replace(".._", "")
    start = ROOT if name.startswith(".._") else ROOT / base
    return find_flat(start, flat.split("_"))


def find_flat(start: pathlib.Path, parts: list[str]) -> str | None:
    """The file below start whose path, joined by "_", is parts joined by "_"."""
    for n in range(len(parts), 0, -1):
        path = start / "_".join(parts[:n])
        if n == len(parts) and path.is_file():
            return str(path.relative_to(ROOT))
        if n < len(parts) and path.is_dir():
            found = find_flat(path, parts[n:])
            if found:
                return found
    return None


def symbols(objects: list[pathlib.Path]) -> Iterator[tuple[str, str, str]]:
    """Object file, kind as nm(1) has it, name."""
    out = subprocess.run(
        ["nm", "-A", "--no-demangle", *map(str, objects)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for line in out.splitlines():
        obj, rest = line.rsplit(":", 1)
        kind, name = rest.split()[-2:]
        yield obj, kind, name


def read_units(build: pathlib.Path, rooms: dict[str, Room]) -> list[Unit]:
    units: dict[str, Unit] = {}
    by_object: dict[str, Unit] = {}
    objects = []
    for top in ("libnvme", "nvme-cli"):
        for obj in sorted((build / top).rglob("*.o")):
            source = source_of(obj, build)
            if source is None or source.startswith("test/"):
                continue
            room = room_of(source, rooms)
            if room is None:
                sys.exit(f"house: {source} lies in no room of {TABLE.relative_to(ROOT)}")
            objects.append(obj)
            by_object[str(obj)] = units.setdefault(source, Unit(source, room))
    for obj_name, kind, name in symbols(objects):
        unit = by_object[obj_name]
        if kind == "U":
            unit.used.add(name)
        elif kind in "TDBRVWC":
            unit.defined.add(name)
        elif kind == "t" and "." not in name and not name.startswith("_"):
            unit.local.add(name)
    return list(units.values())


def used_by_tests() -> set[str]:
    """Every word of the sources of tests, some of which are not built here, and of the package."""
    words: set[str] = set()
    for path in tracked("test/*.c", "test/*.h", "python/*.c", "python/*.i", "libnvme/*.c"):
        words.update(re.findall(r"\w+", path.read_text()))
    return words


def public_names() -> set[str]:
    text = (ROOT / "libnvme/libnvme.map").read_text()
    return set(re.findall(r"^\s+(\w+);", text, re.MULTILINE))


def program_of(unit: Unit) -> str:
    """The library and the program bind their names apart."""
    library = unit.source.startswith("src/") and not unit.source.startswith("src/input/")
    return "library" if library else "program"


def is_shared(unit: Unit) -> bool:
    """Is it compiled into either?"""
    return unit.source.startswith("src/shared/")


def arrows_between(units: list[Unit]) -> dict[Arrow, dict[str, set[str]]]:
    """Which file takes which names from which other: (from, to) → names."""
    home: dict[tuple[str, str], Unit] = {}
    for unit in units:
        for program in ("library", "program") if is_shared(unit) else (program_of(unit),):
            for name in unit.defined:
                home[program, name] = unit
    found: dict[Arrow, set[str]] = collections.defaultdict(set)
    for unit in units:
        for name in unit.used:
            target = home.get((program_of(unit), name))
            if target is not None and target is not unit:
                found[unit.source, target.source].add(name)
    return {arrow: {"names": names} for arrow, names in found.items()}


def knots(edges: Iterable[Arrow]) -> list[list[str]]:
    """Files that reach each other in a circle, by Tarjan's algorithm."""
    graph: dict[str, set[str]] = collections.defaultdict(set)
    for a, b in edges:
        graph[a].add(b)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            knot = []
            while not knot or knot[-1] != node:
                knot.append(stack.pop())
            if len(knot) > 1:
                found.append(sorted(knot))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


class Lint:
    """Collects offences; each is a line that names the thing and the way out."""

    def __init__(self) -> None:
        self.offences: list[str] = []

    def complain(self, text: str) -> None:
        self.offences.append(text)


def check_arrows(lint: Lint, units: list[Unit], rooms: dict[str, Room]) -> None:
    room = {unit.source: unit.room for unit in units}
    between: dict[Arrow, list[str]] = collections.defaultdict(list)
    inside: list[Arrow] = []
    for (a, b), what in sorted(arrows_between(units).items()):
        if room[a] == room[b]:
            inside.append((a, b))
        else:
            between[room[a], room[b]].append(f"{a} → {b}: {' '.join(sorted(what['names']))}")
    for (a, b), files in between.items():
        if b not in rooms[a].may_use:
            lint.complain(f"{a} may not use {b}:\n    " + "\n    ".join(files))
    for path, row in rooms.items():
        for unused in sorted(row.may_use - {b for a, b in between if a == path}):
            lint.complain(f"{path} may use {unused}, and does not: strike it from the table")
    mptcp = [a for a in between if all(r.startswith("src/mptcp/") for r in a)]
    if len(mptcp) > MAX_MPTCP_ARROWS:
        lint.complain(f"{len(mptcp)} arrows between the mptcp rooms, at most {MAX_MPTCP_ARROWS}")
    for knot in knots(between):
        lint.complain(f"rooms that use each other: {' '.join(knot)}")
    for knot in knots(inside):
        most = KNOTS.get(room[knot[0]], MAX_KNOT)
        if len(knot) > most:
            lint.complain(f"a knot of {len(knot)} files, at most {most}: {' '.join(knot)}")


def check_names(lint: Lint, units: list[Unit], rooms: dict[str, Room], tests: set[str]) -> None:
    public = public_names()
    users: dict[tuple[str, str], int] = collections.Counter()
    for unit in units:
        for name in unit.used:
            users[program_of(unit), name] += 1
    for unit in units:
        prefixes = rooms[unit.room].prefixes
        for name in sorted(unit.defined - public - {"main"}):
            programs = ("library", "program") if is_shared(unit) else (program_of(unit),)
            shared = sum(users[program, name] for program in programs)
            if not shared and name not in tests:
                lint.complain(f"{unit.source}: {name} is used nowhere else; make it static")
            elif not fits(name, prefixes):
                lint.complain(
                    f"{unit.source}: {name} has no prefix of its room ({', '.join(prefixes)})"
                )
    where: dict[str, set[str]] = collections.defaultdict(set)
    for unit in units:
        for name in unit.defined | unit.local:
            where[name].add(unit.source)
    twice = {name: files for name, files in where.items() if len(files) > 1}
    if len(twice) > MAX_TWICE * len(where):
        worst = sorted(twice, key=lambda name: -len(twice[name]))
        lint.complain(
            f"{len(twice)} of {len(where)} names are defined in two files or more,"
            f" at most {MAX_TWICE:.0%}: {' '.join(worst)}"
        )


def fits(name: str, prefixes: tuple[str, ...]) -> bool:
    """A pattern of the table is "nl_" for a beginning, "_command" for an end."""
    return any(name.endswith(p) if p.startswith("_") else name.startswith(p) for p in prefixes)


def tracked(*patterns: str) -> list[pathlib.Path]:
    out = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [ROOT / line for line in out.splitlines()]


def check_loops(lint: Lint) -> None:
    known = set(re.findall(r"^\s+- (\w+)$", (ROOT / ".clang-format").read_text(), re.MULTILINE))
    for path in tracked("*.c", "*.h"):
        for macro in LOOP_MACRO.findall(path.read_text()):
            if macro not in known:
                lint.complain(
                    f"{path.relative_to(ROOT)}: {macro} is missing in .clang-format's ForEachMacros"
                )


def check_headers(lint: Lint, build: pathlib.Path) -> None:
    """In a folder that has installed headers, the others are called private."""
    plan = json.loads(
        subprocess.run(
            ["meson", "introspect", "--install-plan", str(build)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    )
    installed = {pathlib.Path(path).resolve() for path in plan.get("headers", {})}
    folders = {path.parent for path in installed}
    for path in tracked("src/nvme/*.h", "src/mptcp/*.h"):
        private = path.name == "private.h" or path.name.endswith("-private.h")
        if path.parent in folders and path not in installed and not private:
            lint.complain(
                f"{path.relative_to(ROOT)} is not installed, and lies among headers that are:"
                f" call it …-private.h"
            )
        if private and path in installed:
            lint.complain(f"{path.relative_to(ROOT)} is installed, and is called private")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--build", type=pathlib.Path, default=ROOT / "build", help="the build directory"
    )
    parser.add_argument("--arrows", action="store_true", help="print what uses what, and stop")
    args = parser.parse_args()
    build = args.build.resolve()
    if not (build / "libnvme").is_dir():
        sys.exit(f"house: {build} holds no build; 'make' makes one")

    rooms = read_rooms(TABLE.read_text())
    units = read_units(build, rooms)
    if args.arrows:
        for (a, b), what in sorted(arrows_between(units).items()):
            print(f"{a} -> {b}: {' '.join(sorted(what['names']))}")
        return 0
    lint = Lint()
    check_arrows(lint, units, rooms)
    check_names(lint, units, rooms, used_by_tests())
    check_loops(lint)
    check_headers(lint, build)
    for offence in lint.offences:
        print(f"house: {offence}")
    return 1 if lint.offences else 0


if __name__ == "__main__":
    sys.exit(main())
