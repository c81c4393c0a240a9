"""Outcomes of the mails that arrived last at a tenant's addresses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from einvoice.domain.environments import Environment
from einvoice.store.inbound import mail_arrivals as stored
from einvoice.store.inbound.mail_arrivals import FetchedDocument

MAX_SHOWN = 20
_SENDER, _UNREADABLE = "mail-sender", "unreadable-document"


class Became(StrEnum):
    """The fate of a mail, or of a file of it."""

    BILL = "bill"
    UNREAD = "unread"  # a bill whose content a person has to enter


@dataclass(frozen=True, slots=True)
class MailArrival:
    """A document of a mail. `claims`: what the mail says of its sender and subject."""

    invoice_id: str
    address_id: str
    became: Became
    number: str | None
    supplier_name: str | None
    claims: str
    at: datetime


def newest(
    tenant_id: str, environment: Environment, address_ids: Collection[str]
) -> list[MailArrival]:
    """The documents that arrived last, the newest first; those of a mail are beside each other."""
    found = stored.newest(tenant_id, environment.value, address_ids, MAX_SHOWN)
    return [_arrival(each) for each in found]


def _arrival(found: FetchedDocument) -> MailArrival:
    return MailArrival(
        found.invoice_id,
        found.connection_id,
        _became(found),
        found.number,
        found.supplier_name,
        next(_claims(found), ""),
        found.created_at,
    )


def _became(found: FetchedDocument) -> Became:
    codes = {each["code"] for each in found.warnings}
    return Became.UNREAD if _UNREADABLE in codes and found.number is None else Became.BILL


def _claims(found: FetchedDocument) -> Iterator[str]:
    for each in found.warnings:
        if each["code"] == _SENDER:
            yield str(each.get("message", ""))
