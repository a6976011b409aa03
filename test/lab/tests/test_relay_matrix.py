# SPDX-License-Identifier: GPL-2.0-or-later
"""Every kind of host to every kind of target: the kernel's transport, a relay, and plain TCP.

Combinations with the kernel's transport need its modules; the others run on Debian's own, of any
version. Hosts of nvme-tcp connect with Debian 12's nvme, which does not know TLS yet.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import product, starmap

import pytest
from lab import AllowedHost, CommandFailed, Lab, Port, Subsystem, Target, Topology, wait_until
from lab.host import HOST_NQN, REFERENCE
from lab.network import Family, address
from lab.relay import running
from lab.system import load_modules
from lab.tls import Tap, handshakes

NQN = "nqn.2024-01.lab:disk"
LINKS = 4
QUEUES = 3

TOPOLOGY: dict[Family, Topology] = {
    "ipv4": Topology.one_per_link(LINKS),
    "ipv6": Topology.one_per_link(LINKS, family="ipv6"),
}

#: Debian builds it without authentication, and its nvme-tcp is older than TLS.
IS_6_1 = os.uname().release.startswith("6.1.")

CLEAR = b"what nobody on any link or between relay and nvmet shall read " * 100
BLOCK = CLEAR[:4096]


@dataclass(frozen=True)
class Secured:
    """What a security option takes: options of connect, and what the target is told."""

    options: str = ""
    wrong: str = ""  #: options that must be refused
    tls: str = ""
    hosts: tuple[AllowedHost, ...] = ()


@contextlib.contextmanager
def with_keys(lab: Lab) -> Iterator[Secured]:
    """DH-HMAC-CHAP in both directions."""
    own, theirs, other = (
        lab.host.nvme(f"gen-dhchap-key -m 1 -n {HOST_NQN}").strip() for _ in range(3)
    )
    hosts = (AllowedHost(HOST_NQN, own, theirs),)
    yield Secured(f"-S {own} -C {theirs}", f"-S {other} -C {theirs}", hosts=hosts)


@contextlib.contextmanager
def with_tls(lab: Lab) -> Iterator[Secured]:
    """A key for both sides, and tlshd on both."""
    load_modules("nvme-tcp")
    lab.host.nvme(f"gen-tls-key -i -c {NQN}")
    try:
        with handshakes(lab.topology):
            yield Secured("--tls", tls="required")
    finally:
        lab.host.disconnect_all()
        lab.network.run("host", "keyctl", "clear", "%:.nvme")


SECURITY: dict[str, Callable[[Lab], AbstractContextManager[Secured]]] = {
    "clear": lambda lab: contextlib.nullcontext(Secured()),
    "digests": lambda lab: contextlib.nullcontext(Secured("--hdr-digest --data-digest")),
    "dhchap": with_keys,
    "tls": with_tls,
}


@dataclass(frozen=True)
class Cell:
    """One combination. A host that is "plain" has neither transport nor relay."""

    family: Family
    host: str
    target: str
    security: str

    def is_possible(self) -> bool:
        """Is it one that this kernel has? The kernel's transport has no TLS."""
        if self.security == "tls" and "kernel" in (self.host, self.target):
            return False
        return not (IS_6_1 and self.security in ("dhchap", "tls"))

    def param(self) -> object:
        has_transport = "kernel" in (self.host, self.target)
        kernel = pytest.mark.every_kernel if has_transport else pytest.mark.stock
        name = f"{self.host}-{self.target}-{self.security}-{self.family}"
        return pytest.param(self, marks=[kernel, TOPOLOGY_MARK[self.family]], id=name)

    @property
    def traddr(self) -> str:
        return address("target", 1, self.family)

    def port(self, tls: str) -> Port:
        """The target's port. A listener of the kernel's own takes joins on all addresses."""
        if self.target == "kernel":
            return Port(trtype="mptcp", adrfam=self.family)
        return Port(trtype="tcp", adrfam=self.family, traddr=self.traddr, tls=tls)

    @contextlib.contextmanager
    def relays(self, lab: Lab) -> Iterator[None]:
        portal = f"[{self.traddr}]:4420" if self.family == "ipv6" else f"{self.traddr}:4420"
        with contextlib.ExitStack() as stack:
            if self.target == "relay":
                stack.enter_context(running(lab, "target", "--port", "4420"))
            if self.host == "relay":
                stack.enter_context(running(lab, None, "--portal", portal))
            yield

    def connect(self, lab: Lab, options: str) -> None:
        transport = "mptcp" if self.host == "kernel" else "tcp"
        program = "nvme" if self.host == "kernel" or self.security == "tls" else REFERENCE
        lab.host.command(
            f"{program} connect -t {transport} -a {self.traddr} -s 4420 -n {NQN} "
            f"--nr-io-queues {QUEUES - 1} {options}"
        )


