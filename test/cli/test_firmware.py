# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme fw-download: how an image is cut."""

import golden_cases
import pytest

#: Command Specific Status 80h of an admin command; with the same number a fabrics command says
#: "Incompatible Format".
CONFLICT, DO_NOT_RETRY = 0x180, 0x4000
IMAGE = bytes(range(256)) * 48  # three units of 4096 bytes


@pytest.fixture
def download(nvme, host, tmp_path):
    """Sends an image, in transfers of a size."""
    golden_cases.answering(host)
    image = tmp_path / "image"
    image.write_bytes(IMAGE)
    return lambda size: nvme("fw-download", "/dev/nvme0", "-f", str(image), "-x", size)


@pytest.mark.parametrize(
    ("size", "transfers", "warned"),
    [("4096", 3, False), ("8192", 2, False), ("5000", 3, True), ("1", 3, True)],
)
def test_transfers(host, download, size, transfers, warned):
    """A size that is no multiple of the unit is replaced, as by 2.x, but not without a word."""
    result = download(size)
    assert result.status == 0, result
    assert sum("opcode=11 " in line for line in host.written) == transfers
    said = f"WARNING: --xfer {size} is not a multiple of 4096; using transfers of 4096 bytes"
    assert (said in result.err) == warned


def test_a_transfer_that_fails_is_tried_again(host, download):
    (host.fake / "nvme0/otherwise.status").write_text(str(CONFLICT))
    result = download("4096")
    assert result.status == 1, result
    answer = "Conflicting Attributes"
    # every sentence about a try has what the device answered
    tries = [line for line in result.err.splitlines() if ", try " in line]
    said = f"fw-download: error on offset 0x00000000/0x00003000 ({answer}), try"
    assert tries == [f"{said} {n} of 3" for n in (2, 3)]


def test_a_transfer_that_is_refused_for_good_is_not_tried_again(host, download):
    (host.fake / "nvme0/otherwise.status").write_text(str(DO_NOT_RETRY | CONFLICT))
    result = download("4096")
    assert result.status == 1, result
    assert sum("opcode=11 " in line for line in host.written) == 1
    assert ", try " not in result.err


def test_the_old_name_of_fw_commit(nvme, host):
    golden_cases.answering(host)
    old, new = (nvme(name, "/dev/nvme0", "-s", "1") for name in ("fw-activate", "fw-commit"))
    assert old == new
    assert old.status == 0
    assert "fw-activate" not in nvme("help").out
