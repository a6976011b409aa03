# SPDX-License-Identifier: GPL-2.0-or-later
"""What make machines goes by, without machines: the tutorial as a script, texts of consoles."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from nvmemachines import cli, console, guest, image, remote, steps, tutorial
from nvmetools.fresh import release_of

PAGE = """\
# Title

Text with `host# no command`.

## First

    host# one
    printed

      by one

    both# cat <<'END'
    > a
    > END
<!-- cable 2 out -->
    target# three
    …
    last

Text.

    no command
## Second
<!-- wait 7 -->
"""


def supply(top: Path, release: str, ssh: bool = False) -> guest.Supply:
    return guest.Supply(top, top, release_of(release), top, (), "tcg", links=2, ssh=ssh)


def test_a_page_is_a_script() -> None:
    assert tutorial.read(PAGE) == [
        tutorial.Heading("First"),
        tutorial.Command("host", "one", 7, ["printed", "", "  by one"]),
        tutorial.Command("both", "cat <<'END'\na\nEND", 14, []),
        tutorial.Deed("cable", 2, there=False),
        tutorial.Command("target", "three", 16, ["…", "last"]),
        tutorial.Heading("Second"),
        tutorial.Deed("wait", 7, there=False),
    ]


@pytest.mark.parametrize(("number", "sides"), [("12", 2), ("13", 0)])
def test_commands_of_one_release(tmp_path: Path, number: str, sides: int) -> None:
    [command] = tutorial.read("    debian-12# uname -r\n    6.12.1\n")
    assert command == tutorial.Command("debian-12", "uname -r", 1, ["6.12.1"])
    machines = steps.Machines.__new__(steps.Machines)
    machines.supply = supply(tmp_path, number)
    machines.target = machines.host = guest.Guest.__new__(guest.Guest)
    assert len(machines.named(command.machine)) == sides
    assert len(machines.named("both")) == 2


def test_an_archive_has_the_kernel_that_a_release_needs() -> None:
    twelve, thirteen = (image.suites(release_of(number)) for number in ("12", "13"))
    assert "linux-image-6.12-amd64" in twelve["bookworm"] and len(twelve) == 1
    assert "linux-image-amd64" in thirteen["trixie-backports"]
    assert image.files(release_of("12"))["etc/apt/sources.list"].count("\n") == 1


def test_a_page_gets_what_was_printed() -> None:
    new = tutorial.renew(PAGE, {"one": ["1\n\n2\n3"], "three": ["x\ny\nz"]})
    assert new == PAGE.replace("    printed\n\n      by one\n", "    1\n\n    2\n    3\n").replace(
        "    last\n", "    z\n"
    )
    assert tutorial.renew(new, {"one": ["printed\n\n  by one"], "three": ["last"]}) == PAGE


def test_a_command_may_stand_in_a_page_twice() -> None:
    page = "    host# a\n    1\n\nText.\n\n    host# a\n    …\n    2\n"
    assert tutorial.renew(page, {"a": ["x", "y\nz"]}) == page.replace("1", "x").replace("2", "z")
    assert tutorial.renew("    host# a\n    …\n", {"a": ["y\nz"]}) == "    host# a\n    y\n    z\n"


PAGES = pytest.mark.parametrize("page", [cli.RELAY, cli.MODULE], ids=lambda page: page.name)


@PAGES
def test_tokens_and_ports_are_new_after_a_reboot(page: Path) -> None:
    """What a tutorial shows of connections is of the boot that it is in."""
    seen: list[set[str]] = [set()]
    for items in tutorial.parts(page.read_text()).values():
        for item in items:
            if isinstance(item, tutorial.Command) and "show-subflows" in item.text:
                shown = "\n".join(item.shown)
                found = re.findall(r"^ +([0-9a-f]{8}) |(10(?:\.\d+){3}:(?!4420)\d+)", shown, re.M)
                seen[-1] |= {part for parts in found for part in parts if part}
            elif isinstance(item, tutorial.Command) and item.text == "systemctl reboot":
                seen += [set()] if item.machine in ("host", "both") else []
    assert len(seen) == 2 and len(seen[0]) > 5, seen
    assert not seen[0] & seen[1]


@PAGES
def test_the_tutorial_is_complete(page: Path) -> None:
    """Each command is for a machine that there is, and each output was printed by one."""
    items = tutorial.read(page.read_text())
    commands = [item for item in items if isinstance(item, tutorial.Command)]
    assert len(commands) > 20
    assert not [command.text for command in commands if "?" in command.shown]
    assert len([command for command in commands if command.shown]) > 10
    assert list(tutorial.parts(page.read_text()))[-1] == cli.GOING_BACK
    cables = [item for item in items if isinstance(item, tutorial.Deed) and item.kind == "cable"]
    assert [deed.there for deed in cables] == [False, True]
    for command in commands:
        subprocess.run(["bash", "-n", "-c", command.text], check=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\r\nb\r\n", "a\nb\n"),
        ("10%\r50%\rdone\r\n", "done\n"),
        ("\x1b[0;1;32m●\x1b[0m unit   \r\n", "● unit\n"),
        ("\x1b]0;title\x07text", "text"),
    ],
)
def test_what_a_terminal_shows_in_the_end(text: str, expected: str) -> None:
    assert console.printed_by(text) == expected


@pytest.fixture
def shell() -> Iterator[console.Console]:
    """A real bash behind a socket in the place of a machine's serial line."""
    ours, theirs = socket.socketpair()
    bash = subprocess.Popen(["bash", "--norc"], stdin=theirs, stdout=theirs, stderr=theirs)
    theirs.close()
    yield console.Console("host", ours, lambda: bash.poll() is not None)
    ours.close()
    bash.wait(10)


