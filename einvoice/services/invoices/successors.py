"""Documents that were sent with the number of another one: its successor, or a repetition.

A number is used again if it is of the same kind, sender and calendar year. A
failed document whose number was sent again afterwards is replaced: nothing is left to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Protocol

from einvoice.domain.environments import Environment
from einvoice.store.invoices import numbers
from einvoice.store.invoices.numbers import NumberedDocument as NumberedDocument


class Numbered(Protocol):
    """A document with what makes its number one of its own."""

    @property
    def id(self) -> str: ...
    @property
    def number(self) -> str | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def sender(self) -> str: ...
    @property
    def issue_date(self) -> date | None: ...
    @property
    def created_at(self) -> datetime: ...


def of(
    documents: Iterable[Numbered], tenant_id: str, environment: str
) -> Mapping[str, NumberedDocument]:
    """The newest successor of each failed document that has one, by its id."""
    failed = list(documents)
    named = {each.number for each in failed if each.number}
    sent = numbers.not_failed(tenant_id, environment, named)
    return {
        each.id: found for each in failed for found in [_first(each, sent)] if found is not None
    }


def sent_before(
    tenant_id: str,
    environment: Environment,
    number: str,
    kind: str,
    sender: str,
    issued: date | None,
) -> NumberedDocument | None:
    """The newest document that was sent with this number and has not failed."""
    sent = numbers.not_failed(tenant_id, environment.value, [number])
    return next((each for each in sent if _same(each, kind, sender, issued)), None)


def _first(failed: Numbered, sent: Iterable[NumberedDocument]) -> NumberedDocument | None:
    return next(
        (
            each
            for each in sent
            if each.number == failed.number
            and each.created_at > failed.created_at
            and _same(each, failed.kind, failed.sender, failed.issue_date)
        ),
        None,
    )


def _same(sent: NumberedDocument, kind: str, sender: str, issued: date | None) -> bool:
    same_year = (sent.issue_date and sent.issue_date.year) == (issued and issued.year)
    return (sent.kind, sent.sender.lower()) == (kind, sender.lower()) and same_year
