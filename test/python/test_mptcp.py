# SPDX-License-Identifier: LGPL-2.1-or-later
"""Snapshots, findings and events of MPTCP as Python sees them."""

import errno
import importlib
import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from functools import partial, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, TOP, program, run_python
from mptcp_net import Network

from libnvme import mptcp

#: Where schemas have the parts of an object.
FINDING = ("properties", "findings", "items", "properties")
PLAN = ("properties", "steps", "items", "properties")
TRIAL = ("$defs", "trial", "properties")


def schema(name: str, *path: str) -> Any:
    """A part of a schema."""
    return reduce(getitem, path, json.loads((BUILD / "doc/schema" / name).read_text()))


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
        (mptcp.Findings, "mptcp-findings.json", ()),
        (mptcp.Trial, "mptcp-findings.json", ("$defs", "trial")),
        (mptcp.ClosedSubflow, "mptcp-findings.json", (*TRIAL, "closed", "items")),
        (mptcp.Report, "mptcp-report.json", ()),
        (mptcp.Kernel, "mptcp-report.json", ("properties", "kernel")),
        (mptcp.TargetPort, "mptcp-report.json", ("properties", "ports", "items")),
        (mptcp.Listener, "mptcp-report.json", ("properties", "listeners", "items")),
        (mptcp.Address, "mptcp-report.json", ("properties", "addresses", "items")),
        (mptcp.Route, "mptcp-report.json", ("properties", "routes", "items")),
        (mptcp.RoutingRule, "mptcp-report.json", ("properties", "rules", "items")),
        (mptcp.Plan, "mptcp-plan.json", ()),
        (mptcp.PlanLink, "mptcp-plan.json", ("properties", "links", "items")),
        (mptcp.Gap, "mptcp-plan.json", ("properties", "missing", "items")),
        (mptcp.Step, "mptcp-plan.json", ("properties", "steps", "items")),
        (mptcp.Note, "mptcp-plan.json", ("properties", "notes", "items")),
        (mptcp.Fix, "mptcp-findings.json", (*FINDING, "fix", "items")),
    ],
)
def test_classes_are_the_schemas(cls: type, name: str, path: tuple[str, ...]) -> None:
    own = {f.name.removesuffix("_") for f in fields(cls)}  # type: ignore[arg-type]
    assert own | {"version"} == {*schema(name, *path)["properties"], "version"}
    assert cls.__doc__
    assert not cls.__doc__.startswith(cls.__name__ + "(")


def in_namespace(source: str, before: str = "") -> str:
    """Run a program in a network namespace, and with a /run, of its own; what it printed."""
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("skipped: network namespaces need root and unshare")
    start = 'mount -t tmpfs none /run && ip link set lo up && exec "$@"'
    isolated = ["unshare", "--net", "--mount", "sh", "-c", start, "sh"]
    done = run_python("-c", program("mptcp", before, source), within=isolated)
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
connected = partial(in_namespace, before=CONNECT)


def test_connections() -> None:
    out = connected("""
    snapshot = mptcp.snapshot()
    print(snapshot.enabled, snapshot.path_manager, snapshot.controllers, snapshot.shared)
    ours = [c for c in snapshot.userspace.connections if c.remote.endswith(":4420")]
    print(len(snapshot.userspace.connections), len(list(snapshot.userspace.subflows())), len(ours))
    [connection] = ours
    [subflow] = connection.subflows
    print(subflow.remote, subflow.link, subflow.state, connection.bytes_sent)
    attempt(lambda: snapshot.controller("nvme7"))
    """)
    assert out.splitlines() == [
        "True kernel () ()",
        "2 2 1",
        "127.0.0.1:4420 lo ESTAB 1000",
        "LookupError no controller nvme7 with subflows",
    ]


def test_monitor() -> None:
    first = "    monitor = mptcp.monitor()\n    print(monitor.wait(0))"
    watched = partial(in_namespace, before=first + CONNECT)
    out = watched("""
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
    attempt(lambda: monitor.wait(0))
    """)
    lines = out.splitlines()
    assert lines[0] == "None"
    assert lines[1].startswith("True")
    assert lines[2:] == ["listener-created True", "ValueError this monitor is closed"]


def test_threads_share_no_monitor() -> None:
    out = in_namespace("""
    import threading, time
    monitor = mptcp.monitor()
    waiter = threading.Thread(target=lambda: print(monitor.wait()))
    waiter.start()
    time.sleep(0.2)
    attempt(monitor.fileno, lambda: monitor.wait(0))
    monitor.close()
    waiter.join()
    monitor.close()
    """)
    refused = "RuntimeError another thread is waiting for this monitor"
    assert out.splitlines() == [refused] * 2 + ["None"]


