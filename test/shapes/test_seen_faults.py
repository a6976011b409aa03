# SPDX-License-Identifier: LGPL-2.1-or-later
"""Faults that nobody was told of: this host's firewall, packet sizes, addresses, shared subnets."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from shape_build import (
    Step,
    both,
    drops_above,
    endpoint,
    hardware,
    ip,
    joined,
    limits,
    nft,
    switch,
    sysctl,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, Named, nothing, on, one_each
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require


@dataclass(frozen=True)
class Fault(Named):
    """What is wrong, and what of it the findings have to name."""

    #: One error or warning has to match all of these.
    words: tuple[str, ...]
    late: Step = nothing
    portal: str = PORTAL
    #: Whether the other side's report may be needed, and whether a trial shows it.
    peer: bool = False
    connected: bool = True
    needs: str = "veth"


def iptables(*words: str) -> Step:
    """A rule of iptables on this host."""
    return lambda net: net.run("host", "iptables", *words) and None


def own(hook: str, rule: str) -> Step:
    """A firewall of this host beside healthy links."""
    return both(joined(), nft("host", hook, rule))


def big_packets(mtu: int, size: int) -> Step:
    """Links of large packets, one of which loses those that are longer than @size."""
    return both(
        joined(),
        *(ip(side, *(f"link set eth{i} mtu {mtu}" for i in (1, 2, 3)))
          for side in ("host", "target")),
        drops_above("target", "eth3", size),
        drops_above("host", "eth3", size),
    )  # fmt: skip


def answered_by_the_other(net: Net) -> None:
    """The target has learnt the other link's hardware address for an address of the host."""
    other = hardware(net, "host", "eth1")
    for i in (1, 2):
        net.ip("target", f"neigh replace 10.5.0.12 lladdr {other} dev eth{i} nud permanent")


TWO = both(switch(2, 2, careful=False), limits("host", 8, 0), limits("target", 8, 0),
           endpoint("host", "10.5.0.12", "dev", "eth2", "subflow"),
           answered_by_the_other)  # fmt: skip

#: A firewall somewhere on the way is not enough: it is this machine's.
OWN_FIREWALL = (r"(?i)\bown firewall|this host's (\S+ )?firewall|firewall (of|on) this host",)
SAME_ADDRESS = r"(?i)another machine has|both (sides|machines)|also (has|have|on)|twice"

FAULTS = [
    Fault("own-firewall-drops-output", own("output", 'oifname "eth3" tcp dport 4420 drop'),
          OWN_FIREWALL, needs="nft"),
    Fault("own-firewall-rejects-output",
          own("output", 'oifname "eth3" tcp dport 4420 reject with tcp reset'),
          OWN_FIREWALL, needs="nft"),
    Fault("own-firewall-drops-input", own("input", 'iifname "eth3" tcp sport 4420 drop'),
          OWN_FIREWALL, needs="nft"),
    Fault("own-firewall-by-address", own("output", "ip saddr 10.1.3.2 counter drop"),
          OWN_FIREWALL, needs="nft"),
    Fault("own-firewall-policy-drop",
          both(joined(), nft("host", "input", "policy drop", 'iifname "lo" accept',
                             'iifname { "eth1", "eth2" } accept')),
          OWN_FIREWALL, needs="nft"),
    Fault("own-firewall-of-iptables", both(joined(), iptables(
        "-A", "OUTPUT", "-o", "eth3", "-p", "tcp", "--dport", "4420", "-j", "DROP",
    )), OWN_FIREWALL, needs="iptables"),
    Fault("own-firewall-of-iptables-rejects", both(joined(), iptables(
        "-A", "OUTPUT", "-s", "10.1.3.2", "-p", "tcp", "-j", "REJECT",
    )), OWN_FIREWALL, needs="iptables"),
    Fault("packet-size-9000-lost-at-1500", big_packets(9000, 1500), ("eth3", "9000")),
    Fault("packet-size-1500-lost-at-1400", big_packets(1500, 1400), ("eth3", "1500")),
    Fault("same-address-on-both-sides", both(joined(), ip("host", "addr add 10.1.1.1/32 dev lo")),
          (r"10\.1\.1\.1", SAME_ADDRESS), connected=False),
    Fault("same-address-of-a-link", both(joined(), ip("target", "addr add 10.1.3.2/24 dev eth3")),
          (r"10\.1\.3\.2", SAME_ADDRESS), peer=True),
    Fault("shared-subnet-answers-by-the-other-link", TWO, ("eth1", "eth2"), portal="10.5.0.201",
          peer=True),
]  # fmt: skip


