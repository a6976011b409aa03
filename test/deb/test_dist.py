# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools/dist makes: apt installs from it, and the tarballs run without any package."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from machine import packages
from nvmetools import PROJECT, ToolError
from nvmetools.cache import Cache, default_dir
from nvmetools.fresh import RELEASES, Release, Root, bare, unpacked
from nvmetools.ui import Ui

DIST = PROJECT / os.environ.get("BUILD", "build") / "dist"
PLACE = "/opt/nvme-mptcp"
PROGRAM = f"{PLACE}/sbin/nvme-mptcp"


@pytest.fixture(scope="module", autouse=True)
def _made() -> None:
    """Makes it of packages that are there, unless all of it was made."""
    wanted = [DIST / "SHA256SUMS", *(DIST / "debian" / r.codename for r in RELEASES)]
    if not all(path.exists() for path in wanted):
        done = subprocess.run(
            [PROJECT / "tools/dist", "--built"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert [str(path) for path in wanted if not path.exists()] == []


def tarball(machine: str = "x86_64") -> Path:
    return DIST / f"nvme-mptcp-{packages.version()}-{machine}.tar.xz"


@pytest.fixture(params=RELEASES, ids=lambda release: release.codename)
def root(request: pytest.FixtureRequest) -> Iterator[tuple[Release, Root]]:
    """A bare root of a release."""
    cache = Cache(default_dir())
    try:
        archive = bare(cache, request.param, Ui())
    except ToolError as error:
        pytest.skip(f"skipped: {request.param}: {str(error).splitlines()[0]}")
    with unpacked(cache, archive) as tree:
        yield request.param, Root(tree, ((DIST, "/srv/nvme-mptcp"),))


def run(root: Root, command: str) -> str:
    done = subprocess.run(
        root.command("/", command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}:\n{done.stdout}"
    return done.stdout


def test_checksums() -> None:
    """Of every file but the list itself."""
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=DIST, check=True)
    listed = {line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
    files = {str(path.relative_to(DIST)) for path in DIST.rglob("*") if path.is_file()}
    assert files - listed == {"SHA256SUMS"}


def test_apt_installs_it(root: tuple[Release, Root]) -> None:
    """With the lines of doc/packages.md."""
    release, inside = root
    text = (PROJECT / "doc/packages.md").read_text()
    lines = [line[4:] for line in text.splitlines() if line.startswith(("    echo ", "    apt u"))]
    assert len(lines) == 2
    script = " && ".join(lines).replace("bookworm", release.codename)
    run(inside, script.replace("apt install", "DEBIAN_FRONTEND=noninteractive apt install -y"))
    assert "(nvme-mptcp " in run(inside, "nvme-mptcp version")


def test_the_tarball_runs_without_packages(root: tuple[Release, Root]) -> None:
    """It loads nothing of the machine, not even the C library."""
    _, inside = root
    subprocess.run(["tar", "-C", inside.tree, "-xf", tarball()], check=True)
    assert f"(nvme-mptcp {packages.version()})" in run(inside, f"{PROGRAM} version")
    loaded = run(inside, f"LD_TRACE_LOADED_OBJECTS=1 {PROGRAM}")
    assert [line for line in loaded.splitlines() if f"{PLACE}/lib/" not in line] == [
        line for line in loaded.splitlines() if "linux-vdso" in line
    ]
    for unit in (inside.tree / f"{PLACE[1:]}/lib/systemd/system").rglob("*"):
        assert unit.is_dir() or "/usr/sbin/nvme-mptcp" not in unit.read_text(), unit


def test_the_tarball_runs_in_an_empty_root(tmp_path: Path) -> None:
    """As in the container image, which has nothing else. Rules of a portal come and go.

    By address it runs without privileges.
    """
    subprocess.run(["tar", "-C", tmp_path, "-xf", tarball()], check=True)
    for name in ("proc", "tmp", "run", "dev", "sys"):
        (tmp_path / name).mkdir()
    relay = f"chroot {tmp_path} {PROGRAM} relay"
    script = (
        f"mount -t proc proc {tmp_path}/proc && mount --rbind /dev {tmp_path}/dev && "
        f"ip link set lo up && timeout 5 {relay} --portal 10.1.1.1:4420 & sleep 3; "
        f"nft list tables; {relay} --status 2>&1; wait; "
        "timeout 5 setpriv --bounding-set -net_admin,-ipc_lock "
        f"{relay} --mode address --portal 10.1.1.1:4420 & sleep 3; ss -lnH; wait"
    )
    done = subprocess.run(
        ["unshare", "-mnpf", "--kill-child", "sh", "-c", script],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert "Relaying" in done.stdout and "no connections" in done.stdout, done.stdout
    assert "127.1.1.1:4420" in done.stdout, done.stdout
    if shutil.which("nft"):
        assert "table inet" in done.stdout, done.stdout


def test_the_tarball_of_arm64_runs_in_an_emulator(tmp_path: Path) -> None:
    """It brings all that it loads: -L has nothing but the tarball."""
    if not shutil.which("qemu-aarch64"):
        pytest.skip("skipped: qemu-aarch64 is missing (tools/setup cross)")
    subprocess.run(["tar", "-C", tmp_path, "-xf", tarball("aarch64")], check=True)

    def emulated(*arguments: str, variable: str = "LC_ALL=C") -> str:
        words = ["qemu-aarch64", "-L", tmp_path, "-E", variable, f"{tmp_path}{PROGRAM}", *arguments]
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            timeout=120,
        )  # fmt: skip
        return done.stdout

    assert f"(nvme-mptcp {packages.version()})" in emulated("version")
    loaded = emulated(variable="LD_TRACE_LOADED_OBJECTS=1").splitlines()
    assert len(loaded) > 5
    assert [line for line in loaded if f"{PLACE}/lib/" not in line] == []
    assert "relay" in emulated("relay", "--help")
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    other = subprocess.run(["tar", "-tf", tarball()], capture_output=True, text=True, check=True)
    names = {line for line in other.stdout.splitlines() if not line.endswith("/")}
    assert [name for name in sorted(names - files) if "/lib/ld-" not in name] == []
