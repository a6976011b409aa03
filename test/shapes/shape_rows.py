# SPDX-License-Identifier: LGPL-2.1-or-later
"""Healthy shapes: one row each, with what a healthy result is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shape_build import (
    Step,
    bare,
    bond,
    containers,
    defaults,
    endpoint,
    ip,
    limits,
    management,
    on_top,
    others,
    pairs,
    routed,
    second_addresses,
    service_processor,
    switch,
    sysctl,
    temporary_addresses,
    tunnels,
    two_of_the_target,
    vpn,
    ways_to,
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A network, how both sides are set up on it, and what has to come of it."""

    name: str
    build: tuple[Step, ...]
    #: Physical interfaces of the host, and how many subflows of each connection they carry.
    wires: Mapping[str, int]
    #: The address to connect to, and the others of the target that the host is told of.
    portal: str = "10.1.1.1"
    announced: tuple[str, ...] = ()
    #: Further words of setup on each side; None: the target is not set up.
    target: str | None = ""
    host: str = ""
    #: Further words of each check.
    check: str = ""
    #: How the host connects.
    connect: Mapping[str, str] = field(default_factory=dict)
    #: What happens between setup and connecting.
    late: Step | None = None
    #: Interfaces that have to stay without endpoint: nothing is announced, nothing starts there.
    idle: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: Words that the notes of setup on a side have to hold.
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: So many of the wires are enough, one subflow each: the kernel has no room for more.
    enough: int = 0
    #: Kinds of devices that it takes.
    needs: tuple[str, ...] = ()

    @property
    def targets(self) -> str:
        """All addresses of the target that the host is told of, as --traddr takes them."""
        return ",".join((self.portal, *(a for a in self.announced if a != self.portal)))


def span(count: int) -> range:
    return range(1, count + 1)


def each(links: int | range) -> dict[str, int]:
    """One subflow on each of the links."""
    return {f"eth{i}": 1 for i in (span(links) if isinstance(links, int) else links)}


def four(links: int, network: int = 1) -> tuple[str, ...]:
    return tuple(f"10.{network}.{i}.1" for i in span(links))


def six(links: int, network: int = 1) -> tuple[str, ...]:
    return tuple(f"fd0{network}:{i}::1" for i in span(links))


def announced(links: int, families: str, portal: str, mtu: int = 1500) -> Shape:
    """The target announces its address on each link, in a network of its own."""
    name = {"4": "v4", "6": "v6", "46": "both-v6" if ":" in portal else "both-v4"}[families]
    return Shape(
        f"announced-{links}-{name}" + (f"-mtu{mtu}" if mtu != 1500 else ""),
        (pairs(span(links), families, mtu),),
        each(links),
        portal,
        six(links) if ":" in portal else four(links),
    )


ANNOUNCED = [
    *(announced(links, "4", "10.1.1.1") for links in (1, 2, 3, 4, 8)),
    *(announced(links, "6", "fd01:1::1") for links in (1, 2, 4, 8)),
    announced(3, "46", "10.1.1.1"),
    announced(3, "46", "fd01:1::1"),
    replace(
        announced(3, "46", "fd01:1::1"),
        name="announced-3-both-v6-named",
        target="--traddr fd01:1::1",
    ),
    announced(8, "46", "10.1.1.1"),
    announced(2, "4", "10.1.1.1", 9000),
    announced(4, "46", "fd01:1::1", 9000),
    Shape("announced-10-v4", (pairs(span(10)),), each(10), announced=four(10),
          notes={"target": ("eth10",)}, enough=8),
    Shape("announced-10-v6", (pairs(span(10), "6"),), each(10), "fd01:1::1", six(10),
          notes={"target": ("eth10",)}, enough=8),
]  # fmt: skip

