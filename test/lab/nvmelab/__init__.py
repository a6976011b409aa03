# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab: a real Linux kernel with NVMe over MPTCP in a virtual machine.

``cli`` parses the command line, ``kernel`` builds the kernel, ``root`` the guest's root image, and
``boot`` its modules and initramfs. ``machine`` runs QEMU, and ``klog`` judges the kernel log.
The host side needs only the standard library of Python 3.11.
"""

import sys
from pathlib import Path

# nvmetools must be importable in tests, in scripts and in the guest.
sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))
