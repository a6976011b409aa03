# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell behind a serial line: logs in, runs commands, returns what they print."""

from __future__ import annotations

import codecs
import re
import secrets
import select
import socket
import time
from collections.abc import Callable

from nvmetools import ToolError

#: To a shell that shows nothing but what commands print, and no more than a line's worth of them.
QUIET = (
    "exec bash --norc --noprofile --noediting",
    "stty -echo -onlcr columns 110 rows 50; export PS1= PS2= TERM=dumb PAGER=cat SYSTEMD_PAGER=cat "
    "LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive",
)

#: What terminals are told and texts do not have.
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[()][A-Z0-9])")

SHOWN_CHARACTERS = 4000


class CommandError(ToolError):
    """A command in a machine failed."""


def printed_by(text: str) -> str:
    """Returns what stood on a terminal in the end: of overwritten lines the last state."""
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
        """Reads until a pattern matches; returns what is before it, and the match.

        What follows is kept for later. The pattern fits in a line.
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
        """Types something."""
        self.line.sendall(text.encode())

    def log_in(self, timeout: float) -> None:
        """Waits for a login prompt, and makes a shell of it; root has no password."""
        self.wait_for(r"login: ", timeout, "the login prompt")
        self.send("root\n")
        self.wait_for(r"# $", timeout, "root's prompt")
        for command in QUIET:
            self.send(f"{command}\n")
        self.run(":", timeout)

    def run(self, command: str, timeout: float = 120, status: int | None = 0) -> str:
        """Runs a command of the shell, of several lines perhaps; returns all that it prints.

        Any exit status does with ``status`` None; another one than that is an error.
        """
        mark = f"end-{secrets.token_hex(6)}"
        # what asks something must not take the mark for its answer
        self.send(f'{{ {command}\n}} </dev/null\necho "{mark}:$?:"\n')
        before, match = self.wait_for(rf"{mark}:(\d+):\n", timeout, command)
        text = printed_by(before).strip("\n")
        if status is not None and int(match[1]) != status:
            raise CommandError(f"{self.name}# {command}\n{text}\nexit status {match[1]}")
        return text

    def _failure(self, what: str) -> CommandError:
        return CommandError(f"{self.name}: {what}\n{printed_by(self.unread)[-SHOWN_CHARACTERS:]}")
