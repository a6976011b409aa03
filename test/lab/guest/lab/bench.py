# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab: links, a target and a host, set up and removed together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .host import HOST_ID, HOST_NQN, Controller, Host
from .network import Network, Topology
from .nvmet import Nvmet, Target
from .system import has_module, load_modules, mount_configfs

#: Modules loaded together: each module that the kernel loads on demand costs a process.
MODULES = (
    "configfs", "veth", "sch_netem", "inet_diag", "tcp_diag", "mptcp_diag",
    "nvme-tcp", "nvmet-tcp",
)  # fmt: skip

#: Loaded with them if the kernel has it; Debian's 6.1 does not.
OPTIONAL_MODULES = ("nvme-loop",)


class Lab:
    """A lab; as a context manager, ``Lab(topology)`` sets it up and removes it."""

    def __init__(self, topology: Topology | None = None) -> None:
        self.network = Network(topology or Topology.one_per_link())
        self.target = Nvmet()
        self.host = Host(self.network)

    @property
    def topology(self) -> Topology:
        return self.network.topology

    def up(self) -> Lab:
        prepare_guest()
        self.network.up()
        return self

    def connect(self, nqn: str, subflows: int = 0, **options: Any) -> Controller:
        """Have the target offer one disk, and connect to it; see Host.connect().

        With ``subflows``, wait until the connections of ``nr_io_queues`` have so many each.
        """
        self.target.configure(Target.simple(nqn))
        controller = self.host.connect(nqn, **options)
        if subflows:
            self.host.wait_for_subflows(subflows, options["nr_io_queues"] + 1)
        return controller

    def reset(self) -> None:
        """Disconnect the host and clear the target; the links stay for the next test.

        A changed topology is set up again, because endpoints or links may be missing.
        """
        self.host.disconnect_all()
        self.target.clear()
        if not self.network.changed:
            self.network.renew_endpoints()

    def down(self) -> None:
        self.host.disconnect_all()
        self.target.clear()
        self.network.down()

    def __enter__(self) -> Lab:
        return self.up()

    def __exit__(self, *error: object) -> None:
        self.down()


def prepare_guest() -> None:
    """Prepare the guest, once per boot: modules, configfs, a fixed host identity."""
    identity = Path("/etc/nvme")
    if (identity / "hostnqn").exists() and (identity / "hostid").exists():
        return
    load_modules(*MODULES, *filter(has_module, OPTIONAL_MODULES))
    mount_configfs()
    identity.mkdir(exist_ok=True)
    (identity / "hostnqn").write_text(f"{HOST_NQN}\n")
    (identity / "hostid").write_text(f"{HOST_ID}\n")
