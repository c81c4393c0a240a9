"""Peppol rules for CII on the document: process, references, parties and VAT totals."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.cii_paths import SETTLEMENT, normalized_text
from einvoice.rules.en16931.cii.doubles import above, equals
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import contexts
from einvoice.rules.tables import present
from einvoice.rules.values import double_of, normalized
from einvoice.rules.view import View

billing = Chapter(Layer.PEPPOL_CII)

SPECIFICATION = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
PROFILES = {
    "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0": "01",
    "urn:peppol:bis:billing_with_response": "02",
}
_PROCESS = "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"
_GUIDELINE = "ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"
_DOCUMENTS = "ram:AdditionalReferencedDocument"
_TAX_TOTAL = "ram:SpecifiedTradeSettlementHeaderMonetarySummation/ram:TaxTotalAmount"
_ENDPOINT = "ram:URIUniversalCommunication/ram:URIID"

present(billing, contexts.PROCESS, [("PEPPOL-EN16931-R001", "BT-23", _PROCESS)])
present(billing, contexts.BUYER, [("PEPPOL-EN16931-R010", "BT-49", _ENDPOINT)])
present(billing, contexts.SELLER, [("PEPPOL-EN16931-R020", "BT-34", _ENDPOINT)])


def profile(view: View) -> str:
    """The profile that the process identifier (BT-23) denotes; "" if none.

    Raises MoreThanOneItem.
    """
    process = normalized(view.root.text_of(f"rsm:ExchangedDocumentContext/{_PROCESS}"))
    return PROFILES.get(process, "")


@billing.rule("PEPPOL-EN16931-R007", "BT-23", at=contexts.PROCESS, kind=Kind.CODE_LIST)
def process_is_approved(process: Node, view: View) -> Values | None:
    """The business process (BT-23) is one that BIS Billing defines."""
    return None if view.once(profile) else {"code": " ".join(process.texts(_PROCESS))}


@billing.rule("PEPPOL-EN16931-R004", "BT-24", at=contexts.PROCESS, kind=Kind.FORMAT)
def specification_is_peppol_billing(process: Node, view: View) -> Values | None:
    """The specification identifier (BT-24) begins with that of BIS Billing and has no "::"."""
    identifier = normalized_text(process, view, _GUIDELINE)
    if identifier.startswith(SPECIFICATION) and "::" not in identifier:
        return None
    return {"text": identifier}


@billing.rule("PEPPOL-EN16931-R003", "BT-10 BT-13", at=contexts.AGREEMENT, kind=Kind.PRESENCE)
def has_a_buyer_or_order_reference(agreement: Node, _: View) -> Values | None:
    """A buyer reference (BT-10) or a purchase order reference (BT-13) is given."""
    order = "ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID"
    return None if agreement.has("ram:BuyerReference") or agreement.has(order) else BROKEN


def _count_of_type(group: Node, path: str, wanted: str) -> int:
    """How many document references on the path have this type code."""
    return sum(wanted in document.texts("ram:TypeCode") for document in group.all(path))


@billing.rule(
    "PEPPOL-EN16931-R006", "BT-18", at=contexts.AGREEMENT, kind=Kind.CARDINALITY,
    repeated=(_DOCUMENTS,),
)  # fmt: skip
def has_at_most_one_invoiced_object(agreement: Node, _: View) -> Values | None:
    """The document refers to at most one invoiced object (BT-18, type 130)."""
    count = _count_of_type(agreement, _DOCUMENTS, "130")
    return None if count <= 1 else {"count": count}


@billing.rule(
    "PEPPOL-EN16931-R080", "BT-11", at=contexts.AGREEMENT, kind=Kind.CARDINALITY,
    repeated=(_DOCUMENTS,),
)  # fmt: skip
def has_at_most_one_project(agreement: Node, _: View) -> Values | None:
    """The document refers to at most one project (BT-11, type 50)."""
    count = _count_of_type(agreement, _DOCUMENTS, "50")
    return None if count <= 1 else {"count": count}


@billing.rule(
    "PEPPOL-EN16931-R005", "BT-5 BT-6", at=contexts.SETTLEMENT, present=("ram:TaxCurrencyCode",)
)
def accounting_currency_differs(settlement: Node, view: View) -> Values | None:
    """The accounting currency (BT-6) differs from the invoice currency (BT-5)."""
    accounting = normalized_text(settlement, view, "ram:TaxCurrencyCode")
    invoice = normalized_text(settlement, view, "ram:InvoiceCurrencyCode")
    return None if accounting != invoice else {"currency": invoice}


def invoice_currencies(view: View) -> tuple[str, ...]:
    """BT-5, as written; several in an invalid document."""
    return tuple(view.root.texts(f"{SETTLEMENT}/ram:InvoiceCurrencyCode"))


def accounting_currencies(view: View) -> tuple[str, ...]:
    """BT-6, as written; several in an invalid document."""
    return tuple(view.root.texts(f"{SETTLEMENT}/ram:TaxCurrencyCode"))


def totals_in(settlement: Node, currencies: tuple[str, ...]) -> list[Node]:
    """The VAT totals in one of the currencies."""
    amounts = settlement.all(_TAX_TOTAL)
    return [each for each in amounts if each.attributes.get("currencyID") in currencies]


@billing.rule("PEPPOL-EN16931-R053", "BT-110", at=contexts.SETTLEMENT, kind=Kind.CARDINALITY)
def has_one_vat_total(settlement: Node, view: View) -> Values | None:
    """There is exactly one VAT total in the invoice currency (BT-110)."""
    totals = totals_in(settlement, view.once(invoice_currencies))
    if len(totals) == 1:
        return None
    return {"count": len(totals), "values": [total.text for total in totals]}


@billing.rule("PEPPOL-EN16931-R054", "BT-111", at=contexts.SETTLEMENT, kind=Kind.CARDINALITY)
def has_one_vat_total_in_accounting_currency(settlement: Node, view: View) -> Values | None:
    """A VAT total in another currency (BT-111) is given exactly if an accounting currency is."""
    currencies = view.once(invoice_currencies)
    given = (each.attributes.get("currencyID") for each in settlement.all(_TAX_TOTAL))
    count = sum(
        currency is not None and any(currency != other for other in currencies)
        for currency in given
    )
    expected = 1 if settlement.has("ram:TaxCurrencyCode") else 0
    return None if count == expected else {"count": count, "expected": expected}


@billing.rule("PEPPOL-EN16931-R055", "BT-110 BT-111", at=contexts.SETTLEMENT)
def vat_totals_have_the_same_sign(settlement: Node, view: View) -> Values | None:
    """The VAT totals (BT-110, BT-111) are both negative, or neither is."""
    accounting = view.once(accounting_currencies)
    if not view.root.has(f"{SETTLEMENT}/ram:TaxCurrencyCode"):
        return None
    in_invoice = totals_in(settlement, view.once(invoice_currencies))
    return same_sign(totals_in(settlement, accounting), in_invoice)


def same_sign(in_accounting: list[Node], in_invoice: list[Node]) -> Values | None:
    """Whether a total in each currency is negative, or one in each is not. Raises InvalidNumber."""
    if _negative(in_accounting) and _negative(in_invoice):
        return None
    return None if _not_negative(in_accounting) and _not_negative(in_invoice) else BROKEN


def _negative(amounts: list[Node]) -> bool:
    return any(double_of(amount) < 0 for amount in amounts)


def _not_negative(amounts: list[Node]) -> bool:
    return above(amounts, 0) or equals(amounts, 0)


@billing.rule(
    "PEPPOL-EN16931-R002", "BT-21 BT-22", at=contexts.DOCUMENT, kind=Kind.CARDINALITY,
    present=("ram:IncludedNote",),
)  # fmt: skip
def has_at_most_one_plain_note(document: Node, _: View) -> Values | None:
    """The document has at most one note (BT-22), without a subject code (BT-21)."""
    count = len(document.all("ram:IncludedNote"))
    if count > 1:
        return {"count": count}
    subjects = document.texts("ram:IncludedNote/ram:SubjectCode")
    return {"count": count, "subject": subjects[0]} if subjects else None


@billing.rule("PEPPOL-EN16931-R061", "BT-81 BT-89", at=contexts.DIRECT_DEBIT, kind=Kind.PRESENCE)
def direct_debit_has_a_mandate(means: Node, _: View) -> Values | None:
    """A direct debit (BT-81: 49 or 59) has a mandate (BT-89)."""
    mandate = "ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID"
    return None if means.up(1).has(mandate) else BROKEN
