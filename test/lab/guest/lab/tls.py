# SPDX-License-Identifier: GPL-2.0-or-later
"""TLS of the kernel's own sockets: tlshd shakes hands, and a tap shows what is on the wire."""

from __future__ import annotations

import contextlib
import functools
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from nvmelab.waiting import wait_until

from .network import SIDES, Topology, interface
from .system import load_modules, network_namespace

TLSHD = "/opt/tlshd/tlshd"
CONFIG = "/tmp/tlshd-{}.conf"

#: include/uapi/linux/netlink.h, if_ether.h and include/uapi/asm-generic/socket.h
NETLINK_GENERIC = 16
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33

#: A port of netlink is the process in these bits, and a number of the library's above them.
PROCESS_BITS = (1 << 22) - 1

#: Between its socket, which can be seen, and its joining the group of requests, which cannot.
JOINING_SECONDS = 1.0


def _listens(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has the socket that the kernel's requests for handshakes come to."""
    if process.poll() is not None:
        raise AssertionError(f"{TLSHD} ended with status {process.returncode}")
    _, *lines = Path(f"/proc/{process.pid}/net/netlink").read_text().splitlines()
    rows = [line.split() for line in lines]
    return any(
        int(row[1]) == NETLINK_GENERIC and int(row[2]) & PROCESS_BITS == process.pid for row in rows
    )


@contextlib.contextmanager
def handshakes(topology: Topology, of_host: str = ".nvme") -> Iterator[None]:
    """Runs tlshd for the host, which takes keys from that keyring, and for the target (.nvme)."""
    load_modules("tls", "nvme-keyring")
    running = []
    try:
        for side, keyring in zip(SIDES, (of_host, ".nvme"), strict=True):
            config = Path(CONFIG.format(side))
            config.write_text(f"[debug]\nloglevel=1\n[authenticate]\nkeyrings={keyring}\n")
            with network_namespace(topology.namespace(side)):
                running.append(subprocess.Popen([TLSHD, "-s", "-c", str(config)]))
        for process in running:
            wait_until(functools.partial(_listens, process), "tlshd listens", 20)
        time.sleep(JOINING_SECONDS)
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


class Tap:
    """The frames that pass the first link, at its end at the target.

    ``everywhere``: those that pass any link, and those that the target sends to itself.
    """

    def __init__(self, topology: Topology, *, everywhere: bool = False) -> None:
        with network_namespace(topology.namespace("target")):
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self._socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
        if not everywhere:
            self._socket.bind((interface("target", 1), ETH_P_ALL))
        self._socket.setblocking(False)

    def close(self) -> None:
        """Ends it."""
        self._socket.close()

    def read(self) -> bytes:
        """Returns what passed since the last call."""
        frames = []
        with contextlib.suppress(BlockingIOError):
            while True:
                frames.append(self._socket.recv(1 << 17))
        return b"".join(frames)
