# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/step: one line for a long step, and all of it in a log."""

import os
import pty
import re
import subprocess
from pathlib import Path

from conftest import TOP, Machine


def test_success_is_silent_if_it_is_quick(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "logs/one.log"
    done = machine.run("step", "building", log, "sh", "-c", "echo out; echo err >&2")
    assert (done.returncode, done.stdout) == (0, "")
    assert log.read_text() == "out\nerr\n"


def test_a_long_step_leaves_a_line(machine: Machine, tmp_path: Path) -> None:
    done = machine.run("step", "building", tmp_path / "log", "sleep", "1.1")
    assert done.returncode == 0
    # whole seconds: the clock may have turned twice
    assert re.fullmatch(r"building +done in [12] s\n", done.stdout)


def test_failure_ends_with_what_to_do(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "seq 100; echo broken >&2; exit 7"
    done = machine.run("step", "--hint", "mend it", "building", log, "sh", "-c", script)
    assert done.returncode == 7
    *shown, last = done.stdout.splitlines()
    assert shown == [*(str(n) for n in range(42, 101)), "broken"]
    assert last == f"building: failed after 0 s; the log is {log}; mend it"


def test_warnings_are_counted(machine: Machine, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "echo 'a.c:1: warning: odd'; echo '-Wno-warning: none'"
    done = machine.run("step", "building", log, "sh", "-c", script)
    assert (done.returncode, done.stdout) == (0, f"building: 1 warning(s), see {log}\n")


def test_a_terminal_shows_how_far_it_is(tmp_path: Path) -> None:
    """The live line has the last line of the output; it is gone when the step ends."""
    ours, theirs = pty.openpty()
    script = "echo '[3/9] Compiling'; sleep 1.5"
    command = [TOP / "tools/step", "building", tmp_path / "log", "sh", "-c", script]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            shown += part
    os.close(ours)
    assert process.returncode == 0
    lines = shown.decode().split("\r\033[K")
    assert any("building" in line and "[3/9] Compiling" in line for line in lines[:-1])
    assert lines[-1].split()[:3] == ["building", "done", "in"]


def test_usage(machine: Machine) -> None:
    done = machine.run("step", "building")
    assert done.returncode == 2
    assert done.stdout.startswith("Usage: tools/step")
