# SPDX-License-Identifier: GPL-2.0-or-later
"""`lab chaos`: what a seed decides, what a failure ends, and what reaches the guest."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lab import disturb
from lab.disturb import Addresses, Disturber, Hosts, Links
from nvmelab import cli
from nvmelab.runner import Lab, Result

STEPS = 40


class Network:
    """Notes what is asked of it, and sets the end after so many steps."""

    def __init__(self, ending: threading.Event) -> None:
        self.steps: list[tuple[object, ...]] = []
        self.ending = ending

    def endpoints(self, side: str) -> list[dict[str, object]]:
        """A side's, by their links."""
        end = {"target": 1, "host": 2}[side]
        return [{"id": i, "address": f"10.1.{i}.{end}"} for i in range(1, 5)]

    def __getattr__(self, name: str) -> Any:
        def note(*arguments: object) -> None:
            self.steps.append((name, *arguments))
            if len(self.steps) >= STEPS:
                self.ending.set()

        return note


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing lasts."""
    monkeypatch.setattr(Disturber, "pause", lambda self, _=None: self.random.randint(1, 9))


def steps(kind: type[Disturber], seed: int) -> list[tuple[object, ...]]:
    """What a disturber asks of the network."""
    ending = threading.Event()
    network = Network(ending)
    lab = SimpleNamespace(network=network, topology=SimpleNamespace(links=(0,) * 4))
    thread = kind(lab, seed, ending)  # type: ignore[arg-type]
    thread.start()
    thread.join()
    assert thread not in threading.enumerate()  # nothing of Thread's own is overridden
    assert thread.error is None
    assert sum(thread.done.values()) == len(network.steps) // 2
    return network.steps


@pytest.mark.parametrize("kind", [Links, Addresses])
def test_a_seed_decides_what_happens(kind: type[Disturber]) -> None:
    assert steps(kind, 7) == steps(kind, 7)
    assert steps(kind, 7) != steps(kind, 8)


def test_every_disturbance_is_mended() -> None:
    """Each step is followed by the one that undoes it."""
    found = steps(Links, 1) + steps(Addresses, 1)
    down = [step for step in found if step[0] == "set_link"]
    assert [step[3] for step in down] == [False, True] * (len(down) // 2)
    assert all(a[:3] == b[:3] for a, b in zip(down[::2], down[1::2], strict=True))
    shaped = [step for step in found if step[0] == "shape"]
    assert all(step[2] == disturb.USUAL for step in shaped[1::2])
    lines = [str(step[2]) for step in found if step[0] == "ip"]
    mends = {" delete ": " add ", " backup": " nobackup"}
    for broken, mended in zip(lines[::2], lines[1::2], strict=True):
        expected = {broken.replace(a, b) for a, b in mends.items()}
        assert mended in expected | {broken.replace("delete", "add")}
    kinds = {step[0] for step in found}
    assert kinds == {"set_link", "shape", "ip", "delete_endpoint", "add_endpoint"}


def test_an_endpoint_that_is_in_the_way_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel refuses twice, and then takes it; or it never does."""
    monkeypatch.setattr(disturb.time, "sleep", lambda _: None)
    thread = Addresses(SimpleNamespace(), 1, threading.Event())  # type: ignore[arg-type]
    left = [RuntimeError("duplicate"), RuntimeError("duplicate")]

    def add() -> None:
        if left:
            raise left.pop()

    thread._insist(add)
    assert not left

    def never() -> None:
        raise RuntimeError("duplicate")

    monkeypatch.setattr(disturb, "INSIST_S", -1)
    with pytest.raises(RuntimeError, match="duplicate"):
        thread._insist(never)


def test_a_command_with_another_status_ends_everything() -> None:
    ending = threading.Event()
    failed = SimpleNamespace(returncode=-11, stderr="")
    host = SimpleNamespace(command=lambda *_, **__: failed)
    thread = Hosts(SimpleNamespace(host=host, topology=None), 1, ending)  # type: ignore[arg-type]
    thread.actions = lambda: (thread.show,)  # type: ignore[method-assign]
    thread.run()
    assert ending.is_set()
    assert "mptcp show-subflows -o json: status -11" in str(thread.error)


def test_seconds_and_seed_reach_the_guest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[object] = []

    def run(self: Lab, name: str, commands: list[list[str]], *, timeout: float) -> Result:
        seen.extend([name, commands, timeout])
        return Result(name, 0, tmp_path, [], 1.0)

    monkeypatch.setattr(Lab, "run", run)
    for built in ("nvme-cli/nvme", "python/libnvme/_mptcp.so"):
        (tmp_path / built).parent.mkdir(parents=True)
        (tmp_path / built).touch()
    arguments = ["chaos", "--seconds=3600", "--seed", "9", "--build", str(tmp_path)]
    assert cli.main(arguments) == 0
    script = ["python3", "/project/test/lab/chaos.py", "--seconds=3600", "--seed=9"]
    assert seen == ["chaos", [script], 4800.0]
