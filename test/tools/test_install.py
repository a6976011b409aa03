# SPDX-License-Identifier: GPL-2.0-or-later
"""make install and make uninstall, on a project of three files."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import TOP, Machine

PROJECT = """
project('nvme-mptcp', 'c', version: '0.2.0')
directory = get_option('libdir') / (get_option('beside') ? 'nvme-mptcp' : '')
library = shared_library('nvme', 'nvme.c', version: '1.16.2', install: true, install_dir: directory)
install_data('sample.conf', install_dir: get_option('datadir') / 'doc/nvme')
install_subdir('roles', install_dir: get_option('datadir') / 'doc/nvme')
executable('a-test', 'test.c')
"""

#: What belongs to nvme-mptcp alone.
ALONE = "install_data('nvme.c', install_dir: get_option('sbindir'), install_tag: 'nvme-mptcp')"


@pytest.fixture
def project(machine: Machine) -> Machine:
    """The Makefile over a project whose test does not compile."""
    shutil.copy(TOP / "Makefile", machine.top)
    (machine.top / "tools").symlink_to(TOP / "tools")
    (machine.top / "meson.build").write_text(PROJECT)
    (machine.top / "meson_options.txt").write_text(
        "option('beside', type: 'boolean', value: false)\n"
    )
    (machine.top / "nvme.c").write_text("int nvme_it(void);\nint nvme_it(void) { return 1; }\n")
    (machine.top / "test.c").write_text("#error tests are not built\n")
    (machine.top / "sample.conf").write_text("# a sample\n")
    (machine.top / "roles/tasks").mkdir(parents=True)
    (machine.top / "roles/tasks/main.yml").write_text("# a task\n")
    loader(machine)
    return machine


def loader(machine: Machine, *directories: Path) -> None:
    """The loader looks into these directories."""
    lines = "\n".join(f"{directory}: (from /etc/ld.so.conf:1)" for directory in directories)
    machine.program("ldconfig", f"cat <<'END'\n{lines}\nEND")


def make(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    """Run make where the project is."""
    return machine.call("make", "--no-print-directory", "BUILD=build", *words)


def files(top: Path) -> set[str]:
    """What is below a directory, by name."""
    return {path.name for path in top.rglob("*") if path.is_symlink() or not path.is_dir()}


def test_missing_packages_are_installed_first(project: Machine) -> None:
    """By the first make, once; where they cannot be, the build is tried without them."""
    project.program("dpkg-query", "true")
    project.program("id", "echo 0")
    project.program("apt-cache", 'echo "$3 | 1 | archive"')
    project.program("apt-get", f'echo "$@" >>{project.top}/called')
    assert make(project, "configured").returncode == 0
    (update, install) = (project.top / "called").read_text().splitlines()
    assert update.endswith(" update")
    assert {"install", "meson", "libjson-c-dev"} < set(install.split())
    assert "cmocka" not in install
    assert make(project, "configured").returncode == 0
    assert len((project.top / "called").read_text().splitlines()) == 2

    shutil.rmtree(project.top / "build")
    project.program("id", "echo 1000")
    project.program("sudo", "exit 1")
    done = make(project, "configured")
    assert done.returncode == 0, done.stdout
    assert "as root, run:\n  apt-get install" in done.stdout


INSTALLED = {"libnvme.so", "libnvme.so.1", "libnvme.so.1.16.2", "sample.conf", "main.yml"}


def test_prefix_counts_whenever_it_is_given(project: Machine) -> None:
    """On a directory that is configured, too; where none is given, the last one stays."""
    for name, words, prefix in [
        ("default", [], "usr/local"),
        ("given", ["PREFIX=/opt/one"], "opt/one"),
        ("another", ["PREFIX=/opt/two"], "opt/two"),
        ("none", [], "opt/two"),
    ]:
        root = project.top / name
        done = make(project, "install", f"DESTDIR={root}", *words)
        assert done.returncode == 0, done.stdout
        assert files(root / prefix) == files(root) == INSTALLED, name
        assert f"installed below {root}/{prefix};" in done.stdout


def test_prefix_of_a_directory_that_somebody_configured(project: Machine) -> None:
    command = ["meson", "setup", "build", "--prefix=/opt/own"]
    subprocess.run(command, cwd=project.top, check=True, capture_output=True)
    done = make(project, "install", "DESTDIR=root")
    assert done.returncode == 0, done.stdout
    assert files(project.top / "root/opt/own") == INSTALLED


def test_uninstall(project: Machine) -> None:
    """What was installed goes, with the directories that were made for it, and nothing else."""
    root = project.top / "root"
    prefix = root / "opt/one"
    other = prefix / "share/other"
    other.parent.mkdir(parents=True)
    other.write_text("not ours\n")
    assert make(project, "install", "PREFIX=/opt/one", f"DESTDIR={root}").returncode == 0
    done = make(project, "uninstall", f"DESTDIR={root}")
    assert (done.returncode, done.stdout) == (0, "removed 5 files\n")
    assert sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*")) == [
        "share",
        "share/other",
    ]
    again = make(project, "uninstall", f"DESTDIR={root}")
    assert again.returncode != 0
    assert "uninstall: build does not know of files that it installed below" in again.stdout


def test_uninstall_of_the_machine_itself(project: Machine) -> None:
    """Without DESTDIR, after another installation with one."""
    prefix = project.top / "prefix"
    assert make(project, "install", f"PREFIX={prefix}").returncode == 0
    assert make(project, "install", "DESTDIR=root").returncode == 0
    assert files(prefix) == INSTALLED
    assert make(project, "uninstall").returncode == 0
    assert not prefix.exists()
    assert files(project.top / "root") == INSTALLED


def older(project: Machine, version: str) -> Path:
    """A library of that version where the loader looks, behind a prefix of this test."""
    theirs = project.top / "theirs"
    theirs.mkdir()
    (theirs / f"libnvme.so.{version}").write_bytes(b"")
    (theirs / "libnvme.so.1").symlink_to(f"libnvme.so.{version}")
    prefix = project.top / "prefix"
    done = make(project, "configured", f"PREFIX={prefix}")
    assert done.returncode == 0, done.stdout
    given = json.loads((project.top / "build/meson-info/intro-buildoptions.json").read_text())
    [libdir] = [option["value"] for option in given if option["name"] == "libdir"]
    (prefix / libdir).mkdir(parents=True)
    loader(project, prefix / libdir, theirs)
    return prefix


def test_before_an_older_library(project: Machine) -> None:
    """Refused with an explanation, and nothing is installed; FORCE=1 does it all the same."""
    prefix = older(project, "1.3.0")
    done = make(project, "install")
    assert done.returncode != 0
    assert files(prefix) == set()
    lines = done.stdout.splitlines()
    [first] = [line for line in lines if line.startswith(f"install: {prefix}/lib")]
    assert first.endswith(f"{project.top}/theirs/libnvme.so.1, which is libnvme 1.3.0.")
    assert "To install all the same: make install FORCE=1" in lines
    done = make(project, "install", "FORCE=1")
    assert done.returncode == 0, done.stdout
    assert files(prefix) == INSTALLED


def test_where_an_older_library_is_no_obstacle(project: Machine) -> None:
    """Below DESTDIR, and where the loader does not look."""
    older(project, "1.13.0")
    assert make(project, "install", "DESTDIR=root").returncode == 0
    assert make(project, "install", f"PREFIX={project.top}/apart").returncode == 0


def test_alone_over_an_older_library(project: Machine) -> None:
    """Nothing of the library is installed then."""
    with (project.top / "meson.build").open("a") as file:
        file.write(ALONE)
    root = project.top / "root"
    done = make(project, "install", "ALONE=1", f"DESTDIR={root}")
    assert done.returncode == 0, done.stdout
    assert {Path(name).name for name in files(root)} == {"nvme.c"}
    done = make(project, "install", "ALONE=1", "BESIDE=1", f"DESTDIR={root}")
    assert done.returncode
    assert "ALONE=1 and BESIDE=1 are two layouts" in done.stdout


def test_beside_an_older_library(project: Machine) -> None:
    """In a directory of its own it takes no other's place."""
    prefix = older(project, "1.3.0")
    done = make(project, "install", "BESIDE=1")
    assert done.returncode == 0, done.stdout
    assert files(prefix) == INSTALLED
    assert [path.parent.name for path in prefix.rglob("libnvme.so.1")] == ["nvme-mptcp"]


@pytest.mark.parametrize("version", ["1.16.2", "1.17.0"])
def test_other_libraries_are_no_obstacle(project: Machine, version: str) -> None:
    older(project, version)
    assert make(project, "install").returncode == 0


@pytest.mark.parametrize(("status", "fails"), [(0, False), (1, False), (2, True)])
def test_bench(project: Machine, status: int, fails: bool) -> None:
    """It builds, and hands on what it is given; a goal that was missed fails nothing."""
    project.program("dpkg-query", "true")
    project.program("id", "echo 0")
    project.program("apt-cache", 'echo "$3 | 1 | archive"')
    project.program("apt-get", "true")
    (project.top / "test.c").write_text("int main(void) { return 0; }\n")
    measures = project.top / "test/bench/run"
    measures.parent.mkdir(parents=True)
    measures.write_text(f'#!/bin/sh\necho "$BUILD: $*"\nexit {status}\n')
    measures.chmod(0o755)
    done = make(project, "bench", "BENCH=--runs 3")
    assert "build: --runs 3\n" in done.stdout and bool(done.returncode) == fails, done.stdout
    assert (project.top / "build/a-test").exists()
