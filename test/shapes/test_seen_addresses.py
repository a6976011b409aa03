# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which addresses are announced, which programs are hosts, and what check and keep report."""

from __future__ import annotations

import pytest
from shape_build import (
    Step,
    both,
    endpoint,
    ip,
    limits,
    management,
    pairs,
    service_processor,
)  # fmt: skip
from shape_damages import LINKS, PORTAL, ROOM, announce, announcing, on, one_each, start
from shape_net import Net
from shape_nvme import QUICK, Machines, rules, shown
from shape_pool import at_once
from shape_rows import span

PROCESSORS = both(service_processor("host"), service_processor("target"))
#: Addresses of the target that keepalived, say, adds.
SECOND = ip("target", *(f"addr add 10.1.{i}.100/24 dev eth{i}" for i in span(2)))


def added(machines: Machines, side: str, *words: str) -> list[str]:
    steps = machines.planned(side, *words)["steps"]
    return [s["command"].removeprefix("ip mptcp endpoint ") for s in steps if s["action"] == "add"]


def brief(machines: Machines, *words: str) -> str:
    return machines.nvme("host", "check", "--brief", "--role", "host", *QUICK, *words).out


@at_once
def test_a_service_processor_is_announced(net: Net, machines: Machines) -> None:
    """By another program: check names it before connecting, and no subflow is missing."""
    both(announcing(), PROCESSORS,
         endpoint("target", "169.254.95.118", "dev", "usb0", "signal"))(net)  # fmt: skip
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    assert rules(findings) == ["A13"] and "service processors" in shown(findings), shown(findings)
    ((side, command),) = machines.commands(findings)
    assert (side, command[:28]) == ("target", "ip mptcp endpoint delete id ")
    machines.attach(PORTAL)
    assert one_each(net.settles(LINKS, one_each))
    assert machines.check("host")[0] == 0
    assert "6 of 6 subflows" in brief(machines), brief(machines)
    assert machines.nvme("host", "repair", "--dry-run").status == 0
    machines.obey(findings)
    machines.reattach()
    assert one_each(net.settles(LINKS, one_each))
    machines.clean(PORTAL)


@pytest.mark.parametrize("words", [(), ("--dev", "eth1,usb0")], ids=["by-default", "asked-for"])
@at_once
def test_service_processors_are_used_if_asked(
    words: tuple[str, ...], net: Net, machines: Machines
) -> None:
    both(pairs(span(2)), PROCESSORS)(net)
    machines.offer("0.0.0.0")
    expected = ["10.1.1.1 dev eth1", "10.1.2.1 dev eth2"]
    if words:
        expected[1] = "169.254.95.118 dev usb0"
    assert added(machines, "target", *words) == [f"add {where} signal" for where in expected]


@at_once
def test_the_address_of_a_port_is_announced(net: Net, machines: Machines) -> None:
    """Not the first one of its link, on which no port listens."""
    both(pairs(span(2)), SECOND)(net)
    for i in span(2):
        machines.offer(f"10.1.{i}.100", name=str(i))
    machines.setup("target")
    machines.setup("host", "--traddr", "10.1.1.100,10.1.2.100")
    machines.attach("10.1.1.100")
    both_links = lambda now: all(c == {"eth1": 1, "eth2": 1} for c in now.values())  # noqa: E731
    assert both_links(net.settles(LINKS, both_links))
    machines.clean("10.1.1.100")


@at_once
def test_the_address_that_hosts_connect_to_is_announced(net: Net, machines: Machines) -> None:
    """Another one of the same link would give them a second subflow there."""
    both(pairs(span(2)), SECOND, ROOM, announce(2))(net)
    machines.connect("10.1.1.100")
    before = net.settles(LINKS, on(2))
    assert added(machines, "target") == ["add 10.1.1.100 dev eth1 signal"]
    machines.setup("target")
    assert net.settles(LINKS, before.__eq__) == before
    machines.clean("10.1.1.100")


