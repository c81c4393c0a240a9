"""Sending files: a batch of the documents in them, each accepted or refused, and followed until all
have an outcome.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from flask import Response, request

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import ComputingUnavailable, Overloaded
from einvoice.domain.roles import Role
from einvoice.services.send import batch, files
from einvoice.web.dashboard import forms, pages, uploads
from einvoice.web.dashboard.pages import Pages
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime

_REFUSALS = (ComputingUnavailable, Overloaded)

family = Pages("dashboard_sending_files", __name__, "/dashboard/send")


@family.page("", least=Role.MEMBER)
def show_form() -> Response:
    """The form."""
    return _shown()


@family.page("", least=Role.MEMBER, methods=["POST"])
def send_files() -> Response:
    """Send each file that is in order; the others are shown with their findings."""
    given, principal = uploads.files("files", batch.MAX_ITEMS), pages.principal()
    if not given.first:
        return _shown(left=given.left)
    language = pages.finding_language()
    items = (
        replace(files.item_of(each.content, principal, runtime(), language), name=each.name)
        for each in given.first
    )
    try:
        batch_id, results = batch.submit_batch(
            items, principal, runtime(), language, trace_of_request()
        )
    except _REFUSALS as refusal:
        return _shown(refusal=refusal)
    known = sum(result.sent is not None and result.sent.replay for result in results)
    told = (("known", known), ("left", given.left))
    counts = {name: str(count) for name, count in told if count}
    return pages.redirect_to(
        "dashboard_sending_files.show_batch",
        batch_id=batch_id,
        environment=pages.environment().value,
        **counts,
    )


@family.page("/<batch_id>", least=Role.VIEWER)
def show_batch(batch_id: str) -> Response:
    """The states of the documents of a batch, and why files were refused.

    `known` and `left` of the address: how many were sent before, and not yet.
    """
    counts = {name: forms.whole_number(request.args.get(name)) for name in ("known", "left")}
    return _shown(batch_id, **counts)


def _shown(batch_id: str | None = None, **values: Any) -> Response:
    """The form, with the state of a batch. Raises NotFound."""
    found = batch.track_batch(batch_id, pages.principal()) if batch_id else None
    sent = [state for state in found.states if state.status] if found else []
    counts = Counter(state.status for state in sent)
    return pages.render(
        "dashboard/send.html",
        batch=found,
        sent=sent,
        refused=[state for state in found.states if state.error] if found else [],
        counts=counts,
        is_open=counts[NetworkStatus.PROCESSING.value] > 0,
        most=batch.MAX_ITEMS,
        # A page that follows its batch takes that part alone.
        listed=[] if "HX-Request" in request.headers else batch.recent_batches(pages.principal()),
        **values,
    )
