# SPDX-License-Identifier: GPL-2.0-or-later
"""Faults for the rules of nvme mptcp check: built on the real kernel, seen, mended as printed.

A fault is one line of a table. It gets namespaces of its own, so that no counter remembers what was
before. Then the set-up is broken, and `nvme mptcp check` has to find exactly that. All commands of
all findings are run, as they are, in the order printed, on the sides that they name; then nothing
may be found any more, and each connection has to have one subflow on each link.
"""

import contextlib
import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from lab import Endpoint, Lab, LabTimeout, Limits, Link, Subsystem, Target, Topology, wait_until
from lab.network import SIDES, Family, Side
from lab.nvmet import Port
from lab.system import network_namespace

NQN = "nqn.2024-01.lab:disk"
IPPROTO_MPTCP = 262

#: How long a check waits between its looks, and for how long what happens meanwhile goes on by
#: itself: joins of a new connection, on a slow machine.
LOOK_SECONDS = 3.0
WATCH_SECONDS = 2.0

Step = Callable[[Lab], None]
Findings = list[dict[str, Any]]

ROOMY = Limits()


def topology(
    *,
    host: Sequence[Endpoint] = (),
    target: Sequence[Endpoint] = (),
    limits: Limits = ROOMY,
    families: tuple[Family, ...] = ("ipv4",),
) -> Topology:
    """Links without shaping between two namespaces that are made anew for each fault."""
    return Topology(
        links=(Link.both(rate=""),) * 3,
        families=families,
        limits={"host": limits, "target": Limits()},
        endpoints={"host": tuple(host), "target": tuple(target)},
        host_namespace="host",
    )


def starting(*links: int, family: Family = "ipv4", dev: bool = True) -> tuple[Endpoint, ...]:
    """A host's endpoints on some links."""
    return tuple(Endpoint(i, ("subflow",), family, dev) for i in links)


def announcing(*links: int) -> tuple[Endpoint, ...]:
    """A target's endpoints on some links."""
    return tuple(Endpoint(i, ("signal",), dev=True) for i in links)


#: Three subflows per connection: the target announces its addresses, the host joins them.
ANNOUNCED = topology(target=announcing(1, 2, 3))
#: The same, started from the host's endpoints.
STARTED = topology(host=starting(2, 3))
#: One subflow per connection.
BARE = topology()


def nothing(_lab: Lab) -> None:
    """Breaks nothing, mends nothing."""


def offer(*ports: Port, nqns: Sequence[str] = (NQN,)) -> Step:
    """A target of these ports, with subsystems that need no memory."""
    subsystems = tuple(Subsystem(nqn, namespaces=()) for nqn in nqns)
    return lambda lab: lab.target.configure(Target(subsystems, ports or (Port(),)))


def connect(traddr: str = "10.1.1.1", subflows: int = 0, nqn: str = NQN, **options: object) -> Step:
    """Connects an admin queue and one I/O queue, and waits for so many subflows of each."""

    def connected(lab: Lab) -> None:
        given: dict[str, Any] = {"nr_io_queues": 1, "reconnect_delay": 1, **options}
        lab.host.connect(nqn, traddr=traddr, **given)
        if subflows:
            lab.host.wait_for_subflows(subflows, 2)

    return connected


def attempt(step: Step) -> Step:
    def attempted(lab: Lab) -> None:
        with contextlib.suppress(OSError):
            step(lab)

    return attempted


def reset(lab: Lab) -> None:
    """Has all controllers connect anew."""
    for controller in lab.host.controllers():
        controller.wait_for("live")
        with network_namespace(lab.topology.namespace("host")):
            (controller.directory / "reset_controller").write_text("1")
        controller.wait_for("live")


def mend_target(rule: str) -> Step:
    """What the check of the target prints, a finding of a rule among it; controllers are back."""

    def mended(lab: Lab) -> None:
        found = check(lab, "target")
        assert rule in rules(found), shown(found)
        assert obey(lab, found, {}), shown(found)
        wait_until(lambda: all(c.state == "live" for c in lab.host.controllers()), "live", 20)

    return mended


def ip(side: Side, *lines: str) -> Step:
    return lambda lab: lab.network.ip(side, *lines)


def speak_mptcp(side: Side, traddr: str, port: int) -> Step:
    """A program's MPTCP connection, which may well be refused."""

    def spoken(lab: Lab) -> None:
        with (
            network_namespace(lab.topology.namespace(side)),
            socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_MPTCP) as connection,
        ):
            connection.settimeout(20)
            connection.connect_ex((traddr, port))

    return spoken


def filtered(side: Side, *lines: str) -> Step:
    """What a firewall or a box on a side's doorstep does to packets that come in."""
    text = " ".join(f"{line};" for line in lines)
    chain = f"chain input {{ type filter hook prerouting priority -300; {text} }}"
    return lambda lab: _load_table(lab, side, chain)


