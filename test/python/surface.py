#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts can use of a module of libnvme: names, properties, signatures, constants.

test/data/python-surface.txt records it for libnvme.nvme, without the enumerators of <nvme/types.h>:
test/data/abi has those. With PYTHONPATH=build/python this program prints that file. Read the
difference before you replace it.
"""

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "test/abi"))

import contract  # noqa: E402

RECORD = TOP / "test/data/python-surface.txt"
SWIG = ("thisown",)


def enumerators() -> set[str]:
    """The lines of the enumerators of <nvme/types.h>, as test/data/abi has them."""
    constants = contract.enumerators(TOP / "test/data/abi", "types.h")
    constants["NVME_NSID_ALL"] = -1  # SWIG takes an enumerator for an int
    return {f"{name} = {value}" for name, value in constants.items()}


def recorded() -> list[str]:
    """The lines that the module has to have, sorted."""
    text = RECORD.read_text().splitlines()
    return sorted({line for line in text if not line.startswith("#")} | enumerators())


def signature(function: object) -> str:
    """The signature of a function without types, or nothing for one in C without one."""
    try:
        found = inspect.signature(function) if callable(function) else None
    except ValueError:
        return "(...)"
    if found is None:
        return ""
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def members(name: str, cls: type) -> Iterator[str]:
    """The lines of a class."""
    bases = ", ".join(base.__name__ for base in cls.__bases__)
    yield f"class {name}({bases})"
    yield f"{name}{signature(cls.__init__)}"
    for member, value in vars(cls).items():
        if member in SWIG or (member.startswith("_") and member not in ("__enter__", "__str__")):
            continue
        if isinstance(value, property):
            access = "rw" if writable(cls, member) else "ro"
            yield f"{name}.{member} {access}"
        elif inspect.isfunction(value):
            yield f"{name}.{member}{signature(value)}"


def writable(cls: type, member: str) -> bool:
    """Has a property a setter?"""
    return getattr(cls, member).fset is not None


def surface(module: ModuleType) -> list[str]:
    """The lines of a module, sorted."""
    found: list[str] = []
    for name in dir(module):  # what comes on first use included
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        if inspect.isclass(value):
            found += members(name, value)
        elif inspect.isfunction(value):
            found.append(f"{name}{signature(value)}")
        elif isinstance(value, (int, str)):
            found.append(f"{name} = {value!r}")
    return sorted(found)


if __name__ == "__main__":
    from libnvme import nvme

    print("# What libnvme.nvme offers, without enumerators; test/python/surface.py prints it.")
    print("\n".join(line for line in surface(nvme) if line not in enumerators()))
