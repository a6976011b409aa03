#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What scripts can use of a module of libnvme: names, properties, signatures, constants.

Called with PYTHONPATH=build/python it prints that list for libnvme.nvme:
test/python/surface.py > test/data/python-surface.txt, after a look at the difference.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

SWIG = ("thisown",)


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
    lines: list[str] = []
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if inspect.isclass(value):
            lines += members(name, value)
        elif inspect.isfunction(value):
            lines.append(f"{name}{signature(value)}")
        elif isinstance(value, (int, str)):
            lines.append(f"{name} = {value!r}")
    return sorted(lines)


if __name__ == "__main__":
    from libnvme import nvme

    print("# What libnvme.nvme offers; test/python/surface.py prints it.")
    print("\n".join(surface(nvme)))
