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
