# SPDX-License-Identifier: LGPL-2.1-or-later
"""The frame: finding commands, reading options, help, exit status."""

import re
import subprocess

import command_table
import pytest
from conftest import NVME
from fake_sysfs import HOSTNQN


def test_version(nvme):
    result = nvme("version", status=0)
    assert re.fullmatch(
        r"nvme version 2\.16 \((nvme-mptcp \d+\.\d+\.\d+)\)\n" r"libnvme version 1\.16\.2 \(\1\)\n",
        result.out,
    )
    assert nvme("--version").out == result.out
    # As in 2.x, whatever else stands there is ignored.
    for more in (["-v"], ["--help"], ["--bogus"], ["stray"], ["-o", "bogus"], ["-o"]):
        assert nvme("version", *more).out == result.out


@pytest.mark.parametrize(
    "more", [["-o", "json"], ["-ojson"], ["--output-format=json"], ["--output-format", "json"]]
)
@pytest.mark.parametrize("name", ["version", "--version"])
def test_version_for_programs(nvme, valid, name, more):
    document = valid("version", nvme.ok(name, "--bogus", *more).json)
    text = nvme("version").out
    for program, versions in document.items():
        assert f"{program} version {versions['version']} ({versions['git']})\n" in text


@pytest.mark.parametrize("args", [[], ["help"], ["--help"], ["-h"]])
def test_general_help(nvme, args):
    result = nvme(*args, status=0)
    assert "Usage: nvme <command>" in result.out
    table = command_table.dump()
    listed = [(group["title"], group["commands"]) for group in table["groups"]]
    listed.append(("Plugins", table["plugins"]))
    width = max(len(row["name"]) for _, rows in listed for row in rows)
    for title, rows in listed:
        lines = [f"  {row['name']:{width}}  {row['summary']}\n" for row in rows]
        assert f"\n\n{title}\n{''.join(lines)}\n" in result.out
    assert all(len(line) <= 100 for line in result.out.splitlines())
    assert result.err == ""


def test_help_of_help(nvme):
    result = nvme.ok("help", "--help")
    assert result.out.startswith("Usage: nvme help ")


def summaries(text):
    """What a printed list says of each name; a name without a word about it stands alone."""
    return dict(re.findall(r"^  (\S+) *(.*)$", text, re.M))


def are_said(listed, rows):
    assert list(listed) == [row["name"] for row in rows]
    for name, summary in listed.items():
        assert re.fullmatch(r"[A-Z].*[^.\s]", summary), (name, summary)


def test_every_command_has_a_summary(nvme):
    table = command_table.dump()
    rows = [row for group in table["groups"] for row in group["commands"]]
    are_said(summaries(nvme("help").out), rows + table["plugins"])


@pytest.mark.parametrize("plugin", command_table.dump()["plugins"], ids=lambda p: p["name"])
def test_every_command_of_a_plugin_has_a_summary(nvme, plugin):
    result = nvme.ok(plugin["name"], "help")
    usage, about, listed = result.out.split("\n\n")
    assert usage == f"Usage: nvme {plugin['name']} <command> [DEVICE...] [OPTION...]"
    assert summaries(nvme("help").out)[plugin["name"]] == about
    are_said(summaries(listed), plugin["commands"])
    assert all(len(line) <= 100 for line in listed.splitlines())


def test_prefixes(nvme):
    assert nvme("vers").status == 0
    assert nvme("list-sub").status == 0
    assert nvme("-list-subsys").status == 0
    # An exact name wins over longer ones.
    assert "required argument" in nvme("connect").err


def test_plugin_names(nvme):
    for args in (["mptcp"], ["mptcp", "help"], ["mptcp", "--help"]):
        result = nvme(*args, status=0)
        assert "Usage: nvme mptcp <command>" in result.out
    for args in (["zns", "version"], ["zns", "--version"]):
        expected = nvme("version").out.replace("nvme version", "nvme zns version", 1)
        assert nvme(*args).out == expected


