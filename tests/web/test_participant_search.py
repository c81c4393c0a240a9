"""GET /api/participants/search: participants by name, in the directory and in networks."""

from __future__ import annotations

import threading
import time
from urllib.parse import urlencode

import pytest

import einvoice_loopback
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.domain.roles import Role
from einvoice.network import calls
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    AccessPointBase,
    DirectoryUnavailable,
    ListedParticipant,
    NotRegistered,
    Registration,
)
from einvoice.services.directory import entries, participant_search
from einvoice.store.directory import pages
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

ACME, ACME_AB = ParticipantId("0208", "0403019261"), ParticipantId("0007", "5567212047")


class Network(AccessPointBase):
    """A network with a directory; `behaviour` is set by the tests."""

    name, network, environment = "registry", "ro-efactura", Environment.LIVE
    listed = (
        ListedParticipant(ACME, "Acme NV", "BE"),
        ListedParticipant(ACME_AB, "Acme AB", "SE"),
    )
    fault: BaseException | None = None
    hanging: threading.Event | None = None

    def lookup(self, participant):
        return Registration((BIS_INVOICE,))

    def search_participants(self, name, country, limit):
        if self.hanging is not None:
            self.hanging.wait(30)
        if self.fault is not None:
            raise self.fault
        for one in self.listed:
            if country in (None, one.country):
                yield one


NETWORK = Network()


class Plugin:
    EINVOICE_INTERFACE = einvoice_loopback.EINVOICE_INTERFACE

    @hookimpl
    def einvoice_access_points(self, settings):
        yield NETWORK


@pytest.fixture(scope="module")
def service(build):
    return build([einvoice_loopback, Plugin()])


@pytest.fixture
def live(service) -> Caller:
    """A live key: the directory, and the network above."""
    return Caller(service, Environment.LIVE)


@pytest.fixture(autouse=True)
def _network_works(monkeypatch):
    monkeypatch.setattr(NETWORK, "fault", None)
    monkeypatch.setattr(NETWORK, "hanging", None)
    monkeypatch.setattr(calls, "searches", calls.Shares())


def search(caller, **query):
    answer = caller.get(f"/api/participants/search?{urlencode(query)}")
    assert answer.status_code == 200, answer.text
    return answer.json


def found(body) -> list[tuple[str, str]]:
    return [(item["source"], item["name"]) for item in body["items"]]


def add(caller, kind, name, participant: ParticipantId | None = ACME, country="BE") -> str:
    peppol_id = str(participant) if participant else None
    with caller.app.app_context():
        values = {"name": name, "country_code": country, "peppol_id": peppol_id}
        return entries.create(kind, caller.tenant, values).id


def test_each_hit_has_its_source(live):
    customer = add(live, CUSTOMER, "ACME Belgium")
    supplier = add(live, SUPPLIER, "The Acme Company", ACME_AB, "SE")
    body = search(live, name="acme")
    of_customer, of_supplier, *of_network = body["items"]

    assert of_customer == {
        "participantId": str(ACME), "name": "ACME Belgium", "countryCode": "BE",
        "source": "customer", "customerId": customer, "supplierId": None,
        "network": None, "environment": None, "supportedDocTypes": [],
    }  # fmt: skip
    assert (of_supplier["supplierId"], of_supplier["customerId"]) == (supplier, None)
    assert [(i["network"], i["environment"], i["name"]) for i in of_network] == [
        ("ro-efactura", "live", "Acme NV"),
        ("ro-efactura", "live", "Acme AB"),
    ]
    assert [(s["source"], s["network"], s["status"], s["hasMore"]) for s in body["sources"]] == [
        ("customer", None, "searched", False),
        ("supplier", None, "searched", False),
        ("network", "ro-efactura", "searched", False),
    ]


