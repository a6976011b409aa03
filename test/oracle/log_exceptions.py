# SPDX-License-Identifier: GPL-2.0-or-later
"""Where log page commands deliberately print or do something else than Debian's nvme 2.13."""

from __future__ import annotations

from program_exceptions import Exception_

EXCEPTIONS: tuple[Exception_, ...] = (
    Exception_(
        ("self-test-log",),
        ("bytes",),
        "",
        "the original writes nothing with -o binary",
        "`-o binary` writes the bytes of every log page",
    ),
    Exception_(
        ("self-test-log",),
        ("line",),
        "Status Code",
        "sentences about a status are the original library's own; its name is the same",
        "the name of an NVMe status, without the sentence",
        lambda _, d: str(d.theirs).startswith(str(d.ours)),
    ),
    Exception_(
        ("changed-ns-list-log", "changed-alloc-ns-list-log"),
        ("line",),
        "no ns changed",
        "the original prints that nothing changed behind the namespaces that did",
        "`no ns changed` alone",
        lambda _, d: d.ours is None,
    ),
    Exception_(
        ("changed-ns-list-log", "changed-alloc-ns-list-log"),
        ("document",),
        "",
        "the original prints no document when more namespaces changed than the page holds",
        "`more than 1024 ns changed` in JSON",
    ),
)
