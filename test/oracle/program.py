# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's nvme and ours on the same made-up machines, and where their outputs differ."""

import errno
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from conftest import BUILD, TOP, Original

sys.path.insert(0, str(TOP / "test/cli"))

import feature_data
import golden_cases
import rpmb_device  # noqa: F401 - for those who import this
from differences import LONGER, Case, Run
from fake_sysfs import FakeHost

NVME = BUILD / "nvme-cli/nvme"
PRELOAD = BUILD / "test/cli/fake-kernel.so"

Prepare = Callable[[FakeHost], None]


def machine(path: Path, case: Case) -> FakeHost:
    """A machine for one run, with the directory of PCI slots that libnvme asks for."""
    host = FakeHost(path)
    (host.sys / "bus/pci/slots").mkdir(parents=True)
    case.prepare(host)
    return host


def run(command: list[str], host: FakeHost, env: dict[str, str]) -> Run:
    """Runs a program on a machine, which forgets what it was sent before."""
    (host.fake / "written").unlink(missing_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "FAKE_DIR": str(host.fake),
        "LIBNVME_SYSFS_PATH": str(host.root / "sysfs"),
        "LC_ALL": "C",
    }
    done = subprocess.run(
        command, env=environment | env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
        check=False,
    )  # fmt: skip
    return Run(done.returncode, done.stdout, done.stderr, host.written)


def run_ours(host: FakeHost, case: Case) -> Run:
    """The project's program on a machine."""
    return run([str(NVME), case.command, *case.args], host, {"LD_PRELOAD": str(PRELOAD)})


def run_theirs(host: FakeHost, case: Case, original: Original) -> Run:
    """Debian's program; its loader loads the stand-in, and itself nothing else."""
    loader, *rest = original.command(original.nvme, case.command, *case.args)
    return run([loader, "--preload", str(PRELOAD), *rest], host, {"FAKE_EXACT": "1"})


def ours(path: Path, case: Case) -> Run:
    """The project's program on a machine of its own."""
    return run_ours(machine(path / "ours", case), case)


def theirs(path: Path, case: Case, original: Original) -> Run:
    """Debian's program on a machine of its own."""
    return run_theirs(machine(path / "theirs", case), case, original)


class Machines:
    """A machine for each set of data, on which both programs run one after the other.

    Nothing but what is sent is written there, so that the cases with the same data share it.
    """

    def __init__(self, path: Path, original: Original) -> None:
        self.path = path
        self.original = original
        self.hosts: dict[tuple[str, Prepare], FakeHost] = {}

    def both(self, case: Case) -> tuple[Run, Run]:
        """What our program does, and what the original does."""
        key = (case.data, case.prepare)
        if key not in self.hosts:
            self.hosts[key] = machine(self.path / str(len(self.hosts)), case)
        host = self.hosts[key]
        return run_ours(host, case), run_theirs(host, case, self.original)


# Sets of data


INVALID_FIELD = 2


def _answers(host: FakeHost) -> Iterator[Path]:
    """The files with what devices answer."""
    for path in sorted(host.fake.glob("nvme*/*")):
        if path.is_file() and path.suffix in ("", ".result") and path.name != "nsid":
            yield path


def sample(host: FakeHost) -> None:
    """The machine of the golden files."""
    golden_cases.connected(host)


def _filled(host: FakeHost, number: int, make: Callable[[int], bytes]) -> None:
    golden_cases.connected(host)
    for path in _answers(host):
        if path.suffix == ".result":
            path.write_text(str(number))
        else:
            path.write_bytes(make(len(path.read_bytes())))


def zeros(host: FakeHost) -> None:
    """Every answer is zero."""
    _filled(host, 0, bytes)


def ones(host: FakeHost) -> None:
    """Every bit of every answer is set."""
    _filled(host, 2**63 - 1, lambda size: b"\xff" * size)


