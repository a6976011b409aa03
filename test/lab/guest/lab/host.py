# SPDX-License-Identifier: GPL-2.0-or-later
"""The host of a lab: the project's nvme command, the kernel's interfaces, and I/O."""

import contextlib
import errno
import json
import mmap
import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nvmelab import fio
from nvmelab.counted import parse_subflows
from nvmelab.waiting import LabTimeout, wait_until

from .network import Network
from .system import network_namespace

HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:1ab00000-0000-4000-8000-000000000001"
HOST_ID = "1ab00000-0000-4000-8000-000000000001"

FABRICS = Path("/dev/nvme-fabrics")
CONTROLLERS = Path("/sys/class/nvme")
BUILD = "/build"
REFERENCE_ROOT = Path("/opt/reference")
REFERENCE = str(REFERENCE_ROOT / "nvme")


class CommandFailed(AssertionError):
    """A command ended with an unexpected status; the message contains its output."""

    def __init__(self, done: subprocess.CompletedProcess[str], expected: int) -> None:
        super().__init__(
            f"{shlex.join(done.args)}: exit status {done.returncode}, expected {expected}\n"
            f"stdout: {done.stdout or '(empty)'}\nstderr: {done.stderr or '(empty)'}"
        )
        self.done = done


@dataclass(frozen=True)
class Controller:
    """A controller in sysfs."""

    name: str

    @property
    def directory(self) -> Path:
        return CONTROLLERS / self.name

    def attribute(self, name: str) -> str:
        """Return the text of an attribute, or "" if it does not exist."""
        try:
            return (self.directory / name).read_text().strip()
        except OSError:
            return ""

    @property
    def state(self) -> str:
        """Return live, connecting, deleting, …; "" after the controller is gone."""
        return self.attribute("state")

    @property
    def exists(self) -> bool:
        return self.directory.exists()

    def wait_for(self, state: str, timeout: float = 20.0) -> None:
        wait_until(lambda: self.state == state, f"{self.name} in state {state}", timeout)

    def delete(self) -> None:
        """Disconnect it; errors are ignored if it is being deleted already."""
        with contextlib.suppress(OSError):
            (self.directory / "delete_controller").write_text("1")


@dataclass(frozen=True)
class Subflow:
    """A TCP subflow in the output of ss; ``token`` is its connection's local token."""

    local: str
    remote: str
    token: str
    state: str


def _wants_json(arguments: Sequence[str]) -> bool:
    text = " ".join(arguments)
    return bool(re.search(r"(?:^|\s)(?:-o\s*|--output-format[= ])json\b", text))


