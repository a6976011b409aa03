# SPDX-License-Identifier: LGPL-2.1-or-later
"""ARP that gets no answer: this host drops it, or the target is there without that address."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, ip, joined, routed, sysctl
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, announcing, on
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require


def filtered(family: str, hook: str, rule: str) -> Step:
    """A rule of the host's firewall below IP."""
    text = f"table {family} low {{ chain c {{ type filter hook {hook} priority 0; {rule}; }}; }}"
    return lambda net: net.run("host", "nft", "-f", "-", stdin=f"{text}\n") and None


def no_egress(net: Net) -> None:
    """A filter of traffic control drops all that leaves over eth3: TC_ACT_SHOT."""
    net.run("host", "tc", "qdisc", "add", "dev", "eth3", "clsact")
    net.run("host", "tc", "filter", "add", "dev", "eth3", "egress",
            "bpf", "direct-action", "bytecode", "1,6 0 0 2")  # fmt: skip


def renumbered(net: Net) -> None:
    """The target has another address on the link than the one that it announces."""
    net.ip("target", "addr flush dev eth3", "addr add 10.1.3.7/24 dev eth3")


@dataclass(frozen=True)
class Silence(Named):
    """Why a next hop seems to be silent, the rule and words that say so, and a command."""

    rule: str
    words: str
    command: tuple[str, str]
    #: The rule with the target's report.
    peer: str = ""
    portal: str = PORTAL


RULES = ("host", "nft list ruleset")
OWN = "own firewall drops"

SILENCES = [
    Silence("own-firewall-drops-replies",
            both(announcing(), filtered("arp", "input", 'iifname "eth3" drop')),
            "F10", OWN, RULES),
    Silence("own-firewall-drops-requests",
            both(announcing(), filtered("arp", "output", 'oifname "eth3" drop')),
            "F10", OWN, RULES),
    Silence("own-firewall-drops-requests-of-an-endpoint",
            both(joined(), filtered("arp", "output", 'oifname "eth3" drop')), "F10", OWN, RULES),
    Silence("own-firewall-drops-all-that-arrives",
            both(announcing(), filtered("netdev", 'ingress device "eth3"', "drop")),
            "F10", OWN, RULES),
    Silence("own-firewall-drops-replies-of-a-router", both(
        routed(3, 3), ROOM, announce(1, 2, 3, place="10.2.{}.1"),
        filtered("arp", "input", 'iifname "eth3" drop'),
    ), "F10", OWN, RULES, portal="10.2.1.1"),
    Silence("traffic-control-drops-all-that-leaves", both(announcing(), no_egress), "F10",
            "no request for the next hop's hardware address leaves",
            ("host", "tc filter show dev eth3 egress")),
    Silence("address-that-the-target-no-longer-has", both(announcing(), renumbered), "R08",
            "the target is there: it answers for 10.1.1.1", ("target", "ip -br address show"),
            peer="T04"),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("silence", SILENCES, ids=str)
@at_once
def test_silence(silence: Silence, how: str, net: Net, machines: Machines) -> None:
    require("nft")
    silence.build(net)
    findings = machines.found_by(how, silence.portal)
    settled = how == "peer" and silence.peer
    assert rules(findings) == [silence.peer if settled else silence.rule], shown(findings)
    if not settled:
        assert silence.words in shown(findings), shown(findings)
        assert silence.command in machines.commands(findings), shown(findings)


#: Below IP, nothing of this traffic is dropped; or the target answers on its own links alone.
NEAR = {
    "other-addresses-dropped": filtered("arp", "input", "arp saddr ip 192.0.2.1 drop"),
    "other-links-dropped": filtered("arp", "output", 'oifname "eth9" drop'),
    "own-links-alone": sysctl("target", "net.ipv4.conf.all.arp_ignore=1"),
    "another-address": ip("target", "addr add 10.1.3.7/24 dev eth3"),
}


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    require("nft")
    both(announcing(), NEAR[name])(net)
    machines.connect(PORTAL)
    net.settles((), on(3))
    machines.clean(PORTAL)
