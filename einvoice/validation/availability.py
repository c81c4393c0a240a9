"""Failures of validation itself: logged, and reported to the caller as unavailable."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from einvoice.domain.errors import RequestRefused, ValidationUnavailable

P = ParamSpec("P")
T = TypeVar("T")


def or_unavailable(validate: Callable[P, T]) -> Callable[P, T]:
    """Log an unexpected error of a validation and raise ValidationUnavailable (503) instead.

    So a document is never sent without validation.
    """

    @wraps(validate)
    def validated(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return validate(*args, **kwargs)
        except RequestRefused:
            raise
        except Exception as fault:
            # Imported here: `einvoice validate` needs no log, which takes a fifth of its start.
            from einvoice.observability import logging

            logging.get(__name__).exception("the rules could not be run")
            raise ValidationUnavailable from fault

    return validated
