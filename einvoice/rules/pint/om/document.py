"""The document: what each kind of transaction asks for, and which kinds exclude each other."""

from __future__ import annotations

import re
from collections import Counter
from datetime import timedelta
from decimal import Decimal

from einvoice import clock
from einvoice.rules.book import BROKEN, Chapter, Check, Flag, Kind, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl.document import date_is_a_day
from einvoice.rules.pint.base import BUYER, SELLER
from einvoice.rules.pint.conditions import (
    Requirement,
    Test,
    among,
    castable,
    given,
    in_line,
    one_number,
    require,
    text_at,
    unless,
    where,
)
from einvoice.rules.pint.om import contexts, terms
from einvoice.rules.pint.om.terms import (
    ADDRESS,
    CENT,
    CONTINUOUS,
    COUNTRY,
    DEEMED,
    E_COMMERCE,
    EXPORT,
    EXTENDED,
    FULL,
    GATHERED,
    IMPORT_GOODS,
    IMPORT_RCM,
    ITEM_TYPE,
    LINE_CATEGORY,
    MARGIN,
    MARGIN_SELF,
    PREPAYMENT,
    SELF_BILLED,
    SIMPLIFIED,
    SPECIAL_ZONE,
    SUMMARY,
    THIRD_PARTY,
    adjustments,
    is_any,
    is_type,
    lines,
    references,
    total,
    transaction,
    within,
)
from einvoice.rules.values import decimal_of, double_of, parse_date, parse_decimal
from einvoice.rules.view import View

UUID_5 = re.compile(
    r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}"
)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ZONE = timedelta(hours=4)  # of Oman
# A buyer without a number of its own, such as a consumer.
_PREDEFINED_BUYER = "997770000099"
_RATE_SCALE = Decimal("0.0000001")
_TO = "cac:Delivery/cac:DeliveryLocation/cac:Address"
_PRECEDING = "cac:BillingReference/cac:InvoiceDocumentReference"
_PERIOD = ("cac:InvoicePeriod/cbc:StartDate", "cac:InvoicePeriod/cbc:EndDate")
_SHIPPED = "cac:Delivery/cac:Shipment/cac:Delivery/cbc:ActualDeliveryDate"
_AGENT = f"{SELLER}/cac:AgentParty"
_SUBTOTAL = "cac:TaxTotal/cac:TaxSubtotal"
_PARTY_ID = "cac:PartyIdentification/cbc:ID"
_RATE = "cac:TaxExchangeRate"
_SUBENTITY = "cac:PostalAddress/cbc:CountrySubentityCode"

chapter = Chapter(Layer.PINT_OM_UBL, gathers=GATHERED)


def _vat_number(party: str) -> Test:
    """Whether the party has a VAT number."""
    return lambda invoice, _: any(
        "VAT" in each.texts("cac:TaxScheme/cbc:ID") and each.has("cbc:CompanyID")
        for each in invoice.all(f"{party}/cac:PartyTaxScheme")
    )


def _whole(address: str) -> Test:
    return given(*(f"{address}/{part}" for part in ADDRESS))


def _in_dinars(view: View) -> bool:
    return view.once(terms.currency) == "OMR"


def _has_tax_currency(view: View) -> bool:
    return bool(view.once(terms.tax_currency))


# -- identifiers and currencies --------------------------------------------------------------------


def _named_transaction(_: Node, view: View) -> bool:
    found = view.once(transaction)
    return found.is_well_formed and bool(found.kinds)


def _rate_has_seven_decimals(_: Node, view: View) -> bool:
    if view.once(terms.tax_currency) != "OMR" or _in_dinars(view):
        return True
    rate = view.once(terms.exchange_rate)
    return rate is not None and rate == rate.quantize(_RATE_SCALE)


def _rate_names_both(invoice: Node, view: View) -> bool:
    if not view.once(terms.exchange_rate):
        return True
    return view.once(terms.currency) in invoice.texts(f"{_RATE}/cbc:SourceCurrencyCode") and (
        view.once(terms.tax_currency) in invoice.texts(f"{_RATE}/cbc:TargetCurrencyCode")
    )


def _is_converted(view: View) -> bool:
    return not _in_dinars(view) and view.once(terms.tax_currency) == "OMR"


