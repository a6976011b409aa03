# SPDX-License-Identifier: GPL-2.0-or-later
"""The combinations of transport and address family with which the host reaches the target."""

from dataclasses import dataclass

from .nvmet import Port, Subsystem, Target

#: v4mapped: an IPv4 address in an IPv6 socket.
ADDRESS = {"ipv4": "10.1.{}.1", "ipv6": "fd00:1:{}::1", "v4mapped": "::ffff:10.1.{}.1"}
PORT = {"tcp": 4420, "mptcp": 4421}


@dataclass(frozen=True)
class Way:
    """A transport and its kind of address ("" for loop)."""

    transport: str
    family: str = ""

    def __str__(self) -> str:
        return "-".join(filter(None, (self.transport, self.family)))

    @property
    def adrfam(self) -> str:
        """Return the address family of the target's port and discovery log entry."""
        return "ipv6" if self.family == "v4mapped" else self.family

    @property
    def trsvcid(self) -> str:
        """Return the target's port, or "" for loop."""
        return str(PORT.get(self.transport, ""))

    def traddr(self, link: int = 1) -> str:
        """Return the target's address on a link, or "" for loop."""
        return ADDRESS[self.family].format(link) if self.family else ""

    def portal(self, link: int = 1) -> str:
        """Return the options of nvme to reach the target over a link."""
        if not self.family:
            return f"-t {self.transport}"
        return f"-t {self.transport} -a {self.traddr(link)} -s {self.trsvcid}"

    def target(self, *subsystems: Subsystem) -> Target:
        """Return a target with these subsystems on one port of this transport and address."""
        if not self.family:
            port = Port(1, self.transport)
        else:
            port = Port(1, self.transport, self.adrfam, trsvcid=int(self.trsvcid))
        return Target(subsystems, (port,))


def both_transports(*subsystems: Subsystem, adrfam: str = "ipv4") -> Target:
    """Return a target with these subsystems on a port of each transport."""
    ports = (
        Port(i, transport, adrfam, trsvcid=port)
        for i, (transport, port) in enumerate(PORT.items(), 1)
    )
    return Target(subsystems, tuple(ports))


#: All transports of the lab, with all kinds of addresses that they accept.
WAYS = (*(Way(transport, family) for transport in PORT for family in ADDRESS), Way("loop"))
