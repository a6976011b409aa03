# SPDX-License-Identifier: GPL-2.0-or-later
"""Where functions that send no command deliberately return something else than the original's.

``documented`` is a piece of the sentence in doc/compatibility-list.md, empty where 1.16 differs
from 1.13 in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """Lines of either library that the other has not: of which part, what they are like, why."""

    part: str
    line: str
    reason: str
    documented: str = ""


EXCEPTIONS = (
    Difference("tree", r"nvme_ns_get_nguid|uuid \[", "text is no identifier", "give bytes, not"),
    Difference("tree", r"_filter.*p\d\]", "a partition is no namespace", "scan filters refuse"),
    Difference("tree", r"_ctrls_filter.*nvme0n\]", "no controller", "scan filters refuse"),
    Difference(
        "tree", r"^< nvme_\w*path|^< nvme_ctrl_get_name\(nvme_path",
        "1.13 has every path of a controller twice after it was scanned again",
        "has its paths once",
    ),
    Difference("tree", r"errno \[nvme99\]", "no device", "names why it could not be opened"),
    Difference("values", r"nvmf_trtype_str.*\[4\]", "the transport", "is 4, the first"),
    Difference("values", r"status_to_errno.*\[0\]", "a success that forbids retries", "DNR"),
    Difference("values", r"nvme_errno_to_string", "words for errno, too", "errno as well"),
    Difference(
        "values", r"feature_length|len \[0x(19|1a|1b|1c|1d|1e|21|85) ", "features of 1.16"
    ),
    Difference("values", r"nvme_ipaddrs_eq", "octal, or no address", "dotted decimal"),
    Difference("values", r"nvme_uuid_from_string", "a digit is missing", "of 36 characters"),
    Difference("values", r"uri|zz\]", "malformed ones are refused", "A URI that"),
    Difference("keys", r"nvme_gen_dhchap_key|^[<>] key ", "nothing is written", "do not go"),
    Difference("keys", r"export_tls_key_versioned\(2", "no such version", "Version 2"),
    Difference("keys", r"scan_tls_keys|scanned", "keys of any type", "keys of any type"),
    Difference("fabrics", r"connect .*traddr=10.1.1.5,", "a port, as the row has it", "filled in"),
    Difference("fabrics", r"carrier-pigeon", "no transport", "an unknown transport"),
    Difference(
        "fabrics", r"^> connect nqn=nqn.2025-01.test:one", "once more without disable_sqflow",
        "once more without",
    ),
    Difference("config", r"host.primary", "the flags have it", "primary administrative host"),
    Difference(
        "config", r'changeddigest|"persistent":true', "nothing is lost", "does not know is kept"
    ),
    Difference("config", r"\[tree\]", "1.16 has namespaces and paths there"),
)  # fmt: skip

#: Functions of the original that no program calls, and why.
NOT_CALLED = {
    "nvme_clear_etdas": "without data from the device the original goes by its stack",
    "nvme_get_uuid_list": "without data from the device the original goes by its stack",
    "nvme_set_etdas": "without data from the device the original goes by its stack",
    "nvme_free_host": "it returns nothing, and nothing is left to see",
    "nvme_free_subsystem": "it returns nothing, and nothing is left to see",
    "nvme_submit_passthru": "every command passes through it",
    "nvme_submit_passthru64": "every command passes through it",
}
