"""Addresses of buyers that get no mail for a while, because mails came back from them."""

from __future__ import annotations

from flask import Response

from einvoice.domain.roles import Role
from einvoice.services.connections import held_addresses
from einvoice.web.dashboard import pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime

family = Pages("dashboard_mail_held", __name__, "/dashboard/settings/mail/held")


@family.page("", least=Role.ADMIN)
def list_held() -> Response:
    """Those of the chosen environment, the newest first."""
    return pages.render(
        "dashboard/mail_held.html",
        held=held_addresses.of_tenant(pages.who().tenant_id, pages.environment(), runtime()),
    )


@family.page("/<held_address_id>/lift", least=Role.ADMIN, methods=["POST"])
def lift_held(held_address_id: str) -> Response:
    """Send mail to an address again."""
    principal, place = pages.who(), pages.environment()
    held_addresses.lift(principal.tenant_id, [place], held_address_id, runtime(), principal)
    return pages.redirect_to(
        "dashboard_mail_held.list_held", "addressLifted", environment=place.value
    )
