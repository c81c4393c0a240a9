"""Drafts: invoices that people or programs have begun and not sent yet (decisions 26.6)."""

from __future__ import annotations

from typing import Any, TypeVar

from flask import Response
from werkzeug.http import quote_etag

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, FileTooLarge, InvalidField
from einvoice.domain.roles import Role
from einvoice.services.invoices import drafts
from einvoice.services.invoices.drafts import DraftRecord
from einvoice.services.principal import Principal, Reader
from einvoice.web import bodies, credentials, headers, paging
from einvoice.web.account import draft_schemas as schemas
from einvoice.web.api import Family
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written
from einvoice.web.responses import documented_body
from einvoice.web.shared import draft_bodies

family = Family(
    "drafts", __name__, url_prefix="/api/drafts", credential=credentials.key_or_session,
    tag="Drafts",
)  # fmt: skip

T = TypeVar("T")
_NEW, _CHANGES, _QUERY = schemas.NewDraft(), schemas.DraftChanges(), schemas.DraftQuery()
_RECORD = schemas.DraftResponse()
_READ, _WRITE = "invoices:read", "invoices:send"


@family.route("", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": schemas.DraftQuery}])
@family.response(200, schemas.DraftList())
def list_drafts() -> Page[DraftRecord]:
    """List the drafts of the account, newest first, those of colleagues too."""
    credentials.require(_READ)
    query, principal = paging.read_query(_QUERY), credentials.reader()
    found = drafts.page(
        principal,
        Environment(query["environment"]) if "environment" in query else None,
        paging.marked_moment(query, principal),
        query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
    )
    return paging.closed_page(found, _place, query, principal)


@family.route("", methods=["POST"], least=Role.MEMBER)
@family.doc(requestBody=documented_body(schemas.NewDraft))
@family.refuses(Conflict, FileTooLarge)
@family.response(201, schemas.DraftResponse())
def create_draft() -> Written[DraftRecord]:
    """Store an invoice that is not complete yet, for people to go on with.

    An account has at most 1,000 drafts in each environment, and 200 MiB of them; a draft has at
    most 50 attachments of 8 MiB together. An API key needs the scope invoices:send.
    """
    credentials.require(_WRITE)
    asked, principal = bodies.read_body(_NEW, bodies.received()), credentials.reader()
    environment = _wanted(asked.get("environment"), principal)
    draft = drafts.create(principal, environment, *draft_bodies.content_of(asked))
    return draft, 201, {"Location": f"/api/drafts/{draft.id}", **_tag(draft)}


@family.route("/<draft_id>", least=Role.VIEWER)
@family.response(200, schemas.WholeDraft())
def get_draft(draft_id: str) -> Written[schemas.DraftWithContent]:
    """Get a draft: what is still to be filled in, then sent by POST /api/invoices/send."""
    credentials.require(_READ)
    found = drafts.get(credentials.reader(), draft_id, with_bytes=True)
    whole = schemas.DraftWithContent(found.record, draft_bodies.body_of(found))
    return _tagged(whole, found.record)


@family.route("/<draft_id>", methods=["PUT"], least=Role.MEMBER)
@family.doc(requestBody=documented_body(schemas.DraftChanges))
@family.reads_headers("If-Match")
@family.refuses(Conflict, FileTooLarge)
@family.response(200, schemas.DraftResponse())
def replace_draft(draft_id: str) -> Written[DraftRecord]:
    """Replace all that a draft holds. Send If-Match: a page may be changing it at the same time."""
    credentials.require(_WRITE)
    principal = credentials.reader()
    record = _RECORD.dump(drafts.get(principal, draft_id).record)
    asked = bodies.read_body(_CHANGES, bodies.received(), record)
    content, files = draft_bodies.content_of(asked)
    draft = drafts.replace(principal, draft_id, content, files, headers.expected_versions())
    return _tagged(draft, draft)


@family.route("/<draft_id>", methods=["DELETE"], least=Role.MEMBER)
@family.reads_headers("If-Match")
@family.response(204)
def delete_draft(draft_id: str) -> Response:
    """Delete a draft with its attachments, for all people of the account."""
    credentials.require(_WRITE)
    drafts.remove(credentials.reader(), draft_id, headers.expected_versions())
    return Response(status=204)


def _wanted(asked: str | None, reader: Reader) -> Environment:
    """The environment of a new draft: the key's, else the given one. Raises InvalidField."""
    own = reader.environment if isinstance(reader, Principal) else None
    if asked is None and own is None:
        raise InvalidField([FieldError("/environment", "required", "is required: test or live")])
    if asked is not None and own is not None and asked != own:
        message = f"this is a {own} key: it stores drafts of its environment"
        raise InvalidField([FieldError("/environment", "other-environment", message)])
    return own or Environment(asked or "")


def _place(draft: DraftRecord) -> list[Any]:
    return [clock.timestamp(draft.created_at), draft.id]


def _tagged(body: T, draft: DraftRecord) -> Written[T]:
    return body, 200, _tag(draft)


def _tag(draft: DraftRecord) -> dict[str, str]:
    return {"ETag": quote_etag(str(draft.version))}
