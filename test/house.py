#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Hold the code to the table of rooms in doc/architecture.md.

The table names each room, the rooms that it may use, and the prefixes of its names. What a room
uses is what its files include, and the symbols that its object files take from others: a call
through an installed header shows there alone. Functions are read from the sources, where an
optimised build shows two thirds of them. The formatter, which test/lint runs, makes that one
pattern: neither a parser nor a second build is needed, and each release finds the same.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import posixpath
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "doc/architecture.md"

MAX_KNOT = 4
# The objects of libnvme 1.x own and find each other, from the root down to the path.
KNOTS = {"src/nvme/tree/": 17}
MAX_MPTCP_ARROWS = 23

# What an older libnvme lacks has the names that it has in ours.
STAND_INS = "plugins/mptcp/alone/older"

# Names that several functions or files have, and how many these are. The numbers only ever fall.
MAX_TWICE = {"functions": (273, 704), "files": (59, 130)}
# Of the functions that a build shows, which must all be found in the sources but for those that a
# macro makes.
MAX_UNSEEN = 0.01

PRODUCTS = ("src", "libnvme", "nvme-cli", "plugins", "python")
# Where headers are looked for: as meson tells the compiler, for all directories at once.
INCLUDE = ("src/", "src/nvme/", "src/mptcp/include/", "libnvme/", "nvme-cli/", "")
# A library uses installed headers of its own and of those before it; what is above them, of all.
LIBRARIES = ("src/nvme/", "src/mptcp/")

# A line of the formatter's list is a macro whose body is a block.
LOOP_MACRO = re.compile(r"^#define\s+(\w*for_?each\w*)\(", re.IGNORECASE | re.MULTILINE)

INCLUDED = re.compile(r"^[#%]\s*include\s+([<\"])([^>\"]+)[>\"]", re.MULTILINE)
# Comments, strings, lines of the preprocessor and attributes, none of which defines a function.
ASIDE = re.compile(
    r'/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|^#(?:.*\\\n)*.*$'
    r"|__attribute__\(\((?:[^()]|\([^()]*\))*\)\)",
    re.MULTILINE,
)
# In clang-format's style the body of a function, and no other block, begins a line.
FUNCTION = re.compile(r"^ ?[A-Za-z_][^;{}=]*?\b(\w+)\([^;{}]*\)\s*\n\{", re.MULTILINE)
# src/shared/getter.h and similar macros: the body is the macro's.
GETTER = re.compile(
    r"^(?:\w*GETTER\w*|\w*SETTER|TREE_FIRST|TREE_NEXT|PASSTHRU)\([^,()]+, (nvm[ef]_\w+)[,)]",
    re.MULTILINE,
)


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
    functions: set[str] = dataclasses.field(default_factory=set)
    used: set[str] = dataclasses.field(default_factory=set)


Arrow = tuple[str, str]
# What a file takes from another: names, and the header by which it includes it.
Arrows = dict[Arrow, set[str]]


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
    """The longest path of a room that the source lies in; a header goes with its source."""
    paths = (source, re.sub(r"(-private)?\.h$", ".c", source))
    fits = [r for r in rooms if r in paths or (r.endswith("/") and source.startswith(r))]
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


def run(*words: str | pathlib.Path) -> str:
    """What a program prints."""
    done = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout


def symbols(objects: list[pathlib.Path]) -> Iterator[tuple[str, str, str]]:
    """Object file, kind as nm(1) has it, name."""
    for line in run("nm", "-A", "--no-demangle", *objects).splitlines():
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
        if kind in "Tt" and name != "main" and "." not in name and not name.startswith("_"):
            unit.functions.add(name)
    return list(units.values())


def used_by_tests() -> set[str]:
    """Every word of the sources of tests, some of which are not built here, and of the package."""
    words: set[str] = set()
    for path in tracked("test/*.c", "test/*.h", "python/*.c", "python/*.i", "libnvme/*.c"):
        words.update(re.findall(r"\w+", path.read_text()))
    return words


def public_names() -> set[str]:
    text = "".join(path.read_text() for path in sorted((ROOT / "libnvme").glob("*.map")))
    return set(re.findall(r"^\s+(\w+);", text, re.MULTILINE))


def programs_of(unit: Unit) -> tuple[str, ...]:
    """The library and the program bind their names apart; some is compiled into either."""
    if unit.source.startswith("src/shared/"):
        return "library", "program"
    library = unit.source.startswith("src/") and not unit.source.startswith("src/input/")
    return ("library" if library else "program",)


def arrows_between(units: list[Unit]) -> Arrows:
    """Which file takes which names from which other, as the linker binds them."""
    home: dict[tuple[str, str], Unit] = {}
    for unit in units:
        for program in programs_of(unit):
            home |= {(program, name): unit for name in unit.defined}
    found: dict[Arrow, set[str]] = collections.defaultdict(set)
    for unit in units:
        for name in unit.used:
            target = home.get((programs_of(unit)[0], name))
            if target is not None and target is not unit:
                found[unit.source, target.source].add(name)
    return found


