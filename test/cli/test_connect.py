# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme connect: what reaches the kernel, what the user sees, what is refused."""

import errno
import fcntl
import json
import re

import pytest
from conftest import Nvme
from fake_sysfs import DISCOVERY_NQN, HOSTID, HOSTNQN, FakeHost

NQN = "nqn.2025-01.test:one"


def arguments(transport="mptcp", traddr="10.1.1.1", nqn=NQN):
    return ["connect", "-t", transport, "-a", traddr, "-n", nqn]


@pytest.fixture
def target(host):
    """A subsystem whose controller nvme0 appears with the first connect."""

    def make(**more):
        transport = more.pop("transport", "mptcp")
        made = host.subsystem(0, NQN).controller(0, transport, connected=False, **more)
        host.answer_connected(made)
        return made

    return make


def test_success(nvme, host, target):
    target()
    result = nvme(*arguments())
    assert (result.status, result.err, result.out) == (0, "", "connecting to device: nvme0\n")
    assert host.connects == [
        f"nqn={NQN},transport=mptcp,traddr=10.1.1.1,trsvcid=4420,hostnqn={HOSTNQN},hostid={HOSTID},"
        "ctrl_loss_tmo=600"
    ]


def test_success_json(nvme, target, valid):
    target()
    result = nvme(*arguments(), "-o", "json")
    assert (result.status, result.out) == (0, '{\n  "device":"nvme0"\n}\n')
    valid("connect", result.json)


def test_every_option(nvme, host, target):
    target(transport="tcp")
    result = nvme(
        *arguments("tcp"), "-s", "4421", "-w", "10.1.1.2", "-f", "eth1", "-q", "nqn.h", "-I",
        "00000000-0000-0000-0000-000000000001", "-i", "2", "-W", "3", "-P", "4", "-Q", "0x20", "-k",
        "5", "-c", "6", "-l", "-1", "-F", "7", "--tos=0x10", "-D", "--disable-sqflow", "-g", "-G",
    )  # fmt: skip
    assert (result.status, result.err) == (0, "")
    assert host.connects == [
        f"nqn={NQN},transport=tcp,traddr=10.1.1.1,host_traddr=10.1.1.2,host_iface=eth1,trsvcid=4421,"
        "hostnqn=nqn.h,hostid=00000000-0000-0000-0000-000000000001,nr_io_queues=2,"
        "nr_write_queues=3,nr_poll_queues=4,queue_size=32,keep_alive_tmo=5,reconnect_delay=6,"
        "ctrl_loss_tmo=-1,fast_io_fail_tmo=7,tos=16,duplicate_connect,disable_sqflow,hdr_digest,"
        "data_digest"
    ]


@pytest.mark.parametrize(
    ("transport", "port"), [("tcp", "4420"), ("mptcp", "4420"), ("rdma", "4420"), ("fc", None)]
)
def test_default_port(nvme, host, target, transport, port):
    target(transport=transport)
    traddr = "nn-0x10000090fa945c5f:pn-0x10000090fa945c5f" if transport == "fc" else "10.1.1.1"
    assert nvme(*arguments(transport, traddr)).status == 0
    found = re.search(r",trsvcid=(\d+)", host.connects[0])
    assert (found and found[1]) == port


@pytest.mark.parametrize(("transport", "watched"), [("tcp", False), ("mptcp", True)])
def test_new_connections_are_recorded(nvme, host, target, transport, watched):
    """The library watches the connect; what appears where is for the lab."""
    target(transport=transport)
    assert nvme(*arguments(transport)).status == 0
    assert (host.run / "mptcp").is_dir() == watched
    assert not watched or not list((host.run / "mptcp").iterdir())


@pytest.mark.parametrize("shown", [False, True])
def test_another_connect_is_waited_for_ten_seconds_at_most(nvme, host, target, shown):
    """And not at all where the kernel shows whose a connection is."""
    target(transport="mptcp")
    if shown:
        host.disk(7, queue_addrs="")
    (host.run / "mptcp").mkdir(parents=True)
    with (host.run / "mptcp/.lock-10.1.1.1-4420").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = nvme(*arguments("mptcp"))
    assert result.status == 0
    waits = "10.1.1.1:4420: another process is connecting to it; waiting up to 10 s"
    assert (waits in result.err) != shown


