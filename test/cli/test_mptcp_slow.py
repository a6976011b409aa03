# SPDX-License-Identifier: LGPL-2.1-or-later
"""A link that has become slow, found by nvme mptcp check on the MPTCP of this machine's kernel."""

import subprocess
import time
from typing import Any

from fake_sysfs import FakeHost
from mptcp_net import PORT, Network, enter
from test_mptcp import endpoints, run
from test_mptcp_setup import wait_for

#: A target's side of reads: 16 KiB for each 72 bytes.
ANSWER = f"""
import socket
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("0.0.0.0", {PORT}))
listener.listen()
print("ready", flush=True)
peer = listener.accept()[0]
asked = 0
while True:
    asked += len(peer.recv(4096))
    peer.sendall(bytes(16384 * (asked // 72)))
    asked %= 72
"""

#: 32 reads under way at a time.
READ = f"""
import socket
peer = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
peer.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth1")
peer.connect(("10.77.1.1", {PORT}))
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print("ready", flush=True)
peer.sendall(bytes(72) * 32)
got = 0
while True:
    got += len(peer.recv(65536))
    peer.sendall(bytes(72) * (got // 16384))
    got %= 16384
"""


def shape(net: Network, link: int, rate: str) -> None:
    """Both directions of a link."""
    for side in (net.host, net.target):
        words = ["qdisc", "replace", "dev", f"eth{link}", "root", "tbf"]
        words += ["rate", rate, "burst", "32k", "latency", "50ms"]
        subprocess.run(["tc", "-n", side, *words], check=True)


def check(net: Network, host: FakeHost) -> list[dict[str, Any]]:
    """What it finds of slow links; where it sees no process, sockets look like the kernel's."""
    options = ("nvme0", "--role", "host", "--config", "none", "-o", "json")
    done = run("mptcp", "check", *options, host=host, unseen=net.host)
    assert done.status <= 2, done
    return [f for f in done.json["findings"] if f["rule"] in {"C15", "C18"}]


def test_a_link_at_a_tenth(host: FakeHost) -> None:
    """It is named while data waits for it; neither one at half the rate is, nor an idle one."""
    host.disk(0, "mptcp", f"traddr=10.77.1.1,trsvcid={PORT}")
    named: list[dict[str, Any]] = []
    with Network(4, 8, 0) as net:
        net.subflows_by(2, 3, 4)
        for link in (1, 2, 3, 4):
            shape(net, link, "20mbit")
        net._start(net.target, ANSWER)
        reader = net._start(net.host, READ)
        time.sleep(2)
        assert not check(net, host)
        shape(net, 3, "10mbit")
        time.sleep(2)
        assert not check(net, host)
        shape(net, 3, "2mbit")

        def is_named() -> bool:
            named.extend(f for f in check(net, host) if f["rule"] == "C18")
            return bool(named)

        # a machine that does much else delivers less by all links
        wait_for(is_named, 90)
        found = named[0]
        assert found["severity"] == "warning"
        assert found["subject"] == "eth3"
        assert "ethtool eth3" in found["why"]
        ids = {e["address"]: e["id"] for e in endpoints(net.host)["endpoints"]}
        [fix] = found["fix"]
        assert fix["command"] == f"ip mptcp endpoint change id {ids['10.77.3.2']} backup"
        # what it prints helps: a backup holds up nothing
        subprocess.run(enter(net.host, *fix["command"].split()), check=True)
        time.sleep(2)
        assert not check(net, host)
        reader.kill()
        assert not check(net, host)
