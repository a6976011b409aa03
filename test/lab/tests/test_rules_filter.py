# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules F: firewalls and middleboxes."""

from faults import (
    ANNOUNCED,
    Fault,
    both,
    connect,
    filtered,
    ip,
    nothing,
    proof,
    reset,
    run,
    speak_mptcp,
    sysctl,
    unfiltered,
)  # fmt: skip
from lab import Lab

#: A pure acknowledgement that carries an address, and nothing else of MPTCP.
ADD_ADDR = "tcp option mptcp subtype 3"
FIRST = "tcp flags & (syn | ack) == syn"


def change_data(lab: Lab) -> None:
    """A box on one link that changes a byte of the data, on whichever link data takes."""
    for link in ("t1", "t2", "t3"):
        run(
            "target",
            f"tc qdisc add dev {link} clsact",
            f"tc filter add dev {link} egress protocol ip matchall "
            "action pedit munge offset 90 u8 set 0xff",
        )(lab)
        lab.host.command("nvme id-ctrl /dev/nvme0", status=None)
        lab.network.run("target", "tc", "qdisc", "delete", "dev", link, "clsact")
        if lab.network.mptcp_counters("host")["DataCsumErr"]:
            return


def refuse(lab: Lab) -> None:
    """A firewall on link 3 that answers joins with a reset."""
    lab.network.run(
        "host", "nft", "table inet lab { chain o { type filter hook output priority 0; "
        "oifname h3 tcp dport 4420 reject with tcp reset; }; }",
    )  # fmt: skip


CHECKSUMS = both(sysctl("host", "mptcp.checksum_enabled", 1),
                 sysctl("target", "mptcp.checksum_enabled", 1))  # fmt: skip

FAULTS = [
    Fault("F01", build=filtered("target", "iifname t3 tcp dport 4420 drop"),
          hands=unfiltered("target"), after=reset),
    Fault("F02", topology=ANNOUNCED, connect=None, during=connect(), hands=unfiltered("host"),
          build=refuse),
    Fault("F03", topology=ANNOUNCED, connect=None, during=connect(), hands=unfiltered("target"),
          build=filtered("target", f"iifname t3 {FIRST} reset tcp option mptcp")),
    # a controller would be served over TCP, in fallback (C01)
    Fault("F04", topology=ANNOUNCED, connect=None, during=speak_mptcp("host", "10.1.1.1", 4420),
          build=filtered("target", f"{FIRST} reset tcp option mptcp"),
          hands=unfiltered("target"), after=connect()),
    # only with checksums it is seen at all
    Fault("F07", topology=ANNOUNCED, build=CHECKSUMS, connect=connect(subflows=3),
          during=change_data, hands=nothing),
    # endpoints of the host do without what is announced: either that, or hands on the box, which
    # takes acknowledgements of data with it, so that a queue without I/O may wait for its joins
    Fault("F08", side="target", topology=ANNOUNCED, after=reset, heals=0,
          build=filtered("host", f"{ADD_ADDR} reset tcp option mptcp"),
          leaves={"F08": "the box still removes what is announced"}),
    # the address that is connected to stays: to delete it closes the connections
    Fault("F09", side="target", topology=ANNOUNCED, heals=0,
          connect=connect(host_traddr="203.0.113.1"),
          build=both(ip("host", "address add 203.0.113.1/32 dev lo"),
                     ip("target", "route add 203.0.113.1 via 10.1.1.2 dev t1"),
                     filtered("target", "ip daddr { 10.1.2.1, 10.1.3.1 } drop"))),
]  # fmt: skip

test_fault = proof(FAULTS)
