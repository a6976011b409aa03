# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keys of DH-HMAC-CHAP and TLS: published vectors, bad input, the kernel's keyring."""

import ctypes
import os
import re
import stat

import pytest
from fake_sysfs import HOSTNQN

SECRET = "00112233445566778899aabbccddeeff" * 2
DHCHAP = "DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEey:"
TLS = "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:"
IDENTITY_KEY = "NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ:"


def test_dhchap_vector(nvme):
    result = nvme("gen-dhchap-key", "-m", "1", "-n", "nqn.h", "-s", SECRET)
    assert (result.status, result.out, result.err) == (0, DHCHAP + "\n", "")
    check = nvme("check-dhchap-key", "-k", DHCHAP, status=0)
    assert re.fullmatch(r"Key is valid \(HMAC 1, length 32, CRC [0-9a-f]{8}\)\n", check.out)


@pytest.mark.parametrize(
    ("args", "length"),
    [([], 32), (["-l", "48"], 48), (["-m", "1"], 32), (["-m", "2"], 48), (["-m", "3"], 64)],
)
def test_random_dhchap_keys(nvme, args, length):
    first, second = (nvme("gen-dhchap-key", *args).out.strip() for _ in range(2))
    assert first != second
    assert f"length {length}," in nvme("check-dhchap-key", "-k", first).out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-m", "9"], "Invalid HMAC identifier 9"),
        (["-l", "33"], "Invalid key length 33"),
        (["-m", "1", "-l", "48"], "Invalid key length 48 for SHA(256)"),
        (["-s", "00" * 31], "Invalid key length (31 bytes)"),
        (["-s", "0" * 63], "Invalid secret"),
        (["-s", "zz" * 32], "Invalid secret"),
        (["-m", "x"], "Expected word argument for 'hmac' but got 'x'!"),
    ],
)
def test_bad_dhchap_arguments(nvme, args, words):
    said = nvme.error("gen-dhchap-key", *args)
    assert words in said
    assert "zz" not in said


def test_host_is_needed(nvme, host):
    (host.etc / "hostnqn").unlink()
    assert nvme.error("gen-dhchap-key") == (
        "Could not read host NQN: /etc/nvme/hostnqn: No such file or directory "
        "(nvme gen-hostnqn > /etc/nvme/hostnqn creates it, or use --nqn)\n"
    )


@pytest.mark.parametrize(
    "key",
    [
        "",
        "DHHC",
        "DHHC-2:01:" + DHCHAP[10:],
        "DHHC-1:04:" + DHCHAP[10:],
        "DHHC-1:02:" + DHCHAP[10:],
        DHCHAP[:-1],
        DHCHAP[:-3] + "ez:",
        DHCHAP[:20] + "!" + DHCHAP[21:],
        DHCHAP + "A" * 1000000,
        "DHHC-1:01::",
    ],
    ids=range(10),
)
def test_broken_dhchap_keys(nvme, key):
    if len(key) > 100000:
        key = key[:100000]
    said = nvme.error("check-dhchap-key", "-k", key)
    assert len(said.splitlines()) == 1
    assert len(said) < 200
    assert nvme("check-dhchap-key").err == "Key not specified\n"


def test_tls_vector(nvme):
    result = nvme("gen-tls-key", "-m", "1", "-s", SECRET)
    assert (result.status, result.out) == (0, TLS + "\n")


