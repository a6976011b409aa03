# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp setup and repair on the MPTCP of this machine's kernel, in namespaces of their own."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, Nvme, network_of, schema
from fake_sysfs import FakeHost
from mptcp_net import HIDE, Network, enter
from test_mptcp import (
    OTHER_USER,
    conforms,
    endpoints,
    environment,
    links_of,
    needs_readable_build,
    of_processes,
    run,
)

SCHEMA = schema("mptcp-plan")
LINKS = ["eth1", "eth2", "eth3", "eth4"]
TARGETS = ",".join(f"10.77.{i}.1" for i in range(1, 5))


net = network_of(4, 2, 0)  # the limits that the kernel starts with


def plan_for(side: str, role: str, *options: str, status: int = 0) -> Any:
    """The plan that setup makes."""
    words = ("--role", role, "--netns", side, "-o", "json", *options)
    return conforms(run("mptcp", "setup", *words, status=status).json, SCHEMA)


def actions(plan: Any) -> list[str]:
    return [step["action"] for step in plan["steps"]]


def wait_for(condition: Callable[[], bool], seconds: float = 10, every: float = 0.1) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(every)


def carried(net: Network) -> list[list[str]]:
    """The links of each connection of the host's processes."""
    return [
        links_of({"subflows": [s for s in c["subflows"] if s["state"] == "ESTAB"]})
        for c in of_processes(net)["connections"]
    ]


def proves(net: Network, target: str = "10.77.1.1", links: list[str] = LINKS) -> None:
    """Connections made now have exactly one subflow on each link."""
    net.serve("::" if ":" in target else "0.0.0.0")
    net.connect(target, 3)
    wait_for(lambda: carried(net) == [links] * 3)
    time.sleep(0.5)
    assert carried(net) == [links] * 3


def test_target_announces_and_host_routes(net: Network) -> None:
    plan = plan_for(net.target, "target")
    assert (plan["method"], actions(plan)) == ("signal", ["limits", "setting"] + ["add"] * 4)
    assert endpoints(net.target)["endpoints"] == [], "nothing is changed without --apply"
    applied = plan_for(net.target, "target", "--apply")
    assert {step["state"] for step in applied["steps"]} == {"done"}
    assert endpoints(net.target)["settings"]["add_addr_timeout"] == "2"
    found = endpoints(net.target)["endpoints"]
    assert [(e["address"], e["dev"], e["flags"]) for e in found] == [
        (f"10.77.{i}.1", f"eth{i}", ["signal"]) for i in range(1, 5)
    ]
    plan = plan_for(net.host, "host", "--traddr", TARGETS, "--apply")
    assert (plan["method"], actions(plan)) == ("announced", ["limits"])
    assert plan_for(net.target, "target")["steps"] == []
    assert plan_for(net.host, "host", "--traddr", TARGETS)["steps"] == []
    proves(net)


@pytest.mark.parametrize("target", ["10.77.1.1", "fd77:1::1"])
def test_one_address_of_the_target(net: Network, target: str) -> None:
    for i in range(1, 5):
        for side, last in ((net.host, 1), (net.target, 2)):
            way = ("default", "via", f"fd77:{i}::{last}", "dev", f"eth{i}")
            net.ip("-6", "route", "replace", *way, "metric", str(100 + i), netns=side)
    plan_for(net.target, "target", "--traddr", target, "--apply")
    plan = plan_for(net.host, "host", "--traddr", target, "--apply")
    assert plan["method"] == "subflow"
    assert [e["flags"] for e in plan["config"]["endpoints"]] == [["subflow"]] * 4
    assert plan_for(net.host, "host", "--traddr", target)["steps"] == []
    proves(net, target)


