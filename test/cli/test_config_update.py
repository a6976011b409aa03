# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme config --scan --update: what the file held stays, and what cannot be read is not written."""

import concurrent.futures
import fcntl
import json
import os
import stat

import pytest
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

NQN = "nqn.2025-01.test:one"
OTHER = "nqn.2025-01.test:other-host"
FUTURE = {
    "text": 'größe "\\/\b\t\u007f',
    "numbers": [0, -1, 9223372036854775807, 1.1, 1e300, -2.5e-7, 3.0],
    "words": [True, False, None],
    "empty": [[], {}, ""],
    "dhchap_key": "DHHC-1:00:of-a-later-version:",
    "deep": {"er": {"ports": [{"traddr": "none of ours"}]}},
}


def write(host, document, mode=0o644):
    path = host.etc / "config.json"
    path.write_text(json.dumps(document))
    path.chmod(mode)
    return path


def connected(host):
    host.subsystem(0, NQN).controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420")


def update(nvme, *args):
    assert nvme.ok("config", "--scan", "--update", *args).out == ""


def read(path):
    document = json.loads(path.read_text())
    return document["hosts"] if isinstance(document, dict) else document


def find(hosts, hostnqn):
    (found,) = (host for host in hosts if host["hostnqn"] == hostnqn)
    return found


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_hosts_without_ports_stay(nvme, host):
    """Whoever wrote down a host and its key connects with them later."""
    others = [
        {"hostnqn": OTHER, "dhchap_key": "DHHC-1:00:secret:", "hostsymname": "other"},
        {"hostnqn": OTHER + "2", "hostid": HOSTID, "subsystems": []},
        {
            "hostnqn": OTHER + "3",
            "persistent_discovery_ctrl": True,
            "subsystems": [{"nqn": "nqn.later", "application": "stas", "ports": []}],
        },
    ]
    path = write(host, others)
    connected(host)
    update(nvme)
    hosts = read(path)
    order = [*(other["hostnqn"] for other in others), HOSTNQN]
    assert [one["hostnqn"] for one in hosts] == order, "what is connected comes behind"
    for other in others:
        assert find(hosts, other["hostnqn"]) == {"subsystems": []} | other
    assert find(hosts, HOSTNQN)["subsystems"][0]["ports"][0]["traddr"] == "10.1.1.1"
    assert mode(path) == 0o600, "there is a key in it"


def test_unknown_keys_stay(nvme, host):
    """Of a later version, or of somebody else: at every level, and whatever they hold."""
    port = {"transport": "mptcp", "traddr": "10.1.1.1", "trsvcid": "4420", "x-port": FUTURE}
    document = {
        "version": FUTURE,
        "hosts": [
            {
                "hostnqn": HOSTNQN,
                "hostid": HOSTID,
                "x-host": FUTURE,
                "subsystems": [{"nqn": NQN, "x-later": FUTURE, "ports": [port]}],
            },
            {"hostnqn": OTHER, "x-host": None, "subsystems": []},
        ],
        "x-null": None,
    }
    path = write(host, document)
    connected(host)
    host.subsystem(1, "nqn.new").controller(1, "tcp", "traddr=10.1.9.1,trsvcid=4420")
    update(nvme)
    document["hosts"][0]["subsystems"].append(
        {
            "nqn": "nqn.new",
            "ports": [{"transport": "tcp"} | {"traddr": "10.1.9.1", "trsvcid": "4420"}],
        }
    )
    found = json.loads(path.read_text())
    # The host's subsystems are in the order in which they were found and read.
    found["hosts"][0]["subsystems"].sort(key=lambda s: s["nqn"])
    assert found == document
    assert isinstance(found["version"]["numbers"][-1], float)
    again = path.read_text()
    host.subsystem(2, "nqn.newer").controller(2, "tcp", "traddr=10.1.9.2,trsvcid=4420")
    update(nvme)
    assert len(path.read_text()) > len(again)
    assert json.loads(path.read_text())["x-null"] is None


