"""The endpoint to which other access points send: messages in, receipts and errors out.

A message is verified, its envelope compared with its header, the document stored through the inbox,
and only then the receipt is sent. A receipt means that the document is stored; what becomes of it
afterwards is reported by a Message Level Status.
"""

from __future__ import annotations

import json
import mmap
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Final

import structlog
from cryptography import x509

from einvoice import clock
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, BIS_INVOICE_CII
from einvoice.network.endpoints import MIB, Request, Response
from einvoice.network.types import (
    Busy,
    DirectoryUnavailable,
    Duplicate,
    Inbound,
    InboundVerdict,
    Inbox,
    NotServiced,
    Settled,
    Stored,
)
from einvoice_peppol import responses, sbdh, statuses, trust
from einvoice_peppol.as4 import answers, incoming, mime, signals
from einvoice_peppol.as4.errors import (
    FAILED_AUTHENTICATION,
    NOT_SERVICED,
    OTHER,
    VALUE_INCONSISTENT,
    Refused,
)
from einvoice_peppol.as4.incoming import Opened
from einvoice_peppol.as4.names import SOAP
from einvoice_peppol.as4.user_message import UserMessage
from einvoice_peppol.configuration import Network
from einvoice_peppol.exchanges import Exchanges
from einvoice_peppol.identity import Identity, KeyUnavailable
from einvoice_peppol.sbdh import Enveloped
from einvoice_peppol.smp_documents import NotOffered

MAX_PAYLOAD_BYTES: Final = 100 * MIB
MAX_BODY_BYTES: Final = 105 * MIB  # what does not compress, and the header
LARGE_BYTES: Final = 8 * MIB
LARGE_WAIT_SECONDS: Final = 20.0
LARGE_AT_ONCE: Final = 3  # handled and waiting, of the calls that a process answers at once
PER_MINUTE: Final = 6000  # of one access point, which sends for all of its customers
RETRY_SECONDS: Final = 60
_BILLING: Final = frozenset({BIS_INVOICE, BIS_CREDIT_NOTE, BIS_INVOICE_CII})

log = structlog.get_logger()


class _TryLater(Exception):
    """The message cannot be judged now: its sender shall repeat it."""


@dataclass(slots=True)
class _Exchange:
    """The known facts of a message while it is handled.

    Errors are signed once the sender's certificate is trusted: signing costs more than refusing.
    """

    message_id: str | None = None
    is_trusted: bool = field(default=False)


