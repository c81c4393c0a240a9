"""E-mail addresses (RFC 5321), and return paths that say which message has come back (VERP).

>>> Mailbox.parse(" Billing@Example.com ")
Mailbox(address='Billing@example.com', name='')
>>> Mailbox.parse("rechnung@müller.example").address
'rechnung@xn--mller-kva.example'
>>> return_path("bounces@example.com", "5f2c")
'bounces+5f2c@example.com'
>>> returned_token("bounces+5f2c@example.com", "bounces@example.com")
'5f2c'
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from email.headerregistry import Address
from typing import Final

# RFC 5321, 4.5.3.1.
MAX_LOCAL_LENGTH: Final = 64
MAX_ADDRESS_LENGTH: Final = 254
MAX_NAME_LENGTH: Final = 120

_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL = re.compile(rf"{_ATOM}(?:\.{_ATOM})*", re.ASCII)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"(?:{_LABEL}\.)+{_LABEL}|localhost", re.ASCII)
_TOKEN = re.compile(r"[A-Za-z0-9-]{1,48}", re.ASCII)


class InvalidAddress(ValueError):
    """The text is not an e-mail address that every mail server takes."""


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A well-formed address with an optional name. Parsing is the only check."""

    address: str
    name: str = ""

    @classmethod
    def parse(cls, text: str, *, name: str = "") -> Mailbox:
        """The mailbox of a bare address; `name` is any text. Raises InvalidAddress.

        The domain may be an international one. Quoted local parts, comments, addresses of hosts
        ([192.0.2.1]) and local parts outside of ASCII are refused: many servers take none of them.
        """
        local, at, domain = text.strip().rpartition("@")
        if not at:
            raise InvalidAddress("an e-mail address has an @ between its name and its domain")
        if not _LOCAL.fullmatch(local) or len(local) > MAX_LOCAL_LENGTH:
            raise InvalidAddress(
                "the part of an e-mail address before the @ has up to 64 letters, digits and "
                "signs such as . + - _, without blanks and accents"
            )
        address = f"{local}@{_ascii_domain(domain)}"
        if len(address) > MAX_ADDRESS_LENGTH:
            raise InvalidAddress(f"an e-mail address has at most {MAX_ADDRESS_LENGTH} characters")
        return cls(address, _plain_name(name))

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]

    def named(self, name: str) -> Mailbox:
        """The same address with this name."""
        return replace(self, name=_plain_name(name))

    def header(self) -> Address:
        """The value of a header field; the library encodes the name."""
        return Address(self.name, addr_spec=self.address)


def return_path(bounces: str, token: str) -> str:
    """The envelope sender of one message: a notice about it comes back to this address.

    bounces  the address of the installation whose mails with an extension (+) it reads
    token    letters, digits and -, at most 48
    """
    if not _TOKEN.fullmatch(token):
        raise ValueError("a token of a return path has up to 48 letters, digits and -")
    local, _, domain = bounces.rpartition("@")
    return f"{local}+{token}@{domain}"


def returned_token(recipient: str, bounces: str) -> str | None:
    """The token of a return path; None if the recipient is another address."""
    local, _, domain = bounces.rpartition("@")
    given, _, at = recipient.strip().rpartition("@")
    start, _, token = given.partition("+")
    if start.lower() != local.lower() or at.lower() != domain.lower():
        return None
    return token if _TOKEN.fullmatch(token) else None


def _ascii_domain(text: str) -> str:
    try:
        domain = text.lower().encode("idna").decode()
    except UnicodeError:
        domain = ""
    if not _DOMAIN.fullmatch(domain):
        raise InvalidAddress("the part of an e-mail address after the @ is a domain: example.com")
    return domain


def _plain_name(text: str) -> str:
    """The text as a name: one line, without signs that programs read as an address."""
    words = "".join(" " if not each.isprintable() or each in '<>@"' else each for each in text)
    return " ".join(words.split())[:MAX_NAME_LENGTH].strip()
