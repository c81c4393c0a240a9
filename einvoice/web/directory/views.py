"""The views of a directory, the same for customers and suppliers (routes: routes.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from flask import Response, request
from marshmallow import Schema
from werkzeug.http import quote_etag

from einvoice import clock
from einvoice.domain.directory import DirectoryEntry, EntryKind, Reachability
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    FieldError,
    FileTooLarge,
    InvalidField,
    MissingFile,
    UnsupportedMediaType,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import days
from einvoice.services.directory import csv_import, entries
from einvoice.services.directory import seed as seeding
from einvoice.services.directory.csv_import import MAX_BYTES, Imported
from einvoice.services.directory.entries import (
    NAME,
    EntryFilters,
    EntryPageRequest,
    InvoiceDefaults,
    Position,
)
from einvoice.services.directory.seed import Seeded
from einvoice.web import bodies, credentials, headers, json, paging
from einvoice.web.admission import request_bodies
from einvoice.web.contract import Contract
from einvoice.web.directory.schemas import (
    DefaultsQuery,
    EntryQuery,
    ImportQuery,
    MergeRequest,
    SeedQuery,
)
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import directory_response

_QUERY, _IMPORT, _SEED, _DEFAULTS = EntryQuery(), ImportQuery(), SeedQuery(), DefaultsQuery()
_MERGE = MergeRequest()
_ENVELOPE = 64 * 1024  # bytes that a form adds to its file


@dataclass(frozen=True, slots=True)
class DirectorySchemas:
    """The schemas of one directory: requests and responses."""

    new: Contract
    changes: Contract
    record: Schema
    list: Schema
    defaults: Schema


@dataclass(frozen=True, slots=True)
class DirectoryViews:
    """The views of one directory."""

    kind: EntryKind
    schemas: DirectorySchemas

    @property
    def plural(self) -> str:
        return f"{self.kind}s"

    # -- one entry ---------------------------------------------------------------------------------

    def create(self) -> Written[DirectoryEntry]:
        values = self._attributes(bodies.read_body(self.schemas.new, bodies.received()))
        principal = credentials.session_of_request()
        entry = entries.create(
            self.kind, principal.tenant_id, values, session=principal, caches=runtime().caches
        )
        return entry, 201, {"Location": f"/api/{self.plural}/{entry.id}", **_tag(entry)}

    def get(self, entry_id: str) -> Written[DirectoryEntry]:
        principal = credentials.session_of_request()
        entry = entries.get(self.kind, principal.tenant_id, entry_id)
        return entry, 200, _tag(entry)

    def change(self, entry_id: str) -> Written[DirectoryEntry]:
        principal = credentials.session_of_request()
        known = entries.get(self.kind, principal.tenant_id, entry_id)
        patch = self._attributes(self._patch(bodies.received(), known))
        entry = entries.change(
            self.kind,
            principal.tenant_id,
            entry_id,
            patch,
            expected=headers.expected_versions(),
            session=principal,
        )
        return entry, 200, _tag(entry)

    def _patch(self, body: bytes, entry: DirectoryEntry) -> dict[str, Any]:
        given, changes = json.read_object(body), self.schemas.changes
        required = {name for name, field in self.schemas.new.fields.items() if field.required}
        # What an invoice or a file did not say of an entry may stay null.
        kept = {name for name in required if getattr(entry, self.kind.fields[name]) is not None}
        record = self.schemas.record.dump(entry)
        patch = bodies.read_patch(changes, body, changes.fields.keys() - kept, record)
        if patch.get("address") is not None:
            # Null removes members of the address too (RFC 7396); reading has dropped them.
            members = given["address"].items()
            patch["address"] |= {name: None for name, value in members if value is None}
        return patch

    def delete(self, entry_id: str) -> Response:
        principal = credentials.session_of_request()
        entries.remove(
            self.kind,
            principal.tenant_id,
            entry_id,
            expected=headers.expected_versions(),
            session=principal,
        )
        return Response(status=204)

    def merge(self, entry_id: str) -> Written[DirectoryEntry]:
        other_id = bodies.read_body(_MERGE, bodies.received())["otherId"]
        principal = credentials.session_of_request()
        entry = entries.merge(self.kind, principal.tenant_id, entry_id, other_id, session=principal)
        return entry, 200, _tag(entry)

    # -- lists -------------------------------------------------------------------------------------

    def page(self) -> Page[DirectoryEntry]:
        principal = credentials.session_of_request()
        query = paging.read_query(_QUERY)
        filters, sort = _filters(query), query.get("sort", "-createdAt")
        order = sort.removeprefix("-")
        part = EntryPageRequest(
            limit=query.get("limit", paging.DEFAULT_PAGE_SIZE),
            order=order,
            descending=sort.startswith("-"),
            after=_place(paging.marked(query, principal), order),
        )
        found = entries.page(self.kind, principal.tenant_id, filters, part)
        end = None if found.end is None else _sealable(found.end)
        cursor, total = None if end is None else paging.mark(end, query, principal), None
        if query.get("include") == "total":
            total = entries.total(self.kind, principal.tenant_id, filters)
        return Page(found.items, cursor, end is not None, total)

    # -- bulk --------------------------------------------------------------------------------------

    def seed(self) -> Seeded:
        principal = credentials.session_of_request()
        environment = paging.read_query(_SEED).get("environment")
        with runtime().computing.bulk_work(principal.tenant_id):
            return seeding.seed(
                self.kind,
                principal.tenant_id,
                Environment(environment) if environment else None,
                session=principal,
            )

    def import_file(self) -> Imported:
        query = paging.read_query(_IMPORT)
        principal = credentials.session_of_request()
        return csv_import.run(
            self.kind,
            principal.tenant_id,
            _file(),
            dry_run=query.get("dryRun") == "true",
            atomic=query.get("atomic") == "true",
            session=principal,
            computing=runtime().computing,
        )

    def export(self) -> Response:
        return directory_response(self.kind, credentials.session_of_request().tenant_id)

    # -- invoices ----------------------------------------------------------------------------------

    def invoice_defaults(self, entry_id: str) -> InvoiceDefaults:
        query = paging.read_query(_DEFAULTS)
        environment = query.get("environment")
        tenant_id = credentials.session_of_request().tenant_id
        return entries.invoice_defaults(
            self.kind,
            tenant_id,
            entry_id,
            query.get("issueDate") or days.today_of(tenant_id, runtime().caches),
            runtime().access_points,
            Environment(environment) if environment else None,
        )

    def _attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that a body sets. A status of a lookup that goes on sets nothing."""
        return {
            self.kind.fields[name]: value
            for name, value in given.items()
            if (name, value) != ("networkStatus", Reachability.CHECKING.value)
        }


