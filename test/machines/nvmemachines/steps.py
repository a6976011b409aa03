# SPDX-License-Identifier: GPL-2.0-or-later
"""Actions on the two machines, and the conditions that must hold afterwards."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from nvmetools import ToolError
from nvmetools.ui import Ui

from . import guest, image, tutorial
from .console import printed_by
from .guest import Guest

#: Maximum time from a login prompt until all controllers are live.
LIVE_SECONDS = 30.0

#: Maximum time from plugging in a cable until its link carries all connections.
RETURN_SECONDS = 10.0

#: Slowdown of the machines compared with KVM, and factor for timeouts.
SLOWER = {"kvm": 1, "tcg": 4}
PATIENCE = {"kvm": 1, "tcg": 12}

BOOT_SECONDS = 90.0
COMMAND_SECONDS = 300.0

FIO = (
    "fio --name=verify --directory=/mnt --size=64M --bs=64k --rw=randwrite --ioengine=libaio "
    "--direct=1 --iodepth=8 --verify=crc32c --verify_fatal=1 --do_verify=1"
)

#: Debian's packages that are installed together with the project's, apart from libnvme.
NEIGHBOURS = "kmod udev systemd"

#: Commands of a tutorial whose exit status is a result, which is not checked.
JUDGES = re.compile(r"nvme-mptcp check\b")

#: Console messages of a file system that lost its disk, or of a timeout of systemd.
UNCLEAN = re.compile(
    r"I/O error.*|EXT4-fs error.*|Failed (?:to unmount|unmounting).*|Could not unmount.*|"
    r".* timed out\. Killing\."
)

#: Shell expression for the packages of installed kernels.
KERNELS = (
    "$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\\n' 'linux-*-[0-9]*-amd64' | "
    "sed -n 's/^ii *//p')"
)


#: Commands that show why a link is not in use.
STATE = (
    "ip -br addr; ip route",
    "ip mptcp limits; ip mptcp endpoint",
    "nstat -as | grep -i mptcp",
    "nvme-mptcp check",
    "nvme-mptcp repair --dry-run",
    "journalctl -q -b -o short-monotonic -u nvme-mptcp -u 'nvme-mptcp-*' -n 150",
    "systemctl --no-pager --failed; journalctl -q -b -k -n 30 -o short-monotonic",
)


def saved_in(directory: Path) -> Path:
    """Return the directory in which both machines of a run are saved."""
    return directory / "saved"


class CheckError(ToolError):
    """A required condition does not hold."""


def require(holds: object, what: str) -> None:
    """Raise CheckError unless the condition holds."""
    if not holds:
        raise CheckError(what)


class Machines:
    """The two machines of a run."""

    def __init__(self, supply: guest.Supply, ui: Ui) -> None:
        self.supply = supply
        self.ui = ui
        self.patience = PATIENCE[supply.accelerator]
        self.slower = SLOWER[supply.accelerator]
        self.target = Guest(supply, guest.TARGET)
        self.host = Guest(supply, guest.HOST)
        self.transcript = supply.directory / "transcript.log"
        #: Identities of the connections before the host's last reboot.
        self.old: set[str] = set()

    @property
    def both(self) -> tuple[Guest, Guest]:
        """Return both machines, the target first, because the host connects to it."""
        return self.target, self.host

    def named(self, name: str) -> tuple[Guest, ...]:
        """Return the machines for a command of the tutorial; none if it is for another release."""
        if name.startswith("debian-"):
            return self.both if name == f"debian-{self.supply.release.number}" else ()
        return self.both if name == "both" else (getattr(self, name),)

    def at_once(self, do: Callable[[Guest], str | None], guests: Iterable[Guest]) -> list[str]:
        """Call a function for several machines in parallel; return the results."""
        with ThreadPoolExecutor() as pool:
            return [given or "" for given in pool.map(do, guests)]

    def log(self, text: str) -> None:
        """Append text to the transcript of the run."""
        with self.transcript.open("a") as file:
            file.write(f"{text}\n")

    def run(self, machine: Guest, command: str, status: int | None = 0) -> str:
        """Run a command on a machine, and record it in the transcript in any case."""
        began = time.monotonic()
        self.log(f"{machine.side.name}# {command}")
        try:
            printed = machine.run(command, COMMAND_SECONDS * self.patience, status)
        except ToolError as error:
            self.log(f"{error}\n")
            raise
        self.log(f"{printed}\n({time.monotonic() - began:.1f} s)\n")
        return printed

    def on_both(self, command: str) -> list[str]:
        """Run a command on both machines in parallel; return both outputs."""
        return self.at_once(lambda m: self.run(m, command), self.both)

    def log_in(self, what: str) -> None:
        """Wait for both login prompts."""
        with self.ui.step(f"{what}: login prompts"):
            self.at_once(lambda m: m.log_in(BOOT_SECONDS * self.patience), self.both)

    def start(self) -> None:
        """Switch on both machines for the first time."""
        for machine in self.both:
            machine.unpack()
            machine.start()
        self.log_in("first boot")

    def save(self, what: dict[str, Any]) -> None:
        """Save the state of both machines, and of this run, for a later run."""
        fresh, saved = self.supply.directory / "saving", saved_in(self.supply.directory)
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        with self.ui.step("  (both are saved)"):
            for machine in self.both:
                machine.ask("stop")
            for machine in self.both:
                machine.save(fresh)
            for machine in self.both:
                machine.ask("cont")
            boots = {machine.side.name: machine.boots for machine in self.both}
            (fresh / "run.json").write_text(json.dumps({**what, "boots": boots}))
            shutil.rmtree(saved, ignore_errors=True)
            fresh.rename(saved)

    def restore(self, boots: dict[str, int]) -> None:
        """Restore both machines from their saved state."""
        self.log("(both go on as they were saved)\n")
        with self.ui.step("both go on as they were saved"):
            for machine in self.both:
                machine.boots = boots[machine.side.name]
                machine.restore(saved_in(self.supply.directory))
            for machine in self.both:
                machine.ask("cont")
            for machine in self.both:
                machine.run(":")

    def ask_archive(self) -> None:
        """Update the package lists of both machines."""
        for machine in self.both:
            self.run(machine, "apt-get update")

    def reboot(self, guests: Iterable[Guest], command: str = "systemctl reboot") -> None:
        """Reboot machines in parallel, and log in."""
        guests = tuple(guests)
        self.old = self.identities() if self.host in guests else set()
        self.log(f"{' and '.join(m.side.name for m in guests)}# {command}\n")
        with self.ui.step("reboot: shutdown"):
            for machine in guests:
                machine.type(command)
            logs = [machine.console_log for machine in guests]
            self._start_again(list(guests), BOOT_SECONDS * self.patience)
            for log in logs:
                faults = faults_of_shutdown(log.read_text(errors="replace"))
                require(not faults, f"{log}: no clean shutdown: {'; '.join(faults)}")
        with self.ui.step("reboot: login prompts"):
            self.at_once(lambda m: m.log_in(BOOT_SECONDS * self.patience), guests)

    def _start_again(self, guests: list[Guest], timeout: float) -> None:
        """Start each machine as soon as it is off: the host's shutdown may need its target."""
        deadline = time.monotonic() + timeout
        while guests:
            for machine in [machine for machine in guests if machine.ended()]:
                machine.start()
                guests.remove(machine)
            names = ", ".join(machine.side.name for machine in guests)
            require(time.monotonic() < deadline, f"{names}: still on after {timeout:.0f} s")
            time.sleep(0.2)

    def set_cable(self, link: int, there: bool) -> None:
        """Pull a cable, or plug it in, at both ends."""
        self.log(f"(cable {link} {'in' if there else 'out'})\n")
        for machine in self.both:
            machine.set_cable(link, there)

    def stop(self) -> None:
        """Kill both machines."""
        for machine in self.both:
            machine.kill()

    # Checks

    def controllers(self) -> list[dict[str, Any]]:
        """Return the host's mptcp controllers, with their connections."""
        # Without a controller, the command has an exit status of its own; between both tutorials
        # there is no command.
        printed = self.run(
            self.host,
            "[ ! -e /usr/sbin/nvme-mptcp ] || nvme-mptcp show-subflows -o json",
            status=None,
        )
        found = json.loads(printed or "{}")
        return list(found.get("controllers", []))

    def identities(self) -> set[str]:
        """Return the tokens of connections, and the local addresses and ports of their subflows."""
        connections = [each for found in self.controllers() for each in found["connections"]]
        return {str(each["token"]) for each in connections} | {
            flow["local"] for each in connections for flow in each["subflows"]
        }

    def missing(self) -> list[str]:
        """Return the reasons why some connections do not use all links."""
        faults = []
        controllers = self.controllers()
        if not controllers:
            faults.append("no controller")
        for controller in controllers:
            faults += faults_of(controller, self.supply.links)
        return faults

    def wait_for_all(self, since: float, seconds: float, what: str) -> float:
        """Wait until nothing is missing; return the seconds from ``since`` until then."""
        while True:
            asked = time.monotonic()
            faults = self.missing()
            if not faults:
                return max(asked - since, 0.0)
            if asked - since > seconds:
                raise CheckError(f"{what}: after {asked - since:.0f} s: {'; '.join(faults)}")
            time.sleep(0.5)

    def check_use(self, what: str) -> None:
        """Require after a boot that all links carry all connections in time, and run fio."""
        prompted = max(machine.prompted for machine in self.both)
        with self.ui.step(f"{what}: every controller live"):
            took = self.wait_for_all(prompted, LIVE_SECONDS * self.slower, what)
        self.note(f"{what}: all links carried all connections {took:.1f} s after the login prompt")
        kept = self.identities() & self.old
        require(not kept, f"{what}: {sorted(kept)} are those of before the reboot")
        with self.ui.step(f"{what}: fio verifies"):
            self.run(self.host, "findmnt /mnt || mount /mnt")
            self.run(self.host, FIO)

    def check_cable(self, link: int, what: str) -> None:
        """Pull a cable and plug it in again while fio verifies data."""
        with self.ui.step(f"{what}: cable {link} out while fio verifies"):
            self.begin_fio()
            time.sleep(2 * self.slower)
            self.set_cable(link, there=False)
            time.sleep(5 * self.slower)
            carrier = self.run(self.host, f"cat /sys/class/net/{guest.interface(link)}/carrier")
            require(carrier == "0", f"{what}: the host did not notice that cable {link} was out")
        with self.ui.step(f"{what}: cable {link} back"):
            self.set_cable(link, there=True)
            seconds = RETURN_SECONDS * self.slower
            took = self.wait_for_all(time.monotonic(), seconds, f"{what}: cable {link}")
            self.end_fio(f"{what}, cable {link}")
        self.note(f"{what}: link {link} carried all connections {took:.1f} s after its return")

    def tell_state(self) -> None:
        """Record the state of both machines in the transcript, after a failed check."""
        self.log("(what was required is not so; this is how things are)\n")
        for machine in self.both:
            for command in STATE:
                with suppress(ToolError):
                    self.run(machine, command, status=None)

    def note(self, text: str) -> None:
        """Print a result, and add it to the transcript."""
        self.ui.say(f"  {text}")
        self.log(f"-- {text}\n")

    def require_kernel(self, base: str) -> None:
        """Require that both run a kernel of this series with the project's modules."""
        for machine in self.both:
            running = self.run(machine, "uname -r")
            require(running.startswith(f"{base}."), f"{machine.side.name}: {running}, not {base}")
        for machine, name in ((self.target, "nvmet-tcp"), (self.host, "nvme-mptcp")):
            loaded = self.run(machine, f"grep -c ^{name.replace('-', '_')} /proc/modules")
            path = self.run(machine, f"modinfo -F filename {name}")
            require(loaded == "1" and "/updates/" in path, f"{machine.side.name}: not {path}")

    def upgrade_packages(self, what: str) -> None:
        """Downgrade and upgrade packages while fio verifies; the relay's process must survive."""
        self.begin_fio()
        with self.ui.step(f"{what}: an older version of the packages, and this one again"):
            for command in (
                "apt-get -y --allow-downgrades install /srv/nvme-mptcp/older/*.deb",
                "apt-get -y install /srv/nvme-mptcp/*mptcp_*.deb /srv/nvme-mptcp/*mptcp0_*.deb",
            ):
                before, relays = self._services("nvme-mptcp"), self._services("nvme-mptcp-relay")
                self.on_both(command)
                after = self._services("nvme-mptcp")
                require(
                    all(new and new != old for old, new in zip(before, after, strict=True)),
                    f"{command}: nvme-mptcp.service was {before}, and is {after}",
                )
                after = self._services("nvme-mptcp-relay")
                require(relays == after, f"{command}: the relay was {relays}, and is {after}")
        with self.ui.step(f"{what}: fio verifies meanwhile"):
            self.end_fio(f"{what}, upgrade of the packages")
            seconds = RETURN_SECONDS * self.slower
            self.wait_for_all(time.monotonic(), seconds, f"{what}, upgrade of the packages")
        restored = self.run(self.target, "systemctl is-active nvme-mptcp-target.service")
        require(restored == "active", f"{what}: nvme-mptcp-target.service is {restored}")

    def _services(self, name: str) -> list[int]:
        """Return the main PIDs of a service on both machines, 0 if it is not active."""
        command = (
            f"systemctl is-active -q {name}.service && "
            f"systemctl show -P MainPID {name}.service || echo 0"
        )
        return [int(text) for text in self.on_both(command)]

    def begin_fio(self) -> None:
        """Start fio in the background, which writes and verifies repeatedly."""
        # It must not be a job of the shell, which would print its end in another command's output.
        fio = f"until [ -e /tmp/fio.end ]; do {FIO} --output-format=json || break; done"
        self.run(self.host, f"( (({fio}) >/tmp/fio.log 2>&1; echo $? >/tmp/fio.status) & )")

    def end_fio(self, what: str) -> None:
        """Stop fio, require that it found no error, and print the longest latency."""
        self.run(self.host, "touch /tmp/fio.end; until [ -s /tmp/fio.status ]; do sleep 1; done")
        status = self.run(self.host, "cat /tmp/fio.status")
        if status != "0":
            raise CheckError(f"{what}: fio failed:\n{self.run(self.host, 'cat /tmp/fio.log')}")
        found = self.run(self.host, "grep -A2 '\"clat_ns\"' /tmp/fio.log; rm /tmp/fio.*")
        longest = max([int(ns) / 1e9 for ns in re.findall(r'"max" : (\d+)', found)], default=0.0)
        require(longest, f"{what}: fio did nothing")
        self.note(f"{what}: fio verified all; its longest request took {longest:.2f} s")

    def upgrade_kernel(self) -> None:
        """Upgrade the kernel as README.Debian of nvme-mptcp-dkms does.

        Emulated machines have built modules, so they install neither headers nor sources.
        """
        names = "linux-image-amd64"
        if self.supply.accelerator == "kvm":
            names += " linux-headers-amd64 linux-source-7.3"
        with self.ui.step("the backports' kernel is installed"):
            suite = f"{self.supply.release.codename}-backports"
            self.on_both(f"apt-get -y -t {suite} install {names}")

    def remove_nvme_cli(self) -> None:
        """Remove nvme-cli, but not /etc/nvme, which is shared."""
        with self.ui.step("nvme-cli goes"):
            self.on_both("apt-get -y remove nvme-cli && ! command -v nvme")

    def check_intact(self, *others: str) -> None:
        """Require that Debian's packages are unmodified and that nothing of the project is left."""
        library = image.STOCK[self.supply.release.codename].library
        names = " ".join((NEIGHBOURS, library, *others))
        with self.ui.step("debsums of Debian's own packages"):
            for machine in self.both:
                self.run(machine, f"debsums -s {names} {KERNELS}")
                left = self.run(machine, "dpkg -l | grep nvme-mptcp || :")
                require(not left, f"{machine.side.name}: packages are left:\n{left}")
                modules = self.run(machine, "ls -d /lib/modules/*/updates 2>/dev/null || :")
                require(not modules, f"{machine.side.name}: modules are left: {modules}")


