"""The endpoint to which the access point posts received documents, each in its envelope (SBDH).

The access point has verified the AS4 message. A document is acknowledged after it is stored; a
repeat is recognised by the instance id of its envelope.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from typing import Final

import structlog

from einvoice.network.endpoints import MIB, Request, Response
from einvoice.network.types import (
    Busy,
    Duplicate,
    Inbound,
    Inbox,
    NotServiced,
    PushVerdict,
    Settled,
    Stored,
)
from einvoice_gateway.configuration import Gateway
from einvoice_peppol import mls, responses, sbdh, statuses
from einvoice_peppol.sbdh import Enveloped, InvalidEnvelope

MAX_BODY_BYTES: Final = 105 * MIB
PER_MINUTE: Final = 6000  # the access point posts for all tenants

log = structlog.get_logger()


class Receiver:
    """Answers what one access point posts. Safe to call from several threads."""

    def __init__(self, gateway: Gateway, token: str, inbox: Inbox) -> None:
        self._name = gateway.name
        self._environment = gateway.environment
        self._token = token.encode()
        self._inbox = inbox

    def answer(self, request: Request) -> Response:
        """200 after the document is stored; else a status and, as JSON, why not."""
        if not self._is_authentic(request):
            return _answer(401, "The header X-Token does not have the inbound token.")
        if request.method != "POST":
            return _answer(405, "This address takes documents of Peppol by POST.")
        body = request.body if request.file is None else request.file.read()
        try:
            enveloped = sbdh.read(body, max_bytes=MAX_BODY_BYTES)
        except InvalidEnvelope as fault:
            return _refused(f"SBDH: {fault}")
        named = request.headers.get("x-sbdh-instance-id")
        if named not in (None, enveloped.header.instance_id):
            return _refused("X-SBDH-Instance-ID is not the instance id of the SBDH.")
        return self._stored(enveloped)

    def _is_authentic(self, request: Request) -> bool:
        """Whether the request has the token, compared in constant time."""
        given = request.headers.get("x-token", "").encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, self._token)

    def _stored(self, enveloped: Enveloped) -> Response:
        header = enveloped.header
        if statuses.is_status(header):
            verdict: object = self._status(enveloped)
        elif responses.is_response(header):
            verdict = self._response(enveloped)
        else:
            verdict = self._inbox.deliver_inbound(self._inbound(enveloped))
        log.info(
            "gateway document received",
            access_point=self._name,
            instance=header.instance_id,
            verdict=type(verdict).__name__,
        )
        match verdict:
            case Stored() | Duplicate() | Settled():
                return Response(200, b"", "application/json")
            case Busy(seconds):
                headers = {"Retry-After": str(int(seconds) or 1)}
                return _answer(503, "The document cannot be stored now.", headers)
            case _:
                return _refused("No tenant takes such documents for this receiver.")

    def _inbound(self, enveloped: Enveloped) -> Inbound:
        header = enveloped.header
        return Inbound(
            access_point=self._name,
            instance_id=header.instance_id,
            environment=self._environment,
            sender=header.sender,
            receiver=header.receiver,
            document_type=header.document_type,
            process=header.process,
            document=enveloped.document,
        )

    def _response(self, enveloped: Enveloped) -> PushVerdict:
        """Keep an Invoice Response with its invoice; one that cannot be kept is logged."""
        verdict, fault = responses.kept(enveloped, self._name, self._environment, self._inbox)
        return self._acknowledged(verdict, enveloped, fault)

    def _status(self, enveloped: Enveloped) -> PushVerdict:
        """Keep a Message Level Status, which some access points pass on, with its document."""
        try:
            status = mls.read(enveloped.document)
        except ValueError as fault:
            return self._acknowledged(NotServiced(""), enveloped, str(fault))
        evidence = [statuses.evidence_of(status, enveloped.document)]
        verdict = self._inbox.deliver_evidence(self._name, status.instance_id, evidence)
        return self._acknowledged(verdict, enveloped, "it is about an unknown document")

    def _acknowledged(
        self, verdict: PushVerdict, enveloped: Enveloped, fault: str | None
    ) -> PushVerdict:
        """The verdict; what belongs to no document is acknowledged, as no repeat would help."""
        if not isinstance(verdict, NotServiced):
            return verdict
        instance = enveloped.header.instance_id
        log.warning("evidence not kept", access_point=self._name, instance=instance, reason=fault)
        return Settled("", changed=False)


def _refused(words: str) -> Response:
    """A final refusal, in the form that a phoss AP reads: the document is not posted again."""
    body = {"retry": "none", "errorMessage": words}
    return Response(422, json.dumps(body).encode(), "application/json")


def _answer(status: int, words: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"errorMessage": words}
    return Response(status, json.dumps(body).encode(), "application/json", headers or {})
