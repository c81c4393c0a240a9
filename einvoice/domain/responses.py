"""Responses to invoices: the codes of the Peppol Invoice Response, and what they mean to a seller.

Source: Peppol BIS Invoice Response 3 (subset of UNCL4343, OPStatusReason, OPStatusAction). Networks
with other codes map them in their plugins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Final

from einvoice.domain.errors import FieldError, Phrase

CODES: Final = {
    "AB": "message acknowledged",
    "IP": "in process",
    "UQ": "under query",
    "CA": "conditionally accepted",
    "RE": "rejected",
    "AP": "accepted",
    "PD": "paid",
}
NEED_REASON: Final = ("UQ", "CA", "RE")
REASONS: Final = {
    "NON": "no issue",
    "REF": "references incorrect",
    "LEG": "legal information incorrect",
    "REC": "receiver unknown",
    "QUA": "item quality insufficient",
    "DEL": "delivery issues",
    "PRI": "prices incorrect",
    "QTY": "quantity incorrect",
    "ITM": "items incorrect",
    "PAY": "payment terms incorrect",
    "PPD": "partially paid",
    "UNR": "not recognised",
    "FIN": "finance incorrect",
    "OTH": "other",
}
ACTIONS: Final = {
    "NOA": "no action required",
    "PIN": "provide information",
    "NIN": "issue new invoice",
    "CNF": "credit fully",
    "CNP": "credit partially",
    "CNA": "credit the amount",
    "OTH": "other",
}
PARTIALLY_PAID: Final = "PPD"
PAID: Final = "PD"


class ResponseStatus(StrEnum):
    """Responses of receivers to delivered invoices, in the words of every network."""

    RECEIVED = "received"
    IN_PROCESS = "inProcess"
    ACCEPTED = "accepted"
    CONDITIONALLY_ACCEPTED = "conditionallyAccepted"
    REJECTED = "rejected"
    PAID = "paid"
    UNDELIVERABLE = "undeliverable"  # the receiver cannot get what its side had taken
    CANCELLED = "cancelled"  # its seller has cancelled it: of a received invoice


# Until someone says that it is done.
NEED_PERSON: Final = frozenset(
    {ResponseStatus.REJECTED, ResponseStatus.UNDELIVERABLE, ResponseStatus.CANCELLED}
)
STATUS_OF_CODE: Final = {
    "AB": ResponseStatus.RECEIVED,
    "IP": ResponseStatus.IN_PROCESS,
    "UQ": ResponseStatus.IN_PROCESS,
    "CA": ResponseStatus.CONDITIONALLY_ACCEPTED,
    "RE": ResponseStatus.REJECTED,
    "AP": ResponseStatus.ACCEPTED,
    "PD": ResponseStatus.PAID,
}
# Of a Message Level Status, which is about the message and not about what it invoices.
STATUS_OF_LEVEL: Final = {
    "AB": ResponseStatus.RECEIVED,
    "AP": ResponseStatus.RECEIVED,
    "RE": ResponseStatus.UNDELIVERABLE,
}
CODE_OF_STATUS: Final = {
    status: code for code, status in STATUS_OF_CODE.items() if code != "UQ"
} | {ResponseStatus.UNDELIVERABLE: "RE", ResponseStatus.CANCELLED: "RE"}


@dataclass(frozen=True, slots=True)
class ReceiverResponse:
    """A response of the receiver to an invoice.

    at       when; None: when it arrived
    by       who said it: the name or the participant id
    reasons  why, in words
    text     words about the whole response
    exact    whether `at` is the moment, and not only the day: the responses of a network that has
             moments count in the order in which they were given, however they arrive
    """

    status: ResponseStatus
    at: datetime | None = None
    by: str | None = None
    reasons: tuple[str, ...] = ()
    text: str | None = None
    exact: bool = False


def replaces(new: tuple[str, date], before: tuple[str, date]) -> bool:
    """Whether a response (its status, the day or moment) counts in place of the one before.

    The last that arrived counts, unless it was said on an earlier day, or at an earlier moment.
    That the message was received says nothing of what became of the invoice.

    >>> day = date(2026, 11, 23)
    >>> replaces(("accepted", day), ("rejected", day)), replaces(("received", day), ("paid", day))
    (True, False)
    """
    if new[0] == ResponseStatus.RECEIVED and before[0] != ResponseStatus.RECEIVED:
        return False
    return new[1] >= before[1]


@dataclass(frozen=True, slots=True)
class Condition:
    """A value that the buyer expects: a business term of EN 16931 (BT-48) and its value."""

    term: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Clarification:
    """Why, or what the buyer expects: a code of REASONS or ACTIONS, with words.

    is_action  whether OTH is of ACTIONS; the other codes are of one list only
    """

    code: str
    words: str | None = None
    conditions: tuple[Condition, ...] = ()
    is_action: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class ResponseContent:
    """The content of a buyer's response to an invoice. `effective_date`: since when."""

    code: str
    reasons: tuple[Clarification, ...] = ()
    actions: tuple[Clarification, ...] = ()
    note: str | None = None
    effective_date: date | None = None

    @property
    def clarifications(self) -> tuple[Clarification, ...]:
        return (*self.reasons, *self.actions)


def faults(content: ResponseContent) -> Iterator[FieldError]:
    """The parts of the content that break a rule of the Invoice Response.

    >>> [fault.pointer for fault in faults(ResponseContent("RE"))]
    ['/reasons']
    """
    if content.code in NEED_REASON and not content.clarifications:
        message = f"is required for the response {content.code}, unless actions are given"
        phrase = Phrase("reason", {"code": content.code})
        yield FieldError("/reasons", "required", message, phrase)
    yield from _faults_of_reasons(content.reasons, content.code)


def _faults_of_reasons(reasons: Sequence[Clarification], code: str) -> Iterator[FieldError]:
    for index, each in enumerate(reasons):
        if each.code != PARTIALLY_PAID:
            continue
        if code != PAID:
            message = f"{PARTIALLY_PAID} is a reason of the response {PAID} only"
            yield FieldError(f"/reasons/{index}/code", "not-allowed", message)
        if not each.words:
            message = f"is required for the reason {PARTIALLY_PAID}"
            yield FieldError(f"/reasons/{index}/text", "required", message)
