"""How an invoice is issued: online, or offline with codes for its buyer before it has a number.

With an Offline certificate an invoice is issued offline if its day has passed when it is sent, if
KSeF could not be reached when it should have been sent, or if the tenant wants it for all. It then
stays so: its codes are evidence, and it is sent with `offlineMode`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final

from einvoice import clock, xml
from einvoice.network.plugin_store import MAX_RECORDS_READ, PluginStore
from einvoice.network.types import Envelope, Evidence, NotSent, Outcome, Pending, Prepared, Unknown
from einvoice_ksef import numbers, offline, poland
from einvoice_ksef.encryption import digest_of
from einvoice_ksef.fa3.again import digest_without_number
from einvoice_ksef.fa3.structure import NAMESPACE

RETENTION_YEARS: Final = 10
# Members of `Prepared.state`, and of `Pending.state` beside those of the submission.
CODES, ISSUED, ALWAYS, OFFLINE, CORRECTS, DOCUMENT = (
    "codes",
    "issued",
    "always",
    "offline",
    "corrects",
    "document",
)
_SEARCHED: Final = timedelta(days=30)  # before now, for invoices that were marked
_CORRECTED: Final = timedelta(days=1000)  # for which a refusal is remembered
# How long one that was issued offline is submitted, after it was accepted: seven working days of
# Poland, which the law gives after a failure of KSeF, are at most 18 days.
_SENT_AGAIN_FOR: Final = timedelta(days=19)
_MARGIN: Final = timedelta(minutes=2)  # between the clocks of our processes


@dataclass(frozen=True, slots=True)
class Way:
    """How an invoice is sent.

    offline  it is declared as issued offline
    kept     what `prepare` has kept; empty without an Offline certificate
    """

    offline: bool = False
    kept: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def has_codes(self) -> bool:
        """Whether it can be handed out before it has a number."""
        return CODES in self.kept

    @property
    def corrects(self) -> str | None:
        """The digest of the refused invoice of which this is the technical correction."""
        return self.kept.get(CORRECTS)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The codes with which it is handed out."""
        content = self.kept.get(CODES, "").encode("ascii")
        kept = Evidence(offline.OFFLINE_CODES, content, retention_years=RETENTION_YEARS)
        return (kept,) if content else ()

    def state_of(self, envelope: Envelope) -> dict[str, str]:
        """Members of `Pending.state` of an invoice that is sent, for `of_pending` and `as_sent`."""
        declared = {OFFLINE: "1"} if self.offline else {}
        other = {DOCUMENT: _packed(envelope.document)} if self.corrects else {}
        return {**self.kept, **declared, **other}


ONLINE: Final = Way()
_KEPT: Final = (CODES, ISSUED, ALWAYS, CORRECTS)


def of_pending(state: Mapping[str, str]) -> Way:
    """How an invoice is sent again that KSeF had and did not process."""
    kept = {name: state[name] for name in _KEPT if name in state}
    return Way(OFFLINE in state or _must_be_offline(kept), kept)


def as_sent(envelope: Envelope, state: Mapping[str, str]) -> Envelope:
    """The envelope with the document that KSeF has: another one in a technical correction."""
    packed = state.get(DOCUMENT)
    if packed is None:
        return envelope
    return replace(envelope, document=zlib.decompress(base64.b64decode(packed)))


def _packed(document: bytes) -> str:
    return base64.b64encode(zlib.compress(document)).decode()


def _must_be_offline(kept: Mapping[str, str]) -> bool:
    if CORRECTS in kept:
        return True
    if CODES not in kept:
        return False
    return ALWAYS in kept or date.fromisoformat(kept[ISSUED]) < poland.today()


def prepared_state(
    document: bytes, context: tuple[str, str], access_point: str, given: Mapping[str, str]
) -> dict[str, str]:
    """The values that `prepare` keeps: the codes, made once, and what decides on their use.

    given  the credentials of the connection; without an Offline certificate nothing is kept
    """
    identity = offline.usable(given, context[1], clock.now())
    if identity is None:
        return {}
    seller, issued = _seller_and_day(document)
    host, digest = numbers.host_of(access_point), numbers.hash_of(document)
    one = numbers.verification_url(host, seller, issued, digest)
    two = offline.certificate_url(host, context, seller, identity, digest)
    always = {ALWAYS: "1"} if given.get(offline.USE) == offline.ALWAYS else {}
    return {CODES: f"{one}\r\n{two}\r\n", ISSUED: issued.isoformat(), **always}


def _seller_and_day(document: bytes) -> tuple[str, date]:
    root = xml.parse(document)
    seller = root.findtext(_q("Podmiot1/DaneIdentyfikacyjne/NIP")) or ""
    return seller.strip(), date.fromisoformat((root.findtext(_q("Fa/P_1")) or "").strip())


