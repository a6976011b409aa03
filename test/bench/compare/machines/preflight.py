# SPDX-License-Identifier: GPL-2.0-or-later
"""What has to be so on both machines before anything is made; each check is a row of CHECKS.

All that is missing is named at once, each with its way out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

Facts = Mapping[str, Any]

#: Free memory that is left beside the disk, in MiB.
SPARE_MIB = 256

#: Debian's packages of programs.
PACKAGES = {
    "fio": "fio", "ip": "iproute2", "ss": "iproute2", "modprobe": "kmod", "rmmod": "kmod",
    "modinfo": "kmod",
}  # fmt: skip

OWN = "apt-get install ./*mptcp{,0,-dkms}_*.deb of `make deb` there"


@dataclass(frozen=True)
class Wanted:
    """What a run is about to do."""

    nqn: str
    traddrs: Sequence[str]
    ports: Mapping[str, int]
    disk_mib: int

    @property
    def family(self) -> str:
        """ipv4 or ipv6; the addresses are all of one."""
        return f"ipv{ip_address(self.traddrs[0]).version}"


Check = Callable[[str, Facts, Wanted], list[str]]


def _programs(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    missing = [name for name, there in facts["programs"].items() if not there]
    found = [f"{name} is missing: {OWN}" for name in missing if name == "nvme-mptcp"]
    debian = list(dict.fromkeys(PACKAGES[name] for name in missing if name in PACKAGES))
    names = [name for name in missing if name in PACKAGES]
    if debian:
        found.append(f"{', '.join(names)} missing: apt-get install {' '.join(debian)}")
    return found


def _own(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    found = []
    if facts["programs"]["nvme-mptcp"] and not facts["versions"]["nvme-mptcp"]:
        found.append(f"`nvme-mptcp version` names no version of the project: {OWN}")
    if not facts["python-module"]:
        found.append(f"python3 has no libnvme.nvmet (python3-nvme-mptcp): {OWN}")
    return found


def _modules(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    if not facts["programs"]["modinfo"]:
        return []
    found = []
    absent = [name for name, module in facts["modules"].items() if not module["file"]]
    if absent:
        found.append(
            f"{facts['kernel']} has no module {', '.join(absent)}: {OWN}, with the kernel's "
            "headers and source (README.Debian of nvme-mptcp-dkms)"
        )
    elif not facts["mptcp"]:
        found.append(
            f"the modules of {facts['kernel']} do not have the transport mptcp: {OWN}, and see "
            "`dkms status nvme-mptcp`"
        )
    stale = [name for name, module in facts["modules"].items() if module["stale"]]
    if stale:
        found.append(
            f"{', '.join(stale)}: the loaded module is not the installed one: reboot, or "
            f"`modprobe -r {' '.join(stale)}` when nothing uses it"
        )
    return found


def _kernel(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    found = []
    if facts["enabled"] != "1":
        found.append("MPTCP is off: sysctl -w net.mptcp.enabled=1")
    if role == "host" and facts["multipath"] != "Y":
        found.append(MULTIPATH_OFF)
    return found


MULTIPATH_OFF = (
    "native multipath is off (nvme_core.multipath=N), and rows are with it: boot with "
    "nvme_core.multipath=Y"
)


def _memory(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    least = SPARE_MIB + (wanted.disk_mib if role == "target" else 0)
    there = facts["available"] >> 20
    if there >= least:
        return []
    return [f"{there} MiB of memory are free, and {least} are needed: end something there"]


def _ours(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    found = []
    if role == "host" and facts["controllers"]:
        found.append(
            f"{', '.join(facts['controllers'])} is connected to {wanted.nqn}, and not by this run: "
            f"nvme-mptcp disconnect -n {wanted.nqn}"
        )
    if role == "target" and facts["subsystem"]:
        found.append(
            f"the subsystem {wanted.nqn} is there, and not made by this run: if it is nobody's, "
            "remove it from /sys/kernel/config/nvmet"
        )
    if role == "target" and facts["brd"]:
        found.append(
            f"the module brd is loaded ({facts['brd']}), and its ramdisks are somebody's: if what "
            "they hold is not needed, `modprobe -r brd`"
        )
    return found


def _links(role: str, facts: Facts, wanted: Wanted) -> list[str]:
    found, by_device = [], dict[str, str]()
    for address, link in zip(wanted.traddrs, facts["links"], strict=False):
        name = link["dev"]
        if name == "lo":
            found.append(f"{address} is an address of this machine: host and target are to be two")
        elif not name and role == "target":
            found.append(f"no interface has the address {address}: `ip address` there shows all")
        elif not name or not link["source"]:
            why = f" ({link['error']})" if link["error"] else ""
            found.append(f"no route to {address}{why}: give a link of this host an address there")
        elif name in by_device:
            found.append(
                f"{by_device[name]} and {address} are both on {name}: name one address for each "
                "link"
            )
        else:
            by_device[name] = address
    return found


CHECKS: tuple[Check, ...] = (_programs, _own, _modules, _kernel, _memory, _ours, _links)


def problems(machine: str, role: str, facts: Facts, wanted: Wanted) -> list[str]:
    """All that is missing on a machine in its role, each with the way out."""
    return [f"{machine}: {text}" for check in CHECKS for text in check(role, facts, wanted)]
