# SPDX-License-Identifier: LGPL-2.1-or-later
"""systemd units: how closed they are, when they run, and that they work under systemd itself."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_table import TOP
from installed import RESTORE, Installation, captured

sys.path.insert(0, str(TOP / "test/cli"))

import discovery_log as dl
from fake_sysfs import DISCOVERY_NQN, FakeHost

SYSTEMD = Path("/lib/systemd/systemd")
CONNECTING = ["nvmf-autoconnect.service", "nvmf-connect-nbft.service", "nvmf-connect@.service"]
KEEP = "nvme-mptcp.service"
NETWORKING = [*CONNECTING, KEEP]
RELAY = "nvme-mptcp-relay.service"
SERVICES = [*NETWORKING, RELAY, "nvmefc-boot-connections.service"]

# What the units of nvme-cli 2.x close.
CLOSED = {
    "ProtectHome": "yes",
    "ProtectHostname": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectControlGroups": "yes",
    "ProtectProc": "invisible",
    "RestrictRealtime": "yes",
    "LockPersonality": "yes",
    "MemoryDenyWriteExecute": "yes",
    "RemoveIPC": "yes",
}


def settings(installation: Installation, name: str) -> dict[str, str]:
    """The settings of a unit; those of one name are joined."""
    found: dict[str, str] = {}
    for line in (installation.units() / name).read_text(encoding="utf-8").splitlines():
        key, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            found[key] = f"{found[key]} {value}" if key in found else value
    return found


@pytest.mark.parametrize("name", SERVICES)
def test_units_are_closed(installation: Installation, name: str) -> None:
    """No less than those of 2.x."""
    found = settings(installation, name)
    assert {key: found.get(key) for key in CLOSED} == CLOSED
    assert found["ProtectSystem"] == "strict"
    families = found["RestrictAddressFamilies"].split()
    sockets = ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_UNIX"]
    wanted = sockets if name in [*NETWORKING, RELAY] else ["none"]
    assert families == wanted


@pytest.mark.parametrize("name", SERVICES)
def test_exposure(installation: Installation, name: str) -> None:
    """systemd's own judgement; those of 2.x get 7.6 and more."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("skipped: systemd-analyze is missing")
    judge = ["systemd-analyze", "security", "--offline=true", "--threshold=40"]
    done = captured([*judge, installation.units() / name])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Overall exposure level" in done.stdout


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("nvmf-autoconnect.service", "remote-fs-pre.target", "network-online.target"),
        ("nvmf-connect-nbft.service", "remote-fs-pre.target", "network-online.target"),
        ("nvmf-connect@.service", "local-fs-pre.target remote-fs-pre.target",
         "systemd-udevd.service"),
        ("nvmefc-boot-connections.service", "local-fs-pre.target remote-fs-pre.target",
         "systemd-udevd.service"),
    ],
)  # fmt: skip
def test_ordering(installation: Installation, name: str, before: str, after: str) -> None:
    """File systems are mounted when what they are on has been connected."""
    found = settings(installation, name)
    assert set(before.split()) <= set(found["Before"].split())
    assert after in found["After"].split()
    assert found["Type"] == "oneshot", "what is ordered behind it waits for its end"


def running_version() -> int:
    """systemd's."""
    if not shutil.which("systemctl"):
        pytest.skip("skipped: systemctl is missing")
    done = captured(["systemctl", "--version"], check=True)
    return int(done.stdout.split()[1].split(".")[0].split("~")[0])


@pytest.mark.parametrize("name", NETWORKING)
def test_pauses_grow(installation: Installation, name: str) -> None:
    """By what the release of systemd has for it; another setting would be a warning."""
    found = settings(installation, name)
    assert (found["Restart"], found["RestartSec"]) == ("on-failure", "4s")
    own = {"RestartSteps", "RestartMaxDelaySec"} & set(found)
    assert bool(own) == (running_version() >= 254)
    assert ("ExecStartPre" in found) == (not own)