#: The target announces some of its addresses, one, or none.
PARTLY = [
    Shape("some-2-of-4", (pairs(span(4)),), each(2), announced=four(2), target="--dev eth1,eth2"),
    Shape("some-3-of-4-v6", (pairs(span(4), "6"),), each(3), "fd01:1::1", six(3),
          target="--dev eth1,eth2,eth3"),
    Shape("some-2-of-4-with-default-routes", (pairs(span(4)), defaults(span(4))), each(2),
          announced=four(2), target="--dev eth1,eth2", idle={"host": ("eth3", "eth4")},
          notes={"host": ("eth3", "eth4", "--dev")}),
    Shape("one-address-4-by-default-routes", (pairs(span(4)), defaults(span(4))), each(4),
          target="--dev eth1"),
    Shape("2-announced-and-a-link-asked-for", (pairs(span(3)), defaults(range(3, 4))), each(3),
          announced=four(2), target="--dev eth1,eth2", host="--dev eth1,eth2,eth3"),
    # From the host it looks like a target that was not set up again.
    Shape("one-of-3", (pairs(span(3)),), each(1), target="--dev eth1", check="--ignore H01"),
    Shape("one-address-2", (pairs(span(2)), ways_to("10.1.1.1", span(2))), each(2), target=None),
    Shape("one-address-3", (pairs(span(3)), ways_to("10.1.1.1", span(3))), each(3), target=None),
    Shape("one-address-3-v6", (pairs(span(3), "6"), ways_to("fd01:1::1", span(3))), each(3),
          "fd01:1::1", target=None),
    Shape("one-address-4-and-all-announced", (pairs(span(4)), ways_to("10.1.1.1", span(4))),
          each(4)),
    Shape("one-address-8", (pairs(span(8)), ways_to("10.1.1.1", span(8))), each(8),
          target="--dev eth1"),
    Shape("one-address-10", (pairs(span(10)), ways_to("10.1.1.1", span(10))), each(10),
          target="--dev eth1", notes={"host": ("eth10",)}, enough=8),
]  # fmt: skip

#: All links in one network.
ONE_SUBNET = [
    Shape("subnet-2-to-1", (switch(2, 1),), each(2), "10.5.0.201"),
    Shape("subnet-4-to-1", (switch(4, 1),), each(4), "10.5.0.201"),
    Shape("subnet-8-to-1", (switch(8, 1),), each(8), "10.5.0.201"),
    Shape("subnet-2-to-2", (switch(2, 2),), each(2), "10.5.0.201", ("10.5.0.202",)),
    Shape("subnet-4-to-4", (switch(4, 4),), each(4), "10.5.0.201",
          tuple(f"10.5.0.20{i}" for i in span(4))),
    Shape("subnet-4-to-2", (switch(4, 2),), each(4), "10.5.0.201", ("10.5.0.202",)),
    Shape("subnet-2-to-1-v6", (switch(2, 1, "6"),), each(2), "fd05::c9"),
    Shape("subnet-2-to-2-v6", (switch(2, 2, "6"),), each(2), "fd05::c9", ("fd05::ca",)),
    Shape("subnet-2-to-2-both", (switch(2, 2, "46"),), each(2), "10.5.0.201", ("10.5.0.202",)),
    Shape("subnet-1-to-2", (switch(1, 2),), each(1), "10.5.0.201"),
]  # fmt: skip

#: Routers between, and policy routing.
ROUTED = [
    Shape("gateways-2", (routed(2, 2),), each(2), "10.2.1.1", four(2, 2)),
    Shape("gateways-4", (routed(4, 4),), each(4), "10.2.1.1", four(4, 2)),
    Shape("gateways-3-v6", (routed(3, 3, "6"),), each(3), "fd02:1::1", six(3, 2)),
    Shape("gateways-2-both", (routed(2, 2, "46"),), each(2), "fd02:1::1", six(2, 2)),
    Shape("gateways-3-to-1", (routed(3, 1),), each(3), "10.2.1.1", target=None),
    Shape("gateways-1-to-3", (routed(1, 3),), each(1), "10.2.1.1", target="--dev eth1"),
    *(
        Shape(f"policy-{links}-{families}", (routed(links, links, families, "host target"),),
              each(links), *portals)
        for links, families, portals in (
            (2, "4", ("10.2.1.1", four(2, 2))),
            (3, "4", ("10.2.1.1", four(3, 2))),
            (8, "4", ("10.2.1.1", four(8, 2))),
            (3, "6", ("fd02:1::1", six(3, 2))),
        )
    ),
    # More addresses are announced than the host has links.
    Shape("policy-2-to-4", (routed(2, 4, policy="host target"),), each(2), "10.2.1.1", four(4, 2)),
    Shape("policy-3-to-1", (routed(3, 1, policy="host"),), each(3), "10.2.1.1", target=None),
    Shape("policy-3-one-address-named", (routed(3, 3, policy="host target"),), each(3), "10.2.1.1",
          target=None),
]  # fmt: skip

MANAGEMENT = [
    Shape(f"management-and-{links}{'-v6' if families == '6' else ''}",
          (pairs(span(links), families), management(families)), each(links),
          "fd01:1::1" if families == "6" else "10.1.1.1", (six if families == "6" else four)(links),
          target="--dev " + ",".join(each(links)), idle={"host": ("mgmt0",)},
          notes={"host": ("mgmt0",)})
    for links, families in ((1, "4"), (2, "4"), (4, "4"), (2, "6"))
] + [
    Shape("management-and-one-subnet", (switch(2, 1), management()), each(2), "10.5.0.201",
          target="--dev eth1", idle={"host": ("mgmt0",)}, notes={"host": ("mgmt0",)})
]  # fmt: skip

