# SPDX-License-Identifier: LGPL-2.1-or-later
"""Operands that a command does not take: nvme-cli 2.x ignores them, and scripts rely on it."""

import errno

import command_table
import pytest
from conftest import Nvme
from fake_sysfs import FakeHost
from golden_cases import CASES

# Those that ignore all of their arguments.
BLIND = {"gen-hostnqn", "show-hostnqn"}
# What these do depends on the operand, or on this machine's keyrings.
OWN = {"list-subsys", "help", "tls-key"}
# A stray argument of these may be a key.
KEYS = {"gen-dhchap-key", "check-dhchap-key", "gen-tls-key", "check-tls-key", "rpmb"}
COMMANDS = sorted(set(command_table.builtin()) - OWN)


def run(tmp_path, name, *more):
    """The command of the golden case, and what it sent, on a machine of its own."""
    host = FakeHost(tmp_path / f"machine-{len(list(tmp_path.iterdir()))}")
    CASES[name].prepare(host)
    return Nvme(host)(name, *CASES[name].args, *more), host.written


def notes(result):
    """The lines on stderr without numbers that change."""
    return [line for line in result.err.splitlines() if "is ignored" not in line]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("more", [[""], ["/dev/nvme2n1"], ["", "surplus", ""]])
def test_surplus_is_ignored(tmp_path, name, more):
    plain, sent = run(tmp_path, name)
    takes_one = name == "show-topology"
    extra = ["/dev/nvme0n1", *more] if takes_one and any(more) else more
    result, sent_again = run(tmp_path, name, *extra)
    assert (result.status, sent_again) == (plain.status, sent)
    assert notes(result) == notes(plain)
    warned = [line for line in result.err.splitlines() if "is ignored" in line]
    if name in BLIND or name == "version":
        assert warned == []
    elif name in KEYS:
        assert warned == [f"nvme {name}: an argument is ignored (it may be a key)"] * sum(
            map(bool, more)
        )
    else:
        assert warned == [f"nvme {name}: argument '{word}' is ignored" for word in more if word]
    if not CASES[name].pattern:
        assert result.out == plain.out


@pytest.mark.parametrize("operands", [["/dev/nvme0n1"], [""], ["nvme9"]])
def test_disconnect_of_the_how_to(nvme, host, operands):
    host.subsystem(0, "nqn.one").controller(0)
    result = nvme("disconnect", *operands, "-n", "nqn.one")
    assert (result.status, result.out) == (0, "NQN:nqn.one disconnected 1 controller(s)\n")
    assert host.deleted == ["nvme0"]


def test_an_operand_is_no_option(nvme, host):
    host.subsystem(0, "nqn.one").controller(0)
    said = nvme.error("disconnect", "nvme0")
    assert "argument 'nvme0' is ignored" in said
    assert "[--device | -d]" in said
    assert host.deleted == []


@pytest.mark.parametrize("command", ["connect-all", "discover"])
def test_lines_of_discovery_conf(nvme, host, command):
    """A stray word in a line is no reason to leave its controller out."""
    (host.etc / "discovery.conf").write_text("-t tcp -a 10.1.1.1 stray\n")
    host.answer_error(errno.ECONNREFUSED)
    result = nvme(command)
    assert result.err.splitlines()[0] == "/etc/nvme/discovery.conf:1: argument 'stray' is ignored"
    assert len(host.connects) == 1


def test_json_stays_a_document(nvme, host):
    result = nvme("list", "surplus", "-o", "json")
    assert (result.status, result.json) == (0, {"Devices": []})
    assert result.err == "nvme list: argument 'surplus' is ignored\n"


def test_warnings_are_escaped(nvme):
    result = nvme("list", "\033[2J")
    assert r"argument '\x1b[2J' is ignored" in result.err


def test_topology_of_no_namespace(nvme, host):
    host.subsystem(0, "nqn.one").controller(0)
    plain = nvme("show-topology")
    result = nvme("show-topology", "bogus")
    assert (result.status, result.out) == (0, plain.out)
    assert result.err.startswith("nvme show-topology: argument 'bogus' is ignored")
    assert nvme("show-topology", "").err == ""


def test_our_own_plugin_is_strict(nvme, host):
    """Nobody has scripts of 2.x for it, and some of it changes the machine."""
    said = nvme.error("mptcp", "setup", "surplus")
    assert said == "Unexpected argument 'surplus' (see nvme mptcp setup --help)\n"
    assert host.written == []
