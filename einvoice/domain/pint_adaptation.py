"""An invoice in the form of PINT of a country: what its tables ask for is filled in or computed.

What a country needs and was not sent is not invented: the rules of the country report it. Computed
are the amounts of a line with its VAT and those in the country's currency, and the UUID, which is
the same for the same invoice (version 5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from uuid import NAMESPACE_OID, uuid5

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import (
    AllowanceCharge,
    DocumentKind,
    Identifier,
    Invoice,
    Line,
    Party,
    Price,
    SupportingDocument,
    TaxCategory,
    TaxSubtotal,
)
from einvoice.domain.money import ZERO, cents, plain
from einvoice.domain.pint import UNCHARGED, Country, Further, billing, self_billing
from einvoice.domain.pint_amounts import in_smallest_unit, line_tax
from einvoice.domain.profiles import Adapted
from einvoice.domain.request import SendWarning
from einvoice.domain.vat_forms import has_form

_NO_PRECEDING = "stands at the preceding invoice: send precedingInvoice with it"
_ONE = Decimal(1)
# Warnings about what EN 16931 and BIS Billing ask for and PINT does not.
_SETTLED = frozenset(
    {
        "exemption-reason-assumed",
        "exemption-reason-unused",
        "vat-number-completed",
        "buyer-reference-defaulted",
    }
)
_OF_EN16931 = "VATEX-EU-"
_UNTAXED = frozenset({"E", "O"})  # exempt, and outside the scope of VAT


def as_pint(invoice: Invoice, country: Country) -> Adapted:
    """The invoice as PINT of the country.

    Raises InvalidField for a kind of transaction that the country does not have, and for a term
    that needs another one.
    """
    kind, given = invoice.document_kind, invoice.further or {}
    reference = invoice.buyer_reference
    _check(given, invoice, country)
    code = country.code.lower()
    specification = (self_billing if kind.is_self_billed else billing)(code)
    rate = Decimal(given["exchangeRate"]) if "exchangeRate" in given else None
    invoice, warnings, settled = in_smallest_unit(invoice, country)
    type_code = _type_code(invoice, country)
    if type_code != invoice.type_code:
        values = {"code": type_code}
        warnings = (*warnings, SendWarning("type-code-assumed", "", "invoice.typeCode", "", values))
    invoice, given = _identified_abroad(invoice, given, country)
    adapted = replace(
        invoice,
        type_code=type_code,
        customization=specification.customization,
        profile=specification.process,
        buyer_reference=reference if reference != invoice.number else None,
        seller=_party(invoice.seller, country),
        buyer=_party(invoice.buyer, country),
        lines=tuple([_line(line, invoice.currency, rate, country) for line in invoice.lines]),
        taxes=tuple([_subtotal(tax, invoice, country) for tax in invoice.taxes]),
        adjustments=tuple([_adjustment(each) for each in invoice.adjustments]),
        supporting=(*invoice.supporting, *_totals_in_currency(given, country)),
        further=_document_terms(invoice, given, country),
    )
    return Adapted(adapted, warnings, _SETTLED | settled)


def _check(given: Further, invoice: Invoice, country: Country) -> None:
    errors = []
    for place, name in enumerate(given.get("transactionTypes", "").split()):
        if name not in country.transactions:
            known = ", ".join(country.transactions)
            message = (
                f"{name!r} is no kind of transaction of PINT {country.code}, which has {known}"
            )
            pointer = f"/invoice/transactionTypes/{place}"
            errors.append(FieldError(pointer, "unknown-transaction", message))
    if "contractValue" in given and not invoice.contract:
        message = "is required with contractValue"
        errors.append(FieldError("/invoice/contractReference", "required", message))
    if "correctionReason" in given and not _has_corrections(invoice, country):
        message = "is of a credit note" if not country.corrects_preceding else _NO_PRECEDING
        errors.append(FieldError("/invoice/correctionReason", "contradicts", message))
    for place, line in enumerate(invoice.lines):
        if line.further and "orderReference" in line.further and not line.order_line:
            message, at = "is required with orderReference", f"/invoice/lineItems/{place}"
            errors.append(FieldError(f"{at}/orderLineReference", "required", message))
    if errors:
        raise InvalidField(errors)


def _has_corrections(invoice: Invoice, country: Country) -> bool:
    """Whether the document has an element for the reason of a correction."""
    if country.corrects_preceding:
        return bool(invoice.preceding)
    return invoice.kind is DocumentKind.CREDIT_NOTE


def has_further_terms(invoice: Invoice) -> bool:
    """Whether the invoice has terms that EN 16931 has not, beside reasons of exemption."""
    return (
        invoice.further is not None
        or bool(invoice.prepayments)
        or any(line.further for line in invoice.lines)
    )


def without_place(
    invoice: Invoice, country: Country | None, placed: Collection[str] = ()
) -> Iterator[SendWarning]:
    """A warning for the terms that a document of PINT of this country, or of none, has not.

    placed  those of the document for which the profile has a place
    """
    document, line = (country.document, country.line) if country else ({}, {})
    computed = {"transactionTypes", *country.totals} if country else set()
    names = [*(invoice.further or {}), *(["prepayments"] if invoice.prepayments else [])]
    names = [name for name in names if name not in {*document, *computed, *placed}]
    for place, each in enumerate(invoice.lines):
        lost = (name for name in each.further or {} if name not in line)
        names += [f"lineItems[{place}].{name}" for name in lost if "taxExemption" not in name]
    names = [name for name in names if "=" not in name]
    if names:
        values = {"count": str(len(names)), "fields": ", ".join(names[:_SHOWN])}
        yield SendWarning("terms-without-place", field=f"invoice.{names[0]}", values=values)


_SHOWN = 5


def _type_code(invoice: Invoice, country: Country) -> str:
    """The type of the document: another one where nothing is subject to VAT (ibr-151-ae)."""
    untaxed = all(line.item.category.code in _UNTAXED for line in invoice.lines)
    code = invoice.type_code
    return country.untaxed_types.get(code, code) if untaxed else code


def _identified_abroad(
    invoice: Invoice, given: Further, country: Country
) -> tuple[Invoice, Further]:
    """The VAT number of a buyer abroad as its identifier, unless it has one (IBR-003-OM)."""
    buyer, kind = invoice.buyer, country.foreign_identifier
    number = buyer.vat_id
    if not kind or number is None or number.startswith(country.code):
        return invoice, given
    buyer = replace(buyer, vat_id=None)
    if not buyer.identifiers:
        buyer = replace(buyer, identifiers=(Identifier(number),))
        given = {**given, "buyer.identifierType": kind}
    return replace(invoice, buyer=buyer), given


def _party(party: Party, country: Country) -> Party:
    """VAT numbers of the country are without the prefix that EN 16931 puts before them."""
    number = party.vat_id or ""
    rest = number.removeprefix(country.code)
    if rest == number or not has_form(country.code, rest):
        return party
    return replace(party, vat_id=rest)


def _category(category: TaxCategory, country: Country) -> TaxCategory:
    """E and O have no rate; the margin scheme and reverse charge name the standard one."""
    if category.code in ("E", "O"):
        return replace(category, rate=None)
    if category.code in UNCHARGED and not category.rate:
        return replace(category, rate=country.standard_rate)
    return category


def _adjustment(entry: AllowanceCharge) -> AllowanceCharge:
    """An allowance or charge of the category O has no rate."""
    if entry.category is None or entry.category.code != "O":
        return entry
    return replace(entry, category=replace(entry.category, rate=None))


def _subtotal(tax: TaxSubtotal, invoice: Invoice, country: Country) -> TaxSubtotal:
    """Reasons stand at the lines, where the country has them in the breakdown also there."""
    category, code, reason = _category(tax.category, country), None, None
    if country.reasons_in_breakdown:
        lines = (each for each in invoice.lines if each.item.category.code == category.code)
        given = [code for line in lines if (code := _reason_code(line))]
        code = given[0] if given else tax.exemption_code
        reason = tax.exemption_reason
        if code and code.startswith(_OF_EN16931):
            code = None
    return replace(tax, category=category, exemption_code=code, exemption_reason=reason)


def _reason_code(line: Line) -> str | None:
    """The code of the reason why nothing is charged for a line."""
    return (line.further or {}).get("taxExemption.reasonCode")


def _line(line: Line, currency: str, rate: Decimal | None, country: Country) -> Line:
    item = replace(line.item, category=_category(line.item.category, country))
    price, further = line.price, _line_terms(line, currency, rate, country)
    if country.whole_lines:
        item = replace(item, description=item.description or item.name)
        price = _whole_price(price, line.unit)
    return replace(line, item=item, price=price, further=further)


def _whole_price(price: Price, unit: str) -> Price:
    """The price with a base quantity and a gross price."""
    return replace(
        price,
        gross=price.gross if price.gross is not None else price.net + (price.discount or ZERO),
        base_quantity=price.base_quantity or _ONE,
        base_unit=price.base_unit or unit,
    )


def _line_terms(line: Line, currency: str, rate: Decimal | None, country: Country) -> Further:
    """The terms as sent, and the amounts of the line with its VAT."""
    given, category = dict(line.further or {}), line.item.category
    tax = line_tax(line, country)
    amount = line.extension + tax
    if country.lines_in_own_currency and rate is not None and currency != country.currency:
        amount, tax, currency = cents(amount * rate), cents(tax * rate), country.currency
    given |= {"=amount": plain(amount), "=amount.currency": currency}
    if category.code not in country.untaxed:
        given |= {"=tax": plain(tax), "=tax.currency": currency}
    return given | _codes(country.line_codes, given)


def _document_terms(invoice: Invoice, given: Further, country: Country) -> Further:
    types = given.get("transactionTypes", "").split()
    types += country.own_types(types, self_billed=invoice.document_kind.is_self_billed)
    found = {
        **given,
        "=transaction": country.digits(types),
        "uuid": given.get("uuid") or _uuid(invoice),
        "=taxIncluded": "false",
    }
    if "exchangeRate" in given:
        found |= {"=rate.from": invoice.currency, "=rate.to": country.currency}
    found |= _codes(country.codes, given)
    return {name: text for name, text in found.items() if name in country.document}


def _codes(codes: Mapping[str, tuple[str, str]], given: Further) -> dict[str, str]:
    return {name: code for name, (term, code) in codes.items() if term in given}


def _uuid(invoice: Invoice) -> str:
    endpoint = invoice.seller.endpoint
    seller = f"{endpoint.scheme}:{endpoint.value}" if endpoint else invoice.seller.name
    return str(uuid5(NAMESPACE_OID, f"{seller}|{invoice.number}|{invoice.issue_date}"))


def _totals_in_currency(given: Further, country: Country) -> Iterator[SupportingDocument]:
    for name, (code, text) in country.totals.items():
        if name in given:
            amount = text.format(given[name])
            yield SupportingDocument(country.currency, description=amount, type_code=code)
