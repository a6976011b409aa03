# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands made from tables: what they send from files, write to files and registers, refuse."""

import re

import golden_cases
import pytest
from device_data import ID_NS

NS, CTRL = "/dev/nvme0n1", "/dev/nvme0"
SIZE = 4096
CREATE = "create-ns C -s 1 -c 1 -f 0"
MANY = ",".join("1" * 257)
HANDLES = "Invalid Placement handle list: --phndls takes as many numbers as --nphndls, up to 128"


#: Opcodes of the NVM Express Base Specification, and of the NVM Command Set Specification.
OPCODES = {
    "format": 0x80, "sanitize": 0x84, "create-ns": 0x0D, "delete-ns": 0x0D, "attach-ns": 0x15,
    "detach-ns": 0x15, "fw-download": 0x11, "fw-commit": 0x10, "device-self-test": 0x14,
    "capacity-mgmt": 0x20, "virt-mgmt": 0x1C, "lockdown": 0x24, "dir-receive": 0x1A,
    "dir-send": 0x19, "security-recv": 0x82, "security-send": 0x81, "nvme-mi-recv": 0x1E,
    "nvme-mi-send": 0x1D, "resv-register": 0x0D, "resv-acquire": 0x11, "resv-report": 0x0E,
    "resv-release": 0x15, "write-uncor": 0x04, "verify": 0x0C, "copy": 0x19,
    "get-lba-status": 0x86, "io-mgmt-recv": 0x12, "io-mgmt-send": 0x1D, "flush": 0x00,
    "write-zeroes": 0x08, "dsm": 0x09, "compare": 0x05, "read": 0x02, "write": 0x01,
    "get-feature": 0x0A, "set-feature": 0x09,
}  # fmt: skip


@pytest.fixture
def machine(host):
    """A controller that answers everything."""
    golden_cases.answering(host)
    return host


@pytest.fixture
def local(host):
    """The registers of a local controller, as a file."""
    controller = host.subsystem(0, "nqn.local").controller(0, "pcie", "0000:01:00.0")
    device = host.sys / "devices/pci0000:00/0000:01:00.0"
    device.mkdir(parents=True)
    (controller.directory / "device").symlink_to(device)
    registers = device / "resource0"
    registers.write_bytes(bytes(SIZE))
    return registers


@pytest.mark.parametrize(
    ("size", "blocks"),
    [
        ("3.84T", 7500001280),  # 3662109.375 MiB, rounded up
        ("1.5G", 2930688),
        ("0.1G", 196608),
        ("2G", 3907584),
        ("0x1E", 0x1E),  # no unit, but a number of blocks
    ],
)
def test_sizes_as_drives_are_sold(nvme, machine, size, blocks):
    """Decimal units, with fractions, rounded up to the granularity: a MiB if nobody tells."""
    machine.command("nvme0", "admin", 0x06, 0x16, bytes(4096))
    machine.command("nvme0", "admin", 0x0D, 0x00, b"", result=1)
    assert nvme("create-ns", CTRL, "-S", size, "-C", size, "-f", "0").status == 0
    sent = (machine.fake / "nvme0/admin-0d-00.got").read_bytes()
    assert [int.from_bytes(sent[at : at + 8], "little") for at in (0, 8)] == [blocks, blocks]


def test_a_granularity_that_is_refused_is_only_a_hint(nvme, machine):
    """A controller that announces the list and refuses it still gets its namespace."""
    identify = bytearray((machine.fake / "nvme0/admin-06-01").read_bytes())
    identify[96] |= 0x80  # CTRATT
    (machine.fake / "nvme0/admin-06-01").write_bytes(identify)
    (machine.fake / "nvme0/admin-06-16.status").write_text("2")
    nvme.ok(*CREATE.replace("C", CTRL).split())
    assert "opcode=0d" in machine.written[-1]


