# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that talk to one device: what they print over recorded answers, and what they send."""

import errno
import json

import device_data as data
import golden_cases
import pytest

DEVICE = "/dev/nvme0"
GET_LOG, IDENTIFY, GET_FEATURES, FABRICS = 0x02, 0x06, 0x0A, 0x7F
INVALID_FIELD = 0x4002


@pytest.fixture
def device(host):
    """A fabrics controller nvme0 with everything a command may ask for."""
    host.subsystem(0, "nqn.2025-01.test:one").controller(0)
    golden_cases.answers_basics(host)
    host.command("nvme0", "admin", IDENTIFY, 0x10, data.NS_LIST)
    host.command("nvme0", "admin", IDENTIFY, 0x12, data.CTRL_LIST)
    host.command("nvme0", "admin", GET_FEATURES, 0x0F, result=15000)
    return host


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["id-ctrl"], data.ID_CTRL),
        (["id-ns", "-n", "1"], data.ID_NS),
        (["smart-log"], data.SMART),
        (["get-log", "-i", "2", "-l", "512"], data.SMART),
        (["get-log", "-i", "smart", "-l", "8", "--lpo=32"], data.SMART[32:40]),
        (["get-log", "--aen=0x00020002", "-l", "512"], data.SMART),
    ],
)
def test_raw(nvme, device, args, expected):
    raw = nvme.raw(args[0], DEVICE, *args[1:], "-b")
    assert (raw.status, raw.out) == (0, expected)


def test_bits_explained(nvme, device):
    """Behind fields, and in text alone; test/oracle compares the words, one bit at a time."""
    plain, text = nvme("id-ctrl", DEVICE), nvme("id-ctrl", DEVICE, "-H")
    assert (text.status, text.err) == (0, "")
    assert set(plain.out.splitlines()) <= set(text.out.splitlines())
    assert "  [3:3] : 0x1\tANA supported\n" in text.out
    formats = ("-o", "json")
    assert nvme("id-ctrl", DEVICE, "-H", *formats).out == nvme("id-ctrl", DEVICE, *formats).out


def test_format_explained(nvme, device, valid):
    """The same of id-ns, whose JSON has another form of LBA formats then."""
    text = nvme.ok("id-ns", DEVICE, "-v")
    assert "nsze    : 0x20000\tTotal size in logical blocks\n" in text.out
    assert "  [7:7] : 0\tNPRG, NPRA and NORS are Not Supported\n" in text.out
    document = valid("id-ns", nvme("id-ns", DEVICE, "-v", "-o", "json").json)
    assert document["lbafs"][0] == {
        "LBA Format": 0, "Metadata Size": "0 bytes", "Data Size": "512 bytes",
        "Relative Performance": "0x0 Best", "in use": "yes",
    }  # fmt: skip
    plain = nvme("id-ns", DEVICE, "-o", "json").json
    assert document | {"lbafs": []} == plain | {"lbafs": []}


def test_vendor_specific(nvme, device, valid):
    vs = data.ID_CTRL[3072:]
    rows = [vs[at : at + 16] for at in range(0, len(vs), 16)]
    dump = ["vs[]:", "       " + "  ".join("0123456789abcdef")]
    for at, row in enumerate(rows):
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        dump.append(f'{at * 16:04x}: {row.hex(" ")} "{text}"')
    text, shorter = (nvme("id-ctrl", DEVICE, *more) for more in (["-V"], []))
    assert (text.status, text.err) == (0, "")
    assert text.out == shorter.out + "".join(f"{line}\n" for line in dump)
    document, shorter = (nvme("id-ctrl", DEVICE, *more, "-o", "json") for more in (["-V"], []))
    assert document.json == shorter.json | {"vs": list(vs)}
    valid("id-ctrl", document.json)


def test_errors_from_the_controller(nvme, device, valid):
    device.command("nvme0", "admin", GET_LOG, 0x02, status=INVALID_FIELD)
    said = nvme.error("smart-log", DEVICE)
    assert said.startswith("NVMe status: ") and said.endswith("(0x4002)\n")
    document = nvme("smart-log", DEVICE, "-o", "json", status=1)
    valid("error", document.json)
    assert document.json["type"] == "nvme"


