# SPDX-License-Identifier: LGPL-2.1-or-later
"""config.json as users write it: what is wrong is reported, and stops nothing else."""

import json

import pytest
from fabric import entry
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN

NQN = "nqn.2025-01.test:one"


def port(traddr, **more):
    return {"transport": "mptcp", "traddr": traddr, "trsvcid": "4420", **more}


def document(*ports, subsystem=None, **host):
    """One host with one subsystem."""
    inside = {"nqn": NQN, "ports": list(ports)} | (subsystem or {})
    return {"hostnqn": HOSTNQN, "hostid": HOSTID, **host, "subsystems": [inside]}


@pytest.mark.parametrize("text", ["", "{}", "null", "{", "[{}]", "[5]", '{"hosts": null}'])
@pytest.mark.parametrize("command", ["discover", "connect-all"])
def test_an_address_is_used_none_the_less(nvme, host, fabric, command, text):
    host.configure(text)
    fabric.offers("nqn.a", "10.1.2.1")
    result = nvme(command, "-t", "mptcp", "-a", "10.1.1.1", status=1)
    assert len(result.err.splitlines()) == 1
    assert result.err.startswith("Failed to read configuration /")
    assert "/config.json" in result.err
    if command == "discover":
        assert "subnqn:  nqn.a" in result.out
    else:
        assert host.sent("traddr") == ["10.1.1.1", "10.1.2.1"]


def test_json_is_of_what_was_found(nvme, host, fabric):
    host.configure("{")
    fabric.lists(entry("nqn.a", "10.1.2.1"))
    result = nvme("discover", "-t", "mptcp", "-a", "10.1.1.1", "-o", "json", status=1)
    assert "config.json:1" in result.err
    assert [record["subnqn"] for record in result.json["records"]] == ["nqn.a"]


def no_file(host):
    (host.etc / "config.json").mkdir()


def no_directory(host):
    host.run.rmdir()
    host.run.write_text("")


@pytest.mark.parametrize("make", [no_file, no_directory])
def test_what_cannot_be_read_stops_nothing(nvme, host, fabric, make):
    make(host)
    (host.etc / "discovery.conf").write_text("-t mptcp -a 10.1.1.1\n")
    fabric.offers("nqn.a", "10.1.2.1")
    result = nvme("connect-all")
    assert (result.status, host.sent("traddr")) == (1, ["10.1.1.1", "10.1.2.1"])
    assert len(result.err.splitlines()) == 1 and " directory" in result.err


@pytest.mark.parametrize("command", ["discover", "connect-all"])
def test_discovery_conf_is_followed(nvme, host, fabric, command):
    host.configure("")
    (host.etc / "discovery.conf").write_text("-t mptcp -a 10.1.1.1\n")
    fabric.offers("nqn.a", "10.1.2.1")
    assert "config.json:1: expected a value" in nvme(command, status=1).err
    assert host.sent("traddr")[0] == "10.1.1.1"


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"nr_io_queues": "many"}, '.nr_io_queues: "many": must be a whole number'),
        ({"tos": 1000}, ".tos: must be from -1 to 255, not 1000"),
        ({"transport": "carrier pigeon"}, '.transport: "carrier pigeon": no such transport'),
        ({"traddr": None}, '"traddr" is missing'),
        ({"host_iface": []}, ".host_iface: must be a string, not array"),
    ],
)
@pytest.mark.parametrize("command", [("connect-all",), ("connect", "-J")])
def test_other_ports_are_connected(nvme, host, command, wrong, what):
    host.configure([document(port("10.1.1.1"), port("10.1.9.1") | wrong, port("10.1.2.1"))])
    host.answer_new(NQN, "10.1.1.1", "10.1.2.1")
    file = [str(host.etc / "config.json")] if "-J" in command else []
    result = nvme(*command, *file)
    assert (result.status, host.sent("traddr")) == (1, ["10.1.1.1", "10.1.2.1"])
    (line,) = result.err.splitlines()
    assert "$[0].subsystems[0].ports[1]" in line and what in line


