# SPDX-License-Identifier: LGPL-2.1-or-later
"""Read and change single endpoints and limits of the kernel's path manager over generic netlink."""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import socket
import struct
import threading
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

from ._arguments import IpAddress, Path, path_text, texts
from ._documents import Endpoint, Limits, Snapshot
from ._names import MODULE

_GENERIC, _SOL_NETLINK, _CAP_ACK, _EXT_ACK = 16, 270, 10, 11
_ERROR, _DONE, _CONTROL = 2, 3, 16
_REQUEST, _ACK = 1, 4
_CAPPED, _ACK_TLVS = 0x100, 0x200
_NESTED, _TYPE = 0x8000, 0x3FFF
_ADD, _DELETE, _GET_LIMITS, _SET_LIMITS = 1, 2, 6, 5
_ADDRESS, _ACCEPTED, _SUBFLOWS = 1, 2, 3
_FAMILY, _ID, _ADDR4, _ADDR6, _PORT, _FLAGS, _IFINDEX = range(1, 8)
_CLONE_NEWNET = 0x40000000

#: linux/mptcp.h, MPTCP_PM_ADDR_FLAG_*.
FLAGS = {"signal": 1, "subflow": 2, "backup": 4, "fullmesh": 8, "laminar": 32}


def _attribute(kind: int, value: bytes) -> bytes:
    data = struct.pack("=HH", 4 + len(value), kind) + value
    return data + b"\0" * (-len(data) % 4)


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if not 4 <= length <= len(data):
            return
        yield kind & _TYPE, data[4:length]
        data = data[(length + 3) & ~3 :]


def _open(netns: str | None) -> socket.socket:
    made: list[socket.socket | OSError] = []

    def work() -> None:
        try:
            if netns is not None:
                path = netns if "/" in netns else f"/run/netns/{netns}"
                descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    libc = ctypes.CDLL(None, use_errno=True)
                    if libc.setns(descriptor, _CLONE_NEWNET):
                        number = ctypes.get_errno()
                        raise OSError(number, os.strerror(number), path)
                finally:
                    os.close(descriptor)
            made.append(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _GENERIC))
        except OSError as error:
            made.append(error)

    if netns is None:
        work()
    else:  # a socket belongs to the namespace where it was created, and the caller stays in its own
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    [result] = made
    if isinstance(result, OSError):
        raise result
    return result


class _PathManager:
    """A socket for requests to the path manager of a network namespace."""

    def __init__(self, netns: Path | None) -> None:
        self._socket = _open(path_text(netns))
        self._sequence = 0
        try:
            for option in (_CAP_ACK, _EXT_ACK):
                self._socket.setsockopt(_SOL_NETLINK, option, 1)
            self._socket.bind((0, 0))
            name = _attribute(2, b"mptcp_pm\0")
            try:
                [reply] = self._ask(_CONTROL, 3, name)
            except OSError as error:
                if error.errno != errno.ENOENT:
                    raise
                why = "this kernel has no MPTCP path manager"
                raise OSError(errno.EOPNOTSUPP, why) from None
            self._family = struct.unpack("=H", dict(_attributes(reply))[1])[0]
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> _PathManager:
        return self

    def __exit__(self, *exception: object) -> None:
        self._socket.close()

    def ask(self, command: int, attributes: bytes = b"") -> list[bytes]:
        """Return the replies to a request; raise OSError with the kernel's message."""
        return self._ask(self._family, command, attributes)

    def _ask(self, family: int, command: int, attributes: bytes) -> list[bytes]:
        self._sequence += 1
        body = struct.pack("=BBH", command, 1, 0) + attributes
        header = struct.pack("=IHHII", 16 + len(body), family, _REQUEST | _ACK, self._sequence, 0)
        self._socket.send(header + body)
        replies: list[bytes] = []
        while True:
            data = self._socket.recv(1 << 16)
            while len(data) >= 16:
                length, kind, flags, sequence, _ = struct.unpack_from("=IHHII", data)
                message, data = data[16:length], data[(length + 3) & ~3 :]
                if sequence != self._sequence:
                    continue
                if kind == _ERROR:
                    self._finish(message, flags)
                    return replies
                replies.append(message[4:])

    @staticmethod
    def _finish(message: bytes, flags: int) -> None:
        [number] = struct.unpack_from("=i", message)
        if not number:
            return
        words = os.strerror(-number)
        if flags & _ACK_TLVS:
            skipped = 20 if flags & _CAPPED else 4 + struct.unpack_from("=I", message, 4)[0]
            text = dict(_attributes(message[skipped:])).get(1)
            if text:
                words += f" ({text.rstrip(bytes(1)).decode(errors='replace')})"
        raise OSError(-number, words)


