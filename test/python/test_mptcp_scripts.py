# SPDX-License-Identifier: LGPL-2.1-or-later
"""libnvme.mptcp as scripts use it: words as types, asyncio, JSON and back, sets, metrics."""

import json
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from conftest import BUILD
from test_mptcp import FINDING, PLAN, TRIAL, in_namespace, linked, schema

from libnvme import mptcp

LINK = ("properties", "links", "items", "properties")
CONNECTION = ("$defs", "connection", "properties")


@pytest.mark.parametrize(
    ("words", "name", "path"),
    [
        (mptcp.Severity, "mptcp-findings.json", (*FINDING, "severity")),
        (mptcp.Side, "mptcp-findings.json", (*FINDING, "side")),
        (mptcp.Subject, "mptcp-findings.json", (*FINDING, "kind")),
        (mptcp.TrialOutcome, "mptcp-findings.json", (*TRIAL, "outcome")),
        (mptcp.Side, "mptcp-plan.json", ("properties", "role")),
        (mptcp.Method, "mptcp-plan.json", ("properties", "method")),
        (mptcp.Action, "mptcp-plan.json", (*PLAN, "action")),
        (mptcp.StepState, "mptcp-plan.json", (*PLAN, "state")),
        (mptcp.EventName, "mptcp-event.json", ("properties", "event")),
        (mptcp.Attribution, "mptcp-snapshot.json", (*CONNECTION, "attribution")),
        (mptcp.Reason, "mptcp-snapshot.json", ("$defs", "coverage", "properties", "reason")),
        (mptcp.LinkKind, "mptcp-snapshot.json", (*LINK, "kind")),
    ],
)
def test_words_are_the_schemas(words: Any, name: str, path: tuple[str, ...]) -> None:
    assert set(get_args(words)) == {
        word for word in schema(name, *path)["enum"] if word is not None
    }


def test_every_class_resolves_its_types() -> None:
    for name in mptcp.__all__:
        cls = getattr(mptcp, name)
        if is_dataclass(cls):
            assert set(get_type_hints(cls)) >= {field.name for field in fields(cls)}


def test_snapshots_go_to_json_and_back() -> None:
    out = linked(f"""
    import json, pathlib, subprocess
    mptcp.setup("target", dev=["h1", "h2"], apply=True)
    snapshot = mptcp.snapshot()
    again = mptcp.Snapshot.from_json(snapshot.to_json())
    print(again == snapshot, hash(again) == hash(snapshot), len({{again, snapshot}}))
    print(mptcp.Snapshot.from_json(snapshot.to_json(indent=2).encode()) == snapshot)
    command = [{str(BUILD / "nvme-cli/nvme")!r}, "mptcp", "show-endpoints", "-o", "json"]
    told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    print(told["endpoints"] == snapshot.to_dict()["endpoints"], told["version"])
    for made in (mptcp.check(interval=0), mptcp.setup("target"), mptcp.report(interval=0)):
        print(type(made).from_json(made.to_json()) == made, isinstance(hash(made), int))
    print(list(mptcp.report(interval=0).to_dict())[:2])
    """)
    assert out.splitlines() == [
        "True True 1",
        "True",
        "True 1",
        *["True True"] * 3,
        "['report', 'version']",
    ]


NOBODYS: dict[str, Any] = {"connections_found": 0, "subflows_found": 0, "fallback": 0} | {
    key: [] for key in ("links", "coverage", "connections")
}


COUNTERS = "MPTcpExt"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"counters": {COUNTERS: {"a": "1"}}},
            f"Report.counters.{COUNTERS}.a: unexpected type str",
        ),
        ({"counters": {COUNTERS: []}}, f"Report.counters.{COUNTERS}: unexpected type list"),
        ({"sysctls": {"a": "1"}}, "Report.sysctls.a: unexpected type str"),
        ("[]", "Snapshot: must be an object"),
        ("{", "Snapshot: not JSON: Expecting property name"),
        ("[" * 100000, "Snapshot: not JSON: "),
        ({"version": 2}, "Snapshot.version: 2 is not 1"),
        ({"limits": None}, "Snapshot.limits: missing"),
        ({"limits": []}, "Snapshot.limits: unexpected type list"),
        ({"taken_ms": "1"}, "Snapshot.taken_ms: unexpected type str"),
        ({"taken_ms": True}, "Snapshot.taken_ms: unexpected type bool"),
        ({"links": [{"name": "eth0"}]}, "Snapshot.links[0].ifindex: missing"),
        ({"links": [3]}, "Snapshot.links[0]: must be an object"),
        ({"settings": {"a": [1]}}, "Snapshot.settings.a: unexpected type list"),
        ({"settings": {"a": None}}, "Snapshot.settings.a: missing"),
        (
            {"shared": [NOBODYS | {"controllers": ["nvme0", 1]}]},
            "Snapshot.shared[0].controllers[1]: unexpected type int",
        ),
        ({"version": True}, "Snapshot.version: True is not 1"),
        ({"userspace": {}}, "Snapshot.userspace.connections_found: missing"),
    ],
)
def test_what_is_no_document(change: Any, message: str) -> None:
    """What somebody else wrote is not trusted, and what is wrong with it is said."""
    text, is_report = change, message.startswith("Report")
    made = mptcp.report(interval=0) if is_report else mptcp.snapshot()
    if isinstance(change, dict):
        text = json.dumps(made.to_dict() | change)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        type(made).from_json(text)
    assert str(error.value).startswith(message)


