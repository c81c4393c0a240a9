"""A person at the pages of the dashboard, at the test client: a browser without scripts."""

from __future__ import annotations

import re
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from einvoice.domain.roles import Role
from einvoice.web.dashboard import csrf
from tests.web.dashboard import Dashboard


class Visitor:
    """One person of one tenant, who is logged in unless `log_in` is False."""

    def __init__(
        self,
        app: Flask,
        tenant: str | None = None,
        role: Role = Role.OWNER,
        subject: str = "ann",
        log_in: bool = True,
    ) -> None:
        self.person = Dashboard(app, tenant, role, subject)
        self.tenant, self.client = self.person.tenant, app.test_client()
        if log_in:
            answer = self.get(self.link)
            assert answer.status_code == 303, answer.text

    @property
    def link(self) -> str:
        """The address that logs in, as `einvoice dev-token --link` prints it."""
        return f"/dashboard/login/local?token={self.person.token}"

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.client.get(path, headers=_named(headers))

    def followed(self, answer: TestResponse) -> TestResponse:
        """The page that a form leads to."""
        assert answer.status_code == 303, answer.text
        return self.get(answer.headers["Location"])

    def post(self, path: str, data: dict[str, Any] | None = None, **headers: str) -> TestResponse:
        """Send a form with a token of the session, as each page has one (test_protection)."""
        session = self.client.get_cookie("einvoice")
        token = csrf.token_of(session.value) if session else ""
        return self.client.post(path, data={"csrf": token, **(data or {})}, headers=_named(headers))


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def titles(answer: TestResponse) -> list[str]:
    """The headings of the first level."""
    return re.findall(r"<h1[^>]*>(.*?)</h1>", answer.text)
