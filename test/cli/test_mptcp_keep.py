# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp keep: which endpoints and subflows it keeps, and what it leaves alone."""

import json
import os
import random
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import NVME, network_of
from fake_sysfs import FakeHost
from keeping import (
    AUTO,
    HOST,
    LONG,
    Keep,
    addresses,
    all_there,
    configure,
    delete,
    is_dark,
    keep,
    limits,
    touch,
)
from mptcp_net import Network, enter
from test_mptcp import endpoints, environment, run
from test_mptcp_setup import (
    LINKS,
    TARGETS,
    actions,
    carried,
    controller,
    kill,
    proves,
    subflows,
    wait_for,
)

__all__ = ["controller"]

net = network_of(4, 2, 0)


def already_runs(keeper: Keep) -> str:
    """What another one there says."""
    return f"process {keeper.process.pid} already runs keep in the network namespace"


def test_once_and_back(net: Network) -> None:
    [plan] = keep(net.host, *HOST, "--dry-run")
    assert actions(plan) == ["limits"] + ["add"] * 4
    assert addresses(net.host) == [], "--dry-run changes nothing"
    documents = keep(net.host, *HOST, "--once")
    steps = [(d["action"], d["rule"]) for d in documents if d["event"] == "step"]
    assert steps == [("limits", "H05")] + [("add", "H01")] * 4
    assert all_there(net.host)() and limits(net.host) == (8, 0)
    assert [d["event"] for d in keep(net.host, *HOST, "--once")] == ["status"]
    [plan] = keep(net.host, *AUTO, "--restore", "--dry-run")
    assert actions(plan) == ["delete"] * 4 + ["limits"]
    assert all_there(net.host)()
    [plan] = keep(net.host, *AUTO, "--restore")
    assert {step["state"] for step in plan["steps"]} == {"done"}
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)
    [plan] = keep(net.host, *AUTO, "--restore")
    assert plan["steps"] == []


def test_a_second_one_is_refused(net: Network) -> None:
    with Keep(net.host, *HOST) as first:
        again = run("mptcp", "keep", *HOST, "--once", "--netns", net.host, status=1)
        assert already_runs(first) in again.err
        wait_for(all_there(net.host), LONG)
        [plan] = keep(net.host, *HOST, "--dry-run")
        assert plan["steps"] == [], "what is kept already is known"
        [plan] = keep(net.host, *AUTO, "--restore", "--dry-run")
        assert actions(plan) == ["delete"] * 4 + ["limits"]
        keep(net.target, *AUTO, "--role", "target", "--once")
        assert first.end() == 0
    assert all_there(net.host)(), "what was made outlives it"
    assert [d["event"] for d in keep(net.host, *HOST, "--once")] == ["status"]


OTHER_FILES = "mount -t tmpfs tmpfs /run/nvme-mptcp && exec "


