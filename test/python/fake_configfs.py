# SPDX-License-Identifier: LGPL-2.1-or-later
"""configfs below nvmet as plain directories: what the kernel makes, keeps and refuses."""

import errno
import os
import shutil
from pathlib import Path
from typing import Any

TRANSPORTS = ("mptcp", "tcp", "loop", "rdma", "fc")

ADDRESS = {
    "addr_trtype": "",
    "addr_adrfam": "",
    "addr_traddr": "",
    "addr_trsvcid": "",
    "addr_treq": "not specified",
}

# What appears in a new directory: files with their text, directories with what they hold.
TEMPLATES: dict[str, dict[str, Any]] = {
    "hosts": {
        "dhchap_key": "",
        "dhchap_ctrl_key": "",
        "dhchap_hash": "hmac(sha256)",
        "dhchap_dhgroup": "null",
    },
    "subsystems": {
        "attr_allow_any_host": "0",
        "attr_serial": "f00d",
        "attr_model": "Linux",
        "attr_version": "2.1",
        "attr_cntlid_min": "1",
        "attr_cntlid_max": "65519",
        "allowed_hosts": {},
        "namespaces": {},
        "passthru": {
            "device_path": "(null)",
            "enable": "0",
            "admin_timeout": "0",
            "io_timeout": "0",
            "clear_ids": "0",
        },
    },
    "namespaces": {
        "device_path": "(null)",
        "device_nguid": "00000000-0000-0000-0000-000000000000",
        "device_uuid": "00000000-0000-0000-0000-000000000000",
        "ana_grpid": "1",
        "buffered_io": "0",
        "resv_enable": "0",
        "enable": "0",
        "revalidate_size": "",
    },
    "ports": ADDRESS
    | {
        "addr_tsas": "none",
        "param_inline_data_size": "-1",
        "subsystems": {},
        "referrals": {},
        "ana_groups": {"1": {"ana_state": "optimized"}},
    },
    "referrals": ADDRESS | {"addr_portid": "0", "enable": "0"},
    "ana_groups": {"ana_state": "inaccessible"},
}


def refuse(number: int, path: Path) -> None:
    """Fail as the kernel does."""
    raise OSError(number, os.strerror(number), str(path))


class FakeConfigfs:
    """The directory nvmet of configfs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("hosts", "subsystems", "ports"):
            (root / name).mkdir(parents=True)
        (root / "discovery_nqn").write_text("nqn.2014-08.org.nvmexpress.discovery\n")
        self.bad_device = "/dev/missing"

    def mkdir(self, path: Path) -> None:
        """mkdir(2), or nothing if it is there: fills the new directory."""
        if not path.exists():
            path.mkdir()
            self._fill(path, TEMPLATES[path.parent.name])

    def _fill(self, top: Path, template: dict[str, Any]) -> None:
        for name, content in template.items():
            if isinstance(content, dict):
                (top / name).mkdir()
                self._fill(top / name, content)
            else:
                (top / name).write_text(content + "\n")

    def rmdir(self, path: Path) -> None:
        """rmdir(2): only what was made by mkdir(2) or symlink(2) is in the way."""
        kind = path.parent.name
        if kind not in TEMPLATES or (kind == "ana_groups" and path.name == "1"):
            refuse(errno.EPERM, path)
        for child in path.iterdir():
            if child.is_dir() and child.name != "passthru":
                users = [p for p in child.iterdir() if (child.name, p.name) != ("ana_groups", "1")]
                if users:
                    refuse(errno.ENOTEMPTY, path)
        for link in self.root.glob("*/*/*/*"):
            if link.is_symlink() and Path(os.readlink(link)) == path:
                refuse(errno.EBUSY, path)
        shutil.rmtree(path)

    def check_write(self, path: Path, text: str) -> None:
        """Refuse what the kernel refuses."""
        if path.name == "addr_trtype" and text not in TRANSPORTS:
            refuse(errno.EINVAL, path)
        if path.name.startswith(("addr_", "param_")) and any(
            (path.parent / "subsystems").glob("*")
        ):
            refuse(errno.EACCES, path)
        if (
            path.parent.parent.name == "namespaces"
            and path.name.startswith(("device_", "buffered_", "resv_"))
            and (path.parent / "enable").read_text().strip() == "1"
        ):
            refuse(errno.EBUSY, path)
        if path.name in ("attr_serial", "attr_model", "attr_version") and any(
            Path(os.readlink(link)) == path.parent
            for link in self.root.glob("ports/*/subsystems/*")
        ):
            refuse(errno.EINVAL, path)  # a host may have seen it
        allowed = path.parent / "allowed_hosts"
        if path.name == "attr_allow_any_host" and text == "1" and any(allowed.iterdir()):
            refuse(errno.EINVAL, path)
        if path.name == "enable" and path.parent.parent.name == "namespaces" and text == "1":
            device = (path.parent / "device_path").read_text(errors="replace").strip()
            if device in ("(null)", self.bad_device):
                refuse(errno.ENOENT if device == self.bad_device else errno.ENXIO, path)
        if path.name == "dhchap_key" and not text.startswith("DHHC-1:"):
            refuse(errno.EINVAL, path)

    def tree(self) -> dict[str, str]:
        """Everything: files with their text, links with what they lead to."""
        return {
            str(path.relative_to(self.root)): os.readlink(path)
            if path.is_symlink()
            else path.read_text()
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }
