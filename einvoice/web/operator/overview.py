"""The first page of the console: what waits for an operator."""

from __future__ import annotations

from flask import Response

from einvoice.services.console import decisions
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages

family = OperatorPages("operator_overview", __name__, "")


@family.page("")
def show_overview() -> Response:
    """How much waits for an operator, with the page of each."""
    return pages.render(
        "operator/overview.html",
        claims=len(decisions.pending_claims()),
        identifications=len(decisions.pending_identifications()),
    )
