# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the target's report names: numbers of its ports, and addresses that IPv6 took away."""

from __future__ import annotations

from shape_build import both, pairs, sysctl
from shape_damages import PORTAL, ROOM, announce, announcing
from shape_net import PORT, Net
from shape_nvme import Machines, rules, shown
from shape_pool import at_once
from shape_rows import span


@at_once
def test_ports_of_different_numbers(net: Net, machines: Machines) -> None:
    """Each port gets one number: that of the others, or the smallest."""
    announcing()(net)
    for i in span(3):
        machines.offer(f"10.1.{i}.1", number=PORT + i - 1, name=str(i))
    findings = machines.found_by("peer", PORTAL, 0.5, offered=True)
    assert rules(findings) == ["T03", "T03"], shown(findings)
    written = [c for _, c in machines.commands(findings) if c.startswith("echo")]
    assert written == [f"echo {PORT} > /sys/kernel/config/nvmet/ports/{i}/addr_trsvcid"
                       for i in (2, 3)], shown(findings)  # fmt: skip


@at_once
def test_ipv6_is_off_on_a_link_of_the_target(net: Net, machines: Machines) -> None:
    both(pairs(span(3), "6"), ROOM, announce(1, 2, 3, place="fd01:{}::1"),
         sysctl("target", "net.ipv6.conf.eth3.disable_ipv6=1"))(net)  # fmt: skip
    findings = machines.found_by("peer", "fd01:1::1", 1)
    assert rules(findings) == ["T04"], shown(findings)
    assert machines.commands(findings) == [
        ("target", "sysctl -w net/ipv6/conf/eth3/disable_ipv6=0")
    ], shown(findings)
