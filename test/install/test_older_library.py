# SPDX-License-Identifier: LGPL-2.1-or-later
"""Why make install refuses to go before an older libnvme: Debian 12's nvme over this one."""

import os
import sys
from pathlib import Path

import pytest
from command_table import TOP
from installed import Installation, captured

sys.path.extend([str(TOP / "test/lab"), str(TOP / "tools")])

from nvmetools import ToolError
from nvmetools.archive import unpacked
from nvmetools.cache import Cache, default_dir

CONNECT = ["connect", "-t", "tcp", "-a", "127.0.0.1", "-n", "nqn.a"]


@pytest.fixture(scope="module")
def debian12() -> Path:
    """Debian 12's nvme and libraries, unpacked."""
    try:
        return unpacked(Cache(default_dir()), "bookworm", ("nvme-cli", "libnvme1"), print)
    except ToolError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"skipped: Debian 12's nvme cannot be had: {str(error).splitlines()[0]}")


def connect(top: Path, libraries: list[Path], sysfs: Path) -> str:
    """What its nvme says to a connect, over this machine's C library, without NVMe."""
    path = ":".join(str(each) for each in libraries)
    done = captured(
        [top / "usr/sbin/nvme", *CONNECT],
        env={"PATH": os.environ["PATH"], "LIBNVME_SYSFS_PATH": str(sysfs), "LD_LIBRARY_PATH": path},
    )
    assert done.returncode
    return done.stdout + done.stderr


def test_debian_12s_nvme_breaks(installation: Installation, debian12: Path, tmp_path: Path) -> None:
    """Over its own library it knows its options, over this one it does not: what is printed."""
    if installation.options["b_sanitize"] != "none":
        pytest.skip("skipped: a sanitizer does not go into a foreign program")
    # of /lib what this machine lacks: the C library there belongs to another loader
    more = tmp_path / "more"
    more.mkdir()
    for library in (debian12 / "lib/x86_64-linux-gnu").glob("*.so.*"):
        if not Path("/lib/x86_64-linux-gnu", library.name).exists():
            (more / library.name).symlink_to(library)
    own = [debian12 / "usr/lib/x86_64-linux-gnu", more]
    complaint = "connect: unrecognized option '-t'"
    assert complaint not in connect(debian12, own, tmp_path)
    assert complaint in connect(debian12, [installation.directory("libdir"), *own], tmp_path)
    assert complaint in (TOP / "tools/install").read_text(encoding="utf-8")
