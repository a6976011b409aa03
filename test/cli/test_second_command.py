# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands that send more than one command to a device: whichever fails, the exit status is 1."""

import json
import re

import plugin_cases
import pytest
from conftest import Nvme
from fake_sysfs import FakeHost
from golden_cases import CASES
from test_alloc_commands import OF_PLUGINS
from test_golden import ON_DEVICES, WITH_JSON

FAILED = "Internal Error"  # what the stand-in for the kernel fails it with
DISCOVERING = ("discover", "connect-all")
GOES_ON = ("get-reg",)  # prints the other registers, and the failure on stderr
MOST = 12  # of one run, and the last one

#: By command, those of its commands that may fail, and why. All others end it.
MAY_FAIL = {
    "show-regs": (range(1, 6), "a register that the controller refuses is left out"),
    "read": (range(1, 2), "without the size of a block, sizes stay as they were given"),
    "write": (range(1, 2), "as for read"),
    "compare": (range(1, 2), "as for read"),
    "create-ns": (range(2, 3), "without the granularity, sizes are rounded to a MiB"),
    "fw-commit": (range(2, 3), "it is done, and only told of images that overlap"),
}


def commands(host: FakeHost) -> list[str]:
    """What was sent to devices, in order."""
    return [line for line in host.written if re.match(r"\S+ (admin|io) opcode=", line)]


def fail_each(nvme: Nvme, host: FakeHost, words: list[str]) -> None:
    """Runs it once for each command that it sends."""
    name = words[0]
    may_fail, _ = MAY_FAIL.get(name, (range(0), ""))
    nvme(*words, status=0)
    sent = commands(host)
    assert len(sent) >= may_fail.stop - 1, "an exception for what is not sent"
    for number in {*range(1, min(len(sent), MOST) + 1), len(sent)} - {0}:
        (host.fake / "written").unlink()
        (host.fake / "failing").write_text(str(number))
        result = nvme(*words)
        if number in may_fail:
            assert result.status == 0, (number, result)
            continue
        told = result.out + result.err
        assert result.status == 1, (number, sent[number - 1], result)
        if name not in DISCOVERING or number == 1:
            assert told.count(FAILED) == 1, (number, sent[number - 1], result)
        if "--output-format=json" in words and name not in GOES_ON:
            assert next(iter(json.loads(result.out))) == "error", result


TEXT = [(name, []) for name in (*ON_DEVICES, *DISCOVERING)]
JSON = [(name, ["--output-format=json"]) for name, _ in TEXT if name in WITH_JSON]


@pytest.mark.parametrize(("name", "more"), [*TEXT, *JSON])
def test_each_command_of_a_command(nvme: Nvme, host: FakeHost, name: str, more: list[str]) -> None:
    case = CASES[name]
    case.prepare(host)
    if name in DISCOVERING:
        (host.fake / "slept").write_text("")
    fail_each(nvme, host, [name, *case.args, *more])


#: Boot tables are files.
SENDING = [line for line in OF_PLUGINS if "TABLES" not in line]


@pytest.mark.parametrize("line", SENDING)
def test_each_command_of_a_plugins_command(nvme: Nvme, host: FakeHost, line: str) -> None:
    plugin_cases.sample(host)
    devices = {"CTRL": "/dev/nvme0", "NS": "/dev/nvme0n1"}
    fail_each(nvme, host, [devices.get(word, word) for word in line.split()])
