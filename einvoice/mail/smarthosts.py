"""The mail servers to which messages are handed: the setting EINVOICE_MAIL_SMARTHOSTS.

>>> [each.place for each in smarthosts("smtp://user:pass@mail.example.com, smtps://10.0.0.7")]
['mail.example.com:587', '10.0.0.7:465']
>>> smarthosts("smtp://127.0.0.1:25")[0].security
<Security.NONE: 'none'>
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit


class InvalidSmarthost(ValueError):
    """A mail server that is configured wrongly. The message shows no password."""


class Security(StrEnum):
    """How the connection is protected; certificates are always verified."""

    NONE = "none"
    STARTTLS = "starttls"
    TLS = "tls"


_SCHEMES: Final = {"smtp": (Security.STARTTLS, 587), "smtps": (Security.TLS, 465)}
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Smarthost:
    """A mail server of the operator. `user` empty: without a login."""

    host: str
    port: int
    security: Security
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def place(self) -> str:
        return f"{self.host}:{self.port}"


def smarthosts(text: str) -> tuple[Smarthost, ...]:
    """The mail servers of the setting, in the order in which they are tried.

    `smtp://` begins with STARTTLS and goes no further without it, on loopback without TLS;
    `smtps://` begins with TLS. `?tls=none` sends in clear text: for a relay in the same private
    network. Raises InvalidSmarthost.
    """
    return tuple(_smarthost(part.strip()) for part in text.split(",") if part.strip())


def _smarthost(text: str) -> Smarthost:
    try:
        url = urlsplit(text)
        port, host = url.port, url.hostname
        query = parse_qs(url.query, keep_blank_values=True, strict_parsing=bool(url.query))
    except ValueError:
        raise InvalidSmarthost("a mail server is smtp://user:password@host:port") from None
    if url.scheme not in _SCHEMES or not host or url.path not in ("", "/") or url.fragment:
        raise InvalidSmarthost("a mail server is smtp://host:port or smtps://host:port")
    security, usual = _SCHEMES[url.scheme]
    if url.scheme == "smtp" and host in _LOOPBACK:
        security, usual = Security.NONE, 25
    match query:
        case {} if not query:
            pass
        case {"tls": ["none"]} if url.scheme == "smtp" and len(query) == 1:
            security = Security.NONE
        case {"tls": ["starttls"]} if url.scheme == "smtp" and len(query) == 1:
            security = Security.STARTTLS
        case _:
            raise InvalidSmarthost(f"{host}: what may follow ? is tls=none or tls=starttls")
    if bool(url.username) != bool(url.password):
        raise InvalidSmarthost(f"{host}: a user and a password are given together or not at all")
    if url.username and security is Security.NONE and host not in _LOOPBACK:
        raise InvalidSmarthost(f"{host}: no password is sent without TLS")
    return Smarthost(
        host, port or usual, security, unquote(url.username or ""), unquote(url.password or "")
    )
