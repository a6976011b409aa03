# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp relay: the send buffer of a connection over a long link."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mptcp_net import PORT, enter
from test_mptcp_relay import LONG, Pair, Relay, pair
from test_mptcp_setup import wait_for

__all__ = ["pair"]

WMEM_MAX = Path("/proc/sys/net/core/wmem_max")

#: One end of a link with a delay in seconds: passes packets between a tun device and the other end.
END = """
import fcntl, os, queue, socket, struct, sys, threading, time
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"long", 0x1001))
other, delay = socket.socket(fileno=int(sys.argv[1])), float(sys.argv[2])
print("ready", flush=True)
arrived = queue.SimpleQueue()
def deliver():
    while True:
        due, packet = arrived.get()
        time.sleep(max(0, due - time.monotonic()))
        os.write(tun, packet)
def receive():
    while True:
        packet = other.recv(65536)
        arrived.put((time.monotonic() + delay, packet))
for what in (deliver, receive):
    threading.Thread(target=what, daemon=True).start()
while True:
    other.send(os.read(tun, 65536))
"""


@contextmanager
def long_link(pair: Pair, delay: float) -> Iterator[None]:
    """Between 10.78.1.2 and 10.78.1.1."""
    sockets = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    ends = []
    try:
        # Both are up before packets arrive: a device that is down refuses them.
        for side, last in ((pair.host, 2), (pair.target, 1)):
            pair.ip("tuntap", "add", "dev", "long", "mode", "tun", netns=side)
            pair.ip("address", "add", f"10.78.1.{last}/24", "dev", "long", netns=side)
            pair.ip("link", "set", "long", "mtu", "60000", "up", netns=side)
        for side, own in zip((pair.host, pair.target), sockets, strict=True):
            command = enter(side, sys.executable, "-c", END, str(own.fileno()), str(delay))
            end = subprocess.Popen(
                command, stdout=subprocess.PIPE, text=True, pass_fds=[own.fileno()]
            )
            ends.append(end)
            assert end.stdout and end.stdout.readline() == "ready\n"
        yield
    finally:
        for end in ends:
            end.kill()
            end.communicate()
        for own in sockets:
            own.close()


def send_buffer(pair: Pair) -> int:
    """The largest one of an MPTCP connection of the host, as the kernel counts it."""
    lines = pair.ss(pair.host, "-HtmniO", "state", "established").splitlines()
    found = [re.search(r"\btb(\d+)", line) for line in lines if "tcp-ulp-mptcp" in line]
    return max((int(m[1]) for m in found if m), default=0)


@pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="there are no tun devices")
def test_a_long_link_gets_more_buffer(pair: Pair) -> None:
    with long_link(pair, 0.02):
        pair.ip("mptcp", "endpoint", "flush", netns=pair.target)
        pair.listen("10.78.1.1")
        with (
            Relay(pair.target, "--port", str(PORT)),
            Relay(pair.host, "--portal", f"10.78.1.1:{PORT}") as host,
        ):
            # One that waits for its answers fills no buffer, and keeps what it had.
            asks = "c = connect(b'e')\nfor _ in range(50): c.sendall(bytes(4096)); read(c, 4096)"
            with pair.stays(asks, "10.78.1.1"):
                before = send_buffer(pair)
                assert before == 2 * min(256 * 1024, int(WMEM_MAX.read_text()))
                fills = "c = connect(b'd'); c.settimeout(60)\nwhile True: c.sendall(bytes(1 << 20))"
                filling = pair.client(fills, "10.78.1.1")
                wait_for(lambda: send_buffer(pair) >= 3 * before, LONG)
                filling.kill()
                filling.communicate()
            assert host.end() == 0
