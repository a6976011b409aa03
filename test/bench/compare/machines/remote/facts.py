# SPDX-License-Identifier: GPL-2.0-or-later
"""What a machine is and has: all that a preflight judges, and what the document says of it.

Nothing here changes anything.
"""

import importlib
import json
import os
import platform
import re
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from nvmelab.counted import parse_available

from . import host, target
from .place import at, loaded_modules, run, text_of

#: Programs of a role.
PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "host": ("nvme-mptcp", "fio", "ip", "ss", "modprobe", "rmmod", "modinfo"),
    "target": ("nvme-mptcp", "ip", "ss", "modprobe", "rmmod", "modinfo"),
}
#: By which alias a module shows that it has the transport.
ALIAS = {"host": ("nvme-mptcp", "nvme-mptcp"), "target": ("nvmet-tcp", "nvmet-transport-4")}
MODULES = {"host": host.MODULES, "target": (*target.MODULES, "brd")}


def gather(role: str, nqn: str, traddrs: Sequence[str]) -> dict[str, Any]:
    """Everything of this machine in its role; what is not there is "" or 0 or missing."""
    programs = {name: shutil.which(name) is not None for name in PROGRAMS[role]}
    return {
        "name": platform.node(),
        "kernel": os.uname().release,
        "system": _system(),
        "model": _processors(),
        "cpus": os.cpu_count() or 1,
        "programs": programs,
        "versions": {
            "nvme-mptcp": _version(programs, "nvme-mptcp", "version", r"\(nvme-mptcp (\S+)\)"),
            "fio": _version(programs, "fio", "--version", r"(\S+)"),
            "iproute2": _version(programs, "ip", "-V", r"(iproute2\S*?),?(?:\s|$)"),
        },
        "python-module": role == "host" or _has_module(),
        "modules": {name: _module(name) for name in MODULES[role]} if programs["modinfo"] else {},
        "mptcp": _has_transport(role) if programs["modinfo"] else False,
        "enabled": text_of(at("/proc/sys/net/mptcp/enabled")),
        "scheduler": text_of(at("/proc/sys/net/mptcp/scheduler")),
        "multipath": text_of(at(host.MULTIPATH)) or "Y",
        "available": parse_available(at("/proc/meminfo").read_text()),
        "kept": _kept(),
        "controllers": [path.name for path in host.controllers(nqn)],
        "subsystem": at(f"{target.CONFIGFS}/subsystems/{nqn}").exists(),
        "brd": _brd(),
        "links": _links(role, traddrs) if programs["ip"] else [],
    }  # fmt: skip


def _system() -> str:
    found = re.search(r'^PRETTY_NAME="?([^"\n]*)', text_of(at("/etc/os-release")), re.M)
    return found[1] if found else ""


def _processors() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", text_of(at("/proc/cpuinfo")), re.M)
    return re.sub(r"\s+", " ", found[1]) if found else platform.machine()


def _version(programs: Mapping[str, bool], name: str, word: str, pattern: str) -> str:
    if not programs.get(name):
        return ""
    try:
        found = re.search(pattern, run([name, word]))
    except RuntimeError:
        return ""
    return found[1] if found else ""


def _has_module() -> bool:
    try:
        return hasattr(importlib.import_module("libnvme.nvmet"), "Target")
    except ImportError:
        return False


def _module(name: str) -> dict[str, str]:
    """Where it is, and whether the loaded one is another one ("" for what is not there)."""

    def field(what: str) -> str:
        try:
            return run(["modinfo", "-F", what, name]).strip()
        except RuntimeError:
            return ""

    loaded = text_of(at(f"/sys/module/{name.replace('-', '_')}/srcversion"))
    version = field("srcversion")
    return {
        "file": field("filename"),
        "version": version,
        "stale": "yes" if loaded and version and loaded != version else "",
    }


def _has_transport(role: str) -> bool:
    """Does a module say that it is the transport mptcp (type 4 of a target)?"""
    name, alias = ALIAS[role]
    try:
        return alias in run(["modinfo", "-F", "alias", name]).split()
    except RuntimeError:
        return False


def _kept() -> bool:
    """Does `nvme mptcp keep` look after this machine, or did it?"""
    return bool(list(at("/run/nvme-mptcp").glob("*")) if at("/run/nvme-mptcp").is_dir() else [])


def _brd() -> str:
    """Whose ramdisks there are: "" for none, else in how much use the module is."""
    if not at("/sys/module/brd").exists() and "brd" not in loaded_modules():
        return ""
    users = text_of(at("/sys/module/brd/refcnt"))
    return f"{users} in use" if users not in ("", "0") else "none in use"


def _links(role: str, traddrs: Sequence[str]) -> list[dict[str, Any]]:
    """The link of each address: on a target that which has it, on a host that which leads there."""
    shown = json.loads(run(["ip", "-j", "address", "show"]))
    owners = {a["local"]: i["ifname"] for i in shown for a in i.get("addr_info", ())}
    if role == "target":
        found = [{"dev": owners.get(a, ""), "source": a, "error": ""} for a in traddrs]
    else:
        found = host.routes(traddrs)
    return [link | _device(link["dev"]) for link in found]


def _device(name: str) -> dict[str, Any]:
    """Speed in Mbit/s (0 where the card does not know), mtu and driver."""
    top = at(f"/sys/class/net/{name}")
    speed = text_of(top / "speed") if name else ""
    driver = top / "device/driver"
    return {
        "speed": max(0, int(speed)) if re.fullmatch(r"-?\d+", speed) else 0,
        "mtu": text_of(top / "mtu") if name else "",
        "driver": driver.resolve().name if name and driver.exists() else "",
    }
