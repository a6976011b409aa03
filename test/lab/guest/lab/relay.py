# SPDX-License-Identifier: GPL-2.0-or-later
"""Run relays between the kernel's nvme-tcp and nvmet-tcp."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from .bench import Lab
from .system import network_namespace


class Relay:
    """A running relay of one side."""

    def __init__(self, namespace: str | None, *options: str) -> None:
        with network_namespace(namespace):
            self.process = subprocess.Popen(
                ["nvme", "mptcp", "relay", *options],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
        self.lines: list[str] = []
        self.is_killed = False
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            if "Relaying" in line:
                return
        raise AssertionError(f"the relay ended: {''.join(self.lines)}")

    def reload(self) -> str:
        """Reload it, and return its messages until it runs again."""
        assert self.process.stdout
        self.process.send_signal(signal.SIGHUP)
        said = ""
        for line in self.process.stdout:
            self.lines.append(line)
            said += line
            if "Relaying" in line:
                break
        return said

    def end(self) -> int:
        """End it like a service manager."""
        self.process.terminate()
        return self.process.wait(30)

    def kill(self) -> None:
        """Kill it without a chance to clean up."""
        self.is_killed = True
        self.process.kill()
        self.process.wait()


@contextmanager
def running(lab: Lab, namespace: str | None, *options: str) -> Iterator[Relay]:
    """Run a relay; disconnect the host before the relay ends."""
    relay = Relay(namespace, *options)
    try:
        yield relay
        lab.host.disconnect_all()
        assert relay.is_killed or relay.end() == 0
    finally:
        relay.kill()


@contextmanager
def relays(lab: Lab, portal: str = "10.1.1.1:4420") -> Iterator[tuple[Relay, Relay]]:
    """Run a relay on each side; remove everything else before they end."""
    with (
        running(lab, "target", "--port", "4420") as target,
        running(lab, None, "--portal", portal) as host,
    ):
        yield host, target
