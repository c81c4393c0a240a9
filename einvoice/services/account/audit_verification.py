"""Verifying the audit log: which entries and seals differ from what was sealed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.config import Settings
from einvoice.security import audit_chain
from einvoice.services.account.audit_digests import digest_of
from einvoice.services.account.audit_sealing import keys_of
from einvoice.store.account import audit_seals as stored
from einvoice.store.account.audit_seals import EntryPlace, SealedEntry, SealRecord

PAGE = 500
ERASURE = "person.erased"  # the action of entries that record an erasure
MAX_FAULTS = 1000  # of one tenant
SEALS = 20  # that are read at once: each has up to 500 entries
# No transaction is open so long; an entry that is older than those sealed before was added later.
LATE = timedelta(hours=1)


@dataclass(slots=True)
class Verification:
    """The findings in the log of one tenant.

    waiting  entries that are not sealed yet
    head     number of the last seal and its digest, to be noted outside of the database
    """

    tenant_id: str
    entries: int = 0
    waiting: int = 0
    head: str = "0"
    faults: list[str] = field(default_factory=list)
    # Pseudonyms of erased persons, with an entry that has them; and those in recorded erasures.
    erased: dict[str, int] = field(default_factory=dict)
    recorded: set[str] = field(default_factory=set)

    def report(self, fault: str) -> None:
        """Add a fault; those above MAX_FAULTS are not kept."""
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(fault)


def tenants() -> Iterator[str]:
    """The ids of all tenants that have a log, or had one."""
    after = ""
    while found := stored.logs(after, PAGE):
        yield from found
        after = found[-1]


def verify(tenant_id: str, settings: Settings, noted: str | None = None) -> Verification:
    """Compare the log of a tenant with its seals.

    `noted`: a head of this tenant from an earlier verification, which the chain must contain.
    """
    result = Verification(tenant_id)
    last = audit_chain.FIRST
    number, newest = 0, None
    for seal in _seals(tenant_id):
        if seal.number != number + 1:
            result.report(_missing_seals(number + 1, seal.number - 1))
        last = _check_seal(seal, last, result)
        newest = _check_entries(seal, newest, result)
        number = seal.number
        noted = _check_noted(seal, noted, result)
    _check_head(result, number, last, settings)
    if noted is not None:
        result.report(f"seal {noted.partition(':')[0]} was noted and is missing")
    _check_places(result, newest)
    _check_erasures(result)
    return result


def _seals(tenant_id: str) -> Iterator[SealRecord]:
    after = 0
    while found := stored.seals(tenant_id, after, SEALS):
        yield from found
        after = found[-1].number


def _missing_seals(first: int, last: int) -> str:
    return f"seal {first} is missing" if first == last else f"seals {first} to {last} are missing"


def _check_seal(seal: SealRecord, before: str, result: Verification) -> str:
    """Report a seal that does not follow the one before; the digest for the next one."""
    moment = clock.timestamp(seal.sealed_at)
    digest = audit_chain.seal_digest(before, seal.tenant_id, seal.number, moment, seal.entries)
    if digest != seal.digest:
        result.report(f"seal {seal.number} was changed, or one before it")
    return seal.digest


def _check_entries(
    seal: SealRecord, newest: datetime | None, result: Verification
) -> datetime | None:
    """Compare the entries of a seal with their digests; the newest time of all so far."""
    found = {one.sequence: one for one in _entries(seal)}
    of_digest = {digest: sequence for sequence, digest in seal.entries}
    for sequence, digest in seal.entries:
        entry = found.get(sequence)
        if entry is None:
            result.report(f"entry {sequence} was removed (seal {seal.number})")
            continue
        result.entries += 1
        _note_erasure(entry, result)
        if message := _difference(entry, digest, of_digest):
            result.report(f"entry {sequence} {message} (seal {seal.number})")
        elif newest is not None and entry.at < newest - LATE:
            result.report(f"entry {sequence} was inserted later (seal {seal.number})")
    times = [one.at for one in found.values()]
    return max(times if newest is None else [*times, newest], default=newest)


def _entries(seal: SealRecord) -> Sequence[SealedEntry]:
    return stored.entries(seal.tenant_id, [sequence for sequence, _ in seal.entries])


def _difference(entry: SealedEntry, digest: str, of_digest: dict[str, int]) -> str | None:
    """How an entry differs from its digest; None if it does not."""
    try:
        actual = digest_of(entry, entry.salts or {}, entry.erased or {})
    except KeyError:
        return "was changed: it has no salt"
    if actual == digest:
        return None
    moved_from = of_digest.get(actual)
    if moved_from is not None:
        return f"was reordered: it is entry {moved_from}"
    return "was changed"


def _note_erasure(entry: SealedEntry, result: Verification) -> None:
    if entry.action == ERASURE:
        result.recorded.add(entry.target)
    gone = entry.erased or {}
    shown = {
        audit_chain.PERSON: entry.actor,
        audit_chain.TARGET: entry.target,
        audit_chain.DETAIL: str(entry.detail.get("erased") if entry.detail else None),
    }
    for part in gone:
        result.erased.setdefault(shown.get(part, part), entry.sequence)


def _check_erasures(result: Verification) -> None:
    """Report parts that were erased without an entry that records it."""
    for pseudonym, sequence in result.erased.items():
        if pseudonym not in result.recorded:
            result.report(f"entry {sequence} was erased, and no erasure is recorded")


def _check_noted(seal: SealRecord, noted: str | None, result: Verification) -> str | None:
    """Compare the seal that was noted; None once it is found."""
    if noted is None or noted.partition(":")[0] != str(seal.number):
        return noted
    if noted.partition(":")[2] != seal.digest:
        result.report(f"seal {seal.number} is not the one that was noted")
    return None


def _check_head(result: Verification, seals: int, digest: str, settings: Settings) -> None:
    result.head = f"{seals}:{digest}" if seals else "0"
    head = stored.head(result.tenant_id)
    if head is None:
        if seals:
            result.report("the head of the chain is missing")
        return
    named = head.tenant_id, head.seals, head.digest
    if not audit_chain.is_head(keys_of(settings), head.mac, *named):
        result.report("the head was changed, or its key is not in EINVOICE_SECRET_KEY")
    if head.seals > seals:
        result.report(_missing_seals(seals + 1, head.seals))
    elif head.seals < seals:
        result.report(f"the chain has {seals} seals, its head says {head.seals}")
    elif head.digest != digest:
        result.report(f"seal {seals} is not the one of the head")


def _check_places(result: Verification, newest: datetime | None) -> None:
    """Report entries that no seal contains, though they say so or are older than sealed ones."""
    after = 0
    while found := stored.places(result.tenant_id, after, PAGE):
        after = found[-1].sequence
        numbers = sorted({one.seal for one in found if one.seal is not None})
        sealed = {
            seal.number: {sequence for sequence, _ in seal.entries}
            for seal in stored.seals_numbered(result.tenant_id, numbers)
        }
        for one in found:
            _check_place(one, sealed, newest, result)


def _check_place(
    place: EntryPlace,
    sealed: dict[int, set[int]],
    newest: datetime | None,
    result: Verification,
) -> None:
    if place.seal is None:
        result.waiting += 1
        if newest is not None and place.at < newest - LATE:
            result.report(f"entry {place.sequence} was inserted later (not sealed)")
    elif place.sequence not in sealed.get(place.seal, set()):
        result.report(f"entry {place.sequence} was inserted (seal {place.seal} lacks it)")