def _tag(entry: DirectoryEntry) -> dict[str, str]:
    """The ETag: the version of the entry, which a lookup does not change."""
    return {"ETag": quote_etag(str(entry.version))}


def _filters(query: Mapping[str, Any]) -> EntryFilters:
    peppol_id = query.get("peppolId")
    return EntryFilters(
        tax_id=query.get("taxId"),
        external_id=query.get("externalId"),
        peppol_id=None if peppol_id is None else ParticipantId.parse(peppol_id),
        country_code=query.get("countryCode"),
        network_status=query.get("networkStatus"),
        updated_since=query.get("updatedSince"),
        text=query.get("q"),
    )


def _place(values: list[str] | None, order: str) -> Position | None:
    if values is None:
        return None
    key, entry_id = values
    return (key if order == NAME else datetime.fromisoformat(key), entry_id)


def _sealable(position: Position) -> list[str]:
    key, entry_id = position
    return [clock.timestamp(key) if isinstance(key, datetime) else key, entry_id]


def _file() -> bytes:
    """The content of the form's only file.

    Raises UnsupportedMediaType, MissingFile, InvalidField for a second file, FileTooLarge.
    """
    if request.mimetype != "multipart/form-data":
        message = "Send the file as multipart/form-data, in the field file."
        raise UnsupportedMediaType(message)
    if (request.content_length or 0) > MAX_BYTES + _ENVELOPE:
        raise FileTooLarge(f"A file has at most {MAX_BYTES // 1024**2} MiB.", MAX_BYTES)
    with request_bodies.receiving_body():
        files = request.files
    try:
        found = files.getlist("file")
        if not found:
            raise MissingFile("The form has no file in the field file.")
        if len(found) > 1:
            message = "was given more than once: import one file after the other"
            raise InvalidField([FieldError("/file", "repeated", message)])
        return found[0].stream.read(MAX_BYTES + 1)
    finally:
        for given in chain.from_iterable(files.listvalues()):
            given.close()
