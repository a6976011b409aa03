# SPDX-License-Identifier: GPL-2.0-or-later
"""TLS over tcp from end to end: keys made with nvme, handshakes by tlshd, encrypted by the kernel.

Host and target share the kernel and its keyring of NVMe, unless a test gives the host its own.
"""

import contextlib
import os
import re
from collections.abc import Iterator

import pytest
from lab import AllowedHost, CommandFailed, Controller, Lab, Port, Subsystem, Target, wait_until
from lab.host import HOST_NQN
from lab.system import load_modules
from lab.tls import Tap, handshakes

pytestmark = [pytest.mark.every_kernel, pytest.mark.limit(180)]

NQN = "nqn.2024-01.lab:disk"
DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery"
PORTAL = "-t tcp -a 10.1.1.1 -s 4420"
OF_HOST = "lab-host"
IS_OLD = os.uname().release.startswith("6.12.")

#: One block that nobody mistakes for something else.
CLEAR = b"this is what nobody on the way shall read " * 100
BLOCK = CLEAR[:4096]


@pytest.fixture(autouse=True)
def _keyrings(lab: Lab) -> Iterator[None]:
    """Keyrings of NVMe and of the host alone, empty at first and in the end."""
    load_modules("nvme-tcp")
    made = lab.network.run("host", "keyctl", "newring", OF_HOST, "@u").strip()
    # whoever is root may use it, as .nvme
    lab.network.run("host", "keyctl", "setperm", made, "0x3f3f0000")
    yield
    lab.host.disconnect_all()
    for ring in ("%:.nvme", f"%:{OF_HOST}"):
        lab.network.run("host", "keyctl", "clear", ring)
    lab.network.run("host", "keyctl", "unlink", f"%:{OF_HOST}", "@u")


def offer(lab: Lab, tls: str = "required", **allowed: str) -> None:
    hosts = (AllowedHost(HOST_NQN, **allowed),) if allowed else ()
    lab.target.configure(Target((Subsystem(NQN, hosts=hosts),), (Port(1, "tcp", tls=tls),)))


def insert(lab: Lab, *options: str) -> str:
    said = lab.host.nvme(["gen-tls-key", "-i", "-c", NQN, *options])
    inserted = re.search(r"^Inserted TLS key ([0-9a-f]{8})$", said, re.M)
    assert inserted, said
    return inserted[1]


def encrypted(lab: Lab) -> int:
    """How many of the host's connections the kernel encrypts, as ss shows it."""
    shown = lab.network.run("host", "ss", "-Htni", "state", "established", "( dport = :4420 )")
    return shown.count("tcp-ulp-tls")


def connect(lab: Lab, options: str) -> Controller:
    """Connects with two I/O queues."""
    lab.host.nvme(f"connect {PORTAL} -n {NQN} -i 2 --reconnect-delay 1 {options}")
    (controller,) = lab.host.controllers()
    controller.wait_for("live")
    return controller


def passes(lab: Lab) -> bytes:
    """Writes a block and reads it again; returns what passed the link meanwhile."""
    disk = lab.host.disk(NQN, timeout=30)
    with contextlib.closing(Tap(lab.topology)) as tap:
        lab.host.write(disk, BLOCK)
        assert lab.host.read(disk, len(BLOCK)) == BLOCK
        return tap.read()


def test_without_tls_everybody_reads_it(lab: Lab) -> None:
    """What the other tests go by: the tap sees data, and ss sees no TLS."""
    offer(lab, tls="")
    connect(lab, "")
    assert BLOCK[:500] in passes(lab)
    assert encrypted(lab) == 0


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("hmac", [1, 2])
def test_a_generated_key_encrypts_every_queue(lab: Lab, version: int, hmac: int) -> None:
    """Both hashes, both versions of the identity; again after a reset."""
    offer(lab)
    serial = insert(lab, f"-I{version}", f"-m{hmac}")
    with handshakes(lab.topology):
        controller = connect(lab, "--tls")
        assert controller.attribute("tls_key") == serial
        assert encrypted(lab) == 3
        passed = passes(lab)
        assert len(passed) > 2 * len(BLOCK)
        assert CLEAR[:20] not in passed
        lab.host.nvme(f"reset /dev/{controller.name}")
        wait_until(lambda: controller.state == "live" and encrypted(lab) == 3, "live again", 30)
        assert CLEAR[:20] not in passes(lab)


