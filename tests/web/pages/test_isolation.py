"""No page of the dashboard shows or changes what belongs to another account."""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

import einvoice_loopback
from einvoice.web.dashboard import csrf, pages
from einvoice.web.dashboard.pages import Pages
from einvoice.web.openapi.document import routes
from tests.web import holding
from tests.web.owner import Owner, rows_of
from tests.web.pages.visitor import Visitor

UNLIMITED = dict.fromkeys(("limit_session_get", "limit_session_post"), 100_000)
# Parameters of addresses that name an object, with what is before them where that tells its kind.
IDS = {
    "invoice_id": "invoice_id",
    "artefact_id": "artefact_id",
    "endpoint_id": "webhook_id",
    "delivery_id": "delivery_id",
    "connection_id": "connection_id",
    "batch_id": "batch_id",
    "export_id": "export_id",
    "hold_id": "hold_id",
    "draft_id": "draft_id",
    "mail_domain_id": "mail_domain_id",
    "mail_address_id": "mail_address_id",
    "held_address_id": "held_address_id",
    "customers/entry_id": "customer_id",
    "suppliers/entry_id": "supplier_id",
    "keys/credential_id": "key_id",
    "clients/credential_id": "client_id",
}
# Parameters that name nothing of a tenant, and a value of each.
NO_IDS = {"number": "1"}
# Families of other addresses with parameters that no account owns.
PUBLIC = {
    "buyer": "the token of the address is the credential",
    "dashboard_assets": "files of the service",
    "documentation": "files of the service",
    "errors": "explanations",
    "networks": "of plugins, which authenticate who calls",
    "connect": "the token of a link to one connection",
    "dashboard_letters": "by the token of a letter, which stops letters to its person",
}
# Forms without which a page has nothing to look for.
FORMS: dict[str, dict[str, str]] = {
    "/dashboard/developers/webhooks/<endpoint_id>/recover": {"since": "2026-11-01T00:00"},
}
_PLACE = re.compile(r"<(?:any\(([^)]*)\):)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Page:
    """One method of one address, with one of its alternatives. `path` has the names of ids."""

    rule: Rule
    method: str
    path: str

    @property
    def ids(self) -> list[str]:
        return re.findall(r"<([^>]+)>", self.path)

    def at(self, ids: dict[str, str]) -> str:
        return re.sub(r"<([^>]+)>", lambda name: (NO_IDS | ids)[name[1]], self.path)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def pages_of(service: Flask) -> list[Page]:
    """All pages of people in an account."""
    names = {
        each.name
        for each in service.blueprints.values()
        if isinstance(each, Pages) and each.credential is pages.person
    }
    return [
        Page(rule, method, path)
        for rule in service.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] in names
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        for path in _alternatives(rule.rule)
    ]


def _alternatives(rule: str) -> Iterator[str]:
    """The addresses of a rule, with the names of IDS and NO_IDS for its parameters."""
    parts = _PLACE.split(rule)
    texts, codes, names = parts[::3], parts[1::3], parts[2::3]
    choices = [
        re.split(r",\s*", codes_of) if codes_of else [f"<{name}>"]
        for codes_of, name in zip(codes, names, strict=True)
    ]
    for chosen in itertools.product(*choices):
        path = "".join(a + b for a, b in zip(texts, [*chosen, ""], strict=True))
        yield re.sub(r"(\w+)/<(\w+)>", _with_kind, path)


def _with_kind(place: re.Match[str]) -> str:
    before, name = place.groups()
    known = IDS.get(f"{before}/{name}") or IDS.get(name) or name
    return f"{before}/<{known}>"


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    return build([einvoice_loopback, holding], **UNLIMITED)


@pytest.fixture(scope="module")
def owner(service: Flask) -> Owner:
    return Owner(service)


