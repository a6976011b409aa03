# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices without carrier because of a link below: the command switches that one on."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from shape_build import Step, both, ip, on_top, pairs
from shape_damages import HOWS, PORTAL, ROOM, Named, announce, on
from shape_net import Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once, require
from shape_rows import span


def bridged(*lines: str) -> Step:
    """The host's address of the last link is on a bridge, to which the link belongs."""
    return both(
        pairs(span(3)), ROOM, announce(1, 2, 3),
        ip("host", "addr flush dev eth3", "link add br3 type bridge", "link set br3 up",
           "link set eth3 master br3", "addr add 10.1.3.2/24 dev br3", *lines),
    )  # fmt: skip


def macvlan(*lines: str) -> Step:
    """The same on a macvlan of the link."""
    return both(
        pairs(span(3)), ip("host", "addr flush dev eth3"),
        on_top("host", "up3", "eth3", "macvlan mode bridge", "10.1.3.2/24"),
        ROOM, announce(1, 2, 3), ip("host", *lines),
    )  # fmt: skip


@dataclass(frozen=True)
class Below(Named):
    """A device without carrier, the words that say why, and the first command."""

    words: str
    command: str
    needs: str


DEVICES = [
    Below("port-of-a-bridge-is-off", bridged("link set eth3 down"),
          "eth3 below it is administratively down", "ip link set dev eth3 up", "bridge"),
    Below("bridge-without-a-port", bridged("link set eth3 nomaster"),
          "no link belongs to it", "ip link show master br3", "bridge"),
    Below("link-below-is-off", macvlan("link set eth3 down"),
          "eth3 below it is administratively down", "ip link set dev eth3 up", "macvlan"),
]  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("below", DEVICES, ids=str)
@at_once
def test_what_is_below(below: Below, how: str, net: Net, machines: Machines) -> None:
    require(below.needs)
    below.build(net)
    findings = machines.found_by(how, PORTAL)
    # The target sees that there is no carrier, too.
    assert set(rules(findings)) == {"A07"}, shown(findings)
    assert below.words in shown(findings[:1]), shown(findings)
    assert machines.commands(findings)[0] == ("host", below.command), shown(findings)


@pytest.mark.parametrize("name", ["bridge", "macvlan"])
@at_once
def test_a_link_below_that_works_is_silent(name: str, net: Net, machines: Machines) -> None:
    require(name)
    {"bridge": bridged, "macvlan": macvlan}[name]()(net)
    machines.connect(PORTAL)
    net.settles((), on(3))
    machines.clean(PORTAL)
