# SPDX-License-Identifier: GPL-2.0-or-later
"""How QEMU is called and ended: with a stand-in that behaves well, hangs or dies."""

import fcntl
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nvmelab import emulator, machine, runner
from nvmelab.machine import Disks, Hardware, Job
from nvmetools import ToolError, debian
from nvmetools.cache import Cache


@pytest.fixture
def disks(tmp_path: Path) -> Disks:
    paths = [tmp_path / name for name in ("vmlinuz", "initramfs", "root", "modules")]
    for path in paths:
        path.write_bytes(b"")
    return Disks(*paths)


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Returns a function that puts a shell script in QEMU's place."""

    def install(script: str) -> None:
        program = tmp_path / "qemu"
        program.write_text(f"#!/bin/sh\nresults={tmp_path}/results\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(machine, "QEMU", str(program))

    (tmp_path / "results").mkdir()
    return install


def run(disks: Disks, tmp_path: Path, timeout: float = 20.0) -> tuple[machine.Outcome, bytes]:
    out = io.BytesIO()
    job = Job([["true"]])
    outcome = machine.run(Hardware("tcg"), disks, job, tmp_path / "results", timeout, out)
    return outcome, out.getvalue()


def test_a_nul_byte_in_an_argument_is_refused() -> None:
    with pytest.raises(ToolError, match="NUL"):
        Job([["echo", "a\0b"]]).encode()


def test_output_and_status_come_back(disks: Disks, tmp_path: Path, stand_in) -> None:
    stand_in("echo hello; echo 7 >$results/status")
    outcome, said = run(disks, tmp_path)
    assert (outcome.status, outcome.in_time) == (7, True)
    assert said == b"hello\n"


def test_a_guest_that_dies_leaves_no_status(disks: Disks, tmp_path: Path, stand_in) -> None:
    (tmp_path / "results/status").write_text("0\n")
    stand_in("echo hello")
    outcome, _ = run(disks, tmp_path)
    assert outcome.status is None
    assert outcome.in_time


def test_qemus_own_failure_is_told(disks: Disks, tmp_path: Path, stand_in) -> None:
    stand_in("echo 'no such machine' >&2; exit 1")
    with pytest.raises(ToolError, match="exit status 1.*no such machine"):
        run(disks, tmp_path)


def test_the_time_limit_ends_a_guest_that_hangs(disks: Disks, tmp_path: Path, stand_in) -> None:
    stand_in("echo $$ >$results/pid; echo begun; exec sleep 60")
    began = time.monotonic()
    outcome, said = run(disks, tmp_path, timeout=1.0)
    assert time.monotonic() - began < 10
    assert not outcome.in_time
    assert outcome.status is None
    assert said == b"begun\n"
    pid = int((tmp_path / "results/pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_guest_that_does_not_power_off_keeps_its_status(
    disks: Disks, tmp_path: Path, stand_in, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "POWER_OFF_SECONDS", 0.5)
    stand_in("echo 0 >$results/status; exec sleep 60")
    began = time.monotonic()
    outcome, _ = run(disks, tmp_path)
    assert time.monotonic() - began < 10
    assert (outcome.status, outcome.in_time) == (0, True)


def runs(pid: int) -> bool:
    """Whether a process is there and no zombie; it may end while it is looked at."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


MODULES = [str(Path(found.__file__).parents[1]) for found in (machine, debian)]


def ended(code: str, pid_file: Path, number: signal.Signals) -> int:
    """Ends a Python process that runs this code once the file has a number; returns that."""
    lab = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {MODULES!r}\n{code}"]
    )
    deadline = time.monotonic() + 30
    while not pid_file.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int(pid_file.read_text())
    lab.send_signal(number)
    lab.wait()
    while runs(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    return child


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_is_ended_leaves_no_qemu_and_no_lock(
    disks: Disks, tmp_path: Path, stand_in, number: signal.Signals
) -> None:
    stand_in("echo $$ >$results/pid.new; mv $results/pid.new $results/pid; exec sleep 60")
    code = (
        "import io; from pathlib import Path\n"
        "from nvmelab import machine, runner\n"
        f"machine.QEMU = {machine.QEMU!r}\n"
        f"t = Path({str(tmp_path)!r})\n"
        "results, _ = runner.claim_directory(t, 'results')\n"
        "d = machine.Disks(*(t / n for n in ('vmlinuz', 'initramfs', 'root', 'modules')))\n"
        "hardware, job = machine.Hardware('tcg'), machine.Job([])\n"
        "machine.run(hardware, d, job, results, 60, io.BytesIO())\n"
    )
    qemu = ended(code, tmp_path / "results/pid", number)
    assert not runs(qemu)
    directory, lock = runner.claim_directory(tmp_path, "results")
    os.close(lock)
    assert directory.name == "results"


def test_what_is_killed_leaves_no_tool_and_no_lock(tmp_path: Path) -> None:
    """The packages, the root image and the modules are made by tools that take minutes."""
    pid_file = tmp_path / "pid"
    script = f"echo $$ >{pid_file}.new; mv {pid_file}.new {pid_file}; exec sleep 60"
    code = (
        "from pathlib import Path\n"
        "from nvmetools import cache, debian\n"
        f"with cache.Cache(Path({str(tmp_path)!r})).lock('kernel'):\n"
        f"    debian.run(['sh', '-c', {script!r}], 'a tool')\n"
    )
    tool = ended(code, pid_file, signal.SIGKILL)
    assert not runs(tool)
    with open(tmp_path / "kernel.lock") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        ("echo 'lab probe: alive'", "kvm"),
        ("echo 'KVM internal error. Suberror: 1'; exit 1", "tcg"),
        ("exec sleep 60", "tcg"),
    ],
)
def test_kvm_is_tried_once(
    disks: Disks, tmp_path: Path, stand_in, monkeypatch: pytest.MonkeyPatch,
    script: str, verdict: str,
) -> None:  # fmt: skip
    stand_in(f"echo probe >>$results/probes\n{script}")
    monkeypatch.setattr(machine, "PROBE_SECONDS", 0.5)
    monkeypatch.setattr(machine.os, "access", lambda *_: True)
    cache = Cache(tmp_path / "cache")
    for _ in range(2):
        assert machine.choose_accelerator("auto", cache, disks.vmlinuz, disks.root) == verdict
    assert (tmp_path / "results/probes").read_text() == "probe\n"
    assert machine.choose_accelerator("off", cache, disks.vmlinuz, disks.root) == "tcg"
    assert machine.choose_accelerator("on", cache, disks.vmlinuz, disks.root) == "kvm"


@pytest.mark.parametrize(
    ("told", "is_fixed"),
    [
        ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)", False),
        ("QEMU emulator version 8.0.5", False),
        ("QEMU emulator version 8.1.0", True),
        ("QEMU emulator version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)", True),
        ("a wrapper that tells nothing", False),
    ],
)
def test_old_emulators_are_replaced(told: str, is_fixed: bool) -> None:
    assert (emulator.version_of(told) >= emulator.FIXED_IN) == is_fixed
