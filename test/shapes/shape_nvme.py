# SPDX-License-Identifier: LGPL-2.1-or-later
"""The nvme command in the namespaces of a shape, on machines whose /sys is made up.

It runs where it sees no other process, so that the queues of the host's agent look like the
kernel's own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "cli"))

from fake_sysfs import FakeHost
from shape_net import PORT, Net

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", TOP / "build")).resolve()
NVME = BUILD / "nvme-cli/nvme"
NQN = "nqn.2026-01.org.example:disk"
QUICK = ("--interval", "0.1")
#: In front of a command: it sees no other process.
HIDE = ("unshare", "--pid", "--fork", "--mount-proc")

Finding = dict[str, Any]


@dataclass
class Result:
    """What a run of the command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        try:
            return json.loads(self.out)
        except json.JSONDecodeError:
            raise AssertionError(self) from None


def shown(findings: list[Finding]) -> str:
    """Findings for the message of a failed test."""
    return "\n".join(
        f"{f['severity']} {f['rule']} ({f['side']}) {f['subject']}: {f['why']} "
        f"{[fix['command'] for fix in f['fix']]}"
        for f in findings
    )


def rules(findings: list[Finding], *severities: str) -> list[str]:
    """Rules of findings; of errors and warnings unless severities are named."""
    return [f["rule"] for f in findings if f["severity"] in (severities or ("error", "warning"))]


def anywhere(portal: str) -> str:
    """All addresses of the family of this one."""
    return "::" if ":" in portal else "0.0.0.0"