def pseudo_random(seed: int) -> Prepare:
    """Random answers, the same in every run; a string is one line."""

    def prepare(host: FakeHost) -> None:
        source = random.Random(seed)
        _filled(host, source.getrandbits(63), source.randbytes)
        identify = host.fake / "nvme0/admin-06-01"
        ctrl = bytearray(identify.read_bytes())
        for start, end in STRINGS:
            ctrl[start:end] = bytes(b | 0x80 if b < 0x20 else b for b in ctrl[start:end])
        identify.write_bytes(ctrl)

    return prepare


# Offsets of Identify Controller whose values the original does not bear: strings, NPSS, and the
# latencies of power states, of which bit 31 is a sign there. Of Identify Namespace: NLBAF, NULBAF,
# and the exponents of the sizes of logical blocks, before their performance.
# SMART data units beyond 64 bits are rounded in another digit.
STRINGS = ((4, 24), (24, 64), (64, 72), (768, 1024))
ELPE, NPSS, STATES, NLBAF, NULBAF = 262, 263, range(2048, 3072, 32), 25, 82
SIZES = range(128 + 2, 384, 4)
NS_DESCS = (
    b"\x03\x10\0\0" + bytes(range(16)) + b"\x02\x10\0\0" + bytes(range(16, 32))
    + b"\x01\x08\0\0" + bytes(range(8)) + b"\x04\x01\0\0\2"
).ljust(4096, b"\0")  # fmt: skip


def _within_limits(host: FakeHost) -> None:
    """Changes what is beyond what the specification allows, and what the original does not bear."""
    device = host.fake / "nvme0"
    ctrl = bytearray((device / "admin-06-01").read_bytes())
    for start, end in STRINGS:
        ctrl[start:end] = bytes(0x21 + byte % 94 for byte in ctrl[start:end])
    ctrl[NPSS] %= 32
    for state in STATES:
        ctrl[state + 7] &= 0x7F
        ctrl[state + 11] &= 0x7F
    (device / "admin-06-01").write_bytes(ctrl)
    ns = bytearray((device / "admin-06-00").read_bytes())
    ns[NLBAF], ns[NULBAF] = ns[NLBAF] % 64, 0
    for size in SIZES:
        ns[size] %= 31
        ns[size + 1] %= 4
    (device / "admin-06-00").write_bytes(ns)
    (device / "admin-06-03").write_bytes(NS_DESCS)
    smart = bytearray((device / "admin-02-02").read_bytes())
    smart[40:48] = smart[56:64] = bytes(8)
    (device / "admin-02-02").write_bytes(smart)


def well_behaved(seed: int) -> Prepare:
    """Pseudo-random answers within what the specification allows."""

    def prepare(host: FakeHost) -> None:
        pseudo_random(seed)(host)
        _within_limits(host)
        result = host.fake / "nvme0/admin-7f-00.result"
        result.write_text(str(0x3FFFFFFF & 0x1234567 * (seed + 1)))

    return prepare


