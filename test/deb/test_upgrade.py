# SPDX-License-Identifier: GPL-2.0-or-later
"""Upgrades of the packages from the version before, and removal in odd orders.

The tests of a release share a root and run in their order. What is in /etc and /usr is compared
by its contents.
"""

from collections.abc import Iterator

import pytest
from machine import Files, Machine, earlier_in, machine_of, only_in
from nvmetools import packages
from nvmetools.fresh import RELEASES

#: All but nvme-mptcp-dkms, whose upgrade is in test_dkms.py.
NEW = (
    "nvme-mptcp", "libnvme-mptcp0", "libnvme1-mptcp", "libnvme-mptcp-dev", "nvme-mptcp-nvme",
    "python3-nvme-mptcp",
)  # fmt: skip
OLD = ("nvme-mptcp", "nvme-mptcp-nvme", "python3-nvme-mptcp", "nvme-mptcp-dev")

PURGE = f"dpkg --purge {' '.join(sorted({*NEW, *OLD}))}"


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.codename)
def machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    """The root of a release with nvme-cli and libnvme."""
    with machine_of(request.param, packages.with_nvme_cli) as machine:
        # 0.2.0 conflicted with it
        machine.run("dpkg --purge python3-libnvme")
        # what packages of Debian bring is no change of ours
        machine.install(*NEW)
        machine.run(PURGE)
        machine.before = machine.files()
        yield machine


@pytest.fixture(scope="module")
def earlier(machine: Machine) -> dict[str, str]:
    return earlier_in(machine)


@pytest.fixture(scope="module")
def fresh(machine: Machine) -> Files:
    """The files of a new installation."""
    machine.install(*NEW)
    files = machine.files()
    machine.run(PURGE)
    assert changes(machine.before, machine.files()) == []
    return files


def changes(before: Files, after: Files) -> list[str]:
    """Files that are in one alone, or are different."""
    return sorted({*only_in(before, after), *only_in(after, before)})


def installed(machine: Machine) -> set[str]:
    """Packages of this project in any state but purged."""
    query = "dpkg-query -W -f '${Package} ${db:Status-Abbrev}\\n' '*nvme*mptcp*' 2>/dev/null || :"
    lines = machine.run(query).splitlines()
    return {line.split()[0] for line in lines if line.split()[1] != "un"}


def test_an_upgrade_is_like_a_new_installation(
    machine: Machine, earlier: dict[str, str], fresh: Files
) -> None:
    """The relay is reloaded and never stopped, the host keeps its name, no question is asked."""
    old = " ".join(earlier[name] for name in OLD)
    machine.run(f"{machine.installing()} {old}")
    assert "(nvme-mptcp 0.2.0)" in machine.run("nvme version")
    name = machine.run("cat /etc/nvme/hostnqn /etc/nvme/hostid")
    machine.fake_systemd()
    asked = machine.asked(machine.installing(*NEW))
    assert [words for words in asked if "relay" in words] == ["reload nvme-mptcp-relay.service"]
    assert not [words for words in asked if words.startswith("stop ")], asked
    machine.run("rm -r /tmp/asked /run/systemd/system")
    assert installed(machine) - {"nvme-mptcp-dev"} == set(NEW)
    assert machine.verify() == ""
    assert f"(nvme-mptcp {packages.version()})" in machine.run("nvme version")
    assert machine.run("cat /etc/nvme/hostnqn /etc/nvme/hostid") == name
    assert changes(fresh, machine.files()) == []
    machine.run(PURGE)
    assert changes(machine.before, machine.files()) == []
    assert machine.run("dpkg-divert --list '*nvme*'") == ""


def test_parts_are_upgraded_by_themselves(machine: Machine, earlier: dict[str, str]) -> None:
    """With what they need, and the others as far as they fit; nothing is half installed."""
    for one in ("nvme-mptcp", "python3-nvme-mptcp", "nvme-mptcp-nvme"):
        old = " ".join(earlier[name] for name in OLD if name != "nvme-mptcp-dev")
        machine.run(f"{machine.installing()} {old}")
        needed = {one, "nvme-mptcp", "libnvme-mptcp0", "libnvme1-mptcp"}
        machine.install(*sorted(needed))
        assert machine.run("dpkg --audit") == ""
        assert machine.verify() == ""
        machine.run(PURGE)
        assert changes(machine.before, machine.files()) == []


@pytest.mark.parametrize(
    "order",
    [
        ("nvme-mptcp-nvme", "nvme-mptcp", "python3-nvme-mptcp", "libnvme1-mptcp",
         "libnvme-mptcp-dev", "libnvme-mptcp0"),
        ("libnvme-mptcp0", "libnvme1-mptcp", "nvme-mptcp", "libnvme-mptcp-dev",
         "python3-nvme-mptcp", "nvme-mptcp-nvme"),
    ],
    ids=["users-first", "libraries-first"],
)  # fmt: skip
def test_any_order_will_do(machine: Machine, order: tuple[str, ...]) -> None:
    """Unpacked one by one before what they need, configured at the end, removed, and purged."""
    for name in order:
        machine.run(f"dpkg --unpack {machine.debs[name]}")
    machine.run("dpkg --configure -a")
    assert machine.verify() == ""
    assert f"(nvme-mptcp {packages.version()})" in machine.run("nvme version")
    for name in order:
        machine.run(f"dpkg --force-depends --remove {name}")
    assert machine.run("dpkg-divert --list '*nvme*'") == ""
    assert "(nvme-mptcp " not in machine.run("nvme version")
    # once more over the configuration that a removal keeps
    machine.install(*reversed(order))
    assert machine.verify() == ""
    for name in reversed(order):
        machine.run(f"dpkg --force-depends --purge {name}")
    assert installed(machine) == set()
    assert changes(machine.before, machine.files()) == []
