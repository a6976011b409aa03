# SPDX-License-Identifier: GPL-2.0-or-later
"""tools/setup: what it installs, what it prints, and what it does where it cannot install."""

import re
import subprocess

import pytest
from conftest import TOP, Machine

#: Writes what it was called with to a file, and fails where the test asks for it.
APT_GET = """
echo "$*" >>"$LOG"
case " $* " in *" $FAILS "*) echo "E: $FAILS: no route to the archive"; exit 100 ;; esac
echo "Setting up something"
"""

#: The release has what is in $RELEASE_HAS.
APT_CACHE = 'case " $RELEASE_HAS " in *" $3 "*) echo "$3 | 1 | archive" ;; esac'


def packages(*parts: str) -> list[str]:
    """The first choice of each package of the parts."""
    listed = subprocess.run(
        [TOP / "tools/setup", "--list", *parts], capture_output=True, text=True, check=True
    )
    return [line.split("|")[0] for line in listed.stdout.split()]


def installed(machine: Machine, names: list[str]) -> None:
    """Make dpkg-query report these packages."""
    lines = "\\n".join(f"{name} installed" for name in names)
    machine.program("dpkg-query", f'printf "{lines}\\n"')


@pytest.fixture
def debian(machine: Machine) -> Machine:
    """A bare Debian, run as root, whose release has everything."""
    machine.program("apt-get", APT_GET)
    machine.program("apt-cache", APT_CACHE)
    machine.program("id", "echo 0")
    installed(machine, ["base-files"])
    machine.environment = {
        "LOG": str(machine.top / "apt"), "FAILS": "nothing", "RELEASE_HAS": " ".join(packages()),
    }  # fmt: skip
    return machine


def calls(machine: Machine) -> list[str]:
    """What apt-get was called with, less its options."""
    log = machine.top / "apt"
    lines = log.read_text().splitlines() if log.exists() else []
    return [re.sub(r"(?<!\S)-(o \S+|\S+) ", "", line) for line in lines]


def test_nothing_is_done_twice(debian: Machine) -> None:
    installed(debian, packages("build"))
    done = debian.run("setup", "build")
    assert (done.returncode, done.stdout, calls(debian)) == (0, "", [])


def test_the_list_of_packages_ends_its_line(debian: Machine) -> None:
    done = debian.run("setup", "build", "doc")
    assert done.returncode == 0, done.stdout
    names = packages("build", "doc")
    assert calls(debian) == ["update", f"install {' '.join(names)}"]
    first, *rest = done.stdout.splitlines()
    assert first == f"setup: installing {len(names)} packages"
    listed = [line for line in rest if line.startswith("    ")]
    assert " ".join(listed).split() == names
    assert all(len(line) <= 100 for line in listed)


def test_packages_are_those_of_the_release(debian: Machine) -> None:
    """A line with alternatives takes the first that the release has, or has installed."""
    everything = debian.environment["RELEASE_HAS"].split()
    older = [name for name in everything if name != "libclang-rt-dev"] + ["libclang-rt-14-dev"]
    debian.environment["RELEASE_HAS"] = " ".join(older)
    assert debian.run("setup", "test").returncode == 0
    assert "libclang-rt-14-dev" in calls(debian)[1].split()
    assert "libclang-rt-dev" not in calls(debian)[1].split()

    others = [name for name in packages("test") if name != "libclang-rt-dev"]
    installed(debian, others)
    assert debian.run("setup", "test").returncode == 0
    assert calls(debian)[3:] == ["install libclang-rt-14-dev"]
    installed(debian, [*others, "libclang-rt-14-dev"])
    assert debian.run("setup", "test").stdout == ""


def test_what_a_release_lacks_is_named_before_anything_is_installed(debian: Machine) -> None:
    names = [name for name in packages() if name != "libmnl-dev"]
    debian.environment["RELEASE_HAS"] = " ".join(names)
    done = debian.run("setup", "build")
    assert done.returncode == 1
    assert calls(debian) == ["update"]
    last = done.stdout.splitlines()[-1]
    assert "Debian GNU/Linux 13 (trixie) has no package libmnl-dev (netlink)" in last


