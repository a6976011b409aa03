# SPDX-License-Identifier: LGPL-2.1-or-later
"""Each failure of a fabrics command is one line, whoever finds it: the command, the library."""

import errno

import pytest
from conftest import Nvme
from fake_sysfs import FakeHost

COMMANDS = [
    ["connect", "-t", "mptcp", "-a", "10.1.1.1", "-n", "nqn.x"],
    ["connect-all", "-t", "mptcp", "-a", "10.1.1.1"],
    ["discover", "-t", "mptcp", "-a", "10.1.1.1"],
]
ERRORS = [
    errno.ECONNREFUSED, errno.EINVAL, errno.EIO, errno.ENODEV, errno.EADDRNOTAVAIL,
    errno.ETIMEDOUT, errno.ENOKEY, errno.EOPNOTSUPP, errno.EACCES, errno.ENOMEM, errno.EHOSTUNREACH,
]  # fmt: skip
MISTAKES = [
    (["-a", "no.such.host.invalid"], "no.such.host.invalid"),
    (["-a", "300.1.1.1"], "300.1.1.1"),
    (["-a", "10.1.1.1:4420"], "10.1.1.1:4420"),
    (["-w", "no.such.host.invalid"], "--host-traddr 'no.such.host.invalid'"),
    (["--tls"], "tls"),
    (["-J", "/nonexistent"], "/nonexistent"),
    (["-t", "tcp", "--concat"], "dhchap_secret"),
    (["-t", "tcp", "--tls-key=garbage", "--tls"], "TLS key"),
    (["-I", "x"], "--hostid 'x'"),
    (["-i", "abc"], "nr-io-queues"),
    (["--nonsense"], "--nonsense"),
    (["-o", "bogus"], "bogus"),
    (["-t", "fc", "-a", "10.1.1.1"], "10.1.1.1"),
    *(
        ([f"--{option}="], f"Invalid --{option} '': leave the option out instead")
        for option in ("trsvcid", "host-traddr", "host-iface", "hostnqn", "dhchap-secret")
    ),
]
LINES = ["-t bogus -a x", "-t tcp", "--nonsense", "-t tcp -a x -k y",
         "-a 10.1.1.1", "-t tcp -a no.such.host.invalid", "-t mptcp -a 10.1.1.1"]  # fmt: skip


def one_line(nvme: Nvme, *args: str) -> str:
    """What a failing command says."""
    (line,) = nvme.error(*args).splitlines()
    return line


@pytest.fixture(params=COMMANDS, ids=lambda command: command[0])
def command(request: pytest.FixtureRequest) -> list[str]:
    """A command and the address of a target."""
    found: list[str] = request.param
    return found


@pytest.mark.parametrize("number", ERRORS, ids=lambda number: errno.errorcode[number])
def test_kernel_refuses(nvme: Nvme, host: FakeHost, command: list[str], number: int) -> None:
    host.answer_error(number)
    assert "10.1.1.1:" in one_line(nvme, *command)


def test_no_modules(tmp_path, command: list[str]) -> None:
    assert "modprobe" in one_line(Nvme(FakeHost(tmp_path, modules=False)), *command)


def test_no_fabrics_device(nvme: Nvme, host: FakeHost, command: list[str]) -> None:
    (host.fake / "fabrics-options").unlink()
    said = one_line(nvme, *command)
    assert "failed to open nvme-fabrics device" in said
    assert "/dev/nvme-fabrics" in said and "modprobe" in said


@pytest.mark.parametrize(("more", "words"), MISTAKES, ids=lambda value: " ".join(value))
def test_mistakes(
    nvme: Nvme, host: FakeHost, command: list[str], more: list[str], words: str
) -> None:
    host.answer_error(errno.EINVAL)
    assert words in one_line(nvme, *command, *more)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("command", ["discover", "connect-all"])
def test_lines_of_discovery_conf(nvme: Nvme, host: FakeHost, command: str, line: str) -> None:
    (host.etc / "discovery.conf").write_text(f"# one controller\n{line}\n")
    host.answer_error(errno.ECONNREFUSED)
    assert one_line(nvme, command).startswith("/etc/nvme/discovery.conf:2: ")


@pytest.mark.parametrize("command", ["discover", "connect-all"])
def test_a_bad_line_leaves_the_document_alone(nvme: Nvme, host: FakeHost, command: str) -> None:
    """In JSON, too, a line that fails is told beside what the others put out."""
    (host.etc / "discovery.conf").write_text("-t bogus -a x\n")
    result = nvme(command, "-o", "json", status=1)
    assert "error" not in result.out
    assert result.err.startswith("/etc/nvme/discovery.conf:1: Unknown transport 'bogus'")


@pytest.mark.parametrize("command", ["discover", "connect-all"])
def test_device_alone(nvme: Nvme, host: FakeHost, command: str) -> None:
    assert one_line(nvme, command, "-d", "nvme9") == "ctrl device nvme9 not found"
    host.subsystem(0, "nqn.x").controller(0, "mptcp")
    said = one_line(nvme, command, "-d", "nvme0")
    assert said == "ctrl device nvme0 is not a discovery controller"