@pytest.mark.parametrize(
    ("query", "registered"),
    [
        ({"taxId": "BE 0403.019.261"}, [ACME]),
        ({"taxId": "0403019261", "country": "BE"}, [ACME]),
        ({"taxId": "556721-2047", "country": "SE"}, [ACME_AB]),
        ({"taxId": "0403019261"}, []),
        ({"taxId": "0403019261", "country": "NL"}, []),
        ({"taxId": "none"}, []),
    ],
)
def test_a_number_is_found_by_the_ids_of_its_country(live, monkeypatch, query, registered):
    """Each id that is registered is a hit, with its document types; another is none."""
    known = (ACME, ACME_AB)
    monkeypatch.setattr(
        NETWORK,
        "lookup",
        lambda one: Registration((BIS_INVOICE,)) if one in known else NotRegistered(),
        raising=False,
    )
    body = search(live, **query)

    assert [item["participantId"] for item in body["items"]] == [str(one) for one in registered]
    assert all(item["supportedDocTypes"] == [str(BIS_INVOICE)] for item in body["items"])
    assert {source["status"] for source in body["sources"]} == {"searched"}


def test_a_number_is_found_in_the_directory_of_a_tenant_beside_a_network_that_fails(
    live, monkeypatch
):
    def fails(participant):
        raise DirectoryUnavailable("it is closed")

    monkeypatch.setattr(NETWORK, "lookup", fails, raising=False)
    with live.app.app_context():
        values = {"name": "Acme", "country_code": "BE", "peppol_id": str(ACME)}
        entries.create(CUSTOMER, live.tenant, {**values, "tax_id": "BE0403019261"})
    body = search(live, taxId="be 0403 019 261")

    assert [(item["source"], item["name"]) for item in body["items"]] == [("customer", "Acme")]
    assert [s["status"] for s in body["sources"]] == ["searched", "searched", "unavailable"]
    assert "it is closed" in body["sources"][2]["detail"]


@pytest.mark.parametrize("query", ["", "name=acme&taxId=BE0403019261", "taxId=%20"])
def test_a_search_is_by_name_or_by_number(live, query):
    answer = live.get(f"/api/participants/search?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"name": "strasse"}, ["Straße 9 AG"]),
        ({"name": "STRASSE  9"}, ["Straße 9 AG"]),
        ({"name": "9 ag", "country": "DE"}, ["Straße 9 AG"]),
        ({"name": "9 ag", "country": "AT"}, []),
        ({"name": "100%"}, ["100% Café"]),
        ({"name": "0_ "}, []),
        ({"name": "0403019261"}, []),
        ({"name": "without"}, []),
    ],
)
def test_names_are_compared_in_any_spelling(live, query, names):
    """The text is a part of the name; entries without a participant id are not found."""
    add(live, CUSTOMER, "Straße 9 AG", country="DE")
    add(live, CUSTOMER, "100% Café")
    add(live, CUSTOMER, "Without a participant", None)
    hits = found(search(live, **query))

    assert [name for source, name in hits if source == "customer"] == names


def test_the_country_is_that_of_the_hits(live):
    add(live, CUSTOMER, "Acme", country="SE")
    add(live, CUSTOMER, "Acme 2", country="BE")

    assert found(search(live, name="acme", country="SE")) == [
        ("customer", "Acme"),
        ("network", "Acme AB"),
    ]


@pytest.mark.parametrize(("limit", "more"), [(1, True), (2, False), (3, False)])
def test_each_source_has_at_most_the_limit(live, limit, more):
    for name in ("Acme 1", "Acme 2"):
        add(live, CUSTOMER, name)
    body = search(live, name="acme", limit=limit)
    sources = [source for source, _ in found(body)]

    assert (sources.count("customer"), sources.count("network")) == (min(limit, 2),) * 2
    assert [s["hasMore"] for s in body["sources"]] == [more, False, more]


def test_a_large_directory_is_searched_page_by_page(live, monkeypatch):
    """Four pages; then there may be more."""
    monkeypatch.setattr(pages, "MAX_EXAMINED", 2)
    for number in range(9):
        add(live, CUSTOMER, f"A{number}")
    add(live, CUSTOMER, "Zulu")
    customers = search(live, name="zulu")
    monkeypatch.setattr(participant_search, "MAX_PAGES", 5)

    assert (found(customers), customers["sources"][0]["hasMore"]) == ([*NETWORK_HITS], True)
    assert found(search(live, name="zulu"))[0] == ("customer", "Zulu")


