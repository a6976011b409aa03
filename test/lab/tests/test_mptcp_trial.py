# SPDX-License-Identifier: GPL-2.0-or-later
"""nvme mptcp check with an address: trial connections to the kernel's own target."""

import json
import shutil
from typing import Any

import pytest
from lab import Endpoint, Lab, Port, Subsystem, Target, Topology, wait_until

NQN = "nqn.2024-01.lab:disk"
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]


#: The host starts a subflow on each link, to the one address that it connects to.
OWN = Topology(endpoints={"host": tuple(Endpoint(i, ("subflow",), dev=True) for i in (2, 3, 4))})


def check(lab: Lab, user: bool = False) -> Any:
    """The document of a check with a trial; its exit status follows from its findings."""
    command = [*(NOBODY if user else []), shutil.which("nvme") or "nvme", "mptcp", "check"]
    # The guest is both sides: its configfs shows the ports to every namespace.
    command += ["-a", "10.1.1.1", "-s", "4420", "--role", "host", "-o", "json"]
    done = lab.host.command(command, status=None)
    assert done.stdout, done
    document = json.loads(done.stdout)
    assert document["roles"] == ["host"]
    worst = {f["severity"] for f in document["findings"]}
    assert done.returncode == (2 if "error" in worst else 1 if "warning" in worst else 0), done
    return document


def rules(document: Any, *severities: str) -> list[str]:
    wanted = severities or ("error", "warning")
    return sorted({f["rule"] for f in document["findings"] if f["severity"] in wanted})


def nothing_left(lab: Lab) -> None:
    """Neither side keeps a connection: a trial is no controller, and no queue of the target."""
    assert lab.host.controllers() == []
    wait_until(lambda: lab.host.subflows() == [], "no subflow on the host")

    def none_on_target() -> bool:
        return "ESTAB" not in lab.network.run("target", "ss", "-HtnM", "state", "connected")

    wait_until(none_on_target, "no connection on the target")


@pytest.mark.topology(OWN)
def test_four_links(lab: Lab) -> None:
    lab.target.configure(Target.simple(NQN))
    document = check(lab)
    trial = document["trial"]
    assert (trial["outcome"], trial["reason"], trial["fallback"]) == ("mptcp", None, False)
    assert (trial["subflows_established"], trial["subflows_expected"]) == (4, 4)
    assert {s["link"] for s in trial["subflows"]} == {"h1", "h2", "h3", "h4"}
    assert rules(document) == []
    nothing_left(lab)

    # The same for somebody who may not even listen to events.
    document = check(lab, user=True)
    trial = document["trial"]
    assert (trial["subflows_established"], trial["subflows_expected"]) == (4, 4)
    assert trial["announced_addresses"] is None and trial["closed"] is None
    assert rules(document, "error") == []

    text = lab.host.nvme("mptcp check -a 10.1.1.1 --role host")
    assert "trial: 10.1.1.1:4420: MPTCP accepted, 4 of 4 subflows on h1 h2 h3 h4\n" in text
    # A target that has seen trials takes controllers as before.
    lab.host.connect(NQN, nr_io_queues=1)
    lab.host.wait_for_subflows(4, 2)


def test_a_port_of_plain_tcp(lab: Lab) -> None:
    port = Port(1, "tcp", "ipv4", trsvcid=4420)
    lab.target.configure(Target(subsystems=(Subsystem(NQN),), ports=(port,)))
    document = check(lab)
    assert (document["trial"]["outcome"], document["trial"]["fallback"]) == ("fallback", True)
    assert "C01" in rules(document, "error")
    nothing_left(lab)


def test_nobody_there(lab: Lab) -> None:
    document = check(lab)
    assert document["trial"]["outcome"] == "no-connection"
    assert "refused" in document["trial"]["reason"]
    assert "C09" in rules(document, "error")
