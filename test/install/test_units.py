# SPDX-License-Identifier: LGPL-2.1-or-later
"""systemd units and udev rules: well formed, and the same for mptcp as for tcp."""

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import jsonschema  # type: ignore[import]
import pytest
from command_table import CommandTable
from installed import Installation, captured
from udev_rules import Event, RulesError, Term, apply, parse, parse_line

TRANSPORTS = ["tcp", "mptcp"]
RECORDER = """#!/bin/sh
printf '%s\\n' "$@"
"""


@pytest.fixture(scope="session")
def rules(installation: Installation) -> dict[str, list[list[Term]]]:
    """The installed rules, by the name of their file."""
    return {path.name: parse(path) for path in installation.rules().iterdir()}


def log_change(transport: str, **env: str) -> Event:
    """A discovery controller says that its log changed."""
    return Event(
        "change",
        "nvme",
        "nvme7",
        {
            "NVME_AEN": "0x70f002",
            "NVME_TRTYPE": transport,
            "NVME_TRADDR": "fe80::1%eth0",
            "NVME_TRSVCID": "8009",
            "NVME_HOST_TRADDR": "none",
            "NVME_HOST_IFACE": "eth0",
        }
        | env,
        {"cntrltype": "discovery"},
    )


def connect_words(installation: Installation, run: str, tmp_path: Path) -> list[str]:
    """How the unit that a rule restarts calls nvme, by way of systemd's own naming."""
    words = shlex.split(run.replace("\\", "\\\\"))
    assert words[:3] == ["/usr/bin/systemctl", "--no-block", "restart"]
    mangled = captured(["systemd-escape", "--mangle", words[3]], check=True).stdout.strip()
    instance = re.fullmatch(r"nvmf-connect@(.*)\.service", mangled)
    assert instance and len(mangled) < 256
    recorder = tmp_path / "nvme"
    recorder.write_text(RECORDER)
    recorder.chmod(0o755)
    unit = (installation.units() / "nvmf-connect@.service").read_text(encoding="utf-8")
    assert '\nEnvironment="CONNECT_ARGS=%i"\n' in unit
    command = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", unit, re.M)
    assert command
    script = command[1].replace("\\\\", "\\").replace("$$", "$").replace("%%", "%")
    program = f"{installation.options['prefix']}/{installation.options['sbindir']}/nvme"
    assert program in script
    return captured(
        ["/bin/sh", "-c", script.replace(program, str(recorder))],
        env={"CONNECT_ARGS": instance[1], "PATH": "/usr/bin:/bin"},
        check=True,
    ).stdout.splitlines()


@pytest.fixture
def called(
    installation: Installation,
    rules: dict[str, list[list[Term]]],
    table: CommandTable,
    tmp_path: Path,
) -> Callable[[Event], list[str]]:
    """What nvme is called with after an event."""

    def words_for(event: Event) -> list[str]:
        [run] = apply(rules["70-nvmf-autoconnect.rules"], event).run
        words = connect_words(installation, run, tmp_path)
        assert table.complaints(["nvme", *words]) == []
        return words

    return words_for


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("reason", [{}, {"NVME_AEN": "", "NVME_EVENT": "rediscover"}])
def test_changed_log_is_connected(
    called: Callable[[Event], list[str]], transport: str, reason: dict[str, str]
) -> None:
    """What a discovery controller announces reaches nvme connect-all, word by word."""
    assert called(log_change(transport, **reason)) == [
        "connect-all",
        "--context=autoconnect",
        "--quiet",
        "--device=nvme7",
        f"--transport={transport}",
        "--traddr=fe80::1%eth0",
        "--trsvcid=8009",
        "--host-traddr=none",
        "--host-iface=eth0",
    ]


def test_hostile_address_stays_one_word(called: Callable[[Event], list[str]]) -> None:
    """Nothing in an address becomes an option, a pattern or a command."""
    address = "*$(id)`id`;--config=x|&"
    words = called(log_change("mptcp", NVME_TRADDR=address))
    assert len(words) == 9
    assert words[5] == f"--traddr={address}"


