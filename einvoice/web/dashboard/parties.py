"""Customers and suppliers: listed, searched, added, changed, deleted, imported and exported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request, url_for

from einvoice.documents import csv_table
from einvoice.domain.directory import CUSTOMER, SUPPLIER, DirectoryEntry, EntryKind
from einvoice.domain.errors import DuplicateEntry, InvalidField, PreconditionFailed, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.directory import csv_import, entries
from einvoice.services.directory import seed as seeding
from einvoice.services.directory.csv_import import Imported
from einvoice.services.directory.entries import EntryFilters, EntryPageRequest
from einvoice.web import bodies, paging
from einvoice.web.contract import Contract
from einvoice.web.dashboard import forms, kept_files, pages, uploads
from einvoice.web.dashboard.pages import Pages
from einvoice.web.directory import schemas
from einvoice.web.runtime import runtime
from einvoice.web.shared.attachments import directory_response
from einvoice.web.shared.party_schemas import Address

MAX_TEXT = 100  # characters of a search
MAX_PARTY = 140  # characters of a filter
MAX_SHOWN = 50  # errors of an import
MAX_PLANNED = 20  # rows that a preview shows
_NUMBERS = frozenset({"defaultPaymentTermsDays"})
_ALL = "/<any(customers, suppliers):kind>"
_ONE = f"{_ALL}/<entry_id>"
_ADDRESS = tuple(Address().fields)
# Refusals that a form shows; others are pages of their own.
_SHOWN = (InvalidField, DuplicateEntry, PreconditionFailed)

family = Pages("dashboard_parties", __name__, "/dashboard")


@dataclass(frozen=True, slots=True)
class _Directory:
    """One of the two directories with its contracts, and its fields beside the common ones."""

    kind: EntryKind
    new: Contract
    changes: Contract
    own: tuple[str, ...]

    @property
    def plain(self) -> tuple[str, ...]:
        """The fields that are no objects, in the order of the form."""
        common = ("name", "taxId", "peppolId", "countryCode", "email", "phone", "externalId")
        return (*common, *self.own)


_DIRECTORIES = {
    "customers": _Directory(
        CUSTOMER,
        schemas.NewCustomer(),
        schemas.CustomerChanges(),
        ("defaultCurrencyCode", "defaultPaymentTermsDays", "buyerReference"),
    ),
    "suppliers": _Directory(
        SUPPLIER, schemas.NewSupplier(), schemas.SupplierChanges(), ("defaultGlAccountCode",)
    ),
}


@family.page(_ALL, least=Role.VIEWER)
def list_parties(kind: str) -> Response:
    """The directory by name, with a search."""
    return _listed(kind)


@family.page(f"{_ALL}/new", least=Role.MEMBER)
def show_new(kind: str) -> Response:
    """The form of a new entry."""
    return _form(kind, None, {})


@family.page(f"{_ALL}/new", least=Role.MEMBER, methods=["POST"])
def create_party(kind: str) -> Response:
    """Add an entry."""
    directory, given = _DIRECTORIES[kind], forms.submitted().to_dict()
    try:
        asked = bodies.loaded(directory.new, _body(directory, given))
        entries.create(
            directory.kind,
            pages.who().tenant_id,
            _attributes(directory, asked),
            session=pages.who(),
            caches=runtime().caches,
        )
    except _SHOWN as refusal:
        return _form(kind, None, given, refusal)
    return pages.redirect_to("dashboard_parties.list_parties", "saved", kind=kind)


@family.page(f"{_ALL}/export.csv", least=Role.VIEWER)
def export_parties(kind: str) -> Response:
    """The entries that a search finds, or all, as the CSV that is imported."""
    text = forms.search_text(request.args.get("q", ""), MAX_TEXT)
    return directory_response(_DIRECTORIES[kind].kind, pages.who().tenant_id, text or None)


@family.page(f"{_ALL}/import", least=Role.MEMBER, methods=["POST"])
def import_parties(kind: str) -> Response:
    """Import a file, or with `check` say what would be imported, or with `report` what is wrong.

    The page after a check has the file, so it need not be chosen again.
    """
    content, given, principal = _file(), forms.submitted(), pages.who()
    kept = kept_files.packed(content)
    try:
        done = csv_import.run(
            _DIRECTORIES[kind].kind,
            principal.tenant_id,
            content,
            dry_run="check" in given or "report" in given,
            atomic=False,
            session=principal,
            computing=runtime().computing,
        )
    except RequestRefused as refusal:
        return _listed(kind, refusal=refusal, kept=kept)
    if "report" in given:
        return _report(kind, done)
    return _listed(kind, done=done, kept=kept if done.dry_run else None)


def _file() -> bytes:
    """The file that was chosen, else the one that the page of its check has."""
    chosen = uploads.uploaded().get("file")
    content = b"" if chosen is None else chosen.read()
    return content or kept_files.unpacked(forms.submitted().get("kept", ""), csv_import.MAX_BYTES)


def _report(kind: str, done: Imported) -> Response:
    """The refused rows as a CSV file, in the language of the page."""
    say = pages.words()
    head = [say(f"party.{name}") for name in ("row", "column", "value", "errors")]
    rows = [
        [each.row, each.column or "", each.value, say.sentence(each.message)]
        for each in done.table.errors
    ]
    response = Response(csv_table.report(head, rows), content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{kind}-report.csv"'
    return response


@family.page(f"{_ALL}/seed", least=Role.MEMBER, methods=["POST"])
def seed_parties(kind: str) -> Response:
    """Add the parties of the invoices that were sent or received."""
    principal = pages.who()
    with runtime().computing.bulk_work(principal.tenant_id):
        seeding.seed(
            _DIRECTORIES[kind].kind, principal.tenant_id, pages.environment(), session=principal
        )
    return pages.redirect_to("dashboard_parties.list_parties", "seeded", kind=kind)


@family.page(_ONE, least=Role.VIEWER)
def show_party(kind: str, entry_id: str) -> Response:
    """The form of an entry; people who may not change it see its values."""
    entry = entries.get(_DIRECTORIES[kind].kind, pages.who().tenant_id, entry_id)
    return _form(kind, entry, _values(_DIRECTORIES[kind], entry))


@family.page(_ONE, least=Role.MEMBER, methods=["POST"])
def change_party(kind: str, entry_id: str) -> Response:
    """Change an entry, unless another person did since the form was shown."""
    directory, given, principal = _DIRECTORIES[kind], forms.submitted().to_dict(), pages.who()
    entry = entries.get(directory.kind, principal.tenant_id, entry_id)
    try:
        patch = _patch(directory, given)
        expected = forms.expected_versions()
        entries.change(
            directory.kind,
            principal.tenant_id,
            entry_id,
            patch,
            expected=expected,
            session=principal,
        )
    except _SHOWN as refusal:
        return _form(kind, entry, given, refusal)
    return pages.redirect_to("dashboard_parties.list_parties", "saved", kind=kind)


@family.page(f"{_ONE}/delete", least=Role.MEMBER, methods=["POST"])
def delete_party(kind: str, entry_id: str) -> Response:
    """Delete an entry; its invoices stay."""
    principal = pages.who()
    entries.remove(_DIRECTORIES[kind].kind, principal.tenant_id, entry_id, session=principal)
    return pages.redirect_to("dashboard_parties.list_parties", "deleted", kind=kind)


def _listed(
    kind: str,
    *,
    done: Imported | None = None,
    refusal: RequestRefused | None = None,
    kept: str | None = None,
) -> Response:
    """The list.

    done     the import that was made or checked
    refusal  why a file was not read
    kept     the file that was checked, for the form that imports it
    """
    principal, text = pages.who(), forms.search_text(request.args.get("q", ""), MAX_TEXT)
    query = {"q": text, "cursor": request.args.get("cursor")}
    after = paging.marked({name: value for name, value in query.items() if value}, principal)
    part = EntryPageRequest(
        paging.DEFAULT_PAGE_SIZE,
        order="name",
        descending=False,
        after=None if after is None else (after[0], after[1]),
    )
    found = entries.page(
        _DIRECTORIES[kind].kind, principal.tenant_id, EntryFilters(text=text or None), part
    )
    end = None
    if found.end is not None:
        end = paging.mark(list(found.end), {"q": text} if text else {}, principal)
    response = pages.render(
        "dashboard/parties.html",
        200 if refusal is None else 409,
        kind=kind,
        items=found.items,
        given={"q": text},
        tabs=[(each, _address("list_parties", each)) for each in _DIRECTORIES],
        may_change=principal.role >= Role.MEMBER,
        done=done,
        faults=None if done is None else csv_import.faults(done.table),
        limit=MAX_SHOWN,
        columns=_columns(_DIRECTORIES[kind].kind),
        planned=done.first_rows(MAX_PLANNED) if done and done.dry_run else [],
        kept=kept,
        refusal=refusal,
        **pages.pager("dashboard_parties.list_parties", end, kind=kind, q=text or None),
    )
    return pages.at(response, _address("list_parties", kind, q=text or None))


def _columns(kind: EntryKind) -> dict[str, tuple[str, str]]:
    """The columns of a file: the attribute of each, and the name of its field."""
    names = {attribute: name for name, attribute in kind.fields.items()}
    return {one.header: (one.attribute, names[one.attribute]) for one in kind.csv_columns}


def _form(
    kind: str,
    entry: DirectoryEntry | None,
    given: Mapping[str, Any],
    refusal: RequestRefused | None = None,
) -> Response:
    """The form with these values. `refusal`: why they were not stored."""
    errors = forms.errors_of(refusal)
    return pages.render(
        "dashboard/party.html",
        200 if refusal is None else 409,
        kind=kind,
        entry=entry,
        given=given,
        errors=errors,
        refusal=refusal,
        fields=_DIRECTORIES[kind].plain,
        address=_ADDRESS,
        invoices=None if entry is None else _invoices_of(kind, entry),
        may_change=pages.who().role >= Role.MEMBER,
    )


def _invoices_of(kind: str, entry: DirectoryEntry) -> str:
    """The address of the list of what was sent to a customer, or received from a supplier."""
    if kind == "customers":
        return url_for("dashboard_invoices.list_invoices", customerId=entry.id)
    party = (entry.peppol_id or entry.name)[:MAX_PARTY]
    return url_for("dashboard_invoices.list_invoices", direction="received", party=party)


def _body(directory: _Directory, given: Mapping[str, str]) -> dict[str, Any]:
    """The form as the API's body: its own fields only, numbers as numbers."""
    named = {*directory.plain, *(f"address.{name}" for name in _ADDRESS)}
    body = forms.nested({name: value for name, value in given.items() if name in named})
    numbers = {name: forms.whole_number(body.get(name)) for name in _NUMBERS}
    return body | {name: number for name, number in numbers.items() if number is not None}


