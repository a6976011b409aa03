# SPDX-License-Identifier: LGPL-2.1-or-later
"""Steps that build a network: links, switches, routers, rules, and what else machines have.

Link i has the addresses 10.1.i.2 and fd01:i::2 on the host, 10.1.i.1 and fd01:i::1 on the target.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from shape_net import Net

Step = Callable[[Net], None]

#: Ports of other programs' connections.
OTHER_PORT = 8080


def both(*steps: Step) -> Step:
    def built(net: Net) -> None:
        for step in steps:
            step(net)

    return built


def ip(side: str, *lines: str) -> Step:
    return lambda net: net.ip(side, *lines)


def sysctl(side: str, *settings: str) -> Step:
    return lambda net: net.sysctl(side, *settings)


def nft(side: str, hook: str, *rules: str) -> Step:
    return lambda net: net.nft(side, hook, *rules)


def cable(net: Net, one: str, one_name: str, other: str, other_name: str, mtu: int = 1500) -> None:
    """A veth pair between two namespaces, both ends up."""
    net.add(one, other)
    end = f"type veth peer name {other_name} mtu {mtu} netns {{{other}}}"
    net.ip(one, f"link add {one_name} mtu {mtu} {end}", f"link set {one_name} up")
    net.ip(other, f"link set {other_name} up")


def addresses(i: int, last: int, families: str) -> list[str]:
    """Addresses of one end of link i."""
    found = [f"10.1.{i}.{last}/24"] if "4" in families else []
    return found + ([f"fd01:{i}::{last}/64 nodad"] if "6" in families else [])


def pairs(links: Sequence[int], families: str = "4", mtu: int = 1500) -> Step:
    """Links between host and target, each a network of its own."""

    def built(net: Net) -> None:
        for i in links:
            cable(net, "host", f"eth{i}", "target", f"eth{i}", mtu)
            for side, last in (("host", 2), ("target", 1)):
                net.ip(side, *(f"addr add {a} dev eth{i}" for a in addresses(i, last, families)))

    return built


def bare(links: Sequence[int]) -> Step:
    """The same without addresses."""
    return pairs(links, families="")


def ways_to(portal: str, links: Sequence[int], but: int = 1) -> Step:
    """Routes of the host to one address of the target by each link, the first a direct one."""
    six = ":" in portal

    def built(net: Net) -> None:
        for i in links:
            gateway = f"fd01:{i}::1" if six else f"10.1.{i}.1"
            size = 128 if six else 32
            way = f"via {gateway} dev eth{i} metric {2000 + i}"
            if i == but:
                way = f"dev eth{i} metric 2000"
            net.ip("host", f"route add {portal}/{size} {way}")

    return built


def defaults(links: Sequence[int]) -> Step:
    """A default route of the host by each link, with rising metrics."""

    def built(net: Net) -> None:
        for i in links:
            net.ip("host", f"route add default via 10.1.{i}.1 dev eth{i} metric {100 + i}")

    return built


def switch(host: int, target: int, families: str = "4", careful: bool = True) -> Step:
    """All links of both sides in one network: 10.5.0.0/24, host 1i, target 20i.

    @careful: each link answers ARP for its own address alone, and each address has its own table.
    """

    def built(net: Net) -> None:
        net.add("switch")
        net.ip("switch", "link add br0 type bridge", "link set br0 up")
        for side, count, first in (("host", host, 10), ("target", target, 200)):
            if careful:
                names = ("all", "default")
                net.sysctl(side, *(f"net.ipv4.conf.{n}.arp_ignore=1" for n in names))
                net.sysctl(side, *(f"net.ipv4.conf.{n}.arp_announce=2" for n in names))
            for i in range(1, count + 1):
                cable(net, side, f"eth{i}", "switch", f"{side}{i}")
                net.ip("switch", f"link set {side}{i} master br0")
                for address, network in (
                    (f"10.5.0.{first + i}", "10.5.0.0/24"),
                    (f"fd05::{first + i:x}", "fd05::/64"),
                ):
                    if ("6" if ":" in address else "4") not in families:
                        continue
                    size = network.partition("/")[2]
                    nodad, six = (" nodad", "-6 ") if ":" in address else ("", "")
                    net.ip(side, f"addr add {address}/{size} dev eth{i}{nodad}")
                    if careful and count > 1:
                        net.ip(
                            side,
                            f"route add {network} dev eth{i} src {address} table {100 + i}",
                            f"{six}rule add from {address} table {100 + i}",
                        )

    return built


def two_of_the_target(net: Net) -> None:
    """Link i of the host leads to two of the target: 10.1.i.1 and 10.1.i.3."""
    net.add("switch")
    net.sysctl("target", *(f"net.ipv4.conf.all.{n}" for n in ("arp_ignore=1", "arp_announce=2")))
    for i in (1, 2):
        net.ip("switch", f"link add br{i} type bridge", f"link set br{i} up")
        for side, last, n in (("host", 2, i), ("target", 1, i), ("target", 3, i + 2)):
            cable(net, side, f"eth{n}", "switch", f"{side}{n}")
            net.ip("switch", f"link set {side}{n} master br{i}")
            net.ip(side, f"addr add 10.1.{i}.{last}/24 dev eth{n}")
            if side == "target":
                net.ip(side, f"route add 10.1.{i}.0/24 dev eth{n} table {100 + n}",
                       f"rule add from 10.1.{i}.{last} table {100 + n}")  # fmt: skip


def routed(host: int, target: int, families: str = "4", policy: str = "") -> Step:
    """A router between: host links 10.1.i.2 by 10.1.i.254, target links 10.2.i.1 by 10.2.i.254.

    @policy: the sides whose addresses have tables with a default route of their own; the others
    have routes to the other side's network i by link i, or to its only one by each link.
    """

    def built(net: Net) -> None:
        net.add("router")
        net.sysctl("router", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
        sides = {"host": (host, 1, 2), "target": (target, 2, 1)}
        for side, (count, network, last) in sides.items():
            others, other = (target, 2) if side == "host" else (host, 1)
            for i in range(1, count + 1):
                cable(net, side, f"eth{i}", "router", f"{side}{i}")
                for family in families:
                    _route_link(net, side, family, i, (network, last), (others, other, count),
                                side in policy)  # fmt: skip

    return built


def _route_link(
    net: Net, side: str, family: str, i: int, own: tuple[int, int],
    others: tuple[int, int, int], policy: bool,
) -> None:  # fmt: skip
    """Addresses and routes of one link to the router."""
    network, last = own
    count, other, links = others

    def place(n: int, i: int) -> str:
        return f"10.{n}.{i}." if family == "4" else f"fd0{n}:{i}::"

    gateway = f"{place(network, i)}{254 if family == '4' else 'fe'}"
    size, nodad, six = (24, "", "") if family == "4" else (64, " nodad", "-6 ")
    net.ip(side, f"addr add {place(network, i)}{last}/{size} dev eth{i}{nodad}")
    net.ip("router", f"addr add {gateway}/{size} dev {side}{i}{nodad}")
    if policy:
        metric = f" metric {100 + i}"
        lines = [f"route add default via {gateway} dev eth{i} table {100 + i}",
                 f"{six}rule add from {place(network, i)}{last} table {100 + i}"]  # fmt: skip
        if i == 1:
            lines.append(f"route add default via {gateway} dev eth{i}{metric}")
        net.ip(side, *lines)
        return
    end = "0" if family == "4" else ""
    reached = [i] if links == count else range(1, count + 1)
    for j in reached:
        way = f"via {gateway} dev eth{i} metric {100 + i}"
        net.ip(side, f"route add {place(other, j)}{end}/{size} {way}")


def management(families: str = "4", target: bool = True) -> Step:
    """mgmt0 on both sides, with the default route by a router that leads everywhere."""

    def built(net: Net) -> None:
        net.add("office")
        net.sysctl("office", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1")
        for side, n in (("host", 7), ("target", 8)):
            if side == "target" and not target:
                continue
            cable(net, side, "mgmt0", "office", side)
            if "4" in families:
                net.ip("office", f"addr add 192.168.{n}.1/24 dev {side}")
                net.ip(side, f"addr add 192.168.{n}.2/24 dev mgmt0",
                       f"route add default via 192.168.{n}.1 dev mgmt0")  # fmt: skip
            if "6" in families:
                net.ip("office", f"addr add fd{n}::1/64 dev {side} nodad")
                net.ip(side, f"addr add fd{n}::2/64 dev mgmt0 nodad",
                       f"route add default via fd{n}::1 dev mgmt0")  # fmt: skip
        if target and "4" in families:
            net.ip("office", "route add 10.1.0.0/16 via 192.168.8.2 dev target")
        if target and "6" in families:
            net.ip("office", "route add fd01::/16 via fd8::2 dev target")

    return built


def containers(side: str) -> Step:
    """docker0 with a container, virbr0 with nobody: bridges without a physical port."""

    def built(net: Net) -> None:
        net.ip(side, "link add docker0 type bridge", "addr add 172.17.0.1/16 dev docker0",
               "link set docker0 up")  # fmt: skip
        cable(net, side, "veth1a2b", f"box-{side}", "eth0")
        net.ip(side, "link set veth1a2b master docker0")
        net.ip(f"box-{side}", "addr add 172.17.0.2/16 dev eth0")
        net.ip(side, "link add virbr0 type bridge", "addr add 192.168.122.1/24 dev virbr0",
               "link set virbr0 up")  # fmt: skip

    return built


def tunnels(side: str) -> Step:
    """vxlan.calico and tun0, with addresses."""
    return ip(
        side,
        "link add vxlan.calico type vxlan id 4096 dstport 4789 remote 192.0.2.1 dev lo",
        "addr add 10.244.0.1/24 dev vxlan.calico",
        "link set vxlan.calico up",
        "tuntap add dev tun0 mode tun",
        "addr add 10.8.0.1/24 dev tun0",
        "link set tun0 up",
    )


def service_processor(side: str) -> Step:
    """usb0 leads to the server's own one; the addresses are the same on every machine."""

    def built(net: Net) -> None:
        cable(net, side, "usb0", f"bmc-{side}", "usb0")
        net.ip(side, "addr add 169.254.95.118/16 dev usb0")
        net.ip(f"bmc-{side}", "addr add 169.254.95.120/16 dev usb0")

    return built


