# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keys and secrets are repeated by nobody: errors, logs, traces, JSON, the kernel's words."""

import errno

import discovery_log as dl
import pytest

HOST_SECRET = "garbage-of-the-host"
CTRL_SECRET = "other-less-controller"
DHCHAP = "DHHC-1:00:Tm90VGhlS2V5VGhhdFlvdUFyZUxvb2tpbmdGb3I6:"
TLS = "NVMeTLSkey-1:01:Tm90VGhlS2V5VGhhdFlvdUFyZUxvb2tpbmdGb3I6:"
SECRETS = (HOST_SECRET, CTRL_SECRET, DHCHAP[10:], TLS[16:])

# drivers/nvme/host/fabrics.c: what it logs of an option that it refuses.
QUOTES = ["nvme_fabrics: Invalid DH/CHAP key {}", "nvme_fabrics: Invalid DH/CHAP secret '{}'",
          "nvme_fabrics: unknown parameter or missing value 'dhchap_secret={}' in ctrl creation "
          "request"]  # fmt: skip

TARGET = ["-t", "tcp", "-a", "10.1.1.1"]
VERBOSE = [[], ["-v"], ["-vv"], ["-o", "json"], ["-o", "json", "-vv"], ["--quiet"]]


def everything(result):
    """Both streams, which hold none of the secrets, nor the greater part of one."""
    text = result.out + result.err
    for secret in SECRETS:
        for start in range(len(secret) - 11):
            assert secret[start : start + 12] not in text
    return text


@pytest.mark.parametrize("more", VERBOSE, ids=" ".join)
@pytest.mark.parametrize("quote", QUOTES)
def test_the_kernels_words(nvme, host, quote, more):
    host.answer_error(errno.EINVAL, quote.format(HOST_SECRET), quote.format(CTRL_SECRET))
    result = nvme(
        "connect", *TARGET, "-n", "nqn.x", "-S", HOST_SECRET, "-C", CTRL_SECRET, *more, status=1
    )
    text = everything(result)
    assert quote.split("{}")[0] + "***" in text
    assert f"dhchap_secret={HOST_SECRET}" in host.connects[0]


#: A secret, what the kernel logs, and what is shown of that.
RECORDS = [
    ("", "a plain line: 0x4001", "a plain line: 0x4001"),
    ("", "traddr=%s", "traddr=%s"),
    ("garbage", "garbage and garbage", "*** and ***"),
    ("garbage", "'dhchap_secret=garbage' in", "'dhchap_secret=***' in"),
    ("garbage", "prefixgarbagesuffix", "prefix***suffix"),
    # a line of the log that was cut, or a parser that stopped in the middle
    ("0123456789abcdef", "key 0123456789abc", "key ***"),
    ("0123456789abcdef", "key 56789abcdef", "key ***"),
    ("0123456789abcdef", "key 0123 and cdef", "key 0123 and cdef"),
    ("a", "a parameter a=x, a", "*** parameter ***=x, ***"),
    ("abcd", "abcd in xabcdx", "*** in x***x"),
    ("back\\slash", "key back\\slash", "key ***"),
    # of another process, whose secret is not known here
    ("", "got 'DHHC-1:00:aGVsbG8=:'!", "got 'DHHC-1:***'!"),
    ("", "NVMeTLSkey-1:01:x: DHHC-1:y", "NVMeTLSkey-1:*** DHHC-1:***"),
    ("", "DHHC-1:", "DHHC-1:"),
    ("", "(NVMeTLSkey-1:...)", "(NVMeTLSkey-1:...)"),
    ("", "Invalid DH/CHAP key other", "Invalid DH/CHAP key ***"),
    ("", "Invalid DH/CHAP secret 'other'; next", "Invalid DH/CHAP secret '***'; next"),
    ("", "value 'dhchap_ctrl_secret=other' in", "value 'dhchap_ctrl_secret=***' in"),
    ("", "give the secret (dhchap_secret)", "give the secret (dhchap_secret)"),
    ("", "dhchap_secret=", "dhchap_secret="),
]


@pytest.mark.parametrize(("secret", "record", "shown"), RECORDS)
def test_what_the_kernel_logs(nvme, host, secret, record, shown):
    host.answer_error(errno.EINVAL, f"nvme_fabrics: {record}")
    result = nvme("connect", *TARGET, "-n", "nqn.x", *(["-S", secret] if secret else []))
    assert result.err.endswith(f"kernel: nvme_fabrics: {shown}\n")


def test_several_secrets(nvme, host):
    host.answer_error(errno.EINVAL, "nvme_fabrics: first-secret-and-more, second, first-secret")
    args = ["-S", "first-secret", "-C", "first-secret-and-more"]
    result = nvme("connect", *TARGET, "-n", "nqn.x", *args)
    assert result.err.endswith("kernel: nvme_fabrics: ***, second, ***\n")


def test_escaped_by_the_kernel(nvme, host):
    """/dev/kmsg has backslashes and bytes beyond ASCII as numbers."""
    secret = "garb\\age-\u00e4\u00f6\u00fc-of-the-host"
    shown = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte != 0x5C else f"\\x{byte:02x}"
        for byte in secret.encode()
    )
    host.answer_error(errno.EINVAL, f"nvme_fabrics: Invalid DH/CHAP key {shown}")
    result = nvme("connect", *TARGET, "-n", "nqn.x", "-S", secret)
    assert "Invalid DH/CHAP key ***\n" in result.err
    assert "host" not in result.err.partition("kernel:")[2]