def read_sources() -> dict[str, str]:
    """The C sources of the libraries, programs and the package, by their paths."""
    found = [path for top in PRODUCTS for path in sorted((ROOT / top).rglob("*.[chi]"))]
    return {str(path.relative_to(ROOT)): path.read_text() for path in found}


def includes(sources: dict[str, str]) -> Arrows:
    """Which file includes which other of ours."""
    found: Arrows = collections.defaultdict(set)
    for source, text in sources.items():
        beside = f"{pathlib.PurePath(source).parent}/"
        for quote, name in INCLUDED.findall(text):
            for place in (beside, *INCLUDE) if quote == '"' else INCLUDE:
                header = posixpath.normpath(place + name)
                if header in sources:
                    found[source, header].add(f"#include {name}")
                    break
    return found


def library_of(source: str) -> int:
    """The libraries are counted from below; what is in none of them is above all."""
    found = [n for n, top in enumerate(LIBRARIES) if source.startswith(top)]
    return found[0] if found else len(LIBRARIES)


def functions(sources: dict[str, str]) -> dict[str, set[str]]:
    """Where functions are defined, by their names."""
    where: dict[str, set[str]] = collections.defaultdict(set)
    for source, text in sources.items():
        if source.startswith(STAND_INS):
            continue
        code = ASIDE.sub("", text)
        for name in (*FUNCTION.findall(code), *GETTER.findall(code)):
            where[name].add(source)
    where.pop("main", None)
    return where


def files(sources: dict[str, str]) -> dict[str, set[str]]:
    """Where sources are, by the names of their files."""
    where: dict[str, set[str]] = collections.defaultdict(set)
    for source in sources:
        where[pathlib.PurePath(source).name].add(source)
    return where


def twice(where: dict[str, set[str]]) -> dict[str, set[str]]:
    """What is in several places, the most frequent first."""
    names = sorted(where, key=lambda name: (-len(where[name]), name))
    return {name: where[name] for name in names if len(where[name]) > 1}


def knots(edges: Iterable[Arrow]) -> list[list[str]]:
    """Files that reach each other in a circle."""
    graph: dict[str, set[str]] = collections.defaultdict(set)
    for a, b in edges:
        graph[a].add(b)

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        left = [start]
        while left:
            new = graph.get(left.pop(), set()) - seen
            seen |= new
            left += new
        return seen

    reach = {node: reached(node) for node in graph}
    circles = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in graph}
    return sorted(sorted(circle) for circle in circles if len(circle) > 1)


#: Each line names a thing and the way out.
Offences = Iterator[str]


def check_arrows(
    called: Arrows, included: Arrows, installed: set[str], rooms: dict[str, Room]
) -> Offences:
    between: dict[Arrow, list[str]] = collections.defaultdict(list)
    inside: list[Arrow] = []
    for (a, b), what in sorted([*called.items(), *included.items()]):
        room_a, room_b = room_of(a, rooms), room_of(b, rooms)
        shown = f"{a} → {b}: {' '.join(sorted(what))}"
        if b in installed:  # of no room: what is called through it shows in the symbols
            if library_of(a) < library_of(b):
                yield f"a header of a library above: {shown}"
        elif room_a and room_b and room_a != room_b:
            between[room_a, room_b].append(shown)
        elif (a, b) in called:
            inside.append((a, b))
    for (a, b), files in between.items():
        if b not in rooms[a].may_use:
            yield "\n    ".join([f"{a} may not use {b}:", *files])
    for path, row in rooms.items():
        for unused in sorted(row.may_use - {b for a, b in between if a == path}):
            yield f"{path} may use {unused}, and does not: strike it from the table"
    mptcp = [a for a in between if all(r.startswith("src/mptcp/") for r in a)]
    if len(mptcp) > MAX_MPTCP_ARROWS:
        yield f"{len(mptcp)} arrows between the mptcp rooms, at most {MAX_MPTCP_ARROWS}"
    for knot in knots(between):
        yield f"rooms that use each other: {' '.join(knot)}"
    for knot in knots(inside):
        most = KNOTS.get(room_of(knot[0], rooms) or "", MAX_KNOT)
        if len(knot) > most:
            yield f"a knot of {len(knot)} files, at most {most}: {' '.join(knot)}"


def check_names(units: list[Unit], rooms: dict[str, Room], tests: set[str]) -> Offences:
    public = public_names()
    users = collections.Counter((programs_of(u)[0], name) for u in units for name in u.used)
    for unit in units:
        for name in sorted(unit.defined - public - {"main"}):
            if name not in tests and not any(users[program, name] for program in programs_of(unit)):
                yield f"{unit.source}: {name} is used nowhere else; make it static"
            else:
                yield from unfit(unit.source, name, rooms[unit.room])


