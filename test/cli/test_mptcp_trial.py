# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp check --traddr: trial connections over this machine's kernel, and what they meet."""

import concurrent.futures
import copy
import json
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Nvme, Result, network_of, schema
from mptcp_net import ICRESP, PORT, Network, enter
from test_mptcp import OTHER_USER, conforms, endpoints, needs_readable_build, run
from test_mptcp import SCHEMA as SNAPSHOT

SCHEMA = schema("mptcp-findings")
SUBFLOW = {**copy.deepcopy(SNAPSHOT["$defs"]["subflow"]), "$schema": SNAPSHOT["$schema"]}
ADDRESS = "10.77.1.1"


network = network_of(3, scope="module")


@pytest.fixture
def net(network: Network) -> Iterator[Network]:
    """The network with an endpoint for each further link, and nothing running on it."""
    network.limits(8, 8)
    network.sysctl(network.target, "net.mptcp.add_addr_timeout=1")
    network.subflows_by(2, 3)
    yield network
    network.stop()


def check(net: Network, *arguments: str, user: tuple[str, ...] = ()) -> Result:
    """A check in the host's namespace; what it leaves behind is an error."""
    if user:
        needs_readable_build()
    words = ("mptcp", "check", "--traddr", ADDRESS, *arguments)
    result = run(*words, side=net.host, prefix=user)
    # Neither a connection nor a subflow, and nothing that waits for its end.
    assert net.ss(net.host, "-HMan") == net.ss(net.host, "-Htan") == ""
    return result


def examine(net: Network, *arguments: str, user: tuple[str, ...] = ()) -> Any:
    """The document of a check."""
    result = check(net, *arguments, "-o", "json", user=user)
    document = conforms(result.json, SCHEMA)
    for subflow in document["trial"]["subflows"]:
        conforms(subflow, SUBFLOW)
    severities = {finding["severity"] for finding in document["findings"]}
    expected = 2 if "error" in severities else 1 if "warning" in severities else 0
    assert result.status == expected, result
    return document


def faults(document: Any) -> list[tuple[str, str]]:
    """Rules of what is wrong, and on which side."""
    return [(f["rule"], f["side"]) for f in document["findings"] if f["severity"] != "info"]


def test_all_links(net: Network) -> None:
    net.answer()
    document = examine(net)
    trial = document["trial"]
    assert (trial["portal"], trial["outcome"]) == (f"{ADDRESS}:{PORT}", "mptcp")
    assert (trial["reason"], trial["fallback"], trial["errno"]) == (None, False, None)
    assert (trial["subflows_established"], trial["subflows_expected"]) == (3, 3)
    assert (trial["announced"], trial["announced_addresses"], trial["closed"]) == (0, [], [])
    assert [s["link"] for s in trial["subflows"]] == ["eth1", "eth2", "eth3"]
    assert faults(document) == []
    text = check(net)
    assert text.out == (
        f"trial: {ADDRESS}:{PORT}: MPTCP accepted, 3 of 3 subflows on eth1 eth2 eth3\n"
        "\nconnect: plain tcp, over one link: this kernel has no transport mptcp, and no relay "
        "accepts such a connection\n"
        "\nhost: nothing found\n"
    )
    assert text.err == ""
    more = check(net, "-v").out
    assert more.count("  ESTAB\n") == 3


def test_other_spellings_and_families(net: Network) -> None:
    net.answer("::")
    subflows = examine(net, "--traddr", f"::ffff:{ADDRESS}")["trial"]["subflows"]
    assert {s["remote"] for s in subflows} == {f"{ADDRESS}:{PORT}"}
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.ip("mptcp", "limits", "set", "subflows", "8", "add_addr_accepted", "8", netns=net.host)
    for i in (2, 3):
        # A source alone does not choose a link.
        net.ip("-6", "rule", "add", "from", f"fd77:{i}::2", "table", str(100 + i), netns=net.host)
        way = ["default", "via", f"fd77:{i}::1", "dev", f"eth{i}", "table", str(100 + i)]
        net.ip("-6", "route", "add", *way, netns=net.host)
        net.endpoint(net.host, f"fd77:{i}::2", "dev", f"eth{i}", "subflow")
    document = examine(net, "--traddr", "fd77:1::1")
    assert document["trial"]["portal"] == f"[fd77:1::1]:{PORT}"
    assert document["trial"]["subflows_established"] == 3
    assert faults(document) == []


