"""Good documents of both syntaxes, and requests that carry them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.web.shared.send_bodies import read_send
from tests.builders import RECEIVER, SENDER, send_body

SAMPLES = Path(__file__).parents[2] / "samples"
CII_SENDER, _CII_BUYER = "0208:0403019261", "04011000-1234512345-35"


def ubl(*, receiver: str = RECEIVER, sender: str = SENDER, **invoice: Any) -> bytes:
    """A UBL document as written by a sender's program; keyword arguments as for a send."""
    body = send_body("none", **invoice)
    body["routing"] |= {"receiverParticipantId": receiver, "senderParticipantId": sender}
    request = read_send(json.dumps(body).encode())
    return document_xml(derive(request["invoice"], request["routing"]).invoice)


def two_lines(number: str, *, receiver: str = RECEIVER) -> bytes:
    """A small invoice with two lines."""
    lines = [
        {"description": name, "quantity": 1, "unitPrice": price, "taxRate": 21.0}
        for name, price in (("Consulting", 100.0), ("Travel", 50.0))
    ]
    totals = {"subtotal": 150.0, "taxAmount": 31.5, "grandTotal": 181.5}
    return ubl(receiver=receiver, number=number, lineItems=lines, totals=totals)


def cii(*, receiver: str = RECEIVER, number: str = "2026-1001") -> bytes:
    """A CII document to the receiver, from CII_SENDER."""
    scheme, _, value = receiver.partition(":")
    text = (SAMPLES / "good_cii.xml").read_text()
    text = text.replace(
        f'<ram:URIID schemeID="0204">{_CII_BUYER}', f'<ram:URIID schemeID="{scheme}">{value}'
    )
    return text.replace("2026-1001", number).encode()


def encoded(document: bytes) -> str:
    return base64.b64encode(document).decode()


def request_of(document: bytes, to: str = RECEIVER, **fields: Any) -> dict[str, Any]:
    """A body of POST /v1/invoices; keyword arguments replace fields, None drops one."""
    body: dict[str, Any] = {
        "format": "ubl",
        "network": "peppol",
        "sender": {"peppolId": SENDER, "country": "BE"},
        "receiver": {"peppolId": to},
        "invoice": encoded(document),
    }
    return {name: value for name, value in (body | fields).items() if value is not None}
