# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process inside a namespace of a shape: a target, or a host that holds connections.

Run as `python3 shape_agent.py target PROTOCOL PORT ADDRESS…` or `python3 shape_agent.py host`. It
prints one JSON document a line; the host reads one command a line (see Host.answer), and records by
which interface the SYN of each TCP connection left and the answer came.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import time
from typing import Any

MPTCP = 262
ETH_P_ALL = 3
PACKET_OUTGOING = 4

#: NVMe TCP Transport Specification: ICReq and ICResp, PFV 0, no digests, MAXH2CDATA 128 KiB.
ICREQ = bytes([0, 0, 128, 0, 128, 0, 0, 0]) + bytes(120)
ICRESP = bytes([1, 0, 128, 0, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]) + bytes(112)


def tell(document: Any) -> None:
    print(json.dumps(document), flush=True)


def family(address: str) -> int:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def take(connection: socket.socket, count: int) -> bytes:
    """Exactly so many bytes, or less at the end."""
    got = b""
    while len(got) < count and (data := connection.recv(count - len(got))):
        got += data
    return got


def serve(connection: socket.socket) -> None:
    """Answer ICReq, then take whatever comes until the other side ends it."""
    try:
        if take(connection, 128) == ICREQ:
            connection.sendall(ICRESP)
            while connection.recv(65536):
                pass
    except OSError:
        pass
    finally:
        connection.close()


def listen(address: str, protocol: int, port: int) -> None:
    """Accept connections at an address for ever."""
    listener = socket.socket(family(address), socket.SOCK_STREAM, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(128)

    def accept() -> None:
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def parse_syn(packet: bytes) -> tuple[str, int, str, int, int, int] | None:
    """Source, destination, flags and sequence number of a TCP SYN, from an IP packet."""
    if packet[:1] and packet[0] >> 4 == 4 and packet[9:10] == b"\x06":
        source = socket.inet_ntop(socket.AF_INET, packet[12:16])
        destination = socket.inet_ntop(socket.AF_INET, packet[16:20])
        segment = packet[(packet[0] & 15) * 4 :]
    elif packet[:1] and packet[0] >> 4 == 6 and packet[6:7] == b"\x06":
        source = socket.inet_ntop(socket.AF_INET6, packet[8:24])
        destination = socket.inet_ntop(socket.AF_INET6, packet[24:40])
        segment = packet[40:]
    else:
        return None
    if len(segment) < 14 or not segment[13] & 2:
        return None
    from_port, to_port, sequence = struct.unpack("!HHI", segment[:8])
    return source, from_port, destination, to_port, segment[13], sequence


class Wires:
    """By which interfaces SYNs went out, and by which their answers came in."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, list[str]]] = {}
        self.begun: dict[str, int] = {}
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self) -> None:
        while True:
            packet, (name, _, kind, *_rest) = self.tap.recvfrom(256)
            if not (syn := parse_syn(packet)):
                continue
            source, from_port, destination, to_port, flags, sequence = syn
            if kind == PACKET_OUTGOING and not flags & 16:
                key, way = f"{source} {from_port} {destination} {to_port}", "out"
            elif kind != PACKET_OUTGOING and flags & 16:
                key, way = f"{destination} {to_port} {source} {from_port}", "in"
            else:
                continue
            # A later connection between the same ports: the kernel chooses them at random.
            if way == "out" and self.begun.get(key) != sequence:
                self.begun[key] = sequence
                self.seen.pop(key, None)
            names = self.seen.setdefault(key, {"out": [], "in": []})[way]
            if name not in names:
                names.append(name)


class Host:
    """Holds connections, like the queues of a controller."""

    def __init__(self) -> None:
        self.wires = Wires()
        self.open: list[socket.socket] = []

    def connect(
        self, address: str, port: int, count: int = 2, source: str = "", device: str = ""
    ) -> dict[str, Any]:
        """Connect so many queues, and exchange ICReq and ICResp on each."""
        made = []
        for _ in range(count):
            queue = socket.socket(family(address), socket.SOCK_STREAM, MPTCP)
            queue.settimeout(5)
            if device:
                queue.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
            if source:
                queue.bind((source, 0))
            queue.connect((address, port))
            queue.sendall(ICREQ)
            if take(queue, 128) != ICRESP:
                raise OSError("no ICResp")
            queue.sendall(bytes(1000))
            made.append(queue)
        self.open += made
        return {"local": [queue.getsockname()[0] for queue in made]}

    def send(self, count: int, seconds: float) -> dict[str, Any]:
        """Send @count bytes on each queue, all at once, for at most @seconds; how many went."""
        deadline = time.monotonic() + seconds
        sent = [0] * len(self.open)

        def pour(i: int, queue: socket.socket) -> None:
            queue.settimeout(0.2)
            while sent[i] < count and time.monotonic() < deadline:
                try:
                    sent[i] += queue.send(bytes(min(65536, count - sent[i])))
                except TimeoutError:
                    continue
                except OSError:
                    return

        threads = [
            threading.Thread(target=pour, args=(i, queue)) for i, queue in enumerate(self.open)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"sent": sent}

    def close(self) -> dict[str, Any]:
        """End all of them with a reset, so that nothing is left behind."""
        for queue in self.open:
            queue.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            queue.close()
        self.open.clear()
        return {}

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """{"do": "connect" | "send" | "close" | "wires", …}."""
        what = command.pop("do")
        if what == "wires":
            return dict(self.wires.seen)
        done: dict[str, Any] = getattr(self, what)(**command)
        return done


def main(arguments: list[str]) -> None:
    if arguments[0] == "target":
        for address in arguments[3:]:
            listen(address, int(arguments[1]), int(arguments[2]))
        tell({"ready": True})
        sys.stdin.read()
        return
    host = Host()
    tell({"ready": True})
    for line in sys.stdin:
        try:
            tell(host.answer(json.loads(line)))
        except OSError as error:
            tell({"error": str(error)})


if __name__ == "__main__":
    main(sys.argv[1:])