@pytest.mark.parametrize(
    "wrong",
    [
        {"subsystems": [{"nqn": "nqn.x", "ports": [port("10.1.9.1")]}]},
        {"hostnqn": 5, "subsystems": []},
        {"hostnqn": "nqn.h", "hostid": "no", "subsystems": []},
        "no host",
        None,
    ],
    ids=range(5),
)
def test_other_hosts_are_connected(nvme, host, wrong):
    host.configure([wrong, document(port("10.1.1.1"))])
    host.answer_new(NQN, "10.1.1.1")
    result = nvme("connect-all")
    assert (result.status, host.sent("traddr")) == (1, ["10.1.1.1"])
    (line,) = result.err.splitlines()
    assert "config.json" in line and "$[0]" in line


DIGEST = '"hdr_digest": true'


def repeated(document, member, again):
    """The document's text, where the object that has a member has it once more."""
    text = json.dumps(document)
    assert text.count(member) == 1
    return text.replace(member, f"{member}, {again}")


@pytest.mark.parametrize(
    ("member", "again", "where", "left"),
    [
        (DIGEST, '"hdr_digest": false', "[1].subsystems[0].ports[1].hdr_digest", [1, 2]),
        (DIGEST, '"hdr_digest": {"a": 1, "a": 2}', ".subsystems[0].ports[1].hdr_digest", [1, 2]),
        ('"nqn": "nqn.b"', '"nqn": "nqn.c"', "[1].subsystems[1].nqn", [1, 9]),
        ('"hostsymname": "x"', '"subsystems": []', "[1].subsystems", []),
        ('"x-mine": {"k": 1', '"k": 2', "[1].x-mine.k", [1, 9, 2]),
    ],
    ids=["port", "inside", "subsystem", "host", "unknown"],
)
def test_a_key_given_twice(nvme, host, member, again, where, left):
    """What has it is left out, and the rest is connected."""
    good = document(port("10.1.1.1"), port("10.1.9.1", hdr_digest=True))
    # In this order, so that what is added stands behind the subsystems.
    good |= {"hostsymname": "x", "x-mine": {"k": 1}}
    good["subsystems"].append({"nqn": "nqn.b", "ports": [port("10.1.2.1")]})
    other = document(port("10.1.3.1"), subsystem={"nqn": "nqn.o"})
    other |= {"hostnqn": "nqn.other", "hostid": HOSTID.replace("1", "2")}
    host.configure(repeated([other, good], member, again))
    for i, number in enumerate([3, *left]):
        host.answer_new(f"nqn.{i}", f"10.1.{number}.1", first=i)
    result = nvme("connect-all")
    assert (result.status, host.sent("traddr")) == (1, [f"10.1.{i}.1" for i in [3, *left]])
    (line,) = result.err.splitlines()
    assert "config.json:1: $[1]" in line and line.endswith(f"{where}: the key is given twice")


def test_endpoints_given_twice(nvme, host):
    given = document(port("10.1.1.1"), mptcp={"endpoints": []})
    host.configure(repeated([given], '"endpoints": []', '"endpoints": []'))
    host.answer_new(NQN, "10.1.1.1")
    assert "$[0].mptcp.endpoints: the key is given twice" in nvme.error("connect-all")


def test_a_file_with_a_key_given_twice_is_not_written(nvme, host):
    """One of the two would be lost."""
    host.configure(repeated([document(port("10.1.1.1", tos=7))], '"tos": 7', '"tos": 8'))
    before = (host.etc / "config.json").read_text()
    result = nvme("config", "-M", "-U", "-t", "tcp", "-a", "10.1.2.1", "-n", "nqn.b", status=1)
    assert ".tos: the key is given twice" in result.err
    assert (host.etc / "config.json").read_text() == before


def test_a_wrong_subsystem_is_left_out(nvme, host):
    good = document(port("10.1.1.1"))
    good["subsystems"].insert(0, {"ports": [port("10.1.9.1")]})
    good["subsystems"].insert(0, None)
    host.configure([good])
    host.answer_new(NQN, "10.1.1.1")
    result = nvme("connect-all", status=1)
    assert (host.sent("traddr"), len(result.err.splitlines())) == (["10.1.1.1"], 2)


