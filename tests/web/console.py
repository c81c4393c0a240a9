"""An operator at the test client: a program with a key, and a person with a browser."""

from __future__ import annotations

import json
import re
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from einvoice.domain.operators import SCOPES
from einvoice.security import dev_issuer
from einvoice.services.account import operators
from einvoice.web.dashboard import csrf
from einvoice.web.runtime import runtime_of

COOKIE = "einvoice-operator"


class OperatorProgram:
    """A program with a key of these scopes."""

    def __init__(self, app: Flask, scopes: tuple[str, ...] = SCOPES, name: str = "night shift"):
        self.app = app
        with app.app_context():
            made = operators.create_key(name, scopes, None, "tests")
        self.key, self.key_id = made.secret, made.record.id

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            named.setdefault("Content-Type", "application/json")
        data = None if body is None else json.dumps(body).encode()
        return self.app.test_client().open(
            path, method=method, data=data, headers={"x-api-key": self.key} | named
        )

    def get(self, path: str) -> TestResponse:
        return self.call("GET", f"/api/operator{path}")

    def post(self, path: str, body: Any = None) -> TestResponse:
        return self.call("POST", f"/api/operator{path}", {} if body is None else body)


class OperatorPerson:
    """A person at the console, without scripts."""

    def __init__(self, app: Flask, log_in: bool = True) -> None:
        self.app, self.client = app, app.test_client()
        if log_in:
            answer = self.client.get(self.link)
            assert answer.status_code == 303, answer.text

    @property
    def link(self) -> str:
        """The address that `einvoice dev-token --operator --link` prints."""
        token = dev_issuer.mint_for_operator(
            runtime_of(self.app).settings, subject="otto", email="otto@operator.example"
        )
        return f"/operator/login/local?token={token}"

    @property
    def csrf(self) -> str:
        cookie = self.client.get_cookie(COOKIE)
        return csrf.token_of(cookie.value) if cookie else ""

    def get(self, path: str = "") -> TestResponse:
        return self.client.get(f"/operator{path}")

    def post(self, path: str, form: dict[str, Any] | None = None, **headers: str) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = {"csrf": self.csrf} | (form or {})
        return self.client.post(f"/operator{path}", data=data, headers=named)

    def followed(self, answer: TestResponse) -> TestResponse:
        """The page that a form leads to."""
        assert answer.status_code == 303, answer.text
        return self.client.get(answer.headers["Location"])


def filled(rule: str) -> str:
    """The address of a rule, with an id that nothing has."""
    return re.sub(r"<[^>]+>", "0193a1c2-0000-7000-8000-000000000000", rule)
