# SPDX-License-Identifier: GPL-2.0-or-later
"""What the MPTCP of the newest kernel has and that of 6.12 lacks: used there, and missed in peace.

Each test names what either kernel has, so that neither is asked by the program that is tested.
"""

import json
import os
from pathlib import Path

import pytest
from faults import check, obey, rules, shown
from lab import Lab, Limits, Target, Topology, wait_until
from lab.host import HOST_ID, HOST_NQN
from lab.network import SIDES, Link

pytestmark = pytest.mark.every_kernel

NQN = "nqn.2024-01.lab:disk"
CONFIG = Path("/tmp/newest.json")
IS_OLD = os.uname().release.startswith("6.12.")

#: Endpoints that the table holds, and the greatest limit.
TABLE, MOST = (8, 8) if IS_OLD else (255, 64)


def after_boot(links: int) -> Topology:
    """Links and addresses, and the path manager as the kernel has it after boot."""
    return Topology(
        links=(Link(),) * links,
        families=("ipv4",),
        limits={side: Limits(2, 0) for side in SIDES},
        add_addr_timeout=120,
    )


def established(lab: Lab) -> list[list[tuple[str, str]]]:
    """The link and the target's address of the established subflows of each connection."""
    return [
        sorted(
            (str(s["link"]), str(s["remote"]).rpartition(":")[0])
            for s in connection["subflows"]
            if s["state"] == "ESTAB"
        )
        for connection in lab.host.connections()
    ]


@pytest.mark.topology(after_boot(2))
def test_setup_uses_laminar_endpoints(lab: Lab) -> None:
    """Both addresses of the target are behind the first link, by routes; every link leads there."""
    lab.network.changed = True
    lab.network.ip("target", "address add 10.78.1.1/32 dev t1", "address add 10.78.2.1/32 dev t2")
    lab.network.set_limits("target", Limits(8, 8))
    lab.network.ip("target", "mptcp endpoint add 10.78.2.1 dev t2 signal")
    planned = lab.host.nvme("mptcp setup --role host --traddr 10.78.1.1,10.78.2.1 --apply -o json")
    assert planned["method"] == ("subflow" if IS_OLD else "laminar")
    shown_endpoints = lab.host.nvme("mptcp show-endpoints -o json")["endpoints"]
    assert [e["flags"] for e in shown_endpoints] == [["subflow" if IS_OLD else "laminar"]] * 2

    lab.connect(NQN, traddr="10.78.1.1", nr_io_queues=1)
    wanted = [("h1", "10.78.1.1"), ("h2", "10.78.1.1" if IS_OLD else "10.78.2.1")]
    wait_until(lambda: established(lab) == [wanted] * 2, "one subflow on each link", 30)
    lab.host.read(lab.host.disk(NQN), 1 << 20)
    assert established(lab) == [wanted] * 2
    assert [c["laminar_max"] for c in lab.host.connections()] == [None if IS_OLD else 2] * 2
    assert "H22" not in rules(check(lab))


@pytest.mark.topology(after_boot(2))
def test_laminar_endpoint_of_a_configuration(lab: Lab) -> None:
    """6.12 would take the flag and start nothing, which is said and found; the newest knows it."""
    lab.network.changed = True
    lab.network.set_limits("target", Limits(8, 8))
    lab.target.configure(Target.simple(NQN))
    endpoint = {"address": "10.1.2.2", "dev": "h2", "flags": ["laminar"]}
    mptcp = {"limits": {"subflows": 4, "add_addr_accepted": 4}, "endpoints": [endpoint]}
    port = {"transport": "mptcp", "traddr": "10.1.1.1", "nr_io_queues": 1}
    host = {"hostnqn": HOST_NQN, "hostid": HOST_ID, "mptcp": mptcp}
    CONFIG.write_text(json.dumps([{**host, "subsystems": [{"nqn": NQN, "ports": [port]}]}]))
    said = lab.host.command(["nvme", "connect", "-J", str(CONFIG)]).stderr
    unknown = "this kernel does not know the flag laminar of 10.1.2.2: no subflow starts from it"
    assert (unknown in said) == IS_OLD, said
    (kept,) = lab.host.nvme("mptcp show-endpoints -o json")["endpoints"]
    assert kept["flags"] == ([] if IS_OLD else ["laminar"])
    plan = lab.host.nvme(["mptcp", "keep", "--config", str(CONFIG), "--dry-run", "-o", "json"])
    assert plan["steps"] == [], plan
    assert any(unknown in note["text"] for note in plan["notes"]) == IS_OLD, plan

    found = check(lab)
    assert ("H22" in rules(found)) == IS_OLD, shown(found)
    if IS_OLD:
        obey(lab, [f for f in found if f["rule"] == "H22"], {})
    else:
        lab.network.ip("target", "mptcp endpoint add 10.1.2.1 dev t2 signal")
    there = "10.1.1.1" if IS_OLD else "10.1.2.1"
    wanted = [("h1", "10.1.1.1"), ("h2", there)]
    wait_until(lambda: established(lab) == [wanted] * 2, "one subflow on each link", 30)
    found = check(lab)
    assert "H22" not in rules(found), shown(found)