def test_laminar_endpoints_where_routes_share_a_link(net: Network) -> None:
    for i in range(1, 5):
        # Addresses behind the links: all routes to them lead over the first.
        net.ip("addr", "add", f"10.78.{i}.1/32", "dev", f"eth{i}", netns=net.target)
    targets = ",".join(f"10.78.{i}.1" for i in range(1, 5))
    plan_for(net.target, "target", "--traddr", "10.77.1.1", "--apply")
    for e in endpoints(net.target)["endpoints"]:
        net.ip("mptcp", "endpoint", "delete", "id", str(e["id"]), netns=net.target)
    for i in range(1, 5):
        net.endpoint(net.target, f"10.78.{i}.1", "dev", f"eth{i}", "signal")
    plan = plan_for(net.host, "host", "--traddr", targets)
    release = tuple(map(int, Path("/proc/sys/kernel/osrelease").read_text().split(".")[:2]))
    # The kernel is asked, and its version says whether it told the truth.
    assert plan["method"] == ("laminar" if release >= (6, 18) else "subflow")
    if plan["method"] != "laminar":
        pytest.skip("skipped: this kernel has no laminar endpoints")
    plan_for(net.host, "host", "--traddr", targets, "--apply")
    assert [e["flags"] for e in plan["config"]["endpoints"]] == [["laminar"]] * 4
    assert plan_for(net.host, "host", "--traddr", targets)["steps"] == []
    proves(net, "10.78.1.1")


def test_foreign_endpoints_are_kept_unless_told_otherwise(net: Network) -> None:
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow", "backup")
    net.endpoint(net.host, "10.77.3.2", "subflow")
    before = endpoints(net.host)["endpoints"]
    plan = plan_for(net.host, "host", "--traddr", "10.77.1.1", "--apply")
    assert actions(plan) == ["limits", "add", "add"]
    assert sum("is kept" in note["text"] for note in plan["notes"]) == 2
    assert endpoints(net.host)["endpoints"][:2] == before
    plan = plan_for(net.host, "host", "--traddr", "10.77.1.1", "--apply", "--replace")
    assert actions(plan) == ["flags", "replace"]
    assert {step["state"] for step in plan["steps"]} == {"done"}
    found = endpoints(net.host)["endpoints"]
    assert sorted((e["dev"], *e["flags"]) for e in found) == [(name, "subflow") for name in LINKS]
    plan = plan_for(net.host, "host", "--traddr", TARGETS, "--apply", "--replace")
    assert actions(plan) == ["delete"] * 4 + ["limits"]
    assert endpoints(net.host)["endpoints"] == []


def test_endpoints_of_others_take_room(net: Network) -> None:
    for i in range(5, 11):
        net.endpoint(net.target, f"10.99.0.{i}", "signal")
    plan = plan_for(net.target, "target", "--apply")
    held = len(endpoints(net.target)["endpoints"])
    assert actions(plan).count("add") == held - 6 == len(plan["links"])
    # Kernels hold 8, later ones more.
    notes = " ".join(note["text"] for note in plan["notes"])
    assert held == 10 or (
        held == 8 and "eth4 is left out: the kernel's table has space for 2, " in notes
    )
    assert plan_for(net.target, "target")["steps"] == []


def test_a_table_full_of_others_is_refused(net: Network) -> None:
    for i in range(1, 9):
        net.endpoint(net.target, f"10.99.0.{i}", "signal")
    result = run("mptcp", "setup", "--role", "target", "--netns", net.target)
    if result.status == 0:
        pytest.skip("skipped: this kernel holds more than 8 endpoints")
    assert (result.status, "endpoints that were not planned" in result.err) == (1, True)
    plan = plan_for(net.target, "target", "--replace", "--apply")
    assert {step["state"] for step in plan["steps"]} == {"done"}
    assert [e["dev"] for e in endpoints(net.target)["endpoints"]] == LINKS