def _load_table(lab: Lab, side: Side, chain: str) -> None:
    lab.network.run(side, "nft", "-f", "-", input=f"table inet lab {{ {chain}; }}\n")


def unfiltered(side: Side) -> Step:
    """Takes that away."""
    return lambda lab: lab.network.undrop(side)


def sysctl(side: Side, name: str, value: object) -> Step:
    return lambda lab: lab.network.sysctl(side, name, value)


def run(side: Side, *commands: str) -> Step:
    def commanded(lab: Lab) -> None:
        for command in commands:
            lab.network.run(side, "sh", "-ec", command)

    return commanded


def both(*steps: Step) -> Step:
    def stepped(lab: Lab) -> None:
        for step in steps:
            step(lab)

    return stepped


@dataclass(frozen=True)
class Fault:
    """A fault, and how it shows and goes."""

    rule: str
    #: What is wrong before the connection is made, and what goes wrong after it.
    build: Step = nothing
    late: Step = nothing
    topology: Topology = STARTED
    side: Side = "host"
    #: How the host connects, None if it does not; what the target offers.
    connect: Step | None = connect()
    offer: Step = offer()
    #: What happens while the check watches the counters, if it must; and while it watches again.
    during: Step | None = None
    again: Step = reset
    arguments: str = ""
    user: int | None = None
    #: Runs the check outside the host's network namespace first.
    outside: bool = False
    #: Other rules that find the same fault, and why that is right.
    companions: Mapping[str, str] = field(default_factory=dict)
    #: Programs of the printed commands that the guest does not have, and what it has instead.
    instead: Mapping[str, str] = field(default_factory=dict)
    #: What no command mends (a cable, a firewall in between, another machine): before the commands
    #: and after them.
    hands: Step | None = None
    after: Step = nothing
    #: What is set back in any case, because it is not the namespaces'.
    undo: Step = nothing
    #: Rules that come up once this one is mended, and why: all commands that are printed then are
    #: run next. And what stays.
    then: Mapping[str, str] = field(default_factory=dict)
    leaves: Mapping[str, str] = field(default_factory=dict)
    #: Subflows that each connection has in the end, each from an address of its own, and how many
    #: connections; 0 if nothing is connected over MPTCP.
    heals: int = 3
    connections: int = 2
    name: str = ""
    seconds: float = 10.0
    #: Seconds after which the whole test is ended, 0 for those of any other.
    limit: int = 0

    def __str__(self) -> str:
        return f"{self.rule}-{self.name}" if self.name else self.rule

    def marks(self) -> list[pytest.MarkDecorator]:
        limit = [pytest.mark.limit(self.limit)] if self.limit else []
        return [pytest.mark.topology(self.topology), *limit]


def proof(faults: Sequence[Fault]) -> Callable[[Lab, Fault], None]:
    """Return a test that proves these faults, each on its own topology."""
    cases: list[ParameterSet] = [
        pytest.param(fault, marks=fault.marks(), id=str(fault)) for fault in faults
    ]

    @pytest.mark.parametrize("fault", cases)
    def test_fault(lab: Lab, fault: Fault) -> None:
        prove(lab, fault)

    return test_fault


def _start(
    lab: Lab, side: Side, arguments: str, interval: float, user: int | None, outside: bool
) -> subprocess.Popen[str]:
    command = ["nvme", "mptcp", "check", *arguments.split(), f"--interval={interval}"]
    command += ["--role", side, "-o", "json"]
    pipe = subprocess.PIPE
    with network_namespace(None if outside else lab.topology.namespace(side)):
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, user=user)


def _finish(process: subprocess.Popen[str]) -> Findings:
    output, errors = process.communicate(timeout=60)
    assert process.returncode in (0, 1, 2), (process.args, errors)
    found: Findings = json.loads(output)["findings"]
    return found


def check(
    lab: Lab, side: Side = "host", arguments: str = "", interval: float = 0,
    user: int | None = None, outside: bool = False,
) -> Findings:  # fmt: skip
    return _finish(_start(lab, side, arguments, interval, user, outside))


def rules(findings: Findings, *severities: str) -> set[str]:
    """The rules of findings; of errors and warnings unless severities are named."""
    return {f["rule"] for f in findings if f["severity"] in (severities or ("error", "warning"))}


def shown(findings: Findings) -> str:
    """Findings for the message of a failed test."""
    return "\n".join(
        f"{f['severity']} {f['rule']} {f['subject']}: {f['why']} {f['evidence']} "
        f"{[fix['command'] for fix in f['fix']]}"
        for f in findings
    )


def _watched(lab: Lab, fault: Fault, step: Step) -> Findings:
    """Checks while something happens: between its two looks, however slow the machine is."""
    process = _start(lab, fault.side, fault.arguments, LOOK_SECONDS, None, False)
    sleeps_in = Path(f"/proc/{process.pid}/wchan")
    wait_until(lambda: "nanosleep" in sleeps_in.read_text(), "the first look", 30, pause=0.05)
    process.send_signal(signal.SIGSTOP)
    try:
        step(lab)
        time.sleep(WATCH_SECONDS)
    finally:
        process.send_signal(signal.SIGCONT)
    return _finish(process)


