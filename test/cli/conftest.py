# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the nvme command of $BUILD (default: build/) on a fake machine."""

import contextlib
import functools
import json
import os
import re
import resource
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import usual_signals
from fabric import Fabric
from fake_sysfs import FakeHost
from mptcp_net import Network, why_not

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", TOP / "build")).resolve()
NVME = BUILD / "nvme-cli/nvme"

usual_signals.restore()

#: Of tests that ask a kernel with MPTCP and use no Network, which skips others.
live = pytest.mark.skipif(why_not() is not None, reason=f"skipped: {why_not()}")
PRELOAD = BUILD / "test/cli/fake-kernel.so"


@dataclass
class Raw:
    """What a run of the command left behind, as bytes."""

    status: int
    out: bytes
    err: bytes


@dataclass
class Result:
    """The same as text."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The JSON document on stdout; no key may come twice in one object."""
        return json.loads(self.out, object_pairs_hook=unique)

    def refused(self, status: int = 1) -> str:
        """The message of what fails with that status and prints nothing."""
        assert (self.status, self.out) == (status, ""), self
        return self.err


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON document whose keys differ."""
    members = dict(pairs)
    assert len(members) == len(pairs), [key for key, _ in pairs]
    return members


@functools.cache
def sanitizer_library(program: Path) -> str | None:
    """The address sanitizer that the program needs; it must be loaded first."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        words = line.split()
        if words and words[0].startswith("libasan.so"):
            return words[2]
    return None


class Nvme:
    """The nvme command on a fake machine."""

    def __init__(self, host: FakeHost) -> None:
        self.host = host

    def environment(self) -> dict[str, str]:
        """Of a program there."""
        asan = sanitizer_library(NVME)
        return {
            "PATH": os.environ["PATH"],
            "FAKE_DIR": str(self.host.fake),
            "LIBNVME_SYSFS_PATH": str(self.host.root / "sysfs"),
            "LD_PRELOAD": f"{asan} {PRELOAD}" if asan else str(PRELOAD),
            "ASAN_OPTIONS": "exitcode=97",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98:print_stacktrace=1",
            "LC_ALL": "C",
        }

    def raw(
        self,
        *args: str,
        stdin: str = "",
        env: dict[str, str] | None = None,
        stdout: int = subprocess.PIPE,
        netns: str | None = None,
        files: int = 0,
    ) -> Raw:
        """Run it, perhaps in a namespace or with that many open files at most; a crash or a
        sanitizer's report fails the test."""
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_NOFILE, (files, files))
        enter = ["nsenter", f"--net=/run/netns/{netns}"] if netns else []
        done = subprocess.run(
            [*enter, NVME, *args],
            input=stdin.encode(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=60,
            env=self.environment() | (env or {}),
            preexec_fn=limit if files else None,
            check=False,
        )
        result = Raw(done.returncode, done.stdout or b"", done.stderr)
        assert 0 <= result.status < 90, result
        assert b"Sanitizer" not in result.err and b"runtime error" not in result.err, result.err
        return result

    def __call__(
        self,
        *args: str,
        stdin: str = "",
        env: dict[str, str] | None = None,
        netns: str | None = None,
        status: int | None = None,
    ) -> Result:
        """Run it; what it says is text. @status is that which it ends with."""
        raw = self.raw(*args, stdin=stdin, env=env, netns=netns)
        result = Result(raw.status, raw.out.decode(), raw.err.decode(errors="replace"))
        assert status in (None, result.status), result
        return result

    def ok(self, *args: str, **how: Any) -> Result:
        """Run what succeeds, without a message."""
        result = self(*args, **how)
        assert (result.status, result.err) == (0, ""), result
        return result

    def error(self, *args: str, **how: Any) -> str:
        """Run what fails with status 1 and prints nothing; its message."""
        return self(*args, **how).refused()


def read_to_end(terminal: int) -> str:
    """What was written to a terminal, or a pipe, whose other end is closed; closes it."""
    said = b""
    with contextlib.suppress(OSError):  # as a terminal ends
        while more := os.read(terminal, 4096):
            said += more
    os.close(terminal)
    return said.decode().replace("\r", "")


@pytest.fixture
def host(tmp_path: Path) -> FakeHost:
    """A machine with the NVMe modules loaded and nothing connected."""
    return FakeHost(tmp_path)


@pytest.fixture
def fabric(host: FakeHost) -> Fabric:
    """Controllers that the next connects bring up on that machine."""
    return Fabric(host)


@pytest.fixture
def nvme(host: FakeHost) -> Nvme:
    """The command on that machine."""
    return Nvme(host)


def network_of(links: int, *limits: int, scope: Any = "function") -> Any:
    """A fixture: two namespaces with so many links, and with these limits in the beginning."""

    @pytest.fixture(scope=scope)
    def made() -> Iterator[Network]:
        with Network(links, *limits) as net:
            yield net

    return made


network = network_of(3, 8, 8, scope="module")


@pytest.fixture
def net(network: Network) -> Iterator[Network]:
    """The network without anything running on it."""
    yield network
    network.stop()
    network.limits(8, 8)


#: What stands for a run of equal numbers in a golden file: the number and how often it follows.
REPEATED = re.compile(r"(\b\d+)(?:, \1\b){7,}")


def joined(lines: re.Match[str]) -> str:
    """The numbers of an array, at most 100 columns a line, with runs of equal ones counted."""
    indent = lines[1]
    numbers = ", ".join(lines[0].replace(",", "").split())
    counted = REPEATED.sub(lambda run: f"{run[1]} x{run[0].count(',') + 1}", numbers)
    return textwrap.fill(counted, 100, initial_indent=indent, subsequent_indent=indent)


def golden_text(text: str) -> str:
    """Return what a golden file keeps of an output: every character, but a number of an array has
    no line of its own. Different outputs have different texts, as no output has such lines."""
    numbers = re.compile(r"^( +)\d+,\n(?:\1\d+,\n)*\1\d+$", re.MULTILINE)
    assert not re.search(r"^ +\d+( x\d+)?, ", text, re.MULTILINE)
    return numbers.sub(joined, text)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Any:
    """Compares text with test/cli/golden/NAME; UPDATE_GOLDEN=1 writes it instead."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        kept = golden_text(text)
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(kept)
        assert path.exists(), f"no golden file {path}"
        assert kept == path.read_text()

    return compare


def schema(name: str) -> Any:
    """The schema that the build made from doc/schema/NAME.txt."""
    return json.loads((BUILD / "doc/schema" / f"{name}.json").read_text())


@pytest.fixture
def valid() -> Any:
    """Validates a document against a schema, and returns it."""
    import jsonschema

    def check(name: str, document: Any) -> Any:
        wanted = schema(name)
        jsonschema.Draft202012Validator.check_schema(wanted)
        jsonschema.validate(document, wanted, jsonschema.Draft202012Validator)
        return document

    return check
