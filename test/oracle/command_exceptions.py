# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the commands of command_lines.py differ from nvme-cli 2.16."""

from __future__ import annotations

import re
from collections.abc import Callable

from command_lines import REGISTERS, SENT, SHOWN
from differences import Case, Difference
from program_exceptions import Exception_

ALL = tuple({*SENT, *SHOWN, *REGISTERS})


def _refused_early(_: Case, difference: Difference) -> bool:
    """Did the original send what reads something before it refused the same?"""
    return not difference.ours and all("opcode=06" in x or x[0] == " " for x in difference.theirs)


def _no_room(case: Case, _: Difference) -> bool:
    """Is there a value with more bits than its field?"""
    given = dict(zip(case.args[1:], case.args[2:], strict=False))
    wide = {
        "virt-mgmt": {"-r": "8", "-a": "16"},
        "device-self-test": {"-s": "16"},
        "copy": {"-p": "16", "-T": "16"},
        "dir-send": {"-e": "2"},
        "nvme-mi-recv": {"-m": "16"},
        "nvme-mi-send": {"-m": "16"},
        "set-reg": {"-V": "0x1122334455667788"},
    }
    return any(given.get(k) == v for k, v in wide.get(case.command, {}).items())


def _reads_formats(_: Case, difference: Difference) -> bool:
    """Did the original read the namespace before it sent the same?"""
    more = difference.theirs[: len(difference.theirs) - len(difference.ours)]
    return difference.theirs == more + difference.ours and all("opcode=06" in x for x in more[::2])


def _without_sums(sent: list[str]) -> list[str]:
    """What was sent, without the checksums of its data."""
    return [re.sub("sent=[0-9a-f]+$", "", line) for line in sent]


def _crashed(_: Case, difference: Difference) -> bool:
    return difference.theirs < 0 <= difference.ours


def _given(*words: str) -> Callable[[Case, Difference], bool]:
    """A condition: do these words follow each other in the command line?"""
    return lambda case, _: f" {' '.join(words)} " in f" {' '.join(case.args)} "


def _counts_differ(case: Case, _: Difference) -> bool:
    """Does one of copy's lists have fewer numbers than another?"""
    lists = [word for flag, word in zip(case.args, case.args[1:], strict=False) if flag in COPY]
    return len({word.count(",") for word in lists}) > 1


def _odd_length(case: Case, _: Difference) -> bool:
    """Is there no length, or one that is no number of dwords?"""
    return "-l" not in case.args or _given("-l", "6")(case, _)


def _timeless(written: list[str]) -> list[str]:
    """What was sent, without timeouts of what was only read."""
    return [re.sub("timeout=[0-9]+ sent=0$", "sent=0", line) for line in written]


def _beyond(case: Case, difference: Difference) -> bool:
    """Is it something that the original found behind its buffer, or behind what a list may hold?"""
    hostile = case.data == "ones" or case.data.startswith("random")
    return hostile and (difference.ours is None or difference.kind == "length")


COPY = ("-s", "-b", "-N", "-O", "-R", "-A", "-M")
LISTS = (
    "resv-report",
    "nvm-id-ns",
    "nvm-id-ns-lba-format",
    "id-ns-lba-format",
    "id-ns-granularity",
    "id-nvmset",
    "id-domain",
    "list-endgrp",
)


def _without_lengths(sent: list[str]) -> list[str]:
    """What was sent, without transfer and allocation lengths."""
    return [re.sub("cdw11=[0-9a-f]+", "", line) for line in sent]


def _lengths_alone(_: Case, difference: Difference) -> bool:
    return _without_lengths(difference.ours) == _without_lengths(difference.theirs)


def _stopped_before(_: Case, difference: Difference) -> bool:
    """Did ours send the same, but less of it, and nothing that changes something?"""
    sent = _without_lengths(difference.ours)
    return (
        sent == _without_lengths(difference.theirs)[: len(sent)]
        and len(sent) < len(difference.theirs)
        and not any("rpmb type" in line for line in sent)
    )


def _wrote_config(case: Case, difference: Difference) -> bool:
    """Did both write the same configuration, if the controller took it?"""
    ours, theirs = ([line for line in sent if re.search("rpmb type=6 .* result=0$", line)]
                    for sent in (difference.ours, difference.theirs))  # fmt: skip
    return "write-config" in case.args and ours == theirs


EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        ALL,
        ("sent",),
        "",
        "the original reads from the device before it looks at the options",
        "A command line that is refused sends nothing",
        _refused_early,
    ),
    Exception_(
        (
            "virt-mgmt",
            "device-self-test",
            "copy",
            "dir-send",
            "nvme-mi-recv",
            "nvme-mi-send",
            "set-reg",
        ),
        ("status", "sent"),
        "",
        "the original cuts off what is too large, and does something else than was asked for",
        "a value that does not fit into its field is refused",
        _no_room,
    ),
    Exception_(
        ("lockdown",),
        ("sent",),
        "",
        "the original has six bits for the index of a UUID, which has seven",
        "The UUID index of `lockdown`",
        lambda case, _: "64" in case.args,
    ),
    Exception_(
        LISTS,
        ("line", "length"),
        ".*",
        "the original shows as many entries as are announced, those behind the data as well",
        "Lists are shown as far as the data has them",
        _beyond,
    ),
    Exception_(
        ("cmdset-ind-id-ns", "id-ns-granularity", "nvm-id-ns", "nvm-id-ns-lba-format"),
        ("value",),
        "rgrpid|attributes|npdgl|nprg|npra|nors|npdal|lbapss|tlbaag",
        "the original has a sign where the highest bit is set",
        "Numbers have no sign",
        lambda _, d: isinstance(d.theirs, int) and d.theirs < 0 <= d.ours,
    ),
    Exception_(
        ("id-nvmset",),
        ("line", "value"),
        r"(NVMSet\[\]\.)?nvmset_id",
        "the original prints the endurance group where the NVM set belongs",
        "`id-nvmset` prints the identifier of each NVM set",
    ),
    Exception_(
        ("id-ns-lba-format",),
        ("line",),
        r"LBA Format +\d+",
        "the original prints sizes that no number of its own holds, and calls performances whose "
        "reserved bits are set the best",
        "sizes of blocks beyond 31 bits",
        lambda case, _: case.data != "zeros" and case.data != "sample",
    ),
    Exception_(
        ("id-ns-lba-format",),
        ("length",),
        r"lbafs\[\]",
        "the original has no formats with unique attributes in its JSON",
        "leaves formats with unique attributes out of its JSON",
    ),
    Exception_(
        ("verify", "write-zeroes"),
        ("sent",),
        "",
        "the original reads the format of protection information whether or not there are tags",
        "`verify` and `write-zeroes` read the format of the tags where they have any",
        _reads_formats,
    ),
    Exception_(
        ("copy",),
        ("sent",),
        "",
        "the original leaves what it found in memory in the reserved bytes of the ranges",
        "Reserved bytes of the ranges of `copy` are zero",
        lambda _, d: _without_sums(d.ours) == _without_sums(d.theirs),
    ),
    Exception_(
        ("copy",),
        ("status", "sent"),
        "",
        "the original copies ranges of which it knows one half, from or for block 0",
        "`copy` refuses lists of different lengths",
        _counts_differ,
    ),
    Exception_(
        ("get-lba-status",),
        ("sent",),
        "",
        "the original sends namespace 0, which there is not, unless --namespace-id is there",
        "`get-lba-status` is for the namespace of its device",
        lambda _, d: [x.replace("nsid=1", "nsid=0") for x in d.ours] == d.theirs,
    ),
    Exception_(
        ("get-lba-status", "dir-receive", "security-send"),
        ("status",),
        "",
        "the original reads or writes behind its buffers, or adds to what is no JSON object",
        "2.13 crashes in JSON of `get-lba-status`",
        _crashed,
    ),
    Exception_(
        ("get-lba-status", "dir-receive"),
        ("line", "value", "extra", "missing"),
        ".*",
        "the original shows as many entries as are announced, those behind the data as well",
        "Lists are shown as far as the data has them",
        _beyond,
    ),
    Exception_(
        ("dir-receive",),
        ("line", "extra", "missing"),
        "Stream Identifier.*",
        "the original shows as many entries as are announced, those behind the data as well",
        "Lists are shown as far as the data has them",
        lambda case, d: d.ours is None and "-l" in case.args,
    ),
    Exception_(
        ("dir-receive",),
        ("line", "value"),
        "NVM Subsystem Stream Capability.*",
        "the original takes the reserved byte behind it for a part of the capability",
        "`dir-receive` shows the 8 bits of the stream capability",
    ),
    Exception_(
        ("dir-receive",),
        ("value",),
        ".*(Stream|MSL|NSSA|NSSO|SWS|SGS|NSA|NSO).*",
        "the original goes over the structure in steps that are too long in its JSON",
        "whose JSON has the numbers of its text",
    ),
    Exception_(
        ("security-recv", "io-mgmt-recv", "nvme-mi-recv", "dir-send"),
        ("missing", "extra", "order"),
        "|data.*|result|status|status_text|response",
        "the original has the address of its buffer as a key, and characters for bytes",
        "is an array of numbers under `data`",
    ),
    Exception_(
        ("security-recv", "io-mgmt-recv", "nvme-mi-recv", "dir-receive"),
        ("bytes",),
        "",
        "the original knows no binary format here, or writes a line before the bytes",
        "`-o binary` and `--raw-binary` write nothing but the bytes",
    ),
    Exception_(
        ("security-send", "io-mgmt-send"),
        ("status", "sent"),
        "",
        "the original sends zeroes where the file ends",
        "a file that is shorter than the data is refused",
        lambda case, _: "/dev/null" in case.args or "IMAGE" in case.args,
    ),
    Exception_(
        ("security-recv",),
        ("status", "sent"),
        "",
        "the original lets the controller send more than there is room for",
        "`security-recv` refuses `--al` beyond `--size`",
        _given("-x", "20", "-t", "64"),
    ),
    Exception_(
        ("io-mgmt-recv",),
        ("status", "sent"),
        "",
        "the original asks for 16 GiB without a length, and cuts off what is no dword",
        "`io-mgmt-recv` requires `--data-len` in whole dwords",
        _odd_length,
    ),
    Exception_(
        ("io-mgmt-recv",),
        ("status",),
        "",
        "the original fails where it wrote the file",
        "exit status of `io-mgmt-recv --data`",
        _given("-d", "/dev/null"),
    ),
    Exception_(
        ("get-reg",),
        ("value",),
        r".*Weighted Round Robin with Urgent Priority Class",
        "the original looks at the bit of another mechanism in its JSON",
        "Arbitration mechanisms in the JSON of `get-reg`",
    ),
    Exception_(
        ("get-reg",),
        ("line", "value"),
        r".*PMR Sustained Write Throughput \(PMRSWTV\)",
        "the original prints the unit instead of the value",
        "the sustained write throughput of PMRSWTP",
    ),
    Exception_(
        ("get-reg",),
        ("status",),
        "",
        "the original succeeds without a value",
        "A register that there is not over fabrics is an error",
        lambda case, d: case.data == "sample",
    ),
    Exception_(
        ("set-reg",),
        ("status",),
        "",
        "the original succeeds without having anything to do",
        "`set-reg` without a register is an error",
        lambda case, d: not any(word.startswith(("-O", "--")) for word in case.args),
    ),
    Exception_(
        ("set-reg",),
        ("line", "result"),
        "set-register",
        "the original does nothing for --bpmbl",
        "`set-reg --bpmbl` writes",
        lambda case, _: "--bpmbl" in case.args,
    ),
    Exception_(
        ("rpmb",),
        ("status",),
        "",
        "the original's exit status is the number of what it wrote or read, or 0 after an error",
        "The exit status of `rpmb` is 0 where it did what was asked for",
    ),
    Exception_(
        ("rpmb",),
        ("sent",),
        "",
        "the original announces frames of 0 bytes",
        "announces the length of each frame",
        _lengths_alone,
    ),
    Exception_(
        ("rpmb",),
        ("sent",),
        "",
        "the original sends what cannot be, writes by a counter that nobody authenticated, and "
        "programs a key that is too short, filled up with zeros",
        "refuses keys that have not 32 bytes",
        _stopped_before,
    ),
    Exception_(
        ("rpmb",),
        ("sent", "line"),
        "|Writing .* bytes to file /dev/null",
        "the original counts the sectors before --address as read",
        "`read-data` reads all of `--blocks` from any `--address`",
        _given("read-data"),
    ),
    Exception_(
        ("rpmb",),
        ("sent",),
        "",
        "the original does not ask for the result of what it wrote",
        "reads the result of `write-config`",
        _wrote_config,
    ),
)
