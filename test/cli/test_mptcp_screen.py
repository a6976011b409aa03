# SPDX-License-Identifier: LGPL-2.1-or-later
"""What nvme mptcp show-subflows and monitor look like to a person: width, colours, refreshing."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator

import pytest
from conftest import NVME
from fake_sysfs import FakeHost
from mptcp_net import HIDE, Network, enter
from test_mptcp import environment, run

BEGIN, END = "\033[?2026h", "\033[?2026l"
COLUMNS, ROWS = 100, 24


@pytest.fixture
def net() -> Iterator[Network]:
    """Four links; the host starts subflows on the first three."""
    with Network(4, 8, 8) as network:
        network.subflows_by(2, 3)
        network.serve("::")
        yield network


@pytest.fixture
def controller(host: FakeHost) -> FakeHost:
    """A controller of two queues."""
    host.disk(0, "mptcp", "traddr=10.77.1.1,trsvcid=4420")
    return host


def at_terminal(
    seconds: float,
    *args: str,
    columns: int = COLUMNS,
    host: FakeHost | None = None,
    unseen: str | None = None,
) -> str:
    """What the command writes to a terminal in so many seconds, at whose end it is terminated.

    @host and @unseen are those of run().
    """
    command = enter(unseen, *HIDE, NVME, *args) if unseen else [NVME, *args]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    env = environment(host, TERM="xterm")
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.STDOUT, env=env)
    os.close(theirs)
    said = b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not select.select([ours], [], [], 0.1)[0]:
            continue
        try:
            said += os.read(ours, 65536)
        except OSError:
            break
    # What hides processes passes no signal on, but ends its child when it ends.
    process.kill() if unseen else process.terminate()
    process.wait(10)
    os.close(ours)
    return said.decode().replace("\r\n", "\n")


def plain(text: str) -> list[str]:
    """The lines as they are seen."""
    return re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", text).splitlines()


def test_a_screen_that_is_refreshed(net: Network) -> None:
    net.connect("10.77.1.1", 12)
    show = ("mptcp", "show-subflows", "--userspace", "--netns", net.host, "-w", "0.3")
    text = at_terminal(2.5, *show)
    assert text.startswith(BEGIN)
    frames = text.split(BEGIN)[1:]
    assert len(frames) >= 3
    for frame in frames[:-1]:
        # Nothing is seen of a screen before all of it is there, and nothing is left of the last.
        assert frame.startswith("\033[H\033[J")
        assert frame.count("\033[J") == 1
        assert frame.endswith(END)
        lines = plain(frame)
        assert len(lines) < ROWS, "the screen would scroll"
        assert max(map(len, lines)) <= COLUMNS
        # 36 subflows: what does not fit is counted, and the summary of the links is there.
        assert any(re.fullmatch(r"  and \d+ more", line) for line in lines)
        assert [line.split()[0] for line in lines[-3:]] == ["eth1", "eth2", "eth3"]
    seen = [plain(frame)[0] for frame in frames[:-1]]
    assert set(seen) == {"userspace"}


def test_a_narrow_screen_keeps_what_is_watched(net: Network) -> None:
    """On 80 columns links and rates are there, whatever else has to go."""
    net.connect("10.77.1.1", 2)
    net.connect("fd77:1::1", 1)
    show = ("mptcp", "show-subflows", "--userspace", "--netns", net.host, "-w", "0.3")
    frame = at_terminal(6, *show, columns=80).split(BEGIN)[1]
    lines = plain(frame)
    (header,) = (line for line in lines if " LOCAL " in line)
    assert {"LINK", "FLAGS", "SENT/s", "RECV/s"} <= set(header.split())
    assert max(map(len, lines)) <= 80
    assert any(re.search(r" 10\.77\.2\.2 .* eth2 .* join ", line) for line in lines)


def test_a_screen_with_links_that_carry_nothing(net: Network, controller: FakeHost) -> None:
    """They have rows below the others, and no line of the screen is scrolled away for them."""
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow")
    net.connect("10.77.1.1", 12)
    show = ("mptcp", "show-subflows", "-w", "0.3")
    frames = at_terminal(3, *show, host=controller, unseen=net.host).split(BEGIN)[1:]
    assert len(frames) >= 2
    for frame in frames[:-1]:
        lines = plain(frame)
        assert len(lines) < ROWS, "the screen would scroll"
        assert any(re.fullmatch(r"  and \d+ more", line) for line in lines)
        assert [line.split()[0] for line in lines[-4:]] == ["eth1", "eth2", "eth3", "eth4"]
        assert all(re.fullmatch(r".* 0 +- +- +-", line) for line in lines[-2:])


def test_colours_are_for_terminals(net: Network) -> None:
    net.connect("10.77.1.1", 1)
    show = ("mptcp", "show-subflows", "--userspace", "--netns", net.host)
    coloured = at_terminal(3, *show)
    assert "\033[1mLINK\033[0m" in coloured
    assert "\033" not in at_terminal(3, *show, "-o", "json")
    result = run(*show)
    assert "\033" not in result.out
    first, second = plain(coloured), result.out.splitlines()
    assert [line.split()[:1] for line in first] == [line.split()[:1] for line in second]


def test_every_screen_fits(net: Network, controller: FakeHost) -> None:
    net.connect("10.77.1.1", 2)
    net.connect("fd77:1::1", 1)
    for args in (
        ("show-subflows",), ("show-subflows", "--userspace"), ("show-endpoints",), ("check",),
        ("setup", "--role", "host", "--traddr", "10.77.1.1"),
        ("setup", "--role", "target"), ("repair", "--dry-run"),
    ):  # fmt: skip
        result = run("mptcp", *args, host=controller, unseen=net.host)
        assert max(map(len, result.out.splitlines())) <= COLUMNS, (args, result.out)
    result = run("mptcp", "show-subflows", "--userspace", "--netns", net.host)
    assert "fd77:1::1" in result.out
    assert max(map(len, result.out.splitlines())) <= COLUMNS


def test_what_a_controller_is(net: Network, controller: FakeHost) -> None:
    """Its first line has name, state, portal and subsystem; the next its connections."""
    net.connect("10.77.1.1", 1)
    controller.disk(1, "mptcp", "traddr=fd77:1::1,trsvcid=4420", queue_count=1)
    text = run("mptcp", "show-subflows", host=controller, unseen=net.host).out
    said = [line.split("  ") for line in text.splitlines() if line.startswith("nvme")]
    assert said == [
        ["nvme0", "live", "10.77.1.1:4420", "nqn.2026-01.org.example:disk0"],
        ["nvme1", "live", "[fd77:1::1]:4420", "nqn.2026-01.org.example:disk1"],
    ]
    below = [line.strip() for line in text.splitlines() if " connection" in line]
    assert [re.match(r"\d+ of \d+ connections?\b", line)[0] for line in below[:2]] == [
        "1 of 2 connections", "0 of 1 connection",
    ]  # fmt: skip


def test_links_that_carry_nothing(net: Network, controller: FakeHost) -> None:
    net.connect("10.77.1.1", 2)
    net.ip("link", "set", "eth3", "down", netns=net.target)
    text = run("mptcp", "show-subflows", host=controller, unseen=net.host).out
    table = re.split(r"\n(?=  LINK +SPEED)", text)[1].splitlines()
    assert [line.split()[0] for line in table[1:]] == ["eth1", "eth2", "eth3", "eth4"]
    # One has lost its carrier, the other has no endpoint: a link that could carry and does not.
    assert re.fullmatch(r"  eth3 +no carrier +0\+2 dead .*", table[3])
    assert re.fullmatch(r"  eth4 +- +0 +- +- +-", table[4])
    net.ip("link", "set", "eth4", "down", netns=net.host)
    text = run("mptcp", "show-subflows", host=controller, unseen=net.host).out
    assert "eth4" not in text


class Terminal:
    """A terminal of 60 columns whose keys can be pressed, with show-subflows -w on it."""

    def __init__(self, net: Network) -> None:
        self.ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, 60, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        show = ("mptcp", "show-subflows", "--userspace", "--netns", net.host, "-w", "0.3")
        self.process = subprocess.Popen(
            [NVME, *show], stdin=self.theirs, stdout=self.theirs, stderr=self.theirs,
            env={"PATH": os.environ["PATH"], "TERM": "xterm"}, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        self.text = ""

    def read_frames(self, count: int) -> list[str]:
        """Whole screens, once there are so many."""
        deadline = time.monotonic() + 20
        while self.text.count(END) < count:
            assert time.monotonic() < deadline, self.text
            if select.select([self.ours], [], [], 0.1)[0]:
                self.text += os.read(self.ours, 65536).decode()
        return self.text.replace("\r\n", "\n").split(BEGIN)[1 : count + 1]

    def close(self) -> None:
        self.process.kill()
        self.process.wait(10)
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal(net: Network) -> Iterator[Terminal]:
    net.connect("10.77.1.1", 2)
    made = Terminal(net)
    yield made
    made.close()


def test_rows_are_cut_at_the_edge(terminal: Terminal) -> None:
    for frame in terminal.read_frames(2):
        lines = plain(frame)
        assert max(map(len, lines)) == 60, "nothing was cut, or rows would wrap"
        # A colour ends also where its end stands behind the edge.
        assert len(re.findall(r"\033\[[1-9]\d*m", frame)) == frame.count("\033[0m") > 0


def test_q_ends_it(terminal: Terminal) -> None:
    terminal.read_frames(1)
    assert not termios.tcgetattr(terminal.theirs)[3] & termios.ICANON
    os.write(terminal.ours, b"xq")
    assert terminal.process.wait(60) == 0
    assert termios.tcgetattr(terminal.theirs) == terminal.before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_the_terminal_is_restored_after_a_signal(terminal: Terminal, number: int) -> None:
    terminal.read_frames(1)
    assert termios.tcgetattr(terminal.theirs) != terminal.before
    terminal.process.send_signal(number)
    assert terminal.process.wait(60) == -number
    assert termios.tcgetattr(terminal.theirs) == terminal.before
