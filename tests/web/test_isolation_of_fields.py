"""An id in a query or a body that is another tenant's, or of the other environment, is unknown."""

from __future__ import annotations

import io
import json
import re
import uuid
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.services.connections import accounts, checks
from einvoice.services.connections.accounts import NewConnection
from einvoice.web.openapi.document import Route, routes
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, SENDER, send_body
from tests.networks.toll.accounts import TollConsentsPlugin
from tests.networks.toll.clearance import ClearancePlugin
from tests.web.owner import TWINS, Ask, Owner, by_key, by_person, by_platform, rows_of
from tests.web.submission.documents import request_of, ubl
from tests.web.test_isolation import UNLIMITED, label, path_of
from tests.web.test_legacy import BODY as LEGACY

# Fields that name an object of a tenant, by the kind of the object in Owner.ids.
OWNED = {
    "accessPointRef": "reference",
    "connection": "connection_id",
    "connectionId": "connection_id",
    "consentOf": "consent_id",
    "customerId": "customer_id",
    "eventId": "event_id",
    "invoiceId": "invoice_id",
    "otherId": "customer_id",
    "supplierId": "supplier_id",
    "target": "key_id",
    "transactionId": "transaction_id",
}
# Other fields that sound like ids, and what they are.
NOT_OWNED = {
    "accountId": "content of an invoice",
    "beneficiaryId": "content of an invoice",
    "principalId": "content of an invoice",
    "uuid": "content of an invoice",
    "buyerItemId": "content of an invoice",
    "client_id": "a credential, with its secret",
    "creditorId": "content of an invoice",
    "companyId": "content of an invoice",
    "cursor": "a position in the caller's own list",
    "customerTaxId": "content of an invoice",
    "endpointId": "content of an invoice",
    "externalId": "the caller's own word",
    "id": "content of an invoice",
    "lineId": "content of an invoice",
    "messageId": "the caller's own word",
    "participantId": "public",
    "peppolId": "public",
    "receiverParticipantId": "public",
    "sellerItemId": "content of an invoice",
    "senderParticipantId": "public",
    "standardItemId": "content of an invoice",
    "taxId": "public",
    "vendorTaxId": "content of an invoice",
}
_LIKE_IDS = re.compile(r"Id$|_id$|[a-z]Ids$|Ref$|Of$|^(?:id|uuid|connection|cursor|target)$")
_BUYER = {"name": "Buyer BV", "taxId": "NL123456789B12", "address": {"countryCode": "NL"}}
BUYER = "0190:00000003123456780000"  # of the network that needs an account


def _sent(place: str, value: str) -> dict[str, Any]:
    """A body of a send whose routing has this."""
    body = send_body("", number="F-1")
    del body["routing"]["accessPointRef"]
    if place == "connection":
        body["routing"]["receiverParticipantId"] = BUYER
        body["invoice"]["buyer"] = _BUYER
    body["routing"][place] = value
    return body


def _submitted(value: str) -> dict[str, Any]:
    sender = {"peppolId": SENDER, "country": "BE"}
    return request_of(
        ubl(receiver=BUYER, number="F-1", buyer=_BUYER),
        BUYER,
        sender=sender,
        network="toll",
        connection=value,
    )


def _legacy(value: str) -> dict[str, Any]:
    return LEGACY | {
        "invoiceNumber": "F-1", "receiverParticipantId": RECEIVER, "accessPointRef": value
    }  # fmt: skip


def _batch(place: str, value: str) -> dict[str, Any]:
    return {"invoices": [_sent(place, value) | {"idempotencyKey": f"key of {value}"}]}