@pytest.mark.parametrize(
    ("euid", "hint"),
    [(1000, "only root may do that"), (0, "the kernel refuses this even to root here")],
)
def test_errors_from_the_kernel(nvme, device, euid, hint):
    """Root is told of no privileges that it has: the kernel refuses some settings to everybody."""
    device.command("nvme0", "admin", IDENTIFY, 1, errno=errno.EPERM)
    (device.fake / "euid").write_text(str(euid))
    result = nvme("id-ctrl", DEVICE)
    said = f"identify controller: Operation not permitted ({hint})\n"
    assert (result.status, result.err) == (1, said)


def test_interrupted_commands_are_repeated(nvme, device):
    device.command("nvme0", "admin", IDENTIFY, 1, errno=errno.EINTR, nth=1)
    assert nvme("id-ctrl", DEVICE).status == 0
    result = nvme("id-ctrl", DEVICE, "--no-retries")
    assert (result.status, result.err) == (1, "identify controller: Interrupted system call\n")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["get-log"], "non-zero or non-dw alignment log-len is required param"),
        (["get-log", "-l", "7"], "non-zero or non-dw alignment log-len is required param"),
        (["get-log", "-i", "bogus", "-l", "4"], "bogus"),
        (["get-log", "-i", "256", "-l", "4"], "256"),
        (["get-log", "-l", "0xfffffffc"], "4294967292"),
        (["get-log", "-l", "4", "-s", "128"], "Invalid --lsp 128: use up to 127"),
        (["get-log", "-l", "4", "-U", "128"], "Invalid --uuid-index 128: use up to 127"),
        (["get-log", "-l", "4", "-x", "512"], "Invalid --xfer-len 512: use a multiple of 4096"),
        (["list-secondary", "-e", "0"], "non-zero num-entries is required param"),
        (["get-feature", "-f", "7", "-U", "128"], "Invalid --uuid-index 128"),
        (["set-feature", "-f", "7", "-V", "1", "-U", "128"], "Invalid --uuid-index 128"),
        (["get-feature", "-f", "256"], "Expected byte argument for 'feature-id' but got '256'!"),
        (["get-feature", "-f", "7", "-s", "4"], "invalid 'select' param:4"),
        (["set-feature"], "feature-id required param"),
        (["set-feature", "-f", "7"], "value required param"),
        (["get-property"], "offset required param"),
        (["set-property", "-O", "0x14"], "value required param"),
        (["list-ns", "-n", "0"], "--namespace-id 0"),
        (["read"], "data size not provided"),
        (["read", "-z", "1x"], "Expected long suffixed integer argument for 'data-size'"),
        (["read", "-z", "1G"], "16777216"),
        (["dsm", "-s", "0,1", "-b", "8"], "No range definition provided"),
        (["dsm", "-s", "0,x", "-b", "8,8"], "0,x"),
        (["admin-passthru", "-O", "0x80", "-l", "16"], "--read or --write"),
    ],
)
def test_bad_arguments(nvme, device, args, words):
    assert words in nvme.error(args[0], DEVICE, *args[1:])
    assert device.written == []


def test_property(nvme, device):
    # Property Get has no data; its result is the value.
    device.command("nvme0", "admin", FABRICS, 0, result=0x10300)
    device.command("nvme0", "admin", FABRICS, 1, result=0x8200F0003FF)
    result = nvme("get-property", DEVICE, "-O", "0", status=0)
    assert result.out == ("property: 0000 (Controller Capabilities), value: 0x8200f0003ff\n")
    human = nvme("get-property", DEVICE, "-O", "8", "-H")
    assert human.out == "Version: 0x10300\n\tNVMe specification 1.3.0\n"
    explained = nvme("get-property", DEVICE, "-O", "8", "-H", "-o", "json").json
    assert explained == {"Version": "10300", "NVMe specification": "1.3.0"}


@pytest.mark.parametrize("option", ["-H", "-v"])
def test_property_without_a_name(nvme, device, valid, option):
    device.command("nvme0", "admin", FABRICS, 0, result=0x460001)
    plain = nvme("get-property", DEVICE, "-O", "0x99")
    assert plain.out == "property: 0x99 (Unknown), value: 0x460001\n"
    explained = nvme("get-property", DEVICE, "-O", "0x99", option)
    assert explained.out == (
        "Unknown: 0x460001\nunknown register: 0x99 (Unknown), value: 0x460001\n"
    )
    document = nvme("get-property", DEVICE, "-O", "0x99", option, "-o", "json").json
    valid("property", document)
    assert document == {"unknown property": "0x99", "name": "Unknown", "value": "460001"}


