"""Bodies of the deprecated POST /v1/invoices/send, and sending them."""

from __future__ import annotations

import json
from typing import Any

from tests.builders import RECEIVER, SENDER
from tests.web.caller import ASYNC, Caller

PATHS = ("/v1/invoices/send", "/api/v1/invoices/send")
BODY: dict[str, Any] = {
    "invoiceNumber": "L-1",
    "invoiceDate": "2026-11-21",
    "dueDate": "2026-12-21",
    "currency": "EUR",
    "vendorName": "Acme NV",
    "vendorTaxId": "BE0123456749",
    "vendorAddress": {"line1": "Street 1", "city": "Gent", "countryCode": "BE"},
    "customerName": "Buyer BV",
    "customerAddress": {"line1": "Road 2", "city": "Gent", "countryCode": "BE"},
    "senderParticipantId": SENDER,
    "receiverParticipantId": RECEIVER,
    "lineItems": [{"description": "Consulting", "quantity": 2, "unitPrice": 50, "vatRate": 21}],
    "totalAmount": 121,
}


def send(caller: Caller, body: Any, path: str = PATHS[0], **headers: str):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {"Content_Type": "application/json", "Prefer": ASYNC} | headers
    return caller.call("POST", path, raw, **given)
