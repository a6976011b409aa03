# SPDX-License-Identifier: LGPL-2.1-or-later
"""Differences between two configurations of a target, and the command line of nvmet."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ._nvmet_check import ConfigError
from ._nvmet_save import load, store_again

#: Keys that identify the objects in a list.
_KEYS = ("nqn", "nsid", "portid", "grpid", "name")
_SECRETS = ("key", "ctrl_key", "dhchap_key", "dhchap_ctrl_key")


class Change(NamedTuple):
    """A change made by Target.apply()."""

    kind: Literal["added", "removed", "changed"]
    path: str
    """Path of the value: "ports/1/addr/traddr", or "subsystems/NQN" for a whole object."""
    before: Any
    after: Any
    """The values; "(secret)" replaces keys."""

    def __str__(self) -> str:
        if self.kind != "changed":
            return f"{self.path}: {self.kind}"
        return f"{self.path}: {self.before} → {self.after}"


def _by_name(value: Any) -> Any:
    """Return a list as a dict: objects by their keys, names by themselves."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return value
    found = {}
    for item in value:
        if isinstance(item, Mapping):
            key = next(str(item[name]) for name in _KEYS if name in item)
            found[key] = {name: part for name, part in item.items() if str(part) != key}
        else:
            found[str(item)] = {}
    return found


def _shown(path: str, value: Any) -> Any:
    if path.rpartition("/")[2] in _SECRETS and value is not None:
        return "(secret)"
    if isinstance(value, Mapping):
        return {key: _shown(f"{path}/{key}", item) for key, item in value.items()}
    return value


def changes(
    before: Mapping[str, Any], after: Mapping[str, Any], where: str = ""
) -> Iterator[Change]:
    """Yield the differences between two configurations that Target.save() made."""
    for key in (*before, *(key for key in after if key not in before)):
        path = f"{where}/{key}" if where else str(key)
        old, new = _by_name(before.get(key)), _by_name(after.get(key))
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from changes(old, new, path)
        elif old is None:
            yield Change("added", path, None, _shown(path, new))
        elif new is None:
            yield Change("removed", path, _shown(path, old), None)
        else:
            yield Change("changed", path, _shown(path, old), _shown(path, new))


def attribute(name: str, doc: str) -> Any:
    """Return a property that reads and writes an attribute."""

    def read(node: Any) -> str | None:
        found: str | None = node.get(name)
        return found or None

    def write(node: Any, value: str) -> None:
        node.set(name, value)

    return property(read, write, doc=doc)


def run(
    target: Any, arguments: Sequence[str] | None, configfs: str, saved: str, backup: Path
) -> int:
    """Run the command line of libnvme.nvmet; return the exit code."""
    parser = argparse.ArgumentParser(
        prog=f"python3 -m {__package__}.nvmet",
        description="Save, restore or clear the NVMe target.",
    )
    parser.add_argument("action", choices=("save", "restore", "clear"))
    parser.add_argument("file", nargs="?", default=saved, help="JSON (default: %(default)s)")
    parser.add_argument("--root", default=configfs, help="nvmet's directory of configfs")
    parser.add_argument(
        "--backup",
        help="file with the previous configuration while restore runs "
        f"(default: {backup} for configfs)",
    )
    options = parser.parse_args(arguments)
    kept = options.backup or (backup if options.root == configfs else None)
    try:
        if options.action == "restore":
            config = load(options.file)
            target(options.root).restore(config, backup=kept)
        elif options.action == "save":
            store_again(target(options.root).save(), options.file)
        else:
            target(options.root).clear()
    except (OSError, ConfigError) as error:
        print(f"nvmet: {options.action}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"nvmet: {options.action}: interrupted", file=sys.stderr)
        return 130
    return 0
