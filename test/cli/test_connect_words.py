# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the library says of a connect that fails: the kernel's errno and log in one sentence."""

import errno
import re
from dataclasses import dataclass

import pytest
from conftest import Nvme
from fake_sysfs import HOSTNQN, FakeHost

NQN = "nqn.sub"
SECRET = "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"
FAILED = "nvme nvme0: failed to connect socket: -111"
#: Words of 1.16 for the errno, which stand first.
BEFORE = (
    "could not add new controller", "failed to write to nvme-fabrics device",
    "pre-shared TLS key is missing",
)  # fmt: skip
NO_KEY = "nvme nvme0: qid 0: no key"


@dataclass
class Refused:
    """What the kernel answers to a connect, and the sentence for it."""

    number: int
    said: str
    args: str = "-t mptcp -a 10.1.1.1 -s 4420"
    log: tuple[str, ...] = ()  # a record as /dev/kmsg has it, or its text


REFUSED = [
    Refused(errno.ECONNREFUSED,
            "10.1.1.1:4420: connection refused (is a port with trtype mptcp enabled there?)"),
    Refused(errno.ECONNREFUSED, "[fd00::1]:4420: connection refused (is a port with trtype tcp "
            f"enabled there?); kernel: {FAILED}", "-t tcp -a fd00::1 -s 4420", (FAILED,)),
    # a target's I/O port answers discovery; few have one on the port that discovery uses
    Refused(errno.ECONNREFUSED, "10.1.1.1:8009: connection refused. Discovery uses port 8009; for "
            "the I/O port try -s 4420.", "-t mptcp -a 10.1.1.1 -s 8009"),
    Refused(errno.ECONNREFUSED, "[fd00::1]:8009: connection refused. Discovery uses port 8009; for "
            "the I/O port try -s 4420. Kernel: nvme nvme0: no", "-t tcp -a fd00::1 -s 8009",
            ("nvme nvme0: no",)),
    Refused(errno.EINVAL, "this kernel has no mptcp transport (modprobe nvme-mptcp). Without it, "
            "nvme mptcp relay carries tcp over several links; kernel: nvme_fabrics: no handler "
            "found for transport mptcp.",
            log=("nvme_fabrics: no handler found for transport mptcp.",)),
    Refused(errno.EINVAL, "this kernel has no rdma transport (modprobe nvme-rdma); kernel: "
            "nvme_fabrics: no handler found for transport rdma.", "-t rdma -a 10.1.1.1 -s 4420",
            ("nvme_fabrics: no handler found for transport rdma.",)),
    Refused(errno.EIO, "10.1.1.1:4420: the target refused the connection (the target has no "
            "subsystem nqn.sub on this port; its discovery log lists what it offers); kernel: nvme "
            'nvme0: Connect Invalid Data Parameter, subsysnqn "nqn.sub"',
            log=('nvme nvme0: Connect Invalid Data Parameter, subsysnqn "nqn.sub"',)),
    Refused(errno.EIO, "10.1.1.1:4420: the target refused the connection (subsystem nqn.sub does "
            "not allow host nqn.host; the target's administrator can add it); kernel: nvme nvme0: "
            "Connect for subsystem nqn.sub is not allowed, hostnqn: nqn.host",
            "-t mptcp -a 10.1.1.1 -s 4420 -q nqn.host",
            ("nvme nvme0: Connect for subsystem nqn.sub is not allowed, hostnqn: nqn.host",)),
    Refused(errno.ENODEV, "10.1.1.1:4420: invalid interface (is host_iface eth9 an interface of "
            "this host?)", "-t mptcp -a 10.1.1.1 -s 4420 -f eth9"),
    Refused(errno.EADDRNOTAVAIL, "10.1.1.1:4420: cannot assign requested address (is host_traddr "
            "10.9.9.9 an address of this host?)", "-t mptcp -a 10.1.1.1 -s 4420 -w 10.9.9.9"),
    Refused(errno.ENOKEY, "10.1.1.1:4420: authentication failed (the target requires it; specify "
            f"the DH-HMAC-CHAP secret that the target uses for host {HOSTNQN} (dhchap_secret)); "
            f"kernel: {NO_KEY}; nvme nvme0: qid 0: authentication setup failed",
            log=(NO_KEY, "nvme nvme0: qid 0: authentication setup failed")),
    Refused(errno.EKEYREJECTED, "10.1.1.1:4420: authentication failed (do the DH-HMAC-CHAP "
            "secrets match those on the target?); kernel: nvme nvme0: qid 0: authentication failed",
            f"-t mptcp -a 10.1.1.1 -s 4420 -S {SECRET}",
            ("nvme nvme0: qid 0: authentication failed",)),
    Refused(errno.ENOPROTOOPT, "10.1.1.1:4420: Protocol not available (MPTCP is switched off or "
            "not built in; sysctl net.mptcp.enabled=1)"),
    *(Refused(number, f"10.1.1.1:4420: {words}…") for number, words in (
        (errno.ETIMEDOUT, "connection timed out"), (errno.EAGAIN, "connection timed out"),
        (errno.EINPROGRESS, "connection timed out"), (errno.EHOSTUNREACH, "host unreachable"),
        (errno.ENETUNREACH, "network unreachable"),
        (errno.ECONNRESET, "connection closed by the target"),
        (errno.EPERM, "Operation not permitted"))),
]  # fmt: skip

