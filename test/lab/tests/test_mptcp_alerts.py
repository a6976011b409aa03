# SPDX-License-Identifier: GPL-2.0-or-later
"""The alerts of doc/monitoring on a real kernel: the right one for each fault, none in good health.

Hours pass quickly by a clock that counts instructions.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from failover import NQN
from lab import Endpoint, Lab, Link, Topology
from lab.network import Shape
from lab.nvmet import Port
from scrapes import Scrapes, patience

pytestmark = pytest.mark.icount

RATE = "1gbit"
TOPOLOGY = Topology(
    links=(Link.both(rate=RATE),) * 2,
    families=("ipv4",),
    endpoints={"host": (Endpoint(2, ("subflow",), dev=True),)},
)

#: As often as the service renews the file; and as often as Prometheus looks unless told otherwise.
EVERY, SELDOM = 15, 60


def begin(lab: Lab, tmp_path: Path, every: int, kib: int) -> Scrapes:
    """A controller over two links, to which a little is written before each scrape."""
    lab.network.changed = True
    lab.connect(NQN, nr_io_queues=1, reconnect_delay=5, subflows=2)
    disk = lab.host.disk(NQN)

    def work() -> None:
        if all(controller.state == "live" for controller in lab.host.controllers()):
            lab.host.write(disk, os.urandom(kib << 10))

    return Scrapes(lab, every, tmp_path, work)


@pytest.mark.limit(4000)
@pytest.mark.topology(TOPOLOGY)
def test_no_alert_in_a_healthy_hour(lab: Lab, tmp_path: Path) -> None:
    scrapes = begin(lab, tmp_path, SELDOM, 256)
    scrapes.watch(3600)
    scrapes.prove()
    assert len(scrapes.expected) == 60


def port(trtype: str) -> Callable[[Lab], None]:
    """The target's port is made anew, and connections end with the old one."""

    def renewed(lab: Lab) -> None:
        lab.target.remove_port(1)
        if trtype:
            lab.target.add_port(Port(trtype=trtype), [NQN])

    return renewed


def offered(lab: Lab) -> None:
    lab.target.add_port(Port(), [NQN])


@dataclass(frozen=True)
class Fault:
    """What happens, which alert that is, and what ends it."""

    alert: str
    make: Callable[[Lab], object]
    mend: Callable[[Lab], object] | None
    labels: Mapping[str, str] = field(default_factory=dict)
    #: Seconds until the machine is as it has to be, after either; a scrape may come late, by a
    #: clock that leaps while the guest waits for the machine around it.
    settles: int = 90
    #: Written before each scrape.
    kib: int = 64
    name: str = ""

    def __str__(self) -> str:
        return f"{self.alert}-{self.name}" if self.name else self.alert


ON_LINK = {"link": "h2"}
OF_CONTROLLER = {"controller": "nvme0"}

FAULTS = [
    Fault("NvmeMptcpLinkLost", lambda lab: lab.network.set_link("target", 2, up=False),
          lambda lab: lab.network.set_link("target", 2, up=True), ON_LINK),
    Fault("NvmeMptcpLinkLost", lambda lab: lab.network.ip("host", "link delete h2"), None, ON_LINK,
          name="removed"),
    Fault("NvmeMptcpSubflowMissing",
          lambda lab: lab.network.run("host", "ss", "-K", "src", "10.1.2.2"),
          lambda lab: lab.host.nvme("mptcp repair"), OF_CONTROLLER | ON_LINK),
    Fault("NvmeMptcpFallback", port("tcp"), port("mptcp"), OF_CONTROLLER),
    Fault("NvmeMptcpControllerNotLive", port(""), offered, OF_CONTROLLER),
    Fault("NvmeMptcpLinkSlow", lambda lab: lab.network.shape(2, Shape(rate=RATE, delay="100ms")),
          lambda lab: lab.network.shape(2, Shape(rate=RATE)), OF_CONTROLLER | ON_LINK, kib=1024),
]  # fmt: skip


@pytest.mark.limit(2000)
@pytest.mark.topology(TOPOLOGY)
@pytest.mark.parametrize("fault", [pytest.param(f, id=str(f)) for f in FAULTS])
def test_the_right_alert_fires(lab: Lab, tmp_path: Path, fault: Fault) -> None:
    """Not before it has lasted as long as the rule says, and no longer than it lasts."""
    scrapes = begin(lab, tmp_path, EVERY, fault.kib)
    scrapes.watch(60)
    alert = fault.alert, dict(fault.labels)
    fault.make(lab)
    wait = patience(fault.alert)
    scrapes.watch(wait + fault.settles + 60, alert, after=wait, unsure=fault.settles)
    if fault.mend:
        fault.mend(lab)
        scrapes.watch(fault.settles + 60, unsure=fault.settles)
    scrapes.prove()
