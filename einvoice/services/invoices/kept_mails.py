"""The mails that are kept with an invoice: as it was sent or received, and what came back."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.artefacts import MAIL, MAIL_NOTICE
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import NotFound
from einvoice.domain.responses import ResponseStatus
from einvoice.mail import shown_mails
from einvoice.mail.shown_mails import Cause, MailFile, ShownMail
from einvoice.services.computing.pool import Computing
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import ArtefactSummary, InvoiceDetail
from einvoice.services.principal import Reader

MAX_SHOWN = 10
# Reading a mail of this size takes about 20 ms.
_LARGE = 512 * 1024
_KINDS = (MAIL.code, MAIL_NOTICE.code)


@dataclass(frozen=True, slots=True)
class KeptMail:
    """A mail of an invoice. `is_notice`: it came back, as a notice or an answer."""

    artefact: ArtefactSummary
    mail: ShownMail

    @property
    def is_notice(self) -> bool:
        return self.artefact.kind == MAIL_NOTICE.code


def are_kept(artefacts: list[ArtefactSummary]) -> bool:
    """Whether there is a mail among the artefacts of an invoice."""
    return any(each.kind in _KINDS for each in artefacts)


def bounce_of(found: InvoiceDetail) -> Cause | None:
    """Why the mail of a sent invoice did not reach its buyer; None if it did, or no mail was sent.

    The receiver's response counts, else the reason of the failure.
    """
    record, response = found.record, found.response
    if record.is_received or record.receiver_email is None:
        return None
    if response is not None and response.status == ResponseStatus.UNDELIVERABLE:
        return shown_mails.cause_of(" ".join(response.reasons))
    if record.status == NetworkStatus.FAILED:
        cause = shown_mails.cause_of(f"{record.reason_code or ''} {record.reason or ''}")
        return None if cause is Cause.OTHER else cause
    return None


def of_invoice(invoice_id: str, reader: Reader, computing: Computing) -> list[KeptMail]:
    """The newest mails of an invoice, the oldest of these first.

    Raises what `detail.download` and `Computing.run` raise.
    """
    listed = [e for e in detail.list_artefacts(invoice_id, reader) if e.kind in _KINDS]
    return [_read(invoice_id, each, reader, computing) for each in listed[-MAX_SHOWN:]]


def file_of(
    invoice_id: str, artefact_id: str, number: int, reader: Reader, computing: Computing
) -> tuple[MailFile, bytes]:
    """A file of a mail by its zero-based number. Raises NotFound, also for a program."""
    listed = detail.list_artefacts(invoice_id, reader)
    kept = next((e for e in listed if e.id == artefact_id and e.kind in _KINDS), None)
    if kept is not None:
        raw = detail.download(invoice_id, artefact_id, reader).content
        is_large, take = len(raw) > _LARGE, shown_mails.file_in
        found = computing.run(reader.tenant_id, take, raw, number, large=is_large)
        if found is not None:
            return found
    raise NotFound("The mail has no such file.")


def _read(
    invoice_id: str, artefact: ArtefactSummary, reader: Reader, computing: Computing
) -> KeptMail:
    content = detail.download(invoice_id, artefact.id, reader).content
    is_large = len(content) > _LARGE
    mail = computing.run(reader.tenant_id, shown_mails.read, content, large=is_large)
    return KeptMail(artefact, mail)