def test_a_step_that_fails_undoes_those_before(net: Network) -> None:
    before = endpoints(net.target)
    # Where settings cannot be written, the step after the limits fails.
    lock = 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec "$@"'
    locked = ("unshare", "--mount", "sh", "-ec", lock, "sh")
    words = ("--apply", "--role", "target", "--netns", net.target, "-o", "json")
    done = run("mptcp", "setup", *words, prefix=locked, status=1)
    plan = done.json
    assert actions(plan) == ["limits", "setting"] + ["add"] * 4
    assert [s["state"] for s in plan["steps"]] == ["undone", "failed"] + ["planned"] * 4
    assert "Read-only" in plan["steps"][1]["error"]
    after = endpoints(net.target)
    for part in ("endpoints", "limits", "settings"):
        assert after[part] == before[part]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_for_the_end(net: Network, number: int) -> None:
    """Between deleting an endpoint and adding it, the process that does it must not end."""
    for i in range(1, 5):
        net.endpoint(net.host, f"10.77.{i}.2", "subflow")
    words = ["--role", "host", "--traddr", "10.77.1.1", "--replace", "--netns", net.host]
    process = subprocess.Popen(
        [NVME, "mptcp", "setup", *words, "--apply"], stdout=subprocess.DEVNULL
    )
    wait_for(lambda: len(endpoints(net.host)["endpoints"]) < 4, every=0.01)
    process.send_signal(number)
    assert process.wait(10) == -number
    assert actions(plan_for(net.host, "host", "--traddr", "10.77.1.1", "--replace")) == []


def mptcp_endpoints(side: str) -> str:
    """The endpoints as ip(8) has them, which takes less time."""
    command = ["ip", "-n", side, "mptcp", "endpoint"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("finish", ["repair", "setup", "keep"])
def test_killed_between_deleting_and_adding(
    net: Network, controller: FakeHost, finish: str
) -> None:
    """An endpoint that was to be added again is added by whatever plans next, as it was."""
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "id", "7", "subflow", "backup")
    before = mptcp_endpoints(net.host)
    net.connections(3)
    wait_for(lambda: carried(net) == [["eth1", "eth2"]] * 3)
    while True:
        kill(net.host, "src", "10.77.2.2")
        wait_for(lambda: carried(net) == [["eth1"]] * 3)
        command = enter(net.host, *HIDE, NVME, "mptcp", "repair", "--dev", "eth2", "--force")
        process = subprocess.Popen(command, env=environment(controller))
        while process.poll() is None and mptcp_endpoints(net.host):
            pass
        process.kill()
        process.wait()
        if not mptcp_endpoints(net.host):
            break
        wait_for(lambda: carried(net) == [["eth1", "eth2"]] * 3)
    if finish == "repair":
        status, plan = repair(net, controller, net.host)
        assert (status, actions(plan)) == (0, ["add"]), plan
        assert "ended before it did" in plan["steps"][0]["why"]
        assert [n["text"] for n in plan["notes"]] == []
    elif finish == "setup":
        plan_for(net.host, "host", "--traddr", "10.77.1.1", "--dev", "eth1", "--apply")
    else:
        auto = ("--auto", "--config", "none", "--role", "host", "--once")
        run("mptcp", "keep", *auto, "--netns", net.host)
    assert mptcp_endpoints(net.host) == before
    assert not any(path.suffix == ".again" for path in net.notes(net.host))


def test_what_others_lose_is_said_first(net: Network) -> None:
    net.limits(8, 4)
    options = ("--role", "host", "--netns", net.host, "--traddr", "10.77.1.1")
    kept = run("mptcp", "setup", *options)
    assert "add_addr_accepted is 4 and stays so" in kept.out
    assert "limits set" not in kept.out
    lowered = run("mptcp", "setup", *options, "--replace").out
    reason = lowered.index("no connection of any program")
    assert 0 < reason < lowered.index("add_addr_accepted 0\n")


