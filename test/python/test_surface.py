# SPDX-License-Identifier: LGPL-2.1-or-later
"""The names that scripts use stay, and what the boot table and discovery say keeps its shape."""

import json
import sys

import discovery_log as dl
import pytest
import surface
from conftest import BUILD, TOP, Python
from fake_sysfs import DISCOVERY_NQN, FakeHost

NBFT = TOP / "test/fuzz/corpus/nbft"


def test_surface(python: Python) -> None:
    out = python(f"""
        import sys
        sys.path.insert(0, {str(TOP / "test/python")!r})
        from surface import surface
        print("\\n".join(surface(nvme)))
    """)
    assert out.splitlines() == surface.recorded()


@pytest.fixture
def discovery(host: FakeHost) -> FakeHost:
    """A discovery controller nvme0 that comes up when asked."""
    data = bytearray(4096)
    data[111] = 2
    host.command("nvme0", "admin", 0x06, 0x01, bytes(data))
    subsystem = host.subsystem(0, DISCOVERY_NQN)
    controller = subsystem.controller(0, "mptcp", connected=False, cntrltype="discovery")
    host.answer_connected(controller)
    return host


DISCOVER = f"""
    import json
    root = nvme.root()
    ctrl = nvme.ctrl(root, "{DISCOVERY_NQN}", "mptcp", traddr="10.1.1.1", trsvcid="8009")
    ctrl.discovery_ctrl = True
    with ctrl:
        ctrl.connect(nvme.host(root))
        print(json.dumps(ctrl.discover()))
"""


def test_discover(python: Python, discovery: FakeHost) -> None:
    """Entries are dicts with the keys in their order; strings come without their padding."""
    log = dl.log(
        dl.entry(trtype=dl.MPTCP, eflags=2),
        dl.entry(trtype=dl.RDMA, tsas=bytes([1, 3, 1]), subtype=dl.REFERRAL, treq=1),
        dl.entry(trtype=9, adrfam=77, subtype=8, treq=5, tsas=b"\1"),
    )
    discovery.command("nvme0", "admin", 0x02, 0x70, log)
    first, second, third = json.loads(python(DISCOVER))
    assert list(first.items()) == [
        ("trtype", "mptcp"),
        ("adrfam", "ipv4"),
        ("traddr", "10.1.1.1"),
        ("trsvcid", "4420"),
        ("subnqn", "nqn.2025-01.test:one"),
        ("subtype", "nvme"),
        ("treq", "disable sqflow"),
        ("tsas", {"sectype": "none"}),
        ("portid", 1),
        ("cntlid", 65535),
        ("asqsz", 32),
        ("eflags", 2),
    ]
    assert second["trtype"] == "rdma"
    assert second["treq"] == "required"
    assert second["subtype"] == "referral"
    assert second["tsas"] == {"qptype": "connected", "prtype": "roce", "cms": "cm"}
    assert [third[key] for key in ("trtype", "adrfam", "subtype", "treq")] == [9, 77, 8, 5]
    assert "tsas" not in third
    assert discovery.deleted == ["nvme0"]


@pytest.mark.parametrize("action", ["error", "always"])
def test_any_warning_is_ours(python: Python, action: str) -> None:
    """Importing, wrapping, raising and ending cause no warning, which -W error would turn into one.

    swig's own types come about when the first object is wrapped and when the interpreter ends.
    """
    out = python(
        """
        import warnings
        from libnvme import mptcp

        root = nvme.root()
        ctrl = nvme.ctrl(root, "nqn", "tcp", traddr="10.1.1.1")
        for call in (ctrl.disconnect, ctrl.discover, lambda: nvme.no_such_name):
            try:
                call()
            except AttributeError:
                print("raised")
        for call in (ctrl.discovery_ctrl_set, ctrl.persistent_set):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    call(True)
                except DeprecationWarning:
                    print("warned")
        print(len(list(nvme.root().hosts())), len(mptcp.Snapshot.__annotations__) > 0)
        """,
        "-W",
        action,
    )
    assert out.split() == ["raised"] * 3 + ["warned"] * 2 + ["0", "True"]


def test_calls_without_a_connection_say_so(python: Python) -> None:
    """Exceptions and deprecations are those that scripts know."""
    out = python("""
        import warnings
        ctrl = nvme.ctrl(nvme.root(), "nqn", "tcp", traddr="10.1.1.1")
        attempt(ctrl.disconnect, ctrl.discover)
        print(ctrl.supported_log_pages(), ctrl)
        warnings.simplefilter("error")
        attempt(lambda: ctrl.discovery_ctrl_set(True), lambda: ctrl.persistent_set(True))
    """)
    assert out.splitlines() == [
        *["AttributeError No controller connection"] * 2,
        "None nvme_ctrl(transport=tcp)",
        "DeprecationWarning discovery_ctrl_set() is deprecated, assign to discovery_ctrl",
        "DeprecationWarning persistent_set() is deprecated, assign to persistent",
    ]


def test_nbft(python: Python) -> None:
    table = json.loads(
        python(f"import json; print(json.dumps(nvme.nbft_get({str(NBFT / 'good')!r})))")
    )
    assert list(table) == ["host", "subsystem", "hfi", "discovery"]
    assert table["host"] == {
        "nqn": "nqn.host",
        "id": "11111111-1111-1111-1111-111111111111",
        "host_id_configured": True,
        "host_nqn_configured": False,
        "primary_admin_host_flag": "selected",
    }
    [subsystem] = table["subsystem"]
    assert subsystem["hfi_indexes"] == [0, 1, 2]
    assert subsystem["trtype"] == "tcp"
    assert (subsystem["nid_type"], subsystem["nsid"]) == ("uuid", 1)
    assert subsystem["nid"] == "abababab-abab-abab-abab-abababababab"
    assert subsystem["data_digest_required"] is True
    assert [hfi["ipaddr"] for hfi in table["hfi"]] == [f"192.168.1.{n}" for n in (30, 31, 32)]
    assert table["hfi"][0]["pcidev"] == "1:2:0.3"
    assert table["hfi"][0]["mac_addr"] == "52:54:00:72:c5:ae"
    assert table["discovery"][0]["uri"] == "nvme+tcp://192.168.1.20:8009/"


@pytest.mark.parametrize("name", [path.name for path in sorted(NBFT.iterdir())] + ["missing"])
def test_nbft_of_bad_firmware(python: Python, name: str) -> None:
    """A table is a dict or None, whatever firmware wrote."""
    out = python(f"""
        import os
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        print(type(nvme.nbft_get({str(NBFT / name)!r})).__name__)
    """)
    assert out in ("dict\n", "NoneType\n")
    if name in ("missing", "truncated"):
        assert out == "NoneType\n"


def test_module_is_the_one_that_was_built(python: Python) -> None:
    """These tests do not pass because some other libnvme is installed."""
    assert sys.executable
    assert python("print(nvme.__file__)").startswith(str(BUILD))
