"""Responses to bills of the sandbox: messages that the simulator delivers as it does documents."""

from __future__ import annotations

from datetime import date
from xml.sax.saxutils import escape

from einvoice import clock
from einvoice.domain.artefacts import INVOICE_RESPONSE
from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.responses import Clarification
from einvoice.network.messages import InvoiceAnswer, Outgoing

RESPONSE_TYPE = DocumentTypeId(
    "busdox-docid-qns",
    "urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2::ApplicationResponse"
    "##urn:fdc:peppol.eu:poacc:trns:invoice_response:3::2.1",
)
_PROCESS = ProcessId("cenbii-procid-ubl", "urn:fdc:peppol.eu:poacc:bis:invoice_response:3")


def response_message(answer: InvoiceAnswer) -> Outgoing:
    """The message of a response."""
    return Outgoing(
        key=f"response-{answer.response_id}",
        kind=INVOICE_RESPONSE,
        environment=answer.environment,
        sender=answer.sender,
        receiver=answer.receiver,
        document_type=RESPONSE_TYPE,
        process=_PROCESS,
        document=_document(answer),
        answers=answer.document_id,
        sender_country=answer.sender_country,
        receiver_country=answer.receiver_country,
    )


def _document(answer: InvoiceAnswer) -> bytes:
    """The text of the response, in a form of its own: it is sent to no network."""
    content = answer.content
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<SimulatedResponse xmlns="urn:einvoice:simulator:response:1">
  <Id>{escape(answer.response_id)}</Id>
  <IssuedAt>{clock.timestamp(answer.at)}</IssuedAt>
  <Sender>{escape(str(answer.sender))}</Sender>
  <Receiver>{escape(str(answer.receiver))}</Receiver>
  <Invoice type="{escape(answer.type_code)}">{escape(answer.number)}</Invoice>
  <ResponseCode>{escape(content.code)}</ResponseCode>
  <EffectiveDate>{_day(content.effective_date)}</EffectiveDate>
  <Note>{escape(content.note or "")}</Note>{
        "".join(_clarification(each) for each in content.clarifications)
    }
</SimulatedResponse>
""".encode()


def _day(day: date | None) -> str:
    return day.isoformat() if day else ""


def _clarification(each: Clarification) -> str:
    return f"""
  <Clarification code="{escape(each.code)}">{escape(each.words or "")}</Clarification>"""