def test_limits_know_the_kernels_greatest(net: Network) -> None:
    result = subprocess.run(
        ["ip", "-n", net.target, "mptcp", "limits", "set", "subflows", "100000"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.returncode
    plan = plan_for(net.target, "target", "--apply")
    greatest = int(result.stderr.split("(")[1].split(")")[0])
    assert plan["config"]["limits"]["subflows"] == min(64, greatest)


def test_devices_and_links_that_cannot_be_used(net: Network) -> None:
    net.ip("link", "set", "eth4", "down", netns=net.target)
    plan = plan_for(net.target, "target")
    assert [link["link"] for link in plan["links"]] == LINKS[:3]
    assert any("eth4 is left out: it is down" in note["text"] for note in plan["notes"])
    plan = plan_for(net.target, "target", "--dev", "eth1,eth2")
    assert [link["link"] for link in plan["links"]] == ["eth1", "eth2"]
    plan = plan_for(net.target, "target", "--dev", "eth3")
    assert (plan["method"], actions(plan)) == ("single", ["limits"])
    result = run("mptcp", "setup", "--role", "target", "--netns", net.target, "--dev", "eth9")
    assert (result.status, "eth9: no such network interface" in result.err) == (1, True)
    result = run("mptcp", "setup", "--role", "target", "--netns", net.target, "--dev", "lo")
    assert (result.status, "no usable link" in result.err) == (1, True)
    third = "10.77.3.1/24 dev eth3"
    with net.changed(net.target, f"addr del {third}", f"addr add {third}"):
        plan = plan_for(net.target, "target", "--dev", "eth1,eth2,eth3")
    assert [link["link"] for link in plan["links"]] == ["eth1", "eth2"]
    notes = [note["text"] for note in plan["notes"]]
    assert "eth3 is left out: it has no global IPv4 address" in notes


@pytest.mark.parametrize(
    ("traddr", "family"), [("0.0.0.0", 4), ("::", 6), ("10.77.2.1", 4), ("fd77:2::1", 6)]
)
def test_ports_of_the_target(net: Network, host: FakeHost, traddr: str, family: int) -> None:
    """What is announced is of the family that hosts connect to, without being told."""
    host.target_port(1, "mptcp", traddr)
    words = ["mptcp", "setup", "--role", "target", "-o", "json"]
    document = conforms(run(*words, host=host, unseen=net.target, status=0).json, SCHEMA)
    announced = [endpoint["address"] for endpoint in document["config"]["endpoints"]]
    form = "10.77.{}.1" if family == 4 else "fd77:{}::1"
    assert announced == [form.format(i) for i in range(1, 5)]
    # Whoever runs it is told that there is another way to read "::".
    both = [note for note in document["notes"] if "hosts of both families" in note["text"]]
    assert len(both) == (traddr == "::")


def test_ports_that_are_not_enabled_take_writes_with_the_command(
    net: Network, host: FakeHost
) -> None:
    sizes = {}
    kinds = [("1", "mptcp", -1), ("2", "tcp", -1), ("3", "mptcp", 4096), ("4", "mptcp", 16384)]
    for number, trtype, size in kinds:
        names = ("nqn.2024-01.lab:disk",) if number == "4" else ()
        port = host.target_port(number, trtype, "0.0.0.0", *names)
        sizes[number] = port / "param_inline_data_size"
        sizes[number].write_text(f"{size}\n")
    words = ["mptcp", "setup", "--role", "target", "-o", "json", "--apply"]
    net.serve()  # a port that is enabled is one of this namespace

    def applied(*options: str) -> Any:
        result = run(*words, *options, host=host, unseen=net.target, status=0)
        conforms(result.json, SCHEMA)
        # what is enabled gets a note; one link waits for no other
        told = "port 4 accepts 16384 bytes of a write" in str(result.json["notes"])
        assert told == (not options), result.json["notes"]
        return result.json["steps"]

    def found() -> list[str]:
        return [size.read_text().strip() for size in sizes.values()]

    assert not [s for s in applied("--dev", "eth3") if s["action"] == "setting"]
    (step,) = (s for s in applied() if "param_inline_data_size" in s["command"])
    assert (step["command"], step["state"]) == (f"echo 131072 >{sizes['1']}", "done")
    assert found() == ["131072", "-1", "4096", "16384"]
    # what is printed does the same, and nothing is left to do
    sizes["1"].write_text("-1\n")
    subprocess.run(["sh", "-c", step["command"]], check=True)
    assert applied() == []
    assert found() == ["131072", "-1", "4096", "16384"]


def test_text_and_saved_file(net: Network, tmp_path: Path) -> None:
    path = tmp_path / "mptcp.json"
    options = ("--role", "host", "--netns", net.host, "--traddr", "10.77.1.1")
    result = run("mptcp", "setup", *options, "--save", str(path), status=0)
    assert "nothing was changed; --apply" in result.out
    commands = [line for line in result.out.splitlines() if line.startswith("ip ")]
    assert len(commands) == 5
    planned = plan_for(net.host, "host", "--traddr", "10.77.1.1")
    assert json.loads(path.read_text()) == planned["config"]
    # What is printed is what does it.
    for command in commands:
        subprocess.run(command.split(), check=True, capture_output=True)
    assert "nothing to do" in run("mptcp", "setup", *options).out
    assert "all steps are done" not in run("mptcp", "setup", *options, "--apply").out


def test_without_privileges_it_can_be_planned_but_not_done(net: Network) -> None:
    needs_readable_build()
    user = (*OTHER_USER, "--bounding-set=-all", "--inh-caps=-all")
    words = ("mptcp", "setup", "--role", "target")
    done = run(*words, side=net.target, prefix=user, status=0)
    assert "add 10.77.1.1 dev eth1 signal" in done.out, done
    done = run(*words, "--apply", side=net.target, prefix=user, status=1)
    assert "root is required (CAP_NET_ADMIN)" in done.err, done
    assert "all steps are done" not in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--role is required"),
        (["--role", "both"], "--role=both: use host or target\n"),
        (["--role", "host", "--traddr", "disk.example"], "--traddr=disk.example: an IP address is"),
        (["--role", "host", "--traddr", "10.1.1.1,fd00::1"], "IP addresses of one family"),
        (["--role", "host", "--traddr", "10.1.1.1,"], "separated by commas"),
    ],
)
def test_setup_refuses(nvme: Nvme, options: list[str], message: str) -> None:
    assert message in nvme("mptcp", "setup", *options, status=1).err


