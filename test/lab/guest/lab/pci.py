# SPDX-License-Identifier: GPL-2.0-or-later
"""The NVMe devices that QEMU emulates in the guest, by their place in nvmelab.pci."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from nvmelab.original import Original
from nvmelab.pci import SUBSYSTEMS

from .bench import prepare_guest
from .host import CONTROLLERS, Host
from .network import Network, Topology
from .system import wait_until

#: What QEMU puts before the name of a subsystem.
NQN = "nqn.2019-08.org.qemu:{}"

#: Where the lab shares Debian 13's nvme, and the copy that is run: 9p would be read at every start.
SHARED = Path("/opt/original")
COPY = Path("/tmp/original")


@dataclass(frozen=True)
class Ended:
    """How a program ended, with all that it printed."""

    status: int
    out: bytes
    err: str


def _copied(shared: Original) -> Original:
    """Copies a program with the libraries that its loader names."""
    copy = Original(COPY)
    listing = subprocess.run(
        [str(shared.loader), "--library-path", str(shared.libraries), "--list", str(shared.nvme)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    libraries = [Path(word) for word in listing.split() if word.startswith(str(shared.libraries))]
    for file in (shared.nvme, shared.loader, *libraries):
        target = COPY / file.relative_to(shared.top)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return copy


class Pci:
    """The devices, the project's nvme as ``host`` runs it, and Debian 13's."""

    def __init__(self) -> None:
        prepare_guest()
        self.host = Host(Network(Topology.one_per_link(0)))
        self.wait()

    def wait(self) -> None:
        """Waits until every controller is there with its namespaces."""
        for subsystem in SUBSYSTEMS:
            for number in range(subsystem.controllers):
                self.controller(subsystem.name, number)
            for namespace in subsystem.namespaces:
                if namespace.options.get("detached") != "on":
                    self.namespace(subsystem.name, namespace.nsid)

    def controller(self, subsystem: str, number: int = 0) -> str:
        """Returns the device of a subsystem's controller, waiting until it is live."""

        def find() -> str | None:
            for path in CONTROLLERS.iterdir():
                attributes = [
                    (path / name).read_text().strip() for name in ("subsysnqn", "cntlid", "state")
                ]
                if attributes == [NQN.format(subsystem), str(number), "live"]:
                    return f"/dev/{path.name}"
            return None

        return wait_until(find, f"controller {number} of {subsystem}", 30)

    def namespace(self, subsystem: str, nsid: int = 1) -> str:
        """Returns the block device of a namespace, waiting until it is there."""
        return str(self.host.disk(NQN.format(subsystem), nsid))

    def gone(self, device: str) -> None:
        """Waits until a block device is gone."""
        wait_until(lambda: not Path(device).exists(), f"{device} gone")

    @cached_property
    def _original(self) -> Original:
        return _copied(Original(SHARED))

    def ours(self, *words: str) -> Ended:
        """Runs the project's nvme, whatever comes of it."""
        return _run(["nvme", *words])

    def original(self, *words: str) -> Ended:
        """Runs Debian 13's nvme, whatever comes of it."""
        return _run(self._original.command(self._original.nvme, *words))


def _run(command: list[str]) -> Ended:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=90, check=False,
        env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    return Ended(done.returncode, done.stdout, done.stderr.decode(errors="backslashreplace"))