def retry(name: str) -> dict[str, str]:
    """The settings of a file that units are made of."""
    lines = (TOP / "nvme-cli/data" / name).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_pauses_are_the_same_for_every_systemd() -> None:
    """As systemd's service_restart_usec_next() has them: never longer than five minutes."""
    new, old = retry("retry.conf"), retry("retry-older.conf")
    steps = int(new.pop("RestartSteps"))
    assert new.pop("RestartMaxDelaySec") == "5min"
    script = re.fullmatch(r"/bin/sh -c '(.*)' %n", old.pop("ExecStartPre"))
    assert new == old == {"Restart": "on-failure", "RestartSec": "4s"}
    assert script
    for restarts in (1, 2, 50, 60, 200, 600, 999, 1000, 5000):
        theirs = 4 * (300 / 4) ** min((restarts - 1) / steps, 1)
        ours = 4 + int(pause(script[1], str(restarts)) or 0)
        assert abs(theirs - ours) < 1 + theirs / 20, restarts
    assert [pause(script[1], restarts) for restarts in ("", "0")] == ["", ""]


def test_a_target_may_be_minutes_late() -> None:
    """Ten seconds after its arrival, ten minutes after the first try, the next try has begun."""
    new = retry("retry.conf")
    steps, first, most = int(new["RestartSteps"]), 4.0, 300.0
    attempt = 3.0  # as long as a host of the same network is looked for
    elapsed = pause = 0.0
    for restarts in range(1, 10000):
        pause = min(first * (most / first) ** (restarts / steps), most)
        elapsed += attempt + pause
        if elapsed > 600:
            break
        assert attempt + pause < 10
    assert pause < most


def pause(script: str, restarts: str) -> str:
    """How long the script of a unit sleeps after so many restarts."""
    tools = f'systemctl() {{ echo "{restarts}"; }}; sleep() {{ echo "$1"; }}; '
    done = captured(["sh", "-euc", tools + script.replace("$$", "$"), "unit"], check=True)
    return done.stdout.strip()


class Manager:
    """systemd as the first process of namespaces of its own, with units of the test alone."""

    def __init__(self, top: Path) -> None:
        self.units = top / "units"
        self.generators = top / "generators"
        self.log = top / "systemd.log"
        self.units.mkdir()
        self.generators.mkdir()
        self.process: subprocess.Popen[bytes] | None = None
        self.cgroup: Path | None = None
        for name in ("boot", "sysinit", "basic", "shutdown", "network-online", "remote-fs-pre"):
            (self.units / f"{name}.target").write_text("[Unit]\nDefaultDependencies=no\n")

    def start(self, *names: str) -> None:
        """Boot into a target that wants these units."""
        wants = self.units / "boot.target.wants"
        wants.mkdir()
        for name in names:
            (wants / name).symlink_to(self.units / re.sub(r"@.*[.]service$", "@.service", name))
        v1 = Path("/sys/fs/cgroup/systemd")
        self.cgroup = (v1 if v1.is_dir() else Path("/sys/fs/cgroup")) / f"nvme-test-{os.getpid()}"
        hierarchy = (
            "mount -t tmpfs tmpfs /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd && "
            "mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd"
            if v1.is_dir()
            else "mount -t cgroup2 cgroup2 /sys/fs/cgroup"
        )
        inner = (
            "mount --make-rprivate / && mount -t proc proc /proc && "
            "mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && "
            f"mount -t tmpfs tmpfs /run && {hierarchy} && "
            "exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=unshare "
            f"SYSTEMD_UNIT_PATH={self.units} SYSTEMD_GENERATOR_PATH={self.generators} {SYSTEMD} "
            "--system --unit=boot.target --log-target=null --show-status=no"
        )
        try:
            self.cgroup.mkdir()
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    ["sh", "-c", f'echo $$ >"{self.cgroup}/cgroup.procs" && exec "$@"', "sh",
                     "unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup",
                     "--kill-child", "--fork", "sh", "-c", inner],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                )  # fmt: skip
        except OSError as error:
            pytest.skip(f"skipped: no control group for a systemd of the test: {error}")
        if not self.wait_for(lambda: self.ask("is-system-running") in ("running", "degraded")):
            said = self.log.read_text(errors="replace")
            if self.process.poll() is not None:
                pytest.skip(f"skipped: no systemd in namespaces of its own: {said.strip()}")
            raise AssertionError(said)

    def inside(self) -> int | None:
        """The first process of the namespaces."""
        assert self.process
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        found = path.read_text().split() if path.exists() else []
        return int(found[0]) if found else None

    def ask(self, *words: str) -> str:
        pid = self.inside()
        if not pid:
            return ""
        done = captured(["nsenter", "-t", str(pid), "-m", "-p", "-r", "systemctl", *words])
        return done.stdout.strip()

    def wait_for(self, condition: Callable[[], bool]) -> bool:
        """Until it holds, or for half a minute, or until there is no manager any more."""
        assert self.process
        end = time.monotonic() + 30
        while not condition():
            if time.monotonic() > end or self.process.poll() is not None:
                return False
            time.sleep(0.1)
        return True

    def shows(self, unit: str, **wanted: str) -> bool:
        """Has the unit these properties before long?"""
        names = [f"-p{name}" for name in wanted]
        lines = {f"{name}={value}" for name, value in wanted.items()}
        return self.wait_for(lambda: set(self.ask("show", unit, *names).splitlines()) == lines)

    def end(self) -> None:
        """Ends it, and all that it started."""
        if self.process:
            self.process.kill()
            self.process.wait()
        for directory in sorted(self.cgroup.rglob("*"), reverse=True) if self.cgroup else []:
            if directory.is_dir():
                remove(directory)
        if self.cgroup and self.cgroup.exists():
            remove(self.cgroup)


