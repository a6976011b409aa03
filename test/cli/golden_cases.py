# SPDX-License-Identifier: LGPL-2.1-or-later
"""A call of every command on one made-up machine, for its text and its JSON."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import device_data as data
import discovery_log as dl
import rpmb_device
from fake_sysfs import DISCOVERY_NQN, FakeHost
from log_cases import LOGS

GET_LOG, IDENTIFY, SET_FEATURES, GET_FEATURES, FABRICS = 0x02, 0x06, 0x09, 0x0A, 0x7F
NQN = "nqn.2025-01.test:one"
SECRET = "00112233445566778899aabbccddeeff" * 2
DHCHAP = "DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEey:"
TLS = "NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ:"


def answers_basics(host: FakeHost) -> None:
    """The controller nvme0 answers what most controllers do: who it is, logs, and features."""
    identities = {
        0x00: data.ID_NS, 0x01: data.ID_CTRL, 0x02: data.NS_LIST, 0x03: data.NS_DESCS,
        0x13: data.CTRL_LIST,
    }  # fmt: skip
    logs = {0x00: data.SUPPORTED, 0x01: data.ERRORS, 0x02: data.SMART, 0x0C: data.ANA}
    for opcode, answers in ((IDENTIFY, identities), (GET_LOG, logs)):
        for number, answer in answers.items():
            host.command("nvme0", "admin", opcode, number, answer)
    host.command("nvme0", "admin", GET_FEATURES, 0x07, result=0x007F007F)
    host.command("nvme0", "admin", SET_FEATURES, 0x0F)


def connected(host: FakeHost) -> None:
    """A controller nvme0 with a namespace, which answers what the commands below ask."""
    subsystem = host.subsystem(0, NQN)
    subsystem.controller(0, "mptcp")
    subsystem.namespace(1)
    (host.fake / "nvme0n1").mkdir()
    answers_basics(host)
    for log in LOGS.values():
        host.command("nvme0", "admin", GET_LOG, log.lid, log.answer)
    host.command("nvme0", "admin", FABRICS, 0, result=0x460001)
    host.command("nvme0", "admin", FABRICS, 1, result=0x8200F0003FF)
    for opcode in (0x00, 0x01, 0x02, 0x05, 0x08):
        host.command("nvme0n1", "io", opcode, 0x00, b"logical block".ljust(512, b"."))
    host.command("nvme0n1", "io", 0x09, 0x01)


def answering(host: FakeHost) -> None:
    """The same machine; its devices answer every other command as well, with small numbers."""
    connected(host)
    for device in ("nvme0", "nvme0n1"):
        (host.fake / device / "otherwise").write_bytes(data.pattern(16384))
        (host.fake / device / "otherwise.result").write_text("1")
    (host.fake / "slept").write_text("")


def protected(host: FakeHost) -> None:
    """The same machine; its controller has a Replay Protected Memory Block."""
    answering(host)
    rpmb_device.add(host)


def answers_connect(host: FakeHost) -> None:
    """The next connect brings up nvme0."""
    host.answer_connected(host.subsystem(0, NQN).controller(0, "mptcp", connected=False))


def discovery(host: FakeHost) -> None:
    """A discovery controller with one entry, whose subsystem can be connected."""
    dl.controller(host, dl.log(dl.entry(trtype=dl.MPTCP)))
    host.answer_connected(host.subsystem(1, NQN).controller(1, "mptcp", connected=False))


def registers(host: FakeHost) -> None:
    """A discovery controller that takes registrations."""
    host.subsystem(0, DISCOVERY_NQN).controller(0, "mptcp", dctype="cdc")
    host.command("nvme0", "admin", 0x21, 0)


@dataclass(frozen=True)
class Case:
    """How a command is called."""

    args: list[str] = field(default_factory=list)
    schema: str = ""  # of its JSON; the command's name if empty
    prepare: Callable[[FakeHost], None] = connected
    pattern: str = ""  # what its text is like, where no two runs print the same
    golden: bool = True  # otherwise another test has what it prints, as test/oracle


def sent(args: list[str], schema: str = "result") -> Case:
    """A command whose output test/oracle compares."""
    return Case(args, schema, answering, golden=False)


NAMESPACE = "/dev/nvme0n1"
CONTROLLER = "/dev/nvme0"
IMAGE = str(Path(__file__).parents[2] / "LICENSES/GPL-2.0.txt")
PORTAL = ["-t", "mptcp", "-a", "10.1.1.1"]

CASES = {
    "discover": Case(PORTAL, prepare=discovery, golden=False),
    "connect-all": Case([*PORTAL, "-v"], prepare=discovery),
    "connect": Case([*PORTAL, "-n", NQN], prepare=answers_connect),
    "disconnect": Case(["-n", NQN]),
    "disconnect-all": Case(),
    "config": Case(["-J", "none", "-R", "-O"]),
    "dim": Case(["-d", "nvme0", "-t", "register"], prepare=registers),
    "gen-hostnqn": Case(pattern=r"nqn\.2014-08\.org\.nvmexpress:uuid:[0-9a-f-]{36}\n"),
    "show-hostnqn": Case(),
    "gen-dhchap-key": Case(["-m", "1", "-n", "nqn.h", "-s", SECRET], "gen-key"),
    "check-dhchap-key": Case(["-k", DHCHAP]),
    "gen-tls-key": Case(["-m", "1", "-s", SECRET], "gen-key"),
    "check-tls-key": Case(["-d", TLS, "-n", "nqn.h", "-c", "nqn.s", "-I", "1"]),
    "tls-key": Case(["--export", "--keyring", ".nvme-golden"], pattern=".*"),
    "list": Case(golden=False),
    "list-subsys": Case(golden=False),
    "show-topology": Case(golden=False),
    "list-ns": Case([CONTROLLER], golden=False),
    "list-ctrl": Case([CONTROLLER], golden=False),
    "id-ctrl": Case([CONTROLLER], golden=False),
    "id-ns": Case([CONTROLLER, "-n", "1"], golden=False),
    "ns-descs": Case([CONTROLLER, "-n", "1"], golden=False),
    "get-ns-id": Case([NAMESPACE], golden=False),
    "id-iocs": sent([CONTROLLER], "id-iocs"),
    "cmdset-ind-id-ns": sent([CONTROLLER, "-n", "1"], "cmdset-ind-id-ns"),
    "nvm-id-ctrl": sent([CONTROLLER], "nvm-id-ctrl"),
    "nvm-id-ns": sent([CONTROLLER, "-n", "1"], "nvm-id-ns"),
    "nvm-id-ns-lba-format": sent([CONTROLLER, "-i", "1"], "nvm-id-ns"),
    "id-ns-lba-format": sent([CONTROLLER, "-i", "1"], "id-ns-lba-format"),
    "id-ns-granularity": sent([CONTROLLER], "id-ns-granularity"),
    "primary-ctrl-caps": sent([CONTROLLER], "primary-ctrl-caps"),
    "list-secondary": sent([CONTROLLER], "list-secondary"),
    "id-nvmset": sent([CONTROLLER], "id-nvmset"),
    "id-uuid": sent([CONTROLLER], "id-uuid"),
    "id-domain": sent([CONTROLLER], "id-domain"),
    "list-endgrp": sent([CONTROLLER], "list-endgrp"),
    "smart-log": Case([CONTROLLER], golden=False),
    "error-log": Case([CONTROLLER, "-e", "2"], golden=False),
    "ana-log": Case([CONTROLLER], golden=False),
    "get-log": Case([CONTROLLER, "-i", "smart", "-l", "64"], golden=False),
    "supported-log-pages": Case([CONTROLLER], golden=False),
    "get-feature": Case([CONTROLLER, "-f", "7", "-H"], golden=False),
    "set-feature": Case([CONTROLLER, "-f", "0x0f", "-V", "30000"], golden=False),
    "get-property": Case([CONTROLLER, "-O", "0", "-H"], "property", golden=False),
    "set-property": Case([CONTROLLER, "-O", "0x14", "-V", "0x460001"], "property", golden=False),
    "show-regs": Case([CONTROLLER], golden=False),
    "get-reg": sent([CONTROLLER, "--cc", "--csts", "-H"], "get-reg"),
    "set-reg": sent([CONTROLLER, "--cc", "0x460001"], "set-reg"),
    "flush": Case([NAMESPACE], "result", golden=False),
    "read": Case([NAMESPACE, "-z", "512"]),
    "write": Case([NAMESPACE, "-z", "512", "-d", "/dev/zero"], "result", golden=False),
    "compare": Case([NAMESPACE, "-z", "512", "-d", "/dev/zero"], "result", golden=False),
    "write-zeroes": Case([NAMESPACE], "result"),
    "dsm": Case([NAMESPACE, "-s", "0,16", "-b", "8,8", "-d"], "result", golden=False),
    "format": sent([NAMESPACE, "-l", "1"]),
    "sanitize": Case([CONTROLLER, "-a", "2", "-v"], "result", answering),
    "create-ns": sent([CONTROLLER, "-s", "100", "-c", "100", "-f", "0"], "success"),
    "delete-ns": sent([CONTROLLER, "-n", "1"], "success"),
    "attach-ns": sent([CONTROLLER, "-n", "1", "-c", "1"], "success"),
    "detach-ns": sent([CONTROLLER, "-n", "1", "-c", "1"], "success"),
    "fw-download": sent([CONTROLLER, "-f", IMAGE]),
    "fw-commit": sent([CONTROLLER, "-s", "1", "-a", "1"], "fw-commit"),
    "device-self-test": sent([CONTROLLER, "-s", "1"]),
    "capacity-mgmt": sent([CONTROLLER, "-O", "1"], "capacity-mgmt"),
    "virt-mgmt": sent([CONTROLLER, "-c", "1", "-a", "8", "-n", "2"]),
    "lockdown": sent([CONTROLLER, "-O", "1", "-p", "1"]),
    "dir-receive": sent([NAMESPACE, "-D", "1", "-O", "1", "-H"], "dir-receive"),
    "dir-send": sent([NAMESPACE, "-D", "0", "-O", "1", "-T", "1", "-e", "1"]),
    "security-recv": sent([CONTROLLER, "-x", "16", "-t", "16"], "data"),
    "security-send": sent([CONTROLLER, "-f", IMAGE, "-t", "16"]),
    "rpmb": Case([CONTROLLER, "-c", "read-config"], prepare=protected, golden=False),
    "nvme-mi-recv": sent([CONTROLLER, "-O", "1", "-l", "16"], "nvme-mi"),
    "nvme-mi-send": sent([CONTROLLER, "-O", "3"], "nvme-mi"),
    "resv-register": sent([NAMESPACE, "-k", "0xabc"]),
    "resv-acquire": sent([NAMESPACE, "-c", "0xabc", "-t", "1"]),
    "resv-report": sent([NAMESPACE], "resv-report"),
    "write-uncor": sent([NAMESPACE, "-s", "3"]),
    "verify": sent([NAMESPACE, "-c", "7"]),
    "copy": sent([NAMESPACE, "-d", "64", "-s", "0,8", "-b", "7,7"], "success"),
    "get-lba-status": sent([NAMESPACE, "-a", "0x10", "-m", "9"], "get-lba-status"),
    "io-mgmt-recv": sent([NAMESPACE, "-m", "1", "-l", "16"], "data"),
    "io-mgmt-send": sent([NAMESPACE, "-m", "1"]),
    "resv-release": sent([NAMESPACE, "-c", "0xabc", "-t", "1"]),
    "reset": Case([CONTROLLER, "-v"], "result", golden=False),
    "subsystem-reset": Case([CONTROLLER, "-v"], "result", golden=False),
    "ns-rescan": Case([CONTROLLER, "-v"], "result", golden=False),
    "admin-passthru": Case(
        [CONTROLLER, "-O", "6", "-4", "1", "-l", "64", "-r"], "passthru", golden=False
    ),
    "io-passthru": Case(
        [NAMESPACE, "-O", "2", "-n", "1", "-l", "64", "-r"], "passthru", golden=False
    ),
    "version": Case(),
    "help": Case(golden=False),
}

CASES |= {
    name: Case([CONTROLLER, *log.args], log.schema, golden=False) for name, log in LOGS.items()
}

# What it reads goes to stdout, unless there is a file for it: data, not a document.
BARE = {"read"}

# What it prints is in the kernel's keyring: test_keys.py makes one.
KEYRING = {"tls-key"}

# The plugins' commands have tests of their own, which hold them to these schemas; some of them need
# network namespaces.
ELSEWHERE = {
    "nbft show": "nbft-show",
    "mptcp show-subflows": "mptcp-snapshot",
    "mptcp show-endpoints": "mptcp-snapshot",
    "mptcp check": "mptcp-findings",
    "mptcp setup": "mptcp-plan",
    "mptcp repair": "mptcp-plan",
    "mptcp keep": "mptcp-keep",
    "mptcp relay": "mptcp-relay",
    "mptcp monitor": "mptcp-event",
    "mptcp explain": "mptcp-rules",
    "mptcp report": "mptcp-report",
    "mptcp metrics": "mptcp-metrics",
    "zns list": "list",
}
ELSEWHERE |= {
    f"{plugin} {name}": f"{plugin}-{name}"
    for plugin, names in {
        "zns": ("id-ctrl", "id-ns", "report-zones", "changed-zone-list"),
        "fdp": ("configs", "usage", "stats", "events", "status", "feature"),
    }.items()
    for name in names
}
ELSEWHERE |= dict.fromkeys(
    ("zns reset-zone", "zns close-zone", "zns finish-zone", "zns open-zone", "zns offline-zone",
     "zns set-zone-desc", "zns zrwa-flush-zone", "zns zone-mgmt-recv", "zns zone-mgmt-send",
     "zns zone-append", "fdp update", "fdp set-events"),
    "result",
)  # fmt: skip
