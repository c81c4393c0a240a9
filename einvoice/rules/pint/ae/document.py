"""The document: what each type of transaction asks for."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from einvoice.rules.book import Chapter, Check, Kind, Values
from einvoice.rules.en16931.ubl import facts
from einvoice.rules.en16931.ubl.conditions import (
    is_vat,
)
from einvoice.rules.evaluation_errors import either
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint import billing, self_billing
from einvoice.rules.pint.ae import contexts
from einvoice.rules.pint.ae.terms import (
    ADDRESS,
    AGENT,
    CATEGORY,
    COMMERCIAL,
    COUNTRY,
    CREDIT_NOTE,
    DEEMED,
    DELIVERED_TO,
    E_COMMERCE,
    EXPORT,
    FREE_ZONE,
    GATHERED,
    LEGAL_ID,
    LINES,
    MARGIN,
    SUMMARY,
    TAX_CREDIT_NOTE,
    TAX_ID,
    is_type,
    transaction,
)
from einvoice.rules.pint.base import BUYER, SELLER
from einvoice.rules.pint.conditions import (
    Test,
    among,
    begins,
    given,
    not_given,
    require,
    text_at,
    unless,
    where,
)
from einvoice.rules.values import (
    double_of,
    normalized,
    parse_decimal,
)
from einvoice.rules.view import View

_STANDARD_RATE = Decimal(5)

chapter: Chapter = Chapter(Layer.PINT_AE_UBL, gathers=GATHERED)


def _process(invoice: Node, _: View) -> bool:
    written = text_at(invoice, "cbc:ProfileID")
    return written.startswith((billing("ae").process, self_billing("ae").process))


def _once_in_breakdown(code: str) -> Check:
    """The check that a category that is used is in the breakdown once; AE at least once."""

    def check(_: Node, view: View) -> Values | None:
        if code not in view.once(facts.all_vat_codes):
            return None
        rows = view.once(facts.breakdown_vat_codes).count(code)
        return None if rows == 1 or (rows and code == "AE") else {"rows": rows}

    return check


def _standard_is_in_breakdown(invoice: Node, view: View) -> bool:
    adjusted = (
        each
        for found in view.everywhere("cac:AllowanceCharge")
        for each in found.all("cac:TaxCategory")
    )
    used = (*adjusted, *view.everywhere("cac:ClassifiedTaxCategory"))
    rows = invoice.all("cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory")
    is_used = [text_at(each, "cbc:ID") == "S" for each in used]
    return (True in is_used) is (True in [text_at(each, "cbc:ID") == "S" for each in rows])


def _one_vat_number(invoice: Node, _: View) -> bool:
    registrations = invoice.all(f"{SELLER}/cac:PartyTaxScheme")
    return sum(len(each.all("cbc:CompanyID")) for each in registrations if _is_vat(each)) <= 1


def _is_vat(registration: Node) -> bool:
    schemes = registration.all("cac:TaxScheme")
    return any(each.text_of("cbc:ID").upper() == "VAT" for each in schemes)


def _seller_has_a_vat_number(invoice: Node, _: View) -> bool:
    return any(
        "VAT" in each.texts("cac:TaxScheme/cbc:ID") and each.has("cbc:CompanyID")
        for each in invoice.all(f"{SELLER}/cac:PartyTaxScheme")
    )


def _tax_point_is_earlier(invoice: Node, _: View) -> bool:
    """Whether the tax point is before the issue date, compared as texts."""
    points = invoice.texts("cbc:TaxPointDate")
    return not points or any(
        point < issued for point in points for issued in invoice.texts("cbc:IssueDate")
    )


def _credit_refers(invoice: Node, _: View) -> bool:
    """Whether a credit note has a preceding invoice, or is a volume discount (VD) and has none."""
    reasons = invoice.texts("cac:DiscrepancyResponse/cbc:ResponseCode")
    if invoice.has("cac:BillingReference"):
        return any(reason != "VD" for reason in reasons)
    return "VD" in reasons


def _margin_is_in_breakdown(_: Node, view: View) -> bool:
    used = any(
        normalized(code.text) == "N"
        for each in view.everywhere("cac:TaxCategory")
        if is_vat(each)
        for code in each.all("cbc:ID")
    )
    rows = [
        row for total in view.everywhere("cac:TaxTotal") for row in total.all("cac:TaxSubtotal")
    ]
    return not used or sum("N" in row.texts("cac:TaxCategory/cbc:ID") for row in rows) == 1


def _codes_everywhere(view: View) -> Iterator[str]:
    """The VAT categories anywhere, without spaces around them."""
    for name in ("cac:TaxCategory", "cac:ClassifiedTaxCategory"):
        for each in view.everywhere(name):
            yield from map(normalized, each.texts("cbc:ID"))


def _all_codes_in(*codes: str) -> Test:
    return lambda _, view: all(code in codes for code in _codes_everywhere(view))


def _due_date_is_given(invoice: Node, view: View) -> bool:
    if CREDIT_NOTE(invoice, view) or "261" in invoice.texts("cbc:CreditNoteTypeCode"):
        return True
    due = invoice.all("cac:LegalMonetaryTotal/cbc:PayableAmount")
    return either(
        lambda: DEEMED(invoice, view),
        lambda: not any(not double_of(each) <= 0 for each in due),
        lambda: invoice.has("cbc:DueDate"),
    )


def _some_line_is_taxed(invoice: Node, _: View) -> bool:
    categories = (each for name in LINES for each in invoice.all(f"{name}/cac:Item/{CATEGORY}"))
    return any(text_at(each, "cbc:ID") not in ("E", "O") for each in categories)


_delivered = given(*(f"{DELIVERED_TO}/{part}" for part in ADDRESS))


def _exchange_rate_names_both(invoice: Node, _: View) -> bool:
    """Whether a rate into AED names both currencies, where they differ."""
    currencies = invoice.texts("cbc:DocumentCurrencyCode")
    into = invoice.texts("cbc:TaxCurrencyCode")
    if "AED" not in into or not any(each != "AED" for each in currencies):
        return True
    rate = "cac:TaxExchangeRate"
    return (
        any(each in currencies for each in invoice.texts(f"{rate}/cbc:SourceCurrencyCode"))
        and any(each in into for each in invoice.texts(f"{rate}/cbc:TargetCurrencyCode"))
        and invoice.has(f"{rate}/cbc:CalculationRate")
    )


_in_dirhams = among("cbc:DocumentCurrencyCode", "AED")


def _in_another_currency(invoice: Node, _: View) -> bool:
    return any(each != "AED" for each in invoice.texts("cbc:DocumentCurrencyCode"))


def _has_amounts_in_dirhams(invoice: Node, view: View) -> bool:
    described = any(
        "aedtotal-incl-vat" in each.texts("cbc:DocumentTypeCode")
        and each.has("cbc:DocumentDescription")
        for each in invoice.all("cac:AdditionalDocumentReference")
    )
    return (
        _in_another_currency(invoice, view)
        and "AED" in invoice.texts("cbc:TaxCurrencyCode")
        and "AED" in invoice.attributes_at("cac:TaxTotal/cbc:TaxAmount", "currencyID")
        and described
    )


def _agent_is_another_one(invoice: Node, _: View) -> bool:
    principals = invoice.texts("cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID")
    numbers = invoice.texts(f"{SELLER}/{TAX_ID}")
    return any(number != principal for number in numbers for principal in principals)


def _standard_rate(_: Node, view: View) -> bool:
    categories = [e for e in view.everywhere("cac:TaxCategory") if "S" in e.texts("cbc:ID")]
    rates = (rate for each in categories for rate in each.texts("cbc:Percent"))
    return all(parse_decimal(rate) == _STANDARD_RATE for rate in rates)


def _means_are_given(invoice: Node, view: View) -> bool:
    if is_type("81", "381", "261")(invoice, view):
        return True
    return either(
        lambda: DEEMED(invoice, view),
        lambda: invoice.has("cac:PaymentMeans/cbc:PaymentMeansCode"),
    )


def _not_of_a_commercial_invoice(invoice: Node, view: View) -> bool:
    return not COMMERCIAL(invoice, view) or not any(
        each(invoice, view) for each in (MARGIN, DEEMED, SUMMARY)
    )


require(chapter, contexts.DOCUMENT, [
    ("aligned-ibrp-001-ae", "BT-24",
     begins("cbc:CustomizationID", billing("ae").customization, self_billing("ae").customization),
     "The specification identifier (BT-24) is that of PINT AE"),
    ("aligned-ibrp-002-ae", "BT-23", _process, "The process (BT-23) is billing or self-billing"),
])  # fmt: skip
for _rule, _code in (
    ("aligned-ibrp-e-01", "E"), ("aligned-ibrp-o-01", "O"), ("aligned-ibrp-z-01", "Z"),
    ("aligned-ibrp-ae-01-ae", "AE"),
):  # fmt: skip
    chapter.add(
        _rule, "BG-23 BT-118", contexts.DOCUMENT, _once_in_breakdown(_code),
        f"The VAT category {_code}, where it is used, has a row in the VAT breakdown",
        kind=Kind.OTHER,
    )  # fmt: skip
_PRINCIPAL = "cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID"
_BENEFICIARY = "cac:BuyerCustomerParty/cac:Party/cac:PartyIdentification/cbc:ID"
require(chapter, contexts.DOCUMENT, [
    ("aligned-ibrp-s-01", "BG-23 BT-118", _standard_is_in_breakdown,
     "The VAT category S has a row in the VAT breakdown exactly if it is used"),
    ("aligned-ibrp-sr-12", "BT-31", _one_vat_number,
     "The seller has at most one VAT number (BT-31)"),
    ("ibr-007-ae", "", where(FREE_ZONE, given(_BENEFICIARY)),
     "A supply of a free trade zone names the beneficiary"),
    ("ibr-134-ae", "BT-31", unless(COMMERCIAL, _seller_has_a_vat_number),
     "The seller of a tax invoice or tax credit note has a VAT number (BT-31)"),
    ("ibr-136-ae", "BT-47", where(
        lambda invoice, _: (
            "480" in invoice.texts("cbc:InvoiceTypeCode")
            or "81" in invoice.texts("cbc:CreditNoteTypeCode")
        ), given(f"{BUYER}/{LEGAL_ID}")),
     "The buyer of a commercial invoice or credit note has a legal registration (BT-47)"),
    ("ibr-137-ae", "", where(AGENT, given(_PRINCIPAL)),
     "Billing by a disclosed agent names the principal"),
    ("ibr-138-ae", "BG-14", where(SUMMARY, given("cac:InvoicePeriod")),
     "A summary invoice has a period"),
    ("ibr-141-ae", "BT-7 BT-2", _tax_point_is_earlier,
     "The tax point (BT-7) is before the issue date (BT-2)"),
    ("ibr-055-ae", "BG-3", where(CREDIT_NOTE, _credit_refers),
     "A credit note names the invoice that it corrects, or is for a volume discount (VD)"),
    ("ibr-142-ae", "BG-15", where(E_COMMERCE, _delivered),
     "A supply through e-commerce has the address of delivery"),
    ("ibr-105-ae", "BG-23", _margin_is_in_breakdown,
     "The VAT category N, where it is used, has one row in the VAT breakdown"),
    ("ibr-122-ae", "BT-118", where(COMMERCIAL, _all_codes_in("E", "O", "Z")),
     "A commercial invoice or credit note (480, 81) has the VAT categories E, O and Z only"),
    ("ibr-124-ae", "BT-7", where(CREDIT_NOTE, not_given("cbc:TaxPointDate")),
     "A credit note has no tax point (BT-7)"),
    ("ibr-127-ae", "BT-9", _due_date_is_given, "Where an amount is due, so is a due date (BT-9)"),
    ("ibr-116-ae", "BT-118", where(MARGIN, _all_codes_in("N")),
     "Under the margin scheme all VAT categories are N"),
    ("ibr-151-ae", "BT-151", where(is_type("380", "381"), _some_line_is_taxed),
     "A tax invoice or tax credit note has a line that is not of the category E or O"),
    ("ibr-152-ae", "BG-15", where(EXPORT, unless(
        among(f"{DELIVERED_TO}/{COUNTRY}", "AE"), _delivered)),
     "An export has the address of delivery"),
    ("ibr-153-ae", "BT-6", _exchange_rate_names_both,
     "The exchange rate into AED names both currencies and the rate"),
    ("ibr-157-ae", "BT-3", _not_of_a_commercial_invoice,
     "A commercial invoice or credit note (480, 81) is no deemed, margin or summary supply"),
    ("ibr-158-ae", "BT-3", where(
        TAX_CREDIT_NOTE, given("cac:DiscrepancyResponse/cbc:ResponseCode")),
     "A tax credit note has a reason code"),
    ("ibr-159-ae", "BT-5", unless(_in_dirhams, lambda invoice, view: (
        _in_another_currency(invoice, view)
        and any(each.has("cbc:CalculationRate") for each in view.everywhere("cac:TaxExchangeRate"))
    )), "A document in another currency than AED has an exchange rate"),
    ("ibr-160-ae", "BT-22", where(
        among("cac:InvoicePeriod/cbc:DescriptionCode", "OTH"), given("cbc:Note")),
     "The billing frequency OTH is explained in a note (BT-22)"),
    ("ibr-175-ae", "BT-6 BT-111", unless(_in_dirhams, _has_amounts_in_dirhams),
     "A document in another currency has the tax total and the total with VAT in AED"),
    ("ibr-176-ae", "BT-31", where(AGENT, _agent_is_another_one),
     "A disclosed agent has another number than the principal"),
    ("ibr-190-ae", "BT-119", _standard_rate, "The VAT rate of the category S is 5"),
    ("ibr-191-ae", "BT-81", _means_are_given, "An invoice has a payment means (BT-81)"),
    ("ibr-154-ae", "", transaction(),
     "The transaction type is eight digits, each 0 or 1"),
    ("ibr-140-ae", "BT-6", unless(
        not_given("cbc:TaxCurrencyCode"), among("cbc:TaxCurrencyCode", "AED")),
     "The tax accounting currency (BT-6) is AED"),
    ("ibr-193-ae", "", given("cbc:UUID"), "A document has a UUID"),
])  # fmt: skip
