# SPDX-License-Identifier: LGPL-2.1-or-later
"""The examples of the manual pages, on a made-up machine.

Those of nvme mptcp, and of what connects, see links of this machine's kernel besides, in a network
namespace of their own.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import device_data as data
import golden_cases
import plugin_cases
import pytest
import rpmb_device
from conftest import NVME, TOP, Nvme
from fake_sysfs import FakeHost
from mptcp_net import Network

PAGES = sorted((TOP / "doc/man").glob("nvme*.scd"))
PROMPT = re.compile(r"(host|target|both)?#\s+(.*)")
#: What an example begins with; all else in a block is what a command prints, or a file.
TYPED = re.compile(r"(nvme|dd|cat|printf|systemctl)\b")
NQN = "nqn.2026-01.org.example:disk1"

#: Pages whose examples ask what the network has.
NETWORK = re.compile(r"nvme(-mptcp.*)?$")
#: They go on until they are interrupted.
ENDLESS = re.compile(r"nvme mptcp (monitor|keep|relay)|nvme mptcp show-subflows .*-w")
#: The exit status tells what was found, or is missing.
JUDGES = re.compile(r"nvme mptcp (check|repair)")
#: What cannot succeed on the made-up machine, and how it fails there: after it was understood.
FAILS = {
    "nvme set-reg /dev/nvme0 --bprsel=0x80000000": r"Boot Partition Read Select\) not fabrics",
    "nvme telemetry-log /dev/nvme0 -O telemetry.bin --controller-init": "has not captured data",
    "nvme device-self-test /dev/nvme0 --self-test-code=2 --wait": "not finished after 10 minutes",
    "nvme gen-tls-key -i -I 1": r"is there a keyring \.nvme\?",
    f"nvme connect -t mptcp -a 10.1.1.1 -n {NQN} --require links=2": "0 of 5 connections",
    "nvme mptcp relay --status": "no relay runs in this network namespace",
    "nvme tls-key --export --keyfile /etc/nvme/tls-keys": r"lookup keyring '\.nvme'",
}
#: Units are started by test/install/test_systemd.py.
ELSEWHERE = re.compile("systemctl ")

#: What stands in the reader's directory.
FILES = {
    "host.key": golden_cases.DHCHAP.encode(),
    "disk1.key": golden_cases.TLS.encode(),
    "block.bin": bytes(4096),
    "image.bin": bytes(4096),
    "handles.bin": bytes(16),
    "level0.bin": bytes(512),
    "label.bin": bytes(512),
    "rpmb.key": rpmb_device.KEY.encode(),
    "data": bytes(512),
}

#: Identify Namespace with blocks of 512 bytes, in use, and of 4096 bytes.
FORMATS = data.place(
    4096,
    {0: data.u64(0x20000, 0x20000, 0x1000), 25: bytes([1, 0]), 128: data.u32(9 << 16, 12 << 16)},
)


def examples(page: Path) -> list[tuple[str, str]]:
    """The commands of a page in their order, each with the side that it is typed on."""
    found = []
    text = page.read_text()
    text = (text.partition("# EXAMPLES")[2] or text).partition("\n# ")[0]
    for block in re.findall(r"```\n(.*?)```", text, re.DOTALL):
        lines = block.replace("\\\n", " ").splitlines()
        prompts = [PROMPT.match(line) for line in lines]
        if any(prompts):
            found += [(m[1] or "host", m[2]) for m in prompts if m]
        else:
            found += [("host", line) for line in lines if TYPED.match(line)]
    return found


def devices(host: FakeHost, page: str) -> None:
    """What the examples of a page are about."""
    if re.match("nvme-(zns|fdp)", page):
        plugin_cases.sample(host)
    elif page == "nvme-dim":
        golden_cases.registers(host)
    elif page == "nvme-rpmb":
        golden_cases.protected(host)
        (host.fake / "nvme0/rpmb-key-0").unlink()
    else:
        golden_cases.answering(host)
        for device in ("nvme0", "nvme0n1"):
            host.command(device, "admin", golden_cases.IDENTIFY, 0, FORMATS)
    if page == "nvme-disconnect":
        host.subsystem(1, f"{NQN}1").controller(1, "mptcp")
        host.subsystem(2, NQN).controller(2, "mptcp")


def machine_for(nvme: Nvme, tmp_path: Path, command: str) -> Nvme:
    """What connects does so on a machine of its own, where it succeeds; all else on this one."""
    discovers = re.match("nvme (discover|connect-all)", command)
    if not discovers and not command.startswith("nvme connect"):
        return nvme
    host = FakeHost(Path(tempfile.mkdtemp(dir=tmp_path)))
    transport = "tcp" if "-t tcp" in command else "mptcp"
    if discovers:
        golden_cases.discovery(host)
    else:
        host.answer_connected(host.subsystem(0, NQN).controller(0, transport, connected=False))
    return Nvme(host)


@pytest.fixture
def net() -> Iterator[Network]:
    """A host and a target with two links, on which somebody speaks NVMe."""
    with Network(2, 8, 8) as network:
        network.answer()
        yield network


class Reader:
    """Types examples in a directory where there is what they name."""

    def __init__(self, tmp_path: Path) -> None:
        self.directory = tmp_path / "reader"
        self.programs = tmp_path / "programs"
        for path in (self.directory, self.programs, self.directory / "reports"):
            path.mkdir()
        (self.programs / "nvme").symlink_to(NVME)
        man = self.programs / "man"
        man.write_text('#!/bin/sh\necho "man $*"\n')
        man.chmod(0o755)
        for name, content in FILES.items():
            (self.directory / name).write_bytes(content)

    def type(self, nvme: Nvme, command: str, netns: str = "") -> subprocess.CompletedProcess[str]:
        """Type it into a shell."""
        if ENDLESS.match(command):
            # in the background, timeout sends SIGCONT as well, which stops LeakSanitizer for good
            command = f"timeout --foreground --preserve-status --signal=INT 3 {command}"
        enter = ["nsenter", f"--net=/run/netns/{netns}"] if netns else []
        if "reports" in command:
            for report in self.directory.glob("*.json"):
                shutil.copy(report, self.directory / "reports")
        # what belongs to the system is somewhere else here
        command = re.sub(r"/var/lib/\S+/|/etc/nvme/(?!tls-keys)", "./", command)
        environment = nvme.environment()
        environment["PATH"] = f"{self.programs}:{environment['PATH']}"
        return subprocess.run(
            [*enter, "sh", "-c", command],
            cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60, check=False, errors="replace",
        )  # fmt: skip


def failure(command: str, done: subprocess.CompletedProcess[str]) -> str:
    """What went wrong, or nothing."""
    said = done.stdout + done.stderr
    for beginning, reason in FAILS.items():
        if command.startswith(beginning):
            return "" if done.returncode and re.search(reason, said) else said or "no failure"
    allowed = {0}
    if JUDGES.match(command):
        allowed = {0, 1, 2}
    elif ENDLESS.match(command):
        allowed = {0, 130}
    return "" if done.returncode in allowed else f"{done.returncode}: {said}"


@pytest.mark.parametrize("page", [p.stem for p in PAGES if not NETWORK.match(p.stem)])
def test_examples(nvme: Nvme, host: FakeHost, tmp_path: Path, page: str) -> None:
    """Each is understood, and each request that it makes is answered."""
    typed = examples(TOP / f"doc/man/{page}.scd")
    assert typed or page == "nvme-config"  # whose example is a file
    devices(host, page)
    reader = Reader(tmp_path)
    for _, command in typed:
        if not ELSEWHERE.match(command):
            done = reader.type(machine_for(nvme, tmp_path, command), command)
            assert failure(command, done) == "", command


@pytest.mark.parametrize("page", [p.stem for p in PAGES if NETWORK.match(p.stem)])
def test_examples_of_networks(
    nvme: Nvme, host: FakeHost, net: Network, tmp_path: Path, page: str
) -> None:
    """The target's are typed in the target's namespace, where there is no controller."""
    golden_cases.answering(host)
    target = Nvme(FakeHost(tmp_path / "target"))
    reader = Reader(tmp_path)
    for side, command in examples(TOP / f"doc/man/{page}.scd"):
        if ELSEWHERE.match(command):
            continue
        connected = machine_for(nvme, tmp_path, command)
        for here in ("target", "host") if side == "both" else (side,):
            who, where = (connected, net.host) if here == "host" else (target, net.target)
            assert failure(command, reader.type(who, command, where)) == "", command


def test_all_pages_have_examples() -> None:
    """The test reads what a person reads."""
    found = {page.stem: [text for _, text in examples(page)] for page in PAGES}
    assert "nvme mptcp check nvme0" in found["nvme-mptcp-check"]
    assert sum(map(len, found.values())) > 200


def test_what_fails_stands_in_a_page() -> None:
    """No exception is left over."""
    typed = [text for page in PAGES for _, text in examples(page)]
    assert all(any(text.startswith(start) for text in typed) for start in FAILS)


def test_a_wrong_example_is_noticed(nvme: Nvme, host: FakeHost, tmp_path: Path) -> None:
    golden_cases.answering(host)
    reader = Reader(tmp_path)
    for command in (
        "nvme smart-log /dev/nvme0 --nosuch", "nvme smrt-log /dev/nvme0", "nvme id-ns /dev/nvme9",
        "nvme write /dev/nvme0n1 -s 0 -c 0 -z 512 -d nosuch.bin",
    ):  # fmt: skip
        assert failure(command, reader.type(nvme, command)), command
