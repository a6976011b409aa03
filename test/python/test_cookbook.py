# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples on made-up machines, and each program that the guide shows.

The lab runs them where links carry something: test/lab/tests/test_cookbook.py.
"""

import csv
import errno
import importlib
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import discovery_log as dl
import mptcp_net
import pytest
from conftest import BUILD, TOP, Python, run_python
from fake_configfs import FakeConfigfs
from fake_sysfs import DISCOVERY_NQN, FakeHost

EXAMPLES = TOP / "doc/examples"
GUIDE = TOP / "doc/python"
ERRORS = (GUIDE / "errors.md").read_text()
NQN = "nqn.2026-01.org.example:disk1"


def main(name: str, *arguments: object) -> str:
    """A program that calls main() of an example and prints what it returns."""
    return (
        f"import sys\nsys.path.insert(0, {str(EXAMPLES)!r})\n"
        f"import {name}\nprint({name}.main(*{arguments!r}))"
    )


def lists(host: FakeHost, *entries: bytes) -> None:
    """A discovery controller comes up with these entries, and then a controller of the disk."""
    found = host.subsystem(0, DISCOVERY_NQN).controller(
        0, "mptcp", connected=False, cntrltype="discovery"
    )
    host.answer_connected(found)
    host.command("nvme0", "admin", 0x02, 0x70, dl.log(*entries))
    host.answer_connected(host.subsystem(1, NQN).controller(1, "mptcp", connected=False))


def test_connect_all(host: FakeHost, python: Python) -> None:
    lists(host, dl.entry(trtype=dl.MPTCP, subnqn=NQN.encode()), dl.entry(subtype=dl.CURRENT))
    assert python(main("connect_all", "mptcp", "10.1.1.1")).splitlines() == [f"{NQN}: nvme1", "0"]
    assert len(host.connects) == 2
    assert f"nqn={NQN},transport=mptcp,traddr=10.1.1.1" in host.connects[1]
    assert host.deleted == ["nvme0"]


def test_build_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    build_target = importlib.import_module("build_target")
    configfs = FakeConfigfs(tmp_path / "nvmet")
    monkeypatch.setattr(build_target.nvmet, "_mkdir", configfs.mkdir)
    build_target.main(NQN, "/dev/ram0", "::", root=str(configfs.root))
    for port, trtype in ((1, "mptcp"), (2, "tcp")):
        top = configfs.root / "ports" / str(port)
        assert (top / "addr_trtype").read_text() == trtype
        assert (top / "subsystems" / NQN).is_symlink()


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_usage(name: str) -> None:
    """Called without arguments, an example says how it is to be called."""
    done = run_python(EXAMPLES / name)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Usage: {name}")


@pytest.fixture
def two(host: FakeHost) -> FakeHost:
    """A disk behind two controllers, one over mptcp and one over tcp."""
    subsystem = host.subsystem(0, NQN)
    for instance, transport in enumerate(("mptcp", "tcp")):
        subsystem.controller(instance, transport)
    subsystem.namespace(1)
    return host


def test_inventory(two: FakeHost, python: Python, tmp_path: Path) -> None:
    file = tmp_path / "machines.csv"
    assert python(main("inventory", str(file))) == "None\n"
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(r["controller"], r["transport"], r["state"], r["namespaces"]) for r in rows] == [
        ("nvme0", "mptcp", "live", "nvme0n1"),
        ("nvme1", "tcp", "live", "nvme0n1"),
    ]
    assert {r["address"] for r in rows} == {"10.1.1.1:4420"}
    assert {r["subsystem"] for r in rows} == {NQN}
    shown = python(main("inventory", "-"))
    assert shown == file.read_text() + "None\n"


def test_disk_links(two: FakeHost, python: Python) -> None:
    """Without connections no link carries it: the exit status says so."""
    said = python(main("disk_links", "/dev/nvme0n1")).splitlines()
    assert said == [
        "nvme0: live, no link",
        "nvme1: no subflows",
        "/dev/nvme0n1: 2 controllers, 0 links",
        "1",
    ]


def test_rolling_reconnect_stops(two: FakeHost, python: Python) -> None:
    """The first one is reset, lacks its connections, and nothing else is touched."""
    source = main("rolling_reconnect", NQN).replace(
        "print(", "rolling_reconnect.SECONDS = 0\nsys.stderr = sys.stdout\nprint("
    )
    assert python(source).splitlines() == ["nvme0: still missing: live; stopped here", "1"]
    assert [line for line in two.written if "reset" in line] == ["nvme0 reset"]
    none = main("rolling_reconnect", f"{NQN}x").replace("print(", "sys.stderr = sys.stdout\nprint(")
    assert python(none).splitlines() == [f"{NQN}x: no controller over mptcp", "1"]


def run(name: str, *arguments: str, netns: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run an example as its user does."""
    within = ["ip", "netns", "exec", netns] if netns else []
    return run_python(EXAMPLES / name, *arguments, within=within)


