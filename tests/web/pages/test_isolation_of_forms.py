"""An id of another account in a form or the query of a page finds and changes nothing of it."""

from __future__ import annotations

import ast
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

import einvoice.web.dashboard
import einvoice_loopback
from tests.web import holding
from tests.web.owner import Owner, rows_of
from tests.web.pages.test_isolation import UNLIMITED, Person
from tests.web.pages.test_new_invoice import FILLED
from tests.web.test_drafts import PDF

NEW = "/dashboard/invoices/new"
SECRET = "Number of the owner"
# Fields of pages that name an object: method, address, field, kind of the object, and the others.
NAMED: list[tuple[str, str, str, str, dict[str, str]]] = [
    ("GET", NEW, "draft", "draft_id", {}),
    ("GET", NEW, "credits", "invoice_id", {}),
    ("GET", NEW, "copies", "invoice_id", {}),
    ("GET", NEW, "customer", "customer_id", {}),
    ("POST", f"{NEW}/form", "customer", "customer_id", {}),
    ("POST", "/dashboard/accounts", "account", "tenant_id", {}),
    ("POST", "/dashboard/connections", "consentOf", "connection_id",
     {"network": "toll", "account": "1"}),
    ("POST", "/dashboard/connections/links", "connectionId", "connection_id", {}),
    ("GET", "/dashboard/invoices", "customerId", "customer_id", {}),
    ("GET", "/dashboard/invoices/export.csv", "customerId", "customer_id", {}),
    ("GET", "/dashboard/developers/events", "invoiceId", "invoice_id", {}),
    ("GET", "/dashboard/developers/audit", "target", "key_id", {}),
]  # fmt: skip
# Forms of a new invoice, whose key names a draft. A draft that is unknown is stored as a new one.
OF_DRAFT: list[tuple[str, dict[str, str]]] = [
    ("draft", {"edit": "save"}),
    ("draft", {"edit": "copy"}),
    ("draft", {"remove": "file"}),
    ("check", {}),
    ("form", {"edit": "add"}),
    ("pdf", {}),
    ("", {}),
]
# Names of other fields that pages read by themselves.
OTHERS = {
    "failureDone", "hours", "kept", "paid", "pasted", "report", "status", "suggested",
    "amount", "before", "creditedAgain", "date", "reference",
    "again", "allowedIps", "allowedReceivers", "ask", "attention", "back", "bill", "check",
    "country", "credentials", "currency", "cursor", "days", "description", "direction",
    "documentKind", "download", "edit", "environment", "eventTypes", "expiresAt", "file",
    "fileDescription", "glAccountCode", "grandTotalFrom", "grandTotalTo", "id",
    "invoice", "invoice.precedingInvoice.number", "invoice.buyerReference", "invoice.currency",
    "invoice.dueDate", "invoice.issueDate",
    "invoice.supplier.address.countryCode", "invoice.type", "kind", "language", "logo",
    "migrationKey", "name", "network", "networkStatus", "next", "note", "notice", "number",
    "page", "participantId", "processed", "q", "reason", "reasonText", "remember", "response",
    "responseAction", "responseCode", "responseReason", "scopes", "search", "signer", "since",
    "sort", "state", "subject", "then", "url", "version",
    "dates", "letters", "person", "sandbox", "topics",
    "domain", "email", "lastResort", "words",
}  # fmt: skip


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    return build([einvoice_loopback, holding], **UNLIMITED)


@pytest.fixture(scope="module")
def owner(service: Flask) -> Owner:
    made = Owner(service)
    invoice = {"number": SECRET, "attachments": [PDF]}
    made.ids["draft_id"] = made.made_here("/api/drafts", "draftId", invoice=invoice)
    made.ids["tenant_id"] = made.caller.tenant
    return made


@pytest.fixture(scope="module")
def stranger(service: Flask) -> Person:
    person = Person(service)
    person.ask("POST", "/dashboard/preferences", {"environment": "test"})
    return person


