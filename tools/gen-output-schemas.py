#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make the JSON schemas of what commands print from doc/schema/*.txt.

A file begins with what the document is. A line "title: ..." replaces "nvme FILE -o json". After an
empty line come the members of the document, those of objects inside it indented:

    vid ssvid: integer                    each of these is an integer, and always there
    "Total Ports": optional count         a name with spaces, not always there
    /^bitmap_[0-9]+$/: string             each name like this; *: any other name
    psds: array of object # with -V       a description; lines that begin with # continue it
      max_power: integer                  a member of each of these objects
    flags: array of "signal" | /^0x/      a value, or a string that matches
    critical_warning: one of              alternatives; "any of": those that may be true together
      : integer
      : open object                       other members are possible
        value: byte
    links: null | array of @usage         nothing, or definitions ...
    @usage: object                        ... which follow the members

Types are integer, number, string, boolean and array, with bounds such as 1..255 or ..16 if needed;
count (an integer from 0), byte, null, any, and values in JSON. What else JSON Schema has follows a
type, or is a line of its own for the object around it: {"minItems": 1}. A first member without a
name, ": array of object", is the document itself. A line that ends in |, has no type yet, or begins
JSON that is not complete goes on in the next one.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|/(?P<pattern>(?:[^/\\]|\\.)*)/|#\s*(?P<says>.*)'
    r"|(?P<more>\{.*\})\s*(?=$|#)|(?P<mark>[|:])|(?P<word>[^\s|:#{]+))"
)
BOUNDS = re.compile(r"(\d*)\.\.(\d*)")
#: The keywords that bounds of a type stand for.
BOUND_WORDS = {
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
}
SIMPLE: dict[str, Json] = {
    "count": {"type": "integer", "minimum": 0},
    "byte": {"type": "integer", "minimum": 0, "maximum": 255},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "any": {},
}


class Token(NamedTuple):
    """A piece of a line, and what it is."""

    kind: str
    text: str


class Line(NamedTuple):
    """A member with its indentation, and the lines of what it holds."""

    indent: int
    tokens: list[Token]
    inside: list[Line]


def tokens_of(text: str) -> list[Token]:
    """The pieces of a line."""
    found = []
    at = 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        if not match or not match.lastgroup:
            raise SystemExit(f"not to be read: {text[at:]}")
        kind, piece = match.lastgroup, match[match.lastgroup]
        found.append(Token(kind, piece.replace("\\/", "/") if kind == "pattern" else piece))
        at = match.end()
    return found


def complete(tokens: list[Token]) -> bool:
    """Does a line end here?"""
    if tokens[-1] == Token("mark", "|"):
        return False
    return Token("mark", ":") in tokens or tokens[0].kind == "more"


def lines_of(text: str) -> list[Line]:
    """The members of the document, each with what it holds."""
    root = Line(-1, [], [])
    above = [root]
    rows = iter(filter(str.strip, text.splitlines()))
    for row in rows:
        while row.lstrip().startswith("{") and row.count("{") > row.count("}"):
            row += next(rows).strip()
        indent = len(row) - len(row.lstrip())
        tokens = tokens_of(row)
        last = above[-1]
        if tokens[0].kind == "says" or (last.tokens and not complete(last.tokens)):
            last.tokens.extend(tokens)
            continue
        while above[-1].indent >= indent:
            above.pop()
        above[-1].inside.append(Line(indent, tokens, []))
        above.append(above[-1].inside[-1])
    return root.inside


def bounded(kind: str, tokens: list[Token]) -> Json:
    """A type with its bounds."""
    schema: Json = {"type": kind}
    bounds = BOUNDS.fullmatch(tokens[0].text) if tokens and tokens[0].kind == "word" else None
    if bounds:
        tokens.pop(0)
        words = zip(BOUND_WORDS[kind], bounds.groups(), strict=True)
        schema |= {word: int(bound) for word, bound in words if bound}
    return schema