#: Records of the kernel log, and what the sentence has of them.
RECORDS = [
    (["record 6,1,2,-;nvme nvme0: information"], "nvme nvme0: information"),
    (["record 3,1,2,-,caller=T17;nvme_fabrics: a caller"], "nvme_fabrics: a caller"),
    (["record 4,1,2,-;nvme nvme0: \\x1b[31m; a semicolon "], "nvme nvme0: \\x1b[31m; a semicolon"),
    (["record 4,1,2,-;nvme nvme0: raw \x1b[31m"], "nvme nvme0: raw \\x1b[31m"),
    ([f"kmsg nvme_a: {n}" for n in range(1, 7)], "nvme_a: 3; nvme_a: 4; nvme_a: 5; nvme_a: 6"),
    (["kmsg eth0: link up", "kmsg nvme nvme0: again", "kmsg nvme nvme0: again", "kmsg nvme_tcp: x"],
     "nvme nvme0: again; nvme_tcp: x"),
    (["kmsg nvme nvme7: reconnects", "kmsg nvme_tcp: mine"], "nvme_tcp: mine"),
    *(([f"record {record}"], None) for record in (
        "6,1,2,-;nvmet: creating nvm controller 1", "12,1,2,-;nvme nvme0: of a program",
        "6,1,2,-;nvm", "6,1,2,-", "6,1,2,-;", ";nvme nvme0: no prefix", "6",
        "x,1,2,-;nvme nvme0: no number", "99999999999999999999,1,2,-;nvme nvme0: huge")),
]  # fmt: skip


def said(nvme: Nvme, *args: str) -> str:
    """What a connect that fails says, without what is the same in all."""
    (line,) = nvme.error("connect", "-n", NQN, *args).splitlines()
    return re.sub(f"^(({'|'.join(BEFORE)}): )+", "", line)


@pytest.mark.parametrize(
    "row", REFUSED, ids=lambda row: f"{errno.errorcode[row.number]} {row.args}"
)
def test_kernel_refuses(nvme: Nvme, host: FakeHost, row: Refused) -> None:
    host.answer_error(row.number, *row.log)
    text = said(nvme, *row.args.split())
    assert text.startswith(row.said.removesuffix("…"))
    assert row.said.endswith("…") or text == row.said


@pytest.mark.parametrize(("records", "shown"), RECORDS)
def test_kernel_log(nvme: Nvme, host: FakeHost, records: list[str], shown: str | None) -> None:
    """Records of the host driver are shown, the last four, each once; those of others are not."""
    host.subsystem(0, "nqn.other").controller(7, "mptcp")
    host.answer(*records, f"errno {errno.EIO}")
    _, _, kernel = said(nvme, "-t", "tcp", "-a", "10.1.1.1").partition("; kernel: ")
    assert kernel == (shown or "")


NO_TLS = (": transport mptcp does not support TLS in this kernel; nvme mptcp relay carries tcp "
          "with TLS over several links, or omit it to connect without TLS")  # fmt: skip
UNKNOWN = (": this kernel's nvme-fabrics does not support the option: "
           "it is too old, or built without it")  # fmt: skip
DIGESTS = ": transport {} does not support digests; omit it to connect without"
#: Options that would weaken the connection where they are left out, and what the kernel lacks.
OPTIONS = [
    ("-t mptcp --tls", "", f"tls{NO_TLS}"),
    (f"-t mptcp --concat -S {SECRET}", "", f"concat{NO_TLS}"),
    ("-t rdma -g", "", "hdr_digest" + DIGESTS.format("rdma")),
    ("-t loop -G", "", "data_digest" + DIGESTS.format("loop")),
    ("-t tcp --tls", ",tls", f"tls{UNKNOWN}"),
    (f"-t tcp --concat -S {SECRET}", ",concat", f"concat{UNKNOWN}"),
    (f"-t mptcp -S {SECRET}", ",dhchap_secret=%s", f"dhchap_secret{UNKNOWN}"),
    ("-t mptcp -g", ",hdr_digest", f"hdr_digest{UNKNOWN}"),
    ("-t tcp --concat", "", "concat: needs a DH-HMAC-CHAP secret of the host (dhchap_secret), from "
                            "which the TLS key is derived"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "without", "refused"), OPTIONS)
def test_options(nvme: Nvme, host: FakeHost, args: str, without: str, refused: str) -> None:
    listed = host.fake / "fabrics-options"
    text = "xtls,tlsx,concatenate," + listed.read_text()
    assert without in text
    listed.write_text(re.sub(f"{without}(?=[,\n])", "", text) if without else text)
    address = [] if "loop" in args else ["-a", "10.1.1.1"]
    assert said(nvme, *args.split(), *address) == refused
    assert host.connects == []


def test_options_that_are_left_out(nvme: Nvme, host: FakeHost) -> None:
    """What does not weaken the connection is not sent to a kernel that does not list it."""
    listed = host.fake / "fabrics-options"
    for option in (",host_iface=%s", ",nr_poll_queues=%d", ",duplicate_connect"):
        assert option in listed.read_text()
        listed.write_text(listed.read_text().replace(option, ""))
    host.answer_error(errno.EIO)
    result = nvme(
        "connect", "-n", NQN, "-t", "tcp", "-a", "10.1.1.1", "-f", "eth0", "-P", "2", "-D"
    )
    assert 'option "host_iface" ignored\n' in result.err
    assert "host_iface" not in host.connects[0] and "10.1.1.1" in host.connects[0]
    assert "poll" not in host.connects[0] and "duplicate" not in host.connects[0]
