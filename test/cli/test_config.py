# SPDX-License-Identifier: LGPL-2.1-or-later
"""JSON configuration files: connect -J, connect-all, discover, --dump-config."""

import errno
import json

import discovery_log as dl
import pytest
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

NQN = "nqn.2025-01.test:one"
OTHER = "99999999-2222-3333-4444-555555555555"


def config(*ports, nqn=NQN, **host):
    """One host with one subsystem."""
    return [
        {"hostnqn": HOSTNQN, "hostid": HOSTID, **host}
        | {"subsystems": [{"nqn": nqn, "ports": list(ports)}]}
    ]


def port(traddr, transport="mptcp", **more):
    return {"transport": transport, "traddr": traddr, "trsvcid": "4420", **more}


@pytest.fixture
def file(host):
    """Write a configuration and return its name."""
    return lambda document: str(host.configure(document))


def test_connect(nvme, host, file):
    path = file(config(port("10.1.1.1", nr_io_queues=2), port("10.1.2.1", "tcp", hdr_digest=True)))
    host.answer_new(NQN, "10.1.1.1", "10.1.2.1")
    assert nvme.ok("connect", "-J", path).out == ""
    assert ",traddr=10.1.1.1," in host.connects[0] and "nr_io_queues=2" in host.connects[0]
    assert ",transport=tcp," in host.connects[1] and ",hdr_digest" in host.connects[1]


def test_connect_goes_on_after_a_failure(nvme, host, file):
    path = file(config(port("10.1.1.1"), port("10.1.2.1")))
    host.answer_error(errno.ECONNREFUSED)
    host.answer_new(NQN, "10.1.2.1")
    said = nvme.error("connect", "-J", path)
    assert f"failed to connect to hostnqn={HOSTNQN},nqn={NQN}" in said
    assert "connection refused" in said
    assert len(host.connects) == 2


@pytest.mark.parametrize(
    ("option", "given"),
    {
        "dhchap-secret": ["-S", "DHHC-1:00:1a2b:"],
        "dhchap-ctrl-secret": ["-C", "DHHC-1:00:1a2b:"],
        "tls": ["--tls"],
        "concat": ["--concat"],
        "tls-key": ["--tls-key", "3"],
        "tls_key": ["--tls_key", "3"],
        "tls-key-identity": ["--tls-key-identity", "NVMe0R01 a b"],
        "keyring": ["--keyring", ".nvme"],
        "hdr-digest": ["-g"],
        "data-digest": ["-G"],
    }.items(),
)
def test_what_protects_is_said_by_the_file_alone(nvme, host, file, option, given):
    """A key beside the file would protect nothing."""
    path = file(config(port("10.1.1.1")))
    result = nvme("connect", "-J", path, *given)
    assert (result.status, result.out, host.connects) == (1, "", [])
    assert f"cannot specify --config and --{option} together: {path} specifies how" in result.err
    assert "1a2b" not in result.err


def test_connect_all(nvme, host, file, valid):
    """At boot, everything that the file describes: I/O controllers as well as discovery logs."""
    document = config(port("10.1.1.1", nr_io_queues=2), port("10.1.2.1"))
    dc = {"transport": "mptcp", "traddr": "10.1.9.1", "discovery": True}
    document[0]["subsystems"].append({"nqn": "nqn.dc", "ports": [dc]})
    file(document)
    host.answer_new(NQN, "10.1.1.1")
    host.answer_error(errno.ECONNREFUSED)
    host.answer_error(errno.EALREADY)
    nvme("connect-all", "-o", "json", status=1)
    assert host.sent("nqn") == [NQN, NQN, "nqn.dc"]
    assert host.sent("transport") == ["mptcp"] * 3
    assert host.sent("traddr") == ["10.1.1.1", "10.1.2.1", "10.1.9.1"]
    assert ",nr_io_queues=2," in host.connects[0] and ",trsvcid=8009," in host.connects[2]


def test_described_and_connected(nvme, host, file):
    """The log of a discovery controller that is there already may list something new."""
    document = config({"transport": "mptcp", "traddr": "10.1.9.1", "trsvcid": "8009"}, nqn="nqn.dc")
    document[0]["subsystems"][0]["ports"][0] |= {"discovery": True, "persistent": True}
    file(document)
    subsystem = host.subsystem(0, "nqn.dc")
    subsystem.controller(0, "mptcp", "traddr=10.1.9.1,trsvcid=8009", cntrltype="discovery")
    log = dl.log(dl.entry(trtype=dl.MPTCP, traddr=b"10.1.1.1", subnqn=NQN.encode()))
    host.command("nvme0", "admin", 0x02, 0x70, log)
    host.answer_new(NQN, "10.1.1.1", first=1)
    result = nvme("connect-all", "-v")
    assert (result.status, result.out) == (0, f"nvme1: mptcp 10.1.1.1:4420 {NQN}: connected\n")
    assert len(host.connects) == 1 and host.deleted == []
    assert "Number of Records 1" in nvme("discover").out