class Machines:
    """The host and the target of a shape, as the nvme command sees them."""

    def __init__(self, net: Net, directory: Path) -> None:
        self.net = net
        self.directory = directory
        self.fakes = {side: FakeHost(directory / side) for side in ("host", "target")}
        self.portal = ""
        self.how: dict[str, Any] = {}

    def offer(
        self, traddr: str, trtype: str = "mptcp", number: int = PORT, name: str = "1"
    ) -> None:
        """The target listens at this address, and has a port for it in the made-up configfs."""
        port = self.fakes["target"].sys / "kernel/config/nvmet/ports" / name
        (port / "subsystems" / NQN).mkdir(parents=True)
        family = "ipv6" if ":" in traddr else "ipv4"
        values = {"trtype": trtype, "adrfam": family, "traddr": traddr, "trsvcid": number}
        for key, value in values.items():
            (port / f"addr_{key}").write_text(f"{value}\n")
        self.net.listen(traddr, protocol=262 if trtype == "mptcp" else 6, port=number)

    def nvme(self, side: str, *words: str, outside: bool = False) -> Result:
        """Run nvme mptcp on a side, from @outside by --netns; a crash fails the test."""
        name = self.net.name(side)
        enter = [] if outside else ["ip", "netns", "exec", name]
        netns = ["--netns", name] if outside else []
        done = subprocess.run(
            [*enter, *HIDE, NVME, "mptcp", *words, *netns],
            capture_output=True,
            text=True,
            timeout=60,
            env=self.environment(side),
        )
        result = Result(done.returncode, done.stdout, done.stderr)
        assert 0 <= result.status < 90, result
        return result

    def environment(self, side: str) -> dict[str, str]:
        """Where the command and what it prints find the program and the made-up /sys."""
        return {
            "PATH": f"{NVME.parent}:{os.environ['PATH']}",
            "LC_ALL": "C",
            "ASAN_OPTIONS": "exitcode=97",
            "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98",
            "LIBNVME_SYSFS_PATH": str(self.fakes[side].root / "sysfs"),
        }

    def setup(self, side: str, *words: str) -> Any:
        """Plan and apply; the plan, all of whose steps are done."""
        result = self.nvme(side, "setup", "--role", side, *words, "--apply", "-o", "json")
        assert result.status == 0, f"setup on the {side}: {result}"
        states = {step["state"] for step in result.json["steps"]}
        assert states <= {"done"}, f"setup on the {side}: {result.json['steps']}"
        return result.json

    def planned(self, side: str, *words: str) -> Any:
        """What setup would do."""
        result = self.nvme(side, "setup", "--role", side, *words, "-o", "json")
        assert result.status == 0, result
        return result.json

    def attach(self, portal: str, count: int = 2, **how: Any) -> None:
        """A controller whose queues are connections of the host's agent."""
        source = self.net.connect(portal, count, **how)
        self.portal, self.how = portal, {"count": count, **how}
        address = f"traddr={portal},trsvcid={PORT}"
        if how.get("source"):
            address += f",host_traddr={how['source']}"
        if how.get("device"):
            address += f",host_iface={how['device']}"
        subsystem = self.fakes["host"].subsystem(0, NQN)
        subsystem.controller(0, "mptcp", f"{address},src_addr={source}", queue_count=count)

    def connect(self, portal: str, count: int = 2, **how: Any) -> None:
        """The target listens on all addresses, and a controller is attached."""
        self.offer(anywhere(portal))
        self.attach(portal, count, **how)

    def attach_also(self, portal: str, nqn: str) -> None:
        """Another controller, of another agent's connections."""
        agent = self.net.agent("host", "host")
        source = agent.ask("connect", address=portal, port=PORT)["local"][0]
        address = f"traddr={portal},trsvcid={PORT},src_addr={source}"
        subsystem = self.fakes["host"].subsystem(1, nqn)
        subsystem.controller(1, "mptcp", address, queue_count=2)

    def reattach(self) -> None:
        """What nvme reset does: end the queues, and connect them anew."""
        self.net.disconnect()
        self.net.connect(self.portal, **self.how)

    def check(self, side: str, *words: str) -> tuple[int, list[Finding]]:
        """Exit status and findings; the status has to be that of the worst finding."""
        return self.check_in(side, side, *words)

    def check_in(self, side: str, role: str, *words: str) -> tuple[int, list[Finding]]:
        """The same in a namespace that is neither."""
        result = self.nvme(side, "check", "--role", role, *QUICK, *words, "-o", "json")
        assert result.status in (0, 1, 2), f"check on the {side}: {result}"
        findings = result.json["findings"]
        severities = {finding["severity"] for finding in findings}
        worst = 2 if "error" in severities else 1 if "warning" in severities else 0
        assert result.status == worst, f"status {result.status}:\n{shown(findings)}"
        return result.status, findings

    def trial(self, portal: str, *words: str) -> tuple[list[Finding], Any]:
        """Findings before connecting, and what the trial saw."""
        words = ("check", "--role", "host", "--traddr", portal, *QUICK, *words, "-o", "json")
        result = self.nvme("host", *words)
        assert result.status in (0, 1, 2), f"trial: {result}"
        return result.json["findings"], result.json["trial"]

    def checked(self, how: str, *words: str) -> list[Finding]:
        """Findings of the host's check, with the target's report if @how is peer."""
        peer = ["--peer", str(self.report("target"))] if how == "peer" else []
        return self.check("host", *words, *peer)[1]

    def found_by(
        self, how: str, portal: str, seconds: float = 1, *, offered: bool = False
    ) -> list[Finding]:
        """What a trial finds, or check (see checked) so long after connecting.

        The target listens on all addresses, unless something is offered already.
        """
        if not offered:
            self.offer(anywhere(portal))
        if how == "trial":
            return self.trial(portal)[0]
        self.attach(portal)
        if seconds:
            self.net.settles((), lambda now: False, seconds)
        return self.checked(how)

    def report(self, side: str, outside: bool = False) -> Path:
        """The file that the other side's check reads."""
        path = self.directory / f"{side}.json"
        result = self.nvme(side, "report", *QUICK, "-O", str(path), outside=outside)
        assert (result.status, result.err) == (0, ""), f"report on the {side}: {result}"
        return path

    def clean(self, portal: str = "", words: Sequence[str] = ()) -> None:
        """No side finds anything, with the other's report and without; nor does a trial."""
        if portal:
            findings, _ = self.trial(portal)
            assert rules(findings) == [], shown(findings)
        for side, other in (("host", "target"), ("target", "host")):
            for peer in ([], ["--peer", str(self.report(other))]):
                status, findings = self.check(side, *words, *peer)
                assert status == 0, f"check {peer[:1]} on the {side}:\n{shown(findings)}"

    def commands(self, findings: list[Finding]) -> list[tuple[str, str]]:
        """Side and text of what findings print, each command once, in the order printed."""
        found = [(fix["side"], fix["command"]) for f in findings for fix in f["fix"]]
        return list(dict.fromkeys(found))

    def obey(self, findings: list[Finding]) -> list[tuple[str, str]]:
        """Run all that is printed, as it is; queues are connected anew where it asks for that."""
        printed = self.commands(findings)
        for side, command in printed:
            if command.startswith(("nvme reset", "nvme connect")):
                self.reattach()
                continue
            done = subprocess.run(
                ["ip", "netns", "exec", self.net.name(side), *HIDE, "sh", "-ec", command],
                capture_output=True,
                text=True,
                timeout=30,
                env=self.environment(side),
            )
            assert done.returncode == 0, f"{side}# {command}: {done.stderr or done.stdout}"
        return printed