REDISCOVERED = {"NVME_EVENT": "rediscover", "NVME_TRTYPE": "tcp"}


@pytest.mark.parametrize(
    "event",
    [
        log_change("tcp", NVME_AEN="0x700"),
        log_change("tcp", NVME_AEN="", NVME_EVENT="connected"),
        Event("change", "nvme", "nvme0", REDISCOVERED, {"cntrltype": "io"}),
        Event("add", "nvme", "nvme0", {"NVME_AEN": "0x70f002", "NVME_TRTYPE": "tcp"}),
        Event("change", "fc", "fc_udev_device", {"FC_EVENT": "nvmediscovery"}),
    ],
)
def test_other_events_start_nothing(rules: dict[str, list[list[Term]]], event: Event) -> None:
    """Only a changed log, a rediscovery and a found port lead to connect-all."""
    assert apply(rules["70-nvmf-autoconnect.rules"], event).run == []


def test_fibre_channel_port_is_connected(called: Callable[[Event], list[str]]) -> None:
    event = Event(
        "change",
        "fc",
        "fc_udev_device",
        {
            "FC_EVENT": "nvmediscovery",
            "NVMEFC_HOST_TRADDR": "nn-0x1:pn-0x2",
            "NVMEFC_TRADDR": "nn-0x3:pn-0x4",
        },
    )
    assert called(event)[3:] == [
        "--device=none",
        "--transport=fc",
        "--traddr=nn-0x3:pn-0x4",
        "--trsvcid=none",
        "--host-traddr=nn-0x1:pn-0x2",
    ]


def test_keys_are_imported(
    installation: Installation, rules: dict[str, list[list[Term]]], table: CommandTable
) -> None:
    """Loading the module of tcp and mptcp imports the TLS keys, if there are any."""
    keys = f"{installation.options['sysconfdir']}/nvme/tls-keys"
    event = Event("add", "module", "nvme_tcp", files=[keys])
    run = apply(rules["70-nvmf-keys.rules"], event).run
    assert len(run) == 1
    words = shlex.split(run[0])
    assert words[1:] == ["tls-key", "--import", "--keyfile", keys]
    assert table.complaints(words) == []
    event.files = []
    assert apply(rules["70-nvmf-keys.rules"], event).run == []


@pytest.mark.parametrize(
    ("vendor", "model", "policy", "loss"),
    [
        ("netapp", "NetApp ONTAP Controller", "queue-depth", "-1"),
        ("netapp", "NetApp E-Series", "round-robin", None),
        ("hpe", "HPE Alletra", "round-robin", "-1"),
        ("vastdata", "VASTData", "round-robin", None),
    ],
)
def test_vendors(
    rules: dict[str, list[list[Term]]], vendor: str, model: str, policy: str, loss: str | None
) -> None:
    """Arrays get their I/O policy, and over mptcp the same patience as over tcp."""
    own = rules[f"71-nvmf-{vendor}.rules"]
    attributes = {"subsystype": "nvm", "model": model}
    subsystem = Event("add", "nvme-subsystem", "nvme-subsys0", attributes=attributes)
    assert apply(own, subsystem).attributes == {"iopolicy": policy}
    attributes["model"] = "Linux"
    assert apply(own, subsystem).attributes == {}
    for transport in [*TRANSPORTS, "rdma"]:
        attributes = {"cntrltype": "io", "model": model, "transport": transport}
        expected = {"ctrl_loss_tmo": loss} if loss and transport in TRANSPORTS else {}
        event = Event("add", "nvme", "nvme0", attributes=attributes)
        assert apply(own, event).attributes == expected, transport


