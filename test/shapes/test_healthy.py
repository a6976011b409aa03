# SPDX-License-Identifier: LGPL-2.1-or-later
"""On each healthy shape setup gives every usable link one subflow, and nothing finds a fault."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from shape_net import Net
from shape_nvme import Machines, anywhere, rules, shown
from shape_pool import at_once, require
from shape_rows import SHAPES, Shape
from shape_servers import MORE

QUEUES = 2


def settle(shape: Shape, machines: Machines) -> dict[str, str]:
    """Set both sides up, after which there is nothing to do; the notes of each."""
    words: dict[str, list[str]] = {"host": ["--traddr", shape.targets, *shape.host.split()]}
    if shape.target is not None:
        words["target"] = shape.target.split()
    notes = {side: notes_of(machines.setup(side, *words[side])) for side in reversed(words)}
    again = {side: machines.planned(side, *words[side])["steps"] for side in words}
    assert again == {side: [] for side in words}, "a second setup has something to do"
    return notes


def notes_of(plan: Any) -> str:
    return " ".join(note["text"] for note in plan["notes"])


def notes_tell(shape: Shape, net: Net, notes: dict[str, str]) -> None:
    """What was left out is named, unless a kernel has room for all."""
    if shape.enough and all(len(c) == len(shape.wires) for c in net.carried(shape.wires).values()):
        return
    for side, expected in shape.notes.items():
        for word in expected:
            assert re.search(rf"(?<!\w){word}(?!\w)", notes[side]), f"no note on {word}: {notes}"


def avoids(shape: Shape, net: Net) -> None:
    """No endpoint is on an interface that is not meant for storage."""
    for side, names in shape.idle.items():
        for line in net.endpoints(side):
            device = re.search(r"dev (\S+)", line)
            assert not device or device[1] not in names, f"{side}: {line}"


def is_right(shape: Shape, carried: dict[str, Counter[str]]) -> bool:
    """Each connection has what the shape wants on each link, and nothing else."""

    def fine(links: Counter[str]) -> bool:
        if shape.enough:
            return set(links) <= set(shape.wires) and (
                len(links) >= shape.enough and set(links.values()) == {1}
            )
        return links == shape.wires

    return len(carried) == QUEUES and all(map(fine, carried.values()))


def every_link_carries(shape: Shape, net: Net) -> None:
    """Each connection has one subflow on each link, there and back."""
    carried = net.settles(every_wire(shape), lambda now: is_right(shape, now))
    assert is_right(shape, carried), {token: dict(links) for token, links in carried.items()}
    for subflow in net.subflows(every_wire(shape)):
        assert subflow.back == subflow.out, f"the answers come by another link: {subflow}"


def every_wire(shape: Shape) -> list[str]:
    """Interfaces that are no devices on top of others."""
    idle = [name for name in shape.idle.get("host", ()) if name == "mgmt0"]
    return [*shape.wires, *(f"eth{i}" for i in range(1, 11) if f"eth{i}" not in shape.wires), *idle]


def agrees(net: Net, machines: Machines) -> None:
    """show-subflows counts what ss counts, and attributes all of it."""
    result = machines.nvme("host", "show-subflows", "-o", "json")
    assert result.status == 0, result
    (controller,) = result.json["controllers"]
    shown_here = sorted(len(connection["subflows"]) for connection in controller["connections"])
    counted = Counter(subflow.token for subflow in net.subflows())
    assert shown_here == sorted(counted.values()), result.out


def nothing_is_found(shape: Shape, net: Net, machines: Machines) -> None:
    """Every link carries, and neither trial nor check nor repair has anything to say."""
    ignored = shape.check.split()
    findings, trial = machines.trial(shape.portal, *ignored)
    assert rules(findings) == [], f"the trial finds something:\n{shown(findings)}"
    assert trial["outcome"] == "mptcp"
    machines.attach(shape.portal, QUEUES, **shape.connect)
    every_link_carries(shape, net)
    agrees(net, machines)
    machines.clean(words=ignored)
    for side in ("host", "target"):
        result = machines.nvme(side, "repair", "--role", side, "-o", "json")
        assert (result.status, result.json["missing"], result.json["steps"]) == (0, [], []), result
    assert is_right(shape, net.carried(every_wire(shape))), "a check or repair changed something"


@pytest.mark.parametrize("shape", [*SHAPES, *MORE], ids=lambda shape: shape.name)
@at_once
def test_healthy(shape: Shape, net: Net, machines: Machines) -> None:
    require(*shape.needs)
    for step in shape.build:
        step(net)
    machines.offer(anywhere(shape.portal))
    notes = settle(shape, machines)
    avoids(shape, net)
    if shape.late:
        shape.late(net)
    nothing_is_found(shape, net, machines)
    notes_tell(shape, net, notes)


def test_names_differ() -> None:
    shapes = [*SHAPES, *MORE]
    assert len({shape.name for shape in shapes}) == len(shapes) >= 40
