# SPDX-License-Identifier: LGPL-2.1-or-later
"""-Dbeside=true: nothing has a name of nvme-cli's or libnvme's, and what is printed has its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_table import TOP
from installed import Installation, captured
from test_install import MPTCP_PROGRAM, PROGRAM

sys.path.insert(0, str(TOP / "tools"))

import naming

NAME = "nvme-mptcp"
COMMAND = re.compile(rf"(?<![\w/.-])nvme\s+(?!version \d)(?:{naming.command_words()})(?![\w-])")

#: In a program: a message that begins with its name, or a name that is followed by a conversion.
MESSAGE = re.compile(r"(?<![\w/.-])nvme(?::? %|: )[^\0]*")

#: The environment of a program that is to find no other.
NOWHERE = {"PATH": "/nowhere"}

#: Another program of the name nvme: prints its arguments, a line each; its exit status is its own.
ORIGINAL = """#!/bin/sh
printf '%s\\n' "$0" "$@"
exit 42
"""


@contextmanager
def another(path: Path) -> Iterator[Path]:
    """There is such a program meanwhile."""
    path.write_text(ORIGINAL)
    path.chmod(0o755)
    try:
        yield path
    finally:
        path.unlink()


#: The plugins of nvme-cli 2.x that are none of ours.
PLUGINS = (
    "amzn dapustor dell dera feat huawei innogrit inspur intel lm memblaze micron netapp nvidia "
    "ocp seagate sed sfx shannon sndk solidigm ssstc toshiba transcend virtium wdc ymtc"
).split()


def not_there(plugin: str, path: Path, command: str) -> str:
    """The line about a plugin that neither program has."""
    return (
        f"ERROR: Invalid sub-command '{plugin}': it is a plugin of nvme-cli, and {path} is not "
        f"installed ('{command} admin-passthru' sends any command)\n"
    )


@dataclass
class Beside:
    """A build of that kind, installed below a prefix of the tests."""

    build: Path
    prefix: Path

    @property
    def program(self) -> Path:
        """This project's nvme, which has every command and may be called by both names."""
        return next(self.prefix.rglob(f"{NAME}/nvme"))

    @property
    def alone(self) -> Path:
        """The program nvme-mptcp."""
        return self.prefix / "sbin" / NAME

    @property
    def original(self) -> Path:
        """Where the program lies that was called nvme before."""
        return self.prefix / "sbin/nvme.distrib"

    def run(self, *words: str, called: str = NAME) -> subprocess.CompletedProcess[str]:
        """Run it under a name."""
        machine = {"LIBNVME_SYSFS_PATH": str(self.prefix), "LC_ALL": "C.UTF-8"}
        return captured([called, *words], executable=self.program, env=NOWHERE | machine)


