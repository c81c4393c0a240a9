"""A stand-in for an approved platform of France, over HTTP: XP Z12-013 1.3.0.

    python -m tests.networks.fr --port 9400

`Service` answers the Flow Service and the Directory Service of one platform; each answer says that
it is a stand-in (`X-Stand-In`). Its `faults` are those of `stand_ins`, by the name of the operation
(`createFlow`, `searchFlows`, `getFlow`, `getHealth`, `token`).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.parser import BytesParser
from email.policy import HTTP
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.networks.fr.directory import Directory
from tests.networks.fr.platform import Company, Platform, fault
from tests.networks.stand_ins import Answer, Faults, Handler, StandIn, serving

FLOWS, DIRECTORY, TOKEN = "/flow-service", "/directory-service", "/token"
# The paths that pyfrctc uses, which are those of one platform.
OTHER_PATHS = {"/afnor-flow/": f"{FLOWS}/", "/afnor-directory/": f"{DIRECTORY}/"}
MAX_BYTES = 100 * 1024 * 1024


@dataclass(frozen=True)
class Exchange:
    """A request with its answer, for the judge."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    answer: Answer


class Service(StandIn):
    """The server of a platform. `exchanges`: what it was asked, and what it answered."""

    def __init__(self, platform: Platform, port: int = 0, faults: Faults | None = None) -> None:
        super().__init__(_Handler, port, faults)
        self.platform, self.directory = platform, Directory()
        self.exchanges: list[Exchange] = []
        self.keeps = True  # whether exchanges are kept

    @property
    def url(self) -> str:
        return f"{self.origin}{FLOWS}"

    @property
    def directory_url(self) -> str:
        return f"{self.origin}{DIRECTORY}"

    @property
    def token_url(self) -> str:
        return f"{self.origin}{TOKEN}"

    def calls(self, operation: str) -> int:
        """How often an operation was called."""
        return sum(operation_of(e.method, e.path) == operation for e in self.exchanges)


def operation_of(method: str, path: str) -> str:
    """The name of an operation, by its method and path."""
    known = {
        ("POST", "/v1/flows"): "createFlow",
        ("POST", "/v1/flows/search"): "searchFlows",
        ("GET", "/v1/webhooks"): "listWebhooks",
        ("POST", "/v1/webhooks"): "createWebhook",
        ("GET", "/v1/healthcheck"): "getHealth",
    }
    if path == TOKEN:
        return "token"
    below = path.removeprefix(FLOWS).removeprefix(DIRECTORY)
    if method == "DELETE":
        return "deleteWebhook"
    return known.get((method, below)) or ("getFlow" if "/flows/" in below else below)


class _Handler(Handler):
    server: Service
    server_version = "einvoice-stand-in"

    def call(self) -> None:
        method, body, parts = self.command, self.received(), urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        path = parts.path
        for other, own in OTHER_PATHS.items():
            path = path.replace(other, own, 1)
        kind = operation_of(method, path)

        def made() -> Answer:
            answer = self._answer(method, path, query, body)
            answer = replace(answer, headers={**answer.headers, "X-Stand-In": "true"})
            if self.server.keeps:
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.server.exchanges.append(Exchange(method, path, query, headers, body, answer))
            return answer

        self.respond(self.server.faults(kind), made)

    def _answer(self, method: str, path: str, query: dict[str, str], body: bytes) -> Answer:
        platform = self.server.platform
        if path == TOKEN:
            return platform.token(dict(parse_qsl(body.decode())) | self._basic())
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        owner = platform.owner_of(token)
        if owner is None:
            return fault(401, "MISSING_TOKEN", "the token is unknown, or has ended")
        if path.startswith(DIRECTORY):
            return self.server.directory.answer(method, path.removeprefix(f"{DIRECTORY}/v1/"), body)
        call = path.removeprefix(f"{FLOWS}/v1/")
        match method, call:
            case "GET", "healthcheck":
                return Answer(200)
            case "POST", "flows":
                return self._submitted(owner, body)
            case "POST", "flows/search":
                return platform.search(owner, json.loads(body))
            case "GET", "webhooks":
                return platform.hooks(owner)
            case "POST", "webhooks":
                return platform.add_hook(owner, json.loads(body))
            case "DELETE", _ if call.startswith("webhooks/"):
                return platform.remove_hook(owner, unquote(call.removeprefix("webhooks/")))
            case "GET", _ if call.startswith("flows/"):
                flow_id = unquote(call.removeprefix("flows/"))
                return platform.flow(owner, flow_id, query.get("docType", "Metadata"))
        return fault(404, "MISSING_RESOURCE", "there is no such operation")

    def _basic(self) -> dict[str, str]:
        """The client, where it names itself in the header (RFC 6749, 2.3.1)."""
        given = self.headers.get("authorization", "")
        if not given.startswith("Basic "):
            return {}
        name, _, secret = base64.b64decode(given.removeprefix("Basic ")).decode().partition(":")
        return {"client_id": unquote(name), "client_secret": unquote(secret)}

    def _submitted(self, owner: Company, body: bytes) -> Answer:
        if len(body) > MAX_BYTES:
            return fault(413, "FILE_SIZE_EXCEEDED", "the file is too large")
        parts = parts_of(self.headers.get("content-type", ""), body)
        if set(parts) != {"flowInfo", "file"}:
            return fault(400, "MISSING_REQUIRED_FIELD", "flowInfo and file are required")
        return self.server.platform.submit(owner, json.loads(parts["flowInfo"]), parts["file"])


def parts_of(content_type: str, body: bytes) -> dict[str, bytes]:
    """The parts of a multipart body by their names."""
    whole = BytesParser(policy=HTTP).parsebytes(
        f"Content-Type: {content_type}\r\n\r\n".encode() + body
    )
    return {
        str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)
        for part in whole.iter_parts()
    }


@contextmanager
def running(platform: Platform, faults: Faults | None = None) -> Iterator[Service]:
    """The service in a thread of this process."""
    with serving(Service(platform, faults=faults)) as service:
        yield service