def test_where_it_starts(net: Network) -> None:
    net.answer()
    document = examine(net, "--host-traddr", "10.77.2.2", "--host-iface", "eth2")
    initial = document["trial"]["subflows"][0]
    assert initial["local"].startswith("10.77.2.2:")
    assert (initial["link"], initial["bound"]) == ("eth2", True)
    for arguments, message in (
        (
            ("--host-traddr", "10.99.9.9"),
            "--host-traddr=10.99.9.9: no interface here has this address",
        ),
        (("--host-traddr", "fd77:1::2"), "not of the address family of traddr=10.77.1.1"),
        (("--host-iface", "eth99"), "--host-iface=eth99: no such network interface"),
    ):
        assert message in check(net, *arguments).refused(3)


def link_local(side: str, link: str) -> str:
    """The link-local address of a link, once the kernel lets it be used."""
    for _ in range(50):
        shown = subprocess.run(
            ["ip", "-n", side, "-j", "-6", "address", "show", "dev", link, "scope", "link"],
            capture_output=True, check=True,
        )  # fmt: skip
        # What is filtered out leaves an empty object.
        listed = [a for item in json.loads(shown.stdout) for a in item.get("addr_info", ())]
        ready = [a["local"] for a in listed if a and "tentative" not in a]
        if ready:
            return str(ready[0])
        time.sleep(0.1)
    raise AssertionError(f"{link} in {side} has no link-local address")


def test_a_zone_is_a_link_of_the_namespace(net: Network) -> None:
    # No link of the namespace that the command is run in has this name.
    name = "dev eth1 altname zone-of-host"
    with net.changed(net.host, f"link property add {name}"):
        net.answer("::")
        target = f"{link_local(net.target, 'eth1')}%zone-of-host"
        source = f"{link_local(net.host, 'eth1')}%zone-of-host"
        asked = ("mptcp", "check", "--netns", net.host, "-a", target)
        tried = run(*asked, "-w", source, "-o", "json")
        assert tried.json["trial"]["outcome"] == "mptcp", tried
        assert tried.json["trial"]["subflows"][0]["link"] == "eth1"
        judged = run(*asked, "--no-trial", "-o", "json")
        assert judged.status in (0, 1, 2), judged
        conforms(judged.json, SCHEMA)
    where = f"no such network interface in network namespace {net.host} (ip link lists them)"
    for more, named in (
        ((), f"--traddr={target}"),
        (("--no-trial",), f"--traddr={target}"),
        (("-f", "eth1"), f"--traddr={target} --host-iface=eth1"),
    ):
        assert f"{named}: {where}" in run(*asked, *more).refused(3)
    said = run("mptcp", "check", "--netns", net.host, "-a", "fd77:1::1", "-w", source).refused(3)
    assert f"--host-traddr={source}: {where}" in said


def test_without_privileges(net: Network) -> None:
    net.answer()
    document = examine(net, user=OTHER_USER)
    trial = document["trial"]
    assert trial["outcome"] == "mptcp"
    assert trial["subflows_established"] == 3
    assert trial["announced_addresses"] is None and trial["closed"] is None
    assert not [f for f in document["findings"] if f["severity"] == "error"]


def test_what_a_trial_leaves_behind(net: Network) -> None:
    """Endpoints of the kernel's own, as nvme-mptcp-check(1) documents; nothing on the target."""
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    for i in (2, 3):
        net.endpoint(net.target, f"10.77.{i}.1", "signal")
    net.answer()
    before = endpoints(net.target)
    assert run("mptcp", "check", "--netns", net.host, "-a", "10.77.1.1").status == 0
    left = sorted((e["address"], e["flags"]) for e in endpoints(net.host)["endpoints"])
    assert left == [("10.77.2.2", ["implicit"]), ("10.77.3.2", ["implicit"])]
    after = endpoints(net.target)
    assert [e["flags"] for e in after["endpoints"]] == [e["flags"] for e in before["endpoints"]]


def test_announced_addresses(net: Network) -> None:
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.announce_by(2, 3)
    net.answer()
    document = examine(net)
    trial = document["trial"]
    assert trial["announced"] == 2
    announced = sorted(address.partition(":")[0] for address in trial["announced_addresses"])
    assert announced == ["10.77.2.1", "10.77.3.1"]
    assert (trial["subflows_established"], trial["subflows_expected"]) == (3, 3)
    assert faults(document) == []


@pytest.mark.parametrize("user", [(), OTHER_USER], ids=["root", "user"])
def test_a_target_without_room(net: Network, user: tuple[str, ...]) -> None:
    net.ip("mptcp", "limits", "set", "subflows", "0", netns=net.target)
    net.answer()
    document = examine(net, user=user)
    assert document["trial"]["subflows_established"] == 1
    assert faults(document) == [("T06", "target")]
    fix = document["findings"][0]["fix"][0]["command"]
    subprocess.run(enter(net.target, *fix.split()), check=True)
    assert faults(examine(net)) == []


