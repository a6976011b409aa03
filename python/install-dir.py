#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints where this Python looks for packages below a prefix."""

import site
import sys
import sysconfig


def main() -> None:
    """Distributions have directories of their own; elsewhere the scheme decides."""
    prefix = sys.argv[1].rstrip("/")
    own = [path for path in site.getsitepackages() if path.startswith(f"{prefix}/lib")]
    base = {"base": prefix, "platbase": prefix}
    print(own[0] if own else sysconfig.get_path("platlib", "posix_prefix", vars=base))


if __name__ == "__main__":
    main()
