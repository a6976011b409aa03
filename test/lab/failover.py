# SPDX-License-Identifier: GPL-2.0-or-later
"""One controller over four links, three of which fail one after another while fio verifies.

`test/lab/lab run test/lab/failover.py` writes doc/failover.md, with its own words and new output,
to the results of the run; the test test_mptcp_failover.py goes the same way and looks closer.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from lab import Lab, Limits, Target, Topology, wait_until
from lab.network import Link

PAGE = Path(__file__).resolve().parents[2] / "doc/failover.md"
NQN = "nqn.2024-01.lab:disk"
LINKS = ["h1", "h2", "h3", "h4"]
ROUND_MIB = 12

#: Slow links, so that they are the limit and not the emulated processors.
TOPOLOGY = Topology(
    links=(Link.both(rate="20mbit", delay="2ms"),) * 4,
    families=("ipv4",),
    limits={"host": Limits(2, 0), "target": Limits(2, 0)},
)


class Writer(threading.Thread):
    """Writes and verifies with fio, round after round, until told to end."""

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self._lab = lab
        self._disk = lab.host.disk(NQN)
        self._ending = False
        self.rounds = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        """Does the rounds; fio fails at the first I/O error and at the first mismatch."""
        try:
            while not self._ending:
                job = self._lab.host.fio(
                    self._disk, rw="randwrite", bs="16k", iodepth=16, size=f"{ROUND_MIB}m",
                    runtime=None, time_based=None, verify="crc32c", verify_fatal=1,
                )  # fmt: skip
                if job["read"]["io_bytes"] < ROUND_MIB << 20:
                    raise AssertionError("fio did not verify what it wrote")
                self.rounds += 1
        except BaseException as error:  # raised again where it is waited for
            self.error = error

    def wait(self, what: str, timeout: float) -> None:
        """Waits until it has written and read back all of a round, and half of another."""
        rounds = self.rounds
        wait_until(lambda: self.rounds > rounds + 1, what, timeout)

    def __enter__(self) -> Writer:
        self.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._ending = True
        self.join()
        if self.error and not error:
            raise self.error


class Story:
    """The commands of the story; ``tell`` gets every command with what it said.

    ``beside`` is the command whose lines are the events.
    """

    def __init__(
        self, lab: Lab, tell: Callable[[str, str], None], beside: str = "nvme mptcp monitor nvme0"
    ) -> None:
        self.lab = lab
        self.tell = tell
        self.beside = beside
        self._events = tempfile.NamedTemporaryFile("w+")
        self._process: subprocess.Popen[bytes] | None = None
        self._seen = 0

    def command(self, command: str, status: int | None = 0, shown: str = "") -> str:
        """Runs a command on the host and tells what it said."""
        done = self.lab.host.command(command, status=status)
        text = (done.stdout + done.stderr).strip("\n")
        self.tell(shown or command, text)
        return text

    def begin(self) -> None:
        """Sets up, connects, and waits until every connection is on every link."""
        self.lab.target.configure(Target.simple(NQN))
        self.command("nvme mptcp setup --role host --traddr 10.1.1.1 --apply")
        self.lab.network.set_limits("target", Limits(8, 0))
        self.command(f"nvme connect -t mptcp -a 10.1.1.1 -s 4420 -n {NQN} -i 1")
        wait_until(lambda: self.lab.host.carried() == [LINKS] * 2, "one subflow on each link", 20)
        self._process = subprocess.Popen(
            self.beside.split(), stdout=self._events, stderr=subprocess.STDOUT
        )

    def end(self) -> None:
        """Ends what runs beside it."""
        if self._process:
            self._process.terminate()
            self._process.wait()

    def rates(self) -> dict[str, int]:
        """Bytes that each link carries in a second."""
        totals = []
        for wait in (1.0, 0.0):
            document = self.lab.host.nvme("mptcp show-subflows -o json")
            (ctrl,) = document["controllers"]
            totals.append({u["link"]: u["bytes_sent"] + u["bytes_received"] for u in ctrl["links"]})
            time.sleep(wait)
        return {link: max(0, n - totals[0].get(link, 0)) for link, n in totals[1].items()}

    def wait_for_traffic(self, links: list[str]) -> None:
        """Waits until these links carry something, and no others."""
        what = f"traffic on {', '.join(links)} alone"
        wait_until(lambda: {k for k, n in self.rates().items() if n} == set(links), what, 60)

    def set_cable(self, link: int, up: bool) -> None:
        """Pulls a cable at the target's end, or plugs it in again and sees that it works."""
        self.lab.network.set_link("target", link, up)
        if up:
            peer = f"10.1.{link}.1"
            wait_until(lambda: self.lab.network.reaches("host", peer), f"an answer of {peer}", 20)

    def show(self, *links: str) -> None:
        """One screen of the subflows with what they carry per second: one where these links do."""
        command = "nvme mptcp show-subflows nvme0 -w 1"
        with tempfile.TemporaryFile("w+") as screen:
            process = subprocess.Popen(command.split(), stdout=screen)

            def busy() -> str:
                screen.seek(0)
                # every screen ends with a blank line behind the summary of the links
                for text in re.findall(r"(?s)nvme0  .*?\n\n.*?\n\n.*?\n\n", screen.read()):
                    rows = [line.split() for line in text.splitlines()]
                    shares = {row[0]: row[-1] for row in rows if row and row[0] in LINKS}
                    if all(shares.get(link, "-") not in ("-", "0.0%") for link in links):
                        return str(text)
                return ""

            try:
                text = wait_until(busy, f"traffic on {links}", 40, pause=0.1)
            finally:
                process.terminate()
                process.wait()
        self.tell(command, text.strip("\n"))

    def check(self) -> set[str]:
        """The rules that check finds broken."""
        arguments = "nvme0 --role host --interval 0.5"
        self.command(f"nvme mptcp check {arguments}", status=None)
        return {f["rule"] for f in self.lab.host.check(arguments)}

    def printed(self) -> str:
        """What was printed beside it until now."""
        return Path(self._events.name).read_text()

    def events(self) -> list[str]:
        """What was printed beside it since the last call."""
        lines = self.printed().splitlines()
        new, self._seen = lines[self._seen :], len(lines)
        self.tell(self.beside, "\n".join(new))
        return new


