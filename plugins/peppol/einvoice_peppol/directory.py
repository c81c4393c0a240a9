"""The answers of the network about participants: DNS and SMP together, kept for 15 minutes.

Only answers are kept, never outages; that a participant is not registered is kept for a minute, and
of one that was registered before it is not believed for some hours (`known`). A publisher may lack
the list of a participant's types (group) and have their metadata: then these are asked for.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock
from typing import Final, Generic, TypeVar

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    WILDCARD_SCHEME,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.network.types import DirectoryUnavailable, NotRegistered, Registration
from einvoice_peppol.known import Known
from einvoice_peppol.sml import Sml
from einvoice_peppol.smp import Smp
from einvoice_peppol.smp_documents import TYPE_ABSENT, Endpoint, NotOffered
from einvoice_peppol.trust import seat_id, subject

KEPT_SECONDS: Final = 900.0
ABSENCE_KEPT_SECONDS: Final = 60.0
MAX_KEPT: Final = 10_000  # answers of each kind
PINT_BILLING: Final = ProcessId("cenbii-procid-ubl", "urn:peppol:bis:billing")
MAX_WIDER: Final = 4  # wildcards that are asked for where no list names one
_PINT_INVOICE: Final = "::Invoice##urn:peppol:pint:billing-1"

_BELGIAN_NUMBER = re.compile(r"[01][0-9]{9}", re.ASCII)

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


def other_belgian_id(participant: ParticipantId) -> ParticipantId | None:
    """The other id of a Belgian company: its enterprise number (0208), or its VAT number (9925).

    >>> str(other_belgian_id(ParticipantId("0208", "0403019261")))
    '9925:be0403019261'
    >>> str(other_belgian_id(ParticipantId("9925", "BE0403019261")))
    '0208:0403019261'
    """
    scheme, value = participant.scheme, participant.value.lower()
    number = value.removeprefix("be")
    if not _BELGIAN_NUMBER.fullmatch(number):
        return None
    if scheme == "9925":
        return ParticipantId("0208", number)
    return ParticipantId("9925", f"be{number}") if scheme == "0208" else None


@dataclass(frozen=True, slots=True)
class _Types:
    """The document types of a participant; `listed`: it has a list, so these are all."""

    all: tuple[DocumentTypeId, ...]
    listed: bool


class Directory:
    """Finds participants, what they take, and where it is sent. Safe to share between threads.

    All operations raise DirectoryUnavailable if DNS or the SMP does not answer, or is refused.
    """

    def __init__(self, sml: Sml, smp: Smp, known: Known | None = None) -> None:
        self._sml, self._smp = sml, smp
        self._known = known or Known()
        self._types: _Kept[_Types | NotRegistered] = _Kept()
        self._endpoints: _Kept[Endpoint | NotOffered | NotRegistered] = _Kept()

    def registration(self, participant: ParticipantId) -> Registration | NotRegistered:
        """The document types of a participant, and the endpoint for its invoices if it has one."""
        types = self._document_types(participant)
        if isinstance(types, NotRegistered):
            return self._alternative(participant, types)
        try:
            endpoint = self._of_invoices(participant, types.all)
        except DirectoryUnavailable:
            endpoint = None  # it is shown only
        if endpoint is None:
            return Registration(types.all)
        certificate = endpoint.certificate
        return Registration(
            types.all, endpoint.address, subject(certificate), certificate.not_valid_after_utc
        )

    def _alternative(self, participant: ParticipantId, absent: NotRegistered) -> NotRegistered:
        """The absence of a Belgian number, with the other id of the company if it has that one."""
        other = other_belgian_id(participant)
        if other is None:
            return absent
        try:
            found = self._document_types(other)
        except DirectoryUnavailable:
            return absent  # it is a hint only
        return absent if isinstance(found, NotRegistered) else replace(absent, registered_as=other)

    def may_take(self, participant: ParticipantId, document_type: DocumentTypeId) -> bool:
        """False if a participant has a list of types without this one: then it does not take it.

        Some publishers answer with metadata for every type that they are asked about.
        """
        types = self._document_types(participant)
        return isinstance(types, NotRegistered) or not types.listed or document_type in types.all

    def publisher(self, participant: ParticipantId) -> str | NotRegistered:
        """The address of the participant's SMP as DNS names it now, which is not kept."""
        return self._sml.publisher(participant)

    def receiving_seat(self, participant: ParticipantId) -> str | None:
        """The seat id of the access point that receives the invoices of a participant."""
        types = self._document_types(participant)
        if isinstance(types, NotRegistered):
            return None
        endpoint = self._of_invoices(participant, types.all)
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
        found = self._endpoints.get(key, ask)
        if isinstance(found, NotRegistered):
            return self._alternative(participant, found)
        return found

    def forget(self, participant: ParticipantId) -> None:
        """Ask again at the next call: after the access point of a participant refused a message."""
        name = participant.canonical
        self._types.drop(lambda key: key == name)
        self._endpoints.drop(lambda key: isinstance(key, tuple) and key[0] == name)

    def _asked(
        self, participant: ParticipantId, document_type: DocumentTypeId, process: ProcessId
    ) -> Endpoint | NotOffered | NotRegistered:
        base = self._publisher(participant)
        if isinstance(base, NotRegistered):
            return base
        found: Endpoint | NotOffered = NotOffered(TYPE_ABSENT)
        for registered in self._candidates(base, participant, document_type):
            found = self._smp.endpoint(base, participant, registered, process)
            if not isinstance(found, NotOffered):
                break
        what = (participant.canonical, document_type, process)
        if isinstance(found, Endpoint):
            self._known.seen(*what)
        elif found.reason == TYPE_ABSENT:
            may_return = self._known.may_return(*what, doubtful=found.may_return)
            return replace(found, may_return=may_return)
        return found

    def _candidates(
        self, base: str, participant: ParticipantId, document_type: DocumentTypeId
    ) -> Iterable[DocumentTypeId]:
        """The types to ask for: of a wildcard the registered one, or all where none is listed."""
        if document_type.scheme != WILDCARD_SCHEME:
            return (document_type,)
        types = self._smp.document_types(base, participant)
        listed = () if isinstance(types, NotRegistered) else types
        registered = document_type.registered_as({str(each) for each in listed})
        if registered is not None:
            return (registered,)
        return dict.fromkeys((document_type, *islice(document_type.wider(), MAX_WIDER)))

    def _publisher(self, participant: ParticipantId) -> str | NotRegistered:
        """The SMP of a participant; that it has none is not believed at once if it had one."""
        base = self._sml.publisher(participant)
        if isinstance(base, NotRegistered):
            return NotRegistered(may_return=self._known.may_return(participant.canonical))
        self._known.seen(participant.canonical)
        return base

    def _document_types(self, participant: ParticipantId) -> _Types | NotRegistered:
        def ask() -> _Types | NotRegistered:
            base = self._publisher(participant)
            if isinstance(base, NotRegistered):
                return base
            types = self._smp.document_types(base, participant)
            what = (participant.canonical, "group")
            if not isinstance(types, NotRegistered):
                self._known.seen(*what)
                return _Types(types, listed=True)
            billing = self._billing_types(base, participant)
            if billing:
                return _Types(billing, listed=False)
            return NotRegistered(may_return=self._known.may_return(*what))

        return self._types.get(participant.canonical, ask)

    def _billing_types(self, base: str, participant: ParticipantId) -> tuple[DocumentTypeId, ...]:
        """Of a participant without a list: the types of BIS Billing that have metadata."""
        found = self._smp.endpoint(base, participant, BIS_INVOICE, BIS_BILLING_PROCESS)
        if isinstance(found, NotOffered):
            return ()
        other = self._smp.endpoint(base, participant, BIS_CREDIT_NOTE, BIS_BILLING_PROCESS)
        return (BIS_INVOICE,) if isinstance(other, NotOffered) else (BIS_INVOICE, BIS_CREDIT_NOTE)

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