@pytest.mark.topology(after_boot(10))
def test_more_than_eight_endpoints(lab: Lab) -> None:
    """Of ten links all are used where the table holds them, and the best ones where it does not."""
    lab.network.changed = True
    for role in ("target --netns target", "host"):
        words = f"mptcp setup --role {role} --traddr 10.1.1.1 --apply -o json"
        assert {step["state"] for step in lab.host.nvme(words)["steps"]} == {"done"}
    used = min(TABLE, 10)
    shown_endpoints = lab.host.nvme("mptcp show-endpoints -o json")
    assert len(shown_endpoints["endpoints"]) == used
    assert used - 1 <= shown_endpoints["limits"]["subflows"] <= MOST

    lab.connect(NQN, traddr="10.1.1.1", nr_io_queues=1)
    wanted = sorted((f"h{i}", "10.1.1.1") for i in range(1, used + 1))
    wait_until(lambda: established(lab) == [wanted] * 2, f"subflows on {used} links", 40)
    found = check(lab)
    assert "H10" not in rules(found), shown(found)


@pytest.mark.topology(after_boot(2))
def test_eight_endpoints_are_no_full_table_elsewhere(lab: Lab) -> None:
    """Limits of 8, so that only the kernel's answer decides."""
    lab.network.changed = True
    lab.network.set_limits("host", Limits(8, 8))
    lab.network.ip("host", *(f"mptcp endpoint add 10.1.9.{i} subflow" for i in range(1, 9)))
    lab.connect(NQN, traddr="10.1.1.1", nr_io_queues=1)
    assert ("H10" in rules(check(lab))) == (TABLE == 8)


@pytest.mark.topology(after_boot(1))
def test_settings_by_their_names(lab: Lab) -> None:
    """The path manager is a name there, and was a number; either is read, and written back."""
    name, userspace, kernel = (
        ("pm_type", "1", "0") if IS_OLD else ("path_manager", "userspace", "kernel")
    )
    document = lab.host.nvme("mptcp show-endpoints -o json")
    assert document["path_manager"] == "kernel"
    assert document["settings"].get("path_manager") == (None if IS_OLD else "kernel")
    retrans = document["settings"].get("syn_retrans_before_tcp_fallback")
    assert retrans == (None if IS_OLD else "2")

    lab.network.sysctl("host", f"mptcp.{name}", userspace)
    try:
        assert lab.host.nvme("mptcp show-endpoints -o json")["path_manager"] == "userspace"
        found = [f for f in check(lab, arguments="-a 10.1.1.1 --no-trial") if f["rule"] == "K05"]
        assert [[fix["command"] for fix in f["fix"]] for f in found] == [
            [f"sysctl -w net.mptcp.{name}={kernel}"]
        ]
        obey(lab, found, {})
        assert lab.host.nvme("mptcp show-endpoints -o json")["path_manager"] == "kernel"
    finally:
        lab.network.sysctl("host", f"mptcp.{name}", kernel)


@pytest.mark.topology(after_boot(1))
def test_counters_of_subflows(lab: Lab) -> None:
    """Marks of congestion are counted by the newest kernel; null on one without such counters."""
    lab.connect(NQN, traddr="10.1.1.1", nr_io_queues=1)
    subflows = [s for connection in lab.host.connections() for s in connection["subflows"]]
    assert len(subflows) == 2
    for s in subflows:
        for value in ("received_ce", "received_ce_bytes", "delivered_ce_bytes"):
            assert s[value] == (None if IS_OLD else 0), value
        # these are no news for either
        assert s["delivered_ce"] == 0
        assert s["timeouts_total"] >= 0
