# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fixtures of a target on a fake configfs, and what it may have; conftest.py hands them on."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_configfs import FakeConfigfs

from libnvme import _nvmet_check, nvmet

NQN = "nqn.2025-01.test:one"
HOST = "nqn.2014-08.org.nvmexpress:uuid:1b4e28ba-2fa1-11d2-883f-0016d3cca427"
KEY = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"

TWO, THREE = "nqn.2025-01.test:two", "nqn.2025-01.test:three"


@pytest.fixture
def configfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeConfigfs:
    fake = FakeConfigfs(tmp_path / "nvmet")
    write = nvmet.Node._write

    def checked_write(node: nvmet.Node, name: str, text: str) -> None:
        fake.check_write(node.path / name, text)
        write(node, name, text)

    monkeypatch.setattr(nvmet, "_mkdir", fake.mkdir)
    monkeypatch.setattr(nvmet, "_rmdir", fake.rmdir)
    monkeypatch.setattr(nvmet.Node, "_write", checked_write)

    def stat_device(path: str) -> os.stat_result:
        if path == fake.bad_device:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return os.stat_result((stat.S_IFBLK | 0o660, *[0] * 9))

    monkeypatch.setattr(_nvmet_check, "_stat", stat_device)
    monkeypatch.setattr(nvmet, "CONFIGFS", fake.root)
    return fake


@pytest.fixture
def target(configfs: FakeConfigfs) -> nvmet.Target:
    return nvmet.Target(configfs.root)


def build(target: nvmet.Target) -> None:
    """Something of everything."""
    host = target.create_host(HOST, dhchap_key=KEY)
    subsystem = target.create_subsystem(NQN, allow_any_host=False, serial="S1", cntlid_min=100)
    subsystem.create_namespace("/dev/ram0", ana_group=2, buffered=True)
    subsystem.create_namespace("/dev/ram1", 10, uuid="8ffb0f23-3c8e-4b0b-9d6f-0a4f6a8d1b57")
    subsystem.allow(host)
    port = target.create_port(2, trtype="mptcp", traddr="::", adrfam="ipv6", inline_data_size=8192)
    port.set_ana(2, "non-optimized")
    port.create_referral("other", trtype="tcp", adrfam="ipv4", traddr="10.1.1.9", trsvcid=8009)
    port.add(subsystem)
    target.create_port(10, trtype="loop").add(subsystem)


def build_several(target: nvmet.Target) -> None:
    """Several subsystems behind several ports."""
    host = target.create_host(HOST)
    offered = []
    for nqn in (NQN, TWO, THREE):
        subsystem = target.create_subsystem(nqn)
        subsystem.create_namespace("/dev/ram0")
        subsystem.allow(host)
        offered.append(subsystem)
    for portid, behind in ((1, offered[:1]), (2, offered), (3, offered[1:])):
        port = target.create_port(portid, trtype="mptcp", traddr=f"10.1.{portid}.1")
        for subsystem in behind:
            port.add(subsystem)


@pytest.fixture
def operations(configfs: FakeConfigfs, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What is done to configfs from now on, in its order: operation and path."""
    done: list[tuple[str, str]] = []

    def note(module: Any, name: str, path_of: Callable[..., Path]) -> None:
        operation = getattr(module, name)

        def noted(*args: Any, **options: Any) -> Any:
            path = path_of(*args)
            if path.is_relative_to(configfs.root):
                done.append((name.strip("_"), str(path.relative_to(configfs.root))))
            return operation(*args, **options)

        monkeypatch.setattr(module, name, noted)

    note(nvmet, "_mkdir", lambda path: path)
    note(nvmet, "_rmdir", lambda path: path)
    note(nvmet.Node, "_write", lambda node, name, text: node.path / name)
    note(nvmet.Node, "require", lambda node: node.path)
    # As Python has them, so that no way round is missed.
    note(os, "symlink", lambda target, link: Path(link))
    note(os, "unlink", Path)
    return done
