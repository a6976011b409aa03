# SPDX-License-Identifier: GPL-2.0-or-later
"""Where this library deliberately does something else than the original.

Nothing but what is listed here may differ, and everything here must be needed. ``documented`` is a
piece of the sentence in doc/compatibility-list.md that tells users.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: Arguments of a call by name.
Arguments = dict[str, int]

PAGE = 4096
MOST_DWORDS = 0x3FFFFFFF


@dataclass(frozen=True)
class Deviation:
    """Calls whose recordings differ: of which functions, with which arguments, and why."""

    functions: tuple[str, ...]
    when: Callable[[Arguments], bool]
    reason: str
    documented: str


def _length(arguments: Arguments) -> int:
    return arguments["data_len"] if "data_len" in arguments else arguments["len"]


def _tags_undefined(arguments: Arguments) -> bool:
    """Is the storage tag wider than the format has room for, or narrower than it must be?"""
    least, most = {0: (0, 32), 1: (16, 64), 2: (0, 48)}.get(arguments["pif"], (0, 255))
    return not least <= arguments["sts"] <= most


DEVIATIONS = (
    Deviation(
        (
            "nvme_get_log", "nvme_get_log_page", "nvme_fw_download", "nvme_resv_report",
            "nvme_zns_mgmt_recv", "nvme_io_mgmt_recv",
        ),
        lambda a: _length(a) < 4,
        "the count of dwords is zero-based: the largest would be asked for without a buffer",
        "A length of less than four bytes",
    ),
    Deviation(
        ("nvme_get_log_page",),
        lambda a: a["len"] % 4096 == 2,
        "the rest of two bytes would be asked for as the largest count of dwords",
        "A length of less than four bytes",
    ),
    Deviation(
        ("nvme_get_log_page",),
        lambda a: a["ot"] == 1,
        "an offset that counts entries cannot be advanced by bytes",
        "whose offset counts entries",
    ),
    Deviation(
        ("nvme_dsm",),
        lambda a: not 1 <= a["nr_ranges"] <= 256,
        "eight bits hold the count less one: others would lose ranges or add some",
        "fewer than 1 or more than 256",
    ),
    Deviation(
        ("nvme_copy",),
        lambda a: not 1 <= a["nr"] <= 256,
        "eight bits hold the count less one: others would lose ranges or add some",
        "fewer than 1 or more than 256",
    ),
    Deviation(
        ("nvme_set_features_lba_range",),
        lambda a: a["nr_ranges"] == 0,
        "the count less one would be the largest",
        "no range at all",
    ),
    Deviation(
        ("nvme_get_lba_status",),
        lambda a: a["mndw"] >= MOST_DWORDS,
        "the length in bytes does not fit into 32 bits: what is left of it is too short a buffer",
        "more bytes than 32 bits",
    ),
    Deviation(
        ("nvme_lm_migration_send", "nvme_lm_migration_recv"),
        lambda a: a["numd"] >= MOST_DWORDS,
        "the length in bytes does not fit into 32 bits: what is left of it is too short a buffer",
        "more bytes than 32 bits",
    ),
    Deviation(
        ("nvme_lm_migration_send",),
        lambda a: a["sel"] == 2 and bool(a["seqind"] & 3),
        "the original drops the sequence indicator of Set Controller State",
        "sequence indicator",
    ),
    Deviation(
        ("nvme_lm_cdq",),
        lambda a: a["sz_u8"] != 0,
        "programs of 1.13 have the size in eight bits, which count where the newer member is 0",
        "Controller Data Queue",
    ),
    Deviation(
        ("nvme_lockdown",),
        lambda a: bool(a["uuidx"] & 0x40),
        "the UUID index has seven bits; the original sends six",
        "UUID index",
    ),
    Deviation(
        ("nvme_directive_send_id_endir",),
        lambda a: a["dtype"] != 0,
        "the directive type is bits 15:08 of dword 12; the original puts one bit of it into bit 1",
        "nvme_directive_send_id_endir",
    ),
    Deviation(
        ("nvme_get_features_host_mem_buf",),
        lambda _: True,
        "the controller sends attributes, for which the original gives it no buffer",
        "nvme_get_features_host_mem_buf",
    ),
    Deviation(
        ("nvme_io",),
        _tags_undefined,
        "a storage tag of a size that the format does not have is shifted out of the tags' bits",
        "storage tag",
    ),
)  # fmt: skip
