"""Sending through another access point: lookups are made here, the AS4 message there.

Each submit posts the complete envelope (SBDH) with an instance id of ours, which is the same in all
attempts. An access point gets a new AS4 message id for each submit, so a repeat is not recognised:
after an unknown outcome a phoss AP is asked for the status, and with phase4 an operator decides.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from urllib.parse import urlencode

import structlog

from einvoice.domain.identifiers import ParticipantId
from einvoice.http import HttpFault, Response
from einvoice.network.messages import InvoiceAnswer, Outgoing, ReceivedOutcome, Step
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    Found,
    NotRegistered,
    Outcome,
    Pending,
    Prepared,
    Registration,
    Rejected,
    Repeat,
    Unknown,
)
from einvoice_gateway import reports, transmissions
from einvoice_gateway.client import TIMEOUT_SECONDS
from einvoice_gateway.configuration import Gateway, Shape
from einvoice_peppol import responses, sending

_SUBMIT = {Shape.PHOSS_AP: "/api/outbound/submit-sbd", Shape.PHASE4: "/sendsbdh"}
_REPORTED_LATER = (401, 403, 408, 429)

log = structlog.get_logger()


class NotReported(Exception):
    """The access point has not taken the country of a receiver; it is reported again later."""


class GatewayAccessPoint(AccessPointBase):
    """One network of Peppol through another access point."""

    network = "peppol"

    def __init__(self, gateway: Gateway) -> None:
        self.name = gateway.name
        self.environment = gateway.environment
        self.capabilities = Capabilities(
            has_status=gateway.shape is Shape.PHOSS_AP,
            repeat=Repeat.NEVER,
            concurrency=8,
            timeout=TIMEOUT_SECONDS,
            formats=("ubl", "cii"),
        )
        self._has_status = self.capabilities.has_status
        self._path = _SUBMIT[gateway.shape]
        self._client = gateway.client
        self._directory = gateway.directory

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return self._directory.registration(participant)

    def takes_responses(self, receiver: ParticipantId) -> bool:
        """Whether a participant is registered for Invoice Responses."""
        return responses.are_taken(receiver, self._directory)

    def response_message(self, answer: InvoiceAnswer) -> Outgoing:
        """The Invoice Response of a tenant. Raises ValueError, also without its country."""
        if not answer.sender_country:
            raise ValueError("Peppol needs the country of the sender")
        return responses.message(answer, None)

    def prepare(self, envelope: Envelope) -> Prepared | Rejected:  # type: ignore[override]
        content = sending.enveloped(envelope)
        if isinstance(content, Rejected):
            return content
        return Prepared(f"{envelope.transmission_id}@einvoice", content)

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        document = gzip.decompress(prepared.content or b"")
        try:
            response = self._client.post(self._path, document)
        except HttpFault as fault:
            return reports.not_answered(fault)
        report = reports.report_in(response)
        if report is None:
            return self._without_report(response, envelope)
        if self._has_status:
            return _taken(report, envelope.instance_id)
        return reports.final_outcome(report, envelope.instance_id)

    def poll(self, envelope: Envelope, pending: Pending) -> Outcome:
        """Query the status; without one, a Pending waits for an operator."""
        return transmissions.polled(self._client, pending) if self._has_status else pending

    def find(self, envelope: Envelope, prepared: Prepared) -> Found:
        if not self._has_status:
            return super().find(envelope, prepared)
        return transmissions.found(self._client, envelope.instance_id)

    def received_outcome(self, outcome: ReceivedOutcome) -> Iterable[Outgoing]:
        """Report the receiver's country to a phoss AP, for its monthly reports.

        Raises NotReported or HttpFault; the call is repeated then.
        """
        if self._has_status and outcome.step is Step.JUDGED and outcome.receiver_country:
            self._report_country(outcome.instance_id, outcome.receiver_country)
        return ()

    def _report_country(self, instance_id: str, country: str) -> None:
        query = urlencode({"sbdhInstanceID": instance_id, "c4CountryCode": country})
        status = self._client.post(f"/api/inbound/report?{query}").status
        if status >= 500 or status in _REPORTED_LATER:
            raise NotReported(f"the access point answers with HTTP status {status}")
        if status >= 300:
            log.warning("receiver country refused", instance=instance_id, status=status)

    def _without_report(self, response: Response, envelope: Envelope) -> Outcome:
        """A repeat may be refused because an earlier attempt has arrived: the status decides."""
        outcome = reports.without_report(response)
        if isinstance(outcome, Rejected) and self._has_status and envelope.attempt > 1:
            return Unknown(outcome.reason, ask_after=reports.ASK_AFTER_SECONDS)
        return outcome


def _taken(report: reports.Report, reference: str) -> Outcome:
    """The outcome of a report of a phoss AP, which repeats what has failed by itself."""
    if report.is_success:
        return Delivered((report.evidence,), transmissions.mls_awaited(reference))
    if report.result == reports.INVALID_PARAMETERS:
        return reports.invalid_parameters()
    return transmissions.taken(reference)