TOPOLOGY_MARK = {family: pytest.mark.topology(value) for family, value in TOPOLOGY.items()}

#: By family first: the links stand while they are the same.
CELLS = [
    cell
    for cell in starmap(
        Cell, product(TOPOLOGY, ("kernel", "relay", "plain"), ("kernel", "relay"), SECURITY)
    )
    if cell.is_possible()
]


def connections(lab: Lab, ulp: str = "") -> int:
    """Return how many connections to the port the host's kernel has, of its own or of relays."""
    shown = lab.network.run("host", "ss", "-Htni", "state", "established", "( dport = :4420 )")
    return shown.count(ulp) if ulp else len([line for line in shown.splitlines() if line[:1] > " "])


def expect_subflows(lab: Lab, cell: Cell) -> None:
    """Wait for the subflows that the combination has, and ask the relays for theirs."""
    if cell.host == "plain":
        assert connections(lab) == QUEUES
        assert lab.host.subflows() == []
    else:
        lab.host.wait_for_subflows(LINKS, QUEUES)
    expected = ("tcp", None) if cell.host == "plain" else ("mptcp", LINKS)
    for side, options in (("host", ""), ("target", "--netns target")):
        if getattr(cell, side) == "relay":
            status = lab.host.nvme(f"mptcp relay --status -o json {options}")
            found = [(c["state"], c.get("subflows")) for c in status["connections"]]
            assert found == [expected] * QUEUES, side


def verify(lab: Lab) -> bytes:
    """Write and read back; return what passed links and the target's loopback meanwhile."""
    disk = lab.host.disk(NQN, timeout=30)
    lab.host.verify(disk, offset=len(BLOCK))
    with contextlib.closing(Tap(lab.topology, everywhere=True)) as tap:
        lab.host.write(disk, BLOCK)
        assert lab.host.read(disk, len(BLOCK)) == BLOCK
        return tap.read()


@pytest.mark.limit(120)
@pytest.mark.parametrize("cell", [cell.param() for cell in CELLS])
def test_combination(lab: Lab, cell: Cell) -> None:
    with SECURITY[cell.security](lab) as secured:
        port = cell.port(secured.tls)
        lab.target.configure(Target((Subsystem(NQN, hosts=secured.hosts),), (port,)))
        with cell.relays(lab):
            if secured.wrong:
                with pytest.raises(CommandFailed):
                    cell.connect(lab, secured.wrong)
                assert lab.host.controllers() == []
            cell.connect(lab, secured.options)
            [controller] = lab.host.controllers()
            controller.wait_for("live")
            expect_subflows(lab, cell)
            is_encrypted = cell.security == "tls"
            assert (CLEAR[:20] in verify(lab)) == (not is_encrypted)
            if is_encrypted:
                assert controller.attribute("tls_key")
                assert connections(lab, "tcp-ulp-tls") == QUEUES
                lab.host.nvme(f"reset /dev/{controller.name}")
                wait_until(
                    lambda: (
                        controller.state == "live" and connections(lab, "tcp-ulp-tls") == QUEUES
                    ),
                    "live again, encrypted", 30,
                )  # fmt: skip
                assert CLEAR[:20] not in verify(lab)
