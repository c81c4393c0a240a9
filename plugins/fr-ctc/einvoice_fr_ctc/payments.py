"""Payments of sales as the status 212 (Encaissée), with the amount of each VAT rate.

A payment is spread over the rates as the amounts with VAT are, and the last rate gets what is left
by rounding. A law asks for it where VAT is due when it is paid, which is of services; the platform
decides what of it the tax office gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from lxml import etree

from einvoice import xml
from einvoice.network.messages import Outgoing, PaymentNotice
from einvoice_fr_ctc import companies, flows
from einvoice_fr_ctc.cdar import codes, write
from einvoice_fr_ctc.cdar.write import Amount, Company, Message
from einvoice_fr_ctc.shares import spread

_SUBTOTAL: Final = "{*}TaxTotal/{*}TaxSubtotal"
_TYPES: Final = ("{*}InvoiceTypeCode", "{*}CreditNoteTypeCode")


def message_of(notice: PaymentNotice) -> Outgoing:
    """The message of a payment. Raises ValueError if none can be made of it."""
    seller, buyer = companies.siren_in(notice.sender), companies.siren_in(notice.receiver)
    if seller is None or buyer is None or notice.receiver is None:
        raise ValueError("seller and buyer need a SIREN, in an id of the scheme 0225")
    if notice.issue_date is None:
        raise ValueError("the invoice has no date")
    invoice = _invoice(notice.document)
    message = Message(
        codes.PAID,
        notice.number,
        _type_of(invoice),
        notice.issue_date,
        seller,
        notice.at,
        Company(seller, notice.sender_name, write.SELLER),
        Company(buyer, notice.receiver_name, write.BUYER, _address(notice, buyer)),
        amounts=tuple(_amounts(invoice, notice)),
    )
    key, document = f"payment-{notice.payment_id}", write.written(message)
    return flows.outgoing(key, notice, notice.receiver, document)


def _invoice(document: bytes) -> etree._Element:
    try:
        return xml.parse(document)
    except xml.NotXml as fault:
        raise ValueError(
            "the invoice is not kept any more, so its VAT rates are unknown"
        ) from fault


def _type_of(invoice: etree._Element) -> str:
    found = (invoice.findtext(path) for path in _TYPES)
    return next((text.strip() for text in found if text), "380")


def _address(notice: PaymentNotice, buyer: str) -> str:
    receiver = notice.receiver
    is_address = receiver is not None and receiver.scheme == companies.DIRECTORY
    return receiver.value if receiver is not None and is_address else buyer


def _amounts(invoice: etree._Element, notice: PaymentNotice) -> Iterator[Amount]:
    """The payment by rate, in the order of the invoice."""
    for rate, part in spread(notice.amount, _with_vat(invoice)).items():
        yield Amount(part, rate, notice.currency)


def _with_vat(invoice: etree._Element) -> Mapping[Decimal, Decimal]:
    """The amount with VAT of each rate of an invoice in UBL."""
    found: dict[Decimal, Decimal] = {}
    for each in invoice.iterfind(_SUBTOTAL):
        rate = _number(each.findtext("{*}TaxCategory/{*}Percent"))
        net, vat = (_number(each.findtext(f"{{*}}{n}")) for n in ("TaxableAmount", "TaxAmount"))
        found[rate] = found.get(rate, Decimal(0)) + net + vat
    return found


def _number(text: str | None) -> Decimal:
    try:
        return Decimal((text or "0").strip())
    except InvalidOperation:
        return Decimal(0)
