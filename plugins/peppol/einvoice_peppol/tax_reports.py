"""Tax data documents of the sender's and of the receiver's access point, for the fifth corner.

A report is made of the document as it was sent or received, when its outcome is known, and is a
message of its own: it waits for nothing and nothing waits for it. The authority answers by a
Message Level Status, which every report asks for; until then the report is open.

Decisions where the specifications are silent: the sender's access point reports within a day of the
delivery, the receiver's within a day in the Emirates and Oman and within five in Slovakia, whose
law says so. A document that the receiver's access point did not take is reported as failed where
the country has that type, and not at all elsewhere. A received document that is refused by its
rules is not reported by its receiver.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.documents.cii.read import read_invoice as read_cii
from einvoice.documents.conversion import form_of
from einvoice.documents.tax_data import TaxDataReport, write_tax_data
from einvoice.documents.ubl.write import document_xml
from einvoice.domain import artefacts
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.reported_parties import country_of, id_fault, is_reported_only, scope_of
from einvoice.domain.tax_data import SPECIFICATIONS, ReporterRole, ReportType
from einvoice.network import reasons
from einvoice.network.messages import MAX_RETRY, Outgoing, ReceivedOutcome, Step
from einvoice.network.sent_documents import (
    Amendment,
    PartyFault,
    SentDocument,
    SentOutcome,
)
from einvoice.network.types import Delivered, Envelope, Rejected
from einvoice.xml import parse
from einvoice_peppol import mls
from einvoice_peppol.configuration import Network
from einvoice_peppol.statuses import country_of as country_of_provider
from einvoice_peppol.tax_authorities import TAX_PROCESS, TAX_TYPES, Authority

_IDS: Final = uuid.UUID("6c6f1a2e-0b43-5d5c-9a55-0f1a6a0d9b17")
_DAY: Final = timedelta(days=1)
_DUE: Final = {("SK", ReporterRole.RECEIVER): timedelta(days=5)}
ID_FAULT: Final = "participant-id-of-country"
NOT_SET_UP: Final = "reports-not-set-up"


# -- before sending --------------------------------------------------------------------------------


def party_faults(document: SentDocument, own: Network) -> Iterator[PartyFault]:
    """Parties with other ids than their country prescribes, of the countries to whose authorities
    we report; and receivers that stand for a report that nobody would make."""
    yield from _id_faults(document.sender, document.sender_country, own, is_receiver=False)
    if document.receiver is None:
        return
    if not is_reported_only(document.receiver):
        yield from _id_faults(document.receiver, document.receiver_country, own, is_receiver=True)
        return
    country = country_of(document.receiver) or ""
    if _authority(document.sender, own, clock.now()) is None:
        words = (
            f"a document for {document.receiver} is only reported to the tax authority, and "
            f"this service does not report for {document.sender} to that of {country} yet"
        )
        yield PartyFault(is_receiver=True, code=NOT_SET_UP, message=words)


def _id_faults(
    participant: ParticipantId, country: str | None, own: Network, *, is_receiver: bool
) -> Iterator[PartyFault]:
    authority = own.authorities.get(country or "")
    if authority is None or not authority.is_told_of(clock.now()):
        return
    fault = id_fault(authority.country, participant)
    if fault is not None:
        yield PartyFault(is_receiver, ID_FAULT, f"is {participant}: {fault}")


def without_receiver(envelope: Envelope, own: Network) -> Delivered | Rejected:
    """The outcome of a document for a receiver that stands for its report: nobody gets it."""
    if _authority(envelope.sender, own, envelope.accepted_at or clock.now()) is not None:
        return Delivered(means=DeliveredMeans.REPORTED)
    reason = reasons.RECEIVER_UNKNOWN
    words = (
        f"{envelope.receiver} gets no documents, and reports of {envelope.sender} are not set up"
    )
    return Rejected(NOT_SET_UP, words, retryable=reason.retryable, reason_code=reason.code)


# -- after sending and receiving -------------------------------------------------------------------


def follows_sent(document: SentDocument, own: Network) -> bool:
    """Whether the document may have to be reported by its sender's access point."""
    return country_of(document.sender) in own.authorities


