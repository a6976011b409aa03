# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that nvme mptcp prints are pasted into a shell, whatever a link is called."""

import subprocess
from collections.abc import Iterator

import pytest
from conftest import network_of
from mptcp_net import Network, enter
from test_mptcp import run

ADDRESS = "10.77.2.2"

#: Words of ip(8), options, what a shell or sysctl(8) has a meaning for, and what nobody can see.
#: The kernel takes any bytes but '/', ':' and white space, 15 at most, and numbers for a '%'.
NAMES = [
    "up", "dev", "permanent", "subflow", "-f", "--", "a'b", 'a"`id`', "$(id)", "a;b&c|d",
    "(a)<b>", "*", "{a,b}", "~", "#a!", "a\\b", "=a", "a=b", "eth0.5", "a..b", "\x1b[31m7",
    "-'\udcff", "fifteen.bytes_x",
]  # fmt: skip


network = network_of(2, 8, 0, scope="module")


@pytest.fixture(params=NAMES, ids=ascii)
def named(request: pytest.FixtureRequest, network: Network) -> Iterator[tuple[Network, str]]:
    """The second link of the host has that name, and is up."""
    name = str(request.param)
    rename(network, "eth2", name)
    try:
        yield network, name
    finally:
        network.stop()
        rename(network, name, "eth2")


def rename(net: Network, old: str, new: str) -> None:
    net.rename(old, new)
    way = ["10.77.1.0/24", "via", "10.77.2.1", "dev", new, "metric", "100"]
    net.ip("route", "replace", *way, netns=net.host)


def inside(net: Network, *command: str) -> str:
    said = subprocess.check_output(enter(net.host, *command))
    return said.decode(errors="surrogateescape")


def printed(net: Network) -> list[str]:
    """What is to be typed on this side, in whichever namespace."""
    result = run(
        "mptcp", "check", "--netns", net.host, "--role", "host", "--traddr", "10.77.1.1",
        "--no-trial", "--interval", "0", "--commands",
    )  # fmt: skip
    assert result.status in (1, 2), result
    assert result.out.isascii() and result.out.replace("\n", "").isprintable()
    return result.out.splitlines()


def paste(commands: list[str], what: str) -> None:
    """Type those that do this; there is one at least."""
    chosen = [command for command in commands if what in command]
    assert chosen, commands
    for command in chosen:
        done = subprocess.run(["sh", "-c", command], capture_output=True)
        assert (done.returncode, done.stderr) == (0, b""), (command, done)


def has_endpoint(net: Network, name: str) -> bool:
    """Is there one of the second link, on the link of that name?"""
    return f" dev {name} " in inside(net, "ip", "mptcp", "endpoint", "show").replace("\n", " ")


def test_what_is_pasted(named: tuple[Network, str]) -> None:
    net, name = named
    plan = run(
        "mptcp", "setup", "--netns", net.host, "--role", "host", "--traddr", "10.77.1.1",
        "-o", "json",
    )  # fmt: skip
    assert plan.status == 0, plan
    paste([step["command"] for step in plan.json["steps"]], "mptcp endpoint add")
    assert has_endpoint(net, name)

    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.endpoint(net.host, ADDRESS, "dev", "eth1", "subflow")
    path = f"/proc/sys/net/ipv4/conf/{name}/rp_filter"
    inside(net, "sh", "-c", 'echo 1 > "$0"', path)
    paste(printed(net), "mptcp endpoint")
    assert has_endpoint(net, name)

    paste(printed(net), "rp_filter")
    assert inside(net, "cat", path) == "2\n"

    net.ip("link", "set", "dev", name, "down", netns=net.host)
    paste(printed(net), " up")
    assert "state UP" in inside(net, "ip", "link", "show", "dev", name)