def check_inline(sources: dict[str, str], installed: set[str], rooms: dict[str, Room]) -> Offences:
    """What headers define crosses files, too, and shows in no object file."""
    headers = {path: text for path, text in sources.items() if path.endswith(".h")}
    for name, places in functions(headers).items():
        for path in sorted(places - installed):
            if room := rooms.get(room_of(path, rooms) or ""):
                yield from unfit(path, name, room)


def unfit(path: str, name: str, room: Room) -> Offences:
    """A pattern of the table is "nl_" for a beginning, "_command" for an end."""
    if not any(name.endswith(p) if p[0] == "_" else name.startswith(p) for p in room.prefixes):
        yield f"{path}: {name} has no prefix of its room ({', '.join(room.prefixes)})"


def check_twice(kind: str, where: dict[str, set[str]]) -> Offences:
    found = twice(where)
    names, places = len(found), sum(map(len, found.values()))
    if names > MAX_TWICE[kind][0] or places > MAX_TWICE[kind][1]:
        yield (
            f"{names} names of {kind} stand for several, {places} in all; at most"
            f" {' and '.join(map(str, MAX_TWICE[kind]))}: give new {kind} names of their own"
            f" (test/house.py --twice prints which are taken twice)"
        )


def check_seen(units: list[Unit], known: Iterable[str]) -> Offences:
    """The sources were read right if they have the functions that the build shows."""
    unseen = [f"{u.source}: {name}" for u in units for name in sorted(u.functions - {*known})]
    if len(unseen) > MAX_UNSEEN * sum(len(unit.functions) for unit in units):
        yield f"functions that are not found in the sources: {', '.join(unseen)}"


def tracked(*patterns: str) -> list[pathlib.Path]:
    return [ROOT / line for line in run("git", "ls-files", "--", *patterns).splitlines()]


def check_loops() -> Offences:
    known = set(re.findall(r"^\s+- (\w+)$", (ROOT / ".clang-format").read_text(), re.MULTILINE))
    for path in tracked("*.c", "*.h"):
        for macro in {*LOOP_MACRO.findall(path.read_text())} - known:
            yield f"{path.relative_to(ROOT)}: {macro} is missing in .clang-format's ForEachMacros"


def installed_headers(build: pathlib.Path) -> set[str]:
    plan = json.loads(run("meson", "introspect", "--install-plan", build))
    paths = {pathlib.Path(path).resolve() for path in plan.get("headers", {})}
    return {str(path.relative_to(ROOT)) for path in paths if path.is_relative_to(ROOT)}


def check_headers(sources: dict[str, str], installed: set[str]) -> Offences:
    """In a folder that has installed headers, the others are called private."""
    folders = {pathlib.PurePath(header).parent for header in installed}
    for header in sorted(path for path in sources if path.endswith(".h")):
        path = pathlib.PurePath(header)
        private = path.name == "private.h" or path.name.endswith("-private.h")
        if not header.startswith(LIBRARIES) or private != (header in installed):
            continue
        if private:
            yield f"{header} is installed, and is called private"
        elif path.parent in folders:
            yield f"{header} is not installed, and lies among headers that are: call it …-private.h"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--build", type=pathlib.Path, default=ROOT / "build", help="the build directory"
    )
    parser.add_argument("--arrows", action="store_true", help="print what uses what, and stop")
    parser.add_argument(
        "--twice", action="store_true", help="print names that several have, and stop"
    )
    args = parser.parse_args()
    build = args.build.resolve()
    rooms = read_rooms(TABLE.read_text())
    sources = read_sources()
    names = {"functions": functions(sources), "files": files(sources)}
    if args.twice:
        for kind, where in names.items():
            found = twice(where)
            for name, places in found.items():
                print(f"{name}: {' '.join(sorted(places))}")
            share = len(found) / len(where)
            print(f"{len(found)} of {len(where)} names of {kind} ({share:.1%})\n")
        return 0
    if not (build / "libnvme").is_dir():
        sys.exit(f"house: {build} holds no build; 'make' makes one")
    units = read_units(build, rooms)
    called, included = arrows_between(units), includes(sources)
    if args.arrows:
        for (a, b), what in sorted([*called.items(), *included.items()]):
            print(f"{a} -> {b}: {' '.join(sorted(what))}")
        return 0
    installed = installed_headers(build)
    offences = [
        *check_arrows(called, included, installed, rooms),
        *check_names(units, rooms, used_by_tests()),
        *check_inline(sources, installed, rooms),
        *(offence for kind, where in names.items() for offence in check_twice(kind, where)),
        *check_seen(units, names["functions"]),
        *check_loops(),
        *check_headers(sources, installed),
    ]
    for offence in offences:
        print(f"house: {offence}")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
