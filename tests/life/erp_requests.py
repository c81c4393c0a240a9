"""Fifty requests as programs of users write them: what is wrong, and what the answer has to say.

Each changes one thing in a correct body: a path and its new value, or a function. The field is that
of the first error, the words must be in its message or its suggestion.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

Change = Callable[[dict[str, Any]], None]


class Case(NamedTuple):
    name: str
    change: Change
    field: str
    words: str


def put(path: str, value: object) -> Change:
    """Set the member at a path; numbers are places in lists."""

    def change(body: dict[str, Any]) -> None:
        *way, last = path.split(".")
        target: Any = body
        for name in way:
            target = target[int(name)] if isinstance(target, list) else target.setdefault(name, {})
        target[int(last) if isinstance(target, list) else last] = value

    return change


def drop(path: str) -> Change:
    def change(body: dict[str, Any]) -> None:
        *way, last = path.split(".")
        target: Any = body
        for name in way:
            target = target[int(name)] if isinstance(target, list) else target[name]
        del target[last]

    return change


def rename(path: str, new: str) -> Change:
    def change(body: dict[str, Any]) -> None:
        *way, last = path.split(".")
        target: Any = body
        for name in way:
            target = target[int(name)] if isinstance(target, list) else target[name]
        target[new] = target.pop(last)

    return change


def all_of(*changes: Change) -> Change:
    def change(body: dict[str, Any]) -> None:
        for each in changes:
            each(body)

    return change


# Whose first message says what is wrong, but not what to write.
NOT_ENOUGH = frozenset({"date as a number", "option in the wrong place"})
LINE = "invoice.lineItems.0"
TOTALS = "invoice.totals"

CASES = [
    # numbers
    Case(
        "price as text",
        put(f"{LINE}.unitPrice", "50.00"),
        "lineItems/0/unitPrice",
        "must be a number, not text",
    ),
    Case(
        "price with a comma",
        put(f"{LINE}.unitPrice", "50,00"),
        "lineItems/0/unitPrice",
        "must be a number, not text",
    ),
    Case("quantity null", put(f"{LINE}.quantity", None), "lineItems/0/quantity", "is required"),
    Case(
        "quantity empty",
        put(f"{LINE}.quantity", ""),
        "lineItems/0/quantity",
        "must be a number, not text",
    ),
    Case(
        "rate as fraction",
        put(f"{LINE}.taxRate", Decimal("0.21")),
        "totals/taxAmount",
        "if you mean 21 %, write 21",
    ),
    Case(
        "rate with percent sign",
        put(f"{LINE}.taxRate", "21%"),
        "lineItems/0/taxRate",
        "must be a number, not text",
    ),
    Case("rate negative", put(f"{LINE}.taxRate", -21), "lineItems/0/taxRate", "must be at least 0"),
    Case(
        "noise in the subtotal",
        put(f"{TOTALS}.subtotal", Decimal("100.10000000000001")),
        "totals/subtotal",
        "100.1 with the noise of binary",
    ),
    Case(
        "noise in the price",
        put(f"{LINE}.unitPrice", Decimal("49.99999999999999")),
        "lineItems/0/unitPrice",
        "50 with the noise",
    ),
    Case(
        "sixteen decimals",
        put(f"{LINE}.unitPrice", Decimal("0.1234567890123456")),
        "lineItems/0/unitPrice",
        "more than 15 digits after the point",
    ),
    Case(
        "totals in cents",
        all_of(
            put(f"{LINE}.quantity", Decimal("7.75")),
            put(f"{LINE}.unitPrice", Decimal("83.33")),
            put(
                TOTALS,
                {
                    "subtotal": Decimal("645.81"),
                    "taxAmount": Decimal("135.62"),
                    "grandTotal": Decimal("781.43"),
                },
            ),
        ),
        "totals/subtotal",
        'options.totals "rounded"',
    ),
    Case(
        "VAT a cent off",
        all_of(
            put(f"{TOTALS}.taxAmount", Decimal("21.01")),
            put(f"{TOTALS}.grandTotal", Decimal("121.01")),
        ),
        "totals/taxAmount",
        "come to 21.00",
    ),
    Case(
        "grand total without VAT",
        put(f"{TOTALS}.grandTotal", 100),
        "totals/grandTotal",
        "subtotal + taxAmount is 121",
    ),
    Case(
        "amount due in kronor",
        put(f"{TOTALS}.payableAmount", Decimal("120.50")),
        "totals/payableAmount",
        "payableRounding -0.50",
    ),
    Case(
        "amounts in cents",
        all_of(
            put(f"{TOTALS}.subtotal", 10000),
            put(f"{TOTALS}.taxAmount", 2100),
            put(f"{TOTALS}.grandTotal", 12100),
        ),
        "totals/subtotal",
        "come to 100",
    ),
    Case("no totals", drop(TOTALS), "totals", "is required"),
    # dates
    Case(
        "date of Germany", put("invoice.issueDate", "21.11.2026"), "issueDate", "written YYYY-MM-DD"
    ),
    Case(
        "date with a time",
        put("invoice.issueDate", "2026-11-21T00:00:00"),
        "issueDate",
        "written YYYY-MM-DD",
    ),
    Case("date as a number", put("invoice.issueDate", 20261121), "issueDate", "must be a string"),
    Case("due date empty", put("invoice.dueDate", ""), "dueDate", "must be a date of the calendar"),
    Case("date of zeros", put("invoice.dueDate", "0000-00-00"), "dueDate", "YYYY-MM-DD"),
    # codes
    Case("currency sign", put("invoice.currency", "€"), "currency", "use EUR"),
    Case("currency in small letters", put("invoice.currency", "eur"), "currency", "capitals"),
    Case("currency empty", put("invoice.currency", ""), "currency", "ISO 4217"),
    Case(
        "country UK",
        put("invoice.buyer.address.countryCode", "UK"),
        "buyer/address/countryCode",
        "use GB",
    ),
    Case(
        "country by name",
        put("invoice.buyer.address.countryCode", "Belgium"),
        "buyer/address/countryCode",
        "ISO 3166",
    ),
    Case(
        "country of three letters",
        put("invoice.buyer.address.countryCode", "BEL"),
        "buyer/address/countryCode",
        "BE",
    ),
    Case("unit Stk", put(f"{LINE}.unitCode", "Stk"), "lineItems/0/unitCode", "C62 or H87"),
    Case("unit PCE", put(f"{LINE}.unitCode", "PCE"), "lineItems[0].unitCode", "C62, H87"),
    Case("unit hour", put(f"{LINE}.unitCode", "hour"), "lineItems/0/unitCode", "HUR"),
    Case("type by its code", put("invoice.type", "380"), "type", "invoice, creditNote"),
    Case("type of another program", put("invoice.type", "credit_note"), "type", "creditNote"),
    Case(
        "category by word",
        put(f"{LINE}.taxCategory", "standard"),
        "lineItems/0/taxCategory",
        "VAT category",
    ),
    Case("category without its rate", put(f"{LINE}.taxCategory", "AE"), "lineItems", "0 %"),
    Case(
        "exempt without a reason",
        all_of(
            put(f"{LINE}.taxRate", 0),
            put(f"{LINE}.taxCategory", "E"),
            put(TOTALS, {"subtotal": 100, "taxAmount": 0, "grandTotal": 100}),
        ),
        "taxExemption",
        "reason",
    ),
    # members
    Case("unknown member", put("invoice.invoiceNumber", "1"), "invoiceNumber", "is not a field"),
    Case("snake case", rename("invoice.issueDate", "issue_date"), "issueDate", "is required"),
    Case("line name", rename(f"{LINE}.unitPrice", "price"), "lineItems/0/unitPrice", "is required"),
    Case("lines of another name", rename("invoice.lineItems", "lines"), "lineItems", "is required"),
    Case(
        "line as object",
        put("invoice.lineItems", {"description": "x"}),
        "lineItems",
        "must be a list",
    ),
    Case("no lines", put("invoice.lineItems", []), "lineItems", "has 0 items"),
    Case("supplier as name", put("invoice.supplier", "Acme NV"), "supplier", "must be an object"),
    Case(
        "buyer without a name", put("invoice.buyer.name", "  "), "buyer/name", "must not be blank"
    ),
    Case("number as a number", put("invoice.number", 2026001), "number", "must be a string"),
    Case("option in the wrong place", put("dryRun", True), "dryRun", "is not a field"),
    Case("flag as text", put("options.dryRun", "true"), "options/dryRun", "must be true or false"),
    # routing, files
    Case(
        "receiver without a scheme",
        put("routing.receiverParticipantId", "9520000000004"),
        "",
        "use 0088:9520000000004",
    ),
    Case(
        "sender null",
        put("routing.senderParticipantId", None),
        "routing.senderParticipantId",
        "missing",
    ),
    Case("no reference", put("routing.accessPointRef", ""), "routing.accessPointRef", "missing"),
    Case(
        "file as data URL",
        put(
            "invoice.attachments",
            [
                {
                    "filename": "a.pdf",
                    "mimeType": "application/pdf",
                    "content": "data:application/pdf;base64,JVBERi0=",
                }
            ],
        ),
        "attachments/0/content",
        "send only what follows",
    ),
    Case(
        "file of a mime type in capitals",
        put(
            "invoice.attachments", [{"filename": "a.pdf", "mimeType": "PDF", "content": "JVBERi0="}]
        ),
        "attachments/0/mimeType",
        "application/pdf",
    ),
]
