"""Transmissions at the console: what needs a person, and what can be done about it."""

from __future__ import annotations

from flask import Response, request

from einvoice.domain.errors import FieldError, InvalidField
from einvoice.network.sent_documents import Amendment
from einvoice.services.console import transmissions as service
from einvoice.services.console.transmissions import MAX_EVIDENCE_BYTES, Kind
from einvoice.services.delivery import operations
from einvoice.services.inbound import amended_reports
from einvoice.web.dashboard import uploads
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_transmission_pages", __name__, "/transmissions")

_LIST, _ONE = (
    "operator_transmission_pages.list_transmissions",
    "operator_transmission_pages.show_transmission",
)
_SHOWN = 100


@family.page("")
def list_transmissions() -> Response:
    """Transmissions that need an operator, are parked, or keep others waiting."""
    asked = request.args.get("id", "").strip()
    if asked:
        return pages.see(_ONE, transmission_id=asked[:100])
    return pages.render(
        "operator/transmissions.html",
        attention=service.listed(Kind.ATTENTION)[:_SHOWN],
        parked=service.listed(Kind.PARKED)[:_SHOWN],
        sequences=operations.blocking_sequences()[:_SHOWN],
        reports=amended_reports.open_reports(),
        most=_SHOWN,
    )


@family.page("/reports", methods=["POST"])
def amend_report() -> Response:
    """Make a report to an authority again, or withdraw it; the page is the new message's."""
    try:
        how = Amendment(pages.field("do"))
    except ValueError:
        raise InvalidField([FieldError("/do", "unknown-code", "is not an action")]) from None
    made = amended_reports.amend(pages.field("report"), how, runtime())
    return pages.redirect_to(_ONE, "amended", transmission_id=made)


@family.page("/<transmission_id>")
def show_transmission(transmission_id: str) -> Response:
    """The state of one, and the forms that settle it or ask the network again."""
    return pages.render(
        "operator/transmission.html",
        one=operations.find(transmission_id),
        megabytes=MAX_EVIDENCE_BYTES // 1024**2,
    )


@family.page("/<transmission_id>/settle", methods=["POST"])
def settle_transmission(transmission_id: str) -> Response:
    """Record its outcome, with a file as evidence."""
    outcome, reason = pages.field("outcome"), pages.field("reason")
    if outcome not in ("delivered", "failed"):
        raise InvalidField([FieldError("/outcome", "unknown-code", "is delivered or failed")])
    file = uploads.uploaded().get("evidence")
    content = b"" if file is None else file.read()
    name = "evidence" if file is None else (file.filename or "evidence")[-100:]
    service.resolve(transmission_id, outcome, content, name, reason or None, runtime())
    return pages.redirect_to(_ONE, "settled", transmission_id=transmission_id)


@family.page("/<transmission_id>/retry", methods=["POST"])
def retry_transmission(transmission_id: str) -> Response:
    """Make its next step due now."""
    service.retry(transmission_id)
    return pages.redirect_to(_ONE, "retried", transmission_id=transmission_id)
