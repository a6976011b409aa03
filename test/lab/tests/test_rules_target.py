# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules T: the side that is connected to."""

import re
from typing import Any

from faults import (
    ANNOUNCED,
    BARE,
    Fault,
    announcing,
    check,
    connect,
    ip,
    nothing,
    obey,
    offer,
    proof,
    reset,
    rules,
    run,
    shown,
    speak_mptcp,
    starting,
    sysctl,
    topology,
)  # fmt: skip
from lab import Endpoint, Lab
from lab.nvmet import Port
from packets import Join


def token_of_target(lab: Lab) -> int:
    """The token that joins to one of the target's connections carry."""
    output = lab.network.run("target", "ss", "-HtniO", "state", "established", "( sport = :4420 )")
    found = re.search(r"token:[0-9a-f]+\(id:\d+\)/([0-9a-f]+)\(id:\d+\)", output)
    assert found, output
    return int(found[1], 16)


def join_elsewhere(lab: Lab) -> None:
    """A join for a connection that this target does not have."""
    with Join(lab, token=0x12345678) as join:
        join.syn()


def join_without_proof(lab: Lab) -> None:
    """A join that knows the token, and not the keys."""
    with Join(lab, token=token_of_target(lab)) as join:
        join.syn()
        join.ack(hmac=bytes(20))


def change_ports(lab: Lab) -> None:
    """Something on link 2 that sends what is for one port to another."""
    run(
        "target",
        "nft 'table ip lab { chain p { type nat hook prerouting priority -100; "
        "iifname t2 tcp dport 4420 redirect to :4422; }; }'",
    )(lab)
    connect()(lab)


def keep_ports(lab: Lab) -> None:
    run("target", "nft delete table ip lab")(lab)


def delete_of_nobody(lab: Lab) -> None:
    """Deletes the endpoint while nobody is connected: its removal closes the initial subflows."""
    lab.host.disconnect_all()
    lab.network.ip("target", "mptcp endpoint delete id 1")
    connect(subflows=3)(lab)


def offer_while_nobody_is_connected(lab: Lab) -> None:
    """The port is out of use for a moment, which would end the connections of hosts."""
    lab.host.disconnect_all()
    found = check(lab, "target")
    assert "T03" in rules(found), shown(found)
    assert obey(lab, found, {}), shown(found)
    connect(subflows=3)(lab)


TARGET: dict[str, Any] = {"side": "target", "topology": ANNOUNCED}

FAULTS = [
    Fault("T01", side="target", topology=BARE),
    Fault("T02", side="target", topology=topology(
        target=[Endpoint(2, ("subflow",), dev=True), *announcing(3)])),
    Fault("T03", offer=offer(Port(traddr="10.1.1.1")),
          hands=offer_while_nobody_is_connected, **TARGET),
    Fault("T04", build=ip("target", "mptcp endpoint add 10.1.9.1 signal"), **TARGET),
    Fault("T05", side="target", topology=topology(host=starting(2, 3), target=announcing(1)),
          offer=offer(Port(traddr="10.1.1.1")),
          hands=delete_of_nobody),
    Fault("T06", build=ip("target", "mptcp limits set subflows 1"), after=reset, **TARGET),
    Fault("T07", side="target", topology=BARE,
          build=sysctl("target", "mptcp.allow_join_initial_addr_port", 0)),
    Fault("T08", offer=offer(Port(trtype="tcp")), **TARGET),
    Fault("T09", late=sysctl("target", "mptcp.enabled", 0), **TARGET),
    Fault("T14", offer=offer(Port(subsystems=())), connect=None, after=connect(subflows=3),
          **TARGET),
    Fault("T10", offer=offer(Port(1), Port(2, trsvcid=4422)), connect=None,
          during=change_ports, hands=keep_ports, **TARGET),
    Fault("T10", during=join_elsewhere, hands=nothing, **TARGET),
    Fault("T10", during=join_without_proof, hands=nothing, **TARGET),
    # joins to the endpoint's port are reset
    Fault("T10", build=ip("target", "mptcp endpoint delete id 2",
                          "mptcp endpoint add 10.1.2.1 dev t2 signal port 5000"),
          during=speak_mptcp("host", "10.1.2.1", 5000), hands=nothing, heals=2, **TARGET),
]  # fmt: skip

test_fault = proof(FAULTS)
