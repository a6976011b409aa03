# SPDX-License-Identifier: LGPL-2.1-or-later
"""Subflows that share a wire, in a trial and of controllers, and links of one subnet."""

from __future__ import annotations

import pytest
from shape_build import Step, bare, both, endpoint, limits, pairs, switch
from shape_damages import HOWS, PORTAL, ROOM, Carried, announce, on, start
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span, upper

LINKS = ("eth1", "eth2")


def one_each(carried: Carried) -> bool:
    """Each of two connections has one subflow on both links."""
    return [dict(c) for c in carried.values()] == [dict.fromkeys(LINKS, 1)] * 2


def announce_on(*links: tuple[int, str]) -> Step:
    """The target announces its address of a link, on a device."""
    return both(*(endpoint("target", f"10.1.{i}.1", "dev", dev, "signal") for i, dev in links))


MACVLANS = both(
    bare(span(2)), *(upper("macvlan", f"up{i}", "eth1" if i != 2 else "eth2", i) for i in span(3))
)

#: Networks whose connections have two subflows on one wire, the other link, words of the finding,
#: and commands that give each wire one.
DOUBLED = {
    "macvlans": (both(MACVLANS, announce_on((1, "up1"), (2, "up2"), (3, "up3"))), "up1",
                 ("share one wire", "10.1.1.1 and 10.1.3.1", "announce"), False),
    "macvlan-beside-its-link": (
        both(pairs(span(2)), upper("macvlan", "up3", "eth1", 3),
             announce_on((1, "eth1"), (2, "eth2"), (3, "up3"))),
        "eth1", ("share one wire", "10.1.1.1 and 10.1.3.1", "announce"), False,
    ),
    "endpoint-and-announcement": (both(pairs(span(2)), start(2), announce(2)), "eth2",
                                  ("several subflows",), True),
}  # fmt: skip


@pytest.mark.parametrize("how", ["trial", "connected"])
@pytest.mark.parametrize("name", DOUBLED)
@at_once
def test_doubled_on_one_wire(name: str, how: str, net: Net, machines: Machines) -> None:
    """It is found once, before connecting as well, and setup does not call it complete."""
    if "macvlan" in name:
        require("macvlan")
    build, link, words, mended = DOUBLED[name]
    both(build, ROOM)(net)
    machines.offer("0.0.0.0")
    setup = machines.nvme("host", "setup", "--role", "host", "--traddr", PORTAL)
    assert "nothing is missing" not in setup.out, setup.out
    if how == "trial":
        findings, _ = machines.trial(PORTAL)
    else:
        machines.attach(PORTAL)
        net.settles(LINKS, lambda now: all(c.total() > 2 for c in now.values()), 1)
        _, findings = machines.check("host")
        seen = machines.nvme("host", "show-subflows").out
        assert ("3 links on 2 wires" in seen) == ("macvlan" in name), seen
    assert rules(findings) == ["C14"] and link in findings[0]["subject"], shown(findings)
    assert all(word in findings[0]["why"] for word in words), shown(findings)
    assert bool(machines.commands(findings)) == mended, shown(findings)
    machines.obey(findings)
    if how == "trial":
        machines.attach(PORTAL)
    if mended:
        assert one_each(net.settles(LINKS, one_each))
        assert rules(machines.trial(PORTAL)[0]) == []


@at_once
def test_one_wire_is_all_there_is(net: Net, machines: Machines) -> None:
    """Two macvlans of the only card: nothing could carry more, so that no command is of use."""
    require("macvlan")
    both(bare(span(1)), upper("macvlan", "up1", "eth1", 1), upper("macvlan", "up2", "eth1", 2),
         announce_on((1, "up1"), (2, "up2")), ROOM)(net)  # fmt: skip
    machines.connect(PORTAL)
    net.settles(("eth1",), lambda now: all(c.total() == 2 for c in now.values()))
    for findings in (machines.check("host")[1], machines.trial(PORTAL)[0]):
        assert [(f["rule"], f["severity"]) for f in findings] == [("C14", "info")], shown(findings)
        assert "no other wire" in findings[0]["why"]
    findings = machines.check("target")[1]
    assert [(f["rule"], f["severity"]) for f in findings] == [("A10", "info")], shown(findings)
    assert "shares one wire with up1" in findings[0]["why"] and not findings[0]["fix"]


@at_once
def test_vlans_on_wires_of_their_own_are_silent(net: Net, machines: Machines) -> None:
    """A near miss: a macvlan on each of two cards."""
    require("macvlan")
    both(bare(span(2)), upper("macvlan", "up1", "eth1", 1), upper("macvlan", "up2", "eth2", 2),
         announce_on((1, "up1"), (2, "up2")), ROOM)(net)  # fmt: skip
    machines.connect(PORTAL)
    net.settles(LINKS, on(2))
    for side in ("host", "target"):
        assert machines.check(side)[1] == []
    assert machines.trial(PORTAL)[0] == []
    assert "2 links," in machines.nvme("host", "show-subflows").out


