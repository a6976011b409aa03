# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/configure: a build directory is configured once, and anew when it has to be."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from conftest import Machine

PROJECT = """
project('p', 'c', default_options: ['werror=true'])
if find_program('made-up-tool', required: false).found()
  custom_target('made-up', output: 'made-up', command: ['touch', '@OUTPUT@'])
endif
"""


@pytest.fixture
def project(machine: Machine) -> Machine:
    """A project that leaves a target out where a tool is missing."""
    (machine.top / "meson.build").write_text(PROJECT)
    return machine


def option(build: Path, name: str) -> object:
    """The value of an option of a build directory."""
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text())
    return next(found["value"] for found in options if found["name"] == name)


def targets(build: Path) -> list[str]:
    """The targets of a build directory."""
    return [
        target["name"]
        for target in json.loads((build / "meson-info/intro-targets.json").read_text())
    ]


def configure(machine: Machine, *arguments: str) -> Path:
    """Configure the directory build."""
    done = machine.run("configure", "build", *arguments)
    assert done.returncode == 0, done.stdout
    return machine.top / "build"


def test_once(project: Machine) -> None:
    build = configure(project, "-Dwerror=false")
    assert option(build, "werror") is False
    before = (build / "build.ninja").stat().st_mtime_ns
    assert configure(project, "-Dwerror=false") == build
    assert (build / "build.ninja").stat().st_mtime_ns == before


def test_a_directory_that_an_earlier_version_configured(project: Machine) -> None:
    """It had werror in it, and no record of its arguments."""
    subprocess.run(["meson", "setup", "build"], cwd=project.top, check=True, capture_output=True)
    assert option(project.top / "build", "werror") is True
    assert option(configure(project, "-Dwerror=false"), "werror") is False


def test_options_that_somebody_set_stay(project: Machine) -> None:
    build = configure(project, "-Dwerror=false")
    command = ["meson", "configure", "build", "-Dbuildtype=release"]
    subprocess.run(command, cwd=project.top, check=True, capture_output=True)
    configure(project, "-Dwerror=true")
    assert (option(build, "werror"), option(build, "buildtype")) == (True, "release")


def test_a_tool_that_comes_later_is_found(project: Machine) -> None:
    """What was left out is there once packages were installed."""
    build = configure(project)
    assert targets(build) == []
    project.program("made-up-tool", "exit 0")
    dpkg = Path("/var/lib/dpkg/status")
    if not dpkg.exists():
        pytest.skip("skipped: not a Debian system, where packages are not seen to come")
    configure(project)
    assert targets(build) == []
    older = dpkg.stat().st_mtime - 10
    os.utime(build / "configured", (older, older))
    configure(project)
    assert targets(build) == ["made-up"]


def test_what_remained_of_a_failure_is_no_obstacle(project: Machine) -> None:
    (project.top / "meson.build").write_text("project('p', 'c')\nerror('libmnl is missing')\n")
    done = project.run("configure", "build")
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith("configuring build: failed after")
    assert last.endswith(
        "the log is build/configure.log; tools/setup installs what the build needs"
    )
    assert "libmnl is missing" in done.stdout
    (project.top / "meson.build").write_text(PROJECT)
    assert (configure(project) / "build.ninja").exists()


def test_without_meson(machine: Machine) -> None:
    machine.environment["PATH"] = str(machine.bin)
    for name in ("sh", "dirname", "printf", "ninja"):
        machine.program(name, f'exec /usr/bin/{name} "$@"')
    done = machine.run("configure", "build")
    assert done.returncode == 1
    assert done.stdout == (
        "configure: not installed: meson, pkg-config; tools/setup installs what the build needs\n"
    )