def test_nothing_is_recorded_where_the_kernel_shows_the_queues(nvme, host, target):
    """Nobody needs a record there: no lock is taken, and no sockets are listed."""
    target(transport="mptcp")
    host.disk(7, queue_addrs="")
    assert nvme(*arguments("mptcp")).status == 0
    assert not (host.run / "mptcp").exists()


def test_what_is_connected_already_is_not_recorded(nvme, host, tmp_path):
    """A configuration is connected again and again, and its connections are there."""
    host.subsystem(0, NQN).controller(0, "mptcp", "traddr=10.1.1.1,trsvcid=4420")
    port = {"transport": "mptcp", "traddr": "10.1.1.1", "trsvcid": "4420"}
    config = [{"hostnqn": HOSTNQN, "hostid": HOSTID, "subsystems": [{"nqn": NQN, "ports": [port]}]}]
    (tmp_path / "config.json").write_text(json.dumps(config))
    result = nvme("connect", "-J", str(tmp_path / "config.json"))
    assert (result.status, host.connects) == (0, [])
    assert not (host.run / "mptcp").exists()


def test_none_is_not_given(nvme, host, target):
    target()
    given = ["--trsvcid=none", "--host-traddr=None", "--host-iface=NONE", "--config=None"]
    assert nvme(*arguments(), *given).status == 0
    assert ",trsvcid=4420," in host.connects[0]
    assert "none" not in host.connects[0].lower() and "host_" not in host.connects[0]


def test_no_config_is_no_address(nvme, host):
    """A name that connects nothing must not look like success."""
    assert nvme.error("connect", "-J", "none") == "required argument [--nqn | -n] not specified\n"
    assert host.written == []


def test_discovery_controller_keeps_alive(nvme, host):
    subsystem = host.subsystem(0, DISCOVERY_NQN)
    host.answer_connected(subsystem.controller(0, connected=False))
    assert nvme(*arguments("tcp", nqn=DISCOVERY_NQN)).status == 0
    assert ",trsvcid=4420," in host.connects[0]
    assert ",keep_alive_tmo=30," in host.connects[0]


def test_missing_arguments(nvme, host):
    for args, words in (
        ([], "[--nqn | -n] not specified"),
        (["-n", NQN], "[--transport | -t] not specified"),
        (["-n", NQN, "-t", "tcp"], "[--traddr | -a] not specified for transport tcp"),
    ):
        assert nvme.error("connect", *args) == f"required argument {words}\n"
    assert host.written == []


def test_loop_needs_no_address(nvme, host, target):
    target(transport="loop", address=None)
    assert nvme("connect", "-t", "loop", "-n", NQN).status == 0
    assert "traddr" not in host.connects[0]


BAD_VALUES = [
    (["-t", "bogus"], "bogus", "tcp, mptcp, "),
    (["-t", "pcie"], "pcie", "tcp, mptcp"),
    (["-n", "nqn.x,hostid=0"], "nqn.x,hostid=0", "comma"),
    (["-a", "10.1.1.1,tls"], "10.1.1.1,tls", "comma"),
    (["-s", "4420,duplicate_connect"], "4420,duplicate_connect", "comma"),
    (["-w", "10.1.1.2,tls"], "10.1.1.2,tls", "comma"),
    (["-f", "eth0,tls"], "eth0,tls", "comma"),
    (["-q", "nqn.h,tls"], "nqn.h,tls", "comma"),
    (["-I", f"{HOSTID},t"], HOSTID[:30], "36"),
    (["-I", "1-2-3"], "1-2-3", "UUID"),
    (["-n", "n" * 224], "n" * 64 + "...", "223"),
    (["-a", "1" * 256], "1" * 64 + "...", "255"),
    (["-f", "i" * 16], "i" * 16, "15"),
    (["-n", "nqn.x\nnqn=y"], "nqn.x\\x0anqn=y", "control character 0x0a"),
    (["-a", "\033[2J"], "\\x1b[2J", "control character 0x1b"),
    (["-a", ""], "--traddr ''", "leave"),
    (["-s", "http"], "http", "1 to 65535"),
    (["-s", "65536"], "65536", "1 to 65535"),
    (["-s", "0"], "'0'", "1 to 65535"),
    (["-i", "-1"], "nr-io-queues -1", "from 0"),
    (["-i", "70000"], "nr-io-queues 70000", "to 65535"),
    (["-Q", "2000000000"], "queue-size 2000000000", "to 65536"),
    (["-l", "-2"], "ctrl-loss-tmo -2", "from -1"),
    (["--tos=256"], "tos 256", "to 255"),
    (["--tls", "--concat"], "cannot specify --tls and --concat together", ""),
]


