# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes into the guest: modules in the order they load, packages from plain Debian."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from nvmelab.boot import BOOT_MODULES, ModuleTree, is_wanted, module_name, read_module
from nvmetools import ToolError, debian
from nvmetools.debian import sources

DEPENDENCIES = """\
kernel/lib/libcrc32c.ko.xz:
kernel/crypto/crc32c_generic.ko.xz:
kernel/fs/erofs/erofs.ko.xz: kernel/lib/libcrc32c.ko.xz
kernel/fs/overlayfs/overlay.ko.xz:
kernel/drivers/block/virtio_blk.ko.xz:
kernel/fs/netfs/netfs.ko.xz:
kernel/net/9p/9pnet.ko.xz: kernel/fs/netfs/netfs.ko.xz
kernel/fs/9p/9p.ko.xz: kernel/net/9p/9pnet.ko.xz kernel/fs/netfs/netfs.ko.xz
kernel/net/9p/9pnet_virtio.ko.xz: kernel/net/9p/9pnet.ko.xz kernel/fs/netfs/netfs.ko.xz
kernel/drivers/gpu/drm/drm.ko.xz:
kernel/drivers/hwmon/needed.ko.xz:
updates/nvme/nvme-tcp.ko: kernel/drivers/hwmon/needed.ko.xz
"""
BUILTIN = "kernel/drivers/virtio/virtio_pci.ko\nkernel/drivers/char/virtio_console.ko\n"


def tree() -> ModuleTree:
    return ModuleTree(Path("/modules"), DEPENDENCIES, BUILTIN)


def test_boot_modules_load_behind_what_they_need() -> None:
    order = [module_name(path) for path in tree().for_boot()]
    assert order[0] == "crc32c_generic"
    for first, second in (("libcrc32c", "erofs"), ("netfs", "9pnet"), ("9pnet", "9p")):
        assert order.index(first) < order.index(second)
    assert len(order) == len(set(order))
    # what the kernel has built in is not loaded
    assert set(BOOT_MODULES) - set(order) == {"virtio_pci", "virtio_console"}


def test_a_kernel_that_cannot_mount_the_root_is_named() -> None:
    without = DEPENDENCIES.replace("erofs", "othfs")
    with pytest.raises(ToolError, match="has no erofs"):
        ModuleTree(Path("/modules"), without, BUILTIN).for_boot()


def test_the_lab_takes_what_it_can_use_and_what_that_needs() -> None:
    wanted = {module_name(path) for path in tree().wanted()}
    assert {"nvme_tcp", "needed", "erofs"} <= wanted
    assert "drm" not in wanted
    assert is_wanted("kernel/net/mptcp/mptcp_diag.ko.xz")
    assert not is_wanted("kernel/sound/core/snd.ko.xz")


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("a.ko", b"x" * 99),
        ("a.ko.xz", lzma.compress(b"x" * 99)),
        ("a.ko.gz", gzip.compress(b"x" * 99)),
    ],
)
def test_modules_are_unpacked(tmp_path: Path, name: str, packed: bytes) -> None:
    (tmp_path / name).write_bytes(packed)
    assert read_module(tmp_path / name) == b"x" * 99


def test_only_the_machines_own_debian_sources_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(debian, "suite", lambda: "bookworm")
    parts = tmp_path / "sources.list.d"
    parts.mkdir()
    (tmp_path / "sources.list").write_text(
        "# deb http://archive.example/debian bookworm main\n"
        "deb http://mirror.example/debian bookworm main contrib\n"
        "deb-src http://mirror.example/debian bookworm main\n"
        "deb http://mirror.example/debian trixie main\n"
        "deb http://vendor.example/tools bookworm main\n"
    )
    (parts / "a.sources").write_text(
        "Types: deb deb-src\nURIs: http://one.example/debian\n  http://two.example/debian\n"
        "Suites: bookworm bookworm-updates\nComponents: main\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n"
        "# a comment\nTypes: deb\nEnabled: no\nURIs: http://off.example/debian\n"
        "Suites: bookworm\nComponents: main\n"
    )
    signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    assert sources("bookworm", tmp_path) == [
        "deb http://mirror.example/debian bookworm main contrib",
        f"deb {signed} http://one.example/debian bookworm main",
        f"deb {signed} http://one.example/debian bookworm-updates main",
        f"deb {signed} http://two.example/debian bookworm main",
        f"deb {signed} http://two.example/debian bookworm-updates main",
    ]
    assert sources("trixie", tmp_path) == ["deb http://mirror.example/debian trixie main"]
    # Debian's archives serve all releases
    assert sources("sid", tmp_path) == [
        "deb http://mirror.example/debian sid main contrib",
        f"deb {signed} http://one.example/debian sid main",
        f"deb {signed} http://one.example/debian sid-updates main",
        f"deb {signed} http://two.example/debian sid main",
        f"deb {signed} http://two.example/debian sid-updates main",
    ]
    monkeypatch.setattr(debian, "suite", lambda: "forky")
    assert sources("sid", tmp_path) == []
