"""Nothing is sent unchecked: when the rules cannot be run, the caller hears that, and why we do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from einvoice.domain.errors import RequestRefused, ValidationUnavailable
from einvoice.observability import logging

log = logging.get(__name__)
P = ParamSpec("P")
T = TypeVar("T")


def or_unavailable(judging: Callable[P, T]) -> Callable[P, T]:
    """What a judging raises that nobody foresaw is in the log, and 503 to the caller."""

    @wraps(judging)
    def judged(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return judging(*args, **kwargs)
        except RequestRefused:
            raise
        except Exception as fault:
            log.exception("the rules could not be run")
            raise ValidationUnavailable from fault

    return judged