@pytest.fixture
def installed_as(nvme, tmp_path):
    """Runs the command where /usr/sbin/nvme is a link to some program."""
    own = ["unshare", "-rm"]
    if subprocess.run([*own, "true"], capture_output=True, check=False).returncode:
        pytest.skip("skipped: no mount namespace in which there could be a /usr/sbin/nvme")
    sbin = tmp_path / "sbin"
    sbin.mkdir()
    there = 'mount --bind "$0" /usr/sbin; exec "$@"'

    def run(program, *args):
        (sbin / "nvme").unlink(missing_ok=True)
        (sbin / "nvme").symlink_to(program)
        environment = [f"{name}={value}" for name, value in nvme.environment().items()]
        command = [*own, "sh", "-ec", there, sbin, "env", *environment, NVME, *args]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run


def test_plugin_of_a_program_that_is_this_one(installed_as):
    """It does not hand itself over to itself, for ever; to another program it does."""
    done = installed_as("/bin/echo", "intel", "smart-log-add")
    assert (done.returncode, done.stdout, done.stderr) == (0, "intel smart-log-add\n", "")
    done = installed_as(NVME, "intel", "smart-log-add")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(
        "ERROR: Invalid sub-command 'intel': it is a plugin of nvme-cli, and"
    )


@pytest.mark.parametrize("option", ["--help", "-h", "-?", "-v?"])
def test_usage(nvme, option):
    said = nvme.error("connect", option)
    assert "Usage: nvme connect [OPTION...]" in said
    assert "-t, --transport=NAME" in said
    assert re.search(r"--ctrl-loss-tmo=SEC [^-]*[^(]*\(default: 600\)", said)
    starts = {len(words) for words in re.findall(r"^  (?:-.,|   ) --\S+ +", said, re.M)}
    assert len(starts) == 1, "help texts are aligned"


def test_option_forms(nvme):
    # getopt_long_only: one dash will do, and so will a unique beginning.
    for form in ("-transport nope", "--transport=nope", "-t nope", "-tnope", "--transp nope"):
        result = nvme("connect", *form.split(), "-n", "nqn.x", "-a", "10.1.1.1", status=1)
        assert "Unknown transport 'nope'" in result.err, form


def test_format_errors(nvme):
    result = nvme("list-subsys", "--output-format=bogus", status=1)
    assert result.err.startswith("Invalid output format")
    assert "bogus" in result.err
    assert nvme("list-subsys", "-o", "binary").status == 1


def test_hostnqn(nvme, host):
    """Nothing that stands behind it is an option; without a file a name is made up."""
    assert nvme("show-hostnqn", "--help").out == HOSTNQN + "\n"
    (host.etc / "hostnqn").unlink()
    pattern = r"nqn\.2014-08\.org\.nvmexpress:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n"
    assert re.fullmatch(pattern, nvme("show-hostnqn").out)


@pytest.mark.parametrize("name", ["nqn.of two words", "n" * 300])
def test_no_hostnqn_is_made_up_beside_a_wrong_one(nvme, host, name):
    """No connection would use it."""
    (host.etc / "hostnqn").write_text(name + "\n")
    assert "Could not read host NQN" in nvme.error("show-hostnqn")
    (host.etc / "hostnqn").unlink()
    (host.etc / "hostnqn").mkdir()
    assert nvme("show-hostnqn").status == 1


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("log smart", "smart-log"),
        ("log error", "error-log"),
        ("id ctrl", "id-ctrl"),
        ("id ns", "id-ns"),
        ("ns create", "create-ns"),
        ("ns list", "list-ns"),
        ("ns rescan", "ns-rescan"),
        ("fw commit", "fw-commit"),
        ("fw download", "fw-download"),
        ("resv report", "resv-report"),
        ("security recv", "security-recv"),
        ("dir send", "dir-send"),
        ("io-mgmt recv", "io-mgmt-recv"),
        ("nvme-mi send", "nvme-mi-send"),
        ("keys check-tls", "check-tls-key"),
    ],
)
def test_words_of_nvme_cli_3(nvme, words, name):
    """Two words are the command that has had one, with its options and its help."""
    for more in (("--help",), (), ("/dev/nvme9",)):
        one, other = nvme(*words.split(), *more), nvme(name, *more)
        assert (one.status, one.out, one.err) == (other.status, other.out, other.err)
    assert "Usage: nvme " + name in nvme(*words.split(), "--help").err


def test_words_that_make_no_command(nvme):
    for words in (("log", "nothing"), ("log",), ("id", "--help"), ("fw", "")):
        result = nvme(*words, status=1)
        assert "Invalid sub-command" in result.out + result.err