def of_sent(
    outcome: SentOutcome, own: Network, repeated: tuple[ReportType, int] | None = None
) -> Iterator[Outgoing]:
    """The report of a document that we were given to send, if one is due.

    repeated  type and number of a report that is made again by a person
    """
    envelope = outcome.envelope
    authority = _authority(envelope.sender, own, envelope.accepted_at or outcome.at)
    if authority is None:
        return
    failed = outcome.refused or not outcome.delivered
    kind, number = repeated or (ReportType.FAILED if failed else ReportType.SUBMIT, 0)
    if kind not in authority.specification.types:
        return
    report = TaxDataReport(
        country=authority.country,
        type=kind,
        role=ReporterRole.SENDER,
        scope=scope_of(authority.country, envelope.receiver, envelope.receiver_country),
        reporter=(envelope.sender.scheme, envelope.sender.value),
        authority_seat=authority.seat.value,
        provider_seat=mls.spid_of(own.seat).value,
        issued=clock.now(),
        transport_id=envelope.instance_id,
        transported=outcome.at,
        authority=authority.named,
    )
    document = envelope.source or envelope.document
    key = _key(envelope.transmission_id, kind, number)
    yield _message(report, document, key, envelope.invoice_id, own)


def of_received(
    outcome: ReceivedOutcome, own: Network, repeated: tuple[ReportType, int] | None = None
) -> Iterator[Outgoing]:
    """The report of a document that we received, if one is due; `repeated` as of `of_sent`."""
    if outcome.step is not Step.JUDGED or not outcome.valid or outcome.receiver is None:
        return
    authority = _authority(outcome.receiver, own, outcome.received_at)
    if authority is None:
        return
    kind, number = repeated or (ReportType.SUBMIT, 0)
    receiver, country = outcome.receiver, authority.country
    report = TaxDataReport(
        country=country,
        type=kind,
        role=ReporterRole.RECEIVER,
        scope=scope_of(country, outcome.sender, outcome.state.get("country_c1")),
        reporter=(receiver.scheme, receiver.value),
        authority_seat=authority.seat.value,
        provider_seat=mls.spid_of(own.seat).value,
        issued=clock.now(),
        transport_id=outcome.instance_id,
        transported=outcome.received_at,
        authority=authority.named,
    )
    key = _key(outcome.document_id, kind, number)
    yield _message(report, outcome.read_ubl(), key, outcome.document_id, own)


_AMENDED: Final = {
    Amendment.RESUBMIT: ReportType.RESUBMIT,
    Amendment.WITHDRAW: ReportType.WITHDRAW,
}


def amended(
    about: SentOutcome | ReceivedOutcome, own: Network, how: Amendment, number: int
) -> Outgoing:
    """The report of a document again, or its withdrawal. Raises ValueError where none is due."""
    repeated = (_AMENDED[how], number)
    if isinstance(about, SentOutcome):
        found = next(of_sent(about, own, repeated), None)
    else:
        found = next(of_received(about, own, repeated), None)
    if found is None:
        raise ValueError("no report of this document is due by the settings of its country")
    return found


def _authority(participant: ParticipantId, own: Network, at: datetime) -> Authority | None:
    """The authority to which a document of a party is reported that was sent or received then."""
    found = own.authorities.get(country_of(participant) or "")
    return found if found is not None and found.is_told_of(at) else None


def _key(subject: str, kind: ReportType, number: int) -> str:
    return f"tdd-{subject}-{kind.value}" + (f"-{number}" if number else "")


def _message(
    report: TaxDataReport, document: bytes, key: str, answers: str, own: Network
) -> Outgoing:
    of = SPECIFICATIONS[report.country]
    if of.has_uuid:
        report = replace(report, uuid=str(uuid.uuid5(_IDS, key)))
    return Outgoing(
        key=key,
        kind=artefacts.TAX_DATA,
        environment=own.stage.environment,
        sender=mls.spid_of(own.seat),
        receiver=ParticipantId("0242", report.authority_seat),
        document_type=TAX_TYPES[report.country],
        process=TAX_PROCESS,
        document=write_tax_data(report, _as_ubl(document)),
        answers=answers,
        sender_country=country_of_provider(own.identity) or report.country,
        receiver_country=report.country,
        retry_for=MAX_RETRY,
        reports_to=report.country,
        due_in=_DUE.get((report.country, report.role), _DAY),
    )


def _as_ubl(document: bytes) -> bytes:
    """The document, or of CII what it is in UBL."""
    root = parse(document)
    return document if form_of(root) == "ubl" else document_xml(read_cii(root))