def _first_tax(invoice: Node, code: str) -> Node | None:
    """The first tax amount of the tax totals that have one in this currency."""
    found = [
        amount
        for total_ in invoice.all("cac:TaxTotal")
        if code in total_.attributes_at("cbc:TaxAmount", "currencyID")
        for amount in total_.all("cbc:TaxAmount")
    ]
    return found[0] if found else None


def _tax_is_converted(invoice: Node, view: View) -> bool:
    """Whether the tax in OMR is that of the invoice at the exchange rate, computed in doubles."""
    if not _is_converted(view):
        return True
    rate = view.once(terms.exchange_rate)
    declared = _first_tax(invoice, view.once(terms.tax_currency))
    base = _first_tax(invoice, view.once(terms.currency))
    if rate is None or declared is None or base is None:
        return False
    return within(decimal_of(declared), Decimal(float(rate) * double_of(base)), CENT)


def _breakdown_is_converted(invoice: Node, view: View) -> bool:
    standard = any("S" in each.texts("cbc:ID") for each in view.everywhere("cac:TaxCategory"))
    if _in_dinars(view) or not standard:
        return True
    code = view.once(terms.tax_currency)
    return any(
        code in row.attributes_at("cbc:TaxAmount", "currencyID")
        and "S" in row.texts("cac:TaxCategory/cbc:ID")
        and row.has("cac:TaxCategory/cbc:Percent")
        for each in invoice.all("cac:TaxTotal")
        if code in each.attributes_at("cbc:TaxAmount", "currencyID")
        for row in each.all("cac:TaxSubtotal")
    )


def _one_total_is_in_tax_currency(invoice: Node, view: View) -> bool:
    code = view.once(terms.tax_currency)
    return not code or any(
        code in each.attributes_at("cbc:TaxAmount", "currencyID")
        and all(
            amount.attributes.get("currencyID") == code
            for amount in each.all("cac:TaxSubtotal/cbc:TaxAmount")
        )
        for each in invoice.all("cac:TaxTotal")
    )


require(chapter, contexts.DOCUMENT, [
    ("ALIGNED-IBRP-000-OM", "", _named_transaction,
     "A document has a transaction type that names a kind of transaction"),
    ("ALIGNED-IBRP-003-OM", "BT-6", lambda _, view: (
        view.once(terms.tax_currency) in ("", "OMR")),
     "The tax accounting currency (BT-6) is OMR"),
    ("ALIGNED-IBRP-016-OM", "", given("cbc:IssueTime"), "A document has a time of issue"),
    ("IBR-001-OM", "", lambda _, view: view.once(transaction).is_well_formed,
     "The transaction type is twenty digits, each 0 or 1"),
    ("IBR-002-OM", "", lambda invoice, _: (
        UUID_5.fullmatch(text_at(invoice, "cbc:UUID")) is not None),
     "A document has a UUID of version 5"),
    ("IBR-004-OM", "BT-5", lambda _, view: (
        _in_dinars(view) or view.once(terms.exchange_rate) is not None),
     "A document in another currency than OMR has an exchange rate"),
    ("IBR-005-OM", "BT-6", _rate_has_seven_decimals,
     "An exchange rate into OMR has at most seven decimals"),
    ("IBR-034-OM", "BT-6", lambda _, view: _in_dinars(view) or _has_tax_currency(view),
     "A document in another currency than OMR has the tax accounting currency OMR (BT-6)"),
    ("IBR-059-OM", "BT-6", _rate_names_both, "An exchange rate names both currencies"),
    ("IBR-065-OM", "BT-111", _tax_is_converted,
     "The tax total in OMR (BT-111) is that of the invoice at the exchange rate"),
    ("IBR-066-OM", "BT-111", _breakdown_is_converted,
     "The tax of the category S is also given in OMR"),
    ("IBR-136-OM", "BT-111", _one_total_is_in_tax_currency,
     "One tax total is in the tax accounting currency (BT-6), with all its rows"),
    ("IBR-172-OM", "BT-5", lambda invoice, view: (
        not _in_dinars(view) or not invoice.has(f"{_RATE}/cbc:CalculationRate")),
     "A document in OMR has no exchange rate"),
])  # fmt: skip
chapter.add(
    "BTOM-META-001", "", contexts.DOCUMENT, lambda _, __: BROKEN,
    "Judged by release 1.0.1 of the rules of the Tax Authority of Oman", Flag.INFORMATION,
)  # fmt: skip
# The document element is always one of the two.
chapter.add("BTOM-PRE-001", "", contexts.DOCUMENT, lambda _, __: None,
            "A document is a UBL invoice or credit note")  # fmt: skip


