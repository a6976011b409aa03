# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check and convert the arguments of libnvme.mptcp's functions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address
from typing import get_args

from ._document import make
from ._objects import address
from ._plans import Plan, PlanFailed
from ._words import Role, Side

#: Types that functions accept as an IP address, and as a path.
IpAddress = str | IPv4Address | IPv6Address
Path = str | os.PathLike[str]


def role_number(role: Role, *allowed: Side) -> int:
    roles = get_args(Role)
    if role not in (allowed or roles):
        raise ValueError(f"role is {role!r}, not one of {', '.join(allowed or roles)}")
    return roles.index(role)


def path_text(path: Path | None) -> str | None:
    return None if path is None else os.fsdecode(path)


def text(word: str | None, name: str) -> str | None:
    """Return word if it is a str or None, else raise TypeError."""
    if word is not None and not isinstance(word, str):
        raise TypeError(f"{name} must be str, not {type(word).__name__}")
    return word


def texts(words: IpAddress | Iterable[IpAddress], name: str) -> tuple[str, ...]:
    words = address(words)
    if not isinstance(words, Iterable) or isinstance(words, bytes):
        raise TypeError(f"{name} must be str or several of them, not {type(words).__name__}")
    given = (words,) if isinstance(words, str) else tuple(address(word) for word in words)
    for word in given:
        if not isinstance(word, str):
            raise TypeError(f"{name} must be str, not {type(word).__name__}")
    return given


def plan_of(document: str, failed: int) -> Plan:
    plan = make(Plan, document)
    if failed:
        refused = next((step for step in plan.steps if step.error), None)
        text = f"{refused.command}: {refused.error}" if refused else os.strerror(failed)
        raise PlanFailed(failed, text, plan)
    return plan