@pytest.mark.parametrize("size", ["1.5", "1.G", ".5G", "1.5.5G", "1.5GB", "1.5x", "19.5E", "-1.5G"])
def test_sizes_that_are_none(nvme, machine, size):
    said = nvme.error("create-ns", CTRL, "-S", size, "-C", "1G", "-f", "0")
    assert f"argument for 'nsze-si' but got '{size}'! (500G, for example)" in said
    assert machine.written == []


def test_characters_of_an_answer(nvme, machine):
    """JSON has the characters of each line of the dump; the last one may be short."""
    answer = b"sixteen letters!" + b"four" + bytes(4)
    machine.command("nvme0n1", "admin", 0x1A, 5, answer)
    document = nvme("dir-receive", NS, "-D", "1", "-O", "1", "-l", "24", "-o", "json").json
    assert document["data"] == ["sixteen.letters!", "four...."]
    text = nvme("dir-receive", NS, "-D", "1", "-O", "1", "-l", "24").out.splitlines()
    assert [line.split('"')[1] for line in text[2:]] == document["data"]


#: What is refused before anything is sent: N is the namespace's device, C the controller's.
REFUSED = [
    ("get-lba-status N", "action type (--action) has to be given"),
    ("get-lba-status N -a 16 -m 1048576", "invalid max-dw:1048576 (up to 1048575)"),
    ("copy N -s 1", "invalid range: --slbs and --blocks take one number for each range"),
    (f"copy N -s {MANY} -b 1", "Invalid --slbs: more than 256 ranges"),
    ("copy N -s 1 -b 1,65536",
     "invalid range: --blocks '1,65536': use numbers up to 65535, separated by commas"),
    (f"dsm N -s {MANY} -b 1", "Invalid --slbs: more than 256 ranges"),
    ("dsm N -s 1 -b 1,,2",
     "Invalid --blocks '1,,2': use numbers up to 4294967295, separated by commas"),
    (f"{CREATE} -n 128 -p {','.join('1' * 129)}", HANDLES),
    (f"{CREATE} -n 2 -p 1,65536", HANDLES),
    ("copy N -s 1 -b 1 -r 0x100000000",
     "invalid ref-tag:0x100000000 (up to 32 bits; 64 with --format=1)"),
    ("copy N -s 1 -b 1 -A 1,2", "invalid range: --expected-app-tags has 2 numbers for 1 ranges"),
    ("verify N -p 16", "invalid 'prinfo' param:16"),
    ("write-zeroes N -T 16", "Invalid directive type, 10"),
    ("security-send C -t 16777217", "invalid tl:16777217 (up to 16777216)"),
    ("security-recv C -x 16777217", "invalid size:16777217 (up to 16777216)"),
    ("security-recv C -x 4 -t 8", "invalid al:8 (up to --size, which is 4)"),
    ("dir-receive N -D 1 -O 1 -l 6", "invalid data-len:6 (a multiple of 4, up to 1048576)"),
    ("dir-send N -D 2 -O 1", "invalid directive type: 2 (--dir-type=0 or 1)"),
    ("io-mgmt-recv N", "invalid data-len:0 (a multiple of 4, up to 16777216)"),
    ("io-mgmt-send N -l 16777217", "invalid data-len:16777217 (a multiple of 4, up to 16777216)"),
    ("nvme-mi-send C -m 16", "invalid nmimt:16 (up to 15)"),
    ("nvme-mi-recv C -O 0 -l 16777217", "invalid data-len:16777217 (up to 16777216)"),
    ("nvme-mi-recv C -l 16", "nvme-mi-recv: opcode parameter required"),
    ("nvme-mi-send C", "nvme-mi-send: opcode parameter required"),
    ("get-reg C", "offset required param"),
    ("get-reg C -O 2", "Invalid --offset 0x2: use a multiple of 4 below 0x1000"),
    ("set-reg C -O 0x1000 -V 1", "Invalid --offset 0x1000: use a multiple of 4 below 0x1000"),
    ("set-reg C -O 20", "value required param"),
    ("set-reg C --cc 1 --aqa 1", "register: 0x24 (Admin Queue Attributes) not fabrics"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "line"), REFUSED)