def remove(cgroup: Path) -> None:
    """A control group, once its processes are gone."""
    for _ in range(50):
        try:
            cgroup.rmdir()
            return
        except OSError:
            time.sleep(0.1)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    """A systemd that has not started yet."""
    if os.geteuid() or not SYSTEMD.exists() or not shutil.which("unshare"):
        pytest.skip("skipped: it takes root, systemd and unshare")
    made = Manager(tmp_path)
    yield made
    made.end()


@pytest.fixture
def machine(installation: Installation, build: Path, manager: Manager, tmp_path: Path) -> FakeHost:
    """The installed units, calling the installed program on a made-up kernel."""
    if installation.options["b_sanitize"] != "none":
        pytest.skip("skipped: a sanitizer needs what the units close")
    host = FakeHost(tmp_path / "machine")
    (host.fake / "count").write_text("")
    program = f"{installation.options['prefix']}/{installation.options['sbindir']}/nvme"
    there = installation.directory("sbindir") / "nvme"
    conf = tmp_path / "etc/nvme/discovery.conf"
    conf.parent.mkdir(parents=True)
    conf.write_text("")
    preload = tmp_path / "fake-kernel.so"
    shutil.copy(build / "test/cli/fake-kernel.so", preload)
    for unit in installation.units().iterdir():
        text = unit.read_text(encoding="utf-8").replace(program, str(there))
        text = re.sub(r"^(Condition[^=]*=\|?)/etc", rf"\1{conf.parents[1]}", text, flags=re.M)
        (manager.units / unit.name).write_text(text)
        dropin = manager.units / f"{unit.name}.d"
        dropin.mkdir()
        (dropin / "test.conf").write_text(
            "[Service]\nRestartSec=100ms\n"
            f"StandardOutput=append:{manager.log}\nStandardError=append:{manager.log}\n"
            f"ReadWritePaths={host.fake} {host.root}\n"
            f"Environment=FAKE_DIR={host.fake} LIBNVME_SYSFS_PATH={host.root}/sysfs\n"
            f"Environment=LD_PRELOAD={preload} LD_LIBRARY_PATH={installation.directory('libdir')}\n"
            if unit.suffix == ".service"
            else ""
        )
    return host


def discovery_controller(host: FakeHost, instance: int, log: bytes, transport: str = "tcp") -> None:
    """The next connect brings up a discovery controller with this log."""
    controller = host.subsystem(instance, DISCOVERY_NQN).controller(
        instance, transport, "traddr=10.1.1.1,trsvcid=8009", connected=False
    )
    host.answer_connected(controller)
    name = b"\0" * 768 + DISCOVERY_NQN.encode().ljust(256, b"\0")
    host.command(f"nvme{instance}", "admin", 0x06, 1, name.ljust(4096, b"\0"))
    host.command(f"nvme{instance}", "admin", 0x02, 0x70, log)