def set_up(net: Network, targets: str = "10.77.1.1") -> None:
    """Both sides as they should be, and connections that use all links."""
    plan_for(net.target, "target", "--apply")
    plan_for(net.host, "host", "--traddr", targets, "--apply")
    proves(net)


def repair(net: Network, host: FakeHost | None, side: str, *options: str) -> tuple[int, Any]:
    """What repair does, where the sockets look like the kernel's."""
    result = run("mptcp", "repair", "-o", "json", *options, host=host, unseen=side)
    conforms(result.json, SCHEMA)
    return result.status, result.json


def kill(side: str, *words: str) -> None:
    """Destroy sockets."""
    subprocess.run(["ss", "-N", side, "-K", *words], check=True, capture_output=True)


@pytest.fixture
def controller(host: FakeHost) -> FakeHost:
    """A controller of three queues."""
    host.disk(0, "mptcp", "traddr=10.77.1.1,trsvcid=4420", queue_count=3)
    return host


def test_repair_of_a_hosts_endpoint(net: Network, controller: FakeHost) -> None:
    set_up(net)
    assert repair(net, controller, net.host)[1]["missing"] == []
    kill(net.host, "src", "10.77.3.2")
    wait_for(lambda: carried(net) == [["eth1", "eth2", "eth4"]] * 3)
    living = {s["local"] for s in subflows(net)}
    status, dry = repair(net, controller, net.host, "--dry-run")
    assert (status, actions(dry)) == (1, ["renew"])
    gap = {"subject": "nvme0", "controllers": ["nvme0"], "link": "eth3"}
    assert dry["missing"] == [gap | {"missing": 3, "connections": 3}]
    status, done = repair(net, controller, net.host, "nvme0")
    assert (status, done["steps"][0]["state"]) == (0, "done"), done
    assert carried(net) == [LINKS] * 3
    assert living < {s["local"] for s in subflows(net)}, "living subflows were disturbed"
    assert len(endpoints(net.host)["endpoints"]) == 4


