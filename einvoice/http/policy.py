"""Policies on where a client may connect: checks of the URL and of every resolved address."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from urllib3.exceptions import LocationParseError
from urllib3.util import Url, parse_url

from einvoice.http.addresses import Address, ends_in_number, is_inside, is_public, literal
from einvoice.http.faults import Blocked

_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")
_USER_INFO = re.compile(r"[^/?#]*//[^/?#]*@")
_LOCAL_NAMES = ("localhost", ".localhost", ".local", ".internal", ".home.arpa", ".onion")
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Policy:
    """The targets to which a client may connect.

    `ports` None: any; `ports_in_words` tells people which they are. `allow_private` allows loopback
    and private networks, but not link-local: for demos of the sandbox, for tests, and for addresses
    chosen by the operator.
    """

    https_only: bool = True
    allow_private: bool = False
    ports: Container[int] | None = None
    ports_in_words: str = ""

    def check_url(self, url: str) -> None:
        """Check the form of the URL, without DNS. Raises Blocked."""
        self.parsed(url)

    def parsed(self, url: str) -> Url:
        """The parts of an allowed URL. Raises Blocked."""
        parts = _parsed(url)
        if parts.scheme not in DEFAULT_PORTS:
            raise Blocked("the URL must begin with https:// or http://")
        if self.https_only and parts.scheme != "https":
            raise Blocked("the URL must begin with https://")
        if _USER_INFO.match(url):
            raise Blocked("the URL must not contain a user name or password")
        if not parts.host:
            raise Blocked("the URL has no host")
        port = DEFAULT_PORTS[parts.scheme] if parts.port is None else parts.port
        if self.ports is not None and port not in self.ports:
            message = f": allowed are {self.ports_in_words}" if self.ports_in_words else ""
            raise Blocked(f"port {port} is not allowed{message}")
        self._check_host(parts.host)
        return parts

    def admits(self, address: Address) -> bool:
        """Whether a connection to the address is allowed."""
        return is_public(address) or (self.allow_private and is_inside(address))

    def _check_host(self, host: str) -> None:
        address = literal(host)
        if address is not None:
            if not self.admits(address):
                raise Blocked(f"{address} is not a public address")
        elif ends_in_number(host):
            raise Blocked(f"{host} is neither a host name nor an IPv4 address")
        elif not self.allow_private and _is_local_name(host):
            raise Blocked(f"{host} is not a public host name")


def _parsed(url: str) -> Url:
    if _UNSAFE.search(url):
        raise Blocked("the URL contains spaces, control characters or backslashes")
    try:
        return parse_url(url)
    except LocationParseError as fault:
        raise Blocked("the URL cannot be read") from fault


def _is_local_name(host: str) -> bool:
    name = host.rstrip(".").lower()
    return "." not in name or name.endswith(_LOCAL_NAMES)
