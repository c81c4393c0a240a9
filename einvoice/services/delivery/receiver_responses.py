"""Responses of receivers to delivered invoices: one way for all networks (decisions 30.3).

Evidence carries a response: an Invoice Response or a Message Level Status of Peppol, a message of
an authority, a bounced mail. It is stored with the evidence, in its transaction; the status of the
transmission stays. The event `invoice.responded` is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import artefacts as kinds
from einvoice.domain import ids
from einvoice.domain.responses import (
    CODE_OF_STATUS,
    NEED_PERSON,
    STATUS_OF_CODE,
    STATUS_OF_LEVEL,
    ReceiverResponse,
    ResponseStatus,
    replaces,
)
from einvoice.network.types import Evidence
from einvoice.services.invoices.evidence import storable_text
from einvoice.store.inbound import receiver_responses as stored
from einvoice.store.inbound.receiver_responses import ReceiverResponseRecord
from einvoice.store.sending.transmissions import Work

MAX_REASONS, MAX_REASON_CHARACTERS, MAX_NAME_CHARACTERS = 50, 500, 200


def is_response(evidence: Evidence) -> bool:
    """Whether the evidence says what the receiver said."""
    return evidence.response_code is not None or evidence.response is not None


def keep(
    connection: Connection, work: Work, evidence: Iterable[Evidence], now: datetime
) -> list[Mapping[str, object]]:
    """Store the responses in the evidence, which is new; returns what their events say."""
    said = [each for each in evidence if is_response(each)]
    if said:
        stored.lock(connection, work.id)
    return [_kept(connection, work, each, now) for each in said]


def _kept(
    connection: Connection, work: Work, evidence: Evidence, now: datetime
) -> Mapping[str, object]:
    response = response_of(evidence)
    reasons = list(evidence.reasons or (response.reasons if response else ()))
    if response is None:
        return {"responseCode": evidence.response_code, "reasons": reasons, "response": None}
    record = _record(work, response, now)
    before = stored.current(connection, work.id)
    counts = before is None or replaces(
        _order(record, exact=response.exact), _order(before, exact=response.exact)
    )
    needs_person = counts and response.status in NEED_PERSON
    stored.add(connection, record, counts=counts, needs_person=needs_person)
    code = evidence.response_code or CODE_OF_STATUS[response.status]
    return {"responseCode": code, "reasons": reasons, "response": as_json(record)}


def response_of(evidence: Evidence) -> ReceiverResponse | None:
    """The response in the evidence; None for a code that no network of ours has."""
    if evidence.response is not None:
        return evidence.response
    is_level = evidence.kind.code == kinds.MLS.code
    status = (STATUS_OF_LEVEL if is_level else STATUS_OF_CODE).get(evidence.response_code or "")
    return None if status is None else ReceiverResponse(status, reasons=evidence.reasons)


def _order(record: ReceiverResponseRecord, *, exact: bool) -> tuple[str, date]:
    return record.status, record.at if exact else record.at.date()


def _record(work: Work, response: ReceiverResponse, now: datetime) -> ReceiverResponseRecord:
    """The row of a response."""
    return ReceiverResponseRecord(
        id=str(ids.time_ordered(now)),
        tenant_id=work.tenant_id,
        environment=work.environment,
        invoice_id=work.invoice_id,
        transmission_id=work.id,
        status=ResponseStatus(response.status).value,
        at=_moment(response.at, work.created_at, now),
        by=_name(response.by),
        reasons=[_reason(each) for each in response.reasons[:MAX_REASONS]],
        text=storable_text(response.text) if response.text else None,
        created_at=now,
    )


def _moment(at: datetime | None, accepted: datetime, now: datetime) -> datetime:
    """When it was said: between the acceptance of the invoice and now. Without a zone it is UTC."""
    if at is None:
        return now
    try:
        return max(accepted, min(at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC), now))
    except OverflowError:  # at the ends of the calendar
        return now


def _name(text: str | None) -> str | None:
    return storable_text(text)[:MAX_NAME_CHARACTERS] if text else None


def _reason(text: str) -> str:
    return storable_text(text)[:MAX_REASON_CHARACTERS]


def as_json(record: ReceiverResponseRecord) -> dict[str, object]:
    """A response as events and answers show it."""
    return {
        "status": record.status,
        "at": clock.timestamp(record.at),
        "by": record.by,
        "reasons": list(record.reasons),
        "text": record.text,
    }