def temporary_addresses(links: Sequence[int]) -> Step:
    """Connections of the host start from an address that it changes daily (RFC 8981)."""

    def built(net: Net) -> None:
        for i in links:
            net.sysctl("host", f"net.ipv6.conf.eth{i}.use_tempaddr=2")
            net.ip(
                "host",
                f"addr del fd01:{i}::2/64 dev eth{i}",
                f"addr add fd01:{i}::2/64 dev eth{i} mngtmpaddr nodad "
                "valid_lft 86400 preferred_lft 14400",
            )
        listing = ("ip", "-6", "-o", "addr", "show", "temporary")
        while len(net.run("host", *listing).splitlines()) < len(links):
            time.sleep(0.05)

    return built


def second_addresses(links: Sequence[int]) -> Step:
    """Connections of the host start from the second address of a link, as the routes say."""
    return ip(
        "host",
        *(f"addr add 10.1.{i}.12/24 dev eth{i}" for i in links),
        *(f"route replace 10.1.1.1/32 {f'via 10.1.{i}.1 ' if i > 1 else ''}dev eth{i} "
          f"metric {1999 + i} src 10.1.{i}.12" for i in links),
    )  # fmt: skip


def vpn(side: str) -> Step:
    """vpn0 with an address; what is sent to the machine behind it goes no further."""

    def built(net: Net) -> None:
        cable(net, side, "vpn0", "vpn", "peer0")
        net.ip("vpn", "addr add 10.66.0.1/24 dev peer0")
        net.ip(side, "addr add 10.66.0.2/24 dev vpn0")

    return built