def faults_of_shutdown(console: str) -> list[str]:
    """Return the faults at the end of a boot, from its console."""
    console = printed_by(console)
    faults = [] if "All filesystems unmounted." in console else ["file systems stayed mounted"]
    return faults + sorted({match[0] for match in UNCLEAN.finditer(console)})


def faults_of(controller: dict[str, Any], links: int) -> list[str]:
    """Return the faults of a controller in the output of show-subflows, with this many links."""
    name, faults = controller["name"], []
    if controller["state"] != "live":
        faults.append(f"{name} is {controller['state']}")
    connections = controller["connections"]
    if len(connections) != controller["connections_expected"]:
        faults.append(f"{name} has {len(connections)} connections")
    for connection in connections:
        subflows = [flow for flow in connection["subflows"] if flow["state"] == "ESTAB"]
        absent = {guest.interface(link) for link in range(1, links + 1)}
        absent -= {subflow["link"] for subflow in subflows}
        if absent:
            faults.append(f"{name}: {connection['token']} is not on {', '.join(sorted(absent))}")
    return faults


class Walk:
    """The execution of a tutorial, part by part."""

    def __init__(self, machines: Machines, document: Path, printed: dict[str, list[str]]) -> None:
        self.machines = machines
        self.text = document.read_text()
        self.printed = printed

    def part(self, heading: str) -> None:
        """Execute the part below a heading."""
        for item in tutorial.parts(self.text)[heading]:
            if isinstance(item, tutorial.Deed):
                self._do(item)
            else:
                self._run(item)

    def renewed(self) -> str:
        """Return the document with the new output of its commands."""
        return tutorial.renew(self.text, self.printed)

    def _do(self, deed: tutorial.Deed) -> None:
        if deed.kind == "wait":
            time.sleep(deed.number * self.machines.slower)
        else:
            self.machines.set_cable(deed.number, deed.there)

    def _run(self, command: tutorial.Command) -> None:
        guests = self.machines.named(command.machine)
        if not guests:
            return
        if command.text in ("reboot", "systemctl reboot"):
            self.machines.reboot(guests, command.text)
            return
        first = command.text.split("\n")[0]
        status = None if JUDGES.match(command.text) else 0
        with self.machines.ui.step(f"  {command.machine}# {first:.60}"):
            printed = self.machines.at_once(
                lambda m: self.machines.run(m, command.text, status), guests
            )
        self.printed.setdefault(command.text, []).append(printed[-1])
