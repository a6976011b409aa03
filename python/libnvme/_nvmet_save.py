# SPDX-License-Identifier: LGPL-2.1-or-later
"""What nvmet.py saves of a target, in the format of nvmetcli, and the file that has it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from libnvme import _mptcp
from libnvme._nvmet_check import ConfigError, check

if TYPE_CHECKING:
    from libnvme.nvmet import Host, Namespace, Port, Subsystem


def save_host(host: Host) -> dict[str, Any]:
    keys = {name: value for name, value in host.attributes("dhchap").items() if value}
    # Hash and group mean nothing without a key.
    return {"dhchap": keys, "nqn": host.nqn} if "key" in keys else {"nqn": host.nqn}


def _save_namespace(namespace: Namespace) -> dict[str, Any]:
    saved: dict[str, Any] = {
        "device": namespace.attributes("device"),
        "enable": int(namespace.enabled),
        "nsid": namespace.nsid,
    }
    for name, default in (("ana_grpid", "1"), ("buffered_io", "0")):
        value = namespace.get(name)
        if value not in (None, default):
            saved[name] = int(value or 0)
    return saved


def save_subsystem(subsystem: Subsystem) -> dict[str, Any]:
    return {
        "allowed_hosts": [host.nqn for host in subsystem.hosts()],
        "attr": subsystem.attributes("attr"),
        "namespaces": [_save_namespace(namespace) for namespace in subsystem.namespaces()],
        "nqn": subsystem.nqn,
    }


def save_port(port: Port) -> dict[str, Any]:
    return {
        "addr": port.attributes("addr"),
        "ana_groups": [
            {"ana": group.attributes("ana"), "grpid": int(group.path.name)}
            for group in port.ana_groups()
        ],
        "param": port.attributes("param"),
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


def load(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read and check a file."""
    try:
        config = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{os.fspath(path)}: {error}") from None
    try:
        check(config)
    except ConfigError as error:
        raise ConfigError(f"{os.fspath(path)}: {error}") from None
    assert isinstance(config, dict)
    return config


def store(config: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a file, whole or not at all; only its owner may read it, for it may hold keys.

    A symbolic link is followed, but not one of another user in a directory where everybody may
    write, such as /tmp.
    """
    _mptcp.save(os.fspath(path), json.dumps(config, indent=2, sort_keys=True), True)