def test_a_file_with_mistakes_is_not_written(nvme, host):
    """What could not be read would be lost."""
    host.configure([document(port("10.1.1.1", tos="high"))])
    before = (host.etc / "config.json").read_text()
    assert ".tos:" in nvme.error("config", "-M", "-U", "-t", "tcp", "-a", "10.1.2.1", "-n", "nqn.b")
    assert (host.etc / "config.json").read_text() == before


@pytest.mark.parametrize(
    ("key", "value", "sent"),
    [
        ("keep_alive_tmo", "60", "keep_alive_tmo=60"),
        ("keep_alive_tmo", " 60 ", "keep_alive_tmo=60"),
        ("ctrl_loss_tmo", 1800.0, "ctrl_loss_tmo=1800"),
        ("ctrl_loss_tmo", "1800.0", "ctrl_loss_tmo=1800"),
        ("ctrl_loss_tmo", "-1", "ctrl_loss_tmo=-1"),
        ("nr_io_queues", True, "nr_io_queues=1"),
        ("hdr_digest", "true", "hdr_digest"),
        ("hdr_digest", "True", "hdr_digest"),
        ("hdr_digest", 1, "hdr_digest"),
        ("hdr_digest", "1", "hdr_digest"),
        ("hdr_digest", "on", "hdr_digest"),
        ("trsvcid", 4421, "trsvcid=4421"),
        ("trsvcid", 4421.0, "trsvcid=4421"),
        ("trsvcid", None, "trsvcid=4420"),
        ("host_traddr", None, None),
        ("keep_alive_tmo", None, None),
        ("tos", None, None),
        ("hdr_digest", None, None),
        ("hdr_digest", "false", None),
        ("hdr_digest", "", None),
        ("hdr_digest", 0, None),
        ("nr_io_queues", False, None),
    ],
)
def test_values_of_other_types(nvme, host, key, value, sent):
    """As libnvme 1.16 takes them; "false" is false."""
    host.configure([document(port("10.1.1.1", **{key: value}))])
    host.answer_new(NQN, "10.1.1.1")
    nvme.ok("connect-all")
    words = host.connects[0].split(",")
    if sent:
        assert sent in words
    else:
        assert not [word for word in words if word.partition("=")[0] == key]


@pytest.mark.parametrize(
    ("key", "value"),
    [("keep_alive_tmo", "60s"), ("keep_alive_tmo", 1.5), ("keep_alive_tmo", "1.5"),
     ("keep_alive_tmo", ""), ("keep_alive_tmo", "1800."), ("keep_alive_tmo", {}),
     ("hdr_digest", "maybe"), ("hdr_digest", []), ("keep_alive_tmo", "99999999999999999999")],
)  # fmt: skip
def test_values_that_mean_nothing(nvme, host, key, value):
    host.configure([document(port("10.1.1.1", **{key: value}))])
    result = nvme("connect-all")
    assert (result.status, host.connects) == (1, [])
    assert f"ports[0].{key}: " in result.err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ctrl-loss-tmo", "ctrl_loss_tmo"),
        ("ctrl_los_tmo", "ctrl_loss_tmo"),
        ("CTRL_LOSS_TMO", "ctrl_loss_tmo"),
        ("host-iface", "host_iface"),
        ("nr-io-queues", "nr_io_queues"),
        ("Tos", "tos"),
    ],
)
def test_misspelt_keys_are_named(nvme, host, typed, meant):
    host.configure([document(port("10.1.1.1", **{typed: 5}))])
    host.answer_new(NQN, "10.1.1.1")
    result = nvme("connect-all")
    assert (result.status, len(host.connects)) == (0, 1)
    assert f'ports[0].{typed}: no such key, ignored; did you mean "{meant}"?' in result.err
    assert nvme("connect-all", "--quiet").err == ""


