# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways from the host to the target: a transport and a kind of address."""

from __future__ import annotations

from dataclasses import dataclass

from .nvmet import Port, Subsystem, Target

#: v4mapped: an IPv4 address in an IPv6 socket.
ADDRESS = {"ipv4": "10.1.{}.1", "ipv6": "fd00:1:{}::1", "v4mapped": "::ffff:10.1.{}.1"}
PORT = {"tcp": 4420, "mptcp": 4421}


@dataclass(frozen=True)
class Way:
    """A transport, and what kind of address it goes to ("" for loop)."""

    transport: str
    family: str = ""

    def __str__(self) -> str:
        return "-".join(filter(None, (self.transport, self.family)))

    @property
    def adrfam(self) -> str:
        """The address family that the target's port and its log have."""
        return "ipv6" if self.family == "v4mapped" else self.family

    @property
    def trsvcid(self) -> str:
        """The target's port, "" for loop."""
        return str(PORT.get(self.transport, ""))

    def traddr(self, link: int = 1) -> str:
        """The target's address on a link, "" for loop."""
        return ADDRESS[self.family].format(link) if self.family else ""

    def portal(self, link: int = 1) -> str:
        """The options of nvme that lead to the target over a link."""
        if not self.family:
            return f"-t {self.transport}"
        return f"-t {self.transport} -a {self.traddr(link)} -s {self.trsvcid}"

    def target(self, *subsystems: Subsystem) -> Target:
        """These subsystems on one port that the way leads to."""
        if not self.family:
            port = Port(1, self.transport)
        else:
            port = Port(1, self.transport, self.adrfam, trsvcid=int(self.trsvcid))
        return Target(subsystems, (port,))


#: Every transport that the lab has, over every kind of address that it takes.
WAYS = (*(Way(transport, family) for transport in PORT for family in ADDRESS), Way("loop"))
