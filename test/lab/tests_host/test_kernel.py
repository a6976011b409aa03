# SPDX-License-Identifier: GPL-2.0-or-later
"""The choice of a kernel, the reading of a user's own one, and what goes wrong in between."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from nvmelab import LabError, kernel
from nvmelab.cache import Cache

MADISON = """\
 linux-image-6.12.9+deb12-amd64 | 6.12.9-2~deb12u1 | http://archive bookworm/main amd64 Packages
linux-source-6.12 | 6.12.9-2~deb12u1 | http://archive bookworm/main amd64 Packages
linux-source-6.12 | 6.12.9-1~deb12u1 | http://archive bookworm/main amd64 Packages
linux-source-6.12 | 6.12.8-1~deb12u1 | http://archive bookworm/main Sources
"""


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


def test_the_newest_plain_kernel_comes_first() -> None:
    names = [
        "linux-image-6.12.9+deb12-amd64", "linux-image-6.12.117+deb12-amd64",
        "linux-image-6.12.117+deb13-amd64", "linux-image-6.12.200+deb12-rt-amd64",
        "linux-image-6.12.200+deb12-cloud-amd64", "linux-image-6.12.200+deb12-amd64-unsigned",
        "linux-image-6.12.200+deb12-amd64-dbg", "linux-image-6.13.1+deb12-amd64",
        "linux-image-6.12-amd64",
    ]  # fmt: skip
    assert kernel.releases(names) == [
        "6.12.117+deb13-amd64", "6.12.117+deb12-amd64", "6.12.9+deb12-amd64",
    ]  # fmt: skip


def test_all_packages_must_be_there_in_one_version() -> None:
    packages = ("linux-image-6.12.9+deb12-amd64", "linux-source-6.12")
    assert kernel.common_versions(MADISON, packages) == ["6.12.9-2~deb12u1"]
    assert kernel.common_versions(MADISON, (*packages, "linux-kbuild-6.12.9+deb12")) == []


def test_a_release_names_its_packages() -> None:
    packages = kernel.Release("6.12.9+deb12-amd64", "6.12.9-1").packages
    assert "linux-headers-6.12.9+deb12-common" in packages
    assert "linux-kbuild-6.12.9+deb12" in packages


def test_the_choice_is_remembered_until_the_lists_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = [1, 2]
    asked = []

    def run(command: list[str | Path], what: str) -> str:
        asked.append(what)
        return "linux-image-6.12.9+deb12-amd64"

    monkeypatch.setattr(kernel, "_apt_state", lambda: list(state))
    monkeypatch.setattr(kernel, "run", run)
    monkeypatch.setattr(kernel, "_complete", lambda name: kernel.Release(name, "6.12.9-1"))
    monkeypatch.setattr(kernel.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    store = Cache(tmp_path)
    expected = kernel.Release("6.12.9+deb12-amd64", "6.12.9-1")
    assert [kernel.choose_release(store) for _ in range(3)] == [expected] * 3
    assert asked == ["apt-cache"]
    state[0] = 3
    assert kernel.choose_release(store) == expected
    assert len(asked) == 2


def test_lists_without_a_kernel_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "run", lambda command, what: "")
    monkeypatch.setattr(kernel.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    with pytest.raises(kernel.ArchiveError, match="apt-get update"):
        kernel.choose_release(Cache(tmp_path))


def test_a_failed_download_is_tried_again_and_names_the_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(kernel, "_download_size", lambda release: 3 << 20)
    monkeypatch.setattr(kernel.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(kernel, "run", lambda command, what: fail(what))

    def fail(what: str) -> str:
        raise LabError(f"{what} failed (exit status 100):\nE: 404 Not Found")

    release = kernel.Release("6.12.9+deb12-amd64", "6.12.9-1")
    with pytest.raises(kernel.ArchiveError, match=r"(?s)linux-source-6\.12=6\.12\.9-1 .*404"):
        kernel._download(Cache(tmp_path), release, said.append)
    assert said.count("E: 404 Not Found; trying again") == kernel.DOWNLOAD_ATTEMPTS - 1
    assert any("of 3 MiB" in line for line in said)


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


@pytest.mark.skipif(not shutil.which("patch"), reason="patch is not installed")
def test_a_patch_that_does_not_fit_is_an_error_and_leaves_no_trace(tmp_path: Path) -> None:
    source = tmp_path / "drivers"
    source.mkdir()
    (source / "file.c").write_text("one\ntwo\nthree\n")
    patch = tmp_path / "fix.patch"
    patch.write_text(
        "--- a/drivers/file.c\n+++ b/drivers/file.c\n@@ -1,3 +1,3 @@\n one\n-2\n+zwei\n three\n"
    )
    with pytest.raises(LabError, match=r"(?s)applying fix\.patch failed.*FAILED"):
        kernel.apply_patch(patch, tmp_path)
    assert sorted(os.listdir(source)) == ["file.c"]
    patch.write_text(patch.read_text().replace("-2", "-two"))
    kernel.apply_patch(patch, tmp_path)
    assert (source / "file.c").read_text() == "one\nzwei\nthree\n"


def test_the_patches_are_complete_and_licensed() -> None:
    patches = sorted(kernel.PATCHES.glob("*.patch"))
    assert [patch.name[:4] for patch in patches] == ["0001", "0002", "0003"]
    for patch in patches:
        text = patch.read_text()
        assert text.startswith("SPDX-License-Identifier: GPL-2.0\n")
        assert "\nFrom: " not in text
    together = "".join(patch.read_text() for patch in patches)
    assert '+MODULE_ALIAS("nvme-mptcp");' in together
    assert '+MODULE_ALIAS("nvmet-transport-4");' in together
