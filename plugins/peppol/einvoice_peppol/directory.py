"""What the network says of participants: DNS and SMP together, kept for a quarter of an hour.

Only answers are kept, never outages; that a participant is not registered is kept for a minute.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_INVOICE,
    WILDCARD_SCHEME,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.network.types import DirectoryUnavailable, NotRegistered, Registration
from einvoice_peppol.sml import Sml
from einvoice_peppol.smp import Smp
from einvoice_peppol.smp_documents import Endpoint, NotOffered
from einvoice_peppol.trust import seat_id, subject

KEPT_SECONDS: Final = 900.0
ABSENCE_KEPT_SECONDS: Final = 60.0
MAX_KEPT: Final = 10_000  # answers of each kind
PINT_BILLING: Final = ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing")
_PINT_INVOICE: Final = "::Invoice##urn:peppol:pint:billing-1"

Answer = TypeVar("Answer")


class _Kept(Generic[Answer]):
    """Answers by key, each until its time; the least recently used ones are dropped."""

    def __init__(self, most: int = MAX_KEPT) -> None:
        self._most = most
        self._answers: OrderedDict[Hashable, tuple[float, Answer]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, ask: Callable[[], Answer]) -> Answer:
        """The kept answer, or that of `ask`."""
        now = clock.monotonic()
        with self._lock:
            until, kept = self._answers.get(key, (0.0, None))
            if kept is not None and now < until:
                self._answers.move_to_end(key)
                return kept
        answer = ask()
        absent = isinstance(answer, (NotRegistered, NotOffered))
        with self._lock:
            seconds = ABSENCE_KEPT_SECONDS if absent else KEPT_SECONDS
            self._answers[key] = (clock.monotonic() + seconds, answer)
            self._answers.move_to_end(key)
            if len(self._answers) > self._most:
                self._answers.popitem(last=False)
        return answer

    def drop(self, chosen: Callable[[Hashable], bool]) -> None:
        """Drop the answers whose key is chosen."""
        with self._lock:
            for key in [key for key in self._answers if chosen(key)]:
                del self._answers[key]


class Directory:
    """Finds participants, what they take, and where it is sent. Safe to share between threads.

    All operations raise DirectoryUnavailable if DNS or the SMP does not answer, or is refused.
    """

    def __init__(self, sml: Sml, smp: Smp) -> None:
        self._sml, self._smp = sml, smp
        self._types: _Kept[tuple[DocumentTypeId, ...] | NotRegistered] = _Kept()
        self._endpoints: _Kept[Endpoint | NotOffered | NotRegistered] = _Kept()

    def registration(self, participant: ParticipantId) -> Registration | NotRegistered:
        """The document types of a participant, and the endpoint for its invoices if it has one."""
        types = self._document_types(participant)
        if isinstance(types, NotRegistered):
            return types
        try:
            endpoint = self._of_invoices(participant, types)
        except DirectoryUnavailable:
            endpoint = None  # it is shown only
        if endpoint is None:
            return Registration(types)
        certificate = endpoint.certificate
        return Registration(
            types, endpoint.address, subject(certificate), certificate.not_valid_after_utc
        )

    def receiving_seat(self, participant: ParticipantId) -> str | None:
        """The seat id of the access point that receives the invoices of a participant."""
        types = self._document_types(participant)
        if isinstance(types, NotRegistered):
            return None
        endpoint = self._of_invoices(participant, types)
        return seat_id(endpoint.certificate) if endpoint else None

    def endpoint(
        self,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> Endpoint | NotOffered | NotRegistered:
        """Where documents of a type are sent in a process; the certificate there is trusted."""

        def ask() -> Endpoint | NotOffered | NotRegistered:
            return self._asked(participant, document_type, process)

        key = (participant.canonical, document_type, process)
        return self._endpoints.get(key, ask)

    def forget(self, participant: ParticipantId) -> None:
        """Ask again at the next call: after the access point of a participant refused a message."""
        name = participant.canonical
        self._types.drop(lambda key: key == name)
        self._endpoints.drop(lambda key: isinstance(key, tuple) and key[0] == name)

    def _asked(
        self, participant: ParticipantId, document_type: DocumentTypeId, process: ProcessId
    ) -> Endpoint | NotOffered | NotRegistered:
        base = self._sml.publisher(participant)
        if isinstance(base, NotRegistered):
            return base
        registered: DocumentTypeId | None = document_type
        if document_type.scheme == WILDCARD_SCHEME:
            types = self._document_types(participant)
            if isinstance(types, NotRegistered):
                return types
            registered = document_type.registered_as({str(each) for each in types})
        if registered is None:
            return NotOffered("the receiver is not registered for this document type")
        return self._smp.endpoint(base, participant, registered, process)

    def _document_types(
        self, participant: ParticipantId
    ) -> tuple[DocumentTypeId, ...] | NotRegistered:
        def ask() -> tuple[DocumentTypeId, ...] | NotRegistered:
            base = self._sml.publisher(participant)
            if isinstance(base, NotRegistered):
                return base
            return self._smp.document_types(base, participant)

        return self._types.get(participant.canonical, ask)

    def _of_invoices(
        self, participant: ParticipantId, types: tuple[DocumentTypeId, ...]
    ) -> Endpoint | None:
        """The endpoint for invoices: of BIS Billing, else of a PINT; None without such a type."""
        pint = [each for each in types if _PINT_INVOICE in each.value]
        routes = [(each, PINT_BILLING) for each in pint[:1]]
        if BIS_INVOICE in types:
            routes = [(BIS_INVOICE, BIS_BILLING_PROCESS), *routes]
        for document_type, process in routes:
            found = self.endpoint(participant, document_type, process)
            if isinstance(found, Endpoint):
                return found
        return None
