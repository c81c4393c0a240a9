"""The query of a list of invoices, and the filters that it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from einvoice.domain.codes import CURRENCIES
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.invoices.lists import InvoiceFilters
from einvoice.web.fields import PARTICIPANT_ID, Code, Day, Id, Text
from einvoice.web.paging import Moment, PageQuery

_ID = "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"


class InvoiceQuery(PageQuery):
    """Filters are joined by "and"."""

    sort = Code(
        "Order: -createdAt (default) is newest first.",
        ("-createdAt", "createdAt"),
        name="createdAt or -createdAt",
        example="-createdAt",
    )
    environment = Code(
        "Only those of this environment. A key sees its own environment only.",
        ("test", "live"),
        name="test or live",
        example="live",
    )
    direction = Code(
        "Only sent, or only received ones.",
        ("sent", "received"),
        name="sent or received",
        example="sent",
    )
    networkStatus = Code(
        "Only those of this status.",
        tuple(status.value for status in NetworkStatus),
        name="Processing, Delivered, Failed or Received",
        example="Failed",
    )
    number = Text("Only those of this invoice number, exactly.", max_length=100, example="2026-001")
    receiverParticipantId = Text(
        "Only those to this participant.",
        max_length=140,
        form=PARTICIPANT_ID,
        example="0088:9520000000004",
    )
    senderParticipantId = Text(
        "Only those from this participant.",
        max_length=140,
        form=PARTICIPANT_ID,
        example="0208:0123456749",
    )
    customerId = Id(
        "Only those sent to this customer of the directory: by its participant id or tax id, or "
        "by its name if it has neither.",
        max_length=40,
        example=_ID,
    )
    issueDateFrom = Day("Only those issued on this day or later.", example="2026-11-01")
    issueDateTo = Day("Only those issued on this day or earlier.", example="2026-11-30")
    createdFrom = Moment(
        "Only those accepted at this time or later; a day means its beginning, UTC.",
        example="2026-11-21T00:00:00Z",
    )
    createdTo = Moment(
        "Only those accepted at this time or earlier; a day means its end, UTC.",
        end=True,
        example="2026-11-21",
    )
    currency = Code(
        "Only those in this currency (ISO 4217).",
        CURRENCIES,
        name="an ISO 4217 currency code",
        codes_of="iso4217_peppol",
        example="EUR",
    )
    processed = Code(
        "Only received ones that are processed, or (false) open.",
        ("true", "false"),
        name="true or false",
        example="false",
    )
    q = Text(
        "Only those with this text in their number, supplier name or buyer name, in any case.",
        max_length=100,
        example="acme",
    )


def filters_of(query: Mapping[str, Any]) -> InvoiceFilters:
    """The filters of a query as the contract read it."""
    return InvoiceFilters(
        environment=Environment(query["environment"]) if "environment" in query else None,
        direction=query.get("direction"),
        status=NetworkStatus(query["networkStatus"]) if "networkStatus" in query else None,
        number=query.get("number"),
        receiver=_participant(query.get("receiverParticipantId")),
        sender=_participant(query.get("senderParticipantId")),
        customer_id=query.get("customerId"),
        issued_from=query.get("issueDateFrom"),
        issued_to=query.get("issueDateTo"),
        created_from=query.get("createdFrom"),
        created_to=query.get("createdTo"),
        currency=query.get("currency"),
        text=query.get("q"),
        processed=query["processed"] == "true" if "processed" in query else None,
    )


def _participant(text: str | None) -> ParticipantId | None:
    return None if text is None else ParticipantId.parse(text)
