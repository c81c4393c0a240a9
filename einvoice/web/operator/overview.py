"""The first page of the console: what waits for an operator."""

from __future__ import annotations

from flask import Response

from einvoice.services.console import decisions, installation, networks, transmissions
from einvoice.services.console.transmissions import Kind
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages

SOON_DAYS = 30  # certificates that end within them are on the first page

family = OperatorPages("operator_overview", __name__, "")


@family.page("")
def show_overview() -> Response:
    """How much waits for an operator, with the page of each."""
    return pages.render(
        "operator/overview.html",
        claims=len(decisions.pending_claims()),
        identifications=len(decisions.pending_identifications()),
        attention=len(transmissions.listed(Kind.ATTENTION)),
        reports=installation.doctor_reports(),
        certificates=[one for one in networks.certificates() if one.days < SOON_DAYS],
    )
