# SPDX-License-Identifier: GPL-2.0-or-later
"""Where functions that send no command deliberately return something else than the original's.

``documented`` is a piece of the sentence in doc/compatibility-list.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """What differs: of which part, what is printed before the value, and why."""

    part: str
    what: str
    reason: str
    documented: str


def because(part: str, reason: str, documented: str, *calls: str) -> Iterator[Difference]:
    """One difference for each call, with the object or arguments that it is about."""
    for call in calls:
        yield Difference(part, call, reason, documented)


PATH = (
    "nvme_path_get_name(p)",
    "nvme_path_get_ana_state(p)",
    "nvme_path_get_numa_nodes(p)",
    "nvme_path_get_queue_depth(p)",
    "nvme_path_get_sysfs_dir(p)",
    "nvme_ctrl_get_name(nvme_path_get_ctrl(p))",
    "nvme_path_get_ns(p) ? nvme_ns_get_name(nvme_path_get_ns(p)) : NULL",
    'nvme_get_path_attr(p, "ana_grpid")',
    'nvme_get_path_attr(p, "nothing")',
)
LENGTH = (
    "nvme_get_feature_length(fid, cdw11, &len)",
    "nvme_get_feature_length2(fid, cdw11, NVME_DATA_TFR_HOST_TO_CTRL, &len)",
    "nvme_get_feature_length2(fid, cdw11, NVME_DATA_TFR_CTRL_TO_HOST, &len)",
    "len",
)
LENGTHS = (0x19, 0x1A, 0x1B, 0x1D, 0x21, 0x85)
EQUAL = "nvme_ipaddrs_eq(addresses[i / n], addresses[i % n])"
URI = (
    "uri != NULL", "uri->scheme", "uri->protocol", "uri->userinfo", "uri->host", "uri->port",
    "uri->query", "uri->fragment",
)  # fmt: skip
BAD_URIS = (
    "nvme+tcp://[fd00::1",
    "nvme+tcp://host:port/",
    "nvme+tcp://host/%zz",
    "nvme+tcp://host:99999/",
)
DHCHAP = 'nvme_gen_dhchap_key((char *)"nqn.h", (enum nvme_hmac_alg)hmac, len, secret, key)'
CONNECT = "connect nqn=nqn.2026-01.org.example:new"
ENTRY = "connect nqn=nqn.2025-01.test:one"

EXCEPTIONS = (
    *because(
        "tree", "text is no identifier", "give bytes, not",
        *(
            f"{function} [{name}]"
            for name in ("nvme0n1", "nvme0n2", "nvme1n1")
            for function in ("nvme_ns_get_nguid(n)", "uuid")
        ),
    ),
    *because(
        "tree", "a partition is no namespace, and no device has such a name", "scan filters refuse",
        "nvme_paths_filter(&d) != 0 [nvme0c0n1p1]",
        "nvme_namespace_filter(&d) != 0 [nvme1n2p3]",
        "nvme_ctrls_filter(&d) != 0 [nvme0n]",
    ),
    *because(
        "tree", "1.16 has every path of a controller twice after it was scanned again",
        "has its paths once",
        *(f"{function} [{name}]" for name in ("nvme0c0n1", "nvme0c0n2") for function in PATH),
    ),
    *because("tree", "no device", "names why it could not be opened", "errno [nvme99]"),
    *because("values", "the transport", "is 4, the first", "nvmf_trtype_str((__u8)i) [4]"),
    *because(
        "values", "a success that forbids retries", "DNR",
        "nvme_status_to_errno(i | 0x4000, false) [0]",
    ),
    *because(
        "values", "words for errno, too", "errno as well",
        *(f"nvme_errno_to_string(i) [{n}]" for n in range(990, 1000)),
        *(f"nvme_errno_to_string(i - 980) [{n}]" for n in range(990, 1030)),
    ),
    *because(
        "values", "1.16 does not know these features", "1.16 knows neither these",
        *(f"{what} [{fid:#x} {n}]" for fid in LENGTHS for n in range(3) for what in LENGTH),
    ),
    *because(
        "values", "octal, or no address", "dotted decimal",
        f"{EQUAL} [10.1.1.1 10.1.1.01]",
        f"{EQUAL} [::ffff:10.1.1.1 10.1.1.01]",
        f"{EQUAL} [10.1.1.01 10.1.1.1]",
        f"{EQUAL} [10.1.1.01 ::ffff:10.1.1.1]",
        f"{EQUAL} [10.1.1.01 10.1.1.01]",
        f"{EQUAL} [ ]",
        f"{EQUAL} [x x]",
        f"{EQUAL} [fe80::1%eth fe80::1%eth]",
        f"{EQUAL} [10.1.1 10.1.1]",
    ),
    *because(
        "values", "a digit is missing", "of 36 characters",
        "nvme_uuid_from_string(texts[i], uuid) == 0 [3c5e2f61-7a94-4d0b-9a35-0d1f2b6c8e4]",
    ),
    *because(
        "values", "malformed ones are refused, and the user has no @", "A URI that",
        *(f"{what} [{uri}]" for uri in BAD_URIS for what in URI),
        "*p [nvme+tcp://host/%zz]",
        "uri->userinfo [nvme+tcp://user@host:8009/path?query=x#fragment]",
        "uri->userinfo [nvme+tcp://user%40x@host:8009/p%61th/%2f?q%20#f%23]",
    ),
    *because(
        "keys", "nothing is written", "do not go",
        *(f"{DHCHAP} [{of}]" for of in ("1 48", "1 64", "2 32", "2 64", "3 32", "3 48")),
        *(f"key [{of}]" for of in ("1 48", "1 64", "2 64")),
    ),
    *because(
        "keys", "no such version", "Version 2",
        "nvme_export_tls_key_versioned(2, 1, secret, 32) [version 2]",
    ),
    *because(
        "keys", "keys of any type", "keys of any type",
        'nvme_scan_tls_keys("oracle-ring", scanned, (void *)"oracle-ring") [oracle-ring]',
        'nvme_scan_tls_keys("oracle-none", scanned, (void *)"none") [none]',
        "scanned [oracle-ring]",
    ),
    *because(
        "fabrics", "a port, as the row has it", "filled in",
        f"{CONNECT},transport=tcp,traddr=10.1.1.5",
        f"{CONNECT},transport=tcp,traddr=10.1.1.5,trsvcid=4420",
        f"{CONNECT},transport=rdma,traddr=10.1.1.5",
    ),
    *because(
        "fabrics", "no transport", "an unknown transport",
        f"{CONNECT},transport=carrier-pigeon,traddr=10.1.1.5",
    ),
    *because(
        "fabrics", "once more without disable_sqflow", "once more without",
        f"{ENTRY},transport=tcp,traddr=10.1.1.1,trsvcid=4420",
    ),
    *because(
        "config", "the flags have it", "primary administrative host", "nbft->host.primary [nbft]"
    ),
    *because(
        "config", "nothing is lost", "does not know is kept",
        '"persistent":true', '"persistent":true,', '"changeddigest":true',
        'line [updated] "persistent":true', 'line [updated] "persistent":true,',
        'line [updated] "changeddigest":true',
    ),
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
