# SPDX-License-Identifier: GPL-2.0-or-later
"""The library on a real kernel: programs of its users, authentication, configuration, keys."""

import ctypes
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from lab import AllowedHost, Host, Lab, Port, Referral, Subsystem, Target, Way, both_transports
from lab.host import FABRICS, HOST_ID, HOST_NQN
from lab.system import load_modules
from lab.ways import PORT

PROGRAMS = Path("/build/test/lab/programs")
NQN = "nqn.2024-01.lab:disk"
SECOND = "nqn.2024-01.lab:second"
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"

HOST_KEY = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"
CTRL_KEY = "DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEey:"

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])


def portal(transport: str) -> str:
    return Way(transport, "ipv4").portal()


def traddrs(host: Host) -> list[str]:
    """Where the controllers there are have been connected to."""
    addresses = [controller.attribute("address") for controller in host.controllers()]
    return sorted(address.split(",")[0].removeprefix("traddr=") for address in addresses)


def program(host: Host, name: str, *arguments: object) -> list[list[str]]:
    """Runs one of the lab's programs; returns its lines as words."""
    done = host.command([str(PROGRAMS / name), *map(str, arguments)])
    assert done.stderr == ""
    return [line.split() for line in done.stdout.splitlines()]


# Programs written against libnvme 1.x


@TRANSPORTS
def test_a_plainly_compiled_program_connects(lab: Lab, transport: str) -> None:
    lab.target.configure(both_transports(Subsystem(NQN)))
    said = program(lab.host, "lab-connect", transport, "10.1.1.1", PORT[transport], NQN)
    assert dict(said) == {
        "name": "nvme0", "transport": transport, "traddr": "10.1.1.1",
        "trsvcid": str(PORT[transport]), "state": "live", "nqn": NQN, "identified": NQN,
        "found": "1",
    }  # fmt: skip
    (controller,) = lab.host.controllers()
    assert (controller.state, controller.attribute("transport")) == ("live", transport)
    # the admin queue and the one I/O queue that the program asked for
    assert controller.attribute("queue_count") == "2"


@TRANSPORTS
def test_a_program_of_pkg_config_discovers(lab: Lab, transport: str) -> None:
    lab.target.configure(both_transports(Subsystem(NQN), Subsystem(SECOND)))
    said = program(lab.host, "lab-discover", transport, "10.1.1.1", PORT[transport])
    where = [transport, "10.1.1.1", str(PORT[transport])]
    entries = [line[1:] for line in said if line[0] == "entry"]
    assert [transport, "ipv4", *where[1:], NQN] in entries
    assert [transport, "ipv4", *where[1:], SECOND] in entries
    connected = [line[1:] for line in said if line[0] == "connected"]
    assert sorted(connected) == sorted([[*where, NQN], [*where, SECOND]])
    assert lab.host.controllers() == []


def test_a_program_is_told_why(lab: Lab) -> None:
    lab.target.configure(both_transports(Subsystem(NQN)))
    command = [str(PROGRAMS / "lab-connect"), "mptcp", "10.1.1.1", "4999", NQN]
    assert lab.host.command(command, status=1).stderr == "connecting: connection refused\n"
    command = [str(PROGRAMS / "lab-connect"), "mptcp", "10.1.1.1", "4421", f"{NQN},tls"]
    assert (
        "connecting: invalid arguments/configuration\n"
        in lab.host.command(command, status=1).stderr
    )
    assert lab.host.controllers() == []


# DH-HMAC-CHAP


def guarded() -> Target:
    """A subsystem that lets the lab's host in with its key, and has one of its own."""
    allowed = AllowedHost(HOST_NQN, dhchap_key=HOST_KEY, dhchap_ctrl_key=CTRL_KEY)
    return both_transports(Subsystem(NQN, hosts=(allowed,)))


def as_host(transport: str) -> str:
    return f"{portal(transport)} -n {NQN} --hostnqn={HOST_NQN} --hostid={HOST_ID}"


def usable(host: Host) -> None:
    host.verify(host.disk(NQN), 8192)


@TRANSPORTS
def test_both_sides_authenticate(lab: Lab, transport: str) -> None:
    lab.target.configure(guarded())
    keys = f"--dhchap-secret={HOST_KEY} --dhchap-ctrl-secret={CTRL_KEY}"
    lab.host.nvme(f"connect {as_host(transport)} {keys}")
    (controller,) = lab.host.controllers()
    assert controller.attribute("dhchap_ctrl_secret") == CTRL_KEY
    usable(lab.host)


@pytest.fixture
def _impatient() -> Iterator[None]:
    """A target that refuses a host's key goes silent: the host then waits for an admin command."""
    setting = Path("/sys/module/nvme_core/parameters/admin_timeout")
    load_modules("nvme-core")
    before = setting.read_text()
    setting.write_text("3")
    yield
    setting.write_text(before)