_SENDS = ("/api/invoices/send", "/v2/invoices/send", "/api/v2/invoices/send")
_ANY_FORM = ("/v1/invoices/validate", "/v1/invoices/convert", "/api/sandbox/inbound")
Bodies = dict[tuple[str, str], Callable[[str], dict[str, Any]]]
# A body with a value of a field of a route. A field of OWNED without one fails the test below.
BODIES: Bodies = {
    **{
        (f"POST {path}", name): partial(_sent, name)
        for path in (*_SENDS, *_ANY_FORM)
        for name in ("accessPointRef", "connection")
    },
    **{(f"POST {path}", "accessPointRef"): _legacy
       for path in ("/v1/invoices/send", "/api/v1/invoices/send")},
    **{("POST /api/invoices/batch", name): partial(_batch, name)
       for name in ("accessPointRef", "connection")},
    ("POST /v1/invoices", "connection"): _submitted,
    ("POST /v1/invoices/batch", "connection"): lambda value: {"invoices": [_submitted(value)]},
    ("POST /api/holds", "invoiceId"): lambda value: {"reason": "lawsuit", "invoiceId": value},
    ("POST /api/payments", "invoiceId"): lambda value: {
        "payments": [{"invoiceId": value, "amount": 1, "date": "2026-11-20"}],
    },
    ("POST /api/connection-links", "connectionId"): lambda value: {
        "environment": "test", "connectionId": value,
    },
    ("POST /api/connections", "consentOf"): lambda value: {
        "environment": "test", "network": "toll-consents", "account": "RO 2", "consentOf": value,
    },
    **{(f"POST /api/{kind}/<{kind[:-1]}_id>/merge", "otherId"): lambda value: {"otherId": value}
       for kind in ("customers", "suppliers")},
}  # fmt: skip
# Where OWNED names another kind of object.
KINDS = {("POST /api/suppliers/<supplier_id>/merge", "otherId"): "supplier_id"}
# Fields whose own id is answered as an unknown one, and why.
SAME = {
    ("GET /api/webhooks/<webhook_id>/deliveries", "invoiceId"): "the endpoint is newer than it",
    ("POST /v1/invoices/convert", "accessPointRef"): "nothing is sent",
    ("POST /v1/invoices/convert", "connection"): "nothing is sent",
    ("POST /v1/invoices/validate", "accessPointRef"): "nothing is sent",
    ("POST /v1/invoices/validate", "connection"): "nothing is sent",
    ("POST /api/sandbox/inbound", "accessPointRef"): "nothing is sent",
    ("POST /api/sandbox/inbound", "connection"): "nothing is sent",
    **{(f"GET {path}", "supplierId"): "nothing has arrived from it"
       for path in ("/api/invoices", "/api/invoices/documents", "/v1/invoices")},
    ("GET /api/events", "invoiceId"): "it waits to be sent",
    ("GET /api/platform/events", "invoiceId"): "it waits to be sent",
    ("GET /api/platform/webhooks/<webhook_id>/deliveries", "invoiceId"): "of a test, without one",
}  # fmt: skip
# Kinds of objects that are of both environments.
OF_BOTH = {"customer_id", "supplier_id", "key_id"}


@pytest.fixture(scope="module")
def toll() -> ClearancePlugin:
    return ClearancePlugin()


@pytest.fixture(scope="module")
def consents() -> TollConsentsPlugin:
    return TollConsentsPlugin()


@pytest.fixture(scope="module")
def service(
    build: Callable[..., Flask], toll: ClearancePlugin, consents: TollConsentsPlugin
) -> Flask:
    return build([einvoice_loopback, toll, consents], **UNLIMITED)


class FieldOwner(Owner):
    """An owner whose connections work, so that documents are sent by them."""

    def __init__(self, service: Flask, toll: ClearancePlugin, consents: TollConsentsPlugin) -> None:
        super().__init__(service)
        self.ids["reference"] = self.caller.reference()
        self.ids["connection_id"] = self._connected("toll", toll.point, {"clientSecret": "s"})
        self.ids["consent_id"] = self._connected("toll-consents", consents.consents, {})

    def _connected(self, network: str, point: Any, secrets: dict[str, str]) -> str:
        app = self.person.app
        with app.app_context():
            new = NewConnection(Environment.TEST, network, "RO1", credentials=secrets)
            made = accounts.create(self.caller.tenant, new, runtime_of(app))
            code = point.authority.consent(made.account)
            checks.run(made, lambda c: point.authorised(c, code, ""), runtime_of(app), "Ann")
            return made.id