def test_set_property(nvme, device):
    device.command("nvme0", "admin", FABRICS, 0)
    result = nvme("set-property", DEVICE, "-O", "0x14", "-V", "0x460001")
    assert result.out == ("set-property: 0x14 (Controller Configuration), value: 0x460001\n")


def test_show_regs_explained(nvme, device, valid):
    device.command("nvme0", "admin", FABRICS, 0, result=0x460001)
    device.command("nvme0", "admin", FABRICS, 1, result=0x8200F0003FF)
    explained = valid("show-regs", nvme("show-regs", DEVICE, "-H", "-o", "json").json)
    assert list(explained) == list(nvme("show-regs", DEVICE, "-o", "json").json)
    assert explained["vs"] == [{"Version": "460001", "NVMe specification": "70.0.1"}]


def test_no_register_is_given(nvme, device):
    """The first answer is the reason."""
    device.command("nvme0", "admin", FABRICS, 1, status=0x4006)
    assert nvme.error("show-regs", DEVICE) == "NVMe status: Internal Error(0x4006)\n"


def test_registers_as_bytes(nvme, device):
    """Up to the last one; those that are no properties have all bits set."""
    device.command("nvme0", "admin", FABRICS, 0, result=0x460001)
    device.command("nvme0", "admin", FABRICS, 1, result=0x8200F0003FF)
    result = nvme.raw("show-regs", DEVICE, "-o", "binary")
    assert (result.status, result.err) == (0, b"")
    expected = bytearray(b"\xff" * 0xE1C)
    expected[:8] = (0x8200F0003FF).to_bytes(8, "little")
    for offset in (0x08, 0x14, 0x1C, 0x20):
        expected[offset : offset + 4] = (0x460001).to_bytes(4, "little")
    assert result.out == expected


def test_a_register_that_cannot_be_read_hides_no_other(nvme, device):
    device.command("nvme0", "admin", FABRICS, 0, status=0x4006)
    device.command("nvme0", "admin", FABRICS, 1, result=0x8200F0003FF)
    words = ("get-reg", DEVICE, "--cap", "--cc", "--asq")
    reasons = (
        "register: 0x14 (Controller Configuration): Internal Error\n"
        "register: 0x28 (Admin Submission Queue Base Address) not fabrics\n"
    )
    text = nvme(*words)
    assert (text.status, text.err) == (1, reasons)
    assert text.out == "register: 0000 (Controller Capabilities), value: 0x8200f0003ff\n"
    document = nvme(*words, "-o", "json")
    assert (document.status, document.err) == (1, reasons)
    assert document.json == {"register: 0000": [{"name": "cap", "value": 0x8200F0003FF}]}


def test_registers_of_a_local_controller(nvme, host, valid):
    """Those of its memory, each explained; test/oracle compares the words."""
    controller = host.subsystem(0, "nqn.local").controller(0, "pcie", "0000:01:00.0")
    device = host.sys / "devices/pci0000:00/0000:01:00.0"
    device.mkdir(parents=True)
    (device / "resource0").write_bytes(bytes(range(256)) * 16)
    (controller.directory / "device").symlink_to(device)
    text = nvme.ok("show-regs", DEVICE, "-H")
    document = valid("show-regs", nvme("show-regs", DEVICE, "-H", "-o", "json").json)
    plain = nvme("show-regs", DEVICE, "-o", "json").json
    assert list(plain) == list(document)
    registers = [line.split()[0] for line in text.out.splitlines() if line[:1].isalpha()]
    assert len(registers) == len(plain)
    assert plain["cap"] == 0x0706050403020100
    assert document["cap"][0]["cap"] == "706050403020100"
    assert document["cmbloc"][0]["Base Indicator Register (BIR)"] == "0x0"


def test_io(nvme, device, tmp_path):
    device.command("nvme0", "io", 0x02, 0x10, b"hello".ljust(512, b"."))
    for opcode, low in ((0x01, 0x10), (0x05, 0x10), (0x08, 0x10), (0x09, 0x01), (0x00, 0x00)):
        device.command("nvme0", "io", opcode, low)
    target = tmp_path / "blocks"
    args = [DEVICE, "-n", "1", "-s", "16", "-c", "0", "-z", "512", "-d", str(target)]
    read = nvme("read", *args)
    assert (read.status, read.err) == (0, "read: Success\n")
    assert target.read_bytes().startswith(b"hello...")
    assert nvme("write", *args).err == "write: Success\n"
    assert nvme("compare", *args).status == 0
    target.write_bytes(b"short")
    assert "5 bytes instead of 512" in nvme.error("write", *args)
    assert nvme("write-zeroes", DEVICE, "-n", "1", "-s", "16").status == 0
    dsm = nvme("dsm", DEVICE, "-n", "1", "-s", "0,8", "-b", "8,8", "-d")
    assert dsm.out == "NVMe DSM: success\n"
    assert nvme("flush", DEVICE).out == "NVMe Flush: success\n"
    sent = [line for line in device.written if " io " in line]
    assert [line.split("opcode=")[1][:2] for line in sent] == ["02", "01", "05", "08", "09", "00"]
    assert all("nsid=1" in line for line in sent)


