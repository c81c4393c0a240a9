"""The audit log: who changed what, when and from where."""

from __future__ import annotations

from flask import Response

from einvoice.domain.roles import Role
from einvoice.services.account import audit
from einvoice.web import paging
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages

family = Pages("dashboard_audit", __name__, "/dashboard/developers/audit")


@family.page("", least=Role.ADMIN)
def list_entries() -> Response:
    """The management actions of people, keys and operators in both environments, newest first."""
    principal, size = pages.who(), paging.DEFAULT_PAGE_SIZE
    query = pages.with_cursor({})
    after = paging.marked(query, principal)
    found = audit.page(
        principal.tenant_id, before=None if after is None else after[0], limit=size + 1, matching={}
    )
    page = paging.closed_page(found, lambda entry: [entry.sequence], query, principal)
    ends = pages.pager("dashboard_audit.list_entries", page.next_cursor)
    return pages.render("dashboard/audit.html", items=page.items, **ends)
