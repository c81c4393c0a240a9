"""BR-DEX: the Extension, with sub lines, payments by third parties and more kinds of identifiers.

They hold in documents with the specification identifier (BT-24) of the Extension.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from einvoice.rules.book import Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.evaluation_errors import both
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank, two_decimals
from einvoice.rules.values import XML_SPACE, ZERO, normalized, to_cents
from einvoice.rules.view import View
from einvoice.rules.xrechnung.extended_codes import (
    ExtendedCodes,
    has_scheme,
    in_organisations,
)
from einvoice.rules.xrechnung.scenarios import EXTENSION
from einvoice.rules.xrechnung.specification import specified

_SUB_LINE = "cac:SubInvoiceLine"
_NET = "cbc:LineExtensionAmount"
extension = Chapter(Layer.XRECHNUNG_UBL, gathers=(_SUB_LINE,))


_pattern = Pattern(specified("cbc:CustomizationID", EXTENSION))
ATTACHMENT = _pattern.context("cbc:EmbeddedDocumentBinaryObject")
INVOICE = _pattern.context("/ubl:Invoice")
TOTALS = _pattern.context("cac:LegalMonetaryTotal")
PARTY_ID = _pattern.context("cac:PartyIdentification/cbc:ID", when=has_scheme)
LEGAL_ID = _pattern.context("cac:PartyLegalEntity/cbc:CompanyID", when=has_scheme)
ITEM_ID = _pattern.context("cac:StandardItemIdentification/cbc:ID", when=has_scheme)
ADDRESS = _pattern.context("cbc:EndpointID", when=has_scheme)
LOCATION_ID = _pattern.context("cac:DeliveryLocation/cbc:ID", when=has_scheme)
THIRD_PARTY = _pattern.context("/ubl:Invoice/cac:PrepaidPayment")


@extension.rule("BR-DEX-03", "BG-DEX-06", at=INVOICE, kind=Kind.CARDINALITY,
                present=(f"//{_SUB_LINE}",))  # fmt: skip
def sub_lines_have_one_category(_: Node, view: View) -> Values | None:
    """A sub line (BG-DEX-01) has exactly one VAT category (BG-DEX-06)."""
    for line in view.everywhere(_SUB_LINE):
        for item in line.all("cac:Item"):
            count = len(item.all("cac:ClassifiedTaxCategory"))
            if count != 1:
                return {"count": count}
    return None


@extension.rule("BR-DEX-09", "BT-115 BT-112 BT-113 BT-114 BT-DEX-002", at=TOTALS, kind=Kind.SUM)
def amount_due_adds_up(totals: Node, _: View) -> Values | None:
    """BT-115 = BT-112 - BT-113 + BT-114 + the payments by third parties (BT-DEX-002).

    As officially, an amount is not read if one before it is missing.
    """
    payable = totals.number("cbc:PayableAmount")
    if payable is None:
        return {"declared": None, "expected": None}
    rounding = totals.number("cbc:PayableRoundingAmount") or ZERO
    gross = totals.number("cbc:TaxInclusiveAmount")
    if gross is None:
        return {"declared": payable, "expected": None}
    due = gross - (totals.number("cbc:PrepaidAmount") or ZERO) + _paid_by_others(totals.up(1))
    if to_cents(payable - rounding) == to_cents(due):
        return None
    return {"declared": payable, "expected": to_cents(due) + rounding}


def _paid_by_others(invoice: Node) -> Decimal:
    """The sum of the payments by third parties (BT-DEX-002). Raises InvalidNumber."""
    amounts = invoice.texts("cac:PrepaidPayment/cbc:PaidAmount")
    if not any(text.strip(XML_SPACE) for text in amounts):
        return ZERO
    return sum(invoice.numbers("cac:PrepaidPayment", "cbc:PaidAmount"), ZERO)


@extension.rule("BR-DEX-02", "BT-131 BG-DEX-01", at=INVOICE, flag=Flag.WARNING, kind=Kind.SUM,
                present=(f"//{_SUB_LINE}",))  # fmt: skip
def sub_lines_add_up(invoice: Node, view: View) -> Values | None:
    """The net amount (BT-131) of a line is the sum of the sub lines directly below, on each level.

    Raises InvalidNumber.
    """
    faults: list[Values] = []

    def hold(lines: Iterable[Node]) -> bool:
        fault = _first_fault(lines)
        faults.extend([] if fault is None else [fault])
        return fault is None

    all_hold = both(
        lambda: hold(invoice.all("cac:InvoiceLine")),
        lambda: hold(view.everywhere(_SUB_LINE)),
    )
    return None if all_hold else faults[0]


def _first_fault(lines: Iterable[Node]) -> Values | None:
    """The amounts of the first line whose sub lines have another sum."""
    for line in lines:
        if not line.has(_SUB_LINE):
            continue
        declared = line.number(_NET)
        expected = sum(line.numbers(_SUB_LINE, _NET), ZERO)
        if declared != expected:
            return {"declared": declared, "expected": expected}
    return None


def _organisation(identifier: Node, view: View) -> Values | None:
    """The scheme of a party identifier: that of the creditor too, for seller and payee."""
    seller_or_payee = identifier.within("cac:AccountingSupplierParty") or identifier.within(
        "cac:PayeeParty"
    )
    if seller_or_payee and normalized(identifier.attributes["schemeID"]) == "SEPA":
        return None
    return in_organisations(identifier, view)


ExtendedCodes(
    attachment=ATTACHMENT, party=PARTY_ID, legal=LEGAL_ID, item=ITEM_ID, address=ADDRESS,
    location=LOCATION_ID, party_check=_organisation,
).add_to(extension)  # fmt: skip

not_blank(extension, THIRD_PARTY, [
    ("BR-DEX-10", "BT-DEX-001", "cbc:ID"),
    ("BR-DEX-11", "BT-DEX-002", "cbc:PaidAmount"),
    ("BR-DEX-12", "BT-DEX-003", "cbc:InstructionID"),
])  # fmt: skip
two_decimals(extension, THIRD_PARTY, [("BR-DEX-13", "BT-DEX-002", "cbc:PaidAmount")])


@extension.rule("BR-DEX-14", "BT-DEX-002 BT-5", at=THIRD_PARTY, kind=Kind.CODE_LIST,
                path="cbc:PaidAmount/@currencyID")  # fmt: skip
def third_party_pays_in_the_currency(payment: Node, _: View) -> Values | None:
    """A payment by a third party (BT-DEX-002) is in the invoice currency (BT-5)."""
    currencies = payment.up(1).texts("cbc:DocumentCurrencyCode")
    found = payment.attributes_at("cbc:PaidAmount", "currencyID")
    if any(currency in currencies for currency in found):
        return None
    return {"code": " ".join(found), "expected": " ".join(currencies)}
