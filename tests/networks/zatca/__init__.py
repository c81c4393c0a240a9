"""A stand-in for Fatoora, over HTTP. It is not the service of ZATCA.

    python -m tests.networks.zatca --port 9300

ZATCA publishes no interface document. Paths, headers, statuses and the form of answers are those
that public clients use; what is checked is the security features standard 1.2 and the rules 3.4.6.
Belief, until seen at ZATCA:

- the codes of errors about counter and previous hash (KSA-16, KSA-13), and that they are errors
- that a document of the same UUID and hash is answered 409
- the texts of refusals

`service` answers the calls of one authority; its `faults` are those of `stand_ins`.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from tests.networks.stand_ins import Answer, Faults, Handler, StandIn, serving
from tests.networks.zatca.authority import Authority

BASE = "/e-invoicing/developer-portal"
BOOKS = "/books"  # what the authority has taken, for those who compare it


class Service(StandIn):
    """The server of an authority. `requests`: method and path of each call, for tests."""

    def __init__(self, authority: Authority, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(_Handler, port, faults)
        self.authority = authority
        self.requests: list[tuple[str, str]] = []
        self.delay = 0.0  # seconds before an answer to a document

    @property
    def url(self) -> str:
        return f"{self.origin}{BASE}"


class _Handler(Handler):
    server: Service

    def call(self) -> None:
        body, path = self.received(), urlsplit(self.path).path.removeprefix(f"{BASE}/")
        if path == BOOKS:
            self.send(Answer(200, json.dumps(self.server.authority.books()).encode()))
            return
        self.server.requests.append((self.command, path))
        self.respond(self.server.faults(path), lambda: self._answer(path, body))

    do_PATCH = call  # noqa: N815 - a name of http.server

    def _answer(self, path: str, body: bytes) -> Answer:
        if self.headers.get("accept-version") != "V2":
            return Answer(406, b'{"code": "Invalid-Version", "message": "Use V2."}')
        try:
            said = json.loads(body)
        except ValueError:
            return Answer(400, b'{"code": "400", "message": "Malformed request."}')
        status, answer = self._of(path, said)
        return Answer(status, json.dumps(answer, ensure_ascii=False).encode() if answer else b"")

    def _of(self, path: str, said: dict[str, str]) -> tuple[int, dict | None]:
        authority, otp = self.server.authority, self.headers.get("otp", "")
        token, secret = self._credentials()
        match self.command, path:
            case "POST", "compliance":
                return authority.register(said.get("csr", ""), otp)
            case "POST", "compliance/invoices":
                return authority.check(said, token, secret)
            case "POST", "production/csids":
                return authority.produce(said.get("compliance_request_id", ""), token, secret)
            case "PATCH", "production/csids":
                return authority.renew(said.get("csr", ""), otp, token, secret)
            case "POST", "invoices/clearance/single" | "invoices/reporting/single":
                time.sleep(self.server.delay)
                return authority.take(said, token, secret, clear="clearance" in path)
        return 404, None

    def _credentials(self) -> tuple[str, str]:
        given = self.headers.get("authorization", "").removeprefix("Basic ")
        token, _, secret = base64.b64decode(given).decode().partition(":")
        return token, secret


@contextmanager
def running(authority: Authority, faults: Faults | None = None) -> Iterator[Service]:
    """The service in a thread of this process."""
    with serving(Service(authority, faults=faults)) as service:
        yield service
