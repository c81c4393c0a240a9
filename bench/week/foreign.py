"""Another access point of the practice network: buyers that our tenants send to, and suppliers.

It answers each invoice by a Message Level Status, and refuses one in seven.
Its suppliers hand documents over by AS4 in what envelopes there are: the same message twice, the
same document in another message, another document under a used id, an envelope that is legal and
rare, and 40 MB. It asks for a Message Level Status of each.
"""

from __future__ import annotations

import base64
import gzip
import queue
import random
import socket
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from bench.week.plan import Arrival, Incoming
from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.types import (
    ClosedInbox,
    Delivered,
    Duplicate,
    Envelope,
    Evidence,
    Inbound,
    InboundVerdict,
    InvoiceReference,
    KeptDocument,
    Prepared,
    PushVerdict,
    Rejected,
    Settled,
    Stored,
)
from einvoice_peppol import mls
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.as4 import outgoing
from einvoice_peppol.configuration import Network
from einvoice_peppol.mls import Issue, Mls
from einvoice_peppol.receiving import Receiver
from tests.networks.stand_ins import Answer, Faults, Handler, StandIn

LARGE_BYTES = 40_000_000
REPEAT_SECONDS, GIVEN_UP_SECONDS = 1.0, 600.0  # of which 40 MB need much on a busy machine
_IDS = uuid.UUID("6d1f2f0a-3c0f-5f0e-8f5b-0a4f1f8f7a11")
_SCOPE = (
    b"<sh:Scope><sh:Type>%s</sh:Type><sh:InstanceIdentifier>%s</sh:InstanceIdentifier></sh:Scope>"
)


class Kept(ClosedInbox):
    """Arrivals: documents by their numbers, statuses by the instance ids that they are about.

    A repetition gets the receipt of the first message. `unanswered` are the instance ids of the
    documents, with their numbers; None ends them.
    """

    def __init__(self) -> None:
        self.unanswered = queue.Queue[tuple[str, str] | None]()
        self.lock = threading.Lock()
        self.arrived: Counter[str] = Counter()
        self.statuses: dict[str, set[tuple[str, bytes]]] = defaultdict(set)  # code and document
        self._sent: dict[str, KeptDocument] = {}
        self._receipts: dict[tuple[str, str], bytes | None] = {}

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        key = (inbound.sender.canonical, inbound.instance_id)
        with self.lock:
            if key in self._receipts:
                return Duplicate(inbound.instance_id, self._receipts[key])
            self._receipts[key] = inbound.receipt
            number = number_of(inbound.document)
            self.arrived[number] += 1
        self.unanswered.put((inbound.instance_id, number))
        return Stored(inbound.instance_id, inbound.receipt)

    def sent(self, envelope: Envelope) -> None:
        """Remember a document that is sent: statuses about it are kept."""
        self._sent[envelope.instance_id] = KeptDocument(
            envelope.receiver, envelope.document_type, envelope.process, ()
        )

    def kept_document(self, access_point: str, reference: str) -> KeptDocument | None:
        return self._sent.get(reference)

    def deliver_evidence(
        self, access_point: str, reference: str | InvoiceReference, evidence: Sequence[Evidence]
    ) -> PushVerdict:
        with self.lock:
            self.statuses[str(reference)] |= {(one.response_code or "", one.content)
                                              for one in evidence}  # fmt: skip
        return Settled(str(reference), changed=False)


