# SPDX-License-Identifier: LGPL-2.1-or-later
"""No order of deleting, collecting, refreshing and disconnecting reaches into freed memory.

The C library's allocator fills what is freed (conftest.py), so that a stale pointer is seen.
"""

from pathlib import Path

import pytest
from conftest import Python
from fake_sysfs import FakeHost

NQN = "nqn.2025-01.test:one"

HELPERS = """
    import gc
    import random

    PROPERTIES = {
        cls: [name for name, value in vars(cls).items() if isinstance(value, property)]
        for cls in (nvme.host, nvme.subsystem, nvme.ctrl, nvme.ns, nvme.path)
    }

    def everything(root):
        for host in root.hosts():
            yield host
            for subsystem in host.subsystems():
                yield subsystem
                for ctrl in subsystem.controllers():
                    yield ctrl
                    yield from ctrl.paths()
                    yield from ctrl.namespaces()
                for ns in subsystem.namespaces():
                    yield ns
                    yield from ns.paths()

    def read(thing):
        try:
            return [getattr(thing, name) for name in PROPERTIES[type(thing)] if name != "thisown"]
        except ReferenceError:
            return None
"""


@pytest.fixture
def python(host: FakeHost) -> Python:
    return Python(host, HELPERS)


@pytest.fixture(autouse=True)
def machine(host: FakeHost) -> FakeHost:
    """Three subsystems of two controllers and two namespaces each."""
    for i in range(3):
        subsystem = host.subsystem(i, f"{NQN}{i}")
        for j in range(2):
            subsystem.controller(2 * i + j, "mptcp", f"traddr=10.1.{j}.1,trsvcid=44{i}0")
        subsystem.namespace(1)
        subsystem.namespace(2)
    return host


@pytest.mark.parametrize("seed", range(4))
def test_random_life(python: Python, seed: int) -> None:
    out = python(f"""
    random.seed({seed})
    roots, things, stale, alive = [], [], 0, 0
    for step in range(400):
        action = random.choice("rRrddddgxaa")
        if action == "r" and len(roots) < 4:
            roots.append(nvme.root())
        elif action == "R" and roots:
            random.choice(roots).refresh_topology()
        elif action == "d" and things:
            for _ in range(random.randrange(20)):
                things and things.pop(random.randrange(len(things)))
        elif action == "g":
            gc.collect()
        elif action == "x" and roots:
            roots.pop(random.randrange(len(roots)))
        elif action == "a" and roots:
            things += random.sample(list(everything(random.choice(roots))), 15)
        for thing in random.sample(things, min(len(things), 10)):
            if read(thing) is None:
                stale += 1
            else:
                alive += 1
    print(stale > 20 and alive > 20)
    """)
    assert out == "True\n"


def test_threads_with_a_root_each(python: Python) -> None:
    out = python("""
    import threading
    failures = []

    def work():
        try:
            root = nvme.root()
            for _ in range(15):
                kept = [read(thing) for thing in everything(root)]
                assert len(kept) == 1 + 3 * (1 + 2 * 3 + 2 * 3), len(kept)
                root.refresh_topology()
        except BaseException as error:
            failures.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(failures)
    """)
    assert out == "[]\n"


def test_disconnecting_ends_paths(python: Python) -> None:
    out = python("""
        root = nvme.root()
        subsystem = next(next(root.hosts()).subsystems())
        ns = next(subsystem.namespaces())
        gone, kept = ns.paths()
        ctrl = gone.ctrl
        generator = ctrl.paths()
        next(generator)
        ctrl.disconnect()
        attempt(lambda: gone.name, lambda: next(generator))
        print(kept.name, kept.ctrl.name, ns.nsid, ctrl.name, len(list(ns.paths())))
    """)
    assert out.splitlines() == [
        *["ReferenceError the controller of this path has been disconnected"] * 2,
        "nvme0c1n1 nvme1 1 None 1",
    ]


def test_unconnected_controllers_outlive_a_refresh(python: Python) -> None:
    out = python("""
        root = nvme.root()
        loose = [nvme.ctrl(root, "nqn", "tcp", traddr=f"10.9.9.{i}") for i in range(9)]
        root.refresh_topology()
        del loose[::2]
        print([ctrl.traddr for ctrl in loose])
        del root
        print(loose[0].transport, loose[0].subsystem)
    """)
    assert out.splitlines() == [str([f"10.9.9.{i}" for i in (1, 3, 5, 7)]), "tcp None"]


def test_mixed_roots_are_refused(python: Python) -> None:
    out = python("""
        one, two = nvme.root(), nvme.root()
        ctrl = nvme.ctrl(one, "nqn", "tcp", traddr="10.1.1.1")
        attempt(lambda: ctrl.connect(nvme.host(two)), lambda: ctrl.init(nvme.host(two), 0))
        host = next(one.hosts())
        last = list(next(two.hosts()).subsystems())[0]
        attempt(lambda: nvme.nvme_next_subsystem(host, last))
    """)
    assert out.splitlines() == ["ValueError host and ctrl belong to different roots"] * 2 + [
        "ValueError objects of different roots"
    ]


def test_blocking_calls_let_others_run(python: Python, tmp_path: Path) -> None:
    """What waits for a file does not hold the interpreter: else nobody could write that file."""
    out = python(f"""
        import os, threading

        path = {str(tmp_path / "config.json")!r}
        os.mkfifo(path)
        roots = []
        thread = threading.Thread(target=lambda: roots.append(nvme.root(path)))
        thread.start()
        with open(path, "w") as fifo:  # waits for the reader
            fifo.write('[{{"hostnqn": "nqn.one"}}]')
        thread.join()
        print([host.hostnqn for host in roots[0].hosts()][-1])
    """)
    assert out == "nqn.one\n"
