"""The response of GET /api/session."""

from __future__ import annotations

from einvoice.services.account import tenants
from einvoice.services.principal import Session
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


def _tenant_name(person: Session) -> str:
    return tenants.get(person.tenant_id).name


class SessionResponse(ResponseSchema[Session]):
    """The person, the role, the tenant."""

    subject = a.text("The person's subject at the identity provider", "auth0|5f7c8e")
    email = a.text(
        "The person's email address, if the token has it", "ann@example.com", or_null=True
    )
    role = a.text("viewer, member, admin or owner", "admin", source="role.value")
    tenantId = a.an_id("The account")
    tenantName = a.text("Its name", "Example NV", source=_tenant_name)
    provider = a.provider()
