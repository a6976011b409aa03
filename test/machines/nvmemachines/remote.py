# SPDX-License-Identifier: GPL-2.0-or-later
"""Run `compare --host --target` between both machines, and the Ansible role on the host, over ssh.

The machines share nothing with their host but the consoles. For these tests, each gets another card
on QEMU's user network: a loopback port of the host is forwarded to its port 22, and nothing leads
out.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys

from nvmetools import PROJECT, ToolError

from . import guest
from .guest import Guest
from .steps import Machines, require

#: The same versions as in the role's own test.
ANSIBLE = ("ansible-core>=2.17,<2.20",)

#: ssh configuration of a machine. Its host key is not checked, because each run makes a new one.
CONFIG = """\
Host {name}
    HostName 127.0.0.1
    Port {port}
    User root
    IdentityFile {key}
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    LogLevel ERROR
"""

#: ssh wrapper that uses the configuration of this run instead of the user's.
WRAPPER = """\
#!/bin/sh
exec {ssh} -F {config} "$@"
"""

#: Commands that print the state that must be restored on each machine.
STATE = (
    "ls /sys/kernel/config/nvmet/subsystems /sys/kernel/config/nvmet/ports "
    "/sys/kernel/config/nvmet/hosts /sys/class/nvme 2>&1; ip mptcp endpoint show; "
    "ip mptcp limits; cat /proc/sys/net/mptcp/add_addr_timeout; ls /run/nvme-mptcp-compare/*.json "
    "2>&1; cut -d' ' -f1 /proc/modules | grep -E '^(nvme|brd)' | sort"
)


def prepare(machines: Machines) -> dict[str, str]:
    """Enable ssh to both machines; return the environment in which `ssh target` works."""
    directory = machines.supply.directory
    key, config, wrapper = directory / "key", directory / "ssh_config", directory / "bin/ssh"
    ssh = shutil.which("ssh")
    if not ssh:
        raise ToolError("ssh: not found; apt-get install openssh-client")
    key.unlink(missing_ok=True)
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = shlex.quote(key.with_suffix(".pub").read_text().strip())
    for machine in machines.both:
        for command in (
            f"ip link set {guest.SSH_INTERFACE} up",
            f"ip address add {guest.SSH_ADDRESS}/24 dev {guest.SSH_INTERFACE}",
            "install -d -m 700 /root/.ssh",
            f"echo {public} >/root/.ssh/authorized_keys",
            "systemctl start ssh.service",
        ):
            machines.run(machine, command)
    config.write_text("".join(_of(machine, key) for machine in machines.both))
    wrapper.parent.mkdir(exist_ok=True)
    wrapper.write_text(WRAPPER.format(ssh=ssh, config=shlex.quote(str(config))))
    wrapper.chmod(0o755)
    return {**os.environ, "PATH": f"{wrapper.parent}:{os.environ['PATH']}"}


def _of(machine: Guest, key: object) -> str:
    return CONFIG.format(name=machine.side.name, port=machine.ssh_port, key=key)


def compare(machines: Machines, words: list[str]) -> None:
    """Measure a figure between both, and require that nothing of it remains on either."""
    environment = prepare(machines)
    before = [machines.run(machine, STATE) for machine in machines.both]
    links = range(1, machines.supply.links + 1)
    command = [
        sys.executable, str(PROJECT / "test/bench/compare"), "--host=host", "--target=target",
        *(f"--traddr={machines.target.side.address(link)}" for link in links),
        "--build", str(machines.supply.directory), *words,
    ]  # fmt: skip
    machines.log(shlex.join(command))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)  # fmt: skip
    machines.log(done.stdout)
    machines.ui.say(done.stdout.rstrip())
    require(done.returncode == 0, f"compare: exit status {done.returncode}")
    for machine, was in zip(machines.both, before, strict=True):
        now = machines.run(machine, STATE)
        require(now == was, f"{machine.side.name}: not as before:\n{was}\n--\n{now}")


#: The role's parts for a host, once as for permanent use.
PLAY = ["config", "service", "setup", "connect", "inventory", "check"]
PORTAL = ("10.1.1.1", "4420")
DISK = "nqn.2026-01.org.example:disk1"


def ansible(machines: Machines) -> None:
    """Set up the host with a relay through the role; a second run must change nothing."""
    from nvmelab import pypi  # needs pytest, unlike everything else here

    environment = prepare(machines)
    environment["PATH"] = f"{pypi.programs('ansible', *ANSIBLE)}:{environment['PATH']}"
    machines.run(machines.host, "apt-get -y install python3")
    hostnqn, hostid = (
        machines.run(machines.host, f"cat /etc/nvme/{name}") for name in ("hostnqn", "hostid")
    )
    port = {"transport": "tcp", "traddr": PORTAL[0], "trsvcid": PORTAL[1], "reconnect_delay": 1}
    variables = {
        "ansible_become": False,
        "nvme_mptcp_command": ["nvme-mptcp"],
        "nvme_mptcp_traddrs": [PORTAL[0]],
        "nvme_mptcp_services": ["nvme-mptcp-relay.service", "nvme-mptcp.service"],
        "nvme_mptcp_config": [
            {
                "hostnqn": hostnqn,
                "hostid": hostid,
                "mptcp": {"relay": {"portals": [":".join(PORTAL)]}},
                "subsystems": [{"nqn": DISK, "ports": [port]}],
            }
        ],
    }
    first = _play(machines, environment, {**variables, "nvme_mptcp_actions": PLAY})
    require(first, "the role changed nothing")
    machines.run(machines.host, "mkfs.ext4 -q -L disk1 /dev/nvme0n1")
    machines.run(machines.host, "echo 'LABEL=disk1 /mnt ext4 _netdev,nofail 0 2' >>/etc/fstab")
    again = _play(machines, environment, {**variables, "nvme_mptcp_actions": PLAY})
    require(not again, f"the role changed {again} things the second time")
    machines.reboot(machines.both)
    machines.check_use("the Ansible role, after a reboot")


def _play(machines: Machines, environment: dict[str, str], variables: dict[str, object]) -> int:
    """Apply the role to the host; return the number of changes."""
    command = [
        "ansible-playbook", "-i", "host,", str(PROJECT / "doc/monitoring/ansible/site.yml"),
        "-e", json.dumps(variables),
    ]  # fmt: skip
    with machines.ui.step("  ansible-playbook"):
        machines.log(shlex.join(command))
        done = subprocess.run(command, env=environment | {"ANSIBLE_NOCOLOR": "1"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        machines.log(done.stdout)
        require(done.returncode == 0, f"ansible-playbook: exit status {done.returncode}")
    return int(done.stdout.rsplit("changed=", 1)[1].split()[0])
