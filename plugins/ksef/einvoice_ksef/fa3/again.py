"""The FA(3) of an invoice as this release writes it, from the invoice that was stored with it.

An FA(3) that KSeF has refused for its form may be sent again with the same content, once the writer
was repaired (technical correction).
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Final

from lxml import etree

from einvoice.documents.reading import invoice_in
from einvoice.domain.errors import InvalidField, UnreadableDocument
from einvoice.domain.invoice import Invoice, PaymentMeans
from einvoice.xml import NotXml, parse
from einvoice_ksef.fa3 import form
from einvoice_ksef.fa3.advances import SETTLING
from einvoice_ksef.fa3.read import read_document
from einvoice_ksef.fa3.tags import fa
from einvoice_ksef.fa3.write import REASON
from einvoice_ksef.fa3.write_lines import EXCHANGE_RATE

_OURS: Final = b"<SystemInfo>einvoice</SystemInfo>"
_SETTLING: Final = f"<RodzajFaktury>{SETTLING}<".encode()  # UBL has no amounts of advances
_TAX_ID: Final = f"{fa.Podmiot2}/{fa.DaneIdentyfikacyjne}/{fa.NrID}"
_UNDEFINED: Final = PaymentMeans("1")


def written_again(source: bytes, document: bytes) -> bytes | None:
    """The FA(3) of the invoice in `source`, of which `document` was written.

    None if `document` was not written here, since it may have content that the invoice has not, or
    if the invoice does not become an FA(3).
    """
    if _OURS not in document or _SETTLING in document:
        return None
    try:
        invoice = _restored(invoice_in(source), _read(document), document)
        return None if invoice is None else form.write(form.adapt(invoice).invoice)
    except (NotXml, UnreadableDocument, InvalidField):
        return None


def digest_without_number(document: bytes) -> str | None:
    """SHA-256, in hexadecimal, of what an FA(3) says beside its number and when it was made.

    None for what is no XML.
    """
    try:
        root = parse(document)
    except NotXml:
        return None
    for path in (f"{fa.Naglowek}/{fa.DataWytworzeniaFa}", f"{fa.Fa}/{fa.P_2}"):
        for element in root.iterfind(path):
            element.text = ""
    return hashlib.sha256(etree.tostring(root, method="c14n")).hexdigest()


def _read(document: bytes) -> Invoice | None:
    try:
        return read_document(document)
    except (NotXml, UnreadableDocument):
        return None


def _restored(stored: Invoice, written: Invoice | None, document: bytes) -> Invoice | None:
    """The invoice with what UBL has no place for, or adds; None if that cannot be known.

    That is the KSeF numbers of corrected invoices, the reason of a correction, the payment means of
    a credit note with nothing but its due date, the rate of exchange, and a tax id of the buyer
    that is no VAT number.
    """
    stored = _with_numbers(stored, document)
    if written is None:
        return None if stored.preceding else stored
    numbers = {each.number: each.authority_number for each in written.preceding}
    if not {each.number for each in stored.preceding} <= numbers.keys():
        return None  # an advance, of which FA(3) has the KSeF number alone
    preceding = (
        replace(each, authority_number=numbers.get(each.number)) for each in stored.preceding
    )
    only_due = not written.payment and stored.payment == (_UNDEFINED,)
    payment = () if only_due else stored.payment
    said = tuple(each for each in written.notes if each[0] == REASON)
    notes = stored.notes if {*said} <= {*stored.notes} else (*said, *stored.notes)
    return replace(stored, preceding=tuple(preceding), payment=payment, notes=notes)


def _with_numbers(stored: Invoice, document: bytes) -> Invoice:
    """The invoice with the rate of exchange and the tax id of the buyer in its FA(3)."""
    root = parse(document)
    rate = next(root.iter(fa.KursWaluty, fa.KursWalutyZ), None)
    tax_id = root.findtext(_TAX_ID)
    if rate is not None:
        stored = replace(stored, further={EXCHANGE_RATE: rate.text or ""})
    if tax_id and stored.buyer.vat_id is None:
        stored = replace(stored, buyer=replace(stored.buyer, omitted_tax_id=tax_id))
    return stored
