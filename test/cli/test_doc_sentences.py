# SPDX-License-Identifier: LGPL-2.1-or-later
"""The calls of nvme in sentences of all documents, typed on a made-up machine with real links.

A sentence may call a command by its beginning, or by the option that it is about. Such a name has
to be part of a command that is typed in whole: an example of a manual page, or one of FULL.
"""

import json
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "install"))

import golden_cases
import plugin_cases
import pytest
from conftest import Nvme
from doc_runs import commands_for
from fake_sysfs import HOSTNQN, FakeHost
from mptcp_net import Network
from test_man_examples import NQN, PAGES, Reader, examples, failure, machine_for, net

__all__ = ["net"]

#: What sentences name, and no more: words of a command that a page types in whole.
NAMES = {
    "nvme connect", "nvme connect --tls", "nvme connect -t tcp", "nvme device-self-test --wait",
    "nvme dir-receive -H", "nvme disconnect", "nvme fdp configs", "nvme fdp events",
    "nvme fdp feature", "nvme fdp set-events", "nvme get-property -H", "nvme id-ctrl",
    "nvme mptcp check --peer", "nvme mptcp relay", "nvme mptcp relay --dry-run",
    "nvme mptcp relay --status", "nvme mptcp report --peers",
    "nvme mptcp setup", "nvme mptcp setup --apply", "nvme mptcp setup --role target",
    "nvme persistent-event-log --action", "nvme reset", "nvme tls-key --export",
    "nvme zns id-ns -H", "nvme zns report-zones", "nvme zns zone-mgmt-recv -o binary",
}  # fmt: skip
#: The same, typed in whole here, as no page has such an example.
FULL = {
    "nvme connect --config": "nvme connect --config config.json",
    "nvme connect -J": "nvme connect -J config.json",
    "nvme connect -J FILE": "nvme connect -J config.json",
    "nvme disconnect -d": "nvme disconnect -d nvme0",
    "nvme discover -d": "nvme discover -d nvme0 -t tcp -a 10.1.1.1",
    "nvme dsm --ad": "nvme dsm /dev/nvme0n1 --ad -s 0 -b 8",
    "nvme fdp usage": "nvme fdp usage /dev/nvme0 -e 1",
    "nvme get-feature -o binary": "nvme get-feature /dev/nvme0 -f 0x0c -l 4096 -o binary",
    "nvme id-ctr": "nvme id-ctr /dev/nvme0",
    "nvme id-iocs -o json": "nvme id-iocs /dev/nvme0 -o json",
    "nvme io-mgmt-recv --data": "nvme io-mgmt-recv /dev/nvme0n1 --mo=1 --data-len=512 --data=out",
    "nvme read --data": "nvme read /dev/nvme0n1 -s 0 -c 0 -z 512 --data out",
    "nvme set-feature --human-readable": (
        "nvme set-feature /dev/nvme0 -f 4 -V 343 --human-readable"
    ),
    "nvme set-reg --bpmbl": "nvme set-reg /dev/nvme0 --bpmbl=0",
    "nvme show-regs -v -o json": "nvme show-regs /dev/nvme0 -v -o json",
    "nvme tls-key --import": "nvme tls-key --import --keyfile disk1.key",
    "nvme tls-key --revoke": "nvme tls-key --revoke=NVMe0R01",
}
#: What cannot succeed on the made-up machine, and how it fails there: after it was understood.
FAILS = {
    "nvme set-reg --bpmbl": "not fabrics",
    "nvme tls-key --import": r"lookup keyring '\.nvme'",
    "nvme tls-key --revoke": r"lookup keyring '\.nvme'",
}
#: A configuration of the reader's.
CONFIG = [
    {
        "hostnqn": HOSTNQN,
        "subsystems": [{"nqn": NQN, "ports": [{"transport": "mptcp", "traddr": "10.1.1.1"}]}],
    }
]
#: What stands for something of the reader's.
READERS = {
    "RULE": "H14", "FILE": "target.json", "DIR": "reports", "ADDRESS": "10.77.1.1",
    "CONTROLLER": "nvme0", "A,B": f"{NQN},{NQN}2",
}  # fmt: skip


def sentences() -> list[str]:
    """The calls of nvme between backquotes, in all documents."""
    return sorted({c.text for c in commands_for("test/cli/test_doc_sentences.py")})


def parts_of(words: list[str], whole: list[str]) -> bool:
    """Has a command these words, in their order?"""
    rest = iter(word for text in whole for word in (text, text.split("=")[0]))
    return all(word in rest for word in words)


def test_names_are_of_commands_that_are_typed() -> None:
    typed = [text.split() for page in PAGES for _, text in examples(page)]
    for name in NAMES:
        assert any(parts_of(name.split(), whole) for whole in typed), name
    for name, whole in FULL.items():
        words = [word for word in name.split() if word != "FILE"]
        assert parts_of(words, whole.split()), name
    assert not {*NAMES, *FULL} - {*sentences()}


def prepared(nvme: Nvme, host: FakeHost, tmp_path: Path, command: str) -> Nvme:
    """The machine that a command is about."""
    plugin = command.split()[1]
    if plugin in ("zns", "fdp"):
        other = FakeHost(tmp_path / "other")
        plugin_cases.sample(other)
        return Nvme(other)
    return machine_for(nvme, tmp_path, command)


@pytest.mark.parametrize("text", [text for text in sentences() if text not in NAMES])
def test_calls_in_sentences(
    nvme: Nvme, host: FakeHost, net: Network, tmp_path: Path, text: str
) -> None:
    """Each can be typed, the other side's report included."""
    golden_cases.answering(host)
    (host.etc / "config.json").write_text(
        json.dumps([{"hostnqn": HOSTNQN, "mptcp": {"limits": {"subflows": 8}}}])
    )
    reader = Reader(tmp_path)
    if text.startswith("nvme connect"):
        (reader.directory / "config.json").write_text(json.dumps(CONFIG))
    if "FILE" in text or "DIR" in text:
        target = Nvme(FakeHost(tmp_path / "target"))
        made = reader.type(target, "nvme mptcp report -O target.json", net.target)
        assert made.returncode == 0, made.stderr
    command = " ".join(READERS.get(word, word) for word in FULL.get(text, text).split())
    command = command.replace("--netns NAME", f"--netns {net.host}")
    if command.startswith("nvme-mptcp "):  # which has the plugin's commands, and all others
        _, name, *_ = command.split()
        own = any(page.stem == f"nvme-mptcp-{name}" for page in PAGES)
        command = command.replace("nvme-mptcp", "nvme mptcp" if own else "nvme")
    command = command.replace("-O target", "-O own")
    command = command.replace("--metrics target.json", "--metrics own.prom")
    who = prepared(nvme, host, tmp_path, command)
    done = reader.type(who, command, net.host)
    if text in FAILS:
        assert done.returncode and re.search(FAILS[text], done.stderr), done
    else:
        assert failure(command, done) == ""


def test_there_are_sentences() -> None:
    assert len(sentences()) > 50
