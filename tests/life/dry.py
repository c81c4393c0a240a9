"""A send that is read, derived and judged as a dry run is, without a service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from einvoice import validation
from einvoice.domain.derive import derive
from einvoice.domain.errors import RequestRefused
from einvoice.domain.invoice import Invoice
from einvoice.domain.request import SendDefaults, SendWarning, TotalsRule
from einvoice.validation import Report
from einvoice.web import json
from einvoice.web.shared.send_bodies import read_send
from tests.builders import send_body

REFERENCE = "6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c"
TODAY = date(2026, 11, 23)
D = Decimal


@dataclass(frozen=True)
class Sent:
    """An accepted request: its invoice, what the rules say of it, and the warnings."""

    invoice: Invoice
    report: Report
    warnings: tuple[SendWarning, ...]

    @property
    def codes(self) -> list[str]:
        return [warning.code for warning in self.warnings]

    def warning(self, code: str) -> SendWarning:
        return next(each for each in self.warnings if each.code == code)

    @property
    def vat(self) -> list[tuple[str, str | None, str | None]]:
        """Category, code and words of the exemption of each rate."""
        return [
            (tax.category.code, tax.exemption_code, tax.exemption_reason)
            for tax in self.invoice.taxes
        ]


def sent(body: bytes | dict[str, Any], today: date = TODAY) -> Sent:
    """Raises RequestRefused, as a send does. Errors of rules are in the report."""
    request = read_send(body if isinstance(body, bytes) else json.write(body))
    rule = TotalsRule(request["options"].get("totals", "exact"))
    defaults = SendDefaults(today=today, totals=rule)
    found = derive(request["invoice"], request["routing"], defaults)
    report = validation.findings(found.invoice, request["routing"], today)
    return Sent(found.invoice, report, found.warnings)


def refused(body: bytes | dict[str, Any]) -> RequestRefused:
    try:
        sent(body)
    except RequestRefused as refusal:
        return refusal
    raise AssertionError("it was not refused")


def a_body(
    *lines: dict[str, Any],
    totals: Sequence[object] = (),
    rule: str | None = None,
    **invoice: Any,
) -> dict[str, Any]:
    """A send with these lines. `totals`: subtotal, taxAmount, grandTotal, and a dict of others."""
    if lines:
        invoice["lineItems"] = list(lines)
    if totals:
        names = ("subtotal", "taxAmount", "grandTotal")
        more: Any = totals[3] if len(totals) > 3 else {}
        invoice["totals"] = dict(zip(names, map(number, totals), strict=False)) | more
    body = send_body(REFERENCE, **invoice)
    body["invoice"] = _exact(body["invoice"])
    return body | ({} if rule is None else {"options": {"totals": rule}})


def a_line(quantity: object, price: object, rate: object = 0, **more: Any) -> dict[str, Any]:
    return {
        "description": "Item",
        "quantity": number(quantity),
        "unitPrice": number(price),
        "taxRate": number(rate),
    } | more


def number(value: object) -> object:
    """A number of JSON, from text."""
    return Decimal(value) if isinstance(value, str) else value


def _exact(value: Any) -> Any:
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {name: _exact(item) for name, item in value.items()}
    return [_exact(item) for item in value] if isinstance(value, list) else value