GUARDS = [
    ("TLS", True, "tls"),
    ("tsl", True, "tls"),
    ("Concat", True, "concat"),
    ("hdr-digest", True, "hdr_digest"),
    ("data-digest", True, "data_digest"),
    ("dhchap_secret", "DHHC-1:00:x:", "dhchap_key"),
    ("dhchap-ctrl-secret", "DHHC-1:00:x:", "dhchap_ctrl_key"),
    ("tls-key", "NVMeTLSkey-1:01:x:", "tls_key"),
    ("key_ring", ".nvme", "keyring"),
    ("tls_psk", "NVMeTLSkey-1:01:x:", "tls"),
    ("psk", "NVMeTLSkey-1:01:x:", "tls_key"),
    ("dhchap", "DHHC-1:00:x:", "dhchap_key"),
    ("digest", True, "hdr_digest"),
]


@pytest.mark.parametrize(("typed", "value", "meant"), GUARDS)
def test_misspelt_keys_that_protect(nvme, host, typed, value, meant):
    host.configure([document(port("10.1.1.1", **{typed: value}), port("10.1.2.1"))])
    host.answer_new(NQN, "10.1.2.1")
    result = nvme("connect-all")
    assert (result.status, host.sent("traddr")) == (1, ["10.1.2.1"])
    assert f'ports[0].{typed}: no such key; did you mean "{meant}"?' in result.err
    assert "DHHC" not in result.err and "NVMeTLS" not in result.err


@pytest.mark.parametrize(
    "where",
    [
        {"dhchap_secret": "DHHC-1:00:x:"},
        {"dhchap-key": "DHHC-1:00:x:"},
        {"TLS": True},
        {"tls": True},
        {"subsystem": {"tls": True}},
        {"subsystem": {"Tls": True}},
    ],
    ids=range(6),
)
def test_protection_in_the_wrong_place(nvme, host, where):
    host.configure([document(port("10.1.1.1"), **where)])
    result = nvme("connect-all")
    assert (result.status, host.connects) == (1, [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"TLS": True},
        {"tls": True, "tos": 1000},
        {"tls": "perhaps"},
        {"dhchap_key": "DHHC-1:00:x,tls:"},
    ],
    ids=range(4),
)
@pytest.mark.parametrize("name", ["10.1.2.1", "::ffff:10.1.2.1"])
def test_a_log_does_not_lead_around_protection(nvme, host, fabric, wrong, name):
    """What an entry wants to protect is not connected without, wherever its address comes from."""
    host.configure([document(port(name) | wrong)])
    fabric.lists(entry(NQN, "10.1.2.1"), entry("nqn.other", "10.1.2.1"))
    fabric.controller("nqn.other", "10.1.2.1")
    result = nvme("connect-all", "-t", "mptcp", "-a", "10.1.1.1", status=1)
    assert host.sent("nqn") == [DISCOVERY_NQN, "nqn.other"]
    assert "not connected without the protection that the configuration requires" in result.err


def test_keys_of_later_versions(nvme, host):
    """What is like nothing known is no mistake."""
    host.configure([document(port("10.1.1.1", _comment="tags", tags=1), description="x", rack=7)])
    host.answer_new(NQN, "10.1.1.1")
    result = nvme("connect-all")
    assert (result.status, result.err, len(host.connects)) == (0, "", 1)


def test_very_many_mistakes(nvme, host):
    host.configure([document(*[port("10.1.9.1", tos=1000)] * 5000, port("10.1.1.1"))])
    host.answer_new(NQN, "10.1.1.1")
    result = nvme("connect-all")
    assert (result.status, host.sent("traddr")) == (1, ["10.1.1.1"])
    assert len(result.err.splitlines()) == 100
    assert "further problems are not listed" in result.err.splitlines()[-1]


@pytest.mark.parametrize("name", ["config.json", "discovery.conf"])
@pytest.mark.parametrize("command", ["discover", "connect-all"])
def test_a_file_that_nvme_cli_3_has_renamed(nvme, host, command, name):
    (host.etc / f"{name}.converted").write_text("[]")
    result = nvme(command)
    assert (result.status, result.out, host.connects) == (0, "", [])
    (line,) = result.err.splitlines()
    assert line.endswith(f"{name}; to use it here, copy it back")
    assert f"{name}.converted is not read: nvme-cli 3 has renamed " in line
    assert nvme(command, "--quiet").err == ""
    assert (nvme(command, "-J", "none").err == "") == (name == "config.json")
    (host.etc / name).write_text("[]" if name == "config.json" else "")
    assert nvme(command).err == ""