# -- the breakdown ---------------------------------------------------------------------------------


def _in_breakdown(code: str) -> Check:
    """The check that a category that is used has one row; of a simplified invoice at most one."""

    def check(invoice: Node, view: View) -> Values | None:
        if not _is_used(code, view):
            return None
        rows = sum(code in row.texts("cac:TaxCategory/cbc:ID") for row in invoice.all(_SUBTOTAL))
        simplified = view.once(transaction).is_any(SIMPLIFIED)
        return None if rows == 1 or (simplified and rows == 0) else {"rows": rows}

    return check


def _is_used(code: str, view: View) -> bool:
    found = [each for line in view.once(lines) for each in line.texts(f"{LINE_CATEGORY}/cbc:ID")]
    for indicator in ("false", "true"):
        for each in adjustments(view, indicator):
            found += each.texts("cac:TaxCategory/cbc:ID")
    return code in found


for _code in ("E", "O", "Z"):
    chapter.add(
        f"ALIGNED-IBRP-{_code}-01-OM", "BG-23 BT-118", contexts.DOCUMENT, _in_breakdown(_code),
        f"The VAT category {_code}, where it is used, has one row in the VAT breakdown",
    )  # fmt: skip


def _every_rate_has_a_row(invoice: Node, view: View) -> bool:
    rates: list[Node] = []
    for line in terms.of_category(view.once(lines), LINE_CATEGORY, "S"):
        rates += line.all(f"{LINE_CATEGORY}/cbc:Percent")
    for indicator in ("false", "true"):
        for each in terms.of_category(adjustments(view, indicator), "cac:TaxCategory", "S"):
            rates += each.all("cac:TaxCategory/cbc:Percent")
    rows = [r for r in invoice.all(_SUBTOTAL) if "S" in r.texts("cac:TaxCategory/cbc:ID")]
    by_text = {rate.text: rate for rate in reversed(rates)}
    counted = Counter(row.number("cac:TaxCategory/cbc:Percent") for row in rows if rates)
    return all(rows and counted[decimal_of(rate)] == 1 for rate in by_text.values())


def _standard_rate(_: Node, view: View) -> bool:
    return all(
        castable(line, f"{LINE_CATEGORY}/cbc:Percent") == terms.STANDARD_RATE
        for line in terms.of_category(view.once(lines), LINE_CATEGORY, "S")
    )


def _one_vat_number(invoice: Node, _: View) -> bool:
    registrations = invoice.all(f"{SELLER}/cac:PartyTaxScheme")
    vat = [each for each in registrations if "VAT" in each.texts("cac:TaxScheme/cbc:ID")]
    return sum(len(each.all("cbc:CompanyID")) for each in vat) <= 1


require(chapter, contexts.DOCUMENT, [
    ("ALIGNED-IBRP-SR-12", "BT-31", _one_vat_number,
     "The seller has at most one VAT number (BT-31)"),
    ("ALIGNED-IBRP-S-01-OM", "BT-119", _every_rate_has_a_row,
     "Each rate of the category S has one row in the VAT breakdown"),
    ("ALIGNED-IBRP-S-05-OM", "BT-152", _standard_rate,
     "The VAT rate of a line of the category S is 5"),
])  # fmt: skip


# -- parties, delivery and period ------------------------------------------------------------------


def _reason_in_lines(code: str) -> Test:
    return lambda _, view: any(
        reason.text == code and in_line(reason)
        for reason in view.everywhere("cbc:TaxExemptionReasonCode")
    )


def _abroad(path: str) -> Test:
    """Whether a country on the path is not Oman."""
    return lambda invoice, _: any(text != "OM" for text in invoice.texts(path))


def _identified_document(invoice: Node, _: View) -> bool:
    return any(
        "130" not in each.texts("cbc:DocumentTypeCode")
        and each.has("cbc:ID")
        and each.has("cbc:UUID")
        for each in invoice.all("cac:AdditionalDocumentReference")
    )


