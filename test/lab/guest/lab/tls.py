# SPDX-License-Identifier: GPL-2.0-or-later
"""Run tlshd for TLS on kernel sockets, and capture the frames on the wire."""

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

#: The low bits of a netlink port are the process ID; the library puts a number above them.
PROCESS_BITS = (1 << 22) - 1

#: Seconds between the creation of its socket, which is visible, and its joining of the multicast
#: group, which is not.
JOINING_SECONDS = 1.0


def _listens(process: subprocess.Popen[bytes]) -> bool:
    """Return whether tlshd has the socket that receives the kernel's handshake requests."""
    if process.poll() is not None:
        raise AssertionError(f"{TLSHD} ended with status {process.returncode}")
    _, *lines = Path(f"/proc/{process.pid}/net/netlink").read_text().splitlines()
    rows = [line.split() for line in lines]
    return any(
        int(row[1]) == NETLINK_GENERIC and int(row[2]) & PROCESS_BITS == process.pid for row in rows
    )


@contextlib.contextmanager
def handshakes(topology: Topology, of_host: str = ".nvme") -> Iterator[None]:
    """Run tlshd for the host, with keys from the keyring ``of_host``, and for the target.

    The target's keyring is .nvme.
    """
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
    """Capture of frames on the first link, at the target's end.

    With ``everywhere``: frames on any link, and from the target to itself.
    """

    def __init__(self, topology: Topology, *, everywhere: bool = False) -> None:
        with network_namespace(topology.namespace("target")):
            self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self._socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
        if not everywhere:
            self._socket.bind((interface("target", 1), ETH_P_ALL))
        self._socket.setblocking(False)

    def close(self) -> None:
        self._socket.close()

    def read(self) -> bytes:
        """Return the frames since the last call."""
        frames = []
        with contextlib.suppress(BlockingIOError):
            while True:
                frames.append(self._socket.recv(1 << 17))
        return b"".join(frames)