@pytest.fixture(scope="module")
def beside(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Beside:
    """Builds it in a directory next to the build under test, with the same warnings."""
    own = build.with_name(f"{build.name}-beside")
    prefix = own / "root"
    given = ("--prefix", str(prefix), "-Dbeside=true", "-Dtests=disabled", "-Dpython=disabled")
    for command in (
        [TOP / "tools/configure", own, *given, "-Dwerror=true"],
        ["ninja", "-C", own],
        ["rm", "-rf", prefix],
        ["meson", "install", "-C", own, "--no-rebuild"],
    ):
        environment = {k: v for k, v in os.environ.items() if k != "DESTDIR"}
        done = captured(command, env=environment, timeout=500)
        assert done.returncode == 0, done.stdout + done.stderr
    return Beside(own, prefix)


def test_every_file_has_a_name_of_its_own(beside: Beside, installation: Installation) -> None:
    """Each has the project's name in its path, and none lies where the ordinary layout has one."""
    files = {
        path.relative_to(beside.prefix) for path in beside.prefix.rglob("*") if not path.is_dir()
    }
    assert len(files) > 150
    assert [str(path) for path in files if NAME not in str(path)] == []
    ordinary = {
        path.relative_to(installation.prefix) for path in installation.prefix.rglob("*")
        if not path.is_dir() and not path.name.lstrip("_").startswith(NAME)
    }  # fmt: skip
    assert files & ordinary == set()


def test_every_command_has_its_name(beside: Beside) -> None:
    """Neither text nor string names a command as nvme-cli's program has it."""
    libraries = sorted(beside.prefix.rglob("*.so.1.*"))  # lib, or lib64 without dpkg-dev
    texts = [
        path for path in beside.prefix.rglob("*")
        if path.is_file() and path.suffix in (".1", ".md", ".service", ".rules", ".target", ".conf")
        or path.parent.name in ("completions", "site-functions")
    ]  # fmt: skip
    assert len(libraries) == 1
    assert len(texts) > 60
    for path in [beside.alone, beside.program, *libraries, *texts]:
        text = path.read_bytes().decode("utf-8", "replace")
        assert COMMAND.findall(text) == [], path
        if path not in texts:
            assert MESSAGE.findall(text) == [], path


def test_units_name_what_is_installed(beside: Beside) -> None:
    for path in beside.prefix.rglob("*"):
        if path.suffix not in (".service", ".rules", ".target") or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        for name in re.findall(rf"{beside.prefix}/(?!etc/)[\w/.-]+", text):
            assert Path(name).exists(), (path, name)
        for page in re.findall(r"man:([\w-]+)[(]1[)]", text):
            assert (beside.prefix / f"share/man/man1/{page}.1").exists(), (path, page)
        for unit in re.findall(r"nvme-mptcp[\w-]*@?[.](?:service|target)", text):
            assert list(beside.prefix.rglob(unit)), (path, unit)


def test_endpoints_come_before_whatever_connects(beside: Beside) -> None:
    """The units that connect have names of this layout."""
    units = {path.name: path.read_text("utf-8") for path in beside.prefix.rglob("*.service")}
    for name in ("nvme-mptcp.service", "nvme-mptcp-relay.service"):
        before = " ".join(re.findall(r"^Before=(.*)$", units[name], re.M)).split()
        for later in ("autoconnect", "connect-nbft"):
            assert f"nvme-mptcp-{later}.service" in before
            assert f"nvme-mptcp-{later}.service" in units


def test_the_name_need_not_be_typed_twice(beside: Beside) -> None:
    """The plugin's commands are commands of the program, whose names no built-in one has."""
    dump = json.loads((beside.build / "nvme-cli/commands.json").read_text(encoding="utf-8"))
    own = next(p for p in dump["plugins"] if p["name"] == "mptcp")["commands"]
    names = [c["name"] for group in dump["groups"] for c in group["commands"]]
    assert len(names) == len(set(names))
    assert own
    for command in own:
        short, long = (beside.run(*words, command["name"], "--help") for words in ((), ("mptcp",)))
        assert short.stdout.startswith(f"Usage: {NAME} {command['name']}")
        assert short.stdout.splitlines()[1:] == long.stdout.splitlines()[1:]
    assert "Unexpected argument 'surplus'" in beside.run("setup", "surplus").stderr


@pytest.mark.parametrize(
    ("program", "printed"), [(PROGRAM, "1.16.2\n"), (MPTCP_PROGRAM, "endpoints\n")]
)
def test_library_is_found_where_it_is(
    beside: Beside, tmp_path: Path, program: str, printed: str
) -> None:
    """Without a variable: a program that pkg-config helped to link, too."""
    assert "(nvme-mptcp " in beside.run("version").stdout
    source = tmp_path / "program.c"
    source.write_text(program)
    pkgconfig = next(beside.prefix.rglob("nvme-mptcp.pc")).parent
    environment = os.environ | {"PKG_CONFIG_PATH": str(pkgconfig)}
    flags = captured(["pkg-config", "--cflags", "--libs", NAME], env=environment, check=True).stdout
    subprocess.run(["cc", source, "-o", tmp_path / "program", *flags.split()], check=True)
    assert captured([tmp_path / "program"], check=True).stdout == printed


@pytest.fixture
def original(beside: Beside) -> Iterator[Path]:
    """The other program, for one test."""
    with another(beside.original) as program:
        yield program


@pytest.mark.parametrize(
    "words",
    [
        ("intel", "smart-log-add", "/dev/nvme0", "", "a b"),
        ("wdc", "help"),
        ("nbft", "no-such"),
        ("--intel",),
        ("help", "intel"),
        ("help", "nbft", "no-such"),
        ("sanitiz", "-n"),
        ("list-sub",),  # may be the whole name of what another program has
    ],
)
def test_what_it_lacks_is_handed(beside: Beside, original: Path, words: tuple[str, ...]) -> None:
    done = beside.run(*words, called="/some/where/nvme")
    assert done.stdout.splitlines() == [str(original), *words]
    assert done.returncode == 42


@pytest.mark.parametrize(
    "words", [(), ("help",), ("version",), ("--version",), ("mptcp",), ("mptcp", "x"), ("nbft",)]
)
def test_what_it_has_is_not(beside: Beside, original: Path, words: tuple[str, ...]) -> None:
    """Called nvme it does its own commands itself."""
    assert beside.run(*words, called="nvme").returncode != 42


def test_help_leads_to_the_other_program(beside: Beside, original: Path) -> None:
    assert f"'{original} help'" in beside.run("help", called="nvme").stdout
    assert str(original) not in beside.run("help").stdout


def test_by_its_own_name_it_hands_no_command_over(beside: Beside, original: Path) -> None:
    done = beside.run("no-such")
    assert done.returncode == 1
    assert (
        done.stdout == f"ERROR: Invalid sub-command 'no-such' ('{NAME} help' lists the commands)\n"
    )


@pytest.mark.parametrize("plugin", PLUGINS)
def test_plugins_are_handed_by_any_name(beside: Beside, original: Path, plugin: str) -> None:
    """They are nvme-cli's for sure: no plugin here is called so."""
    for words in ((plugin, "x", "/dev/nvme0", ""), (f"{plugin}-x", "y"), ("help", plugin)):
        done = beside.run(*words)
        assert done.stdout.splitlines() == [str(original), *words]
        assert done.returncode == 42


@pytest.mark.parametrize("place", ["nvme.distrib", "nvme"])
def test_plugins_are_handed_where_the_other_program_is(beside: Beside, place: str) -> None:
    """It keeps its name where nobody moved it."""
    with another(beside.prefix / "sbin" / place) as program:
        done = beside.run("wdc", "smart-add-log", "/dev/nvme0")
    assert done.returncode == 42
    assert done.stdout.splitlines() == [str(program), "wdc", "smart-add-log", "/dev/nvme0"]


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_line_names_a_plugin_that_nobody_has(beside: Beside, plugin: str) -> None:
    for called, path in ((NAME, beside.original.with_name("nvme")), ("nvme", beside.original)):
        for words in ((plugin,), (plugin, "smart-log-add", "/dev/nvme0"), ("help", plugin)):
            done = beside.run(*words, called=called)
            assert (done.returncode, done.stderr) == (1, "")
            assert done.stdout == not_there(plugin, path, NAME)


def test_without_the_other_program_a_line_names_it(beside: Beside) -> None:
    done = beside.run("no-such", called="nvme")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        f"ERROR: Invalid sub-command 'no-such' ('{NAME} help' lists the commands); "
        f"commands of nvme-cli need {beside.original}, which is not installed\n"
    )


