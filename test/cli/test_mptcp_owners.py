# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whose MPTCP sockets are: the kernel's, a program's, or one controller's of several."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, network_of
from fake_sysfs import FakeHost
from mptcp_net import HIDE, PORT, Network, enter, killed
from test_mptcp import EVENT_SCHEMA, conforms, environment, of_kernel, run

#: Connects to and from itself, again and again, and closes: 20 connections at a time.
CHURN = """
import socket, sys
port = int(sys.argv[1])
server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
server.bind(("127.0.0.1", port))
server.listen(64)
print("ready", flush=True)
while True:
    made = []
    for _ in range(20):
        c = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
        c.connect(("127.0.0.1", port))
        made += [c, server.accept()[0]]
    for c in made:
        c.close()
"""

#: Has many files open that are no sockets.
FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(15000)]
print("ready", flush=True)
sys.stdin.read()
"""


CLIENT = """
import socket, sys
(family, _, _, _, at), *_ = socket.getaddrinfo(sys.argv[1], sys.argv[2], type=socket.SOCK_STREAM)
c = socket.socket(family, socket.SOCK_STREAM, 262)
c.connect(at)
print("ready", flush=True)
sys.stdin.read()
"""


net = network_of(2)


def controller(host: FakeHost, number: int, traddr: str, queues: int = 1, more: str = "") -> None:
    host.disk(number, "mptcp", f"traddr={traddr},trsvcid={PORT}{more}", queue_count=queues)


def test_link_local_portals_of_two_links(net: Network, host: FakeHost) -> None:
    """The same address on another link is another target."""
    for i in (1, 2):
        for side, last in ((net.target, 1), (net.host, 2)):
            net.ip("addr", "add", f"fe80::77:{last}/64", "dev", f"eth{i}", "nodad", netns=side)
    controller(host, 0, "fe80::77:1%eth1", 1)
    controller(host, 1, "fe80::77:1%eth2", 2)
    net.serve("::")
    for link in ("eth1", "eth2", "eth2"):
        net._start(net.host, CLIENT, f"fe80::77:1%{link}", str(PORT))
    document = of_kernel(net, host)
    assert document["shared"] == []
    found = {
        ctrl["name"]: [s["link"] for c in ctrl["connections"] for s in c["subflows"]]
        for ctrl in document["controllers"]
    }
    assert found == {"nvme0": ["eth1"], "nvme1": ["eth2", "eth2"]}


def test_a_program_where_processes_are_hidden(net: Network, host: FakeHost) -> None:
    """With hidepid a user sees none but its own processes, and says that it does not know."""
    controller(host, 0, "10.77.1.1")
    net.connections()
    script = (
        "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 "
        '--clear-groups --inh-caps +dac_read_search --ambient-caps +dac_read_search "$@"'
    )
    hidden = ("unshare", "--mount", "sh", "-c", script, "sh")
    show = ("mptcp", "show-subflows", "-o", "json")
    done = run(*show, host=host, side=net.host, prefix=hidden, status=0)
    document = done.json
    (problem,) = (p for p in document["problems"] if p["part"] == "owners")
    assert "only root sees the sockets of all processes" in problem["text"]
    (connection,) = document["controllers"][0]["connections"]
    assert connection["pid"] is None and connection["attribution"] == "inferred"
    # Root sees whose it is.
    document = run(*show, "--userspace", "--netns", net.host, host=host).json
    assert document["controllers"][0]["connections"] == []
    assert document["userspace"]["connections_found"] == 1


def test_connections_of_others_come_and_go(net: Network, host: FakeHost) -> None:
    """What opens and closes meanwhile makes no snapshot incomplete."""
    controller(host, 0, "10.77.1.1", 2)
    net.ip("link", "set", "lo", "up", netns=net.host)
    net.connections(2)
    for port in (10, 11, 12):
        net._start(net.host, CHURN, str(port))
    for _ in range(15):
        result = run("mptcp", "show-subflows", "-o", "json", host=host, unseen=net.host)
        assert result.err == ""
        assert result.json["problems"] == []
        (ctrl,) = result.json["controllers"]
        assert (ctrl["connections_found"], ctrl["subflows_found"]) == (2, 2)


def count_readlinkat(net: Network, host: FakeHost, log: Path) -> int:
    """How many links below /proc a snapshot reads."""
    command = ["strace", "-f", "-e", "trace=readlinkat", "-o", str(log), NVME]
    subprocess.run(
        [*command, "mptcp", "show-subflows", "-o", "json", "--netns", net.host],
        check=True, stdout=subprocess.DEVNULL,
        env=environment(host, ASAN_OPTIONS="detect_leaks=0"),  # which fails under strace
    )  # fmt: skip
    return len(re.findall(r'readlinkat\(\d+, "\d+"', log.read_text()))


@pytest.mark.skipif(not shutil.which("strace"), reason="skipped: there is no strace")
def test_open_files_of_others_are_left_alone(net: Network, host: FakeHost, tmp_path: Path) -> None:
    """Processes are searched only for sockets that may be NVMe's and that no queue claims."""
    net.serve()
    command = [sys.executable, "-c", FILES]
    held = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with killed(held) as files:
        assert files.stdout and files.stdout.readline() == b"ready\n"
        net.serve(port=5000)
        controller(host, 0, "10.77.9.9")
        net._start(net.host, CLIENT, "10.77.1.1", "5000")
        assert count_readlinkat(net, host, tmp_path / "elsewhere") == 0
        net.connect("10.77.1.1")
        assert count_readlinkat(net, host, tmp_path / "portal") > 15000