@pytest.fixture(scope="module")
def owner(service, toll, consents) -> FieldOwner:
    return FieldOwner(service, toll, consents)


@pytest.fixture(scope="module")
def others(service, owner) -> dict[str, Owner]:
    return {
        "another tenant": Owner(service),
        "the live environment": Owner(service, Environment.LIVE, owner.caller.tenant),
    }


# -- the fields of the document --------------------------------------------------------------------


def fields_of(service: Flask) -> list[tuple[Route, str, str]]:
    """Every route with its fields: where each is (query or body), and its name."""
    document = service.test_client().get("/openapi.json").json
    found = []
    for route in routes(service):
        if route.rule.rule.startswith("/api/operator/"):
            continue  # operators see all tenants: operator/test_isolation
        path = re.sub(
            r"<(?:[^:<>]+:)?([^<>]+)>", lambda m: "{" + _camel(m[1]) + "}", route.rule.rule
        )
        operation = document["paths"][path][route.method]
        names = {("query", p["name"]) for p in _parameters(operation) if p["in"] == "query"}
        for content in operation.get("requestBody", {}).get("content", {}).values():
            shape = content.get("schema", {})
            names |= {("body", n) for n in _members(shape, document, frozenset())}
        found += [(route, place, name) for place, name in sorted(names)]
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _parameters(operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in operation.get("parameters", []) if "in" in each]


def _members(
    shape: dict[str, Any], document: dict[str, Any], seen: frozenset[str]
) -> Iterator[str]:
    """The names of all members of a schema, at any depth."""
    reference = shape.get("$ref", "")
    if reference in seen:
        return
    if reference:
        name = reference.rpartition("/")[2]
        shape, seen = document["components"]["schemas"][name], seen | {reference}
    for inner in (*shape.get("allOf", ()), *shape.get("anyOf", ()), *shape.get("oneOf", ())):
        yield from _members(inner, document, seen)
    if "items" in shape:
        yield from _members(shape["items"], document, seen)
    for name, inner in shape.get("properties", {}).items():
        yield name
        yield from _members(inner, document, seen)


@pytest.fixture(scope="module")
def owned_fields(service) -> list[tuple[Route, str, str]]:
    return [one for one in fields_of(service) if one[2] in OWNED and one[0].requirement.schemes]


def test_every_field_that_sounds_like_an_id_is_known(service):
    """A new one needs a row in OWNED or NOT_OWNED."""
    names = {name for _, _, name in fields_of(service) if _LIKE_IDS.search(name)}

    assert names == set(OWNED) | set(NOT_OWNED)


def test_every_owned_field_of_a_body_has_a_request(owned_fields):
    """A new one needs a row in BODIES; then it is tested too."""
    known = {(label(route), name) for route, place, name in owned_fields if place == "body"}

    assert known == set(BODIES)


# -- requests --------------------------------------------------------------------------------------


def asked(who: Owner, route: Route, place: str, name: str, value: str) -> TestResponse:
    """The request of a caller with a value of a field, with the caller's own ids in the path."""
    path, body = path_of(route, who.ids), None
    if place == "query":
        path += f"?{name}={value}"
    else:
        body = BODIES[label(route), name](value)
    return _ask(who, route)(route.method.upper(), path, body)


def _ask(who: Owner, route: Route) -> Ask:
    if route.requirement.schemes == ("platform",):
        return partial(by_platform, who.platform, None)
    if "session" in route.requirement.schemes and who.environment is Environment.TEST:
        return partial(by_person, who.person)
    if "apiKey" in route.requirement.schemes:
        return partial(by_key, who.caller, "x-api-key", "{}")
    return partial(by_key, who.caller, "Authorization", "Bearer {}")


