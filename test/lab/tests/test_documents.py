# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of README, tutorial and the document on monitoring, and those that load modules."""

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab import Lab, Limits, Target, Topology
from lab.network import Side
from lab.nvmet import Port, Subsystem
from lab.relay import relays
from lab.system import network_namespace

sys.path.insert(0, "/project/test/install")

from doc_commands import TOP, DocCommand, commands_of, pages
from doc_runs import commands_for

NQN = "nqn.2026-01.org.example:disk1"
CONFIG = Path("/etc/nvme/config.json")
#: They go on until they are interrupted.
ENDLESS = {"monitor", "keep"}
#: The exit status of check says what it found, and no more is asked of it here.
JUDGES = {"check"}
#: The name space of the firmware's own variables (UEFI specification, EFI_GLOBAL_VARIABLE).
GLOBAL_VARIABLES = "8be4df61-93ca-11d2-aa0d-00e098032b8c"


def typed(document: str) -> list[DocCommand]:
    """The calls of nvme and nvme-mptcp in the blocks of a document."""
    found = [c for c in commands_of(TOP / document) if re.match(r"nvme(-mptcp)? ", c.text)]
    return [command for command in found if not command.inline]


def run(lab: Lab, command: DocCommand, directory: Path) -> str:
    """Type a command on its side, in a directory; returns what it printed."""
    program, name, *rest = shlex.split(command.text)
    if program == "nvme" and name == "mptcp":
        name, *rest = rest
    plugin = ["mptcp"] if f"mptcp-{name}" in pages() else []
    words = ["env", "-C", str(directory), "nvme", *plugin, name, *rest]
    if name in ENDLESS:
        words = ["timeout", "--foreground", "--preserve-status", "--signal=INT", "5", *words]
    side: Side = "target" if "--role target" in command.text else "host"
    with network_namespace(lab.topology.namespace(side)):
        done = subprocess.run(words, capture_output=True, text=True, timeout=90, check=False)
    allowed = {0, 1, 2} if name in JUDGES else {0, 130} if name in ENDLESS else {0}
    assert done.returncode in allowed, (command.text, done.returncode, done.stderr)
    return done.stdout


@pytest.mark.limit(300)
def test_readme(lab: Lab, tmp_path: Path) -> None:
    """From the quick start to the last command, where all links are used already."""
    follow_readme(lab, tmp_path)
    assert not [e for e in lab.network.endpoints("host") if e.get("subflow")]


@pytest.mark.limit(300)
@pytest.mark.topology(Topology(limits={"host": Limits(2, 0), "target": Limits(2, 0)}))
def test_readme_on_new_machines(lab: Lab, tmp_path: Path) -> None:
    """The same on machines that were never set up."""
    follow_readme(lab, tmp_path)


@pytest.mark.limit(300)
@pytest.mark.topology(Topology(limits={"host": Limits(2, 0), "target": Limits(2, 0)}))
def test_tutorial(lab: Lab, tmp_path: Path) -> None:
    """The same steps as README's, explained."""
    follow(lab, "doc/tutorial.md", tmp_path)


def follow_readme(lab: Lab, tmp_path: Path) -> None:
    """Types README's commands, and sees one subflow of each connection on each link."""
    said = follow(lab, "README.md", tmp_path)
    assert NQN in said["nvme-mptcp list-subsys"]
    assert (tmp_path / "host.json").is_file()


