# SPDX-License-Identifier: LGPL-2.1-or-later
"""No byte of a controller reaches the terminal as it is, whatever command shows it."""

import json
import re

import command_table
import pytest
from golden_cases import BARE, CASES

# Clears the screen, rings, ends a line, is no UTF-8, and is a C1 control both raw and in UTF-8.
EVIL = b"\033[2J\x07\r\x7f\xff\x9b2J\xc2\x9bK"
ATTRIBUTES = {
    "address", "ana_state", "cntrltype", "dctype", "firmware_rev", "hostid", "hostnqn", "iopolicy",
    "model", "numa_nodes", "serial", "state", "subsysnqn", "subsystype", "transport", "uuid",
}  # fmt: skip


def spoil(data):
    """Every run of text in the bytes becomes evil, with its length kept."""
    return re.sub(rb"[ -~]{4,}", lambda text: (EVIL * 64)[: len(text[0])], data)


def spoil_attributes(host, names):
    for path in host.sys.rglob("*"):
        if path.name in names and path.is_file():
            path.write_bytes(EVIL + b"\n")


def spoil_answers(host):
    for path in host.fake.glob("nvme*/*-*"):
        if "." not in path.name:
            path.write_bytes(spoil(path.read_bytes()))


def check_text(raw):
    """Printable ASCII, but for the sign of a degree, which is ours."""
    for stream in (raw.out, raw.err):
        text = stream.replace("°".encode(), b"")
        assert not re.search(rb"[^ -~\n\t]", text), text


def check_json(raw):
    """JSON of one document in UTF-8 that a terminal can show."""
    text = raw.out.decode()
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f]", text), text
    if text:
        json.loads(text)


@pytest.mark.parametrize("attribute", ["everything", *sorted(ATTRIBUTES)])
@pytest.mark.parametrize("name", ["list", "list-subsys", "show-topology", "disconnect-all"])
def test_attributes(nvme, host, name, attribute):
    CASES[name].prepare(host)
    spoil_attributes(host, ATTRIBUTES if attribute == "everything" else {attribute})
    formats = command_table.builtin()[name]["formats"]
    for more in ([], ["-v"], ["-vv"]):
        for fmt in [f for f in formats if f != "json"] or [""]:
            check_text(nvme.raw(name, *more, *(["-o", fmt] if fmt else [])))
        if "json" in formats:
            check_json(nvme.raw(name, *more, "--output-format=json"))


@pytest.mark.parametrize("name", [name for name in CASES if name not in BARE])
def test_answers(nvme, host, name):
    case = CASES[name]
    case.prepare(host)
    spoil_attributes(host, {"model", "serial", "firmware_rev", "state"})
    spoil_answers(host)
    check_text(nvme.raw(name, *case.args))
    if "json" in command_table.builtin()[name]["formats"]:
        check_json(nvme.raw(name, *case.args, "--output-format=json"))


@pytest.mark.parametrize("name", [name for name in CASES if name not in BARE])
def test_arguments(nvme, name):
    evil = EVIL.replace(b"\xff", b"\xc3\xbf").replace(b"\x9b2", b"\xc2\x9b2").decode()
    check_text(nvme.raw(name, evil))
    for option in command_table.builtin()[name]["options"]:
        if option["type"] in ("flag", "count"):
            continue
        if option["name"] in ("dump-config", "keyfile", "raw", "data", "metadata", "input-file"):
            continue
        check_text(nvme.raw(name, f"--{option['name']}={evil}", "-n", "nqn.x"))