@at_once
def test_an_address_with_a_port_is_announced_once(net: Net, machines: Machines) -> None:
    both(pairs(span(2)), ROOM,
         endpoint("target", "10.1.2.1", "dev", "eth2", "port", "4421", "signal"))(net)  # fmt: skip
    machines.offer("0.0.0.0")
    planned = machines.planned("target")
    assert added(machines, "target") == ["add 10.1.1.1 dev eth1 signal"], planned
    assert "10.1.2.1" not in " ".join(note["text"] for note in planned["notes"]), planned
    machines.setup("target")
    machines.attach(PORTAL)
    net.settles(LINKS, lambda now: False, 0.5)
    machines.clean(PORTAL)
    assert added(machines, "target", "--replace") == ["add 10.1.2.1 dev eth2 signal"]


#: What a target is, to whose announcements nothing has to be added.
FOLLOWED: dict[str, Step] = {
    "all-links": announcing(),
    "beside-management": both(announcing(), management()),
    "beside-service-processors": both(announcing(), PROCESSORS),
}


@pytest.mark.parametrize("name", FOLLOWED)
@at_once
def test_keep_asks_for_no_more_announcements(name: str, net: Net, machines: Machines) -> None:
    words = ("keep", "--auto", "--config", "none", "--role", "host", "--traddr", PORTAL)
    FOLLOWED[name](net)
    machines.connect(PORTAL)
    assert one_each(net.settles(LINKS, one_each))
    out = machines.nvme("host", *words, "--dry-run").out
    assert "has to announce" not in out and "nothing to do" in out, out
    net.disconnect()
    net.ip("target", "mptcp endpoint flush")
    machines.reattach()
    out = machines.nvme("host", *words, "--dry-run").out
    assert "has to announce" in out, out


@at_once
def test_other_programs_of_the_target_are_no_hosts(net: Net, machines: Machines) -> None:
    """Many listen with MPTCP, all of Go for instance; and their connections look like nvmet's."""
    both(announcing(), management())(net)
    machines.connect(PORTAL)
    net.listen("192.168.8.2", port=8080)
    net.agent("host", "host").ask("connect", address="192.168.8.2", port=8080, count=3)
    assert one_each(net.settles(LINKS, one_each))
    result = machines.nvme("target", "repair", "--role", "target", "--dry-run", "-o", "json")
    assert (result.status, result.json["missing"], result.json["notes"]) == (0, [], []), result
    words = ("keep", "--auto", "--config", "none", "--role", "target", "--dry-run")
    out = machines.nvme("target", *words).out
    assert "renew" not in out and "--force" not in out, out
    machines.clean()


@pytest.mark.parametrize("limit", [2, 1])
@at_once
def test_a_limit_that_is_just_enough(limit: int, net: Net, machines: Machines) -> None:
    """The address that hosts connect to is announced, and takes no place."""
    both(announcing(), limits("target", limit, 0))(net)
    machines.connect(PORTAL)
    net.settles(LINKS, one_each if limit == 2 else lambda now: False, 1)
    status, findings = machines.check("target")
    assert (status, rules(findings)) == ((0, []) if limit == 2 else (1, ["T06"])), shown(findings)


@at_once
def test_an_endpoint_that_is_not_needed_is_no_error(net: Net, machines: Machines) -> None:
    """NetworkManager makes it where the default route is, and no router there leads to storage."""
    both(announcing(), management(target=False),
         endpoint("host", "192.168.7.2", "dev", "mgmt0", "subflow"))(net)  # fmt: skip
    findings = machines.found_by("connected", PORTAL)
    assert [f["severity"] for f in findings if f["rule"] != "H12"] == ["warning"], shown(findings)
    assert "nothing is lost without this endpoint" in shown(findings), shown(findings)
    machines.obey(findings)
    machines.reattach()
    assert one_each(net.settles(LINKS, one_each))
    machines.clean(PORTAL)


@at_once
def test_uneven_links_are_told(net: Net, machines: Machines) -> None:
    """A link of two announced addresses beside a link of one: near to two on each, and a fault."""
    both(pairs(span(2)), ip("host", "addr add 10.50.1.2/24 dev eth1"),
         ip("target", "addr add 10.50.1.1/24 dev eth1"), ROOM, announce(1, 2),
         endpoint("target", "10.50.1.1", "dev", "eth1", "signal"), start())(net)  # fmt: skip
    for how in ("trial", "connected"):
        findings = machines.found_by(how, PORTAL, offered=how == "connected")
        assert rules(findings) == ["C14"], shown(findings)
        assert "10.50.1.1" in shown(findings), shown(findings)
