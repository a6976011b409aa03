# SPDX-License-Identifier: LGPL-2.1-or-later
"""nvme mptcp on the MPTCP of this machine's kernel, in network namespaces of its own."""

import copy
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, Nvme, Result, live, network_of, schema
from fake_sysfs import NO_CONTROLLERS, FakeHost
from mptcp_net import HIDE, Network, enter, killed

SCHEMA = schema("mptcp-snapshot")
LINKS_SCHEMA = schema("mptcp-links")
EVENT_SCHEMA = schema("mptcp-event")
OTHER_USER = ("setpriv", "--reuid=65534", "--clear-groups")


def closed(schema: Any) -> Any:
    """The schema with no room for keys that it does not name."""
    result = copy.deepcopy(schema)
    todo = [result]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            if "properties" in node:
                node["additionalProperties"] = False
            todo += node.values()
        elif isinstance(node, list):
            todo += node
    return result


def conforms(document: Any, schema: Any = SCHEMA) -> Any:
    """Return the document, which follows the schema, and has nothing that it does not name."""
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, closed(schema), jsonschema.Draft202012Validator)
    return document


network = network_of(4, 8, 8, scope="module")


def environment(host: FakeHost | None = None, **more: str) -> dict[str, str]:
    """Of a program that sees this machine, but for /sys."""
    return {
        "PATH": os.environ["PATH"],
        "ASAN_OPTIONS": "exitcode=97",
        "UBSAN_OPTIONS": "halt_on_error=1:exitcode=98",
        "LIBNVME_SYSFS_PATH": str(host.root / "sysfs") if host else NO_CONTROLLERS,
    } | more


