"""Preparing the documents of a chunk: each sees the state that the one before has left.

The states are stored in the transaction that passes the fence, or none of them is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.engine import Connection

from einvoice.domain.errors import RequestRefused
from einvoice.mail.invoice_mails import InvoiceMail
from einvoice.network import limits
from einvoice.network.conformity import fault_of
from einvoice.network.types import AccessPoint, Blocked, Envelope, NotSent, Prepared, Rejected
from einvoice.observability import logging, tracing
from einvoice.services.connections.opened_accounts import Account
from einvoice.services.delivery import settlement
from einvoice.services.delivery.envelopes import envelope_of
from einvoice.services.delivery.job_parts import JobPart
from einvoice.services.delivery.settlement import SettledWork
from einvoice.services.invoices import embedded_pdf, mails
from einvoice.store.sending.transmissions import PreparedTransmission, Work

log = logging.get(__name__)

MAX_PREPARATIONS = 8  # of a chunk, whose connection others change at the same time


class ForeignState(Exception):
    """The access point returned the state of another connection."""


class LostRace(Exception):
    """Another worker has changed the state, or has some of the documents: nothing was stored."""


@dataclass(slots=True)
class Preparation:
    """One try to prepare a chunk.

    point  the access point as seen by the account in its newest state
    state  that state, if a document has changed it
    """

    point: AccessPoint
    account: Account | None
    state: Mapping[str, str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, part: JobPart) -> Preparation:
        """The first document sees what is stored, as far as this job knows."""
        account = part.account
        return cls(part.point if account is None else account.current(part.point), account)

    def prepare(self, envelope: Envelope) -> Prepared | Rejected | NotSent | Blocked:
        """Prepare the next document. Raises ForeignState, TypeError if it is not of the interface,
        and what the access point raises."""
        made = self.point.prepare(envelope)
        fault = fault_of(made, Prepared | Rejected | NotSent | Blocked)
        if fault is not None:
            raise TypeError(fault)
        if isinstance(made, Prepared) and made.connection_state is not None:
            given = made.connection_state
            if self.account is None or given.connection_id != self.account.id:
                raise ForeignState(f"a state of the connection {given.connection_id}")
            self.state = given.values
            self.point = self.account.bound_with(given.values)
        return made

    def store(self, connection: Connection) -> None:
        """Store the state, in the transaction that passes the fence. Raises LostRace."""
        if self.state is None or self.account is None:
            return
        if not self.account.store_state(connection, self.state):
            raise LostRace

    def committed(self) -> None:
        """The transaction was committed: the next chunk goes on from here."""
        if self.state is not None and self.account is not None:
            self.account.state_stored(self.state)


def ready_to_send(
    part: JobPart, preparation: Preparation, work: Work
) -> PreparedTransmission | SettledWork:
    """The bytes to send: prepared by the first attempt, or now.

    Settled, if the document cannot be prepared.
    """
    if work.message_id is not None:
        return PreparedTransmission(work, work.message_id, work.prepared, work.prepared_state or {})
    with tracing.bound(work.trace):
        made = _prepared_now(part, preparation, work)
    if isinstance(made, PreparedTransmission):
        return made
    return settlement.settled(work, made, part.point)


def _prepared_now(
    part: JobPart, preparation: Preparation, work: Work
) -> PreparedTransmission | Rejected | NotSent | Blocked:
    try:
        work = embedded_pdf.embedded(work, part.runtime.computing)
    except Exception as fault:
        log.exception("PDF not embedded", transmission=work.id)
        reason = f"the PDF could not be embedded: {type(fault).__name__}"
        return NotSent(reason, code="render-failed")
    refusal = _size_refusal(part.point, work)
    if refusal is not None:
        return refusal
    try:
        mail = _mail(part, work)
    except Exception as fault:
        log.exception("mail not made", transmission=work.id)
        reason = f"the mail could not be made: {type(fault).__name__}"
        return NotSent(reason, code="render-failed")
    try:
        made = preparation.prepare(envelope_of(work, mail=mail))
    except Exception as fault:
        log.exception("prepare failed", transmission=work.id, access_point=part.point.name)
        reason = f"the access point could not prepare the document: {type(fault).__name__}"
        return NotSent(reason, code="prepare-failed")
    if not isinstance(made, Prepared):
        return made
    return PreparedTransmission(work, made.message_id, made.content, made.state)


def _mail(part: JobPart, work: Work) -> InvoiceMail | None:
    """The text of the mail of an invoice, for a network of e-mail."""
    if not part.point.capabilities.by_email or work.kind is not None:
        return None
    return mails.mail_of(work.invoice_id, work.tenant_id, work.environment, part.runtime)


def _size_refusal(point: AccessPoint, work: Work) -> Rejected | NotSent | None:
    try:
        return limits.too_large(point, work.carried)
    except RequestRefused as fault:  # of an old invoice that is sent again, from the archive
        return NotSent(fault.detail, code=fault.slug)
