"""The page of the book about documents that arrived: each is the bills that it has to be, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bench.week.entries import Entry
from bench.week.plan import Arrival, Incoming, Plan
from bench.week.suppliers import Received

GOOD = frozenset({"green", "amber"})
RED = frozenset({"red"})
LIGHTS = {
    Arrival.UNKNOWN_FORM: GOOD | RED,
    Arrival.INVALID: RED,
    Arrival.BROKEN: RED,
    Arrival.CII: GOOD | RED,
    Arrival.AS4_LARGE: GOOD | {"unchecked"},
}
# Warnings of the second bill.
SECOND = {
    Arrival.SENT_TWICE: "possible-duplicate",
    Arrival.ID_REUSED: "message-id-reused",
    Arrival.AS4_REUSED: "message-id-reused",
    Arrival.BROKEN: "unreadable-document",
}


@dataclass(frozen=True, slots=True)
class Bill:
    """A bill as the service shows it to its tenant; `code` and `status` of its last response."""

    id: str
    number: str | None
    light: str
    warnings: frozenset[str]
    code: str | None = None
    status: str | None = None


def entries(
    plan: Plan,
    received: Received,
    found: Mapping[int, Sequence[Bill]],
    sent: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> Iterator[Entry]:
    """The broken promises about documents that arrived.

    sent  the numbers of those that a tenant of the service sent to this one
    """
    for number in sorted(received.unanswered):
        yield Entry("lost", f"the document {number} was never acknowledged")
    for number, words in received.refused.items():
        yield Entry("lost", f"{number} was refused: {words}")
    for tenant, bills in found.items():
        own = [one for one in plan.incoming if one.tenant == tenant]
        yield from _of_tenant(own, received, bills, Counter(sent.get(tenant, ())))


def _of_tenant(
    own: Sequence[Incoming], received: Received, bills: Sequence[Bill], sent: Counter[str]
) -> Iterator[Entry]:
    times, wanted = Counter(one.number for one in bills), sent
    for one in own:
        if one.number in received.unanswered:  # maybe stored: its sender does not know
            wanted.update({number: times[number] for number in one.bills})
        elif one.number in received.taken:
            wanted.update(one.bills)
            yield from _of(one, [bill for bill in bills if bill.number in one.bills])
    for number, count in wanted.items():
        if times[number] != count:
            kind = "twice" if times[number] > count else "lost"
            yield Entry(kind, f"{number} arrived and is {times[number]} bills, not {count}")
    for bill in bills:
        if bill.number not in wanted:
            yield Entry("twice", f"the bill {bill.number} ({bill.id}) never arrived")
        yield from _response(bill, received.responded.get(bill.id))


def _of(one: Incoming, bills: Sequence[Bill]) -> Iterator[Entry]:
    for bill in bills:
        if bill.light not in LIGHTS.get(one.kind, GOOD):
            yield Entry("lost", f"{bill.number} ({one.kind}) is judged {bill.light}")
    warning = SECOND.get(one.kind)
    if warning and not any(warning in bill.warnings for bill in bills):
        yield Entry("untold", f"{one.number} ({one.kind}) has no warning {warning}")


def _response(bill: Bill, code: str | None) -> Iterator[Entry]:
    if code != bill.code:
        yield Entry("lost", f"the response to {bill.number} is {bill.code}, not {code}")
    elif code and bill.status != "Delivered":
        yield Entry("lost", f"the response {code} to {bill.number} is {bill.status}")
