# SPDX-License-Identifier: GPL-2.0-or-later
"""The packages of tools/deb, installed in bare roots of both releases beside nvme-cli and libnvme.

tools/deb builds them first, where build/deb/CODENAME has none. The tests of a release share a root
and run in their order: each leaves the root as its name has it.
"""

import re
from collections.abc import Iterator

import pytest
from machine import Machine, machine_of, only_in
from nvmetools import packages
from nvmetools.fresh import RELEASES

APT = "DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends -o Dpkg::Use-Pty=0"


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.codename)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """The root of a release, and its packages."""
    with machine_of(request.param, packages.with_nvme_cli) as machine:
        text = machine.run("nvme help")
        names = re.findall(r"^  ([a-z][\w-]+)\s{2,}\S", text, re.M)
        assert len(names) > 90, text
        machine.answers = machine.ask(names)
        yield machine


#: All but the one for kernels, which takes DKMS and has tests of its own.
OWN = {
    "nvme-mptcp", "libnvme-mptcp0", "libnvme-mptcp-dev", "libnvme1-mptcp", "nvme-mptcp-nvme",
    "python3-nvme-mptcp",
}  # fmt: skip
PROGRAM = ("nvme-mptcp", "libnvme-mptcp0")
NVME = (*PROGRAM, "libnvme1-mptcp", "nvme-mptcp-nvme")
PYTHON = ("libnvme-mptcp0", "libnvme1-mptcp", "python3-nvme-mptcp")


def test_all_packages_are_there(machine: Machine) -> None:
    named = {name for name in machine.debs if not name.endswith("-dbgsym")}
    assert named == OWN | {"nvme-mptcp-dkms"}
    assert machine.verify() == ""


def test_it_installs_beside(machine: Machine) -> None:
    """No file of others is changed, and what is added has the project's name."""
    machine.install(*PROGRAM, "libnvme1-mptcp", "libnvme-mptcp-dev")
    assert machine.verify() == ""
    after = machine.files()
    assert only_in(machine.before, after) == []
    added = [name for name in only_in(after, machine.before) if "usr/share/doc/lib" not in name]
    assert added
    libraries = "$(dpkg-query -S 'libnvme.so.1' | grep -v mptcp: | cut -d: -f1 | sort -u)"
    assert machine.listed(f"nvme-cli libnvme-dev {libraries}") & set(added) == set()
    own = machine.listed("nvme-mptcp libnvme-mptcp0 libnvme1-mptcp libnvme-mptcp-dev")
    plain = [name for name in added if name in own and "nvme-mptcp" not in name]
    assert [name for name in plain if not name.startswith("usr/include/nvme/mptcp")] == []


#: A program of libnvme-mptcp and the distribution's libnvme.
C_PROGRAM = """
cat >/tmp/program.c <<'END'
#include <stdio.h>
#include <libnvme.h>
#include <nvme/mptcp.h>
int main(void) { puts(nvme_mptcp_part_name(NVME_MPTCP_ENDPOINTS)); return 0; }
END
cc /tmp/program.c -o /tmp/program $(pkg-config --cflags --libs libnvme-mptcp)
/tmp/program && ldd /tmp/program
"""


def test_a_program_is_linked_with_both_libraries(machine: Machine) -> None:
    """The header fits the distribution's, and the program loads the distribution's libnvme."""
    machine.run(f"{APT} install gcc libc6-dev pkg-config linux-libc-dev")
    printed = machine.run(C_PROGRAM)
    assert printed.startswith("endpoints\n")
    assert "/nvme-mptcp/" not in printed
    machine.run(
        f"rm /tmp/program*; {APT} autoremove --purge gcc libc6-dev pkg-config linux-libc-dev"
    )


def test_the_program_runs_over_the_distributions_library(machine: Machine) -> None:
    """Over this project's as soon as that is installed, which no other program loads."""
    assert "libnvme version 1.16" in machine.run("nvme-mptcp version")
    assert "/nvme-mptcp/" not in machine.run("ldd /usr/sbin/nvme")
    machine.run("dpkg --purge libnvme1-mptcp")
    own = machine.run("nvme-mptcp version")
    assert "(nvme-mptcp " in own
    assert "libnvme version 1.16" not in own
    assert "/nvme-mptcp/libnvme" not in machine.run("ldd /usr/sbin/nvme-mptcp")
    assert "nvme-mptcp" not in machine.run("nvme version")
    names = list(machine.answers)
    assert machine.ask(names) == machine.answers
    # what it does not have is answered by the distribution's nvme
    assert machine.run("nvme-mptcp intel --help 2>&1; :") == machine.run(
        "nvme intel --help 2>&1; :"
    )
    assert machine.run("nvme-mptcp check --help; true").startswith("Usage: nvme-mptcp check ")
    assert machine.run("nvme-mptcp relay --help; true").startswith("Usage: nvme-mptcp relay ")


def test_nothing_is_enabled(machine: Machine) -> None:
    assert machine.run("find /etc/systemd -name '*nvme-mptcp*'") == ""


