# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is found rests on NVMe's own connections, not on what others on the machine do."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from shape_build import OTHER_PORT, both, endpoint, ip, joined, limits, pairs
from shape_damages import LINKS, PORTAL, on, one_each
from shape_net import PORT, Net
from shape_nvme import BUILD, HIDE, NVME, QUICK, Machines, rules, shown
from shape_pool import at_once
from shape_rows import span

TRIALS = 3


#: Ports of the other program: one that speaks MPTCP, one that does not, one that refuses.
KINDS = {"mptcp": OTHER_PORT, "plain": OTHER_PORT + 1, "refused": OTHER_PORT + 2}


@contextmanager
def coming_and_going(net: Net, *kinds: str) -> Iterator[None]:
    """Another program whose connections come and go."""
    servers = [
        net.listen(PORTAL, port=KINDS["mptcp"]),
        net.listen(PORTAL, port=KINDS["plain"], protocol=6),
    ]
    agent = net.agent("host", "host")
    ended = threading.Event()

    def churn() -> None:
        while not ended.is_set():
            for port in (KINDS[kind] for kind in kinds):
                with suppress(OSError):
                    agent.ask("connect", address=PORTAL, port=port)
            time.sleep(0.02)
            agent.ask("close")

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for server in servers:
            server.stop()
            net.agents.remove(server)


@pytest.mark.parametrize(
    "kinds", [("mptcp",), ("plain",), ("refused",), tuple(KINDS)], ids="-".join
)
@at_once
def test_connections_of_others_come_and_go(
    kinds: tuple[str, ...], net: Net, machines: Machines
) -> None:
    joined()(net)
    machines.offer("0.0.0.0")
    with coming_and_going(net, *kinds):
        for _ in range(TRIALS):
            findings, trial = machines.trial(PORTAL)
            assert rules(findings) == [], shown(findings)
            assert trial["subflows_established"] == 3
    machines.attach(PORTAL)
    net.settles(LINKS, one_each)
    with coming_and_going(net, *kinds):
        for _ in range(TRIALS):
            _, findings = machines.check("host", "--interval", "0.5")
            assert rules(findings) == [], shown(findings)
    machines.clean()


#: No other shape that is tested at the same time has this address.
OWN = "10.99.7.1"


def own_portal(net: Net, machines: Machines, address: str = OWN) -> None:
    """A controller of a portal behind the first link, with an address that no other test has."""
    joined()(net)
    net.ip("target", f"addr add {address}/32 dev lo")
    net.ip("host", f"route add {address} via 10.1.1.1 dev eth1")
    machines.connect(address)


@at_once
def test_no_connections_are_not_in_the_namespace_it_ran_in(net: Net, machines: Machines) -> None:
    """Another namespace is named only if it has the connections."""
    own_portal(net, machines)
    net.disconnect()
    # Another program's connection to the same address is no proof.
    agent = net.agent("host", "host")
    agent.ask("connect", address=OWN, port=PORT, count=1)
    for outside in (False, True):
        result = machines.nvme("host", "check", "--role", "host", *QUICK, "-o", "json",
                               outside=outside)  # fmt: skip
        findings = result.json["findings"]
        assert result.status, "nothing is found"
        for finding in findings:
            told = finding["why"] + " ".join(fix["command"] for fix in finding["fix"])
            if finding["rule"] == "N07":
                assert net.name("host") not in told, shown(findings)
                assert "another network namespace" not in told, shown(findings)