def on_top(side: str, upper: str, lower: str, kind: str, *addresses: str) -> Step:
    """A device of a kind on a link of a side, up, with addresses."""
    return ip(
        side,
        f"link add link {lower} name {upper} type {kind}",
        f"link set {upper} up",
        *(f"addr add {address} dev {upper}" for address in addresses),
    )


def bond(
    side: str, name: str, members: Sequence[str], *addresses: str,
    mode: str = "active-backup miimon 100",
) -> Step:  # fmt: skip
    lines = [f"link add {name} type bond mode {mode}"]
    for member in members:
        lines += [f"link set {member} down", f"link set {member} master {name}"]
    lines.append(f"link set {name} up")
    return ip(side, *lines, *(f"addr add {address} dev {name}" for address in addresses))


def endpoint(side: str, *words: str) -> Step:
    """An endpoint that an administrator or another program made."""
    return lambda net: net.ip(side, f"mptcp endpoint add {' '.join(words)}")


def limits(side: str, subflows: int, accepted: int) -> Step:
    """Limits that an administrator or another program set."""
    words = f"subflows {subflows} add_addr_accepted {accepted}"
    return lambda net: net.ip(side, f"mptcp limits set {words}")


def joined(links: int = 3) -> Step:
    """Links that lead to the target's only address, and an endpoint on each but the first."""
    span = range(1, links + 1)
    return both(
        pairs(span), ways_to("10.1.1.1", span), limits("host", 8, 0), limits("target", 8, 0),
        *(endpoint("host", f"10.1.{i}.2", "dev", f"eth{i}", "subflow", "id", str(i))
          for i in span[1:]),
    )  # fmt: skip