def test_later_documents_can_be_read() -> None:
    """Keys may be added to documents: they are left out."""
    snapshot = mptcp.snapshot()
    later = snapshot.to_dict() | {"later": [1]}
    assert mptcp.Snapshot.from_json(json.dumps(later)) == snapshot
    unknown = mptcp.report(interval=0).to_dict() | {"sysctls": {"a": None}}
    assert mptcp.Report.from_json(json.dumps(unknown))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("192.0.2.1:4420", ("192.0.2.1", 4420)),
        ("[2001:db8::1]:4420", ("2001:db8::1", 4420)),
        ("[fe80::1%eth0]:1", ("fe80::1%eth0", 1)),
        ("2001:db8::1", ("2001:db8:", 1)),
        ("nonsense", None),
        ("", None),
        (None, None),
    ],
)
def test_split(text: str | None, expected: tuple[str, int] | None) -> None:
    found = mptcp.split(text)
    assert found == expected
    if found and text and text.startswith(("1", "[")):
        assert str(found) == text


def test_ends() -> None:
    keys = {field.name: None for field in fields(mptcp.Subflow)}
    subflow = mptcp.Subflow(**keys | {"local": "[fd00::1]:9", "remote": "10.0.0.1:4420"})
    assert (subflow.local_address, subflow.local_port) == ("fd00::1", 9)
    assert (subflow.remote_address, subflow.remote_port) == ("10.0.0.1", 4420)
    closed = mptcp.ClosedSubflow(None, "10.0.0.1:4420", None, None)
    assert (closed.local_address, closed.local_port, closed.remote_port) == (None, None, 4420)


def test_findings_for_scripts() -> None:
    """The worst, how many there are, and what to run on a side."""
    fixes = (mptcp.Fix("host", "a"), mptcp.Fix("target", "b"), mptcp.Fix("host", "a"))
    rest: Any = ("host", "it", "kernel", (), {"x": "y"}, "why", fixes)
    one, two = mptcp.Finding("H01", "error", *rest), mptcp.Finding("H02", "info", *rest)
    findings = mptcp.Findings(("host",), 0, None, None, None, (one, two))
    assert findings.worst == "error"
    assert (findings.count("error"), findings.count("warning")) == (1, 0)
    assert findings.commands("host") == ("a",)
    assert findings.commands() == ("a", "b")
    assert mptcp.Findings(("host",), 0, None, None, None, ()).worst is None
    assert len({one, two, one}) == 2


EVENTS = """
    import asyncio, os, socket, subprocess, threading, time

    def connect():
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as client:
                client.connect(listener.getsockname())
                client.send(b"x")
"""
eventful = partial(in_namespace, before=EVENTS)


def test_async_for() -> None:
    out = eventful("""
    async def main():
        ticks, seen = 0, []
        monitor = mptcp.monitor()

        async def watch():
            async for event in monitor:
                seen.append(event.event)
                if event.event == "closed":
                    break
            async for event in monitor:
                pass
            return "ended"

        task = asyncio.create_task(watch())
        await asyncio.sleep(0.05)
        try:
            await anext(monitor)
        except RuntimeError as error:
            print(error)
        await asyncio.to_thread(connect)
        while "closed" not in seen:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        monitor.close()
        print(await task, {"created", "closed"} <= set(seen), monitor.closed)
        async with mptcp.monitor() as other:
            pass
        print([event async for event in other])

    asyncio.run(main())
    """)
    assert out.splitlines() == ["another task is waiting for this monitor", "ended True True", "[]"]


