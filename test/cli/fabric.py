# SPDX-License-Identifier: LGPL-2.1-or-later
"""Controllers that a discovery log tells of, on a fake machine."""

import discovery_log as dl
from fake_sysfs import DISCOVERY_NQN

ADMIN, GET_LOG, IDENTIFY = "admin", 0x02, 0x06


class Fabric:
    """Controllers that come up one after the other."""

    def __init__(self, host):
        self.host = host
        self.count = 0

    def controller(self, nqn, traddr, log=None, transport="mptcp"):
        """The next connect brings up this one."""
        i = self.count
        self.count += 1
        port = 8009 if log is not None else 4420
        controller = self.host.subsystem(i, nqn).controller(
            i, transport, f"traddr={traddr},trsvcid={port}", connected=False
        )
        self.host.answer_connected(controller)
        if log is not None:
            self.host.command(f"nvme{i}", ADMIN, IDENTIFY, 1, dl.identify(nqn))
            self.host.command(f"nvme{i}", ADMIN, GET_LOG, 0x70, log)

    def connected(self, i, nqn, traddr, *entries):
        """One with an NQN of its own is connected already, and its log has these entries."""
        address, kind = f"traddr={traddr},trsvcid=8009", "discovery"
        subsystem = self.host.subsystem(i, nqn, subsystype=kind)
        subsystem.controller(i, "mptcp", address, cntrltype=kind)
        self.host.command(f"nvme{i}", ADMIN, GET_LOG, 0x70, dl.log(*entries))

    def lists(self, *entries, at="10.1.1.1"):
        """The next connect brings up a discovery controller there, whose log has these entries."""
        self.controller(DISCOVERY_NQN, at, dl.log(*entries))

    def offers(self, nqn, traddr, at="10.1.1.1"):
        """The same of a log with one entry, to which a connect succeeds."""
        self.lists(entry(nqn, traddr), at=at)
        self.controller(nqn, traddr)


def entry(nqn, traddr, **more):
    more.setdefault("trtype", dl.MPTCP)
    return dl.entry(subnqn=nqn.encode(), traddr=traddr.encode(), **more)


def referral(traddr, nqn=DISCOVERY_NQN, **more):
    return entry(nqn, traddr, subtype=dl.REFERRAL, trsvcid=b"8009", **more)
