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
            name = b"\0" * 768 + nqn.encode().ljust(256, b"\0")
            self.host.command(f"nvme{i}", ADMIN, IDENTIFY, 1, name.ljust(4096, b"\0"))
            self.host.command(f"nvme{i}", ADMIN, GET_LOG, 0x70, log)


def entry(nqn, traddr, **more):
    more.setdefault("trtype", dl.MPTCP)
    return dl.entry(subnqn=nqn.encode(), traddr=traddr.encode(), **more)


def referral(traddr, **more):
    return entry(DISCOVERY_NQN, traddr, subtype=dl.REFERRAL, trsvcid=b"8009", **more)