def _number(value: int, name: str, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be int, not {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}, not from {least} to {most}")
    return value


def _flag_bits(flags: tuple[str, ...]) -> int:
    unknown = [flag for flag in flags if flag not in FLAGS]
    if unknown:
        raise ValueError(f"flags: {unknown[0]!r} is not one of {', '.join(FLAGS)}")
    if "signal" in flags and "fullmesh" in flags:
        raise ValueError(
            "flags: the kernel does not accept an endpoint with both signal and fullmesh"
        )
    return sum(FLAGS[flag] for flag in set(flags))


def _address(address: IpAddress) -> tuple[bytes, IPv4Address | IPv6Address]:
    [word] = texts(address, "address")
    parsed = ip_address(word)
    ipv4 = isinstance(parsed, IPv4Address)
    family = socket.AF_INET if ipv4 else socket.AF_INET6
    data = _attribute(_FAMILY, struct.pack("=H", family))
    return data + _attribute(_ADDR4 if ipv4 else _ADDR6, parsed.packed), parsed


def _nested(attributes: bytes) -> bytes:
    return _attribute(_ADDRESS | _NESTED, attributes)


def _snapshot(netns: Path | None) -> Snapshot:
    found: Snapshot = importlib.import_module(MODULE).snapshot(netns)
    return found


def _seen(netns: Path | None) -> tuple[Endpoint, ...]:
    found = _snapshot(netns)
    for problem in found.problems:
        if problem.part == "endpoints":
            raise OSError(problem.errno, problem.text)
    return found.endpoints


class endpoints:
    """Functions for single endpoints of the kernel's path manager; setup() plans all of them."""

    @staticmethod
    def list(netns: Path | None = None) -> tuple[Endpoint, ...]:
        """Return the endpoints of a network namespace; raise OSError if they cannot be read."""
        return _seen(netns)

    @staticmethod
    def add(
        address: IpAddress,
        *,
        dev: str | None = None,
        flags: str | Iterable[str] = ("subflow",),
        id: int | None = None,
        port: int | None = None,
        netns: Path | None = None,
    ) -> Endpoint:
        """Add an endpoint and return it as the kernel has it, with its id.

        dev is the network interface that its subflows are bound to, by default the one that routing
        chooses. flags are signal, subflow, backup, fullmesh and laminar. id is by default an unused
        one. OSError with the kernel's message is raised if it refuses: EEXIST or EINVAL if the
        endpoint exists, ENOSPC if the table is full. Requires CAP_NET_ADMIN.
        """
        given = (flags,) if isinstance(flags, str) else tuple(flags)
        bits = _flag_bits(given)
        attributes, parsed = _address(address)
        attributes += _attribute(_FLAGS, struct.pack("=I", bits))
        if id is not None:
            attributes += _attribute(_ID, struct.pack("=B", _number(id, "id", 1, 255)))
        if port is not None:
            attributes += _attribute(_PORT, struct.pack("=H", _number(port, "port", 1, 65535)))
        if dev is not None:
            attributes += _attribute(_IFINDEX, struct.pack("=i", _ifindex(dev, netns)))
        with _PathManager(netns) as kernel:
            try:
                kernel.ask(_ADD, _nested(attributes))
            except OSError as error:
                raise OSError(error.errno, f"endpoint {parsed}: {error.strerror}") from None
        found = [
            endpoint
            for endpoint in _seen(netns)
            if ip_address(endpoint.address) == parsed
            and endpoint.port == port
            and id in (None, endpoint.id)
        ]
        if not found:
            raise OSError(errno.ENOENT, f"endpoint {parsed}: deleted right after it was added")
        return found[-1]

    @staticmethod
    def delete(
        id: int | None = None, *, address: IpAddress | None = None, netns: Path | None = None
    ) -> Endpoint:
        """Delete the endpoint with an id or an address, and return its previous state.

        The kernel closes its subflows, including the last one of a connection, which repair() never
        does. LookupError is raised if there is no such endpoint, ValueError if several have the
        address.
        """
        if (id is None) == (address is None):
            raise TypeError("delete: give the id or the address of an endpoint")
        parsed = None if address is None else _address(address)[1]
        if id is not None:
            _number(id, "id", 1, 255)
        found = [
            endpoint
            for endpoint in _seen(netns)
            if endpoint.id == id or ip_address(endpoint.address) == parsed
        ]
        what = f"id {id}" if parsed is None else f"address {parsed}"
        if not found:
            raise LookupError(f"no endpoint with {what}")
        if len(found) > 1:
            ids = ", ".join(str(endpoint.id) for endpoint in found)
            raise ValueError(f"several endpoints with {what}: give one of the ids {ids}")
        [endpoint] = found
        attributes = _address(endpoint.address)[0]
        attributes += _attribute(_ID, struct.pack("=B", endpoint.id))
        with _PathManager(netns) as kernel:
            try:
                kernel.ask(_DELETE, _nested(attributes))
            except OSError as error:
                raise OSError(error.errno, f"endpoint with {what}: {error.strerror}") from None
        return endpoint


def _ifindex(dev: str, netns: Path | None) -> int:
    if not isinstance(dev, str):
        raise TypeError(f"dev must be str, not {type(dev).__name__}")
    for link in _snapshot(netns).links:
        if link.name == dev:
            return link.ifindex
    raise OSError(errno.ENODEV, f"no network interface {dev}")


class limits:
    """Functions for the limits of the kernel's path manager."""

    @staticmethod
    def get(netns: Path | None = None) -> Limits:
        """Return the limits of a network namespace."""
        with _PathManager(netns) as kernel:
            return limits._read(kernel)

    @staticmethod
    def set(
        subflows: int | None = None,
        add_addr_accepted: int | None = None,
        *,
        netns: Path | None = None,
    ) -> Limits:
        """Set limits, where None keeps the current one, and return the kernel's new limits.

        Existing connections keep their limits. OSError with the kernel's message is raised if a
        limit exceeds its maximum. Requires CAP_NET_ADMIN.
        """
        wanted = (("subflows", subflows), ("add_addr_accepted", add_addr_accepted))
        given = {
            name: _number(value, name, 0, 0xFFFFFFFF) for name, value in wanted if value is not None
        }
        if not given:
            raise TypeError("set: give subflows, add_addr_accepted, or both")
        with _PathManager(netns) as kernel:
            now = limits._read(kernel)
            values = (
                (_ACCEPTED, given.get("add_addr_accepted", now.add_addr_accepted or 0)),
                (_SUBFLOWS, given.get("subflows", now.subflows or 0)),
            )
            data = b"".join(_attribute(kind, struct.pack("=I", value)) for kind, value in values)
            try:
                kernel.ask(_SET_LIMITS, data)
            except OSError as error:
                words = ", ".join(f"{name} {value}" for name, value in given.items())
                raise OSError(error.errno, f"limits {words}: {error.strerror}") from None
            return limits._read(kernel)

    @staticmethod
    def _read(kernel: _PathManager) -> Limits:
        [reply] = kernel.ask(_GET_LIMITS)
        found = {kind: struct.unpack("=I", value)[0] for kind, value in _attributes(reply)}
        return Limits(subflows=found.get(_SUBFLOWS), add_addr_accepted=found.get(_ACCEPTED))


for _public in (endpoints, limits):
    _public.__module__ = MODULE
