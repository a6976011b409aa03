# SPDX-License-Identifier: LGPL-2.1-or-later
"""Connecting with the transport mptcp where the kernel lacks it, or its TLS, and a relay runs."""

import errno
import json
from pathlib import Path

import discovery_log as dl
import pytest
from conftest import Nvme
from fabric import Fabric, entry
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN, FakeHost
from mptcp_net import PORT
from test_mptcp_relay import PORTAL, Pair, Relay, pair
from test_mptcp_relay_plain import drop

__all__ = ["pair"]

NQN = "nqn.2025-01.test:one"
ADDRESS = PORTAL.rsplit(":", 1)[0]
ARGS = ["connect", "-t", "mptcp", "-a", ADDRESS, "-s", str(PORT), "-n", NQN]
NOTICE = "this kernel has no transport mptcp; connecting with tcp, which the relay carries"


def offer(host: FakeHost, transport: str = "tcp") -> None:
    """The next connect succeeds."""
    address = f"traddr={ADDRESS},trsvcid={PORT}"
    made = host.subsystem(0, NQN).controller(0, transport, address, connected=False)
    host.answer_connected(made)


def has_module(host: FakeHost) -> None:
    """This kernel has the transport, without TLS."""
    (host.sys / "module/nvme_mptcp").mkdir(parents=True)


def test_the_relay_takes_the_place_of_the_transport(nvme: Nvme, host: FakeHost, pair: Pair) -> None:
    with Relay(pair.host, "--portal", PORTAL):
        offer(host)
        result = nvme(*ARGS, "--dump-config", netns=pair.host, status=0)
        assert NOTICE in result.err and f"{ADDRESS}, port {PORT}" in result.err
        assert host.sent("transport") == ["tcp"]
        dumped = json.loads(result.out.split("\n", 1)[1])
        assert dumped[0]["subsystems"][0]["ports"][0]["transport"] == "mptcp"
        again = nvme(*ARGS, netns=pair.host, status=1)
        assert "already connected" in again.err and NOTICE not in again.err
        assert len(host.connects) == 1


def test_other_portals_are_not_relayed(nvme: Nvme, host: FakeHost, pair: Pair) -> None:
    with Relay(pair.host, "--portal", f"10.77.2.1:{PORT}"):
        host.answer_error(errno.EINVAL, "nvme_fabrics: no handler found for transport mptcp.")
        result = nvme(*ARGS, netns=pair.host, status=1)
        assert "(modprobe nvme-mptcp)" in result.err and "nvme mptcp relay" in result.err
        assert host.sent("transport") == ["mptcp"]


def test_the_transport_of_the_kernel_comes_first(nvme: Nvme, host: FakeHost, pair: Pair) -> None:
    has_module(host)
    with Relay(pair.host, "--portal", PORTAL):
        offer(host, "mptcp")
        nvme.ok(*ARGS, netns=pair.host)
        assert host.sent("transport") == ["mptcp"]


def test_check_tells_by_what(nvme: Nvme, host: FakeHost, pair: Pair) -> None:
    """What connect would go by, decided as connect does."""
    ask = ["mptcp", "check", "-a", ADDRESS, "-s", str(PORT), "--no-trial", "--config", "none",
           "--interval", "0"]  # fmt: skip

    def told(*more: str) -> tuple[str, str]:
        lines = nvme(*ask, *more, netns=pair.host).out.splitlines()
        [line] = [line for line in lines if line.startswith("connect: ")]
        document = nvme(*ask, *more, "-o", "json", netns=pair.host).json
        return document["connects_by"], line.removeprefix("connect: ")

    way, line = told()
    assert way == "tcp" and line.startswith("plain tcp, over one link: this kernel has no ")
    with Relay(pair.host, "--portal", PORTAL):
        assert told() == ("relay", "tcp, which this host's relay carries over MPTCP")
        assert told("--host-iface", "eth1")[0] == "tcp"
        has_module(host)
        assert told() == ("mptcp", "mptcp, by this kernel")


def test_tls_takes_the_relay(nvme: Nvme, host: FakeHost, pair: Pair) -> None:
    has_module(host)
    refused = nvme(*ARGS, "--tls", netns=pair.host, status=1)
    assert "nvme mptcp relay carries tcp with TLS" in refused.err
    with Relay(pair.host, "--portal", PORTAL):
        offer(host)
        result = nvme(*ARGS, "--tls", netns=pair.host, status=0)
        assert "this kernel has no TLS over the transport mptcp" in result.err
        assert host.sent("transport") == ["tcp"]
        assert "tls" in host.connects[0].split(",")


