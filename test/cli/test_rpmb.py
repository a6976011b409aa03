# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme rpmb: what is written is authenticated, what is read is checked, and keys stay secret."""

import golden_cases
import pytest
import rpmb_device
from rpmb_device import KEY, OTHER_KEY

CTRL = "/dev/nvme0"
SECTOR = 512


@pytest.fixture
def device(host):
    """The directory of a controller with two targets, of which the first has a key."""
    golden_cases.protected(host)
    return host.fake / "nvme0"


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_text(KEY)
    return path


@pytest.fixture
def message(tmp_path):
    """Five sectors."""
    path = tmp_path / "message"
    path.write_bytes(bytes(range(256)) * 10)
    return path


def test_what_there_is(nvme, device, valid):
    lines = [line.split() for line in nvme("rpmb", CTRL).out.splitlines() if line]
    assert lines == [
        ["[31:24]:", "0x1", "Access", "Size"],
        ["[23:16]:", "0", "Total", "Size"],
        ["[5:3]", ":", "0", "Authentication", "Method"],
        ["[2:0]", ":", "0x2", "Number", "of", "RPMB", "Units"],
    ]
    document = valid("rpmb", nvme("rpmb", CTRL, "-c", "info", "--output-format=json").json)
    assert document == {
        "access_size": 1, "total_size": 0, "authentication_method": 0, "units": 2,
    }  # fmt: skip


def test_round_trip(nvme, device, key_file, message, tmp_path):
    """In accesses of two sectors, each with its own counter; what is read is what was written."""
    written = nvme("rpmb", CTRL, "-c", "write-data", "-g", str(key_file), "-f", str(message),
                   "-o", "3", "-b", "5")  # fmt: skip
    assert (written.status, written.err) == (0, "")
    assert written.out == "Written 5 sectors out of 5 @target(0):0x3\n"
    assert (device / "rpmb-data-0").read_bytes()[3 * SECTOR : 8 * SECTOR] == message.read_bytes()
    assert nvme("rpmb", CTRL, "-c", "read-counter").out == "Write Counter is: 80\n"
    copy = tmp_path / "copy"
    read = nvme("rpmb", CTRL, "-c", "read-data", "-f", str(copy), "-o", "3", "-b", "5", "-k", KEY)
    assert (read.status, read.out) == (0, f"Writing 2560 bytes to file {copy}\n")
    assert copy.read_bytes() == message.read_bytes()
    assert copy.stat().st_mode & 0o777 == 0o600


def test_documents(nvme, device, valid):
    def document(*args):
        return valid("rpmb", nvme("rpmb", CTRL, *args, "--output-format=json").json)

    assert document("-c", "read-counter") == {"write_counter": 77}
    assert document("-c", "read-data", "-b", "1") == {"data": [0] * SECTOR}
    assert document("-c", "read-config") == {
        "boot_partition_protection": True,
        "boot_partition_1_locked": True,
        "boot_partition_0_locked": False,
    }
    assert document("-c", "write-config", "-k", KEY, "-d", "x") == {
        "result": "write-config: success"
    }


def test_configuration(nvme, device, tmp_path):
    assert nvme("rpmb", CTRL, "-c", "read-config").out.splitlines() == [
        "Boot Partition Protection is Enabled",
        "Boot Partition 1 is Locked",
        "Boot Partition 0 is Unlocked",
    ]
    block = tmp_path / "block"
    block.write_bytes(b"\0\1")
    assert nvme.ok("rpmb", CTRL, "-c", "write-config", "-k", KEY, "-f", str(block)).out == ""
    assert (device / "rpmb-config").read_bytes() == b"\0\1" + bytes(510)
    assert nvme("rpmb", CTRL, "-c", "read-config", "-f", str(tmp_path / "copy")).status == 0
    assert (tmp_path / "copy").read_bytes() == b"\0\1" + bytes(510)


def test_program_key(nvme, device, key_file):
    """Once, and the controller says so."""
    assert nvme.ok("rpmb", CTRL, "-c", "program-key", "-t", "1", "-g", str(key_file)).out == ""
    assert (device / "rpmb-key-1").read_text() == KEY
    said = nvme.error("rpmb", CTRL, "-c", "program-key", "-t", "1", "-k", OTHER_KEY)
    assert said == ("RPMB request 0x0001 to target 0x1: Write (data/counter/result) failure\n")
    assert (device / "rpmb-key-1").read_text() == KEY


#: What is wrong with an answer, and the words about it.
TAMPERED = {
    "mac": "wrong MAC in the response",
    "nonce": "wrong nonce in the response",
    "type": "non-matching response 0x0a00 for 0x000",
    "target": "the response is from target 0x5",
    "1": "General failure",
    "2": "Authentication (MAC) failure",
    "4": "Address failure",
    "7": "Authentication key not yet programmed",
    "9": "Unknown error 0x09",
}


