"""Decisions 19.2: every JSON route refuses bad bodies and unknown fields in the same way."""

from __future__ import annotations

import re
import uuid

import pytest

from einvoice.domain.errors import InvalidBody, InvalidField
from einvoice.domain.roles import Role
from einvoice.web.addresses import JSON
from einvoice.web.bodies import read_body
from einvoice.web.contract import Contract
from einvoice.web.fields import Number, Text
from einvoice.web.openapi.document import routes
from einvoice.web.shared.empty_body import EMPTY_BODY
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.platform import Platform


class Customer(Contract):
    name = Text("Name.", max_length=10, required=True)
    terms = Number("Days.", minimum=0, maximum=365)


def test_a_body_becomes_the_contracts_fields():
    assert read_body(Customer(), b'{"name": " A ", "terms": null}') == {"name": "A"}


@pytest.mark.parametrize("body", [b"", b"[]", b'{"name": "A", "name": "B"}', b'{"name": NaN}'])
def test_a_body_that_cannot_be_read_is_invalid(body):
    with pytest.raises(InvalidBody):
        read_body(Customer(), body)


def test_every_offending_field_is_named():
    with pytest.raises(InvalidField) as refusal:
        read_body(Customer(), b'{"terms": 366, "colour": 1}')

    assert [(e.pointer, e.code) for e in refusal.value.errors] == [
        ("/name", "required"),
        ("/terms", "out-of-range"),
        ("/colour", "unknown-field"),
    ]
    assert str(refusal.value) == "/name: is required and 2 more"


@pytest.mark.parametrize(
    ("body", "media", "expected", "pointers"),
    [
        (b'{"gracePeriodSeconds": 0}', JSON, "invalid-field", ["/gracePeriodSeconds"]),
        (b"[]", JSON, "invalid-body", []),
        (b"<a/>", "application/xml", "unsupported-media-type", []),
    ],
)
def test_what_would_be_ignored_is_refused(service, body, media, expected, pointers):
    """Where a body has no members: who sends one means something by it."""
    owner = Dashboard(service, role=Role.OWNER)
    caller = Caller(service, tenant=owner.tenant)
    platform = Platform(service)
    invoice, tenant = caller.sent(), platform.created("c-1")
    asked = set()
    for route in routes(service):
        content = route.view.__dict__["_apidoc"].get("manual_doc", {}).get("requestBody", {})
        if content != EMPTY_BODY or route.rule.rule.startswith("/api/operator/"):
            continue  # programs of operators have keys of their own
        path = re.sub("<[^>]*invoice_id>", invoice, route.rule.rule)
        path = path.replace("<tenant>", tenant)
        path = re.sub("<[^>]*>", str(uuid.UUID(int=1)), path)
        schemes = route.requirement.schemes
        token = owner.token if "session" in schemes else caller.key
        token = platform.key if schemes == ("platform",) else token
        credential = {"Authorization": f"Bearer {token}"}
        answer = service.test_client().open(
            path, method=route.method, data=body, content_type=media, headers=credential
        )
        asked.add(route.rule.endpoint)

        assert slug(answer) == expected, path
        assert [error["pointer"] for error in answer.json.get("errors", [])] == pointers, path
    known = {"webhooks.rotate_webhook_secret", "sharing.share_invoice"}
    assert known | {"platform_tenants.resume_platform_tenant"} <= asked
