"""The records of the sending domain in DNS: SPF, DKIM and DMARC, and what to put there.

Without these records large receivers (Gmail, Outlook) refuse mails, or show them as spam.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Final

import dns.exception
import dns.resolver
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from einvoice.mail import Outgoing
from einvoice.network.checks import CheckResult, Level, error, good, warning

TextsOf = Callable[[str], Sequence[str]]
_SECONDS: Final = 3.0


class NoAnswer(Exception):
    """The DNS servers do not answer."""


def texts_of(name: str) -> Sequence[str]:
    """The TXT records of a name, each in one piece. Raises NoAnswer."""
    try:
        found = dns.resolver.resolve(name, "TXT", lifetime=_SECONDS)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except dns.exception.DNSException as fault:
        raise NoAnswer(type(fault).__name__) from fault
    return [b"".join(each.strings).decode("ascii", "replace") for each in found]


def checked(outgoing: Outgoing, texts: TextsOf = texts_of) -> CheckResult:
    """The records missing in DNS; of several faults all, with the level of the worst."""
    try:
        found = [_spf(outgoing, texts), _dkim(outgoing, texts), _dmarc(outgoing, texts)]
    except NoAnswer as fault:
        return warning(f"DNS does not answer about {outgoing.sender.domain} ({fault}).")
    faults = [each for each in found if each.level is not Level.GOOD]
    if not faults:
        return good(" ".join(each.sentence for each in found))
    worst = error if any(each.level is Level.ERROR for each in faults) else warning
    return worst(" ".join(each.sentence for each in faults))


def mail_servers_of(domain: str) -> Sequence[str]:
    """The names of the mail servers (MX) of a domain. Raises NoAnswer."""
    try:
        found = dns.resolver.resolve(domain, "MX", lifetime=_SECONDS)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return ()
    except dns.exception.DNSException as fault:
        raise NoAnswer(type(fault).__name__) from fault
    return [str(each.exchange).rstrip(".") for each in found]


def checked_domain(domain: str, servers: TextsOf = mail_servers_of) -> CheckResult:
    """Whether others find the mail server of the domain at which bills arrive."""
    try:
        found = [each for each in servers(domain) if each]
    except NoAnswer as fault:
        return warning(f"DNS does not answer about {domain} ({fault}).")
    if found:
        return good(f"Mails to {domain} go to {', '.join(sorted(found)[:5])}.")
    return error(
        f'{domain} has no mail server: put the MX record "10 <your mail server>" there, or no '
        "bill arrives by mail."
    )


def _spf(outgoing: Outgoing, texts: TextsOf) -> CheckResult:
    """Of the domain of the return path, which receivers look at."""
    domain = outgoing.bounces.rpartition("@")[2]
    found = [each for each in texts(domain) if each.lower().startswith("v=spf1")]
    if len(found) == 1:
        return good(f"{domain} has an SPF record.")
    if found:
        return error(f"{domain} has {len(found)} SPF records, which counts as none: keep one.")
    return error(
        f'{domain} has no SPF record: put the TXT record "v=spf1 a:<your mail server> -all" there.'
    )


def _dkim(outgoing: Outgoing, texts: TextsOf) -> CheckResult:
    signer = outgoing.signer
    if signer is None:
        return warning(
            "No DKIM key is set (EINVOICE_MAIL_DKIM_KEY): let the mail server sign, or set one."
        )
    name = f"{signer.selector}._domainkey.{signer.domain}"
    key = public_key(signer.key)
    published = "".join("".join(texts(name)).split())
    if f"p={key}" in published:
        return good(f"{name} has the key that signs.")
    state = "another key than the one that signs" if "p=" in published else "no key"
    return error(f'{name} has {state}: put the TXT record "v=DKIM1; k=rsa; p={key}" there.')


def _dmarc(outgoing: Outgoing, texts: TextsOf) -> CheckResult:
    domain = outgoing.sender.domain
    name = f"_dmarc.{domain}"
    if any(each.lower().startswith("v=dmarc1") for each in texts(name)):
        return good(f"{name} has a policy.")
    return warning(
        f'{name} has no policy: put the TXT record "v=DMARC1; p=none; rua=mailto:…" there, and a '
        "stricter one when the reports are clean."
    )


def public_key(private: bytes) -> str:
    """The public part of a private key as DKIM publishes it: base64 of DER."""
    key = load_pem_private_key(private, password=None).public_key()
    return base64.b64encode(
        key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    ).decode()
