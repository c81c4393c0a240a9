"""Every body that /docs offers to try is one that the sandbox takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from einvoice.app import create_app
from einvoice.config import Settings
from tests.browser import serving, visiting
from tests.web.caller import ASYNC, Caller
from tests.web.dashboard import Dashboard
from tests.web.platform import Platform

JSON, XML = "application/json", "application/xml"
OURS = "6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c"  # the reference of the example, which is unknown

CLOSE = "/api/tenant/close"
PLATFORM = "/api/platform/"
CLOSE_TENANT = "/api/platform/tenants/{tenant}/close"
# What does not fit an invoice that was just sent.
LATE = (
    "/resend",
    "/mark-processed",
    "/gl-account",
    "/response",
    "/share",
    "/advance",
    "/attention/done",
    "/move-out",
    "/purge",  # of a tenant that is open
    "/publish",  # no network of the sandbox publishes participant ids
)
HOLDS = "/api/holds"
# No network of the sandbox needs an account: tests/web/test_connections.py sends these.
CONNECTIONS = "/api/connections"
# There is no mail server: tests/networks/mail/test_routes.py sends these.
MAIL = "/api/mail/"


def offered(service) -> Iterator[tuple[str, str, str, Any]]:
    """(method, path, media type, example) of every body that is no file or form."""
    document = json.loads(service.test_client().get("/openapi.json").data)
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                for media, body in operation.get("requestBody", {}).get("content", {}).items():
                    if media in (JSON, XML):
                        yield method.upper(), path, media, body.get("example")


class World:
    """A tenant with one of each object, so that every path exists."""

    def __init__(self, service) -> None:
        self.person = Dashboard(service)
        self.caller = Caller(service, tenant=self.person.tenant)
        self.ids: dict[str, str] = {"{invoiceId}": self.caller.sent()}
        self.reference = self.caller.reference()
        self.platform = Platform(service)
        self.of_platform = {"{tenant}": self.platform.created("c-1")}

    def send(self, method: str, path: str, media: str, example: Any):
        if path.endswith("/merge"):
            example = {"otherId": self.another(path)}
        if path == "/api/payments":
            paid = [one | {"invoiceId": self.ids["{invoiceId}"]} for one in example["payments"]]
            example = {"payments": paid}
        if path == HOLDS:
            example |= {"invoiceId": self.ids["{invoiceId}"]}
        raw = example if media == XML else json.dumps(example)
        data = raw.replace(OURS, self.reference).encode()
        is_platforms = path.startswith(PLATFORM)
        for name, value in (self.of_platform if is_platforms else self.ids).items():
            path = path.replace(name, value)
        headers = {"Content_Type": media, "Prefer": ASYNC}
        if is_platforms:
            return self.platform.call(method, path, data, Content_Type=media)
        if path.startswith("/v1") and not path.endswith("/send"):
            return self.caller.bearer(method, path, data, **headers)
        people_only = path.endswith("/share")
        if re.match(r"/(v1|v2|api/(v1|v2|invoices|sandbox))/?", path) and not people_only:
            return self.caller.call(method, path, data, **headers)
        return self.person.call(method, path, data=data, **headers)

    def another(self, path: str) -> str:
        """A further customer or supplier, to be merged."""
        kind = path.split("/")[2]
        made = self.person.post(f"/api/{kind}", {"name": "Another", "countryCode": "BE"}).json
        return str(made["customerId" if kind == "customers" else "supplierId"])

    def remember(self, path: str, answer: TestResponse) -> None:
        ids = self.of_platform if path.startswith(PLATFORM) else self.ids
        location = answer.headers.get("Location", "")
        thing = {"keys": "keyId", "oauth-clients": "clientId", "webhooks": "webhookId",
                 "customers": "customerId", "suppliers": "supplierId",
                 "drafts": "draftId", "holds": "holdId"}  # fmt: skip
        if (name := path.rpartition("/")[2]) in thing:
            ids[f"{{{thing[name]}}}"] = location.rpartition("/")[2]
        elif name == "participants":
            ids["{environment}"], ids["{participantId}"] = "test", location.rpartition("/")[2]
        elif name == "test":
            ids["{deliveryId}"] = answer.json["deliveryId"]


def test_every_body_has_an_example(service):
    assert [(m, p) for m, p, _, example in offered(service) if example is None] == []


def test_the_sandbox_accepts_every_example(service):
    """409 only for routes that do not fit an invoice just sent, after the body was read."""
    world, answers = World(service), {}
    bodies = sorted(offered(service), key=lambda body: "{" in body[1])  # first what makes things
    for method, path, media, example in bodies:
        if path.startswith((CONNECTIONS, "/api/connection-links", "/api/operator/", MAIL)):
            continue  # programs of operators have keys of their own
        if path.endswith(("/move-in", "/{reportId}/repeat")):
            continue  # of a participant that another access point has (test_participant_moves)
        if path == CLOSE:  # a person confirms with the id of their account
            closing = World(service)
            answer = closing.send(method, path, media, {"confirm": closing.person.tenant})
            assert example.keys() == {"confirm"}
        elif path == CLOSE_TENANT:
            answer = World(service).send(method, path, media, example)
        else:
            answer = world.send(method, path, media, example)
        answers[f"{method} {path} {media}"] = answer.status_code
        world.remember(path, answer)
        late = path.endswith(LATE)
        assert answer.status_code in ((409,) if late else (200, 201, 202)), (path, answer.text)

    assert len(answers) > 25


def test_a_batch_of_the_example_is_accepted(service):
    world = World(service)
    [example] = [e for m, p, _, e in offered(service) if p == "/v1/invoices/batch"]

    assert world.send("POST", "/v1/invoices/batch", JSON, example).json["accepted"] == 1


def test_the_document_of_the_examples_is_green(service):
    world = World(service)
    for media in (JSON, XML):
        example = next(
            e for _, p, m, e in offered(service) if p == "/v1/invoices/validate" and m == media
        )
        answer = world.send("POST", "/v1/invoices/validate", media, example)
        assert answer.json["trafficLight"] == "green"


@pytest.mark.parametrize("operation", ["Invoices-listInvoices", "Customers-updateCustomer"])
def test_optional_parameters_of_a_form_start_empty(browser, tmp_path, operation):
    """Swagger UI would fill every filter, and If-Match, with the example of its field."""
    service = create_app(Settings(data_dir=str(tmp_path)), plugins=[])
    with serving(service) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(f"{origin}/docs")
        page.click(f"#operations-tag-{operation.partition('-')[0]}")
        page.click(f"#operations-{operation} .opblock-summary-control")
        page.click(f"#operations-{operation} .try-out__btn")
        page.wait_for_selector(f"#operations-{operation} .execute")
        fields = page.eval_on_selector_all(
            f"#operations-{operation} .parameters input",
            "fields => fields.map(field => [field.placeholder, field.value])",
        )

    filled = {name for name, value in fields if value}
    assert filled <= {"limit"}  # which has a default


def test_a_send_can_be_tried_after_a_lookup(browser, service):
    """The page replaces the unknown reference of the example by that of the lookup."""
    caller = Caller(service)
    with serving(service) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(f"{origin}/docs")
        page.click(".authorize")
        page.fill(".auth-container input", caller.key)
        page.click(".auth-container button.authorize")
        page.click(".auth-container .btn-done")
        for operation in ("Participants-lookupParticipant", "Invoices-sendInvoice"):
            here = f"#operations-{operation}"
            page.click(f"#operations-tag-{operation.partition('-')[0]}")
            page.click(f"{here} .opblock-summary-control")
            page.click(f"{here} .try-out__btn")
            page.click(f"{here} .execute")
            page.wait_for_selector(f"{here} .live-responses-table .response")
        words = page.inner_text("#operations-Invoices-sendInvoice .live-responses-table")

    assert "transactionId" in words
    assert visit.said == []