def test_another_mount_namespace_hides_no_keeper(net: Network) -> None:
    """The lock belongs to the network namespace; no file of it stays behind."""
    with Keep(net.host, *HOST) as first:
        once = shlex.join([str(NVME), "mptcp", "keep", *HOST, "--once"])
        again = subprocess.run(
            enter(net.host, "unshare", "-m", "sh", "-c", OTHER_FILES + once),
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert again.returncode == 1 and already_runs(first) in again.stderr, again
    assert not any(path.suffix == ".lock" for path in net.notes(net.host))


SQUATTER = """
import os, socket, sys
os.setuid(65534)
taken = []
for i in range(int(sys.argv[1])):
    taken.append(socket.socket(socket.AF_UNIX))
    taken[-1].bind(f"\\0nvme-mptcp-keep-{i}")
    taken[-1].listen()
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("names", [1, 8])
def test_other_users_cannot_block_it(net: Network, names: int) -> None:
    squatter = net._start(net.host, SQUATTER, str(names))
    with Keep(net.host, *HOST) as first:
        wait_for(all_there(net.host), LONG)
        [note] = [d["text"] for d in first.entries("note") if "socket name" in d["text"]]
        assert note.startswith(f"Process {squatter.pid} of user 65534 has taken")
        assert ("would not be detected" in note) == (names == 8)
        if names == 1:
            again = run("mptcp", "keep", *HOST, "--once", "--netns", net.host, status=1)
            assert already_runs(first) in again.err


def tells_what_is_out(net: Network, link: int) -> None:
    """check and show-subflows name the link that the kernel's endpoints do not show any more."""
    args = ["--role", "host", "--no-trial", "--config", "none", "--netns", net.host]
    found = json.loads(run("mptcp", "check", *args, "-o", "json").out)["findings"]
    [out] = [f for f in found if f["rule"] == "A14"]
    assert out["severity"] == "warning" and out["objects"] == [f"eth{link}"]
    assert out["evidence"]["address"] == f"10.77.{link}.2"
    assert 3000 <= int(out["evidence"]["out_ms"]) < 60000
    assert "keep deleted its endpoint" in out["why"] and "has no carrier" in out["why"]
    assert "keep puts it back once the link is well" in out["why"]
    assert not [f for f in found if f["rule"] == "A07"]
    shown = run("mptcp", "show-subflows", "--userspace", "--netns", net.host)
    assert shown.out.endswith(f"\nOut of use by keep: eth{link} (no carrier)\n"), shown.out


def test_a_cable_that_is_pulled(net: Network, controller: FakeHost) -> None:
    keep(net.target, *AUTO, "--role", "target", "--once")
    with Keep(net.host, *AUTO, host=controller) as keeper:
        wait_for(all_there(net.host), LONG)
        proves(net)
        for link in (3, 1):
            net.ip("link", "set", f"eth{link}", "down", netns=net.target)
            # The kernel gives up subflows late.
            dead = f"3 links carry 1 controller, eth{link} has no carrier"
            wait_for(lambda dead=dead: keeper.status() == dead, LONG)
            kill(net.host, "src", f"10.77.{link}.2")
            wait_for(is_dark(net, f"eth{link}"), LONG)
            time.sleep(3)
            tells_what_is_out(net, link)
            living = {s["local"] for s in subflows(net)}
            net.ip("link", "set", f"eth{link}", "up", netns=net.target)
            net.repair_routes()
            back = time.monotonic()
            wait_for(lambda: carried(net) == [LINKS] * 3, LONG)
            print(f"eth{link} carries everything again after {time.monotonic() - back:.1f} s")
            assert living < {s["local"] for s in subflows(net)}, "living subflows were disturbed"
        wait_for(lambda: keeper.status() == "4 links carry 1 controller", LONG)
        for link in ("eth3", "eth1"):
            assert ("delete", link) in keeper.done() and ("add", link) in keeper.done()
        assert all(d["rule"] == "A07" for d in keeper.entries("step") if d["action"] == "delete")
        assert all(d["priority"] > 3 for d in keeper.documents())


def test_what_the_other_side_has_to_do(net: Network, controller: FakeHost) -> None:
    """A target that nothing is connected to may announce already: it is asked once links lack."""
    options = [*AUTO, "--role", "host", "--traddr", TARGETS]
    [plan] = keep(net.host, *options, "--dry-run")
    assert [note["side"] for note in plan["notes"]] == ["target"]

    def asked() -> list[str]:
        return [d["text"] for d in keeper.entries("note") if d["side"] == "target"]

    with Keep(net.host, *options, host=controller) as keeper:
        wait_for(lambda: limits(net.host)[1] > 0, LONG)
        touch(net)
        time.sleep(4)
        assert keeper.status().startswith("No connection yet") and asked() == []
        assert "announce" not in keeper.status()
        net.connections(3)
        touch(net)
        wait_for(lambda: bool(asked()), LONG)
        assert asked()[0].startswith("The target has to announce its addresses")
        keep(net.target, *AUTO, "--role", "target", "--once")
        wait_for(lambda: carried(net) == [LINKS] * 3, LONG)
        wait_for(lambda: keeper.status() == "4 links carry 1 controller", LONG)


def test_a_controller_that_connects_again(net: Network, host: FakeHost) -> None:
    """What was connected is told from what was not yet, and what is gone from both."""
    subsystem = host.subsystem(0, "nqn.2024-01.lab:disk")
    old = subsystem.controller(0, "mptcp", "traddr=10.77.1.1,trsvcid=4420", queue_count="3")
    state = old.directory / "state"
    with Keep(net.host, *AUTO, host=host) as keeper:
        keeper.until_status("No connection yet")
        state.write_text("connecting\n")
        touch(net)
        keeper.until_status("No connection: nvme0 is connecting")
        state.write_text("live\n")
        net.connections(3)
        touch(net)
        wait_for(lambda: "carry 1 controller" in keeper.status(), LONG)
        net.stop()
        state.write_text("connecting\n")
        touch(net)
        keeper.until_status("No connection: nvme0 has lost its connections and is connecting")
        last = keeper.entries("status")[-1]
        assert last["controllers"] == ["nvme0"] and last["priority"] == 4
        for link in (host.sys / "class/nvme/nvme0", subsystem.directory / "nvme0"):
            link.unlink()
        touch(net)
        keeper.until_status("No connection any more")
        assert keeper.entries("status")[-1]["controllers"] == []


@pytest.mark.parametrize("portal", ["10.77.1.1:4420", "10.77.1.1"])
def test_portals_of_a_relay_are_targets(net: Network, host: FakeHost, portal: str) -> None:
    """At boot limits and endpoints are there before the first controller connects through it."""
    path = host.root / "relay.json"
    relay = {"hostnqn": "nqn.2025-01.test:host", "mptcp": {"relay": {"portals": [portal]}}}
    path.write_text(json.dumps([relay]))
    asked = ("--auto", "--once", "--dry-run")
    plan = keep(net.host, *asked, "--config", str(path), host=host)[0]
    named = ("--config", "none", "--traddr", "10.77.1.1")
    assert plan["steps"] == keep(net.host, *asked, *named, host=host)[0]["steps"] != []


def test_a_target_of_another_namespace(net: Network, host: FakeHost) -> None:
    """configfs shows its ports everywhere: endpoints are made where they listen."""
    host.target_port(1, "mptcp", "0.0.0.0", "nqn.2024-01.lab:disk")
    net.serve()
    plans = {side: keep(side, *AUTO, "--dry-run", host=host)[0] for side in (net.host, net.target)}
    assert plans[net.host]["steps"] == []
    [note] = plans[net.host]["notes"]
    assert note["text"].startswith("Neither a controller nor a target port")
    assert set(actions(plans[net.target])) >= {"add"}


def test_whoever_deletes_twice_is_not_fought(net: Network) -> None:
    with Keep(net.host, *HOST) as keeper:
        wait_for(all_there(net.host), LONG)
        time.sleep(4)  # until they have been seen as they were made
        delete(net, "10.77.2.2")
        touch(net)
        wait_for(all_there(net.host), LONG)
        time.sleep(4)
        delete(net, "10.77.2.2")
        touch(net)

        def is_reported() -> bool:
            notes = [d["text"] for d in keeper.entries("note")]
            return len([t for t in notes if "by another program, and again" in t]) == 1

        wait_for(is_reported, LONG)
        touch(net)
        time.sleep(4)
        assert all_there(net.host, 2)() and is_reported()
        [text] = [d["text"] for d in keeper.entries("note") if "and again" in d["text"]]
        assert "10.77.2.2" in text
        # Asked to begin anew, it does.
        keeper.send(signal.SIGHUP)
        wait_for(all_there(net.host), LONG)
        assert keeper.end() == 0


def without_devices(directory: Path, *links: int) -> Path:
    """A configuration of endpoints on these links that does not name the links."""
    path = directory / "config.json"
    wanted = [{"address": f"10.77.{i}.2"} for i in links]
    mptcp = {"limits": {"subflows": 8}, "endpoints": wanted}
    path.write_text(json.dumps([{"hostnqn": "nqn.2024-01.lab:host", "mptcp": mptcp}]))
    return path


def test_living_subflows_of_endpoints_without_devices_stay(
    net: Network, controller: FakeHost, tmp_path: Path
) -> None:
    """Their addresses are those of four links, and the route leads all of them by the first."""
    net.limits(8, 0)
    path = without_devices(tmp_path, 1, 2, 3, 4)
    with Keep(net.host, "--config", str(path), host=controller) as keeper:
        wait_for(all_there(net.host), LONG)
        net.connections(3)
        wait_for(lambda: carried(net) == [["eth1"] * 4] * 3, LONG)
        living = {s["local"] for s in subflows(net)}
        touch(net)
        time.sleep(8)  # idle after one second, and looked at meanwhile
        assert {action for action, _ in keeper.done()} == {"add"}
        assert living == {s["local"] for s in subflows(net)}


def test_pauses_grow_for_an_endpoint_without_a_device(
    net: Network, controller: FakeHost, tmp_path: Path
) -> None:
    """A target that takes no joins is asked again after 2, 4 and 8 seconds."""
    net.ip("mptcp", "limits", "set", "subflows", "0", netns=net.target)

    def renewed() -> list[int]:
        return [d["time_us"] for d in keeper.entries("step") if d["action"] == "renew"]

    path = without_devices(tmp_path, 2)
    with Keep(net.host, "--config", str(path), host=controller) as keeper:
        wait_for(lambda: addresses(net.host) == ["10.77.2.2"], LONG)
        net.connections(3)
        touch(net)
        wait_for(lambda: len(renewed()) >= 4, 3 * LONG)
        times = renewed()
    assert times[3] - times[2] > 8e6


def test_nobody_has_to_tell_it(net: Network) -> None:
    """An endpoint that vanishes without any event is found to be gone."""
    with Keep(net.host, *HOST):
        wait_for(all_there(net.host), LONG)
        time.sleep(4)
        delete(net, "10.77.4.2")
        wait_for(all_there(net.host), 2 * LONG)


def test_what_others_made_stays(net: Network, controller: FakeHost) -> None:
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow")
    net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow", "backup")
    before = endpoints(net.host)["endpoints"]
    documents = keep(net.host, *HOST, "--once")
    assert [d["link"] for d in documents if d["action"] == "add"] == ["eth1", "eth4"]
    assert any("has settings that differ" in d["text"] for d in documents if d["event"] == "note")
    [plan] = keep(net.host, *AUTO, "--restore")
    assert endpoints(net.host)["endpoints"] == before
    # Adopted, it is renewed to bring back its subflows, and still not taken back.
    net.ip("mptcp", "endpoint", "delete", "id", "2", netns=net.host)
    keep(net.target, *AUTO, "--role", "target", "--once")
    keep(net.host, *HOST, "--once")
    proves(net)
    kill(net.host, "src", "10.77.2.2")
    wait_for(lambda: carried(net) == [["eth1", "eth3", "eth4"]] * 3)
    documents = keep(net.host, *AUTO, "--once", host=controller)
    assert any("--adopt" in d["text"] for d in documents), documents
    assert carried(net) == [["eth1", "eth3", "eth4"]] * 3
    documents = keep(net.host, *AUTO, "--adopt", "--once", host=controller)
    steps = [(d["action"], d["link"]) for d in documents if d["event"] == "step"]
    assert steps == [("renew", "eth2")]
    wait_for(lambda: carried(net) == [LINKS] * 3)
    # Nor is it deleted when its address is gone.
    net.ip("address", "delete", "10.77.2.2/24", "dev", "eth2", netns=net.host)
    keep(net.host, *HOST, "--adopt", "--once")
    assert "10.77.2.2" in addresses(net.host)
    net.ip("address", "add", "10.77.2.2/24", "dev", "eth2", netns=net.host)
    keep(net.host, *AUTO, "--adopt", "--once", host=controller)
    wait_for(lambda: carried(net) == [LINKS] * 3)
    keep(net.host, *AUTO, "--restore")
    assert addresses(net.host) == ["10.77.2.2"]


def test_killed_at_any_point(net: Network) -> None:
    chance = random.Random(15)
    for _ in range(12):
        keeper = Keep(net.host, *HOST)
        time.sleep(chance.uniform(0, 0.4))
        keeper.process.kill()
        keeper.process.wait()
        keeper.log.unlink()
    keep(net.host, *HOST, "--once")
    assert all_there(net.host)() and limits(net.host) == (8, 0)
    keeper = Keep(net.host, *AUTO, "--restore")
    time.sleep(0.05)
    keeper.process.kill()
    keeper.process.wait()
    keep(net.host, *AUTO, "--restore")
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)