def test_a_console_runs_commands(shell: console.Console) -> None:
    assert shell.run("echo one; echo two >&2") == "one\ntwo"
    assert shell.run("cat <<'END'\n  a $b\nEND") == "  a $b"
    assert shell.run("cat") == "", "what reads its input meets the end of it"
    assert shell.run("x=1") == "" and shell.run("printf %s $x") == "1"
    assert shell.run("(exit 3)", status=None) == ""
    with pytest.raises(console.CommandError, match="(?s)host# echo no; false\nno\nexit status 1"):
        shell.run("echo no; false")
    with pytest.raises(console.CommandError, match="host: sleep 9: not within 1 s"):
        shell.run("sleep 9", timeout=1)


def test_a_console_notices_the_end(shell: console.Console) -> None:
    with pytest.raises(console.CommandError, match="ended meanwhile"):
        shell.run("exit 0")


def subflows(*links: str, state: str = "ESTAB") -> list[dict[str, str]]:
    return [{"link": link, "state": state} for link in links]


def test_faults_of_a_controller() -> None:
    both = subflows(guest.interface(1), guest.interface(2))
    controller = {
        "name": "nvme0", "state": "live", "connections_expected": 2,
        "connections": [{"token": 1, "subflows": both}, {"token": 2, "subflows": both}],
    }  # fmt: skip
    assert steps.faults_of(controller, 2) == []
    assert steps.faults_of(controller, 3) == [
        "nvme0: 1 is not on ens19", "nvme0: 2 is not on ens19",
    ]  # fmt: skip
    assert steps.faults_of(controller | {"state": "connecting"}, 2) == ["nvme0 is connecting"]
    [first, _] = controller["connections"]
    assert steps.faults_of(controller | {"connections": [first]}, 2) == ["nvme0 has 1 connections"]
    closing = {"token": 1, "subflows": subflows("ens17", "ens18", state="SYN-SENT")}
    assert steps.faults_of(controller | {"connections": [closing, first]}, 2) == [
        "nvme0: 1 is not on ens17, ens18"
    ]


def test_faults_of_a_shutdown() -> None:
    end = "[ 42.1] systemd-shutdown[1]: All filesystems unmounted.\n[ 42.2] reboot: Restarting\n"
    assert steps.faults_of_shutdown(f"[  OK  ] Unmounted mnt.mount - /mnt.\n{end}") == []
    assert steps.faults_of_shutdown("[ 42.2] reboot: Restarting\n") == [
        "file systems stayed mounted"
    ]
    lost = "[ 40.1] Buffer I/O error on dev nvme0n1, logical block 1\n"
    assert steps.faults_of_shutdown(lost + lost.replace("40", "41") + end) == [
        "I/O error on dev nvme0n1, logical block 1"
    ]
    patience = "[ 40.1] systemd[1]: mnt.mount: Unmounting timed out. Killing.\n"
    assert steps.faults_of_shutdown(patience + end) == [patience.strip()]
    failed = "[\x1b[0;31mFAILED\x1b[0m] Failed unmounting \x1b[0;1;39mmnt.mount\x1b[0m - /mnt.\r\n"
    assert steps.faults_of_shutdown(failed + end) == ["Failed unmounting mnt.mount - /mnt."]


def machine(tmp_path: Path, ssh: bool) -> guest.Guest:
    """A machine that is not made, and has no disks."""
    made = guest.Guest.__new__(guest.Guest)
    made.supply = supply(tmp_path, "13", ssh)
    made.side, made.disk, made.ssh_port = guest.HOST, tmp_path / "disk", 2022
    return made


def test_only_ssh_has_a_card_that_leads_out(tmp_path: Path) -> None:
    without, with_ssh = (
        " ".join(machine(tmp_path, ssh).command(tmp_path, tmp_path, "log")) for ssh in (False, True)
    )
    assert "user," not in without and "hostfwd" not in without
    assert without.count("virtio-net-pci") == 2
    assert (
        "user,id=ssh,restrict=on,hostfwd=tcp:127.0.0.1:2022-10.0.2.15:22 "
        "-device virtio-net-pci,id=ssh,netdev=ssh,addr=0x1f"
    ) in with_ssh


def test_ssh_finds_a_machine_by_its_name(tmp_path: Path) -> None:
    lines = remote._of(machine(tmp_path, True), tmp_path / "key").splitlines()
    assert lines[:4] == ["Host host", "    HostName 127.0.0.1", "    Port 2022", "    User root"]
    assert f"    IdentityFile {tmp_path / 'key'}" in lines


def test_compare_is_no_walk_through_the_tutorial() -> None:
    parsed = cli.parser().parse_args(["--compare"])
    assert parsed.compare == "--figure cost --runs 1"
    assert cli.parser().parse_args([]).compare is None
    titles = [title for title, _ in cli.stages(parsed)]
    assert f"tutorial-module.md: {cli.PACKAGES}" in titles and len(titles) == 4


@pytest.mark.parametrize("release", ["12", "13"])
def test_stages_have_names_of_their_own(release: str) -> None:
    """A run that goes on knows by them what was done."""
    titles = [title for title, _ in cli.stages(cli.parser().parse_args(["--release", release]))]
    assert len(titles) == len(set(titles)) > 20
    assert titles.index("tutorial.md: How to go back") < titles.index(
        "tutorial-module.md: Packages"
    )
