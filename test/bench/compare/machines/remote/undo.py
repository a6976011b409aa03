# SPDX-License-Identifier: GPL-2.0-or-later
"""How each kind of entry of the journal is taken back. What is gone already is no trouble."""

from collections.abc import Mapping
from typing import Any

from . import host, mptcp
from .journal import Undo
from .place import at, loaded_modules, run, text_of
from .target import CONFIGFS, nvmet_target

#: Those that agents load, and what comes with them, each with the transport of controllers that
#: keep it: the kernel does not count these as its users, and unloading would disconnect them.
MODULES: Mapping[str, str] = {
    "brd": "", "nvmet": "", "nvmet_tcp": "", "nvme_keyring": "", "nvme_auth": "",
    "nvme_mptcp": "mptcp", "nvme_tcp": "tcp",
}  # fmt: skip

#: What all controllers keep.
CORE = ("nvme_fabrics", "nvme_core")


def modules(entry: Mapping[str, Any]) -> str:
    """Unloads the modules that came since, unless somebody has them in use.

    That is no trouble, but for the memory of a disk that is not given back.
    """
    before, stays = set(entry["before"]), ""
    transports = {text_of(path / "transport") for path in at(host.CONTROLLERS).glob("nvme*")}
    for name in loaded_modules():
        kept = bool(transports) if name in CORE else MODULES.get(name) in transports
        if name in before or kept or name not in (*MODULES, *CORE):
            continue
        try:
            run(["rmmod", name])
        except RuntimeError as error:
            if name == "brd":
                stays = str(error)
    return stays


def nvmet_port(entry: Mapping[str, Any]) -> str:
    """Removes a port, if it offers nothing but our subsystem."""
    found = [p for p in nvmet_target().ports() if p.portid == entry["id"]] if _nvmet() else []
    for port in found:
        others = [s.nqn for s in port.subsystems() if s.nqn != entry["nqn"]]
        if others or port.get("addr_trsvcid") not in ("", None, str(entry["trsvcid"])):
            return (
                f"it stays: it is another one by now, and offers {', '.join(others) or 'nothing'}"
            )
        port.delete()
    return ""


def nvmet_subsystem(entry: Mapping[str, Any]) -> str:
    """Removes a subsystem with its namespaces."""
    found = nvmet_target().subsystems() if _nvmet() else []
    for subsystem in [s for s in found if s.nqn == entry["nqn"]]:
        subsystem.delete()
    return ""


def nvmet_host(entry: Mapping[str, Any]) -> str:
    """Removes the host that was let in."""
    found = nvmet_target().hosts() if _nvmet() else []
    for allowed in [h for h in found if h.nqn == entry["nqn"]]:
        allowed.delete()
    return ""


def _nvmet() -> bool:
    return at(CONFIGFS).is_dir()


def controllers(entry: Mapping[str, Any]) -> str:
    """Disconnects every controller of one subsystem, and no other."""
    host.disconnect(entry["nqn"])
    return ""


UNDO: Mapping[str, Undo] = {
    "modules": modules,
    "mptcp": mptcp.take_back,
    "nvmet-port": nvmet_port,
    "nvmet-subsystem": nvmet_subsystem,
    "nvmet-host": nvmet_host,
    "controllers": controllers,
}
