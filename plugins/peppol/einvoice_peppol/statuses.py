"""Message Level Statuses: sent for received documents, and taken for ours.

Source: Peppol MLS 1.0.0 and Network Policy. A refusal is always sent, an acceptance only if the
sender asked for it; never one about a status. It is sent to the MLS_TO of the document if that is
of the provider that signed it and is registered, else to the provider itself.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from typing import Final

import structlog
from cryptography.x509.oid import NameOID

from einvoice import clock
from einvoice.domain import artefacts
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import reasons
from einvoice.network.messages import Outgoing, ReceivedFinding, ReceivedOutcome, Step
from einvoice.network.types import (
    Busy,
    Delivered,
    DirectoryUnavailable,
    Evidence,
    Inbox,
    KeptDocument,
    NotRegistered,
    NotServiced,
    PushVerdict,
    Rejected,
    Settled,
)
from einvoice_peppol import mls, sbdh, trust
from einvoice_peppol.as4 import answers as answers_of_as4
from einvoice_peppol.as4 import verification
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.configuration import Network
from einvoice_peppol.identity import Identity
from einvoice_peppol.mls import InvalidMls, Issue, Mls
from einvoice_peppol.sbdh import Enveloped
from einvoice_peppol.smp_documents import Endpoint, NotOffered
from einvoice_peppol.tax_authorities import is_report

_SCHEMA: Final = "xsd"
_IDS: Final = uuid.UUID("0b0f7a1e-5a3c-5b6e-8a39-0d6c57b9a3d1")
MAX_WORDS: Final = 2000  # of a refusal of a report
_SEVERITIES: Final = ("error", "warning")

_NOT_KEPT: Final = Settled("", changed=False)

log = structlog.get_logger()


# -- for received documents ----------------------------------------------------------------------


def answers(outcome: ReceivedOutcome, own: Network) -> Iterator[Outgoing]:
    """The status about a received document, if one is due."""
    state = outcome.state
    if outcome.step is not Step.JUDGED or "seat" not in state:
        return
    if outcome.valid and state.get("mls_type") != sbdh.ALWAYS_SEND:
        return
    receiver = _receiver(state.get("mls_to"), state["seat"], own)
    if receiver is None:
        log.info("no receiver of a status", seat=state["seat"], invoice=outcome.document_id)
        return
    status = status_of(outcome, mls.spid_of(own.seat), receiver)
    yield _message(status, f"mls-{outcome.document_id}", own, answers=outcome.document_id)


def answer_of_response(
    header: sbdh.Header, seat: str, own: Network, fault: str | None
) -> Outgoing | None:
    """The status about a received Invoice Response, if one is due.

    seat   of the access point that sent it
    fault  why it was not kept; None: it was
    """
    if fault is None and header.mls_type != sbdh.ALWAYS_SEND:
        return None
    receiver = _receiver(str(header.mls_to) if header.mls_to else None, seat, own)
    if receiver is None:
        return None
    key = f"{seat}/{header.instance_id}"
    status = Mls(
        id=str(uuid.uuid5(_IDS, key)),
        issued_at=clock.now(),
        sender=mls.spid_of(own.seat),
        receiver=receiver,
        code=mls.REJECTED if fault else mls.PASSED_ON,
        instance_id=header.instance_id,
        description=fault,
        issues=(Issue(mls.NOT_DELIVERED, fault),) if fault else (),
    )
    return _message(status, f"mls-{uuid.uuid5(_IDS, key)}", own)


def _message(status: Mls, key: str, own: Network, answers: str | None = None) -> Outgoing:
    return Outgoing(
        key=key,
        kind=artefacts.MLS,
        environment=own.stage.environment,
        sender=status.sender,
        receiver=status.receiver,
        document_type=mls.DOCUMENT_TYPE,
        process=mls.PROCESS,
        document=mls.write(status),
        answers=answers,
        sender_country=country_of(own.identity),
    )


def status_of(outcome: ReceivedOutcome, sender: ParticipantId, receiver: ParticipantId) -> Mls:
    """The status of a validated document: AB, as kept for its receiver, or RE with its errors."""
    errors = sum(1 for finding in outcome.findings if finding.severity == "error")
    return Mls(
        id=str(uuid.uuid5(_IDS, outcome.document_id)),
        issued_at=clock.now(),
        sender=sender,
        receiver=receiver,
        code=mls.PASSED_ON if outcome.valid else mls.REJECTED,
        instance_id=outcome.instance_id,
        description=None if outcome.valid else f"The document breaks {errors} rule(s).",
        issues=tuple(_issues(outcome.findings)),
    )


def _issues(findings: Iterable[ReceivedFinding]) -> Iterator[Issue]:
    for finding in findings:
        if finding.severity in _SEVERITIES:
            words = f"{finding.rule_id}: {finding.message}"
            yield Issue(_reason(finding), words, finding.location or mls.NO_PLACE)


def _reason(finding: ReceivedFinding) -> str:
    if finding.severity == "warning":
        return mls.WARNING
    return mls.SYNTAX if finding.source == _SCHEMA else mls.RULE


def _receiver(mls_to: str | None, seat: str, own: Network) -> ParticipantId | None:
    """Who gets the status: the first of the provider's ids that takes statuses.

    An id that cannot be looked up now counts: the message is repeated until it can be.
    """
    try:
        wanted = (mls.recipient(mls_to, seat), mls.spid_of(seat))
    except ValueError:
        return None
    return next((each for each in dict.fromkeys(wanted) if _takes_statuses(each, own)), None)


def _takes_statuses(spid: ParticipantId, own: Network) -> bool:
    """Whether a provider is registered for statuses, by its list of types and their metadata."""
    try:
        if not own.directory.may_take(spid, mls.DOCUMENT_TYPE):
            return False
        found = own.directory.endpoint(spid, mls.DOCUMENT_TYPE, mls.PROCESS)
    except DirectoryUnavailable:
        return True
    return not isinstance(found, (NotRegistered, NotOffered))


def country_of(identity: Identity) -> str | None:
    """The country of a service provider, from its certificate."""
    values = identity.certificate.subject.get_attributes_for_oid(NameOID.COUNTRY_NAME)
    return str(values[0].value) if values else None


# -- for our documents ---------------------------------------------------------------------------


def is_status(header: sbdh.Header) -> bool:
    """Whether an envelope holds a Message Level Status."""
    return header.document_type == mls.DOCUMENT_TYPE and header.process == mls.PROCESS


def take(enveloped: Enveloped, seat: str, own: Network, inbox: Inbox) -> PushVerdict:
    """Keep a status with the document that it is about. `seat`: of the access point that signed.

    NotServiced: it is for another provider. A status that cannot be read, is of another provider
    than the one that signed or that received the document, or is about an unknown document, is
    logged and not kept.
    """
    main = mls.spid_of(own.seat)
    receiver = enveloped.header.receiver
    if receiver.scheme != main.scheme or receiver.value.partition("-")[0] != main.value:
        return NotServiced("the status is for another provider")
    try:
        status = mls.read(enveloped.document)
        _check_sender(status, seat)
    except ValueError as fault:
        log.warning("status refused", seat=seat, reason=str(fault)[:200])
        return _NOT_KEPT
    sent = inbox.kept_document(own.stage.name, status.instance_id)
    doubt = _doubt(sent, seat, own)
    if isinstance(doubt, Busy):
        return doubt
    if doubt is not None or not isinstance(sent, KeptDocument):
        log.warning("status not kept", seat=seat, instance=status.instance_id, reason=doubt)
        return _NOT_KEPT
    evidence = evidence_of(status, enveloped.document)
    if is_report(sent.document_type):
        verdict = inbox.settle(own.stage.name, status.instance_id, _answer(status, evidence))
    else:
        verdict = inbox.deliver_evidence(own.stage.name, status.instance_id, [evidence])
    return _NOT_KEPT if isinstance(verdict, NotServiced) else verdict


def _answer(status: Mls, evidence: Evidence) -> Delivered | Rejected:
    """The outcome of a report by the authority's status: it has it, or refuses it."""
    if status.code != mls.REJECTED:
        return Delivered((evidence,))
    said = [status.description, *(f"{each.reason}: {each.description}" for each in status.issues)]
    words = "; ".join(dict.fromkeys(each for each in said if each))
    reason = reasons.DOCUMENT_REFUSED
    return Rejected(
        code="tax-authority",
        reason=f"The tax authority refuses the report: {words}"[:MAX_WORDS],
        retryable=reason.retryable,
        reason_code=reason.code,
        evidence=(evidence,),
    )