_agent_parts = given(
    f"{_AGENT}/cac:PartyName/cbc:Name",
    f"{_AGENT}/cac:PartyTaxScheme/cac:TaxScheme/cbc:ID",
    *(f"{_AGENT}/cac:PostalAddress/{part}" for part in (*ADDRESS, COUNTRY)),
)


def _agent_is_whole(invoice: Node, view: View) -> bool:
    return (
        len(invoice.all(_AGENT)) == 1
        and _agent_parts(invoice, view)
        and _vat_number(_AGENT)(invoice, view)
    )


def _month(invoice: Node, path: str) -> str:
    """The month of the date on the path. Raises MoreThanOneItem."""
    return invoice.text_of(path)[:7]


def in_one_month(node: Node, _: View) -> bool:
    return _month(node, _PERIOD[0]) == _month(node, _PERIOD[1])


def _has_scheme(party: str, name: str) -> Test:
    return lambda invoice, _: name in invoice.attributes_at(f"{party}/{_PARTY_ID}", "schemeName")


def _is_predefined(invoice: Node) -> bool:
    return text_at(invoice, f"{BUYER}/cbc:EndpointID") == _PREDEFINED_BUYER


def _outside_of_the_mainland(party: str) -> Test:
    """Whether the party is in a special zone: MO is the mainland."""
    return lambda invoice, _: any(text != "MO" for text in invoice.texts(f"{party}/{_SUBENTITY}"))


def _zone_of(party: str) -> Test:
    outside = _outside_of_the_mainland(party)
    return lambda invoice, view: (
        view.once(transaction).is_any(SPECIAL_ZONE) and outside(invoice, view)
    )


def _buyer_is_licensed(invoice: Node, view: View) -> bool:
    if not _zone_of(BUYER)(invoice, view) or _is_predefined(invoice):
        return True
    return _has_scheme(BUYER, "SZLN")(invoice, view)


def _prepayment_is_documented(_: Node, view: View) -> bool:
    found = references(view, "PDR")
    return any(each.has("cbc:ID") for each in found) and any(each.has("cbc:UUID") for each in found)


def _margin_adds_up(_: Node, view: View) -> bool:
    """Raises MoreThanOneItem, InvalidNumber for the total, as the official rules do."""
    declared = one_number(references(view, "PM_TOTAL"), "cbc:DocumentDescription")
    if declared is None:
        return False
    return within(declared, total(view.once(lines), f"{EXTENDED}/cbc:Amount"), CENT)


def _margin_is_in_dinars(_: Node, view: View) -> bool:
    found = references(view, "PM_TOTAL")
    if not any(each.has("cbc:DocumentDescription") for each in found):
        return True
    return any("OMR" in each.texts("cbc:ID") for each in found)


def _nothing_is_negative(_: Node, view: View) -> bool:
    for name in terms.ANY_AMOUNT:
        for amount in view.everywhere(name):
            number = parse_decimal(amount.text)
            if number is not None and number < 0:
                return False
    return True


def _is_issued(invoice: Node, _: View) -> bool:
    """Whether the issue date is a date, and not after today in Oman."""
    found = invoice.all("cbc:IssueDate")
    if not found:
        return True
    issued = parse_date(found[0].text.strip()[:10]) if len(found) == 1 else None
    if issued is None or parse_date(found[0].text) is None:
        return False
    today = parse_date((clock.now() + _ZONE).date().isoformat())
    return today is not None and issued <= today


def _shipped_on_a_day(invoice: Node, _: View) -> bool:
    texts = invoice.texts(_SHIPPED)
    if len(texts) > 1:
        return False
    return all(_DAY.fullmatch(text) and parse_date(text) is not None for text in texts)


def _names_the_taxpayer(invoice: Node, _: View) -> bool:
    number = text_at(invoice, "cac:AccountingSupplierParty/cbc:AdditionalAccountID")
    return UUID_5.fullmatch(number) is not None or not _is_predefined(invoice)


def _names_an_invoice(invoice: Node, _: View) -> bool:
    return any(
        text_at(each, "cbc:ID") and text_at(each, "cbc:UUID") for each in invoice.all(_PRECEDING)
    )


