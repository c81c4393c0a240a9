"""A tenant with a unit that is exported and imported elsewhere: one chain has one installation."""

from __future__ import annotations

import pytest

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.roles import Role
from einvoice.services.account import audit
from einvoice.services.tenant_data import tenant_export, tenant_import
from einvoice.web.runtime import runtime_of
from einvoice_zatca.verification import verify
from tests import databases
from tests.computing import InProcess
from tests.networks.zatca.selling import a_send, connect, plugin_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard


@pytest.fixture
def elsewhere(request, service, tmp_path):
    """Another installation, with the same network."""
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    with databases.fresh(request, "sqlite", directory) as url:
        settings = Settings(data_dir=str(directory), database_url=url, **databases.ALONE)
        app = create_app(settings, plugins=[plugin_of(service)], computing=InProcess())
        yield app
        databases.let_go(app)


def move(seller, elsewhere, path) -> Caller:
    """The seller at the other installation; the first one goes on with what it has."""
    with seller.app.app_context(), audit.of_operator():
        settings = runtime_of(seller.app).settings
        tenant_export.to_file(seller.tenant, path, settings, lambda *_: None)
    with elsewhere.app_context(), audit.of_operator():
        settings = runtime_of(elsewhere).settings
        tenant = tenant_import.from_file(path, settings, lambda *_: None).tenant_id
    return Caller(elsewhere, tenant=tenant)


def sent(seller, number, connection=None):
    body = a_send(number=number)
    if connection:
        body["routing"]["connection"] = connection
    answer = seller.send(body)
    seller.work()
    return answer


def counter(seller, answer) -> str:
    kept = seller.artefacts(answer.json["invoiceId"])["AUTHORITY_DOCUMENT"]
    path = f"/api/invoices/{answer.json['invoiceId']}/artefacts/{kept['artefactId']}"
    return verify(seller.get(path).data).counter


def test_a_unit_that_was_imported_sends_nothing_and_says_why(
    seller, elsewhere, authority, service, tmp_path
):
    """Also not the document that was stamped, and had no answer, when the tenant was exported."""
    sent(seller, "SA-1")
    service.faults = lambda _: "gateway"
    open_ = sent(seller, "SA-2").json["invoiceId"]
    moved = move(seller, elsewhere, tmp_path / "x.zip")
    service.faults = lambda _: None
    before = len(service.requests)
    (unit,) = Dashboard(elsewhere, moved.tenant).get("/api/connections").json["items"]
    refused = sent(moved, "SA-3", unit["connectionId"])
    unnamed = sent(moved, "SA-4")
    moved.work()
    there = moved.get(f"/api/invoices/{open_}").json

    assert (unit["state"], len(service.requests)) == ("revoked", before)
    assert "imported" in unit["reason"]
    assert (refused.status_code, slug(refused)) == (400, "invalid-field"), refused.text
    assert (unnamed.status_code, slug(unnamed)) == (400, "no-connection"), unnamed.text
    assert "make one first" in unnamed.json["detail"]
    assert there["networkStatus"] == "Processing"
    assert len(authority.taken) == 1


def test_the_first_installation_goes_on_and_a_new_unit_elsewhere_has_its_own_chain(
    seller, elsewhere, authority, tmp_path
):
    sent(seller, "SA-1")
    moved = move(seller, elsewhere, tmp_path / "x.zip")
    here = sent(seller, "SA-2")
    connect(moved, authority)
    there = sent(moved, "SA-3")

    assert [counter(seller, here), counter(moved, there)] == ["2", "1"]
    assert len(authority.units) == 2


def test_a_moved_tenant_is_no_way_around_the_roles(seller, elsewhere, tmp_path):
    """A person who only looks registers no unit there."""
    moved = move(seller, elsewhere, tmp_path / "x.zip")
    viewer = Dashboard(elsewhere, moved.tenant, role=Role.VIEWER)

    assert viewer.post("/api/connections", {}).status_code == 403