def can_open(node: Path) -> bool:
    """Return whether the disk exists; other errors are left to its user."""
    try:
        os.close(os.open(node, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno not in (errno.ENXIO, errno.ENOENT)
    return True


class Host:
    """The host side of a lab."""

    def __init__(self, network: Network) -> None:
        self.network = network

    @property
    def namespace(self) -> str | None:
        """Return the host's network namespace; None is the guest's initial one."""
        return self.network.topology.namespace("host")

    # Commands

    def command(
        self, arguments: str | Sequence[str], *, status: int | None = 0, timeout: float = 90.0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program on the host; with ``status`` None, any exit status is accepted."""
        words = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
        if not shutil.which(words[0]):
            raise FileNotFoundError(f"{words[0]}: not in the guest; `make` fills {BUILD}")
        with network_namespace(self.namespace):
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                check=False,
            )
        if status is not None and done.returncode != status:
            raise CommandFailed(done, status)
        return done

    def nvme(self, arguments: str | Sequence[str], *, timeout: float = 90.0) -> Any:
        """Run the project's nvme, which must succeed.

        Return its standard output: parsed if the arguments ask for JSON, else as text.
        """
        words = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
        done = self.command(["nvme", *words], timeout=timeout)
        return json.loads(done.stdout) if _wants_json(words) else done.stdout

    def nvme_fails(
        self, arguments: str | Sequence[str], *, status: int = 1, timeout: float = 90.0
    ) -> str:
        """Run the project's nvme, which must fail, and return its standard error."""
        words = shlex.split(arguments) if isinstance(arguments, str) else list(arguments)
        return self.command(["nvme", *words], status=status, timeout=timeout).stderr

    def reference(self, arguments: str, *, status: int = 0) -> Any:
        """Run Debian's nvme, as a black box for comparison; the result is like that of ``nvme``."""
        words = shlex.split(arguments)
        done = self.command([REFERENCE, *words], status=status)
        return json.loads(done.stdout) if _wants_json(words) else done.stdout

    def check(self, arguments: str = "") -> list[dict[str, Any]]:
        """Return the findings of nvme mptcp check, which determine its exit status."""
        done = self.command(f"nvme mptcp check {arguments} -o json", status=None)
        findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
        return findings

    def connections(self) -> list[dict[str, Any]]:
        """Return the connections of all controllers, from show-subflows."""
        document = self.nvme("mptcp show-subflows -o json")
        return [c for controller in document["controllers"] for c in controller["connections"]]

    def carried(self) -> list[list[str]]:
        """Return the links on which each connection has an established subflow."""
        return [
            sorted(s["link"] for s in connection["subflows"] if s["state"] == "ESTAB")
            for connection in self.connections()
        ]

    # Interfaces of the kernel

    def connect(
        self, nqn: str, transport: str = "mptcp", traddr: str = "10.1.1.1", trsvcid: int = 4420,
        **options: object,
    ) -> Controller:  # fmt: skip
        """Connect by writing to /dev/nvme-fabrics directly.

        Options have the kernel's names (with underscores); True is an option without a value.
        """
        given: dict[str, object] = {
            "nqn": nqn, "transport": transport, "traddr": traddr, "trsvcid": trsvcid,
            "hostnqn": HOST_NQN, "hostid": HOST_ID, **options,
        }  # fmt: skip
        words = [name if value is True else f"{name}={value}" for name, value in given.items()]
        with network_namespace(self.namespace), open(FABRICS, "r+b", buffering=0) as fabrics:
            fabrics.write(",".join(words).encode())
            answer = fabrics.read(4096).decode()
        found = re.search(r"instance=(\d+)", answer)
        if not found:
            raise AssertionError(f"{FABRICS} answered {answer!r}")
        return Controller(f"nvme{found[1]}")

    def controllers(self) -> list[Controller]:
        """Return the existing controllers, in numeric order."""
        if not CONTROLLERS.exists():
            return []
        names = [path.name for path in CONTROLLERS.iterdir()]
        return [Controller(name) for name in sorted(names, key=lambda n: int(n[4:]))]

    def disconnect_all(self, timeout: float = 30.0) -> None:
        """Delete all fabrics controllers through sysfs, and wait until they are gone."""

        def connected() -> list[Controller]:
            return [c for c in self.controllers() if c.attribute("transport") != "pcie"]

        for controller in connected():
            controller.delete()
        wait_until(lambda: not connected(), "all controllers gone", timeout)

    def disk(self, nqn: str, nsid: int = 1, timeout: float = 10.0) -> Path:
        """Return the block device of a namespace, after waiting until it exists."""

        def find() -> Path | None:
            for subsystem in Path("/sys/class/nvme-subsystem").iterdir():
                if (subsystem / "subsysnqn").read_text().strip() != nqn:
                    continue
                for head in subsystem.glob("nvme*n*"):
                    node = Path("/dev", head.name)
                    # the directory appears before its attributes and device node, and the node
                    # before the kernel allows opening it (ENXIO; device_add_disk())
                    with contextlib.suppress(FileNotFoundError):
                        if (head / "nsid").read_text().strip() == str(nsid) and can_open(node):
                            return node
            return None

        return wait_until(find, f"namespace {nsid} of {nqn}", timeout)

    def subflows(self, port: int = 4420) -> list[Subflow]:
        """Return the established subflows to a port, from ss and not from this project's code."""
        output = self.network.run(
            "host", "ss", "-HtniO", "state", "established", f"( dport = :{port} )"
        )
        return [
            Subflow(local, remote, token, "established")
            for local, remote, token in parse_subflows(output)
        ]

    def subflows_per_connection(self, port: int = 4420) -> dict[str, int]:
        """Return the number of subflows of each MPTCP connection, by token."""
        return dict(Counter(subflow.token for subflow in self.subflows(port)))

    def wait_for_subflows(
        self, count: int, connections: int, port: int = 4420, timeout: float = 20.0
    ) -> dict[str, int]:
        """Wait until there are ``connections`` connections with ``count`` subflows each."""

        def complete() -> dict[str, int] | None:
            found = self.subflows_per_connection(port)
            right = len(found) == connections and set(found.values()) == {count}
            return found if right else None

        what = f"{connections} connections of {count} subflows"
        try:
            return wait_until(complete, what, timeout, pause=0.2)
        except LabTimeout as error:
            counters = {
                name: value
                for name, value in self.network.mptcp_counters("host").items()
                if value and name.startswith(("MPJoin", "AddAddr", "EchoAdd", "Rm", "MPRst"))
            }
            now = self.subflows_per_connection(port)
            raise LabTimeout(f"{error}; now: {now}; the host's counters: {counters}") from None

    # I/O

    def write(self, disk: Path, data: bytes, offset: int = 0) -> None:
        """Write whole 4 KiB blocks with O_DIRECT."""
        self._direct(disk, os.O_WRONLY, data, offset)

    def read(self, disk: Path, size: int, offset: int = 0) -> bytes:
        """Read whole 4 KiB blocks with O_DIRECT."""
        return self._direct(disk, os.O_RDONLY, bytes(size), offset)

    def verify(self, disk: Path, size: int = 1 << 20, offset: int = 0) -> None:
        """Write random data, and read it back."""
        data = os.urandom(size)
        self.write(disk, data, offset)
        if self.read(disk, size, offset) != data:
            raise AssertionError(f"{disk}: not what was written, in {size} bytes at {offset}")

    def _direct(self, disk: Path, mode: int, data: bytes, offset: int) -> bytes:
        fd = os.open(disk, mode | os.O_DIRECT | os.O_CLOEXEC)
        try:
            # O_DIRECT requires aligned memory, such as an anonymous mapping
            with mmap.mmap(-1, len(data)) as memory:
                memory[:] = data
                if mode == os.O_WRONLY:
                    moved = os.pwritev(fd, [memory], offset)
                else:
                    moved = os.preadv(fd, [memory], offset)
                if moved != len(data):
                    raise AssertionError(f"{disk}: {moved} of {len(data)} bytes at {offset}")
                return bytes(memory)
        finally:
            os.close(fd)

    def fio(self, disk: Path, **options: object) -> dict[str, Any]:
        """Run one fio job on a disk, and return that job's part of fio's JSON.

        Options have fio's names (with underscores), and replace the defaults of nvmelab.fio.
        """
        done = self.command(fio.command(disk, options), timeout=fio.limit(options))
        job = fio.job_of(done.stdout)
        if job["error"]:
            raise AssertionError(f"fio on {disk}: error {job['error']}\n{done.stderr}")
        return job

    def read_speed(self, disk: Path, **options: object) -> float:
        """Return fio's read throughput in MiB/s."""
        return float(self.fio(disk, **options)["read"]["bw_bytes"]) / (1 << 20)