def test_tls_identity(nvme):
    args = ["check-tls-key", "-n", "nqn.h", "-c", "nqn.s", "-d", IDENTITY_KEY]
    assert nvme(*args).out == "NVMe0R01 nqn.h nqn.s\n"
    digest = "DIhwKFkUHbufEChBJ1qxT56FGRyxGfQW04P36gBXqro="
    assert nvme(*args, "-I", "1").out == f"NVMe1R01 nqn.h nqn.s {digest}\n"
    default = nvme("check-tls-key", "-c", "nqn.s", "-d", IDENTITY_KEY)
    assert default.out == f"NVMe0R01 {HOSTNQN} nqn.s\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["gen-tls-key", "-m", "7"], "Invalid HMAC identifier 7"),
        (["gen-tls-key", "-m", "3"], "Invalid HMAC identifier 3"),
        (["gen-tls-key", "-I", "2"], "Invalid TLS identity version"),
        (["gen-tls-key", "-i"], "No subsystem NQN specified"),
        (["gen-tls-key", "-s", "00"], "Invalid key length (1 bytes)"),
        (["check-tls-key"], "No key data"),
        (["check-tls-key", "-d", TLS], "Need to specify a subsystem NQN"),
        (["check-tls-key", "-c", "nqn.s", "-d", TLS[:-2] + "V:"], "Key decoding failed"),
        (["check-tls-key", "-c", "nqn.s", "-d", "x"], "Key decoding failed"),
        (["tls-key"], "Must specify either --import, --export or --revoke"),
        (["tls-key", "-i", "-e"], "only one of"),
        (["tls-key", "-e", "-k", "no-such-keyring"], "no-such-keyring"),
    ],
)
def test_bad_tls_arguments(nvme, args, words):
    assert words in nvme.error(*args)


@pytest.fixture
def keyring():
    """A keyring of this session; the kernel's keys of type "user" stand in for "psk"."""
    libc = ctypes.CDLL(None, use_errno=True)
    session = ctypes.c_int(-3)
    libc.syscall(250, 1, b"nvme-cli-test")  # keyctl(KEYCTL_JOIN_SESSION_KEYRING)
    name = f"nvme-cli-test-{os.getpid()}".encode()
    serial = libc.syscall(248, b"keyring", name, None, 0, session)  # add_key()
    if serial < 0:
        pytest.skip(f"skipped: no keyrings here: {os.strerror(ctypes.get_errno())}")
    yield name.decode()
    libc.syscall(250, 9, serial, session)  # keyctl(KEYCTL_UNLINK)


def test_errors_in_json(nvme, valid):
    for bad in (
        ["gen-dhchap-key", "-m", "9"], ["check-dhchap-key"], ["gen-tls-key", "-m", "9"],
        ["check-tls-key"], ["tls-key"],
    ):  # fmt: skip
        failed = nvme(*bad, "-o", "json")
        assert (failed.status, failed.err) == (1, "")
        valid("error", failed.json)


@pytest.mark.parametrize(
    "command",
    [
        ["gen-dhchap-key", "-m", "1", "-n", "nqn.h", "-s", SECRET],
        ["check-dhchap-key", "-k", DHCHAP],
        ["gen-tls-key", "-s", SECRET],
        ["check-tls-key", "-n", "nqn.h", "-c", "nqn.s", "-d", TLS],
    ],
    ids=lambda command: command[0],
)
def test_general_options(nvme, command):
    plain = nvme(*command, status=0)
    more = ["--timeout=5", "--no-retries", "--output-format-version=1", "-v", "--dry-run"]
    assert nvme(*command, *more) == plain


