# SPDX-License-Identifier: LGPL-2.1-or-later
"""A program that uses everything with a type; mypy --strict reads it, nothing runs it."""

from ipaddress import IPv4Address
from pathlib import Path

from libnvme import __version__, mptcp, nvme, nvmet


def connect_all(root: nvme.root, traddr: str) -> list[str]:
    """Connect what a discovery controller lists."""
    host = nvme.host(root, hostnqn=nvme.hostnqn_from_file(), hostid=nvme.hostid_from_file())
    names: list[str] = []
    with nvme.ctrl(root, nvme.NVME_DISC_SUBSYS_NAME, "mptcp", traddr, trsvcid="8009") as found:
        found.discovery_ctrl = True
        found.connect(host, {"keep_alive_tmo": 30, "host_iface": "eth1"})
        for entry in found.discover(nvme.NVMF_LOG_DISC_LSP_PLEO):
            if entry["eflags"] & nvme.NVMF_DISC_EFLAGS_NCC or "tsas" not in entry:
                continue
            ctrl = nvme.ctrl(root, entry["subnqn"], str(entry["trtype"]), entry["traddr"])
            try:
                ctrl.connect(host)
            except nvme.Error as error:
                number: int = error.errno
                print(number, error)
            names.append(ctrl.name or "")
    return names


def walk(root: nvme.root) -> int:
    """Go through everything."""
    total = 0
    for host in root.hosts():
        for subsystem in host.subsystems():
            above: nvme.host = subsystem.host
            print(above.hostnqn, subsystem.iopolicy)
            for ctrl in subsystem.controllers():
                owner: nvme.subsystem | None = ctrl.subsystem
                pages: list[int] | None = ctrl.supported_log_pages()
                print(owner, pages and pages[nvme.NVME_LOG_LID_DISCOVER])
            for ns in subsystem.namespaces():
                identifier: bytes = ns.uuid
                total += len(identifier)
                ways: list[str | None] = [path.ctrl.name for path in ns.paths()]
                print(ways)
    return total


def boot() -> list[str]:
    """Addresses of the boot table."""
    table = nvme.nbft_get("/sys/firmware/acpi/tables/NBFT")
    return [hfi["ipaddr"] for hfi in table["hfi"]] if table else []


def subflows() -> dict[str, int]:
    """Bytes by link."""
    sent: dict[str, int] = {}
    for ctrl in mptcp.snapshot(netns=None).controllers:
        for subflow in ctrl.subflows():
            link: str = subflow.link or "?"
            sent[link] = sent.get(link, 0) + (subflow.bytes_sent or 0)
    return sent


def findings() -> list[str]:
    """What to run."""
    found = mptcp.check(["nvme0"], role="host", interval=0)
    return [fix.command for finding in found for fix in finding.fix]


def reports(files: list[str]) -> dict[str, int]:
    """Errors by machine."""
    made: mptcp.Report = mptcp.report(file=None, interval=0)
    found = {made.hostname: len(made.findings)}
    for file in files:
        report = mptcp.read_report(file)
        found[report.hostname] = sum(f.severity == "error" for f in report.findings)
        trial: mptcp.Trial | None = mptcp.check(traddr="10.1.1.1", peer=file).trial
        print(trial and trial.outcome, [route.dst for route in report.routes])
    return found


def provision() -> list[str]:
    """Set links up, and bring subflows back."""
    plan: mptcp.Plan = mptcp.setup("host", traddr=["10.1.1.1"], dev="eth1", apply=True)
    try:
        gaps = mptcp.repair(["nvme0"], force=True).missing or ()
    except mptcp.PlanFailed as error:
        gaps = error.plan.missing or ()
    return [step.command for step in plan.steps] + [gap.link for gap in gaps]


def compare(before: mptcp.Snapshot) -> list[str]:
    """Wait, and say what is different."""
    ctrl: mptcp.Controller = mptcp.wait_until_whole("nvme0", timeout=5)
    after = mptcp.snapshot()
    changes: tuple[mptcp.Change, ...] = before.diff(after)
    speeds: dict[str | None, float] = {rate.link: rate.sent for rate in before.rates(after)}
    owners: list[mptcp.ConnectionOwner] = [*after.owners(), after.other, ctrl]
    lacking: tuple[str, ...] = after.missing(ctrl.name)
    print(speeds, sum(owner.missing for owner in owners), lacking)
    kinds: set[mptcp.ChangeKind] = {change.kind for change in changes}
    return [*kinds, *(str(change) for change in changes)]


