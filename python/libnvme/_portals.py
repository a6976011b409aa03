# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which portals answer: each is called by a TCP connection that is closed again.

The kernel waits for a silent portal for minutes, and is not to be stopped then.
"""

from __future__ import annotations

import errno
import selectors
import socket
import time
from collections.abc import Iterable
from typing import NamedTuple

MAX_CALLS = 256  # at the same time; each is a descriptor

#: Refused is an answer; so is what fails at once, as it does in the kernel.
UNREACHABLE = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT)


class Portal(NamedTuple):
    """Where a connection leads, and where it starts; None where that is left open."""

    traddr: str | None
    trsvcid: str | None
    host_traddr: str | None = None
    host_iface: str | None = None

    def __str__(self) -> str:
        traddr = f"[{self.traddr}]" if self.traddr and ":" in self.traddr else self.traddr
        return f"{traddr}:{self.trsvcid}"


def _numeric(host: str | None, port: str | int | None) -> tuple[int, tuple[object, ...]] | None:
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    if host is None or port is None:
        return None
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return None  # a name: only whoever connects resolves it
    return found[0][0], found[0][4]


def _call(portal: Portal) -> socket.socket | None:
    """Start to connect; None if there is nothing to wait for."""
    to = _numeric(portal.traddr, portal.trsvcid)
    if not to:
        return None
    caller = socket.socket(to[0], socket.SOCK_STREAM)
    try:
        caller.setblocking(False)
        if portal.host_iface:
            option = portal.host_iface.encode()
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, option)
        here = _numeric(portal.host_traddr, 0)
        if here:
            caller.bind(here[1])
        if caller.connect_ex(to[1]) == errno.EINPROGRESS:
            return caller
    except OSError:
        pass  # so does the connection itself, and says why
    caller.close()
    return None


def silent(portals: Iterable[Portal], seconds: float) -> list[Portal]:
    """Those of the portals that do not answer within a time."""
    wanted = list(portals)
    found: list[Portal] = []
    for i in range(0, len(wanted), MAX_CALLS):
        found += _silent(wanted[i : i + MAX_CALLS], time.monotonic() + seconds)
    return found


def _silent(portals: list[Portal], ends: float) -> list[Portal]:
    found: list[Portal] = []
    with selectors.DefaultSelector() as selector:
        try:
            for portal in portals:
                caller = _call(portal)
                if caller:
                    selector.register(caller, selectors.EVENT_WRITE, portal)
            while selector.get_map() and (left := ends - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    assert isinstance(key.fileobj, socket.socket)
                    error = key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if error in UNREACHABLE:
                        found.append(key.data)
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
        finally:
            for key in list(selector.get_map().values()):
                found.append(key.data)
                assert isinstance(key.fileobj, socket.socket)
                key.fileobj.close()
    return found
