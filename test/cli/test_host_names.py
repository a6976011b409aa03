# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who this host is: from files that may hold anything, from variables, and from the firmware."""

import re

import pytest
from conftest import Nvme
from fake_sysfs import FakeHost

UUID = "4c4c4544-0035-5910-804b-c4c04f503533"
NQN = f"nqn.2014-08.org.nvmexpress:uuid:{UUID}"
OTHER = "11111111-2222-3333-4444-555555555555"
RANDOM = r"nqn\.2014-08\.org\.nvmexpress:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}"
LONGEST = "n" * 223
#: Type 1, System Information, of SMBIOS 2.6 and newer, with UUID.
DMI = bytes.fromhex("011b0001010203044445 4c4c3500 1059804b c4c04f503533 060000")


def said_by(nvme: Nvme, **env: str) -> str | None:
    """The name that the program has for this host, or None where it refuses to have one."""
    result = nvme("show-hostnqn", env=env)
    return result.out.removesuffix("\n") if result.status == 0 else None


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (f"{NQN}\n", NQN), (NQN, NQN), (f"{NQN}\r\n", NQN), (f"{NQN} \t\nsecond line\n", NQN),
        ("", RANDOM), ("\n", RANDOM), (f" \r\n{NQN}", RANDOM), (f"\0{NQN}", RANDOM),
        ("nqn.a b\n", None), ("nqn.a,hostid=1\n", None), ("nqn.\x1b[31m\n", None),
        (f"{LONGEST}\n", LONGEST), (f"{LONGEST}n\n", None), (f"{LONGEST}n", None),
    ],
)  # fmt: skip
def test_hostnqn_file(nvme: Nvme, host: FakeHost, content: str, wanted: str | None) -> None:
    (host.etc / "hostnqn").write_text(content)
    found = said_by(nvme)
    assert found == wanted or (wanted == RANDOM and found and re.fullmatch(RANDOM, found))


def identity(nvme: Nvme, host: FakeHost, *args: str, **env: str) -> tuple[str, str] | None:
    """What a connect sends of this host, or None where nothing is sent."""
    before = len(host.connects)
    nvme("connect", "-t", "tcp", "-a", "10.1.1.1", "-n", "nqn.x", *args, env=env)
    if len(host.connects) == before:
        return None
    sent = dict(word.partition("=")[::2] for word in host.connects[-1].split(","))
    return sent["hostnqn"], sent["hostid"]


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (f"{OTHER}\n", OTHER), (f"{OTHER}\r\n", OTHER), (OTHER, OTHER),
        ("", UUID),  # that of the host's NQN
        ("4c4c4544-0035-5910\n", None), (f"{UUID}0\n", None), (f"{UUID[:-1]}g\n", None),
        ("00000000-0000-0000-0000-000000000000\n", None),
        ("ffffffff-ffff-ffff-ffff-ffffffffffff\n", None),
    ],
)  # fmt: skip
def test_hostid_file(nvme: Nvme, host: FakeHost, content: str, wanted: str | None) -> None:
    """A wrong file is not replaced by another identity."""
    (host.etc / "hostnqn").write_text(NQN)
    (host.etc / "hostid").write_text(content)
    assert identity(nvme, host) == (wanted and (NQN, wanted))


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [("hostnqn", "nqn.a b\n", "unknown"), ("hostid", f"{UUID[:-1]}g\n", NQN)],
)
def test_wrong_names_hide_no_controller(
    nvme: Nvme, host: FakeHost, name: str, content: str, shown: str
) -> None:
    """Only connecting needs them; each run reports them once."""
    host.subsystem(0, "nqn.pci").controller(0, "pcie", "0000:00:04.0")
    host.subsystem(1, "nqn.fabric").controller(1)
    (host.etc / "hostnqn").write_text(NQN)
    (host.etc / name).write_text(content)
    result = nvme("list-subsys", "-o", "json")
    assert (result.status, result.json[0]["HostNQN"]) == (0, shown)
    assert result.err.count(f"nvme/{name}: ") == 1
    assert identity(nvme, host) is None
    refused = nvme("connect", "-t", "tcp", "-a", "10.1.1.1", "-n", "nqn.x")
    assert (refused.status, refused.err.count(f"nvme/{name}: ")) == (1, 1)
    assert nvme("disconnect-all").status == 0 and host.deleted == ["nvme1"]


def test_options_come_first(nvme: Nvme, host: FakeHost) -> None:
    (host.etc / "hostnqn").write_text(NQN)
    (host.etc / "hostid").write_text(OTHER)
    assert identity(nvme, host, "-q", "nqn.mine") == ("nqn.mine", OTHER)
    assert identity(nvme, host, "-q", "nqn.mine", "-I", UUID) == ("nqn.mine", UUID)
    (host.etc / "hostnqn").write_text("")
    assert identity(nvme, host) == (NQN.replace(UUID, OTHER), OTHER)


@pytest.mark.parametrize(
    ("nqn", "hostid", "wanted"),
    [
        (NQN, UUID, (NQN, UUID)), (f"{NQN}\n", f"{UUID} ", (NQN, UUID)),
        ("nqn.a\nnqn.b", UUID, None), ("nqn.a,hostid=1", UUID, None), (f"{LONGEST}n", UUID, None),
        (NQN, "not a UUID", None), (NQN, f"{UUID}\n{UUID}", None), (NQN, "/etc/hostname", None),
        (LONGEST, UUID, (LONGEST, UUID)),
    ],
)  # fmt: skip
def test_variables_are_values(
    nvme: Nvme, host: FakeHost, nqn: str, hostid: str, wanted: tuple[str, str] | None
) -> None:
    """They hold names, not names of files, and count although there are files."""
    (host.etc / "hostnqn").write_text("nqn.of.the.file")
    assert identity(nvme, host, LIBNVME_HOSTNQN=nqn, LIBNVME_HOSTID=hostid) == wanted


def test_firmware(nvme: Nvme, host: FakeHost) -> None:
    """The machine's own number, from either place; without one another NQN every time."""
    (host.etc / "hostnqn").unlink()
    product = host.sys / "class/dmi/id/product_uuid"
    product.parent.mkdir(parents=True)
    product.write_text(f"{UUID.upper()}\n")
    assert nvme("gen-hostnqn").out == f"{NQN}\n"
    product.write_text("00000000-0000-0000-0000-000000000000\n")
    entry = host.sys / "firmware/dmi/entries/1-0/raw"
    entry.parent.mkdir(parents=True)
    entry.write_bytes(DMI)
    assert nvme("gen-hostnqn").out == f"{NQN}\n"
    entry.unlink()
    entry.parent.rmdir()
    first, second = (nvme("gen-hostnqn").out for _ in range(2))
    assert re.fullmatch(RANDOM + "\n", first) and first != second
