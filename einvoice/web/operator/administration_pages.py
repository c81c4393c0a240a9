"""Setting up tenants and platforms at the console: the forms of the page of a tenant."""

from __future__ import annotations

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import claims
from einvoice.services.console import administration as service
from einvoice.web import bodies
from einvoice.web.operator import administration_schemas as schemas
from einvoice.web.operator import pages
from einvoice.web.operator.pages import OperatorPages
from einvoice.web.runtime import runtime

family = OperatorPages("operator_administration_pages", __name__, "/tenants")

_ONE = "operator_tenant_pages.show_tenant"
_NEW, _NUMBER = schemas.NewOperatorTenant(), schemas.VerifiedNumber()
_PARTICIPANT, _ADOPTED = schemas.AssignedParticipant(), schemas.AdoptedTenant()


@family.page("/new", methods=["POST"])
def create_tenant() -> Response:
    """Create a tenant."""
    asked = bodies.loaded(_NEW, {"name": pages.field("name")})
    made = service.create_tenant(asked["name"])
    return pages.redirect_to(_ONE, "saved", tenant=made.tenant.id)


@family.page("/new-platform", methods=["POST"])
def create_platform() -> Response:
    """Create a platform; its page leads to its keys."""
    asked = bodies.loaded(_NEW, {"name": pages.field("name")})
    made = service.create_platform(asked["name"])
    return pages.redirect_to(_ONE, "saved", tenant=made.tenant.id)


@family.page("/<tenant>/numbers", methods=["POST"])
def change_numbers(tenant: str) -> Response:
    """Store a verified number, or remove one."""
    asked = bodies.loaded(_NUMBER, {"number": pages.field("number")})
    if pages.field("remove"):
        service.withdraw_number(tenant, asked["number"])
    else:
        service.verify_number(tenant, asked["number"], runtime().caches)
    return pages.redirect_to(_ONE, "saved", tenant=tenant)


@family.page("/<tenant>/participants", methods=["POST"])
def assign_participant(tenant: str) -> Response:
    """Assign a participant id, verified."""
    given = {name: pages.field(name) for name in ("participantId", "environment")}
    asked = bodies.loaded(_PARTICIPANT, given)
    participant = ParticipantId.parse(asked["participantId"])
    claims.assign(tenant, Environment(asked["environment"]), participant, runtime().caches)
    return pages.redirect_to(_ONE, "saved", tenant=tenant)


@family.page("/<tenant>/sessions/end", methods=["POST"])
def end_sessions(tenant: str) -> Response:
    """End the sessions of all people and OAuth clients of the tenant."""
    service.end_sessions(tenant, runtime().caches)
    return pages.redirect_to(_ONE, "ended", tenant=tenant)


@family.page("/<tenant>/trust", methods=["POST"])
def trust_platform(tenant: str) -> Response:
    """Say whether the word of the platform verifies numbers."""
    service.trust_platform(tenant, verifies=pages.field("verifiesNumbers") == "yes")
    return pages.redirect_to(_ONE, "saved", tenant=tenant)


@family.page("/<tenant>/platform", methods=["POST"])
def adopt_tenant(tenant: str) -> Response:
    """Make the tenant one of a platform's."""
    given = {"tenantId": tenant, "externalId": pages.field("externalId")}
    asked = bodies.loaded(_ADOPTED, given)
    service.adopt(pages.field("platformId"), tenant, asked["externalId"])
    return pages.redirect_to(_ONE, "saved", tenant=tenant)
