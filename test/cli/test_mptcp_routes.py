# SPDX-License-Identifier: LGPL-2.1-or-later
"""By which link a subflow leaves, where more than its two addresses decides that."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import NVME
from fake_sysfs import FakeHost
from mptcp_net import HIDE, PORT, Network, enter, killed
from test_mptcp import environment, of_kernel, run

#: Addresses of the target that no link has.
FAR, FAR6 = "10.77.99.1", "fd77:99::1"

#: Connects with a user, a mark and a type of service, and sends without end if it is to.
SOCKET = f"""
import os, socket, sys
uid, mark, tos, busy, size = map(int, sys.argv[2:])
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
os.seteuid(uid)
c = socket.socket(family, socket.SOCK_STREAM, 262)
os.seteuid(0)
c.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, mark)
if tos:
    c.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
c.connect((sys.argv[1], {PORT}))
c.sendall(bytes(size))
c.recv(1)
print("ready", flush=True)
while busy:
    c.sendall(bytes(4096))
    c.recv(65536)
sys.stdin.read()
"""

#: Datagrams of 200 kB by a link, to which nobody listens.
NOISE = """
import socket, sys
s = socket.socket(type=socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, sys.argv[1].encode())
for _ in range(200):
    s.sendto(bytes(1000), (sys.argv[2], 9))
