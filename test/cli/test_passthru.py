# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme admin-passthru and io-passthru: what is sent, which way data goes, and where words go."""

import pytest

PATTERN = bytes(range(64))
QUEUES = {"admin-passthru": ("admin", "nvme0"), "io-passthru": ("io", "nvme0n1")}

# NVM Express Base Specification: bits 1:0 of an opcode.
NONE, TO_DEVICE, FROM_DEVICE, BOTH = (0x80, 0x00), (0x81, 0x01), (0x82, 0x02), (0x83, 0x03)


@pytest.fixture
def device(host):
    """A controller and a namespace that take every command."""
    subsystem = host.subsystem(0, "nqn.2025-01.test:one")
    subsystem.controller(0)
    subsystem.namespace(1)
    for queue, name in QUEUES.values():
        for opcode in range(256):
            host.command(name, queue, opcode, 0, PATTERN)
    return host


@pytest.fixture(params=list(QUEUES))
def send(request, nvme, device):
    """Sends a command with these options, which ends with that status, to its device."""
    name = QUEUES[request.param][1]

    def run(*options, stdin="", status=0):
        result = nvme.raw(request.param, f"/dev/{name}", *options, stdin=stdin)
        assert result.status == status, result
        return result

    run.device = name
    run.queue = QUEUES[request.param][0]
    return run


def got(host, send, opcode):
    """What the device received as data of such a command."""
    return (host.fake / send.device / f"{send.queue}-{opcode:02x}-00.got").read_bytes()


def test_opcode_is_required(device, send):
    """Without it, opcode 0 was sent: that deletes a queue."""
    for more in ([], ["-l", "16", "-r"], ["-o", "json"], ["--dry-run"], ["-n", "1"]):
        result = send(*more, status=1)
        assert b"opcode required param" in result.out + result.err
    assert device.written == []


def test_opcode_zero_may_be_given(device, send):
    send("--opcode=0")
    assert [line.split()[2] for line in device.written] == ["opcode=00"]


@pytest.mark.parametrize("more", [[], ["-o", "json"], ["-o", "binary"], ["-b"]])
def test_result_goes_to_stderr(send, more):
    result = send("-O", "2", "-l", "16", "-r", *more)
    assert result.err.endswith(b" is Success and result: 0x00000000\n")
    assert b"Success" not in result.out


@pytest.mark.parametrize("more", [["-o", "binary"], ["-b"]])
@pytest.mark.parametrize("notes", [[], ["-s"], ["-T"], ["-vv"], ["-s", "-T", "-vv"]])
def test_binary_is_data_only(send, more, notes):
    result = send("-O", "2", "-l", "16", *more, *notes)
    assert result.out == PATTERN[:16]
    assert (b"cdw10        : 00000000" in result.err) == bool({"-s", "-vv"} & {*notes})
    assert (b" latency: " in result.err) == ("-T" in notes)


def test_notes_in_text(send):
    """On the standard output, as in 2.x, but only what was asked for."""
    shown = send("-O", "2", "-l", "16", "-s").out
    assert shown.startswith(b"opcode       : 02\n")
    assert b"latency" not in shown
    timed = send("-O", "2", "-l", "16", "-T").out
    assert b" latency: " in timed.splitlines()[0]
    assert b"opcode" not in timed


@pytest.mark.parametrize("opcode", FROM_DEVICE)
def test_data_from_the_device(send, opcode):
    assert send("-O", str(opcode), "-l", "16", "-b").out == PATTERN[:16]


@pytest.mark.parametrize("opcode", TO_DEVICE)
def test_data_to_the_device(device, send, tmp_path, opcode):
    file = tmp_path / "file"
    file.write_bytes(b"sixteen bytes...")
    assert send("-O", str(opcode), "-l", "16", "-i", str(file)).out == b""
    assert got(device, send, opcode) == b"sixteen bytes..."
    send("-O", str(opcode), "-l", "4", stdin="four")
    assert got(device, send, opcode) == b"four"


@pytest.mark.parametrize("opcode", [*NONE, *BOTH])
@pytest.mark.parametrize("option", ["-l", "-m"])
def test_direction_must_be_given(device, send, opcode, option):
    result = send("-O", str(opcode), option, "16", status=1)
    assert f"data direction not given: opcode 0x{opcode:02x}".encode() in result.err
    assert b"use --read or --write" in result.err
    assert device.written == []


@pytest.mark.parametrize("opcode", [*NONE, *BOTH])
def test_given_direction(device, send, opcode):
    send("-O", str(opcode), "-l", "4", "-w", stdin="four")
    if opcode & 1:
        assert got(device, send, opcode) == b"four"
    read = send("-O", str(opcode), "-l", "4", "-r", "-b").out
    assert read == (PATTERN[:4] if not opcode & 1 else b"\0\0\0\0")


def test_no_data_needs_no_direction(send):
    for opcode in (*NONE, *TO_DEVICE, *FROM_DEVICE, *BOTH):
        send("-O", str(opcode))