def single(tokens: list[Token], inside: list[Line]) -> Json:
    """A type, up to what is no part of it."""
    kind, text = tokens.pop(0)
    if kind == "text":
        return {"const": json.loads(text)}
    if kind == "pattern":
        return {"type": "string", "pattern": text}
    if text in ("one", "any") and tokens and tokens[0].text == "of":
        tokens.pop(0)
        return {f"{text}Of": [type_of(line.tokens[1:], line.inside) for line in inside]}
    if text in ("object", "open"):
        if text == "open":
            tokens.pop(0)
        return members(inside, closed=text == "object")
    if text.startswith("@"):
        return {"$ref": f"#/$defs/{text[1:]}"}
    if text in SIMPLE:
        return dict(SIMPLE[text])
    if text not in BOUND_WORDS:
        return {"const": json.loads(text)}
    schema = bounded(text, tokens)
    if text == "array" and tokens and tokens[0].text == "of":
        tokens.pop(0)
        schema["items"] = either(tokens, inside)
    return schema


def either(tokens: list[Token], inside: list[Line]) -> Json:
    """Types with | between them, as the shortest schema that has them."""
    kinds = [single(tokens, inside)]
    while tokens and tokens[0] == Token("mark", "|"):
        tokens.pop(0)
        kinds.append(single(tokens, inside))
    if len(kinds) == 1:
        return kinds[0]
    values = [kind["const"] for kind in kinds if "const" in kind]
    kinds = [kind for kind in kinds if "const" not in kind]
    if values and SIMPLE["null"] in kinds:
        values.append(None)
        kinds.remove(SIMPLE["null"])
    if kinds and not values:
        names = sorted((kind["type"] for kind in kinds), key=lambda name: name == "null")
        return {word: value for kind in kinds for word, value in kind.items()} | {"type": names}
    return {"anyOf": [{"enum": values}, *kinds]} if kinds else {"enum": values}


def type_of(tokens: list[Token], inside: list[Line]) -> Json:
    """The schema that a type stands for, with its description and its other keywords."""
    rest = list(tokens)
    schema = either(rest, inside)
    says = " ".join(token.text for token in rest if token.kind == "says")
    for token in rest:
        if token.kind == "more":
            schema |= json.loads(token.text)
        elif token.kind != "says":
            raise SystemExit(f"not to be read: {token.text}")
    return {"description": says} | schema if says else schema


def members(lines: list[Line], closed: bool) -> Json:
    """An object with these members."""
    schema: Json = {"type": "object"}
    required: list[str] = []
    if closed:
        schema["additionalProperties"] = False
    for line in lines:
        if line.tokens[0].kind == "more":
            schema |= json.loads(line.tokens[0].text)
            continue
        colon = line.tokens.index(Token("mark", ":"))
        kind = line.tokens[colon + 1 :]
        optional = kind[0].text == "optional"
        for token in line.tokens[:colon]:
            value = type_of(kind[optional:], line.inside)
            name = json.loads(token.text) if token.kind == "text" else token.text
            if token.kind == "pattern":
                schema.setdefault("patternProperties", {})[name] = value
            elif name == "*":
                schema["additionalProperties"] = value
            elif name.startswith("@"):
                schema.setdefault("$defs", {})[name[1:]] = value
            else:
                schema.setdefault("properties", {})[name] = value
                required += [] if optional else [name]
    return schema | ({"required": required} if required else {})


def schema_of(name: str, text: str) -> Json:
    """The schema that a file describes."""
    says, _, body = text.partition("\n\n")
    title = f"nvme {name} -o json"
    if says.startswith("title: "):
        title, _, says = says.removeprefix("title: ").partition("\n")
    schema: Json = {"$schema": DRAFT, "title": title}
    if says.strip():
        schema["description"] = " ".join(says.split())
    lines = lines_of(body)
    if lines and lines[0].tokens[0] == Token("mark", ":"):
        first, *lines = lines
        schema |= type_of(first.tokens[1:], first.inside)
        definitions = members(lines, closed=False).get("$defs")
        return schema | ({"$defs": definitions} if definitions else {})
    return schema | members(lines, closed=True)


def main() -> None:
    """Write a schema for each file."""
    parser = argparse.ArgumentParser(description="Make JSON schemas from their descriptions.")
    parser.add_argument("directory", type=Path, help="where to write them")
    parser.add_argument("sources", type=Path, nargs="+", help="NAME.txt, for NAME.json")
    args = parser.parse_args()
    for source in args.sources:
        try:
            schema = schema_of(source.stem, source.read_text(encoding="utf-8"))
        except (IndexError, KeyError, ValueError, SystemExit) as error:
            raise SystemExit(f"{source}: {error}") from error
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        (args.directory / f"{source.stem}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
