# SPDX-License-Identifier: GPL-2.0-or-later
"""The Ansible role of doc/monitoring: ansible-lint passes, and it does what it promises."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import NVME, TOP, live
from fake_sysfs import NO_CONTROLLERS
from mptcp_net import Network
from nvmelab import pypi

ANSIBLE = TOP / "doc/monitoring/ansible"

#: The last ones that Python 3.11 runs.
PACKAGES = ("ansible-core>=2.17,<2.20", "ansible-lint>=25")


@pytest.fixture(scope="session")
def programs() -> Path:
    """The directory of ansible-playbook and ansible-lint, in an environment of the cache."""
    return pypi.programs("ansible", *PACKAGES)


def environment(programs: Path, home: Path) -> dict[str, str]:
    """Nothing of Ansible's lands outside the test's directory."""
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_HOME": str(home / "ansible"),
        "ANSIBLE_LOCAL_TEMP": str(home / "tmp"),
        "ANSIBLE_REMOTE_TEMP": str(home / "tmp"),
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        "LIBNVME_SYSFS_PATH": NO_CONTROLLERS,
    }


def test_ansible_lint_passes(programs: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        ["ansible-lint", "--offline", "--nocolor", "--strict", "--project-dir", tmp_path,
         ANSIBLE / "site.yml", ANSIBLE / "roles"],
        cwd=tmp_path, env=environment(programs, tmp_path), capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def net() -> Iterator[Network]:
    with Network(3) as net:
        yield net


@dataclass
class Play:
    """What became of a play, and the facts that it left."""

    status: int
    out: str
    changed: int
    facts: dict[str, Any]


PLAYBOOK = """\
- hosts: localhost
  connection: local
  gather_facts: false
  roles: [nvme_mptcp]
  post_tasks:
    - ansible.builtin.copy:
        dest: "{{ facts }}"
        content: >-
          {{ {'endpoints': nvme_mptcp_endpoints, 'controllers': nvme_mptcp_controllers,
              'plan': nvme_mptcp_plan, 'findings': nvme_mptcp_findings} | to_json }}
        mode: "0600"
      check_mode: false
      changed_when: false
"""


def play(programs: Path, net: Network, home: Path, *options: str, **variables: Any) -> Play:
    """Runs the role on the host's side."""
    facts = home / "facts.json"
    facts.unlink(missing_ok=True)
    (home / "play.yml").write_text(PLAYBOOK)
    given = {
        "nvme_mptcp_command": [str(NVME), "mptcp"],
        "nvme_mptcp_traddrs": ["10.77.1.1"],
        "facts": str(facts),
    } | variables
    done = subprocess.run(
        ["ip", "netns", "exec", net.host, "ansible-playbook", "-i", "localhost,", *options,
         "-e", json.dumps(given), home / "play.yml"],
        env=environment(programs, home) | {"ANSIBLE_ROLES_PATH": str(ANSIBLE / "roles")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    out = done.stdout + done.stderr
    counts = out.rsplit("changed=", 1)
    assert len(counts) == 2, out
    document = json.loads(facts.read_text()) if facts.exists() else {}
    return Play(done.returncode, out, int(counts[1].split()[0]), document)


def endpoints(net: Network) -> str:
    shown = subprocess.run(
        ["ip", "-n", net.host, "mptcp", "endpoint", "show"], capture_output=True, text=True
    )
    return shown.stdout


@live
def test_a_host_is_set_up_once(programs: Path, net: Network, tmp_path: Path) -> None:
    planned = play(programs, net, tmp_path, "--check")
    assert planned.status == 0 and planned.changed == 1, planned.out
    assert {step["state"] for step in planned.facts["plan"]["steps"]} == {"planned"}
    assert endpoints(net) == ""

    first = play(programs, net, tmp_path)
    assert first.status == 0 and first.changed == 1, first.out
    assert "10.77.2.2" in endpoints(net) and "10.77.3.2" in endpoints(net)

    second = play(programs, net, tmp_path)
    assert second.status == 0 and second.changed == 0, second.out
    assert second.facts["plan"]["steps"] == [] and second.facts["controllers"] == []
    assert len(second.facts["endpoints"]["endpoints"]) >= 2


@live
def test_errors_end_the_play(programs: Path, net: Network, tmp_path: Path) -> None:
    net.sysctl(net.host, "net.mptcp.enabled=0")
    options = {"nvme_mptcp_actions": ["check"]}
    failed = play(programs, net, tmp_path, **options)
    assert failed.status != 0 and "MPTCP is disabled" in failed.out, failed.out
    calm = play(programs, net, tmp_path, nvme_mptcp_fail_on="never")
    assert calm.status == 0, calm.out
    assert "K02" in [finding["rule"] for finding in calm.facts["findings"]]
    ignored = play(programs, net, tmp_path, nvme_mptcp_ignore=["K02", "H01"])
    assert ignored.status == 0, ignored.out


CONFIG = [
    {
        "hostnqn": "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555",
        "subsystems": [],
    }
]


@live
def test_the_configuration_is_written_once(programs: Path, net: Network, tmp_path: Path) -> None:
    """What is connected at boot; where nothing can be connected now, the reason is shown."""
    file = tmp_path / "etc/config.json"
    options = {
        "nvme_mptcp_actions": ["config", "setup", "inventory", "check"],
        "nvme_mptcp_command": [str(NVME), "mptcp"],
        "nvme_mptcp_config": CONFIG,
        "nvme_mptcp_config_file": str(file),
        "nvme_mptcp_fail_on": "never",
    }
    first = play(programs, net, tmp_path, **options)
    assert first.status == 0 and first.changed >= 2, first.out
    assert json.loads(file.read_text()) == CONFIG
    assert file.stat().st_mode & 0o777 == 0o600
    second = play(programs, net, tmp_path, **options)
    assert second.status == 0 and second.changed == 0, second.out
    options["nvme_mptcp_actions"] = ["config", "connect"]
    failed = play(programs, net, tmp_path, **options)
    assert failed.status != 0 and "are the NVMe modules loaded?" in failed.out, failed.out


@live
def test_wrong_arguments_are_named(programs: Path, net: Network, tmp_path: Path) -> None:
    wrong = play(programs, net, tmp_path, nvme_mptcp_role="both")
    assert wrong.status != 0 and "nvme_mptcp_role must be one of: host, target" in wrong.out
    assert endpoints(net) == ""