@pytest.mark.parametrize("more", VERBOSE, ids=" ".join)
def test_from_the_configuration(nvme, host, more):
    (host.etc / "config.json").write_text(
        '[{"hostnqn":"nqn.host","hostid":"11111111-2222-3333-4444-555555555555",'
        f'"dhchap_key":"{HOST_SECRET}","subsystems":[{{"nqn":"nqn.x","ports":['
        '{"transport":"tcp","traddr":"10.1.1.1","trsvcid":"4420",'
        f'"dhchap_ctrl_key":"{CTRL_SECRET}"}}]}}]}}]'
    )
    quoted = [QUOTES[0].format(secret) for secret in (HOST_SECRET, CTRL_SECRET)]
    host.answer_error(errno.EINVAL, *quoted, times=2)
    path = str(host.etc / "config.json")
    for command in (["connect-all"], ["connect", "-J", path]):
        everything(nvme(*command, *more))
    assert any(f"dhchap_secret={HOST_SECRET}" in line for line in host.connects)


@pytest.mark.parametrize("more", VERBOSE, ids=" ".join)
def test_from_discovery_conf(nvme, host, more):
    (host.etc / "discovery.conf").write_text(
        f"-t tcp -a 10.1.1.1 -S {HOST_SECRET}\n"
        f"-t tcp -a 10.1.1.1 -S {DHCHAP} {DHCHAP} {CTRL_SECRET}\n"
        f"-t tcp -a 10.1.1.1 --tls_key={TLS}\n"
        f"-t tcp -a 10.1.1.1 --dhchap_secrets={HOST_SECRET}\n"
    )
    host.answer_error(errno.EINVAL, QUOTES[0].format(HOST_SECRET), times=4)
    result = nvme("connect-all", *more, status=1)
    assert "discovery.conf:2" in everything(result)


@pytest.mark.parametrize(
    "args",
    [
        ["check-dhchap-key", DHCHAP],
        ["check-dhchap-key", HOST_SECRET],
        ["check-dhchap-key", "-k", HOST_SECRET],
        ["check-dhchap-key", "-k", DHCHAP],
        ["check-tls-key", TLS],
        ["check-tls-key", "-d", HOST_SECRET],
        ["check-tls-key", "-d", TLS, "-c", "nqn.s", "-n", "nqn.h"],
        ["gen-dhchap-key", "-s", HOST_SECRET],
        ["gen-tls-key", "-s", HOST_SECRET],
        ["gen-tls-key", "--secrets", HOST_SECRET],
        ["connect", *TARGET, "-n", "nqn.x", "--tls_key", TLS],
        ["connect", *TARGET, "-n", "nqn.x", "--tls", "--tls-key", TLS],
        ["connect", *TARGET, "-n", "nqn.x", "--tls", "--tls-key", HOST_SECRET],
        ["connect", *TARGET, "-n", "nqn.x", "--tls-kez=" + TLS],
        ["connect", *TARGET, "-n", "nqn.x", "-S", HOST_SECRET + ",x"],
        ["connect", *TARGET, "-n", "nqn.x", "-S", HOST_SECRET + "\t"],
        ["connect", *TARGET, "-n", "nqn.x", "-S", HOST_SECRET * 20],
        ["connect", *TARGET, "-n", "nqn.x", DHCHAP],
        ["connect", *TARGET, "-n", "nqn.x", "-S", "DHHC-1:", HOST_SECRET],
        ["connect-all", *TARGET, "-S", "x", HOST_SECRET, "-v"],
        ["connect", *TARGET, "-n", "nqn.x", "-C", CTRL_SECRET, CTRL_SECRET],
        ["connect", *TARGET, "-n", "nqn.x", "-i", DHCHAP],
        ["connect", *TARGET, "-n", "nqn.x", "-s", DHCHAP],
    ],
    ids=lambda args: " ".join(args)[:40],
)
@pytest.mark.parametrize("more", [[], ["-vv"]], ids=" ".join)
def test_mistakes_with_keys(nvme, host, args, more):
    host.answer_error(errno.EINVAL, "nvme_fabrics: Invalid DH/CHAP key")
    result = nvme(*args, *more)
    everything(result)
    assert result.status == 1


@pytest.mark.parametrize("more", [[], ["-v"], ["-vv"]], ids=" ".join)
@pytest.mark.parametrize("command", [["connect", "-n", "nqn.x"], ["connect-all"], ["discover"]])
def test_a_failure_is_printed_once(nvme, host, command, more):
    """With -v, the library's log had the same sentence once more."""
    host.answer_error(errno.ECONNREFUSED, "nvme nvme0: failed to connect socket: -111")
    said = nvme.error(*command, *TARGET, *more)
    assert said.count("failed to connect socket") == 1
    assert said.count("connection refused") == 1


@pytest.mark.parametrize("more", [[], ["-v"], ["-vv"]], ids=" ".join)
def test_a_refused_entry_is_printed_once(nvme, host, more):
    """The reason of an entry that no controller is made for."""
    dl.controller(host, dl.log(dl.entry(trtype=dl.MPTCP, adrfam=77)))
    said = nvme("connect-all", "-t", "mptcp", "-a", "10.1.1.1", *more, status=1).err
    assert said.count("unsupported adrfam 77") == 1
