# SPDX-License-Identifier: LGPL-2.1-or-later
"""A connected controller is judged as well as a trial is, by check as by repair."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import (
    Step,
    both,
    flapped,
    joinable,
    joined,
    killed,
    limits,
    nft,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, Named, announce, nothing, on, one_each, start
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require


@dataclass(frozen=True)
class Fault(Named):
    """A fault of the target or of the way, on a controller that is connected."""

    #: After connecting, when the subflows of eth3 have died.
    late: Step = nothing
    #: Rules of which the host's check has to report one, on its own.
    rules: tuple[str, ...] = ()
    listens: str = "0.0.0.0"
    needs: str = "veth"


DIES = killed("src", "10.1.3.2")
RST = "ip saddr 10.1.3.2 tcp dport 4420 reject with tcp reset"
DROP = "ip saddr 10.1.3.2 tcp dport 4420 drop"
STRIP = "ip saddr 10.1.3.2 tcp flags syn reset tcp option mptcp"

FAULTS = [
    Fault("target-limit", both(joinable(), start(2, 3), limits("target", 1, 0)), rules=("T06",)),
    Fault("target-limit-0", both(joinable(), start(2, 3), limits("target", 0, 0)), rules=("T06",)),
    Fault("target-limit-later", joined(), both(limits("target", 1, 0), DIES), rules=("T06",)),
    Fault("one-address-only", both(joinable(), announce(2, 3)), rules=("T03",), listens=PORTAL),
    Fault("resets", joined(), both(nft("target", "input", RST), DIES), rules=("F02", "F03"),
          needs="nft"),
    Fault("drops", joined(), both(nft("target", "input", DROP), DIES), rules=("F01",),
          needs="nft"),
    Fault("stripped-option", joined(), both(nft("target", "prerouting", STRIP), DIES),
          rules=("F03",), needs="nft"),
]  # fmt: skip


def connected(fault: Fault, net: Net, machines: Machines) -> None:
    """A controller that lacks subflows."""
    require(fault.needs)
    fault.build(net)
    machines.offer(fault.listens)
    machines.attach(PORTAL)
    net.settles(LINKS, lambda now: False, 0.4)
    fault.late(net)
    carried = net.settles(LINKS, lambda now: False, 0.3)
    assert any(len(c) < 3 for c in carried.values()), carried


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@at_once
def test_the_cause_is_found(fault: Fault, net: Net, machines: Machines) -> None:
    connected(fault, net, machines)
    status, findings = machines.check("host")
    assert status and set(rules(findings)) & set(fault.rules), shown(findings)
    assert "C05" not in rules(findings), f"trying again mends nothing here:\n{shown(findings)}"


def trials(net: Net) -> str:
    """How often the target was asked for an MPTCP connection."""
    return net.run("target", "nstat", "-asz", "MPTcpExtMPCapableSYNRX").split()[-2]


@at_once
def test_no_trial_is_made_if_none_is_wanted(net: Net, machines: Machines) -> None:
    connected(FAULTS[0], net, machines)
    before = trials(net)
    status, findings = machines.check("host", "--no-trial")
    assert trials(net) == before, "it connected all the same"
    assert status, shown(findings)


@at_once
def test_a_clean_controller_gets_no_trial(net: Net, machines: Machines) -> None:
    joined()(net)
    machines.connect(PORTAL)
    net.settles(LINKS, one_each)
    before = trials(net)
    assert machines.check("host") == (0, [])
    assert trials(net) == before, "a healthy controller needs no trial"


LOST = [
    ("one-link", killed("src", "10.1.3.2")),
    ("two-links", both(killed("src", "10.1.2.2"), killed("src", "10.1.3.2"))),
    ("flapped", flapped("eth2", "eth3")),
    ("flapped-often", both(*[flapped("eth2", "eth3")] * 4)),
]


@pytest.mark.parametrize(("name", "late"), LOST, ids=[row[0] for row in LOST])
@at_once
def test_lost_subflows_are_found_and_brought_back(
    name: str, late: Step, net: Net, machines: Machines
) -> None:
    joined()(net)
    machines.connect(PORTAL, 4)
    net.settles(LINKS, lambda now: len(now) == 4 and all(len(c) == 3 for c in now.values()))
    late(net)
    net.settles(LINKS, lambda now: False, 0.3)
    status, findings = machines.check("host")
    printed = [command for _, command in machines.commands(findings)]
    assert status, shown(findings)
    assert any("nvme mptcp repair" in command for command in printed), shown(findings)
    assert not any(command.startswith("nvme reset") for command in printed), shown(findings)
    named = " ".join(f["subject"] + f["why"] for f in findings)
    assert "eth3" in named, shown(findings)
    machines.obey(findings)
    carried = net.settles(LINKS, on(3))
    assert [dict(c) for c in carried.values()] == [dict.fromkeys(LINKS, 1)] * 4, carried
    machines.clean()


@pytest.mark.parametrize("state", ["connecting", "resetting", "deleting", "no-connection"])
@at_once
def test_repair_is_no_success_on_what_is_not_live(state: str, net: Net, machines: Machines) -> None:
    joined()(net)
    machines.connect(PORTAL)
    net.disconnect()
    if state != "no-connection":
        path = machines.fakes["host"].sys / "class/nvme/nvme0/state"
        path.write_text(f"{state}\n")
    result = machines.nvme("host", "repair", "-o", "json")
    assert result.status == 1, result
    notes = " ".join(note["text"] for note in result.json["notes"])
    assert "nvme0" in notes and (state in notes or "connection" in notes), result.out
    text = machines.nvme("host", "repair").out
    assert "nothing is missing" not in text, text
    _, findings = machines.check("host")
    for words in ("keeps to one link", "uses one link"):
        assert words not in shown(findings), shown(findings)