def _export_names_services(_: Node, view: View) -> bool:
    if not view.once(transaction).is_any(EXPORT):
        return True
    found = view.once(lines)
    code = f"{LINE_CATEGORY}/cbc:TaxExemptionReasonCode"
    if not any("VATZR-OM-09" in line.texts(code) for line in found):
        return True
    return any("MP" in line.attributes_at(f"{ITEM_TYPE}/cbc:ID", "schemeName") for line in found)


_imported = is_any(IMPORT_GOODS, IMPORT_RCM, MARGIN_SELF)
_buyer_issues = is_any(SELF_BILLED, IMPORT_RCM, MARGIN_SELF, IMPORT_GOODS)
_corrects = is_type("381", "383", "261")
_buyer_identified: Test = lambda invoice, view: (  # noqa: E731
    invoice.has(f"{BUYER}/{_PARTY_ID}") or _vat_number(BUYER)(invoice, view)
)
_DOCUMENT: list[Requirement] = [
    ("IBR-006-OM", "BT-31", unless(_imported, _vat_number(SELLER)),
     "The seller has a VAT number (BT-31), unless the buyer imports or issues"),
    ("IBR-007-OM", "BT-29", where(
        is_any(IMPORT_GOODS, IMPORT_RCM, MARGIN_SELF, SPECIAL_ZONE),
        given(f"{SELLER}/{_PARTY_ID}")),
     "The seller of an import or in a special zone has an identifier (BT-29)"),
    ("IBR-010-OM", "BT-35 BT-36 BT-37 BT-38 BT-162", _whole(f"{SELLER}/cac:PostalAddress"),
     "The address of the seller has street, building, city, post code and a third line"),
    ("IBR-011-OM", "BT-42", given(f"{SELLER}/cac:Contact/cbc:Telephone"),
     "The seller has a telephone number (BT-42)"),
    ("IBR-012-OM", "BT-80", unless(
        lambda node, view: not (is_any(EXPORT)(node, view)
                                and _reason_in_lines("VATZR-OM-09")(node, view)),
        _abroad(f"{_TO}/{COUNTRY}")),
     "Goods that are exported (VATZR-OM-09) are delivered outside of Oman"),
    ("IBR-013-OM", "BG-24", unless(
        lambda node, view: not (is_any(EXPORT)(node, view)
                                and _reason_in_lines("VATZR-OM-12")(node, view)),
        _identified_document),
     "An export with the reason VATZR-OM-12 names a supporting document and its UUID"),
    ("IBR-014-OM", "BT-80", where(is_any(EXPORT), given(f"{_TO}/{COUNTRY}")),
     "An export names the country of delivery (BT-80)"),
    ("IBR-015-OM", "", where(is_any(THIRD_PARTY), _agent_is_whole),
     "Billing by a third party names it, with its VAT number and address"),
    ("IBR-016-OM", "BT-46 BT-48", where(
        is_any(FULL, THIRD_PARTY, SUMMARY, CONTINUOUS, EXPORT, MARGIN, E_COMMERCE),
        _buyer_identified), "The buyer has an identifier (BT-46) or a VAT number (BT-48)"),
    ("IBR-017-OM", "BT-48", where(_buyer_issues, _vat_number(BUYER)),
     "A buyer that issues the document has a VAT number (BT-48)"),
    ("IBR-019-OM", "BT-50 BT-51 BT-52 BT-53 BT-163", where(
        is_any(FULL, THIRD_PARTY, SELF_BILLED, EXPORT, IMPORT_RCM, MARGIN, MARGIN_SELF,
               IMPORT_GOODS, SPECIAL_ZONE, SUMMARY),
        _whole(f"{BUYER}/cac:PostalAddress")),
     "The address of the buyer has street, building, city, post code and a third line"),
    ("IBR-020-OM", "BT-55", where(
        _buyer_issues, among(f"{BUYER}/cac:PostalAddress/{COUNTRY}", "OM")),
     "A buyer that issues the document is in Oman"),
    ("IBR-023-OM", "BG-3", where(_corrects, given(f"{_PRECEDING}/cbc:DocumentStatusCode")),
     "A credit or debit note says why it corrects the invoice"),
    ("IBR-032-OM", "BT-25 BT-26", where(_corrects, given(
        f"{_PRECEDING}/cbc:ID", f"{_PRECEDING}/cbc:IssueDate", f"{_PRECEDING}/cbc:UUID")),
     "A credit or debit note names number, date and UUID of the invoice"),
    ("IBR-036-OM", "BT-73 BT-74", where(is_any(SUMMARY), in_one_month),
     "The period of a summary invoice is within a month"),
    ("IBR-037-OM", "BT-73 BT-74", where(is_any(SUMMARY, CONTINUOUS), given(*_PERIOD)),
     "A summary invoice, and one of continuous supply, has a period with beginning and end"),
    ("IBR-040-OM", "BG-15", where(
        is_any(E_COMMERCE), given(*(f"{_TO}/{part}" for part in (*ADDRESS, COUNTRY)))),
     "A supply through e-commerce has the whole address of delivery"),
    ("IBR-043-OM", "", lambda _, view: "1" in view.once(transaction).written[:2],
     "A document is a full or a simplified tax invoice"),
    ("IBR-058-OM", "BT-113", unless(
        lambda invoice, _: not invoice.has("cac:LegalMonetaryTotal/cbc:PrepaidAmount"),
        _prepayment_is_documented),
     "A prepaid amount (BT-113) names the document of the prepayment and its UUID"),
    ("IBR-082-OM", "", where(is_any(MARGIN, MARGIN_SELF), _margin_adds_up),
     "The total under the margin scheme is that of the lines"),
    ("IBR-085-OM", "", where(is_any(IMPORT_GOODS), given(
        _SHIPPED, "cac:Delivery/cac:Shipment/cbc:ID", "cac:Delivery/cac:DeliveryTerms/cbc:ID")),
     "An import of goods names arrival, customs declaration and delivery terms"),
    ("IBR-087-OM", "BT-40", where(
        is_any(MARGIN_SELF), among(f"{SELLER}/cac:PostalAddress/{COUNTRY}", "OM")),
     "The seller of goods under the margin scheme is in Oman"),
    ("IBR-137-OM", "", _nothing_is_negative, "No amount or quantity is negative"),
    ("IBR-150-OM", "", where(is_any(SPECIAL_ZONE), given(
        f"{BUYER}/{_SUBENTITY}", f"{SELLER}/{_SUBENTITY}")),
     "A supply of a special zone names the zones of seller and buyer"),
    ("IBR-151-OM", "BT-29", where(_zone_of(SELLER), _has_scheme(SELLER, "SZLN")),
     "A seller in a special zone has a license number (SZLN)"),
    ("IBR-152-OM", "BT-46", _buyer_is_licensed,
     "A buyer in a special zone has a license number (SZLN)"),
    ("IBR-153-OM", "BT-46", where(is_any(IMPORT_GOODS), _has_scheme(BUYER, "ICID")),
     "The buyer of imported goods has an importer code (ICID)"),
    ("IBR-155-OM", "", _export_names_services,
     "An export with the reason VATZR-OM-09 names the type of an item"),
    ("IBR-156-OM", "", _shipped_on_a_day, "The day of arrival is written YYYY-MM-DD"),
    ("IBR-160-OM", "BT-40", where(
        is_any(IMPORT_RCM), _abroad(f"{SELLER}/cac:PostalAddress/{COUNTRY}")),
     "The seller of an import under reverse charge is not in Oman"),
    ("IBR-169-OM", "", _margin_is_in_dinars, "The total under the margin scheme is in OMR"),
    ("IBR-171-OM", "BT-2", _is_issued, "The issue date (BT-2) is not in the future"),
    ("IBR-173-OM", "BT-49", _names_the_taxpayer,
     "An invoice to a predefined receiver has the UUID of the seller's account"),
    ("IBR-175-OM", "BG-3", where(is_any(MARGIN), _names_an_invoice),
     "A supply under the margin scheme names the invoice of the purchase, with its UUID"),
    ("IBR-177-OM", "BT-3", where(is_type("261", "389"), _buyer_issues),
     "A self-billed document (389, 261) is self-billed, an import or under the margin scheme"),
]  # fmt: skip
require(chapter, contexts.DOCUMENT, _DOCUMENT)