@pytest.mark.parametrize(
    ("opcode", "option", "words"),
    [
        (1, "-r", b"opcode 0x01 transfers to the controller"),
        (3, "-r", b"opcode 0x03 transfers to the controller"),
        (2, "-w", b"opcode 0x02 transfers no data to the controller"),
        (0, "-w", b"opcode 0x00 transfers no data to the controller"),
    ],
)
def test_direction_against_the_opcode(send, opcode, option, words):
    """The kernel goes by the opcode; whoever has it otherwise is warned."""
    result = send("-O", str(opcode), "-l", "4", option, stdin="four")
    assert words in result.err.splitlines()[0]


def test_one_direction_of_two(device, send):
    result = send("-O", "3", "-l", "4", "-r", "-w", stdin="four", status=1)
    assert b"cannot specify --read and --write together" in result.err
    assert device.written == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-O", "1", "-l", "4", "-i", "/nonexistent"], b"/nonexistent: No such file"),
        (["-O", "1", "-l", "4", "-m", "4", "-M", "/nonexistent"], b"/nonexistent: No such file"),
        (["-O", "1", "-l", "8"], b"standard input: 4 bytes instead of 8"),
        (["-O", "1", "-w", "-i", "/dev/zero"], b"--input-file is sent only with --data-len"),
        (["-O", "1", "-l", "4", "-M", "/dev/zero"], b"--metadata is sent only with --metadata-len"),
        (["-O", "2", "-l", "16777217"], b"one command transfers up to"),
        (["-O", "2", "-m", "16777217"], b"one command transfers up to"),
        (["-O", "0x100"], b"Expected byte argument for 'opcode'"),
    ],
)
def test_refused(device, send, options, words):
    assert words in send(*options, stdin="four", status=1).err
    assert device.written == []


def test_metadata_is_shown(nvme, device, tmp_path):
    """It was read and dropped."""
    options = ["io-passthru", "/dev/nvme0n1", "-O", "2", "-l", "4", "-m", "2", "-p", "7"]
    text = nvme(*options)
    assert text.out.splitlines()[1::2] == [
        '0000: 00 01 02 03                                     "...."',
        '0000: 07 07                                           ".."',
    ]
    document = nvme(*options, "-o", "json").json
    assert (document["data"], document["metadata"]) == ([0, 1, 2, 3], [7, 7])
    assert nvme.raw(*options, "-b").out == b"\0\1\2\3\7\7"
    file = tmp_path / "metadata"
    assert nvme.raw(*options, "-b", "-M", str(file)).out == b"\0\1\2\3"
    assert file.read_bytes() == b"\7\7"


def test_data_into_a_file(send, tmp_path):
    file = tmp_path / "data"
    assert send("-O", "2", "-l", "4", "-i", str(file)).out == b""
    assert file.read_bytes() == PATTERN[:4]


def test_json_is_one_document(nvme, device, valid):
    result = nvme("admin-passthru", "/dev/nvme0", "-O", "2", "-l", "2", "-o", "json", "-s", "-T")
    valid("passthru", result.json)
    assert result.json == {"opcode": 2, "result": 0, "data": [0, 1]}


@pytest.mark.parametrize("more", [["-b"], ["-o", "binary"]])
def test_traces_keep_out_of_bytes(nvme, host, more):
    """Every command that writes bytes: what -vv adds goes to stderr."""
    import device_data as data

    host.subsystem(0, "nqn.2025-01.test:one").controller(0)
    host.command("nvme0", "admin", 0x06, 1, data.ID_CTRL)
    result = nvme.raw("id-ctrl", "/dev/nvme0", "-vv", *more)
    assert result.out == data.ID_CTRL
    assert b"opcode       : 06" in result.err


#: Commands that transfer 4096 bytes (NVM Express Base Specification), into buffers of 64.
SHORT = {
    "admin-passthru": "/dev/nvme0 -O 6 --cdw10=1 -l 64 -r -b",
    "io-passthru": "/dev/nvme0n1 -O 2 -l 64 -m 8 -r -b",
    "get-feature": "/dev/nvme0 -f 0x16 -l 64 -b",
    "get-log": "/dev/nvme0 -i 2 -l 64 -b",
    "security-recv": "/dev/nvme0 -x 64 -t 64 -b",
    "dir-receive": "/dev/nvme0n1 -D 0 -O 1 -l 64 -b",
    "io-mgmt-recv": "/dev/nvme0n1 -m 1 -l 64 -o binary",
    "nvme-mi-recv": "/dev/nvme0 -O 1 -l 64 -o binary",
    "read": "/dev/nvme0n1 -z 64 -y 8",
}


@pytest.mark.parametrize("command", SHORT)
def test_a_device_transfers_more_than_the_buffer_holds(nvme, device, command):
    """The device wrote over the heap, and malloc() or a sanitizer ended the program."""
    for name in ("nvme0", "nvme0n1"):
        for file in (device.fake / name).iterdir():
            file.unlink()
        (device.fake / name / "otherwise").write_bytes(bytes(range(256)) * 16)
    result = nvme.raw(command, *SHORT[command].split())
    assert result.status == 0, result.err
    assert result.out[:64] == bytes(range(64))
