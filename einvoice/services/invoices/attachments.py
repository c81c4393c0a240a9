"""The files that were sent or received inside an invoice."""

from __future__ import annotations

from einvoice.documents import attached
from einvoice.documents.attached import AttachedFile as AttachedFile
from einvoice.domain.artefacts import UBL
from einvoice.domain.errors import NotFound
from einvoice.services.invoices import detail
from einvoice.services.principal import Reader


def of_invoice(invoice_id: str, reader: Reader) -> list[AttachedFile]:
    """The files of an invoice in their order. Raises as `detail.download` does."""
    for each in detail.list_artefacts(invoice_id, reader, UBL.code):
        return attached.files_in(detail.download(invoice_id, each.id, reader).content)
    return []


def one_of(invoice_id: str, number: int, reader: Reader) -> AttachedFile:
    """The file of this zero-based number. Raises NotFound, and as `of_invoice`."""
    files = of_invoice(invoice_id, reader)
    if not 0 <= number < len(files):
        raise NotFound("The invoice has no such attachment.")
    return files[number]
