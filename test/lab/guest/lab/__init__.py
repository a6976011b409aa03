# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's side of lab scripts and tests: links, a target, and the host's nvme.

    with Lab(Topology.one_per_link(4)) as lab:
        lab.target.configure(Target.simple(NQN))
        lab.host.nvme(f"connect -t mptcp -a 10.1.1.1 -s 4420 -n {NQN}")
        print(lab.host.nvme("list-subsys -o json"))

Without KVM, starting a process takes 50 ms, so this package uses files, sockets and system calls
instead of programs where possible.
"""

from nvmelab.waiting import LabTimeout, wait_until

from .bench import Lab
from .discovery import DiscoveryService, Entry
from .host import CommandFailed, Controller, Host
from .network import Endpoint, Limits, Link, Network, Shape, Topology
from .nvmet import AllowedHost, Namespace, Port, Referral, Subsystem, Target
from .pci import Pci
from .ways import WAYS, Way, both_transports

__all__ = [
    "AllowedHost",
    "CommandFailed",
    "Controller",
    "DiscoveryService",
    "Endpoint",
    "Entry",
    "Host",
    "Lab",
    "LabTimeout",
    "Limits",
    "Link",
    "Namespace",
    "Network",
    "Pci",
    "Port",
    "Referral",
    "Shape",
    "Subsystem",
    "Target",
    "Topology",
    "WAYS",
    "Way",
    "both_transports",
    "wait_until",
]