@pytest.mark.parametrize(("transport", "trtype"), [("tcp", dl.TCP), ("mptcp", dl.MPTCP)])
def test_a_target_that_comes_up_late_is_connected(
    manager: Manager, machine: FakeHost, transport: str, trtype: int
) -> None:
    """Under systemd, with all that the unit closes: refused at first, there at the next try."""
    (machine.etc / "discovery.conf").write_text(f"-t {transport} -a 10.1.1.1\n")
    machine.answer_error(111)
    log = dl.log(dl.entry(trtype=trtype, subnqn=b"nqn.a", traddr=b"10.1.1.1"))
    discovery_controller(machine, 0, log, transport)
    machine.answer_new("nqn.a", "10.1.1.1", transport=transport, first=1)
    manager.start("nvmf-autoconnect.service")
    connected = manager.shows(
        "nvmf-autoconnect.service", ActiveState="inactive", Result="success", NRestarts="1"
    )
    said = manager.log.read_text(errors="replace")
    assert connected, said + manager.ask("status", "nvmf-autoconnect.service")
    assert [line.split(",")[0] for line in machine.connects] == [
        f"nqn={DISCOVERY_NQN}", f"nqn={DISCOVERY_NQN}", "nqn=nqn.a",
    ]  # fmt: skip
    assert machine.deleted == ["nvme0"]
    assert "10.1.1.1:8009: connection refused" in said


def test_a_success_is_not_repeated(manager: Manager, machine: FakeHost) -> None:
    (machine.etc / "discovery.conf").write_text("-t tcp -a 10.1.1.1\n")
    discovery_controller(machine, 0, dl.log())
    manager.start("nvmf-autoconnect.service")
    assert manager.shows(
        "nvmf-autoconnect.service", ActiveState="inactive", Result="success", NRestarts="0"
    )
    assert len(machine.connects) == 1


def instance(manager: Manager, *words: str) -> str:
    """The unit that a rule of udev restarts for these options."""
    name = "nvmf-connect@" + r"\t".join(words) + ".service"
    return captured(["systemd-escape", "--mangle", name], check=True).stdout.strip()


ADDRESS = ["--transport=tcp", "--traddr=10.1.1.1", "--trsvcid=8009"]


def test_an_event_is_connected(manager: Manager, machine: FakeHost) -> None:
    """The unit of one discovery controller, by the name that udev gives it."""
    discovery_controller(machine, 0, dl.log(dl.entry(subnqn=b"nqn.a", traddr=b"10.1.1.1")))
    machine.answer_new("nqn.a", "10.1.1.1", transport="tcp", first=1)
    unit = instance(manager, "--device=none", *ADDRESS)
    manager.start()
    manager.ask("start", unit)
    said = manager.log.read_text(errors="replace")
    assert manager.shows(unit, ActiveState="inactive", Result="success"), said
    assert [line.split(",")[0] for line in machine.connects][1:] == ["nqn=nqn.a"], said


def test_what_was_disconnected_is_not_connected_again(manager: Manager, machine: FakeHost) -> None:
    """An instance whose discovery controller is gone does nothing, and does not fail."""
    unit = instance(manager, "--device=nvme97531", *ADDRESS)
    manager.start(unit)
    assert manager.shows(unit, ActiveState="inactive", Result="exec-condition", NRestarts="0")
    assert machine.connects == []


def test_a_failure_does_not_hold_up_the_boot(manager: Manager, machine: FakeHost) -> None:
    """It goes on trying, and what is behind it is reached."""
    (machine.etc / "discovery.conf").write_text("-t tcp -a 10.1.1.1\n")
    for _ in range(3):
        machine.answer_error(111)
    manager.start("nvmf-autoconnect.service")
    assert manager.wait_for(lambda: len(machine.connects) >= 2)
    assert manager.shows("boot.target", ActiveState="active")


def bounding_set(installation: Installation, name: str) -> str:
    """The capabilities of a unit: what is listed before an empty assignment does not count."""
    lines = (installation.units() / name).read_text(encoding="utf-8").splitlines()
    sets = [line.partition("=")[2] for line in lines if line.startswith("CapabilityBoundingSet=")]
    return " ".join(sets[sets.index("") + 1 :])


def test_keep_has_one_privilege(installation: Installation) -> None:
    assert bounding_set(installation, KEEP) == "CAP_NET_ADMIN"
    found = settings(installation, KEEP)
    assert (found["Type"], found["RuntimeDirectory"]) == ("notify", "nvme-mptcp")
    assert {"nvmf-autoconnect.service", "nvmf-connect-nbft.service"} <= set(found["Before"].split())


