"""Why an exchange has no answer. The messages may be shown to the person who gave the URL."""

from __future__ import annotations


class HttpFault(Exception):
    """No answer. `maybe_sent` is False only where surely no byte of the request has left."""

    def __init__(self, detail: str, *, maybe_sent: bool = False) -> None:
        super().__init__(detail)
        self.maybe_sent = maybe_sent


class Blocked(HttpFault):
    """The policy forbids the URL or an address behind it; nothing was connected."""


class Unreachable(HttpFault):
    """The name does not resolve, or nobody accepts the connection."""


class TlsFailed(Unreachable):
    """The certificate is not for this host, not trusted, or the handshake failed."""


class TimedOut(HttpFault):
    """Connecting, one read, or the whole exchange took too long."""


class BrokenOff(HttpFault):
    """The connection ended before the answer did, or what came was not HTTP."""


class ResponseTooLarge(HttpFault):
    """The answer is longer than the caller is willing to keep."""
