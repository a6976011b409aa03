# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages of the C library are records of Python's logging."""

from pathlib import Path

import pytest
from conftest import Python
from fake_sysfs import FakeHost

KEEP = """
import logging
records = []
class Keep(logging.Handler):
    def emit(self, record):
        records.append((record.levelname, record.getMessage()))
logger = logging.getLogger("libnvme")
logger.addHandler(Keep())
logger.propagate = False
"""


@pytest.fixture
def python(host: FakeHost) -> Python:
    """Python that keeps all records."""
    return Python(host, KEEP)


def test_messages_are_records(python: Python, tmp_path: Path) -> None:
    """At their level, as they are: nothing in them is a format, and no byte gets lost."""
    broken = tmp_path / "100%d.json"
    broken.write_text('[{"hostnqn": "nqn.2014-08.org.example:h", "subsystems": 5}]')
    out = python(f"""
        logger.setLevel(logging.DEBUG)
        try:
            nvme.root({str(broken)!r})
        except Exception:
            pass
        (level, text), = records
        print(level, text)
    """)
    assert out.startswith("ERROR ") and str(broken) in out, out
    assert "subsystems" in out


def test_the_level_of_a_tree_and_the_logger_both_count(python: Python) -> None:
    """A tree leaves out what is above its level, and the logger what is below its own."""
    out = python("""
        def complaints(tree, level):
            records.clear()
            root = nvme.root()
            root.log_level(tree)
            logger.setLevel(level)
            try:
                nvme.ctrl(root, subsysnqn="nqn.2024-01.org.example:a", transport="tcp")
            except Exception:
                pass
            return len([text for _, text in records if "No transport address" in text])
        for tree, level in ("err", "DEBUG"), ("crit", "DEBUG"), ("err", "CRITICAL"):
            print(complaints(tree, level))
    """)
    assert out.split() == ["1", "0", "0"]


def test_a_handler_that_raises_stops_nothing(python: Python) -> None:
    """Its exception is reported where unraisable ones are, and the call's own is raised."""
    out = python("""
        import sys
        class Bad(logging.Filter):
            def filter(self, record):
                raise KeyError("filter")
        logging.getLogger("libnvme").addFilter(Bad())
        seen = []
        sys.unraisablehook = lambda unraisable: seen.append(unraisable.exc_type.__name__)
        try:
            nvme.ctrl(nvme.root(), subsysnqn="nqn.2024-01.org.example:a", transport="tcp")
        except Exception as error:
            print(type(error).__name__)
        print(seen)
    """)
    assert out.splitlines()[-1] == "['KeyError']"
    assert "KeyError" not in out.splitlines()[0]
    assert len(out.splitlines()) == 2
