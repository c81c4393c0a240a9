"""Sending files: a batch of the documents in them, each accepted or refused, and followed until all
have an outcome.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from flask import Response

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.errors import ComputingUnavailable, Overloaded, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.send import batch, files
from einvoice.services.send.batch import BatchResult
from einvoice.web.dashboard import pages, uploads
from einvoice.web.dashboard.pages import Pages
from einvoice.web.requests import trace_of_request
from einvoice.web.runtime import runtime

MAX_SHOWN = 20  # findings of a file
_REFUSALS = (ComputingUnavailable, Overloaded)

family = Pages("dashboard_sending_files", __name__, "/dashboard/send")


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that was not accepted, and why."""

    name: str
    refusal: RequestRefused
    findings: list[dict[str, Any]]


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
    items = (files.item_of(each.content, principal, runtime(), language) for each in given.first)
    try:
        batch_id, results = batch.submit_batch(
            items, principal, runtime(), language, trace_of_request()
        )
    except _REFUSALS as refusal:
        return _shown(refusal=refusal)
    named = zip(given.first, results, strict=True)
    refused = [_refused(file.name, result) for file, result in named if result.refusal]
    known = sum(result.sent is not None and result.sent.replay for result in results)
    return _shown(batch_id, refused=refused, left=given.left, known=known)


@family.page("/<batch_id>", least=Role.VIEWER)
def show_batch(batch_id: str) -> Response:
    """The states of the documents of a batch."""
    return _shown(batch_id)


def _refused(name: str, result: BatchResult) -> Refused:
    assert result.refusal is not None  # noqa: S101 - the caller asked
    found: Any = dict(result.refusal.extras())
    findings = found.get("validation", {}).get("findings") or found.get("validationErrors", ())
    return Refused(name, result.refusal, list(findings)[:MAX_SHOWN])


def _shown(batch_id: str | None = None, **values: Any) -> Response:
    """The form, with the state of a batch. Raises NotFound."""
    found = batch.track_batch(batch_id, pages.principal()) if batch_id else None
    sent = [state for state in found.states if state.status] if found else []
    counts = Counter(state.status for state in sent)
    return pages.render(
        "dashboard/send.html",
        batch=found,
        sent=sent,
        counts=counts,
        is_open=counts[NetworkStatus.PROCESSING.value] > 0,
        most=batch.MAX_ITEMS,
        **values,
    )
