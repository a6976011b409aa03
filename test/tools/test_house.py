# SPDX-License-Identifier: GPL-2.0-or-later
"""test/house.py: a small house that is in order, and defects that have to be found in it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from conftest import TOP, Machine

TABLE = """
| room | what | may use | names |
|-|-|-|-|
| `src/nvme/base/` | the ground floor | | `base_` |
| `src/nvme/tree/` | the objects | `src/nvme/base/` | `tree_` |
"""
FILES = {
    "doc/architecture.md": TABLE,
    ".clang-format": "ForEachMacros:\n  - base_for_each\n",
    "libnvme/libnvme.map": "LIBNVME_1 {\n\tglobal:\n\t\tnvme_open;\n};\n",
    "src/nvme/base/base.h": "#define base_for_each(x) for (;;)\n",
    "src/nvme/base/base.c": "int base_count(void);\nint base_count(void)\n{\n\treturn 1;\n}\n",
    "src/nvme/tree/tree.c": "int base_count(void);\nint nvme_open(void);\n"
    "int nvme_open(void)\n{\n\treturn base_count();\n}\n",
    "src/nvme/tree/tree.h": "int nvme_open(void);\n",
    "src/nvme/tree/tree-private.h": "int tree_count(void);\n",
    "src/mptcp/include/nvme/mptcp.h": "int nvme_mptcp(void);\n",
}
INSTALLED = ("src/nvme/tree/tree.h", "src/mptcp/include/nvme/mptcp.h")


class House:
    """A tree with its build, as house.py finds them."""

    def __init__(self, machine: Machine) -> None:
        self.top = machine.top / "house"
        self.path = machine.bin
        plan = {"headers": {str(self.top / name): {} for name in INSTALLED}}
        machine.program("meson", f"cat <<'EOF'\n{json.dumps(plan)}\nEOF")
        for name, text in FILES.items():
            self.write(name, text)
        script, n = re.subn(
            "^MAX_TWICE = .*$",
            'MAX_TWICE = {"functions": (0, 0), "files": (0, 0)}',
            (TOP / "test/house.py").read_text(),
            flags=re.MULTILINE,
        )
        assert n == 1
        self.write("test/house.py", script)
        self.git("init", "-q")

    def write(self, name: str, text: str) -> None:
        """A file of the tree."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def append(self, name: str, text: str) -> None:
        """More of a file."""
        self.write(name, (self.top / name).read_text() + text)

    def git(self, *arguments: str) -> None:
        """The lint reads what git tracks."""
        subprocess.run(["git", *arguments], cwd=self.top, check=True, timeout=60)

    def build(self) -> None:
        """Object files where meson has them."""
        objects = self.top / "build/libnvme/libnvme.so.p"
        objects.mkdir(parents=True)
        for source in self.top.glob("src/nvme/*/*.c"):
            name = ".._" + str(source.relative_to(self.top)).replace("/", "_") + ".o"
            places = [f"-I{self.top / place}" for place in ("src/nvme", "src/mptcp/include")]
            subprocess.run(
                ["cc", "-c", *places, source, "-o", objects / name], check=True, timeout=60
            )

    def judge(self) -> tuple[int, list[str]]:
        """Exit status and lines of house.py."""
        self.build()
        self.git("add", "-A", "--", "doc", "src", "libnvme", ".clang-format")
        done = subprocess.run(
            [sys.executable, self.top / "test/house.py", "--build", self.top / "build"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}"},
        )
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()


@pytest.fixture
def house(machine: Machine) -> House:
    return House(machine)


def test_a_house_in_order_is_silent(house: House) -> None:
    assert house.judge() == (0, [])


def upward_arrow(house: House) -> None:
    """The ground floor calls the tree."""
    house.append("src/nvme/base/base.c", "int nvme_open(void);\nint base_up(void);\n")
    house.append("src/nvme/base/base.c", "int base_up(void) { return nvme_open(); }\n")
    house.append("src/nvme/tree/tree.c", "int base_up(void);\nint nvme_open(void);\n")
    house.append("src/nvme/tree/tree.c", "static int (*const up)(void) = base_up;\n")
    house.append("src/nvme/tree/tree.c", "int (*tree_up(void))(void);\n")
    house.append("src/nvme/tree/tree.c", "int (*tree_up(void))(void) { return up; }\n")
    house.append("libnvme/libnvme.map", "\t\ttree_up;\n")


def no_prefix(house: House) -> None:
    """A name that the tree takes from the ground floor has no prefix."""
    house.append("src/nvme/base/base.c", "int total(void);\nint total(void) { return 1; }\n")
    house.append("src/nvme/tree/tree.c", "int total(void);\nint tree_sum(void);\n")
    house.append("src/nvme/tree/tree.c", "int tree_sum(void) { return total(); }\n")
    house.append("libnvme/libnvme.map", "\t\ttree_sum;\n")


def unused(house: House) -> None:
    """A function that nobody calls."""
    house.append("src/nvme/base/base.c", "int base_idle(void);\n")
    house.append("src/nvme/base/base.c", "int base_idle(void) { return 1; }\n")


def inline_without_prefix(house: House) -> None:
    """A header defines what its includers call."""
    house.append(
        "src/nvme/tree/tree-private.h", "static inline int twice(int n)\n{\n\treturn 2 * n;\n}\n"
    )


def function_twice(house: House) -> None:
    """Two files have a function of one name, which no object file shows."""
    for name in ("base", "tree"):
        house.append(
            f"src/nvme/{name}/{name}.c",
            f'/* "see {name}" */\nstatic inline char *half(int n,\n\t\t\tconst char *s)\n{{\n'
            "\treturn n ? 0 : (char *)s;\n}\n",
        )


@pytest.mark.parametrize(
    ("defect", "line"),
    [
        (
            inline_without_prefix,
            "house: src/nvme/tree/tree-private.h: twice has no prefix of its room (tree_)",
        ),
        (
            function_twice,
            "house: 1 names of functions stand for several, 2 in all; at most 0 and 0: give new"
            " functions names of their own (test/house.py --twice prints which are taken twice)",
        ),
        (upward_arrow, "house: src/nvme/base/ may not use src/nvme/tree/:"),
        (upward_arrow, "    src/nvme/base/base.c → src/nvme/tree/tree.c: nvme_open"),
        (upward_arrow, "house: rooms that use each other: src/nvme/base/ src/nvme/tree/"),
        (no_prefix, "house: src/nvme/base/base.c: total has no prefix of its room (base_)"),
        (unused, "house: src/nvme/base/base.c: base_idle is used nowhere else; make it static"),
    ],
)
def test_a_defect_is_named(house: House, defect: Callable[[House], None], line: str) -> None:
    defect(house)
    status, lines = house.judge()
    assert status == 1
    assert line in lines
