"""SELFBILLING-UBL: the rules of BIS Billing that BIS Self-Billing repeats, and those that differ.

The national rules and the one on German types are not part of it. 3.0.3 is of the release of BIS
Billing 3.0.22 and takes its changes over.
"""

from __future__ import annotations

from einvoice.domain.identifiers import SELF_BILLING_CUSTOMIZATION, SELF_BILLING_PROFILE
from einvoice.rules.book import Book, Chapter, Kind, Values
from einvoice.rules.evaluation_errors import either
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import PEPPOL_UBL, contexts
from einvoice.rules.peppol.ubl.codes import amount_is_in_the_currency
from einvoice.rules.peppol.ubl.release_3_0_22 import PEPPOL_UBL_3_0_22
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_WITH_RESPONSE = "urn:peppol:bis:billing_with_response"
_TYPED_PROCESSES = frozenset(
    {
        SELF_BILLING_PROFILE,
        "urn:peppol:france:billing:regulated",
        "urn:peppol:france:billing:non-regulated",
    }
)
_INVOICE_TYPES, _CREDIT_NOTE_TYPES = frozenset({"389", "527"}), frozenset({"261"})

differences = Chapter(Layer.SELFBILLING_UBL)
of_3_0_2 = Chapter(Layer.SELFBILLING_UBL)


def _process(view: View) -> str:
    return normalized(view.root.text_of("cbc:ProfileID"))


def _asks_for_types(view: View) -> bool:
    return _process(view) in _TYPED_PROCESSES


@differences.rule("PEPPOL-EN16931-R007", "BT-23", at=contexts.DOCUMENT, kind=Kind.CODE_LIST,
                  path="cbc:ProfileID", process=SELF_BILLING_PROFILE)  # fmt: skip
def process_is_known(invoice: Node, view: View) -> Values | None:
    """The business process (BT-23) is one that Peppol defines for self-billing."""
    known = view.once(_process) in _TYPED_PROCESSES | {_WITH_RESPONSE}
    return None if known else {"code": invoice.text_of("cbc:ProfileID")}


@differences.rule("PEPPOL-EN16931-R004", "BT-24", at=contexts.DOCUMENT, kind=Kind.FORMAT,
                  path="cbc:CustomizationID",
                  specification=SELF_BILLING_CUSTOMIZATION)  # fmt: skip
def specification_is_self_billing(invoice: Node, view: View) -> Values | None:
    """The specification identifier (BT-24) begins with that of BIS Self-Billing and has no "::"."""
    identifier = normalized(view.text_node(invoice, "cbc:CustomizationID"))
    if identifier.startswith(SELF_BILLING_CUSTOMIZATION) and "::" not in identifier:
        return None
    return {"text": identifier}


def _typed(code: Node, view: View, allowed: frozenset[str]) -> Values | None:
    holds = either(
        lambda: not view.once(_asks_for_types),
        lambda: normalized(view.text_node(code)) in allowed,
    )
    return None if holds else {"code": code.text}


@differences.rule("PEPPOL-EN16931-P0100", "BT-3", at=contexts.INVOICE_TYPE, kind=Kind.CODE_LIST,
                  self_billed="389")  # fmt: skip
def invoice_type_is_self_billed(code: Node, view: View) -> Values | None:
    """The type of a self-billed invoice (BT-3) is 389 or 527."""
    return _typed(code, view, _INVOICE_TYPES)


@differences.rule("PEPPOL-EN16931-P0101", "BT-3", at=contexts.CREDIT_NOTE_TYPE,
                  kind=Kind.CODE_LIST, self_billed="261")  # fmt: skip
def credit_note_type_is_self_billed(code: Node, view: View) -> Values | None:
    """The type of a self-billed credit note (BT-3) is 261."""
    return _typed(code, view, _CREDIT_NOTE_TYPES)


@of_3_0_2.rule("PEPPOL-EN16931-R051", "BT-5", at=contexts.AMOUNT, kind=Kind.CODE_LIST,
               path="@currencyID")  # fmt: skip
def amount_outside_the_breakdown_is_in_the_currency(amount: Node, view: View) -> Values | None:
    """Every amount but the VAT of a rate is in the invoice currency (BT-5), except BT-111."""
    in_breakdown = amount.name == "cbc:TaxAmount" and amount.up(1).name == "cac:TaxSubtotal"
    return None if in_breakdown else amount_is_in_the_currency(amount, view)


def _repeated(book: Book, release: str, *changed: Chapter) -> Book:
    """The rules of BIS Billing that self-billing repeats, with those that differ."""
    ids = {rule.id for rule in book.rules if rule.id.startswith("PEPPOL-")}
    selected = book.selected(Layer.SELFBILLING_UBL, release, ids=ids - {"PEPPOL-EN16931-P0112"})
    return selected.revised(release, chapters=changed)


SELFBILLING_UBL = _repeated(PEPPOL_UBL, "3.0.2", differences, of_3_0_2)
SELFBILLING_UBL_3_0_3 = _repeated(PEPPOL_UBL_3_0_22, "3.0.3", differences)