class Person:
    """A person at the pages, whose forms have a token, and who asks under one id of request."""

    def __init__(self, service: Flask, tenant: str | None = None) -> None:
        self.visitor = Visitor(service, tenant)
        cookie = self.visitor.client.get_cookie("einvoice")
        assert cookie is not None
        self.csrf = csrf.token_of(cookie.value)

    def ask(self, method: str, path: str, form: dict[str, Any] | None = None) -> TestResponse:
        given = None if method == "GET" else {"csrf": self.csrf, **(form or {})}
        return self.visitor.client.open(
            path, method=method, data=given, headers={"X-Request-Id": "one"}
        )


@pytest.fixture(scope="module")
def stranger(service: Flask) -> Person:
    return Person(service)


def words(answer: TestResponse, page: Page, ids: dict[str, str]) -> tuple[int, str]:
    """What is shown, without the requested ids and the token of its forms."""
    text = answer.text
    for name in page.ids:
        text = text.replace(ids.get(name, "…"), "…")
    return answer.status_code, re.sub(r'(name="csrf" (?:content|value)=)"[^"]*"', r"\1", text)


def test_every_id_in_an_address_is_of_a_kind_that_the_owner_has(service, owner):
    """A new page with an id needs a row in IDS; then it is tested too."""
    names = {name for page in pages_of(service) for name in page.ids}

    assert names - set(owner.ids) - set(NO_IDS) == set()
    assert set(IDS.values()) <= names


def test_every_address_with_a_parameter_is_tested(service):
    """Here, with the routes of the API, or named as public with the reason."""
    tested = {page.rule.endpoint for page in pages_of(service)}
    tested |= {route.rule.endpoint for route in routes(service) if route.requirement.schemes}
    named = {
        rule.endpoint
        for rule in service.url_map.iter_rules()
        if rule.arguments and not rule.endpoint.startswith("operator_")  # of no account
    }

    assert {endpoint.partition(".")[0] for endpoint in named - tested} == set(PUBLIC)


def test_a_page_of_another_account_is_the_404_of_an_unknown_id(service, owner, stranger):
    """With the same page, and nothing changes."""
    kept = rows_of(service, owner.caller.tenant)
    nothing = {name: str(uuid.uuid4()) for name in owner.ids}
    leaks = []
    for page in (page for page in pages_of(service) if set(page.ids) - set(NO_IDS)):
        form = FORMS.get(page.rule.rule)
        found = stranger.ask(page.method, page.at(owner.ids), form)
        of_nothing = stranger.ask(page.method, page.at(nothing), form)
        if found.status_code != 404:
            leaks.append(f"{page} → {found.status_code}")
        elif words(found, page, owner.ids) != words(of_nothing, page, nothing):
            leaks.append(f"{page} shows that the id exists")

    assert leaks == []
    assert rows_of(service, owner.caller.tenant) == kept


def test_lists_show_nothing_of_another_account(service, owner, stranger):
    """In either environment, also where they are files."""
    ids = {name: one for name, one in owner.ids.items() if name != "environment"}
    for page in (page for page in pages_of(service) if not page.ids and page.method == "GET"):
        for environment in ("test", "live"):
            answer = stranger.ask("GET", f"{page.path}?environment={environment}")
            shown = {name for name, one in ids.items() if one.encode() in answer.get_data()}

            assert shown == set(), page


def test_the_owner_reaches_every_page(service, owner):
    """So that the 404s above are meaningful. What deletes comes last."""
    person, lost = Person(service, owner.caller.tenant), []
    person.visitor.post("/dashboard/preferences", {"environment": "test"})
    ends = re.compile(r"/(?:delete|revoke|release)$")
    reached = sorted(pages_of(service), key=lambda page: bool(ends.search(page.path)))
    for page in (page for page in reached if page.ids):
        answer = person.ask(page.method, page.at(owner.ids), FORMS.get(page.rule.rule))
        if answer.status_code == 404 and page.path not in WITHOUT:
            lost.append(str(page))

    assert lost == []


# What the owner's objects do not have.
WITHOUT = {
    "/dashboard/invoices/<invoice_id>/attachments/<number>",
    "/dashboard/invoices/<invoice_id>/mails/<artefact_id>/<number>",
}