@TRANSPORTS
@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize(
    "keys",
    [
        pytest.param("", id="no key"),
        pytest.param(f"--dhchap-secret={CTRL_KEY}", id="wrong host key"),
        pytest.param(
            f"--dhchap-secret={HOST_KEY} --dhchap-ctrl-secret={HOST_KEY}", id="wrong ctrl key"
        ),
    ],
)
def test_wrong_keys_are_refused(lab: Lab, transport: str, keys: str) -> None:
    lab.target.configure(guarded())
    said = lab.host.nvme_fails(f"connect {as_host(transport)} {keys}")
    assert f"10.1.1.1:{PORT[transport]}: authentication failed" in said
    assert "DHHC-1" not in said
    assert lab.host.controllers() == []


# JSON configuration


def write_config(directory: Path, ports: list[dict[str, Any]], nqn: str = NQN) -> Path:
    """Writes a configuration of one subsystem for the lab's host."""
    host = {"hostnqn": HOST_NQN, "hostid": HOST_ID, "subsystems": [{"nqn": nqn, "ports": ports}]}
    path = directory / "config.json"
    path.write_text(json.dumps([host], indent=1))
    return path


def mptcp_ports(**options: object) -> list[dict[str, Any]]:
    return [
        {"transport": "mptcp", "traddr": f"10.1.{link}.1", "trsvcid": "4421", **options}
        for link in (1, 2)
    ]


def test_configured_ports_connect(lab: Lab, tmp_path: Path) -> None:
    lab.target.configure(both_transports(Subsystem(NQN)))
    config = write_config(tmp_path, mptcp_ports(ctrl_loss_tmo=70, nr_io_queues=1))
    lab.host.nvme(f"connect -J {config}")
    assert traddrs(lab.host) == ["10.1.1.1", "10.1.2.1"]
    for controller in lab.host.controllers():
        assert controller.attribute("transport") == "mptcp"
        assert controller.attribute("hostnqn") == HOST_NQN
        assert controller.attribute("ctrl_loss_tmo") == "70"
        assert controller.attribute("queue_count") == "2"
    # what is there is left alone
    lab.host.nvme(f"connect -J {config}")
    assert len(lab.host.controllers()) == 2


def test_configured_keys_are_used(lab: Lab, tmp_path: Path) -> None:
    lab.target.configure(guarded())
    keys = {"dhchap_key": HOST_KEY, "dhchap_ctrl_key": CTRL_KEY}
    config = write_config(tmp_path, mptcp_ports(**keys))
    lab.host.nvme(f"connect -J {config}")
    assert traddrs(lab.host) == ["10.1.1.1", "10.1.2.1"]
    usable(lab.host)


def test_configured_discovery_controllers_connect_all(lab: Lab, tmp_path: Path) -> None:
    lab.target.configure(both_transports(Subsystem(NQN), Subsystem(SECOND)))
    config = write_config(tmp_path, mptcp_ports(), DISCOVERY)
    lab.host.nvme(f"connect-all -J {config}")
    assert traddrs(lab.host) == ["10.1.1.1", "10.1.1.1", "10.1.2.1", "10.1.2.1"]
    assert {c.attribute("transport") for c in lab.host.controllers()} == {"mptcp"}
    assert {c.attribute("subsysnqn") for c in lab.host.controllers()} == {NQN, SECOND}


# Discovery


def test_referrals_are_followed_and_end(lab: Lab) -> None:
    there = Referral("there", "10.1.1.1", 8010, id=2)
    back = Referral("back", "10.1.1.1", 8009, id=1)
    lab.target.configure(
        Target(
            subsystems=(Subsystem(NQN), Subsystem(SECOND)),
            ports=(
                Port(1, "mptcp", trsvcid=8009, subsystems=(NQN,), referrals=(there,)),
                Port(2, "mptcp", trsvcid=8010, subsystems=(SECOND,), referrals=(back,)),
            ),
        )
    )
    log = lab.host.nvme("discover -t mptcp -a 10.1.1.1 -s 8009 -o json")
    referrals = [r for r in log["records"] if r["subtype"] == "discovery subsystem referral"]
    assert [(r["trtype"], r["trsvcid"].strip()) for r in referrals] == [("mptcp", "8010")]

    lab.host.nvme("connect-all -t mptcp -a 10.1.1.1 -s 8009")
    found = {(c.attribute("subsysnqn"), c.attribute("transport")) for c in lab.host.controllers()}
    assert found == {(NQN, "mptcp"), (SECOND, "mptcp")}
    assert len(lab.host.controllers()) == 2


# TLS


@contextmanager
def recorded(directory: Path) -> Iterator[Path]:
    """Puts a file in place of the fabrics device; what is written to it stays in it."""
    with open(FABRICS, "rb", buffering=0) as device:
        options = device.read(4096)
    record = directory / "nvme-fabrics"
    record.write_bytes(options)
    libc = ctypes.CDLL(None, use_errno=True)
    bind = 4096
    result = libc.mount(bytes(record), bytes(FABRICS), None, bind, None)
    assert result == 0, os.strerror(ctypes.get_errno())
    try:
        yield record
    finally:
        libc.umount2(bytes(FABRICS), 0)


