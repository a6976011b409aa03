# SPDX-License-Identifier: GPL-2.0-or-later
"""`lab chaos`: what reaches the guest; test/lab/tests/test_mptcp_chaos.py runs one."""

from pathlib import Path

import pytest
from nvmelab import cli
from nvmelab.runner import Lab, Result


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
