#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write the schema of the JSON configuration.

libnvme/config.schema.txt describes hosts, subsystems and their mptcp object. This program adds
what follows from the tables of options and transports: ports, and misplaced keys.
"""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path
from typing import Any

schema_of = importlib.import_module("gen-output-schemas").schema_of

TEXT = {"type": "string", "maxLength": 255, "pattern": "^[!-+\\--~]*$"}
Json = dict[str, Any]


def described(option: Json, transports: list[str]) -> str:
    """The help of an option as a description."""
    text = str(option["help"]).replace("@transports@", "One of " + ", ".join(transports))
    if option["meta"] == "SEC":
        text += ", in seconds"
    if option["type"] == "number" and option["unset"] >= option["least"]:
        text += f"; {option['unset']}: the kernel's default"
    return text[0].upper() + text[1:]


def property_of(option: Json, transports: list[str]) -> Json:
    """What the key of an option may hold."""
    text = TEXT | {"maxLength": option["most"]}
    kinds: dict[str, Json] = {
        "text": text,
        "key": {"anyOf": [text, {"type": "integer"}]},
        "number": {"type": "integer", "minimum": option["least"], "maximum": option["most"]},
        "flag": {"type": "boolean"},
    }
    value = dict(kinds[option["type"]])
    if option["name"] == "transport":
        value = {"enum": transports}
    elif option["name"] == "trsvcid":
        value = dict(kinds["key"])
    elif option["local"]:
        value.pop("pattern", None)
    return value | {"description": described(option, transports)}


def required(keys: list[str]) -> list[Json]:
    """One alternative for each key."""
    return [{"required": [key]} for key in keys]


def fill(schema: Json, table: Json) -> None:
    """Add what the tables say."""
    rows = [option for option in table["options"] if option["json"]]
    names = [row["name"] for row in table["transports"]]
    keys = [option["json"] for option in rows]
    definitions = schema["$defs"]
    port = definitions["port"]
    port["properties"] = {option["json"]: property_of(option, names) for option in rows}
    addressed = [row["name"] for row in table["transports"] if row["needs_traddr"]]
    port["allOf"][0]["if"]["properties"]["transport"]["enum"] = addressed
    for level, other in (("host", "subsystem"), ("subsystem", "host")):
        own = definitions[level]["properties"]
        stray = [key for key in definitions[other]["properties"] if key not in own]
        stray += [key for key in keys if key not in own]
        definitions[level]["not"] = {"anyOf": required(stray)}
    above = [*definitions["host"]["properties"], *definitions["subsystem"]["properties"]]
    port["allOf"][-1]["not"] = {"anyOf": required([key for key in above if key not in keys])}


def main() -> None:
    """Print the filled schema."""
    parser = argparse.ArgumentParser(description="Write the configuration's schema.")
    parser.add_argument("options", type=Path, help="dump of the tables")
    parser.add_argument("schema", type=Path, help="description of the schema, without ports")
    args = parser.parse_args()
    schema = schema_of(args.schema.stem, args.schema.read_text(encoding="utf-8"))
    fill(schema, json.loads(args.options.read_text(encoding="utf-8")))
    print(json.dumps(schema, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
