# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the target's report names, and which subflows of its hosts are missing there."""

from __future__ import annotations

import threading
import time

import pytest
from shape_build import Step, both, endpoint, ip, joined, killed, limits, pairs, sysctl
from shape_damages import LINKS, PORTAL, ROOM, announce, announcing, nothing, on, start
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


def also_announcing(*links: int) -> Step:
    """The host starts its subflows itself, and follows no announcement."""
    return both(joined(), limits("host", 8, 0), announce(*links))


def elsewhere(*names: str) -> Step:
    """The host's ends of these links belong to another machine, without an address."""

    def built(net: Net) -> None:
        net.add("third")
        net.ip("host", *(f"link set {name} netns {{third}}" for name in names))
        net.ip("third", *(f"link set {name} up" for name in names))

    return built


#: How a host uses its links, what goes wrong afterwards, and the link that repair names, if any.
HOSTS = {
    "fewer-links": (both(announcing(), elsewhere("eth3")), nothing, None),
    "no-address-on-a-link": (both(announcing(), ip("host", "addr flush dev eth3")), nothing, None),
    "one-link": (both(announcing(), elsewhere("eth2", "eth3")), nothing, None),
    "endpoints-of-its-own": (also_announcing(1, 2, 3), nothing, None),
    "endpoints-and-a-lost-one": (also_announcing(1, 2, 3), killed("src", "10.1.3.2"), None),
    "lost-on-all": (announcing(), killed("dst", "10.1.3.1"), "eth3"),
    "endpoint-and-announcement": (
        both(pairs(span(3)), start(2), announce(3), ROOM), killed("dst", "10.1.3.1"), None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTS)
@at_once
def test_what_a_target_misses(name: str, net: Net, machines: Machines) -> None:
    """Only what the host side can reach: announcing again brings back nothing else."""
    build, late, link = HOSTS[name]
    both(build, sysctl("target", "net.mptcp.add_addr_timeout=2"))(net)
    machines.connect(PORTAL)
    net.settles(LINKS, lambda now: False, 0.5)
    late(net)
    net.settles(LINKS, lambda now: False, 0.3)
    words = ("--role", "target", "--dry-run", "-o", "json")
    result = machines.nvme("target", "repair", *words)
    missing = [(gap["link"], gap["missing"]) for gap in result.json["missing"]]
    assert missing == ([(link, 2)] if link else []), result
    assert bool(result.json["steps"]) == bool(link) == bool(result.status), result
    keep = ("keep", "--auto", "--config", "none", "--role", "target", "--adopt", "--dry-run")
    out = machines.nvme("target", *keep).out
    assert ("announces it again" in out) == bool(link), out
    if link:
        machines.nvme("target", "repair", "--role", "target")
        assert on(3)(net.settles(LINKS, on(3)))


@at_once
def test_a_trial_waits_for_each_subflow(net: Net, machines: Machines) -> None:
    """An address that is announced later gets as much time as the first one."""
    both(pairs(span(3)), ROOM, announce(2),
         ip("target", "addr flush dev eth2", "addr flush dev eth3"))(net)  # fmt: skip
    machines.offer("0.0.0.0")

    def announced_late() -> None:
        time.sleep(2.5)
        endpoint("target", "10.1.3.1", "dev", "eth3", "signal")(net)

    late = threading.Thread(target=announced_late)
    late.start()
    findings, _ = machines.trial(PORTAL)
    late.join()
    # Without a route to host, what is known of eth3 would be a join without an answer.
    assert rules(findings) == ["R08", "R08"], shown(findings)
    assert all("errno" in f["evidence"] for f in findings if f["rule"] == "R08"), findings
