# SPDX-License-Identifier: GPL-2.0-or-later
"""Two machines in directories, and an `ssh` that leads to them, for the tests of `make compare`.

Programs, /sys, configfs and devices are stand-ins; the agent, its protocol and its sockets are
real.
"""

import json
import os
import socket
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TESTS = HERE.parents[1]
BUILD = Path(os.environ.get("BUILD", TESTS.parent / "build"))

PROGRAMS = ("nvme-mptcp", "ip", "ss", "modprobe", "rmmod", "modinfo", "fio")
TRADDRS = ("127.0.0.21", "127.0.0.22")
SOURCES = ("127.0.0.11", "127.0.0.12")
OTHERS = {"id": 3, "address": "192.0.2.1", "flags": ["subflow"], "subflows": 4}
LIMITS = {"subflows": 2, "add_addr_accepted": 0}

SSH = """\
#!/bin/sh
# Leads to a directory; what it is told is noted.
printf '%s\\n' "$@" >>{top}/ssh.log
while [ "$1" != -- ]; do shift; done
name=$2
if [ -e {top}/$name.refused ]; then cat {top}/$name.refused >&2; exit 255; fi
export THREAD_ROOT={top}/$name PYTHONPATH={top}/site:{build}/python:{python}
export PATH={top}/bin:/usr/bin:/bin THREAD_SILENCE=${{THREAD_SILENCE:-60}}
echo $$ >{top}/$name.pid
exec sh -c "exec $3"
"""

ID = """\
#!/bin/sh
cat {top}/id
"""

SUDO = """\
#!/bin/sh
echo "sudo: a password is required" >&2
exit 1
"""

#: What the kernel does in an agent's machine: configfs, and controllers that go when told to. Their
#: subsystem is gone once the last one is; the lock keeps it from one that is just being connected.
SITE = """\
import fcntl, os, sys, threading, time, shutil
from pathlib import Path
if "-c" in sys.orig_argv and "THREAD_ROOT" in os.environ:
    root = Path(os.environ["THREAD_ROOT"])
    def let_go():
        going = {p.parent for p in root.glob("sys/class/nvme/*/delete_controller")
                 if p.stat().st_size}
        if not {p.parent for p in root.glob("sys/class/nvme/*/subsysnqn")} - going:
            shutil.rmtree(root / "sys/class/nvme-subsystem/nvme-subsys7", ignore_errors=True)
        for path in going:
            shutil.rmtree(path, ignore_errors=True)
    def watch():
        while True:
            with open(root / "kernel.lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                let_go()
            time.sleep(0.02)
    threading.Thread(target=watch, daemon=True).start()
    if sys.orig_argv[-2] == "target":
        sys.path.append({python!r})
        from fake_configfs import FakeConfigfs
        from libnvme import nvmet
        fake = FakeConfigfs.__new__(FakeConfigfs)
        fake.root = root / "sys/kernel/config/nvmet"
        nvmet._mkdir, nvmet._rmdir = fake.mkdir, fake.rmdir
"""


