"""/api/operator/tenants/{tenant}: keys and OAuth clients, name and switches, and the end."""

from __future__ import annotations

from flask import Response

from einvoice.domain.credentials import Credential
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccountClosed, Conflict, InvalidField
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.console import access as service
from einvoice.services.console import tenants
from einvoice.services.console.access import Erasure, NewCredential
from einvoice.services.console.tenants import SeenTenant
from einvoice.web import bodies
from einvoice.web.admission import slots
from einvoice.web.operator import access_schemas as schemas
from einvoice.web.operator.api import PREFIX, OperatorFamily
from einvoice.web.operator.tenant_schemas import OperatorTenantResponse
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_access", __name__, "/tenants")

_NEW, _LIMITS = schemas.NewOperatorCredential(), schemas.OperatorLimits()
_CHANGES, _CLOSING = schemas.OperatorTenantChanges(), schemas.ClosingConfirmation()
_PERSON, _TENANT = schemas.PersonToErase(), OperatorTenantResponse()


# -- keys and OAuth clients ------------------------------------------------------------------------


@family.scoped("/<tenant>/credentials", READ)
@family.response(200, schemas.OperatorCredentialList())
def list_tenant_credentials(tenant: str) -> list[tuple[str, Credential]]:
    """List the keys and OAuth clients of a tenant: all active ones, and the newest that ended."""
    return service.credentials_of(tenant)


@family.scoped("/<tenant>/credentials", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewOperatorCredential))
@family.refuses(AccountClosed, Conflict)
@family.response(201, schemas.IssuedCredential())
def create_tenant_credential(tenant: str) -> Written[NewCredential]:
    """Issue a key or an OAuth client to a tenant. Only this response has its secret."""
    asked = bodies.read_body(_NEW, bodies.received())
    made = service.issue(
        tenant,
        asked["kind"],
        asked["name"],
        Environment(asked["environment"]),
        asked.get("scopes"),
    )
    return created(made, f"{PREFIX}/tenants/{tenant}/credentials")


@family.scoped("/<tenant>/credentials/<credential_id>/rotate", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.IssuedCredential())
def rotate_tenant_credential(tenant: str, credential_id: str) -> NewCredential:
    """Replace a key or a secret; the old one is accepted for a day."""
    read_empty_body()
    return service.rotate(tenant, credential_id)


@family.scoped("/<tenant>/credentials/<credential_id>/revoke", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.response(204)
def revoke_tenant_credential(tenant: str, credential_id: str) -> Response:
    """End a key or an OAuth client, within a second."""
    read_empty_body()
    service.revoke(tenant, credential_id)
    return Response(status=204)


@family.scoped("/<tenant>/credentials/<credential_id>/limits", MANAGE, methods=["PUT"])
@family.doc(requestBody=documented_body(schemas.OperatorLimits))
@family.response(204)
def set_tenant_credential_limits(tenant: str, credential_id: str) -> Response:
    """Set the requests a minute of a key or an OAuth client."""
    asked = bodies.read_body(_LIMITS, bodies.received())
    service.limit(tenant, credential_id, asked.get("get"), asked.get("post"))
    return Response(status=204)


# -- the tenant ------------------------------------------------------------------------------------


@family.scoped("/<tenant>", MANAGE, methods=["PATCH"])
@family.doc(requestBody=documented_body(schemas.OperatorTenantChanges))
@family.refuses(AccountClosed)
@family.response(200, OperatorTenantResponse())
def update_operator_tenant(tenant: str) -> SeenTenant:
    """Change the name or the switches of a tenant."""
    record = _TENANT.dump(tenants.get(tenant))
    asked = bodies.read_patch(_CHANGES, bodies.received(), record=record)
    values = {schemas.COLUMNS[name]: value for name, value in asked.items()}
    return service.change(tenant, values, runtime().caches)


@family.scoped("/<tenant>/close", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.ClosingConfirmation))
@family.refuses(InvalidField)
@family.response(200, OperatorTenantResponse())
def close_operator_tenant(tenant: str) -> SeenTenant:
    """End all access to a tenant; its documents stay. It cannot be undone."""
    asked = bodies.read_body(_CLOSING, bodies.received())
    return service.close(tenant, asked["confirm"], runtime())


@family.scoped("/<tenant>/erase", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.PersonToErase))
@family.response(200, schemas.ErasedPerson())
def erase_tenant_person(tenant: str) -> Erasure:
    """Erase a person from the data of a tenant; documents stay whole. It cannot be undone."""
    asked = bodies.read_body(_PERSON, bodies.received())
    with slots.released():
        return service.erase(tenant, asked["subject"], asked.get("confirm"), runtime().settings)
