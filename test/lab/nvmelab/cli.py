# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of the lab."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from nvmetools import PROJECT, ToolError
from nvmetools.cache import default_dir
from nvmetools.process import leave_on_signals
from nvmetools.ui import Ui, failure

from . import again, junit, kernel, matrix, sidebyside
from .releases import ALL_SERIES, DEFAULT_SERIES, STOCK_SERIES
from .runner import Lab, Options, Result, Wanted, guest_path

TESTS = "/project/test/lab/tests"

#: Time limits of boots in seconds, unless --timeout is given.
LIMITS = {
    "run": 600.0, "shell": 4 * 3600.0, "demo": 300.0, "test": 3600.0, "sweep": 2 * 3600.0,
    "chaos": 1200.0,
}  # fmt: skip

EPILOG = """\
exit status:
  that of the guest, or
  1    a test failed or was skipped
  2    the command line is wrong, or something could not be built
  124  the time limit ended the run
  125  all went well but the kernel complained (BUG, WARNING, hung task, ...)
  126  the guest ended without an exit status

Every run leaves console.log, kernel.log and its results in BUILD/lab-results/NAME/.
"""


def _at_least(least: int) -> Callable[[str], int]:
    """Return an argument type: an integer of at least ``least``."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number of at least {least}")
        return int(text)

    return number


def _common() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    group = parser.add_argument_group("common options")
    group.add_argument(
        "--kernel-series", choices=sorted(ALL_SERIES), dest="series",
        help=f"Debian's kernel of this series ({DEFAULT_SERIES}); newest is that of the backports, "
        f"{', '.join(STOCK_SERIES)} has no modules of ours, debug has KASAN and lockdep",
    )  # fmt: skip
    group.add_argument("--stock", action="store_true", help="Debian's modules, without the patch")
    group.add_argument("--kernel", type=Path, metavar="VMLINUZ", help="boot this kernel instead")
    group.add_argument(
        "--modules", type=Path, metavar="DIR", help="its modules (holds lib/modules/VERSION)"
    )
    group.add_argument("--build", type=Path, default=PROJECT / "build", metavar="DIR",
                       help="the project's build directory (build/)")  # fmt: skip
    group.add_argument("--cache", type=Path, default=default_dir(), metavar="DIR",
                       help="directory of kernels and images (%(default)s)")  # fmt: skip
    group.add_argument("--timeout", type=float, metavar="S", help="end a boot after S seconds")
    group.add_argument(
        "--memory", type=_at_least(512), default=2048, metavar="MIB", help="memory (%(default)s)"
    )
    group.add_argument(
        "--cpus", type=_at_least(1), default=2, metavar="N", help="virtual CPUs (%(default)s)"
    )
    group.add_argument(
        "--kvm", choices=("auto", "on", "off"), default="auto",
        help="use KVM; auto tries it once and falls back to emulation (%(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--icount", action="store_true",
        help="let the guest's clock count instructions: slower, and figures do not depend on load",
    )  # fmt: skip
    group.add_argument("-v", "--verbose", action="store_true", help="print more")
    return parser


def parser() -> argparse.ArgumentParser:
    common = _common()
    top = argparse.ArgumentParser(
        prog="lab",
        description="A real Linux kernel with NVMe over MPTCP, in a virtual machine.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    def add(name: str, text: str, *more: argparse.ArgumentParser) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.",
                                   parents=[common, *more], allow_abbrev=False)  # fmt: skip

    devices = argparse.ArgumentParser(add_help=False)
    devices.add_argument("--pci", action="store_true", help="add emulated NVMe devices behind PCI")

    add("build", "build the kernel, its modules and the root image into the cache")
    run = add("run", "run scripts of the project in the guest, one after another", devices)
    run.add_argument("scripts", nargs="+", type=Path, metavar="SCRIPT")
    run.add_argument(
        "--with", type=Path, dest="extra", metavar="DIR",
        help="copy this directory into the guest, as /extra; scripts may be in it",
    )  # fmt: skip
    run.usage = "lab run [options] SCRIPT... [-- ARG...]"
    run.epilog = "What follows -- is passed to every script. The first that fails ends the run."
    chaos = add("chaos", "write and verify with fio while faults are injected")
    chaos.add_argument("--seconds", type=_at_least(1), default=60, metavar="N",
                       help="duration in seconds (%(default)s)")  # fmt: skip
    chaos.add_argument("--seed", type=_at_least(0), default=0, metavar="S",
                       help="seed for the choice and order of faults (%(default)s)")  # fmt: skip
    shell = add("shell", "open a shell in the guest", devices)
    shell.add_argument(
        "--links", type=_at_least(0), default=4, metavar="N",
        help="links between host and target, 0 for a bare guest (%(default)s)",
    )  # fmt: skip
    add("demo", "demonstrate NVMe over MPTCP")
    table = add("matrix", "build the modules for all of Debian's kernels, and print a table")
    table.add_argument("versions", nargs="*", metavar="VERSION",
                       help="only versions with this prefix, such as 6.12.107")  # fmt: skip
    table.add_argument(
        "--load", action="store_true", help="boot each kernel, load its modules and connect"
    )
    sweep = add("sweep", "run all of the kernel series' own test, 144 points, and print TAP")
    sweep.add_argument(
        "words", nargs="*", metavar="WORD",
        help="only runs that match all words: ipv4, ipv6, v4mapped; tcp, mptcp; clean, lossy",
    )  # fmt: skip
    test = add("test", "run the lab's tests, on the patched kernel and on Debian's own")
    test.usage = "lab test [options] [PYTEST-ARG...]"
    test.add_argument(
        "--jobs", type=_at_least(1), metavar="N",
        help="number of parallel boots, each with a part of the tests (3 if CPUs and memory "
        "suffice; 1 with arguments for pytest)",
    )  # fmt: skip
    test.add_argument("--without", action="append", default=[], metavar="FILE",
                      help="skip test files that match; may be repeated")  # fmt: skip
    test.epilog = "Other arguments are passed to pytest: paths from the project's top, -k, -x, …"
    return top


def _options(args: argparse.Namespace) -> Options:
    return Options(cache=args.cache.expanduser(), build=args.build,
                   stock=args.stock or args.series in STOCK_SERIES, series=args.series,
                   kernel=args.kernel, modules=args.modules, timeout=args.timeout,
                   memory=args.memory, cpus=args.cpus, kvm=args.kvm, icount=args.icount,
                   pci=getattr(args, "pci", False), extra=getattr(args, "extra", None))  # fmt: skip


def script_command(script: Path, arguments: Sequence[str], extra: Path | None = None) -> list[str]:
    """Return the command that runs a script in the guest."""
    path = guest_path(script, extra)
    interpreter = {".py": ["python3"], ".sh": ["bash"]}.get(script.suffix, [])
    return [*interpreter, path, *arguments]


def _build(lab: Lab) -> int:
    kernel, _ = lab.prepare(lab.wanted)
    lab.ui.say(f"ready: {kernel.version} ({kernel.flavour}), everything is in {lab.cache.top}")
    return 0


def _shell(lab: Lab, links: int) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ToolError("lab shell needs a terminal; `lab run SCRIPT` does not")
    command = ["python3", "/project/test/lab/guest/shell.py", "--links", str(links)]
    result = lab.run("shell", [command], timeout=LIMITS["shell"], interactive=True)
    return result.status


def _tests_named(argument: str) -> str | None:
    """Return the path of the tests that an argument of pytest names, relative to the project.

    A file name without a directory is a test of the lab.
    """
    name = argument.partition("::")[0]
    if not name or name.startswith("-"):
        return None
    places = (name, f"test/lab/tests/{name}")
    return next((place for place in places if (PROJECT / place).exists()), None)


def _files_named(arguments: Sequence[str], without: Sequence[str]) -> list[Path]:
    """Return the test files that the arguments name, or all without a name."""
    named = [path for path in map(_tests_named, arguments) if path]
    paths = [PROJECT / path for path in named or ["test/lab/tests"]]
    files = [file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])]
    return [file for file in files if not any(fnmatch(file.name, glob) for glob in without)]


def _needed(suite: Suite, arguments: Sequence[str], without: Sequence[str] = ()) -> bool:
    """Return whether named tests can belong to a suite, by the marks in their files."""
    texts = [file.read_text() for file in _files_named(arguments, without)]
    if special := [f"mark.{mark}" for mark in suite.marks.split(" and ") if mark in SPECIAL]:
        return any(all(mark in text for mark in special) for text in texts)
    whole = [f"\npytestmark = pytest.mark.{mark}\n" for mark in SPECIAL]
    return not all(any(line in text for line in whole) for text in texts)


def pytest_command(
    marks: str, arguments: Sequence[str], part: str = "", without: Sequence[str] = ()
) -> list[str]:
    """Return the pytest command line of one boot; a part is "1/4", for the first of four."""
    arguments = [
        argument.replace(argument.partition("::")[0], path, 1) if path else argument
        for argument, path in ((a, _tests_named(a)) for a in arguments)
    ]
    where = [] if any(map(_tests_named, arguments)) else [TESTS]
    return [
        "python3", "-m", "pytest", "-c", f"{TESTS}/pytest.ini", "--rootdir", TESTS,
        "-m", marks,
        *([f"--part={part}"] if part else []),
        *(f"--ignore-glob={TESTS}/{glob}" for glob in without),
        "--junit-xml=/results/junit.xml", *arguments, *where,
    ]  # fmt: skip


@dataclass(frozen=True)
class Suite:
    """The tests with these marks, on one kernel.

    With ``icount``, the guest's clock does not depend on the machine's load. With ``pci``, the
    guest has the NVMe devices that QEMU emulates.
    """

    name: str
    wanted: Wanted
    marks: str
    parts: int = 1
    icount: bool = False
    pci: bool = False

    def boots(self) -> list[tuple[str, Suite, str]]:
        """Return name, suite and part of the tests of each boot."""
        if self.parts == 1:
            return [(self.name, self, "")]
        parts = range(1, self.parts + 1)
        return [(f"{self.name}-{part}", self, f"{part}/{self.parts}") for part in parts]


#: Marks of tests that need a boot of their own, and the expression for all other tests.
SPECIAL = ("icount", "pci", "stock")
PLAIN = " and ".join(f"not {mark}" for mark in SPECIAL)


def _suites(options: Options, *, whole: bool, short: bool, parts: int) -> list[Suite]:
    """Return the suites to run: all tests on one kernel; in a whole run, some on the newest kernel.

    A short run omits some test files; the rest on the newest kernel is too little for several
    boots.
    """
    series = options.series or DEFAULT_SERIES
    stock = [
        Suite("test-stock", Wanted(series, stock=True), "stock and not icount"),
        Suite("test-stock-icount", Wanted(series, stock=True), "stock and icount", icount=True),
    ]
    if options.stock:
        return stock
    pci = Suite("test-pci", Wanted(series, stock=True), "pci", pci=True)
    name = "user" if options.kernel else series
    timed = Suite(f"test-{name}-icount", Wanted(series), "icount and not stock", icount=True)
    suites = [Suite(f"test-{name}", Wanted(series), PLAIN, parts), timed]
    if options.kernel:
        return suites
    if whole and not options.series:
        marks = f"every_kernel and {PLAIN}"
        fewer = 1 if short else max(1, parts // PARTS_PER_JOB)
        suites.append(Suite("test-newest", Wanted("newest"), marks, fewer))
    return [*suites, pci, *stock]


PYTEST_NOTHING_SELECTED = 5


MOST_JOBS = 3

#: Boots per job, so that a boot with slow tests does not delay the others.
PARTS_PER_JOB = 2


def _jobs(options: Options, wanted: int | None, arguments: Sequence[str]) -> int:
    """Return the number of parallel boots. The tests of a guest keep less than one CPU busy."""
    if wanted:
        return wanted
    if arguments or sidebyside.available_memory() < MOST_JOBS * 2 * options.memory:
        return 1
    return min(MOST_JOBS, (os.cpu_count() or 1) + 1)


def _test(
    lab: Lab, wanted: int | None, arguments: Sequence[str], without: Sequence[str] = ()
) -> int:
    jobs = _jobs(lab.options, wanted, arguments)
    parts = jobs * PARTS_PER_JOB if jobs > 1 else 1
    suites = _suites(lab.options, whole=not arguments, short=bool(without), parts=parts)
    if len(suites) > 1:  # a boot takes time even without tests
        suites = [s for s in suites if _needed(s, arguments, without)] or suites[:1]

    def boot(
        out: BinaryIO, name: str, suite: Suite, part: str = "", tests: Sequence[str] = arguments
    ) -> Result:
        command = pytest_command(suite.marks, tests, part, without)
        return lab.run(name, [command], timeout=LIMITS["test"], wanted=suite.wanted,
                       icount=suite.icount, pci=suite.pci, out=out)  # fmt: skip

    boots = [boot for suite in suites for boot in suite.boots()]
    tasks = [functools.partial(boot, name=name, suite=s, part=part) for name, s, part in boots]
    if jobs > 1:  # otherwise two boots would build it at the same time
        for suite in suites:
            lab.prepare(suite.wanted)
    timed = [index for index, (_, suite, _) in enumerate(boots) if suite.icount and jobs > 1]
    results = sidebyside.run(tasks, jobs, sys.stdout.buffer, first=timed)
    tallies = [junit.of_boot(result.directory, result.name, result.status) for result in results]
    total = junit.Tally()
    for tally in tallies:
        total.add(tally)
    # Repeat failed tests only in CI and in whole runs: others want to see each failure.
    if not arguments and os.environ.get("CI"):
        suites_of = [suite for _, suite, _ in boots]
        for failed in again.to_repeat(list(zip(suites_of, results, tallies, strict=True))):
            lab.ui.say(f"repeating failed tests on their own: {', '.join(failed.tests)}")
            name = f"{failed.suite.name}-again"
            second = boot(sys.stdout.buffer, name, failed.suite, tests=failed.arguments)
            results.append(second)
            tally = junit.of_boot(second.directory, second.name, second.status)
            again.forgive(total, failed, tally)
    return _summary(lab.ui, lab.options, total, _worst(results))


def _worst(results: Sequence[Result]) -> int:
    """Return the exit status of the boots, ignoring failed tests, which are counted by name."""
    selected = [r.status for r in results if r.status != PYTEST_NOTHING_SELECTED]
    if not selected:
        return PYTEST_NOTHING_SELECTED
    return next((status for status in selected if status not in (0, again.TESTS_FAILED)), 0)


def _summary(ui: Ui, options: Options, total: junit.Tally, status: int) -> int:
    """Print the summary of a test run. A skipped test is a failure: the lab has everything."""
    sys.stdout.flush()
    out = Ui(sys.stdout)
    for name in total.repeated:
        out.say(f"passed when repeated on its own: {name} (its failure is above)")
    if ui.verbose:
        for seconds, name in total.slowest[:5]:
            ui.say(f"  {seconds:6.1f} s  {name}")
    for name in total.failed:
        out.say(f"failed: {name}")
    for name in total.skipped:
        out.say(f"skipped: {name} (a failure in the lab)")
    if status or total.failed or total.repeated:
        out.say(f"the logs are in {options.build / 'lab-results'}")
    out.say(total.line())
    return status or int(bool(total.failed or total.skipped))


#: Commands that run one of the lab's scripts, and the script's arguments.
OWN_SCRIPTS: dict[str, tuple[str, Callable[[argparse.Namespace], list[str]]]] = {
    "demo": ("test/lab/demo.py", lambda args: ["relay" if args.stock else "kernel"]),
    "sweep": ("test/lab/sweep.py", lambda args: list(args.words)),
    "chaos": (
        "test/lab/chaos.py",
        lambda args: [f"--seconds={args.seconds}", f"--seed={args.seed}"],
    ),
}


def _matrix(lab: Lab, versions: Sequence[str], *, load: bool) -> int:
    def boot(made: kernel.Kernel) -> int:
        options = dataclasses.replace(lab.options, kernel=made.vmlinuz, modules=made.modules_dir)
        command = script_command(matrix.SCRIPT, [])
        # the guest's output is not part of the table
        out = sys.stderr.buffer
        return Lab(options, lab.ui).run("matrix", [command], timeout=LIMITS["run"], out=out).status

    return int(matrix.show(lab.cache, lab.ui, versions, boot if load else None) > 0)


def _require_build(build: Path) -> None:
    """Raise before a boot if nothing was built. The name of the Python module contains its ABI."""
    for needed in ("nvme-cli/nvme", "python/libnvme/_mptcp*.so"):
        if not any(build.glob(needed)):
            raise ToolError(f"{build / needed} does not exist: run `make` first")


def _dispatch(args: argparse.Namespace, extra: list[str], lab: Lab) -> int:
    if args.command == "build":
        return _build(lab)
    if args.command == "shell":
        return _shell(lab, args.links)
    if args.command == "matrix":
        return _matrix(lab, args.versions, load=args.load)
    if args.command in ("test", *OWN_SCRIPTS):
        _require_build(args.build)
    if args.command == "test":
        return _test(lab, args.jobs, extra, args.without)
    if args.command in OWN_SCRIPTS:
        script, pick = OWN_SCRIPTS[args.command]
        name, scripts, arguments = args.command, [PROJECT / script], pick(args)
    else:
        name, scripts, arguments = "run", args.scripts, extra
    commands = [script_command(script, arguments, lab.options.extra) for script in scripts]
    # chaos runs for --seconds, plus time for setup and checks
    timeout = LIMITS[name] + getattr(args, "seconds", 0)
    result: Result = lab.run(name, commands, timeout=timeout)
    if args.command == "demo" and not result.status and not args.stock:
        second = [script_command(s, ["relay"]) for s in scripts]
        stock = dataclasses.replace(lab.wanted, stock=True)
        result = lab.run("demo-relay", second, timeout=timeout, wanted=stock)
    if result.status:
        sys.stdout.flush()
        lab.ui.say(
            f"lab: {name} ended with status {result.status}; the logs are in {result.directory}; "
            "`test/lab/lab shell` opens the same guest"
        )
    return result.status


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    extra: list[str] = []
    if "--" in arguments:
        border = arguments.index("--")
        arguments, extra = arguments[:border], arguments[border + 1 :]
    top = parser()
    args, unknown = top.parse_known_args(arguments)
    if getattr(args, "extra", None) and not args.extra.is_dir():
        top.error(f"argument --with: {args.extra} is not a directory")
    if unknown and args.command != "test":
        top.error(f"unrecognized arguments: {' '.join(unknown)}")
    if extra and args.command not in ("run", "test"):
        top.error(f"{args.command} takes no arguments after --")
    leave_on_signals()
    try:
        ui = Ui(verbose=args.verbose)
        return _dispatch(args, unknown + extra, Lab(_options(args), ui))
    except (ToolError, OSError) as error:
        way_out = f"`test/lab/lab {args.command} -v` prints every step"
        sys.stderr.write(failure("lab", error, way_out) + "\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("lab: interrupted\n")
        return 130
