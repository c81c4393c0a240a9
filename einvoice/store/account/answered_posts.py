"""Idempotency keys of POSTs that make something other than a send, and their first answers.

The row of a key is inserted by the first transaction of its request that writes
(store/core/first_write), so what the request makes and its key are stored together: killed at any
line, a repetition makes nothing twice. The answer is added when the request ends. A key without an
answer belongs to a request that is still running, or that was killed after it had written.

The keys of sends, responses and resends (store/account/idempotency) name an invoice, and have no
answers.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from einvoice import clock
from einvoice.domain.errors import IdempotencyInProgress
from einvoice.store.core import first_write
from einvoice.store.core.first_write import FirstWrite
from einvoice.store.core.keyed import Keyed
from einvoice.store.tables import AnsweredPost


@dataclass(frozen=True, slots=True)
class PostScope:
    """An Idempotency-Key with the scope in which it is unique.

    environment  "" for a person, who sees both
    target       the SHA-256 of the address in hexadecimal digits
    """

    tenant_id: str
    environment: str
    target: str
    key: str


_POSTS = Keyed(AnsweredPost, PostScope)
delete_before = _POSTS.delete_before


@dataclass(frozen=True, slots=True)
class Claim:
    """The key of the running request."""

    scope: PostScope
    insertion: FirstWrite

    @property
    def is_taken(self) -> bool:
        """Whether its row is committed."""
        return self.insertion.done


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The first answer of a key.

    fingerprint  the SHA-256 of the request's body in hexadecimal digits
    headers      those that belong to the answer, such as Location
    """

    fingerprint: str
    status: int
    body: bytes = field(repr=False)
    headers: Mapping[str, str]


def begin(scope: PostScope) -> Claim:
    """Let the first transaction of this request that writes take the key."""
    return Claim(scope, first_write.set_for_request(partial(_take, scope)))


def _take(scope: PostScope, connection: Connection) -> None:
    """Insert the row of the key. Raises IdempotencyInProgress if another request has taken it."""
    row = {**asdict(scope), "created_at": clock.now()}
    try:
        connection.execute(sa.insert(AnsweredPost), row)
    except IntegrityError:
        raise IdempotencyInProgress(
            "Another request with this Idempotency-Key is being answered."
        ) from None


def find(connection: Connection, scope: PostScope) -> FirstAnswer | None:
    """The first answer of a key; None for a key that is new.

    Raises IdempotencyInProgress if the request of the key has written, but has no answer.
    """
    row = connection.execute(
        select(
            AnsweredPost.fingerprint,
            AnsweredPost.status,
            AnsweredPost.body,
            AnsweredPost.headers,
        ).where(*_POSTS.is_at(scope))
    ).one_or_none()
    if row is None:
        return None
    if row.status is None:
        raise IdempotencyInProgress(
            "The first request with this Idempotency-Key has no answer. If that lasts longer than "
            "a minute, it was interrupted: read what it has made before you use another key."
        )
    return FirstAnswer(row.fingerprint, row.status, zlib.decompress(row.body), row.headers)


def answer(connection: Connection, claim: Claim, first: FirstAnswer) -> None:
    """Store the answer of the request that has taken the key, or takes it now.

    Raises IdempotencyInProgress if another request has taken it.
    """
    if not claim.is_taken:
        _take(claim.scope, connection)
    values: dict[str, Any] = {
        "fingerprint": first.fingerprint,
        "status": first.status,
        "body": zlib.compress(first.body),
        "headers": dict(first.headers),
    }
    connection.execute(update(AnsweredPost).where(*_POSTS.is_at(claim.scope)).values(values))


def release(connection: Connection, claim: Claim) -> None:
    """Free the key of a request that was refused after it had written something."""
    connection.execute(
        delete(AnsweredPost).where(*_POSTS.is_at(claim.scope), AnsweredPost.status.is_(None))
    )
