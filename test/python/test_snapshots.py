# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two snapshots compared, waiting for all links, and endpoints and limits one at a time."""

import json
import re
import subprocess
from dataclasses import replace
from typing import Any

import pytest
from conftest import BUILD, run_python
from test_mptcp import in_namespace

from libnvme import mptcp


def subflow(link: str, port: int, **more: Any) -> mptcp.Subflow:
    """One that leaves by a link."""
    ends = {"local": f"10.1.1.2:{port}", "remote": "10.1.1.1:4420", "link": link}
    return mptcp.Subflow(**{"state": "ESTAB", "carrying": True, **ends, **more})


def snapshot(*subflows: mptcp.Subflow, missing: int = 0, **more: Any) -> mptcp.Snapshot:
    """One controller with one connection."""
    connection = mptcp.Connection(
        token=7, state="ESTAB", local="10.1.1.2:1", remote="10.1.1.1:4420", subflows=subflows
    )
    coverage = mptcp.Coverage(link="eth2", wanted=True, reason="endpoint", missing=missing)
    ctrl = mptcp.Controller(
        **{
            "name": "nvme0",
            "transport": "mptcp",
            "state": "live",
            "connections_expected": 1,
            "connections_found": 1,
            "coverage": (coverage,),
            "connections": (connection,),
            **more,
        }
    )
    return mptcp.Snapshot(taken_ms=1000, controllers=(ctrl,))


def test_differences() -> None:
    before = snapshot(subflow("eth1", 1, bytes_sent=1), subflow("eth2", 2))
    after = snapshot(
        subflow("eth1", 1, bytes_sent=9, carrying=False), subflow("eth2", 3), state="connecting"
    )
    after = replace(after, endpoints=(mptcp.Endpoint(id=3, address="10.1.1.2"),))
    assert before.diff(before) == ()
    changes = before.diff(after)
    assert [str(change) for change in changes] == [
        "controller nvme0: state live → connecting",
        "subflow nvme0: 10.1.1.2:1 10.1.1.1:4420: carrying True → False",
        "subflow nvme0: 10.1.1.2:2 10.1.1.1:4420 removed",
        "subflow nvme0: 10.1.1.2:3 10.1.1.1:4420 added",
        "endpoint 3 (10.1.1.2) added",
    ]
    assert changes[-1].after == after.endpoints[0]
    assert isinstance(hash(changes), int)


def test_rates() -> None:
    before = snapshot(subflow("eth1", 1, bytes_sent=1000, bytes_received=10), subflow("eth2", 2))
    after = snapshot(
        subflow("eth1", 1, bytes_sent=5000, bytes_received=10, bytes_retrans=100),
        subflow("eth1", 3, bytes_sent=2000),
    )
    [rate] = before.rates(replace(after, taken_ms=3000))
    assert (rate.controller, rate.link, rate.subflows, rate.seconds) == ("nvme0", "eth1", 2, 2.0)
    assert (rate.sent, rate.received, rate.retransmitted) == (3000.0, 0.0, 50.0)
    for other in (before, replace(before, taken_ms=0)):
        with pytest.raises(ValueError, match="not later"):
            before.rates(other)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (snapshot(), ()),
        (snapshot(relay=True, transport="tcp"), ()),
        (snapshot(missing=2), ("2 subflows missing on eth2",)),
        (snapshot(state="connecting", missing=2), ("it is connecting",)),
        (snapshot(connections_expected=5), ("1 of 5 connections",)),
        (snapshot(connections_expected=5, connections_shared=4), ()),
        (snapshot(connections_found=0, connections_expected=None), ("0 of None connections",)),
        (snapshot(fallback=1), ("1 connections fell back to plain TCP",)),
        (snapshot(bypassed=True), ("it bypasses the relay",)),
    ],
)
def test_what_a_controller_lacks(seen: mptcp.Snapshot, expected: tuple[str, ...]) -> None:
    """Whole is live, with all connections, and each on all links that ought to carry it."""
    assert seen.missing("nvme0") == expected
    with pytest.raises(LookupError, match="nvme1"):
        seen.missing("nvme1")


def test_shared_connections_count() -> None:
    """What a controller shares may be what it lacks; both are owners of connections."""
    coverage = mptcp.Coverage(link="eth3", wanted=True, reason="endpoint", missing=1)
    group = mptcp.Group(controllers=("nvme0", "nvme1"), coverage=(coverage,))
    seen = replace(snapshot(), shared=(group,))
    assert seen.missing("nvme0") == ("1 subflows missing on eth3",)
    owners: list[mptcp.ConnectionOwner] = list(seen.owners())
    assert [owner.missing for owner in owners] == [0, 1]


