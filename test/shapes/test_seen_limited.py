# SPDX-License-Identifier: LGPL-2.1-or-later
"""Firewalls that limit the number of TCP connections, and others that do not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, joined, nft, routed
from shape_damages import LINKS, PORTAL, ROOM, Named, announce, announcing, on
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require

ROUTED = "10.2.1.1"
CONNECTIONS = f"tcp dport {PORT} ct state new"


def count(most: int, verdict: str, side: str = "target", hook: str = "input") -> Step:
    """At most so many TCP connections to the target's port."""
    return nft(side, hook, f"{CONNECTIONS} ct count over {most} {verdict}")


def connlimit(most: int, verdict: str) -> Step:
    """The same of iptables, for all addresses of a host."""
    words = f"-p tcp --syn --dport {PORT} -m connlimit --connlimit-above {most}"
    rule = f"-A INPUT {words} --connlimit-mask 0 -j {verdict}"
    return lambda net: net.run("target", "iptables", *rule.split()) and None


@dataclass(frozen=True)
class Limit(Named):
    """A network with a limit on connections: room for all queues, and not for all their links."""

    rule: str
    #: What becomes of further connections, and how the trial and two queues are limited.
    how: str
    trial: Step
    connected: Step
    portal: str = PORTAL
    needs: str = "nft"


def limited(name: str, rule: str, how: str, verdict: str, net: Step) -> Limit:
    return Limit(name, net, rule, how, count(2, verdict), count(4, verdict))


LIMITS = [
    limited("dropped", "F01", "dropped", "drop", joined()),
    limited("announced-and-dropped", "F01", "dropped", "drop", announcing()),
    limited("reset", "F02", "refused", "reject with tcp reset", joined()),
    limited("announced-and-reset", "F02", "refused", "reject with tcp reset", announcing()),
    limited("rejected", "F02", "refused", "reject", joined()),
    limited("prohibited", "F02", "refused", "reject with icmp type admin-prohibited", joined()),
    Limit("connlimit", joined(), "F01", "dropped", connlimit(2, "DROP"), connlimit(4, "DROP"),
          needs="iptables"),
    Limit("in-a-router", both(routed(3, 3), ROOM, announce(1, 2, 3, place="10.2.{}.1")),
          "F01", "dropped", count(2, "drop", "router", "forward"),
          count(4, "drop", "router", "forward"), portal=ROUTED),
]  # fmt: skip


@pytest.mark.parametrize("how", ["trial", "connected"])
@pytest.mark.parametrize("limit", LIMITS, ids=str)
@at_once
def test_limit_is_named(limit: Limit, how: str, net: Net, machines: Machines) -> None:
    """One finding says that plain TCP fails as well, and blames no option of MPTCP."""
    require(limit.needs)
    both(limit.build, getattr(limit, how))(net)
    findings = machines.found_by(how, limit.portal, 4)
    assert rules(findings) == [limit.rule], shown(findings)
    text = shown(findings)
    assert "limits the number of TCP connections" in text, text
    assert f"is {limit.how}" in text and "option" not in text, text
    expected = "while 2 plain TCP" if how == "trial" else "where subflows work"
    assert expected in text, text
    assert findings[0]["evidence"]["open_connections"] == ("2" if how == "trial" else "4"), text


@at_once
def test_a_full_target_before_connecting(net: Net, machines: Machines) -> None:
    """Connections of a controller use up the limit, so that another one gets none."""
    require("nft")
    both(joined(), count(4, "drop"))(net)
    machines.connect(PORTAL)
    net.settles((), lambda now: False, 0.5)
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == ["C09"], shown(findings)
    assert "limits the number of TCP connections" in shown(findings), shown(findings)


@at_once
def test_enough_connections_are_allowed(net: Net, machines: Machines) -> None:
    require("nft")
    # Two queues, and a trial's connection, on three links.
    both(joined(), count(9, "drop"))(net)
    machines.connect(PORTAL)
    carried = net.settles(LINKS, on(3))
    assert on(3)(carried), carried
    machines.clean(PORTAL)


#: Firewalls that drop or refuse joins, whatever the number of connections is.
OTHERS = {
    "joins-dropped": ("tcp option mptcp subtype 1 drop", "F03"),
    "joins-refused": ("tcp option mptcp subtype 1 reject with tcp reset", "F02"),
    "link-dropped": (f'iifname "eth3" {CONNECTIONS} drop', "F01"),
    "rate-dropped": (f"{CONNECTIONS} limit rate over 1/minute burst 2 packets drop", "F01"),
    "rate-refused": (
        f"{CONNECTIONS} limit rate over 1/minute burst 2 packets reject with tcp reset", "F02",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
@at_once
def test_other_firewalls_limit_no_number(name: str, net: Net, machines: Machines) -> None:
    require("nft")
    rule, expected = OTHERS[name]
    both(joined(), nft("target", "input", rule))(net)
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    assert set(rules(findings)) == {expected}, shown(findings)
    assert "limits the number" not in shown(findings), shown(findings)


@at_once
def test_a_link_that_is_closed_to_new_connections(net: Net, machines: Machines) -> None:
    """New connections pass elsewhere, so that their number is no cause."""
    require("nft")
    both(joined(), nft("target", "input", f'iifname "eth3" {CONNECTIONS} drop'))(net)
    findings = machines.found_by("connected", PORTAL, 4)
    assert rules(findings) == ["F01"], shown(findings)
    assert "a firewall drops it" in shown(findings), shown(findings)
    assert "limits the number" not in shown(findings), shown(findings)