@pytest.mark.parametrize("user", [(), OTHER_USER], ids=["root", "user"])
def test_no_joins_to_the_portal(net: Network, user: tuple[str, ...]) -> None:
    setting = "net.mptcp.allow_join_initial_addr_port="
    with net.changed(net.target, f"{setting}0", f"{setting}1"):
        net.answer()
        assert faults(examine(net, user=user)) == [("T07", "target")]


def test_nobody_listens_at_what_is_announced(net: Network) -> None:
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.announce_by(2, 3)
    net.answer(ADDRESS)
    document = examine(net)
    assert set(faults(document)) == {("T03", "target")}
    assert {f["evidence"]["errno"] for f in document["findings"] if f["rule"] == "T03"} == {"111"}
    assert {closed["errno"] for closed in document["trial"]["closed"]} == {111}


def test_a_join_that_nothing_answers(net: Network) -> None:
    with net.changed(net.target, "route add blackhole 10.77.3.2"):
        net.answer()
        document = examine(net)
        assert document["trial"]["subflows_pending"] == 1
        (fault,) = (f for f in document["findings"] if f["severity"] == "error")
        # What leaves by that link from another address is answered.
        assert (fault["rule"], fault["subject"]) == ("R05", f"10.77.3.2 -> {ADDRESS}")
        assert "  SYN-SENT\n" in check(net).out


def test_plain_tcp(net: Network) -> None:
    net.answer(protocol=6)
    document = examine(net)
    assert (document["trial"]["outcome"], document["trial"]["fallback"]) == ("fallback", True)
    assert document["trial"]["subflows_expected"] is None
    assert faults(document) == [("C01", "host")]
    assert "fell back to plain TCP" in check(net).out


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", 'another service listens there, whose reply is "SSH-2.0-'),
        (bytes([0x15, 3, 3, 0, 2, 2, 40]), "the other end requires TLS"),
        (bytes([3, 0, 24, 0, 24, 0, 0, 0, 2, 0]) + bytes(14), "error 0x2, PDU sequence error"),
        (ICRESP[:8] + b"\x01" + ICRESP[9:], "unknown PDU format: 1"),
        (ICRESP[:2] + b"\x7f" + ICRESP[3:], "another service listens there"),
        (ICRESP[:4] + b"\xff\xff\xff\xff" + ICRESP[8:], "another service listens there"),
    ],
)
def test_something_else_listens(net: Network, answer: bytes, sentence: str) -> None:
    net.answer(what=answer)
    document = examine(net)
    assert document["trial"]["outcome"] == "no-target"
    assert sentence in document["trial"]["reason"]
    assert ("C10", "host") in faults(document)
    assert sentence in check(net).out


def test_silence_and_half_an_answer_end(net: Network) -> None:
    for answer in (b"", ICRESP[:100]):
        net.answer(what=answer)
        document = examine(net)
        assert document["trial"]["outcome"] == "no-target"
        assert "no reply arrives" in document["trial"]["reason"]
        assert document["trial"]["lasted_ms"] < 12000
        net.stop()
        net.subflows_by(2, 3)


def test_an_end_instead_of_an_answer(net: Network) -> None:
    net.answer(what=b"", end="closes")
    document = examine(net)
    assert document["trial"]["outcome"] == "no-target"
    assert "closed the connection" in document["trial"]["reason"]


def test_no_connection(net: Network) -> None:
    for address, sentence in ((ADDRESS, "connection refused"), ("10.77.1.99", "no route to host")):
        document = examine(net, "--traddr", address)
        assert document["trial"]["outcome"] == "no-connection"
        assert sentence in document["trial"]["reason"]
        assert faults(document)[0] == ("C09", "host")
    with net.changed(net.host, "net.mptcp.enabled=0", "net.mptcp.enabled=1"):
        document = examine(net)
        assert document["trial"]["outcome"] == "no-socket"
        assert faults(document) == [("K02", "host")]


def test_many_at_once(net: Network) -> None:
    """Each looks at its own connection only."""
    net.answer()
    words = ("mptcp", "check", "-a", ADDRESS, "-o", "json")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(run, *words, side=net.host) for _ in range(4)]
    assert [len(done.result().json["trial"]["subflows"]) for done in runs] == [3] * 4


def test_questions_that_contradict_themselves(nvme: Nvme) -> None:
    for arguments, message in (
        (
            ("nvme0", "--traddr", ADDRESS),
            f"nvme0 --traddr={ADDRESS}: controllers that are connected",
        ),
        (
            ("--host-iface", "lo"),
            "--host-traddr and --host-iface choose how to connect to --traddr",
        ),
    ):
        assert message in nvme("mptcp", "check", *arguments).refused(3)
