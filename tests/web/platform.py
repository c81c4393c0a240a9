"""A platform with a key, at the test client."""

from __future__ import annotations

import itertools
import json
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from einvoice.domain.credentials import PLATFORM_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, platforms
from tests.builders import RECEIVER, send_body

_names = itertools.count(1)


class Platform:
    """One platform in one environment."""

    def __init__(
        self,
        app: Flask,
        environment: Environment = Environment.TEST,
        platform: str | None = None,
        **key: Any,
    ) -> None:
        self.app, self.environment = app, environment
        with app.app_context():
            self.id = platform or platforms.create(f"Platform {next(_names)}")
            made = credentials.create(PLATFORM_KEY, self.id, "tests", environment, **key)
        self.key, self.key_id = made.secret, made.record.id

    def call(
        self, method: str, path: str, body: Any = None, tenant: str | None = None, **headers: str
    ) -> TestResponse:
        """A call with the key, for a tenant if one is named."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if tenant is not None:
            named["X-Tenant"] = tenant
        if body is not None:
            named.setdefault("Content-Type", "application/json")
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        return self.app.test_client().open(
            path, method=method, data=data, headers={"x-api-key": self.key} | named
        )

    def get(self, path: str, tenant: str | None = None, **headers: str) -> TestResponse:
        return self.call("GET", path, None, tenant, **headers)

    def post(
        self, path: str, body: Any = None, tenant: str | None = None, **headers: str
    ) -> TestResponse:
        return self.call("POST", path, body, tenant, **headers)

    def create(self, external_id: str, **members: Any) -> TestResponse:
        body = {"externalId": external_id, "name": f"Tenant {external_id}"} | members
        return self.post("/api/platform/tenants", body)

    def created(self, external_id: str, **members: Any) -> str:
        """The id of the tenant of this external id."""
        answer = self.create(external_id, **members)
        assert answer.status_code in (200, 201), answer.text
        tenant_id: str = answer.json["tenantId"]
        return tenant_id

    def body(self, tenant: str, **invoice: Any) -> dict[str, Any]:
        """A valid body of a send."""
        path = f"/api/participants/lookup?participantId={RECEIVER}"
        return send_body(self.get(path, tenant).json["accessPointRef"], **invoice)

    def send(self, tenant: str, body: Any = None, **headers: str) -> TestResponse:
        """Send an invoice of the tenant, without waiting."""
        given = {"Prefer": "respond-async"} | headers
        return self.post("/api/invoices/send", body or self.body(tenant), tenant, **given)