def test_an_upgrade_connects_nothing(machine: Machine) -> None:
    """Services go on with the new program; what connects once is not run once more.

    The relay is never stopped: that would end its connections.
    """
    machine.fake_systemd()
    upgrade = f"dpkg --install {machine.debs['nvme-mptcp']}"
    restarted, reloaded = "restart nvme-mptcp.service", "reload nvme-mptcp-relay.service"
    assert machine.asked(upgrade) == [restarted, reloaded]
    machine.run("printf '#!/bin/sh\\nexit 3\\n' >/tmp/asked/systemctl")  # no relay runs
    assert machine.asked(upgrade) == [restarted]
    for words in machine.asked("dpkg --remove libnvme-mptcp-dev nvme-mptcp"):
        assert words.startswith("stop "), words
    machine.run(
        f"dpkg-deb --control {machine.debs['python3-nvme-mptcp']} /tmp/asked/control && "
        "! grep deb-systemd-invoke /tmp/asked/control/*"
    )
    machine.run("rm -r /tmp/asked /run/systemd/system")
    machine.install(*PROGRAM)


IMPORTS = "python3 -c 'import libnvme, nvme_mptcp, libnvme.nvme; print(libnvme.__file__)'"


def test_the_modules_are_there(machine: Machine) -> None:
    """With Debian's python3-libnvme, where the release has it, "import libnvme" is that one."""
    theirs = machine.run("apt-cache pkgnames python3-libnvme").strip()
    if theirs:
        machine.run(f"{APT} remove {theirs}")
    machine.install(*PYTHON)
    version = machine.run("python3 -c 'import libnvme; print(libnvme.__version__)'").strip()
    assert machine.debs["python3-nvme-mptcp"].name.split("_")[1].startswith(f"{version}-")
    assert "/nvme-mptcp/" in machine.run(IMPORTS)
    assert machine.run("python3 -m nvme_mptcp.nvmet --help").startswith(
        "usage: python3 -m nvme_mptcp.nvmet"
    )
    assert machine.verify() == ""
    if theirs:
        machine.run(f"{APT} install {theirs}")
        assert "/nvme-mptcp/" not in machine.run(IMPORTS)
        # whichever is loaded first
        for order in ("libnvme.nvme, nvme_mptcp", "nvme_mptcp, libnvme.nvme"):
            script = f"import {order}; print(len(nvme_mptcp.snapshot().controllers))"
            assert machine.run(f'python3 -c "{script}"') == "0\n"
        machine.run("python3 -m nvme_mptcp.nvmet --help")
    machine.run(f"{APT} autoremove --purge python3-nvme-mptcp")
    assert only_in(machine.before, machine.files()) == []


def test_every_command_of_the_other_program_answers(machine: Machine) -> None:
    """With nvme-mptcp-nvme: what it does not have itself is answered as it was before."""
    machine.install(*NVME)
    assert machine.verify() == ""
    assert "(nvme-mptcp " in machine.run("nvme version")
    own = machine.run("nvme help")
    names = set(re.findall(r"^  ([a-z][\w-]+)\s{2,}\S", own, re.M))
    handed = []
    for name, text in machine.ask(list(machine.answers)).items():
        assert "Invalid sub-command" not in text, name
        if name not in names:
            handed.append(name)
            assert text == machine.answers[name], name
    assert len(handed) > 20, handed  # plugins of vendors: all other commands are ours
    assert {"intel", "wdc", "micron"} <= set(handed)


def test_arguments_reach_the_other_program(machine: Machine) -> None:
    """As they were typed, and its exit status comes back."""
    words = "intel no-such 'a  b' ''"
    assert machine.run(f"nvme {words}; echo $?") == machine.run(f"nvme.distrib {words}; echo $?")


def test_installing_again_changes_nothing(machine: Machine) -> None:
    """Upgrades of either side keep both programs where they are."""
    machine.install(*NVME, more="--reinstall")
    machine.run("DEBIAN_FRONTEND=noninteractive apt-get -qy --reinstall install nvme-cli")
    assert machine.files()["usr/sbin/nvme.distrib"] == machine.before["usr/sbin/nvme"]
    assert "(nvme-mptcp " in machine.run("nvme version")
    assert machine.verify() == ""


def test_without_the_other_program_it_is_named(machine: Machine) -> None:
    """nvme-cli may go and come while ours stands for it."""
    machine.run("apt-get -qy remove nvme-cli")
    printed = machine.run("nvme intel help", status=1)
    assert "/usr/sbin/nvme.distrib" in printed
    assert len(printed.splitlines()) == 1
    assert "(nvme-mptcp " in machine.run("nvme version")
    machine.run(
        "DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install nvme-cli"
    )
    assert machine.files()["usr/sbin/nvme.distrib"] == machine.before["usr/sbin/nvme"]


def test_removing_brings_the_other_program_back(machine: Machine) -> None:
    machine.run("apt-get -qy remove nvme-mptcp-nvme")
    assert machine.run("dpkg-divert --list '*nvme*'") == ""
    assert machine.ask(["list", "intel"]) == {n: machine.answers[n] for n in ("list", "intel")}
    assert machine.verify() == ""