class Foreign(StandIn):
    """The access point.

    own   its place in the network
    ours  the provider id of the service, which gets its statuses
    """

    def __init__(self, own: Network, ours: ParticipantId, port: int, faults: Faults) -> None:
        super().__init__(_Handler, port, faults)
        self.kept, self._own, self._ours = Kept(), own, ours
        self.receiver, self._sender = Receiver(own, self.kept), Peppol(own)

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Send the statuses of what arrives, until the block ends."""
        thread = threading.Thread(target=self._answer, name="statuses", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self.kept.unanswered.put(None)
            thread.join(30)

    def _answer(self) -> None:
        while (found := self.kept.unanswered.get()) is not None:
            envelope = self._status(*found)
            made = self._sender.prepare(envelope)
            if isinstance(made, Prepared):
                with suppress(TimeoutError):
                    self._sent(envelope, made)

    def _status(self, instance_id: str, number: str) -> Envelope:
        is_refused = refuses(number)
        status = Mls(
            id=str(uuid.uuid5(_IDS, f"status of {instance_id}")),
            issued_at=clock.now(),
            sender=mls.spid_of(self._own.seat),
            receiver=self._ours,
            code=mls.REJECTED if is_refused else mls.ACCEPTED,
            instance_id=instance_id,
            description="There is no such buyer." if is_refused else None,
            issues=(Issue(mls.NOT_DELIVERED, "No mailbox."),) if is_refused else (),
        )
        return replace(
            samples.envelope(sender=status.sender, receiver=status.receiver, number=status.id),
            document_type=mls.DOCUMENT_TYPE, process=mls.PROCESS, document=mls.write(status),
            instance_id=status.id, transmission_id=f"txn_{status.id}",
        )  # fmt: skip

    def hand_over(self, one: Incoming, participant: str) -> str | None:
        """Send it as its kind says, until it is acknowledged; why it was refused, or None.

        Raises TimeoutError.
        """
        first = envelope_of(one, participant)
        prepared = self._prepared(first, one.kind)
        words = self._sent(first, prepared)
        match one.kind:
            case Arrival.AS4_REPEATED:
                words = words or self._sent(first, prepared)
            case Arrival.AS4_TWICE:
                again = replace(first, transmission_id=f"{first.transmission_id}-2")
                words = words or self._sent(again, self._prepared(again, one.kind))
            case Arrival.AS4_REUSED:
                other = replace(
                    envelope_of(replace(one, number=f"{one.number}o"), participant),
                    instance_id=first.instance_id,
                )
                words = words or self._sent(other, self._prepared(other, one.kind))
        return words

    def _prepared(self, envelope: Envelope, kind: Arrival) -> Prepared:
        made = self._sender.prepare(envelope)
        if isinstance(made, Rejected):
            raise TypeError(made.reason)
        if kind is Arrival.AS4_ODD:
            content = _odd(gzip.decompress(made.content or b""))
            return replace(made, content=outgoing.compressed(content))
        return made

    def _sent(self, envelope: Envelope, prepared: Prepared) -> str | None:
        self.kept.sent(envelope)
        until = time.monotonic() + GIVEN_UP_SECONDS
        while time.monotonic() < until:
            outcome = self._sender.submit(envelope, prepared)
            if isinstance(outcome, Delivered):
                return None
            if isinstance(outcome, Rejected):
                return f"{outcome.code} {outcome.reason}"
            time.sleep(REPEAT_SECONDS)
        raise TimeoutError(envelope.number)


class _Handler(Handler):
    server: Foreign

    def call(self) -> None:
        body = self.received()
        self.respond(self.server.faults("message"), lambda: self._made(body))

    def _made(self, body: bytes) -> Answer:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, body, headers=headers)
        answer = self.server.receiver.answer(request)
        return Answer(answer.status, answer.body, answer.content_type, answer.headers)


def refuses(number: str) -> bool:
    """Whether it answers that an invoice of this number cannot be delivered."""
    return sum(number.encode()) % 7 == 0


def envelope_of(one: Incoming, participant: str) -> Envelope:
    """The message of a document that arrives."""
    made = samples.envelope(
        receiver=ParticipantId.parse(participant), number=one.number,
        instance_id=instance_of(one), transmission_id=f"txn_{one.number}",
    )  # fmt: skip
    return replace(made, document=_large(made.document)) if one.kind is Arrival.AS4_LARGE else made


def instance_of(one: Incoming) -> str:
    """The id of its envelope, by which its status names it."""
    return str(uuid.uuid5(_IDS, one.number))


def number_of(document: bytes) -> str:
    """The number of an invoice without extensions."""
    return document.partition(b"<cbc:ID>")[2].partition(b"</cbc:ID>")[0].decode()


def _large(document: bytes) -> bytes:
    """The invoice with a file that does not compress."""
    file = base64.b64encode(random.Random(40).randbytes(LARGE_BYTES * 3 // 4))
    attached = (
        b"<cac:AdditionalDocumentReference><cbc:ID>photos</cbc:ID><cac:Attachment>"
        b'<cbc:EmbeddedDocumentBinaryObject mimeCode="image/png" filename="photos.png">'
        + file
        + b"</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>"
    )
    begin, party, rest = document.partition(b"<cac:AccountingSupplierParty>")
    return begin + attached + party + rest


def _odd(content: bytes) -> bytes:
    """The same envelope in UTF-16, with comments, white space and scopes that others agreed on."""
    scopes = b"".join(
        _SCOPE % (kind, b"of no concern") for kind in (b"PARTNER", b"BATCH", b"BATCH")
    )
    changed = (
        content.replace(b"<sh:BusinessScope>", b"\n<!-- by hand --><sh:BusinessScope>\n" + scopes)
        .replace(b"</sh:StandardBusinessDocumentHeader>",
                 b"\n</sh:StandardBusinessDocumentHeader>\n<!-- the invoice -->\n")
        .replace(b'encoding="UTF-8"', b'encoding="UTF-16"', 1)
    )  # fmt: skip
    return changed.decode().encode("utf-16")


# -- names -----------------------------------------------------------------------------------------


@contextmanager
def resolving(upstream: str, faults: Faults) -> Iterator[str]:
    """The address of a DNS server that asks another one, and answers nothing in a fault."""
    host, _, port = upstream.partition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as names:
        names.bind(("127.0.0.1", 0))
        asked = host, int(port)
        threading.Thread(target=_serve, args=(names, asked, faults), daemon=True).start()
        yield f"127.0.0.1:{names.getsockname()[1]}"


def _serve(names: socket.socket, upstream: tuple[str, int], faults: Faults) -> None:
    """Until the socket is closed."""
    while True:
        try:
            query, remote = names.recvfrom(4096)
        except OSError:
            return
        if faults("query") is not None:
            continue
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(1.0)
            asking.sendto(query, upstream)
            names.sendto(asking.recv(4096), remote)
