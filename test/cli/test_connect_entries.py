# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an entry of a discovery log requires, and answers of the kernel that are none."""

import errno

import discovery_log as dl
import pytest
from conftest import Nvme
from fabric import Fabric, entry
from fake_sysfs import DISCOVERY_NQN, FakeHost

SECRET = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"
TLS13 = b"\2"
REQUIRED, NOT_REQUIRED, NO_SQFLOW = 1, 2, 4
ALL = ("connect-all", "-a", "10.1.1.9", "-t")


def flags(line: str) -> set[str]:
    """The options of a connect that an entry or its target decides."""
    return {"concat", "disable_sqflow", "tls"} & set(line.split(","))


@pytest.mark.parametrize(
    ("transport", "treq", "more", "sent"),
    [
        ("tcp", REQUIRED | NO_SQFLOW, (), {"disable_sqflow", "tls"}),
        ("tcp", REQUIRED | NOT_REQUIRED, (), {"tls"}),
        ("tcp", NOT_REQUIRED, (), set()),
        ("tcp", NOT_REQUIRED, ("-S", SECRET), {"concat"}),
        ("mptcp", NOT_REQUIRED | NO_SQFLOW, (), {"disable_sqflow"}),
    ],
)
def test_requirements(
    nvme: Nvme, host: FakeHost, fabric: Fabric, transport: str, treq: int, more: tuple[str, ...],
    sent: set[str],
) -> None:  # fmt: skip
    listed = host.fake / "fabrics-options"
    listed.write_text("concat," + listed.read_text())
    kind = dl.TCP if transport == "tcp" else dl.MPTCP
    listing = dl.log(entry("nqn.a", "10.1.1.1", trtype=kind, treq=treq, tsas=TLS13))
    fabric.controller(DISCOVERY_NQN, "10.1.1.9", listing, transport)
    fabric.controller("nqn.a", "10.1.1.1", transport=transport)
    assert nvme(*ALL, transport, *more).status == 0
    assert f"transport={transport},traddr=10.1.1.1" in host.connects[1]
    assert flags(host.connects[1]) == sent


def test_required_tls_without_support_in_mptcp(nvme: Nvme, host: FakeHost, fabric: Fabric) -> None:
    """No connection in clear."""
    fabric.lists(entry("nqn.a", "10.1.1.1", treq=REQUIRED, tsas=TLS13), at="10.1.1.9")
    result = nvme(*ALL, "mptcp", status=1)
    assert (
        "10.1.1.1:4420: the target requires TLS, which transport mptcp does not support (use its "
        "tcp port, or configure the port without TLS)"
    ) in result.err
    assert len(host.connects) == 1


@pytest.mark.parametrize("second", [0, errno.ECONNREFUSED])
def test_without_disable_sqflow(nvme: Nvme, host: FakeHost, fabric: Fabric, second: int) -> None:
    """Not every transport that the entry names has the option."""
    fabric.lists(entry("nqn.a", "10.1.1.1", treq=NO_SQFLOW), at="10.1.1.9")
    host.answer_error(errno.EINVAL)
    if second:
        host.answer_error(second)
    else:
        fabric.controller("nqn.a", "10.1.1.1")
    assert nvme(*ALL, "mptcp").status == bool(second)
    assert [flags(line) for line in host.connects[1:]] == [{"disable_sqflow"}, set()]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("cntlid=1", "the reply of /dev/nvme-fabrics names no controller"),
        ("instance=-1,cntlid=1", "the reply of /dev/nvme-fabrics names no controller"),
        ("instance=4711,cntlid=1", "nvme4711 is connected, but is not in /sys"),
    ],
)
def test_replies(nvme: Nvme, host: FakeHost, reply: str, said: str) -> None:
    host.answer(f"reply {reply}")
    assert said in nvme.error("connect", "-t", "mptcp", "-a", "10.1.1.1", "-n", "nqn.a")


def test_a_kernel_that_lists_no_options(nvme: Nvme, host: FakeHost) -> None:
    """It is sent those that there have always been."""
    (host.fake / "fabrics-options").write_text("")
    arguments = ("connect", "-t", "tcp", "-a", "10.1.1.1", "-n", "nqn.a")
    host.answer_error(errno.ECONNREFUSED)
    nvme(*arguments, "-l", "20", status=1)
    assert host.connects[0].endswith(",ctrl_loss_tmo=20")
    assert "dhchap_secret: this kernel's nvme-fabrics does not support the option" in nvme.error(
        *arguments, "-S", SECRET
    )
    assert len(host.connects) == 1


def test_standard_input_is_no_kernel_log(nvme: Nvme, host: FakeHost) -> None:
    (host.fake / "endless-log").write_text("")
    host.answer_error(errno.ECONNREFUSED)
    record = "3,7,1,-;nvme_fabrics: of the caller\n"
    arguments = ("connect", "-t", "mptcp", "-a", "10.1.1.1", "-n", "nqn.a")
    assert "kernel" not in nvme.error(*arguments, stdin=record)
