"""The views and routes of API keys and OAuth clients, for administrators of the tenant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flask import Response
from marshmallow import Schema

from einvoice import clock
from einvoice.domain.credentials import Credential, CredentialKind
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidParticipant
from einvoice.domain.roles import Role
from einvoice.security.api_keys import DEFAULT_SCOPES
from einvoice.services.account import credentials as service
from einvoice.services.account.credential_terms import DEFAULT_GRACE_SECONDS
from einvoice.services.account.credentials import NewCredential
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.account.credential_schemas import RotationRequest
from einvoice.web.api import Family, named
from einvoice.web.contract import Contract
from einvoice.web.paging import Page
from einvoice.web.response_schema import snake_case
from einvoice.web.responses import (
    created_response,
    documented_body,
    json_response,
)

_ROTATION = RotationRequest()


@dataclass(frozen=True, slots=True)
class CredentialSchemas:
    """The bodies and the query of one kind."""

    new: Contract
    changes: Contract
    query: Contract
    record: Schema
    made: Schema
    list: Schema


@dataclass(frozen=True, slots=True)
class CredentialViews:
    """The views of one kind. Its routes are below `path`."""

    kind: CredentialKind
    schemas: CredentialSchemas
    path: str
    id_member: str
    secret_member: str

    def list(self) -> Page[Credential]:
        query, principal = paging.read_query(self.schemas.query), credentials.session_of_request()
        environment = credentials.chosen_environment(query.get("environment"))
        found = service.of_tenant(self.kind, principal.tenant_id, environment)
        return paging.part_of(found, _place, query, principal)

    def create(self) -> Response:
        asked = bodies.read_body(self.schemas.new, bodies.received())
        principal = credentials.session_of_request()
        made = service.create(
            self.kind,
            principal.tenant_id,
            asked["name"],
            credentials.chosen_environment(asked["environment"]) or Environment.TEST,
            scopes=asked.get("scopes", DEFAULT_SCOPES),
            expires_at=asked.get("expiresAt"),
            allowed_ips=asked.get("allowedIps", ()),
            allowed_receivers=asked.get("allowedReceivers", ()),
            by=principal,
        )
        return self._shown_once(self._created(made))

    def get(self, credential_id: str) -> Credential:
        return self._found(credential_id)

    def _found(self, credential_id: str) -> Credential:
        """The credential, if the caller sees its environment. Raises NotFound."""
        found = service.get(self.kind, credentials.session_of_request().tenant_id, credential_id)
        refusal = f"There is no {self.kind} {credential_id[:40]}."
        credentials.check_environment(found.environment, refusal)
        return found

    def change(self, credential_id: str) -> Credential:
        principal, found = credentials.session_of_request(), self._found(credential_id)
        record = self.schemas.record.dump(found)
        asked = bodies.read_patch(self.schemas.changes, bodies.received(), record=record)
        changes = {snake_case(name): value for name, value in asked.items()}
        return service.change(self.kind, principal.tenant_id, credential_id, changes, principal)

    def rotate(self, credential_id: str) -> Response:
        grace = _read_grace()
        principal = credentials.session_of_request()
        self._found(credential_id)
        made = service.rotate(self.kind, principal.tenant_id, credential_id, grace, principal)
        is_new = self.kind.successor
        response = self._created(made) if is_new else json_response(self.schemas.made.dump(made))
        return self._shown_once(response)

    def revoke(self, credential_id: str) -> Response:
        principal = credentials.session_of_request()
        self._found(credential_id)
        service.revoke(self.kind, principal.tenant_id, credential_id, principal)
        return Response(status=204)

    def _shown_once(self, response: Response) -> Response:
        return answered_posts.shown_once(response, self.secret_member)

    def _created(self, made: NewCredential) -> Response:
        address = f"{self.path}/{made.record.id}"
        return created_response(self.schemas.made.dump(made), address)


def _place(credential: Credential) -> list[Any]:
    """Its place in the order of lists: oldest first."""
    return [clock.timestamp(credential.created_at), credential.id]


def _read_grace() -> int:
    """Seconds for which the old secret stays valid; the body is optional."""
    body = bodies.received()
    asked = bodies.read_body(_ROTATION, body) if body.strip() else {}
    found: int = asked.get("gracePeriodSeconds", DEFAULT_GRACE_SECONDS)
    return found


# -- routes ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RouteTexts:
    """The names of the endpoints and the texts they are documented with."""

    singular: str
    plural: str
    list: str
    create: str
    get: str
    change: str
    rotate: str
    revoke: str
    tag: str


def credential_family(
    name: str, import_name: str, parameter: str, views: CredentialViews, texts: RouteTexts
) -> Family:
    """The family of one kind with all its routes; `parameter` is the id in their paths."""
    family = Family(
        name,
        import_name,
        url_prefix=views.path,
        credential=credentials.session_or_platform,
        tag=texts.tag,
    )
    _add_collection(family, views, texts)
    _add_one(family, views, texts, f"/<{parameter}>")
    _add_rotation(family, views, texts, f"/<{parameter}>/rotate")
    return family


def _add_collection(family: Family, views: CredentialViews, texts: RouteTexts) -> None:
    @family.route("", least=Role.ADMIN)
    @family.doc(parameters=[{"in": "query", "schema": type(views.schemas.query)}])
    @family.response(200, views.schemas.list)
    @named(f"list_{texts.plural}", texts.list)
    def list_credentials() -> Page[Credential]:
        return views.list()

    @family.route("", methods=["POST"], least=Role.ADMIN)
    @family.doc(requestBody=documented_body(type(views.schemas.new)))
    @family.refuses(Conflict, InvalidParticipant)
    @family.response(201, views.schemas.made)
    @named(f"create_{texts.singular}", texts.create)
    def create() -> Response:
        return views.create()


def _add_one(family: Family, views: CredentialViews, texts: RouteTexts, rule: str) -> None:
    @family.route(rule, least=Role.ADMIN)
    @family.response(200, views.schemas.record)
    @named(f"get_{texts.singular}", texts.get)
    def get(**path: str) -> Credential:
        return views.get(*path.values())

    @family.route(rule, methods=["PATCH"], least=Role.ADMIN)
    @family.doc(requestBody=documented_body(type(views.schemas.changes)))
    @family.refuses(Conflict, InvalidParticipant)
    @family.response(200, views.schemas.record)
    @named(f"update_{texts.singular}", texts.change)
    def change(**path: str) -> Credential:
        return views.change(*path.values())

    @family.route(rule, methods=["DELETE"], least=Role.ADMIN)
    @family.response(204)
    @named(f"revoke_{texts.singular}", texts.revoke)
    def revoke(**path: str) -> Response:
        return views.revoke(*path.values())


def _add_rotation(family: Family, views: CredentialViews, texts: RouteTexts, rule: str) -> None:
    @family.route(rule, methods=["POST"], least=Role.ADMIN)
    @family.doc(requestBody=documented_body(RotationRequest, required=False))
    @family.refuses(Conflict)
    @family.response(201 if views.kind.successor else 200, views.schemas.made)
    @named(f"rotate_{texts.singular}", texts.rotate)
    def rotate(**path: str) -> Response:
        return views.rotate(*path.values())