def test_repair_forms_idle_subflows_anew(net: Network, controller: FakeHost) -> None:
    set_up(net)
    victim = next(s["local"] for s in subflows(net) if s["link"] == "eth2")
    address, port = victim.rsplit(":", 1)
    kill(net.host, "src", address, "sport", "=", port)
    wait_for(lambda: sorted(map(len, carried(net))) == [3, 4, 4])
    living = {s["local"] for s in subflows(net) if s["link"] != "eth2"}
    time.sleep(1)  # nothing has been sent for so long
    status, plan = repair(net, controller, net.host)
    assert (status, actions(plan)) == (0, ["renew"])
    assert "; closes 2 working subflows" in plan["steps"][0]["why"]
    assert carried(net) == [LINKS] * 3
    assert living < {s["local"] for s in subflows(net)}, "other links were disturbed"


def test_repair_knows_who_ignores_announcements(net: Network, controller: FakeHost) -> None:
    set_up(net, TARGETS)
    limits = endpoints(net.host)["limits"]
    for _ in range(limits["add_addr_accepted"] - 3):
        kill(net.host, "src", "10.77.4.2")
        wait_for(lambda: carried(net) == [LINKS[:3]] * 3)
        assert repair(net, None, net.target, "--role", "target")[0] == 0
    # As many as the limit were followed, and none was given back.
    kill(net.host, "src", "10.77.4.2")
    wait_for(lambda: carried(net) == [LINKS[:3]] * 3)
    status, plan = repair(net, controller, net.host)
    assert (status, plan["steps"]) == (1, [])
    (note,) = plan["notes"]
    assert note["command"] == "nvme reset /dev/nvme0"
    assert "3 of the connections have followed as many announcements" in note["text"]


def test_repair_on_the_target(net: Network, controller: FakeHost) -> None:
    set_up(net, TARGETS)
    kill(net.host, "src", "10.77.4.2")
    wait_for(lambda: carried(net) == [LINKS[:3]] * 3)
    status, plan = repair(net, controller, net.host)
    assert (status, plan["steps"]) == (1, [])
    (note,) = plan["notes"]
    assert (note["side"], note["command"]) == ("target", "nvme mptcp repair --role target")
    status, plan = repair(net, None, net.target, *note["command"].split()[3:])
    assert (status, actions(plan)) == (0, ["renew"]), plan
    wait_for(lambda: carried(net) == [LINKS] * 3)
    assert repair(net, controller, net.host)[0] == 0


def test_repair_says_that_a_link_is_down(net: Network, controller: FakeHost) -> None:
    set_up(net)
    kill(net.host, "src", "10.77.3.2")
    net.ip("link", "set", "eth3", "down", netns=net.host)
    status, plan = repair(net, controller, net.host)
    assert (status, plan["steps"]) == (1, [])
    assert plan["notes"][0]["command"] == "ip link set dev eth3 up"
    net.ip("link", "set", "eth3", "up", netns=net.host)
    net.repair_routes()
    wait_for(lambda: repair(net, controller, net.host)[0] == 0)
    assert carried(net) == [LINKS] * 3


def subflows(net: Network) -> list[Any]:
    """All subflows of the host's processes."""
    return [s for c in of_processes(net)["connections"] for s in c["subflows"]]


def test_a_path_manager_in_user_space_is_noted(net: Network) -> None:
    """By whatever name this kernel has the setting; the command that is printed ends it."""
    names = {"path_manager": "userspace", "pm_type": "1"}
    for name, value in names.items():
        if not Path("/proc/sys/net/mptcp", name).exists():
            continue
        net.sysctl(net.host, f"net.mptcp.{name}={value}")
        plan = plan_for(net.host, "host", "--traddr", TARGETS)
        (command,) = (n["command"] for n in plan["notes"] if "in user space" in n["text"])
        subprocess.run(enter(net.host, *command.split()), check=True)
        assert endpoints(net.host)["path_manager"] == "kernel"
        plan = plan_for(net.host, "host", "--traddr", TARGETS)
        assert not [n for n in plan["notes"] if "in user space" in n["text"]]
