# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the documents of libnvme.mptcp are made: frozen dataclasses from JSON."""

from __future__ import annotations

import gc
import json
from dataclasses import field, fields
from typing import Any, TypeVar

from . import _mptcp

_T = TypeVar("_T")


_descriptions: dict[type, tuple[Any, ...]] = {}


def _describe(cls: type) -> tuple[Any, ...]:
    """What _mptcp.make() wants to know of a dataclass."""
    if cls not in _descriptions:
        members = []
        for member in fields(cls):
            of = member.metadata.get("of")
            key = member.name.removesuffix("_")  # from_ is "from"
            members.append((key, member.name, of and _describe(of)))
        _descriptions[cls] = (cls, tuple(members))
    return _descriptions[cls]


def make(cls: type[_T], text: str) -> _T:
    """An object of a dataclass from a JSON object; keys that it does not know are left out."""
    collecting = gc.isenabled()
    gc.disable()  # nothing here is garbage, and there may be much of it
    try:
        made: _T = _mptcp.make(_describe(cls), json.loads(text))
    finally:
        if collecting:
            gc.enable()
    return made


def of(cls: type) -> Any:
    return field(metadata={"of": cls})