"""


@pytest.fixture
def net() -> Iterator[Network]:
    """Three links without any endpoint, and a target with addresses behind them."""
    with Network(3) as net:
        for address in (f"{FAR}/32", f"{FAR6}/128"):
            net.ip("addr", "add", address, "dev", "lo", netns=net.target)
        yield net


def controller(host: FakeHost, address: str) -> None:
    host.disk(0, "mptcp", f"traddr={address},trsvcid={PORT}", queue_count=1)


def connect(
    net: Network, to: str, uid: int = 0, mark: int = 0, tos: int = 0, busy: int = 0, size: int = 1
) -> subprocess.Popen[str]:
    return net._start(net.host, SOCKET, to, *map(str, (uid, mark, tos, busy, size)))


def subflow_of(document: Any) -> Any:
    """The only subflow of the only controller."""
    (ctrl,) = document["controllers"]
    (connection,) = ctrl["connections"]
    (subflow,) = connection["subflows"]
    return subflow


def look(net: Network, host: FakeHost) -> Any:
    return subflow_of(of_kernel(net, host))


def sent(net: Network) -> dict[str, int]:
    """Bytes that the host has sent by each link."""
    shown = subprocess.check_output(["ip", "-n", net.host, "-s", "-j", "link", "show"], text=True)
    return {
        link["ifname"]: link["stats64"]["tx"]["bytes"]
        for link in json.loads(shown)
        if link["ifname"] != "lo"
    }


def busiest(net: Network, before: dict[str, int]) -> str:
    """The link by which the host has sent most since then."""
    now = sent(net)
    return max(now, key=lambda link: now[link] - before[link])


def ways(via: str) -> list[str]:
    """Next hops on the second and third link; @via has {} for the number of the link."""
    hops = (f"nexthop via {via.format(i)} dev eth{i}" for i in (2, 3))
    return " ".join(hops).split()


def multipath(net: Network) -> None:
    net.ip("route", "add", FAR, *ways("10.77.{}.1"), netns=net.host)


def nexthop_objects(net: Network) -> None:
    for i in (2, 3):
        net.ip("nexthop", "add", "id", str(i), "via", f"10.77.{i}.1", "dev", f"eth{i}",
               netns=net.host)  # fmt: skip
    net.ip("nexthop", "add", "id", "9", "group", "2/3", netns=net.host)
    net.ip("route", "add", FAR, "nhid", "9", netns=net.host)


def nexthop_objects_alone(net: Network) -> None:
    net.sysctl(net.host, "net.ipv4.nexthop_compat_mode=0")
    nexthop_objects(net)


def by_ipv6_gateways(net: Network) -> None:
    """RFC 5549."""
    net.ip("route", "add", FAR, *ways("inet6 fd77:{}::1"), netns=net.host)


def multipath6(net: Network) -> None:
    net.ip("-6", "route", "add", FAR6, *ways("fd77:{}::1"), netns=net.host)


SEVERAL = [multipath, nexthop_objects, nexthop_objects_alone, by_ipv6_gateways, multipath6]


@pytest.mark.parametrize("routes", SEVERAL)
def test_counters_tell_the_next_hop(net: Network, host: FakeHost, routes: Any) -> None:
    """What a subflow has sent is more than all that the other link has."""
    address = FAR6 if routes is multipath6 else FAR
    controller(host, address)
    routes(net)
    net.serve("::")
    before = sent(net)
    net.connect(address)
    subflow = look(net, host)
    assert subflow["possible_links"] == ["eth2", "eth3"]
    assert subflow["link"] == busiest(net, before)


@pytest.mark.parametrize("routes", SEVERAL)
def test_one_of_several_next_hops(net: Network, host: FakeHost, routes: Any) -> None:
    """Without proof by counters no link is guessed; each command says which ones are possible."""
    address = FAR6 if routes is multipath6 else FAR
    controller(host, address)
    routes(net)
    net.serve("::")
    connect(net, address)
    subflow = look(net, host)
    assert subflow["link"] is None and subflow["possible_links"] == ["eth2", "eth3"]
    text = run("mptcp", "show-subflows", host=host, unseen=net.host).out
    assert ", 1 subflow over one of eth2, eth3, none in fallback" in text
    assert "  eth2|eth3  " in text and "\n  one of eth2, eth3  " in text
    tree = run("show-topology", host=host, unseen=net.host).out
    assert "+- one of eth2, eth3 1 subflow\n" in tree


def test_counters_tell_while_watching(net: Network, host: FakeHost) -> None:
    """Both links have sent more than the subflow before; what grows in between decides."""
    controller(host, FAR)
    multipath(net)
    net.serve()
    for i in (2, 3):
        noise = enter(net.host, "python3", "-c", NOISE, f"eth{i}", f"10.77.{i}.1")
        subprocess.run(noise, check=True)
    connect(net, FAR, busy=1)
    before = sent(net)
    watch = enter(net.host, *HIDE, NVME, "mptcp", "show-subflows", "-w", "0.5", "-o", "json")
    program = subprocess.Popen(watch, env=environment(host), stdout=subprocess.PIPE, text=True)
    with killed(program) as watching:
        assert watching.stdout
        links = []
        while len(links) < 20 and not (links and links[-1]):
            links.append(subflow_of(json.loads(watching.stdout.readline()))["link"])
        assert links[-1] == busiest(net, before)


def test_next_hops_on_one_link(net: Network, host: FakeHost) -> None:
    """Several gateways of one link leave nothing open, nor do those of a link that is down."""
    controller(host, FAR)
    net.ip("addr", "add", "10.77.2.9/24", "dev", "eth2", netns=net.target)
    hops = [w for last in (1, 9) for w in ("nexthop", "via", f"10.77.2.{last}", "dev", "eth2")]
    net.ip("route", "add", FAR, *hops, netns=net.host)
    net.serve()
    connect(net, FAR)
    assert (look(net, host)["link"], look(net, host)["possible_links"]) == ("eth2", [])
    net.stop()
    net.ip("route", "del", FAR, netns=net.host)
    multipath(net)
    net.ip("link", "set", "eth3", "down", netns=net.host)
    net.serve()
    connect(net, FAR)
    assert (look(net, host)["link"], look(net, host)["possible_links"]) == ("eth2", [])


#: What rules select by, and a socket that each selects; the others are not.
RULES: list[tuple[tuple[str, ...], dict[str, int] | None]] = [
    (("dport", str(PORT)), {}),
    (("fwmark", "0x7"), {"mark": 7}),
    (("uidrange", "1234-1234"), {"uid": 1234}),
    (("tos", "0x10"), {"tos": 0x10}),
    (("dport", "4421"), None),
]


def test_link_by_rule(net: Network, host: FakeHost) -> None:
    controller(host, "10.77.1.1")
    net.ip("route", "add", "default", "via", "10.77.2.1", "dev", "eth2", "table", "100",
           netns=net.host)  # fmt: skip
    net.serve()
    for selector, words in RULES:
        net.ip("rule", "add", *selector, "lookup", "100", netns=net.host)
        for link, socket in (("eth2", words), ("eth1", {} if words or words is None else None)):
            if socket is None:
                continue
            before = sent(net)
            # More than the kernel sends by other links meanwhile: neighbours, group memberships.
            process = connect(net, "10.77.1.1", size=20000, **socket)
            assert (look(net, host)["link"], busiest(net, before)) == (link, link), selector
            net.stop(process)
        net.ip("rule", "del", *selector, "lookup", "100", netns=net.host)


#: Selectors that ip(8) of the machine may not know: number of the attribute, value.
SELECTORS = {"dscp": (25, b"\x08"), "flow label": (26, b"\x00\x00\x00\x07")}

#: Adds a rule with such a selector, which sends what it selects to table 100.
ADD_RULE = """
import socket, struct, sys
family, number, value = int(sys.argv[1]), int(sys.argv[2]), bytes.fromhex(sys.argv[3])
def attr(kind, data):
    return struct.pack("HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)
body = struct.pack("BBBBBBBBI", family, 0, 0, 0, 100, 0, 0, 1, 0) + attr(number, value)
if number == 26:
    body += attr(27, value)
s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
s.send(struct.pack("IHHII", 16 + len(body), 32, 0x605, 1, 0) + body)
(error,) = struct.unpack_from("i", s.recv(4096), 16)
sys.exit(-error)
"""


@pytest.mark.parametrize("what", SELECTORS)
def test_rule_with_unknown_selector(net: Network, host: FakeHost, what: str) -> None:
    """It does not catch all packets for the other side, which reads the rules in a report."""
    number, value = SELECTORS[what]
    family = 10 if what == "flow label" else 2
    words = (str(family), str(number), value.hex())
    if subprocess.run(enter(net.host, "python3", "-c", ADD_RULE, *words)).returncode:
        pytest.skip(f"this kernel has no rules that select by {what}")
    net.ip("rule", "add", "from", "10.77.2.2", "lookup", "101", netns=net.host)
    options = ("-o", "json", "--interval", "0", "--netns", net.host)
    report = run("mptcp", "report", *options, host=host).json
    others = {rule["table"]: rule["other_selectors"] for rule in report["rules"]}
    assert others == {255: False, 254: False, 253: False, 100: True, 101: False}