def test_the_relay_comes_first_and_has_its_privileges(installation: Installation) -> None:
    """Whatever connects finds it, and what is mounted does not outlive it."""
    capabilities = "CAP_IPC_LOCK CAP_NET_ADMIN CAP_SYS_RESOURCE"
    assert bounding_set(installation, RELAY) == capabilities
    found = settings(installation, RELAY)
    assert (found["Type"], found["OOMScoreAdjust"]) == ("notify", "-1000")
    assert (found["LimitMEMLOCK"], found["Restart"]) == ("infinity", "on-failure")
    before = {"nvmf-autoconnect.service", "nvmf-connect-nbft.service", "remote-fs-pre.target"}
    assert before <= set(found["Before"].split())
    assert KEEP in found["After"].split()
    assert KEEP in found["Wants"].split()
    if installation.python():
        assert RELAY in settings(installation, RESTORE)["Before"].split()


def privileges(manager: Manager, pid: str) -> int:
    """Those that a process of the namespaces may ever have."""
    path = Path(f"/proc/{manager.inside()}/root/proc/{pid}/status")
    return int(re.search(r"^CapBnd:\s*(\w+)$", path.read_text(), re.M)[1], 16)  # type: ignore[index]


def begins(manager: Manager, unit: str, says: str) -> None:
    """Start a daemon as the only one that is wanted, which is ready and shows a line."""
    if not Path("/proc/sys/net/mptcp").is_dir():
        pytest.skip("skipped: this kernel has no MPTCP")
    manager.start(unit)
    active = manager.shows(unit, ActiveState="active", SubState="running", NRestarts="0")
    assert active, manager.log.read_text(errors="replace") + manager.ask("status", unit)
    assert manager.ask("show", "-P", "StatusText", unit).startswith(says)


def survives(manager: Manager, unit: str) -> bool:
    """Is it back after a crash?"""
    manager.ask("kill", "-s", "KILL", unit)
    return manager.shows(unit, ActiveState="active", SubState="running", NRestarts="1")


def stops(manager: Manager, unit: str) -> bool:
    """Does it end without a complaint?"""
    manager.ask("stop", unit)
    return manager.shows(unit, ActiveState="inactive", SubState="dead", Result="success")


def test_keep_under_systemd(manager: Manager, machine: FakeHost) -> None:
    """It is ready, shows a line, reads its configuration again, survives a crash, and ends."""
    begins(manager, KEEP, "No connection yet")
    pid = manager.ask("show", "-P", "MainPID", KEEP)
    assert privileges(manager, pid) == 1 << 12, "CAP_NET_ADMIN alone"
    manager.ask("reload", KEEP)
    said = manager.wait_for(
        lambda: "configuration was read again" in manager.log.read_text(errors="replace")
    )
    assert said, manager.log.read_text(errors="replace")
    assert manager.shows(KEEP, ActiveState="active", SubState="running")
    assert survives(manager, KEEP) and stops(manager, KEEP)


def test_relay_under_systemd(manager: Manager, machine: FakeHost) -> None:
    """It is ready, with keep, shows its connections, is back after a crash, and ends."""
    relay = {"portals": ["198.51.100.1"], "mode": "address"}
    (machine.etc / "config.json").write_text(
        json.dumps([{"hostnqn": "nqn.2024-01.lab:host", "mptcp": {"relay": relay}}])
    )
    begins(manager, RELAY, "0 connections")
    assert manager.shows(KEEP, ActiveState="active", SubState="running")
    assert survives(manager, RELAY)
    # as setup starts it with a relay that runs
    manager.ask("stop", KEEP)
    manager.ask("start", RELAY)
    assert manager.shows(KEEP, ActiveState="active", SubState="running")
    assert stops(manager, RELAY)


def test_a_relay_without_portals_is_not_started_again(manager: Manager, machine: FakeHost) -> None:
    host = {"hostnqn": "nqn.2024-01.lab:host", "mptcp": {"relay": {"portals": "auto"}}}
    (machine.etc / "config.json").write_text(json.dumps([host]))
    manager.start(RELAY)
    assert manager.shows(RELAY, ActiveState="failed", ExecMainStatus="6", NRestarts="0")
    assert 'Nothing to relay: "auto" stands for' in manager.log.read_text(errors="replace")