class Machine:
    """A machine in a directory."""

    def __init__(self, root: Path, links: tuple[str, ...], own: tuple[str, ...]) -> None:
        self.root = root
        files = {
            "proc/modules": "nvme 1 0\nnvme_core 1 0\n",
            "proc/meminfo": "MemTotal: 4000000 kB\nMemAvailable:    2000000 kB\n",
            "proc/stat": "cpu  100 0 50 700 100 20 30 0 9 9\n",
            "proc/cpuinfo": "model name\t: Test  CPU\n",
            "proc/net/snmp": "Tcp: OutSegs RetransSegs\nTcp: 10 1\n",
            "proc/net/netstat": "TcpExt: TCPTimeouts\nTcpExt: 1\nMPTcpExt: MPTCPRetrans\n"
            "MPTcpExt: 2\n",
            "proc/sys/net/mptcp/enabled": "1\n",
            "proc/sys/net/mptcp/scheduler": "default\n",
            "proc/sys/net/mptcp/add_addr_timeout": "120\n",
            "etc/os-release": 'PRETTY_NAME="Test 1"\n',
            "sys/module/nvme_core/parameters/multipath": "Y\n",
            "dev/ram0": "",
            "dev/nvme0n1": "somebody's data",
            "mptcp.json": json.dumps({"endpoints": [OTHERS], "limits": LIMITS}),
            "addresses.json": json.dumps(
                [
                    {"ifname": name, "addr_info": [{"local": address}]}
                    for name, address in zip(links, own, strict=True)
                ]
            ),
            "routes.json": json.dumps(
                {
                    traddr: {"dev": name, "prefsrc": source}
                    for traddr, name, source in zip(TRADDRS, links, SOURCES, strict=True)
                }
            ),
            "plan.json": json.dumps(
                {
                    "links": dict(zip(links, own, strict=True)),
                    "limits": {"subflows": 8, "add_addr_accepted": 4},
                    "steps": [],
                }
            ),
        }
        for name in links:
            for way in ("rx", "tx"):
                files[f"sys/class/net/{name}/statistics/{way}_bytes"] = "1000\n"
            files[f"sys/class/net/{name}/speed"] = "1000\n"
            files[f"sys/class/net/{name}/mtu"] = "1500\n"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        for path in ("run", "sys/class/nvme", "sys/class/nvme-subsystem"):
            (root / path).mkdir(parents=True, exist_ok=True)
        for path in ("hosts", "subsystems", "ports"):
            (root / "sys/kernel/config/nvmet" / path).mkdir(parents=True)

    def calls(self) -> list[str]:
        """What its programs were asked."""
        log = self.root / "calls.log"
        return log.read_text().splitlines() if log.exists() else []

    def edit(self, name: str, **change: Any) -> None:
        """Changes members of a file of JSON."""
        path = self.root / name
        path.write_text(json.dumps(json.loads(path.read_text()) | change))

    def put(self, path: str, text: str = "") -> Path:
        found = self.root / path
        found.parent.mkdir(parents=True, exist_ok=True)
        found.write_text(text)
        return found

    def state(self) -> dict[str, str]:
        """All that is to be as before, when everything has been taken back."""
        tops = ("sys/kernel", "sys/class/nvme", "sys/class/nvme-subsystem", "sys/module",
                "proc/modules", "proc/sys", "mptcp.json", "run", "dev/nvme0n1")  # fmt: skip
        found: dict[str, str] = {}
        for top in tops:
            path = self.root / top
            for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
                name = str(each.relative_to(self.root))
                found[name] = each.read_text() if each.is_file() else ""
        return found


class Network:
    """Both machines, and the directory of programs that leads to them."""

    def __init__(self, top: Path) -> None:
        self.top = top
        (top / "bin").mkdir()
        (top / "site").mkdir()
        names = {"top": top, "build": BUILD, "python": TESTS.parent / "python"}
        for name, text in {"ssh": SSH, "id": ID, "sudo": SUDO}.items():
            path = top / "bin" / name
            path.write_text(text.format(**names) if name != "sudo" else text)
            path.chmod(0o755)
        (top / "id").write_text("0\n")
        for name in PROGRAMS:
            (top / "bin" / name).symlink_to(HERE / "machine_programs.py")
        site = textwrap.dedent(SITE).replace("{python!r}", repr(str(TESTS / "python")))
        (top / "site/sitecustomize.py").write_text(site)
        self.host = Machine(top / "hosty", ("ens17", "ens18"), SOURCES)
        self.target = Machine(top / "targety", ("ens1", "ens2"), TRADDRS)

    @property
    def both(self) -> tuple[Machine, Machine]:
        return self.host, self.target


def free_port() -> int:
    """A port that nobody has, nor the next one."""
    while True:
        with socket.socket() as one, socket.socket() as other:
            one.bind(("", 0))
            port: int = one.getsockname()[1]
            try:
                other.bind(("", port + 1))
            except (OSError, OverflowError):
                continue
            return port


def why_not() -> str:
    """Why this machine cannot stand in for two; "" if it can."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).close()
    except OSError as error:
        return f"no MPTCP here: {error.strerror}"
    return ""
