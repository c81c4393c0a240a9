"""First answers of POSTs that are no sends, by their key (store/account/answered_posts)."""

from __future__ import annotations

from einvoice.services.account import tenants
from einvoice.services.runtime import Runtime
from einvoice.store.account import answered_posts as stored
from einvoice.store.account.answered_posts import Claim as Claim
from einvoice.store.account.answered_posts import FirstAnswer as FirstAnswer
from einvoice.store.account.answered_posts import PostScope as PostScope
from einvoice.store.core import db, first_write


def find(scope: PostScope) -> FirstAnswer | None:
    """The first answer of a key; None for a new key. Raises IdempotencyInProgress."""
    with db.reading() as connection:
        return stored.find(connection, scope)


def begin(scope: PostScope) -> Claim:
    """Let what this request writes first take the key."""
    return stored.begin(scope)


def settle(claim: Claim, first: FirstAnswer) -> None:
    """Store the answer. Raises IdempotencyInProgress if another request has taken the key."""
    first_write.forget()
    with db.writing() as connection:
        stored.answer(connection, claim, first)


def give_up(claim: Claim, *, is_refused: bool) -> None:
    """End the claim of a request without an answer.

    is_refused  the request has made nothing, so its key is free again; otherwise it is not known
                what it has made, and the key stays taken
    """
    first_write.forget()
    if is_refused and claim.is_taken:
        with db.writing() as connection:
            stored.release(connection, claim)


def is_strict(tenant_id: str, runtime: Runtime) -> bool:
    """Whether the tenant refuses a known key with another body."""
    return tenants.get(tenant_id, runtime.caches).strict_idempotency