def wait_for_listener(net: Network) -> None:
    """Until somebody listens to changes of links."""
    end = time.monotonic() + 20
    read = enter(net.host, "cat", "/proc/net/netlink")
    while time.monotonic() < end:
        lines = subprocess.check_output(read, text=True).splitlines()[1:]
        if any(line.split()[1] == "0" and int(line.split()[3], 16) & 1 for line in lines):
            # Links as they are now are read right after that.
            time.sleep(1)
            return
        time.sleep(0.1)
    raise AssertionError("the monitor does not listen")


def wait_for_event(log: Path, name: str) -> Any:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        lines = log.read_text().rpartition("\n")[0].splitlines()
        for event in map(json.loads, lines):
            if event["event"] == name:
                if name != "links":
                    conforms(event, EVENT_SCHEMA)
                return event
        time.sleep(0.1)
    raise AssertionError(f"no {name} in:\n{log.read_text()}")


def test_links_that_go_down_and_come_back(net: Network, host: FakeHost, tmp_path: Path) -> None:
    """The monitor prints them although nothing is sent, and nothing of links of no controller."""
    net.limits(8, 8)
    net.subflows_by(2)
    controller(host, 0, "10.77.1.1", 1, ",src_addr=10.77.1.2")
    net.connections()
    net.ip("link", "add", "other0", "type", "veth", "peer", "other1", netns=net.host)
    log = tmp_path / "log"
    command = enter(net.host, *HIDE, NVME, "mptcp", "monitor", "-o", "json")
    with log.open("w") as output:
        monitor = subprocess.Popen(command, stdout=output, env=environment(host))
    with killed(monitor):
        wait_for_listener(net)
        net.ip("link", "set", "other0", "up", netns=net.host)
        net.ip("link", "set", "other1", "up", netns=net.host)
        net.ip("link", "set", "eth2", "down", netns=net.target)
        down = wait_for_event(log, "link-down")
        assert (down["link"], down["controller"]) == ("eth2", "nvme0")
        links = wait_for_event(log, "links")
        assert (links["controller"], links["links"], links["carrying"]) == ("nvme0", 2, 1)
        assert links["missing"][0]["link"] == "eth2"
        net.ip("link", "set", "eth2", "up", netns=net.target)
        back = wait_for_event(log, "link-up")
        assert (back["link"], back["controller"]) == ("eth2", "nvme0")
    assert "other" not in log.read_text()
