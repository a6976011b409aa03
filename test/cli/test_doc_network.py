# SPDX-License-Identifier: LGPL-2.1-or-later
"""The calls of ip, ss, sysctl and nft in documents, typed in a network namespace of their own.

They belong to other programs: what is proved is that these take them as they stand, and the
kernel does.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "install"))

import pytest
from conftest import network_of
from doc_runs import commands_for
from mptcp_net import Network, enter

#: What stands for something of the reader's.
READERS = {
    "ADDRESS": "10.77.2.2", "LINK": "eth2", "N": "1", "NETWORK": "10.99.0.0/24",
    "TARGET": "10.99.0.1", "GATEWAY": "10.77.2.1",
}  # fmt: skip
#: What there is before; the examples' machines have other networks than these namespaces.
BEFORE = (
    "for i in 1 2 3; do ip address add 10.1.$i.2/24 dev eth$i nodad; done",
    "ip address add 10.1.1.3/24 dev eth2",
    "ip mptcp endpoint flush",
)
#: What a command takes for granted, by what stands in it.
GRANTED = {
    r"endpoint (delete|change) id": (
        "for i in 1 2 3; do ip mptcp endpoint add 10.77.$i.2 id $i subflow backup; done"
    ),
    "nf_conntrack": "nft add table inet t; nft 'add chain inet t c { type filter hook input "
    "priority 0; }'; nft add rule inet t c ct state invalid counter",
    "master bond2": "ip link add bond2 type bridge",
    "address change ADDRESS": "ip address add 10.77.2.3/24 dev eth2 valid_lft 60 preferred_lft 60",
}


def commands() -> list[str]:
    """Those that stand in documents, each once."""
    return sorted({c.text for c in commands_for("test/cli/test_doc_network.py")})


def as_typed(text: str) -> str:
    """The command with values in the place of the reader's words."""
    gateway = {"GATEWAY": "fe80::1"} if ":" in text else {}
    return re.sub(r"\b[A-Z]+\b", lambda m: {**READERS, **gateway}.get(m[0], m[0]), text)


net = network_of(4)


def shell(net: Network, command: str) -> subprocess.CompletedProcess[str]:
    """Types a line on the host."""
    return subprocess.run(
        enter(net.host, "sh", "-c", command),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("text", commands())
def test_commands_of_others(net: Network, text: str) -> None:
    granted = [line for words, line in GRANTED.items() if re.search(words, text)]
    for line in (*BEFORE, *granted):
        done = shell(net, line)
        assert done.returncode == 0, (line, done.stderr)
    words = shlex.split(as_typed(text))
    settings = dict(w.split("=") for w in words[2:]) if words[0] == "sysctl" else {}
    for name in settings:
        if name.startswith("net.mptcp.") and shell(net, f"sysctl {name}").returncode:
            pytest.skip(f"skipped: this kernel has no {name}, a newer one does")
    done = shell(net, as_typed(text))
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr.lower(), done.stderr
    for name, value in settings.items():
        assert shell(net, f"sysctl -n {name}").stdout.split() == value.split()


def test_a_wrong_command_is_noticed(net: Network) -> None:
    for text in (
        "ip mptcp endpoint add ADDRESS dev LINK subflw", "sysctl -w net.mptcp.enable=1",
        "ip mptcp limits set sbflows N", "nft list rulesets", "ss -tMniY",
    ):  # fmt: skip
        assert shell(net, as_typed(text)).returncode, text


def test_there_are_commands() -> None:
    assert len(commands()) > 60