def joinable(links: int = 3) -> Step:
    """The same without endpoints, and with room for any."""
    span = range(1, links + 1)
    return both(pairs(span), ways_to("10.1.1.1", span), limits("host", 8, 8),
                limits("target", 8, 8))  # fmt: skip


def own_address(net: Net, name: str) -> str:
    words = net.run("host", "ip", "-4", "-o", "addr", "show", "dev", name).split()
    return words[3].partition("/")[0]


def flapped(*names: str) -> Step:
    """Links of the host that were down for a moment, and whose routes came back."""

    def built(net: Net) -> None:
        for name in names:
            routes = net.run("host", "ip", "route", "show", "dev", name).splitlines()
            net.ip("host", f"link set {name} down")
            net.run("host", "ss", "-K", "src", own_address(net, name))
            net.ip("host", f"link set {name} up")
            for route in routes:
                if "proto kernel" not in route:
                    net.ip("host", f"route replace {route.replace('linkdown', '')} dev {name}")

    return built


def killed(*words: str) -> Step:
    """Subflows of the host that died."""
    return lambda net: net.run("host", "ss", "-K", *words) and None


def hardware(net: Net, side: str, name: str) -> str:
    return net.run(side, "cat", f"/sys/class/net/{name}/address").strip()


def known_neighbour(net: Net) -> None:
    """The host knows the target's hardware address on eth3, whatever answers there."""
    address = hardware(net, "target", "eth3")
    net.ip("host", f"neigh replace 10.1.3.1 lladdr {address} dev eth3 nud permanent")


def service_addresses(device: str) -> Step:
    """Addresses on a device that leads nowhere, and routes with a next hop on each link.

    The target is 10.8.0.1; the host connects from 10.9.0.1, and has endpoints of the others.
    """
    span = range(1, 4)
    there = "".join(f" nexthop via 10.1.{i}.1 dev eth{i}" for i in span)
    back = "".join(f" nexthop via 10.1.{i}.2 dev eth{i}" for i in span)
    make = () if device == "lo" else (f"link add {device} type dummy", f"link set {device} up")
    return both(
        pairs(span), limits("host", 8, 0), limits("target", 8, 0),
        *(sysctl(side, "net.ipv4.fib_multipath_hash_policy=1") for side in ("host", "target")),
        ip("host", *make, *(f"addr add 10.9.0.{i}/32 dev {device}" for i in span),
           f"route add 10.8.0.1/32 src 10.9.0.1{there}"),
        ip("target", "addr add 10.8.0.1/32 dev lo",
           *(f"route add 10.9.0.{i}/32{back}" for i in span)),
        *(endpoint("host", f"10.9.0.{i}", "subflow") for i in span[1:]),
    )  # fmt: skip


def drops_above(side: str, name: str, size: int) -> Step:
    """A link that loses packets longer than this, as a switch with a smaller MTU does."""
    # Load the length; longer than an Ethernet header more: TC_ACT_SHOT, else pass.
    code = f"4,128 0 0 0,37 0 1 {size + 14},6 0 0 2,6 0 0 0"

    def built(net: Net) -> None:
        net.run(side, "tc", "qdisc", "add", "dev", name, "clsact")
        net.run(side, "tc", "filter", "add", "dev", name, "ingress",
                "bpf", "direct-action", "bytecode", code)  # fmt: skip

    return built


def others(count: int = 2) -> Step:
    """Another program's MPTCP connections, which stay."""

    def built(net: Net) -> None:
        net.listen("10.1.1.1", port=OTHER_PORT)
        net.agent("host", "host").ask("connect", address="10.1.1.1", port=OTHER_PORT, count=count)

    return built
