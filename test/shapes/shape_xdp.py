# SPDX-License-Identifier: LGPL-2.1-or-later
"""Have an interface drop TCP over IPv4 to a port, by an XDP program: shape_xdp.py IFACE PORT."""

import ctypes
import os
import platform
import socket
import struct
import sys

BPF = {"x86_64": 321, "aarch64": 280}[platform.machine()]
BPF_PROG_LOAD, BPF_PROG_TYPE_XDP = 5, 6
XDP_DROP, XDP_PASS = 1, 2
RTM_SETLINK, NLM_F_REQUEST_ACK = 19, 5
IFLA_XDP, IFLA_XDP_FD = 43 | 0x8000, 1


def program(port: int) -> bytes:
    """The program (linux/bpf.h): code, registers, offset of a jump or load, immediate value."""
    lines = (
        (0x61, 0x12, 0, 0),  # r2 = data
        (0x61, 0x13, 4, 0),  # r3 = data_end
        (0xBF, 0x24, 0, 0),  # r4 = r2 + 38
        (0x07, 0x04, 0, 38),
        (0xB7, 0x00, 0, XDP_PASS),
        (0x2D, 0x34, 5, 0),  # shorter: pass
        (0x71, 0x24, 23, 0),  # r4 = protocol
        (0x55, 0x04, 3, socket.IPPROTO_TCP),  # another: pass
        (0x69, 0x24, 36, 0),  # r4 = destination port
        (0x55, 0x04, 1, socket.htons(port)),  # another: pass
        (0xB7, 0x00, 0, XDP_DROP),
        (0x95, 0, 0, 0),
    )
    return b"".join(struct.pack("<BBhi", *line) for line in lines)


def load(code: bytes) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    text, license_ = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"GPL")
    words = struct.pack(
        "<IIQQ", BPF_PROG_TYPE_XDP, len(code) // 8,
        ctypes.addressof(text), ctypes.addressof(license_),
    ).ljust(48, b"\0")  # fmt: skip
    fd: int = libc.syscall(BPF, BPF_PROG_LOAD, ctypes.create_string_buffer(words, 48), 48)
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


def attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", 4 + len(data), kind) + data


def attach(device: str, fd: int) -> None:
    body = struct.pack("<BxHiII", 0, 0, socket.if_nametoindex(device), 0, 0)
    body += attribute(IFLA_XDP, attribute(IFLA_XDP_FD, struct.pack("<i", fd)))
    head = struct.pack("<IHHII", 16 + len(body), RTM_SETLINK, NLM_F_REQUEST_ACK, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as netlink:
        netlink.send(head + body)
        (error,) = struct.unpack_from("<i", netlink.recv(4096), 16)
    if error:
        raise OSError(-error, os.strerror(-error))


if __name__ == "__main__":
    attach(sys.argv[1], load(program(int(sys.argv[2]))))
