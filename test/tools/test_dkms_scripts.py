# SPDX-License-Identifier: GPL-2.0-or-later
"""The scripts of nvme-mptcp-dkms, on made-up directories, with a dkms of the test."""

import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PRERM = TOP / "packaging/debian/nvme-mptcp-dkms.prerm"
POSTINST = TOP / "packaging/debian/nvme-mptcp-dkms.postinst"
HOOK = TOP / "kernel/dkms/header-hook"
REMOVAL_HOOK = TOP / "kernel/dkms/removal-hook"
PROGRAMS = ("build", "drop")
KERNEL = "6.12.1-amd64"
DKMS = """#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
case $1 in
status) [ ! -e "$(dirname "$0")/there" ] || echo "nvme-mptcp/0.2.0, $4, x86_64: installed" ;;
add | build) [ $STATUS -eq 0 ] || echo "nvme-mptcp-dkms: edits:9: not built"; exit $STATUS ;;
*)
    echo "Building module"
    echo "nvme-mptcp-dkms: edits:9: host/mptcp.c x: anchor not found: y"
    exit $STATUS
    ;;
esac
"""
ADDED = "add nvme-mptcp/0.2.0"
ASKED = f"status nvme-mptcp/0.2.0 -k {KERNEL}"
TOLD = f"install nvme-mptcp/0.2.0 -k {KERNEL}"
BUILT = f"build nvme-mptcp/0.2.0 -k {KERNEL}"
MODINFO = """#!/bin/sh
test -e "{top}/lib/modules/$2/updates/dkms/$3.ko.xz"
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Place:
    """A root with headers of a kernel, and the package's sources."""

    def __init__(self, top: Path) -> None:
        self.top = top
        (top / "usr/src/nvme-mptcp-0.1.0").mkdir(parents=True)
        for name in PROGRAMS:
            text = self.moved(TOP / "kernel/dkms" / name)
            program(top / "usr/src/nvme-mptcp-0.2.0" / name, text)
        self.added = top / "var/lib/dkms/nvme-mptcp/0.2.0/source"
        self.added.mkdir(parents=True)
        self.prepare("exit 0")
        headers = top / f"lib/modules/{KERNEL}/build"
        headers.mkdir(parents=True)
        (headers / "Makefile").touch()
        program(top / "bin/dkms", DKMS)
        program(top / "bin/modinfo", MODINFO.format(top=top))
        program(top / "bin/uname", f"#!/bin/sh\necho {KERNEL}\n")
        self.modules = headers.parent / "updates/dkms"

    def left(self) -> list[str]:
        """Modules that an upgrade left, or none."""
        return sorted(path.name for path in self.modules.glob("*"))

    def leave(self) -> None:
        """Lets there be modules that DKMS does not know of."""
        self.modules.mkdir(parents=True)
        for name in ("nvme-mptcp", "nvmet", "nvmet-tcp", "other"):
            (self.modules / f"{name}.ko.xz").touch()

    def prepare(self, body: str) -> None:
        """What `prepare explain KERNEL` does."""
        program(self.top / "usr/src/nvme-mptcp-0.2.0/prepare", f"#!/bin/sh\n{body}\n")

    def source(self, version: str) -> None:
        """What dpkg has of linux-source."""
        program(self.top / "bin/dpkg-query", f"#!/bin/sh\necho linux-source-6.12 {version}\n")

    def moved(self, script: Path) -> str:
        """A script with its directories below this root."""
        text = script.read_text()
        for name in ("/usr/src", "/lib/modules", "/var/lib/dkms", "/etc/dkms", "/run/"):
            text = text.replace(name, f"{self.top}{name}")
        return text

    def run(self, script: Path, word: str, status: int = 0) -> tuple[int, str]:
        """Runs a script with dkms ending so; returns how it ended and what it said of errors."""
        done = subprocess.run(
            ["sh", "-s", word], input=self.moved(script), capture_output=True, text=True,
            check=False,
            env={"PATH": f"{self.top}/bin:{os.environ['PATH']}", "STATUS": str(status)},
        )  # fmt: skip
        return done.returncode, done.stderr

    def calls(self) -> list[str]:
        """What dkms was asked and told."""
        path = self.top / "bin/calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


WAYS = pytest.mark.parametrize(
    ("script", "word"), [(POSTINST, "configure"), (HOOK, KERNEL)], ids=["postinst", "hook"]
)


@WAYS
def test_what_an_earlier_version_left_is_passed_over(place: Place, script: Path, word: str) -> None:
    """Modules are built of the version that is installed, not of the first directory there is."""
    assert place.run(script, word) == (0, "")
    assert place.calls() == [ASKED, TOLD]


@WAYS
def test_what_is_built_is_not_built_again(place: Place, script: Path, word: str) -> None:
    (place.top / "bin/there").touch()
    assert place.run(script, word) == (0, "")
    assert place.calls() == [ASKED]


@WAYS
def test_another_kernel_is_explained_and_no_error(place: Place, script: Path, word: str) -> None:
    place.prepare("echo why >&2; exit 1")
    assert place.run(script, word) == (0, "why\n")
    assert place.calls() == [ASKED]


