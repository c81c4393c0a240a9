"""The audit log: who changed what, when and from where."""

from __future__ import annotations

from einvoice.domain.roles import Role
from einvoice.services.account import audit
from einvoice.services.account.audit import AuditRecord
from einvoice.web import credentials, paging
from einvoice.web.account.audit_schemas import AuditLog, AuditQuery
from einvoice.web.api import Family
from einvoice.web.paging import Page

family = Family(
    "audit", __name__, url_prefix="/api", credential=credentials.session_or_platform, tag="Account"
)

_QUERY = AuditQuery()


@family.route("/audit", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": AuditQuery}])
@family.response(200, AuditLog())
def list_audit_entries() -> Page[AuditRecord]:
    """List the management actions of people and keys, newest first. Entries are never removed."""
    principal = credentials.session_of_request()
    query = paging.read_query(_QUERY)
    marked = paging.marked(query, principal)
    found = audit.page(
        principal.tenant_id,
        before=None if marked is None else marked[0],
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
        matching={name: query[name] for name in ("action", "actor", "target") if name in query},
    )
    return paging.closed_page(found, lambda entry: [entry.sequence], query, principal)
