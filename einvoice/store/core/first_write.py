"""An action that belongs to the first transaction of a request that writes.

`store/core/db` performs it in that transaction, so it is committed with what the request makes, or
not at all. Its one user is store/account/answered_posts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from flask import g, has_app_context
from sqlalchemy.engine import Connection

_NAME = "first_write"


@dataclass(slots=True)
class FirstWrite:
    """The action; `done` once the transaction is committed."""

    act: Callable[[Connection], None]
    done: bool = False


def set_for_request(act: Callable[[Connection], None]) -> FirstWrite:
    """Perform this in the first writing transaction of the request."""
    action = FirstWrite(act)
    setattr(g, _NAME, action)
    return action


def forget() -> None:
    """Perform nothing in further transactions of the request."""
    g.pop(_NAME, None)


@contextmanager
def performed() -> Iterator[Callable[[Connection], None] | None]:
    """Surrounds a writing transaction, which calls the function that it gets first, if any."""
    action: FirstWrite | None = g.get(_NAME) if has_app_context() else None
    if action is None or action.done:
        yield None
        return
    yield action.act
    action.done = True