IN_THE_WAY = """
mkdir -p /tmp/way/DEBIAN /tmp/way/usr/share/doc/nvme-mptcp-nvme
printf '%s\\n' 'Package: in-the-way' 'Version: 1' 'Architecture: all' 'Maintainer: test <a@b.c>' \\
    'Description: a file of another package' >/tmp/way/DEBIAN/control
touch /tmp/way/usr/share/doc/nvme-mptcp-nvme/copyright
dpkg-deb --build /tmp/way /tmp/way.deb && dpkg --install /tmp/way.deb
"""


def test_an_installation_that_fails_leaves_no_diversion(machine: Machine) -> None:
    """dpkg unpacks nothing over a file of another package, after preinst has run."""
    machine.run("dpkg --purge nvme-mptcp-nvme")
    machine.run(IN_THE_WAY)
    printed = machine.run(f"dpkg --install {machine.debs['nvme-mptcp-nvme']}", status=1)
    assert "Adding 'diversion of /usr/sbin/nvme" in printed
    assert "in-the-way" in printed
    machine.run("dpkg --purge in-the-way; rm -r /tmp/way /tmp/way.deb")
    assert machine.run("dpkg-divert --list '*nvme*'") == ""
    assert machine.files()["usr/sbin/nvme"] == machine.before["usr/sbin/nvme"]


def test_a_diversion_of_the_administrator_is_left_alone(machine: Machine) -> None:
    """The package is refused as a whole, and installed after the diversion is removed."""
    divert = "dpkg-divert --local --rename"
    machine.run(f"{divert} --divert /usr/sbin/nvme.mine --add /usr/sbin/nvme")
    deb = machine.debs["nvme-mptcp-nvme"]
    printed = machine.run(f"dpkg --install {deb}", status=1)
    remove = f"{divert} --remove /usr/sbin/nvme"
    assert f"has a local diversion already; to install this package, remove it: {remove}" in printed
    assert machine.run("dpkg --audit && dpkg --list | grep nvme-mptcp-nvme || :") == ""
    assert machine.run("dpkg-divert --list '*nvme*'") == (
        "local diversion of /usr/sbin/nvme to /usr/sbin/nvme.mine\n"
    )
    assert machine.files()["usr/sbin/nvme.mine"] == machine.before["usr/sbin/nvme"]
    machine.run(f"{remove} && dpkg --install {deb} && dpkg --purge nvme-mptcp-nvme")
    assert machine.files()["usr/sbin/nvme"] == machine.before["usr/sbin/nvme"]


def test_purging_leaves_the_machine_as_it_was(machine: Machine) -> None:
    machine.install(*NVME)
    machine.install(*OWN)
    machine.run(f"apt-get -qy purge {' '.join(sorted(OWN))}")
    machine.run("apt-get -qy autoremove --purge")
    assert machine.verify() == ""
    assert machine.run("dpkg-divert --list '*nvme*'") == ""
    after = machine.files()
    assert only_in(machine.before, after) == []
    assert [name for name in only_in(after, machine.before) if "nvme" in name] == []


def test_a_name_survives_the_purge_of_nvme_cli(machine: Machine) -> None:
    """Which deletes all of /etc/nvme; afterwards the name is that of nvme-mptcp."""
    machine.install(*PROGRAM)
    name = machine.run("cat /etc/nvme/hostnqn /etc/nvme/hostid")
    printed = machine.run("apt-get -qy -o Dpkg::Use-Pty=0 purge nvme-cli")
    assert "nvme-mptcp: /etc/nvme was deleted" in printed
    assert machine.run("cat /etc/nvme/hostnqn /etc/nvme/hostid") == name
    machine.run("dpkg --purge nvme-mptcp libnvme-mptcp0")
    assert not (machine.root.tree / "etc/nvme").exists()
    machine.run(f"{APT} install nvme-cli")


def test_a_host_without_nvme_cli_has_one_name(machine: Machine) -> None:
    """It is made once, stays through an upgrade, and goes with the package that made it."""
    machine.run("apt-get -qy purge nvme-cli")
    assert not (machine.root.tree / "etc/nvme").exists()
    machine.install(*PROGRAM)
    name = machine.run("cat /etc/nvme/hostnqn")
    assert name.startswith("nqn.2014-08.org.nvmexpress:uuid:")
    assert machine.run("cat /etc/nvme/hostid") == name.rpartition(":")[2]
    machine.run(f"dpkg --install {machine.debs['nvme-mptcp']}")
    assert machine.run("cat /etc/nvme/hostnqn") == name
    machine.run("dpkg --purge nvme-mptcp")
    assert not (machine.root.tree / "etc/nvme").exists()
    machine.run("mkdir -p /etc/nvme && echo nqn.2026-01.org.example:mine >/etc/nvme/hostnqn")
    machine.install(*PROGRAM)
    machine.run("dpkg --purge nvme-mptcp")
    assert machine.run("cat /etc/nvme/hostnqn") == "nqn.2026-01.org.example:mine\n"