def run(
    *args: str,
    host: FakeHost | None = None,
    side: str | None = None,
    unseen: str | None = None,
    prefix: tuple[str, ...] = (),
    status: int | None = None,
    **env: str,
) -> Result:
    """The nvme command as it is, on a fake /sys, in the namespace @side, or in @unseen, where it
    sees no other process; @prefix begins the command line, for fewer privileges as a rule, and
    @status is that which it ends with."""
    command: list[str | Path] = [*prefix, NVME, *args]
    if where := side or unseen:
        command = enter(where, *(HIDE if unseen else ()), *command)
    if prefix:
        env = {"ASAN_OPTIONS": "exitcode=97:detect_leaks=0"} | env
    done = subprocess.run(
        command, capture_output=True, timeout=60, env=environment(host, **env), check=False
    )
    result = Result(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert 0 <= result.status < 90, result
    assert "Sanitizer" not in result.err and "runtime error" not in result.err, result.err
    assert status in (None, result.status), result
    return result


def needs_readable_build() -> None:
    """Skip where another user cannot run the command at all."""
    env = {"ASAN_OPTIONS": "detect_leaks=0"}
    probe = subprocess.run([*OTHER_USER, NVME, "version"], capture_output=True, env=env)
    if probe.returncode:
        pytest.skip("skipped: the build directory is not readable for other users")


def of_processes(net: Network) -> Any:
    """What show-subflows has of the host's processes."""
    options = ("--netns", net.host, "--userspace", "-o", "json")
    return run("mptcp", "show-subflows", *options).json["userspace"]


def of_kernel(net: Network, host: FakeHost) -> Any:
    """The document of show-subflows where the sockets of processes look like the kernel's."""
    document = run("mptcp", "show-subflows", "-o", "json", host=host, unseen=net.host).json
    conforms(document)
    return document


def endpoints(side: str) -> Any:
    """The path manager's endpoints and limits, and its settings."""
    return run("mptcp", "show-endpoints", "--netns", side, "-o", "json").json


def links_of(connection: Any) -> list[str]:
    return sorted(subflow["link"] for subflow in connection["subflows"])


def test_subflows_of_processes(net: Network) -> None:
    for i in (2, 3, 4):
        net.endpoint(net.host, f"10.77.{i}.2", "dev", f"eth{i}", "subflow", "id", str(10 + i))
    client = net.connections(3)

    result = run(
        "mptcp", "show-subflows", "--netns", net.host, "--userspace", "-o", "json", status=0
    )
    document = conforms(result.json)
    assert document["problems"] == []
    assert document["controllers"] == []
    found = document["userspace"]
    assert found["connections_found"] == 3
    assert found["subflows_found"] == 12
    assert found["fallback"] == 0
    for connection in found["connections"]:
        # The child of "ip netns exec" took over its id.
        assert connection["pid"] == client.pid
        assert connection["attribution"] == "userspace"
        assert connection["remote"] == "10.77.1.1:4420"
        assert connection["subflows_total"] in (4, None)
        assert links_of(connection) == ["eth1", "eth2", "eth3", "eth4"]
        assert [s["id_local"] for s in connection["subflows"]] == [0, 12, 13, 14]
        initial, *joins = connection["subflows"]
        assert "mcap-loc" in initial["flags"] and "join-loc" not in initial["flags"]
        assert initial["bytes_sent"] > 0 and initial["rtt_us"] > 0
        assert not initial["bound"]
        for i, join in enumerate(joins, start=2):
            assert "join-loc" in join["flags"] and "mcap-loc" not in join["flags"]
            assert join["local"].startswith(f"10.77.{i}.2:")
            assert join["state"] == "ESTAB"
            assert join["bound"] and join["link"] == f"eth{i}"
    assert [usage["link"] for usage in found["links"]] == ["eth1", "eth2", "eth3", "eth4"]
    assert all(usage["subflows"] == 3 for usage in found["links"])
    assert all(usage["speed_mbps"] == 10000 for usage in found["links"])
    assert sum(usage["share"] for usage in found["links"]) == pytest.approx(1, abs=0.001)


def test_text_fits_a_terminal(net: Network) -> None:
    net.subflows_by(2, 3, 4)
    net.connections(2)
    result = run("mptcp", "show-subflows", "--netns", net.host, "--userspace")
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any(line != line.rstrip() for line in lines)
    assert lines[1] == "  2 connections held by processes, 8 subflows, none in fallback"
    rows = [line for line in lines if " join " in line or " initial " in line]
    assert len(rows) == 8
    assert "\033" not in result.out
    more = run("mptcp", "show-subflows", "--netns", net.host, "--userspace", "-v").out
    assert "MINRTT" in more and "MINRTT" not in result.out


def test_watch_shows_rates(net: Network) -> None:
    net.connections(2)
    command = [NVME, "mptcp", "show-subflows", "--netns", net.host, "--userspace"]
    for option in (["-w", "0.2"], ["-w0.2"], ["--watch=0.2"]):
        with subprocess.Popen([*command, *option], stdout=subprocess.PIPE, text=True) as watch:
            assert watch.stdout
            lines = [watch.stdout.readline() for _ in range(20)]
            watch.kill()
        assert lines.count("userspace\n") == 2
        assert any("SENT/s" in line for line in lines)
        assert not any("\033" in line for line in lines)
    with subprocess.Popen(
        [*command, "-w0.2", "-o", "json"], stdout=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout
        first, second = (json.loads(watch.stdout.readline()) for _ in range(2))
        watch.kill()
    assert second["taken_ms"] - first["taken_ms"] >= 190


def test_watch_has_a_least(nvme: Nvme) -> None:
    for seconds in ("0.01", "1e9"):
        said = nvme.error("mptcp", "show-subflows", f"-w{seconds}")
        assert "use a number of seconds from 0.1 to 3600" in said


@pytest.mark.parametrize(("command", "status"), [("check", 3), ("report", 1), ("metrics", 1)])
def test_interval_is_bounded(nvme: Nvme, command: str, status: int) -> None:
    for seconds in ("-1", "0.01", "3601", "1e18"):
        said = nvme("mptcp", command, "--interval", seconds).refused(status)
        why = "use a number of seconds from 0.1 to 3600, or 0 for no wait"
        assert f"--interval={seconds.replace('1e18', '1e+18')}: {why}" in said


def test_help_of_own_commands_is_no_error(nvme: Nvme) -> None:
    """It can be paged and searched; commands of nvme-cli 2.x keep its ways."""
    for command in ("check", "show-subflows", "monitor", "relay"):
        for words in ((command, "--help"), (command, "-h"), ("help", command)):
            result = nvme("mptcp", *words)
            if words[0] == "help" and not result.out.startswith("Usage"):
                continue  # the manual page
            assert (result.status, result.err) == (0, ""), words
            assert result.out.startswith(f"Usage: nvme mptcp {command} ")
    result = nvme("mptcp", "check", "--help=1", status=3)
    assert result.out == ""
    assert nvme("list", "--help").status == 1


def test_ipv6(net: Network) -> None:
    net.endpoint(net.host, "fd77:2::2", "dev", "eth2", "subflow")
    net.serve("::")
    net.connect("fd77:1::1")
    (connection,) = of_processes(net)["connections"]
    assert connection["remote"] == "[fd77:1::1]:4420"
    assert links_of(connection)[0] == "eth1"


def test_unbound_subflows_are_shown_where_the_route_leads(net: Network) -> None:
    # Without a device the subflow from eth2's address leaves by the route to its peer: eth1.
    net.endpoint(net.host, "10.77.2.2", "subflow")
    net.connections()
    (connection,) = of_processes(net)["connections"]
    join = connection["subflows"][1]
    assert join["local"].startswith("10.77.2.2:")
    assert join["link"] == "eth1" and not join["bound"]


def test_backup_and_pending_subflows(net: Network) -> None:
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow", "backup")
    # No way leads from there: the SYN is never answered.
    with net.changed(net.target, "route add blackhole 10.77.3.2"):
        net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow")
        net.connections()
        found = of_processes(net)
        text = run("mptcp", "show-subflows", "--netns", net.host, "--userspace").out
    (connection,) = found["connections"]
    by_id = {s["id_local"]: s for s in connection["subflows"]}
    assert "backup-loc" in by_id[1]["flags"]
    assert by_id[2]["state"] == "SYN-SENT"
    usage = {u["link"]: u for u in found["links"]}
    assert (usage["eth3"]["subflows"], usage["eth3"]["pending"]) == (0, 1)
    assert "join,backup" in text and "join,pending" in text


def test_fallback_to_plain_tcp(net: Network) -> None:
    net.connections(2, protocol=6)
    found = of_processes(net)
    assert found["fallback"] == 2 and all(c["fallback"] for c in found["connections"])
    text = run("mptcp", "show-subflows", "--netns", net.host, "--userspace").out
    assert "2 fell back to plain TCP" in text


def test_controllers_own_what_the_kernel_holds(net: Network, host: FakeHost) -> None:
    """One portal per controller: exact, whatever the spelling of its address."""
    subsystem = host.subsystem(0, "nqn.2026-01.org.example:disk")
    subsystem.controller(
        0, "mptcp", "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2", queue_count=3
    )
    subsystem.controller(
        1, "mptcp", "traddr=::ffff:10.77.2.1,trsvcid=4420,src_addr=10.77.2.2", queue_count=2
    )
    subsystem.controller(2, "tcp", "traddr=10.77.1.1,trsvcid=4420,src_addr=10.77.1.2")
    net.endpoint(net.host, "10.77.3.2", "dev", "eth3", "subflow")
    net.connections(3)
    net.connect("10.77.2.1", 1)

    document = of_kernel(net, host)
    assert [
        (c["name"], c["connections_expected"], c["connections_found"])
        for c in document["controllers"]
    ] == [("nvme0", 3, 3), ("nvme1", 2, 1)]
    assert document["shared"] == []
    for connection in document["controllers"][0]["connections"]:
        # Whether a program outside of this PID namespace holds it is not known.
        assert connection["attribution"] == "inferred" and connection["pid"] is None
        assert links_of(connection) == ["eth1", "eth3"]

    text = run("mptcp", "show-subflows", host=host, unseen=net.host)
    assert "3 of 3 connections, 6 subflows over 2 links, none in fallback" in text.out
    assert "1 of 2 connections" in text.out
    only = run(
        "mptcp", "show-subflows", "/dev/nvme1", "-o", "json", host=host, unseen=net.host
    ).json
    assert [c["name"] for c in only["controllers"]] == ["nvme1"]

    # Where the processes are seen, the sockets are theirs.
    seen = run("mptcp", "show-subflows", "--netns", net.host, "-o", "json", host=host).json
    assert [c["connections_found"] for c in seen["controllers"]] == [0, 0]


def test_two_controllers_behind_one_portal(net: Network, host: FakeHost) -> None:
    host.disk(0)
    host.disk(10)
    net.connections(4)
    document = of_kernel(net, host)
    (shared,) = document["shared"]
    assert shared["controllers"] == ["nvme0", "nvme10"]
    assert shared["connections_found"] == 4
    assert all(c["attribution"] == "shared" for c in shared["connections"])
    assert [c["connections_shared"] for c in document["controllers"]] == [4, 4]
    text = run("mptcp", "show-subflows", "nvme10", host=host, unseen=net.host).out
    assert "nvme0, nvme10" in text


def test_host_iface_tells_apart(net: Network, host: FakeHost) -> None:
    for i in (1, 2):
        host.disk(i, "mptcp", f"traddr=10.77.1.1,trsvcid=4420,host_iface=eth{i}", queue_count=1)
    net.serve()
    net.connect("10.77.1.1", device="eth1")
    first, second = of_kernel(net, host)["controllers"]
    assert (first["connections_found"], second["connections_found"]) == (1, 0)


def test_endpoints(net: Network) -> None:
    net.limits(3, 1)
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow", "id", "7")
    net.endpoint(net.host, "10.77.3.2", "signal", "port", "4421", "id", "5")
    net.endpoint(net.host, "fd77:4::2", "dev", "eth4", "subflow", "fullmesh", "backup", "id", "9")
    net.endpoint(net.host, "192.0.2.99", "subflow", "id", "11")
    net.connections(2)
    document = conforms(endpoints(net.host))
    assert document["enabled"] is True
    assert document["limits"] == {"subflows": 3, "add_addr_accepted": 1}
    assert document["path_manager"] == "kernel"
    assert document["settings"]["enabled"] == "1"
    found = document["endpoints"]
    assert [e["id"] for e in found] == [5, 7, 9, 11]
    assert found[0] | {"subflows": 0} == {
        "id": 5, "address": "10.77.3.2", "port": 4421, "flags": ["signal"], "ifindex": None,
        "dev": None, "link": "eth3", "subflows": 0,
    }  # fmt: skip
    assert (found[1]["flags"], found[1]["dev"], found[1]["subflows"]) == (["subflow"], "eth2", 2)
    assert found[2]["flags"] == ["subflow", "backup", "fullmesh"]
    assert (found[3]["link"], found[3]["subflows"]) == (None, 0)
    text = run("mptcp", "show-endpoints", "--netns", net.host)
    assert "limit subflows:     3 " in text.out
    assert max(map(len, text.out.splitlines())) <= 100


def test_monitor_tells_the_story_of_a_connection(net: Network, host: FakeHost) -> None:
    net.endpoint(net.host, "10.77.2.2", "dev", "eth2", "subflow")
    net.serve()
    host.disk(3, queue_count=1)
    with subprocess.Popen(
        enter(net.host, *HIDE, NVME, "mptcp", "monitor", "--count", "4", "-o", "json"),
        stdout=subprocess.PIPE, env=environment(host), text=True,
    ) as monitor:  # fmt: skip
        assert monitor.stdout
        time.sleep(1)
        client = net.connect("10.77.1.1")
        time.sleep(0.5)
        net.stop(client)
        lines = monitor.stdout.read().splitlines()
        assert monitor.wait(timeout=10) == 0
    # a slow machine has time to sum up the links in between
    events = [event for line in lines if (event := json.loads(line))["event"] != "links"]
    for event in events:
        conforms(event, EVENT_SCHEMA)
        assert event["controller"] == "nvme3", event
    names = [e["event"] for e in events]
    assert names == ["created", "established", "subflow-established", "closed"]
    assert len({e["token"] for e in events}) == 1
    assert events[0]["remote"] == "10.77.1.1:4420"
    assert (events[2]["link"], events[2]["id_local"]) == ("eth2", 1)
    assert events[2]["local"].startswith("10.77.2.2:")


def lines_with(log: Path, words: str, number: int, seconds: float = 15) -> list[str]:
    """Waits for that many lines with these words in a file that grows."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        whole_lines = log.read_text().rpartition("\n")[0].splitlines()
        found = [line for line in whole_lines if words in line]
        if len(found) >= number:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{number} x {words} are not in:\n{log.read_text()}")


def links_in(log: Path, number: int) -> dict[str, Any]:
    """Waits for that many documents that sum up the links of a controller, and returns the last."""
    links: dict[str, Any] = json.loads(lines_with(log, '"links"', number)[number - 1])
    assert links["event"] == "links"
    conforms(links, LINKS_SCHEMA)
    return links


def test_monitor_sums_up_the_links(net: Network, host: FakeHost, tmp_path: Path) -> None:
    net.subflows_by(2, 3, 4)
    net.serve()
    host.disk(3)
    log, text = tmp_path / "json", tmp_path / "normal"
    monitors = []
    for file in (log, text):
        with file.open("w") as output:
            command = enter(net.host, *HIDE, NVME, "mptcp", "monitor", "nvme3", "-o", file.name)
            monitors.append(subprocess.Popen(command, stdout=output, env=environment(host)))
    with killed(*monitors):
        time.sleep(1)
        net.connect("10.77.1.1")
        whole = links_in(log, 1)
        assert (whole["controller"], whole["links"], whole["carrying"]) == ("nvme3", 4, 4)
        assert whole["missing"] == whole["superfluous"] == []
        lines_with(text, " links ", 1)
        net.limits(1, 0)
        net.connect("10.77.1.1")
        less = links_in(log, 2)
        assert (less["links"], less["carrying"]) == (4, 2)
        assert less["missing"] == [
            {"link": "eth3", "connections": 1, "trouble": None},
            {"link": "eth4", "connections": 1, "trouble": None},
        ]
        first, second = (line.split(maxsplit=3)[1:] for line in lines_with(text, " links ", 2))
        assert first == ["nvme3", "links", "4 of 4"]
        assert second[2] == (
            "2 of 4  missing: eth3 (1 of 2 connections), eth4 (1 of 2 connections)"
        )


@live
def test_monitor_needs_privileges() -> None:
    needs_readable_build()
    result = run("mptcp", "monitor", prefix=OTHER_USER)
    said = "MPTCP events: the kernel shows them to root only (CAP_NET_ADMIN)\n"
    assert (result.status, result.err) == (3, said)


def test_without_privileges_it_says_what_is_missing(net: Network) -> None:
    net.connections(1)
    needs_readable_build()
    show = ("mptcp", "show-subflows", "--userspace", "-o", "json")
    inside = run(*show, side=net.host, prefix=OTHER_USER, status=0)
    assert {p["part"] for p in inside.json["problems"]} >= {"owners"}
    assert "only root sees the sockets" in inside.err


LOOKING = ["show-subflows", "show-endpoints", "check", "check --interval 0.1", "setup --role host",
           "repair", "keep --auto", "monitor", "report", "metrics",
           "metrics --interval 0.1"]  # fmt: skip


@live
@pytest.mark.parametrize("command", LOOKING)
def test_a_namespace_that_is_none(nvme: Nvme, tmp_path: Path, command: str) -> None:
    """Said once, by whatever looks into it."""
    for name, reason in (("no-such", "No such file"), (str(tmp_path), "Invalid argument")):
        (line,) = nvme("mptcp", *command.split(), "--netns", name).refused(3).splitlines()
        assert f"etwork namespace {name}" in line and f": {reason}" in line


def test_mptcp_switched_off(net: Network) -> None:
    with net.changed(net.host, "net.mptcp.enabled=0", "net.mptcp.enabled=1"):
        assert endpoints(net.host)["enabled"] is False


def test_no_controller(nvme: Nvme, host: FakeHost) -> None:
    host.subsystem(0, "nqn.2026-01.org.example:disk").controller(0, "tcp")
    said = nvme("mptcp", "show-subflows").refused(3)
    assert "no controller is connected over MPTCP" in said or "has no MPTCP" in said


@live
def test_a_controller_that_is_none(nvme: Nvme, host: FakeHost) -> None:
    subsystem = host.subsystem(0, "nqn.2026-01.org.example:disk")
    subsystem.controller(0, "mptcp")
    subsystem.controller(1, "tcp")
    for name in ("nvme1", "/dev/nvme7", "nvme0n1", ""):
        assert f"{name}: no controller of that name" in nvme.error("mptcp", "show-subflows", name)


@live
def test_hostile_names_are_escaped(nvme: Nvme, host: FakeHost) -> None:
    subsystem = host.subsystem(0, "nqn.2026-01.org.example:\033[2Jx")
    subsystem.controller(0, "mptcp", "traddr=10.77.1.1,trsvcid=4420", state="li\033ve")
    result = nvme("mptcp", "show-subflows", status=0)
    assert "\033" not in result.out and "\\x1b" in result.out
    assert "No connection in this network namespace" in result.out


@live
def test_a_controller_without_connections(nvme: Nvme, host: FakeHost) -> None:
    """Another namespace is the reason only of one that is live."""
    subsystem = host.subsystem(0, "nqn.2026-01.org.example:disk")
    address = "traddr=10.77.1.1,trsvcid=4420"
    subsystem.controller(0, "mptcp", address, state="connecting")
    subsystem.controller(1, "mptcp", address, state="live")
    out = {name: nvme("mptcp", "show-subflows", name).out for name in ("nvme0", "nvme1")}
    assert "No connection while the controller is connecting" in out["nvme0"]
    assert "--netns" not in out["nvme0"] and "--netns" in out["nvme1"]
