# SPDX-License-Identifier: LGPL-2.1-or-later
"""No secret stays in the memory of a command that is done with it: test/cli/left.c looks for it."""

import base64
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import BUILD, NVME, PRELOAD, sanitizer_library
from fake_sysfs import HOSTID, HOSTNQN, FakeHost
from test_keys import DHCHAP, SECRET, TLS, keyring

pytestmark = pytest.mark.skipif(
    sanitizer_library(NVME) is not None,
    reason="skipped: a sanitizer keeps what was freed; test/run runs these without it",
)
__all__ = ["keyring"]  # a fixture
LEFT = BUILD / "test/cli/left.so"
PORT = {"transport": "tcp", "traddr": "10.1.1.1", "trsvcid": "4420"}
CONFIGURED = [
    {"hostnqn": HOSTNQN, "hostid": HOSTID, "dhchap_key": DHCHAP}
    | {"subsystems": [{"nqn": "nqn.2025-01.test:disk", "ports": [PORT]}]}
]


def of_key(text: str) -> bytes:
    """The bytes of a key, less the ends that a list of free memory overwrites."""
    return base64.b64decode(text.split(":")[2])[:-4]


def middle(secret: bytes) -> bytes:
    """A part that stays recognizable where malloc() has put its own data over the beginning."""
    return secret[len(secret) // 2 :][:16]


@dataclass
class Run:
    """A command, and what it is told in which way."""

    words: list[str]
    sought: bytes
    stdin: str = ""
    files: dict[str, str] = field(default_factory=dict)
    status: int = 0


GEN_DHCHAP = ["gen-dhchap-key", "-m", "1", "-n", "nqn.h", "-s", SECRET]
RUNS = {
    "check-tls-key": Run(["check-tls-key", "-n", "nqn.h", "-c", "nqn.s", "-d", TLS], of_key(TLS)),
    "check-dhchap-key": Run(["check-dhchap-key", "-k", DHCHAP], of_key(DHCHAP)),
    "gen-dhchap-key": Run(GEN_DHCHAP, of_key(DHCHAP)),
    "gen-dhchap-key's bytes": Run(GEN_DHCHAP, bytes.fromhex(SECRET)),
    "gen-tls-key": Run(["gen-tls-key", "-s", SECRET], of_key(TLS)),
    "a key that is no good": Run(
        ["check-tls-key", "-n", "nqn.h", "-c", "nqn.s", "-d", TLS[:-7] + "AAAAAA:"],
        of_key(TLS),
        status=1,
    ),
    "connect": Run(
        ["connect", "-t", "tcp", "-a", "10.1.1.1", "-n", "nqn.s", "-J", "none", "-S", DHCHAP],
        DHCHAP.encode(),
        status=1,
    ),
    "connect-all with a configuration": Run(
        ["connect-all", "-J", "{etc}/given.json"],
        DHCHAP.encode(),
        files={"given.json": json.dumps(CONFIGURED)},
        status=1,
    ),
    "discovery.conf": Run(
        ["connect-all", "-J", "none"],
        DHCHAP.encode(),
        files={"discovery.conf": f"-t tcp -a 10.1.1.1 -S {DHCHAP}\n"},
        status=1,
    ),
}


def left(nvme, run: Run, tmp_path: Path) -> list[str]:
    """Runs a command; where the middle of what is sought was left."""
    report = tmp_path / "left"
    report.unlink(missing_ok=True)
    etc = nvme.host.etc
    for name, text in run.files.items():
        (etc / name).write_text(text)
    words = [word.format(etc=etc) for word in run.words]
    sought = bytes(byte ^ 0x5A for byte in middle(run.sought)).hex()
    env = {"LD_PRELOAD": f"{PRELOAD} {LEFT}", "LEFT_SOUGHT": sought, "LEFT_FILE": str(report)}
    result = nvme(*words, stdin=run.stdin, env=env)
    assert result.status == run.status, result
    lines = report.read_text().splitlines()
    assert lines[-1] == "looked"
    return lines[:-1]


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_left(nvme, name: str, tmp_path: Path) -> None:
    assert left(nvme, RUNS[name], tmp_path) == []


@pytest.mark.parametrize("sought", [of_key(TLS), TLS.encode()], ids=["bytes", "text"])
def test_keys_that_are_imported(nvme, keyring, tmp_path: Path, sought: bytes) -> None:
    """Some lines are longer than any before, so that what holds them has to move."""
    lines = "".join(f"NVMe0R01 nqn.{'h' * n} nqn.s {TLS}\n" for n in (1, 60, 200))
    words = ["tls-key", "-i", "-k", keyring, "-t", "user"]
    probe = nvme(*words, stdin=lines)
    if "Failed to import key in line 1" in probe.err:
        pytest.skip("skipped: keys cannot be stored here: " + probe.err.strip())
    assert left(nvme, Run(words, sought, stdin=lines), tmp_path) == []
    (nvme.host.etc / "keys").write_text(lines)
    assert left(nvme, Run([*words, "-f", "{etc}/keys"], sought), tmp_path) == []


def test_what_is_left_is_seen(nvme, host: FakeHost, tmp_path: Path) -> None:
    """A name is no secret, and nobody takes the trouble to wipe it."""
    host.subsystem(0, "nqn.2025-01.test:left-behind-in-memory").controller(0, "tcp")
    seen = left(nvme, Run(["list-subsys"], b"nqn.2025-01.test:left-behind-in-memory"), tmp_path)
    assert seen != []
