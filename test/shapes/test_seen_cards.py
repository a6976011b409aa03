# SPDX-License-Identifier: LGPL-2.1-or-later
"""Addresses and networks on the wrong card."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, cable, endpoint, ip, pairs
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, announcing, on
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once
from shape_rows import span


@dataclass(frozen=True)
class Card(Named):
    """What is on the wrong card, the rule and words that say so, and the first command."""

    rule: str
    words: str
    command: str


CARDS = [
    Card("network-that-includes-another-one", both(announcing(), ip(
        "host", "addr flush dev eth2", "addr add 10.1.2.2/16 dev eth2",
        "route del 10.1.3.0/24 dev eth3",
    )), "C14", "leads there over eth2, whose address 10.1.2.2/16 has it in its network",
         "ip rule show"),
    Card("one-network-on-two-cards", both(announcing(), ip(
        "host", "addr add 10.1.3.9/24 dev eth2", "route del 10.1.3.0/24 dev eth3",
        "route add 10.1.3.0/24 dev eth3 src 10.1.3.2 metric 100",
    )), "C14", "leads there over eth2, whose address 10.1.3.9/24 has it in its network",
         "ip rule show"),
    Card("addresses-of-two-cards-on-one", both(announcing(), ip(
        "host", "addr del 10.1.3.2/24 dev eth3", "addr add 10.1.3.2/24 dev eth2",
    )), "C14", "10.1.3.2/24 has to be on eth3 instead of eth2", "ip address show dev eth2"),
    Card("address-of-another-card", both(announcing(), ip(
        "host", "addr flush dev eth3", "addr add 10.1.2.2/24 dev eth3",
    )), "R01", "its address 10.1.2.2/24 is also on eth2", "ip address show to 10.1.2.2"),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("card", CARDS, ids=str)
@at_once
def test_card_is_named(card: Card, how: str, net: Net, machines: Machines) -> None:
    card.build(net)
    findings = machines.found_by(how, PORTAL)
    assert rules(findings)[:1] == [card.rule], shown(findings)
    # The target sees that there is no carrier, too.
    assert set(rules(findings)) == {card.rule}, shown(findings)
    assert card.words in shown(findings[:1]), shown(findings)
    assert machines.commands(findings)[0] == ("host", card.command), shown(findings)


def spare(other: str) -> Step:
    """A card without address beside two that carry, on a wire to this machine."""

    def built(net: Net) -> None:
        announcing(2)(net)
        net.add(other)
        cable(net, "host", "eth3", other, "eth3")

    return built


#: Cards without an address, or bridges, that have no part in anything that is missing.
NEAR = {
    "spare-card-to-the-target": spare("target"),
    "spare-card-to-another-machine": spare("third"),
    "smaller-network-inside": both(announcing(), ip(
        "host", "addr flush dev eth2", "addr add 10.1.2.2/16 dev eth2")),
    "copy-of-an-address-that-is-not-needed": both(
        spare("third"), ip("host", "addr add 10.1.2.2/32 dev eth3")),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    NEAR[name](net)
    machines.connect(PORTAL)
    net.settles((), on(2 if "spare" in name or "copy" in name else 3))
    machines.clean(PORTAL)


@pytest.mark.parametrize("how", ["trial", "connected"])
@at_once
def test_a_card_that_leads_elsewhere_is_not_named(how: str, net: Net, machines: Machines) -> None:
    """One card has two networks of the target, and the other card leads to no machine of them."""
    both(pairs(span(2)), ROOM, announce(1, 2))(net)
    net.add("third")
    cable(net, "host", "eth3", "third", "eth3")
    net.ip("host", "addr add 10.1.9.2/24 dev eth2")
    net.ip("target", "addr add 10.1.9.1/24 dev eth2")
    endpoint("target", "10.1.9.1", "dev", "eth2", "signal")(net)
    findings = machines.found_by(how, PORTAL)
    assert rules(findings) == ["C14"] and "eth3" not in shown(findings), shown(findings)
