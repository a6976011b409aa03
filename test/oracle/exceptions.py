# SPDX-License-Identifier: GPL-2.0-or-later
"""Where this library deliberately sends something else than the original.

A row is one field of one function. Nothing but what is listed may differ, and all of it must be
needed. test/unit/ioctl_limits.c has what these functions do instead, with which arguments.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

#: Besides the fields of a command, with this library before the original:
#: "refused": EINVAL and no command, "accepted": the reverse; "silent": success without a command;
#: "commands": more or fewer of them, or of their lengths.
REFUSED = "\t= -1 errno 22\n"


@dataclass(frozen=True)
class Deviation:
    """A field that differs, and why. ``documented`` is of doc/compatibility-list.md."""

    function: str
    field: str
    reason: str
    documented: str


def _rows(reason: str, documented: str, *rows: str) -> Iterator[Deviation]:
    """Yields one exception for each function and field of rows "function, function | field"."""
    for row in rows:
        functions, fields = (part.split(", ") for part in row.split(" | "))
        for function, field in product(functions, fields):
            yield Deviation(function, field, reason, documented)


def _words(line: str, other: str) -> Iterator[str]:
    """Yields the fields of two lines that differ."""
    one, two = line.split(), other.split()
    if len(one) != len(two) or one[0] != two[0]:
        yield "commands"
        return
    for a, b in zip(one, two, strict=True):
        if a != b:
            yield a.partition("=")[0] if re.match(r"\w+=", a) else one[0]


def fields(ours: str, theirs: str) -> set[str]:
    """Returns the fields in which two records of a call differ."""
    if ours.startswith(REFUSED) != theirs.startswith(REFUSED):
        return {"refused" if ours.startswith(REFUSED) else "accepted"}
    if ours.startswith("\t= 0\n") and not theirs.startswith("\t= 0\n"):
        return {"silent"}
    one, two = ours.splitlines(), theirs.splitlines()
    if len(one) != len(two):
        return {"commands"}
    return {field for pair in zip(one, two, strict=True) for field in _words(*pair)}


DEVIATIONS = (
    *_rows(
        "the count of dwords is zero-based: the largest would be asked for without a buffer",
        "A length of less than four bytes",
        "nvme_fw_download, nvme_resv_report, nvme_zns_mgmt_recv, nvme_io_mgmt_recv, "
        "nvme_get_log_page | refused",
    ),
    *_rows(
        "no bytes of a log page are not asked for",
        "A log page of no bytes",
        "nvme_get_log, nvme_get_log_page | silent",
    ),
    *_rows(
        "an offset that counts entries cannot be advanced by bytes",
        "whose offset counts entries",
        "nvme_get_log_page | commands, cdw10, addr",
    ),
    *_rows(
        "eight bits hold the count less one: others would lose ranges or add some",
        "fewer than 1 or more than 256",
        "nvme_dsm, nvme_copy | refused",
    ),
    *_rows(
        "the count less one would be the largest",
        "no range at all",
        "nvme_set_features_lba_range | refused",
    ),
    *_rows(
        "the length in bytes does not fit into 32 bits: what is left of it is too short a buffer",
        "more bytes than 32 bits",
        "nvme_get_lba_status, nvme_lm_migration_send, nvme_lm_migration_recv | refused",
    ),
    *_rows(
        "the original drops the sequence indicator of Set Controller State",
        "sequence indicator",
        "nvme_lm_migration_send | cdw10",
    ),
    *_rows(
        "programs of 1.13 have the shorter structure, which 1.16 refuses",
        "Controller Data Queue",
        "nvme_lm_cdq | accepted",
    ),
    *_rows(
        "the UUID index has seven bits; the original sends six",
        "UUID index",
        "nvme_lockdown | cdw14",
    ),
    *_rows(
        "the directive type is bits 15:08 of dword 12; the original puts one bit of it into bit 1",
        "nvme_directive_send_id_endir",
        "nvme_directive_send_id_endir | cdw12",
    ),
    *_rows(
        "the controller sends attributes, for which the original gives it no buffer",
        "nvme_get_features_host_mem_buf",
        "nvme_get_features_host_mem_buf | addr",
    ),
    *_rows(
        "a storage tag of a size that the format does not have is shifted out of the tags' bits",
        "storage tag",
        "nvme_io | refused",
    ),
)