@pytest.mark.parametrize(("bad", "value", "way_out"), BAD_VALUES)
def test_bad_values(nvme, host, bad, value, way_out, valid):
    args = ["connect", "-t", "tcp", "-a", "10.1.1.1", "-n", NQN, *bad]
    said = nvme.error(*args)
    assert len(said.splitlines()) == 1
    assert value in said and way_out in said
    assert host.written == []
    as_json = nvme(*args, "-o", "json")
    assert (as_json.status, as_json.err) == (1, "")
    valid("error", as_json.json)
    assert as_json.json["error"] + "\n" == said
    assert host.written == []


def test_secrets_are_not_repeated(nvme, host):
    said = nvme.error(*arguments("tcp"), "-S", "DHHC-1:00:secret,words")
    assert "dhchap-secret" in said and "words" not in said
    assert host.written == []


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ECONNREFUSED, "connection refused"),
        (errno.EALREADY, "already connected"),
        (errno.ENODEV, "interface"),
        (errno.EIO, "failed to write to nvme-fabrics device"),
        (errno.EADDRNOTAVAIL, "cannot assign requested address"),
        (errno.ETIMEDOUT, "timed out"),
        (errno.EPIPE, "connection closed by the target"),
    ],
)
def test_kernel_refuses(nvme, host, number, words, valid):
    host.answer_error(number, "nvme nvme0: queue 0: the reason of the kernel")
    host.answer_error(number)
    said = nvme.error(*arguments("tcp"))
    assert said.startswith("could not add new controller: ")
    assert words in said
    assert "queue 0: the reason of the kernel" in said
    assert len(host.connects) == 1
    host.answer_error(number)
    valid("error", nvme(*arguments("tcp"), "-o", "json").json)


@pytest.mark.parametrize("shown", ["parameters/tls_handshake_timeout", "parameters/so_priority"])
def test_tls_over_mptcp_is_asked_of_the_kernel(nvme, host, target, shown):
    """A module that has the handshake's parameter can encrypt; nvme_tcp's is about tcp alone."""
    for module, name in (("nvme_mptcp", shown), ("nvme_tcp", "parameters/tls_handshake_timeout")):
        parameter = host.sys / "module" / module / name
        parameter.parent.mkdir(parents=True)
        parameter.write_text("10\n")
    target(transport="mptcp")
    result = nvme(*arguments("mptcp"), "--tls")
    if shown.endswith("so_priority"):
        assert result.status == 1
        assert "transport mptcp does not support TLS" in result.err
        assert host.written == []
        return
    assert result.status == 0, result.err
    assert "tls" in host.connects[0].split(",")
    # and the option has to be listed for it as for tcp
    options = host.fake / "fabrics-options"
    options.write_text(options.read_text().replace(",tls\n", "\n"))
    refused = nvme(*arguments("mptcp", traddr="10.1.1.9"), "--tls")
    assert "does not support the option" in refused.err
    assert len(host.connects) == 1


