"""Drafts of invoices of the account in an environment: opened and deleted."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice import clock
from einvoice.domain.errors import PreconditionFailed
from einvoice.domain.roles import Role
from einvoice.services.invoices import drafts
from einvoice.services.invoices.drafts import DraftRecord
from einvoice.web import paging
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages

family = Pages("dashboard_drafts", __name__, "/dashboard/invoices/drafts")


@family.page("", least=Role.VIEWER)
def list_drafts() -> Response:
    """The drafts of the account, newest first."""
    return _listed()


@family.page("/<draft_id>/delete", least=Role.MEMBER, methods=["POST"])
def delete_draft(draft_id: str) -> Response:
    """Delete a draft, unless it was changed since the list was shown."""
    try:
        drafts.remove(pages.who(), draft_id, forms.expected_versions())
    except PreconditionFailed as refusal:
        return _listed(refusal)
    return pages.redirect_to(
        "dashboard_drafts.list_drafts", "deleted", environment=pages.environment().value
    )


def _listed(refusal: PreconditionFailed | None = None) -> Response:
    """The page. `refusal`: why a draft was not deleted."""
    principal, shown_in = pages.who(), pages.environment()
    values = {"environment": shown_in.value}
    query = pages.with_cursor(values)
    after = paging.marked_moment(query, principal)
    found = drafts.page(principal, shown_in, after, paging.DEFAULT_PAGE_SIZE + 1)
    page = paging.closed_page(found, _place, query, principal)
    return pages.render(
        "dashboard/drafts.html",
        200 if refusal is None else 409,
        items=page.items,
        days=drafts.KEPT_DAYS,
        refusal=refusal,
        **pages.pager("dashboard_drafts.list_drafts", page.next_cursor, **values),
    )


def _place(draft: DraftRecord) -> list[Any]:
    return [clock.timestamp(draft.created_at), draft.id]
