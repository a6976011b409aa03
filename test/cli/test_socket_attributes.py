# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who reads `address` and `queue_addrs`, which the kernel answers from a controller's sockets.

nvme-tcp of Linux 6.12 and 7.3 does not survive two readers while a controller reconnects.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from conftest import NVME, Nvme

if TYPE_CHECKING:
    from pathlib import Path

    from fake_sysfs import FakeHost

NQN = "nqn.2025-01.test:one"
PORTAL = "traddr=10.1.1.1,trsvcid=4420,host_traddr=10.1.1.2,host_iface=eth1"
#: Commands that print addresses, and those that need none.
SHOWN = (("list", "-v"), ("list-subsys",), ("show-topology",))
OTHER = (("list",), ("disconnect", "-n", "nqn.none"), ("mptcp", "show-subflows"))
STATES = ("new", "resetting", "connecting", "deleting", "deleting (no IO)", "dead")


@pytest.fixture
def attributes(host: FakeHost) -> Path:
    """The attributes of a live controller."""
    subsystem = host.subsystem(0, NQN)
    subsystem.controller(0, "mptcp", f"{PORTAL},src_addr=10.1.1.9", queue_addrs="")
    subsystem.namespace(1)
    (host.fake / "opened").touch()
    return host.sys / "class/nvme/nvme0"


def asked(host: FakeHost) -> list[str]:
    """Which of the two attributes were opened."""
    opened = (host.fake / "opened").read_text().splitlines()
    return re.findall(r"/(address|queue_addrs)$", "\n".join(opened), re.MULTILINE)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("args", SHOWN + OTHER)
def test_no_socket_of_a_controller_that_is_not_live(
    nvme: Nvme, attributes: Path, state: str, args: tuple[str, ...]
) -> None:
    """What it was connected with is printed instead, as the kernel prints it."""
    (attributes / "state").write_text(f"{state}\n")
    done = nvme(*args)
    assert asked(nvme.host) == []
    if args in SHOWN:
        assert (done.status, done.err) == (0, "")
        assert re.search(rf"{PORTAL}(?!,src_addr)", done.out)


@pytest.mark.parametrize("args", SHOWN)
def test_a_socket_is_asked_once(nvme: Nvme, attributes: Path, args: tuple[str, ...]) -> None:
    assert f"{PORTAL},src_addr=10.1.1.9" in nvme(*args).out
    assert asked(nvme.host).count("address") == 1


@pytest.mark.parametrize("args", [OTHER[0], OTHER[1]])
def test_what_prints_no_address_asks_no_socket(
    nvme: Nvme, attributes: Path, args: tuple[str, ...]
) -> None:
    nvme(*args)
    assert asked(nvme.host) == []


@pytest.mark.parametrize("root", [True, False])
def test_two_programs_do_not_ask_at_once(nvme: Nvme, attributes: Path, root: bool) -> None:
    """The first one waits for the kernel's answer; the second one ends without asking."""
    host = nvme.host
    if root:
        (host.root / "sysfs/run").mkdir()
    (attributes / "address").unlink()
    os.mkfifo(attributes / "address")
    first = subprocess.Popen(
        [NVME, "list-subsys"], stdout=subprocess.PIPE, text=True, env=nvme.environment()
    )
    # Opening it ends when the first one has opened it, too.
    with (attributes / "address").open("w") as answer:
        second = nvme.ok("list-subsys")
        assert re.search(rf"{PORTAL}(?!,src_addr)", second.out)
        answer.write(f"{PORTAL},src_addr=10.1.1.9\n")
    out, _ = first.communicate(timeout=60)
    assert f"{PORTAL},src_addr=10.1.1.9" in out
    assert asked(host) == ["address"]


def test_other_users_do_not_keep_root_from_asking(nvme: Nvme, attributes: Path) -> None:
    """Everybody can hold the lock of a directory; root's programs have one of their own."""
    held = os.open(nvme.host.sys / "class/nvme", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        assert "src_addr" not in nvme("list-subsys").out
        (nvme.host.root / "sysfs/run").mkdir()
        assert f"{PORTAL},src_addr=10.1.1.9" in nvme("list-subsys").out
    finally:
        os.close(held)
    lock = nvme.host.root / "sysfs/run/nvme-mptcp/sysfs.lock"
    assert lock.stat().st_mode & 0o777 == 0o600