@WAYS
def test_a_build_that_fails_is_explained_and_no_error(
    place: Place, script: Path, word: str
) -> None:
    """An error would leave this package, or that of the headers, unconfigured."""
    status, said = place.run(script, word, status=10)
    assert status == 0
    assert place.calls() == [ASKED, TOLD]
    assert said == (
        f"nvme-mptcp-dkms: {KERNEL} has no transport mptcp: the modules cannot be built for it "
        f"(log: {place.added.parent}/build/make.log)\n"
        "nvme-mptcp-dkms: edits:9: host/mptcp.c x: anchor not found: y\n"
    )


def test_a_source_that_has_failed_is_not_built_again_unless_it_changes(place: Place) -> None:
    """The trigger of a source that is upgraded with its kernel follows the hook."""
    place.source("6.12.1-1")
    place.run(HOOK, KERNEL, status=10)
    assert place.run(POSTINST, "triggered", status=10) == (0, "")
    assert place.calls() == [ASKED, TOLD, ASKED]
    place.source("6.12.1-2")
    _, said = place.run(POSTINST, "triggered", status=10)
    assert f"{KERNEL} has no transport mptcp" in said
    assert place.calls()[3:] == [ASKED, TOLD]
    place.run(HOOK, KERNEL)
    place.run(POSTINST, "triggered")
    assert place.calls()[5:] == [ASKED, TOLD] * 2, "built since then, and gone again"


def test_the_package_is_made_known_to_dkms_once(place: Place) -> None:
    place.added.rmdir()
    assert place.run(HOOK, KERNEL) == (0, "")
    assert place.calls() == [], "the postinst builds for these headers"
    assert place.run(POSTINST, "configure") == (0, "")
    assert place.calls() == [ADDED]


def test_a_source_that_comes_is_built_without_more_explanations(place: Place) -> None:
    assert place.run(POSTINST, "triggered") == (0, "")
    assert place.calls() == [ASKED, TOLD]
    place.prepare("echo why >&2; exit 1")
    assert place.run(POSTINST, "triggered") == (0, "")
    assert place.calls() == [ASKED, TOLD, ASKED]


@WAYS
def test_nothing_is_built_where_dkms_is_switched_off(place: Place, script: Path, word: str) -> None:
    (place.top / "etc/dkms").mkdir(parents=True)
    (place.top / "etc/dkms/no-autoinstall").touch()
    assert place.run(script, word) == (0, "")
    assert place.calls() == []


def test_removing_takes_the_modules_of_all_kernels_away(place: Place) -> None:
    assert place.run(PRERM, "remove") == (0, "")
    assert place.calls() == ["remove nvme-mptcp/0.2.0 --all"]


def test_an_upgrade_takes_no_module_away(place: Place) -> None:
    """What cannot be built anew, since its source is gone, may be what runs."""
    place.leave()
    assert place.run(PRERM, "upgrade") == (0, "")
    assert place.calls() == []
    assert not place.added.parents[1].exists(), "DKMS would keep a version that is gone"
    assert len(place.left()) == 4
    assert place.run(POSTINST, "configure") == (0, "")
    assert place.calls() == [ADDED]


def test_modules_that_an_upgrade_left_go_when_others_are_built(place: Place) -> None:
    place.leave()
    kept = place.left()
    place.prepare("echo nvme-mptcp-dkms: it has no transport mptcp: why >&2; exit 1")
    _, said = place.run(POSTINST, "configure")
    assert said == "nvme-mptcp-dkms: it keeps the modules that it has: why\n"
    place.prepare("exit 0")
    _, said = place.run(POSTINST, "configure", status=10)
    assert said == (
        f"nvme-mptcp-dkms: {KERNEL} keeps the modules that it has: new ones cannot be built for it "
        f"(log: {place.added.parent}/build/make.log)\n"
        "nvme-mptcp-dkms: edits:9: not built\n"
    )
    assert place.left() == kept
    assert place.run(POSTINST, "configure") == (0, "")
    assert place.left() == ["other.ko.xz"]
    assert place.calls()[1:] == [ASKED, BUILT, ASKED, BUILT, TOLD]


@pytest.mark.parametrize(("script", "word"), [(PRERM, "remove"), (REMOVAL_HOOK, KERNEL)])
def test_modules_that_an_upgrade_left_go_with_package_and_kernel(
    place: Place, script: Path, word: str
) -> None:
    place.leave()
    assert place.run(script, word) == (0, "")
    assert place.left() == ["other.ko.xz"]


def test_what_runs_is_explained_without_headers(place: Place) -> None:
    """Other kernels are mentioned only if headers are all that they lack."""
    (place.top / f"lib/modules/{KERNEL}/build/Makefile").unlink()
    for kernel in (KERNEL, "6.12.2-amd64"):
        (place.top / f"lib/modules/{kernel}/kernel").mkdir(parents=True)
    place.prepare('echo "$2: its source is another" >&2; exit 1')
    assert place.run(POSTINST, "configure") == (0, f"{KERNEL}: its source is another\n")
    place.prepare('echo "$2: its headers are not installed" >&2; exit 1')
    _, said = place.run(POSTINST, "configure")
    assert said.count("its headers are not installed\n") == 2
