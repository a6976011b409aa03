# SPDX-License-Identifier: GPL-2.0-or-later
"""Our nvme prints and does what Debian's does, on the same machine, for the same command line."""

import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from conftest import Original
from differences import Case, Difference, Run, compare
from judge import Judge
from program import (
    BITS,
    DATA,
    FAILING,
    FEATURES,
    NVME,
    REGISTER_BITS,
    REGISTERS,
    FakeHost,
    Machines,
    Prepare,
    golden_cases,
    ours,
    registers,
    sample,
    statuses,
    theirs,
)
from program_exceptions import EXCEPTIONS as EXCEPTIONS
from program_score import below, table

CONTROLLER = "/dev/nvme0"
NAMESPACE = "/dev/nvme0n1"

#: Command lines by what they print.
TEXT: dict[str, tuple[str, ...]] = {
    "id-ctrl": (CONTROLLER,),
    "id-ns": (CONTROLLER, "-n", "1"),
    "ns-descs": (CONTROLLER, "-n", "1"),
    "list-ns": (CONTROLLER,),
    "list-ctrl": (CONTROLLER,),
    "smart-log": (CONTROLLER,),
    "error-log": (CONTROLLER, "-e", "2"),
    "supported-log-pages": (CONTROLLER,),
    "show-regs": (CONTROLLER,),
    "ana-log": (CONTROLLER,),
}
#: With -H, text and JSON.
EXPLAINED = ("id-ctrl", "id-ns", "smart-log", "show-regs")
#: Text with one bit at a time, of what has words for bits.
BITWISE = {
    "id-ctrl": "-H",
    "id-ns": "-H",
    "smart-log": "-H",
    "show-regs": "-H",
    "supported-log-pages": "-v",
    "error-log": "-v",
}
#: Other ways to call some of them, and what prints bytes.
OTHERS: tuple[tuple[str, ...], ...] = (
    ("list-ns", CONTROLLER, "-a"),
    ("list-ns", CONTROLLER, "-n", "7", "-v"),
    ("list-ns", CONTROLLER, "-y", "0"),
    ("list-ns", CONTROLLER, "-y", "2", "-a"),
    ("list-ctrl", CONTROLLER, "-c", "3"),
    ("list-ctrl", CONTROLLER, "-n", "1"),
    ("id-ns", CONTROLLER, "-n", "1", "--force"),
    ("error-log", CONTROLLER),
    ("error-log", CONTROLLER, "-e", "0"),
    ("smart-log", CONTROLLER, "-n", "1"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "512"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "20", "-n", "1"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "512", "-b"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "64", "-L", "16", "-s", "3", "-S", "5", "-r"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "64", "-U", "1", "-y", "1", "-O"),
    ("get-log", CONTROLLER, "-i", "12", "-l", "96", "-x", "4096"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "18"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "64", "-s", "128"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "64", "-U", "128"),
    ("get-log", CONTROLLER, "-i", "2", "-l", "64", "-x", "512"),
    ("get-log", CONTROLLER, "-a", "0x020002"),
    ("get-ns-id", NAMESPACE),
)
#: With --vendor-specific.
VENDOR = ("id-ctrl", "id-ns")
BINARY = ("id-ctrl", "id-ns", "ns-descs", "smart-log", "error-log")
MORE: tuple[tuple[str, ...], ...] = ((), ("-o", "json"), ("-H",), ("-H", "-o", "json"))
PROPERTIES = (*range(0, 0x78, 4), 0x1000)


def of_bits() -> Iterator[Case]:
    """What has words for bits, with one of them at a time."""
    for data, prepare in BITS.items():
        for command, flag in BITWISE.items():
            yield Case(command, (*TEXT[command], flag), data, prepare)
    for data, content in REGISTER_BITS.items():
        prepare = registers(content)
        for more in (("-H",), ("-H", "-o", "json")):
            yield Case("show-regs", (CONTROLLER, *more), f"local {data}", prepare)


