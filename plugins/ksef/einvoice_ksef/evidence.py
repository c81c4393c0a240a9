"""The official confirmation of receipt (UPO): what it says, and whether it is what it seems.

Its bytes are kept as they are. Two things are checked before that: the digest that the network
states beside the file, and the signature in it. Source: upo-v4-3.xsd of the ministry.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from cryptography import x509
from lxml import etree

from einvoice import xml
from einvoice_ksef import seal
from einvoice_ksef.encryption import digest_of

NAMESPACE: Final = "http://upo.schematy.mf.gov.pl/KSeF/v4-3"


class NotEvidence(ValueError):
    """A file that is not a UPO, or not as it was issued. The message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An invoice that a UPO confirms.

    sent_at, numbered_at  when KSeF got it, and gave it the number
    digest                SHA-256 of the document as sent, in base64
    mode                  Online or Offline
    """

    ksef_number: str
    seller: str
    number: str
    issued: date
    sent_at: datetime
    numbered_at: datetime
    digest: str
    mode: str


@dataclass(frozen=True, slots=True)
class Upo:
    """A confirmation: the receiver by name, session, context (kind and value), and invoices."""

    issuer: str
    session: str
    context: tuple[str, str]
    form: str
    invoices: tuple[Confirmed, ...]

    def confirms(self, digest: str) -> bool:
        """Whether it confirms the document with this digest."""
        return any(each.digest == digest for each in self.invoices)


def checked(content: bytes, stated: str | None, signers: Sequence[x509.Certificate] = ()) -> Upo:
    """The content of a UPO, after its digest and its signature were checked.

    stated   the digest of the header x-ms-meta-hash; None: it has none
    signers  accepted certificates, and issuers of accepted ones; empty: any

    Raises NotEvidence.
    """
    if stated is not None and not hmac.compare_digest(stated.strip(), digest_of(content)):
        raise NotEvidence("its digest is not the one that is stated")
    root = _parsed(content)
    try:
        seal.verify(root, signers)
    except seal.NotSealed as fault:
        raise NotEvidence(str(fault)) from fault
    return _of(root)


def read(content: bytes) -> Upo:
    """The content of a UPO, unchecked. Raises NotEvidence."""
    return _of(_parsed(content))


def _parsed(content: bytes) -> etree._Element:
    try:
        root = xml.parse(content)
    except xml.NotXml as fault:
        raise NotEvidence(str(fault)) from fault
    if root.tag != _q("Potwierdzenie"):
        raise NotEvidence(f"its root is {root.tag}")
    return root


def _q(path: str) -> str:
    return "/".join(f"{{{NAMESPACE}}}{name}" for name in path.split("/"))


def _of(root: etree._Element) -> Upo:
    try:
        return Upo(
            issuer=_text(root, "NazwaPodmiotuPrzyjmujacego"),
            session=_text(root, "NumerReferencyjnySesji"),
            context=_context(root),
            form=_text(root, "KodFormularza"),
            invoices=tuple(_invoices(root)),
        )
    except ValueError as fault:
        raise NotEvidence(str(fault)) from fault


def _context(root: etree._Element) -> tuple[str, str]:
    found = root.find(_q("Uwierzytelnienie/IdKontekstu"))
    if found is None or len(found) != 1:
        raise NotEvidence("it names no context")
    return etree.QName(found[0]).localname, found[0].text or ""


def _invoices(root: etree._Element) -> Iterator[Confirmed]:
    for each in root.iterfind(_q("Dokument")):
        yield Confirmed(
            ksef_number=_text(each, "NumerKSeFDokumentu"),
            seller=_text(each, "NipSprzedawcy"),
            number=_text(each, "NumerFaktury"),
            issued=date.fromisoformat(_text(each, "DataWystawieniaFaktury")),
            sent_at=datetime.fromisoformat(_text(each, "DataPrzeslaniaDokumentu")),
            numbered_at=datetime.fromisoformat(_text(each, "DataNadaniaNumeruKSeF")),
            digest=_text(each, "SkrotDokumentu"),
            mode=_text(each, "TrybWysylki"),
        )


def _text(parent: etree._Element, name: str) -> str:
    found = parent.findtext(_q(name))
    if not found:
        raise NotEvidence(f"it has no {name}")
    return found.strip()
