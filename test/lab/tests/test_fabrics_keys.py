# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and keys made with nvme, and what the kernel does with them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import AllowedHost, Lab, Subsystem, Way
from lab.host import HOST_NQN
from lab.system import load_modules

NQN = "nqn.2024-01.lab:disk"
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"

#: Each hash of the specification, each over another way.
CASES = [
    (Way("tcp", "ipv4"), 1, 32),
    (Way("mptcp", "ipv4"), 2, 48),
    (Way("mptcp", "ipv6"), 3, 64),
    (Way("loop"), 0, 32),
]


def test_host_names(lab: Lab) -> None:
    assert lab.host.nvme("show-hostnqn") == f"{HOST_NQN}\n"
    made = lab.host.nvme("gen-hostnqn")
    assert re.fullmatch(r"nqn\.2014-08\.org\.nvmexpress:uuid:[0-9a-f-]{36}\n", made)


@pytest.mark.parametrize(("way", "hmac", "length"), CASES, ids=str)
def test_generated_keys_authenticate(lab: Lab, way: Way, hmac: int, length: int) -> None:
    """Keys of both sides from gen-dhchap-key, in the kernel's target and at its host."""
    keys = [lab.host.nvme(f"gen-dhchap-key -m {hmac} -n {HOST_NQN}").strip() for _ in range(2)]
    said = lab.host.nvme(f"check-dhchap-key -k {keys[0]}")
    assert said.startswith(f"Key is valid (HMAC {hmac}, length {length}, CRC ")
    allowed = AllowedHost(HOST_NQN, *keys)
    lab.target.configure(way.target(Subsystem(NQN, (), (allowed,))))
    assert lab.host.nvme_fails(f"connect {way.portal()} -n {NQN}")
    assert lab.host.controllers() == []
    lab.host.nvme(f"connect {way.portal()} -n {NQN} -S {keys[0]} -C {keys[1]}")
    (controller,) = lab.host.controllers()
    assert controller.state == "live"


def keyring(lab: Lab) -> str:
    return lab.network.run("host", "keyctl", "list", "%:.nvme")


@pytest.fixture
def _empty_keyring(lab: Lab) -> Iterator[None]:
    load_modules("nvme-tcp")
    yield
    for identity in re.findall(r"psk: (NVMe\S+ .*)$", keyring(lab), re.M):
        lab.host.nvme(["tls-key", "--revoke", identity])


@pytest.mark.usefixtures("_empty_keyring")
def test_tls_keys_as_the_kernels_selftest_makes_them(lab: Lab) -> None:
    """A key on stdout and nothing else; inserted for a subsystem and for discovery."""
    key = lab.host.nvme("gen-tls-key")
    assert re.fullmatch(r"NVMeTLSkey-1:01:[A-Za-z0-9+/=]+:\n", key)
    for nqn in (NQN, DISCOVERY):
        lab.host.nvme(["check-tls-key", f"--subsysnqn={nqn}", "-i", "-d", key.strip()])
    held = keyring(lab)
    assert re.search(rf"psk: NVMe0R01 {HOST_NQN} {NQN}$", held, re.M), held
    assert re.search(rf"psk: NVMe0R01 {HOST_NQN} {DISCOVERY}$", held, re.M), held


@pytest.mark.usefixtures("_empty_keyring")
def test_tls_keys_leave_and_return(lab: Lab, tmp_path: Path) -> None:
    """gen-tls-key -i, then tls-key: export, revoke, import."""
    said = lab.host.nvme(f"gen-tls-key -i -c {NQN} -I 1")
    serial = re.search(r"^Inserted TLS key ([0-9a-f]{8})$", said, re.M)
    assert serial
    held = keyring(lab)
    assert f"{int(serial[1], 16)}:" in held and f"psk: NVMe1R01 {HOST_NQN} {NQN} " in held

    file = tmp_path / "keys"
    lab.host.nvme(f"tls-key --export --keyfile {file}")
    assert file.stat().st_mode & 0o777 == 0o600
    (line,) = file.read_text().splitlines()
    identity, _, exported = line.rpartition(" ")
    assert identity.startswith(f"NVMe1R01 {HOST_NQN} {NQN} ")
    assert exported.startswith("NVMeTLSkey-1:01:")

    lab.host.nvme(["tls-key", "--revoke", identity])
    assert "NVMe1R01" not in lab.host.nvme("tls-key --export")
    lab.host.nvme(f"tls-key --import --keyfile {file}")
    assert lab.host.nvme("tls-key --export") == f"{line}\n"


@pytest.mark.usefixtures("_empty_keyring")
def test_a_key_for_tls_is_found(lab: Lab) -> None:
    """With a key the kernel gets as far as the handshake, for which nobody runs tlshd here."""
    way = Way("tcp", "ipv4")
    lab.target.configure(way.target(Subsystem(NQN)))
    missing = lab.host.nvme_fails(f"connect {way.portal()} -n {NQN} --tls")
    assert "pre-shared TLS key is missing" in missing
    lab.host.nvme(f"gen-tls-key -i -c {NQN} -I 1")
    said = lab.host.nvme_fails(f"connect {way.portal()} -n {NQN} --tls")
    assert "key is missing" not in said
    assert lab.host.controllers() == []
