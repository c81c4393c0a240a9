"""Correct requests, of which a test changes one thing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

import pytest

from einvoice.domain.derive import derive
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.domain.money import EXACT
from einvoice.domain.request import DerivedInvoice, InvoiceRequest, SendDefaults
from einvoice.domain.totals import compute

BELGIAN = {"name": "Seller NV", "taxId": "BE0123456749", "address": {"countryCode": "BE"}}
GERMAN = {"name": "Buyer GmbH", "taxId": "DE123456788", "address": {"countryCode": "DE"}}


@pytest.fixture
def a_line() -> Callable[..., dict[str, Any]]:
    """A line from quantity, price and rate as text; other fields by their JSON names."""

    def build(
        quantity: str = "1", price: str = "100", rate: str = "21", **more: Any
    ) -> dict[str, Any]:
        line = {
            "description": "Consulting",
            "quantity": Decimal(quantity),
            "unitPrice": Decimal(price),
            "taxRate": Decimal(rate),
        }
        return line | more

    return build


@pytest.fixture
def a_request(a_line: Callable[..., dict[str, Any]]) -> Callable[..., InvoiceRequest]:
    """A minimal request with these lines and correct totals; None removes a field."""

    def build(*lines: dict[str, Any], **changes: Any) -> InvoiceRequest:
        request: dict[str, Any] = {
            "number": "INV-1",
            "issueDate": date(2026, 11, 21),
            "dueDate": date(2026, 12, 21),
            "currency": "EUR",
            "supplier": BELGIAN,
            "buyer": GERMAN,
            "lineItems": list(lines) or [a_line()],
        } | changes
        request = {name: value for name, value in request.items() if value is not None}
        request["totals"] = _agreeing(request) | changes.get("totals", {})
        return request  # type: ignore[return-value]

    return build


def _agreeing(request: Any) -> dict[str, Decimal]:
    with localcontext(EXACT):
        computed = compute(request)
        return {
            "subtotal": computed.subtotal,
            "taxAmount": computed.tax,
            "grandTotal": computed.subtotal + computed.tax,
        }


@pytest.fixture
def derived(a_request: Callable[..., InvoiceRequest]) -> Callable[..., DerivedInvoice]:
    """The derived invoice of a request; sender, receiver and defaults by name."""

    def run(
        *lines: dict[str, Any],
        sender: str = "0208:0123456749",
        receiver: str = "0088:9520000000004",
        defaults: SendDefaults | None = None,
        **changes: Any,
    ) -> DerivedInvoice:
        routing = Routing(ParticipantId.parse(sender), ParticipantId.parse(receiver), "ref")
        return derive(a_request(*lines, **changes), routing, defaults or SendDefaults())

    return run
