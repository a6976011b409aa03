# SPDX-License-Identifier: LGPL-2.1-or-later
"""Secrets for DH-HMAC-CHAP."""

from __future__ import annotations

import base64
import binascii
import hmac as hmac_of
import secrets
import zlib
from typing import Literal, get_args

Hash = Literal["none", "sha256", "sha384", "sha512"]

#: Lengths of a secret in bytes, and the hash with that digest size.
LENGTHS = {32: "sha256", 48: "sha384", 64: "sha512"}

_FORM = "DHHC-1:00:...:, as created by generate_dhchap_key() and nvme gen-dhchap-key"


def require_dhchap_key(key: str, name: str) -> None:
    """Raise TypeError or ValueError, which name the argument, if key is not a secret."""
    if not isinstance(key, str):
        raise TypeError(f"argument {name!r} must be str, not {type(key).__name__}")
    parts = key.split(":")
    if len(parts) != 4 or parts[0] != "DHHC-1" or parts[1] not in ("00", "01", "02", "03"):
        raise ValueError(f"{name} is not a DH-HMAC-CHAP secret: {_FORM}")
    try:
        secret = base64.b64decode(parts[2], validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"{name} is not a DH-HMAC-CHAP secret: {_FORM}") from None
    if len(secret) - 4 not in LENGTHS:
        raise ValueError(f"{name} is not a DH-HMAC-CHAP secret: it has {len(secret) - 4} bytes")
    if zlib.crc32(secret[:-4]).to_bytes(4, "little") != secret[-4:] or parts[3]:
        raise ValueError(f"{name} is not a DH-HMAC-CHAP secret: its checksum is wrong")


def generate_dhchap_key(
    hmac: Hash = "none", length: int | None = None, hostnqn: str | None = None
) -> str:
    """Make a random secret for DH-HMAC-CHAP: "DHHC-1:00:...:", as nvme-gen-dhchap-key(1) does.

    hmac is the hash that transforms the secret for the host hostnqn, by default this machine's;
    "none" leaves it unchanged, so that every host can use it. length is 32, 48 or 64 bytes, by
    default the digest size of the hash, or 32.
    """
    names = get_args(Hash)
    if hmac not in names:
        raise ValueError(f"hmac is {hmac!r}, not one of {', '.join(names)}")
    sizes = {name: size for size, name in LENGTHS.items()}
    size = length if length is not None else sizes.get(hmac, 32)
    if size not in LENGTHS:
        raise ValueError(f"length is {size!r}, not 32, 48 or 64")
    if hmac != "none" and size != sizes[hmac]:
        raise ValueError(f"length is {size}: {hmac} makes secrets of {sizes[hmac]} bytes")
    secret = secrets.token_bytes(size)
    if hmac != "none":
        from . import nvme

        name = hostnqn or nvme.hostnqn_from_file()
        if not name:
            raise ValueError("hostnqn is None, and this machine has none in /etc/nvme/hostnqn")
        secret = hmac_of.new(secret, name.encode() + b"NVMe-over-Fabrics", hmac).digest()
    elif hostnqn is not None:
        raise ValueError("hostnqn: only a secret with a hash is transformed for a host, see hmac")
    secret += zlib.crc32(secret).to_bytes(4, "little")
    return f"DHHC-1:{names.index(hmac):02}:{base64.b64encode(secret).decode()}:"


generate_dhchap_key.__module__ = "libnvme.nvme"
