"""Members about a bill in every response about an invoice; null for a sent one, except for the
response of its receiver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from marshmallow import fields

from einvoice.services.delivery import receiver_responses
from einvoice.services.invoices.lists import BillRecord, ReceiverResponseRecord
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.invoice_schemas import BillResponse, InvoiceAnswered

_RESPONSE = BillResponse()


class Answered(Protocol):
    """An invoice that is shown: the bill of a received one, the response to a sent one."""

    @property
    def bill(self) -> BillRecord | None: ...

    @property
    def response(self) -> ReceiverResponseRecord | None: ...


def of_bill(attribute: str) -> Callable[[Answered], Any]:
    """The source of a member that only bills have."""

    def read(shown: Answered) -> Any:
        return None if shown.bill is None else getattr(shown.bill, attribute)

    return read


def gl_account_field() -> fields.String:
    """The account to which a bill is booked."""
    return a.text(
        "General ledger account of its supplier",
        "6000",
        or_null=True,
        source=of_bill("gl_account_code"),
    )


def processed_at_field() -> fields.Field[Any]:
    """The time at which a bill was done with."""
    return a.moment(
        "When a bill was marked as processed",
        "2026-11-22T08:00:00.000Z",
        or_null=True,
        source=of_bill("processed_at"),
    )


def processed_by_field() -> fields.String:
    """The one who said that a bill is done with."""
    return a.text(
        "Person or key that marked it",
        "ann@example.com",
        or_null=True,
        source=of_bill("processed_by"),
    )


def response_field() -> fields.Nested:
    """The newest response to the invoice."""
    description = (
        "What the receiver of a sent invoice has said of it after delivery; your newest response "
        "to a bill"
    )
    return a.one(InvoiceAnswered(), description, or_null=True, source=_response)


def _response(shown: Answered) -> Mapping[str, Any] | None:
    if shown.bill is None:
        said = shown.response
        return None if said is None else receiver_responses.as_json(said)
    own = shown.bill.response
    return None if own is None else _RESPONSE.write(own)
