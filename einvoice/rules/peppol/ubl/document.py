"""Peppol rules for UBL on the document: profile, notes, references, currencies, types and dates."""

from __future__ import annotations

from collections.abc import Iterator

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.evaluation_errors import both, either
from einvoice.rules.layers import Layer
from einvoice.rules.national.germany import between_germans
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.tables import present
from einvoice.rules.values import double_of, normalized, parse_date
from einvoice.rules.view import View

document = Chapter(Layer.PEPPOL_UBL)

SPECIFICATION = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
PROCESSES = frozenset(
    {
        "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
        "urn:peppol:france:billing:regulated",
        "urn:peppol:france:billing:non-regulated",
        "urn:peppol:bis:billing_with_response",
    }
)
_PROJECT = "50"  # the type code of a document reference to a project

present(document, contexts.DOCUMENT, [("PEPPOL-EN16931-R001", "BT-23", "cbc:ProfileID")])


def _known_process(view: View) -> bool:
    return normalized(view.root.text_of("cbc:ProfileID")) in PROCESSES


@document.rule("PEPPOL-EN16931-R007", "BT-23", at=contexts.DOCUMENT, kind=Kind.CODE_LIST,
               path="cbc:ProfileID")  # fmt: skip
def process_is_known(invoice: Node, view: View) -> Values | None:
    """The business process (BT-23) is one that Peppol defines for billing."""
    return None if view.once(_known_process) else {"code": invoice.text_of("cbc:ProfileID")}


@document.rule("PEPPOL-EN16931-R002", "BT-22", at=contexts.DOCUMENT, kind=Kind.CARDINALITY,
               repeated=("cbc:Note",), path="cbc:Note")  # fmt: skip
def has_at_most_one_note(invoice: Node, view: View) -> Values | None:
    """A document has at most one note (BT-22), unless seller and buyer are German."""
    return None if view.once(between_germans) else {"count": len(invoice.all("cbc:Note"))}


@document.rule("PEPPOL-EN16931-R003", "BT-10 BT-13", at=contexts.DOCUMENT, kind=Kind.PRESENCE,
               path="cbc:BuyerReference")  # fmt: skip
def has_a_buyer_or_order_reference(invoice: Node, _: View) -> Values | None:
    """A buyer reference (BT-10) or a purchase order reference (BT-13) is given."""
    given = invoice.has("cbc:BuyerReference") or invoice.has("cac:OrderReference/cbc:ID")
    return None if given else BROKEN


@document.rule("PEPPOL-EN16931-R004", "BT-24", at=contexts.DOCUMENT, kind=Kind.FORMAT,
               path="cbc:CustomizationID")  # fmt: skip
def specification_is_peppol_billing(invoice: Node, view: View) -> Values | None:
    """The specification identifier (BT-24) begins with that of BIS Billing and has no "::"."""
    identifier = normalized(view.text_node(invoice, "cbc:CustomizationID"))
    if identifier.startswith(SPECIFICATION) and "::" not in identifier:
        return None
    return {"text": identifier, "expected": SPECIFICATION}


@document.rule("PEPPOL-EN16931-R053", "BT-110", at=contexts.DOCUMENT, kind=Kind.CARDINALITY,
               path="cac:TaxTotal")  # fmt: skip
def has_one_breakdown(invoice: Node, _: View) -> Values | None:
    """Exactly one VAT total (BT-110) has a VAT breakdown (BG-23)."""
    totals = [each for each in invoice.all("cac:TaxTotal") if each.has("cac:TaxSubtotal")]
    if len(totals) == 1:
        return None
    amounts = [amount.text for total in totals for amount in total.all("cbc:TaxAmount")]
    return {"count": len(totals), "values": amounts}


@document.rule("PEPPOL-EN16931-R054", "BT-111", at=contexts.DOCUMENT, kind=Kind.CARDINALITY,
               path="cac:TaxTotal")  # fmt: skip
def has_vat_in_accounting_currency(invoice: Node, _: View) -> Values | None:
    """A VAT total without breakdown (BT-111) is given exactly if an accounting currency is."""
    count = sum(not total.has("cac:TaxSubtotal") for total in invoice.all("cac:TaxTotal"))
    expected = 1 if invoice.has("cbc:TaxCurrencyCode") else 0
    return None if count == expected else {"count": count, "expected": expected}


@document.rule("PEPPOL-EN16931-R055", "BT-110 BT-111", at=contexts.DOCUMENT,
               present=("cbc:TaxCurrencyCode",))  # fmt: skip
