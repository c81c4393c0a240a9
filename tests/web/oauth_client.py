"""A program with an OAuth client, at the test client."""

from __future__ import annotations

import base64
from urllib.parse import urlencode

from einvoice.domain.credentials import OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.web.runtime import runtime_of

FORM = "application/x-www-form-urlencoded"


class Client:
    """One OAuth client of one tenant, at the test client."""

    def __init__(self, app, environment=Environment.TEST, tenant=None, **rights) -> None:
        self.app, self.environment = app, environment
        with app.app_context():
            self.tenant = tenant or tenants.create("Programs")
            made = credentials.create(OAUTH_CLIENT, self.tenant, "tests", environment, **rights)
        self.id, self.secret = made.record.id, made.secret

    def ask(self, host=None, headers=None, basic=False, data=None, **changes):
        """Ask for a token; a field set to None is left out."""
        form = {"grant_type": "client_credentials"}
        headers = dict(headers or {})
        if basic:
            pair = base64.b64encode(f"{self.id}:{self.secret}".encode()).decode()
            headers["Authorization"] = f"Basic {pair}"
        else:
            form |= {"client_id": self.id, "client_secret": self.secret}
        form = {name: value for name, value in (form | changes).items() if value is not None}
        return self.app.test_client().post(
            "/oauth/token",
            data=urlencode(form) if data is None else data,
            content_type=FORM,
            headers=headers,
            base_url=host,
        )

    def token(self, **changes) -> str:
        answer = self.ask(**changes)
        assert answer.status_code == 200, answer.text
        return answer.json["access_token"]

    def call(self, method, path, token=None, json=None, data=None, host=None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Authorization": f"Bearer {token or self.token()}"} | named
        return self.app.test_client().open(
            path, method=method, json=json, data=data, headers=given, base_url=host
        )

    def service(self, what, *more):
        with self.app.app_context():
            done = getattr(credentials, what)(OAUTH_CLIENT, self.tenant, self.id, *more)
        runtime_of(self.app).caches.clear()
        return done