def change_one(target: nvmet.Target) -> int | None:
    """Change one thing at a time."""
    endpoint: mptcp.Endpoint = mptcp.endpoints.add("192.0.2.1", dev="eth1", flags=["signal"])
    mptcp.endpoints.delete(endpoint.id)
    limits: mptcp.Limits = mptcp.limits.set(subflows=8)
    print(mptcp.Collector(netns="one", max_controllers=5).describe())
    made: bool = target.create_subsystem("nqn.2025-01.test:one").made
    host = target.create_host("nqn.2025-01.test:host")
    host.dhchap_key = nvme.generate_dhchap_key()
    done: tuple[nvmet.Change, ...] = target.apply(target.save())
    print(made, [change.path for change in done], mptcp.Limits(subflows=2))
    return limits.subflows if mptcp.repair(apply=False) else None


def watch() -> str | None:
    """Wait for an event."""
    with mptcp.monitor() as monitor:
        event: mptcp.Event | None = monitor.wait(timeout=1.5)
    return event.event if event else None


async def follow() -> list[str]:
    """Wait for events in asyncio."""
    seen: list[str] = []
    async with mptcp.monitor(Path("/run/netns/one")) as monitor:
        async for event in monitor:
            port: int | None = event.remote_port
            name: mptcp.EventName | None = event.event
            seen.append(f"{name} {port}")
            if name == "lost":
                break
    return seen


def keep_snapshot(file: Path) -> mptcp.Snapshot:
    """Write a snapshot down and read it again; metrics go where a collector finds them."""
    file.write_text(mptcp.snapshot().to_json(indent=1))
    mptcp.metrics(file.with_suffix(".prom"), format="prometheus", netns=None)
    return mptcp.Snapshot.from_json(file.read_bytes())


def hold(file: Path) -> list[str]:
    """Keep what a configuration asks for."""
    with mptcp.Keeper(config=file, netns=None) as keeper:
        done = [step.command for plan in keeper for step in plan.steps]
        left: mptcp.Plan = keeper.restore(apply=False)
    return [*done, left.method]


def worst(findings: mptcp.Findings) -> tuple[str, ...]:
    """What to run on this side if there is an error."""
    severity: mptcp.Severity | None = findings.worst
    print([finding.why for finding in findings[:3]], findings[0].rule)
    return findings.commands("host") if severity == "error" else ()


def connect_one(nqn: str) -> nvme.ctrl | None:
    """Connect with a variable of options; what may be tried again is told."""
    options: nvme.ConnectOptions = {"ctrl_loss_tmo": -1, "hdr_digest": True}
    options["nr_io_queues"] = 4
    try:
        ctrl = nvme.connect(nqn, IPv4Address("192.0.2.1"), cfg=options, timeout=5)
    except (nvme.RefusedError, nvme.UnreachableError, nvme.TimedOutError) as error:
        code: nvme.ErrorCode = error.code
        print(code == "refused", error.retryable)
        return None
    except nvme.NotAllowedError:
        return None
    ctrl.rekey(nvme.generate_dhchap_key("sha256"), ctrl_key=None)
    names: list[str | None] = [other.name for other in nvme.root().controllers()]
    entries: list[nvme.DiscoveryEntry] = nvme.discover(nvme.root(), timeout=5)
    print(names, [entry["subnqn"] for entry in entries])
    return nvme.root().controller("nvme0")


def reconnect(root: nvme.root, ctrl: nvme.ctrl) -> nvme.ctrl:
    """Connect anew with the same options."""
    options = ctrl.options()
    options["ctrl_loss_tmo"] = -1
    again = nvme.ctrl(root, ctrl.subsysnqn, ctrl.transport, ctrl.traddr, trsvcid=ctrl.port)
    ctrl.disconnect()
    again.connect(nvme.host(root), options, timeout=5)
    again.reset()
    return again


def everything_behind(root: nvme.root) -> set[nvme.ctrl]:
    """Connect all that a discovery controller lists."""
    try:
        outcomes = nvme.connect_all(root, "mptcp", IPv4Address("192.0.2.1"), 8009, timeout=5)
    except nvme.Incomplete as error:
        print([failed.error for failed in error.failures])
        return set()
    outcomes += nvme.connect_all(root, config=Path("mine.json"), context="mine")
    print([outcome.place for outcome in outcomes], nvme.discover(root, timeout=5))
    entries = nvme.discover(root, "mptcp", "192.0.2.1", referrals=False)
    print([entry["traddr"] for entry in entries], root.to_json(), dict(outcomes[0].entry))
    return {outcome.ctrl for outcome in outcomes if outcome.ctrl}


def sizes(subsystem: nvme.subsystem) -> dict[nvme.ns, int]:
    """Bytes that are free, by namespace."""
    return {ns: (ns.size or 0) - (ns.used or 0) for ns in subsystem.namespaces()}


def build() -> nvmet.Port:
    target = nvmet.Target()
    subsystem: nvmet.Subsystem = target.create_subsystem("nqn.2025-01.test:one", serial="1")
    subsystem.create_namespace("/dev/ram0", uuid=__version__)
    port = target.create_port(1, trtype="mptcp", traddr="::", adrfam="ipv6")
    port.add(subsystem)
    return port