def test_connect_all_in_json(nvme, host, file, valid):
    file(config(port("10.1.1.1"), port("10.1.2.1"), port("10.1.3.1")))
    host.answer_new(NQN, "10.1.1.1")
    host.answer_error(errno.ECONNREFUSED)
    host.answer_error(errno.EALREADY)
    result = nvme("connect-all", "-o", "json", status=1)
    valid("connect-all", result.json)
    assert [e["device"] for e in result.json] == ["nvme0", None, None]
    assert [e["traddr"] for e in result.json] == ["10.1.1.1", "10.1.2.1", "10.1.3.1"]
    assert result.json[0]["result"] == "connected"
    assert "connection refused" in result.json[1]["result"]
    assert result.json[2]["result"] == "already connected"
    assert "traddr=10.1.2.1: 10.1.2.1:4420: connection refused" in result.err


@pytest.mark.parametrize(
    ("hostnqn", "hostid"),
    [(HOSTNQN, HOSTID), ("nqn.2014-08.org.nvmexpress:uuid:" + OTHER, OTHER),
     ("nqn.2025-01.test:host", None)],
)  # fmt: skip
@pytest.mark.parametrize("command", ["connect", "connect-all"])
def test_host_without_identifier(nvme, host, file, command, hostnqn, hostid):
    """The kernel would take one of its own, and refuse it beside connections that have another."""
    document = config(port("10.1.1.1"), hostnqn=hostnqn)
    del document[0]["hostid"]
    host.answer_new(NQN, "10.1.1.1")
    assert nvme(command, "-J", file(document)).status == 0
    assert (host.sent("hostnqn"), host.sent("hostid")) == ([hostnqn], [hostid])
    assert "hostid" not in nvme("config", "--dump").json[0], "the file is left as it is"


def test_ports_have_the_default_port(nvme, host, file):
    """The kernel takes 8009 for an I/O controller, too."""
    path = file(config({"transport": "mptcp", "traddr": "10.1.1.1", "hdr_digest": True, "tos": 4}))
    host.answer_new(NQN, "10.1.1.1")
    assert nvme("connect", "-J", path).status == 0
    assert ",trsvcid=4420," in host.connects[0] and ",tos=4,hdr_digest" in host.connects[0]


def test_connected_ports_are_skipped(nvme, host, file):
    host.subsystem(0, NQN).controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420")
    assert nvme("connect", "-J", file(config(port("10.1.1.1")))).status == 0
    assert host.written == []


@pytest.mark.parametrize(
    "document",
    [
        "",
        "{",
        "5",
        '{"hosts": 5}',
        "[{}]",
        '[{"hostnqn": "nqn.h", "subsystems": {}}]',
        '[{"hostnqn": "nqn.h", "subsystems": [{"ports": []}]}]',
        '[{"hostnqn": "nqn.h", "subsystems": [{"nqn": "nqn.s", "ports": [{}]}]}]',
        "[" * 10000,
        '[{"hostnqn": "nqn.h", "hostnqn": "nqn.i"}]',
    ],
    ids=range(10),
)
@pytest.mark.parametrize("command", ["connect", "discover", "connect-all"])
def test_broken(nvme, host, file, command, document):
    path = file(document)
    said = nvme.error(command, "-J", path)
    assert len(said.splitlines()) == 1
    assert said.startswith(f"Failed to read configuration {path}")
    assert host.written == []


@pytest.mark.parametrize(
    ("key", "most"),
    [("host_iface", 15), ("host_traddr", 255), ("tls_key_identity", 1023), ("keyring", 255)],
)
def test_texts_that_are_too_long(nvme, host, file, key, most):
    path = file(config(port("10.1.1.1", **{key: "x" * (most + 1)})))
    result = nvme("connect-all", "-J", path, status=1)
    where = f"$[0].subsystems[0].ports[0].{key}"
    assert f"{where}: is longer than {most} characters" in result.err
    assert host.written == []


def test_state_files(nvme, host):
    """What other managers leave there stops nobody else."""
    (host.run / "other.json").write_text("{")
    (host.run / "other.txt").write_text("{")
    host.answer_new(NQN, "10.1.1.1", transport="tcp")
    result = nvme("connect", "-t", "tcp", "-a", "10.1.1.1", "-n", NQN, status=1)
    assert len(host.connects) == 1
    assert "/run/nvme/other.json" in result.err