ONE_SUBNET = "10.5.0.201"


@pytest.mark.parametrize("how", HOWS)
@at_once
def test_two_cards_in_one_subnet(how: str, net: Net, machines: Machines) -> None:
    """All joins leave by the first card: one cause, one finding on this side, and it mends."""
    both(switch(2, 2, careful=False), ROOM, announce(1, 2, place="10.5.0.20{}"))(net)
    machines.offer("0.0.0.0")
    if how == "trial":
        findings, _ = machines.trial(ONE_SUBNET)
    else:
        machines.attach(ONE_SUBNET)
        net.settles(LINKS, lambda now: all(c.total() == 2 for c in now.values()))
        findings = machines.checked(how)
    mine = [f for f in findings if f["side"] == "host"]
    assert [f["subject"] for f in mine] == ["eth2"], shown(findings)
    assert "routes choose the link" in mine[0]["why"] and "eth1" in mine[0]["why"]
    if how == "peer":
        assert {f["rule"] for f in findings if f["side"] == "target"} == {"R05", "R07"}
    machines.obey(findings)
    if how == "trial":
        machines.attach(ONE_SUBNET)
    assert one_each(net.settles(LINKS, one_each)), shown(findings)
    if how == "peer":
        net.run("target", "sh", "-c", "ip neigh flush all")
        machines.reattach()
        net.settles(LINKS, on(2))
        assert rules(machines.check("target")[1]) == []


@at_once
def test_one_subnet_with_devices_works(net: Net, machines: Machines) -> None:
    """Replies to a subflow that is bound to its card come in there, whoever may answer ARP."""
    both(switch(2, 1, careful=False), ROOM)(net)
    for i in span(2):
        endpoint("host", f"10.5.0.1{i}", "dev", f"eth{i}", "subflow")(net)
    machines.connect(ONE_SUBNET)
    carried = net.settles(LINKS, on(2))
    assert on(2)(carried), carried
    findings = [*machines.check("host")[1], *machines.trial(ONE_SUBNET)[0]]
    assert {f["rule"] for f in findings} == {"R07"} and rules(findings) == [], shown(findings)


@at_once
def test_one_cause_of_an_endpoint_without_device(net: Net, machines: Machines) -> None:
    both(switch(2, 1, careful=False), ROOM, endpoint("host", "10.5.0.12", "subflow"))(net)
    machines.connect(ONE_SUBNET)
    net.settles(LINKS, lambda now: all(c.total() == 2 for c in now.values()))
    status, findings = machines.check("host")
    assert status == 1 and rules(findings) == ["H07"], shown(findings)
    machines.obey(findings)
    assert one_each(net.settles(LINKS, one_each))


def by_filter(net: Net) -> None:
    """Links answer for addresses whose packets leave by them, and each address has a table."""
    for side, first in (("host", 10), ("target", 200)):
        net.sysctl(side, "net.ipv4.conf.all.arp_filter=1")
        for i in span(2):
            way = f"dev eth{i} src 10.5.0.{first + i} table {100 + i}"
            net.ip(side, f"route add 10.5.0.0/24 {way}",
                   f"rule add from 10.5.0.{first + i} table {100 + i}")  # fmt: skip


@at_once
def test_arp_filter_does_it_as_well(net: Net, machines: Machines) -> None:
    both(switch(2, 2, careful=False), ROOM, by_filter)(net)
    for i in span(2):
        endpoint("host", f"10.5.0.1{i}", "dev", f"eth{i}", "subflow")(net)
        endpoint("target", f"10.5.0.20{i}", "dev", f"eth{i}", "signal")(net)
    limits("host", 8, 0)(net)
    machines.connect(ONE_SUBNET)
    net.settles(LINKS, on(2))
    machines.clean(ONE_SUBNET)
    for side in ("host", "target"):
        assert "R07" not in rules(machines.check(side)[1], "info")


@at_once
def test_setup_says_who_answers_arp(net: Net, machines: Machines) -> None:
    """Its command leaves nothing to note, and nothing to find."""
    both(switch(2, 2, careful=False))(net)
    machines.offer("0.0.0.0")
    for side, words in (("target", []), ("host", ["--traddr", ONE_SUBNET])):
        notes = [n for n in machines.setup(side, *words)["notes"] if "one subnet" in n["text"]]
        assert len(notes) == 1 and "eth1 and eth2" in notes[0]["text"], notes
        net.run(side, "sh", "-ec", notes[0]["command"])
        assert "one subnet" not in str(machines.setup(side, *words)["notes"])
    machines.attach(ONE_SUBNET)
    net.settles(LINKS, on(2))
    machines.clean(ONE_SUBNET)


@at_once
def test_setup_is_silent_about_arp_of_two_subnets(net: Net, machines: Machines) -> None:
    pairs(span(2))(net)
    machines.offer("0.0.0.0")
    for side, words in (("target", []), ("host", ["--traddr", PORTAL])):
        assert "one subnet" not in str(machines.setup(side, *words)["notes"])
