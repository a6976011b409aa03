# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments of libnvme.mptcp's functions, and what errors of the library mean there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address
from typing import get_args

from ._document import make
from ._objects import address
from ._plans import Plan, PlanFailed
from ._words import Role, Side

#: What a function takes as an IP address, and as a path.
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
    """What is a str, or None."""
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


def interfaces(way: tuple[str | None, str | None, str | None, str | None]) -> str:
    """The arguments of a way to a target that name a network interface."""
    named = zip(("traddr", "", "host_traddr", "host_iface"), way, strict=True)
    return " ".join(
        f"{name}={value}"
        for name, value in named
        if name and value is not None and (name == "host_iface" or "%" in value)
    )


def plan_reasons(traddrs: tuple[str, ...], devices: tuple[str, ...]) -> dict[int, str]:
    return {
        errno.EINVAL: f"traddr={','.join(traddrs)}: IP addresses of one family are wanted",
        errno.ENODEV: f"dev={','.join(devices)}: no such network interface",
        errno.ENOLINK: "no link is usable: it has to be up, with a carrier and a global address "
        "of the target's family",
        errno.ENOSPC: "endpoints of others fill the kernel's table, and replace=True deletes them",
    }


@contextmanager
def explained(reasons: dict[int, str]) -> Iterator[None]:
    """Say what an errno of the library means here."""
    try:
        yield
    except OSError as error:
        # A namespace that cannot be entered is the file; it has no such reason.
        of_argument = error.errno in (errno.ENODEV, errno.EADDRNOTAVAIL)
        if (error.filename is None or of_argument) and error.errno in reasons:
            if error.errno == errno.EPROTO:
                raise ValueError(reasons[error.errno]) from None
            raise OSError(error.errno, reasons[error.errno]) from None
        raise


def plan_of(document: str, failed: int) -> Plan:
    plan = make(Plan, document)
    if failed:
        refused = next((step for step in plan.steps if step.error), None)
        text = f"{refused.command}: {refused.error}" if refused else os.strerror(failed)
        raise PlanFailed(failed, text, plan)
    return plan