def test_check_without_some_rules() -> None:
    out = in_namespace("""
    where = {"traddr": "127.0.0.1", "trsvcid": "4420", "interval": 0, "trial": False}
    found = mptcp.check(**where)
    rule = found[0].rule
    of_rule = sum(f.rule == rule for f in found)
    print(found.ignored, of_rule > 0)
    for ignore in (rule, [rule], (rule, "C01"), {f.rule for f in found}):
        left = mptcp.check(**where, ignore=ignore)
        everything = isinstance(ignore, set)
        print(
            left.ignored == (len(found) if everything else of_rule),
            [f.rule for f in left] == [f.rule for f in found if f.rule != rule and not everything],
        )
    for wrong in ("X99", ["C01", "c01"]):
        attempt(lambda: mptcp.check(**where, ignore=wrong))
    """)
    assert out.splitlines() == [
        "0 True",
        *["True True"] * 4,
        "ValueError ignore: unknown rule X99",
        "ValueError ignore: unknown rule c01",
    ]


def test_check() -> None:
    """A machine without endpoints is told so, with commands to run."""
    out = in_namespace("""
    found = mptcp.check(traddr="127.0.0.1", trsvcid="4420", interval=0, trial=False)
    print(all(f.severity in ("error", "warning", "info") and f.why for f in found), bool(found))
    sides = {f.side for f in found}
    print(found[0] in found, found.roles, found.trial, sides <= {"host", "target"})
    for way in (
        {"traddr": "nonsense"},
        {"traddr": "nonsense", "trial": False},
        {"traddr": "127.0.0.1", "host_iface": "nosuch0"},
        {"traddr": "127.0.0.1", "host_traddr": "10.9.9.9"},
        {"traddr": "fe80::1%nosuch0", "netns": "/proc/self/ns/net"},
        {"traddr": "fe80::1%nosuch0", "trial": False},
    ):
        attempt(lambda: mptcp.check(interval=0, **way))
    """)
    wrong = "OSError [Errno 22] traddr=nonsense: an IP address is needed"
    nowhere = "no such network interface"
    assert out.splitlines() == [
        "True True",
        "True ('host',) None True",
        wrong,
        wrong,
        f"OSError [Errno 19] host_iface=nosuch0: {nowhere} (ip link lists them)",
        "OSError [Errno 99] host_traddr=10.9.9.9: no interface here has this address",
        *[f"OSError [Errno 19] traddr=fe80::1%nosuch0: {nowhere} (ip link lists them)"] * 2,
    ]


def test_trial() -> None:
    out = in_namespace("""
    trial = mptcp.check(traddr="127.0.0.1", trsvcid="4420").trial
    print(trial.portal, trial.outcome, trial.errno, bool(trial.reason), trial.subflows)
    """)
    assert out == f"127.0.0.1:4420 no-connection {errno.ECONNREFUSED} True ()\n"


LINKS = """
    import subprocess
    for link in "12":
        for words in (
            f"link add h{link} type veth peer name t{link}",
            f"addr add 10.1.{link}.2/24 dev h{link}",
            f"link set h{link} up",
            f"link set t{link} up",
        ):
            subprocess.run(["ip", *words.split()], check=True)
"""
linked = partial(in_namespace, before=LINKS)


def test_report(tmp_path: Path) -> None:
    out = linked(f"""
    mptcp.setup("host", traddr=("10.1.1.1", "10.1.2.1"), apply=True)
    made = mptcp.report({str(tmp_path / "report.json")!r}, interval=0)
    read = mptcp.read_report({str(tmp_path / "report.json")!r})
    print(made == read, made.report, made.version, made.kernel.machine)
    print(sorted(a.address for a in made.addresses if a.link in ("h1", "h2") and "." in a.address))
    print(made.snapshot.limits == mptcp.snapshot().limits, made.rules[0].from_, bool(made.routes))
    attempt(lambda: mptcp.check(peer={str(tmp_path / "report.json")!r}, interval=0, role="target"))
    """)
    first, addresses, same, refused = out.splitlines()
    assert first.startswith("True nvme-mptcp 1 ")
    assert [addresses, same] == ["['10.1.1.2', '10.1.2.2']", "True default True"]
    assert refused.startswith("ValueError ")
    assert refused.endswith("report.json: this is a report of this side, not of the other one")
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_bad_reports(tmp_path: Path) -> None:
    """A file that is no report is refused with its place, one that is missing with errno."""
    file = tmp_path / "report.json"
    for text in ("", "{", '{"report": "nvme-mptcp", "version": 2}', "[]", "\xff"):
        file.write_bytes(text.encode("latin-1"))
        for read in (mptcp.read_report, lambda file: mptcp.check(peer=file, interval=0)):
            with pytest.raises(ValueError, match="report.json"):
                read(file)
    file.unlink()
    for read in (mptcp.read_report, lambda file: mptcp.check(peer=file, interval=0)):
        with pytest.raises((FileNotFoundError, ValueError), match="No such file"):
            read(file)


