"""The content of a tenant's documents, for an operator who says why.

What an invoice has is listed without a reason: kinds, sizes and digests, no content. The reason is
stored in the tenant's audit log before the content is handed out; without that there is none.
"""

from __future__ import annotations

from einvoice.domain.roles import Role
from einvoice.services.account import audit, tenants
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import ArtefactContent as ArtefactContent
from einvoice.services.invoices.detail import ArtefactSummary as ArtefactSummary
from einvoice.services.principal import Session
from einvoice.store.core import db

READ_ACTION = "document.read"


def listed(tenant_id: str, invoice_id: str) -> list[ArtefactSummary]:
    """The data of a tenant's invoice, sent or received. Raises NotFound."""
    return detail.list_artefacts(invoice_id, _reader(tenant_id))


def read(tenant_id: str, invoice_id: str, artefact_id: str, reason: str) -> ArtefactContent:
    """The content of one of them, once the reason is in the tenant's audit log.

    Raises NotFound, DocumentDropped, ArchiveUnavailable and ArchiveDamaged.
    """
    found = detail.download(invoice_id, artefact_id, _reader(tenant_id))
    with db.writing() as connection:
        said = {"reason": reason, "artefactId": artefact_id}
        audit.record(connection, tenant_id, None, READ_ACTION, invoice_id, said)
    return found


def _reader(tenant_id: str) -> Session:
    """A reader of both environments of the tenant. Raises NotFound."""
    tenants.get(tenant_id)
    return Session(tenant_id, "operator", None, Role.VIEWER)
