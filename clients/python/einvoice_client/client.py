"""The client: a send in two lines, and every operation of the contract with the same care."""

from __future__ import annotations

import itertools
import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from einvoice_client.generated.client import AuthenticatedClient
from einvoice_client.generated.models import (
    Event,
    InvoiceResponse,
    InvoiceSummary,
    LookupResponse,
    SendBatchResult,
    SendRequest,
    SendResponse,
)
from einvoice_client.problems import UnexpectedAnswer
from einvoice_client.transport import RetryingTransport

# A send waits for the network for 25 seconds at most.
TIMEOUT_SECONDS = 40.0
CONNECT_SECONDS = 10.0
BATCH_SIZE = 500
_MAX_ANSWER = 200
Json = dict[str, Any]
Body = SendRequest | Mapping[str, Any]


class Client:
    """A connection with a key; use it in a `with` statement, or close it.

    url      the address of the service, such as https://einvoice.example
    key      an API key, a key of a platform, or an access token
    tenant   the tenant for which a platform acts
    timeout  seconds for connecting, and for each pause of an answer

    `client.api` is the client for the operations of `einvoice_client.generated.api`.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        tenant: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"{url!r} is not the address of a service: https://…")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("the key is empty, or has characters that no key has")
        self._sleep = sleep
        headers = {"Accept": "*/*", "User-Agent": "einvoice-client-python/0.1"}
        self._http = httpx.Client(
            base_url=url.rstrip("/"),
            headers=headers | _credential(key) | ({"X-Tenant": tenant} if tenant else {}),
            timeout=httpx.Timeout(timeout, connect=min(timeout, CONNECT_SECONDS)),
            transport=RetryingTransport(transport or httpx.HTTPTransport(), sleep=sleep),
        )
        self.api = AuthenticatedClient(url.rstrip("/"), key).set_httpx_client(self._http)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Json:
        """The JSON object that a route answers, of any route; an empty one for 204.

        body     sent as JSON
        content  sent as it is, with a Content-Type of `headers`
        """
        given = {name: value for name, value in (headers or {}).items() if value is not None}
        if body is not None:
            content = json.dumps(body, default=_number, allow_nan=False).encode()
            given["Content-Type"] = "application/json"
        wanted = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        answer = self._http.request(method, path, params=wanted, content=content, headers=given)
        return _object(answer)

    def look_up(self, participant_id: str, network: str | None = None) -> LookupResponse:
        """Whether a participant is registered, and the reference for sends to it."""
        query = {"participantId": participant_id, "network": network}
        return LookupResponse.from_dict(
            self.request("GET", "/api/participants/lookup", query=query)
        )

    def send(
        self, body: Body, *, idempotency_key: str | None = None, wait: int | None = None
    ) -> SendResponse:
        """Send an invoice, once however often the request is repeated.

        idempotency_key  one that you store with the invoice, so that a repetition by another run of
                         your program is recognised too; a new one for each call by default
        wait             seconds to wait for the network, at most 25; 0 for none
        """
        headers = {
            "Idempotency-Key": idempotency_key or str(uuid.uuid4()),
            "Prefer": None if wait is None else f"wait={wait}" if wait else "respond-async",
        }
        found = self.request("POST", "/api/invoices/send", body=_json(body), headers=headers)
        return SendResponse.from_dict(found)

    def check(self, body: Body) -> SendResponse:
        """What a send would answer; nothing is stored or sent."""
        dry = _json(body)
        dry["options"] = {**(dry.get("options") or {}), "dryRun": True}
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        found = self.request("POST", "/api/invoices/send", body=dry, headers=headers)
        return SendResponse.from_dict(found)

    def validate(self, document: bytes, *, language: str = "en") -> Json:
        """The report on an XML or PDF document, or on the JSON of a send; nothing is stored."""
        return self.request(
            "POST",
            "/v1/invoices/validate",
            content=document,
            headers={"Content-Type": _media_type(document), "Accept-Language": language},
        )

    def send_batch(
        self, bodies: Iterable[tuple[str, Body]], *, size: int = BATCH_SIZE
    ) -> Iterator[SendBatchResult]:
        """Send any number of invoices, in batches; one result for each, in their order.

        bodies  pairs of an idempotency key and a send
        size    the sends of a request, at most 500
        """
        if not 1 <= size <= BATCH_SIZE:
            raise ValueError(f"a batch has 1 to {BATCH_SIZE} sends, not {size}")
        entries = ({**_json(body), "idempotencyKey": key} for key, body in bodies)
        while chunk := list(itertools.islice(entries, size)):
            answer = self.request("POST", "/api/invoices/batch", body={"invoices": chunk})
            for result in answer["results"]:
                yield SendBatchResult.from_dict(result)

    def invoice(self, invoice_id: object) -> InvoiceResponse:
        """An invoice with its status and history."""
        return InvoiceResponse.from_dict(self.request("GET", f"/api/invoices/{_part(invoice_id)}"))

    def content(self, invoice_id: object) -> Json:
        """A sent or received document as data: the JSON of a send."""
        return self.request("GET", f"/api/invoices/{_part(invoice_id)}/content")

    def wait(
        self, invoice_id: object, *, seconds: float = 60, interval: float = 1
    ) -> InvoiceResponse:
        """The invoice, once it is no longer Processing; TimeoutError after so many seconds."""
        until = time.monotonic() + seconds
        while (found := self.invoice(invoice_id)).network_status == "Processing":
            if time.monotonic() + interval > until:
                raise TimeoutError(f"{invoice_id} is still Processing after {seconds:g} seconds")
            self._sleep(interval)
        return found

    def invoices(self, **filters: Any) -> Iterator[InvoiceSummary]:
        """All invoices that match, page by page; filters as the list has them (`party="60 s"`)."""
        for item in self.items("/api/invoices", **filters):
            yield InvoiceSummary.from_dict(item)

    def bills(self, **filters: Any) -> Iterator[InvoiceSummary]:
        """All received invoices that match."""
        return self.invoices(direction="received", **filters)

    def items(self, path: str, **query: Any) -> Iterator[Json]:
        """The items of a list, over all its pages."""
        for page in self.pages(path, **query):
            yield from page["items"]

    def pages(self, path: str, **query: Any) -> Iterator[Json]:
        """The pages of a list, until one says that there are no more."""
        while True:
            page = self.request("GET", path, query=query)
            yield page
            if not page.get("hasMore"):
                return
            if page["nextCursor"] == query.get("cursor"):
                raise UnexpectedAnswer(200, "application/json", "a page that names itself as next")
            query["cursor"] = page["nextCursor"]

    def events(self, **filters: Any) -> Iterator[Event]:
        """The events of the last 30 days that match, oldest first."""
        for item in self.items("/api/events", **filters):
            yield Event.from_dict(item)


def with_reference(client: Client, body: Mapping[str, Any]) -> Json:
    """The send, with the accessPointRef of its receiver looked up if it has none."""
    routing = body.get("routing")
    if not isinstance(routing, dict) or routing.get("accessPointRef"):
        return dict(body)
    receiver = routing.get("receiverParticipantId")
    if not isinstance(receiver, str) or not receiver:
        return dict(body)
    reference = client.look_up(receiver, routing.get("network")).access_point_ref
    return {**body, "routing": routing | ({"accessPointRef": str(reference)} if reference else {})}


def _media_type(document: bytes) -> str:
    start = document[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"%PDF-"):
        return "application/pdf"
    return "application/json" if start.startswith(b"{") else "application/xml"


def _credential(key: str) -> dict[str, str]:
    is_key = key.startswith(("sk_", "pk_"))
    return {"x-api-key": key} if is_key else {"Authorization": f"Bearer {key}"}


def _json(body: Body) -> Json:
    return body.to_dict() if isinstance(body, SendRequest) else dict(body)


def _number(value: object) -> float:
    """An amount as the JSON number that stands for it exactly."""
    if isinstance(value, Decimal):
        number = float(value)
        if Decimal(repr(number)) != value:
            raise ValueError(f"{value} has more digits than a number of JSON keeps (15)")
        return number
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _part(identifier: object) -> str:
    """One segment of a path, whatever characters it has."""
    return quote(str(identifier), safe="").replace(".", "%2E")


def _object(answer: httpx.Response) -> Json:
    if answer.status_code == 204:
        return {}
    try:
        found = answer.json()
    except ValueError:
        found = None
    if not isinstance(found, dict):
        kind = answer.headers.get("content-type", "")
        raise UnexpectedAnswer(answer.status_code, kind, answer.text[:_MAX_ANSWER])
    return found
