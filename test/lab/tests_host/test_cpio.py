# SPDX-License-Identifier: GPL-2.0-or-later
"""The cpio writer, read back by cpio itself where it is there and byte by byte anywhere."""

from __future__ import annotations

import io
import shutil
import stat
import subprocess

import pytest
from nvmelab.boot import append_file, write_initramfs
from nvmelab.cpio import Writer


def entries(archive: bytes) -> list[tuple[str, int, bytes, tuple[int, int]]]:
    """Reads "newc" archives, one after another: name, mode, content, device."""
    found = []
    at = 0
    while at < len(archive):
        assert archive[at : at + 6] == b"070701"
        f = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        name = archive[at + 110 : at + 110 + f[11] - 1].decode()
        assert archive[at + 110 + f[11] - 1] == 0
        body = (at + 110 + f[11] + 3) // 4 * 4
        if name != "TRAILER!!!":
            found.append((name, f[1], archive[body : body + f[6]], (f[9], f[10])))
        at = (body + f[6] + 3) // 4 * 4
    assert at == len(archive)
    return found


def test_what_goes_in_comes_out() -> None:
    stream = io.BytesIO()
    writer = Writer(stream)
    writer.directory("dev")
    writer.device("dev/console", 5, 1)
    for size in range(6):
        writer.file(f"file{'x' * size}", b"a" * size, 0o755)
    writer.close()
    found = entries(stream.getvalue())
    assert found[0] == ("dev", stat.S_IFDIR | 0o755, b"", (0, 0))
    assert found[1] == ("dev/console", stat.S_IFCHR | 0o600, b"", (5, 1))
    assert [(name, body) for name, _, body, _ in found[2:]] == [
        (f"file{'x' * size}", b"a" * size) for size in range(6)
    ]
    assert found[2][1] == stat.S_IFREG | 0o755


def test_equal_contents_make_equal_archives() -> None:
    def archive() -> bytes:
        stream = io.BytesIO()
        writer = Writer(stream)
        writer.file("a", b"1")
        writer.close()
        return stream.getvalue()

    assert archive() == archive()


@pytest.mark.parametrize("name", ["/absolute", "with\0nul"])
def test_names_that_the_kernel_would_misread_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="relative"):
        Writer(io.BytesIO()).file(name, b"")


def test_the_initramfs_lists_modules_in_loading_order(tmp_path) -> None:
    path = tmp_path / "initramfs"
    write_initramfs(path, b"INIT", [("b.ko", b"B"), ("a.ko", b"A")], {"probe": b""})
    whole = append_file(path.read_bytes(), "job", b"Als\0X\0")
    content = {name: body for name, _, body, _ in entries(whole)}
    assert content["modules/order"] == b"b.ko\na.ko\n"
    assert content["init"] == b"INIT"
    assert content["job"] == b"Als\0X\0"
    assert "probe" in content


@pytest.mark.skipif(not shutil.which("cpio"), reason="skipped: cpio is not installed")
def test_cpio_reads_it(tmp_path) -> None:
    path = tmp_path / "initramfs"
    write_initramfs(path, b"INIT", [("a.ko", b"A")], {})
    done = subprocess.run(
        ["cpio", "-t", "--quiet"], input=path.read_bytes(), capture_output=True, check=True
    )
    assert done.stdout.decode().split() == [
        "dev", "proc", "sys", "modules", "dev/console", "init", "modules/a.ko", "modules/order",
    ]  # fmt: skip