def test_tls_over_mptcp_writes_nothing(lab: Lab, tmp_path: Path) -> None:
    lab.target.configure(both_transports(Subsystem(NQN)))
    config = write_config(tmp_path, mptcp_ports(tls=True))
    asked = [
        f"connect {as_host('mptcp')} --tls",
        f"connect {as_host('mptcp')} --concat --dhchap-secret={HOST_KEY}",
        f"connect -J {config}",
        f"discover {portal('mptcp')} --tls",
        f"connect-all {portal('mptcp')} --tls",
    ]
    with recorded(tmp_path) as record:
        options = record.read_bytes()
        for arguments in asked:
            said = lab.host.nvme_fails(arguments)
            assert "transport mptcp does not support TLS" in said, arguments
            assert record.read_bytes() == options, arguments
        # the record would show it
        lab.host.nvme_fails(f"connect {as_host('mptcp')}")
        assert b"transport=mptcp" in record.read_bytes()
    assert lab.host.controllers() == []


# Keys


@pytest.fixture
def keys() -> ctypes.CDLL:
    """The library, with the keyring of the kernel's NVMe modules in place."""
    load_modules("nvme-tcp")
    library = ctypes.CDLL("libnvme.so.1", use_errno=True)
    for name in ("insert_tls_key_versioned", "lookup_key", "lookup_keyring", "revoke_tls_key"):
        getattr(library, f"nvme_{name}").restype = ctypes.c_long
    library.nvme_describe_key_serial.restype = ctypes.c_char_p
    library.nvme_describe_key_serial.argtypes = [ctypes.c_long]
    library.nvme_generate_tls_key_identity.restype = ctypes.c_char_p
    library.nvme_read_key.restype = ctypes.POINTER(ctypes.c_ubyte)
    library.nvme_read_key.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p]
    return library


SCAN_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_long, ctypes.c_long, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
)


def scanned(library: ctypes.CDLL) -> dict[int, str]:
    found: dict[int, str] = {}

    def remember(_keyring: int, key: int, name: bytes, length: int, _data: object) -> None:
        assert len(name) == length
        found[key] = name.decode()

    assert library.nvme_scan_tls_keys(None, SCAN_CALLBACK(remember), None) == len(found)
    return found


def error() -> str:
    """What the last call of the library failed with."""
    return os.strerror(ctypes.get_errno())


@pytest.mark.parametrize("version", [0, 1])
def test_keys_in_the_keyring_of_the_kernel(keys: ctypes.CDLL, version: int) -> None:
    host, subsystem, configured = HOST_NQN.encode(), NQN.encode(), bytes(range(32))
    source = (host, subsystem, version, 1, configured, len(configured))
    keyring = keys.nvme_lookup_keyring(None)
    assert keyring > 0, error()
    assert keyring == keys.nvme_lookup_keyring(b".nvme")
    identity = keys.nvme_generate_tls_key_identity(*source)
    assert identity.startswith(b"NVMe%dR01 %s %s" % (version, host, subsystem))

    key = keys.nvme_insert_tls_key_versioned(None, None, *source)
    assert key > 0, error()
    assert keys.nvme_describe_key_serial(key) == identity
    assert keys.nvme_lookup_key(b"psk", identity) == key
    assert scanned(keys) == {key: identity.decode()}
    length = ctypes.c_int()
    payload = keys.nvme_read_key(keyring, key, ctypes.byref(length))
    assert payload, error()
    assert length.value == 32
    assert bytes(payload[:32]) != configured
    # the same key again is the same key
    assert keys.nvme_insert_tls_key_versioned(b".nvme", b"psk", *source) == key

    assert keys.nvme_revoke_tls_key(None, None, identity) == 0, error()
    assert keys.nvme_lookup_key(b"psk", identity) == 0
    assert scanned(keys) == {}
    # a revoked key makes room for its successor
    again = keys.nvme_insert_tls_key_versioned(None, None, *source)
    assert again > 0, error()
    assert again != key
    assert keys.nvme_revoke_tls_key(None, None, identity) == 0


def test_an_identity_too_long_for_version_0(keys: ctypes.CDLL) -> None:
    host, subsystem = b"nqn." + b"h" * 119, b"nqn." + b"s" * 119
    arguments = (None, None, host, subsystem, 0, 1, bytes(32), 32)
    assert len(host + subsystem) == 246
    assert keys.nvme_insert_tls_key_versioned(*arguments) == 0
    assert error() == "Invalid argument"
    arguments = (None, None, host[:-1], subsystem, 0, 1, bytes(32), 32)
    assert keys.nvme_insert_tls_key_versioned(*arguments) > 0, error()
    for identity in scanned(keys).values():
        keys.nvme_revoke_tls_key(None, None, identity.encode())
