# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab: a real Linux kernel with NVMe over MPTCP in a virtual machine.

``cli`` reads the command line, ``kernel`` makes the kernel, ``root`` the guest's root image,
``boot`` its modules and initramfs, ``machine`` runs QEMU, ``klog`` judges the kernel log.
The host side needs Python 3.11's standard library only.
"""

import sys
from pathlib import Path

# nvmetools, wherever the lab is imported: in tests, in scripts, in the guest
sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))
