# SPDX-License-Identifier: LGPL-2.1-or-later
"""Healthy shapes of everyday servers: guests, containers, several arrays, small networks."""

from __future__ import annotations

from shape_build import (
    Step,
    both,
    cable,
    endpoint,
    hardware,
    ip,
    limits,
    management,
    nft,
    pairs,
    routed,
    sysctl,
    vpn,
)  # fmt: skip
from shape_net import Net
from shape_rows import Shape, each, four, six, span


def each_pair(links: int, target: str, host: str) -> Step:
    """The addresses of both ends of each link, for its number."""

    def built(net: Net) -> None:
        for i in span(links):
            cable(net, "host", f"eth{i}", "target", f"eth{i}")
            net.ip("target", f"addr add {target.format(i)} dev eth{i}")
            net.ip("host", f"addr add {host.format(i)} dev eth{i}")

    return built


#: Networks of two addresses (RFC 3021), and addresses without a network.
POINT_TO_POINT = each_pair(3, "10.1.{0}.0/31", "10.1.{0}.1/31")
PEERS = each_pair(3, "10.1.{0}.1 peer 10.1.{0}.2", "10.1.{0}.2 peer 10.1.{0}.1")


def guests(side: str, links: int) -> Step:
    """The address of each link is on a bridge, to which a guest's tap belongs as well."""
    last = 2 if side == "host" else 1
    return ip(side, *(line for i in span(links) for line in (
        f"addr flush dev eth{i}", f"link add br{i} type bridge", f"link set br{i} up",
        f"link set eth{i} master br{i}", f"addr add 10.1.{i}.{last}/24 dev br{i}",
        f"tuntap add dev tap{i} mode tap", f"link set tap{i} master br{i}",
        f"link set tap{i} up")))  # fmt: skip


def public_addresses(links: int) -> Step:
    """A global address besides the local one (RFC 4193) on each link."""
    return (
        lambda net: [
            net.ip(
                side, *(f"addr add 2001:db8:{i}::{last}/64 dev eth{i} nodad" for i in span(links))
            )
            for side, last in (("host", 2), ("target", 1))
        ]
        and None
    )


def known_neighbours(links: int) -> Step:
    """Both sides have each other's hardware addresses, set by hand."""

    def built(net: Net) -> None:
        for i in span(links):
            for side, other, last in (("host", "target", 1), ("target", "host", 2)):
                mac = hardware(net, other, f"eth{i}")
                net.ip(side, f"neigh replace 10.1.{i}.{last} lladdr {mac} dev eth{i} "
                       "nud permanent")  # fmt: skip

    return built


def another_array(net: Net) -> None:
    """Two links to another target."""
    net.add("other")
    for i in (5, 6):
        cable(net, "host", f"eth{i}", "other", f"eth{i}")
        net.ip("host", f"addr add 10.2.{i}.2/24 dev eth{i}")
        net.ip("other", f"addr add 10.2.{i}.1/24 dev eth{i}")


def array_beside(net: Net) -> None:
    """Another target in the same networks."""
    net.add("switch", "other")
    for i in span(2):
        net.ip("switch", f"link add br{i} type bridge", f"link set br{i} up")
        for side, last in (("host", 2), ("target", 1), ("other", 3)):
            cable(net, side, f"eth{i}", "switch", f"{side}{i}")
            net.ip("switch", f"link set {side}{i} master br{i}")
            net.ip(side, f"addr add 10.1.{i}.{last}/24 dev eth{i}")
    net.listen("0.0.0.0", side="other")


def advertised(links: int) -> Step:
    """Default routes of router advertisements."""
    return ip("host", *(f"-6 route add default via fe80::1 dev eth{i} metric {1024 + i} proto ra"
                        for i in span(links)))  # fmt: skip


def container_on(kind: str) -> Step:
    """A container has a macvlan of a storage link; or so has the host itself, to reach it."""

    def built(net: Net) -> None:
        if kind == "shim":
            net.ip("host", "link add link eth1 name shim type macvlan mode bridge",
                   "addr add 10.1.1.60/32 dev shim", "link set shim up",
                   "route add 10.1.1.48/28 dev shim")  # fmt: skip
            return
        net.add("box")
        net.ip("host", "link add link eth1 name mv0 netns {box} type macvlan mode bridge")
        net.ip("box", "addr add 10.1.1.50/24 dev mv0", "link set mv0 up")

    return built