# The document

#: A command with its prompt, and all that follows up to a line that is not indented.
TRANSCRIPT = re.compile(r"^    (?:host|target|)# .*\n(?:(?:    .*)?\n)*", re.MULTILINE)

#: Where a page names the kernel that it was recorded on.
RELEASE = r"(?<=Linux\s)\S+"


class Document:
    """A page as Markdown: our own words in their order, as they are in it, and new transcripts."""

    def __init__(self, page: Path) -> None:
        chapters = re.split(r"^(?=## )", page.read_text(), flags=re.MULTILINE)
        self._chapters = [
            [f"{words.rstrip()}\n" for words in TRANSCRIPT.split(chapter) if words.strip()]
            for chapter in chapters
        ]
        self._words = chain.from_iterable(self._chapters)
        self.parts: list[str] = []

    def chapter(self, number: int) -> None:
        """Go on with the words below a heading; those above the first one are 0."""
        self._words = iter(self._chapters[number])
        self.frame()

    def frame(self, *changes: tuple[str, object]) -> None:
        """Add our next words; each pattern in them is replaced by what is so this time."""
        words = next(self._words)
        for pattern, value in changes:
            words = re.sub(pattern, str(value), words)
        self.parts.append(words)

    def tell(self, command: str, text: str, prompt: str = "#") -> None:
        lines = [f"{prompt} {command}", *text.splitlines()]
        self.parts.append("".join(f"    {line}".rstrip() + "\n" for line in lines))

    def text(self) -> str:
        return "\n".join(self.parts)


def tell_all(lab: Lab, document: Document) -> None:
    """Goes through the story and writes it down."""
    story = Story(lab, document.tell, "nvme mptcp keep --auto --role host --config none")
    document.frame((RELEASE, os.uname().release))
    document.frame()
    try:
        story.begin()
        wait_until(lambda: "links carry" in story.printed(), "keep at work", 20)
        with Writer(lab) as writer:
            document.frame()
            story.show(*LINKS)
            story.check()
            for link in (2, 3, 4):
                document.frame()
                story.set_cable(link, False)
                left = ["h1", *LINKS[link:]]
                story.wait_for_traffic(left)
                story.show(*left)
                if link != 3:
                    story.check()
            document.frame()
            story.events()
            document.frame()
            for link in (2, 3, 4):
                story.set_cable(link, True)
            wait_until(lambda: lab.host.carried() == [LINKS] * 2, "all links again", 20)
            story.show(*LINKS)
            story.check()
            story.events()
    finally:
        story.end()
    document.frame(
        (r"\d+(?= rounds)", writer.rounds),
        (r"\d+(?= MiB written)", ROUND_MIB),
        (r"\d+(?= MiB verified)", writer.rounds * ROUND_MIB),
    )
    document.tell("cat /sys/class/nvme/nvme0/state", lab.host.controllers()[0].state)
    document.frame()


def main() -> None:
    document = Document(PAGE)
    with Lab(TOPOLOGY) as lab:
        lab.network.changed = True
        try:
            tell_all(lab, document)
        finally:
            Path("/results/failover.md").write_text(document.text())


if __name__ == "__main__":
    main()