@at_once
def test_another_namespace_that_has_the_connections(net: Net, machines: Machines) -> None:
    """With proof, N07 names it; two that have such connections are no proof."""
    own_portal(net, machines, "10.99.7.2")
    net.add("elsewhere", "double")
    machines.fakes["elsewhere"] = machines.fakes["host"]
    _, findings = machines.check_in("elsewhere", "host")
    (finding,) = (f for f in findings if f["rule"] == "N07")
    assert net.name("host") in finding["why"] + str(finding["fix"]), shown(findings)
    for address in ("10.1.1.2", "10.99.7.2"):
        net.ip("double", f"addr add {address}/32 dev lo")
    net.listen("0.0.0.0", side="double")
    net.agent("double", "host").ask(
        "connect", address="10.99.7.2", port=PORT, count=1, source="10.1.1.2"
    )
    _, findings = machines.check_in("elsewhere", "host")
    assert findings and not any(f["rule"] == "N07" for f in findings), shown(findings)
    assert net.name("host") not in str(findings) and net.name("double") not in str(findings)


OTHERS = [
    ("announced-elsewhere", ("203.0.113.5", "dev", "lo", "signal")),
    ("twice", ("203.0.113.5", "dev", "lo", "signal", "port", "8080")),
]


@pytest.mark.parametrize(("name", "words"), OTHERS, ids=[row[0] for row in OTHERS])
@at_once
def test_endpoints_of_others_are_left_alone(
    name: str, words: tuple[str, ...], net: Net, machines: Machines
) -> None:
    both(joined(), ip("host", "addr add 203.0.113.5/32 dev lo"))(net)
    endpoint("host", *words)(net)
    if name == "twice":
        endpoint("host", "203.0.113.5", "dev", "lo", "signal")(net)
    machines.offer("0.0.0.0")
    findings, _ = machines.trial(PORTAL)
    machines.attach(PORTAL)
    net.settles(LINKS, one_each)
    _, later = machines.check("host")
    for found in (findings, later):
        assert rules(found) == [], shown(found)
        assert not [c for _, c in machines.commands(found) if "203.0.113.5" in c or "delete" in c]


@at_once
def test_an_established_subflow_is_an_answer(net: Net, machines: Machines) -> None:
    """No route leads by the link, but whoever has the address answers on it."""
    pairs(span(2))(net)
    both(limits("host", 8, 0), limits("target", 8, 0))(net)
    endpoint("host", "10.1.2.2", "dev", "eth2", "subflow")(net)
    machines.connect(PORTAL)
    carried = net.settles(LINKS, on(2))
    assert [dict(c) for c in carried.values()] == [{"eth1": 1, "eth2": 1}] * 2
    for findings in (machines.trial(PORTAL)[0], machines.check("host")[1]):
        for words in ("no machine answers", "does not answer"):
            assert words not in shown(findings).lower(), shown(findings)


@at_once
def test_a_missing_proc_is_no_kernel_without_mptcp(net: Net, machines: Machines) -> None:
    joined()(net)
    machines.offer("0.0.0.0")
    environment = machines.environment("host")
    # Without /proc the loader does not find what is beside the program.
    environment["LD_LIBRARY_PATH"] = str(BUILD / "libnvme")
    hide = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    for words in (["check", "--role", "host", "--traddr", PORTAL, *QUICK], ["show-endpoints"]):
        command = ["ip", "netns", "exec", net.name("host"), *hide, str(NVME), "mptcp", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30,
                              env=environment)  # fmt: skip
        told = done.stdout + done.stderr
        assert "no MPTCP" not in told and "K01" not in told, told
        assert "/proc" in told, told


@at_once
def test_hidden_processes_are_what_this_harness_relies_on(net: Net, machines: Machines) -> None:
    """Seen processes own their connections; where none is seen they are the controller's."""
    joined()(net)
    machines.connect(PORTAL)
    net.settles(LINKS, one_each)
    hidden = machines.nvme("host", "show-subflows", "-o", "json").json
    assert [len(c["connections"]) for c in hidden["controllers"]] == [2]
    seen = net.run("host", "env", *(f"{k}={v}" for k, v in machines.environment("host").items()),
                   str(NVME), "mptcp", "show-subflows")  # fmt: skip
    assert "0 of 2" in seen or "no connection" in seen.lower() or "0/2" in seen, seen
    assert HIDE[0] == "unshare"
