# SPDX-License-Identifier: GPL-2.0-or-later
"""In which order listings have what there is, where numbers do not tell it: beside Debian's nvme.

A subsystem has the number of the controller that made it, which need not be its first any more, and
each host has subsystems and namespaces of its own by the same names.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Original
from differences import Case
from program import FakeHost, ours, theirs

LISTINGS = (
    ("list",), ("list", "-v"), ("list", "-o", "json"), ("list", "-v", "-o", "json"),
    ("list-subsys",), ("list-subsys", "-o", "json"), ("show-topology",),
    ("zns", "list"), ("zns", "list", "-o", "json"),
)  # fmt: skip
NAME = re.compile(r"nvme-subsys\d+|nvme\d+(?:c\d+)?n\d+|\bnvme\d+\b")


@dataclass(frozen=True)
class Machine:
    """Controllers by their subsystem, those of a second host, and namespaces that one alone has.

    Numbers have one digit: nvme10 comes before nvme2 in the original.
    """

    controllers: tuple[tuple[int, tuple[int, ...]], ...]
    others: tuple[int, ...] = ()
    private: tuple[int, ...] = ()

    def prepare(self, host: FakeHost) -> None:
        for number, controllers in self.controllers:
            subsystem = host.subsystem(number, f"nqn.2026-01.test:{number}")
            for instance in controllers:
                hostnqn = f"nqn.2026-01.test:host{1 + (instance in self.others)}"
                subsystem.controller(
                    instance, address=f"traddr=10.0.0.{instance},trsvcid=4420", hostnqn=hostnqn
                )
            for nsid in (1, 3):
                subsystem.namespace(nsid, csi=2, **{"queue/zoned": "host-managed"})
            for controller in subsystem.controllers:
                instance = int(controller.name.removeprefix("nvme"))
                for nsid in (2, 5) if instance in self.private else ():
                    place = controller.directory / f"nvme{number}n{nsid}"
                    shutil.copytree(subsystem.directory / f"nvme{number}n1", place, symlinks=True)
                    (place / "nsid").write_text(f"{nsid}\n")


MIXED = ((0, (3,)), (2, (0, 2)), (1, (1,)))
MACHINES = {
    "subsystem of a later controller": Machine(MIXED),
    "all of a subsystem came later": Machine(((4, (0, 1)), (5, (2,)), (3, (3, 4, 5)))),
    "two hosts": Machine(MIXED, others=(2, 3)),
    "namespaces of one controller": Machine(MIXED, private=(2,)),
    "both": Machine(MIXED, others=(0, 1), private=(3,)),
}


#: The original's topology leaves out namespaces that one controller alone has.
CASES = [
    (words, name)
    for words in LISTINGS
    for name, made in MACHINES.items()
    if not (made.private and words == ("show-topology",))
]


@pytest.mark.parametrize(("words", "name"), CASES)
def test_everything_is_where_the_original_has_it(
    original: Original, tmp_path: Path, words: tuple[str, ...], name: str
) -> None:
    made = MACHINES[name]
    case = Case(words[0], words[1:], name, made.prepare)
    one, other = ours(tmp_path, case), theirs(tmp_path, case, original)
    assert one.status == other.status == 0
    assert len(NAME.findall(other.out.decode())) > 3
    assert NAME.findall(one.out.decode()) == NAME.findall(other.out.decode())
