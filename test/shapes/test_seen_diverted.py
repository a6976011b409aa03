# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packets of the host that leave otherwise than its routes have it, and where replies arrive."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, ip, killed, nft, pairs, routed, service_addresses, sysctl
from shape_damages import HOWS, LINKS, PORTAL, ROOM, Named, announce, announcing, on
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span

ROUTED, ROUTED6 = "10.2.1.1", "fd02:1::1"


def ruleset(text: str) -> Step:
    """Rules of the host's firewall."""
    return lambda net: net.run("host", "nft", "-f", "-", stdin=f"{text}\n") and None


def marked(rule: str, to: str, mark: int = 5) -> Step:
    """A mark on packets that a rule selects, and a routing rule for it."""
    chain = f"type route hook output priority mangle; {rule} meta mark set {mark}"
    return both(
        ruleset(f"table ip marks {{ chain c {{ {chain}; }}; }}"),
        ip("host", f"rule add fwmark {mark} lookup 200", f"route add {to} table 200"),
    )


def translated(rule: str) -> Step:
    chain = f"type nat hook postrouting priority srcnat; {rule}"
    return ruleset(f"table ip nat {{ chain c {{ {chain}; }}; }}")


def by_router(*steps: Step, families: str = "4") -> Step:
    place = "10.2.{}.1" if families == "4" else "fd02:{}::1"
    return both(routed(2, 2, families), ROOM, announce(1, 2, place=place), *steps)


#: The path over the second or the third link that the findings are about.
BY_ETH1 = "leave over eth1 instead of eth3"
MARKED = "the routing rule for the mark 0x5 (fwmark)"
FEW = "with a hop limit (TTL) of 1"


@dataclass(frozen=True)
class Diverted(Named):
    """What moves packets, and the rule, severity and words that say so."""

    words: tuple[str, ...]
    rule: str = "F10"
    severity: str = "error"
    portal: str = PORTAL
    late: Step = lambda net: None
    hows: tuple[str, ...] = HOWS


DIVERTED = [
    Diverted("mark", both(announcing(), marked("ip daddr 10.1.3.1", "10.1.0.0/16 via 10.1.1.1")),
             (BY_ETH1, MARKED, "leads there"), severity="warning"),
    Diverted("mark-by-port-behind-a-router",
             by_router(marked(f"tcp dport {PORT}", "default via 10.1.1.254")),
             ("leave over eth1 instead of eth2", MARKED), severity="warning", portal=ROUTED),
    Diverted("mark-to-a-silent-router",
             both(announcing(), marked("ip daddr 10.1.3.1", "10.1.0.0/16 via 10.1.1.99")),
             ("leave over no link", MARKED, "to 10.1.1.99, which does not answer")),
    Diverted("mark-to-a-blackhole",
             both(announcing(), marked("ip daddr 10.1.3.1", "blackhole default")),
             ("leave over no link", MARKED, "forbids them")),
    Diverted("source-nat", both(announcing(), translated("ip daddr 10.1.3.1 snat to 10.1.1.2")),
             ("source address 10.1.3.2", "by 10.1.1.2", "replies arrive over eth1"),
             severity="warning"),
    Diverted("source-nat-of-the-port-alone",
             both(announcing(), translated(f'oifname "eth3" tcp dport {PORT} snat to 10.1.1.2')),
             ("source address 10.1.3.2", "replies arrive over eth1"), severity="warning"),
    Diverted("source-nat-to-an-unknown-address",
             both(announcing(), translated('oifname "eth3" meta l4proto tcp snat to 192.0.2.7')),
             ("by 192.0.2.7", "no reply arrives")),
    Diverted("destination-nat", both(announcing(), ruleset(
        "table ip nat { chain c { type nat hook output priority -100; "
        "ip daddr 10.1.3.1 dnat to 10.1.1.1; }; }")),
        ("replaces the destination", "by 10.1.1.1"), severity="warning", hows=HOWS[:2]),
    Diverted("hop-limit-of-a-route", by_router(
        ip("host", "route change 10.2.2.0/24 via 10.1.2.254 dev eth2 metric 102 hoplimit 1")),
        (FEW, "10.1.2.254", "(hoplimit 1)"), portal=ROUTED),
    Diverted("hop-limit-of-a-link",
             by_router(sysctl("host", "net.ipv6.conf.eth2.hop_limit=1"), families="6"),
             (FEW, "conf/eth2/hop_limit is too small"), portal=ROUTED6),
    Diverted("hop-limit-of-the-host", by_router(),
             (FEW, "ip_default_ttl is too small", "sysctl -w net.ipv4.ip_default_ttl=64"),
             portal=ROUTED, late=both(sysctl("host", "net.ipv4.ip_default_ttl=1"),
                                      killed("dst", "10.2.2.1"))),
    Diverted("hop-limit-of-the-firewall", by_router(ruleset(
        "table ip ttl { chain c { type filter hook postrouting priority 0; "
        'oifname "eth2" ip ttl set 1; }; }')), (FEW, "own firewall sets it"), portal=ROUTED),
    Diverted("source-of-another-link", both(
        announcing(), ip("host", "route change 10.1.3.0/24 dev eth3 src 10.1.2.2")),
        ("sets the source address 10.1.2.2 (src) of eth2",), "R01", "warning"),
    Diverted("source-that-the-target-drops", both(
        announcing(), ip("host", "route change 10.1.3.0/24 dev eth3 src 10.1.2.2"),
        sysctl("target", "net.ipv4.conf.all.rp_filter=1"),
    ), ("sets the source address 10.1.2.2 (src) of eth2",), "R01", "warning"),
    Diverted("source-while-an-address-is-tentative", both(
        pairs(span(3), "6"), ROOM, announce(1, 2, 3, place="fd01:{}::1"),
        sysctl("host", "net.ipv6.conf.eth3.accept_dad=1", "net.ipv6.conf.eth3.dad_transmits=99"),
        ip("host", "addr flush dev eth3 scope global", "addr add fd01:3::2/64 dev eth3")),
        ("the address fd01:3::2 of that link: it is tentative",), "R01", "warning",
        portal="fd01:1::1"),
    Diverted("replies-by-another-link", both(
        announcing(), ip("target", "route add 10.1.3.2/32 via 10.1.1.2 dev eth1")),
        ("leave over eth3", "arrive over eth1"), "R05", "warning", hows=HOWS[:2]),
    Diverted("forbidden-by-ipsec", both(
        announcing(), ip("host", "xfrm policy add dir out dst 10.1.3.1 action block")),
        ("forbids packets from 10.1.3.2 to 10.1.3.1",)),
]  # fmt: skip


