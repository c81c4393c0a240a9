"""FA(3) → Invoice: all terms of EN 16931 in the document.

Elements outside of EN 16931 are ignored. A correction whose total is negative is a credit note with
positive amounts; any other one is a corrected invoice (384) with the amounts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from lxml import etree

from einvoice.documents.tree import Node, refusal
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.invoice import (
    AllowanceCharge,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    Line,
    Period,
    PrecedingInvoice,
    TaxSubtotal,
    Totals,
)
from einvoice.xml import MAX_RECEIVED_BYTES, NotXml, parse
from einvoice_ksef.fa3 import read_parties, read_payment, terms
from einvoice_ksef.fa3.elements import collapsed
from einvoice_ksef.fa3.read_lines import VatLines
from einvoice_ksef.fa3.read_terms import Described
from einvoice_ksef.fa3.structure import ROOT
from einvoice_ksef.fa3.tags import fa
from einvoice_ksef.fa3.write import ADVANCE, CASH_ACCOUNTING, CORRECTED, REASON, SPLIT_PAYMENT

_CODED_NOTE: Final = re.compile(r"#([A-Z]{2,3})#(.+)", re.DOTALL)
_SPLIT_NOTE: Final = SPLIT_PAYMENT[0].upper() + SPLIT_PAYMENT[1:]


def read_document(document: bytes) -> Invoice:
    """The invoice in an FA(3). Raises UnreadableDocument."""
    try:
        root = parse(document, max_bytes=MAX_RECEIVED_BYTES)
    except NotXml as fault:
        raise UnreadableDocument(fault.reason, path="/", line=fault.line or 1) from None
    return read_invoice(root)


def read_invoice(root: etree._Element) -> Invoice:
    """The invoice in a parsed FA(3). Raises UnreadableDocument."""
    if root.tag != ROOT:
        raise refusal(root, f"{etree.QName(root).localname} is not an FA(3)")
    document = Node(root)
    body = document.need(fa.Fa)
    described = Described.of(body)
    invoice = _invoice(document, body, described)
    is_correction = body.need_text(fa.RodzajFaktury).startswith("KOR")
    return credited(invoice) if is_correction and invoice.totals.tax_inclusive < 0 else invoice


def _invoice(document: Node, body: Node, described: Described) -> Invoice:
    currency = body.need_text(fa.KodWaluty)
    found = VatLines.of(body, described)
    notes = body.one(fa.Adnotacje)
    split = notes is not None and notes.text(fa.P_18A) == "1"
    conditions, order = body.one(fa.WarunkiTransakcji), described.document
    payment = read_payment.payment(body, described)
    zloty = found.zloty if currency != "PLN" else None
    issued = body.day(fa.P_1) or body.refuse_missing(fa.P_1)
    read = Invoice(
        kind=DocumentKind.INVOICE,
        number=collapsed(body.need_text(fa.P_2)),
        issue_date=issued,
        type_code=_type_code(body),
        currency=currency,
        seller=read_parties.seller(document, described),
        buyer=read_parties.buyer(document, described),
        lines=found.lines,
        totals=read_payment.totals(body, found, zloty),
        taxes=found.taxes,
        accounting_currency="PLN" if zloty is not None else None,
        tax_point_code=CASH_ACCOUNTING if _is_set(notes, fa.P_16) else None,
        due_date=payment.due_date,
        despatch_advice=_despatch(body),
        contract=_first(conditions, fa.Umowy, fa.NrUmowy),
        order=_first(conditions, fa.Zamowienia, fa.NrZamowienia),
        invoiced_object=_identifier(order.get(terms.OBJECT)),
        payment_terms=payment.terms,
        notes=tuple(_notes(document, body, described, split)),
        preceding=tuple(_preceding(body)),
        payee=read_parties.payee(document),
        tax_representative=read_parties.representative(document),
        delivery=_delivery(document, body, described),
        period=_period(body),
        payment=payment.means,
    )
    own: dict[str, Any] = {name: order.get(key) for name, (key, _) in terms.DOCUMENT.items()}
    return replace(read, **{name: text for name, text in own.items() if text})


def _type_code(body: Node) -> str:
    kind = body.need_text(fa.RodzajFaktury)
    if kind.startswith("KOR"):
        return CORRECTED
    if kind == "ZAL":
        return ADVANCE
    return "389" if _is_set(body.one(fa.Adnotacje), fa.P_17) else "380"


def _is_set(notes: Node | None, name: str) -> bool:
    return notes is not None and notes.text(name) == "1"


def _first(conditions: Node | None, group: str, name: str) -> str | None:
    if conditions is None:
        return None
    return next((text for each in conditions.all(group) if (text := each.text(name))), None)


def _identifier(text: str | None) -> Identifier | None:
    return terms.identifier_of(text) if text else None


def _despatch(body: Node) -> str | None:
    """All numbers, if they are together no longer than one may be."""
    numbers = body.texts(fa.WZ)
    joined = ", ".join(numbers)
    return (joined if len(joined) <= terms.MAX_TEXT else numbers[0]) if numbers else None


def _notes(
    document: Node, body: Node, described: Described, split: bool
) -> Iterator[tuple[str | None, str]]:
    """The reason of a correction, the footers, and descriptions that are no term."""
    reason = body.text(fa.PrzyczynaKorekty)
    if reason:
        yield REASON, reason
    footer = document.one(fa.Stopka)
    footers = footer.all(fa.Informacje) if footer else []
    texts = [text for each in footers if (text := each.text(fa.StopkaFaktury))]
    texts += described.notes
    if split and not any(SPLIT_PAYMENT in text.lower() for text in texts):
        texts.append(_SPLIT_NOTE)
    for text in texts:
        match = _CODED_NOTE.fullmatch(text)
        yield (match[1], match[2]) if match else (None, text)


def _preceding(body: Node) -> Iterator[PrecedingInvoice]:
    """The corrected invoices, or those of advances that are settled."""
    for each in body.all(fa.DaneFaKorygowanej):
        number = collapsed(each.need_text(fa.NrFaKorygowanej))
        issued = each.day(fa.DataWystFaKorygowanej)
        yield PrecedingInvoice(number, issued, each.text(fa.NrKSeFFaKorygowanej))
    for each in body.all(fa.FakturaZaliczkowa):
        advance = each.text(fa.NrFaZaliczkowej) or each.text(fa.NrKSeFFaZaliczkowej)
        if advance:
            yield PrecedingInvoice(collapsed(advance))


def _period(body: Node) -> Period | None:
    period = body.one(fa.OkresFa)
    return Period(period.day(fa.P_6_Od), period.day(fa.P_6_Do)) if period else None


def _delivery(document: Node, body: Node, described: Described) -> Delivery | None:
    name, address = read_parties.recipient(document, body)
    country = described.document.get(terms.DELIVERY_COUNTRY)
    if address is None and country:
        address = read_parties.only_country(country)
    location = _identifier(described.document.get(terms.DELIVERY_PLACE))
    found = Delivery(name, location, body.day(fa.P_6), address)
    return None if found == Delivery() else found


def credited(invoice: Invoice) -> Invoice:
    """A corrected invoice as a credit note: with the other sign of all amounts."""
    self_billed = invoice.type_code == "389"
    return replace(
        invoice,
        kind=DocumentKind.CREDIT_NOTE,
        type_code="261" if self_billed else "381",
        lines=tuple(map(_credited_line, invoice.lines)),
        taxes=tuple(map(_credited_tax, invoice.taxes)),
        totals=_credited_totals(invoice.totals),
    )


def _credited_line(line: Line) -> Line:
    return replace(
        line,
        quantity=-line.quantity,
        extension=-line.extension,
        adjustments=tuple(map(_credited_adjustment, line.adjustments)),
    )


def _credited_adjustment(adjustment: AllowanceCharge) -> AllowanceCharge:
    return replace(adjustment, amount=-adjustment.amount)


def _credited_tax(tax: TaxSubtotal) -> TaxSubtotal:
    return replace(tax, taxable=-tax.taxable, tax=-tax.tax)


def _credited_totals(totals: Totals) -> Totals:
    names = ("lines", "tax_exclusive", "tax_inclusive", "payable", "tax",
             "tax_in_accounting_currency", "prepaid", "rounding")  # fmt: skip
    amounts: dict[str, Any] = {name: getattr(totals, name) for name in names}
    return replace(
        totals, **{name: -amount for name, amount in amounts.items() if amount is not None}
    )
