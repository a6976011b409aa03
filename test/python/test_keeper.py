# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network namespace that is held as it should be, from Python."""

import json
from functools import partial
from pathlib import Path

from test_mptcp import LINKS, in_namespace

KEEPER = """
    import os, threading, time

    def endpoints():
        return sorted(endpoint.address for endpoint in mptcp.snapshot().endpoints)

    def delete(address):
        [found] = [e.id for e in mptcp.snapshot().endpoints if e.address == address]
        subprocess.run(["ip", "mptcp", "endpoint", "delete", "id", str(found)], check=True)
"""
kept = partial(in_namespace, before=LINKS + KEEPER)


def test_rounds() -> None:
    """What is missing is shown, done, done again after a change, and taken back."""
    out = kept("""
    with mptcp.Keeper(role="target", dev=["h1", "h2"]) as keeper:
        print(len(keeper.round(apply=False).steps) > 0, endpoints())
        print({step.state for step in keeper.round().steps}, endpoints())
        print(keeper.round().steps, os.path.exists(keeper.file))
        delete("10.1.2.2")
        print([step.action for step in keeper.round().steps], endpoints())
        print(len(keeper.restore(apply=False).steps) > 0, endpoints())
        print({step.state for step in keeper.restore().steps}, endpoints())
    """)
    both = "['10.1.1.2', '10.1.2.2']"
    assert out.splitlines() == [
        "True []",
        f"{{'done'}} {both}",
        "() True",
        f"['add'] {both}",
        f"True {both}",
        "{'done'} []",
    ]


def test_it_outlives_its_program() -> None:
    """The next keeper knows what the one before made, and two at a time are refused."""
    out = kept("""
    import errno, sys
    first = mptcp.Keeper(role="target", dev=["h1", "h2"])
    first.round()
    other = "from libnvme import mptcp; mptcp.Keeper()"
    done = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True)
    print(done.stderr.splitlines()[-1] == f"OSError: [Errno {errno.EBUSY}] "
          f"process {os.getpid()} already runs keep in the network namespace of this process, and "
          "two would undo each other's changes")
    try:
        mptcp.Keeper()
    except OSError as error:
        print(error.errno == errno.EBUSY, f"process {os.getpid()} already" in str(error))
    first.close()
    first.close()
    print(endpoints(), first.closed)
    attempt(first.round)
    with mptcp.Keeper() as second:
        print(len(second.restore().steps), endpoints())
    """)
    lines = out.splitlines()
    assert lines[:2] == ["True", "True True"]
    assert lines[2:4] == ["['10.1.1.2', '10.1.2.2'] True", "ValueError this keeper is closed"]
    assert lines[4].endswith(" []")
    assert int(lines[4].split()[0]) >= 1


def test_iterating() -> None:
    """A round is done when something happened; closing from another thread ends it."""
    out = kept("""
    keeper = mptcp.Keeper(role="target", dev=["h1", "h2"])
    seen = []

    def work():
        for plan in keeper:
            seen.append({step.state for step in plan.steps})

    thread = threading.Thread(target=work)
    thread.start()
    while endpoints() != ["10.1.1.2", "10.1.2.2"]:
        time.sleep(0.05)
    subprocess.run(["ip", "addr", "del", "10.1.2.2/24", "dev", "h2"], check=True)
    subprocess.run(["ip", "addr", "add", "10.1.3.2/24", "dev", "h2"], check=True)
    while endpoints() != ["10.1.1.2", "10.1.3.2"]:
        time.sleep(0.05)
    keeper.close()
    thread.join(30)
    print(thread.is_alive(), seen[0], len(seen) > 1)
    """)
    assert out == "False {'done'} True\n"


def test_waiting() -> None:
    """A round is due in the beginning; then nothing is, until time is up."""
    out = kept("""
    with mptcp.Keeper(role="target", dev="h1") as keeper:
        print(keeper.wait(30))
        keeper.round()
        print(keeper.wait(0))
    """)
    assert out == "True\nFalse\n"


