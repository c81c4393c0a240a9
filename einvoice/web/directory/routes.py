"""The routes of a directory: the same for customers and suppliers."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response

from einvoice.domain.directory import DirectoryEntry
from einvoice.domain.errors import (
    ComputingUnavailable,
    Conflict,
    CsvInvalid,
    CsvMissingColumns,
    CsvTooManyColumns,
    CsvTooManyRows,
    CsvUnreadable,
    FileTooLarge,
    MissingFile,
)
from einvoice.domain.roles import Role
from einvoice.services.directory.csv_import import Imported
from einvoice.services.directory.entries import InvoiceDefaults
from einvoice.services.directory.seed import Seeded
from einvoice.web import credentials
from einvoice.web.api import Family, named
from einvoice.web.directory import response_schemas as responses
from einvoice.web.directory import schemas
from einvoice.web.directory.views import DirectoryViews
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written
from einvoice.web.responses import documented_body
from einvoice.web.shared import computations
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

_CSV = "Name,TaxId,PeppolId\nExample Company BV,BE0123456749,0208:0123456749\n"
_FILE = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "title": "CsvFile",
                "type": "object",
                "required": ["file"],
                "properties": {
                    "file": {
                        "type": "string",
                        "format": "binary",
                        "description": "The CSV file, at most 5 MiB, 10,000 rows and 100 columns.",
                        "example": _CSV,
                    }
                },
            }
        }
    },
}


@dataclass(frozen=True, slots=True)
class RouteTexts:
    """The texts that differ by more than the name of the kind."""

    seed: str
    invoice_defaults: str
    merge: str


def directory_family(import_name: str, views: DirectoryViews, texts: RouteTexts) -> Family:
    """The family of one directory with all its routes."""
    plural = views.plural
    family = Family(
        plural,
        import_name,
        url_prefix=f"/api/{plural}",
        credential=credentials.session,
        tag=plural.capitalize(),
    )
    _add_collection(family, views)
    _add_entry(family, views)
    _add_merge(family, views, texts)
    _add_bulk(family, views, texts)
    _add_invoice_defaults(family, views, texts)
    return family


def _add_collection(family: Family, views: DirectoryViews) -> None:
    kind, plural = views.kind, views.plural

    @family.route("", least=Role.VIEWER)
    @family.doc(parameters=[{"in": "query", "schema": schemas.EntryQuery}])
    @family.response(200, views.schemas.list)
    @named(f"list_{plural}", f"List the {plural}, newest first or by name, page by page.")
    def list_entries() -> Page[DirectoryEntry]:
        return views.page()

    @family.route("", methods=["POST"], least=Role.MEMBER)
    @family.doc(requestBody=documented_body(type(views.schemas.new)))
    @family.refuses(kind.duplicate)
    @family.response(201, views.schemas.record)
    @named(f"create_{kind}", f"Add a {kind}. Its participant id is looked up in the background.")
    def create_entry() -> Written[DirectoryEntry]:
        return views.create()


def _add_entry(family: Family, views: DirectoryViews) -> None:
    kind = views.kind
    rule = f"/<{kind}_id>"

    @family.route(rule, least=Role.VIEWER)
    @family.response(200, views.schemas.record)
    @named(f"get_{kind}", f"One {kind}.")
    def get_entry(**path: str) -> Written[DirectoryEntry]:
        return views.get(*path.values())

    @family.route(rule, methods=["PATCH"], least=Role.MEMBER)
    @family.doc(requestBody=documented_body(type(views.schemas.changes)))
    @family.reads_headers("If-Match")
    @family.refuses(kind.duplicate)
    @family.response(200, views.schemas.record)
    @named(f"update_{kind}", "Change the given members; null removes a value (RFC 7396).")
    def change_entry(**path: str) -> Written[DirectoryEntry]:
        return views.change(*path.values())

    @family.route(rule, methods=["DELETE"], least=Role.MEMBER)
    @family.reads_headers("If-Match")
    @family.response(204)
    @named(f"delete_{kind}", f"Remove a {kind}; invoices stay unchanged.")
    def delete_entry(**path: str) -> Response:
        return views.delete(*path.values())


def _add_merge(family: Family, views: DirectoryViews, texts: RouteTexts) -> None:
    kind = views.kind

    @family.route(f"/<{kind}_id>/merge", methods=["POST"], least=Role.MEMBER)
    @family.doc(requestBody=documented_body(schemas.MergeRequest))
    @family.refuses(Conflict)
    @family.response(200, views.schemas.record)
    @named(f"merge_{kind}", texts.merge)
    def merge(**path: str) -> Written[DirectoryEntry]:
        return views.merge(*path.values())


def _add_bulk(family: Family, views: DirectoryViews, texts: RouteTexts) -> None:
    plural = views.plural

    @family.route("/seed-from-invoices", methods=["POST"], least=Role.MEMBER)
    @family.doc(parameters=[{"in": "query", "schema": schemas.SeedQuery}], requestBody=EMPTY_BODY)
    @family.refuses(ComputingUnavailable)
    @family.response(200, responses.SeedResult())
    @named(f"seed_{plural}", texts.seed)
    def seed() -> Seeded:
        read_empty_body()
        return views.seed()

    @family.route("/import", methods=["POST"], least=Role.MEMBER)
    @family.doc(parameters=[{"in": "query", "schema": schemas.ImportQuery}], requestBody=_FILE)
    @family.refuses(
        MissingFile,
        CsvUnreadable,
        CsvMissingColumns,
        CsvTooManyColumns,
        CsvTooManyRows,
        CsvInvalid,
        FileTooLarge,
        *computations.REFUSALS,
    )
    @family.response(200, responses.ImportResult())
    @named(
        f"import_{plural}",
        f"Add the {plural} of a CSV file. Errors are reported by row and column.",
    )
    def import_file() -> Imported:
        return views.import_file()

    @family.route("/export", least=Role.VIEWER)
    @family.refuses(ComputingUnavailable)
    @family.response(200, {"type": "string"}, content_type="text/csv", example=_CSV)
    @named(f"export_{plural}", f"Export all {plural} as a CSV file, in the form of an import.")
    def export() -> Response:
        return views.export()


def _add_invoice_defaults(family: Family, views: DirectoryViews, texts: RouteTexts) -> None:
    @family.route(f"/<{views.kind}_id>/invoice-defaults", least=Role.VIEWER)
    @family.doc(parameters=[{"in": "query", "schema": schemas.DefaultsQuery}])
    @family.response(200, views.schemas.defaults)
    @named(f"get_{views.kind}_invoice_defaults", texts.invoice_defaults)
    def invoice_defaults(**path: str) -> InvoiceDefaults:
        return views.invoice_defaults(*path.values())