# A kind of transaction, those that it excludes, and what it is in words.
_EXCLUDED: tuple[tuple[str, int, tuple[int, ...], str], ...] = (
    ("IBR-138-OM", SELF_BILLED,
     (THIRD_PARTY, EXPORT, IMPORT_RCM, MARGIN, MARGIN_SELF, IMPORT_GOODS), "A self-billed supply"),
    ("IBR-139-OM", THIRD_PARTY, (SELF_BILLED,), "A supply billed by a third party"),
    ("IBR-140-OM", SUMMARY, (CONTINUOUS, EXPORT, MARGIN, MARGIN_SELF, IMPORT_GOODS),
     "A summary invoice"),
    ("IBR-141-OM", CONTINUOUS, (SUMMARY, DEEMED, MARGIN, MARGIN_SELF, IMPORT_GOODS),
     "A continuous supply"),
    ("IBR-142-OM", EXPORT,
     (SELF_BILLED, SUMMARY, DEEMED, IMPORT_RCM, MARGIN, MARGIN_SELF, IMPORT_GOODS), "An export"),
    ("IBR-143-OM", DEEMED, (CONTINUOUS, EXPORT, MARGIN, MARGIN_SELF), "A deemed supply"),
    ("IBR-144-OM", IMPORT_RCM, (EXPORT, MARGIN, MARGIN_SELF, IMPORT_GOODS, SELF_BILLED),
     "An import under reverse charge"),
    ("IBR-145-OM", MARGIN,
     (SUMMARY, CONTINUOUS, EXPORT, DEEMED, IMPORT_RCM, IMPORT_GOODS, SELF_BILLED),
     "A supply under the margin scheme"),
    ("IBR-146-OM", MARGIN_SELF,
     (SUMMARY, CONTINUOUS, EXPORT, DEEMED, IMPORT_RCM, MARGIN, IMPORT_GOODS, SELF_BILLED),
     "A self-invoice under the margin scheme"),
    ("IBR-147-OM", IMPORT_GOODS,
     (SUMMARY, CONTINUOUS, EXPORT, IMPORT_RCM, MARGIN, MARGIN_SELF, E_COMMERCE, SELF_BILLED),
     "An import of goods"),
    ("IBR-148-OM", E_COMMERCE, (MARGIN_SELF,), "A supply through e-commerce"),
    ("IBR-149-OM", SIMPLIFIED,
     (SELF_BILLED, SUMMARY, EXPORT, IMPORT_RCM, MARGIN, MARGIN_SELF, IMPORT_GOODS),
     "A simplified invoice"),
    ("IBR-176-OM", PREPAYMENT, (SUMMARY, DEEMED, MARGIN_SELF), "A prepayment"),
)  # fmt: skip