def test_a_wrong_key(lab: Lab) -> None:
    """Both sides have a key of this identity, and the keys differ."""
    offer(lab)
    insert(lab, "-I0")
    insert(lab, "-I0", f"--keyring={OF_HOST}")
    with handshakes(lab.topology, OF_HOST):
        said = lab.host.nvme_fails(f"connect {PORTAL} -n {NQN} --tls --keyring {OF_HOST}")
    assert "10.1.1.1" in said
    assert lab.host.controllers() == []
    # the same with the target's key
    with handshakes(lab.topology):
        connect(lab, "--tls")
    assert encrypted(lab) == 3


def test_a_key_that_the_target_does_not_have(lab: Lab) -> None:
    offer(lab)
    insert(lab, f"--keyring={OF_HOST}")
    with handshakes(lab.topology, OF_HOST):
        said = lab.host.nvme_fails(f"connect {PORTAL} -n {NQN} --tls --keyring {OF_HOST}")
    assert "10.1.1.1" in said
    assert lab.host.controllers() == []


def test_no_key(lab: Lab) -> None:
    """Nothing is sent; where TLS is required, a connect in clear is refused as well."""
    offer(lab)
    with handshakes(lab.topology):
        said = lab.host.nvme_fails(f"connect {PORTAL} -n {NQN} --tls")
        assert "pre-shared TLS key is missing" in said
        lab.host.nvme_fails(f"connect {PORTAL} -n {NQN}")
    assert lab.host.controllers() == []


def test_who_may_do_without(lab: Lab) -> None:
    """A port that has TLS and does not require it serves both."""
    offer(lab, tls="not required")
    insert(lab)
    with handshakes(lab.topology):
        connect(lab, "--tls")
        assert encrypted(lab) == 3
        lab.host.disconnect_all()
        connect(lab, "")
        assert encrypted(lab) == 0


def test_connect_all_of_a_target_that_requires_it(lab: Lab) -> None:
    """Discovery has a key of its own; the log tells that the subsystem's port requires TLS."""
    offer(lab)
    serial = insert(lab)
    key = lab.host.nvme("gen-tls-key").strip()
    lab.host.nvme(["check-tls-key", f"--subsysnqn={DISCOVERY}", "-i", "-d", key])
    with handshakes(lab.topology):
        lab.host.nvme(f"connect-all {PORTAL} --tls -i 2")
        (controller,) = lab.host.controllers()
        assert controller.attribute("tls_key") == serial
        assert encrypted(lab) == 3


def test_a_key_of_authentication(lab: Lab) -> None:
    """--concat: DH-HMAC-CHAP makes the key of TLS. 6.12 does not know it, and is not asked."""
    keys = [lab.host.nvme(f"gen-dhchap-key -m 1 -n {HOST_NQN}").strip() for _ in range(2)]
    own, theirs = keys
    offer(lab, "not required", dhchap_key=own, dhchap_ctrl_key=theirs, dhchap_dhgroup="ffdhe2048")
    options = f"--concat -S {own} -C {theirs}"
    with handshakes(lab.topology):
        if IS_OLD:
            said = lab.host.nvme_fails(f"connect {PORTAL} -n {NQN} {options}")
            assert "concat" in said
            assert lab.host.controllers() == []
            return
        controller = connect(lab, options)
        assert controller.attribute("tls_mode") == "concat"
        assert encrypted(lab) == 3
        assert CLEAR[:20] not in passes(lab)
        with pytest.raises(CommandFailed, match="concat"):
            lab.host.nvme(f"connect {PORTAL} -n {NQN} {options} --tls")
