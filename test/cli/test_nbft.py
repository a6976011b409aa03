# SPDX-License-Identifier: LGPL-2.1-or-later
"""connect-all --nbft: what the firmware booted from."""

import errno

import pytest
from conftest import TOP

TABLES = TOP / "test/fuzz/corpus/nbft"
CHECKSUM = 9
TABLE_HOSTID = "11111111-1111-1111-1111-111111111111"
SSNS_FLAGS = 0x164  # of the only namespace: its second byte has the availability


@pytest.fixture
def tables(tmp_path):
    """A directory with one table."""

    def make(name="good", *, available=False):
        directory = tmp_path / "tables"
        directory.mkdir()
        table = bytearray((TABLES / name).read_bytes())
        if available:
            table[SSNS_FLAGS] &= 0xFE
        if len(table) > CHECKSUM:  # one that is cut before it has none to be right
            table[CHECKSUM] = 0
            table[CHECKSUM] = -sum(table[: int.from_bytes(table[4:8], "little")]) & 0xFF
        (directory / "NBFT").write_bytes(table)
        (directory / "DSDT").write_bytes(b"DSDT")
        return str(directory)

    return make


def test_connects(nvme, host, tables, valid):
    path = tables(available=True)
    host.answer_error(errno.ECONNREFUSED, times=8)
    result = nvme("connect-all", "--nbft", "--nbft-path", path, "-o", "json", status=1)
    valid("connect-all", result.json)
    assert host.connects
    identity = f",hostnqn=nqn.host,hostid={TABLE_HOSTID}"
    assert all(identity in line for line in host.connects), host.connects
    assert all("host_traddr=192.168.1." in line for line in host.connects)
    assert "SSNS" in result.err and "no controller found" in result.err


def test_success(nvme, host, tables):
    path = tables()
    for i in range(8):
        made = host.subsystem(i, f"nqn.boot{i}").controller(i, "tcp", connected=False)
        host.answer_connected(made)
    result = nvme("connect-all", "--nbft", "--nbft-path", path)
    assert result.out.startswith("device: nvme0\n"), result


def test_unavailable_at_boot(nvme, host, tables):
    path = tables()
    host.answer_error(errno.ECONNREFUSED, times=8)
    result = nvme("connect-all", "--nbft", "--nbft-path", path)
    assert (result.status, result.err) == (0, ""), "it was not there before either"
    assert host.connects


def test_nothing_there(nvme, host):
    assert nvme.ok("connect-all", "--nbft", "--nbft-path", "/nonexistent").out == ""


def test_not_asked_for(nvme, host, tables):
    path = tables()
    assert nvme("connect-all", "--no-nbft", "--nbft-path", path).status == 0
    assert nvme("discover", "--nbft-path", path).status == 0
    assert host.written == []


@pytest.mark.parametrize("name", sorted(p.name for p in TABLES.iterdir() if p.name != "good"))
def test_broken_tables(nvme, host, tables, name):
    result = nvme("connect-all", "--nbft", "--nbft-path", tables(name))
    assert result.status in (0, 1)
    if result.status:
        assert result.err
