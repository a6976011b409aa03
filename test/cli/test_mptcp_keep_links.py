# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp keep while network interfaces and addresses come, go and change."""

import time
from collections.abc import Iterator

import pytest
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import endpoints
from test_mptcp_keep import AUTO, HOST, LONG, Keep, addresses, all_there, controller, keep, net
from test_mptcp_setup import LINKS, carried, proves, subflows, wait_for

__all__ = ["controller", "net"]


def renumber(net: Network) -> None:
    """The host's third link gets another address."""
    net.batch(
        net.host, "addr del 10.77.3.2/24 dev eth3", "addr add 10.77.3.7/24 dev eth3",
        "route add default via 10.77.3.1 dev eth3 metric 103",
    )  # fmt: skip


def plug(net: Network, link: int, host: str, target: str) -> None:
    """A card, or the same one again: a network interface of another number."""
    name = f"eth{link}"
    net.ip("link", "add", name, "netns", net.host, "type", "veth", "peer", "name", name,
           "netns", net.target)  # fmt: skip
    for side, address in ((net.host, host), (net.target, target)):
        net.ip("addr", "add", f"{address}/24", "dev", name, netns=side)
        net.ip("link", "set", name, "up", netns=side)
    net.ip("route", "add", "default", "via", target, "dev", name, "metric", f"10{link}",
           netns=net.host)  # fmt: skip


def test_links_that_are_renumbered_and_plugged_in(net: Network) -> None:
    with Keep(net.host, *AUTO, "--role", "host", "--traddr", "10.77.1.1",
              "--dev", "eth1,eth2,eth3,eth4,eth5") as keeper:  # fmt: skip
        wait_for(all_there(net.host), LONG)
        renumber(net)
        wait_for(lambda: "10.77.3.7" in addresses(net.host), LONG)
        assert "10.77.3.2" not in addresses(net.host)
        plug(net, 5, "10.77.5.2", "10.77.5.1")
        wait_for(lambda: "10.77.5.2" in addresses(net.host), LONG)
        net.ip("link", "del", "eth5", netns=net.host)
        wait_for(lambda: "10.77.5.2" not in addresses(net.host), LONG)
        assert keeper.end() == 0
    keep(net.host, *AUTO, "--restore")
    assert addresses(net.host) == []


def test_address_that_moves_to_another_link(net: Network) -> None:
    """The address that the other link has been used with stays the one that it is used with."""
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        net.ip("addr", "del", "10.77.3.2/24", "dev", "eth3", netns=net.host)
        net.ip("addr", "add", "10.77.3.2/24", "dev", "eth4", netns=net.host)
        wait_for(all_there(net.host, 3), LONG)
        wait_for(lambda: len(keeper.done()) > 5, LONG)  # what is done is reported after it
        assert keeper.done()[5:] == [("delete", "eth3")]
        net.ip("addr", "del", "10.77.3.2/24", "dev", "eth4", netns=net.host)
        net.ip("addr", "add", "10.77.3.2/24", "dev", "eth3", netns=net.host)
        net.repair_routes()
        wait_for(all_there(net.host), LONG)


@pytest.fixture
def both(net: Network, controller: FakeHost) -> Iterator[Network]:
    """A keeper on each side, and connections over all links."""
    with (
        Keep(net.target, *AUTO, "--role", "target"),
        Keep(net.host, *AUTO, "--role", "host", "--traddr", "10.77.1.1", host=controller),
    ):
        wait_for(lambda: len(addresses(net.target)) == 4, LONG)
        wait_for(all_there(net.host), LONG)
        proves(net)
        yield net


@pytest.mark.parametrize("meanwhile", [0, 5])
def test_card_that_is_made_anew(both: Network, meanwhile: float) -> None:
    """Its driver was loaded again, say, before or after anybody noticed."""
    living = {s["local"] for s in subflows(both) if s["link"] != "eth3"}
    both.ip("link", "del", "eth3", netns=both.host)
    time.sleep(meanwhile)
    plug(both, 3, "10.77.3.2", "10.77.3.1")

    def is_new() -> bool:
        found = {e["dev"] for e in endpoints(both.host)["endpoints"]}
        return found == set(LINKS) and carried(both) == [LINKS] * 3

    wait_for(is_new, LONG)
    assert living <= {s["local"] for s in subflows(both)}


def test_living_connections_follow(both: Network) -> None:
    """Either side's address changes, and both get one more link."""
    before = {s["local"] for s in subflows(both) if s["link"] not in ("eth2", "eth3")}
    renumber(both)
    both.ip("addr", "del", "10.77.2.1/24", "dev", "eth2", netns=both.target)
    both.ip("addr", "add", "10.77.2.9/24", "dev", "eth2", netns=both.target)
    both.ip("route", "replace", "default", "via", "10.77.2.9", "dev", "eth2", "metric", "102",
            netns=both.host)  # fmt: skip
    wait_for(lambda: "10.77.3.7" in addresses(both.host), LONG)
    wait_for(lambda: "10.77.2.9" in addresses(both.target), LONG)
    plug(both, 5, "10.77.5.2", "10.77.5.1")
    wait_for(lambda: carried(both) == [[*LINKS, "eth5"]] * 3, LONG)
    now = [s for s in subflows(both) if s["state"] == "ESTAB"]
    assert {s["local"].split(":")[0] for s in now if s["link"] == "eth3"} == {"10.77.3.7"}
    assert "10.77.2.1" not in addresses(both.target)
    assert before <= {s["local"] for s in now}
