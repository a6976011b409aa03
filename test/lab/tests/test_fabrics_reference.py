# SPDX-License-Identifier: GPL-2.0-or-later
"""Listing and identifying beside Debian's nvme 2.3, on the same controllers at the same time."""

import re
from typing import Any

import pytest
from lab import Host, Lab, Namespace, Subsystem, both_transports

ONE, TWO = "nqn.2024-01.lab:one", "nqn.2024-01.lab:two"


@pytest.fixture
def host(lab: Lab) -> Host:
    """A subsystem of two namespaces over mptcp on two links, and one of one over tcp."""
    subsystems = (
        Subsystem(ONE, (Namespace(1), Namespace(2)), serial="LAB0001", model="Lab disk"),
        Subsystem(TWO, serial="LAB0002", model="Another"),
    )
    lab.target.configure(both_transports(*subsystems))
    lab.host.connect(ONE, "mptcp", "10.1.1.1", 4421)
    lab.host.connect(ONE, "mptcp", "10.1.2.1", 4421)
    lab.host.connect(TWO, "tcp", "10.1.1.1", 4420)
    for nqn, nsid in ((ONE, 1), (ONE, 2), (TWO, 1)):
        lab.host.disk(nqn, nsid)
    return lab.host


def both(host: Host, arguments: str) -> tuple[Any, Any]:
    return host.nvme(arguments), host.reference(arguments)


def by_name(listing: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """A list in the order of a field: 2.3 lists in the order in which it finds things."""
    return sorted(listing, key=lambda entry: str(entry[name]))


def fields(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    return list(entry.items())


def test_list_in_json(host: Host) -> None:
    """Every field of 2.3 with its value, in its order; later versions add the generic device."""
    ours, theirs = both(host, "list -o json")
    assert list(ours) == list(theirs) == ["Devices"]
    ours, theirs = (by_name(said["Devices"], "DevicePath") for said in (ours, theirs))
    generic = [device.pop("GenericPath") for device in ours]
    assert generic == [device["DevicePath"].replace("nvme", "ng") for device in ours]
    assert [fields(device) for device in ours] == [fields(device) for device in theirs]


def test_list_in_text(host: Host) -> None:
    """2.3 writes the namespace in decimal; every other cell is the same."""
    ours, theirs = (said.splitlines() for said in both(host, "list"))
    assert ours[0].split() == theirs[0].split()
    assert len(ours) == 5
    rows = [sorted(line.split() for line in lines[2:]) for lines in (ours, theirs)]
    assert [[re.sub(r"^0x", "", cell) for cell in row] for row in rows[0]] == rows[1]


def test_list_subsys_in_json(host: Host) -> None:
    ours, theirs = both(host, "list-subsys -o json")
    assert len(ours) == len(theirs) == 1
    assert [(key, ours[0][key]) for key in ("HostNQN", "HostID")] == fields(theirs[0])[:2]
    ours, theirs = (by_name(said[0]["Subsystems"], "Name") for said in (ours, theirs))
    assert [list(subsystem) for subsystem in ours] == [["Name", "NQN", "Paths"]] * 2
    assert [list(subsystem) for subsystem in theirs] == [["Name", "NQN", "Paths"]] * 2
    for our, their in zip(ours, theirs, strict=True):
        assert (our["Name"], our["NQN"]) == (their["Name"], their["NQN"])
        paths = [[fields(p) for p in by_name(s["Paths"], "Name")] for s in (our, their)]
        assert paths[0] == paths[1]


def test_list_subsys_in_text(host: Host) -> None:
    """All of 2.3's lines; later versions add those of host and policy, and trim the ends."""
    ours, theirs = both(host, "list-subsys")
    lines = {line.rstrip() for line in theirs.splitlines()}
    added = set(ours.splitlines()) - lines
    assert lines <= set(ours.splitlines())
    assert {line.strip().split("=")[0] for line in added} == {"hostnqn", "iopolicy", ""}


def test_id_ctrl(host: Host) -> None:
    """2.3 writes numbers of 128 bits as strings; every other field is the same."""
    ours, theirs = both(host, "id-ctrl /dev/nvme0 -o json")
    long = {key for key, value in theirs.items() if isinstance(value, str) and value.isdecimal()}
    assert {"tnvmcap", "unvmcap"} <= long <= {"tnvmcap", "unvmcap", "megcap", "maxdna"}
    for key in long:
        theirs[key] = int(theirs[key])
    our_states, their_states = ours.pop("psds"), theirs.pop("psds")
    assert len(theirs) > 60
    assert [(key, ours.get(key)) for key in theirs] == fields(theirs)
    for our, their in zip(our_states, their_states, strict=True):
        # later versions tell the bits of the flags apart
        flags = our["max_power_scale"] | our["non-operational_state"] << 1
        assert their.items() <= {**our, "flags": flags}.items()
    ours, theirs = both(host, "id-ctrl /dev/nvme0")
    shown = [line for line in theirs.splitlines() if re.match(r"\w+ +:", line)]
    assert len(shown) > 60
    assert [line for line in shown if line not in ours.splitlines()] == []
