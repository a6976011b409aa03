# SPDX-License-Identifier: LGPL-2.1-or-later
"""Standard streams that nothing can be written to.

Where they were closed before the command began, nothing opened takes their place.
"""

import os
import signal
import subprocess

import golden_cases
import pytest
from conftest import NVME

BAD = "Bad file descriptor"
LOG = ["get-log", "/dev/nvme0", "--log-id=7", "--log-len=65536"]


def run(nvme, redirected, *args):
    """Runs it by a shell that closes streams; what it prints, and its status."""
    command = ["sh", "-c", f'"$@" {redirected}', "sh", str(NVME), *args]
    done = subprocess.run(
        command, capture_output=True, env=nvme.environment(), timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture
def machine(nvme, host):
    golden_cases.answering(host)
    return nvme


@pytest.mark.parametrize("redirected", [">&-", "<&- >&-"])
@pytest.mark.parametrize("more", [[], ["--raw-binary"]])
def test_no_device_is_written_to(machine, redirected, more):
    """More than a buffer of output goes out while the device is open."""
    status, out, err = run(machine, redirected, *LOG, *more)
    assert (status, out, err) == (1, b"", f"nvme get-log: writing the output: {BAD}\n")


def test_no_device_is_read_from(machine, host):
    """Data that is to come from standard input is not the device's own."""
    args = ["io-passthru", "/dev/nvme0n1", "--opcode=1", "--data-len=16", "--write"]
    status, out, err = run(machine, "<&-", *args)
    assert (status, out, err) == (1, b"", f"standard input: {BAD}\n")
    assert host.written == []


@pytest.mark.parametrize("redirected", ["2>&-", "<&- 2>&-"])
def test_no_message_goes_to_a_device(machine, host, redirected):
    """Without a place for messages the command does what it is told to."""
    args = ["io-passthru", "/dev/nvme0n1", "--opcode=2", "--data-len=16", "--read", "-vv"]
    status, out, err = run(machine, redirected, *args)
    assert (status, err) == (0, "")
    assert b"data" in out
    assert len(host.written) == 1


@pytest.mark.parametrize(
    "args",
    [
        ["get-log", "/dev/nvme0", "--log-id=7", "--log-len=512", "--raw-binary"],
        ["id-ctrl", "/dev/nvme9", "-o", "json"],
    ],
    ids=["output", "error"],
)
def test_a_full_disk(machine, args):
    """What could not be printed is told once, also where the command failed."""
    said = f"nvme {args[0]}: writing the output: No space left on device\n"
    assert run(machine, ">/dev/full", *args) == (1, b"", said)


@pytest.mark.parametrize("args", [LOG, ["help"]], ids=["log", "help"])
def test_who_reads_no_further_is_told_nothing(machine, args):
    """As head, below a service: SIGPIPE is ignored there."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [str(NVME), *args],
        stdout=writer, stderr=subprocess.PIPE, env=machine.environment(), timeout=60, check=False,
        restore_signals=False, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