def test_refused(nvme, machine, words, line):
    result = nvme(*({"N": NS, "C": CTRL}.get(word, word) for word in words.split()))
    assert (result.status, result.out, result.err, machine.written) == (1, "", line + "\n", [])


@pytest.mark.parametrize(
    "words",
    [
        ["security-send", CTRL, "-t", "16", "-f"],
        ["dir-send", NS, "-D", "1", "-O", "1", "-l", "16", "-i"],
        ["io-mgmt-send", NS, "-l", "16", "-d"],
        ["nvme-mi-send", CTRL, "-O", "0", "-l", "16", "-i"],
    ],
)
def test_short_file(nvme, machine, tmp_path, words):
    file = tmp_path / "data"
    file.write_bytes(b"short")
    result = nvme(*words, str(file))
    assert (result.status, result.out, result.err) == (1, "", f"{file}: 5 bytes instead of 16\n")
    assert machine.written == []


@pytest.mark.parametrize(
    "words",
    [["io-mgmt-recv", NS, "-l", "64", "-d"], ["nvme-mi-recv", CTRL, "-O", "0", "-l", "64", "-i"]],
)
def test_data_into_file(nvme, machine, tmp_path, words):
    for device in ("nvme0", "nvme0n1"):
        (machine.fake / device / "otherwise").write_bytes(bytes(range(64)))
    for path in machine.fake.glob("nvme0*/*-1[2e]-*"):
        path.unlink()
    file = tmp_path / "data"
    nvme.ok(*words, str(file))
    assert file.read_bytes() == bytes(range(64))
    assert file.stat().st_mode & 0o777 == 0o600
    assert nvme(*words, "/nonexistent/file").status == 1


def test_letters_of_transfers(nvme, machine):
    """Those of 2.x: -V shows the command, -w shows it only, -t shows its time."""
    shown = nvme("write", NS, "-z", "512", "-d", "/dev/zero", "-V")
    assert (shown.status, shown.out.splitlines()[0]) == (0, "opcode       : 01")
    timed = nvme("write", NS, "-z", "512", "-d", "/dev/zero", "-t", status=0)
    assert re.fullmatch(r" latency: write: \d+ us\n", timed.out)
    assert timed.err == "write: Success\n"
    raw = nvme("read", NS, "-z", "512", "-t")  # its bytes are on standard output
    assert re.fullmatch(r" latency: read: \d+ us\nread: Success\n", raw.err)
    sent = len(machine.written)
    dry = nvme("write", NS, "-z", "512", "-d", "/dev/zero", "-w")
    assert (dry.status, dry.out.splitlines()[0]) == (0, "opcode       : 01")
    assert len(machine.written) == sent


def formatted(flbas, metadata, exponent):
    """A namespace whose blocks in use have this size, and so many bytes of metadata."""
    data = bytearray(ID_NS)
    data[26] = flbas
    at = 128 + 4 * (flbas & 15)
    data[at : at + 4] = bytes([metadata, 0, exponent, 0])
    return bytes(data)


@pytest.mark.parametrize(
    ("form", "args", "sizes"),
    [
        ((0, 0, 9), ["-c", "2", "-z", "512"], (1536, 0)),
        ((0, 0, 9), ["-c", "2", "-z", "2048"], (2048, 0)),
        ((0, 0, 12), ["-c", "0", "-z", "512"], (4096, 0)),
        ((0, 8, 9), ["-c", "2", "-z", "1536", "-y", "8"], (1536, 24)),
        ((0, 8, 9), ["-c", "2", "-z", "1536"], (1536, 0)),
        ((0x10, 8, 9), ["-c", "2", "-z", "1536"], (1560, 0)),
        ((0x10, 8, 9), ["-c", "2", "-z", "1536", "-p", "8"], (1536, 0)),
        ((0x10, 16, 9), ["-c", "2", "-z", "1536", "-p", "8"], (1584, 0)),
        ((0, 0, 255), ["-c", "2", "-z", "512"], (512, 0)),
    ],
)
def test_buffers_have_room_for_the_blocks(nvme, machine, form, args, sizes):
    """The controller would write behind them: it counts blocks, not bytes."""
    machine.command("nvme0n1", "admin", 0x06, 0x00, formatted(*form))
    machine.command("nvme0n1", "io", 0x02, 0x00, bytes(4096))
    (machine.fake / "whole-commands").write_text("")
    result = nvme("read", NS, *args, "-d", "/dev/null", status=0)
    sent, more = machine.written[-2:]
    assert (int(sent.split("len=")[1]), int(more.split("metadata=")[1].split()[0])) == sizes
    grown = sizes != (int(args[3]), int(args[5]) if "-y" in args else 0)
    assert ("Rounding" in result.err) is grown


