# SPDX-License-Identifier: GPL-2.0-or-later
"""Which suites should see a fault, by the room that it is in."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

#: Programs that the tests of the command line need.
CLI_TARGETS = (
    "nvme-cli/nvme", "nvme-cli/commands.json", "libnvme/options.json", "test/cli/fake-kernel.so",
    "test/cli/fail-alloc.so", "test/cli/left.so",
)  # fmt: skip

#: Directories of pytest below test/ with the build that their tests see, and what they need of it.
SUITES = {
    "cli": ("sanitized", CLI_TARGETS),
    "python": ("plain", ("python-package", *CLI_TARGETS)),
    "oracle": (
        "plain",
        (
            "test/oracle/oracle",
            "test/oracle/oracle-objects",
            "test/bench/bench-config",
            "plugins/mptcp/alone/nvme-mptcp",
            "python-package",
            *CLI_TARGETS,
        ),
    ),
    "shapes": ("plain", ("python-package", *CLI_TARGETS)),
}


@dataclass(frozen=True)
class Room:
    """Tests of one room, as patterns: C unit tests, and files of the directories of SUITES."""

    prefix: str
    unit: tuple[str, ...] = ()
    cli: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    oracle: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()


TREE_CLI = ("test_list*.py", "test_connect.py", "test_disconnect.py", "test_discover.py")
MPTCP_CLI = ("test_mptcp*.py",)

#: What is printed beside Debian 13's nvme.
THEIR_PROGRAM = ("test_program.py", "test_log_pages.py", "test_commands.py", "*")

#: What a sanitizer makes impossible is tested without: its allocator does not fail, and keeps what
#: was freed.
UNSANITIZED = ("cli/test_alloc.py", "cli/test_alloc_commands.py", "cli/test_left.py")

#: The longest prefix counts.
ROOMS = (
    Room("src/shared/", ("json-stream", "config-*", "mptcp-*"), ("test_list*.py", *MPTCP_CLI)),
    Room(
        "src/input/",
        ("input-*",),
        ("test_conn*.py", "test_disc*.py", "test_[a-fn-z]*.py"),
        python=("test_fabrics.py", "test_configured.py", "test_threads.py"),
    ),
    Room("src/nvme/", ("*",), ("*",)),
    Room("src/nvme/transport.c", ("transport", "fabrics-*", "tree-*"), ("test_connect*.py",)),
    Room("src/nvme/base/", ("util-*", "*"), TREE_CLI),
    Room("src/nvme/util/", ("util-*", "*"), ("test_device.py", "test_list*.py")),
    Room(
        "src/nvme/ioctl/",
        ("ioctl-*",),
        ("test_device.py", "test_features.py", "test_golden.py", "test_bad_devices.py"),
        oracle=("test_library.py",),
    ),
    Room("src/nvme/keys/", ("keys-*", "fabrics-tls"), ("test_keys.py", "test_connect.py")),
    Room(
        "src/nvme/tree/",
        ("tree-*", "util-public", "config-*", "fabrics-*"),
        (*TREE_CLI, "test_config*.py", "test_golden.py"),
        ("test_tree.py", "test_surface.py"),
    ),
    Room(
        "src/nvme/fabrics/",
        ("fabrics-*", "tree-*", "config-*", "mptcp-attribute"),
        ("test_conn*.py", "test_disc*.py", "test_dim.py", "test_nbft*.py", "test_config.py"),
        ("test_tree.py",),
    ),
    Room(
        "src/nvme/config/",
        ("config-*", "mptcp-plan-config"),
        ("test_config*.py", "test_mptcp_config.py", "test_connect_all.py", "test_mptcp_setup.py"),
    ),
    Room("src/mptcp/", ("mptcp-*",), MPTCP_CLI, ("test_mptcp.py",), shapes=("*",)),
    Room(
        "nvme-cli/",
        (),
        ("test_golden.py", "test_device.py", "test_features.py", "*"),
        oracle=THEIR_PROGRAM,
    ),
    Room("nvme-cli/fabrics/", ("out",), ("test_conn*.py", "test_disc*.py", "test_[a-fn-z]*.py")),
    Room(
        "nvme-cli/keys/",
        (),
        ("test_keys.py", "test_golden.py", "test_options.py"),
        oracle=THEIR_PROGRAM,
    ),
    Room(
        "nvme-cli/listing/",
        (),
        ("test_list*.py", "test_golden.py", "test_hostile_strings.py"),
        oracle=THEIR_PROGRAM,
    ),
    Room("nvme-cli/frame/", ("out",), ("test_golden.py", "*"), oracle=THEIR_PROGRAM),
    Room(
        "plugins/mptcp/",
        (),
        (*MPTCP_CLI, "test_golden.py", "test_hostile_strings.py"),
        shapes=("*",),
    ),
    *(
        Room(
            f"plugins/{name}/",
            (),
            (f"test_{name}*.py", "test_golden.py"),
            oracle=("test_plugins.py", *THEIR_PROGRAM),
        )
        for name in ("fdp", "nbft", "zns")
    ),
)

#: Runs as root on the machine's own network, or counts what sanitizers change.
LEFT_OUT = ("cli/test_startup.py",)


def room_of(path: Path) -> Room:
    """Returns the room of a file, the one with the longest prefix."""
    return max(
        (room for room in ROOMS if str(path).startswith(room.prefix)), key=lambda r: len(r.prefix)
    )


def ordered(patterns: tuple[str, ...], names: list[str]) -> list[str]:
    """Returns the names that a pattern takes, those of earlier patterns first."""
    return list(
        dict.fromkeys(n for pattern in patterns for n in sorted(names) if fnmatch(n, pattern))
    )
