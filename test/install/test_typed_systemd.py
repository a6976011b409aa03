# SPDX-License-Identifier: LGPL-2.1-or-later
"""What documents tell administrators to type at systemctl and journalctl, typed at a systemd.

And that the boot which they promise connects where nvme-cli's unit would not.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_table import TOP
from doc_runs import commands_for
from installed import RESTORE
from test_systemd import KEEP, SYSTEMD, FakeHost, Manager, machine, manager

__all__ = ["machine", "manager"]

#: Commands by their verbs, in the order in which a machine can have them all.
ORDER = ("enable", "edit", "status", "journalctl", "stop", "disable")
#: The units under the names of the other layout.
BESIDE = re.compile(r"\bnvme-mptcp-(autoconnect|connect-nbft)\b")
#: An editor that adds what the documents have in the place that systemctl keeps.
EDITOR = """#!/bin/sh
for file; do :; done
sed -i '/^### Anything/a [Service]\\nEnvironment="KEEP_OPTIONS=--role target"' "$file"
"""
#: What is in the place of the program, whose tests are others: what that says when a link goes.
#: The journal looks up whose message it is while it reads it, so whoever sent it has to be there.
SAYS = """#!/usr/bin/env python3
import os, signal, socket

def send(where, text):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.sendto(text.encode(), where)

send("/run/systemd/journal/socket", "MESSAGE=eth3 is gone\\nLINK=eth3\\n")
send(os.environ["NOTIFY_SOCKET"], "READY=1\\nSTATUS=2 links carry 1 controller")
signal.pause()
"""
#: What an administrator may have beside: the daemon of mptcpd.
OTHER = """[Unit]
DefaultDependencies=no
[Service]
ExecStart=/bin/sleep infinity
[Install]
WantedBy=boot.target
"""


def commands() -> list[str]:
    """Those that stand in documents, each once, in an order in which they succeed."""
    typed = commands_for("test/install/test_typed_systemd.py")
    found = {command.text.partition("#")[0].strip() for command in typed}
    return sorted(found, key=lambda text: (verb(text), text))


def verb(text: str) -> int:
    """The place of a command in the order; a verb that is not in it is an error."""
    words = text.split()
    return ORDER.index(words[0] if words[0] == "journalctl" else words[1])


class Administrator:
    """Somebody at a terminal of the machine that a systemd of the test runs."""

    def __init__(self, manager: Manager, top: Path) -> None:
        self.manager = manager
        self.top = top
        self.editor = top / "editor"
        self.editor.write_text(EDITOR)
        self.editor.chmod(0o755)

    def type(self, command: str) -> subprocess.CompletedProcess[str]:
        """Type a line; what it prints, and how it ends."""
        enter = ["nsenter", "-t", str(self.manager.inside()), "-m", "-p", "-n", "-r"]
        where = ["env", f"SYSTEMD_EDITOR={self.editor}", "TERM=dumb", "SYSTEMD_PAGER=cat"]
        return subprocess.run(
            [*enter, *where, "script", "-qec", command, "/dev/null"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=120, check=False, errors="replace",
        )  # fmt: skip

    def journal(self) -> subprocess.Popen[bytes]:
        """Starts a journal of the machine's own."""
        enter = ["nsenter", "-t", str(self.manager.inside()), "-m", "-p", "-n", "-r"]
        return subprocess.Popen(
            [*enter, SYSTEMD.with_name("systemd-journald")],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


@pytest.fixture
def administrator(manager: Manager, machine: FakeHost, tmp_path: Path) -> Administrator:
    """The units are there, none is enabled, and nothing of this machine's own is in the way."""
    for tool in ("script", "journalctl"):
        if not shutil.which(tool):
            pytest.skip(f"skipped: there is no {tool}")
    (manager.units / "mptcp.service").write_text(OTHER)
    says = tmp_path / "says"
    says.write_text(SAYS)
    says.chmod(0o755)
    dropin = manager.units / f"{KEEP}.d/says.conf"
    dropin.write_text(f"[Service]\nExecStart=\nExecStart={says}\n")
    manager.start()
    who = Administrator(manager, tmp_path)
    for line in (
        "mount -t tmpfs tmpfs /etc/systemd/system", "mount -t tmpfs tmpfs /var/log",
        "mkdir -p /run/systemd/journal",
    ):  # fmt: skip
        done = who.type(line)
        assert done.returncode == 0, done.stdout
    return who


def test_what_administrators_type(administrator: Administrator, manager: Manager) -> None:
    if not (manager.units / RESTORE).exists():
        pytest.skip("skipped: the Python package was not built")
    journal = administrator.journal()
    try:
        assert manager.wait_for(
            lambda: administrator.type("test -S /run/systemd/journal/socket").returncode == 0
        )
        said = {}
        logs = "journalctl -u nvme-mptcp"
        for text in commands():
            done = administrator.type(BESIDE.sub(r"nvmf-\1", text))
            assert done.returncode == 0, (text, done.stdout, manager.log.read_text())
            said[text] = done.stdout
            if "edit" in text:
                wrote = administrator.type(f"cat /etc/systemd/system/{KEEP}.d/override.conf")
                assert "KEEP_OPTIONS=--role target" in wrote.stdout, done.stdout
                administrator.type(f"rm -r /etc/systemd/system/{KEEP}.d")
            if text.startswith("systemctl enable --now"):  # what is logged comes a little later
                assert manager.wait_for(lambda: "eth3" in administrator.type(logs).stdout), logs
        assert "2 links carry 1 controller" in said["systemctl status nvme-mptcp"]
        assert "eth3 is gone" in said[logs]
        assert "eth3 is gone" in said["journalctl -u nvme-mptcp LINK=eth3"]
        enabled = administrator.type("ls /etc/systemd/system/multi-user.target.wants").stdout
        assert {KEEP, "nvmf-autoconnect.service", RESTORE} & {*enabled.split()}, enabled
    finally:
        journal.kill()
        journal.wait()


def test_wrong_ones_are_noticed(administrator: Administrator) -> None:
    for text in ("systemctl enable nvme-mptpc.service", "systemctl stat nvme-mptcp"):
        assert administrator.type(text).returncode, text


def test_nvme_cli_24_connects_with_both_files(manager: Manager, tmp_path: Path) -> None:
    """Its own conditions hold only where one of the two is missing."""
    ran = tmp_path / "ran"
    for name in ("config.json", "discovery.conf"):
        (tmp_path / name).touch()
    unit = manager.units / "nvmf-autoconnect.service"
    unit.write_text(
        "[Unit]\nDefaultDependencies=no\n"
        f"ConditionPathExists=|!{tmp_path}/config.json\n"
        f"ConditionPathExists=|!{tmp_path}/discovery.conf\n"
        f"[Service]\nType=oneshot\nExecStart=/bin/touch {ran}\n"
    )
    dropin = (TOP / "nvme-cli/data/nvmf-autoconnect-beside.conf").read_text(encoding="utf-8")
    (manager.units / f"{unit.name}.d").mkdir()
    (manager.units / f"{unit.name}.d/nvme-mptcp.conf").write_text(
        dropin.replace("/etc/nvme", str(tmp_path))
    )
    manager.start(unit.name)
    assert manager.wait_for(ran.exists), manager.ask("status", unit.name)
