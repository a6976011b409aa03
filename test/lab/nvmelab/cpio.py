# SPDX-License-Identifier: GPL-2.0-or-later
"""Write cpio archives in the "newc" format, which the kernel unpacks as its initramfs.

Format: Documentation/driver-api/early-userspace/buffer-format.rst. Metadata is fixed (owner root,
time 0), so equal contents give equal archives.
"""

import stat
from typing import BinaryIO

MAGIC = "070701"
TRAILER = "TRAILER!!!"


class Writer:
    """One archive on a binary stream; ``close`` ends it. Parents must be added before children."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._inode = 0

    def directory(self, name: str) -> None:
        self._entry(name, stat.S_IFDIR | 0o755, links=2)

    def file(self, name: str, content: bytes, mode: int = 0o644) -> None:
        self._entry(name, stat.S_IFREG | mode, content)

    def device(self, name: str, major: int, minor: int) -> None:
        """Add a character device, which needs no privileges in an archive."""
        self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def close(self) -> None:
        """Write the trailer; more archives may follow on the same stream."""
        self._inode = -1
        self._entry(TRAILER, 0)

    def _entry(
        self, name: str, mode: int, content: bytes = b"", *, links: int = 1,
        device: tuple[int, int] = (0, 0),
    ) -> None:  # fmt: skip
        path = name.encode()
        if b"\0" in path or name.startswith("/"):
            raise ValueError(f"cpio name {name!r} must be relative and hold no NUL")
        self._inode += 1
        fields = (
            self._inode, mode, 0, 0, links, 0, len(content),
            0, 0, *device, len(path) + 1, 0,
        )  # fmt: skip
        header = MAGIC + "".join(f"{field:08X}" for field in fields)
        self._padded(header.encode() + path + b"\0")
        self._padded(content)

    def _padded(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.write(bytes(-len(data) % 4))
