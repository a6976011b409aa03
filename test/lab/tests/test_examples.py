# SPDX-License-Identifier: GPL-2.0-or-later
"""The examples of doc/examples do on a real kernel what they say."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab import Lab, Limits, Target, Topology, wait_until
from lab.system import network_namespace

EXAMPLES = Path("/project/doc/examples")
NQN = "nqn.2024-01.lab:disk"
OTHER = "nqn.2024-01.lab:other"
BARE = Topology(limits={"host": Limits(2, 0), "target": Limits(2, 0)})


def example(lab: Lab, name: str, *arguments: object, status: int = 0) -> str:
    """Runs an example on the host; returns what it printed."""
    words = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return lab.host.command(words, status=status).stdout


@pytest.mark.topology(BARE)
def test_provision_and_connect(lab: Lab) -> None:
    lab.network.changed = True
    lab.host.nvme("mptcp setup --role target --netns target --apply")
    lab.target.configure(Target.simple(NQN))
    said = example(lab, "provision_and_connect.py", NQN, "10.1.1.1").splitlines()
    assert said[-1] == "nvme0: uses h1, h2, h3, h4"
    assert any(line.startswith("ip mptcp ") and line.endswith("# done") for line in said)


def test_check_reports(lab: Lab, tmp_path: Path) -> None:
    lab.connect(NQN, nr_io_queues=1)
    good, bad = tmp_path / "host.json", tmp_path / "bad.json"
    lab.host.nvme(["mptcp", "report", "--interval", "0", "-O", str(good)])
    bad.write_text('{"report": "nvme-mptcp"}')
    said = example(lab, "check_reports.py", good, bad, status=1).splitlines()
    first = said[0].split(": ")
    assert first[0] == os.uname().nodename
    assert os.uname().release in first[1]
    lab.network.changed = True
    lab.network.set_limits("host", Limits(0, 0))
    lab.host.nvme(["mptcp", "report", "--interval", "0", "-O", str(good)])
    said = example(lab, "check_reports.py", good, status=1).splitlines()
    assert any(line.startswith(("  error", "  warning")) for line in said)
    assert any("ip mptcp limits set" in line for line in said)


@contextmanager
def running(lab: Lab, name: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """An example that goes on until it is interrupted, which ends it well."""
    words = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    with network_namespace(lab.host.namespace):
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=30)[1]
        assert (process.returncode, error) == (0, "")
    finally:
        process.kill()
        process.wait()


def test_watch_subflows(lab: Lab) -> None:
    lab.connect(NQN, nr_io_queues=1, subflows=4)
    with running(lab, "watch_subflows.py", 4) as process:
        assert process.stdout
        assert process.stdout.readline() == "ok: nvme0 uses h1, h2, h3, h4\n"
        lab.network.run("host", "ss", "-K", "src", "10.1.3.2")
        wait_until(lambda: set(lab.host.subflows_per_connection().values()) == {3}, "link 3 lost")
        said: list[str] = []
        while not said or not said[-1].startswith("ALERT"):
            said.append(process.stdout.readline())
        assert said[-1] == "ALERT: nvme0 uses h1, h2, h4\n"
        assert any(line.startswith("nvme0: a subflow on ") for line in said[:-1])
