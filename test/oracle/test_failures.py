# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that a device refuses end as Debian's nvme does, and say so in the same form."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
import test_commands
import test_log_pages
import test_program
from conftest import Original
from differences import Case, Run
from program import FakeHost, Machines, Prepare, golden_cases

#: What each command of the device ends with: a file of the stand-in, and the number in it.
#: Invalid Field, two resets that a new firmware needs, Unrecovered Read Error.
FAILURES = {
    "invalid field": ("status", 0x4002),
    "needs a reset": ("status", 0x10B),
    "activates later": ("status", 0x111),
    "media": ("status", 0x281),
    "input/output error": ("errno", errno.EIO),
    "no such ioctl": ("errno", errno.ENOTTY),
}
FORMATS: tuple[tuple[str, ...], ...] = ((), ("-o", "json"))

#: 2.13 goes on without knowing whether the host identifier has 128 bits, and succeeds in the end.
SUCCEEDS = ("resv-report",)
#: Where 2.13 does not say what the device answered, or not in JSON; ours does.
UNNAMED = (
    "ana-log", "delete-ns", "device-self-test", "effects-log", "endurance-event-agg-log",
    "error-log", "format", "fw-download", "telemetry-log",
)  # fmt: skip


def failing(kind: str, number: int) -> Prepare:
    """Whatever is asked fails like this."""

    def prepare(host: FakeHost) -> None:
        golden_cases.answering(host)
        for device in ("nvme0", "nvme0n1"):
            for path in list((host.fake / device).iterdir()):
                if not path.suffix and path.name != "nsid":
                    path.with_name(f"{path.name}.{kind}").write_text(str(number))

    return prepare


def lines() -> Iterator[tuple[str, tuple[str, ...]]]:
    """A command line of each command that is sent to a device."""
    seen = set()
    families = (
        *(test_commands.cases(command) for command in test_commands.COMMANDS
          if command not in test_commands.PROTECTED),
        test_log_pages.cases(),
        test_program.cases(),
    )  # fmt: skip
    for case in (case for family in families for case in family):
        if case.data == "sample" and not case.is_json and case.command not in seen:
            seen.add(case.command)
            yield case.command, case.args


def form(run: Run) -> str:
    """What a script tells by whose failure it is."""
    if run.out.startswith(b"{") and run.is_document:
        return f"{sorted(run.document)} {run.document.get('type')}"
    return f"NVMe status: {b'NVMe status: ' in run.err}"


@pytest.fixture(scope="module")
def machines(original: Original, tmp_path_factory: pytest.TempPathFactory) -> Machines:
    """A machine for each failure."""
    return Machines(tmp_path_factory.mktemp("machines"), original)


PREPARED = {name: failing(*how) for name, how in FAILURES.items()}
LINES = dict(lines())


@pytest.mark.parametrize("failure", FAILURES)
def test_alike(
    machines: Machines, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit status, and the form in which the failure is told."""
    monkeypatch.chdir(tmp_path)
    unlike, unnamed = [], set()
    for command, args in LINES.items():
        for more in FORMATS:
            case = Case(command, (*args, *more), failure, PREPARED[failure])
            one, other = machines.both(case)
            assert one.status == 1 or not one.written, case
            if not one.written:
                continue  # nothing was asked that could fail
            if one.status != other.status and command not in SUCCEEDS:
                unlike.append(f"{case}: exit status {one.status}, the original's {other.status}")
            if form(one) == form(other):
                continue
            unnamed.add(command)
            if command not in (*SUCCEEDS, *UNNAMED):
                unlike.append(f"{case}: {form(one)}, the original {form(other)}")
    assert not unlike, "\n".join(unlike)
    if FAILURES[failure][0] == "status":
        assert unnamed == {*SUCCEEDS, *UNNAMED}
