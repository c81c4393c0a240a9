"""The bodies of what is done with a bill: marking it, booking it, responding to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from einvoice.domain.codes import CURRENCIES
from einvoice.domain.directory import MAX_GL_ACCOUNT
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.responses import (
    ACTIONS,
    CODES,
    REASONS,
    Clarification,
    Condition,
    ResponseContent,
)
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Code, Day, Flag, Number, Text

MAX_CLARIFICATIONS = 20  # of each list
MAX_CONDITIONS = 10  # of one clarification
TERM = (r"B[TG]-[1-9][0-9]{0,2}", "a business term of EN 16931, such as BT-48")


class MarkProcessedRequest(Contract):
    """The body of mark-processed; without one, the bill is marked as processed."""

    processed = Flag("false: mark it as open again.", example=True)


class BillAccountRequest(Contract):
    """The account that a bill is booked to."""

    glAccountCode = Text(
        "The account of your chart; without it the bill has none.",
        max_length=MAX_GL_ACCOUNT,
        example="6130",
    )
    remember = Flag("false: not for later bills of its supplier.", example=True)


class ConditionRequest(Contract):
    """A value that you expect in the invoice."""

    term = Text(
        "Business term of EN 16931.", max_length=10, form=TERM, required=True, example="BT-13"
    )
    value = Text("Its right value.", max_length=500, example="PO-4711")


def _code(description: str, codes: Mapping[str, str], example: str) -> Code:
    named = ", ".join(f"{code} ({message})" for code, message in codes.items())
    return Code(
        f"{description}: {named}.",
        tuple(codes),
        name=f"one of {', '.join(codes)}",
        required=True,
        example=example,
    )


def _conditions() -> Items:
    one = Part(ConditionRequest, "One value.")
    return Items(one, "Values you expect in the invoice.", max_items=MAX_CONDITIONS)


class ReasonRequest(Contract):
    """Why."""

    code = _code("The reason", REASONS, "REF")
    text = Text("In words; required for PPD.", max_length=500, example="No such order.")
    conditions = _conditions()


class ActionRequest(Contract):
    """An action that you expect of the seller."""

    code = _code("The action", ACTIONS, "NIN")
    text = Text("In words.", max_length=500, example="Please name our order.")
    conditions = _conditions()


class BillResponseRequest(Contract):
    """A response to a bill, in the terms of the Peppol Invoice Response."""

    responseCode = _code("The response", CODES, "RE")
    reasons = Items(
        Part(ReasonRequest, "One reason."),
        "Why. UQ, CA and RE need a reason or an action.",
        max_items=MAX_CLARIFICATIONS,
    )
    actions = Items(
        Part(ActionRequest, "One action."),
        "What you expect of the seller.",
        max_items=MAX_CLARIFICATIONS,
    )
    note = Text("About the whole response.", max_length=1000, example="We will call you.")
    effectiveDate = Day("Since when it is so.", example="2026-11-21")


def content_of(fields: Mapping[str, Any]) -> ResponseContent:
    """The content of a body that was read."""
    return ResponseContent(
        code=fields["responseCode"],
        reasons=tuple(_clarification(each) for each in fields.get("reasons", ())),
        actions=tuple(_clarification(each, is_action=True) for each in fields.get("actions", ())),
        note=fields.get("note") or None,
        effective_date=fields.get("effectiveDate"),
    )


def _clarification(fields: Mapping[str, Any], *, is_action: bool = False) -> Clarification:
    conditions = tuple(
        Condition(each["term"], each.get("value") or None) for each in fields.get("conditions", ())
    )
    return Clarification(fields["code"], fields.get("text") or None, conditions, is_action)


class UnreadBill(Contract):
    """Values that a person reads in the file of a bill."""

    kind = Code(
        "What it is.",
        (DocumentKind.INVOICE.value, DocumentKind.CREDIT_NOTE.value),
        name="invoice or creditNote",
        required=True,
    )
    number = Text("Its number.", max_length=100, required=True)
    issueDate = Day("Date of issue.", required=True)
    dueDate = Day("When it is due.")
    currency = Code("ISO 4217.", CURRENCIES, name="an ISO 4217 currency code", required=True)
    grandTotal = Number("With VAT.", required=True)
    taxAmount = Number("VAT in it.")
    supplierName = Text("Who sent it.", max_length=200, required=True)
    supplierTaxId = Text("The supplier's tax id.", max_length=40)