def test_interfaces_cannot_be_bound(nvme: Nvme, host: FakeHost, pair: Pair) -> None:
    with Relay(pair.host, "--portal", PORTAL):
        host.answer_error(errno.EINVAL, "nvme_fabrics: no handler found for transport mptcp.")
        result = nvme(*ARGS, "--host-iface", "eth0", netns=pair.host, status=1)
        assert "bound to an interface (host_iface eth0)" in result.err
        assert "(host_traddr)" in result.err
        assert host.sent("transport") == ["mptcp"]


@pytest.mark.parametrize("transport", ["tcp", "mptcp"])
def test_the_cause_is_the_relays(nvme: Nvme, host: FakeHost, pair: Pair, transport: str) -> None:
    ask = ["connect", "-t", transport, *ARGS[3:]]
    with Relay(pair.host, "--portal", PORTAL):
        # nothing listens on the target: the kernel's connection was reset by the relay
        pair.run("try: read(connect(b'e'))\nexcept OSError: pass\ntell()")
        host.answer_error(errno.ECONNRESET, "nvme nvme0: failed to receive icresp, error -104")
        result = nvme(*ask, netns=pair.host, status=1)
        assert f"{PORTAL}: connection refused (is a port with trtype tcp enabled" in result.err
        assert "closed by the target" not in result.err
        # a portal that answers is not blamed
        pair.listen()
        pair.run("c = connect(b'e1'); tell(got=len(read(c, 1)))")
        host.answer_error(errno.ECONNRESET)
        assert "closed by the target" in nvme(*ask, netns=pair.host).err


#: The kernel's connection, whose end it reports when the relay has given up.
ATTEMPT = "try: read(connect(b'e1'), 1)\nexcept OSError: pass\ntell()"


@pytest.mark.parametrize(
    ("drops", "listens", "cause"),
    [
        ("tcp option mptcp exists drop", False, "connection refused (is a port"),
        (f"tcp dport {PORT} drop", True, "connection timed out (is the address right"),
        # It connected: what ends it later is not the relay's.
        ("tcp option mptcp exists drop", True, "closed by the target"),
    ],
)
def test_the_cause_is_that_of_the_last_attempt(
    nvme: Nvme, host: FakeHost, pair: Pair, drops: str, listens: bool, cause: str
) -> None:
    """The relay tries TCP if MPTCP has no reply. No word of MPTCP explains why that fails."""
    if listens:
        pair.listen()
    drop(pair, drops)
    with Relay(pair.host, "--portal", PORTAL):
        pair.run(ATTEMPT)
        host.answer_error(errno.ECONNRESET, "nvme nvme0: failed to receive icresp, error -104")
        result = nvme("connect", "-t", "tcp", *ARGS[3:], netns=pair.host, status=1)
        assert cause in result.err and "rotocol not supported" not in result.err


def test_a_configuration_stays_what_it_is(
    nvme: Nvme, host: FakeHost, pair: Pair, tmp_path: Path
) -> None:
    path = tmp_path / "c.json"
    port = {"transport": "mptcp", "traddr": ADDRESS, "trsvcid": str(PORT)}
    document = [
        {"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": [{"nqn": NQN, "ports": [port]}]}
    ]
    path.write_text(json.dumps(document))
    with Relay(pair.host, "--portal", PORTAL):
        offer(host)
        result = nvme("connect", "--config", str(path), netns=pair.host)
        assert result.status == 0 and NOTICE in result.err, result.err
        assert host.sent("transport") == ["tcp"]
        # it is found under the other transport, and stands in the configuration once
        assert nvme("connect", "--config", str(path), netns=pair.host).status == 0
        assert len(host.connects) == 1
        dumped = nvme("config", "--config", str(path), "--scan", "--dump").json
        [found] = [p for h in dumped for s in h["subsystems"] for p in s["ports"]]
        assert (found["transport"], found["traddr"]) == ("mptcp", ADDRESS)


@pytest.mark.parametrize("listed", [dl.TCP, dl.MPTCP])
def test_entries_of_a_log(nvme: Nvme, host: FakeHost, pair: Pair, listed: int) -> None:
    fabric = Fabric(host)
    log = dl.log(entry("nqn.a", ADDRESS, trtype=listed, trsvcid=PORT))
    fabric.controller(DISCOVERY_NQN, ADDRESS, log, "tcp")
    fabric.controller("nqn.a", ADDRESS, transport="tcp")
    with Relay(pair.host, "--portal", PORTAL):
        result = nvme("connect-all", "-t", "mptcp", "-a", ADDRESS, "-s", str(PORT), netns=pair.host)
        assert result.status == 0, result.err
        assert host.sent("transport") == ["tcp", "tcp"]
        assert result.err.count(NOTICE) == (2 if listed == dl.MPTCP else 1)