def test_keyring_in_json(nvme, keyring, tmp_path, valid):
    def run(*args, stdin=""):
        result = nvme.ok(*args, "-k", keyring, "-t", "user", "-o", "json", stdin=stdin)
        valid("gen-key" if args[0] == "gen-tls-key" else args[0], result.json)
        return result.json

    names = ["-c", "nqn.s", "-n", "nqn.h"]
    trial = run("gen-tls-key", "-s", SECRET, "-i", *names, "--dry-run")
    assert trial == {"key": TLS}
    assert run("tls-key", "-e") == {"keys": []}
    probe = nvme("gen-tls-key", "-s", SECRET, "-i", *names, "-k", keyring, "-t", "user")
    if "Failed to insert key" in probe.err:
        pytest.skip("skipped: keys cannot be stored here: " + probe.err.strip())
    made = run("gen-tls-key", "-s", SECRET, "-i", *names)
    again = run("check-tls-key", "-d", TLS, "-i", *names)
    assert again == {"serial": made["serial"]}
    (exported,) = run("tls-key", "-e")["keys"]
    line = nvme("tls-key", "-e", "-k", keyring, "-t", "user").out
    assert line == f"{exported['identity']} {exported['key']}\n"
    file = tmp_path / "keys"
    assert run("tls-key", "-e", "-f", str(file), "--dry-run") == {"exported": 1}
    assert not file.exists()
    assert run("tls-key", "-e", "-f", str(file)) == {"exported": 1}
    assert file.read_text() == line
    assert run("tls-key", "-r", exported["identity"], "--dry-run") == {"revoked": 0}
    assert len(run("tls-key", "-e")["keys"]) == 1
    assert run("tls-key", "-r", exported["identity"]) == {"revoked": 1}
    assert run("tls-key", "-i", "--dry-run", stdin=line) == {"imported": 0}
    assert run("tls-key", "-e") == {"keys": []}
    assert run("tls-key", "-i", stdin=line) == {"imported": 1}


@pytest.mark.parametrize("more", [[], ["--dry-run"], ["-o", "json"]], ids=" ".join)
def test_revoking_no_key(nvme, keyring, more):
    """2.x reports success."""
    for identity in ("NVMe0R01 nqn.h nqn.none", "", "bogus"):
        result = nvme("tls-key", "-r", identity, "-k", keyring, "-t", "user", *more, status=1)
        assert f"Failed to revoke key '{identity}'" in result.out + result.err


def test_keyring(nvme, keyring, tmp_path):
    common = ["-k", keyring, "-t", "user"]
    file = tmp_path / "keys"
    result = nvme(
        "gen-tls-key", "-s", SECRET, "-i", "-c", "nqn.s", "-n", "nqn.h", "-f", str(file), *common
    )
    if "Failed to insert key" in result.err:
        pytest.skip("skipped: keys cannot be stored here: " + result.err.strip())
    assert result.status == 0, result
    first, second = result.out.splitlines()
    assert first == TLS
    assert re.fullmatch(r"Inserted TLS key [0-9a-f]{8}", second)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    line = file.read_text()
    assert line.startswith("NVMe0R01 nqn.h nqn.s NVMeTLSkey-0:01:")

    exported = nvme("tls-key", "--export", *common)
    assert (exported.status, exported.out) == (0, line)
    out = tmp_path / "exported"
    assert nvme("tls-key", "-e", "-f", str(out), *common).status == 0
    assert out.read_text() == line
    assert stat.S_IMODE(out.stat().st_mode) == 0o600

    identity = line.rsplit(" ", 1)[0]
    assert nvme("tls-key", "--revoke", identity, *common).status == 0
    assert nvme("tls-key", "-e", *common).out == ""
    assert nvme("tls-key", "-i", *common, stdin=line).status == 0
    assert nvme("tls-key", "-e", *common).out == line


@pytest.mark.parametrize("line", ["one-word", "NVMe0R01 nqn.h nqn.s NVMeTLSkey-1:01:bad:", " x"])
def test_bad_keyfile(nvme, keyring, line):
    result = nvme("tls-key", "-i", "-k", keyring, "-t", "user", stdin=f"# comment\n{line}\n")
    assert result.status == 1
    assert "in line 2" in result.err


def test_a_keyfile_without_insert(nvme, tmp_path):
    """It is not written, as in 2.x, and that is said."""
    file = tmp_path / "keys"
    for words in (
        ["gen-tls-key", "-s", SECRET],
        ["check-tls-key", "-d", TLS, "-n", "nqn.h", "-c", "nqn.s"],
    ):
        result = nvme(*words, "-f", str(file), status=0)
        assert f"--keyfile={file} is not written" in result.err
        assert not file.exists()
        assert nvme(*words).err == ""