@pytest.mark.parametrize(("case", "how"), [(c, how) for c in DIVERTED for how in c.hows], ids=str)
@at_once
def test_what_moves_packets_is_named(
    case: Diverted, how: str, net: Net, machines: Machines
) -> None:
    require("nft")
    case.build(net)
    machines.offer("::")
    if how == "trial":
        case.late(net)
    else:
        machines.attach(case.portal)
        net.settles((), lambda now: False, 1)
        case.late(net)
        net.settles((), lambda now: False, 4)
    findings = machines.trial(case.portal)[0] if how == "trial" else machines.checked(how)
    # An idle path that is dead for the same reason comes in addition.
    assert {*rules(findings)} - {"C17"} == {case.rule}, shown(findings)
    assert findings[0]["severity"] == case.severity, shown(findings)
    assert all(word in shown(findings[:1]) for word in case.words), shown(findings)


#: Marks, translations and hop limits that move nothing.
NEAR = {
    "mark-of-another-port": marked("tcp dport 80", "10.1.0.0/16 via 10.1.1.1"),
    "mark-whose-route-is-the-same": marked("ip daddr 10.1.3.1", "10.1.3.0/24 dev eth3"),
    "masquerade-of-the-own-address": translated('oifname "eth3" masquerade'),
    "firewall-with-connection-tracking": both(
        nft("host", "input", "ct state established,related accept", "ct state invalid drop"),
        nft("target", "input", "ct state established,related accept", "ct state invalid drop"),
    ),
    "hop-limit-that-suffices": sysctl("host", "net.ipv4.ip_default_ttl=2"),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
@at_once
def test_near_misses(name: str, net: Net, machines: Machines) -> None:
    require("nft")
    both(announcing(), NEAR[name])(net)
    machines.connect(PORTAL)
    net.settles(LINKS, on(3))
    machines.clean(PORTAL)


@at_once
def test_a_hash_of_next_hops_is_no_mark(net: Net, machines: Machines) -> None:
    """A new connection may get another link than the one that a query of routes answers."""
    require("nft")
    both(service_addresses("lo"), NEAR["firewall-with-connection-tracking"],
         ip("host", "rule add fwmark 5 lookup 200",
            "route add 10.8.0.1/32 via 10.1.2.1 dev eth2 src 10.9.0.1 table 200"))(net)  # fmt: skip
    machines.connect("10.8.0.1")
    net.settles((), lambda now: False, 1)
    for findings in (machines.trial("10.8.0.1")[0], machines.check("host")[1]):
        assert not {"F10", "R05"} & set(rules(findings)), shown(findings)
