"""Connection links: made for somebody without a login, shown once, and withdrawn."""

from __future__ import annotations

from flask import Response, request

from einvoice import clock
from einvoice.domain.connection_links import DEFAULT_LASTS, LinkState
from einvoice.domain.errors import AccessPointUnavailable, Conflict, InvalidField, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.connections import links, points
from einvoice.services.connections.links import NewLink
from einvoice.web.account import connection_link_schemas
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import forms, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.runtime import runtime

MAX_SHOWN = 200  # links.MAX_OPEN and the ended ones that are kept
_PAGE = "dashboard_connection_links.list_links"
_NEW = connection_link_schemas.NewConnectionLink()
# Refusals that the page shows; others, such as not-found, are pages of their own.
_SHOWN = (InvalidField, Conflict, AccessPointUnavailable)

family = Pages("dashboard_connection_links", __name__, "/dashboard/connections/links")


@family.page("", least=Role.ADMIN)
def list_links() -> Response:
    """The links of the chosen environment, and a form for another one."""
    return _listed()


@family.page("", least=Role.ADMIN, methods=["POST"])
def make_link() -> Response:
    """Make a link, which the page after it shows once."""
    given, place = forms.submitted().to_dict(), pages.environment()
    try:
        asked = loaded(_NEW, {**forms.nested(given), "environment": place.value})
        new = NewLink(
            place,
            asked.get("network"),
            asked.get("account"),
            asked.get("name", ""),
            asked.get("connectionId"),
        )
        made = links.create(pages.who().tenant_id, new, runtime(), pages.who())
    except _SHOWN as refusal:
        return _listed(refusal, given)
    address = pages.redirect_to(_PAGE, environment=place.value).headers["Location"]
    return pages.shown_once(address, secret=made.url)


@family.page("/<link_id>/withdraw", least=Role.ADMIN, methods=["POST"])
def withdraw_link(link_id: str) -> Response:
    """End a link: its page says so from now on."""
    links.revoke(pages.who().tenant_id, link_id, pages.who().environments, pages.who())
    return pages.redirect_to(_PAGE, "linkWithdrawn", environment=pages.environment().value)


def _listed(refusal: RequestRefused | None = None, given: dict[str, str] | None = None) -> Response:
    """The page. `refusal`: why none was made; `given`: the form that was refused."""
    place = pages.environment()
    found = links.page(pages.who().tenant_id, (place,), after=None, limit=MAX_SHOWN)
    now, secrets = clock.now(), pages.secrets()
    states = [(link, link.state(now)) for link in reversed(found)]
    return pages.render(
        "dashboard/connection_links.html",
        200 if refusal is None else 409,
        items=sorted(states, key=lambda one: one[1] is not LinkState.OPEN),
        made=secrets and secrets["secret"],
        offered=[
            (one.point.name, one.point.network)
            for one in points.offered(runtime().access_points)
            if one.point.environment is place
        ],
        days=DEFAULT_LASTS.days,
        given=given or {"network": request.args.get("network", "")},
        errors=forms.errors_of(refusal),
        refusal=refusal,
    )