def test_setup() -> None:
    """A plan is shown, then done; done again, there is nothing to do."""
    out = linked("""
    def plan(apply=False):
        plan = mptcp.setup("target", dev=("h1", "h2"), apply=apply)
        print(plan.method, [(step.action, step.state) for step in plan.steps])
        return plan

    print([(link.link, link.address) for link in plan().links])
    assert not mptcp.snapshot().endpoints
    print(plan(apply=True).config["endpoints"])
    plan()
    print([(e.address, e.dev, e.flags) for e in mptcp.snapshot().endpoints])
    print(mptcp.repair(apply=False))
    """)
    lines = out.splitlines()
    assert lines[0].startswith("signal [(")
    assert "done" not in lines[0]
    assert lines[1] == "[('h1', '10.1.1.2'), ('h2', '10.1.2.2')]"
    assert lines[2] == lines[0].replace("planned", "done")
    assert "'10.1.2.2'" in lines[3]
    assert lines[4] == "signal []"
    assert "('10.1.2.2', 'h2', ('signal',))" in lines[5]
    assert lines[6].startswith("Plan(netns=None, role='target', method='repair', config=None")


def test_setup_leaves_what_a_trial_shows_to_work() -> None:
    """As the command: announced addresses are joined, and endpoints would double subflows."""
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("skipped: network namespaces need root and unshare")
    example = TOP / "doc/examples/plan_and_apply.py"
    with Network() as net:
        net.limits(8, 8)
        for link in range(2, 5):
            net.endpoint(net.target, f"10.77.{link}.1", "dev", f"eth{link}", "signal")
        net.answer()
        program = "from libnvme import mptcp; print(mptcp.setup('host', traddr='10.77.1.1').steps)"
        for words in (["-c", program], [str(example), "host", "10.77.1.1"]):
            done = run_python(*words, within=["ip", "netns", "exec", net.host])
            assert done.returncode == 0, done
            assert done.stdout.startswith(("()", "note: ")), done


def test_setup_without_privileges() -> None:
    out = linked("""
    import errno, os, pickle
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
    try:
        mptcp.setup("host", traddr="10.1.1.1", apply=True)
    except mptcp.PlanFailed as error:
        assert pickle.loads(pickle.dumps(error)).plan == error.plan
        print(error.errno == errno.EPERM, error)
        print(sorted({step.state for step in error.plan.steps}))
    """)
    lines = out.splitlines()
    assert lines[0].startswith("True [Errno 1] ip mptcp ")
    assert lines[0].endswith("Operation not permitted")
    assert lines[1].startswith("['failed'")


def test_bad_plans() -> None:
    out = in_namespace("""
    attempt(
        lambda: mptcp.setup("auto"),
        lambda: mptcp.setup("host", traddr="10.1.1.1"),
        lambda: mptcp.setup("host", traddr="nonsense"),
        lambda: mptcp.setup("host", dev=["nosuch0"], traddr="10.1.1.1"),
        lambda: mptcp.setup("host", dev=5),
        lambda: mptcp.setup("host", dev=[5]),
        lambda: mptcp.setup("host", netns="nosuch"),
        lambda: mptcp.repair("nvme77"),
        lambda: mptcp.check(["nvme77"], interval=0),
    )
    """)
    assert out.splitlines() == [
        "ValueError role is 'auto', not one of host, target",
        "OSError [Errno 67] no usable link: a link must be up, with a carrier and a global address "
        "of the target's family. Bridges without a network card and tunnels are used only if --dev "
        "names them",
        "OSError [Errno 22] traddr=nonsense: an IP address is needed",
        "OSError [Errno 19] dev=nosuch0: no such network interface (ip link lists them)",
        "TypeError dev must be str or several of them, not int",
        "TypeError dev must be str, not int",
        "FileNotFoundError [Errno 2] network namespace nosuch: No such file or directory "
        "(ip netns lists the names)",
        "LookupError no controller nvme77 with subflows",
        "LookupError no controller nvme77 with subflows",
    ]


