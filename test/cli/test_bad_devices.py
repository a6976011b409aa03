# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices that are none, or not to be had: every command says so in one line, with status 1."""

import errno
import os
from pathlib import Path

import command_table
import golden_cases
import pytest

COMMANDS = [n for n, c in command_table.builtin().items() if c["operands"] == "DEVICE"]
# What a command needs beside its device to get as far as opening it.
ENOUGH = {name: golden_cases.CASES[name].args[1:] for name in COMMANDS}


def one_line(result, line):
    assert (result.status, result.out, result.err) == (1, "", f"{line}\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_devices(nvme, valid, tmp_path, name):
    plain = tmp_path / "file"
    plain.write_text("")
    more = ENOUGH[name]
    missing = "No such file or directory"
    one_line(
        nvme(name, *more), f"{name}: Invalid argument (which device? e.g. nvme {name} /dev/nvme0)"
    )
    one_line(nvme(name, "nvme0", *more), f"nvme0: {missing} (is it /dev/nvme0?)")
    one_line(
        nvme(name, "/dev/nvme77", *more),
        f"/dev/nvme77: {missing} (nvme list and nvme list-subsys print the devices)",
    )
    one_line(nvme(name, str(plain), *more), f"{plain} is not a block or character device")
    one_line(nvme(name, str(tmp_path), *more), f"{tmp_path} is not a block or character device")
    one_line(
        nvme(name, "mctp:1,9", *more),
        f"mctp:1,9: {missing} (devices behind MCTP are not supported)",
    )
    one_line(nvme(name, "/dev/\033[2J", *more), rf"/dev/\x1b[2J: {missing} (nvme list and nvme "
             "list-subsys print the devices)")  # fmt: skip
    # A character device that is none of NVMe's: what its driver says, and a hint.
    said = nvme.error(name, "/dev/null", *more)
    assert len(said.splitlines()) == 1
    assert "NVM" in said
    if "json" in command_table.builtin()[name]["formats"]:
        result = nvme(name, "/dev/nvme77", *more, "--output-format=json")
        assert (result.status, result.err) == (1, "")
        valid("error", result.json)
        assert result.json["error"].startswith(f"/dev/nvme77: {missing}")


def refuse(host, device, number):
    """Opening the device fails from now on."""
    (host.fake / f"{device}.open-errno").write_text(str(number))


@pytest.mark.parametrize("name", COMMANDS)
def test_privileges(nvme, host, name):
    refuse(host, "nvme0", errno.EACCES)
    (host.fake / "euid").write_text("1000")
    result = nvme(name, "/dev/nvme0", *ENOUGH[name])
    one_line(result, "/dev/nvme0: Permission denied (only root may do that)")


def test_partition(nvme, host):
    host.command("nvme0n1p2", "admin", 0x06, 0x01, errno=errno.EACCES)
    one_line(
        nvme("id-ctrl", "/dev/nvme0n1p2"),
        "identify controller: Permission denied "
        "(a partition does not accept commands; use its namespace: /dev/nvme0n1)",
    )


def test_a_closed_connection_ends_no_command(nvme, host):
    """The kernel's send raises SIGPIPE in the thread that submits a command."""
    host.command("nvme0", "admin", 0x06, 0x01, errno=errno.EPIPE)
    one_line(nvme("id-ctrl", "/dev/nvme0"), "identify controller: Broken pipe")


@pytest.mark.skipif(not Path("/dev/loop0").is_block_device(), reason="skipped: no /dev/loop0")
@pytest.mark.skipif(os.geteuid() != 0, reason="skipped: only root opens /dev/loop0")
@pytest.mark.parametrize("name", COMMANDS)
def test_block_device_of_another_driver(nvme, name):
    if name == "write":
        pytest.skip("skipped: it would write if the loop device took the command")
    said = nvme.error(name, "/dev/loop0", *ENOUGH[name])
    assert len(said.splitlines()) == 1
    assert said.endswith(")\n")


@pytest.mark.parametrize("name", ["list", "list-subsys", "show-topology"])
def test_no_modules(nvme, host, valid, name):
    for directory in ("class/nvme", "class/nvme-subsystem"):
        (host.sys / directory).rmdir()
    words = (
        "Failed to scan topology: No such file or directory "
        "(are the NVMe modules loaded? modprobe nvme-fabrics)"
    )
    one_line(nvme(name), words)
    result = nvme(name, "-o", "json")
    assert (result.status, result.err, result.json) == (1, "", {"error": words})
    valid("error", result.json)
