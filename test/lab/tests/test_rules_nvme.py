# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules N: controllers."""

import os
import shutil
import tempfile
from pathlib import Path

from faults import (
    ANNOUNCED,
    NQN,
    Fault,
    both,
    connect,
    ip,
    offer,
    proof,
    starting,
    topology,
)  # fmt: skip
from lab import Lab
from lab.nvmet import Port
from lab.system import copy_sysfs

OTHER = "nqn.2024-01.lab:other"


def withdraw(lab: Lab) -> None:
    """The target takes its port away; the host keeps trying."""
    lab.target.remove_port(1)
    lab.host.controllers()[0].wait_for("connecting")


def offer_again(lab: Lab) -> None:
    lab.target.add_port(Port(), [NQN])
    lab.host.controllers()[0].wait_for("live")


def connect_instead(lab: Lab) -> None:
    """The target offers the same over mptcp, and the host connects so."""
    lab.host.disconnect_all()
    lab.target.remove_port(1)
    lab.target.add_port(Port(), [NQN])
    connect(subflows=3)(lab)


def disconnect_one(lab: Lab) -> None:
    lab.host.controllers()[1].delete()


def hide_queues(_lab: Lab) -> None:
    """From now on nvme sees /sys as it is, but no queues of controllers."""
    show_queues(_lab)
    os.environ["LIBNVME_SYSFS_PATH"] = tempfile.mkdtemp(prefix="sysfs-")
    copy_sysfs(Path(os.environ["LIBNVME_SYSFS_PATH"]), without="queue_addrs")


def show_queues(_lab: Lab) -> None:
    """nvme sees /sys again."""
    copy = os.environ.pop("LIBNVME_SYSFS_PATH", None)
    if copy:
        shutil.rmtree(copy)


FAULTS = [
    Fault("N02", topology=ANNOUNCED, late=withdraw, hands=offer_again),
    Fault("N03", topology=ANNOUNCED, offer=offer(nqns=(NQN, OTHER)),
          connect=both(connect(), connect(nqn=OTHER)), late=hide_queues,
          hands=both(disconnect_one, hide_queues), undo=show_queues),
    Fault("N05", topology=topology(host=starting(2, dev=False)),
          build=ip("host", "route add default via 10.1.2.1 dev h2 table 2",
                   "rule add from 10.1.2.2 table 2"),
          connect=connect(host_iface="h1")),
    Fault("N01", topology=ANNOUNCED, offer=offer(Port(trtype="tcp")),
          connect=connect(transport="tcp"), hands=connect_instead),
    Fault("N06", topology=ANNOUNCED, offer=offer(Port(1), Port(2, trsvcid=4421)),
          connect=both(connect(), connect(trsvcid=4421)),
          hands=disconnect_one),
    Fault("N07", topology=ANNOUNCED, outside=True),
]  # fmt: skip

test_fault = proof(FAULTS)