class Receiver:
    """Answers the messages for one access point. Safe to call from several threads.

    exchanges  where taken statuses are recorded for the monthly reports
    max_bytes  the largest payload, decompressed
    """

    def __init__(
        self,
        own: Network,
        inbox: Inbox,
        exchanges: Exchanges | None = None,
        *,
        max_bytes: int = MAX_PAYLOAD_BYTES,
    ) -> None:
        self._own = own
        self._inbox = inbox
        self._exchanges = exchanges
        self._max_bytes = max_bytes
        self._large = BoundedSemaphore(1)
        self._queue = BoundedSemaphore(LARGE_AT_ONCE)

    def answer(self, request: Request) -> Response:
        """The receipt, an error signal, or an HTTP error where no message can be read."""
        content_type = request.headers.get("content-type", "")
        if request.method != "POST":
            return _problem(405, "This address takes AS4 messages of Peppol by POST.")
        if not mime.is_multipart(content_type):
            return _problem(415, "An AS4 message is multipart/related.")
        try:
            return self._answer(request, content_type)
        except KeyUnavailable as reason:
            log.error("peppol message not answered", reason=str(reason))
            return _later("The message cannot be opened or acknowledged now.", RETRY_SECONDS)

    def _answer(self, request: Request, content_type: str) -> Response:
        exchange = _Exchange()
        try:
            with _body(request) as body:
                return self._handled(content_type, body, exchange)
        except Refused as refusal:
            return self._refused(refusal, exchange)
        except _TryLater as reason:
            return _later(str(reason), RETRY_SECONDS)

    def _handled(self, content_type: str, body: mime.Body, exchange: _Exchange) -> Response:
        with self._room_for(len(body)):
            return self._received(content_type, body, exchange)

    def _received(self, content_type: str, body: mime.Body, exchange: _Exchange) -> Response:
        received = incoming.received(content_type, body)
        exchange.message_id = received.soap.message_id

        def check(signer: x509.Certificate) -> None:
            self._check(signer)
            exchange.is_trusted = True

        verified = incoming.verified(received, self._own.identities, check)
        with self._room_for(0 if len(body) > LARGE_BYTES else verified.size):
            opened = incoming.decompressed(verified, max_bytes=self._max_bytes)
            return self._opened(opened)

    def _opened(self, opened: Opened) -> Response:
        receipt = self._receipt(opened)
        if opened.message.is_test:
            return _signal(receipt)
        return self._stored(opened, _enveloped(opened, self._max_bytes), receipt)

    @contextmanager
    def _room_for(self, length: int) -> Iterator[None]:
        """Handle one large message at a time, whose document takes many times its size.

        A few more wait for it, so that they leave room for small ones.
        """
        if length <= LARGE_BYTES:
            yield
            return
        with _held(self._queue, 0.0), _held(self._large, LARGE_WAIT_SECONDS):
            yield

    def _check(self, signer: x509.Certificate) -> None:
        try:
            self._own.trust.check_access_point(signer, clock.now())
        except trust.RevocationUnknown as reason:
            raise _TryLater(str(reason)) from None
        except trust.Untrusted as reason:
            raise Refused(FAILED_AUTHENTICATION, str(reason)) from None

    def _receipt(self, opened: Opened) -> bytes:
        identity = self._own.identity
        info = _info(identity, opened.message.message_id)
        return signals.receipt(info, opened.references, identity)

    def _evidence(self, opened: Opened, enveloped: Enveloped, receipt: bytes) -> Response:
        """Take a Message Level Status or Invoice Response about a document of ours."""
        seat = opened.message.from_seat
        take = statuses.take if statuses.is_status(enveloped.header) else responses.take
        match take(enveloped, seat, self._own, self._inbox):
            case NotServiced():
                raise Refused(OTHER, NOT_SERVICED)
            case Busy(seconds):
                return _later("The document cannot be stored now.", seconds)
            case Settled() as kept:
                self._record(enveloped, seat, kept)
                return _signal(receipt)

    def _record(self, enveloped: Enveloped, seat: str, kept: Settled) -> None:
        """Record a status or response for the reports; a status has no end user.

        A response is received by the sender of the document that it is about.
        """
        if self._exchanges is None:
            return
        of_customer = responses.is_response(enveloped.header)
        is_ours = of_customer and bool(kept.tenant_id)
        country = kept.sender_country if of_customer else None
        self._exchanges.evidence_received(
            enveloped.header, seat, of_customer=is_ours, country=country
        )

    def _stored(self, opened: Opened, enveloped: Enveloped, receipt: bytes) -> Response:
        if statuses.is_status(enveloped.header) or responses.is_response(enveloped.header):
            return self._evidence(opened, enveloped, receipt)
        if not self._is_offered(enveloped.header):
            log.warning("peppol document of an unregistered type", **self._names(enveloped))
            raise Refused(OTHER, NOT_SERVICED)
        verdict = self._inbox.deliver_inbound(self._inbound(opened, enveloped, receipt))
        self._log(verdict, opened, enveloped)
        match verdict:
            case Stored():
                return _signal(receipt)
            case Duplicate(_, first):
                return _signal(_of_repeat(first, opened.message, receipt))
            case NotServiced():
                raise Refused(OTHER, NOT_SERVICED)
            case Busy(seconds):
                return _later("The document cannot be stored now.", seconds)

    def _is_offered(self, header: sbdh.Header) -> bool:
        """Whether the receiver is registered for the document, also by a wildcard; so are documents
        of BIS Billing, and all where the registration cannot be known now.

        Source: Peppol AS4 profile 2.0.3 (NOT_SERVICED).
        """
        if header.document_type in _BILLING:
            return True
        try:
            found = self._own.directory.endpoint(
                header.receiver, header.document_type, header.process
            )
        except DirectoryUnavailable:
            return True
        return not isinstance(found, NotOffered)

    def _names(self, enveloped: Enveloped) -> dict[str, str]:
        header = enveloped.header
        return {
            "access_point": self._own.stage.name,
            "instance": header.instance_id,
            "document_type": str(header.document_type),
        }

    def _inbound(self, opened: Opened, enveloped: Enveloped, receipt: bytes) -> Inbound:
        header = enveloped.header
        return Inbound(
            access_point=self._own.stage.name,
            instance_id=header.instance_id,
            environment=self._own.stage.environment,
            sender=header.sender,
            receiver=header.receiver,
            document_type=header.document_type,
            process=header.process,
            document=enveloped.document,
            receipt=receipt,
            state=_state(opened.message, header),
        )

    def _log(self, verdict: InboundVerdict, opened: Opened, enveloped: Enveloped) -> None:
        log.info(
            "peppol message received",
            access_point=self._own.stage.name,
            message=opened.message.message_id,
            instance=enveloped.header.instance_id,
            sender_seat=opened.message.from_seat,
            verdict=type(verdict).__name__,
        )

    def _refused(self, refusal: Refused, exchange: _Exchange) -> Response:
        log.warning(
            "peppol message refused",
            access_point=self._own.stage.name,
            message=exchange.message_id,
            code=refusal.code.code,
            reason=refusal.detail,
        )
        identity = self._own.identity
        info = _info(identity, exchange.message_id)
        return _signal(signals.error(info, refusal, identity if exchange.is_trusted else None))