def test_cancelling_a_task() -> None:
    out = eventful("""
    async def main():
        with mptcp.monitor() as monitor:
            for _ in range(2):
                try:
                    await asyncio.wait_for(anext(monitor), 0.05)
                except asyncio.TimeoutError:
                    print("nothing")
            connect()
            print((await anext(monitor)).event)
        descriptors = len(os.listdir("/proc/self/fd"))
        for _ in range(50):
            with mptcp.monitor() as monitor:
                pass
        print(len(os.listdir("/proc/self/fd")) - descriptors)

    asyncio.run(main())
    """)
    assert out.splitlines()[:2] == ["nothing"] * 2
    assert out.splitlines()[2] in ("created", "listener-created")
    assert out.splitlines()[3] == "0"


def test_close_wakes_a_thread() -> None:
    out = eventful("""
    def waits(thread):
        # asleep in poll(): state S of its task
        path = f"/proc/self/task/{thread.native_id}/stat"
        while open(path).read().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.01)

    for call in (lambda m: m.wait(), lambda m: list(m), lambda m: m.wait(60)):
        monitor = mptcp.monitor()
        results = []
        thread = threading.Thread(target=lambda: results.append(call(monitor)))
        thread.start()
        waits(thread)
        monitor.close()
        thread.join(30)
        print(results, thread.is_alive(), monitor.closed)
        monitor.close()
        attempt(lambda: monitor.wait(0))
    """)
    closed = "ValueError this monitor is closed"
    assert out.splitlines() == [
        "[None] False True", closed, "[[]] False True", closed, "[None] False True", closed,
    ]  # fmt: skip


def test_metrics(tmp_path: Path) -> None:
    """The text is what the command prints, in each format; a file is replaced as a whole."""
    file = tmp_path / "metrics.prom"
    command = str(BUILD / "nvme-cli/nvme")
    out = linked(f"""
    import json, pathlib, re, subprocess

    def stable(text):
        # seconds, and what a second look changes
        return re.sub(r"(_seconds|_timestamp\\S*|_duration\\S*) [0-9.e+-]+", r"\\1", text)

    def command(*options):
        run = [{command!r}, "mptcp", "metrics", *options]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout

    print(stable(mptcp.metrics()) == stable(command()))
    print(stable(mptcp.metrics(format="prometheus")) == stable(command("--prometheus")))
    names = [f["name"] for f in json.loads(mptcp.metrics(format="json"))["metrics"]]
    told = [f["name"] for f in json.loads(command("-o", "json"))["metrics"]]
    print(names == told, len(names) > 5)
    file = pathlib.Path({str(file)!r})
    text = mptcp.metrics(file, format="prometheus")
    print(file.read_text() == text, mptcp.metrics().endswith("# EOF\\n"))
    print(stable(mptcp.metrics(file)) == stable(text), "# EOF" in file.read_text())
    print("# EOF" in mptcp.metrics(file, format="openmetrics"))
    attempt(lambda: mptcp.metrics(format="xml"), lambda: mptcp.metrics(max_controllers=0))
    """)
    assert out.splitlines() == [
        "True",
        "True",
        "True True",
        "True True",
        "True False",
        "True",
        "ValueError format is 'xml', not one of openmetrics, prometheus, json",
        "ValueError max_controllers is 0, not 1 or more",
    ]


def test_rules_of_a_configuration_are_ignored(tmp_path: Path) -> None:
    """As the command does it, where the configuration is named; what is wrong with it is said."""
    config, wrong = tmp_path / "config.json", tmp_path / "wrong.json"
    config.write_text('[{"hostnqn": "nqn.x", "mptcp": {"ignore": ["H01", "H02"]}}]')
    wrong.write_text('[{"hostnqn": 5}]')
    out = in_namespace(f"""
        import pathlib
        found = mptcp.check(interval=0, role="host")
        less = mptcp.check(interval=0, role="host", config=pathlib.Path({str(config)!r}))
        print(less.ignored - found.ignored == sum(f.rule in ("H01", "H02") for f in found))
        for file in ({str(wrong)!r}, "/nosuch/config.json"):
            attempt(lambda: mptcp.check(interval=0, config=file))
    """)
    lines = out.splitlines()
    assert lines[0] == "True"
    assert lines[1].startswith(f"ValueError {wrong}:1: ")
    why = "[Errno 2] No such file or directory: '/nosuch/config.json'"
    assert lines[2:] == [f"FileNotFoundError {why}"]


def test_saving_a_set_up(tmp_path: Path) -> None:
    file = tmp_path / "mptcp.json"
    out = linked(f"""
    import ipaddress, pathlib
    here = ipaddress.ip_address("10.1.1.1")
    file = pathlib.Path({str(file)!r})
    plan = mptcp.setup("target", traddr=[here], dev=["h1", "h2"], save=file)
    import json
    print(json.loads(file.read_text()) == plan.config, len(plan.config["endpoints"]))
    """)
    assert out == "True 2\n"
