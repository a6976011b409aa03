# SPDX-License-Identifier: GPL-2.0-or-later
"""The host's side: controllers of one subsystem, their disk, and fio on it."""

import contextlib
import json
import socket
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nvmelab import fio as fio_program
from nvmelab.counted import parse_subflows, paths_of
from nvmelab.waiting import wait_until

from .journal import Journal
from .place import Refused, at, loaded_modules, run, text_of

CONTROLLERS = "/sys/class/nvme"
SUBSYSTEMS = "/sys/class/nvme-subsystem"
MULTIPATH = "/sys/module/nvme_core/parameters/multipath"
MODULES = ("nvme-tcp", "nvme-mptcp")

MPTCP = 262
SOL_MPTCP, MPTCP_INFO = 284, 1
REACHED_S = 5.0


def controllers(nqn: str) -> list[Path]:
    """The directories of a subsystem's controllers in sysfs."""
    top = at(CONTROLLERS)
    found = sorted(top.iterdir()) if top.is_dir() else []
    return [path for path in found if text_of(path / "subsysnqn") == nqn]


def load(journal: Journal) -> str:
    """Loads the transports; returns whether native multipath is on (Y or N)."""
    journal.note("modules", "modules", before=loaded_modules())
    for module in MODULES:
        run(["modprobe", module])
    return text_of(at(MULTIPATH)) or "N"


def connect(journal: Journal, nqn: str, each: Sequence[Mapping[str, Any]]) -> float:
    """Connects controllers one after another; returns how many seconds that took.

    ``each`` has the options of `nvme connect` by their long names; True is one without a value.
    """
    journal.note("controllers", f"controllers of {nqn}", nqn=nqn)
    begin = time.monotonic()
    for options in each:
        words = ["nvme-mptcp", "connect", "--config", "none", "--nqn", nqn]
        for name, value in options.items():
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        run(words)
    return time.monotonic() - begin


def disconnect(nqn: str) -> None:
    """Deletes the controllers of one subsystem, and waits until they are gone."""
    for path in controllers(nqn):
        # one that goes by itself meanwhile does not matter
        with contextlib.suppress(OSError):
            (path / "delete_controller").write_text("1")
    wait_until(lambda: not controllers(nqn), f"the controllers of {nqn} gone", 60, pause=0.1)


def queues(nqn: str) -> int:
    """How many queues all of them have, admin queues included."""
    return sum(int(text_of(path / "queue_count")) for path in controllers(nqn))


def subflows(port: int) -> dict[str, int]:
    """How many subflows each connection to a port of targets has, by its token."""
    shown = run(["ss", "-HtniO", "state", "established", f"( dport = :{port} )"])
    return dict(Counter(token for _, _, token in parse_subflows(shown)))


def _subsystems(nqn: str) -> list[Path]:
    top = at(SUBSYSTEMS)
    return [p for p in top.iterdir() if text_of(p / "subsysnqn") == nqn] if top.is_dir() else []


def _heads(nqn: str) -> list[Path]:
    return [head for subsystem in _subsystems(nqn) for head in subsystem.glob("nvme*n*")]


def disk(nqn: str, paths: int, policy: str) -> str:
    """The disk of a subsystem once so many controllers lead to it, by that policy ("": any)."""

    def find() -> Path | None:
        names = [head.name for head in _heads(nqn) if text_of(head / "nsid") == "1"]
        return next((Path("/dev", n) for n in names if at(f"/dev/{n}").exists()), None)

    found = wait_until(find, f"the disk of {nqn}", 20)
    top = at(CONTROLLERS)
    wait_until(lambda: paths_of(found, top) == paths, f"all {paths} paths of {found}", 20)
    if policy:
        (subsystem,) = _subsystems(nqn)
        (subsystem / "iopolicy").write_text(policy)
    return str(found)


def fio(nqn: str, disk: str, options: Mapping[str, object]) -> dict[str, Any]:
    """Runs a job on a disk of the subsystem; any other disk is refused."""
    if Path(disk).name not in {head.name for head in _heads(nqn)}:
        raise Refused(f"{disk} is not a disk of {nqn}: nothing is written to it")
    job = fio_program.job_of(
        run(fio_program.command(at(disk), options), fio_program.limit(options))
    )
    if job["error"]:
        raise RuntimeError(f"fio on {disk}: error {job['error']}")
    return job


def routes(traddrs: Sequence[str]) -> list[dict[str, str]]:
    """Which device and source address the host uses towards each address; "" for none."""
    found = []
    for traddr in traddrs:
        try:
            (route,) = json.loads(run(["ip", "-j", "route", "get", traddr]))
        except (RuntimeError, ValueError) as error:
            found.append({"dev": "", "source": "", "error": str(error)})
        else:
            source = route.get("prefsrc", "")
            found.append({"dev": route.get("dev", ""), "source": source, "error": ""})
    return found


def reach(traddr: str, port: int, source: str) -> str:
    """Connects over MPTCP, to a listener that the target has opened; returns why not, or ""."""
    family = socket.AF_INET6 if ":" in traddr else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM, MPTCP) as connection:
            connection.settimeout(REACHED_S)
            connection.bind((source, 0))
            connection.connect((traddr, port))
            try:
                connection.getsockopt(SOL_MPTCP, MPTCP_INFO, 256)
            except OSError:
                return "it fell back to TCP: something on the way takes MPTCP's option out"
    except OSError as error:
        return str(error.strerror or error)
    return ""