@pytest.mark.parametrize(
    ("traddr", "sent"), [("10.1.1.1", ["tos=16"]), ("fd00::1", ["tos=16", "tclass=16"])]
)
def test_tclass(nvme, host, target, traddr, sent):
    options = host.fake / "fabrics-options"
    options.write_text(options.read_text().strip() + ",tclass=%d\n")
    target()
    assert nvme(*arguments(traddr=traddr), "--tclass=0x10").status == 0
    words = host.connects[0].split(",")
    assert [word for word in words if word.startswith(("tos", "tclass"))] == sent


def test_iopolicy(nvme, host, target):
    controller = target()
    result = nvme(*arguments(), "--iopolicy", "round-robin")
    assert (result.status, result.out) == (0, "connecting to device: nvme0\n")
    assert (controller.subsystem.directory / "iopolicy").read_text().startswith("round-robin")


def test_unknown_iopolicy(nvme, host, target):
    target()
    assert nvme.error(*arguments(), "--iopolicy", "best,of\033all") == (
        "nvme0 is connected, but the kernel has no I/O policy 'best,of\\x1ball'\n"
    )


def test_already_connected(nvme, host):
    host.subsystem(0, NQN).controller(0, "mptcp")
    result = nvme(*arguments())
    assert (result.status, result.err, host.written) == (1, "already connected as nvme0\n", [])
    # The same portal over another transport is another connection.
    controller = host.subsystem(1, NQN).controller(1, transport="tcp", connected=False)
    host.answer_connected(controller)
    assert nvme(*arguments("tcp")).status == 0


def test_the_configuration_has_everything(nvme, host, target):
    target()
    other = host.subsystem(1, "nqn.2025-01.test:two")
    other.controller(1, address="traddr=10.1.1.8,trsvcid=4420")
    other.controller(2, address="traddr=10.1.1.9,trsvcid=4420")
    result = nvme(*arguments(), "--dump-config", "-o", "json")
    _, brace, config = result.out.partition("\n[")
    ports = [port for s in json.loads(brace + config)[0]["subsystems"] for port in s["ports"]]
    assert sorted(port["traddr"] for port in ports) == ["10.1.1.1", "10.1.1.8", "10.1.1.9"]


def crowded(tmp_path, count):
    """What connecting opens in /sys beside @count other controllers, each of its own subsystem."""
    tmp_path.mkdir()
    host = FakeHost(tmp_path)
    for i in range(count):
        address = f"traddr=10.2.0.{i + 1},trsvcid=4420"
        host.subsystem(i, f"nqn.other:{i}").controller(i, "mptcp", address)
    subsystem = host.subsystem(count, NQN)
    subsystem.controller(count, "mptcp", "traddr=10.1.2.1,trsvcid=4420")
    address = "traddr=10.1.1.1,trsvcid=4420"
    added = subsystem.controller(count + 1, "mptcp", address, connected=False)
    host.answer_connected(added)
    (host.fake / "opened").touch()
    result = Nvme(host)(*arguments())
    assert result.out == f"connecting to device: nvme{count + 1}\n"
    opened = (host.fake / "opened").read_text().splitlines()
    return [path for path in opened if path.startswith(str(host.sys))]


def test_other_controllers_are_not_read(tmp_path):
    """Of another subsystem the NQN is read, of its controllers nothing."""
    few, many = crowded(tmp_path / "few", 4), crowded(tmp_path / "many", 24)
    assert len(many) - len(few) == 20
    others = {path for path in many if re.search(r"nvme-subsys(?!24/|24$)\d+", path)}
    assert {path.rpartition("/")[2] for path in others} == {"subsysnqn"}
    # The first one tells who this host is.
    assert not [path for path in many if re.search(r"/nvme(?!0/|24/|24$|25/|25$)\d+", path)]


def test_without_modules(tmp_path):
    nvme = Nvme(FakeHost(tmp_path, modules=False))
    said = nvme.error(*arguments())
    assert "Failed to scan topology: No such file or directory" in said
    assert "modprobe nvme-mptcp" in said


def test_missing_config(nvme, host):
    result = nvme("connect", "-J", str(host.etc / "no.json"), status=1)
    assert "no.json" in result.err
    assert host.written == []
