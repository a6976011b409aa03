# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots, findings and events of MPTCP as Python sees them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
from conftest import BUILD, TOP

sys.path.insert(0, str(BUILD / "python"))

from libnvme import mptcp

SCHEMAS = TOP / "doc/schema"


def schema(name: str, *path: str) -> list[str]:
    """The keys that a schema gives an object."""
    node: Any = json.loads((SCHEMAS / name).read_text())
    for key in path:
        node = node[key]
    return sorted(node["properties"])


@pytest.mark.parametrize(
    ("cls", "name", "path"),
    [
        (mptcp.Snapshot, "mptcp-snapshot.json", ()),
        (mptcp.Problem, "mptcp-snapshot.json", ("properties", "problems", "items")),
        (mptcp.Limits, "mptcp-snapshot.json", ("properties", "limits")),
        (mptcp.Endpoint, "mptcp-snapshot.json", ("properties", "endpoints", "items")),
        (mptcp.Link, "mptcp-snapshot.json", ("properties", "links", "items")),
        (mptcp.Controller, "mptcp-snapshot.json", ("properties", "controllers", "items")),
        (mptcp.Group, "mptcp-snapshot.json", ("properties", "shared", "items")),
        (mptcp.Usage, "mptcp-snapshot.json", ("$defs", "usage")),
        (mptcp.Connection, "mptcp-snapshot.json", ("$defs", "connection")),
        (mptcp.Subflow, "mptcp-snapshot.json", ("$defs", "subflow")),
        (mptcp.Event, "mptcp-event.json", ()),
        (mptcp.Finding, "mptcp-findings.json", ("properties", "findings", "items")),
        (
            mptcp.Fix,
            "mptcp-findings.json",
            ("properties", "findings", "items", "properties", "fix", "items"),
        ),
    ],
)
def test_classes_are_the_schemas(cls: type, name: str, path: tuple[str, ...]) -> None:
    """A class has what the document has, under the same names, and says what it is."""
    own = sorted(f.name for f in fields(cls))  # type: ignore[arg-type]
    assert own == [key for key in schema(name, *path) if key != "version"]
    assert cls.__doc__
    assert not cls.__doc__.startswith(cls.__name__ + "(")


def in_namespace(program: str) -> str:
    """Run a program in a network namespace of its own; what it printed."""
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("skipped: network namespaces need root and unshare")
    source = "from libnvme import mptcp\n" + textwrap.dedent(program)
    isolated = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    done = subprocess.run(
        [*isolated, sys.executable, "-c", source],
        env=os.environ | {"PYTHONPATH": str(BUILD / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "Protocol not available" in done.stderr or "PM is missing" in done.stderr:
        pytest.skip("skipped: this kernel has no MPTCP")
    assert done.returncode == 0, done.stderr
    return done.stdout


CONNECT = """
    import socket
    IPPROTO_MPTCP = 262
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    listener.bind(("127.0.0.1", 4420))
    listener.listen(1)
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP)
    client.connect(("127.0.0.1", 4420))
    server, _ = listener.accept()
    client.sendall(bytes(1000))
    server.recv(1000, socket.MSG_WAITALL)
"""


def test_connections() -> None:
    """The sockets of this very process are connections with a subflow each."""
    out = in_namespace(
        CONNECT
        + """
    snapshot = mptcp.snapshot()
    print(snapshot.enabled, snapshot.path_manager, snapshot.controllers, snapshot.shared)
    ours = [c for c in snapshot.userspace.connections if c.remote.endswith(":4420")]
    print(len(snapshot.userspace.connections), len(list(snapshot.userspace.subflows())), len(ours))
    [connection] = ours
    [subflow] = connection.subflows
    print(subflow.remote, subflow.link, subflow.state, connection.bytes_sent)
    try:
        snapshot.controller("nvme7")
    except LookupError as error:
        print(error)
    """
    )
    assert out.splitlines() == [
        "True kernel () ()",
        "2 2 1",
        "127.0.0.1:4420 lo ESTAB 1000",
        "no controller nvme7 with subflows",
    ]


def test_monitor() -> None:
    """Events come in the order in which things happen; waiting for nothing ends in time."""
    out = in_namespace(
        """
    monitor = mptcp.monitor()
    print(monitor.wait(0))
    """
        + CONNECT
        + """
    import select
    client.close()
    server.close()
    seen = []
    with monitor:
        for event in monitor:
            seen.append(event.event)
            assert event.time_us > 1e15
            if seen.count("closed") == 2:
                break
        print(monitor.fileno() >= 0, select.select([monitor], [], [], 0)[0] == [])
    print(seen[0], {"created", "established"} <= set(seen))
    try:
        monitor.wait(0)
    except ValueError as error:
        print(error)
    """
    )
    lines = out.splitlines()
    assert lines[0] == "None"
    assert lines[1].startswith("True")
    assert lines[2:] == ["listener-created True", "this monitor is closed"]


def test_threads_share_no_monitor() -> None:
    """While one thread waits, others may not touch the monitor."""
    out = in_namespace(
        """
    import threading, time
    monitor = mptcp.monitor()
    waiter = threading.Thread(target=lambda: print(monitor.wait(1)))
    waiter.start()
    time.sleep(0.2)
    for touch in (monitor.close, monitor.fileno, lambda: monitor.wait(0)):
        try:
            print(touch())
        except RuntimeError as error:
            print(error)
    waiter.join()
    monitor.close()
    monitor.close()
    """
    )
    assert out.splitlines() == ["another thread waits for this monitor"] * 3 + ["None"]


def test_check() -> None:
    """A machine without endpoints is told so, with commands to run."""
    out = in_namespace(
        """
    found = mptcp.check(traddr="127.0.0.1", trsvcid="4420", interval=0)
    print(all(f.severity in ("error", "warning", "info") and f.why for f in found), bool(found))
    try:
        mptcp.check(traddr="nonsense", interval=0)
    except OSError as error:
        print(error)
    """
    )
    assert out.splitlines() == ["True True", "[Errno 22] Invalid argument"]


def test_bad_arguments() -> None:
    """Errors name what is wrong."""
    with pytest.raises(ValueError, match="role is 'boss'"):
        mptcp.check(role="boss")
    with pytest.raises(TypeError, match="ctrls must be names"):
        mptcp.check("nvme0")
    with pytest.raises(FileNotFoundError, match="nosuch"):
        mptcp.snapshot("nosuch")
    with pytest.raises(TypeError):
        mptcp.snapshot(5)  # type: ignore[arg-type]


def test_unprivileged() -> None:
    """Without privileges a snapshot is what the kernel gives anybody, and says what is missing."""
    if os.geteuid():
        pytest.skip("skipped: already without privileges")
    # The build may lie where only root gets: what is imported is imported first.
    program = """
import os
from libnvme import mptcp
os.setgroups([]), os.setgid(65534), os.setuid(65534)
print(mptcp.snapshot().limits)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": str(BUILD / "python")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Limits(")


def test_objects_are_frozen() -> None:
    """Nothing of a snapshot can be changed, and snapshots compare by value."""
    snapshot = mptcp.snapshot()
    with pytest.raises(FrozenInstanceError):
        snapshot.enabled = False  # type: ignore[misc]
    assert snapshot.limits == mptcp.snapshot().limits