def named(fault: Fault, found: list[dict[str, object]]) -> bool:
    """One error or warning holds all the words."""
    for finding in found:
        if finding["severity"] in ("error", "warning"):
            text = f"{finding['subject']} {finding['why']} {finding['evidence']}"
            if all(re.search(word, text) for word in fault.words):
                return True
    return False


#: Each by a trial, and by a controller where one connects.
CASES = [
    pytest.param(fault, how, id=f"{fault}-{how}")
    for fault in FAULTS
    for how in ("trial", "connected")
    if fault.connected or how == "trial"
]


@pytest.mark.parametrize(("fault", "how"), CASES)
@at_once
def test_it_is_named(fault: Fault, how: str, net: Net, machines: Machines) -> None:
    require(fault.needs)
    fault.build(net)
    machines.offer("0.0.0.0")
    peer = ["--peer", str(machines.report("target"))] if fault.peer else []
    if how == "trial":
        findings, _ = machines.trial(fault.portal, *peer)
    else:
        machines.attach(fault.portal)
        net.settles(LINKS, lambda now: False, 0.5)
        _, findings = machines.check("host", *peer)
    assert rules(findings), "nothing is found"
    assert named(fault, findings), shown(findings)
    deleted = [c for _, c in machines.commands(findings) if "endpoint del" in c]
    assert deleted == [], shown(findings)


@pytest.mark.parametrize("how", ["connected", "peer"])
@at_once
def test_an_idle_path_that_died(how: str, net: Net, machines: Machines) -> None:
    """Carrier and the kernel's entry of the next hop stay, and nothing is sent that times out."""
    joined()(net)
    machines.connect(PORTAL)
    net.settles(LINKS, one_each)
    machines.clean()
    both(drops_above("host", "eth3", 0), drops_above("target", "eth3", 0))(net)
    findings = machines.checked(how)
    assert rules(findings) == ["C17"], shown(findings)
    assert findings[0]["objects"] == ["eth3"], shown(findings)
    assert "the next hop 10.1.3.1 does not answer on the link" in shown(findings), shown(findings)
    assert "firewall" not in shown(findings), shown(findings)
    machines.obey(findings)
    assert len(net.subflows()) == 6


@at_once
def test_a_firewall_that_lets_nvme_pass_is_not_named(net: Net, machines: Machines) -> None:
    require("nft")
    joined()(net)
    net.nft("host", "input", "policy drop", "ct state established,related accept",
            "icmp type echo-request accept", "tcp dport 22 accept",
            'meta l4proto icmpv6 accept', 'iifname "lo" accept')  # fmt: skip
    net.nft("host", "output", "tcp dport 25 reject", "ip daddr 192.0.2.0/24 drop")
    machines.connect(PORTAL)
    net.settles(LINKS, one_each)
    machines.clean(PORTAL)


@at_once
def test_a_shared_subnet_with_care_is_clean(net: Net, machines: Machines) -> None:
    switch(2, 2)(net)
    both(limits("host", 8, 0), limits("target", 8, 0), sysctl("host", "net.ipv4.ip_forward=0"),
         endpoint("host", "10.5.0.12", "dev", "eth2", "subflow"))(net)  # fmt: skip
    machines.connect("10.5.0.201")
    carried = net.settles(LINKS, on(2))
    assert [dict(c) for c in carried.values()] == [{"eth1": 1, "eth2": 1}] * 2
    machines.clean("10.5.0.201")
