# SPDX-License-Identifier: LGPL-2.1-or-later
"""Check the configuration of a target before nvmet.py changes anything."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any

from ._objects import address

NQN_MAX = 223
# Bytes of an attribute that the kernel reads; it ignores the rest.
VALUE_MAX = 4095


class ConfigError(ValueError):
    """An invalid configuration; the text states the place and the reason."""


def check_name(value: object, where: str) -> str:
    """Return value if it can be the name of a directory in configfs, else raise ConfigError."""
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {value!r} is not a string")
    if not value or value in (".", "..") or "/" in value or not value.isprintable():
        raise ConfigError(f"{where}: {value!r} is not a valid name")
    if len(value.encode()) > NQN_MAX:
        raise ConfigError(f"{where}: {value[:40]}... has more than {NQN_MAX} bytes")
    return value


def _number(value: object, where: str, low: int, high: int) -> int:
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()):
        raise ConfigError(f"{where}: {value!r} is not a number")
    if not low <= int(text) <= high:
        raise ConfigError(f"{where}: {text} is not between {low} and {high}")
    return int(text)


def check_value(value: object, where: str) -> str:
    """Return the value of an attribute as the kernel reads it, which stops at the end of a line.

    A newline at the end, as in key files, is not part of the value.
    """
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, bytes | os.PathLike):
        text = os.fsdecode(value)
    else:
        text = str(address(value)).removesuffix("\n")
    if "\n" in text or "\0" in text:
        raise ConfigError(f"{where}: a value must be a single line without null characters")
    _encodes(text, where)
    return text


def _encodes(text: str, where: str) -> None:
    """Raise ConfigError unless text can be encoded and is short enough for the kernel.

    os.fsencode() accepts lone surrogates that stand for undecodable bytes of a path, and no others.
    """
    try:
        length = len(os.fsencode(text))
    except UnicodeEncodeError:
        raise ConfigError(f"{where}: characters that cannot be encoded") from None
    if length > VALUE_MAX:
        raise ConfigError(f"{where}: {length} bytes, more than the kernel's maximum of {VALUE_MAX}")


def same(name: str, live: str | None, wanted: object) -> bool:
    """Return whether an attribute has that value, regardless of its notation."""
    if live is None:
        return False
    text = check_value(wanted, name)
    if text == live:
        return True
    if name.endswith(("uuid", "nguid")):
        return text.lower() == live.lower()
    if name == "addr_traddr":
        try:
            return ip_address(text) == ip_address(live)
        except ValueError:
            return False
    return text.isdecimal() and live.isdecimal() and int(text) == int(live)


def attributes(data: Mapping[str, Any], structure: tuple[str, ...] = ()) -> dict[str, object]:
    """Return the attributes of an object by their names in configfs: group and name joined."""
    found: dict[str, object] = {}
    for key, item in data.items():
        if key in structure:
            continue
        if isinstance(item, Mapping):
            found |= {f"{key}_{name}": value for name, value in attributes(item).items()}
        else:
            found[key] = item
    return found


def family_of(traddr: object) -> str:
    """Return the address family of a port at that address."""
    try:
        return f"ipv{ip_address(str(address(traddr))).version}"
    except ValueError:
        return "ipv4"


def _group(value: object, where: str) -> None:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: not an object")
    for key, item in value.items():
        check_name(key, where)
        if not isinstance(item, (str, int)):
            shown = "it" if where.endswith(".dhchap") else repr(item)  # the value may be a secret
            raise ConfigError(f"{where}.{key}: {shown} is neither string nor number")
        if isinstance(item, str) and ("\0" in item or "\n" in item):
            raise ConfigError(f"{where}.{key}: control characters")
        _encodes(str(item), f"{where}.{key}")


def _other(value: object, where: str) -> None:
    """Check attributes known only to later kernels or to nvmetcli, alone or in groups."""
    if isinstance(value, dict):
        for key, item in value.items():
            _other(item, f"{where}.{check_name(key, where)}")
    elif isinstance(value, (str, int)):
        _group({"value": value}, where)
    else:
        raise ConfigError(f"{where}: unknown key, not an attribute")


_Check = Callable[[object, str], object]


def _flag(value: object, where: str) -> int:
    return _number(int(value) if isinstance(value, bool) else value, where, 0, 1)


def check_nsid(value: object, where: str) -> int:
    """Check and return the id of a namespace."""
    return _number(value, where, 1, 0xFFFFFFFE)


def check_portid(value: object, where: str) -> int:
    """Check and return the number of a port."""
    return _number(value, where, 0, 0xFFFF)


def check_grpid(value: object, where: str) -> int:
    """Check and return the number of an ANA group."""
    return _number(value, where, 1, 1024)


def _names(value: object, where: str) -> None:
    _list(value, where, check_name, str)


def _list(
    value: object, where: str, check_item: _Check, name_of: Callable[[Any], str] | None
) -> None:
    """Check each item of a list, and that no name occurs twice."""
    if not isinstance(value, list):
        raise ConfigError(f"{where}: not a list")
    names = set()
    for i, item in enumerate(value):
        check_item(item, f"{where}[{i}]")
        name = name_of(item) if name_of else i
        if name in names:
            raise ConfigError(f"{where}: duplicate {name}")
        names.add(name)


def _object(keys: Mapping[str, _Check], *required: str, is_strict: bool = False) -> _Check:
    """Return a check of an object with these keys; unless strict, others are attributes."""

    def check_object(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise ConfigError(f"{where or 'the file'}: not an object")
        for key, item in value.items():
            if key not in keys and is_strict:
                raise ConfigError(f"{where or 'the file'}: unknown key {key!r}")
            check_name(key, where or "the file")
            keys.get(key, _other)(item, f"{where}.{key}" if where else key)
        for key in required:
            if key not in value:
                raise ConfigError(f"{where}: {key} is missing")

    return check_object


def _list_of(check_item: _Check, key: str) -> _Check:
    """Return a check of a list of objects that differ by a key.

    The key is a name, or a number in any notation.
    """

    def name_of(item: Any) -> str:
        text = str(item[key])
        return str(int(text)) if key in _NUMBERS else text

    return lambda value, where: _list(value, where, check_item, name_of)


_NUMBERS = ("nsid", "portid", "grpid")


_NAMESPACE = _object(
    {
        "device": _group,
        "enable": _flag,
        "nsid": check_nsid,
        "ana_grpid": check_grpid,
        "buffered_io": _flag,
    },
    "nsid",
)
_PASSTHRU = _object({"enable": _flag})
_REFERRAL = _object({"addr": _group, "enable": _flag, "name": check_name}, "name")
_ANA = _object(
    {"ana": _object({"state": check_name}, "state"), "grpid": check_grpid}, "ana", "grpid"
)
_CONFIG = _object(
    {
        # Strict: a misspelt name of a key must not let the host in without a key.
        "hosts": _list_of(
            _object({"nqn": check_name, "dhchap": _group}, "nqn", is_strict=True), "nqn"
        ),
        "subsystems": _list_of(
            _object(
                {
                    "nqn": check_name,
                    "attr": _group,
                    "namespaces": _list_of(_NAMESPACE, "nsid"),
                    "allowed_hosts": _names,
                    "passthru": _PASSTHRU,
                },
                "nqn",
            ),
            "nqn",
        ),
        "ports": _list_of(
            _object(
                {
                    "addr": _group,
                    "ana_groups": _list_of(_ANA, "grpid"),
                    "param": _group,
                    "portid": check_portid,
                    "referrals": _list_of(_REFERRAL, "name"),
                    "subsystems": _names,
                },
                "portid",
            ),
            "portid",
        ),
    }
)


def check(config: object) -> None:
    """Raise ConfigError, which states the place, unless config can be restored."""
    _CONFIG(config, "")
    assert isinstance(config, dict)
    for kind, refers, to in (
        ("subsystems", "allowed_hosts", "hosts"),
        ("ports", "subsystems", "subsystems"),
    ):
        known = {item["nqn"] for item in config.get(to, ())}
        for i, item in enumerate(config.get(kind, ())):
            for name in item.get(refers, ()):
                if name not in known:
                    raise ConfigError(f"{kind}[{i}].{refers}: {name} is not among the {to}")


def _stat(path: str) -> os.stat_result:
    return os.stat(path)


def check_devices(config: Mapping[str, Any]) -> None:
    """Raise OSError or ConfigError unless the devices of enabled namespaces can be used."""
    for i, subsystem in enumerate(config.get("subsystems", ())):
        for j, item in enumerate(subsystem.get("namespaces", ())):
            if not int(item.get("enable", 0)):
                continue
            where = f"subsystems[{i}].namespaces[{j}].device.path"
            device = item.get("device", {}).get("path")
            if not device:
                raise ConfigError(f"{where}: missing, but enable is 1")
            try:
                mode = _stat(str(device)).st_mode
            except OSError as error:
                reason = os.strerror(error.errno or errno.EIO)
                raise OSError(error.errno, f"{where}: {reason}", str(device)) from None
            if not (stat.S_ISBLK(mode) or stat.S_ISREG(mode)):
                raise ConfigError(f"{where}: {device} is neither a block device nor a file")
