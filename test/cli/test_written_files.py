# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every option that writes a file: its mode, links that are kept, links that others planted."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import discovery_log as dl
import golden_cases
import pytest
from conftest import Nvme
from fake_sysfs import FakeHost
from test_keys import SECRET, keyring  # noqa: F401
from test_mptcp_setup import net  # noqa: F401

NQN = "nqn.2026-01.org.example:disk"

Prepare = Callable[[Nvme, FakeHost, pytest.FixtureRequest], list[str]]


def discover(_nvme: Nvme, host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
    dl.controller(host, dl.log(dl.entry(trtype=dl.MPTCP)))
    return ["discover", "-t", "mptcp", "-a", "10.1.1.1", "-r"]


def generated(_nvme: Nvme, _host: FakeHost, request: pytest.FixtureRequest) -> list[str]:
    common = ["-k", request.getfixturevalue("keyring"), "-t", "user"]
    return ["gen-tls-key", "-s", SECRET, "-i", "-c", "nqn.s", "-n", "nqn.h", *common, "-f"]


def exported(nvme: Nvme, host: FakeHost, request: pytest.FixtureRequest) -> list[str]:
    assert nvme(*generated(nvme, host, request)[:-1]).status == 0
    return ["tls-key", "-e", "-k", request.getfixturevalue("keyring"), "-t", "user", "-f"]


def passed_through(_nvme: Nvme, host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
    host.subsystem(0, NQN).controller(0, "tcp")
    host.command("nvme0", "admin", 0x06, 1, b"\1" * 64)
    return ["admin-passthru", "/dev/nvme0", "--opcode=6", "--cdw10=1", "-l64", "-r", "-i"]


def read(_nvme: Nvme, host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
    host.subsystem(0, NQN).namespace(1)
    host.command("nvme0n1", "io", 0x02, 0, b"\1" * 512)
    return ["read", "/dev/nvme0n1", "-z", "512", "-d"]


def booted(*more: str) -> Prepare:
    """A boot partition, also while the log goes to stdout."""

    def prepare(_nvme: Nvme, host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
        host.subsystem(0, NQN).controller(0, "tcp")
        log = bytes([0x15, 0, 0, 0, 1]).ljust(16 + 128 * 1024, b"\1")
        host.command("nvme0", "admin", 0x02, 0x15, log)
        return ["boot-part-log", "/dev/nvme0", *more, "-f"]

    return prepare


def collected(_nvme: Nvme, host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
    host.subsystem(0, NQN).controller(0, "tcp")
    host.command("nvme0", "admin", 0x02, 0x07, b"\7".ljust(4096, b"\0"))
    return ["telemetry-log", "/dev/nvme0", "-O"]


def saved(_nvme: Nvme, _host: FakeHost, request: pytest.FixtureRequest) -> list[str]:
    netns = request.getfixturevalue("net").target
    return ["mptcp", "setup", "--role", "target", "--netns", netns, "--save"]


def managed(command: str, device: str, *more: str) -> Prepare:
    """A command of a management interface, and what it receives."""

    def prepare(_nvme: Nvme, host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
        golden_cases.answering(host)
        return [command, f"/dev/{device}", *more]

    return prepare


def reported(_nvme: Nvme, _host: FakeHost, _request: pytest.FixtureRequest) -> list[str]:
    return ["mptcp", "report", "-O"]


@dataclass(frozen=True)
class Writer:
    """A command line that ends with an option which takes a file."""

    prepare: Prepare
    secret: bool = False
    adds: bool = False  # to what the file has


WRITERS = {
    "discover --raw": Writer(discover, secret=True),
    "gen-tls-key --keyfile": Writer(generated, secret=True, adds=True),
    "tls-key --keyfile": Writer(exported, secret=True),
    "admin-passthru --input-file": Writer(passed_through, secret=True),
    "read --data": Writer(read, secret=True),
    "boot-part-log --output-file": Writer(booted(), secret=True),
    "boot-part-log --output-file -o binary": Writer(booted("-o", "binary"), secret=True),
    "telemetry-log --output-file": Writer(collected, secret=True),
    "io-mgmt-recv --data": Writer(managed("io-mgmt-recv", "nvme0n1", "-l16", "-d"), secret=True),
    "nvme-mi-recv --input-file": Writer(
        managed("nvme-mi-recv", "nvme0", "-O1", "-l16", "-i"), secret=True
    ),
    "setup --save": Writer(saved),
    "report --output": Writer(reported),
}
each = pytest.mark.parametrize("name", WRITERS)


@pytest.fixture
def command(
    nvme: Nvme, host: FakeHost, request: pytest.FixtureRequest, name: str
) -> tuple[Writer, list[str]]:
    """The row, and its command line on a machine that is prepared for it."""
    return WRITERS[name], WRITERS[name].prepare(nvme, host, request)


@each
@pytest.mark.parametrize("before", [0o644, 0o600, None])
def test_mode(
    nvme: Nvme, tmp_path: Path, command: tuple[Writer, list[str]], before: int | None
) -> None:
    """Secrets are for their owner alone, also where the file was open to others before."""
    writer, words = command
    top = tmp_path / "files"
    top.mkdir()
    file = top / "file"
    if before:
        file.write_text("as it was\n")
        file.chmod(before)
    nvme(*words, str(file), status=0)
    expected = 0o600 if writer.secret else (before or 0o666 & ~umask())
    assert stat.S_IMODE(file.stat().st_mode) == expected
    assert file.stat().st_size > 0
    assert file.read_bytes().startswith(b"as it was\n") == (writer.adds and before is not None)
    assert [path.name for path in top.iterdir()] == ["file"]


@each
def test_own_link_stays(nvme: Nvme, tmp_path: Path, command: tuple[Writer, list[str]]) -> None:
    _, words = command
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere/file"
    target.write_text("")
    link = tmp_path / "link"
    link.symlink_to(target)
    nvme(*words, str(link), status=0)
    assert link.is_symlink() and target.stat().st_size > 0 and not target.is_symlink()
    assert [path.name for path in target.parent.iterdir()] == ["file"]


@each
@pytest.mark.skipif(os.geteuid() != 0, reason="skipped: only root can make files of others")
def test_planted_link(nvme: Nvme, tmp_path: Path, command: tuple[Writer, list[str]]) -> None:
    """Where everybody may write, links of others are not followed: the victim stays as it was."""
    _, words = command
    public, victim = tmp_path / "public", tmp_path / "victim"
    public.mkdir()
    public.chmod(0o1777)
    victim.write_text("precious")
    link = public / "file"
    link.symlink_to(victim)
    os.chown(link, 65534, 65534, follow_symlinks=False)
    result = nvme(*words, str(link), status=1)
    assert str(link) in result.err and "Permission denied" in result.err
    assert victim.read_text() == "precious" and link.is_symlink()
    assert [path.name for path in public.iterdir()] == ["file"]


@each
@pytest.mark.parametrize(
    ("place", "reason"), [("none/file", "No such file or directory"), (".", "Is a directory")]
)
def test_nowhere(
    nvme: Nvme,
    host: FakeHost,
    tmp_path: Path,
    command: tuple[Writer, list[str]],
    place: str,
    reason: str,
) -> None:
    """The failure names the file, before anything is sent that cannot be taken back."""
    _, words = command
    file = f"{tmp_path}/{place}"
    (host.fake / "written").unlink(missing_ok=True)
    result = nvme(*words, file, status=1)
    assert file in result.err, result
    assert reason in result.err
    assert result.out == ""
    # The size of a block is asked for before.
    identify = "nvme0n1 admin opcode=06 " if words[0] == "read" else "nothing else"
    assert [line for line in host.written if not line.startswith(identify)] == []


@each
def test_full(nvme: Nvme, command: tuple[Writer, list[str]]) -> None:
    _, words = command
    result = nvme(*words, "/dev/full", status=1)
    assert result.err.count("/dev/full: No space left on device") == 1, result
    assert "/dev/full" not in result.out


def umask() -> int:
    """Of this process, which the program inherits."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