@pytest.mark.parametrize("step", ["update", "install"])
def test_a_failure_names_the_log(debian: Machine, step: str) -> None:
    """Old package lists may do; packages that cannot be installed end it."""
    debian.environment["FAILS"] = step
    done = debian.run("setup", "doc")
    log = debian.top / "build/setup.log"
    failed = [line for line in done.stdout.splitlines() if ": failed after" in line]
    assert len(failed) == 1
    assert f"the log is {log}; 'apt-get update' as root" in failed[0]
    assert f"E: {step}: no route to the archive" in done.stdout
    if step == "update":
        assert (done.returncode, len(calls(debian))) == (0, 2)
    else:
        assert done.returncode == 100
        assert done.stdout.splitlines()[-1] == failed[0]


def test_without_root_the_command_is_printed(debian: Machine) -> None:
    """It can be pasted: run by a shell it calls apt-get with all packages."""
    debian.program("id", "echo 1000")
    debian.program("sudo", "exit 1")
    done = debian.run("setup", "lab")
    assert done.returncode == 1
    assert calls(debian) == []
    command = done.stdout.partition("as root, run:\n")[2]
    subprocess.run(
        ["bash", "-euc", command],
        check=True,
        env={"PATH": f"{debian.bin}:/usr/bin:/bin", **debian.environment},
    )
    assert calls(debian) == [f"install {' '.join(packages('lab'))}"]


FEDORA = 'ID=fedora\nPRETTY_NAME="Fedora Linux 43"\n'


def test_elsewhere_what_is_missing_is_named_by_its_use(machine: Machine) -> None:
    machine.release = FEDORA
    machine.program("pkg-config", "case $2 in libmnl) exit 1 ;; esac")
    machine.program("python3", 'case $2 in *" mypy") exit 1 ;; esac')
    machine.program("cc", "grep -q keyutils && exit 1; exit 0")
    machine.environment["PYTHON"] = str(machine.bin / "python3")
    done = machine.run("setup", "build", "test")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("setup: this is Fedora Linux 43;")
    rows = {tuple(re.split(r"\s{2,}", line.strip())) for line in lines[2:-1]}
    assert {
        ("netlink", "pkg:libmnl", "libmnl-dev"),
        ("the kernel's keyrings", "header:keyutils.h", "libkeyutils-dev"),
        ("types of the Python package", "module:mypy", "mypy"),
    } <= rows
    assert not any("json-c" in cell for row in rows for cell in row)
    assert lines[-1] == "setup: nothing was installed; install the above and repeat the command"


def test_elsewhere_nothing_missing_is_no_failure(machine: Machine) -> None:
    machine.release = FEDORA
    machine.program("cc", "cat >/dev/null")
    machine.program("clang", "cat >/dev/null")
    machine.program("python3", "exit 0")
    machine.program("pkg-config", "exit 0")
    for line in (TOP / "tools/packages").read_text().splitlines():
        words = line.split()
        if len(words) > 2 and words[2].startswith("command:"):
            name = words[2].removeprefix("command:")
            if not (machine.bin / name).exists():
                machine.program(name, "exit 0")
    machine.environment["PYTHON"] = str(machine.bin / "python3")
    done = machine.run("setup")
    assert (done.returncode, done.stdout) == (0, "")


def test_every_package_has_its_columns() -> None:
    for line in (TOP / "tools/packages").read_text().splitlines():
        if line and not line.startswith("#"):
            part, package, probe, *purpose = line.split()
            assert part in ("build", "test", "doc", "browser", "lab", "deb", "cross"), line
            assert re.fullmatch(r"[a-z0-9][a-z0-9+.|-]+", package), line
            assert re.fullmatch(r"(command|header|pkg|module|links):\S+", probe), line
            assert purpose, line