CONTAINERS = [
    Shape("containers-on-the-host", (pairs(span(3)), containers("host")), each(3),
          announced=four(3), idle={"host": ("docker0", "virbr0", "veth1a2b")}, needs=("bridge",)),
    Shape("containers-on-the-target", (pairs(span(3)), containers("target")), each(3),
          announced=four(3), idle={"target": ("docker0", "virbr0", "veth1a2b")}, needs=("bridge",)),
    Shape("containers-and-one-address",
          (pairs(span(2)), containers("host"), containers("target"), ways_to("10.1.1.1", span(2))),
          each(2), target="--dev eth1", idle={"host": ("docker0", "virbr0")}, needs=("bridge",)),
    Shape("tunnels-on-both", (pairs(span(2)), tunnels("host"), tunnels("target")), each(2),
          announced=four(2), needs=("vxlan", "tun"),
          idle={side: ("vxlan.calico", "tun0") for side in ("host", "target")}),
    Shape("vpn-with-its-default-route-in-parts",
          (pairs(span(2)), vpn("host"),
           ip("host", *(f"route add {net} via 10.66.0.1 dev vpn0"
                        for net in ("0.0.0.0/1", "128.0.0.0/1")))),
          each(2), announced=four(2), idle={"host": ("vpn0",)}),
    Shape("everything-of-a-hypervisor",
          (pairs(span(2)), management(), containers("host"), tunnels("host"), containers("target")),
          each(2), announced=four(2), target="--dev eth1,eth2",
          idle={"host": ("mgmt0", "docker0", "virbr0", "vxlan.calico", "tun0")},
          needs=("bridge", "vxlan", "tun")),
]  # fmt: skip


def upper(kind: str, name: str, lower: str, i: int) -> Step:
    """Both ends of link i as devices on top of a link, of a network of their own."""
    words = f"vlan id {100 + i}" if kind == "vlan" else "macvlan mode bridge"

    def built(net: object) -> None:
        on_top("host", name, lower, words, f"10.1.{i}.2/24")(net)  # type: ignore[arg-type]
        on_top("target", name, lower, words, f"10.1.{i}.1/24")(net)  # type: ignore[arg-type]

    return built


DEVICES = [
    *(
        Shape(f"{kind}-on-each-of-2",
              (bare(span(2)), upper(kind, "up1", "eth1", 1), upper(kind, "up2", "eth2", 2)),
              each(2), announced=four(2), needs=(kind,))
        for kind in ("vlan", "macvlan")
    ),
    *(
        Shape(f"{kind}s-of-one-link",
              (bare(span(2)), upper(kind, "up1", "eth1", 1), upper(kind, "up3", "eth1", 3),
               upper(kind, "up2", "eth2", 2)),
              each(2), announced=four(3), needs=(kind,))
        for kind in ("vlan", "macvlan")
    ),
    Shape("macvlan-beside-its-link", (pairs(span(2)), upper("macvlan", "up3", "eth1", 3)), each(2),
          announced=four(3), needs=("macvlan",)),
    Shape("bonds",
          (bare(span(4)), bond("host", "bond1", ("eth1", "eth2"), "10.1.1.2/24"),
           bond("target", "bond1", ("eth1", "eth2"), "10.1.1.1/24"),
           bond("host", "bond2", ("eth3", "eth4"), "10.1.2.2/24"),
           bond("target", "bond2", ("eth3", "eth4"), "10.1.2.1/24")),
          {"eth1": 1, "eth3": 1}, announced=four(2), needs=("bond",)),
]  # fmt: skip

BACKUP_3 = endpoint("host", "10.1.3.2", "dev", "eth3", "subflow", "backup")

