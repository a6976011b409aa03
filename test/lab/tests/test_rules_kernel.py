# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules K and O: what the kernel offers, and what it lets the caller see."""

from pathlib import Path

import pytest
from faults import (
    ANNOUNCED,
    STARTED,
    Fault,
    both,
    check,
    connect,
    filtered,
    proof,
    reset,
    rules,
    run,
    speak_mptcp,
    sysctl,
    unfiltered,
)  # fmt: skip
from lab import Lab
from lab.network import SIDES

NOBODY = 65534
MODPROBE = Path("/proc/sys/kernel/modprobe")


def unload_diagnosis(lab: Lab) -> None:
    """No modules that list sockets, and nobody to load them: as a blacklist has it."""
    MODPROBE.write_text("/bin/false\n")
    run("host", "rmmod mptcp_diag tcp_diag")(lab)


def load_again(lab: Lab) -> None:
    MODPROBE.write_text("/sbin/modprobe\n")
    run("host", "modprobe -a mptcp_diag tcp_diag")(lab)


def flood(lab: Lab) -> None:
    lab.network.sysctl("target", "ipv4.tcp_syncookies", 2)
    reset(lab)


FAULTS = [
    Fault("K02", late=sysctl("host", "mptcp.enabled", 0)),
    Fault("K04", late=unload_diagnosis, undo=load_again),
    Fault("K05", build=sysctl("host", "mptcp.pm_type", 1)),
    Fault("K05", name="past", build=sysctl("host", "mptcp.pm_type", 1),
          late=sysctl("host", "mptcp.pm_type", 0)),
    # nvme gives up before the kernel tries without the option: that takes a patient program
    Fault("K07", topology=ANNOUNCED, connect=None,
          build=filtered("target", "tcp flags & (syn | ack) == syn tcp option mptcp exists drop"),
          during=both(speak_mptcp("host", "10.1.1.1", 4420), speak_mptcp("host", "10.1.1.1", 4420)),
          hands=unfiltered("target"), after=connect(subflows=3)),
    Fault("K08", build=sysctl("host", "mptcp.checksum_enabled", 1),
          hands=sysctl("host", "mptcp.checksum_enabled", 0)),
    # set once all is announced: what is lost with this setting is lost for good
    Fault("K09", side="target", topology=ANNOUNCED, connect=connect(subflows=3),
          late=sysctl("target", "mptcp.add_addr_timeout", 0)),
    Fault("K10", side="target", topology=ANNOUNCED, during=flood),
    Fault("O1", user=NOBODY, instead={"sudo": "env"}),
]  # fmt: skip

test_fault = proof(FAULTS)


@pytest.mark.stock
@pytest.mark.topology(STARTED)
def test_kernel_without_the_transport(lab: Lab) -> None:
    """K06, which only another kernel mends."""
    for side in SIDES:
        assert "K06" in rules(check(lab, side))
