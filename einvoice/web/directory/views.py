"""The views of a directory, the same for customers and suppliers (routes: routes.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from flask import Response, request
from marshmallow import Schema

from einvoice import clock
from einvoice.domain.directory import DirectoryEntry, EntryKind
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
from einvoice.web.responses import created_response, iso_timestamp, json_response, provider
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import directory_response
from einvoice.web.shared.party_schemas import Address

_QUERY, _IMPORT, _SEED, _DEFAULTS = EntryQuery(), ImportQuery(), SeedQuery(), DefaultsQuery()
_MERGE = MergeRequest()
_ADDRESS = tuple(Address().fields)
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
    """The views of one directory.

    `default_members`: members of invoice-defaults and the attributes of the entry they show;
    `more_defaults` makes members that take more than an attribute.
    """

    kind: EntryKind
    schemas: DirectorySchemas
    default_members: Mapping[str, str]
    more_defaults: Callable[[InvoiceDefaults], dict[str, Any]] = lambda _: {}

    @property
    def plural(self) -> str:
        return f"{self.kind}s"

    # -- one entry ---------------------------------------------------------------------------------

    def create(self) -> Response:
        values = self._attributes(bodies.read_body(self.schemas.new, bodies.received()))
        who = credentials.session_of_request()
        entry = entries.create(
            self.kind, who.tenant_id, values, session=who, caches=runtime().caches
        )
        response = created_response(self.record(entry), f"/api/{self.plural}/{entry.id}")
        return _tagged(response, entry)

    def get(self, entry_id: str) -> Response:
        who = credentials.session_of_request()
        entry = entries.get(self.kind, who.tenant_id, entry_id)
        return _tagged(json_response(self.record(entry)), entry)

    def change(self, entry_id: str) -> Response:
        body = bodies.received()
        patch = self._attributes(self._patch(body))
        who = credentials.session_of_request()
        entry = entries.change(
            self.kind,
            who.tenant_id,
            entry_id,
            patch,
            expected=headers.expected_versions(),
            session=who,
        )
        return _tagged(json_response(self.record(entry)), entry)

    def _patch(self, body: bytes) -> dict[str, Any]:
        changes = self.schemas.changes
        required = {name for name, field in self.schemas.new.fields.items() if field.required}
        patch = bodies.read_patch(changes, body, changes.fields.keys() - required)
        if patch.get("address") is not None:
            # Null removes members of the address too (RFC 7396); reading has dropped them.
            given = json.read_object(body)["address"]
            patch["address"] |= {name: None for name, value in given.items() if value is None}
        return patch

    def delete(self, entry_id: str) -> Response:
        who = credentials.session_of_request()
        entries.remove(
            self.kind, who.tenant_id, entry_id, expected=headers.expected_versions(), session=who
        )
        return Response(status=204)

    def merge(self, entry_id: str) -> Response:
        other_id = bodies.read_body(_MERGE, bodies.received())["otherId"]
        who = credentials.session_of_request()
        entry = entries.merge(self.kind, who.tenant_id, entry_id, other_id, session=who)
        return _tagged(json_response(self.record(entry)), entry)

    def record(self, entry: DirectoryEntry) -> dict[str, Any]:
        record = {name: getattr(entry, attribute) for name, attribute in self.kind.fields.items()}
        if entry.address is not None:
            record["address"] = {name: entry.address.get(name) for name in _ADDRESS}
        return {
            f"{self.kind}Id": entry.id,
            **record,
            "networkStatus": entry.network_status,
            "networkCheckedAt": iso_timestamp(entry.network_checked_at),
            "source": entry.source,
            "createdAt": iso_timestamp(entry.created_at),
            "updatedAt": iso_timestamp(entry.updated_at),
        }

    # -- lists -------------------------------------------------------------------------------------

    def page(self) -> Response:
        who = credentials.session_of_request()
        query = paging.read_query(_QUERY)
        filters, sort = _filters(query), query.get("sort", "-createdAt")
        order = sort.removeprefix("-")
        part = EntryPageRequest(
            limit=query.get("limit", paging.DEFAULT_PAGE_SIZE),
            order=order,
            descending=sort.startswith("-"),
            after=_place(paging.marked(query, who), order),
        )
        found = entries.page(self.kind, who.tenant_id, filters, part)
        end = None if found.end is None else _sealable(found.end)
        body: dict[str, Any] = {
            "items": [self.record(entry) for entry in found.items],
            "nextCursor": None if end is None else paging.mark(end, query, who),
            "hasMore": end is not None,
            "provider": provider(),
        }
        if query.get("include") == "total":
            body["total"] = entries.total(self.kind, who.tenant_id, filters)
        return json_response(body)

    # -- bulk --------------------------------------------------------------------------------------

    def seed(self) -> Response:
        who = credentials.session_of_request()
        environment = paging.read_query(_SEED).get("environment")
        with runtime().computing.bulk_work(who.tenant_id):
            seeded = seeding.seed(
                self.kind,
                who.tenant_id,
                Environment(environment) if environment else None,
                session=who,
            )
        counts = {"created": seeded.created, "skipped": seeded.skipped, "total": seeded.total}
        return json_response(counts)

    def import_file(self) -> Response:
        query = paging.read_query(_IMPORT)
        who = credentials.session_of_request()
        done = csv_import.run(
            self.kind,
            who.tenant_id,
            _file(),
            dry_run=query.get("dryRun") == "true",
            atomic=query.get("atomic") == "true",
            session=who,
            computing=runtime().computing,
        )
        return json_response(_imported(done))

    def export(self) -> Response:
        return directory_response(self.kind, credentials.session_of_request().tenant_id)

    # -- invoices ----------------------------------------------------------------------------------

    def invoice_defaults(self, entry_id: str) -> Response:
        query = paging.read_query(_DEFAULTS)
        environment = query.get("environment")
        tenant_id = credentials.session_of_request().tenant_id
        found = entries.invoice_defaults(
            self.kind,
            tenant_id,
            entry_id,
            query.get("issueDate") or days.today_of(tenant_id, runtime().caches),
            runtime().access_points,
            Environment(environment) if environment else None,
        )
        members = self.default_members.items()
        return json_response(
            {
                f"{self.kind}Id": found.entry.id,
                **{name: getattr(found.entry, attribute) for name, attribute in members},
                "issueDate": found.issue_date,
                "dueDate": found.due_date,
                "environment": found.environment.value,
                **self.more_defaults(found),
                "provider": provider(),
            }
        )

    def _attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {self.kind.fields[name]: value for name, value in given.items()}


def _tagged(response: Response, entry: DirectoryEntry) -> Response:
    """The ETag is the version of the entry, which a lookup does not change."""
    response.set_etag(str(entry.version))
    return response


def _filters(query: Mapping[str, Any]) -> EntryFilters:
    peppol_id = query.get("peppolId")
    return EntryFilters(
        tax_id=query.get("taxId"),
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
        words = "Send the file as multipart/form-data, in the field file."
        raise UnsupportedMediaType(words)
    if (request.content_length or 0) > MAX_BYTES + _ENVELOPE:
        raise FileTooLarge(f"A file has at most {MAX_BYTES // 1024**2} MiB.", MAX_BYTES)
    with request_bodies.receiving_body():
        files = request.files
    try:
        found = files.getlist("file")
        if not found:
            raise MissingFile("The form has no file in the field file.")
        if len(found) > 1:
            words = "was given more than once: import one file after the other"
            raise InvalidField([FieldError("/file", "repeated", words)])
        return found[0].stream.read(MAX_BYTES + 1)
    finally:
        for given in chain.from_iterable(files.listvalues()):
            given.close()


def _imported(done: Imported) -> dict[str, Any]:
    faults = csv_import.faults(done.table)
    return {
        "created": done.created,
        "skipped": done.skipped,
        "failed": faults["failed"],
        "total": faults["total"],
        "dryRun": done.dry_run,
        "errors": faults["errors"],
        "errorsTruncated": faults["errorsTruncated"],
        "encoding": done.table.encoding,
        "warnings": [asdict(note) for note in done.table.ignored_columns],
        "provider": provider(),
    }