def _until(
    lab: Lab, fault: Fault, is_right: Callable[[Findings], bool], what: str, *, mended: bool
) -> Findings:
    user = None if mended else fault.user
    found: Findings = []

    def look() -> bool:
        nonlocal found
        outside = fault.outside and not mended
        found = check(lab, fault.side, fault.arguments, user=user, outside=outside)
        return is_right(found)

    try:
        wait_until(look, what, fault.seconds, pause=0.2)
    except LabTimeout as error:
        raise AssertionError(f"{error}\n{shown(found)}") from None
    return found


def _is_seen(fault: Fault, found: Findings) -> bool:
    return fault.rule in rules(found, "error", "warning", "info")


def _expected(fault: Fault, found: Findings) -> set[str]:
    """The errors and warnings that there have to be, neither more nor less."""
    return {fault.rule} & rules(found) | {*fault.companions}


def _seen(lab: Lab, fault: Fault) -> Findings:
    """The findings once the fault is among them, and joins that were under way have ended."""
    if fault.during:
        return _watched(lab, fault, fault.during)
    return _until(
        lab,
        fault,
        lambda found: _is_seen(fault, found) and rules(found) == _expected(fault, found),
        f"a finding of {fault.rule}, and no other",
        mended=False,
    )


def obey(lab: Lab, findings: Findings, instead: Mapping[str, str]) -> int:
    """Runs all commands that findings print, in the order printed; returns how many."""
    commands = [fix for f in findings for fix in f["fix"]]
    for fix in commands:
        command = fix["command"]
        for word, value in instead.items():
            command = re.sub(rf"\b{re.escape(word)}\b", value, command)
        with network_namespace(lab.topology.namespace(fix["side"])):
            done = subprocess.run(
                ["sh", "-ec", command], capture_output=True, text=True, timeout=30, check=False
            )
        # a check that is recommended may well find something
        fine = (0, 1, 2) if "nvme mptcp check" in command else (0,)
        assert (
            done.returncode in fine
        ), f"{command}: {done.stderr or done.stdout}\n{shown(findings)}"
    return len(commands)


def _clean(lab: Lab, fault: Fault, leaves: set[str]) -> Findings:
    """The findings once no others are left than these."""
    return _until(
        lab,
        fault,
        lambda found: rules(found) | {fault.rule} & rules(found, "info") <= leaves,
        f"{fault.rule} gone",
        mended=True,
    )


def _prove(lab: Lab, fault: Fault) -> None:
    fault.offer(lab)
    fault.build(lab)
    if fault.connect:
        fault.connect(lab)
    fault.late(lab)
    found = _seen(lab, fault)
    assert _is_seen(fault, found), shown(found)
    assert rules(found) == _expected(fault, found), shown(found)
    if fault.hands:
        fault.hands(lab)
    assert obey(lab, found, fault.instead) or fault.hands, f"nothing mends this:\n{shown(found)}"
    try:
        _healed(lab, fault)
    except AssertionError as error:
        error.add_note(f"what was found first, and obeyed:\n{shown(found)}")
        raise


def _healed(lab: Lab, fault: Fault) -> None:
    """Nothing is found any more, and the connections are whole."""
    fault.after(lab)
    if fault.during:
        found = _watched(lab, fault, fault.again)
        assert not _is_seen(fault, found), shown(found)
    if fault.then:
        found = _clean(lab, fault, {*fault.then, *fault.leaves})
        assert rules(found) >= set(fault.then), shown(found)
        assert obey(lab, found, fault.instead), shown(found)
    _clean(lab, fault, set(fault.leaves))
    if fault.heals:
        _whole(lab, fault)


def _whole(lab: Lab, fault: Fault) -> None:
    """Each connection has as many subflows as there are links, and no address has two of them."""
    try:
        lab.host.wait_for_subflows(fault.heals, fault.connections)
    except LabTimeout as error:
        raise AssertionError(f"{error}\n{lab.host.subflows()}") from None
    ends = [(s.token, s.local.rpartition(":")[0]) for s in lab.host.subflows()]
    assert len(set(ends)) == len(ends), ends


def prove(lab: Lab, fault: Fault) -> None:
    """Builds a fault, sees it, mends it as printed, and sees it gone."""
    lab.network.changed = True
    try:
        _prove(lab, fault)
    finally:
        fault.undo(lab)


def prove_clean(lab: Lab) -> None:
    """Connects where nothing is wrong: neither side has anything to say."""
    lab.network.changed = True
    offer()(lab)
    connect(subflows=3)(lab)
    for side in SIDES:
        found = check(lab, side, interval=0.5)
        assert not found, shown(found)
