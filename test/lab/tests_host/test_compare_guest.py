# SPDX-License-Identifier: GPL-2.0-or-later
"""The guest's side of `make compare`: what it reads of the kernel and of fio, and sets up."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import ClassVar

import measure
import pytest
from compare import drive, figures
from compare.rows import Load, Row
from lab import Limits, bonding, counters
from lab.counters import Counters
from nvmelab import counted

NETSTAT = """\
TcpExt: SyncookiesSent TCPTimeouts TCPLostRetransmit
TcpExt: 1 7 0
MPTcpExt: MPCapableSYNRX NoDSSInWindow
MPTcpExt: 2 30
"""
#: Of the target: what it sends to the host's addresses. The last one is an admin queue's.
SS = """\
0 0 10.1.1.1:4420 10.1.2.2:41000 cubic wscale:7,7 rto:204 mss:1448 cwnd:17 bytes_acked:900000 x:1
0 4 10.1.1.1:4420 10.1.1.2:41000 cubic rto:204 cwnd:10 ssthresh:7 bytes_acked:800000
0 0 10.1.1.1:4420 10.1.3.2:41001 cubic rto:204 cwnd:99 bytes_acked:300
0 0 10.1.1.1:4420 10.1.4.2:41002 cubic rto:204 cwnd:98
"""


def test_counters_are_found_by_family_and_name() -> None:
    assert counted.parse_table(NETSTAT, "TcpExt") == {
        "SyncookiesSent": 1, "TCPTimeouts": 7, "TCPLostRetransmit": 0,
    }  # fmt: skip
    assert counted.parse_table(NETSTAT, "MPTcpExt")["NoDSSInWindow"] == 30


def test_a_table_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        counted.parse_table(NETSTAT + "IpExt: InNoRoutes\n", "TcpExt")


def test_waiting_for_a_disk_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_CLK_TCK": 100}[name])
    assert counted.parse_idle("cpu  100 0 50 700 100 20 30 0 9 9\ncpu0 1 2 3\n") == 8.0


def test_windows_are_those_of_links_with_traffic() -> None:
    assert counters.parse_windows(SS, "target", by_local=True) == [(1, 10), (2, 17)]


def test_bound_subflows_of_the_host_leave_by_their_own_link() -> None:
    line = "0 0 10.1.2.2:41000 10.1.1.1:4420 cubic cwnd:17 bytes_acked:900000\n"
    assert counters.parse_windows(line, "host", by_local=True) == [(2, 17)]
    assert counters.parse_windows(line, "host", by_local=False) == [(1, 17)]


def test_only_what_moved_is_kept() -> None:
    sides = {"host": {"a": 1, "b": 5}, "target": {"a": 2}}
    later = {"host": {"a": 4, "b": 5, "c": 1}, "target": {"a": 2}}
    before = Counters(1.0, 2.0, [{"rx": 1, "tx": 2}], sides, sides)  # type: ignore[arg-type]
    after = Counters(3.5, 11.0, [{"rx": 11, "tx": 2}], later, later)  # type: ignore[arg-type]
    # four processors for 2.5 s, idle for 9 of these 10
    assert after.since(before, 4) == {
        "window_s": 2.5, "cpu": {"busy": 1.0, "total": 2.5}, "links": [{"rx": 10, "tx": 0}],
        "tcp": {"host": {"a": 3, "c": 1}, "target": {}},
        "mptcp": {"host": {"a": 3, "c": 1}, "target": {}},
    }  # fmt: skip


def test_links_are_shaped_as_the_row_has_them() -> None:
    flaky = measure.topology(Row(figures.TCP, figures.lossy(50)))
    assert flaky.links[0].to_host.netem() == "rate 10000000bit delay 50ms loss 0.5% limit 10000"
    clean = measure.topology(Row(figures.TCP, figures.QUARTER))
    assert [link.to_host.rate for link in clean.links] == ["10000000bit"] * 3 + ["2500000bit"]
    assert not clean.links[0].to_target.delay and not clean.links[0].to_target.loss


def test_endpoints_are_the_selftests_or_left_to_the_planner() -> None:
    selftest = measure.topology(Row(figures.SELFTEST, figures.CLEAN))
    assert [e.flags for e in selftest.endpoints["host"]] == [("subflow",)] * 4
    assert [e.flags for e in selftest.endpoints["target"]] == [("signal",)] * 4
    assert selftest.limits == {"host": Limits(8, 8), "target": Limits(8, 8)}
    planned = measure.topology(Row(figures.MPTCP, figures.CLEAN))
    assert planned.endpoints == {} and planned.limits["host"] == Limits(0, 0)


def test_jobs_share_the_depth_and_the_disk() -> None:
    options = drive.fio_options(Row(figures.TCP, figures.CLEAN, Load("randrw", 4, 32, 4)), 64, 4)
    assert options["iodepth"] == 8 and options["numjobs"] == 4
    assert options["offset_increment"] == "16m"
    assert (options["bs"], options["rwmixread"]) == ("4k", 70)
    single = drive.fio_options(Row(figures.TCP, figures.CLEAN), 64, 4)
    assert "numjobs" not in single and "rwmixread" not in single
    with pytest.raises(ValueError, match="depth of 3"):
        drive.fio_options(Row(figures.TCP, figures.CLEAN, Load(depth=3, jobs=2)), 64, 4)


def test_of_fios_result_only_the_directions_of_the_load_are_kept() -> None:
    percentiles = {"50.000000": 1, "99.000000": 2, "99.900000": 3}
    part = {"bw_bytes": 5, "iops": 1.5, "clat_ns": {"percentile": percentiles}}
    kept = {"bw": 5, "iops": 1.5, "latency": {"50": 1, "99": 2, "99.9": 3}}
    job = {"read": part, "write": part, "trim": {}}
    row = Row(figures.TCP, figures.CLEAN, Load("write"))
    assert drive.of_fio(job, row) == {"write": kept}
    mixed = Row(figures.TCP, figures.CLEAN, Load("randrw"))
    assert drive.of_fio(job, mixed) == {"read": kept, "write": kept}


def test_a_bond_takes_every_link_and_has_the_first_ones_address() -> None:
    lines = bonding.commands("target", "802.3ad", 2)
    assert lines[0].startswith("link add lag type bond mode 802.3ad")
    assert "xmit_hash_policy layer3+4" in lines[0]
    assert [line for line in lines if "master" in line] == [
        "link set t1 master lag", "link set t2 master lag",
    ]  # fmt: skip
    assert lines.index("link set t2 down") < lines.index("link set t2 master lag")
    assert lines[-1] == "address add 10.1.1.1/24 dev lag"


def test_paths_are_those_of_the_disk_and_of_no_other(tmp_path: Path) -> None:
    for name in ("nvme0/nvme0c0n1", "nvme1/nvme0c1n1", "nvme1/nvme0c1n2", "nvme2/nvme2c2n1"):
        (tmp_path / name).mkdir(parents=True)
    assert counted.paths_of(Path("/dev/nvme0n1"), tmp_path) == 2
    assert counted.paths_of(Path("/dev/nvme2n1"), tmp_path) == 1
    assert counted.paths_of(Path("/dev/nvme3n1"), tmp_path) == 0


class Noted:
    """Stands in for a lab: notes what is set up and taken down."""

    log: ClassVar[list[str]] = []

    def __init__(self, _topology: object) -> None:
        self.network = self

    def renew_endpoints(self) -> None:
        self.log.append("renew")

    def __enter__(self) -> Noted:
        self.log.append("up")
        return self

    def __exit__(self, *_: object) -> None:
        self.log.append("down")


def test_links_stand_until_a_run_wants_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "Lab", Noted)
    monkeypatch.setattr(measure.Bench, "ready", lambda self: contextlib.nullcontext())
    stand = measure.Stand()
    Noted.log.clear()
    native = figures.NATIVE["numa"]
    for setup in (figures.TCP, native, figures.MPTCP, figures.MPTCP, figures.ADVISED):
        assert stand.bench(Row(setup, figures.CLEAN)).row.setup == setup
    assert Noted.log == ["up", "renew", "down", "up", "down", "up"]
    stand.bench(Row(figures.ADVISED, figures.HALF))
    stand.clear()
    assert Noted.log[6:] == ["down", "up", "down"]
    stand.clear()
    assert Noted.log[9:] == []


class Planned:
    """Stands in for a network whose endpoints the planner has made; notes what ip is told."""

    def __init__(self) -> None:
        self.network = self
        self.told: list[str] = []

    def run(self, _side: str, *_words: str) -> str:
        return json.dumps([{"id": 7 + i, "address": f"10.1.{i}.2"} for i in (1, 2, 3, 4)])

    def ip(self, side: str, line: str) -> None:
        self.told.append(f"{side}: {line}")


def test_the_backup_is_the_endpoint_of_its_link() -> None:
    lab = Planned()
    measure.Bench(lab, Row(figures.BACKUP, figures.QUARTER))._make_backup()  # type: ignore[arg-type]
    assert lab.told == ["host: mptcp endpoint change id 11 backup"]


def test_a_run_is_written_as_a_whole(tmp_path: Path) -> None:
    drive.write(tmp_path / "a.1.json", {"b": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["a.1.json"]