def tables(links: int) -> Step:
    """As netplan writes them: a table with the link's network for each address."""
    return ip("host", *(line for i in span(links) for line in (
        f"route add 10.1.{i}.0/24 dev eth{i} src 10.1.{i}.2 table {200 + i}",
        f"rule add from 10.1.{i}.2 table {200 + i}",
        f"rule add to 10.1.{i}.2 table {200 + i}")))  # fmt: skip


def card_elsewhere(side: str) -> Step:
    """One more card of a side, in a network of another machine."""
    last = 2 if side == "host" else 1

    def built(net: Net) -> None:
        net.add("third")
        cable(net, side, "eth9", "third", "eth9")
        net.ip(side, f"addr add 10.9.9.{last}/24 dev eth9")
        net.ip("third", "addr add 10.9.9.9/24 dev eth9")

    return built


def also_networks(links: int) -> Step:
    """A second network on each link, which is not for storage."""
    return both(*(
        ip(side, *(f"addr add 10.3.{i}.{last}/24 dev eth{i}" for i in span(links)))
        for side, last in (("host", 2), ("target", 1))
    ))  # fmt: skip


def filtered(side: str, text: str) -> Step:
    """Rules of a side's firewall, or of a router's."""
    return lambda net: net.run(side, "nft", "-f", "-", stdin=f"table {text}\n") and None


def masquerade(rule: str) -> Step:
    chain = f"type nat hook postrouting priority 100; {rule} masquerade"
    return filtered("router", f"ip nat {{ chain c {{ {chain}; }}; }}")


#: As wg-quick(8) makes them: all but what main has a route for leaves by the VPN.
QUICK_VPN = both(vpn("host"), ip("host", "route add default dev vpn0 table 51820",
                                 "rule add not fwmark 51820 table 51820",
                                 "rule add table main suppress_prefixlength 0"))  # fmt: skip

#: Firewalls that let nothing pass but what storage needs, no echo requests either.
NO_ECHO = both(
    nft("host", "input", "policy drop", 'iifname "lo" accept',
        "ct state established,related accept"),
    nft("target", "input", "policy drop", 'iifname "lo" accept',
        "ct state established,related accept", "ct state invalid drop", "tcp dport 4420 accept"),
)  # fmt: skip


def last_resort(side: str, links: int) -> Step:
    """Tables that end with a route that forbids everything else."""
    return ip(side, *(f"route add blackhole default metric 4000000000 table {100 + i}"
                      for i in span(links)),
              "route add unreachable default metric 4000000000")  # fmt: skip


TUNED = both(
    sysctl("host", "net.mptcp.allow_join_initial_addr_port=0", "net.ipv4.tcp_sack=0",
           "net.ipv4.tcp_timestamps=0", "net.ipv4.tcp_mtu_probing=2", "net.ipv4.tcp_ecn=1",
           "net.ipv4.tcp_congestion_control=reno"),
    sysctl("target", "net.ipv4.tcp_timestamps=0", "net.ipv4.tcp_window_scaling=0"),
)  # fmt: skip

#: As firewalld(1) has it with IPv6_rpfilter.
FILTERED_RETURNS = filtered("host", (
    "inet fw { chain p { type filter hook prerouting priority -290; "
    "icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept; "
    "meta nfproto ipv6 fib saddr . iif oif missing drop; }; }"
))  # fmt: skip

VIRTUAL = ip("target", *(f"addr add 10.1.{i}.100/32 dev eth{i}" for i in span(2)))

#: mptcpd makes an endpoint of each address that leads to the target.
BY_DAEMON = (endpoint("host", "10.1.1.2", "dev", "eth1", "subflow"),
             endpoint("host", "10.1.2.2", "dev", "eth2", "subflow"))  # fmt: skip

