# SPDX-License-Identifier: GPL-2.0-or-later
"""Find the lines of a kernel log in which the kernel reports trouble inside itself.

Used on the host for the console of every run, and in the guest after every test.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: Prefix of lines that the lab itself writes to the kernel log; they are not judged.
MARK = "lab: "

_TIMESTAMP = re.compile(r"^\[\s*\d+\.\d+\](?:\[\s*[TC]\d+\])? ?")
_TROUBLE = re.compile(
    "|".join((
        r"\bBUG\b", r"\bWARNING: (?!Unprivileged eBPF)", r"\bKASAN\b", r"\bKCSAN\b",
        r"\bKFENCE: (?!initialized)", r"\bKMSAN\b", r"\bUBSAN\b", r"\bOops\b", r"Kernel panic",
        r"general protection fault", r"\bGPF\b", r"[Uu]nable to handle", r"divide error:",
        r"stack segment:", r"double fault", r"possible circular locking",
        r"possible recursive locking", r"possible irq lock inversion", r"inconsistent lock state",
        r"suspicious RCU usage", r"bad unlock balance", r"held lock freed",
        r"lock held when returning to user space", r"DEBUG_LOCKS_WARN_ON",
        r"INFO: task .* blocked for more than", r"blocked for more than \d+ seconds",
        r"rcu: INFO: .*(?:stall|detected)", r"rcu_\w+ (?:self-)?detected (?:expedited )?stall",
        r"(?:soft|hard) ?lockup", r"(?:SOFT|HARD) LOCKUP", r"workqueue lockup",
        r"scheduling while atomic", r"sleeping function called from invalid context",
        r"refcount_t: ", r"list_(?:add|del) corruption", r"use-after-free", r"double free",
        r"kobject.*(?:tried to|is not initialized)", r"cannot create duplicate filename",
        r"ODEBUG: ", r"unreferenced object", r"new suspected memory leaks",
        r"Cannot allocate a kmemleak_object", r"lockdep is turned off",
        r"unregister_netdevice: waiting for", r"Out of memory:", r"oom-kill:",
        r"invoked oom-killer", r"Call Trace:", r"lab init: ",
    ))
)  # fmt: skip

#: Rarely, QEMU 7.2's emulated CPU leaves part of a pointer in EFLAGS, and the kernel reports a trap
#: flag that nothing set. The upper bits are zero on every CPU (Intel SDM volume 1, 3.4.3).
_TRAP = re.compile(r"\bWARNING: .* exc_debug_kernel\+")
_EFLAGS = re.compile(r"\bEFLAGS: ([0-9a-f]{8})$")
_EFLAGS_BITS = 0x003FFFFF
_TRAP_LINES = 60


@dataclass(frozen=True)
class Finding:
    """A line that fails a run: its number in the log, its text, and what the lab was doing."""

    number: int
    text: str
    during: str = ""

    def __str__(self) -> str:
        where = f" (during {self.during})" if self.during else ""
        return f"line {self.number}{where}: {self.text}"


def message(line: str) -> str:
    """Return a line without its timestamp."""
    return _TIMESTAMP.sub("", line.rstrip("\r\n"), count=1)


def is_kernel_line(line: str) -> bool:
    """Return whether a console line comes from the kernel."""
    return _TIMESTAMP.match(line) is not None


def _is_impossible(trace: list[str]) -> bool:
    """Return whether a trace contains flags that are impossible on a CPU."""
    flags = [int(match[1], 16) for text in trace if (match := _EFLAGS.search(text))]
    return any(value & ~_EFLAGS_BITS for value in flags)


def findings(lines: Iterable[str]) -> list[Finding]:
    """Return the lines that report trouble inside the kernel, in order."""
    found = []
    during, passed_by = "", 0
    texts = [message(line) for line in lines]
    for number, text in enumerate(texts, 1):
        if _TRAP.search(text) and _is_impossible(texts[number : number + _TRAP_LINES]):
            passed_by = number + _TRAP_LINES
        if number < passed_by and (_TRAP.search(text) or text == "Call Trace:"):
            continue
        if text.startswith(MARK):
            during = text.removeprefix(MARK).removeprefix("begin ")
        elif _TROUBLE.search(text):
            found.append(Finding(number, text, during))
    return found


def is_judged(line: str) -> bool:
    """Return whether a console line is from the kernel or the init, and so may report trouble."""
    return is_kernel_line(line) or line.startswith("lab init: ")
