# SPDX-License-Identifier: GPL-2.0-or-later
"""The reading of a user's own kernel, and what goes wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from nvmelab import LabError, kernel


def bzimage(path: Path, version: str) -> Path:
    """Writes as much of an x86 kernel image as tells its version."""
    setup = bytearray(0x1000)
    setup[0x202:0x206] = b"HdrS"
    setup[0x20E:0x210] = (0x300).to_bytes(2, "little")
    text = f"{version} (builder@host) #1 SMP\0".encode()
    setup[0x500 : 0x500 + len(text)] = text
    path.write_bytes(setup)
    return path


def modules(top: Path, version: str, alias: str = "") -> Path:
    """Makes a tree of modules whose aliases are these."""
    tree = top / "lib/modules" / version
    tree.mkdir(parents=True)
    (tree / "modules.dep").touch()
    (tree / "modules.alias").write_text(alias)
    return top


def test_a_path_that_make_cannot_take_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="--cache"):
        kernel.prepare(tmp_path / "with space")


@pytest.mark.parametrize(
    ("alias", "flavour"), [("alias nvme-mptcp nvme_tcp\n", "mptcp"), ("alias x y\n", "stock")]
)
def test_a_users_kernel_is_known_by_its_modules(tmp_path: Path, alias: str, flavour: str) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0-mine")
    top = modules(tmp_path / "install", "6.99.0-mine", alias)
    for given in (top, top / "lib/modules/6.99.0-mine"):
        found = kernel.user_kernel(image, given)
        assert (found.version, found.flavour) == ("6.99.0-mine", flavour)
        assert found.modules_dir == top.resolve()


def test_a_built_in_transport_counts(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0")
    top = modules(tmp_path / "install", "6.99.0")
    builtin = top / "lib/modules/6.99.0/modules.builtin.modinfo"
    builtin.write_bytes(b"nvme_tcp.license=GPL v2\0nvme_tcp.alias=nvme-mptcp\0")
    assert kernel.user_kernel(image, top).flavour == "mptcp"


def test_modules_of_another_kernel_are_refused(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0")
    top = modules(tmp_path / "install", "6.98.0")
    with pytest.raises(LabError, match=r"lib/modules/6\.99\.0"):
        kernel.user_kernel(image, top)


def test_modules_without_depmod_are_refused(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0")
    top = modules(tmp_path / "install", "6.99.0")
    (top / "lib/modules/6.99.0/modules.dep").unlink()
    with pytest.raises(LabError, match="depmod -b"):
        kernel.user_kernel(image, top)


@pytest.mark.parametrize("content", [b"", b"\x7fELF" + bytes(0x400), bytes(0x1000)])
def test_what_is_no_kernel_image_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vmlinux"
    path.write_bytes(content)
    with pytest.raises(LabError, match="not an x86 kernel image"):
        kernel.image_version(path)


def test_an_image_whose_version_lies_outside_is_refused(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0")
    content = bytearray(image.read_bytes())
    content[0x20E:0x210] = b"\xff\xff"
    image.write_bytes(content)
    with pytest.raises(LabError, match="does not tell its version"):
        kernel.image_version(image)
