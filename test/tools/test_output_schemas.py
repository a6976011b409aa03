# SPDX-License-Identifier: GPL-2.0-or-later
"""Schemas made from their descriptions: what a line becomes, and lines that are none."""

import importlib

import pytest

schema_of = importlib.import_module("gen-output-schemas").schema_of
STRING = {"type": "string"}

#: Members, and their schemas.
MEMBERS = {
    "a b: integer 1..255": {"a": {"type": "integer", "minimum": 1, "maximum": 255}},
    "a: string ..16": {"a": STRING | {"maxLength": 16}},
    "a: count | null # as set": {
        "a": {"description": "as set", "type": ["integer", "null"], "minimum": 0}
    },
    "a: 0 | 1": {"a": {"enum": [0, 1]}},
    'a: "x" | null': {"a": {"enum": ["x", None]}},
    'a: "x"': {"a": {"const": "x"}},
    'a: array ..2 of "x" |\n  /^y\\/z/': {
        "a": {
            "type": "array",
            "maxItems": 2,
            "items": {"anyOf": [{"enum": ["x"]}, STRING | {"pattern": "^y/z"}]},
        }
    },
    "a: one of\n  : string\n  : @b\n@b: any": {"a": {"oneOf": [STRING, {"$ref": "#/$defs/b"}]}},
}


@pytest.mark.parametrize("text", MEMBERS)
def test_members(text: str) -> None:
    schema = schema_of("list", f"Lists.\n\n{text}\n")
    assert (schema["title"], schema["description"]) == ("nvme list -o json", "Lists.")
    assert schema["properties"].items() >= MEMBERS[text].items()
    assert schema["additionalProperties"] is False


def test_objects() -> None:
    text = 'title: T\n\n: array of open object\n  {"minProperties": 1}\n  a: optional string\n'
    text += "  *: string\n"
    items = {"type": "object", "properties": {"a": STRING}, "additionalProperties": STRING}
    schema = schema_of("list", text)
    assert schema["items"] == items | {"minProperties": 1}
    assert (schema["title"], schema["type"]) == ("T", "array")


@pytest.mark.parametrize("line", ["a: text", "a: string string", "a: one", "a: {", "a:"])
def test_what_is_no_member(line: str) -> None:
    with pytest.raises((SystemExit, ValueError, IndexError)):
        schema_of("list", f"Lists.\n\n{line}\n")
