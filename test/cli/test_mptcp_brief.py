# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp check --brief: one line that a monitoring program reads."""

import re
from pathlib import Path

import pytest
from conftest import Result
from fake_sysfs import FakeHost
from mptcp_net import Network
from test_mptcp import run
from test_mptcp_check import connect, endpoints

#: As the Monitoring Plugins Development Guidelines have it: text | label=value;warn;crit;min;max.
LINE = re.compile(r"MPTCP (OK|WARNING|CRITICAL) - ([^|\n]+) \| ([^|\n]+)\n")
STATES = {0: "OK", 1: "WARNING", 2: "CRITICAL"}


def brief(net: Network, host: FakeHost, *more: str) -> tuple[Result, str, dict[str, str]]:
    """The line: its text and the performance data."""
    arguments = ("--brief", "--interval", "0.1", *more)
    result = run("mptcp", "check", *arguments, host=host, unseen=net.host)
    match = LINE.fullmatch(result.out)
    assert match and match[1] == STATES[result.status], result
    return result, match[2], dict(item.split("=") for item in match[3].split(" "))


def test_all_is_well(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    connect(net, host)
    result, text, numbers = brief(net, host)
    assert (result.status, result.err) == (0, "")
    assert text == "1 controller, 6 of 6 subflows"
    assert numbers == {"subflows": "6;;;0;6", "missing": "0", "warnings": "0", "errors": "0"}


def test_subflows_that_are_missing(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    net.limits(1, 8)
    connect(net, host)
    result, text, numbers = brief(net, host, "nvme0")
    assert result.status
    assert re.match(r"1 controller, (\d+) of (\d+) subflows, .*\([A-Z]\d+", text)
    there, _, _, least, most = numbers["subflows"].split(";")
    assert int(there) + int(numbers["missing"]) == int(most) > int(there) > int(least) == 0
    assert int(numbers["warnings"]) + int(numbers["errors"]) > 0


def test_no_controller_is_live(net: Network, host: FakeHost) -> None:
    """No disk takes I/O: that is critical, and comes before what endpoints lack."""
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow")
    net.endpoint(net.host, "10.77.99.2", "subflow")
    connect(net, host)
    net.stop()
    state = host.sys / "class/nvme/nvme0/state"
    state.write_text("connecting\n")
    result, text, numbers = brief(net, host)
    assert (result.status, numbers["subflows"]) == (2, "0;;;0;0"), result
    assert re.search(r"\(N02\b", text), text


def test_a_trial(net: Network, host: FakeHost) -> None:
    endpoints(net, 2, 3)
    net.answer("0.0.0.0")
    result, text, numbers = brief(net, host, "--traddr", "10.77.1.1")
    assert result.status == 0
    assert text == "trial to 10.77.1.1:4420, 3 of 3 subflows"
    assert numbers["subflows"] == "3;;;0;3"


def test_a_target(net: Network, tmp_path: Path) -> None:
    result, text, numbers = brief(net, FakeHost(tmp_path), "--role", "target")
    assert text.startswith("target"), result
    assert numbers["subflows"] == "0;;;0;0"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "no controller is connected over MPTCP"),
        (("nvme7",), "nvme7: no controller of that name"),
        (("--role", "both"), "--role=both"),
        (("--peer", "/nonexistent"), "--peer=/nonexistent: No such file"),
        (("--netns", "nobody"), "network namespace nobody"),
    ],
)
def test_what_cannot_be_told_is_unknown_and_the_line_has_the_reason(
    host: FakeHost, arguments: tuple[str, ...], reason: str
) -> None:
    result = run("mptcp", "check", "--brief", *arguments, host=host, status=3)
    assert result.out.startswith(f"MPTCP UNKNOWN - {reason}")
    assert result.out.count("\n") == 1


def test_it_is_a_line_and_no_document(host: FakeHost) -> None:
    result = run("mptcp", "check", "--brief", "-o", "json", host=host, status=3)
    assert result.json == {"error": "--brief and --output-format=json cannot be combined"}
