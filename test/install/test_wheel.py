# SPDX-License-Identifier: LGPL-2.1-or-later
"""pip install . from a clean checkout: a wheel that needs nothing of this project beside it."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
from installed import captured, modules

TOP = Path(__file__).resolve().parents[2]
PROGRAM = """
from importlib.metadata import version

from libnvme import __libnvme_version__, __version__, mptcp, nvme, nvmet

root = nvme.root()
print(__version__ == version("nvme-mptcp"), end=" ")
print(__libnvme_version__, nvme.NVMF_TRTYPE_MPTCP, len(list(root.hosts())) >= 0)
print(type(mptcp.snapshot()).__name__, nvmet.Port.__name__, nvme.__file__, sep="\\n")
"""


def checkout(to: Path) -> Path:
    """The files that are under version control, as they stand, and nothing that was built."""
    if not shutil.which("git") or not (TOP / ".git").exists():
        pytest.skip("skipped: not a checkout")
    listed = captured(["git", "ls-files", "-z"], cwd=TOP, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (TOP / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, to / name)
    return to


class Environment:
    """A virtual environment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        subprocess.run([sys.executable, "-m", "venv", path], check=True, timeout=120)

    def run(
        self, *words: str | Path, cwd: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run its Python, away from the sources unless it is told where."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return captured(
            [self.path / "bin/python", *words],
            cwd=cwd or self.path,
            env=inherited | variables,
            timeout=600,
        )


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment that the package was installed into, as a user does it."""
    source = checkout(tmp_path_factory.mktemp("checkout"))
    made = Environment(tmp_path_factory.mktemp("environment"))
    pip = ("-m", "pip", "--disable-pip-version-check")
    # What builds wheels comes from the package index, and is all that does.
    tools = made.run(*pip, "download", "-q", "--no-deps", "-d", "index", "meson-python>=0.18")
    if tools.returncode:
        pytest.skip("skipped: the package index cannot be reached")
    done = made.run(*pip, "wheel", "-q", "--no-deps", "-w", "wheels", source, CFLAGS="-O0 -g0")
    assert done.returncode == 0, done.stdout + done.stderr
    [wheel] = made.path.glob("wheels/*.whl")
    done = made.run(*pip, "install", "-q", "--no-index", wheel)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


def test_installed_from_the_checkout(
    environment: Environment, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As documents have it: pip install ."""
    source = checkout(tmp_path_factory.mktemp("source"))
    other = Environment(tmp_path_factory.mktemp("other"))
    done = other.run("-m", "pip", "install", "-q", ".", cwd=source, CFLAGS="-O0 -g0")
    assert done.returncode == 0, done.stdout + done.stderr
    done = other.run("-c", PROGRAM)
    assert done.stdout.startswith("True "), done.stderr


def test_wheel_holds_what_it_needs(environment: Environment) -> None:
    """The modules, their types, the licence's name, and no library outside the system's."""
    [wheel] = environment.path.glob("wheels/nvme_mptcp-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("libnvme/")]
        found = sorted(re.sub(r"[.]cpython-[^/]*[.]so$", ".so", name[8:]) for name in names)
        made = "__init__.py _mptcp.pyi _mptcp.so _nvme.so _options.py nvme.py nvme.pyi py.typed"
        assert found == sorted([*modules(), *made.split()])
        assert archive.read("libnvme/py.typed") == b""
        for name in names:
            if name.endswith(".so"):
                module = Path(archive.extract(name, environment.path))
                dynamic = captured(["readelf", "-d", module], check=True).stdout
                assert "NEEDED" in dynamic
                assert "libnvme" not in dynamic
                assert "RUNPATH" not in dynamic
                # What watches a connect registers itself: nothing refers to it.
                assert "_nvme." not in name or b"/.lock-%s-%s" in module.read_bytes()


def test_metadata(environment: Environment) -> None:
    [wheel] = environment.path.glob("wheels/*.whl")
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
        licences = [Path(name).name for name in archive.namelist() if "/licenses/" in name]
    assert metadata["Name"] == "nvme-mptcp"
    assert metadata["License-Expression"] == "LGPL-2.1-or-later"
    assert sorted(licences) == ["COPYING", "LGPL-2.1-or-later.txt"]
    assert metadata["Author"] and metadata.get_all("Project-URL")
    assert "Operating System :: POSIX :: Linux" in metadata.get_all("Classifier", [])


def test_import_works(environment: Environment) -> None:
    """All modules import from where they were installed, and work."""
    done = environment.run("-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:3] == ["True 1.16.2 4 True", "Snapshot", "Port"]
    assert lines[3].startswith(str(environment.path))
    done = environment.run("-m", "libnvme.nvmet", "save", "--root", "/nonexistent")
    assert done.returncode == 1
    assert "/nonexistent" in done.stderr


def test_types_are_found(environment: Environment) -> None:
    """mypy finds the stubs of the installed package: a sample program is well typed, strictly."""
    if subprocess.run([sys.executable, "-m", "mypy", "-V"], capture_output=True).returncode:
        pytest.skip("skipped: mypy is missing")
    python = environment.path / "bin/python"
    mypy = [
        sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir=/dev/null",
        f"--python-executable={python}",
    ]  # fmt: skip
    inherited = {k: v for k, v in os.environ.items() if k not in ("MYPYPATH", "PYTHONPATH")}
    sample = str(TOP / "test/python/typed.py")
    done = captured([*mypy, sample], env=inherited, cwd=environment.path)
    assert done.returncode == 0, done.stdout + done.stderr