def _names_read() -> Iterator[str]:
    """The names by which pages read what is submitted."""
    for file in Path(einvoice.web.dashboard.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=source, attr="get" | "getlist"),
                    args=[ast.Constant(value=str(name)), *_],
                ):
                    pass
                case ast.Subscript(value=source, slice=ast.Constant(value=str(name))):
                    pass
                case ast.Compare(
                    left=ast.Constant(value=str(name)), ops=[ast.In()], comparators=[source]
                ):
                    pass
                case _:
                    continue
            if re.fullmatch(
                r"given|form|asked|values|request\.(?:args|form)|(?:\w+\.)?(?:submitted|uploaded)\(\)",
                ast.unparse(source),
            ):
                yield name


def test_every_name_that_pages_read_is_known() -> None:
    """A new one that names an object needs a row in NAMED, another one a word in OTHERS."""
    named = {field for _, _, field, _, _ in NAMED} - {"customerId", "invoiceId", "target"}

    assert set(_names_read()) == named | {"key", "remove"} | OTHERS


def shown(answer: TestResponse, given: str) -> tuple[int, str, str]:
    """What is answered, without the id and what differs for each page."""
    text = answer.get_data(as_text=True).replace(given, "…")
    text = re.sub(r'(name="(?:csrf|key|page)" (?:content|value)=)"[^"]*"', r"\1", text)
    return answer.status_code, answer.headers.get("Location", ""), text


@pytest.mark.parametrize(
    ("method", "path", "field", "kind", "form"),
    NAMED,
    ids=[f"{method} {path} {field}" for method, path, field, *_ in NAMED],
)
def test_an_id_of_another_account_is_answered_as_an_unknown_one(
    service, owner, stranger, method, path, field, kind, form
):
    kept = rows_of(service, owner.caller.tenant)
    answers = []
    for given in (owner.ids[kind], str(uuid.uuid4())):
        query = f"?{field}={given}" if method == "GET" else ""
        answer = stranger.ask(method, path + query, {**form, field: given})
        answers.append(shown(answer, given))

    assert answers[0] == answers[1]
    assert SECRET not in answers[0][2]
    assert rows_of(service, owner.caller.tenant) == kept


@pytest.mark.parametrize(("place", "form"), OF_DRAFT)
@pytest.mark.parametrize("version", ["0", "1", "2"])
def test_a_form_that_names_the_draft_of_another_account_leaves_it_there(
    service, owner, stranger, place, form, version
):
    """With its files, and shows nothing of it, whichever version it says."""
    kept = rows_of(service, owner.caller.tenant)
    draft = owner.ids["draft_id"]
    if "remove" in form:
        form = form | {"remove": kept["draft_files"][0].split("'")[1]}
    given = {"key": f"draft-{draft}", "version": version, "page": str(uuid.uuid4()), **form}
    answer = stranger.ask("POST", f"{NEW}/{place}".rstrip("/"), FILLED | given)

    assert answer.status_code < 500
    assert SECRET.encode() not in answer.get_data()
    assert rows_of(service, owner.caller.tenant) == kept


def test_the_owner_s_ids_are_not_answered_as_unknown_ones(service, owner):
    """So that the tests above are meaningful."""
    person = Person(service, owner.caller.tenant)
    person.ask("POST", "/dashboard/preferences", {"environment": "test"})

    assert SECRET in person.ask("GET", f"{NEW}?draft={owner.ids['draft_id']}").text
    assert "Buyer BV" in person.ask("GET", f"{NEW}?customer={owner.ids['customer_id']}").text
    assert person.ask("GET", f"{NEW}?credits={owner.ids['invoice_id']}").status_code == 200
    assert person.ask("GET", f"{NEW}?copies={owner.ids['invoice_id']}").status_code == 200
    form = {"key": f"draft-{owner.ids['draft_id']}", "version": "1", "edit": "save"}
    assert person.ask("POST", f"{NEW}/draft", FILLED | form).status_code == 303
