"""Invoice Responses: received ones are kept with their invoices, those of our tenants written.

A response names the invoice by its number. It is that of the tenant whose participant id received
the response, sent to the participant that responds.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import structlog

from einvoice.domain import artefacts
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE, ParticipantId
from einvoice.domain.responses import STATUS_OF_CODE, ReceiverResponse
from einvoice.network.messages import InvoiceAnswer, Outgoing
from einvoice.network.types import (
    Busy,
    Evidence,
    Inbox,
    InvoiceReference,
    NotServiced,
    PushVerdict,
    Settled,
)
from einvoice_peppol import invoice_response, sbdh, statuses
from einvoice_peppol.configuration import Network
from einvoice_peppol.directory import Directory
from einvoice_peppol.invoice_response import InvalidResponse, InvoiceResponse, Party
from einvoice_peppol.sbdh import Enveloped
from einvoice_peppol.smp_documents import Endpoint

MAX_WORDS: Final = 500  # characters of one reason in the event

_NOT_KEPT: Final = Settled("", changed=False)

log = structlog.get_logger()


# -- received --------------------------------------------------------------------------------------


def is_response(header: sbdh.Header) -> bool:
    """Whether an envelope holds an Invoice Response."""
    return (
        header.document_type == invoice_response.DOCUMENT_TYPE
        and header.process == invoice_response.PROCESS
    )


def take(enveloped: Enveloped, seat: str, own: Network, inbox: Inbox) -> PushVerdict:
    """Keep a response with the invoice that it is about. `seat`: of the access point that signed.

    NotServiced: no tenant has its receiver. A response that cannot be read, or is about an unknown
    invoice, is logged and not kept; its provider gets a Message Level Status that says so.
    """
    header = enveloped.header
    environment = own.stage.environment
    if not inbox.serves(environment, header.receiver, BIS_INVOICE, BIS_BILLING_PROCESS):
        return NotServiced("no tenant has the receiver of the response")
    verdict, fault = kept(enveloped, own.stage.name, environment, inbox)
    if isinstance(verdict, Busy):
        return verdict
    if fault is not None:
        log.warning("response not kept", seat=seat, instance=header.instance_id, reason=fault)
    status = statuses.answer_of_response(header, seat, own, fault)
    if status is not None:
        inbox.queue_message(own.stage.name, status)
    return verdict


def kept(
    enveloped: Enveloped, access_point: str, environment: Environment, inbox: Inbox
) -> tuple[PushVerdict, str | None]:
    """Keep a response; the verdict, and why it was not kept."""
    try:
        response = invoice_response.read(enveloped.document)
    except InvalidResponse as fault:
        return _NOT_KEPT, f"The Invoice Response cannot be read: {fault}"[:MAX_WORDS]
    reference = _reference(response, enveloped.header, environment)
    evidence = [_evidence(response, enveloped.document)]
    verdict = inbox.deliver_evidence(access_point, reference, evidence)
    if isinstance(verdict, NotServiced):
        return _NOT_KEPT, f"The receiver has sent no invoice {response.number[:100]!r}."
    return verdict, None


def _reference(
    response: InvoiceResponse, header: sbdh.Header, environment: Environment
) -> InvoiceReference:
    return InvoiceReference(
        environment=environment,
        sender=header.receiver,
        receiver=header.sender,
        number=response.number,
        issue_date=_day(response.invoice_date),
    )


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _evidence(response: InvoiceResponse, document: bytes) -> Evidence:
    words = [each.words or each.code for each in response.clarifications]
    reasons = tuple(each[:MAX_WORDS] for each in words[:50] if each)
    said = ReceiverResponse(
        STATUS_OF_CODE[response.code],
        response.issued_at,
        response.buyer.name or None,
        reasons,
        response.note,
    )
    return Evidence(
        artefacts.INVOICE_RESPONSE,
        document,
        response_code=response.code,
        reasons=reasons,
        response=said,
    )


# -- of our tenants --------------------------------------------------------------------------------


def are_taken(receiver: ParticipantId, directory: Directory) -> bool:
    """Whether the participant is registered for Invoice Responses. Raises DirectoryUnavailable."""
    if not directory.may_take(receiver, invoice_response.DOCUMENT_TYPE):
        return False
    found = directory.endpoint(receiver, invoice_response.DOCUMENT_TYPE, invoice_response.PROCESS)
    return isinstance(found, Endpoint)


def message(answer: InvoiceAnswer, provider_country: str | None) -> Outgoing:
    """The message of a response. Raises InvalidResponse.

    The country of the sender is that of the provider where the invoice does not name it.
    """
    return Outgoing(
        key=f"response-{answer.response_id}",
        kind=artefacts.INVOICE_RESPONSE,
        environment=answer.environment,
        sender=answer.sender,
        receiver=answer.receiver,
        document_type=invoice_response.DOCUMENT_TYPE,
        process=invoice_response.PROCESS,
        document=invoice_response.write(_document(answer)),
        answers=answer.document_id,
        sender_country=answer.sender_country or provider_country,
        receiver_country=answer.receiver_country,
    )


def _document(answer: InvoiceAnswer) -> InvoiceResponse:
    content, effective = answer.content, answer.content.effective_date
    return InvoiceResponse(
        id=answer.response_id,
        issued_at=answer.at,
        buyer=Party(answer.sender, answer.sender_name),
        seller=Party(answer.receiver, answer.receiver_name),
        code=content.code,
        number=answer.number,
        type_code=answer.type_code,
        invoice_date=answer.issue_date.isoformat() if answer.issue_date else None,
        effective_date=effective.isoformat() if effective else None,
        clarifications=content.clarifications,
        note=content.note,
    )