def test_metrics(tmp_path: Path) -> None:
    """The file is renewed while nothing happens; one that cannot be written ends nothing."""
    file = tmp_path / "nvme.prom"
    out = kept(f"""
    import logging, pathlib, threading
    logging.disable()
    file = pathlib.Path({str(file)!r})
    keeper = mptcp.Keeper(role="target", dev="h1", metrics=file, metrics_interval=0.1)
    print(keeper)
    thread = threading.Thread(target=lambda: list(keeper))
    thread.start()
    for _ in range(2):
        for _ in range(600):
            time.sleep(0.05)
            if file.exists():
                break
        print("nvme_mptcp_info" in file.read_text(), "# EOF" in file.read_text())
        file.unlink()
    os.rename(file.parent, str(file.parent) + ".moved")
    time.sleep(0.5)
    print(thread.is_alive())
    keeper.close()
    thread.join(30)
    print(keeper, thread.is_alive())
    attempt(lambda: mptcp.Keeper(metrics=file, metrics_interval=0))
    """)
    assert out.splitlines() == [
        "<libnvme.mptcp.Keeper h1>",
        "True False",
        "True False",
        "True",
        "<libnvme.mptcp.Keeper h1 (closed)> False",
        "ValueError metrics_interval is 0, not a positive number of seconds",
    ]


def test_configurations(tmp_path: Path) -> None:
    """What a configuration asks for is kept, read anew each time; a wrong one is named."""
    config = tmp_path / "config.json"
    config.write_text("[]")
    asked = {"endpoints": [{"address": "10.1.1.2", "flags": ["signal"], "dev": "h1"}]}
    text = json.dumps([{"hostnqn": "nqn.x", "mptcp": asked}])
    out = kept(f"""
    import pathlib
    config = pathlib.Path({str(config)!r})
    with mptcp.Keeper(config=config) as keeper:
        for text in (None, "[5]", {text!r}):
            if text:
                config.write_text(text)
            try:
                print(len(keeper.round().steps), endpoints())
            except ValueError as error:
                print(error)
        config.unlink()
        try:
            keeper.round()
        except FileNotFoundError as error:
            print(error.filename == str(config))
    attempt(lambda: mptcp.Keeper(config=config, dev="h1"))
    """)
    lines = out.splitlines()
    assert lines[0] == f'{config}: no host has an object "mptcp"'
    assert lines[1].startswith(f"{config}:1: ")
    assert lines[2].endswith(" ['10.1.1.2']")
    assert lines[3:] == [
        "True",
        "ValueError config cannot be combined with traddr or dev: "
        "a configuration has addresses and links",
    ]


def test_a_configuration_that_leaves_it_open(tmp_path: Path) -> None:
    """With auto a set-up leads to the addresses that it connects to; an object "mptcp" precedes."""
    config = tmp_path / "config.json"
    documents = []
    for traddr, more in (
        ("10.1.1.2", {}),
        ("fd00::9", {}),  # which no link of this machine leads to
        ("fd00::9", {"mptcp": {"limits": {"subflows": 7}}}),
    ):
        ports = [{"transport": "tcp", "traddr": "10.9.9.9"}, {"transport": "mptcp", "traddr": "n"}]
        ports.append({"transport": "mptcp", "traddr": traddr})
        host = {"hostnqn": "nqn.x", "subsystems": [{"nqn": "nqn.y", "ports": ports}], **more}
        documents.append(json.dumps([host]))
    out = kept(f"""
    import pathlib
    config = pathlib.Path({str(config)!r})
    for document in {documents!r}:
        config.write_text(document)
        for more in ({{}}, {{"traddr": "10.1.1.2"}}):
            with mptcp.Keeper(config=config, role="host", auto=True, **more) as keeper:
                print([step.command for step in keeper.round(apply=False).steps])
    """)
    [own, given, unreachable, other, asked, asked_too] = out.splitlines()
    assert own == given == other and "limits set" in own
    assert unreachable == "[]"
    assert asked == asked_too and "limits set subflows 7" in asked


def test_privileges() -> None:
    out = kept("""
    import traceback
    mptcp.setup("target", dev="h1")  # what is imported is imported first
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
    try:
        with mptcp.Keeper(role="target", dev="h1") as keeper:
            keeper.round()
    except mptcp.PlanFailed as error:
        print(error.errno, {step.state for step in error.plan.steps} - {"planned"})
    """)
    assert out == "1 {'failed'}\n"