def ordinary(installation: Installation, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program of the ordinary layout."""
    libraries = {"LD_LIBRARY_PATH": str(installation.directory("libdir"))}
    machine = {"LIBNVME_SYSFS_PATH": str(installation.root)}
    program = installation.directory("sbindir") / "nvme"
    return captured(["nvme", *words], executable=program, env=NOWHERE | libraries | machine)


@pytest.mark.skipif(Path("/usr/sbin/nvme").exists(), reason="skipped: there is a /usr/sbin/nvme")
@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_line_names_a_plugin_in_the_ordinary_layout(
    installation: Installation, plugin: str
) -> None:
    for words in ((plugin,), (f"{plugin}-smart-log", "/dev/nvme0"), ("help", plugin)):
        done = ordinary(installation, *words)
        assert (done.returncode, done.stderr) == (1, "")
        named = words[-1] if words[0] == "help" else words[0]
        assert done.stdout == not_there(named, Path("/usr/sbin/nvme"), "nvme")


def test_the_ordinary_layout_hands_plugins_over(installation: Installation, tmp_path: Path) -> None:
    """To what was called nvme before: in a name space where that lies beside the program."""
    beside = Path(installation.options["prefix"]) / installation.options["sbindir"]
    if subprocess.run(["unshare", "-rm", "test", "-d", beside], check=False).returncode:
        pytest.skip(f"skipped: no mount namespace in which {beside} could be another one")
    here = ["unshare", "-rm", "sh", "-ec", 'mount --bind "$0" "$1"; shift; exec "$@"', tmp_path]
    libraries = {"LD_LIBRARY_PATH": str(installation.directory("libdir"))}
    for words in (("micron", "vs-smart-add-log", "/dev/nvme0", ""), ("help", "ocp")):
        command = [*here, beside, installation.directory("sbindir") / "nvme", *words]
        with another(tmp_path / "nvme.distrib"):
            done = captured(command, env={"PATH": os.environ["PATH"]} | libraries)
        assert done.stdout.splitlines() == [str(beside / "nvme.distrib"), *words], done.stderr
        assert done.returncode == 42


def test_a_program_that_cannot_be_run_is_named(beside: Beside, original: Path) -> None:
    original.write_text("#!/no/such/interpreter\n")
    done = beside.run("intel", called="nvme")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{NAME}: {original}: No such file or directory (")
    assert beside.run("intel").stderr == done.stderr


def test_a_link_to_itself_ends(beside: Beside) -> None:
    """What was moved is this program: nothing is handed round for ever."""
    beside.original.symlink_to(beside.program)
    try:
        done = beside.run("intel", called="nvme")
    finally:
        beside.original.unlink()
    assert done.returncode == 1
    assert "ERROR: Invalid sub-command 'intel'" in done.stdout


@pytest.mark.parametrize("words", [("id-ctrl", "--help"), ("intel", "x"), ("no-such",)])
def test_what_only_nvme_has_is_passed_to_ours(beside: Beside, words: tuple[str, ...]) -> None:
    """By the program nvme-mptcp, to this project's nvme before any other."""
    with another(beside.prefix / "sbin/nvme"):
        done = beside.run(*words)
        passed = captured([beside.alone, *words])
    assert (passed.returncode, passed.stderr) == (done.returncode, done.stderr)
    assert passed.stdout.replace(str(beside.alone), NAME) == done.stdout


def test_the_program_takes_the_library_that_is_there(beside: Beside) -> None:
    """This project's libnvme may be left out; another one's version is printed then."""
    assert "libnvme version 1.16" in captured([beside.alone, "version"], check=True).stdout
    dynamic = captured(["readelf", "-d", beside.alone], check=True).stdout
    assert f"[{beside.program.parent}]" in dynamic
    assert "[libnvme.so.1]" in dynamic


def test_pages_and_texts_keep_their_meaning() -> None:
    """A command gets the new name, a word of the language does not."""
    for before, after in {
        "`nvme mptcp check`": "`nvme-mptcp check`",
        "nvme\n  reset /dev/nvme0": "nvme-mptcp\n  reset /dev/nvme0",
        "*nvme-connect*(1), *nvme*(1)": "*nvme-mptcp-connect*(1), *nvme-mptcp*(1)",
        "*nvme-mptcp-check*(1), *nvme-mptcp*(1)": "*nvme-mptcp-check*(1), *nvme-mptcp-mptcp*(1)",
        "nvme sockets cannot": "nvme sockets cannot",
        "nvme version 2.16 (x)": "nvme version 2.16 (x)",
        "/run/nvme list": "/run/nvme list",
    }.items():
        assert naming.beside(before) == after


def test_completion_does_not_meet_the_other_one(beside: Beside, installation: Installation) -> None:
    defined = []
    for prefix, name in ((beside.prefix, NAME), (installation.prefix, "nvme")):
        text = (prefix / f"share/bash-completion/completions/{name}").read_text(encoding="utf-8")
        defined.append(set(re.findall(r"^(_\w+)(?=[(=])", text, re.M)))
        function = "_nvmemptcp" if name == NAME else "_nvme"
        assert text.splitlines()[-1] == f"complete -F {function} {name}"
    assert all(defined)
    assert defined[0] & defined[1] == set()