def test_configured_discovery_controllers_stay(nvme, host):
    """Those that somebody wrote down; those that are merely connected do not come in."""
    port = {"transport": "tcp", "traddr": "10.1.8.1", "trsvcid": "8009", "discovery": True}
    subsystem = {"nqn": DISCOVERY_NQN, "ports": [port]}
    path = write(host, [{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": [subsystem]}])
    connected(host)
    host.subsystem(1, DISCOVERY_NQN).controller(1, "tcp", "traddr=10.1.8.2,trsvcid=8009")
    update(nvme)
    subsystems = find(read(path), HOSTNQN)["subsystems"]
    assert sorted(s["nqn"] for s in subsystems) == sorted([DISCOVERY_NQN, NQN])
    (found,) = (s for s in subsystems if s["nqn"] == DISCOVERY_NQN)
    assert [p["traddr"] for p in found["ports"]] == ["10.1.8.1"]


EVIL = {
    "no-utf8": b"nqn.evil\xff",
    "cut-short": b"nqn.evil\xc3",
    "escape": b"nqn.evil\033[2J",
    "c1": b"nqn.evil\xc2\x9b2J",
    "comma": b"nqn.evil,tls",
    "direction": "nqn.\u202elive".encode(),
}


@pytest.mark.parametrize("nqn", EVIL.values(), ids=EVIL)
@pytest.mark.parametrize("there", [True, False])
def test_evil_names_are_not_written(nvme, host, nqn, there):
    """From then on, every command that reads the file would fail for all subsystems."""
    path = host.etc / "config.json"
    if there:
        write(host, [{"hostnqn": OTHER, "subsystems": []}])
    before = path.read_bytes() if there else None
    connected(host)
    subsystem = host.subsystem(1, "x")
    subsystem.controller(1, "tcp", "traddr=10.1.2.1,trsvcid=4420")
    for file in (subsystem.directory / "subsysnqn", *host.sys.rglob("nvme1/subsysnqn")):
        file.write_bytes(nqn + b"\n")
    result = nvme("config", "--scan", "--update", status=1)
    (line,) = result.err.splitlines()
    assert line.startswith("Failed to write configuration /etc/nvme/config.json") and "nqn" in line
    assert line.isascii() and line.isprintable()
    assert (path.read_bytes() if there else None) == before
    assert sorted(p.name for p in host.etc.iterdir()) == sorted(
        ["hostid", "hostnqn", *(["config.json"] if there else [])]
    )


def test_names_in_utf8(nvme, host):
    """As the specification has them."""
    name = "nqn.2025-01.test:größe-容量"
    host.subsystem(0, name).controller(0, "tcp", "traddr=10.1.2.1,trsvcid=4420")
    path = host.etc / "config.json"
    update(nvme)
    assert find(read(path), HOSTNQN)["subsystems"][0]["nqn"] == name
    assert nvme("config", "--dump").json == read(path)


@pytest.mark.parametrize(
    ("before", "after"), [(0o644, 0o644), (0o640, 0o640), (0o600, 0o600), (None, 0o644)]
)
def test_mode(nvme, host, before, after):
    path = host.etc / "config.json"
    if before:
        write(host, [], before)
    connected(host)
    update(nvme)
    assert mode(path) == after


def test_links_stay(nvme, host, tmp_path):
    """/etc/nvme/config.json is often a link to where a site keeps its files."""
    real = tmp_path / "site.json"
    real.write_text("[]")
    real.chmod(0o640)
    (host.etc / "config.json").symlink_to(real)
    connected(host)
    update(nvme)
    assert (host.etc / "config.json").is_symlink()
    assert find(read(real), HOSTNQN)["subsystems"] and mode(real) == 0o640
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_dangling_link(nvme, host, tmp_path):
    (host.etc / "config.json").symlink_to(tmp_path / "site.json")
    connected(host)
    update(nvme)
    assert find(read(tmp_path / "site.json"), HOSTNQN)["subsystems"]


@pytest.mark.skipif(os.geteuid() != 0, reason="skipped: only root can make files of others")
def test_planted_link(nvme, host, tmp_path):
    """Where everybody may write, others' links are not followed."""
    public = tmp_path / "public"
    public.mkdir()
    public.chmod(0o1777)
    victim = tmp_path / "victim"
    victim.write_text("[]")
    (public / "config.json").symlink_to(victim)
    os.chown(public / "config.json", 65534, 65534, follow_symlinks=False)
    connected(host)
    result = nvme("config", "--scan", "--update", "--config", str(public / "config.json"), status=1)
    assert "Permission denied" in result.err
    assert victim.read_text() == "[]"


def test_no_file(nvme, host, tmp_path):
    connected(host)
    (host.etc / "config.json").mkdir()
    result = nvme("config", "--scan", "--update", status=1)
    assert "/etc/nvme/config.json" in result.err
    assert "Is a directory" in result.err


def test_machine_without_a_name(nvme, host):
    """There is no host to write down, and the message has what makes one."""
    (host.etc / "hostnqn").unlink()
    port = ["-t", "mptcp", "-a", "10.1.1.1", "-n", NQN]
    assert nvme.error("config", "--modify", "--update", *port) == (
        "Could not read host NQN: /etc/nvme/hostnqn: No such file or directory "
        "(nvme gen-hostnqn > /etc/nvme/hostnqn creates it, or use --hostnqn)\n"
    )
    assert not (host.etc / "config.json").exists()
    assert nvme("config", "--modify", "--update", "--hostnqn", OTHER, *port).status == 0
    (host.etc / "hostnqn").write_text(nvme("gen-hostnqn").out)
    assert nvme("config", "--modify", "--update", *port).status == 0
    assert len(read(host.etc / "config.json")) == 2


PORT = ["-t", "mptcp", "-n", NQN, "-a"]


def test_programs_at_once(nvme, host):
    """Each reads what the one before it wrote: of eight changes, one to four were kept."""
    path = write(host, [{"hostnqn": OTHER, "dhchap_key": "DHHC-1:00:x:", "subsystems": []}])
    addresses = [f"10.1.1.{i}" for i in range(1, 9)]
    with concurrent.futures.ThreadPoolExecutor(len(addresses)) as pool:
        done = list(pool.map(lambda a: nvme("config", "--modify", "--update", *PORT, a), addresses))
    assert [(d.status, d.out, d.err) for d in done] == [(0, "", "")] * len(addresses)
    [subsystem] = find(read(path), HOSTNQN)["subsystems"]
    assert sorted(port["traddr"] for port in subsystem["ports"]) == addresses
    assert len(read(path)) == 2
    assert {p.name for p in host.etc.iterdir()} == {"config.json", "hostid", "hostnqn"}


def test_a_lock_that_is_not_given_back(nvme, host):
    """The wait ends, with the file that is locked; nothing is changed."""
    path = write(host, [])
    with (host.etc / ".config.json.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = nvme("config", "--modify", "--update", *PORT, "10.1.1.1")
        assert nvme("config", "--modify", *PORT, "10.1.1.1").status == 0, "nothing is written"
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "Failed to lock configuration /etc/nvme/config.json: another program has locked it for "
        "10 s (fuser prints the process that holds .config.json.lock)\n"
    )
    assert path.read_text() == "[]"
    # That of a program that was killed is nobody's.
    assert nvme("config", "--modify", "--update", *PORT, "10.1.1.1").status == 0
    assert not (host.etc / ".config.json.lock").exists()


def test_keys_of_a_killed_writer(nvme, host):
    """The next program that writes there removes what it left."""
    left = host.etc / ".nvme-0123456789abcdef"
    left.write_text("NVMe_TLS_1 NVMeTLSkey-1:01:...:\n")
    assert nvme("config", "--modify", "--update", *PORT, "10.1.1.1").status == 0
    assert not left.exists()