def applications(*names):
    """One subsystem for each application; None: it is for nobody in particular."""
    subsystems = [
        {"nqn": f"nqn.{i}", "ports": [port(f"10.1.{i}.1")]}
        | ({"application": name} if name else {})
        for i, name in enumerate(names)
    ]
    return [{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": subsystems}]


@pytest.mark.parametrize("command", ["connect", "connect-all"])
def test_context(nvme, host, file, command):
    """What the file has for nobody in particular is this application's as well."""
    path = file(applications("stas", None, "other", "third"))
    host.answer_new("nqn.0", "10.1.0.1")
    host.answer_new("nqn.1", "10.1.1.1", first=1)
    result = nvme(command, "-J", path, "--context", "stas")
    assert host.sent("nqn") == ["nqn.0", "nqn.1"]
    assert (result.status, result.out) == (0, "")
    assert result.err == (
        'nqn.2 is not connected: the configuration assigns it to the application "other", not '
        '"stas" (and 1 more like it)\n'
    )


def test_context_is_quiet(nvme, file):
    file(applications("other"))
    assert nvme.ok("connect-all", "--context=autoconnect", "--quiet").out == ""


def test_others_that_are_connected(nvme, host, file):
    """What its own application has connected is no news."""
    file(applications("other"))
    host.subsystem(0, "nqn.0").controller(0, "mptcp", "traddr=10.1.0.1,trsvcid=4420")
    assert nvme.ok("connect-all", "--context=autoconnect").out == ""


def test_discovery_controller_at_boot(nvme, host, file):
    """One that the file describes without an application is asked by the unit as well."""
    document = config({"transport": "mptcp", "traddr": "10.1.9.1", "discovery": True}, nqn="nqn.dc")
    file(document)
    host.answer_error(errno.ECONNREFUSED)
    assert "10.1.9.1:8009: connection refused" in nvme.error("connect-all", "--context=autoconnect")
    assert len(host.connects) == 1


def test_every_host(nvme, host, file):
    """A file of several hosts connects as each of them, unless one is named."""
    second = "nqn.2025-01.test:second"
    ports = [port("10.1.1.1")], [port("10.1.2.1")]
    dc = {"transport": "mptcp", "traddr": "10.1.9.1", "discovery": True}
    subsystems = [{"nqn": "nqn.b", "ports": ports[1]}, {"nqn": "nqn.dc", "ports": [dc]}]
    file([
        {"hostnqn": HOSTNQN, "subsystems": [{"nqn": "nqn.a", "ports": ports[0]}]},
        {"hostnqn": second, "subsystems": subsystems},
    ])  # fmt: skip
    host.answer_error(errno.ECONNREFUSED, times=3)
    assert nvme("connect-all").status == 1
    assert host.sent("nqn") == ["nqn.a", "nqn.b", "nqn.dc"]
    assert host.sent("hostnqn") == [HOSTNQN, second, second]
    host.answer_error(errno.ECONNREFUSED)
    host.answer_error(errno.ECONNREFUSED)
    nvme("connect-all", "--hostnqn", second)
    assert host.sent("nqn")[3:] == ["nqn.b", "nqn.dc"]


@pytest.mark.parametrize("command", [("connect-all",), ("mptcp", "keep", "--auto", "--dry-run")])
def test_host_without_nqn(nvme, file, command):
    path = file([{"subsystems": []}])
    assert nvme.error(*command, "-J", path) == (
        f'Failed to read configuration {path}:1: $[0]: "hostnqn" is missing '
        "(nvme show-hostnqn prints this host's NQN)\n"
    )


def test_dump(nvme, host):
    controller = host.subsystem(0, NQN).controller(0, "mptcp", connected=False)
    host.answer_connected(controller)
    result = nvme(
        "connect", "-t", "mptcp", "-a", "10.1.1.1", "-n", NQN, "-i", "3", "--dump-config", status=0
    )
    first, _, rest = result.out.partition("\n")
    assert first == "connecting to device: nvme0"
    document = json.loads(rest)
    assert document[0]["hostnqn"] == HOSTNQN
    found = document[0]["subsystems"][0]["ports"][0]
    assert (found["transport"], found["traddr"], found["nr_io_queues"]) == ("mptcp", "10.1.1.1", 3)


@pytest.mark.parametrize("command", ["connect-all", "discover"])
def test_dump_after_discovery(nvme, host, file, command):
    """What there is then; of what failed in part nobody reads that it is the configuration."""
    path = file(config(port("10.1.1.1", nr_io_queues=2)))
    host.answer_new(NQN, "10.1.1.1")
    result = nvme.ok(command, "-J", path, "--dump-config")
    (described,) = json.loads(result.out)
    assert described["subsystems"][0]["ports"][0]["nr_io_queues"] == 2

    file(config(port("10.1.9.1", discovery=True), nqn=DISCOVERY_NQN))
    host.answer_error(errno.ECONNREFUSED)
    nvme.error(command, "-J", path, "--dump-config")


def test_discovery_controllers(nvme, host, file):
    file(config(port("10.1.1.1", trsvcid="8009", discovery=True), nqn=DISCOVERY_NQN))
    dl.controller(host, dl.log(dl.entry(subnqn=b"nqn.found")))
    result = nvme.ok("discover")
    assert "subnqn:  nqn.found" in result.out
    assert host.deleted == ["nvme0"]