ON_PURPOSE = [
    Shape("backup-of-3-on-purpose", (pairs(span(3)), ways_to("10.1.1.1", span(3)), BACKUP_3),
          each(3), target="--dev eth1"),
    Shape("backup-of-2-ignored", (pairs((1, 3)), ways_to("10.1.1.1", (1, 3)), BACKUP_3),
          each(range(1, 4, 2)), target="--dev eth1", check="--ignore H14"),
    Shape("backup-announced-on-purpose",
          (pairs(span(3)), endpoint("target", "10.1.3.1", "dev", "eth3", "signal", "backup")),
          each(3), announced=four(3)),
    Shape("fullmesh-on-purpose",
          (pairs(span(2)), ways_to("10.1.1.1", span(2)), ways_to("10.1.2.1", span(2), but=2),
           limits("host", 8, 8), limits("target", 8, 8),
           endpoint("host", "10.1.1.2", "dev", "eth1", "subflow", "fullmesh"),
           endpoint("host", "10.1.2.2", "dev", "eth2", "subflow", "fullmesh")),
          {"eth1": 2, "eth2": 2}, announced=four(2)),
    Shape("strict-reverse-path-filter",
          (pairs(span(3)), sysctl("host", "net.ipv4.conf.all.rp_filter=1"),
           sysctl("target", "net.ipv4.conf.all.rp_filter=1")),
          each(3), announced=four(3)),
    Shape("bound-to-a-source", (pairs(span(3)),), each(3), "10.1.2.1", four(3),
          connect={"source": "10.1.2.2"}),
    Shape("bound-to-a-link", (pairs(span(3)),), each(3), "10.1.2.1", four(3),
          connect={"device": "eth2"}),
]  # fmt: skip


def behind(links: int) -> Step:
    """Addresses of the target behind its links: all routes to them lead by the first."""
    return ip("target", *(f"addr add 10.78.{i}.1/32 dev eth{i}" for i in span(links)))


#: What servers have beside storage, and several addresses of a link.
SERVERS = [
    Shape("service-processors-on-both",
          (pairs(span(2)), service_processor("host"), service_processor("target")), each(2),
          announced=four(2), idle={side: ("usb0",) for side in ("host", "target")}),
    Shape("service-processors-and-one-address",
          (pairs(span(2)), ways_to("10.1.1.1", span(2)), service_processor("host"),
           service_processor("target")), each(2), target="--dev eth1",
          idle={side: ("usb0",) for side in ("host", "target")}),
    Shape("link-local-networks",
          (bare(span(2)),
           *(ip(side, *(f"addr add 169.254.{i}.{last}/24 dev eth{i}" for i in span(2)))
             for side, last in (("host", 2), ("target", 1)))),
          each(2), "169.254.1.1", ("169.254.2.1",), target="--dev eth1,eth2"),
    Shape("temporary-addresses",
          (pairs(span(2), "6"), temporary_addresses(span(2)), ways_to("fd01:1::1", span(2))),
          each(2), "fd01:1::1", target="--dev eth1"),
    Shape("temporary-addresses-announced",
          (pairs(span(2), "6"), temporary_addresses(span(2))), each(2), "fd01:1::1", six(2)),
    Shape("second-addresses", (pairs(span(2)), second_addresses(span(2))), each(2),
          target="--dev eth1"),
    Shape("two-links-of-the-target-each", (two_of_the_target,), {"eth1": 2, "eth2": 2},
          announced=("10.1.1.3", "10.1.2.1", "10.1.2.3")),
]  # fmt: skip

LAMINAR = [
    Shape(f"laminar-{links}", (pairs(span(links)), defaults(span(links)), behind(links)),
          each(links), "10.78.1.1", tuple(f"10.78.{i}.1" for i in span(links)), target=None,
          late=ip("target", "mptcp limits set subflows 8",
                  *(f"mptcp endpoint add 10.78.{i}.1 dev eth{i} signal" for i in span(links))))
    for links in (2, 4)
]  # fmt: skip

OTHERS = [
    Shape("others-connections", (pairs(span(3)), others()), each(3), announced=four(3)),
    Shape("others-connections-made-later", (pairs(span(3)),), each(3), announced=four(3),
          late=others(count=4)),
    Shape("others-endpoint",
          (pairs(span(2)), ip("host", "addr add 203.0.113.5/32 dev lo"),
           endpoint("host", "203.0.113.5", "dev", "lo", "signal")),
          each(2), announced=four(2)),
    Shape("others-limits", (pairs(span(2)), limits("host", 8, 8), limits("target", 8, 8)), each(2),
          announced=four(2)),
    Shape("right-endpoints-already",
          (pairs(span(3)), ways_to("10.1.1.1", span(3)), limits("host", 8, 0),
           *(endpoint("host", f"10.1.{i}.2", "dev", f"eth{i}", "subflow") for i in (2, 3))),
          each(3), target="--dev eth1"),
]  # fmt: skip

SHAPES = [
    *ANNOUNCED, *PARTLY, *ONE_SUBNET, *ROUTED, *MANAGEMENT, *CONTAINERS, *DEVICES, *ON_PURPOSE,
    *SERVERS, *LAMINAR, *OTHERS,
]  # fmt: skip
