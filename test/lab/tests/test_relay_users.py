# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that know nothing of the relay: what they run, typed with Debian's nvme.

The command lines of orchestrators are those that they are known to issue for NVMe over TCP.
"""

import re
from pathlib import Path
from typing import Any

import pytest
from lab import Controller, Lab
from lab.host import HOST_ID, HOST_NQN, REFERENCE, REFERENCE_ROOT
from lab.relay import relays
from test_relay_failures import LINKS, NQN, NQNS, offer, verify

PORTAL = "-t tcp -a 10.1.1.1 -s 4420"
UNITS = REFERENCE_ROOT / "lib/systemd/system"
CONFIGURED = Path("/etc/nvme/discovery.conf")

#: By program, in order. The last command disconnects.
ORCHESTRATORS = {
    "os-brick": (
        "show-hostnqn",
        "connect -a 10.1.1.1 -s 4420 -t tcp -n {nqn} -Q 128 -l -1",
        "list -o json",
        "ns-rescan /dev/{controller}",
        "disconnect -d {controller}",
    ),
    "Longhorn": (
        "discover -q {hostnqn} -I {hostid} -t tcp -a 10.1.1.1 -s 4420 -o json",
        "connect -t tcp --nqn {nqn} -q {hostnqn} -I {hostid} -a 10.1.1.1 -s 4420 "
        "--keep-alive-tmo 10 --ctrl-loss-tmo 30 -o json",
        "list-subsys -o json",
        "list-subsys -o json {disk}",
        "list -o json",
        "disconnect --nqn {nqn}",
    ),
    "Trident": (
        "list-subsys -o json",
        "connect -t tcp -n {nqn} -a 10.1.1.1 -s 4420 -l -1",
        "list-subsys {disk} -o json",
        "list -o json",
        "flush {disk}",
        "disconnect -n {nqn}",
    ),
    "democratic-csi": (
        "list-subsys -o json",
        "connect --transport=tcp --traddr=10.1.1.1 --trsvcid=4420 --nqn={nqn}",
        "list -v -o json",
        "list-subsys -o json",
        "disconnect --nqn={nqn}",
    ),
}

pytestmark = [pytest.mark.stock, pytest.mark.limit(120)]


def expect_links(lab: Lab, controllers: int) -> None:
    """Wait until every queue of that many controllers has a subflow on each link."""
    found = lab.host.controllers()
    assert len(found) == controllers
    lab.host.wait_for_subflows(LINKS, sum(int(c.attribute("queue_count")) for c in found))


def expect_both(lab: Lab, controllers: int = 2) -> None:
    for nqn in NQNS:
        verify(lab, nqn)
    expect_links(lab, controllers)


def command_of(unit: str) -> list[str]:
    """Return the words of what a unit of Debian's nvme-cli starts."""
    text = (UNITS / unit).read_text()
    found = re.search(r"^ExecStart=(.*)$", text, re.M)
    assert found
    return found[1].replace("/usr/sbin/nvme", REFERENCE).split()


def paths(listing: Any) -> list[tuple[str, str]]:
    """Return transport and address of each path to the disk in JSON of list-subsys."""
    subsystems = [s for host in listing for s in host["Subsystems"] if s["NQN"] == NQN]
    return [(p["Transport"], p["Address"]) for s in subsystems for p in s["Paths"]]


@pytest.mark.parametrize("program", ORCHESTRATORS)
def test_an_orchestrator(lab: Lab, program: str) -> None:
    *commands, last = ORCHESTRATORS[program]
    offer(lab)

    def run(line: str) -> Any:
        [controller] = lab.host.controllers() or [Controller("none")]
        disk = lab.host.disk(NQN) if "{disk}" in line else None
        return lab.host.reference(
            line.format(
                nqn=NQN, hostnqn=HOST_NQN, hostid=HOST_ID, disk=disk, controller=controller.name
            )
        )

    with relays(lab):
        for command in commands:
            run(command)
        [(transport, where)] = paths(lab.host.reference("list-subsys -o json"))
        assert transport == "tcp"
        assert where.startswith("traddr=10.1.1.1,trsvcid=4420")
        verify(lab)
        expect_links(lab, 1)
        run(last)
        assert lab.host.controllers() == []


def test_connect_all(lab: Lab) -> None:
    offer(lab)
    with relays(lab):
        lab.host.reference(f"connect-all {PORTAL}")
        expect_both(lab)


def test_autoconnect_at_boot(lab: Lab) -> None:
    """Debian's unit, which follows discovery.conf."""
    offer(lab)
    CONFIGURED.write_text(f"{PORTAL}\n")
    try:
        with relays(lab):
            lab.host.command(command_of("nvmf-autoconnect.service"))
            expect_both(lab)
    finally:
        CONFIGURED.unlink()


def test_a_persistent_discovery_controller(lab: Lab) -> None:
    """It stays; and what udev starts when the log has changed connects."""
    offer(lab)
    with relays(lab):
        lab.host.reference(f"discover {PORTAL} --persistent")
        [discovery] = lab.host.controllers()
        assert discovery.attribute("cntrltype") == "discovery"
        expect_links(lab, 1)
        lab.host.reference(
            f"connect-all --quiet --device={discovery.name} --transport=tcp --traddr=10.1.1.1 "
            "--trsvcid=4420 --host-traddr=none --host-iface=none"
        )
        expect_both(lab, 3)
        assert discovery.state == "live"