def test_tags(nvme, device):
    device.command("nvme0", "io", 0x02, 0x00, bytes(512))
    device.command("nvme0", "admin", IDENTIFY, 0x05, data.place(4096, {12: data.u32(8)}))
    args = ["read", DEVICE, "-n", "1", "-z", "512", "-d", "/dev/null"]
    assert nvme(*args, "-r", "0x123456", "-a", "7", "-m", "0xffff", "-p", "1").status == 0
    assert "cdw12=4000000 cdw14=123456 " in device.written[-1]
    assert [line for line in device.written if "cdw10=5 " in line] == []  # nor the tags' format
    # The format has 8 bits of storage tag above the reference tag.
    assert nvme(*args, "-r", "0x123456", "-g", "0xab", "-C").status == 0
    assert "cdw12=1000000 cdw14=ab123456 " in device.written[-1]
    device.command("nvme0", "admin", IDENTIFY, 0x05, errno=errno.EPERM)
    (device.fake / "euid").write_text("1000")
    result = nvme(*args, "-g", "1")
    said = "identify namespace: Operation not permitted (only root may do that)\n"
    assert (result.status, result.err) == (1, said)


def test_show_and_latency(nvme, device):
    device.command("nvme0", "io", 0x02, 0x00, bytes(512))
    args = ["read", DEVICE, "-n", "1", "-z", "512", "-d", "/dev/null"]
    result = nvme(*args, "--show-command", "--latency")
    assert (result.status, result.out) == (0, "")
    assert "opcode       : 02\n" in result.err
    assert " latency: read: " in result.err


def test_reset(nvme, device):
    for command in ("reset", "subsystem-reset", "ns-rescan"):
        assert nvme.ok(command, DEVICE).out == ""
        assert device.written[-1] == f"nvme0 {command.removeprefix('ns-')}"
    assert nvme("reset", DEVICE, "-v").out == "resetting controller nvme0\n"


def test_passthru(nvme, device):
    result = nvme("admin-passthru", DEVICE, "-O", "6", "-4", "1", "-l", "16", "-r", status=0)
    assert result.err == "Admin Command Identify is Success and result: 0x00000000\n"
    assert "0000: f4 1a f4 1a 38 62" in result.out
    assert "cdw10=1 " in device.written[-1]


def test_trace(nvme, device):
    traced = nvme("id-ctrl", DEVICE, "-vv", "-o", "json")
    assert "opcode       : 06\n" in traced.err
    json.loads(traced.out)


DRY = [
    (["id-ctrl"], "06"),
    (["id-ctrl", "-b"], "06"),
    (["id-ns", "-n", "1"], "06"),
    (["smart-log"], "02"),
    (["get-log", "-l", "4"], "02"),
    (["get-feature", "-f", "7"], "0a"),
    (["set-feature", "-f", "7", "-V", "1"], "09"),
    (["get-property", "-O", "0"], "7f"),
    (["flush", "-n", "1"], "00"),
    (["write-zeroes", "-n", "1"], "08"),
    (["dsm", "-n", "1", "-s", "0", "-b", "1"], "09"),
    (["write", "-n", "1", "-z", "512", "-d", "/dev/zero"], "01"),
    (["read", "-n", "1", "-z", "512", "-d", "/dev/null"], "02"),
    (["admin-passthru", "-O", "6", "-l", "4", "-r"], "06"),
]


@pytest.mark.parametrize(("args", "opcode"), DRY, ids=lambda value: " ".join(value))
def test_dry_run(nvme, device, args, opcode):
    """The command is shown, not sent, and nothing is made up in its place."""
    result = nvme(args[0], DEVICE, *args[1:], "--dry-run", status=0)
    lines = (result.out + result.err).splitlines()
    assert lines[0] == f"opcode       : {opcode}"
    assert lines[-1].startswith("timeout_ms   : ")
    assert len(lines) == 17
    assert device.written == []


