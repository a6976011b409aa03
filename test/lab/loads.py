#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""In the guest: load the modules of the transport, and connect over the loopback interface."""

import subprocess
import sys
import time
from pathlib import Path

PORT = Path("/sys/kernel/config/nvmet/ports/1")
NQN = "nqn.2024-01.lab:loads"
SUBSYSTEM = Path("/sys/kernel/config/nvmet/subsystems", NQN)


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def main() -> int:
    for module in ("brd", "nvme-mptcp", "nvmet-tcp"):
        run("modprobe", module)
    for module in ("nvme_mptcp", "nvmet", "nvmet_tcp"):
        if "O" not in Path("/sys/module", module, "taint").read_text():
            print(f"{module} is the kernel's own", file=sys.stderr)
            return 1
    run("mount", "-t", "configfs", "none", "/sys/kernel/config")
    run("ip", "link", "set", "lo", "up")
    (SUBSYSTEM / "namespaces/1").mkdir(parents=True)
    (SUBSYSTEM / "attr_allow_any_host").write_text("1")
    (SUBSYSTEM / "namespaces/1/device_path").write_text("/dev/ram0")
    (SUBSYSTEM / "namespaces/1/enable").write_text("1")
    PORT.mkdir()
    for name, value in (
        ("trtype", "mptcp"), ("adrfam", "ipv4"), ("traddr", "127.0.0.1"), ("trsvcid", "4420"),
    ):  # fmt: skip
        (PORT / f"addr_{name}").write_text(value)
    (PORT / "subsystems" / NQN).symlink_to(SUBSYSTEM)
    with Path("/dev/nvme-fabrics").open("r+b", buffering=0) as fabrics:
        fabrics.write(f"transport=mptcp,traddr=127.0.0.1,trsvcid=4420,nqn={NQN}".encode())
    [controller] = Path("/sys/class/nvme").iterdir()
    addresses = (controller / "queue_addrs").read_text()
    for _ in range(100):
        disks = list(Path("/sys/block").glob("nvme*n1"))
        if disks:
            break
        time.sleep(0.1)
    disk = Path("/dev", disks[0].name)
    with disk.open("r+b", buffering=0) as stream:
        stream.write(b"x" * 4096)
    (controller / "delete_controller").write_text("1")
    (PORT / "subsystems" / NQN).unlink()
    for module in ("nvme-mptcp", "nvmet-tcp"):
        run("rmmod", module)
    print(addresses, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
