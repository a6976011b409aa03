# SPDX-License-Identifier: GPL-2.0-or-later
"""The maintainer script of nvme-mptcp-dkms, on made-up directories, with a dkms of the test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

POSTINST = Path(__file__).resolve().parents[2] / "packaging/debian/nvme-mptcp-dkms.postinst"
DKMS = """#!/bin/sh
echo "$*" >>"$(dirname "$0")/calls"
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def test_what_an_earlier_version_left_is_passed_over(tmp_path: Path) -> None:
    """Modules are built of the version that is installed, not of the first directory there is."""
    (tmp_path / "usr/src/nvme-mptcp-0.1.0").mkdir(parents=True)
    program(tmp_path / "usr/src/nvme-mptcp-0.2.0/prepare", "#!/bin/sh\nexit 0\n")
    headers = tmp_path / "lib/modules/6.12.1-amd64/build"
    headers.mkdir(parents=True)
    (headers / "Makefile").touch()
    program(tmp_path / "bin/dkms", DKMS)
    text = POSTINST.read_text()
    for name in ("/usr/src", "/lib/modules"):
        assert name in text
        text = text.replace(name, f"{tmp_path}{name}")
    done = subprocess.run(
        ["sh", "-s", "configure"], input=text, capture_output=True, text=True, check=False,
        env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "bin/calls").read_text().splitlines() == [
        "status nvme-mptcp/0.2.0 -k 6.12.1-amd64",
        "install nvme-mptcp/0.2.0 -k 6.12.1-amd64",
    ]
