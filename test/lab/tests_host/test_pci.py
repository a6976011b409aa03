# SPDX-License-Identifier: GPL-2.0-or-later
"""The NVMe devices that QEMU emulates: what it is called with, and what an older one is spared."""

import os
from pathlib import Path

import pytest
from nvmelab import cli, machine, pci
from nvmelab.machine import Hardware, Job
from nvmelab.runner import Lab
from nvmetools import ToolError
from nvmetools.ui import Ui

EVERYTHING = {
    "nvme-subsys": frozenset(key for s in pci.SUBSYSTEMS for key in s.options),
    "nvme-ns": frozenset(key for s in pci.SUBSYSTEMS for n in s.namespaces for key in n.options),
}


def disk(size: int) -> Path:
    """Stands for a disk of that size."""
    return Path(f"/disk-{size}")


def test_every_device_is_named() -> None:
    words = pci.arguments(EVERYTHING, disk)
    assert words[:8] == [
        "-device", "nvme-subsys,id=lab,nqn=lab",
        "-device", "nvme,id=lab-controller-0,serial=LAB-PCI,subsys=lab",
        "-device", "nvme,id=lab-controller-1,serial=LAB-PCI,subsys=lab",
        "-drive", "file=/disk-33554432,format=raw,if=none,cache=unsafe,discard=unmap,id=lab-1",
    ]  # fmt: skip
    text = " ".join(words)
    assert "drive=lab-2,bus=lab-controller-0,nsid=2,detached=on" in text
    assert "zoned=on,zoned.zone_size=2M" in text
    assert "nvme-subsys,id=placement,nqn=placement,fdp=on,fdp.runs=1M" in text
    assert "fdp.ruhs=0;1;2" in text


def test_what_an_older_qemu_does_not_know_is_left_out() -> None:
    offered = {name: frozenset(o for o in known if "fdp" not in o)
               for name, known in EVERYTHING.items()}  # fmt: skip
    text = " ".join(pci.arguments(offered, disk))
    assert "fdp" not in text
    assert "zoned=on,zoned.zone_size=2M" in text
    assert "-device nvme-subsys,id=placement,nqn=placement -device" in text


def test_qemu_is_asked_what_it_knows(tmp_path: Path) -> None:
    qemu = tmp_path / "qemu"
    qemu.write_text(
        "#!/bin/sh\necho \"${2%,help} options:\"\necho '  fdp.runs=<size>   -  (default: 1)'\n"
        "echo '  nqn=<str>'\n"
    )
    qemu.chmod(0o755)
    offered = pci.offers(str(qemu))
    assert offered == dict.fromkeys(("nvme-subsys", "nvme-ns"), frozenset({"fdp.runs", "nqn"}))
    qemu.write_text("#!/bin/sh\necho 'no such device' >&2\nexit 1\n")
    with pytest.raises(ToolError, match="cannot emulate nvme-subsys: no such device"):
        pci.offers(str(qemu))


def test_disks_are_nowhere(tmp_path: Path) -> None:
    fd = pci.sparse_disk(1 << 30)
    try:
        info = os.fstat(fd)
        assert (info.st_size, info.st_blocks, info.st_nlink) == (1 << 30, 0, 0)
    finally:
        os.close(fd)


def test_only_a_machine_that_shall_have_them_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    qemu = tmp_path / "qemu"
    qemu.write_text(
        f'#!/bin/sh\ncase $2 in *,help) exit;; esac\nprintf "%s\\n" "$@" >{tmp_path}/arguments\n'
        f"for word; do case $word in file=/proc/self/fd/*) path=${{word#file=}}; "
        f"stat -Lc %s ${{path%%,*}} >>{tmp_path}/sizes;; esac; done\n"
    )
    qemu.chmod(0o755)
    monkeypatch.setattr(machine, "QEMU", str(qemu))
    paths = [tmp_path / name for name in ("vmlinuz", "initramfs", "root", "modules")]
    for path in paths:
        path.touch()
    (tmp_path / "results").mkdir()
    before = len(os.listdir("/proc/self/fd"))
    for wanted in (False, True):
        hardware = Hardware("tcg", pci=wanted)
        with open(os.devnull, "wb") as out:
            machine.run(hardware, machine.Disks(*paths), Job([]), tmp_path / "results", 20, out)
        given = (tmp_path / "arguments").read_text()
        assert ("nvme-subsys" in given) == wanted
    assert [int(size) for size in (tmp_path / "sizes").read_text().split()] == [
        n.size * pci.MIB for s in pci.SUBSYSTEMS for n in s.namespaces
    ]
    assert len(os.listdir("/proc/self/fd")) == before


def test_their_driver_comes_first_and_the_original_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nvmelab import original

    monkeypatch.setattr(original, "find", lambda *_: original.Original(tmp_path))
    given = ["run", "--pci", "--cache", str(tmp_path), "x.py"]
    options = cli._options(cli.parser().parse_args(given))
    assert options.pci
    lab = Lab(options, Ui())
    job = lab.job([["true"]], tmp_path, interactive=False, pci=True)
    assert job.commands == [["modprobe", "nvme"], ["true"]]
    assert [s.target for s in job.shares if s.source == tmp_path][-1] == "/opt/original"
    plain = lab.job([["true"]], tmp_path, interactive=False)
    assert plain.commands == [["true"]]
    assert "/opt/original" not in [s.target for s in plain.shares]