def kind_of(route: Route, name: str) -> str:
    return KINDS.get((label(route), name), OWNED[name])


_OF_REQUEST = re.compile(
    r'"(?:batchId|holdId|createdAt|placedAt|nextCursor|processingTimeMs|documentSha256)":'
    r'(?:"[^"]*"|[0-9]+)'
)


_OF_NEW = re.compile(r'"(?:invoiceId|transactionId|messageId)":"[^"]*"')


def words(answer: TestResponse, value: str) -> tuple[int, str]:
    """What is answered, without the given id, and what differs for each request."""
    text = _content(answer).decode("latin-1").replace(value, "…")
    if answer.status_code == 201:
        text = _OF_NEW.sub("", text)
    return answer.status_code, _OF_REQUEST.sub("", text)


def _content(answer: TestResponse) -> bytes:
    """The body; of a ZIP, which has the moment in it, the names and contents of its files."""
    if answer.mimetype != "application/zip":
        return answer.get_data()
    with zipfile.ZipFile(io.BytesIO(answer.get_data())) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


@pytest.mark.parametrize("who", ["another tenant", "the live environment"])
def test_an_id_of_others_is_answered_as_an_unknown_one(service, owner, others, owned_fields, who):
    """For each field of each route; nothing that the owner has is changed."""
    kept, leaks = rows_of(service, owner.caller.tenant), []
    for route, place, name in owned_fields:
        kind, unknown = kind_of(route, name), str(uuid.uuid4())
        if who == "the live environment" and (kind in OF_BOTH or not of_keys(route)):
            continue
        given = owner.ids[kind]
        found = words(asked(others[who], route, place, name, given), given)
        expected = words(asked(others[who], route, place, name, unknown), unknown)
        if found != expected:
            leaks.append(f"{label(route)} {name}: {found}, not {expected}")
    now = rows_of(service, owner.caller.tenant)

    assert leaks == []
    assert [name for name, rows in kept.items() if not set(rows) <= set(now[name])] == []
    if who == "another tenant":
        assert now == kept


def of_keys(route: Route) -> bool:
    """Whether programs use the route: people see both environments."""
    return bool({"apiKey", "bearer"} & set(route.requirement.schemes))


def test_an_own_id_is_not_answered_as_an_unknown_one(owner, owned_fields):
    """So that the test above is meaningful."""
    owner.person.post("/api/keys", {"name": "seen in the log", "environment": "test"})
    same = {}
    for route, place, name in owned_fields:
        value, unknown = owner.ids[kind_of(route, name)], str(uuid.uuid4())
        if route.requirement.schemes == ("platform",):
            value = TWINS.get(value, value)
        found = words(asked(owner, route, place, name, value), value)
        if found == words(asked(owner, route, place, name, unknown), unknown):
            same[label(route), name] = found

    assert {key: found for key, found in same.items() if key not in SAME} == {}


def test_a_cursor_of_another_tenant_leads_to_nothing_of_it(owner, others, owned_fields, service):
    """A position is no key: the list behind it is the caller's."""
    stranger, followed = others["another tenant"], set()
    for route, _, name in fields_of(service):
        if name != "cursor" or not route.requirement.schemes:
            continue
        page = _ask(owner, route)("GET", f"{path_of(route, owner.ids)}?limit=1", None).json
        if cursor := page.get("nextCursor"):
            followed.add(route.rule.rule)
            path = f"{path_of(route, stranger.ids)}?limit=1&cursor={cursor}"
            shown = json.dumps(_ask(stranger, route)("GET", path, None).json)
            assert not [n for n, one in owner.ids.items() if n.endswith("_id") and one in shown]
    assert len(followed) >= 5
