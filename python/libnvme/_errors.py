# SPDX-License-Identifier: LGPL-2.1-or-later
"""Exceptions of libnvme.nvme: a class and a word for each reason, and whether to try again."""

from __future__ import annotations

import errno as _errno

TYPE_CHECKING = False  # typing defines it, but importing typing takes longer than this module
if TYPE_CHECKING:
    from typing import Any

    from ._options import ErrorCode

#: Reasons that can disappear without a change on this machine: words, and errnos.
_RETRYABLE = frozenset(("refused", "unreachable", "timeout"))
_TRANSIENT = frozenset(
    (_errno.EAGAIN, _errno.EBUSY, _errno.EINTR, _errno.ENOMEM, _errno.ECONNRESET, _errno.ESTALE)
)


class Error(RuntimeError):
    """A request that the kernel, a controller or a target refused; each derived class is one
    reason.

    The text explains it. The attribute errno is an errno, or one of libnvme's codes from
    ENVME_CONNECT_RESOLVE (1000) on.
    """

    #: The reason as a word, such as "refused" or "timeout"; nvme.ErrorCode lists all.
    code: ErrorCode = "other"

    def __init__(self, errno: int, text: str) -> None:
        super().__init__(text)
        self.errno = errno
        if type(self).code == "other":
            self.code = _WORDS.get(errno, "other")

    @property
    def retryable(self) -> bool:
        """Whether the same call can succeed later without a change on this machine."""
        return self.code in _RETRYABLE or self.errno in _TRANSIENT

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.errno, str(self))


class RefusedError(Error):
    """Nothing listens at the address: the target is down, or its port uses another transport."""

    code = "refused"


class UnreachableError(Error):
    """No host or network answers at the address."""

    code = "unreachable"


class TimedOutError(Error):
    """No answer within the timeout."""

    code = "timeout"


class NotAllowedError(Error):
    """The target has no such subsystem, or the subsystem does not allow this host."""

    code = "not-allowed"


class AuthenticationError(Error):
    """DH-HMAC-CHAP or TLS: a key is missing or wrong."""

    code = "authentication"


class AlreadyConnectedError(Error):
    """The host is already connected to this subsystem at this address."""

    code = "already-connected"


for _public in (Error, *Error.__subclasses__()):
    _public.__module__ = "libnvme.nvme"

#: Words for reasons that have no class of their own, by errnos and codes.
_WORDS_OF: dict[ErrorCode, tuple[int, ...]] = {
    "privileges": (_errno.EACCES, _errno.EPERM),
    "busy": (_errno.EAGAIN, _errno.EBUSY),
    "closed": (_errno.ECONNRESET,),
    # RESOLVE, ADDRFAM, TRADDR, TARG, AARG, INVAL, ADDRINUSE, NODEV, ADDRNOTAVAIL
    "invalid": (_errno.EINVAL, 1000, 1001, 1002, 1003, 1004, 1013, 1014, 1015, 1018),
    "unsupported": (_errno.EOPNOTSUPP, 1005, 1016),  # OPEN, OPNOTSUPP
}
_WORDS = {number: word for word, numbers in _WORDS_OF.items() for number in numbers}

_WRITE, _NO_KEY = 1006, 1020

_ERRNOS_OF: dict[type[Error], tuple[int, ...]] = {
    RefusedError: (_errno.ECONNREFUSED, 1017),
    UnreachableError: (
        _errno.EHOSTUNREACH, _errno.ENETUNREACH, _errno.EHOSTDOWN, _errno.ENETDOWN,
    ),
    TimedOutError: (_errno.ETIMEDOUT,),
    AuthenticationError: (_errno.EKEYREJECTED, _errno.ENOKEY, _NO_KEY),
    AlreadyConnectedError: (1012,),
}  # fmt: skip
_CLASSES = {number: cls for cls, numbers in _ERRNOS_OF.items() for number in numbers}

#: Texts that src/nvme/fabrics/error.c writes after the address for an errno without its own code.
_MEANINGS: dict[str, int] = {
    "connection timed out": _errno.ETIMEDOUT,
    "host unreachable": _errno.EHOSTUNREACH,
    "network unreachable": _errno.ENETUNREACH,
    "connection closed by the target": _errno.ECONNRESET,
    "the target refused the connection": _errno.EIO,
    "authentication failed": _errno.EKEYREJECTED,
    "Key was rejected by service": _errno.EKEYREJECTED,
}

#: Texts that it adds if the target knows neither the subsystem nor the host.
_NOT_ALLOWED = (" (the target has no subsystem ", " (does it have subsystem ")


def _meaning(text: str) -> tuple[str | None, str]:
    """Return the reason that the sentence of a failed connect states, and the text after it."""
    found = [(at, words) for words in _MEANINGS if (at := text.find(f": {words}")) >= 0]
    if not found:
        return None, ""
    at, words = min(found)
    rest = text[at + 2 + len(words) :]
    return (words, rest) if rest[:1] in ("", " ", ";") else (None, "")


def _is_not_allowed(text: str) -> bool:
    return any(words in text for words in _NOT_ALLOWED) or (
        " (subsystem " in text and " does not allow host " in text
    )


def error_of(errno: int, text: str) -> Error:
    """Make the exception for an errno or a code, and the sentence that explains it."""
    if errno < 1000:
        return _CLASSES.get(errno, Error)(errno, text)
    if _is_not_allowed(text):
        return NotAllowedError(_errno.EIO if errno == _WRITE else errno, text)
    words, _ = _meaning(text)
    if words and "uthentication" in words:
        return AuthenticationError(errno if errno != _WRITE else _MEANINGS[words], text)
    if errno != _WRITE:
        if errno == 1005 and "needs root" in text:
            return Error(_errno.EACCES, text)
        return _CLASSES.get(errno, Error)(errno, text)
    number = _MEANINGS.get(words or "", errno)
    return _CLASSES.get(number, Error)(number, text)