def vat_totals_have_the_same_sign(invoice: Node, _: View) -> Values | None:
    """The VAT totals in invoice and accounting currency (BT-110, BT-111) have the same sign."""
    if either(lambda: _both_have_sign(invoice, -1), lambda: _both_have_sign(invoice, 1)):
        return None
    return {"amounts": invoice.texts("cac:TaxTotal/cbc:TaxAmount")}


def _both_have_sign(invoice: Node, sign: int) -> bool:
    """Whether a total in each currency has this sign (1 or -1); zero has both."""
    return both(
        lambda: _has_sign(invoice, "cbc:TaxCurrencyCode", sign),
        lambda: _has_sign(invoice, "cbc:DocumentCurrencyCode", sign),
    )


def _has_sign(invoice: Node, path: str, sign: int) -> bool:
    """Whether a total in the currency on the path has this sign.

    For the official processor NaN is not negative.
    """
    taxes = _in_currency(invoice, path)
    return any(not double_of(tax) < 0 if sign > 0 else double_of(tax) <= 0 for tax in taxes)


def _in_currency(invoice: Node, path: str) -> Iterator[Node]:
    return (
        tax
        for tax in invoice.all("cac:TaxTotal/cbc:TaxAmount")
        if tax.attributes.get("currencyID") == normalized(invoice.text_of(path))
    )


@document.rule("PEPPOL-EN16931-R005", "BT-5 BT-6", at=contexts.TAX_CURRENCY)
def accounting_currency_differs(currency: Node, view: View) -> Values | None:
    """The accounting currency (BT-6) differs from the invoice currency (BT-5)."""
    accounting = normalized(view.text_node(currency))
    invoice_currency = normalized(view.text_node(currency.up(1), "cbc:DocumentCurrencyCode"))
    return None if accounting != invoice_currency else {"currency": invoice_currency}


@document.rule("PEPPOL-EN16931-R008", "", at=contexts.EMPTY, kind=Kind.PRESENCE)
def nothing_is_empty(_: Node, __: View) -> Values | None:
    """No element is empty; an element without a value is left out."""
    return BROKEN


@document.rule("PEPPOL-EN16931-R080", "BT-11", at=contexts.CREDIT_NOTE, kind=Kind.CARDINALITY,
               repeated=("cac:AdditionalDocumentReference",))  # fmt: skip
def has_at_most_one_project(credit_note: Node, _: View) -> Values | None:
    """A credit note refers to at most one project (BT-11)."""
    references = credit_note.all("cac:AdditionalDocumentReference")
    count = sum(_PROJECT in each.texts("cbc:DocumentTypeCode") for each in references)
    return None if count <= 1 else {"count": count}


def allowed_type(code: Node, view: View, name: str) -> Values | None:
    """Whether a type (BT-3) is in this list; in an unknown process any is. Raises NotOneItem."""
    allowed = code_list(name)
    holds = either(
        lambda: not view.once(_known_process),
        lambda: normalized(view.text_node(code)) in allowed,
    )
    return None if holds else {"code": code.text, "list": name}


@document.rule("PEPPOL-EN16931-P0100", "BT-3", at=contexts.INVOICE_TYPE, kind=Kind.CODE_LIST,
               list="uncl1001_invoice_peppol")  # fmt: skip
def invoice_type_is_allowed(code: Node, view: View) -> Values | None:
    """The type of an invoice (BT-3) is one that Peppol allows."""
    return allowed_type(code, view, "uncl1001_invoice_peppol")


@document.rule("PEPPOL-EN16931-P0101", "BT-3", at=contexts.CREDIT_NOTE_TYPE, kind=Kind.CODE_LIST,
               list="uncl1001_creditnote_peppol")  # fmt: skip
def credit_note_type_is_allowed(code: Node, view: View) -> Values | None:
    """The type of a credit note (BT-3) is one that Peppol allows."""
    return allowed_type(code, view, "uncl1001_creditnote_peppol")


@document.rule("PEPPOL-EN16931-P0112", "BT-3", at=contexts.INVOICE_TYPE, kind=Kind.CODE_LIST)
def german_types_are_between_germans(code: Node, view: View) -> Values | None:
    """The types 326 and 384 (BT-3) are used only between German parties."""
    found = normalized(code.text)
    return None if found not in ("326", "384") or view.once(between_germans) else {"code": found}


@document.rule("PEPPOL-EN16931-F001", "BT-2 BT-7 BT-9 BT-72 BT-73 BT-74 BT-134 BT-135",
               at=contexts.DATE, kind=Kind.FORMAT)  # fmt: skip
def date_is_a_day(date: Node, view: View) -> Values | None:
    """A date is a calendar day, written YYYY-MM-DD, without a time zone."""
    holds = both(lambda: len(view.text_node(date)) == 10, lambda: parse_date(date.text) is not None)
    return None if holds else {"text": date.text[:80]}