MORE = [
    Shape("networks-of-two-addresses", (POINT_TO_POINT,), each(3), "10.1.1.0",
          tuple(f"10.1.{i}.0" for i in span(3))),
    Shape("addresses-of-peers", (PEERS,), each(3), announced=four(3)),
    Shape("guests-on-the-host", (pairs(span(2)), guests("host", 2)), each(2), announced=four(2),
          needs=("bridge", "tun")),
    Shape("local-and-global-addresses", (pairs(span(2), "6"), public_addresses(2)), each(2),
          "fd01:1::1", six(2), target="--traddr fd01:1::1"),
    Shape("global-addresses-announced", (pairs(span(2), "6"), public_addresses(2)), each(2),
          "2001:db8:1::1", ("2001:db8:1::1", "2001:db8:2::1"), target="--traddr 2001:db8:1::1"),
    Shape("neighbours-by-hand", (pairs(span(3)), known_neighbours(3)), each(3),
          announced=four(3)),
    Shape("another-array", (pairs(span(3)), another_array), each(3), announced=four(3)),
    Shape("another-array-in-the-networks", (array_beside,), each(2), announced=four(2),
          needs=("bridge",)),
    Shape("router-advertisements", (pairs(span(2), "6"), advertised(2)), each(2), "fd01:1::1",
          six(2)),
    Shape("container-with-a-macvlan", (pairs(span(2)), container_on("box")), each(2),
          announced=four(2), needs=("macvlan",)),
    Shape("macvlan-to-containers", (pairs(span(2)), container_on("shim")), each(2),
          announced=four(2), needs=("macvlan",)),
    Shape("table-of-each-network", (pairs(span(3)), tables(3)), each(3), announced=four(3)),
    Shape("virtual-addresses", (pairs(span(2)), VIRTUAL), each(2), announced=four(2)),
    Shape("jumbo-v6-only", (pairs(span(3), "6", 9000),), each(3), "fd01:1::1", six(3)),
    Shape("policy-4-to-2", (routed(4, 2, policy="host target"),), each(4), "10.2.1.1",
          four(2, 2)),
    Shape("card-of-the-host-for-others", (pairs(span(2)), card_elsewhere("host")), each(2),
          announced=four(2)),
    Shape("card-of-the-target-for-others", (pairs(span(2)), card_elsewhere("target")), each(2),
          announced=four(2)),
    Shape("second-networks", (pairs(span(2)), also_networks(2)), each(2), announced=four(2),
          target="--traddr 10.1.1.1"),
    Shape("endpoints-of-a-daemon",
          (pairs(span(2)), management(target=False), limits("host", 8, 0), limits("target", 8, 0),
           ip("host", "route add 10.1.1.1/32 via 10.1.2.1 dev eth2 metric 2002",
              "route add 10.1.1.1/32 dev eth1 metric 2000"), *BY_DAEMON),
          each(2), target=None),
    Shape("rules-of-a-vpn", (pairs(span(2)), QUICK_VPN), each(2), announced=four(2)),
    Shape("router-that-masquerades",
          (routed(2, 2), masquerade('oifname { "target1", "target2" }')), each(2), "10.2.1.1",
          four(2, 2), needs=("nft",)),
    Shape("host-behind-nat", (routed(1, 3), masquerade('oifname != "host1"')), each(1), "10.2.1.1",
          target="--dev eth1", needs=("nft",)),
    Shape("router-that-clamps-sizes",
          (routed(2, 2), nft("router", "forward", "tcp flags syn tcp option maxseg size set 1200")),
          each(2), "10.2.1.1", four(2, 2), needs=("nft",)),
    Shape("checksums-of-the-host", (pairs(span(3)), sysctl("host", "net.mptcp.checksum_enabled=1")),
          each(3), announced=four(3)),
    Shape("firewalls-without-echo", (pairs(span(3)), NO_ECHO), each(3), announced=four(3),
          needs=("nft",)),
    Shape("tables-that-end-in-a-blackhole",
          (routed(3, 3, policy="host target"), last_resort("host", 3), last_resort("target", 3)),
          each(3), "10.2.1.1", four(3, 2)),
    Shape("tuned-tcp", (pairs(span(2)), TUNED), each(2), announced=four(2)),
    Shape("deprecated-addresses-beside",
          (pairs(span(2), "6"), ip("host", *(
              f"addr add fd01:{i}::99/64 dev eth{i} nodad preferred_lft 0" for i in span(2)))),
          each(2), "fd01:1::1", six(2)),
    Shape("filtered-returns", (pairs(span(2), "6"), FILTERED_RETURNS), each(2), "fd01:1::1", six(2),
          needs=("nft",)),
]  # fmt: skip
