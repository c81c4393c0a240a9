"""Invoices for property tests: every business term, each present or absent, texts of any script.

They have the form that UBL can express exactly, so that writing and reading gives the same invoice.
Excluded is only:
- white space around texts, empty groups, notes that begin like a subject code;
- a sales order without an order, a gross price without a discount, a card without a network;
- two payment means that differ in account and text alone (they are one with two accounts), a
  creditor without a payment means or away from the direct debit, a credit note's due date without
  any;
- a VAT breakdown without its total, an accounting currency that is the invoice's own.

The codes are mostly real, the amounts arbitrary: the invoices are well-formed, but seldom valid.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import TypeVar

from hypothesis import strategies as st

from einvoice.domain.invoice import (
    Address,
    AllowanceCharge,
    Attachment,
    Attribute,
    Contact,
    CreditTransfer,
    Delivery,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Line,
    Party,
    Payee,
    PaymentCard,
    PaymentMeans,
    Period,
    PrecedingInvoice,
    Price,
    SupportingDocument,
    TaxCategory,
    TaxRepresentative,
    TaxSubtotal,
    Totals,
)

_CHARACTERS = st.one_of(
    st.sampled_from("&<>\"' ;#]]>éßŁшΩ漢字ع\n\t\r\u00a0\u200b\ufeff\U0001f600"),
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"),
)


def _has_content(text: str) -> bool:
    return not text.isspace() and text == text.strip(" \t\r\n") and text != ""


texts = st.one_of(
    st.sampled_from(["INV-1", "Chair & table <oak>", "Straße 5", "x", "a\nb", '"quoted"']),
    st.text(_CHARACTERS, min_size=1, max_size=12).filter(_has_content),
)
names = texts
dates = st.dates(date(1990, 1, 1), date(2099, 12, 31))
decimals = st.decimals(-(10**12), 10**12, allow_nan=False, allow_infinity=False, places=2)
prices = st.one_of(
    decimals,
    st.decimals(0, 10**6, allow_nan=False, allow_infinity=False, places=8),
    st.sampled_from([Decimal(text) for text in ("0", "1E+2", "-0.00", "1e-7", "0.10")]),
)
currencies = st.sampled_from(["EUR", "SEK", "USD", "HUF"])
countries = st.sampled_from(["BE", "NL", "SE", "FR", "DE", "NO", "XI"])
units = st.sampled_from(["C62", "HUR", "KGM", "XPP"])
schemes = st.sampled_from(["0208", "0088", "0106", "0007", "9930", "GTIN"])

T = TypeVar("T")


def maybe(values: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    return st.none() | values


def some(values: st.SearchStrategy[T], most: int = 2) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(values, max_size=most).map(tuple)


identifiers = st.builds(Identifier, texts, maybe(schemes))
periods = st.builds(Period, maybe(dates), maybe(dates)).filter(lambda it: it != Period())
addresses = st.builds(Address, *[maybe(texts)] * 6, country=maybe(countries)).filter(
    lambda it: it != Address()
)
contacts = st.builds(Contact, *[maybe(texts)] * 3).filter(lambda it: it != Contact())
buyers = st.builds(
    Party,
    name=names,
    endpoint=maybe(identifiers),
    trading_name=maybe(names),
    identifiers=some(identifiers, 1),
    legal_id=maybe(identifiers),
    vat_id=maybe(texts),
    address=maybe(addresses),
    contact=maybe(contacts),
)
sellers = st.builds(
    replace,
    buyers,
    identifiers=some(identifiers),
    tax_registration=maybe(st.builds(Identifier, texts, st.sampled_from(["TAX", "FC"]))),
    legal_form=maybe(texts),
)
payees = st.builds(Payee, names, maybe(identifiers), maybe(identifiers))
representatives = st.builds(TaxRepresentative, names, maybe(texts), maybe(addresses))
deliveries = st.builds(
    Delivery, maybe(names), maybe(identifiers), maybe(dates), maybe(addresses)
).filter(lambda it: it != Delivery())

transfers = st.builds(CreditTransfer, texts, maybe(names), maybe(texts))
cards = st.builds(PaymentCard, texts, maybe(names), texts)
payment_means = st.builds(
    PaymentMeans,
    code=st.sampled_from(["1", "30", "48", "49", "57", "58", "59", "ZZZ"]),
    text=maybe(texts),
    remittance=maybe(texts),
    transfers=some(transfers, 3),
    card=maybe(cards),
    mandate=maybe(texts),
    debited_account=maybe(texts),
)
categories = st.builds(
    TaxCategory,
    st.sampled_from(["S", "Z", "E", "AE", "K", "G", "O", "L", "M"]),
    maybe(st.sampled_from([Decimal(0), Decimal(21), Decimal("25.00"), Decimal("5.5")])),
)


def adjustments(category: st.SearchStrategy[TaxCategory | None]) -> st.SearchStrategy[object]:
    return some(
        st.builds(
            AllowanceCharge,
            charge=st.booleans(),
            amount=decimals,
            base_amount=maybe(decimals),
            percentage=maybe(prices),
            category=category,
            reason=maybe(texts),
            reason_code=maybe(st.sampled_from(["FC", "95", "ABL"])),
        )
    )


subtotals = st.builds(
    TaxSubtotal, decimals, decimals, categories, maybe(texts), maybe(st.just("VATEX-EU-AE"))
)
attachments = st.builds(
    Attachment,
    st.binary(min_size=1, max_size=40),
    st.sampled_from(["application/pdf", "text/csv"]),
    texts,
)
supporting = st.builds(
    SupportingDocument,
    texts,
    maybe(texts),
    maybe(st.just("https://x.example/a")),
    maybe(attachments),
)
preceding = st.builds(PrecedingInvoice, texts, maybe(dates))
items = st.builds(
    Item,
    name=names,
    category=categories,
    description=maybe(texts),
    seller_id=maybe(texts),
    buyer_id=maybe(texts),
    standard_id=maybe(identifiers),
    classifications=some(st.builds(Identifier, texts, maybe(schemes), maybe(texts))),
    origin_country=maybe(countries),
    attributes=some(st.builds(Attribute, texts, texts)),
)


@st.composite
def item_prices(draw: st.DrawFn) -> Price:
    discount = draw(maybe(prices))
    quantity = draw(maybe(prices))
    return Price(
        net=draw(prices),
        discount=discount,
        gross=None if discount is None else draw(maybe(prices)),
        base_quantity=quantity,
        base_unit=None if quantity is None else draw(maybe(units)),
    )


lines = st.builds(
    Line,
    id=texts,
    quantity=prices,
    unit=units,
    extension=decimals,
    item=items,
    price=item_prices(),
    note=maybe(texts),
    object_id=maybe(identifiers),
    order_line=maybe(texts),
    accounting_cost=maybe(texts),
    period=maybe(periods),
    adjustments=adjustments(st.none()),
)
notes = st.tuples(maybe(st.sampled_from(["AAI", "SUR"])), texts).filter(
    lambda note: note[0] is not None or not re.match("#[A-Z]{3}#", note[1])
)


@st.composite
def _payments(draw: st.DrawFn) -> tuple[PaymentMeans, ...]:
    """Distinct payment means; the direct debit, else the first, has the creditor."""
    found = draw(st.lists(payment_means, max_size=3, unique_by=lambda it: (it.code, it.remittance)))
    creditor = draw(maybe(texts))
    if creditor and found:
        debits = [i for i, it in enumerate(found) if it.mandate or it.debited_account]
        coded = [i for i, it in enumerate(found) if it.code in ("49", "59")]
        at = (debits or coded or [0])[0]
        found[at] = replace(found[at], creditor=creditor)
    return tuple(found)


@st.composite
def _totals(draw: st.DrawFn, breakdown: bool, accounting: bool) -> Totals:
    return Totals(
        lines=draw(decimals),
        tax_exclusive=draw(decimals),
        tax_inclusive=draw(decimals),
        payable=draw(decimals),
        tax=draw(decimals if breakdown else maybe(decimals)),
        tax_in_accounting_currency=draw(maybe(decimals)) if accounting else None,
        allowances=draw(maybe(decimals)),
        charges=draw(maybe(decimals)),
        prepaid=draw(maybe(decimals)),
        rounding=draw(maybe(decimals)),
    )


@st.composite
def invoices(
    draw: st.DrawFn,
    kinds: tuple[DocumentKind, ...] = (DocumentKind.INVOICE, DocumentKind.CREDIT_NOTE),
) -> Invoice:
    """Any invoice or credit note, with all terms or few; self-billed ones are not among them."""
    kind = draw(st.sampled_from(kinds))
    invoice_types = {DocumentKind.INVOICE: ["380", "384"], DocumentKind.CREDIT_NOTE: ["381", "396"]}
    currency = draw(currencies)
    accounting = draw(maybe(currencies.filter(lambda it: it != currency)))
    taxes = draw(some(subtotals, 3))
    payment = draw(_payments())
    sales_order = draw(maybe(texts))
    dated = kind is DocumentKind.INVOICE or payment
    return Invoice(
        kind=kind,
        number=draw(texts),
        issue_date=draw(dates),
        type_code=draw(st.sampled_from(invoice_types[kind])),
        currency=currency,
        seller=draw(sellers),
        buyer=draw(buyers),
        lines=draw(st.lists(lines, min_size=1, max_size=2).map(tuple)),
        totals=draw(_totals(bool(taxes), accounting is not None)),
        taxes=taxes,
        profile=draw(maybe(texts)),
        accounting_currency=accounting,
        tax_point=draw(maybe(dates)),
        tax_point_code=draw(maybe(st.sampled_from(["3", "35", "432"]))),
        due_date=draw(maybe(dates)) if dated else None,
        buyer_reference=draw(maybe(texts)),
        project=draw(maybe(texts)),
        contract=draw(maybe(texts)),
        order=draw(texts if sales_order else maybe(texts)),
        sales_order=sales_order,
        receiving_advice=draw(maybe(texts)),
        despatch_advice=draw(maybe(texts)),
        tender=draw(maybe(texts)),
        invoiced_object=draw(maybe(identifiers)),
        accounting_cost=draw(maybe(texts)),
        payment_terms=draw(maybe(texts | st.just("#SKONTO#TAGE=14#PROZENT=2.00#\n"))),
        notes=draw(some(notes)),
        preceding=draw(some(preceding)),
        payee=draw(maybe(payees)),
        tax_representative=draw(maybe(representatives)),
        delivery=draw(maybe(deliveries)),
        period=draw(maybe(periods)),
        payment=payment,
        adjustments=draw(adjustments(categories)),
        supporting=draw(some(supporting)),
    )
