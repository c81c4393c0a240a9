"""The audit log: who changed what, when and from where."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response, request, url_for

from einvoice.domain.credentials import API_KEY, OAUTH_CLIENT
from einvoice.domain.roles import Role
from einvoice.services.account import audit, credentials
from einvoice.services.account.audit import AuditRecord
from einvoice.web import paging
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages

# What entries can be narrowed to by a press on it.
_FILTERS = ("action", "actor", "target")
_MAX_LENGTH = 255
# Members of the detail by which people know the object of an action.
_NAMES = ("name", "number", "url", "participantId", "filename")
_OF_INVOICE = frozenset({"invoice", "bill", "attention"})

family = Pages("dashboard_audit", __name__, "/dashboard/developers/audit")


@family.page("", least=Role.ADMIN)
def list_entries() -> Response:
    """The management actions of people, keys and operators in both environments, newest first."""
    principal, size = pages.who(), paging.DEFAULT_PAGE_SIZE
    chosen = {name: request.args[name][:_MAX_LENGTH] for name in _FILTERS if name in request.args}
    query = pages.with_cursor(chosen)
    after = paging.marked(query, principal)
    found = audit.page(
        principal.tenant_id,
        before=None if after is None else after[0],
        limit=size + 1,
        matching=chosen,
    )
    page = paging.closed_page(found, lambda entry: [entry.sequence], query, principal)
    ends = pages.pager("dashboard_audit.list_entries", page.next_cursor, **chosen)
    return pages.render(
        "dashboard/audit.html",
        items=page.items,
        chosen={name: _address(chosen, **{name: None}) for name in chosen},
        given=chosen,
        only=lambda name, value: _address(chosen, **{name: value}),
        said=said,
        programs=_programs(principal.tenant_id),
        named=_named,
        shows=_shows,
        **ends,
    )


def said(action: str) -> str:
    """An action in words; by its code if it has none."""
    thing, _, deed = action.partition(".")
    say = pages.words()
    try:
        return f"{say(f'auditThing.{thing}')}: {say(f'auditDeed.{deed}')}"
    except KeyError:
        return action


def _address(chosen: Mapping[str, str], **changes: str | None) -> str:
    values: dict[str, str | None] = {**chosen, **changes}
    return url_for(f"{family.name}.list_entries", **values)  # type: ignore[arg-type]


def _programs(tenant_id: str) -> dict[str, str]:
    """The names of keys and clients by their ids."""
    kinds = (API_KEY, OAUTH_CLIENT)
    return {each.id: each.name for kind in kinds for each in credentials.of_tenant(kind, tenant_id)}


def _named(entry: AuditRecord) -> str:
    """The object of an action as people know it; else its id."""
    found = (entry.detail.get(name) for name in _NAMES)
    return next((text for text in found if isinstance(text, str) and text), entry.target)


def _shows(entry: AuditRecord) -> str | None:
    """The address of the invoice that an action was about."""
    if entry.action.partition(".")[0] not in _OF_INVOICE:
        return None
    return url_for("dashboard_invoices.show_invoice", invoice_id=entry.target)