@pytest.mark.parametrize("command", ["reset", "subsystem-reset", "ns-rescan"])
def test_dry_resets(nvme, device, command):
    result = nvme(command, DEVICE, "--dry-run", "-v")
    assert (result.status, result.out, result.err, device.written) == (0, "", "", [])


def test_hostile_identify(nvme, device):
    evil = bytearray(data.ID_CTRL)
    evil[4:24] = b"\x1b[2J".ljust(20, b"\xff")
    evil[768:1024] = b"\x07" * 256
    evil[263] = 255  # NPSS
    device.command("nvme0", "admin", IDENTIFY, 1, bytes(evil))
    text = nvme("id-ctrl", DEVICE, status=0)
    assert all(0x20 <= ord(c) <= 0x7E or c == "\n" for c in text.out)
    assert nvme("id-ctrl", DEVICE, "-o", "json").json["sn"].startswith("\x1b[2J")


@pytest.mark.parametrize(
    "log",
    [
        data.u64(1) + data.u16(0xFFFF) + b"\0" * 6,
        data.u64(1) + data.u16(1) + b"\0" * 6 + data.u32(1, 0xFFFFFFFF) + b"\xff" * 24,
    ],
)
def test_hostile_ana_log(nvme, device, log):
    device.command("nvme0", "admin", GET_LOG, 0x0C, log.ljust(8192, b"\xff"))
    assert nvme("ana-log", DEVICE).status == 1


def test_hostile_descriptors(nvme, device):
    device.command("nvme0", "admin", IDENTIFY, 3, b"\xff" * 4096)
    result = nvme("ns-descs", DEVICE, status=0)
    assert "unknown descriptor type 255 of 255 bytes" in result.out


def test_what_scripts_look_for(nvme, device):
    """The lines that widely used one-liners cut out of -H."""
    lines = nvme("id-ns", DEVICE, "-n", "1", "-H").out.splitlines()
    formats = [line for line in lines if line.startswith("LBA Format")]
    in_use = [line for line in formats if "(in use)" in line]
    assert len(formats) == 1 + data.ID_NS[25]
    assert in_use == [
        "LBA Format  0 : Metadata Size: 0   bytes - Data Size: 512 bytes - "
        "Relative Performance: 0 Best (in use)"
    ]
    controller = nvme("id-ctrl", "-H", DEVICE).out
    assert "  [1:1] : 0x1\tFormat NVM Supported\n" in controller
    assert "Format NVM Supported" not in nvme("id-ctrl", DEVICE).out


def test_sizes_beyond_a_word(nvme, device):
    for exponent, size in ((31, 2**31), (63, 2**63), (64, "2^64"), (255, "2^255")):
        formats = data.place(4096, {0: data.ID_NS, 130: bytes([exponent, 0xFE])})
        device.command("nvme0", "admin", IDENTIFY, 0x00, formats)
        out = nvme("id-ns", DEVICE, "-n", "1", "-H").out
        assert f"Data Size: {size} bytes - Relative Performance: 0xfe Good (in use)\n" in out


def test_ana_log_keeps_the_event(nvme, device):
    """The driver follows the states of paths by it."""
    assert nvme("ana-log", DEVICE).status == 0
    assert "cdw10=3ff800c" in device.written[-1]


def test_log_page_of_an_event(nvme, device):
    """Bits 23:16 of the event name it; without a length, a page of memory is read."""
    for more, sent in (([], "cdw10=3ff0002"), (["-l", "16"], "cdw10=30002")):
        assert nvme("get-log", DEVICE, "-a", "0x020002", *more).status == 0
        assert sent in device.written[-1]


def test_more_secondary_controllers_than_a_list_has(nvme, host):
    """A list has room for 127, whatever its first byte says, and whatever was asked for."""
    entries = b"".join((i + 1).to_bytes(2, "little") + bytes(30) for i in range(127))
    host.command("nvme0", "admin", 0x06, 0x15, bytes([255]).ljust(32, b"\0") + entries)
    for more, shown in (((), 127), (("-e", "200"), 127), (("-e", "126"), 126)):
        result = nvme("list-secondary", "/dev/nvme0", *more, "-o", "json")
        assert (result.status, result.json["num"]) == (0, shown)
        assert len(result.json["secondary-controllers"]) == shown