@pytest.mark.parametrize(
    ("form", "given", "length"),
    [((0, 0, 255), "4096", 12288), ((0, 0, 9), "4096", 12288), ((0, 0, 12), "512", 12288)],
)
def test_block_size(nvme, machine, form, given, length):
    """It counts where the namespace does not tell its blocks; no buffer is smaller than those."""
    machine.command("nvme0n1", "admin", 0x06, 0x00, formatted(*form))
    machine.command("nvme0n1", "io", 0x02, 0x00, bytes(16384))
    nvme("read", NS, "-c", "2", "-b", given, "-z", "512", "-d", "/dev/null", status=0)
    assert machine.written[-1].endswith(f"len={length}")


def test_zeroes_behind_the_data(nvme, machine, tmp_path):
    """--data-size counts the bytes of the file, as in 2.x: the other blocks become zero."""
    machine.command("nvme0n1", "admin", 0x06, 0x00, formatted(0, 0, 9))
    machine.command("nvme0n1", "io", 0x01, 0x00, b"")
    (tmp_path / "blocks").write_bytes(b"x" * 2048)
    result = nvme("write", NS, "-c", "1", "-z", "512", "-d", str(tmp_path / "blocks"), status=0)
    assert "Rounding data size to fit block count (1024 bytes)" in result.err
    sent = (machine.fake / "nvme0n1/io-01-00.got").read_bytes()
    assert sent == b"x" * 512 + bytes(512)


def test_written_registers(nvme, local):
    nvme.ok("set-reg", CTRL, "--cc=0x460001", "--asq=0x1122334455667788")
    content = local.read_bytes()
    assert content[0x14:0x18] == (0x460001).to_bytes(4, "little")
    assert content[0x28:0x30] == (0x1122334455667788).to_bytes(8, "little")
    assert sum(content) == sum(content[0x14:0x18]) + sum(content[0x28:0x30])
    assert nvme("set-reg", CTRL, "-O", "0x30", "-V", "0x8877665544332211", "-m").status == 0
    assert local.read_bytes()[0x30:0x38] == (0x8877665544332211).to_bytes(8, "little")


def test_no_register_is_half_written(nvme, local):
    """A value that is refused keeps the others from being written."""
    said = nvme.error("set-reg", CTRL, "--cc=1", "--nssr=0x100000000")
    assert said == "invalid value:0x100000000 (NVM Subsystem Reset: up to 32 bits)\n"
    assert local.read_bytes() == bytes(SIZE)
    assert nvme("set-reg", CTRL, "--cc=1", "--dry-run").status == 0
    assert local.read_bytes() == bytes(SIZE)


@pytest.mark.parametrize("name", OPCODES)
def test_what_a_command_is_for_is_sent(nvme, machine, name):
    """It succeeds only where the device was told; what else it asks before does not count."""
    nvme(name, *golden_cases.CASES[name].args, status=0)
    assert sum(f"opcode={OPCODES[name]:02x} " in line for line in machine.written) >= 1


@pytest.mark.parametrize("words", [["get-property", CTRL], ["set-property", CTRL, "-V", "1"]])
def test_a_property_has_to_be_named(nvme, machine, words):
    result = nvme(*words)
    assert (result.status, result.out, machine.written) == (1, "", [])
