# SPDX-License-Identifier: LGPL-2.1-or-later
"""Threads that share a root, while a call of one of them blocks in the kernel.

The fake kernel counts connects in a file. Here that is a pipe: a connect waits until the program
opens its other end, so that nothing depends on time.
"""

import errno
import os

import pytest
from conftest import Python
from fake_sysfs import DISCOVERY_NQN, FakeHost

NQN = "nqn.2025-01.test:one"


@pytest.fixture(autouse=True)
def machine(host: FakeHost) -> FakeHost:
    """One controller is there; another one comes up with the connect that waits."""
    host.subsystem(0, NQN).controller(0, "mptcp")
    host.answer_connected(host.subsystem(1, NQN + "2").controller(1, "mptcp", connected=False))
    (host.fake / "answer.1").rename(host.fake / "answer.0")
    os.mkfifo(host.fake / "count")
    return host


BLOCKED = """
    import os, threading, time
    fake = os.environ["FAKE_DIR"]

    def wait_for_kernel():
        path = fake + "/written"
        while not (os.path.exists(path) and "connect" in open(path).read()):
            time.sleep(0.01)

    def let_go():
        return os.open(fake + "/count", os.O_RDWR)

    def in_thread(call):
        def work():
            try:
                results.append(call())
            except Exception as error:
                results.append(error)
        thread = threading.Thread(target=work)
        thread.start()
        return thread

    root = nvme.root()
    host = next(root.hosts())
    there = next(next(host.subsystems()).controllers())
    ctrl = nvme.ctrl(root, "nqn.2025-01.test:one2", "mptcp", "10.1.1.1")
    results = []
"""


@pytest.fixture
def python(host: FakeHost) -> Python:
    return Python(host, BLOCKED)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("there.name", "nvme0"),
        ("ctrl.name", "nvme1"),
        ("len(list(root.hosts()))", "1"),
        ("root.refresh_topology()", "None"),
        ("nvme.host(root, hostnqn='nqn.other').hostnqn", "nqn.other"),
        ("nvme.ctrl(root, 'nqn.3', 'tcp', '10.1.1.1').traddr", "10.1.1.1"),
        ("there.disconnect()", "None"),
        ("host == host and hash(there) == hash(there)", "True"),
        ("there.options()['nr_io_queues']", "4"),
    ],
)
def test_others_wait(python: Python, call: str, expected: str) -> None:
    """Whoever comes to the root waits for the call that is under way, and then gets an answer."""
    out = python(f"""
    connecting = in_thread(lambda: ctrl.connect(host))
    wait_for_kernel()
    asking = in_thread(lambda: {call})
    print(asking.is_alive(), nvme.root() == root, len(results))
    let_go()
    connecting.join()
    asking.join()
    results.remove(None)
    print(*results)
    """)
    assert out.splitlines() == ["True False 0", expected]


def test_collecting_waits_for_nobody(python: Python) -> None:
    out = python("""
    loose = [nvme.ctrl(root, f"nqn.{i}", "tcp", "10.1.1.1") for i in range(50)]
    connecting = in_thread(lambda: ctrl.connect(host))
    wait_for_kernel()
    del loose[::2]
    # another root does not wait either
    print([h.hostnqn == "x" for h in nvme.root().hosts()], len(loose), connecting.is_alive())
    let_go()
    connecting.join()
    del loose[1:]
    loose += [nvme.ctrl(root, f"nqn.{i}", "tcp", "10.1.1.1") for i in range(50)]
    print(results, ctrl.name, len({c.subsysnqn for c in loose}))
    """)
    assert out.splitlines() == ["[False] 25 True", "[None] nvme1 50"]


def test_handlers_of_logging_are_refused(python: Python) -> None:
    """They run within a call, which would wait for itself."""
    out = python("""
    import logging, threading
    heard = []

    class Handler(logging.Handler):
        def emit(self, record):
            try:
                heard.append(there.name)
            except RuntimeError as error:
                heard.append(str(error)[:41])

    logging.getLogger("libnvme").addHandler(Handler())
    logging.getLogger("libnvme").setLevel(logging.DEBUG)
    root.log_level("debug")
    threading.Thread(target=lambda: (wait_for_kernel(), let_go()), daemon=True).start()
    ctrl.connect(host)
    print(set(heard), ctrl.name)
    """)
    assert out == "{'a call that uses this root is still runni'} nvme1\n"


def test_interrupting_who_waits(python: Python) -> None:
    out = python("""
    import signal
    connecting = in_thread(lambda: ctrl.connect(host))
    wait_for_kernel()
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        print(there.name)
    except KeyboardInterrupt:
        print("interrupted")
    let_go()
    connecting.join()
    print(there.name)
    """)
    assert out.splitlines() == ["interrupted", "nvme0"]


#: Time is up as soon as the kernel is at work.
HASTY = """
    class Event(threading.Event):
        def wait(self, timeout=None):
            if timeout is None:
                return super().wait()
            wait_for_kernel()
            return self.is_set()

    threading.Event = Event

    def until_deleted():
        while "delete" not in open(fake + "/written").read():
            time.sleep(0.01)

    def once_it_is_over(call):
        while True:
            try:
                return call()
            except nvme.Error:
                time.sleep(0.01)
"""


@pytest.fixture
def hasty(host: FakeHost) -> Python:
    return Python(host, BLOCKED + HASTY)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("ctrl.connect(host, timeout=0.05)", f"{NQN}2"),
        (
            'nvme.connect_all(root, "mptcp", "127.0.0.1", host=host, timeout=0.05)',
            DISCOVERY_NQN,
        ),
    ],
)
def test_timeout_in_the_kernel(hasty: Python, host: FakeHost, call: str, what: str) -> None:
    """Given up, the root is refused until the kernel is done, and what it made is undone."""
    out = hasty(f"""
    ctrl = nvme.ctrl(root, "nqn.2025-01.test:one2", "mptcp", "127.0.0.1", trsvcid=1)
    numbered(lambda: {call}, lambda: there.name)
    let_go()
    until_deleted()
    print(*once_it_is_over(lambda: (there.name, ctrl.connected())))
    """)
    late, busy, after = out.splitlines()
    expected = f" {errno.ETIMEDOUT} connecting to {what} at 127.0.0.1: not done within 0.05 s"
    assert late.partition(" ")[1:] == (" ", expected[1:])
    assert busy == (
        f"Error {errno.EBUSY} an earlier call of this root exceeded its timeout and is still "
        "running in the kernel; use another root until it ends"
    )
    assert after == "nvme0 False"
    assert host.deleted == ["nvme1"]


@pytest.mark.parametrize("timeout", ["0", "-1", "float('nan')", "float('inf')"])
def test_bad_timeouts(python: Python, timeout: str) -> None:
    out = python(f"""
    attempt(
        lambda: ctrl.connect(host, timeout={timeout}),
        lambda: there.discover(0, 6, {timeout}),
    )
    """)
    why = f"timeout is {eval(timeout)!r}, not a positive number of seconds"
    assert out.splitlines() == [f"ValueError {why}"] * 2