def test_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends once nothing is missing, and says after the timeout what is."""
    looks = [snapshot(missing=1), replace(snapshot(), controllers=()), snapshot()]
    monkeypatch.setattr(mptcp, "snapshot", lambda netns=None: looks.pop(0))
    assert mptcp.wait_until_whole("nvme0", 60).name == "nvme0"
    monkeypatch.setattr(mptcp, "snapshot", lambda netns=None: snapshot(missing=1))
    with pytest.raises(TimeoutError, match="nvme0 is not whole after 0 s: 1 subflows missing"):
        mptcp.wait_until_whole("nvme0", 0)
    with pytest.raises(TypeError, match="not connected"):
        mptcp.wait_until_whole(None)  # type: ignore[arg-type]


def test_a_plan_is_true_if_it_has_steps() -> None:
    """So a script asks whether there is something to do."""
    plan = mptcp.Plan(role="host", method="subflow")
    step = mptcp.Step(action="add", command="true", why="because", state="planned")
    assert not plan
    assert replace(plan, steps=(step,))


def test_documents_of_the_command() -> None:
    """What show-subflows and show-endpoints print is a snapshot without its other parts."""
    whole = json.loads(snapshot(subflow("eth1", 1)).to_json())
    for parts in (["controllers", "shared"], ["limits", "endpoints", "settings"]):
        keys = ["version", "taken_ms", "netns", "problems", *parts]
        read = mptcp.Snapshot.from_json(json.dumps({key: whole[key] for key in keys}))
        assert (read.links, read.other) == ((), mptcp.Group())
        assert len(read.controllers) == ("controllers" in parts)
    with pytest.raises(ValueError, match=r"Snapshot\.controllers"):
        mptcp.Snapshot.from_json(json.dumps(whole | {"controllers": None}))
    with pytest.raises(ValueError, match="an error, not a document: no controller"):
        mptcp.Snapshot.from_json('{"error": "no controller is connected"}')
    shown = subprocess.run(
        [BUILD / "nvme-cli/nvme", "mptcp", "show-endpoints", "-o", "json"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    if not shown.returncode:
        assert mptcp.Snapshot.from_json(shown.stdout).controllers == ()


def without_kernels_words(out: str) -> list[str]:
    """The lines of an output, without what some kernels say besides errno."""
    return re.sub(r"(File exists|Invalid argument) \(.*", r"\1", out).splitlines()


def test_endpoints() -> None:
    out = in_namespace("""
    from ipaddress import ip_address
    before = mptcp.snapshot()
    made = mptcp.endpoints.add("127.0.0.9", dev="lo", flags=["subflow", "backup"], id=9)
    print(made.id, made.dev, sorted(made.flags))
    other = mptcp.endpoints.add(ip_address("::1"), flags="signal", port=4420)
    print(other in mptcp.endpoints.list(), other.port, made in mptcp.endpoints.list())
    print(*before.diff(mptcp.snapshot()), sep=", ")
    attempt(
        lambda: mptcp.endpoints.add("127.0.0.9"),
        lambda: mptcp.endpoints.add("127.0.0.8", flags="subflw"),
        lambda: mptcp.endpoints.add("127.0.0.8", dev="nosuch0"),
        lambda: mptcp.endpoints.add("127.0.0.8", id=256),
        lambda: mptcp.endpoints.add("nonsense"),
        lambda: mptcp.endpoints.delete(77),
        lambda: mptcp.endpoints.delete(),
    )
    print(mptcp.endpoints.delete(9) == made, mptcp.endpoints.delete(address="::1") == other)
    print(mptcp.endpoints.list())
    """)
    assert without_kernels_words(out) == [
        "9 lo ['backup', 'subflow']",
        "True 4420 True",
        "endpoint 9 (127.0.0.9) added, endpoint 10 (::1) added",
        "FileExistsError [Errno 17] endpoint 127.0.0.9: File exists",
        "ValueError flags: 'subflw' is not one of signal, subflow, backup, fullmesh, laminar",
        "OSError [Errno 19] no network interface nosuch0",
        "ValueError id is 256, not from 1 to 255",
        "ValueError 'nonsense' does not appear to be an IPv4 or IPv6 address",
        "LookupError no endpoint with id 77",
        "TypeError delete: give the id or the address of an endpoint",
        "True True",
        "()",
    ]


def test_limits() -> None:
    out = in_namespace("""
    print(mptcp.limits.get() == mptcp.snapshot().limits)
    print(mptcp.limits.set(4, 3))
    print(mptcp.limits.set(add_addr_accepted=5), mptcp.snapshot().limits.subflows)
    for wrong in ({"subflows": 10**6}, {"subflows": -1}, {"subflows": "4"}, {}):
        attempt(lambda: mptcp.limits.set(**wrong))
    """)
    assert without_kernels_words(out) == [
        "True",
        "Limits(subflows=4, add_addr_accepted=3)",
        "Limits(subflows=4, add_addr_accepted=5) 4",
        "OSError [Errno 22] limits subflows 1000000: Invalid argument",
        "ValueError subflows is -1, not from 0 to 4294967295",
        "TypeError subflows must be int, not str",
        "TypeError set: give subflows, add_addr_accepted, or both",
    ]


def test_importing_is_quick() -> None:
    source = (
        "import sys\nfrom libnvme import mptcp\n"
        "slow = 'asyncio dataclasses inspect logging typing json ipaddress threading'\n"
        "print(sorted(set(slow.split()) & set(sys.modules)))\n"
        "mptcp.Monitor\n"
        "print('asyncio' in sys.modules, set(mptcp.__all__) <= set(dir(mptcp)))\n"
        "print(all(getattr(mptcp, name) is not None for name in mptcp.__all__))\n"
    )
    assert run_python("-S", "-c", source).stdout.splitlines() == ["[]", "False True", "True"]