@contextmanager
def _held(share: BoundedSemaphore, seconds: float) -> Iterator[None]:
    """A part of a share that becomes free in time. Raises _TryLater."""
    if not share.acquire(timeout=seconds):
        raise _TryLater("Other large messages are being received.")
    try:
        yield
    finally:
        share.release()


@contextmanager
def _body(request: Request) -> Iterator[mime.Body]:
    """The body of a request; a large one is mapped, not read."""
    if request.file is None:
        yield request.body
        return
    length = request.file.seek(0, 2)
    request.file.seek(0)
    if length <= LARGE_BYTES:
        yield request.file.read()
        return
    with mmap.mmap(request.file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        yield mapped


def _enveloped(opened: Opened, max_bytes: int) -> Enveloped:
    """The envelope of a message, which must agree with its header. Raises Refused."""
    try:
        enveloped = sbdh.read(opened.payload, max_bytes=max_bytes)
    except sbdh.InvalidEnvelope as fault:
        raise Refused(OTHER, f"SBDH: {fault}") from None
    if len(enveloped.document) > max_bytes:  # escaping may lengthen what is taken out
        raise Refused(OTHER, f"the document has more than {max_bytes:,} bytes")
    header, message = enveloped.header, opened.message
    agreeing = {
        "originalSender": message.sender.canonical == header.sender.canonical,
        "finalRecipient": message.receiver.canonical == header.receiver.canonical,
        "Action": message.document_type == header.document_type,
        "Service": message.process == header.process,
    }
    for name, agrees in agreeing.items():
        if not agrees:
            raise Refused(VALUE_INCONSISTENT, f"{name} is not that of the SBDH")
    return enveloped


def _state(message: UserMessage, header: sbdh.Header) -> dict[str, str]:
    """The values that the Message Level Status and the reports need later."""
    state = {"seat": message.from_seat, "country_c1": header.country_c1}
    if header.mls_to is not None:
        state["mls_to"] = str(header.mls_to)
    if header.mls_type is not None:
        state["mls_type"] = header.mls_type
    return state


def _of_repeat(first: bytes | None, message: UserMessage, receipt: bytes) -> bytes:
    """The receipt of a document that was stored before.

    The first receipt if this is the same message; the new one if the document came in another.
    """
    answer = answers.read(first) if first else None
    if first is not None and answer is not None and answer.in_reply_to == message.message_id:
        return first
    return receipt


def _info(identity: Identity, in_reply_to: str | None) -> signals.Info:
    message_id = f"{uuid.uuid4()}@{identity.seat.lower()}"
    return signals.Info(message_id, clock.timestamp(clock.now()), in_reply_to)


def _signal(content: bytes) -> Response:
    return Response(200, content, f"{SOAP};charset=UTF-8")


def _later(words: str, seconds: float) -> Response:
    """No signal: the sender repeats the message."""
    problem = _problem(503, words)
    return Response(
        503, problem.body, problem.content_type, {"Retry-After": str(int(seconds) or 1)}
    )


def _problem(status: int, detail: str) -> Response:
    body = {"type": "about:blank", "status": status, "detail": detail}
    return Response(status, json.dumps(body).encode(), "application/problem+json")
