# SPDX-License-Identifier: GPL-2.0-or-later
"""Control a shell over a serial line: log in, run commands, return their output."""

import codecs
import re
import secrets
import select
import socket
import time
from collections.abc import Callable

from nvmetools import ToolError

#: Command that starts a shell without prompt, echo and line editing, which prints only the
#: commands' output.
QUIET = (
    "exec bash --norc --noprofile --noediting",
    "stty -echo -onlcr columns 110 rows 50; export PS1= PS2= TERM=dumb PAGER=cat SYSTEMD_PAGER=cat "
    "LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive",
)

#: Escape sequences of terminals, which are removed from the text.
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9])")

SHOWN_CHARACTERS = 4000


class CommandError(ToolError):
    """A command in a machine failed."""


def printed_by(text: str) -> str:
    """Return the text as a terminal shows it in the end: of overwritten lines, the last state."""
    lines = ESCAPES.sub("", text).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rsplit("\r", 1)[-1].rstrip() for line in lines)


class Console:
    """The serial line of one machine. Times are in seconds."""

    def __init__(self, name: str, line: socket.socket, ended: Callable[[], bool]) -> None:
        self.name = name
        self.line = line
        self.ended = ended
        self.unread = ""
        self.decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode

    def wait_for(self, pattern: str, timeout: float, what: str) -> tuple[str, re.Match[str]]:
        """Read until a pattern matches; return the text before it, and the match.

        Text after the match is kept for the next call. The pattern must fit in a line.
        """
        searched = 0
        deadline = time.monotonic() + timeout
        while True:
            match = re.compile(pattern).search(self.unread, searched)
            if match:
                before, self.unread = self.unread[: match.start()], self.unread[match.end() :]
                return before, match
            searched = max(self.unread.rfind("\n"), 0)
            if time.monotonic() >= deadline:
                raise self._failure(f"{what}: not within {timeout:.0f} s")
            if select.select([self.line], [], [], 0.5)[0]:
                data = self._read()
                if not data:
                    raise self._failure(f"{what}: the machine ended meanwhile")
                self.unread += self.decode(data)
            elif self.ended():
                raise self._failure(f"{what}: the machine ended meanwhile")

    def _read(self) -> bytes:
        try:
            return self.line.recv(65536)
        except ConnectionResetError:
            return b""

    def send(self, text: str) -> None:
        self.line.sendall(text.encode())

    def log_in(self, timeout: float) -> None:
        """Wait for a login prompt, log in as root, which has no password, and start a shell."""
        self.wait_for(r"login: ", timeout, "the login prompt")
        self.send("root\n")
        self.wait_for(r"# $", timeout, "root's prompt")
        for command in QUIET:
            self.send(f"{command}\n")
        self.run(":", timeout)

    def run(self, command: str, timeout: float = 120, status: int | None = 0) -> str:
        """Run a shell command, which may have several lines, and return all its output.

        An exit status other than ``status`` raises an error; None accepts any.
        """
        mark = f"end-{secrets.token_hex(6)}"
        # a command that reads its input must not take the mark for it
        self.send(f'{{ {command}\n}} </dev/null\necho "{mark}:$?:"\n')
        before, match = self.wait_for(rf"{mark}:(\d+):\n", timeout, command)
        text = printed_by(before).strip("\n")
        if status is not None and int(match[1]) != status:
            raise CommandError(f"{self.name}# {command}\n{text}\nexit status {match[1]}")
        return text

    def _failure(self, what: str) -> CommandError:
        return CommandError(f"{self.name}: {what}\n{printed_by(self.unread)[-SHOWN_CHARACTERS:]}")
