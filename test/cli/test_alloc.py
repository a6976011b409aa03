# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole commands without memory: what they print and write is complete, or their status is not 0.

test/cli/alloc.c makes every allocation of a command fail, one after the other: those of libraries
and of the C library as well, first each alone and then with all that follow.
"""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import discovery_log as dl
import pytest
from conftest import BUILD, NVME, PRELOAD, sanitizer_library
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN, FakeHost
from golden_cases import connected, discovery
from mptcp_net import Network
from test_mptcp_fleet import finding, write

pytestmark = pytest.mark.skipif(
    sanitizer_library(NVME) is not None,
    reason="skipped: a sanitizer has an allocator of its own; test/run runs these without it",
)
FOUND = 2  # nvme mptcp check has findings that are errors
UNKNOWN = 3  # nvme mptcp check cannot tell
FAIL_ALLOC = BUILD / "test/cli/fail-alloc.so"
NQN = "nqn.2025-01.test:disk"
CONFIG = [
    {
        "hostnqn": HOSTNQN,
        "hostid": HOSTID,
        "dhchap_key": "DHHC-1:00:of-the-host:",
        "hostsymname": "größe",
        "x-later": {"numbers": [1, 2.5, None], "words": [True, "x" * 300]},
        "mptcp": {
            "limits": {"subflows": 4},
            "endpoints": [{"address": "10.1.1.2", "flags": ["subflow"]}],
        },
        "subsystems": [
            {
                "nqn": NQN,
                "application": "app",
                "ports": [
                    {"transport": "mptcp", "traddr": "10.1.1.1", "trsvcid": 4420, "tos": 3},
                    {"transport": "tcp", "traddr": "10.1.3.1", "keyring": ".nvme", "tls": True},
                ],
            }
        ],
    },
    {"hostnqn": "nqn.2025-01.test:other-host", "dhchap_key": "DHHC-1:00:other:"},
]


@dataclass
class Run:
    """One run of the command, with one allocation or all from there on failing."""

    name: str
    status: int
    out: bytes
    err: bytes
    files: dict[str, tuple[bytes, int]]


def read_run(path: Path) -> Run:
    """What a run left behind."""
    own = {"out", "err", "status"}
    files = {
        file.name: (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
        for file in path.iterdir()
        if file.name not in own
    }
    status = int((path / "status").read_text())
    out, err = (path / "out").read_bytes(), (path / "err").read_bytes()
    assert os.WIFEXITED(status), (path.name, signal.Signals(os.WTERMSIG(status)).name, err)
    return Run(path.name, os.WEXITSTATUS(status), out, err, files)


class Failing:
    """Runs commands without memory on a made-up machine."""

    def __init__(self, host: FakeHost, tmp_path: Path) -> None:
        self.host = host
        self.top = tmp_path / "runs"
        self.template = self.top / "template"
        self.template.mkdir(parents=True)
        self.namespace: str | None = None
        self.after: Path | None = None

    def restore_host(self) -> None:
        """Every run meets the host as it is now, and has what it wrote to the kernel as a file."""
        root, before = self.host.root, self.host.root / "before"
        for part in ("sysfs", "fake"):
            shutil.copytree(root / part, before / part, symlinks=True)
        self.after = root / "after"
        self.after.write_text(
            f"cd {root}\n"
            '[ ! -e fake/written ] || cp fake/written "$OLDPWD/$1/written" || exit\n'
            "rm -rf sysfs fake && cp -a before/sysfs before/fake .\n"
        )

    def __call__(self, *args: str) -> tuple[Run, list[Run]]:
        """The run that lacked nothing, and the others."""
        enter = ["nsenter", f"--net=/run/netns/{self.namespace}"] if self.namespace else []
        environment = {
            "PATH": os.environ["PATH"],
            "FAKE_DIR": str(self.host.fake),
            "LIBNVME_SYSFS_PATH": str(self.host.root / "sysfs"),
            "LC_ALL": "C",
        }
        preload = [f"LD_PRELOAD={FAIL_ALLOC} {PRELOAD}", f"ALLOC_DIR={self.top}"]
        if self.after:
            preload.append(f"ALLOC_AFTER={self.after}")
        command = [*enter, "env", *preload, NVME, *args]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=600)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        runs = {path.name: read_run(path) for path in self.top.iterdir() if path != self.template}
        complete = runs.pop("S0")
        assert complete.status in (0, FOUND), complete
        assert len(runs) > 5
        return complete, sorted(runs.values(), key=lambda run: (run.name[0], int(run.name[1:])))


@pytest.fixture
def failing(host: FakeHost, tmp_path: Path) -> Iterator[Failing]:
    """Ends without the thousands of files."""
    yield Failing(host, tmp_path)
    shutil.rmtree(tmp_path / "runs")


def digits(text: bytes) -> bytes:
    """Counters and times are never twice the same."""
    return re.sub(rb"[0-9]+", b"0", text)


def is_explained(run: Run) -> bool:
    """Is there a message?"""
    if run.err.strip():
        return True
    try:
        return bool(json.loads(run.out)["error"])
    except (ValueError, KeyError, TypeError):
        return False


def check(
    complete: Run, runs: list[Run], like: Callable[[bytes], bytes] = lambda text: text
) -> None:
    """Each is complete or has failed, and says so."""
    done = [run for run in runs if run.status == complete.status]
    failed = [run for run in runs if run.status != complete.status]
    lacking = [run for run in done if like(run.out) != like(complete.out)]
    assert [(run.name, run.out) for run in lacking] == []
    assert [(run.name, run.err) for run in done if like(run.err) != like(complete.err)] == []
    assert [run.name for run in failed if not (run.status and is_explained(run))] == []
    assert failed


def machine(host: FakeHost) -> None:
    """Two controllers of one subsystem with namespaces, and a PCI controller."""
    connected(host)
    subsystem = host.subsystem(1, NQN)
    for i, transport in ((1, "mptcp"), (2, "tcp")):
        subsystem.controller(
            i,
            transport,
            f"traddr=10.1.{i}.1,trsvcid=4420,src_addr=10.1.{i}.2",
            dhchap_secret="DHHC-1:00:of-the-host:",
            dhchap_ctrl_secret="DHHC-1:00:of-the-controller:",
            tls_keyring=".nvme",
        )
    for nsid in (1, 2, 3):
        subsystem.namespace(nsid)
    host.subsystem(2, "nqn.pci").controller(3, "pcie", "0000:00:04.0")


LISTINGS = [
    *(["list", *more] for more in ([], ["-v"], ["-o", "json"], ["-v", "-o", "json"])),
    ["list-subsys"],
    ["list-subsys", "-o", "json"],
    ["list-subsys", "-v", "-o", "json"],
    ["show-topology"],
    ["show-topology", "-o", "json"],
    ["show-topology", "-r", "ctrl", "-o", "json"],
    ["id-ctrl", "/dev/nvme0", "-o", "json"],
    ["config", "--scan", "--dump", "-J", "none"],
]


@pytest.mark.parametrize("args", LISTINGS, ids=" ".join)
def test_listings(failing: Failing, host: FakeHost, args: list[str]) -> None:
    machine(host)
    check(*failing(*args))


def test_discover(failing: Failing, host: FakeHost) -> None:
    """A controller that is there already; what connects has effects of its own."""
    discovery(host)
    for directory in ("class/nvme", "class/nvme-subsystem/nvme-subsys0"):
        controller = host.sys / "devices/virtual/nvme-fabrics/ctl/nvme0"
        (host.sys / directory / "nvme0").symlink_to(controller)
    for args in (["-o", "json"], []):
        check(*failing("discover", "-d", "nvme0", *args))
        shutil.rmtree(failing.top)
        failing.template.mkdir(parents=True)


def test_discovery_conf(failing: Failing, host: FakeHost) -> None:
    """No line is passed over without a word; both name a controller that is there already."""
    for i in (0, 1):
        host.subsystem(i, DISCOVERY_NQN).controller(i, "mptcp", f"traddr=10.1.{i}.1,trsvcid=8009")
        host.command(f"nvme{i}", "admin", 0x02, 0x70, dl.log(dl.entry(trtype=dl.MPTCP)))
    lines = [f"-t mptcp -a 10.1.{i}.1\n" for i in (0, 1)]
    (host.etc / "discovery.conf").write_text("".join(lines))
    complete, runs = failing("discover")
    assert complete.out.count(b"Number of Records 1") == 2
    check(complete, runs)


def test_dump_of_a_file(failing: Failing) -> None:
    (failing.template / "config.json").write_text(json.dumps(CONFIG))
    complete, runs = failing("config", "--dump", "-J", "config.json")
    check(complete, runs)
    assert b"x-later" in complete.out and len(json.loads(complete.out)) == 2


@pytest.mark.parametrize("there", [True, False])
def test_update(failing: Failing, host: FakeHost, there: bool) -> None:
    """The file is the old one or the new one, and nothing is left beside it."""
    machine(host)
    path = failing.template / "config.json"
    if there:
        path.write_text(json.dumps(CONFIG))
    before = {"config.json": (path.read_bytes(), 0o644)} if there else {}
    complete, runs = failing("config", "--scan", "--update", "-J", "config.json")
    check(complete, runs)
    text, mode = complete.files["config.json"]
    assert mode == 0o600 and b"10.1.2.1" in text and (b"x-later" in text) == there
    assert [run.name for run in runs if run.status == 0 and run.files != complete.files] == []
    failed = [run for run in runs if run.status]
    assert [run.name for run in failed if run.files not in (before, complete.files)] == []


@pytest.mark.parametrize("more", [[], ["-v"], ["-o", "json"]], ids=" ".join)
def test_fleet(failing: Failing, tmp_path: Path, more: list[str]) -> None:
    """Machines that were not counted are not left out without a word."""
    reports = tmp_path / "reports"
    reports.mkdir()
    for i in (1, 2):
        found = finding("H05", "error"), finding("A07", "warning")
        write(reports / f"r{i}.json", f"host{i}", *found)
    complete, runs = failing("mptcp", "report", "--peers", str(reports), *more)
    assert b"host2" in complete.out
    check(complete, runs, digits)


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Two links between two namespaces, with a connection over both."""
    with Network(2, 8, 8) as net:
        for i in (1, 2):
            net.endpoint(net.host, f"10.77.{i}.2", "dev", f"eth{i}", "subflow", "id", str(i))
        net.connections()
        for side in (net.host, net.target):
            while subprocess.check_output(["ip", "-n", side, "addr", "show", "tentative"]).strip():
                time.sleep(0.1)
        yield net