def test_restoring_is_closed_but_for_what_the_kernel_goes_on_with(
    installation: Installation,
) -> None:
    """The kernel listens and opens devices for this process: no setting gives it others to see."""
    if not installation.python():
        pytest.skip("skipped: the Python package was not built")
    found = settings(installation, RESTORE)
    assert found["CapabilityBoundingSet"] == "CAP_DAC_OVERRIDE CAP_NET_BIND_SERVICE"
    own = {"LockPersonality", "MemoryDenyWriteExecute", "NoNewPrivileges", "RestrictNamespaces"}
    assert {found[name] for name in own} == {"yes"}
    others = {name for name in found if re.match("Private|Protect|RootDirectory|DynamicUser", name)}
    assert others == set()


class Restoring:
    """A systemd with the unit, which calls a program of the test, and one that makes endpoints."""

    def __init__(self, installation: Installation, manager: Manager, top: Path) -> None:
        if not installation.python():
            pytest.skip("skipped: the Python package was not built")
        self.manager = manager
        self.saved = top / "config.json"
        self.ports = top / "nvmet/ports"
        self.lines = top / "calls"
        self.failures = top / "failures"
        self.lines.touch()
        self.failures.write_text("0")
        self.ports.mkdir(parents=True)
        self.saved.write_text("{}")
        text = (installation.units() / RESTORE).read_text(encoding="utf-8")
        [(python, module)] = re.findall(r"^ExecStart=(/\S+) (-m \S+) restore", text, re.M)
        assert module == "-m nvme_mptcp.nvmet"
        program = self.program(
            "python3",
            f'echo "$*" >>{self.lines}; left=$(cat {self.failures})\n'
            f'[ "$left" = 0 ] || {{ echo $((left - 1)) >{self.failures}; exit 1; }}',
        )
        text = text.replace(f"ExecStart={python} ", f"ExecStart={program} ")
        text = text.replace("/etc/nvmet/config.json", str(self.saved))
        text = text.replace("/sys/kernel/config/nvmet", str(self.ports.parent))
        text = text.replace("/run/nvme-mptcp/", f"{top}/")
        (manager.units / RESTORE).write_text(text.replace("RestartSec=10s", "RestartSec=100ms"))
        endpoints = self.program("endpoints", f"sleep 1; echo endpoints >>{self.lines}")
        (manager.units / KEEP).write_text(
            "[Unit]\nDefaultDependencies=no\n"
            f"[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart={endpoints}\n"
        )

    def program(self, name: str, script: str) -> Path:
        path = self.lines.with_name(name)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def calls(self) -> list[str]:
        """What ran, in its order."""
        return self.lines.read_text().splitlines()


@pytest.fixture
def restoring(installation: Installation, manager: Manager, tmp_path: Path) -> Restoring:
    return Restoring(installation, manager, tmp_path)


@pytest.mark.parametrize("before", [("endpoints",), ()])
def test_a_target_comes_back_after_its_endpoints(
    restoring: Restoring, before: tuple[str, ...]
) -> None:
    """Neither waits for the other where only one is enabled."""
    restoring.manager.start(RESTORE, *([KEEP] if before else []))
    assert restoring.manager.shows(RESTORE, ActiveState="active", SubState="exited")
    assert restoring.calls() == [*before, f"-m nvme_mptcp.nvmet restore {restoring.saved}"]
    assert restoring.manager.ask("show", "-P", "ActiveState", "boot.target") == "active"


@pytest.mark.parametrize("why", ["a late device", "incomplete"])
def test_what_fails_is_tried_again(restoring: Restoring, why: str) -> None:
    """Also where the target serves without ports whose addresses were not there."""
    if why == "incomplete":
        (restoring.ports / "1").mkdir()
        restoring.saved.with_name("nvmet-before.incomplete").touch()
    restoring.failures.write_text("1")
    restoring.manager.start(RESTORE)
    assert restoring.manager.shows(RESTORE, ActiveState="active", NRestarts="1")
    assert len(restoring.calls()) == 2


@pytest.mark.parametrize("what", ["nothing saved", "serving"])
def test_nothing_is_restored_over_a_target_or_from_nothing(restoring: Restoring, what: str) -> None:
    if what == "serving":
        (restoring.ports / "1").mkdir()
    else:
        restoring.saved.unlink()
    restoring.manager.start(RESTORE)
    assert restoring.manager.shows(RESTORE, ActiveState="inactive", ConditionResult="no")
    assert restoring.calls() == []
