# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls of nvme-cli 2.16 that are run over both libraries: those of their_commands.txt."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from listed import calls


@dataclass(frozen=True)
class Case:
    """A command line, the function of their_machine.py that prepares for it, and variables."""

    line: str
    prepare: str
    env: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        variables = "".join(f"{name}={value} " for name, value in self.env.items())
        return f"{variables}{self.line}" + (f" [{self.prepare}]" if self.prepare else "")


def cases() -> Iterator[Case]:
    """Yields the calls of the file."""
    prepare = ""
    for line in calls("their_commands.txt"):
        if line.startswith("["):
            prepare = line.strip("[]")
            continue
        env = {}
        while match := re.match(r"([A-Z_]+)=(\S*) ", line):
            env[match[1]] = match[2]
            line = line[match.end() :]
        yield Case(line, prepare, env)


CASES = tuple(cases())


@dataclass(frozen=True)
class Exception_:
    """Why calls come to something else, and the piece of doc/compatibility-list.md about it."""

    reason: str
    documented: str
    lines: tuple[str, ...]


#: Calls that come to something else.
EXCEPTIONS = (
    Exception_(
        "nothing follows the header of this page, and 1.13 asks for the most there can be",
        "A log page of no bytes, as behind a header that nothing follows, is not asked for",
        (
            "lba-status-log /dev/nvme0",
            "host-discovery-log /dev/nvme0",
            "ave-discovery-log /dev/nvme0",
            "pull-model-ddc-req-log /dev/nvme0",
        ),
    ),
    Exception_(
        "1.13 neither reads whether this is the primary administrative host nor the security "
        "profile of a discovery controller",
        'the flags; 1.13 always gives "not indicated". A discovery controller has its security '
        "profile",
        ("nbft show --nbft-path TOP/tables -o json",),
    ),
    Exception_(
        "the original does not know how long the data of feature 21h are",
        "the length of feature 21h's data",
        ("get-feature /dev/nvme0",),
    ),
    Exception_(
        "the library's own message is not sent twice",
        "A failure leaves a sentence behind, `nvmf_ctrl_get_connect_error()`, which is not logged",
        ("connect -t rdma -a 10.1.1.300 -n nqn.x",),
    ),
    Exception_(
        "1.13 writes the configuration past what the program has printed before, and without a "
        "line's end",
        "`nvme_dump_config()` prints through stdio, behind what the program has printed before",
        ("connect -t tcp -a 10.1.1.5 -n nqn.2026-01.org.example:new --disable-sqflow -O",),
    ),
    Exception_(
        "a controller that is connected is found in /sys; 1.13 asks the kernel for it once more",
        "A controller that is connected already is found in /sys",
        ("connect -J TOP/config.json -t tcp -a 10.1.1.5 -n nqn.2026-01.org.example:new",),
    ),
    Exception_(
        "a key of the file that the library does not know is kept, 1.13 drops it",
        "A key that the library does not know is kept",
        (
            "config -J TOP/config.json -O",
            "config -J TOP/config.json -R -O",
            "config -J TOP/config.json -R -U",
            "config -J TOP/config.json -M -t tcp -a 10.1.1.30 -n nqn.2026-01.org.example:new "
            "-s 4420 -U",
            "config -J TOP/config.json -M -t tcp -a 10.1.1.30 -n nqn.2026-01.org.example:new "
            "-i 7 -O",
        ),
    ),
)

#: The reason by the command line.
DIFFERENT = {line: e.reason for e in EXCEPTIONS for line in e.lines}