def test_the_way_back_needs_no_configuration(net: Network, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    configure(path, "10.77.1.2 eth1")
    keep(net.host, "--config", str(path), "--once")
    assert addresses(net.host) == ["10.77.1.2"]
    path.write_text("[{")
    keep(net.host, "--config", str(path), "--restore")
    assert addresses(net.host) == [] and limits(net.host) == (2, 0)


def test_damaged_notes_are_nobodys(net: Network) -> None:
    keep(net.host, *HOST, "--once")
    [state] = [path for path in net.notes(net.host) if not path.suffix]
    state.write_bytes(b"endpoint \xff\n" + os.urandom(512))
    assert [d["event"] for d in keep(net.host, *HOST, "--once")] == ["status"]
    [plan] = keep(net.host, *AUTO, "--restore")
    assert plan["steps"] == []
    assert all_there(net.host)()


@pytest.mark.parametrize("more", [(), ("-o", "json")], ids=["text", "json"])
def test_nowhere_to_report_to(net: Network, more: tuple[str, ...]) -> None:
    """It ends with a word about that, and keeps nothing in memory of what it would have said."""
    command = enter(net.host, NVME, "mptcp", "keep", *AUTO, "--role", "host", "--once", *more)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, env=environment()
        )
    said = "nvme mptcp keep: writing the output: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_target(net: Network) -> None:
    options = [*AUTO, "--role", "target"]
    with Keep(net.target, *options) as keeper:
        wait_for(lambda: len(addresses(net.target)) == 4, LONG)
        keep(net.host, *AUTO, "--role", "host", "--traddr", TARGETS, "--once")
        proves(net)
        assert keeper.end() == 0
    keep(net.target, *AUTO, "--restore")
    # The last one has all that the connections have left by then.
    assert len(addresses(net.target)) == 1
    assert carried(net) != []
    assert endpoints(net.target)["settings"]["add_addr_timeout"] == "120"
    net.ip("mptcp", "endpoint", "flush", netns=net.host)
    kill(net.host, "dport", "=", "4420")
    wait_for(lambda: subflows(net) == [], LONG)
    keep(net.target, *AUTO, "--restore")
    assert addresses(net.target) == []
