# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keys of TLS that a connect puts into the keyring, which is not the kernel's here."""

import errno

import pytest
from conftest import Nvme
from fake_sysfs import HOSTNQN, FakeHost

NQN = "nqn.s"
DATA = "00112233445566778899aabbccddeeff" * 2
KEY = "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:"
RETAINED = KEY.replace("key-1", "key-0")
IDENTITY = f"NVMe0R01 {HOSTNQN} {NQN}"


def connect(nvme: Nvme, host: FakeHost, *ports: dict[str, object], there: str = "") -> list[str]:
    """Connect to ports, one after the other. Returns the options that have to do with keys."""
    (host.fake / "keys").write_text(there)
    listed = [
        {"transport": "tcp", "traddr": f"10.1.1.{i}", "trsvcid": "4420", "tls": True} | port
        for i, port in enumerate(ports, 1)
    ]
    host.configure([{"hostnqn": HOSTNQN, "subsystems": [{"nqn": NQN, "ports": listed}]}])
    host.answer_error(errno.ECONNREFUSED, times=len(ports))
    said = nvme("connect-all", "--no-nbft", status=1).err
    keys = ("keyring=", "tls_key=", "tls")
    sent = [",".join(w for w in line.split(",") if w.startswith(keys)) for line in host.connects]
    return sent or said.splitlines()


def stored(host: FakeHost) -> list[str]:
    """What happened to the keyring."""
    return [line for line in host.written if line.startswith(("key ", "revoke "))]


def test_a_key_is_stored_once(nvme: Nvme, host: FakeHost) -> None:
    """A new one would revoke that of the first path."""
    sent = connect(nvme, host, {"tls_key": KEY}, {"tls_key": KEY})
    assert sent == ["keyring=0x00001001,tls_key=0x00002001,tls"] * 2
    (line,) = stored(host)
    assert line.startswith("key ") and line.endswith(f" {IDENTITY}")
    assert len(line.split()[1]) == 64


def test_another_key_of_the_identity_is_replaced(nvme: Nvme, host: FakeHost) -> None:
    sent = connect(nvme, host, {"tls_key": KEY}, there=f"{'11' * 32} {IDENTITY}\n")
    assert sent == ["keyring=0x00001001,tls_key=0x00002002,tls"]
    assert "revoke 0x2001" in stored(host)


def test_a_retained_key_with_its_identity(nvme: Nvme, host: FakeHost) -> None:
    port = {"tls_key": RETAINED, "tls_key_identity": IDENTITY}
    assert connect(nvme, host, port) == ["keyring=0x00001001,tls_key=0x00002001,tls"]
    assert stored(host) == [f"key {DATA} {IDENTITY}"]


@pytest.mark.parametrize(
    ("port", "sent"),
    [
        ({}, "tls"),
        ({"keyring": "0x77", "tls_key": "0x99"}, "keyring=0x00000077,tls_key=0x00000099,tls"),
        # as when one is set for all controllers
        ({"tls": False, "tls_key": KEY, "keyring": ".nvme"}, ""),
    ],
)
def test_nothing_is_stored(nvme: Nvme, host: FakeHost, port: dict[str, object], sent: str) -> None:
    assert connect(nvme, host, port) == [sent]
    assert stored(host) == []


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ({"tls_key": KEY[:-2] + "V:"}, "tls_key: the checksum is wrong"),
        ({"tls_key": "NVMeTLSkey-1:01:short:"}, "tls_key: not a key in interchange format"),
        ({"tls_key": "secret"}, "tls_key: neither a key in interchange format (NVMeTLSkey-1:...)"),
        ({"keyring": "absent"}, 'keyring "absent": no such keyring; does the kernel have NVMe TLS'),
    ],
)
def test_wrong_keys(nvme: Nvme, host: FakeHost, port: dict[str, object], said: str) -> None:
    (line,) = connect(nvme, host, port)
    assert said in line and host.connects == [] and stored(host) == []