def _q(path: str) -> str:
    return "/".join(f"{{{NAMESPACE}}}{name}" for name in path.split("/"))


class Issuing:
    """Decides on the invoices of one taxpayer.

    Invoices that could not be sent are recorded by their digests, so that all workers, and later
    attempts, decide alike.
    """

    def __init__(self, store: PluginStore, access_point: str, nip: str, *, patient: bool) -> None:
        """patient  an invoice issued offline is submitted for as long as the law gives"""
        self._patient = patient
        self._store, self._series = store, f"offline-{access_point}-{nip}"
        self._refused = f"refused-{access_point}"

    def ways(self, batch: Sequence[tuple[Envelope, Prepared]], *, tried: bool = False) -> list[Way]:
        """How each invoice is sent, in order.

        tried  all of them were tried before; otherwise those whose attempt is not the first
        """
        again = [one for one, made in batch if CODES in made.state and (tried or one.attempt > 1)]
        marked = self._marked(again) if again else frozenset()
        return [_way(envelope, made.state, marked) for envelope, made in batch]

    def noted(self, envelope: Envelope, way: Way, outcome: Outcome) -> Outcome:
        """The outcome with the codes of an invoice that is issued offline, which is recorded.

        A pause that KSeF asks for, or that its limits need, makes no invoice one of those.
        """
        match outcome:
            case NotSent() if outcome.retry_after is not None and not way.offline:
                return outcome
            case NotSent() | Unknown() if way.has_codes or way.offline:
                if not way.offline:
                    self._store.append(self._series, digest_of(envelope.document))
                kept = (*outcome.evidence, *way.evidence)
                return replace(outcome, evidence=kept, retry_until=self._until(envelope))
            case Pending():
                kept = way.evidence if way.offline else ()
                state = {**outcome.state, **way.state_of(envelope)}
                return replace(outcome, state=state, evidence=(*outcome.evidence, *kept))
        return outcome

    def _until(self, envelope: Envelope) -> datetime | None:
        """Until when an invoice issued offline is submitted; None: as all others."""
        if not self._patient or envelope.accepted_at is None:
            return None
        return envelope.accepted_at + _SENT_AGAIN_FOR

    def note_refused(self, envelope: Envelope, digest: str) -> None:
        """Record an invoice issued offline that KSeF has refused for its form or content."""
        self._store.append(f"{self._refused}-{envelope.invoice_id}", digest)

    def note_used_number(self, envelope: Envelope, digest: str) -> None:
        """Record an invoice issued offline whose number another one has in KSeF."""
        series = self._same_content(envelope)
        if series is not None:
            self._store.append(series, digest)

    def renumbered(self, envelope: Envelope) -> str | None:
        """The digest of an invoice that was issued offline, of which this is the same with another
        number, since KSeF had its number; of several the first that no other invoice corrects.

        The buyer may have its codes, as of `refused_before`.
        """
        series, now = self._same_content(envelope), clock.now()
        if series is None:
            return None
        own = digest_of(envelope.document)
        for record in self._store.read(series, now - _CORRECTED, now + _MARGIN):
            digest = str(record.value)
            if digest != own and self._claimed(digest, envelope.invoice_id):
                return digest
        return None

    def _claimed(self, digest: str, invoice_id: str) -> bool:
        """Whether this invoice is the one that corrects a refused one; the first that asks is."""
        key = f"{self._refused}-by-{digest}"
        return self._store.change(key, None, invoice_id) or self._store.get(key) == invoice_id

    def _same_content(self, envelope: Envelope) -> str | None:
        """The series of invoices of the tenant that differ in their number only."""
        content = digest_without_number(envelope.document)
        return f"{self._refused}-{envelope.tenant_id}-{content}" if content else None

    def refused_before(self, envelope: Envelope) -> str | None:
        """The digest of this invoice as it was issued offline and refused; of several the first.

        The buyer may have its codes: KSeF leads from them to the technical correction.
        """
        series, now = f"{self._refused}-{envelope.invoice_id}", clock.now()
        found = self._store.read(series, now - _CORRECTED, now + _MARGIN)
        return str(found[0].value) if found else None

    def _marked(self, envelopes: Sequence[Envelope]) -> frozenset[str]:
        """The digests of the invoices that could not be sent since these were accepted."""
        now, last, found = clock.now(), None, set[str]()
        since = min(each.accepted_at or now - _SEARCHED for each in envelopes) - _MARGIN
        while page := self._store.read(self._series, since, now + _MARGIN, last):
            found.update(str(record.value) for record in page)
            if len(page) < MAX_RECORDS_READ:
                break
            last = page[-1]
        return frozenset(found)


def _way(envelope: Envelope, kept: Mapping[str, str], marked: frozenset[str]) -> Way:
    if not kept:
        return ONLINE
    is_marked = bool(marked) and digest_of(envelope.document) in marked
    return Way(is_marked or _must_be_offline(kept), kept)