def of_features() -> Iterator[Case]:
    """All features in one run, and what else get-feature can do with one."""
    for data, prepare in FEATURES.items():
        variants: list[tuple[str, ...]] = [("-H",), ("-o", "json")]
        if not data.startswith("bit"):
            variants += [(), ("-v",), *(("-s", "3", *more) for more in MORE)]
        for more in variants:
            yield Case("get-feature", (CONTROLLER, *more), f"features {data}", prepare)
    for more in (
        *(("-f", "7", "-s", sel) for sel in ("0", "1", "2", "3", "4", "7", "255")),
        ("-f", "7", "-s", "1", "-H"),
        ("-f", "7", "-s", "2", "-o", "json"),
        ("-f", "7", "-C"),
        ("-f", "7", "-n", "5"),
        ("-f", "7", "-n", "0"),
        ("-f", "7", "-U", "3"),
        ("-f", "7", "-U", "128"),
        ("-f", "7", "-b"),
        ("-f", "0x0e", "-b"),
        ("-f", "0x03", "-o", "binary"),
        ("-f", "0xc0", "-l", "16"),
        ("-f", "0xc0", "-l", "16", "-c", "5", "-b"),
        ("-f", "0x81", "-c", "1"),
        ("-f", "0x81", "-c", "1", "-H"),
        ("-f", "0x1e", "-c", "2", "-H"),
    ):
        args = (CONTROLLER, *more)
        yield Case("get-feature", args, "features sample", FEATURES["sample"])
    for more in (("-f", "0x0f", "-V", "30000"), ("-f", "0x0f", "-V", "0", "-s", "-c", "7")):
        args = (CONTROLLER, *more)
        yield Case("set-feature", args, "features sample", FEATURES["sample"])
        yield Case("set-feature", (*args, "-v"), "features sample", FEATURES["sample"])
    for value in ("0", "5", "1767225600123"):
        args = (CONTROLLER, "-f", "0x0e", "-V", value)
        yield Case("set-feature", args, "features sample", FEATURES["sample"])


def cases() -> Iterator[Case]:
    """Every command line with every set of data."""
    for data, prepare in DATA.items():
        for command, args in TEXT.items():
            variants: list[tuple[str, ...]] = [(), ("-v",), ("-o", "json"), ("-v", "-o", "json")]
            if command in EXPLAINED:
                variants += [("-H",), ("-H", "-o", "json")]
            if command in VENDOR:
                variants += [("-V",), ("-V", "-H"), ("-V", "-o", "json")]
            if command in BINARY:
                variants += [("-o", "binary"), ("-b",)]
            for more in variants:
                yield Case(command, (*args, *more), data, prepare)
        yield Case("show-regs", (CONTROLLER, "-o", "binary"), data, prepare)
        for offset in (0x00, 0x08, 0x14, 0x1C, 0x20):
            for more in MORE:
                args = (CONTROLLER, "-O", hex(offset), *more)
                yield Case("get-property", args, data, prepare)
    for data, prepare in FAILING.items():
        for command, args in TEXT.items():
            for more in ((), ("-o", "json")):
                yield Case(command, (*args, *more), data, prepare)
    yield from of_bits()
    for kind_ in range(8):
        args = (CONTROLLER, "-e", "256")
        yield Case("error-log", args, f"statuses {kind_}", statuses(kind_))
    for command, *rest in OTHERS:
        yield Case(command, tuple(rest), "sample", sample)
    for data, content in REGISTERS.items():
        prepare = registers(content)
        for more in (*MORE, ("-o", "binary")):
            yield Case("show-regs", (CONTROLLER, *more), f"local {data}", prepare)
    for offset in PROPERTIES:
        args = (CONTROLLER, "-O", hex(offset), "-o", "json")
        yield Case("get-property", args, "sample", sample)
    yield from of_features()


#: Per cent of lines or keys that are the same, of what has less by choice.
LEAST: dict[str, float] = {
    "error-log": 95,  # the names of statuses go without their sentences
}

#: By case: the original's run, and what differs.
Found = dict[Case, tuple[Run, list[Difference]]]


def builtin(program: list[str]) -> set[str]:
    """What a program's help lists: of the original's, its commands without its plugins."""
    done = subprocess.run([*program, "help"], stdout=subprocess.PIPE, check=True)
    commands = done.stdout.decode().split("sub-commands:")[-1].split("plugin extensions")[0]
    return {line.split()[0] for line in commands.splitlines() if line.startswith("  ")}


def compared(path: Path, original: Original, chosen: Iterable[Case]) -> Found:
    """Runs both programs for every case."""
    machines = Machines(path, original)
    found: Found = {}
    for case in chosen:
        one, other = machines.both(case)
        found[case] = other, list(compare(case, one, other))
    return found


