"""The audit log: who changed what, when and from where."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.roles import Role
from einvoice.services.account import audit
from einvoice.services.account.audit import AuditRecord
from einvoice.web import credentials, paging
from einvoice.web.account.audit_schemas import AuditLog, AuditQuery
from einvoice.web.api import Family
from einvoice.web.responses import iso_timestamp, json_response, provider

family = Family("audit", __name__, url_prefix="/api", credential=credentials.session, tag="Account")

_QUERY = AuditQuery()


@family.route("/audit", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": AuditQuery}])
@family.response(200, AuditLog())
def list_audit_entries() -> Response:
    """List the management actions of people and keys, newest first. Entries are never removed."""
    who = credentials.session_of_request()
    query = paging.read_query(_QUERY)
    limit = query.get("limit", paging.DEFAULT_PAGE_SIZE)
    marked = paging.marked(query, who)
    found = audit.page(
        who.tenant_id,
        before=None if marked is None else marked[0],
        limit=limit + 1,
        matching={name: query[name] for name in ("action", "actor", "target") if name in query},
    )
    shown, more = found[:limit], len(found) > limit
    body = {
        "items": [_members(entry) for entry in shown],
        "nextCursor": paging.mark([shown[-1].sequence], query, who) if more else None,
        "hasMore": more,
        "provider": provider(),
    }
    return json_response(body)


def _members(entry: AuditRecord) -> dict[str, Any]:
    return {
        "at": iso_timestamp(entry.at),
        "action": entry.action,
        "target": entry.target,
        "actor": entry.actor,
        "actorKind": entry.actor_kind,
        "email": entry.email,
        "address": entry.address,
        "detail": entry.detail,
    }