def test_plan_and_apply() -> None:
    """The dry run changes nothing and says so; applied, there is nothing left to do."""
    why = mptcp_net.why_not()
    if why:
        pytest.skip(f"skipped: {why}")
    with mptcp_net.Network(links=2) as net:
        words = ("plan_and_apply.py", "host", "10.77.1.1")
        for _ in range(2):
            dry = run(*words, netns=net.host)
            assert dry.returncode == 2, dry.stderr
            assert "planned: ip mptcp " in dry.stdout
        done = run(*words, "--apply", netns=net.host)
        assert done.returncode == 0, done.stderr
        assert "done: ip mptcp " in done.stdout
        assert "planned: " not in done.stdout
        again = run(*words, netns=net.host)
        assert (again.returncode, again.stdout.splitlines()[-1]) == (0, "nothing to do")
    wrong = run("plan_and_apply.py", "both", "10.77.1.1")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("Usage: plan_and_apply.py ROLE")


@contextmanager
def serving(script: str, where: str = "0") -> Iterator[str]:
    """The exporter with a shell script as its command; what it says it serves."""
    words = [sys.executable, str(EXAMPLES / "exporter.py"), where, "sh", "-c", script]
    server = subprocess.Popen(
        words,
        env=os.environ | {"PYTHONPATH": str(BUILD / "python")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=30) == 0
    finally:
        server.kill()
        server.communicate()


#: Whatever proxy this machine has for the rest of the world.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.mark.parametrize(
    ("where", "at"), [("0", "127.0.0.1"), ("127.0.0.2:0", "127.0.0.2"), ("[::1]:0", "[::1]")]
)
def test_exporter(where: str, at: str) -> None:
    if ":" in at and not Path("/proc/net/if_inet6").exists():
        pytest.skip("skipped: this machine has no IPv6")
    with serving("echo '# EOF'", where) as address:
        assert address.startswith(f"http://{at}:")
        with DIRECTLY.open(address, timeout=30) as answer:
            assert (answer.status, answer.read()) == (200, b"# EOF\n")
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            DIRECTLY.open(address.replace("/metrics", "/"), timeout=30)


def test_exporter_without_metrics() -> None:
    with serving("echo no kernel >&2; exit 3") as address:
        with pytest.raises(urllib.error.HTTPError, match="500") as error:
            DIRECTLY.open(address, timeout=30)
        assert b"no kernel" in error.value.read()


def programs() -> dict[str, str]:
    """The Python of each page of the guide, as one program."""
    found = {}
    for page in sorted(GUIDE.glob("*.md")):
        blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", page.read_text())
        if blocks:
            found[page.stem] = "\n".join(blocks)
    return found


@pytest.mark.parametrize("page", sorted(programs()))
def test_guide(page: str, host: FakeHost, python: Python) -> None:
    """Every program of the guide runs, and prints what its page is about."""
    expected = {
        "first": [NQN, f"{NQN} mptcp 10.1.1.1 4420", "nvme1 live"],
        "errors": [re.findall(r"(?m)^    (.*: connection refused .*)$", ERRORS)[0]],
        "privileges": [],
        "security": ["DHHC-1:01:", "wrong secret: 10.1.1.1:4420: "],
        "threads": ["10.1.1.1: nvme", "10.1.2.1: nvme"],
        "asyncio": ["watched long enough", "controllers"],
        "logging": [],
        "testing": [f"{os.uname().nodename} ", " controllers"],
    }
    if page == "first":
        lists(host, dl.entry(trtype=dl.MPTCP, subnqn=NQN.encode()))
    elif page == "errors":
        host.answer_error(errno.ECONNREFUSED)
    elif page == "security":
        host.answer_error(errno.EKEYREJECTED)
    elif page == "threads":
        # whichever thread comes first: at its own address, the other one would find it connected
        host.answer_new(NQN, "10.1.3.1", "10.1.4.1")
    elif page == "asyncio" and (os.geteuid() or mptcp_net.why_not()):
        pytest.skip("skipped: the path manager's events need root and a kernel with MPTCP")
    said = python(programs()[page])
    for text in expected[page]:
        assert text in said, said
