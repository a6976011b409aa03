# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules C and R: connections and their subflows, and the ways from endpoints to targets."""

from faults import (
    ANNOUNCED,
    BARE,
    Fault,
    announcing,
    both,
    connect,
    ip,
    mend_target,
    offer,
    proof,
    reset,
    run,
    starting,
    sysctl,
    topology,
)  # fmt: skip
from lab import Lab
from lab.nvmet import Port


def kill_one(lab: Lab) -> None:
    port = next(s.local for s in lab.host.subflows() if s.local.startswith("10.1.3.2:"))
    lab.network.run("host", "ss", "-K", "src", port)


def delay(lab: Lab) -> None:
    run("host", "tc qdisc replace dev h3 root netem delay 30ms")(lab)
    run("target", "tc qdisc replace dev t3 root netem delay 30ms")(lab)


def hurry(lab: Lab) -> None:
    run("host", "tc qdisc delete dev h3 root")(lab)
    run("target", "tc qdisc delete dev t3 root")(lab)


def repair_target(lab: Lab) -> None:
    lab.host.command("nvme mptcp repair --role target --force --netns target")


FAULTS = [
    Fault("C01", offer=offer(Port(trtype="tcp")), hands=mend_target("T08")),
    Fault("C05", connect=connect(subflows=3), late=run("host", "ss -K src 10.1.3.2")),
    # Only a forced repair closes the other connection's subflow on that link: none is printed.
    Fault("C13", topology=ANNOUNCED, connect=connect(subflows=3), late=kill_one,
          hands=repair_target),
    # what the host starts and what it joins share link 2
    Fault("C14", topology=topology(host=starting(2), target=announcing(2, 3))),
    Fault("C07", topology=ANNOUNCED, build=delay, connect=connect(subflows=3), hands=hurry,
          after=reset),
    Fault("R01",
          topology=topology(host=starting(2, 3, family="ipv6"), families=("ipv4", "ipv6")),
          offer=offer(Port(adrfam="ipv6")), connect=connect("fd00:1:1::1"),
          build=ip("host", "route delete ::/0 via fd00:1:3::1 dev h3"),
          hands=ip("host", "route add ::/0 via fd00:1:3::1 dev h3"),
          then={"C05": "what failed is not tried again"}),
    # a target that answers only for the address of the link
    Fault("R01", build=both(sysctl("target", "ipv4.conf.all.arp_ignore", 1),
                            ip("host", "route delete default via 10.1.3.1 dev h3")),
          hands=ip("host", "route add default via 10.1.3.1 dev h3 metric 30"), after=reset),
    Fault("R06", build=sysctl("host", "ipv4.conf.h3.rp_filter", 1)),
    # only the portal's address knows the way back to the host
    # the second link's address is not announced
    Fault("R03", side="target", topology=topology(target=announcing(3)),
          build=both(ip("host", "address add 10.8.0.1/32 dev lo"),
                     ip("target", "rule add from 10.1.1.1 table 1",
                        "route add 10.8.0.1 via 10.1.1.2 dev t1 table 1")),
          connect=connect(host_traddr="10.8.0.1"), heals=2,
          hands=ip("target", "route add 10.8.0.1 via 10.1.3.2 dev t3")),
    Fault("R05", side="target", topology=ANNOUNCED, after=reset,
          build=ip("target", "route add 10.1.3.2/32 via 10.1.1.2 dev t1"),
          connect=connect(subflows=3),
          hands=ip("target", "route add default via 10.1.3.2 dev t3 table 3",
                   "rule add from 10.1.3.1 table 3")),
    Fault("R08", build=ip("host", "route delete default via 10.1.3.1 dev h3",
                          "route add default via 10.1.3.99 dev h3 metric 30"),
          hands=ip("target", "address add 10.1.3.99/24 dev t3"),
          after=reset),
    # the link stays dead, and connections keep their subflows there until those time out
    Fault("R09", late=ip("target", "link set t1 down"), heals=0,
          companions={"A07": "the same cable: subflows lead over it until they are given up"},
          leaves={"A07": "no command puts a cable back"}),
    # one switch for links 1 and 2
    Fault("R07", topology=BARE,
          after=both(run("target", "ip neigh flush all"), reset),
          build=both(ip("target", "address delete 10.1.1.1/24 dev t1", "link add b0 type bridge",
                        "link set t1 master b0", "link set t2 master b0", "link set b0 up",
                        "address add 10.1.1.1/24 dev b0"),
          ip("host", "address add 10.1.1.3/24 dev h2",
                   "mptcp endpoint add 10.1.1.2 dev h1 subflow",
                   "mptcp endpoint add 10.1.1.3 dev h2 subflow"))),
]  # fmt: skip

test_fault = proof(FAULTS)
