"""The command `listen`: posts each new event to an address of yours, signed as webhooks are.

It reads the event feed, so it needs no address that the service can reach. An event is posted once:
if your program does not take it, the line says so, and `events` still has it.
"""

from __future__ import annotations

import argparse
import base64
import json
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx

from einvoice_client.cli.output import Output
from einvoice_client.client import Client
from einvoice_client.problems import (
    EinvoiceError,
    NoAnswer,
    RateLimited,
    Unavailable,
    UnexpectedAnswer,
)
from einvoice_client.webhooks import sign

POLL_SECONDS = 2.0
# As long as the service waits for an endpoint.
POST_SECONDS = 15.0
MAX_PAUSE_SECONDS = 60.0
_PASSING = NoAnswer | Unavailable | RateLimited | UnexpectedAnswer
Json = dict[str, Any]


def add_to(commands: Any) -> None:
    listen = commands.add_parser("listen", help="post each new event to an address of yours")
    listen.add_argument("--forward", required=True, metavar="URL", help="where to post")
    listen.add_argument("--type", help="events of this type only")
    listen.add_argument("--since", metavar="TIME", help="begin at this time; default: now")
    listen.add_argument("--signing-secret", help="whsec_…; default: a new one, which is printed")
    listen.add_argument("--secret", help="whk_…; default: a new one, which is printed")
    listen.add_argument("--count", type=int, help="end after so many events; default: never")
    listen.set_defaults(run=_listen)


def _listen(client: Client, given: argparse.Namespace, output: Output) -> int:
    if not given.forward.startswith(("http://", "https://")):
        raise ValueError(f"{given.forward!r} is not an address: http://localhost:3000/hook")
    signing = given.signing_secret or _new_signing_secret()
    secret = given.secret or f"whk_{secrets.token_urlsafe(32)}"
    sign(b"", "", signing, at=0)  # a malformed secret is found before the first event
    output.note(f"secret: {secret}\nsigning secret: {signing}\nposting to {given.forward}")
    with httpx.Client(timeout=POST_SECONDS, trust_env=False) as http:
        forward = Forwarder(http, given.forward, secret, signing)
        since = given.since or datetime.now(UTC).isoformat().replace("+00:00", "Z")
        feed = Feed(client, output, {"eventType": given.type, "since": since})
        for number, event in enumerate(feed.events(), 1):
            outcome = forward.post(event)
            line = f"{event['createdAt']} {event['eventType']} {event['eventId']} → {outcome}"
            output.result({"outcome": outcome, "event": event}, line)
            if number == given.count:
                break
    return 0


def _new_signing_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


class Forwarder:
    """Posts events to one address."""

    def __init__(self, http: httpx.Client, address: str, secret: str, signing_secret: str) -> None:
        self._http, self._address = http, address
        self._secret, self._signing_secret = secret, signing_secret

    def post(self, event: Json) -> str:
        """The status of the answer, or why there is none."""
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "content-type": "application/json",
            "x-webhook-secret": self._secret,
            "webhook-attempt": "1",
            **sign(body, event["eventId"], self._signing_secret, at=int(time.time())),
        }
        if "requestId" in event:
            headers["x-request-id"] = event["requestId"]
        try:
            with self._http.stream(
                "POST", self._address, content=body, headers=headers
            ) as answer:  # its body is not read: nobody needs it, and it may not end
                return str(answer.status_code)
        except (httpx.TransportError, httpx.InvalidURL) as error:
            return f"no answer: {error}"


class Feed:
    """The events of a service, for ever; a service that is away is asked again.

    sleep  waits for seconds
    """

    def __init__(
        self,
        client: Client,
        output: Output,
        query: Json,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._client, self._output, self._sleep = client, output, sleep
        self._query = {name: value for name, value in query.items() if value is not None}

    def events(self) -> Any:
        """Each event once, oldest first."""
        failures = 0
        while True:
            try:
                page = self._client.request("GET", "/api/events", query=self._query)
            except EinvoiceError as error:
                if not isinstance(error, _PASSING):
                    raise
                failures += 1
                self._output.error(error)
                self._sleep(min(MAX_PAUSE_SECONDS, POLL_SECONDS * 2**failures))
                continue
            failures = 0
            yield from page["items"]
            self._query["cursor"] = page["nextCursor"]
            if not page["hasMore"]:
                self._sleep(POLL_SECONDS)
