"""/api/operator/tenants and platforms: setting them up."""

from __future__ import annotations

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccountClosed, Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.account import claims
from einvoice.services.account import platforms as account_platforms
from einvoice.services.console import administration as service
from einvoice.services.console import tenants
from einvoice.services.console.administration import PlatformRecord
from einvoice.services.console.tenants import SeenTenant
from einvoice.web import bodies
from einvoice.web.operator import administration_schemas as schemas
from einvoice.web.operator.administration_schemas import EndedSessions
from einvoice.web.operator.api import PREFIX, OperatorFamily
from einvoice.web.operator.tenant_schemas import OperatorTenantResponse
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_administration", __name__, "/tenants")
platforms = OperatorFamily("operator_platforms", __name__, "/platforms")

_NEW, _NUMBER = schemas.NewOperatorTenant(), schemas.VerifiedNumber()
_PARTICIPANT, _TRUST = schemas.AssignedParticipant(), schemas.PlatformTrust()
_ADOPTED = schemas.AdoptedTenant()


@family.scoped("", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.NewOperatorTenant))
@family.response(201, OperatorTenantResponse())
def create_operator_tenant() -> Written[SeenTenant]:
    """Create a tenant without a platform."""
    asked = bodies.read_body(_NEW, bodies.received())
    made = service.create_tenant(asked["name"])
    return created(made, f"{PREFIX}/tenants/{made.tenant.id}")


@family.scoped("/<tenant>/numbers/add", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.VerifiedNumber))
@family.refuses(AccountClosed)
@family.response(200, OperatorTenantResponse())
def add_verified_number(tenant: str) -> SeenTenant:
    """Store a number that you have verified; claims of it are verified, too."""
    asked = bodies.read_body(_NUMBER, bodies.received())
    return service.verify_number(tenant, asked["number"], runtime().caches)


@family.scoped("/<tenant>/numbers/remove", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.VerifiedNumber))
@family.refuses(AccountClosed)
@family.response(200, OperatorTenantResponse())
def remove_verified_number(tenant: str) -> SeenTenant:
    """Remove a verified number; participant ids that it has verified stay."""
    asked = bodies.read_body(_NUMBER, bodies.received())
    return service.withdraw_number(tenant, asked["number"])


@family.scoped("/<tenant>/participants", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(schemas.AssignedParticipant))
@family.refuses(AccountClosed, Conflict)
@family.response(200, OperatorTenantResponse())
def add_operator_participant(tenant: str) -> SeenTenant:
    """Assign a participant id to a tenant, verified, whether it claims it or not."""
    asked = bodies.read_body(_PARTICIPANT, bodies.received())
    participant = ParticipantId.parse(asked["participantId"])
    claims.assign(tenant, Environment(asked["environment"]), participant, runtime().caches)
    return tenants.get(tenant)


@family.scoped("/<tenant>/sessions/end", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(AccountClosed, Conflict)
@family.response(200, schemas.EndedSessionsResponse())
def end_tenant_sessions(tenant: str) -> EndedSessions:
    """End the sessions of all people and OAuth clients of a tenant; API keys go on."""
    read_empty_body()
    return EndedSessions(tenant, service.end_sessions(tenant, runtime().caches))


@platforms.scoped("", READ)
@platforms.response(200, schemas.OperatorPlatformList())
def list_operator_platforms() -> list[tuple[PlatformRecord, int]]:
    """List the platforms with the number of their tenants."""
    return account_platforms.page()


@platforms.scoped("", MANAGE, methods=["POST"])
@platforms.doc(requestBody=documented_body(schemas.NewOperatorTenant))
@platforms.response(201, OperatorTenantResponse())
def create_operator_platform() -> Written[SeenTenant]:
    """Create a platform; its keys are those of its account (credentials of the tenant)."""
    asked = bodies.read_body(_NEW, bodies.received())
    made = service.create_platform(asked["name"])
    return created(made, f"{PREFIX}/tenants/{made.tenant.id}")


@platforms.scoped("/<platform>/trust", MANAGE, methods=["PUT"])
@platforms.doc(requestBody=documented_body(schemas.PlatformTrust))
@platforms.response(200, schemas.TrustedPlatformResponse())
def set_platform_trust(platform: str) -> PlatformRecord:
    """Say whether the numbers of a platform's identifications are verified by its word."""
    asked = bodies.read_body(_TRUST, bodies.received())
    return service.trust_platform(platform, verifies=asked["verifiesNumbers"])


@platforms.scoped("/<platform>/tenants", MANAGE, methods=["POST"])
@platforms.doc(requestBody=documented_body(schemas.AdoptedTenant))
@platforms.refuses(Conflict, NotFound, AccountClosed)
@platforms.response(200, OperatorTenantResponse())
def add_platform_tenant(platform: str) -> SeenTenant:
    """Make a tenant without a platform one of this platform's."""
    asked = bodies.read_body(_ADOPTED, bodies.received())
    return service.adopt(platform, asked["tenantId"], asked["externalId"])
