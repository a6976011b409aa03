# SPDX-License-Identifier: LGPL-2.1-or-later
"""A controller with a Replay Protected Memory Block, which preload-rpmb.c plays."""

from fake_sysfs import FakeHost

KEY = "0123456789abcdef0123456789ABCDEF"
OTHER_KEY = KEY.upper()
IDENTIFY, RPMBS = "admin-06-01", 312
#: Two targets of 128 KiB, two sectors in an access.
TWO_TARGETS = 0x01000002


def add(host: FakeHost, rpmbs: int = TWO_TARGETS, *, counter: int = 77, key: str = KEY) -> None:
    """Adds targets to the controller nvme0; the first one has a key unless that is empty."""
    device = host.fake / "nvme0"
    identify = bytearray((device / IDENTIFY).read_bytes())
    identify[RPMBS : RPMBS + 4] = rpmbs.to_bytes(4, "little")
    (device / IDENTIFY).write_bytes(identify)
    (device / "rpmb").write_text("")
    (device / "rpmb-config").write_bytes(b"\1\2" + bytes(510))
    if key:
        (device / "rpmb-key-0").write_text(key)
        (device / "rpmb-counter-0").write_text(str(counter))
