"""Networks, doctor, releases and legal holds at the console."""

from __future__ import annotations

from flask import Response, request

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.archive import holds
from einvoice.services.connections import accounts, held_addresses
from einvoice.services.console import installation as service
from einvoice.services.console import networks
from einvoice.web import bodies, paging
from einvoice.web.operator import connections, pages, participants
from einvoice.web.operator.api import operator
from einvoice.web.operator.installation import ACTIVE, place
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime
from einvoice.web.shared.participant_schemas import Registrations

network_pages = OperatorPages("operator_network_pages", __name__, "/networks")
doctor_pages = OperatorPages("operator_doctor_pages", __name__, "/doctor")
hold_pages = OperatorPages("operator_hold_pages", __name__, "/holds")
release_pages = OperatorPages("operator_release_pages", __name__, "/releases")

_HOLDS = "operator_hold_pages.list_holds"
_NETWORKS = "operator_network_pages.show_networks"


@network_pages.page("")
def show_networks() -> Response:
    """Waiting and failed documents at each access point, certificates, mailboxes and queues."""
    return _networks()


@network_pages.page("/lookup")
def look_up() -> Response:
    """Ask the networks where any participant id is registered."""
    given = {name: request.args[name] for name in ("participantId", "environment")
             if request.args.get(name)}  # fmt: skip
    asked = bodies.loaded(participants.QUESTION, given)
    place = Environment(asked.get("environment") or Environment.LIVE)
    participant = ParticipantId.parse(asked["participantId"])
    return _networks(participants.asked_of_networks(place, participant), given)


@network_pages.page("/republish", methods=["POST"])
def republish() -> Response:
    """Queue the ids of an environment whose entry is missing or outdated, for a few seconds."""
    given = {"environment": pages.field("environment")}
    asked = bodies.loaded(participants.ENVIRONMENT, given)
    done = participants.republish(Environment(asked["environment"]))
    return pages.redirect_to(_NETWORKS, "republishedMore" if done.more else "republished")


@network_pages.page("/held/<tenant>/<held_address_id>", methods=["POST"])
def lift_held(tenant: str, held_address_id: str) -> Response:
    """Send mail of a tenant to an address again."""
    held_addresses.lift(tenant, Environment, held_address_id, runtime())
    return pages.redirect_to(_NETWORKS, "lifted")


def _networks(said: Registrations | None = None, given: dict[str, str] | None = None) -> Response:
    """The page. `said`: what the networks answered about the id that was `given`."""
    return pages.render(
        "operator/networks.html",
        found=networks.state(runtime()),
        connections=accounts.of_all(None, connections.MAX_SHOWN),
        most=connections.MAX_SHOWN,
        held=held_addresses.of_all(runtime()),
        said=said,
        given=given or {},
        environments=[("live", "Live"), ("test", "Sandbox")],
    )


@doctor_pages.page("")
def show_doctor() -> Response:
    """The findings of doctor on each host when it ran last."""
    return pages.render("operator/doctor.html", reports=service.doctor_reports())


@release_pages.page("")
def show_release() -> Response:
    """The release that answers, and the database."""
    return pages.render("operator/release.html", found=service.release(runtime()))


@hold_pages.page("")
def list_holds() -> Response:
    """The legal holds of all tenants, the newest first."""
    state = request.args.get("state", "active")
    filters = {"state": state} if state in ACTIVE else {}
    query = {**filters, **({"cursor": request.args["cursor"]} if "cursor" in request.args else {})}
    found = service.all_holds(
        active=ACTIVE.get(state),
        before=paging.marked_moment(query, operator()),
        limit=paging.DEFAULT_PAGE_SIZE + 1,
    )
    page = paging.closed_page(found, place, query, operator())
    return pages.render(
        "operator/holds.html",
        items=page.items,
        filters=filters or {"state": "all"},
        states=[("active", "last"), ("released", "have ended"), ("all", "all")],
        **pages.pager(_HOLDS, page.next_cursor, **(filters or {"state": "all"})),
    )


@hold_pages.page("", methods=["POST"])
def place_hold() -> Response:
    """Keep an invoice, or everything of a tenant."""
    holds.place(pages.field("tenantId"), pages.field("invoiceId") or None, pages.reason())
    return pages.redirect_to(_HOLDS, "held")


@hold_pages.page("/<hold_id>/release", methods=["POST"])
def release_hold(hold_id: str) -> Response:
    """End a hold."""
    holds.release(hold_id)
    return pages.redirect_to(_HOLDS, "released")