CALLS: Any = mptcp


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: CALLS.check(role="boss"), ValueError, "role is 'boss'"),
        (lambda: CALLS.check(b"nvme0"), TypeError, "ctrls must be str or several .*, not bytes"),
        (lambda: CALLS.check("nvme0", traddr="10.1.1.1"), ValueError, "ctrls and traddr"),
        (lambda: CALLS.check(host_iface="eth0"), ValueError, "require traddr"),
        (lambda: CALLS.snapshot("nosuch"), FileNotFoundError, "nosuch"),
        (lambda: CALLS.snapshot(5), TypeError, ""),
        (lambda: CALLS.metrics(max_controllers="3"), TypeError, "max_controllers must be int, not"),
        *(
            (lambda n=n: CALLS.check(**{"traddr": "192.0.2.1", n: b"1"}), TypeError, f"{n} must be")
            for n in ("traddr", "trsvcid", "host_traddr", "host_iface")
        ),
    ],
)
def test_bad_arguments(call: Callable[[], object], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        call()


def test_paths_in_bytes(tmp_path: Path) -> None:
    report, text = (os.fsencode(tmp_path / name) for name in ("report.json", "x.prom"))
    calls = CALLS
    calls.report(report, interval=0)
    assert calls.read_report(report).hostname == os.uname().nodename
    with pytest.raises(ValueError, match="report of this side"):
        calls.check(peer=report, interval=0, role="host")
    before = os.umask(0o077)
    try:
        assert "# EOF" not in calls.metrics(text)
    finally:
        os.umask(before)
    # node_exporter reads it as another user; a report has names that are no business of others.
    assert (tmp_path / "x.prom").stat().st_mode & 0o777 == 0o644
    with pytest.raises(FileNotFoundError, match="nosuch"):
        calls.Monitor(b"nosuch")


def test_errors_tell_where_they_are_to_be_had() -> None:
    """A traceback has the name that an except clause takes."""
    error = mptcp.PlanFailed
    module = importlib.import_module(error.__module__)
    assert error.__name__ in module.__all__ and not module.__name__.startswith("libnvme._")


NAMED = """
import logging, pickle, sys
import nvme_mptcp

logging.basicConfig(format="%(name)s: %(message)s", stream=sys.stdout)
failed = nvme_mptcp.PlanFailed(1, "refused", None)
print(type(pickle.loads(pickle.dumps(failed))))
print([n for n in nvme_mptcp.__all__ if "libnvme" in getattr(nvme_mptcp, n).__module__])
with nvme_mptcp.Monitor() as monitor:
    print(monitor)
with nvme_mptcp.Keeper(metrics="/nonexistent/x.prom") as keeper:
    print(keeper)
    for _ in keeper:
        break
"""


def test_the_package_of_its_own_has_names_of_its_own() -> None:
    """nvme_mptcp is made of the same files, and works where libnvme.mptcp is missing."""
    if os.geteuid():
        pytest.skip("skipped: a monitor takes root")
    if not importlib.util.find_spec("nvme_mptcp"):
        pytest.skip("skipped: nvme_mptcp is not built")
    done = run_python("-c", NAMED, within=["unshare", "-n"])
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:4] == [
        "<class 'nvme_mptcp.PlanFailed'>",
        "[]",
        "<nvme_mptcp.Monitor>",
        "<nvme_mptcp.Keeper what setup() plans>",
    ]
    assert lines[4].startswith("nvme_mptcp: renewing metrics: ")


def test_unprivileged() -> None:
    if os.geteuid():
        pytest.skip("skipped: already without privileges")
    # The build may lie where only root gets: what is imported is imported first.
    program = """
import os
from libnvme import mptcp
os.setgroups([]), os.setgid(65534), os.setuid(65534)
print(mptcp.snapshot().limits)
print(mptcp.check(interval=0, role="host").roles)
report = mptcp.report(interval=0)
print({problem.errno > 0 and bool(problem.text) for problem in report.missing} <= {True})
print(mptcp.setup("target", dev="lo0", apply=False))
"""
    done = run_python("-c", program)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Limits(")
    assert lines[1:] == ["('host',)", "True"]
    assert done.returncode == 1
    assert done.stderr.endswith("dev=lo0: no such network interface (ip link lists them)\n")


def test_objects_are_frozen() -> None:
    snapshot = mptcp.snapshot()
    with pytest.raises(FrozenInstanceError):
        snapshot.enabled = False  # type: ignore[misc]
    assert snapshot.limits == mptcp.snapshot().limits
