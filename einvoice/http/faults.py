"""Why a request has no response. The messages may be shown to the person who gave the URL."""

from __future__ import annotations


class HttpFault(Exception):
    """No response. `maybe_sent` is False only if certainly no byte of the request was sent."""

    def __init__(self, detail: str, *, maybe_sent: bool = False) -> None:
        super().__init__(detail)
        self.maybe_sent = maybe_sent


class Blocked(HttpFault):
    """The policy forbids the URL or an address of its host; nothing was connected."""


class Unreachable(HttpFault):
    """The name does not resolve, or no address accepts the connection."""


class TlsFailed(Unreachable):
    """The certificate is not for this host or not trusted, or the handshake failed."""


class TimedOut(HttpFault):
    """Connecting, one read, or the whole request took too long."""


class BrokenOff(HttpFault):
    """The connection ended within the response, or the response was not HTTP."""


class ResponseTooLarge(HttpFault):
    """The response is longer than the limit of the caller."""