@pytest.mark.parametrize(
    "args",
    [
        ["show-endpoints"],
        ["show-endpoints", "-o", "json"],
        ["show-subflows", "--userspace"],
        ["show-subflows", "--userspace", "-o", "json"],
        ["check", "--role", "target", "-o", "json", "--interval", "0"],
        ["check", "--role", "target", "--interval", "0"],
        ["report", "-O", "report.json", "--interval", "0"],
        ["report", "--html", "page.html", "--interval", "0"],
        ["repair", "--dry-run", "-o", "json"],
        ["keep", "--once", "--dry-run", "--auto", "--traddr", "10.77.1.1", "-J", "none"],
        ["setup", "--role", "host", "--traddr", "10.77.1.1", "-o", "json"],
        ["setup", "--role", "host", "--traddr", "10.77.1.1", "--save", "setup.json"],
    ],
    ids=" ".join,
)
def test_mptcp(failing: Failing, network: Network, args: list[str]) -> None:
    failing.namespace = network.host
    complete, runs = failing("mptcp", *args)
    check(complete, runs, digits)
    if args[0] == "check":  # whose other statuses are answers
        assert {run.status for run in runs} == {complete.status, UNKNOWN}
    texts = {name: digits(text) for name, (text, _) in complete.files.items()}
    for run in runs:
        found = {name: digits(text) for name, (text, _) in run.files.items()}
        assert found == texts or (run.status and not found), run.name
