# SPDX-License-Identifier: GPL-2.0-or-later
"""Access the guest's kernel: modules, network namespaces, and its log."""

import contextlib
import ctypes
import errno
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nvmelab.klog import MARK

CLONE_NEWNET = 0x40000000
SYS_FINIT_MODULE = 313
SYS_DELETE_MODULE = 176

CONFIGFS = Path("/sys/kernel/config")

SYSFS_OF_NVME = (
    "/sys/class/nvme", "/sys/class/nvme-subsystem",
    "/sys/devices/virtual/nvme-fabrics", "/sys/devices/virtual/nvme-subsystem",
)  # fmt: skip

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def copy_sysfs(into: Path, *, without: str) -> None:
    """Copy the NVMe-over-fabrics part of /sys, without attributes of one name.

    A program that is started with LIBNVME_SYSFS_PATH=``into`` then sees the sysfs of a kernel that
    does not have the attribute.
    """
    for top in SYSFS_OF_NVME:
        for directory, directories, files in os.walk(top):
            copy = into / Path(directory).relative_to("/")
            copy.mkdir(parents=True, exist_ok=True)
            for name in (*directories, *files):
                original = Path(directory, name)
                if original.is_symlink():
                    (copy / name).symlink_to(original.readlink())
                elif name in files and name != without:
                    # some are write-only, and a controller may disappear at any time
                    with contextlib.suppress(OSError):
                        (copy / name).write_bytes(original.read_bytes())


@contextmanager
def network_namespace(name: str | None) -> Iterator[None]:
    """Move this thread into a named network namespace; None is the guest's initial one."""
    if name is None:
        yield
        return
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        there = os.open(f"/run/netns/{name}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _check(_libc.setns(there, CLONE_NEWNET), f"entering network namespace {name}")
        finally:
            os.close(there)
        try:
            yield
        finally:
            _check(_libc.setns(home, CLONE_NEWNET), "leaving the network namespace")
    finally:
        os.close(home)


def _module_file(name: str) -> Path:
    """Find the file of a module without dependencies."""
    top = Path("/usr/lib/modules", platform.release())
    for line in (top / "modules.dep").read_text().splitlines():
        path = line.partition(":")[0]
        if Path(path).name == f"{name}.ko":
            return top / path
    raise FileNotFoundError(f"the guest's kernel has no module {name}")


def has_module(name: str) -> bool:
    """Return whether the guest's kernel has a module as a file."""
    try:
        _module_file(name)
    except FileNotFoundError:
        return False
    return True


def load_module(name: str, parameters: str = "") -> None:
    """Load a module without dependencies, with parameters, unless it is loaded."""
    fd = os.open(_module_file(name), os.O_RDONLY | os.O_CLOEXEC)
    try:
        result = _libc.syscall(SYS_FINIT_MODULE, fd, parameters.encode(), 0)
        if result < 0 and ctypes.get_errno() != errno.EEXIST:
            _check(result, f"loading {name}")
    finally:
        os.close(fd)


def unload_module(name: str) -> None:
    """Unload a module if it is loaded; fail if it is in use."""
    if Path("/sys/module", name).exists():
        flags = os.O_NONBLOCK
        _check(_libc.syscall(SYS_DELETE_MODULE, name.encode(), flags), f"unloading {name}")


def load_modules(*names: str) -> None:
    """Load modules with their dependencies, in one process."""
    subprocess.run(["modprobe", "-a", *names], check=True)


def mount_configfs() -> None:
    """Mount configfs if it is not mounted; the module configfs must be loaded."""
    if not any(CONFIGFS.iterdir()) and not os.path.ismount(CONFIGFS):
        result = _libc.mount(b"configfs", bytes(CONFIGFS), b"configfs", 0, None)
        _check(result, f"mounting {CONFIGFS}")


class KernelLog:
    """Reader of the kernel log, from the time of its creation on."""

    def __init__(self) -> None:
        self._fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.lseek(self._fd, 0, os.SEEK_END)

    def read(self) -> list[str]:
        """Return the messages since the last call."""
        lines: list[str] = []
        while True:
            try:
                record = os.read(self._fd, 8192)
            except BlockingIOError:
                return lines
            except BrokenPipeError:
                continue
            text = record.decode(errors="replace").partition(";")[2]
            lines.append(text.partition("\n")[0])

    def close(self) -> None:
        os.close(self._fd)


def mark(text: str) -> None:
    """Write a line to the kernel log, so that later messages can be attributed."""
    with open("/dev/kmsg", "w", encoding="utf-8") as log:
        log.write(f"{MARK}{text}\n")
