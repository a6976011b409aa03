# SPDX-License-Identifier: GPL-2.0-or-later
"""What README and the document on monitoring show to be typed, typed as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from lab import Lab, Limits, Target, Topology
from lab.nvmet import Port, Subsystem

sys.path.insert(0, "/project/test/install")

from doc_commands import TOP, DocCommand, commands_of

NQN = "nqn.2026-01.org.example:disk1"
#: They go on until they are interrupted.
ENDLESS = {"monitor", "keep"}
#: The exit status of check says what it found, and no more is asked of it here.
JUDGES = {"check"}


def typed(document: str) -> list[DocCommand]:
    """The calls of nvme in the blocks of a document."""
    found = [c for c in commands_of(TOP / document) if c.text.startswith("nvme ")]
    return [command for command in found if not command.inline]


def run(lab: Lab, command: DocCommand, directory: Path) -> str:
    """Type a command on the host, in a directory; returns what it printed."""
    words = ["env", "-C", str(directory), *shlex.split(command.text)]
    name = words[5] if words[4] == "mptcp" else words[4]
    if name in ENDLESS:
        words = ["timeout", "--preserve-status", "--signal=INT", "5", *words]
    done = lab.host.command(words, status=None)
    allowed = {0, 1, 2} if name in JUDGES else {0, 130} if name in ENDLESS else {0}
    assert done.returncode in allowed, (command.text, done.returncode, done.stderr)
    return str(done.stdout)


@pytest.mark.limit(300)
@pytest.mark.topology(Topology(limits={"host": Limits(2, 0), "target": Limits(8, 8)}))
def test_readme(lab: Lab, tmp_path: Path) -> None:
    """From the first question to the last command, on a host that was never set up."""
    lab.network.changed = True
    subsystem = Subsystem(NQN)
    lab.target.configure(Target((subsystem,), ports=(Port(), Port(2, trsvcid=8009))))
    (tmp_path / "DIR").mkdir()
    said = {}
    for command in typed("README.md"):
        if "DIR" in command.text:
            shutil.copy(tmp_path / "host.json", tmp_path / "DIR")
        said[command.text] = run(lab, command, tmp_path)
    assert NQN in said["nvme discover -t mptcp -a 10.1.1.1"]
    assert NQN in said["nvme list-subsys"]
    assert "subflows over 4 links" in said["nvme mptcp show-subflows"]
    assert (tmp_path / "host.json").is_file()
    assert not lab.host.controllers()
    assert len(said) > 10


def test_monitoring(lab: Lab, tmp_path: Path) -> None:
    lab.target.configure(Target.simple(NQN))
    lab.host.connect(NQN, nr_io_queues=1)
    lab.host.wait_for_subflows(4, connections=2)
    directory = Path("/var/lib/prometheus/node-exporter")
    directory.mkdir(parents=True, exist_ok=True)
    said = [run(lab, command, tmp_path) for command in typed("doc/monitoring/README.md")]
    assert 'controller="nvme0"' in (directory / "nvme-mptcp.prom").read_text()
    assert any(re.match(r"MPTCP \w+ - 1 controller.*\| subflows=8;", text) for text in said), said
