# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme-mptcp and nvme_mptcp over the libnvmes of Debian, and over ours, on the same machine."""

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import BUILD, TOP
from nvmelab.original import find_debian13
from nvmetools import ToolError
from nvmetools.archive import unpacked
from nvmetools.cache import Cache, default_dir

sys.path.insert(0, str(TOP / "test/cli"))

import discovery_log as dl
from fabric import Fabric, entry
from fake_sysfs import DISCOVERY_NQN, FakeHost
from mptcp_net import Network, why_not
from their_machine import environment

PROGRAM = BUILD / "plugins/mptcp/alone/nvme-mptcp"
MODULES = sorted((BUILD / "python/nvme_mptcp").glob("_mptcp.*.so"))
LIBRARY = BUILD / "libnvme/libnvme-mptcp.so.0"
NQN = "nqn.2024-01.lab:disk"
HOST = "11111111-2222-3333-4444-555555555555"
#: Nodes of Debian 12's libnvme.
OLDEST = {"LIBNVME_1_0", "LIBNVME_1_1", "LIBNVME_1_2", "LIBNVME_1_3"}
#: Where a program of Python finds the package.
PYTHON_OF_THE_BUILD = {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
#: Chatter of the original that no option asked for.
CHATTER = "failed to open slots dir"

pytestmark = [
    pytest.mark.skipif(not PROGRAM.exists(), reason=f"skipped: {PROGRAM} is not built"),
    pytest.mark.skipif(os.geteuid() != 0, reason="skipped: another /sys takes root"),
]


@dataclass(frozen=True)
class Over:
    """A libnvme."""

    version: str
    before: list[str]  # of the command line
    path: list[Path]

    @property
    def is_ours(self) -> bool:
        """Is it this project's?"""
        return self.version.startswith("1.16")

    def run(self, host: FakeHost, *words: str, netns: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a program where /sys is the host's."""
        command = shlex.join([*self.before, *words])
        path = ":".join(map(str, self.path))
        if not self.before:
            command = f"LD_LIBRARY_PATH={shlex.quote(path)} {command}"
        if netns:
            command = f"nsenter --net=/run/netns/{netns} sh -c {shlex.quote(command)}"
        mount = f"mount --bind {shlex.quote(str(host.sys))} /sys"
        return subprocess.run(
            ["unshare", "-m", "sh", "-c", f"{mount} && {command}"],
            env=environment(host) | PYTHON_OF_THE_BUILD,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def type(self, host: FakeHost, line: str, netns: str = "") -> subprocess.CompletedProcess[str]:
        """Runs the program with these words."""
        return self.run(host, str(PROGRAM), *shlex.split(line), netns=netns)

    def answer(self, host: FakeHost, line: str) -> str:
        """Returns what it prints, which is no complaint."""
        done = self.type(host, line)
        complaints = [text for text in done.stderr.splitlines() if CHATTER not in text]
        assert complaints == []
        return done.stdout


def ours(top: Path) -> Over:
    return Over("1.16.2", [], [BUILD / "libnvme"])


def debian12(top: Path) -> Over:
    """Its library over this machine's others, and those of its own that this machine lacks."""
    cache = unpacked(Cache(default_dir()), "bookworm", ("nvme-cli", "libnvme1"), print)
    (top / "more").mkdir()
    for library in (cache / "lib/x86_64-linux-gnu").glob("*.so.*"):
        if not Path("/lib/x86_64-linux-gnu", library.name).exists():
            (top / "more" / library.name).symlink_to(library)
    return Over("1.3", [], [top, cache / "usr/lib/x86_64-linux-gnu", top / "more"])


def debian13(top: Path) -> Over:
    """Its library with its C library; the rest that the program needs is this machine's."""
    original = find_debian13(Cache(default_dir()), print)
    path = [top, original.libraries, Path("/usr/lib/x86_64-linux-gnu")]
    command = [str(original.loader), "--library-path", ":".join(map(str, path))]
    return Over("1.13", command, path)


@pytest.fixture(scope="module", params=[ours, debian12, debian13], ids=lambda each: each.__name__)
def over(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Over:
    """Each libnvme; skips where it cannot be had."""
    top = tmp_path_factory.mktemp("over")
    (top / LIBRARY.name).symlink_to(LIBRARY.resolve())
    make: Callable[[Path], Over] = request.param
    try:
        return make(top)
    except ToolError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"skipped: this libnvme cannot be had: {str(error).splitlines()[0]}")


@pytest.fixture
def machine(tmp_path: Path) -> FakeHost:
    """A machine with a controller over MPTCP and one over TCP."""
    host = FakeHost(tmp_path)
    subsystem = host.subsystem(0, NQN)
    subsystem.controller(0, "mptcp", "traddr=10.9.1.1,trsvcid=4420,src_addr=10.9.1.2")
    subsystem.controller(1, "tcp", "traddr=10.9.2.1,trsvcid=4420,src_addr=10.9.2.2")
    return host


def test_it_runs_over_that_library(over: Over, machine: FakeHost) -> None:
    lines = over.answer(machine, "version").splitlines()
    assert lines[0].startswith("nvme version ")
    assert lines[1].startswith(f"libnvme version {over.version} ") or lines[1].startswith(
        f"libnvme version {over.version}."
    )


def test_show_subflows(over: Over, machine: FakeHost) -> None:
    document = json.loads(over.answer(machine, "show-subflows -o json"))
    (ctrl,) = document["controllers"]
    assert (ctrl["name"], ctrl["transport"], ctrl["subsysnqn"]) == ("nvme0", "mptcp", NQN)
    assert (ctrl["traddr"], ctrl["trsvcid"]) == ("10.9.1.1", "4420")
    assert ctrl["connections"] == []


def test_check(over: Over, machine: FakeHost) -> None:
    """A controller without connections is what there is to find."""
    done = over.type(machine, "check -o json")
    assert done.returncode == 1
    findings = json.loads(done.stdout)["findings"]
    assert "N04" in [finding["rule"] for finding in findings]


def commands_of(over: Over, host: FakeHost) -> set[str]:
    """The commands that the program has, by its help."""
    return set(re.findall(r"^  ([a-z][a-z-]+)  ", over.answer(host, "help"), re.M))


def test_what_it_says_to_type_can_be_typed(over: Over, machine: FakeHost, tmp_path: Path) -> None:
    """The distribution's nvme has no plugin mptcp."""
    names = commands_of(over, machine)
    assert {"check", "repair", "connect"} <= names
    done = over.type(machine, "check -o json")
    findings = json.loads(done.stdout)["findings"]
    fixes = [fix["command"] for finding in findings for fix in finding["fix"]]
    typed = [fix for fix in fixes if "nvme" in fix.split()[0]]
    assert [fix for fix in typed if fix.split()[1] not in names] == []
    assert any(fix.startswith("nvme-mptcp ") for fix in typed)
    (tmp_path / "other.json").write_text("{}")
    done = over.type(machine, f"check --peer {tmp_path}/other.json")
    assert "not written by nvme-mptcp report" in done.stderr


@pytest.mark.parametrize("document", ["doc/man/program-mptcp.scd", "doc/distribution.md"])
def test_documented_calls_can_be_typed(over: Over, machine: FakeHost, document: str) -> None:
    text = (TOP / document).read_text()
    typed = re.findall(r"^(?: +host# )?nvme-mptcp ([a-z].*)$", text, re.M)
    typed = [line for line in typed if " -" in line or " " not in line]
    assert len(typed) > 2
    for line in typed:
        name, *options = shlex.split(line)
        done = over.type(machine, f"{name} --help")
        said = done.stdout + done.stderr
        assert said.startswith(f"Usage: nvme-mptcp {name} ")
        for option in [word for word in options if word.startswith("-")]:
            assert re.search(rf"^ +(-., )?{option}[, =]", said, re.M), option


def test_the_library_names_its_commands_in_two_places() -> None:
    """A command that it prints begins with its name; a sentence is given the name."""
    listing = subprocess.run(["strings", "-n", "4", LIBRARY], capture_output=True, check=True)
    said = re.findall(r"^.*\bnvme (?:mptcp|connect).*$", listing.stdout.decode(), re.M)
    assert len(said) > 9
    assert [text for text in said if not re.match("(sudo )?nvme ", text)] == []


def test_list_subsys(over: Over, machine: FakeHost) -> None:
    (host,) = json.loads(over.answer(machine, "list-subsys -v -o json"))
    (subsystem,) = host["Subsystems"]
    assert subsystem["NQN"] == NQN
    # libnvme 1.3 keeps the order of the directory
    assert sorted((p["Name"], p["Transport"], p["State"]) for p in subsystem["Paths"]) == [
        ("nvme0", "mptcp", "live"),
        ("nvme1", "tcp", "live"),
    ]
    assert (subsystem["Model"], subsystem["Firmware"]) == ("Linux", "6.12.48")


CONNECT = f"connect -t mptcp -n {NQN}"


def answering(
    tmp_path: Path, traddr: str = "10.9.1.9", transport: str = "mptcp", refused: int = 0
) -> FakeHost:
    """A machine where the next connect of NQN brings up nvme0, once others were refused."""
    host = FakeHost(tmp_path)
    for _ in range(refused):
        host.answer_error(errno.ECONNREFUSED)
    subsystem = host.subsystem(0, NQN)
    address = f"traddr={traddr},trsvcid=4420"
    host.answer_connected(subsystem.controller(0, transport, address, connected=False))
    return host


@pytest.mark.parametrize("given", ["-a 10.9.1.1", "-a 10.9.1.1 -s 4420", "-a localhost"])
def test_connect(over: Over, tmp_path: Path, given: str) -> None:
    """The port is filled in and a name resolved, which libnvme does for tcp alone."""
    traddr = "127.0.0.1" if "localhost" in given else "10.9.1.1"
    host = answering(tmp_path, traddr)
    assert over.answer(host, f"{CONNECT} {given} -i 2 -k 7") == "connecting to device: nvme0\n"
    (line,) = host.connects
    assert line.startswith(f"nqn={NQN},transport=mptcp,traddr={traddr},trsvcid=4420,hostnqn=")
    assert {"nr_io_queues=2", "keep_alive_tmo=7"} <= set(line.split(","))


@pytest.mark.parametrize(
    ("given", "reason"),
    [("-a nosuch.invalid", '"nosuch.invalid"'), ("-a 10.9.1.1", "already connected")],
)
def test_what_cannot_be_connected(over: Over, machine: FakeHost, given: str, reason: str) -> None:
    done = over.type(machine, f"{CONNECT} {given}")
    assert done.returncode == 1
    assert reason in done.stderr
    assert machine.written == []


def is_handed(over: Over, host: FakeHost, line: str, word: str, reason: str) -> None:
    """Our libnvme hands it to the kernel; one that drops it without a word is not asked."""
    if over.is_ours:
        over.answer(host, line)
        words = host.connects[0].split(",")
        assert word in {*words, *(each.partition("=")[0] for each in words)}
        return
    done = over.type(host, line)
    assert done.returncode == 1
    assert f"{reason}: libnvme {over.version}" in done.stderr
    assert "for transport mptcp" in done.stderr
    assert host.written == []


@pytest.mark.parametrize(
    ("option", "name", "passed"),
    [
        ("-g", "hdr-digest", "hdr_digest"),
        ("-G", "data-digest", "data_digest"),
        ("-D", "duplicate-connect", "duplicate_connect"),
        ("--disable-sqflow", "disable-sqflow", "disable_sqflow"),
        ("--tos=16", "tos", "tos=16"),
    ],
)
def test_no_option_is_left_out(
    over: Over, tmp_path: Path, option: str, name: str, passed: str
) -> None:
    host = answering(tmp_path)
    is_handed(over, host, f"{CONNECT} -a 10.9.1.9 {option}", passed, f"--{name}")


def configuration(host: FakeHost, port: dict[str, object], **subsystem: object) -> str:
    """Options for a configuration with a host of its own."""
    file = host.root / "given.json"
    address = {"transport": "mptcp", "traddr": "10.9.1.9", "trsvcid": "4420"}
    own = {"nqn": NQN, "ports": [address | port]} | subsystem
    file.write_text(json.dumps([{"hostnqn": "nqn.a:of-file", "hostid": HOST, "subsystems": [own]}]))
    return f"--config={file}"


@pytest.mark.parametrize("port", [{"hdr_digest": True}, {"tos": 8}, {"disable_sqflow": True}])
@pytest.mark.parametrize("command", ["connect-all", f"{CONNECT} -a 10.9.1.9"])
def test_no_member_of_a_configuration_is_left_out(
    over: Over, tmp_path: Path, command: str, port: dict[str, object]
) -> None:
    host = answering(tmp_path)
    (name,) = port
    line = f"{command} {configuration(host, port)}"
    is_handed(over, host, line, name, f'"{name}" in {host.root}/given.json')


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('"tls": true, "tls": false', ".tls: the key is given twice"),
        ('"tls": true, /* for now */ "tls": false', ": expected a key in quotes, not '/'"),
        ("'tls': true, 'tls': false", ": expected a key in quotes, not '''"),
        ('"tls": True', ".tls: expected a value, not 'T'"),
    ],
)
def test_what_only_json_c_reads_connects_nothing(
    over: Over, tmp_path: Path, text: str, reason: str
) -> None:
    """Of "tls" given twice, libnvme 1.x takes the last one without a word."""
    host = answering(tmp_path)
    line = f"connect-all {configuration(host, {'tls': True})}"
    file = host.root / "given.json"
    file.write_text(file.read_text().replace('"tls": true', text))
    done = over.type(host, line)
    assert done.returncode == 1
    assert f"{file}:1: $[0].subsystems[0].ports[0]{reason}" in done.stderr
    assert host.written == []


@pytest.mark.parametrize("command", ["connect-all", f"{CONNECT} -a 10.9.1.9"])
def test_the_host_of_a_configuration_precedes(over: Over, tmp_path: Path, command: str) -> None:
    """Its names, and what every libnvme hands over, are the configuration's."""
    host = answering(tmp_path)
    line = configuration(host, {"nr_io_queues": 3, "hdr_digest": False, "tos": -1})
    over.answer(host, f"{command} {line}")
    (words,) = (line.split(",") for line in host.connects)
    assert {"hostnqn=nqn.a:of-file", f"hostid={HOST}", "nr_io_queues=3"} <= set(words)


@contextmanager
def relaying(*portals: str) -> Iterator[str]:
    """Run a relay for these portals, and return the network namespace that it is in."""
    with Network(2) as net:
        options = [word for portal in portals for word in ("--portal", portal)]
        relay = ["nsenter", f"--net=/run/netns/{net.host}", str(PROGRAM), "relay", *options]
        with subprocess.Popen(
            relay, env={"LD_LIBRARY_PATH": str(BUILD / "libnvme"), "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                assert process.stdout and any("Relaying" in line for line in process.stdout)
                yield net.host
            finally:
                process.terminate()


@pytest.mark.skipif(bool(why_not()), reason=str(why_not()))
@pytest.mark.parametrize("command", ["connect", "connect-all"])
def test_a_relay_carries_what_the_kernel_cannot(over: Over, tmp_path: Path, command: str) -> None:
    """Over any libnvme, connected by tcp under the name that the kernel gave."""
    host = answering(tmp_path, "10.77.1.1", "tcp")
    words = {
        "connect": f"{CONNECT} -a 10.77.1.1",
        "connect-all": f"connect-all {configuration(host, {'traddr': '10.77.1.1'})}",
    }[command]
    check = "check -a 10.77.1.1 --no-trial --interval 0"
    with relaying("10.77.1.1") as netns:
        asked = over.type(host, check, netns)
        done = over.type(host, words, netns)
        again = over.type(host, words, netns)
    assert "connect: tcp, which this host's relay carries over MPTCP" in asked.stdout, asked
    assert done.returncode == 0, done
    assert "connecting with tcp, which the relay carries over MPTCP" in done.stderr
    assert done.stdout == ("connecting to device: nvme0\n" if command == "connect" else "")
    assert all("transport=tcp" in line for line in host.connects)
    if command == "connect":
        assert len(host.connects) == 1 and "already connected" in again.stderr, again


@pytest.mark.skipif(bool(why_not()), reason=str(why_not()))
@pytest.mark.parametrize("transport", ["mptcp", "tcp"])
def test_discovery_through_a_relay(over: Over, tmp_path: Path, transport: str) -> None:
    """With mptcp, a relay is chosen over this project's libnvme only (doc/distribution.md)."""
    host = answering(tmp_path, "10.77.1.1", "tcp")
    with relaying("10.77.1.1:8009") as netns:
        over.type(host, f"discover -t {transport} -a 10.77.1.1", netns)
    asked = "tcp" if over.is_ours else transport
    assert [line.split(",")[1:3] for line in host.connects] == [
        [f"transport={asked}", "traddr=10.77.1.1"]
    ]


def test_several_of_a_configuration(over: Over, tmp_path: Path) -> None:
    """One that fails is named, and the other is connected; libnvme 1.3 turns their order round."""
    host = answering(tmp_path, refused=1)
    first = {"transport": "mptcp", "traddr": "10.9.1.8", "trsvcid": "4420"}
    second = first | {"traddr": "10.9.1.9"}
    done = over.type(host, f"connect-all {configuration(host, {}, ports=[first, second])}")
    assert done.returncode == 1
    tried = [line.split(",")[2] for line in host.connects]
    assert sorted(tried) == ["traddr=10.9.1.8", "traddr=10.9.1.9"]
    assert f"nqn={NQN},transport=mptcp,{tried[0]}: " in done.stderr
    assert "connection refused" in done.stderr
    assert f"{tried[1]}: " not in done.stderr


@pytest.mark.parametrize("line", [
    "keep --restore", "keep --restore --dry-run", "keep --once --auto", "check --ignore=A01",
    "relay --port 4420 --dry-run", "relay --portal 10.9.9.9 --dry-run",
])  # fmt: skip
def test_without_a_configuration(over: Over, machine: FakeHost, line: str) -> None:
    """libnvme before 1.16 takes no NULL for a tree."""
    if reason := why_not():
        pytest.skip(reason)
    with Network(1) as net:
        done = over.type(machine, line, net.host)
        assert done.returncode in (0, 1, 3) and "Segmentation" not in done.stderr, done.stderr


@pytest.mark.parametrize("own", [{"application": "disks"}, {"application": "others"}, {}])
def test_applications(over: Over, tmp_path: Path, own: dict[str, str]) -> None:
    """--context connects what is its own or nobody's, over a libnvme without applications, too."""
    host = answering(tmp_path)
    done = over.type(host, f"connect-all --context=disks {configuration(host, {}, **own)}")
    others = own == {"application": "others"}
    assert len(host.connects) == (not others)
    assert done.returncode == 0, done.stderr
    assert ('to the application "others", not "disks"' in done.stderr) == others


def test_boot_table(over: Over, tmp_path: Path) -> None:
    """The firmware's table is read by a libnvme that can; else it says what cannot."""
    host = FakeHost(tmp_path)
    host.answer_error(errno.ECONNREFUSED)
    tables = tmp_path / "tables"
    tables.mkdir()
    shutil.copy(TOP / "test/fuzz/corpus/nbft/good", tables / "NBFT")
    done = over.type(host, f"connect-all --nbft --nbft-path={tables} -o json")
    if over.version == "1.3":
        assert "libnvme 1.3 cannot read boot tables" in done.stderr
        assert done.returncode == 1
        return
    entry = json.loads(done.stdout)[0]
    assert (entry["transport"], entry["traddr"], entry["subnqn"]) == (
        "tcp", "192.168.1.20", "nqn.sub",
    )  # fmt: skip
    # its target requires data digests
    if over.is_ours:
        assert "connection refused" in entry["result"]
    else:
        assert "--data-digest: nvme-mptcp cannot pass it to libnvme 1.13" in entry["result"]


@pytest.fixture
def network(tmp_path: Path) -> FakeHost:
    """A machine without controllers, and a target that announces two subsystems over MPTCP."""
    host = FakeHost(tmp_path)
    fabric = Fabric(host)
    log = dl.log(
        entry(DISCOVERY_NQN, "10.1.1.1", subtype=dl.CURRENT, trsvcid=b"8009"),
        entry("nqn.a", "10.1.1.1"),
        entry("nqn.b", "10.1.2.1"),
        entry("nqn.c", "10.1.3.1", trtype=dl.RDMA),
    )
    fabric.controller(DISCOVERY_NQN, "10.1.1.1", log)
    fabric.controller("nqn.a", "10.1.1.1")
    fabric.controller("nqn.b", "10.1.2.1")
    return host


def test_discover(over: Over, network: FakeHost) -> None:
    """The transport type has its name, which libnvme does not know."""
    document = json.loads(over.answer(network, "discover -t mptcp -a 10.1.1.1 -o json"))
    assert [(e["trtype"], e["subnqn"], e["traddr"]) for e in document["records"]] == [
        ("mptcp", DISCOVERY_NQN, "10.1.1.1"),
        ("mptcp", "nqn.a", "10.1.1.1"),
        ("mptcp", "nqn.b", "10.1.2.1"),
        ("rdma", "nqn.c", "10.1.3.1"),
    ]
    assert network.deleted == ["nvme0"]


def test_connect_all(over: Over, network: FakeHost) -> None:
    entries = json.loads(over.answer(network, "connect-all -t mptcp -a 10.1.1.1 -i 2 -o json"))
    assert [(e["device"], e["result"]) for e in entries] == [
        ("nvme1", "connected"),
        ("nvme2", "connected"),
        (None, "skipped: another transport"),
    ]
    assert [line.split(",")[:4] for line in network.connects] == [
        [f"nqn={DISCOVERY_NQN}", "transport=mptcp", "traddr=10.1.1.1", "trsvcid=8009"],
        ["nqn=nqn.a", "transport=mptcp", "traddr=10.1.1.1", "trsvcid=4420"],
        ["nqn=nqn.b", "transport=mptcp", "traddr=10.1.2.1", "trsvcid=4420"],
    ]
    assert ",nr_io_queues=2" in network.connects[1]
    assert network.deleted == ["nvme0"]


def test_disconnect(over: Over, machine: FakeHost) -> None:
    assert over.answer(machine, "disconnect -d nvme0") == ""
    assert machine.deleted == ["nvme0"]


def test_a_host_gets_its_name(over: Over, machine: FakeHost) -> None:
    """What setup and keys tell a host without a name to type, which may have no nvme-cli."""
    for command in ("gen-hostnqn", "show-hostnqn"):
        done = over.type(machine, command)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert re.fullmatch(r"nqn[.]2014-08[.]org[.]nvmexpress:uuid:[0-9a-f-]{36}\n", done.stdout)


PYTHON = """
import sys
import nvme_mptcp
print([(c.name, c.subsysnqn, c.traddr) for c in nvme_mptcp.snapshot().controllers])
print([finding.rule for finding in nvme_mptcp.check().findings])
try:
    nvme_mptcp.read_report(sys.argv[1])
except ValueError as error:
    print(error)
"""


def test_nvme_mptcp(over: Over, machine: FakeHost) -> None:
    """The Python package, beside whatever libnvme the distribution has."""
    if not MODULES:
        pytest.skip("skipped: the Python package is not built")
    other = machine.root / "other.json"
    other.write_text("{}")
    done = over.run(machine, "/usr/bin/python3", "-c", PYTHON, str(other))
    controllers, rules, error = done.stdout.splitlines()
    assert controllers == str([("nvme0", NQN, "10.9.1.1")])
    assert "'N04'" in rules
    assert "nvme-mptcp report" in error


@pytest.mark.parametrize("file", [PROGRAM, *MODULES], ids=lambda file: file.name.partition(".")[0])
def test_it_takes_nothing_later_than_1_3(file: Path) -> None:
    """What it needs of a later libnvme it has itself, and hides from the library."""
    listing = subprocess.run(
        ["nm", "-D", "--with-symbol-versions", file], capture_output=True, text=True, check=True
    ).stdout
    names = [words[-2:] for line in listing.splitlines() if (words := line.split())]
    taken = {name: kind for kind, name in names if name.startswith(("nvme_", "nvmf_"))}
    assert taken
    assert set(taken.values()) == {"U"}
    nodes = {name.partition("@")[2] for name in taken if not name.startswith("nvme_mptcp_")}
    assert nodes <= OLDEST