def _excludes(kind: int, others: tuple[int, ...]) -> Test:
    return lambda _, view: (
        not (view.once(transaction).is_any(kind) and view.once(transaction).is_any(*others))
    )


require(
    chapter,
    contexts.DOCUMENT,
    [
        (rule, "", _excludes(kind, others), f"{what} is of no kind that excludes it")
        for rule, kind, others, what in _EXCLUDED
    ],
)
chapter.add("IBR-171-A-OM", "BT-9", contexts.DATE, date_is_a_day, None, kind=Kind.FORMAT)


def identifiers(specification: str, process: str) -> Chapter:
    """The rules on the identifiers of a specification (BT-24) and its process (BT-23)."""
    found = Chapter(Layer.PINT_OM_UBL)

    def begins(path: str, expected: str) -> Check:
        def check(invoice: Node, _: View) -> Values | None:
            text = text_at(invoice, path)
            return None if text.startswith(expected) else {"text": text, "expected": expected}

        return check

    for rule, term, path, expected, requires in (
        ("ALIGNED-IBRP-001-OM", "BT-24", "cbc:CustomizationID", specification,
         "The specification identifier (BT-24) is that of PINT OM"),
        ("ALIGNED-IBRP-002-OM", "BT-23", "cbc:ProfileID", process,
         "The process (BT-23) is that of the specification"),
    ):  # fmt: skip
        found.add(rule, term, contexts.DOCUMENT, begins(path, expected), requires,
                  kind=Kind.FORMAT, parameters={"path": path})  # fmt: skip
    return found