def _doubt(sent: KeptDocument | Busy | None, seat: str, own: Network) -> str | Busy | None:
    """Why a status about a document does not count; None if its provider received the document.

    Who received it says its receipt; before that is stored, the metadata of its receiver. The
    receipts of a report are beside those of its invoice, so its receiver's metadata count too.
    """
    if isinstance(sent, Busy):
        return sent
    if sent is None:
        return "no such document was sent"
    seats = {_signer(each) for each in sent.receipts} - {None}
    try:
        if not seats or is_report(sent.document_type):
            seats |= {_registered(sent, own)}
    except DirectoryUnavailable:
        return Busy()
    if mls.spid_of(seat) in {_spid(each) for each in seats}:
        return None
    return "the provider has not received the document"


def _signer(receipt: bytes) -> str | None:
    """The seat of the access point that signed a receipt, which was verified when it arrived."""
    answer = answers_of_as4.read(receipt)
    if answer is None:
        return None
    try:
        return trust.seat_id(verification.verified(answer.soap, lambda _: None).signer)
    except Refused:
        return None


def _registered(sent: KeptDocument, own: Network) -> str | None:
    """The seat of the access point at which the receiver is registered."""
    if sent.receiver is None:
        return None
    found = own.directory.endpoint(sent.receiver, sent.document_type, sent.process)
    return trust.seat_id(found.certificate) if isinstance(found, Endpoint) else None


def _spid(seat: str | None) -> ParticipantId | None:
    try:
        return mls.spid_of(seat or "")
    except ValueError:
        return None


def _check_sender(status: Mls, seat: str) -> None:
    if status.sender.value.partition("-")[0] != mls.spid_of(seat).value:
        raise InvalidMls("its sender is not the provider that signed the message")


def evidence_of(status: Mls, document: bytes) -> Evidence:
    """A status as the evidence of the document that it is about."""
    words = [status.description, *(issue.description for issue in status.issues)]
    return Evidence(
        artefacts.MLS,
        document,
        response_code=status.code,
        reasons=tuple(each[:500] for each in words[:50] if each),
    )