@pytest.fixture(scope="module")
def found(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Found:
    """What differs in every case."""
    return compared(tmp_path_factory.mktemp("machines"), original, cases())


def test_nothing_else_differs(judge: Judge) -> None:
    assert judge.complaint() == ""


def test_exceptions_are_few(judge: Judge) -> None:
    print(*table(judge.scores), sep="\n")
    assert below(judge.scores, LEAST) == {}
    assert {command for command, _ in below(judge.scores, {})} == set(LEAST)


def test_every_exception_is_needed(judge: Judge) -> None:
    assert judge.idle() == []


#: Commands whose golden case needs what 2.13 has not, prints what is new each time, or never ends
#: there: it reads entries from behind its buffer.
OTHERWISE = {"list-subsys", "show-topology", "help", "host-discovery-log", "ave-discovery-log"}


@pytest.mark.parametrize("command", sorted(set(golden_cases.CASES) - OTHERWISE))
def test_operands_are_ignored_alike(original: Original, tmp_path: Path, command: str) -> None:
    """Empty and surplus operands change nothing, in either program."""
    golden = golden_cases.CASES[command]
    plain = Case(command, tuple(golden.args), "golden", golden.prepare)
    here, there = ours(tmp_path / "1", plain), theirs(tmp_path / "2", plain, original)
    for number, more in enumerate((("",), ("/dev/nvme2n1",), ("bogus", ""))):
        case = Case(command, (*golden.args, *more), "golden", golden.prepare)
        one = ours(tmp_path / f"3{number}", case)
        other = theirs(tmp_path / f"4{number}", case, original)
        assert (other.status, other.written) == (there.status, there.written), case
        assert (one.status, one.written) == (here.status, here.written), case


def test_every_command_is_there(original: Original) -> None:
    """Each has a golden case, whose commands and status are compared above."""
    there = builtin(original.command(original.nvme))
    assert len(there) == 118
    assert there <= builtin([str(NVME)])
    assert there <= set(golden_cases.CASES)


def takes(queue: str, device: str, opcode: int) -> Prepare:
    """The machine of the sample, with 64 bytes as the answer to a command."""

    def prepare(host: FakeHost) -> None:
        sample(host)
        host.command(device, queue, opcode, 0, bytes(range(64)))

    return prepare


#: By command: its queue, a device, and the opcodes up to and beyond the last that has a name.
QUEUES = {
    "admin-passthru": ("admin", "nvme0", [*range(0x48), *range(0x7A, 0x8C), 0xC0, 0xFF]),
    "io-passthru": ("io", "nvme0n1", [*range(0x20), *range(0x78, 0x82), 0xFF]),
}
#: Opcodes that 2.13 calls vendor specific.
NEWER = {("io-passthru", 0x12), ("io-passthru", 0x1D)}


@pytest.mark.parametrize("command", QUEUES)
def test_passthrough(original: Original, tmp_path: Path, command: str) -> None:
    """Opcode by opcode: what is sent, printed, and on which stream; data by its direction."""
    queue, device, opcodes = QUEUES[command]
    for opcode in opcodes:
        more = ("-l", "16") if opcode % 4 == 2 else ("-l", "16", "-r") if opcode % 4 == 0 else ()
        args = (f"/dev/{device}", f"--opcode={opcode}", *more)
        case = Case(command, args, "64 bytes", takes(queue, device, opcode))
        one, other = (
            ours(tmp_path / f"1{opcode}", case),
            theirs(tmp_path / f"2{opcode}", case, original),
        )
        assert (one.status, one.out, one.written) == (0, other.out, other.written), case
        if (command, opcode) not in NEWER:
            assert one.err == other.err, case


def test_the_comparison_finds_differences(original: Original, tmp_path: Path) -> None:
    """Two programs on different machines differ: in text, in documents, in what is sent."""
    for more in ((), ("-o", "json")):
        one = Case("smart-log", (CONTROLLER, *more), "sample", DATA["sample"])
        other = Case("smart-log", (CONTROLLER, *more), "ones", DATA["ones"])
        first = ours(tmp_path / f"one{len(more)}", one)
        second = theirs(tmp_path / f"other{len(more)}", other, original)
        kinds = {d.kind for d in compare(one, first, second)}
        assert kinds == ({"line"} if not more else {"value", "missing"})
    sent = Case("list-ns", (CONTROLLER, "-n", "7"), "sample", sample)
    plain = Case("list-ns", (CONTROLLER,), "sample", sample)
    first, second = ours(tmp_path / "a", sent), theirs(tmp_path / "b", plain, original)
    assert "sent" in {d.kind for d in compare(plain, first, second)}
