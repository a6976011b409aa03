# SPDX-License-Identifier: LGPL-2.1-or-later
"""Does the configuration of a target make sense? nvmet.py asks before it touches anything."""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

NQN_MAX = 223


class ConfigError(ValueError):
    """A configuration that makes no sense; the text says where and why."""


def check_name(value: object, where: str) -> str:
    """A name that may become a directory of configfs."""
    if not isinstance(value, str):
        raise ConfigError(f"{where}: {value!r} is no string")
    if not value or value in (".", "..") or "/" in value or not value.isprintable():
        raise ConfigError(f"{where}: {value!r} is no name")
    if len(value.encode()) > NQN_MAX:
        raise ConfigError(f"{where}: {value[:40]}... has more than {NQN_MAX} bytes")
    return value


def _number(value: object, where: str, low: int, high: int) -> int:
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdecimal()):
        raise ConfigError(f"{where}: {value!r} is no number")
    if not low <= int(text) <= high:
        raise ConfigError(f"{where}: {text} is not between {low} and {high}")
    return int(text)


def _group(value: object, where: str) -> None:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: no object")
    for key, item in value.items():
        check_name(key, where)
        if not isinstance(item, (str, int)):
            raise ConfigError(f"{where}.{key}: {item!r} is neither string nor number")
        if isinstance(item, str) and ("\0" in item or "\n" in item):
            raise ConfigError(f"{where}.{key}: control characters")


_Check = Callable[[object, str], object]


def _flag(value: object, where: str) -> int:
    return _number(int(value) if isinstance(value, bool) else value, where, 0, 1)


def _nsid(value: object, where: str) -> int:
    return _number(value, where, 1, 0xFFFFFFFE)


def _portid(value: object, where: str) -> int:
    return _number(value, where, 0, 0xFFFF)


def _grpid(value: object, where: str) -> int:
    return _number(value, where, 1, 1024)


def _names(value: object, where: str) -> None:
    _list(value, where, check_name)


def _list(value: object, where: str, check_item: _Check) -> None:
    if not isinstance(value, list):
        raise ConfigError(f"{where}: no list")
    for i, item in enumerate(value):
        check_item(item, f"{where}[{i}]")


def _object(keys: Mapping[str, _Check], *required: str) -> _Check:
    """A check of an object with these keys."""

    def check_object(value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise ConfigError(f"{where or 'the file'}: no object")
        for key, item in value.items():
            if key not in keys:
                raise ConfigError(f"{where or 'the file'}: unknown key {key!r}")
            keys[key](item, f"{where}.{key}" if where else key)
        for key in required:
            if key not in value:
                raise ConfigError(f"{where}: no {key}")

    return check_object


def _list_of(check_item: _Check) -> _Check:
    return lambda value, where: _list(value, where, check_item)


_NAMESPACE = _object(
    {"device": _group, "enable": _flag, "nsid": _nsid, "ana_grpid": _grpid, "buffered_io": _flag},
    "nsid",
)
_REFERRAL = _object({"addr": _group, "enable": _flag, "name": check_name}, "name")
_ANA = _object({"ana": _object({"state": check_name}, "state"), "grpid": _grpid}, "ana", "grpid")
_CONFIG = _object(
    {
        "hosts": _list_of(_object({"nqn": check_name, "dhchap": _group}, "nqn")),
        "subsystems": _list_of(
            _object(
                {
                    "nqn": check_name,
                    "attr": _group,
                    "namespaces": _list_of(_NAMESPACE),
                    "allowed_hosts": _names,
                },
                "nqn",
            )
        ),
        "ports": _list_of(
            _object(
                {
                    "addr": _group,
                    "ana_groups": _list_of(_ANA),
                    "param": _group,
                    "portid": _portid,
                    "referrals": _list_of(_REFERRAL),
                    "subsystems": _names,
                },
                "portid",
            )
        ),
    }
)


def check(config: object) -> None:
    """Raise ConfigError, which says where, unless config can be restored."""
    _CONFIG(config, "")
    assert isinstance(config, dict)
    known = {}
    for kind, key in (("hosts", "nqn"), ("subsystems", "nqn"), ("ports", "portid")):
        names = [str(item[key]) for item in config.get(kind, ())]
        known[kind] = Counter(names)
        for name, count in known[kind].items():
            if count > 1:
                raise ConfigError(f"{kind}: {name} is there twice")
    for kind, refers, to in (
        ("subsystems", "allowed_hosts", "hosts"),
        ("ports", "subsystems", "subsystems"),
    ):
        for i, item in enumerate(config.get(kind, ())):
            for name in item.get(refers, ()):
                if name not in known[to]:
                    raise ConfigError(f"{kind}[{i}].{refers}: {name} is not among the {to}")


def _stat(path: str) -> os.stat_result:
    return os.stat(path)


def check_devices(config: Mapping[str, Any]) -> None:
    """Raise OSError, which says where, unless the devices that are to be shown are there."""
    for i, subsystem in enumerate(config.get("subsystems", ())):
        for j, item in enumerate(subsystem.get("namespaces", ())):
            if not int(item.get("enable", 0)):
                continue
            where = f"subsystems[{i}].namespaces[{j}].device.path"
            device = item.get("device", {}).get("path")
            if not device:
                raise ConfigError(f"{where}: there is none, and enable is 1")
            try:
                mode = _stat(str(device)).st_mode
            except OSError as error:
                reason = os.strerror(error.errno or errno.EIO)
                raise OSError(error.errno, f"{where}: {reason}", str(device)) from None
            if not (stat.S_ISBLK(mode) or stat.S_ISREG(mode)):
                raise ConfigError(f"{where}: {device} is neither a block device nor a file")