def follow(lab: Lab, document: str, tmp_path: Path) -> dict[str, str]:
    """Types a document's commands with a relay on each side, which its setup would start."""
    lab.network.changed = True
    lab.target.configure(Target((Subsystem(NQN),), ports=(Port(trtype="tcp", traddr="10.1.1.1"),)))
    said = {}
    try:
        with relays(lab):
            for command in typed(document):
                # what setup prints leaves the name of the subsystem to its reader
                if " -n NQN " in command.text:
                    continue
                said[command.text] = run(lab, command, tmp_path)
                if command.text.startswith("nvme connect"):
                    [controller] = lab.host.controllers()
                    lab.host.wait_for_subflows(4, int(controller.attribute("queue_count")))
    finally:
        CONFIG.unlink(missing_ok=True)
    shown = said["nvme-mptcp show-subflows"]
    found = re.search(r"(\d+) connections, (\d+) subflows over 4 links", shown)
    assert found and int(found[2]) == 4 * int(found[1]), shown
    assert "relay" in shown
    assert "delete" not in said["nvme-mptcp check"]
    assert len(said) >= 8
    return said


def test_monitoring(lab: Lab, tmp_path: Path) -> None:
    lab.connect(NQN, nr_io_queues=1, subflows=4)
    directory = Path("/var/lib/prometheus/node-exporter")
    directory.mkdir(parents=True, exist_ok=True)
    said = [run(lab, command, tmp_path) for command in typed("doc/monitoring/README.md")]
    assert 'controller="nvme0"' in (directory / "nvme-mptcp.prom").read_text()
    assert any(re.match(r"MPTCP \w+ - 1 controller.*\| subflows=8;", text) for text in said), said


def texts(program: str) -> list[str]:
    """The commands that documents have of a program, which are this file's to type."""
    typed = commands_for("test/lab/tests/test_documents.py")
    return sorted({c.text for c in typed if c.text.split()[0] == program})


def test_denials() -> None:
    """What the kernel refused a socket is found in the log of an audit daemon."""
    log, now = Path("/var/log/audit/audit.log"), int(time.time())
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(
        f"type=AVC msg=audit({now}.1:1): avc:  denied  {{ create }} for  pid=9 "
        'comm="kworker/0:1" tclass=tcp_socket permissive=0\n'
        f'type=SYSCALL msg=audit({now}.2:2): arch=c000003e syscall=1 pid=9 comm="other"\n'
        f'type=SECCOMP msg=audit({now}.3:3): pid=9 comm="nvme" sig=31 syscall=41 code=0x0\n'
    )
    assert texts("ausearch")
    for text in texts("ausearch"):
        done = subprocess.run(shlex.split(text), capture_output=True, text=True, check=True)
        assert "{ create }" in done.stdout and "syscall=41" in done.stdout, done.stdout
        assert "other" not in done.stdout


def test_keys_of_modules(tmp_path: Path) -> None:
    """The firmware's variables get the key, and what the next boot asks for."""
    key = Path("/var/lib/dkms/mok.pub")
    key.parent.mkdir(parents=True, exist_ok=True)
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    words += " -subj /CN=dkms -outform DER -keyout"
    subprocess.run([*words.split(), tmp_path / "key", "-out", key], capture_output=True, check=True)
    (text,) = texts("mokutil")
    (tmp_path / f"SecureBoot-{GLOBAL_VARIABLES}").write_bytes(bytes([6, 0, 0, 0, 1]))
    subprocess.run(
        shlex.split(text), input="password\n" * 2, text=True, check=True, capture_output=True,
        env=os.environ | {"EFIVARFS_PATH": f"{tmp_path}/"},
    )  # fmt: skip
    (wanted,) = tmp_path.glob("MokNew-*")
    assert key.read_bytes() in wanted.read_bytes()


def test_modules(lab: Lab) -> None:
    """Each is loaded, or removed, by the name that the document gives it."""
    loading, removing = texts("modprobe"), texts("rmmod")
    assert loading and removing
    try:
        for text in (*loading, *removing):
            lab.host.command(shlex.split(text))
            names = [word.replace("-", "_") for word in text.split()[1:] if word[0] != "-"]
            for name in names:
                there = Path("/sys/module", {"nvmet_transport_4": "nvmet_tcp"}.get(name, name))
                assert there.is_dir() == (text in loading), text
    finally:
        lab.host.command(["modprobe", "nvme-mptcp"])
