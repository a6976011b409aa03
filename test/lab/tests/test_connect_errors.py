# SPDX-License-Identifier: GPL-2.0-or-later
"""What a failed connect says on a real kernel: the thing, the kernel's words, the way out."""

import pytest
from lab import AllowedHost, Host, Lab, Subsystem, both_transports
from lab.ways import PORT

NQN = "nqn.2024-01.lab:disk"
CLOSED = "nqn.2024-01.lab:closed"
GUARDED = "nqn.2024-01.lab:guarded"
HOST = "nqn.2024-01.lab:host"
KEY = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"
OTHER_KEY = "DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEey:"

TRANSPORTS = pytest.mark.parametrize("transport", ["tcp", "mptcp"])


@pytest.fixture
def host(lab: Lab) -> Host:
    """A host, and a target with an open, a closed and a guarded subsystem."""
    lab.target.configure(
        both_transports(
            Subsystem(NQN),
            Subsystem(CLOSED, hosts=(AllowedHost("nqn.2024-01.lab:somebody-else"),)),
            Subsystem(GUARDED, hosts=(AllowedHost(HOST, dhchap_key=KEY),)),
        )
    )
    return lab.host


def refused(host: Host, transport: str, options: str) -> str:
    """What connecting says that must fail and leave nothing behind."""
    before = len(host.controllers())
    said = host.nvme_fails(f"connect -t {transport} -a 10.1.1.1 -s {PORT[transport]} {options}")
    assert len(host.controllers()) == before
    assert len(said.strip().splitlines()) == 1, said
    return said


@TRANSPORTS
def test_wrong_nqn(host: Host, transport: str) -> None:
    said = refused(host, transport, "-n nqn.2024-01.lab:wrong")
    assert f"10.1.1.1:{PORT[transport]}: the target refused the connection" in said
    assert "the target has no subsystem nqn.2024-01.lab:wrong on this port" in said
    assert "kernel: nvme nvme0: Connect Invalid Data Parameter, subsysnqn" in said


@TRANSPORTS
def test_host_is_not_allowed(host: Host, transport: str) -> None:
    said = refused(host, transport, f"-n {CLOSED} -q {HOST}")
    assert f"subsystem {CLOSED} does not allow host {HOST}" in said
    assert "is not allowed, hostnqn" in said


@TRANSPORTS
def test_names_of_the_host_do_not_fit(host: Host, transport: str) -> None:
    ids = "-I 11111111-2222-3333-4444-555555555555"
    host.nvme(f"connect -t {transport} -a 10.1.1.1 -s {PORT[transport]} -n {NQN} -q {HOST} {ids}")
    said = refused(host, transport, f"-n {GUARDED} -q {HOST}:other {ids}")
    assert "each host NQN must be used with one host identifier" in said
    assert "found same hostid" in said


@TRANSPORTS
def test_interface_and_address_of_the_host(host: Host, transport: str) -> None:
    said = refused(host, transport, f"-n {NQN} -f eth77")
    assert "invalid interface (is host_iface eth77 an interface of this host?)" in said
    said = refused(host, transport, f"-n {NQN} -w 10.9.9.9")
    assert "is host_traddr 10.9.9.9 an address of this host?" in said


# now and then the target's kernel closes the connection before its refusal: the host's waits 60 s
@pytest.mark.limit(180)
@TRANSPORTS
def test_authentication(host: Host, transport: str) -> None:
    said = refused(host, transport, f"-n {GUARDED} -q {HOST}")
    assert f"specify the DH-HMAC-CHAP secret that the target uses for host {HOST}" in said
    said = refused(host, transport, f"-n {GUARDED} -q {HOST} -S {OTHER_KEY}")
    assert "authentication failed (do the DH-HMAC-CHAP secrets match those on the target?)" in said
    assert OTHER_KEY not in said
    host.nvme(
        f"connect -t {transport} -a 10.1.1.1 -s {PORT[transport]} -n {GUARDED} -q {HOST} -S {KEY}"
    )


def test_no_key_for_tls(host: Host) -> None:
    said = refused(host, "tcp", f"-n {NQN} -q {HOST} --tls")
    assert "pre-shared TLS key is missing" in said
    assert HOST in said and NQN in said