@pytest.mark.parametrize(
    ("action", "kernel", "name"),
    [
        ("add", "nbft0", "nbft0"),
        ("change", "nbft12", "nbft12"),
        ("remove", "nbft0", None),
        ("add", "eth0", None),
        ("add", "nbftless", None),
    ],
)
def test_boot_interfaces_keep_their_names(
    rules: dict[str, list[list[Term]]], action: str, kernel: str, name: str | None
) -> None:
    """No other rule renames what the initial RAM disk named by the boot table, and none is lost."""
    [rule] = rules["65-persistent-net-nbft.rules"]
    assert [term.operator for term in rule if term.key == "NAME"] == [":="], "later rules are bound"
    outcome = apply([rule], Event(action, "net", kernel))
    assert outcome.name == name
    assert apply([rule], Event(action, "block", kernel)).name is None


def test_dracut_takes_what_there_is(installation: Installation) -> None:
    """The initial RAM disk gets every rule, from where it is installed."""
    path = installation.dracut() / "70-nvmf-autoconnect.conf"
    script = f"install_items=; . {shlex.quote(str(path))}; printf '%s\\n' $install_items"
    done = captured(["bash", "-euc", script], check=True)
    named = sorted(done.stdout.split())
    assert named == sorted(
        str(path).removeprefix(str(installation.root)) for path in installation.rules().iterdir()
    )


@pytest.mark.parametrize(
    "line",
    [
        'ACTION=="add" SUBSYSTEM=="nvme"',
        'ACTION="add"',
        'ATTR=="x"',
        'KERNEL{x}=="y"',
        'RUN+="nvme list"',
        'ACTION=="add",',
        "ACTION==add",
        'LABEL=="end"',
    ],
)
def test_reader_refuses_nonsense(line: str) -> None:
    """The reader of these tests finds what udev would trip over."""
    with pytest.raises(RulesError):
        parse_line(line)


def test_units_verify(installation: Installation, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("skipped: systemd-analyze is missing")
    program = f"{installation.options['prefix']}/{installation.options['sbindir']}/nvme"
    for unit in installation.units().iterdir():
        text = unit.read_text(encoding="utf-8")
        (tmp_path / unit.name).write_text(
            text.replace(program, str(installation.directory("sbindir") / "nvme"))
        )
    shutil.copy(tmp_path / "nvmf-connect@.service", tmp_path / "nvmf-connect@demo.service")
    names = [str(path) for path in tmp_path.iterdir() if "@.service" not in path.name]
    done = captured(["systemd-analyze", "verify", "--man=no", *names])
    complaints = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    complaints += [
        line for line in done.stderr.splitlines() if re.search("nvmf-|nvmefc|nvme-mptcp", line)
    ]
    assert complaints == []


@pytest.mark.parametrize("name", ["nvmf-autoconnect", "nvmf-connect-nbft"])
def test_units_call_what_there_is(
    installation: Installation, table: CommandTable, name: str
) -> None:
    text = (installation.units() / f"{name}.service").read_text(encoding="utf-8")
    called = re.findall(r"^ExecStart=(.*)$", text, re.M)
    assert len(called) == 1
    assert table.complaints(shlex.split(called[0])) == []


def sample(installation: Installation, name: str) -> str:
    """A sample of a configuration file."""
    path = installation.directory("datadir") / "doc/nvme/examples" / name
    return path.read_text(encoding="utf-8")


def test_discovery_conf_sample(installation: Installation, table: CommandTable) -> None:
    lines = re.findall(r"^# (-.*)$", sample(installation, "discovery.conf"), re.M)
    assert len(lines) >= 4
    for line in lines:
        assert table.complaints(["nvme", "discover", *shlex.split(line)]) == [], line


def test_config_sample(installation: Installation) -> None:
    """The sample is what the schema describes, and the program reads it."""
    config = json.loads(sample(installation, "config.json"))
    assert config[0]["mptcp"]["endpoints"]
    assert {port["transport"] for s in config[0]["subsystems"] for port in s["ports"]} == {"mptcp"}
    doc = installation.directory("datadir") / "doc/nvme"
    schema = json.loads((doc / "schema/config.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(config, schema)
    path = doc / "examples/config.json"
    program = installation.directory("sbindir") / "nvme"
    command = [program, "config", "--config", path, "--dump"]
    dump = captured(command, env=installation.environment(), check=True).stdout
    assert json.loads(dump)[0]["mptcp"] == config[0]["mptcp"]
