# SPDX-License-Identifier: GPL-2.0-or-later
"""Command lines of the plugins zns and fdp. CTRL and NS stand for the devices, IMAGE for a file."""

#: What changes something, in text alone: the original has no other format.
SENT: dict[str, tuple[str, ...]] = {
    "zns reset-zone": (
        "NS",
        "NS -a",
        "NS -s 0x100",
        "CTRL -n 3 -s 0x123456789abc -t 77",
        "NS -s 0x100 -a",
        "NS -s x",
    ),
    "zns close-zone": ("NS -a", "NS -s 0x100", "NS"),
    "zns finish-zone": ("NS -a", "NS -s 0x100"),
    "zns open-zone": ("NS -a", "NS -s 0x1234", "NS -s 0x100 -r", "NS -a -r", "NS"),
    "zns offline-zone": ("NS -a", "NS -s 0x100"),
    "zns set-zone-desc": (
        "NS -s 0x200 -d IMAGE",
        "NS -s 0x200 -d IMAGE -r -t 9",
        "CTRL -n 3 -s 0x200 -d IMAGE",
        "NS -d IMAGE",
        "NS -s 0x200",
        "NS -s 0x200 -d /nonexistent",
    ),
    "zns zrwa-flush-zone": ("NS -l 0x155", "NS -n 2 -l 0x123456789a", "NS"),
    "zns zone-mgmt-send": (
        "NS",
        "NS -z 4",
        "NS -z 4 -s 3",
        "NS -z 4 -a -o",
        "NS -z 16 -s 3 -l 64 -d IMAGE",
        "NS -z 16 -s 3 -d IMAGE",
        "NS -z 0x10 -s 0x33 -o -d IMAGE",
        "NS -z 3 -s 3 -o -l 64 -d IMAGE",
        "NS -z 17 -s 3",
        "NS -z 255 -s 3 -t 5",
        "NS -z 256 -s 3",
    ),
    "zns zone-append": (
        "NS",
        "NS -z 512 -d IMAGE",
        "NS -s 0x100 -z 512 -d IMAGE",
        "NS -s 0x100 -z 513 -d IMAGE",
        "NS -s 0x100 -z 1024 -d IMAGE -l -f -r 0x12345 -m 3 -a 4 -p 5 -P",
        "NS -s 0x100 -z 1024 -d IMAGE -p 16",
        "NS -s 0x100 -z 1024 -d IMAGE -y 8",
        "NS -s 0x100 -z 1024 -d IMAGE -r 0x1ffffffff",
        "CTRL -n 3 -s 0x123456789a -z 4096 -d IMAGE",
        "NS -s 0x100 -z 512 -d /nonexistent",
    ),
    "fdp update": (
        "NS -p 1",
        "NS -p 1,2,0x33",
        "CTRL -n 5 -p 65535",
        "NS",
        "NS -p x",
        "NS -p 65536",
        "NS -p 1,,2",
    ),
    "fdp set-events": (
        "NS -t 1",
        "NS -p 3 -t 0,1,0x81 -e",
        "NS -p 0xffff -t 0,1,0x81 -e -s -n 3",
        "NS -p 3",
        "NS -t x",
        "NS -t 256",
        "NS -p 65536 -t 1",
    ),
    "fdp feature": (
        "CTRL",
        "CTRL -e 1",
        "CTRL -e 1 -v",
        "CTRL -e 1 -c 2",
        "CTRL -e 0xffff -c 255",
        "CTRL -c 0",
        "CTRL -e 1 -d",
        "CTRL -e 1 -d -c 2",
        "CTRL -e 65536",
    ),
}

#: What shows an answer, in every format.
SHOWN: dict[str, tuple[str, ...]] = {
    "zns id-ctrl": ("CTRL", "NS"),
    "zns id-ns": ("NS", "NS -H", "NS -v", "CTRL -n 3 -H -v"),
    "zns changed-zone-list": ("NS", "CTRL -n 3 -r"),
    "fdp configs": ("CTRL -e 1", "CTRL -e 2 -H", "CTRL"),
    "fdp usage": ("CTRL -e 1", "CTRL"),
    "fdp stats": ("CTRL -e 1", "CTRL"),
    "fdp events": ("CTRL -e 1", "CTRL -e 3 -E", "CTRL"),
    "fdp status": ("NS", "CTRL -n 3"),
}

#: The same with answers whose counts are right.
REPORTED: dict[str, tuple[str, ...]] = {
    "zns report-zones": (
        "NS",
        "NS -d 2",
        "NS -d 0",
        "NS -d 9 -p",
        "NS -S 3",
        "NS -v",
        "NS -e -s 0x20",
        "NS -e -v -s 0x20 -d 3",
        "CTRL -n 3 -s 0x20 -d 1",
        "NS -d 20",
    ),
    "zns zone-mgmt-recv": (
        "NS",
        "NS -l 64",
        "NS -l 640 -z 1 -S 3 -p -s 0x20",
        "NS -l 64 -z 2",
        "NS -z 2",
        "NS -l 63",
    ),
}
