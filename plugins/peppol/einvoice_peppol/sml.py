"""The service metadata locator (SML): from a participant to the address of its SMP, by DNS.

Source: Peppol SML 1.3.0 and Policy for use of Identifiers 4.4.0 (NAPTR records, base32 of SHA-256);
U-NAPTR, RFC 4848, whose expression always matches the whole name.

>>> from einvoice.domain.identifiers import ParticipantId
>>> host_name(ParticipantId("0088", "123ABC"), "zone.example")
'y7dzfxaf3d4cjz4kcgrxtec6twvcga4ky7zwa5boif6mswd4tdrq.iso6523-actorid-upis.zone.example'
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from typing import Any, Final

import dns.exception
import dns.message
import dns.name
import dns.nameserver
import dns.rdatatype
import dns.resolver
import structlog

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import DirectoryUnavailable, NotRegistered

SCHEME: Final = "iso6523-actorid-upis"
SECONDS: Final = 4.0  # for all queries of one participant
MAX_ALIASES: Final = 8  # CNAME and DNAME records that one answer leaves to be followed
_FLAGS, _SERVICE = b"u", b"meta:smp"
# Expressions that match every name, as a whole. No other one is evaluated: it could take for ever.
_WHOLE_NAME: Final = re.compile(r"\^?(?:\.[*+]|\(\.[*+]\)|\(\^\.[*+]\$\))\$?")

_ADDRESS = re.compile(
    r"(?:\[(?P<six>[^\[\]]+)\]|(?P<host>[^:\[\]]+))(?::(?P<port>\d{1,5}))?"
    r"|(?P<bare>[^\[\]:]*:[^\[\]]*:[^\[\]]*)"
)

log = structlog.get_logger()


class InvalidResolver(ValueError):
    """An address of a DNS server that cannot be read."""


def host_name(participant: ParticipantId, zone: str) -> str:
    """The DNS name of a participant. The scheme iso6523-actorid-upis is not hashed."""
    digest = hashlib.sha256(participant.canonical.encode()).digest()
    label = base64.b32encode(digest).decode().rstrip("=").lower()
    return f"{label}.{SCHEME}.{zone.strip('.')}"


class Sml:
    """Finds the SMPs of participants. Safe to share between threads.

    zone       the DNS zone of the network
    resolvers  addresses of DNS servers, each with an optional port; none: those of the system
    """

    def __init__(self, zone: str, resolvers: Sequence[str] = (), seconds: float = SECONDS) -> None:
        self._zone = zone
        self._seconds = seconds
        self._resolver = _resolver(resolvers)

    def publisher(self, participant: ParticipantId) -> str | NotRegistered:
        """The address of the participant's SMP, without a slash at its end.

        Raises DirectoryUnavailable if DNS does not answer, or the registration is faulty: that
        never means "not registered".
        """
        name = host_name(participant, self._zone)
        records = self._records(dns.name.from_text(name))
        addresses = [*_addresses(records)]
        if records and not addresses:
            log.error("no usable SMP in DNS", participant=str(participant), host=name)
            raise DirectoryUnavailable(
                "the registration of the participant is faulty: none of its NAPTR records in DNS "
                "names a service Meta:SMP with an address; its provider must correct it"
            )
        return addresses[0].rstrip("/") if addresses else NotRegistered()

    def _records(self, name: dns.name.Name) -> list[Any]:
        """The NAPTR records of a name, its aliases followed; none if it does not exist."""
        deadline = clock.monotonic() + self._seconds
        for _ in range(MAX_ALIASES + 1):
            answer = self._answer(name, deadline)
            if answer is None:
                return []
            if answer.rrset is not None:
                return list(answer.rrset)
            alias = _alias(answer, name)
            if alias is None:
                return []
            name = alias
        raise DirectoryUnavailable("DNS: too many aliases")

    def _answer(self, name: dns.name.Name, deadline: float) -> dns.resolver.Answer | None:
        """The answer of DNS; None for a name that does not exist."""
        left = deadline - clock.monotonic()
        if left <= 0:
            raise DirectoryUnavailable("DNS did not answer in time")
        try:
            answer = self._resolver.resolve(
                name, "NAPTR", search=False, lifetime=left, raise_on_no_answer=False
            )
        except dns.resolver.NXDOMAIN:
            return None
        except (dns.exception.DNSException, OSError, ValueError) as fault:
            raise DirectoryUnavailable(f"DNS: {str(fault)[:200]}") from fault
        if answer.rrset is None and _is_referral(answer.response):
            raise DirectoryUnavailable("DNS: the server does not resolve names of other servers")
        return answer


def _resolver(addresses: Sequence[str]) -> dns.resolver.Resolver:
    resolver = dns.resolver.Resolver(configure=not addresses)
    if addresses:
        resolver.nameservers = [_nameserver(address) for address in addresses]
    resolver.timeout = 1.5  # of one server, before the next one is asked
    return resolver


def _nameserver(address: str) -> dns.nameserver.Nameserver:
    """The DNS server at `address`, `address:port` or `[IPv6 address]:port`."""
    match = _ADDRESS.fullmatch(address.strip())
    try:
        if match is None:
            raise ValueError
        host = ip_address(match["six"] or match["host"] or match["bare"])
        port = int(match["port"] or 53)
        if not 0 < port < 65536:
            raise ValueError
    except ValueError as fault:
        raise InvalidResolver(f"{address!r} is not the IP address of a DNS server") from fault
    return dns.nameserver.Do53Nameserver(str(host), port)


def _alias(answer: dns.resolver.Answer, name: dns.name.Name) -> dns.name.Name | None:
    """Where an answer without NAPTR records points to, by a CNAME or a DNAME."""
    if answer.canonical_name != name:
        return answer.canonical_name
    for rrset in answer.response.answer:
        if rrset.rdtype == dns.rdatatype.DNAME and _is_below(name, rrset.name):
            target: dns.name.Name = rrset[0].target
            return name.relativize(rrset.name).concatenate(target)
    return None


def _is_below(name: dns.name.Name, owner: dns.name.Name) -> bool:
    return name != owner and name.is_subdomain(owner)


def _is_referral(response: dns.message.Message) -> bool:
    """Whether a server names other servers instead of answering: it does not resolve for us."""
    kinds = {rrset.rdtype for rrset in response.authority}
    return not response.answer and dns.rdatatype.NS in kinds and dns.rdatatype.SOA not in kinds


def _addresses(records: Iterable[Any]) -> Iterable[str]:
    """The addresses in the records for SMPs, by order and preference."""
    for record in sorted(records, key=lambda each: (each.order, each.preference)):
        if record.flags.lower() == _FLAGS and record.service.lower() == _SERVICE:
            address = address_in(record.regexp.decode("utf-8", "replace"))
            if address:
                yield address


def address_in(expression: str) -> str | None:
    """The address in a U-NAPTR expression such as `!.*!https://smp.example!`; None if unusable.

    >>> address_in("!^.*$!https://smp.example/peppol!")
    'https://smp.example/peppol'
    >>> address_in("!^(.+)$!https://smp.example!")
    'https://smp.example'
    >>> address_in("!(a+)+$!https://smp.example!") is None
    True
    """
    parts = expression[1:].split(expression[:1]) if expression else []
    if len(parts) != 3 or not _WHOLE_NAME.fullmatch(parts[0]) or parts[2] not in ("", "i"):
        return None
    address = parts[1]
    return address if address.startswith(("https://", "http://")) and "\\" not in address else None
