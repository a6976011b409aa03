# SPDX-License-Identifier: GPL-2.0-or-later
"""The cache: files named after a digest of their input, built once, replaced atomically."""

import argparse
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KEEP_UNUSED_DAYS = 30


def default_dir() -> Path:
    """Return the default cache directory, without --cache."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "nvme-mptcp-lab"


def add_option(top: argparse.ArgumentParser, what: str = "roots") -> None:
    """Add --cache to the options of a program."""
    top.add_argument(
        "--cache", type=Path, default=default_dir(), metavar="DIR",
        help=f"where {what} are kept (%(default)s)",
    )  # fmt: skip


def key_of(*parts: str | bytes) -> str:
    """Return a digest of a file's inputs; the borders between the parts count."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:16]


def tree_key(top: Path) -> str:
    """Return a digest of a tree: names, sizes, times and link targets of its files."""
    lines = []
    for directory, subdirectories, names in os.walk(top):
        subdirectories.sort()
        for name in sorted(names):
            path = Path(directory, name)
            info = path.lstat()
            target = os.readlink(path) if path.is_symlink() else ""
            lines.append(f"{path.relative_to(top)}\0{info.st_size}\0{info.st_mtime_ns}\0{target}\n")
    return key_of("".join(lines))


class Cache:
    """A directory of built files. One builder at a time; readers need no lock."""

    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the lock ``name`` of this cache; wait while another process has it."""
        with open(self.top / f"{name}.lock", "w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield a temporary directory on the file system of the results."""
        path = Path(tempfile.mkdtemp(prefix="scratch-", dir=self.top))
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def file(self, kind: str, key: str, suffix: str, build: Callable[[Path, Path], None]) -> Path:
        """Return the file ``kind``-``key``, made by ``build(target, scratch)`` if it is missing.

        A failed build leaves nothing behind. A new file removes those of its kind that were unused
        for a month.
        """
        path = self.top / f"{kind}-{key}{suffix}"
        with self.lock(kind):
            if not path.exists():
                with self.scratch() as scratch:
                    target = scratch / path.name
                    build(target, scratch)
                    target.rename(path)
                self._prune(kind, suffix)
            os.utime(path)
        return path

    def _prune(self, kind: str, suffix: str) -> None:
        now = time.time()
        for path in self.top.glob(f"{kind}-*{suffix}"):
            if path.stat().st_mtime < now - KEEP_UNUSED_DAYS * 86400:
                path.unlink()
        # left by a killed builder
        for path in self.top.glob("scratch-*"):
            if path.stat().st_mtime < now - 86400:
                shutil.rmtree(path, ignore_errors=True)