@pytest.mark.parametrize("operation", ["read-counter", "read-data", "read-config"])
@pytest.mark.parametrize("how", TAMPERED)
def test_false_answers(nvme, device, how, operation, tmp_path):
    (device / "rpmb-tamper").write_text(how)
    copy = tmp_path / "copy"
    [line] = nvme.error(
        "rpmb", CTRL, "-c", operation, "-b", "1", "-k", KEY, "-f", str(copy)
    ).splitlines()
    assert TAMPERED[how] in line
    assert not copy.exists()


@pytest.mark.parametrize("how", ["mac", "type", "target", "counter", "address"])
def test_false_answers_to_writes(nvme, device, how, message):
    (device / "rpmb-tamper").write_text(how)
    [line] = nvme.error(
        "rpmb", CTRL, "-c", "write-data", "-b", "1", "-k", KEY, "-f", str(message)
    ).splitlines()
    assert line.startswith("RPMB request 0x000")


def test_another_key(nvme, device, message):
    """The answer about the counter is not authentic, so that nothing is written."""
    words = ("-c", "write-data", "-b", "1", "-k", OTHER_KEY, "-f", str(message))
    said = nvme.error("rpmb", CTRL, *words)
    assert "another key is programmed" in said
    assert not (device / "rpmb-data-0").exists()


def test_expired_counter(nvme, device):
    (device / "rpmb-tamper").write_text("0x80")
    result = nvme("rpmb", CTRL, "-c", "read-counter")
    assert (result.status, result.out) == (0, "Write Counter is: 77\n")
    assert result.err.startswith("Expired write-counter")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-c", "bogus"], "Invalid option bogus for rpmb command"),
        (["-c", "info", "-k", "x"], "--key has 1 bytes instead of 32"),
        (["-c", "program-key"], "program-key requires --keyfile or --key"),
        (["-c", "write-data", "-b", "1", "-d", "x"], "write-data requires --keyfile or --key"),
        (["-c", "program-key", "-k", KEY + "X"], "--key has 33 bytes instead of 32"),
        (["-c", "program-key", "-k", KEY, "-g", "/dev/null"], "exclude each other"),
        (["-c", "program-key", "-g", "/dev/null"], "/dev/null has 0 bytes instead of 32"),
        (["-c", "program-key", "-g", "/dev/zero"], "/dev/zero has more than 32 bytes"),
        (["-c", "program-key", "-g", "/no/such"], "/no/such: No such file or directory"),
    ],
)
def test_refused_at_once(nvme, host, device, args, words):
    result = nvme("rpmb", CTRL, *args)
    assert (result.status, result.out, host.written) == (1, "", [])
    [line] = result.err.splitlines()
    assert words in line


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["read-counter", "-t", "2"], "invalid --target 2: the controller has 2"),
        (["read-data"], "invalid transfer size 0"),
        (["read-data", "-b", "257"], "the target has 256 sectors"),
        (["read-data", "-b", "1", "-o", "256"], "the target has 256 sectors"),
        (["read-data", "-b", "4294967295", "-o", "2"], "the target has 256 sectors"),
        (["write-data", "-b", "1", "-k", KEY], "one of --msgfile and --msg is required"),
        (["write-data", "-b", "1", "-k", KEY, "-d", "short"], "the data has 5 bytes"),
        (["write-data", "-b", "1", "-k", KEY, "-f", "/dev/zero"], "not a regular file"),
        (["write-config", "-k", KEY, "-d", "x" * 513], "invalid config data: 513 bytes"),
        (["write-config", "-k", KEY, "-d", ""], "invalid config data: 0 bytes"),
    ],
)
def test_refused_by_what_there_is(nvme, host, device, args, words):
    """Identify Controller is all that is sent."""
    assert words in nvme.error("rpmb", CTRL, "-c", *args)
    assert [line.split()[2] for line in host.written] == ["opcode=06"]


@pytest.mark.parametrize("rpmbs", [0, 0xFFFF0000])
def test_controller_without(nvme, host, rpmbs):
    golden_cases.answering(host)
    rpmb_device.add(host, rpmbs)
    result = nvme("rpmb", CTRL, "-c", "read-counter")
    assert (result.status, result.err) == (1, "No RPMB targets are supported by the drive\n")


def test_another_method(nvme, host):
    golden_cases.answering(host)
    rpmb_device.add(host, rpmb_device.TWO_TARGETS | 8)
    said = nvme.error("rpmb", CTRL, "-c", "read-counter")
    assert "RPMB authentication method 1 of the controller is not supported" in said


@pytest.mark.parametrize("more", [(), ("-vv",), ("--dry-run",), ("--output-format=json",)])
@pytest.mark.parametrize("operation", ["program-key", "write-data", "read-counter", "bogus"])
def test_keys_are_not_shown(nvme, device, operation, more):
    """In no output, whatever goes wrong; not in traces either."""
    for key in (KEY, "SECRET", KEY + "SECRET"):
        result = nvme("rpmb", CTRL, "stray", "-c", operation, "-k", key, *more)
        assert KEY[:8] not in result.out + result.err
        assert "SECRET" not in result.out + result.err
