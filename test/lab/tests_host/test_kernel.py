# SPDX-License-Identifier: GPL-2.0-or-later
"""The reading of a user's own kernel, and what goes wrong with it."""

from pathlib import Path

import pytest
from nvmelab import kbuild, kernel
from nvmelab.releases import Release, Unpacked
from nvmetools import ToolError


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
    with pytest.raises(ToolError, match="--cache"):
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
    with pytest.raises(ToolError, match=r"lib/modules/6\.99\.0"):
        kernel.user_kernel(image, top)


def test_modules_without_depmod_are_refused(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0")
    top = modules(tmp_path / "install", "6.99.0")
    (top / "lib/modules/6.99.0/modules.dep").unlink()
    with pytest.raises(ToolError, match="depmod -b"):
        kernel.user_kernel(image, top)


@pytest.mark.parametrize("content", [b"", b"\x7fELF" + bytes(0x400), bytes(0x1000)])
def test_what_is_no_kernel_image_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vmlinux"
    path.write_bytes(content)
    with pytest.raises(ToolError, match="not an x86 kernel image"):
        kernel.image_version(path)


def test_an_image_whose_version_lies_outside_is_refused(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", "6.99.0")
    content = bytearray(image.read_bytes())
    content[0x20E:0x210] = b"\xff\xff"
    image.write_bytes(content)
    with pytest.raises(ToolError, match="does not tell its version"):
        kernel.image_version(image)


def test_the_distributions_modules_stay_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is built stands beside them, where depmod looks first; nothing else is added."""
    release = Release("6.12.9-amd64", "1")
    packages = Unpacked(tmp_path / "packages")
    tree = packages.top / "image/lib/modules" / release.name
    host = "kernel/drivers/nvme/host"
    stock = [f"{host}/nvme-core.ko", f"{host}/nvme-fabrics.ko", f"{host}/nvme-tcp.ko",
             "kernel/drivers/nvme/target/nvmet.ko", "modules.order"]  # fmt: skip
    for name in stock:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(f"Debian's {name}")
    (packages.top / "image/boot").mkdir()
    for kind in ("vmlinuz", "config"):
        (packages.top / "image/boot" / f"{kind}-{release.name}").write_text(kind)
    built = [tmp_path / f"{name}.ko" for name in kbuild.MODULES]
    for path in built:
        path.write_text("ours")

    def depmod(command: list[str | Path], what: str) -> None:
        assert (command[1:], what) == (["-b", tmp_path / "result", release.name], "depmod")
        alias = tmp_path / "result/lib/modules" / release.name / "modules.alias"
        alias.write_text("alias nvme-mptcp nvme_mptcp\n")

    monkeypatch.setattr(kernel, "run", depmod)
    kernel._assemble(release, packages, built, tmp_path, lambda _: None)
    result = tmp_path / "result/lib/modules" / release.name
    found = {str(p.relative_to(result)): p.read_text() for p in result.rglob("*") if p.is_file()}
    assert found.pop("modules.alias")
    assert {name: found.pop(name) for name in stock} == {n: f"Debian's {n}" for n in stock}
    assert found == {f"updates/nvme/{path.name}": "ours" for path in built}