def _patch(directory: _Directory, given: Mapping[str, str]) -> dict[str, Any]:
    """The form as a merge patch, in which blank fields are removed. Raises InvalidField."""
    body = _body(directory, given)
    address = {**dict.fromkeys(_ADDRESS), **body.pop("address", {})}
    whole = {**dict.fromkeys(directory.plain), **body}
    required = {name for name, one in directory.new.fields.items() if one.required}
    removable = directory.changes.fields.keys() - required
    asked = bodies.read_patch(directory.changes, json.dumps(whole).encode(), removable)
    known = {name: value for name, value in address.items() if value}
    if known:
        bodies.loaded(directory.changes, {"address": known})
    return _attributes(directory, {**asked, "address": address})


def _attributes(directory: _Directory, asked: Mapping[str, Any]) -> dict[str, Any]:
    return {directory.kind.fields[name]: value for name, value in asked.items()}


def _values(directory: _Directory, entry: DirectoryEntry) -> dict[str, Any]:
    """The values of the form's fields."""
    found = {name: getattr(entry, directory.kind.fields[name]) for name in directory.plain}
    address = {f"address.{name}": text for name, text in (entry.address or {}).items()}
    return {**found, **address, "version": entry.version}


def _address(view: str, kind: str, **more: str | None) -> str:
    values: dict[str, Any] = {"kind": kind, **more}
    return url_for(f"{family.name}.{view}", **values)
