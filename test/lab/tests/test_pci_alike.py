# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that read print what Debian's nvme 2.16 prints, over the same controllers."""

import pytest
from alike import not_needed, require_alike
from lab import Pci

pytestmark = pytest.mark.pci

FORMATS: tuple[tuple[str, ...], ...] = ((), ("-o", "json"))
EXPLAINED = (*FORMATS, ("-H",), ("-H", "-o", "json"))

#: Command lines by the output options that each is run with. CTRL, ZONED and FDP stand for
#: controllers; NS, PROTECTED, ZNS and PLACED for namespaces.
LINES: dict[tuple[tuple[str, ...], ...], tuple[str, ...]] = {
    EXPLAINED: ("id-ctrl CTRL", "id-ns PROTECTED", "zns id-ns ZNS"),
    (("-H",),): ("id-ctrl ZONED", "id-ctrl FDP", "id-ns NS", "smart-log CTRL", "show-regs CTRL",
                 "effects-log CTRL -c 0"),
    FORMATS: (
        "id-ns CTRL -n 2", "id-ns CTRL -n 2 --force", "ns-descs NS", "ns-descs ZNS",
        "list-ns CTRL", "list-ns CTRL -a", "list-ns ZONED -y 2", "list-ctrl CTRL",
        "list-ctrl CTRL -n 1", "list-ctrl CTRL -n 2", "nvm-id-ctrl CTRL", "nvm-id-ns NS",
        "cmdset-ind-id-ns NS", "id-iocs CTRL", "id-nvmset CTRL", "id-ns-granularity CTRL",
        "id-uuid CTRL", "id-domain CTRL", "list-endgrp FDP", "primary-ctrl-caps CTRL",
        "list-secondary CTRL", "nvm-id-ns-lba-format CTRL -i 0",
        "smart-log NS", "show-regs CTRL", "error-log CTRL", "effects-log ZONED -c 2",
        "effects-log CTRL", "fw-log CTRL",
        "changed-ns-list-log CTRL", "endurance-log FDP -g 1", "supported-log-pages CTRL",
        "self-test-log CTRL", "sanitize-log CTRL", "lba-status-log CTRL",
        "list", "list -v", "list-subsys", "list-subsys -v", "list-subsys NS",
        "zns id-ctrl ZONED", "zns report-zones ZNS -d 4", "zns report-zones ZNS -e",
        "zns changed-zone-list ZNS", "zns list",
        "fdp configs FDP -e 1", "fdp usage FDP -e 1", "fdp stats FDP -e 1", "fdp events FDP -e 1",
        "fdp events FDP -e 1 -E", "fdp status PLACED",
    ),
    (("-H",), ()): tuple(
        f"get-feature CTRL -f {fid}" for fid in (1, 2, 4, 6, 7, 8, 9, 10, 11, 0x1D)
    ),
    ((),): ("get-lba-status NS -s 0 -m 10 -a 0x11 -l 0", "resv-report NS", "get-ns-id NS",
            "get-feature NS -f 5", "get-feature ZNS -f 3",
            *(f"get-feature CTRL -f 7 -s {sel}" for sel in (1, 2, 3)),
            "dir-receive PLACED -D 0 -O 1 -H", "telemetry-log CTRL -O /tmp/telemetry",
            "persistent-event-log CTRL -a 0", "id-ctrl CTRL -b", "id-ns NS -b"),
}  # fmt: skip


def with_devices(pci: Pci, line: str) -> list[str]:
    """A command line with its devices."""
    devices: dict[str, tuple[str, int | None]] = {
        "CTRL": ("lab", None), "ZONED": ("zoned", None), "FDP": ("placement", None),
        "NS": ("lab", 1), "PROTECTED": ("lab", 3), "ZNS": ("zoned", 1), "PLACED": ("placement", 1),
    }  # fmt: skip

    def device(word: str) -> str:
        if word not in devices:
            return word
        subsystem, nsid = devices[word]
        return pci.namespace(subsystem, nsid) if nsid else pci.controller(subsystem)

    words = [device(word) for word in line.split()]
    return [" ".join(words[:2]), *words[2:]] if words[0] in ("zns", "fdp") else words


@pytest.mark.parametrize(
    ("line", "formats"), [(line, formats) for formats, lines in LINES.items() for line in lines]
)
def test_alike(pci: Pci, line: str, formats: tuple[tuple[str, ...], ...]) -> None:
    for more in formats:
        if require_alike(pci, *with_devices(pci, line), *more).status:
            break  # what is refused is refused in every format


def test_all_features_alike(pci: Pci) -> None:
    """The values of those that tell no time; and whatever they are, ours succeeds."""
    words = ("get-feature", pci.controller("lab"))
    one, other = (
        [line for line in run.out.decode().splitlines() if line.startswith("get-feature:")]
        for run in (pci.ours(*words), pci.original(*words))
    )
    assert one == other
    assert len(one) > 8
    require_alike(pci, *words, "-s", "3")


def test_every_exception_is_needed() -> None:
    """A line of the list that no difference of the tests above needs is an error, too."""
    assert not_needed() == []
