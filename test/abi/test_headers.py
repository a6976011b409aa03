# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every installed header stands alone, in C and C++, for gcc and clang."""

import re
import shutil
import subprocess
from pathlib import Path

import contract
import pytest

WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Werror"]
STRICT_C = ["-Wstrict-prototypes", "-Wmissing-prototypes", "-Wold-style-definition"]
LEAKS = ["min", "max", "container_of", "ARRAY_SIZE", "le16_to_cpu", "cpu_to_le16", "__packed"]
COMPILERS = [
    ["gcc", "-std=gnu99", *STRICT_C],
    ["gcc", "-std=c17", *STRICT_C],
    ["g++", "-xc++", "-std=c++11"],
    ["g++", "-xc++", "-std=c++20"],
    ["clang", "-std=gnu99", *STRICT_C],
    ["clang", "-std=c17", *STRICT_C],
    ["clang++", "-xc++", "-std=c++11"],
    ["clang++", "-xc++", "-std=c++20"],
]


def named(compiler: list[str]) -> str:
    """Return the part of a compiler's command line that tells it from the others."""
    return f"{compiler[0]} {next(word for word in compiler if word.startswith('-std'))}"


def umbrella(header: Path) -> str | None:
    """Return the header that a part of it says to use in its stead."""
    before_guard = header.read_text().partition("#ifndef")[0]
    found = re.search(r"\b[Uu]se\s[\s*]*<(nvme/[\w-]+\.h)>", before_guard)
    return found[1] if found else None


def compiled(compiler: list[str], source: Path, *flags: str) -> str:
    """Return what the compiler complains of, or skip if there is no such compiler."""
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"skipped: {compiler[0]} is not installed")
    command = [*compiler, *flags, "-fsyntax-only", str(source)]
    return subprocess.run(command, check=False, capture_output=True, text=True).stderr


@pytest.mark.parametrize("compiler", COMPILERS, ids=named)
def test_each_header_stands_alone(compiler: list[str], include: Path, tmp_path: Path) -> None:
    """A header brings along what it uses, and can be included twice."""
    complaints = {}
    headers = sorted(path.relative_to(include) for path in include.rglob("*.h"))
    assert Path("nvme/types.h") in headers
    for header in headers:
        if umbrella(include / header):
            continue
        source = tmp_path / f"{str(header).replace('/', '-')}.c"
        source.write_text(f"#include <{header}>\n#include <{header}>\n" "extern int unused_unit;\n")
        complaint = compiled(compiler, source, *WARNINGS, f"-I{include}")
        if complaint:
            complaints[str(header)] = complaint
    assert complaints == {}


@pytest.mark.parametrize("compiler", COMPILERS, ids=named)
def test_installed_headers_pass_a_pedantic_program(
    compiler: list[str], include: Path, tmp_path: Path
) -> None:
    """A program that wants -Wpedantic gets it for its own code."""
    source = tmp_path / "program.c"
    source.write_text("#include <libnvme.h>\nextern int unused_unit;\n")
    assert compiled(compiler, source, *WARNINGS, "-Wpedantic", "-isystem", str(include)) == ""


@pytest.mark.parametrize("compiler", COMPILERS, ids=named)
def test_no_common_name_is_taken(compiler: list[str], include: Path, tmp_path: Path) -> None:
    """Macros of these names would break the programs that include the header."""
    source = tmp_path / "program.c"
    checks = "".join(f'#ifdef {name}\n#error "{name} leaks"\n#endif\n' for name in LEAKS)
    source.write_text(f"#include <libnvme.h>\n{checks}extern int unused_unit;\n")
    assert compiled(compiler, source, f"-I{include}") == ""


def test_each_structure_and_enumeration_is_documented(include: Path) -> None:
    bare = []
    for header in include.rglob("*.h"):
        text = header.read_text()
        for kind, name in re.findall(
            r"^(?:__extension__ )?(struct|union|enum) (\w+) \{$", text, re.M
        ):
            if not re.search(rf"^(?: \*|/\*\*) {kind} {name} - \S", text, re.M):
                bare.append(f"{kind} {name}")
    assert bare == []


def test_each_function_is_documented(include: Path, data: Path) -> None:
    text = "".join(header.read_text() for header in include.rglob("*.h"))
    documented = set(re.findall(r"^(?: \*|/\*\*) (\w+)\(\) - \S", text, re.M))
    absent = sorted(set(contract.functions(data)) - documented)
    assert not absent, f"not documented: {' '.join(absent)}"


# A kernel-doc comment and the declaration that follows it, up to its end or its body.
DOCUMENTED = re.compile(r"^/\*\*((?: .*|\n(?: \*.*\n)+?)) \*/\n([^;{]+?)[;{]", re.M)
FREED = re.compile(r"\b(frees?|freed|wipes)\b|\bAs \w+\(\)|Return: @\w+|given to \w+\(\)")
OWNED = re.compile(
    r"\b(owns|owned by|belongs to|caller frees|valid until|lives until|static)\b"
    r"|Ownership is described"
)
REFERS = re.compile(r"see <(nvme/[\w-]+\.h)>")


def says_who_owns(include: Path, header: Path) -> bool:
    """Tell whether a header, or the one that it refers to, says who owns what is in it."""
    before_guard = header.read_text().partition("#ifndef")[0]
    found = REFERS.search(before_guard)
    if found:
        return says_who_owns(include, include / found[1])
    return bool(OWNED.search(before_guard))


def unowned(include: Path, header: Path) -> list[str]:
    """Return the functions of a header that give something away and do not say whose it is."""
    found = []
    in_header = says_who_owns(include, header)
    for comment, declaration in DOCUMENTED.findall(header.read_text()):
        name = re.search(r"^(?: \*)? (\w+)\(\) - ", comment, re.M)
        if not name or declaration.startswith("#"):
            continue
        text = " ".join(line.removeprefix(" *").strip() for line in comment.splitlines())
        result, _, parameters = " ".join(declaration.split()).partition(name[1])
        is_borrowed = re.search(r"const (?:struct )?\w+ \*$|\bnvme_\w+_t $", result)
        is_given = not is_borrowed and result.endswith("*")
        if re.search(r"(?<!const )\b(?:struct )?\w+ \*\*", parameters):
            is_given = True
        said = FREED.search(text) or OWNED.search(text)
        if (is_given or (is_borrowed and not in_header)) and not said:
            found.append(name[1])
    return found


def test_each_pointer_says_whose_it_is(include: Path) -> None:
    """Who frees what a function returns stands with the function or at the top of its header."""
    silent = {
        str(header.relative_to(include)): names
        for header in sorted(include.rglob("*.h"))
        if (names := unowned(include, header))
    }
    assert silent == {}
