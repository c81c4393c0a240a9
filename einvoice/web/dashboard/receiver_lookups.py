"""The receiver of a new invoice, looked up while one types its participant id or by a button."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from einvoice.domain.directory import CUSTOMER
from einvoice.domain.errors import (
    AccessPointUnavailable,
    InvalidReceiver,
    ReceiverNotRegistered,
    RequestRefused,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.services.directory import entries
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.services.participants import receivers
from einvoice.services.participants.receivers import Receiver
from einvoice.web.admission import slots
from einvoice.web.dashboard import invoice_form, pages
from einvoice.web.runtime import runtime

MAX_ID = 140  # characters
# What the receiver takes: (invoices, credit notes) → the text.
_TAKES = {
    (True, True): "both",
    (True, False): "invoices",
    (False, True): "creditNotes",
    (False, False): "neither",
}
_BADGES = {"registered": "good", "notRegistered": "bad", "away": "note", "refused": "bad"}


@dataclass(frozen=True, slots=True)
class Found:
    """The content shown: `state` names the text and, for what was found, `receiver` has the rest.

    name     the receiver's in the directory of the account
    refusal  why the network was not asked
    """

    state: str
    receiver: Receiver | None = None
    name: str | None = None
    refusal: str | None = None

    @property
    def badge(self) -> str:
        return _BADGES.get(self.state, "")

    @property
    def takes(self) -> str:
        kinds = self.receiver.kinds if self.receiver else frozenset()
        return _TAKES[DocumentKind.INVOICE in kinds, DocumentKind.CREDIT_NOTE in kinds]


def of_values(values: Mapping[str, str]) -> Found | None:
    """The answer of the network about the receiver of a form; None without one."""
    text = values.get(invoice_form.RECEIVER, "").strip()[: MAX_ID + 1]
    if not text:
        return None
    principal = pages.principal()
    try:
        with slots.released():
            receiver = receivers.find(
                text, values.get(invoice_form.NETWORK, "").strip() or None, principal, runtime()
            )
    except InvalidReceiver:
        return Found("incomplete")
    except ReceiverNotRegistered:
        return Found("notRegistered")
    except AccessPointUnavailable:
        return Found("away")
    except RequestRefused as refusal:
        return Found("refused", refusal=pages.words().sentence(refusal.detail))
    return Found("registered" if receiver.is_listed else "open", receiver, _name_of(receiver))


def _name_of(receiver: Receiver) -> str | None:
    """The receiver's name in the directory, by its participant id; none if several have it."""
    participant: ParticipantId = receiver.participant
    filters, part = EntryFilters(peppol_id=participant), EntryPageRequest(2)
    found = entries.page(CUSTOMER, pages.who().tenant_id, filters, part).items
    return found[0].name if len(found) == 1 else None