def one_bit(number: int) -> Prepare:
    """Answers of which every dword has this bit: every field of up to 32 bits one, or none."""
    dword = (1 << number).to_bytes(4, "little")

    def prepare(host: FakeHost) -> None:
        _filled(host, 1 << number, lambda size: (dword * (size // 4 + 1))[:size])
        _within_limits(host)

    return prepare


def statuses(kind: int) -> Prepare:
    """An error log with every status code of a kind."""

    def prepare(host: FakeHost) -> None:
        sample(host)
        device = host.fake / "nvme0"
        ctrl = bytearray((device / "admin-06-01").read_bytes())
        ctrl[ELPE] = 255
        (device / "admin-06-01").write_bytes(ctrl)
        fields = ((kind << 8 | code) << 1 for code in range(256))
        log = b"".join(
            (bytes(12) + field.to_bytes(2, "little")).ljust(64, b"\0") for field in fields
        )
        (device / "admin-02-01").write_bytes(log)

    return prepare


def registers(content: bytes) -> Prepare:
    """A local controller with these bytes where its registers are."""

    def prepare(host: FakeHost) -> None:
        controller = host.subsystem(0, golden_cases.NQN).controller(0, "pcie", "0000:01:00.0")
        device = host.sys / "devices/pci0000:00/0000:01:00.0"
        device.mkdir(parents=True)
        (device / "resource0").write_bytes(content)
        (controller.directory / "device").symlink_to(device)

    return prepare


#: Bytes of the registers of a local controller.
REGISTERS = {
    "zeros": bytes(4096),
    "ones": b"\xff" * 4096,
    "random 1": random.Random(1).randbytes(4096),
    "random 2": random.Random(2).randbytes(4096),
    "random 3": random.Random(3).randbytes(4096),
}

REGISTER_BITS = {
    f"bit {number}": (1 << number).to_bytes(4, "little") * 1024 for number in range(32)
}

DATA: dict[str, Prepare] = {
    "sample": sample,
    "zeros": zeros,
    "ones": ones,
    "random": pseudo_random(1),
    "well-behaved 1": well_behaved(1),
    "well-behaved 2": well_behaved(2),
}


def refused(host: FakeHost) -> None:
    """Every command is an invalid field to the controller."""
    sample(host)
    for path in _answers(host):
        (path.parent / f"{path.name}.status").write_text(str(INVALID_FIELD))


def broken(host: FakeHost) -> None:
    """No command reaches the controller."""
    sample(host)
    for path in _answers(host):
        (path.parent / f"{path.name}.errno").write_text(str(errno.EIO))


#: Machines on which commands fail.
FAILING: dict[str, Prepare] = {"refused": refused, "broken": broken}

#: One bit at a time, for what explains bits.
BITS: dict[str, Prepare] = {f"bit {number}": one_bit(number) for number in range(32)}


# Features. Of the events of data placement the original reads as many as the value claims, and of
# metadata as many elements as there ought to be, wherever they end; their text as far as a zero.
EVENTS, METADATA = 0x1E, (0x7D, 0x7E, 0x7F)
PLACEMENT = b"".join(bytes([kind, kind % 2]) for kind in (0, 1, 2, 3, 0x80, 0x81)).ljust(512, b"\0")


def features(value: int, make: Callable[[int], bytes]) -> Prepare:
    """A controller with every feature, all of the same value, with data of this making."""

    def prepare(host: FakeHost) -> None:
        golden_cases.connected(host)
        device = host.fake / "nvme0"
        (device / "otherwise").write_bytes(make(4096))
        (device / "otherwise.result").write_text(str(value))
        for fid in METADATA:
            data = feature_data.element(fid % 3 + 1, b"one\0") + feature_data.element(3, b"two\0")
            host.command("nvme0", "admin", 0x0A, fid, bytes([2, 0]) + data, result=value)
        host.command("nvme0", "admin", 0x0A, EVENTS, PLACEMENT, result=value % 7)
        for fid in LONGER:
            host.command("nvme0", "admin", 0x0A, fid, status=INVALID_FIELD)
        (device / "admin-0a-07").unlink()
        (device / "admin-0a-07.result").unlink()

    return prepare


def sample_features(host: FakeHost) -> None:
    """The features of test/cli, and zeros."""
    features(0, bytes)(host)
    for fid, (data, value) in feature_data.FEATURES.items():
        if fid not in METADATA:
            host.command("nvme0", "admin", 0x0A, fid, data, result=value)


def _dwords(number: int) -> Callable[[int], bytes]:
    return lambda size: (1 << number).to_bytes(4, "little") * (size // 4)


#: All features of a controller, by what they are.
FEATURES: dict[str, Prepare] = {
    "sample": sample_features,
    "zeros": features(0, bytes),
    "ones": features(2**32 - 1, lambda size: b"\xff" * size),
    **{
        f"random {seed}": features(
            random.Random(seed).getrandbits(32), random.Random(seed + 10).randbytes
        )
        for seed in range(1, 4)
    },
    **{f"bit {number}": features(1 << number, _dwords(number)) for number in range(32)},
}
