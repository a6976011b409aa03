# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules C: connections and their subflows."""

from faults import (
    ANNOUNCED,
    Fault,
    announcing,
    connect,
    mend_target,
    offer,
    parametrize,
    prove,
    reset,
    run,
    starting,
    topology,
)  # fmt: skip
from lab import Lab
from lab.nvmet import Port


def kill_one(lab: Lab) -> None:
    """Kills the subflow of one connection on link 3."""
    port = next(s.local for s in lab.host.subflows() if s.local.startswith("10.1.3.2:"))
    lab.network.run("host", "ss", "-K", "src", port)


def delay(lab: Lab) -> None:
    run("host", "tc qdisc replace dev h3 root netem delay 30ms")(lab)
    run("target", "tc qdisc replace dev t3 root netem delay 30ms")(lab)


def hurry(lab: Lab) -> None:
    run("host", "tc qdisc delete dev h3 root")(lab)
    run("target", "tc qdisc delete dev t3 root")(lab)


def repair_target(lab: Lab) -> None:
    lab.host.command("nvme mptcp repair --role target --force --netns target")


FAULTS = [
    Fault("C01", offer=offer(Port(trtype="tcp")), hands=mend_target("T08")),
    Fault("C05", connect=connect(subflows=3), late=run("host", "ss -K src 10.1.3.2")),
    # Only a forced repair closes the other connection's subflow on that link: none is printed.
    Fault("C13", topology=ANNOUNCED, connect=connect(subflows=3), late=kill_one,
          hands=repair_target),
    # what the host starts and what it joins share link 2
    Fault("C14", topology=topology(host=starting(2), target=announcing(2, 3))),
    Fault("C07", topology=ANNOUNCED, build=delay, connect=connect(subflows=3), hands=hurry,
          after=reset),
]  # fmt: skip


@parametrize(FAULTS)
def test_fault(lab: Lab, fault: Fault) -> None:
    prove(lab, fault)
