"""A person at the dashboard: session tokens of the local issuer at the test client."""

from __future__ import annotations

import itertools
import json as stdlib_json
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services.account import tenants
from einvoice.web.runtime import runtime_of

_names = itertools.count(1)


class Dashboard:
    """One person of one tenant. A tenant given is somebody else's tenant too."""

    def __init__(
        self,
        app: Flask,
        tenant: str | None = None,
        role: Role = Role.OWNER,
        subject: str = "ann",
        email: str | None = "ann@example.com",
    ) -> None:
        self.app, self.role, self.subject, self.email = app, role, subject, email
        with app.app_context():
            self.tenant = tenant or tenants.create(f"Dashboard {next(_names)}")

    @property
    def token(self) -> str:
        """A fresh one each time: tests may have moved the clock."""
        return dev_issuer.mint(
            runtime_of(self.app).settings,
            tenant_id=self.tenant,
            role=self.role,
            subject=self.subject,
            email=self.email,
        )

    def call(
        self, method: str, path: str, json: Any = None, data: bytes | None = None, **headers: str
    ) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if json is not None:
            data = stdlib_json.dumps(json).encode()
            named.setdefault("Content-Type", "application/json")
        given = {"Authorization": f"Bearer {self.token}"} | named
        return self.app.test_client().open(path, method=method, data=data, headers=given)

    def get(self, path: str, json: Any = None, **headers: str) -> TestResponse:
        return self.call("GET", path, json, **headers)

    def post(self, path: str, json: Any = None, **headers: str) -> TestResponse:
        return self.call("POST", path, json, **headers)

    def patch(self, path: str, json: Any = None, **headers: str) -> TestResponse:
        return self.call("PATCH", path, json, **headers)

    def delete(self, path: str, json: Any = None, **headers: str) -> TestResponse:
        return self.call("DELETE", path, json, **headers)
