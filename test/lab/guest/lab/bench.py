# SPDX-License-Identifier: GPL-2.0-or-later
"""A lab: links, a target and a host, set up together and taken down together."""

from __future__ import annotations

from pathlib import Path

from .host import HOST_ID, HOST_NQN, Host
from .network import Network, Topology
from .nvmet import Nvmet
from .system import has_module, load_modules, mount_configfs

#: Loaded at once, because whatever the kernel loads by itself costs a process each.
MODULES = (
    "configfs", "veth", "sch_netem", "inet_diag", "tcp_diag", "mptcp_diag",
    "nvme-tcp", "nvmet-tcp",
)  # fmt: skip

#: Loaded with them where the kernel has it: Debian's 6.1 does not.
OPTIONAL_MODULES = ("nvme-loop",)


class Lab:
    """``Lab(topology)`` as a context manager gives a lab that is up and leaves nothing behind."""

    def __init__(self, topology: Topology | None = None) -> None:
        self.network = Network(topology or Topology.one_per_link())
        self.target = Nvmet()
        self.host = Host(self.network)

    @property
    def topology(self) -> Topology:
        """The topology that this lab was made with."""
        return self.network.topology

    def up(self) -> Lab:
        """Sets the lab up."""
        prepare_guest()
        self.network.up()
        return self

    def reset(self) -> None:
        """Disconnects the host and empties the target: the links stay for the next test.

        A topology that was changed is made anew; its endpoints' links may be gone.
        """
        self.host.disconnect_all()
        self.target.clear()
        if not self.network.changed:
            self.network.renew_endpoints()

    def down(self) -> None:
        """Takes everything down."""
        self.host.disconnect_all()
        self.target.clear()
        self.network.down()

    def __enter__(self) -> Lab:
        return self.up()

    def __exit__(self, *error: object) -> None:
        self.down()


def prepare_guest() -> None:
    """Does once per boot what every lab needs: modules, configfs, a fixed host identity."""
    identity = Path("/etc/nvme")
    if (identity / "hostnqn").exists() and (identity / "hostid").exists():
        return
    load_modules(*MODULES, *filter(has_module, OPTIONAL_MODULES))
    mount_configfs()
    identity.mkdir(exist_ok=True)
    (identity / "hostnqn").write_text(f"{HOST_NQN}\n")
    (identity / "hostid").write_text(f"{HOST_ID}\n")
