"""Official confirmations of receipt (UPO), sealed by the stand-in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from cryptography import x509
from lxml import etree

from tests.networks.ksef import keys, xades
from tests.networks.ksef.numbers import WARSAW

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority
    from tests.networks.ksef.books import Invoice, Session

NAMESPACE: Final = "http://upo.schematy.mf.gov.pl/KSeF/v4-3"
NAME: Final = "Ministerstwo Finansów"
SUFFIX: Final = " - środowisko testowe (TE)"
_CONTEXTS: Final = {
    "Nip": "Nip",
    "InternalId": "IdWewnetrzny",
    "NipVatUe": "IdZlozonyVatUE",
    "PeppolId": "IdDostawcyUslugPeppol",
}
_STRUCTURES: Final = {
    "FA (2)": "Schemat_FA(2)_v1-0E.xsd",
    "FA (3)": "Schemat_FA(3)_v1-0E.xsd",
    "PEF (3)": "Schemat_PEF(3)_v2-1.xsd",
    "PEF_KOR (3)": "Schemat_PEF_KOR(3)_v2-1.xsd",
    "FA_RR (1)": "Schemat_FA_RR(1)_v1-1E.xsd",
}


def _add(parent: etree._Element, name: str, text: str | None = None) -> etree._Element:
    made = etree.SubElement(parent, f"{{{NAMESPACE}}}{name}")
    made.text = text
    return made


def _local(moment: datetime) -> str:
    return moment.astimezone(WARSAW).isoformat(timespec="milliseconds")


def confirmation(
    authority: Authority, session: Session, invoices: Sequence[Invoice], *, paged: bool
) -> bytes:
    """The sealed UPO of invoices of a session. `paged`: that of the session, else of one."""
    root = etree.Element(f"{{{NAMESPACE}}}Potwierdzenie", nsmap={None: NAMESPACE})
    name = NAME if authority.production else NAME + SUFFIX
    _add(root, "NazwaPodmiotuPrzyjmujacego", name)
    _add(root, "NumerReferencyjnySesji", session.reference)
    proof = _add(root, "Uwierzytelnienie")
    kind, value = session.login.context
    _add(_add(proof, "IdKontekstu"), _CONTEXTS[kind], value)
    by_token = session.login.method == "Token"
    element = "NumerReferencyjnyTokenaKSeF" if by_token else "SkrotDokumentuUwierzytelniajacego"
    _add(proof, element, session.login.proof)
    if paged:
        _add_page(root, len(invoices))
    _add(root, "NazwaStrukturyLogicznej", _STRUCTURES[session.form])
    _add(root, "KodFormularza", session.form)
    for invoice in invoices:
        _add_document(root, invoice)
    return xades.sealed(root, keys.private_key(0), authority.seal, authority.now())


def _add_page(root: etree._Element, count: int) -> None:
    page = _add(root, "OpisPotwierdzenia")
    for name, number in (
        ("Strona", 1),
        ("LiczbaStron", 1),
        ("ZakresDokumentowOd", 1),
        ("ZakresDokumentowDo", count + 1),
        ("CalkowitaLiczbaDokumentow", count),
    ):
        _add(page, name, str(number))


def _add_document(root: etree._Element, invoice: Invoice) -> None:
    assert invoice.facts is not None
    assert invoice.acquired is not None
    made = _add(root, "Dokument")
    _add(made, "NipSprzedawcy", invoice.facts.seller)
    _add(made, "NumerKSeFDokumentu", invoice.ksef_number)
    _add(made, "NumerFaktury", invoice.facts.number)
    _add(made, "DataWystawieniaFaktury", invoice.facts.issued)
    _add(made, "DataPrzeslaniaDokumentu", _local(invoice.received))
    _add(made, "DataNadaniaNumeruKSeF", _local(invoice.acquired))
    _add(made, "SkrotDokumentu", invoice.hash)
    _add(made, "TrybWysylki", invoice.mode)


def new_seal(now: datetime) -> x509.Certificate:
    """The certificate of the seal."""
    since = now - timedelta(days=1)
    return keys.certificate(keys.private_key(0), "Krajowy System e-Faktur", since)