NETWORK_HITS = [("network", "Acme NV"), ("network", "Acme AB")]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (DirectoryUnavailable("closed on Sundays"), "closed on Sundays"),
        (RuntimeError("a secret"), "does not answer now."),
    ],
)
def test_a_network_that_fails_is_unavailable_beside_the_other_hits(live, monkeypatch, fault, words):
    add(live, CUSTOMER, "Acme")
    monkeypatch.setattr(NETWORK, "fault", fault)
    body = search(live, name="acme")

    assert found(body) == [("customer", "Acme")]
    assert body["sources"][2]["status"] == "unavailable"
    assert words in body["sources"][2]["detail"]
    assert "secret" not in body["sources"][2]["detail"]


def test_a_network_that_does_not_answer_is_given_up(live, monkeypatch):
    """After the deadline; and other requests are answered."""
    add(live, CUSTOMER, "Acme")
    released = threading.Event()
    monkeypatch.setattr(NETWORK, "hanging", released)
    monkeypatch.setattr(calls, "SEARCH_SECONDS", 0.1)
    began = time.monotonic()
    try:
        body = search(live, name="acme")
    finally:
        released.set()

    assert time.monotonic() - began < 20
    assert found(body) == [("customer", "Acme")]
    assert "did not answer within" in body["sources"][2]["detail"]


def test_a_key_of_the_sandbox_searches_the_simulator(service):
    """It lists the magic participants; the live network is not asked."""
    caller = Caller(service)
    body = search(caller, name="invoice comes back")

    assert [(i["participantId"], i["network"], i["environment"]) for i in body["items"]] == [
        ("0088:9520000000127", "simulator", "test")
    ]
    assert caller.lookup(body["items"][0]["participantId"]).json["isRegistered"] is True


def test_a_person_searches_both_environments(service):
    ann = Dashboard(service, role=Role.VIEWER)
    body = ann.get("/api/participants/search?name=acme").json

    assert {s["environment"] for s in body["sources"]} == {None, "test", "live"}


def test_another_tenants_directory_is_not_searched(service, live):
    add(live, CUSTOMER, "Acme")

    assert found(search(Caller(service, Environment.LIVE), name="acme")) == NETWORK_HITS


def test_a_key_with_allowed_receivers_finds_no_others(service, live):
    """Neither in the directory nor in a network."""
    add(live, CUSTOMER, "Acme")
    add(live, CUSTOMER, "Acme 2", ACME_AB)
    allowed = [ACME.canonical]
    own = Caller(service, Environment.LIVE, live.tenant, allowed_receivers=allowed)

    assert found(search(own, name="acme")) == [("customer", "Acme"), ("network", "Acme NV")]


@pytest.mark.parametrize(
    "query",
    ["", "name=", "name=a", "name=acme&country=Belgium", "name=acme&limit=51", "name=acme&limit=0",
     "name=acme&q=1", f"name={'a' * 101}"],
)  # fmt: skip
def test_another_query_is_refused(live, query):
    assert slug(live.get(f"/api/participants/search?{query}")) == "invalid-field"


def test_the_scope_of_a_lookup_is_needed(service):
    caller = Caller(service, scopes=["invoices:send"])

    assert slug(caller.get("/api/participants/search?name=acme")) == "insufficient-scope"


def test_the_calls_of_one_network_are_bounded(live, monkeypatch):
    """A network that answers as many searches as it may is unavailable."""
    monkeypatch.setattr(calls, "searches", calls.Shares(wait=0.01))
    point = next(p for p in runtime_of(live.app).access_points if p.name == "registry")
    for _ in range(calls.MAX_CALLS):
        calls.searches.of(point.name).acquire(None, 0)

    assert search(live, name="acme")["sources"][2]["status"] == "unavailable"
