"""What a program has read of a resource may be written back as it is (AIP-203, output only)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

import einvoice_loopback
from einvoice.domain.directory import Reachability
from einvoice.store import tables
from einvoice.store.core import db
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.tables import each_row
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.web.platform import Platform
from tests.web.test_connections import STATION

SUPPLIER = {"name": "Seller BV", "countryCode": "BE", "peppolId": "9930:DE123456788"}
CREDENTIAL = {"name": "ERP", "environment": "test"}
CHANGED = {"updatedAt", "keptUntil"}


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask], toll: TollAccountsPlugin) -> Flask:
    return build([einvoice_loopback, toll])


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service)


@each_row(
    ("path", "new", "method"),
    [
        ("/api/customers", {"name": "Buyer BV", "address": {"city": "Gent"}}, "PATCH"),
        ("/api/suppliers", SUPPLIER, "PATCH"),
        ("/api/webhooks", {"url": "https://erp.example.com/", "environment": "test"}, "PATCH"),
        ("/api/keys", CREDENTIAL, "PATCH"),
        ("/api/oauth-clients", CREDENTIAL, "PATCH"),
        ("/api/connections", STATION, "PATCH"),
        ("/api/drafts", {"environment": "test", "invoice": {"number": "7"}}, "PUT"),
    ],
)
def test_a_resource_that_was_read_is_written_back(ann, path, new, method):
    made = ann.post(path, new)
    address = made.headers["Location"]

    assert_is_unchanged_by(ann.call, method, address)


@each_row(
    ("path", "new", "method"),
    [
        ("/api/webhooks", {"url": "https://erp.example.com/", "environment": "test"}, "PATCH"),
        ("/api/keys", CREDENTIAL, "PATCH"),
        ("/api/oauth-clients", CREDENTIAL, "PATCH"),
        ("/api/connections", STATION, "PATCH"),
        ("/api/drafts", {"environment": "test", "invoice": {"number": "7"}}, "PUT"),
    ],
)
def test_another_value_of_a_member_that_lasts_is_refused(ann, path, new, method):
    """A program that would make it live is refused, and one that repeats what it is, is not."""
    address = ann.post(path, new).headers["Location"]
    refused = ann.call(method, address, {"environment": "live"})

    assert [each["pointer"] for each in refused.json["errors"]] == ["/environment"]
    assert ann.call(method, address, {"environment": "test"}).status_code == 200


def test_the_profile_that_was_read_is_written_back(ann):
    ann.patch("/api/tenant", {"networkChoices": [], "iban": "BE68 5390 0754 7034"})

    assert_is_unchanged_by(ann.call, "PATCH", "/api/tenant")


def test_a_tenant_that_its_platform_has_read_is_written_back(service):
    platform = Platform(service)
    platform.create("customer-17", plan={"monthlyDocuments": 10})

    assert_is_unchanged_by(platform.call, "PATCH", "/api/platform/tenants/customer-17")


def assert_is_unchanged_by(call: Callable[..., Any], method: str, address: str) -> None:
    read = call("GET", address).json
    written = call(method, address, read)

    assert written.status_code == 200, written.text
    after = call("GET", address).json
    assert {**after, **dict.fromkeys(CHANGED)} == {**read, **dict.fromkeys(CHANGED)}


def test_a_supplier_of_an_invoice_may_keep_that_it_has_no_country(ann):
    """What a file or an invoice left out is null; where there is one, null is refused as ever."""
    address = ann.post("/api/suppliers", SUPPLIER).headers["Location"]
    refused = ann.patch(address, {"countryCode": None})
    with ann.app.app_context(), db.writing() as connection:
        one = tables.Supplier.tenant_id == ann.tenant
        connection.execute(sa.update(tables.Supplier).where(one).values(country_code=None))

    assert slug(refused) == "invalid-field"
    assert_is_unchanged_by(ann.call, "PATCH", address)


def test_a_status_of_a_lookup_that_goes_on_sets_nothing(ann):
    """It is read as Checking, and may have ended when it is written back."""
    address = ann.post("/api/suppliers", SUPPLIER).headers["Location"]
    ann.patch(address, {"networkStatus": "Reachable"})
    written = ann.patch(address, {"networkStatus": Reachability.CHECKING.value, "phone": "1"})

    assert (written.json["networkStatus"], written.json["phone"]) == ("Reachable", "1")


def test_members_that_no_answer_has_are_refused(ann):
    """So a misspelt one is not lost."""
    address = ann.post("/api/suppliers", SUPPLIER).headers["Location"]
    refused = ann.patch(address, {"updatedAt": "2026-11-21T10:00:00.000Z", "nmae": "Seller"})

    assert slug(refused) == "invalid-field"
    assert [each["pointer"] for each in refused.json["errors"]] == ["/nmae"]
