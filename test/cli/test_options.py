# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names, options and prefixes of every command, held to test/data/nvme-options.txt."""

import re

import command_table
import golden_cases
import pytest

EXPECTED = command_table.expected()
NAMES = sorted(EXPECTED)

# These run whatever stands behind their names; the help of help is no error (test_general.py).
DEAF = {"gen-hostnqn", "show-hostnqn", "version", "help"}


def test_commands():
    assert sorted(command_table.actual()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_options(name):
    assert command_table.actual()[name] == EXPECTED[name]


def shortest(name, names):
    """The shortest beginning of a name that no other name has, unless it is a name itself."""
    for length in range(1, len(name) + 1):
        beginning = name[:length]
        if beginning not in names and sum(n.startswith(beginning) for n in names) == 1:
            return beginning
    return name


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DEAF])
def test_prefix(nvme, name):
    said = nvme.error(shortest(name, NAMES), "--help")
    assert said.splitlines()[0].split()[:3] == ["Usage:", "nvme", name]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DEAF])
def test_help_names_every_option(nvme, name):
    text = nvme(name, "--help").err
    for option, what in EXPECTED[name].options.items():
        letter = f"-{what.letter}, " if what.letter else "    "
        assert re.search(rf"^  {re.escape(letter)}--{re.escape(option)}\b", text, re.M), option
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DEAF])
def test_unique_beginnings_of_options(nvme, name):
    options = [*EXPECTED[name].options, "help"]
    for option in options:
        beginning = shortest(option, options)
        kind = EXPECTED[name].options.get(option)
        if not kind or kind.type in ("flag", "count", "string"):
            continue
        said = nvme.error(name, f"--{beginning}=wrong")
        assert f"argument for '{option}' but got 'wrong'!\n" in said


def test_letters_of_what_every_command_has(nvme, host):
    """-n begins --no-retries, and -d --dry-run, where a command has no such letter, as in 2.16."""
    golden_cases.answering(host)
    for name in ("id-ctrl", "fw-log", "list"):
        result = nvme(name, "/dev/nvme0", "-n", "1", status=0)
        assert result.err.endswith(f"nvme {name}: argument '1' is ignored\n")
    sent = host.written
    assert nvme("id-ctrl", "/dev/nvme0", "-d").out.startswith("opcode ")
    assert host.written == sent
    for words in (["id-nvmset", "-n", "1"], ["list-secondary", "-n", "2"]):
        name, *more = words
        assert nvme(name, "/dev/nvme0", *more).status == 0
    assert nvme("id-ctrl", "/dev/nvme0", "--n", "-no").status == 0


BAD = {
    "int": ["", "x", "1x", "0x", "1.5", "2147483648", "-2147483649", "99999999999999999999"],
    "uint": ["", "x", "1x", "-1", "1.5", "4294967296", "99999999999999999999"],
    "short": ["", "x", "1x", "-1", "65536"],
    "byte": ["", "x", "1x", "-1", "256"],
    "long": ["", "x", "1x", "1k", "9223372036854775808", "-9223372036854775809"],
    "suffix": ["", "x", "1x", "-1", "1kk", "1iK", "18446744073709551616", "20E", "16Ei"],
}
TYPE_NAMES = {
    "int": "integer",
    "uint": "word",
    "short": "short",
    "byte": "byte",
    "long": "long integer",
    "suffix": "long suffixed integer",
}


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("connect", "nr-io-queues"),
        ("list-ns", "namespace-id"),
        ("list-ctrl", "cntid"),
        ("get-feature", "feature-id"),
        ("connect", "tls_key"),
        ("read", "start-block"),
    ],
)
def test_bad_numbers(nvme, host, name, option):
    kind = EXPECTED[name].options[option].type
    for value in BAD[kind]:
        result = nvme(name, f"--{option}={value}")
        line = f"Expected {TYPE_NAMES[kind]} argument for '{option}' but got '{value}'!\n"
        assert (result.status, result.out, result.err) == (1, "", line)
    assert host.written == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["connect", "--transprt=tcp"], "unknown option '--transprt': did you mean '--transport'?"),
        (["connect", "--bogus"], "unknown option '--bogus' (see nvme connect --help)"),
        (["connect", "--\033[2J"], r"unknown option '--\x1b[2J' (see nvme connect --help)"),
        (["connect", "-Z"], "unknown option '-Z' (see nvme connect --help)"),
        (["id-ctrl", "-HZ"], "unknown option '-Z' (see nvme id-ctrl --help)"),
        (["connect", "--host-"], "option '--host-' is ambiguous: --host-traddr or --host-iface"),
        (["connect", "--nqn"], "option '--nqn' needs a value"),
        (["connect", "-n"], "option '--nqn' needs a value"),
        (["connect", "--tls=1"], "option '--tls' does not take a value"),
        (["connect", "--help=1"], "option '--help' does not take a value"),
        (["mptcp", "setup", "--rloe=host"], "unknown option '--rloe': did you mean '--role'?"),
    ],
)
def test_misused_options(nvme, words, line):
    result = nvme(*words)
    name = " ".join(word for word in words[:2] if not word.startswith("-"))
    assert (result.status, result.out, result.err) == (1, "", f"nvme {name}: {line}\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["conect"], "'conect': did you mean 'connect'?"),
        (["lits-subsys"], "'lits-subsys': did you mean 'list-subsys'?"),
        (["mtpcp"], "'mtpcp': did you mean 'mptcp'?"),
        (["disc"], "'disc': it may be discover, disconnect, disconnect-all"),
        (["list-s-"], "'list-s-': did you mean 'list-ns'?"),
        (["no-such"], "'no-such' ('nvme help' lists the commands)"),
        (["\033[2J"], r"'\x1b[2J' ('nvme help' lists the commands)"),
        (["mptcp", "chekc"], "'chekc' for plugin mptcp: did you mean 'check'?"),
        (["mptcp", "show-"], "'show-' for plugin mptcp: it may be show-subflows, show-endpoints"),
        (["mptcp-none"], "'none' for plugin mptcp ('nvme mptcp help' lists the commands)"),
        (["help", "conect"], "'conect': did you mean 'connect'?"),
        (["help", "mptcp", "chekc"], "'chekc' for plugin mptcp: did you mean 'check'?"),
    ],
)
def test_no_such_command(nvme, words, line):
    result = nvme(*words)
    said = f"ERROR: Invalid sub-command {line}\n"
    assert (result.status, result.out, result.err) == (1, said, "")


@pytest.mark.parametrize("version", ["0", "3", "-1"])
@pytest.mark.parametrize("name", ["list", "id-ctrl", "io-passthru"])
def test_layouts_that_there_are_not(nvme, name, version):
    said = nvme.error(name, f"--output-format-version={version}")
    assert said == f"Invalid --output-format-version {version}: use 1 or 2\n"
