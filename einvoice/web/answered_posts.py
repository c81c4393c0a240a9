"""Idempotency-Key of POSTs that are no sends (decisions 30.2).

A POST with a key is answered once: what it makes and its key are stored in one transaction
(store/account/answered_posts), and a repetition gets the first answer, of the same status. Keys
count per tenant, environment and address. A refused request leaves its key free. What is shown only
once, such as a secret, is null in the answer to a repetition.

Every POST of a family for tenants is one of three: its view reads the key itself (sends), it has
the key of this module, or it makes nothing and refuses a key (`makes_nothing`).
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import Any, Final, TypeVar

from flask import Response, current_app, g, request
from sqlalchemy.exc import SQLAlchemyError

from einvoice.domain.errors import (
    IdempotencyInProgress,
    IdempotencyKeyReuse,
    IdempotencyKeyUnsupported,
)
from einvoice.observability import logging
from einvoice.services.account import answered_posts as service
from einvoice.services.account.answered_posts import Claim, FirstAnswer
from einvoice.services.principal import Principal, Reader
from einvoice.web import credentials, headers, json
from einvoice.web.admission import request_bodies
from einvoice.web.admission.environ import INFLATED
from einvoice.web.runtime import runtime

log = logging.get(__name__)

View = TypeVar("View", bound=Callable[..., Any])
KEY: Final = "Idempotency-Key"
_KEPT, _REFUSED = "_answers_are_kept", "_refuses_keys"
_CLAIM, _SHOWN_ONCE = "answered_post", "shown_once"
_KEPT_HEADERS = ("Location", "ETag", "Content-Language")
# Of a body that is compared with the first one: more than a view takes beyond the usual limit.
_MOST_BYTES = 32 * 1024 * 1024


def keep(view: View) -> View:
    """Let the key of this module make the view safe to repeat."""
    view.__dict__[_KEPT] = True
    return view


def takes_no_key(view: View) -> View:
    """Let the view refuse a key: it makes nothing, or its answer is of use only once."""
    view.__dict__[_REFUSED] = True
    return view


def refuses_keys(view: Callable[..., Any]) -> bool:
    """Whether the view refuses a key."""
    return _REFUSED in view.__dict__


def shown_once(response: Response, *members: str, **replaced: object) -> Response:
    """The response for a repetition: these members are null, or replaced."""
    setattr(g, _SHOWN_ONCE, dict.fromkeys(members) | replaced)
    return response


def begin() -> Response | None:
    """The first answer of the request's key; None for a request that the view answers.

    Raises InvalidIdempotencyKey, IdempotencyKeyUnsupported, IdempotencyKeyReuse and
    IdempotencyInProgress.
    """
    if request.method != "POST" or KEY not in request.headers:
        return None
    view = current_app.view_functions[request.endpoint or ""]
    if refuses_keys(view):
        raise IdempotencyKeyUnsupported(
            "This request has no first result to be repeated: send it without Idempotency-Key."
        )
    key = headers.idempotency_key() if _KEPT in view.__dict__ else None
    if key is None:
        return None
    principal, body = credentials.reader(), _Fingerprint.of_request()
    scope = service.PostScope(principal.tenant_id, _environment(principal), _target(principal), key)
    first = service.find(scope)
    if first is not None:
        return _replay(first, body, principal)
    setattr(g, _CLAIM, (service.begin(scope), body))
    return None


def end(response: Response) -> Response:
    """Store the answer with its key, and say what the answer is."""
    claim, body = g.pop(_CLAIM, (None, None))
    if claim is not None:
        _settle(claim, body, response)
    view = current_app.view_functions.get(request.endpoint or "")
    if view is not None and _KEPT in view.__dict__ and request.method == "POST":
        response.headers.setdefault("Idempotency-Replay", "false")
        if (given := headers.given_key()) is not None:
            response.headers[KEY] = given
    return response


def _settle(claim: Claim, body: _Fingerprint, response: Response) -> None:
    """Keep the answer of a success. A refusal frees the key, also one that says to repeat the
    request; after a fault it stays taken."""
    try:
        if response.status_code < 400:
            service.settle(claim, _kept(response, body))
        else:
            is_refused = response.status_code < 500 or "is_to_be_repeated" in g
            service.give_up(claim, is_refused=is_refused)
    except (SQLAlchemyError, IdempotencyInProgress) as fault:
        log.warning("answer not kept", endpoint=request.endpoint, reason=type(fault).__name__)


def _kept(response: Response, body: _Fingerprint) -> FirstAnswer:
    text, replaced = response.get_data(), g.pop(_SHOWN_ONCE, None)
    if replaced:
        text = json.write(json.read_object(text) | replaced)
    kept = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    kept["Content-Type"] = response.headers.get("Content-Type", "")
    return FirstAnswer(body.hexdigest(), response.status_code, text, kept)


def _replay(first: FirstAnswer, body: _Fingerprint, reader: Reader) -> Response:
    differs = body.of_the_rest() != first.fingerprint
    if differs and service.is_strict(reader.tenant_id, runtime()):
        raise IdempotencyKeyReuse("This Idempotency-Key was used with another body.")
    response = Response(first.body, first.status, dict(first.headers))
    response.headers["Idempotency-Replay"] = "true"
    if differs:
        response.headers["Idempotency-Payload-Mismatch"] = "true"
    return response


def _environment(reader: Reader) -> str:
    """The caller's environment; "" for a person, who sees both. A platform's is its credential's,
    also where it acts as an administrator."""
    return "" if reader.environment is None else reader.environment.value


def _target(reader: Reader) -> str:
    """A digest of the address, and of the scopes without which a program gets no such answer."""
    scopes = sorted(reader.scopes) if isinstance(reader, Principal) else []
    return hashlib.sha256("\n".join([request.full_path, *scopes]).encode()).hexdigest()


class _Fingerprint(io.RawIOBase):
    """The input of the request, which computes its digest while the view reads it.

    A compressed body counts as inflated, and the boundary of a form is left out: a client writes
    another time of compression, and another boundary, with each repetition.
    """

    def __init__(self, source: Any, boundary: bytes) -> None:
        self._source, self._boundary = source, boundary
        self._digest = hashlib.sha256()
        self._form = bytearray()

    @classmethod
    def of_request(cls) -> _Fingerprint:
        """Takes the place of the request's input."""
        boundary = request.mimetype_params.get("boundary", "").encode("latin-1", "replace")
        made = cls(request.environ["wsgi.input"], boundary)
        request.environ |= {"wsgi.input": made, INFLATED: made.begin_again}
        vars(request).pop("stream", None)  # computed again from the environ
        return made

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part: bytes = self._source.read(len(buffer))
        buffer[: len(part)] = part
        self._add(part)
        return len(part)

    def begin_again(self, body: bytes) -> None:
        """The body is this; what was read is its compressed form."""
        self._digest = hashlib.sha256()
        self._form.clear()
        self._add(body)

    def _add(self, part: bytes) -> None:
        if self._boundary:
            self._form += part
        else:
            self._digest.update(part)

    def hexdigest(self) -> str:
        """The digest of what was read."""
        if self._boundary:
            self._digest.update(self._form.replace(self._boundary, b""))
            self._form.clear()
        return self._digest.hexdigest()

    def of_the_rest(self) -> str:
        """The digest of the whole body, which no view reads; "" if it cannot be compared."""
        most = max(_MOST_BYTES, request.max_content_length or 0)
        return self.hexdigest() if request_bodies.pass_over_body(most) else ""
