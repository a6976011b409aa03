# SPDX-License-Identifier: GPL-2.0-or-later
"""Which faults there are: the changes that a line of C permits, and a draw among all lines."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

#: What is replaced by what, in code outside of strings and comments.
OPERATORS: tuple[tuple[str, str], ...] = (
    (r"==", "!="),
    (r"!=", "=="),
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )>(?= )", ">="),
    (r"<=(?= )", "<"),
    (r">=(?= )", ">"),
    (r"&&", "||"),
    (r"\|\|", "&&"),
    (r"(?<= )\+(?= )", "-"),
    (r"(?<= )-(?= )", "+"),
    (r"\+=", "-="),
    (r"-=", "+="),
    (r"(?<= )&(?= )", "|"),
    (r"(?<= )\|(?= )", "&"),
    (r"\|=", "&="),
    (r"&=", "|="),
    (r"(?<= )<<(?= )", ">>"),
    (r"(?<= )>>(?= )", "<<"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"!(?=[\w(*])", ""),
    (r"\bcontinue;", "break;"),
)

#: Words that begin a declaration, or a statement that cannot just go.
NO_CALL = re.compile(
    r"^(return|break|continue|goto|else|case|default|do|const|static|struct|union|enum|unsigned|"
    r"signed|extern|typedef|va_list|_cleanup\w*|[a-z_]\w* +\*?[a-z_]\w*[ ;,=\[(])"
)

#: What a statement may follow: others go on from the line before.
COMPLETE = re.compile(r"([;{}:)]|\belse|\bdo)$")


@dataclass(frozen=True)
class Mutant:
    """One line of a file, and what stands there instead."""

    path: Path
    number: int
    line: str
    changed: str

    def __str__(self) -> str:
        return f"{self.path}:{self.number}\n    - {self.line.strip()}\n    + {self.changed.strip()}"


def masked(text: str) -> str:
    """Returns C code with its comments, strings and directives blanked, every byte in its place."""

    def blank(match: re.Match[str]) -> str:
        piece = match[0]
        if piece[0] in "\"'":
            return piece[0] + re.sub(r"[^\n]", "x", piece[1:-1]) + piece[-1]
        return re.sub(r"[^\n]", " ", piece)

    return re.sub(
        r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*",
        blank,
        text,
        flags=re.DOTALL | re.MULTILINE,
    )


def closing(code: str, start: int) -> int:
    """Returns where the parenthesis at ``start`` is closed, or -1 when not on this line."""
    depth = 0
    for i in range(start, len(code)):
        depth += (code[i] == "(") - (code[i] == ")")
        if not depth:
            return i
    return -1


def _negated(line: str, code: str) -> Iterator[str]:
    """Yields the line with its condition reversed."""
    match = re.search(r"\b(?:if|while) (?=\()", code)
    end = closing(code, match.end()) if match else -1
    if match and end > 0:
        yield f"{line[: match.end()]}(!{line[match.end() : end + 1]}){line[end + 1 :]}"


def _numbers(line: str, code: str) -> Iterator[str]:
    """Yields the line with one of its numbers changed; more room in an array changes nothing."""
    if re.match(r"\s*(static |const |unsigned )*\w+ [\w*, ]*\w+\[", code) and "=" not in code:
        return
    for match in re.finditer(r"(?<![\w.])(0|[1-9]\d*)(?![\w.])", code):
        yield f"{line[: match.start()]}{int(match[0]) + 1}{line[match.end() :]}"


def _returns(line: str, code: str) -> Iterator[str]:
    """Yields the line with another value returned."""
    match = re.search(r"\breturn (.+);$", code)
    if not match:
        return
    for value in ("0", "1"):
        if match[1] != value:
            yield f"{line[: match.start(1)]}{value};"
            return


def _dropped(line: str, code: str, before: str) -> Iterator[str]:
    """Yields the line without its statement, or without the member that it initializes."""
    statement = code.strip()
    if re.fullmatch(r"\.\w+(\[\w+\])? = .*[^{(],", statement) and _balanced(statement):
        yield ""
    elif (
        re.fullmatch(r"[\w*(+-].*;", statement)
        and not NO_CALL.match(statement)
        and not statement.startswith(("if ", "for ", "while ", "switch "))
        and COMPLETE.search(before)
        and _balanced(statement)
    ):
        yield line[: len(line) - len(line.lstrip())] + ";"


def _balanced(code: str) -> bool:
    return all(code.count(a) == code.count(b) for a, b in (("(", ")"), ("{", "}"), ("[", "]")))


def changes(line: str, code: str, before: str) -> list[str]:
    """Returns everything that may stand in a line's place; ``code`` is the line masked."""
    if not code.startswith("\t") or not code.strip():
        return []
    found = [
        line[: match.start()] + new + line[match.end() :]
        for old, new in OPERATORS
        for match in re.finditer(old, code)
    ]
    found += [*_negated(line, code), *_numbers(line, code), *_returns(line, code)]
    found += _dropped(line, code, before)
    return [changed for changed in dict.fromkeys(found) if changed != line]


def mutants_of(path: Path, text: str) -> list[list[Mutant]]:
    """Returns the mutants of each line of a file that has any."""
    found = []
    before = ""
    for number, (line, code) in enumerate(
        zip(text.splitlines(), masked(text).splitlines(), strict=True), 1
    ):
        made = [Mutant(path, number, line, c) for c in changes(line, code, before)]
        if made:
            found.append(made)
        before = code.rstrip() or before
    return found


def sources(top: Path, files: list[Path], rooms: list[str]) -> list[Path]:
    """Returns the C files below the rooms that are named, or below all."""
    where = rooms or ["src", "nvme-cli", "plugins"]
    found = [
        file
        for file in files
        if file.suffix == ".c" and any((top / file).is_relative_to(top / room) for room in where)
    ]
    return sorted(found)


def draw(
    top: Path, files: list[Path], seed: int, accept: Callable[[Mutant], bool]
) -> Iterator[Mutant]:
    """Yields mutants in the order of a seed: every line as likely as another.

    ``accept`` is asked for each: a change that does not compile, or compiles to the same, is none.
    """
    chance = random.Random(seed)
    lines = [made for file in files for made in mutants_of(file, (top / file).read_text())]
    chance.shuffle(lines)
    for made in lines:
        mutant = chance.choice(made)
        if accept(mutant):
            yield mutant
