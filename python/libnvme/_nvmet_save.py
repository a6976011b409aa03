# SPDX-License-Identifier: LGPL-2.1-or-later
"""The saved configuration of a target, in the format of nvmetcli, and its file."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _mptcp
from ._nvmet_check import ConfigError, attributes, check

if TYPE_CHECKING:
    from .nvmet import Host, Namespace, Node, Port, Subsystem, Target


#: Keys of objects that are not attributes.
HOST = ("nqn",)
SUBSYSTEM = ("allowed_hosts", "namespaces", "nqn", "passthru")
NAMESPACE = ("enable", "nsid")
PORT = ("ana_groups", "portid", "referrals", "subsystems")
REFERRAL = ("enable", "name")
TARGET = ("hosts", "ports", "subsystems")

#: Groups of attributes, as in nvmetcli; other attributes are not grouped.
GROUPS = {
    "subsystem": ("attr",),
    "namespace": ("ana", "device", "resv"),
    "port": ("addr", "param"),
    "passthru": ("admin", "device", "io"),
}


def _groups(node: Node, kind: str) -> dict[str, Any]:
    """Return the groups of which the kernel has attributes."""
    groups = {name: node.attributes(name) for name in GROUPS[kind]}
    return {name: group for name, group in groups.items() if group}


def save_host(host: Host) -> dict[str, Any]:
    keys = {name: value for name, value in host.attributes("dhchap").items() if value}
    # Hash and group have no meaning without a key.
    return {"dhchap": keys, "nqn": host.nqn} if "key" in keys else {"nqn": host.nqn}


def _save_namespace(namespace: Namespace) -> dict[str, Any]:
    saved = _groups(namespace, "namespace")
    saved |= {"enable": int(namespace.enabled), "nsid": namespace.nsid}
    for name in ("buffered_io", "p2pmem"):
        value = namespace.get(name)
        if value not in (None, "0"):
            saved[name] = value
    return saved


def save_subsystem(subsystem: Subsystem) -> dict[str, Any]:
    saved = _groups(subsystem, "subsystem") | {
        "allowed_hosts": [host.nqn for host in subsystem.hosts()],
        "namespaces": [_save_namespace(namespace) for namespace in subsystem.namespaces()],
        "nqn": subsystem.nqn,
    }
    passthru = subsystem.passthru()
    if passthru.get("device_path") not in (None, "", "(null)"):
        saved["passthru"] = _groups(passthru, "passthru") | {
            "clear_ids": passthru.get("clear_ids") or "0",
            "enable": int(passthru.enabled),
        }
    return saved


def save_port(port: Port) -> dict[str, Any]:
    return _groups(port, "port") | {
        "ana_groups": [
            {"ana": group.attributes("ana"), "grpid": int(group.path.name)}
            for group in port.ana_groups()
        ],
        "portid": port.portid,
        "referrals": [
            {
                "addr": referral.attributes("addr"),
                "enable": int(referral.get("enable") == "1"),
                "name": referral.path.name,
            }
            for referral in port.referrals()
        ],
        "subsystems": [subsystem.nqn for subsystem in port.subsystems()],
    }


def save_target(target: Target) -> dict[str, Any]:
    saved: dict[str, Any] = {
        "hosts": [save_host(host) for host in target.hosts()],
        "ports": [save_port(port) for port in target.ports()],
        "subsystems": [save_subsystem(subsystem) for subsystem in target.subsystems()],
    }
    discovery = target.attributes("discovery")
    return saved | ({"discovery": discovery} if discovery else {})


#: Lists of objects, and the key that identifies an object.
LISTS = {
    "ana_groups": ("grpid", ("grpid",)),
    "namespaces": ("nsid", NAMESPACE),
    "ports": ("portid", PORT),
    "referrals": ("name", REFERRAL),
    "subsystems": ("nqn", SUBSYSTEM),
}


def _keep(old: Mapping[str, Any], new: dict[str, Any], structure: tuple[str, ...]) -> None:
    """Add values from the old file for which the kernel has no attribute."""
    there = attributes(new, structure)
    for key, item in old.items():
        if key in structure:
            continue
        if not isinstance(item, Mapping):
            if key not in (*there, *OMITTED):
                new[key] = item
        elif lost := {k: v for k, v in item.items() if f"{key}_{k}" not in there}:
            new[key] = lost | new.get(key, {})
    for name, (key, below) in LISTS.items():
        if name in structure and isinstance(old.get(name), list):
            known = {str(item[key]): item for item in old[name] if isinstance(item, Mapping)}
            for item in new.get(name, ()):
                if isinstance(item, dict) and str(item[key]) in known:
                    _keep(known[str(item[key])], item, below)


#: Attributes that are omitted if they have the kernel's default.
OMITTED = ("ana_grpid", "buffered_io", "p2pmem")


def store_again(config: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Store a target in the file that it was restored from; keep values that could not be set."""
    with contextlib.suppress(OSError, ConfigError):
        _keep(load(path), config, TARGET)
    store(config, path)


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read and check a file."""
    try:
        config = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{os.fspath(path)}: {error}") from None
    try:
        check(config)
    except ConfigError as error:
        raise ConfigError(f"{os.fspath(path)}: {error}") from None
    assert isinstance(config, dict)
    return config


def store(config: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Replace a file as a whole; only its owner may read it, since it may contain keys.

    A symbolic link is followed, but not one of another user in a world-writable directory such as
    /tmp.
    """
    _mptcp.save(os.fspath(path), json.dumps(config, indent=2, sort_keys=True), True)
