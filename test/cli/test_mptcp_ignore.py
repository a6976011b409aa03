# SPDX-License-Identifier: LGPL-2.1-or-later
"""Findings that are meant so: nvme mptcp check --ignore, and the list of the configuration."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Nvme, Result, schema
from fake_sysfs import HOSTNQN, FakeHost
from mptcp_net import Network
from test_mptcp import conforms, run
from test_mptcp_check import connect
from test_mptcp_setup import wait_for

SCHEMA = schema("mptcp-findings")


@pytest.fixture
def backups(network: Network, host: FakeHost) -> Iterator[Network]:
    """A host whose further subflows are backups, on purpose (H14)."""
    network.subflows_by(2, 3, more="subflow backup")
    connect(network, host)
    wait_for(lambda: network.subflows(network.host) == 6)
    yield network
    network.stop()
    network.limits(8, 8)


def check(net: Network, host: FakeHost, *more: str, status: int | None = None) -> Result:
    words = ("mptcp", "check", "--interval", "0.1", *more)
    return run(*words, host=host, unseen=net.host, status=status)


def configured(path: Path, mptcp: Any) -> str:
    """A configuration with that object."""
    path.write_text(json.dumps([{"hostnqn": HOSTNQN, "mptcp": mptcp}]))
    return str(path)


def test_what_is_ignored_is_counted_and_left_out(backups: Network, host: FakeHost) -> None:
    found = check(backups, host, "-J", "none", "-o", "json", status=1)
    assert found.json["ignored"] == 0
    assert "H14" in [finding["rule"] for finding in found.json["findings"]]
    others = [f for f in found.json["findings"] if f["rule"] != "H14"]

    result = check(backups, host, "--ignore", "H14,A11", "-o", "json", status=0)
    document = conforms(result.json, SCHEMA)
    assert (document["findings"], document["ignored"], others) == ([], 1, [])

    result = check(backups, host, "--ignore=H14")
    assert (result.status, result.out) == (0, "host: nothing found, 1 ignored\n")
    result = check(backups, host, "--ignore=H14", "--brief")
    assert result.out.startswith("MPTCP OK - 1 controller, 6 of 6 subflows, 1 ignored |")


def test_a_former_number_stands_for_its_rule(network: Network, host: FakeHost) -> None:
    """R02 and H16 are part of R01 and H05."""
    network.limits(1, 8)
    network.subflows_by(2, 3)
    words = ("--traddr", "10.77.1.1", "--no-trial", "--role", "host")
    found = check(network, host, *words, "-J", "none", "-o", "json")
    assert "H05" in [finding["rule"] for finding in found.json["findings"]], found
    result = check(network, host, *words, "-J", "none", "--ignore", "H16", "-o", "json")
    assert "H05" not in [finding["rule"] for finding in result.json["findings"]], result
    assert result.json["ignored"] == 1
    network.stop()
    network.limits(8, 8)


def test_the_list_of_the_configuration(backups: Network, host: FakeHost, tmp_path: Path) -> None:
    file = configured(tmp_path / "a.json", {"ignore": ["H14"]})
    result = check(backups, host, "--config", file)
    assert (result.status, result.out) == (0, "host: nothing found, 1 ignored\n")
    assert check(backups, host, "-J", "none").status == 1
    # The option adds to it.
    file = configured(tmp_path / "b.json", {"ignore": ["A11"]})
    assert check(backups, host, "-J", file).status == 1
    assert check(backups, host, "-J", file, "--ignore=H14").status == 0


@pytest.mark.parametrize("rules", ["H99", "h14", "H14,X1", "H14 ", "all"])
def test_a_rule_that_there_is_not(host: FakeHost, rules: str) -> None:
    result = run("mptcp", "check", f"--ignore={rules}", host=host)
    unknown = rules.split(",")[-1]
    assert (result.status, result.out) == (3, "")
    assert result.err == (
        f"--ignore={rules}: unknown rule {unknown} (nvme mptcp explain lists them)\n"
    )


@pytest.mark.parametrize("rules", ["", "H14,", ",H14"])
def test_a_list_with_a_hole(host: FakeHost, rules: str) -> None:
    assert "separated by commas" in run("mptcp", "check", f"--ignore={rules}", host=host).refused(3)


def test_a_broken_configuration_is_an_error_that_names_it(host: FakeHost, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    for text, place in (
        ("{", f"{file}:1:"),
        (json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"ignore": ["H99"]}}]), "mptcp.ignore[0]"),
        (json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"ignore": "H14"}}]), "must be an array"),
    ):
        file.write_text(text)
        said = run("mptcp", "check", "--config", str(file), host=host).refused(3)
        assert str(file) in said and place in said
    result = run("mptcp", "check", "--config", str(tmp_path / "gone.json"), host=host, status=3)
    assert "gone.json: No such file or directory" in result.err


def test_the_default_configuration_is_read(nvme: Nvme, host: FakeHost) -> None:
    (host.etc / "config.json").write_text("[\n{")
    assert "config.json:2:" in nvme("mptcp", "check", "--role", "target").refused(3)
    assert "config.json" not in nvme("mptcp", "check", "--role", "target", "-J", "none").err
