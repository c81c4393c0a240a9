"""A family of routes for operators: each states the scope that it needs.

    family = OperatorFamily("operator_holds", __name__, "/holds")

    @family.route("", scope=READ)

What its views change is the operator's action in the audit log. A POST takes no Idempotency-Key:
those of a decision are final, and a repetition is refused or changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import g

from einvoice.domain.errors import InsufficientScope
from einvoice.services.account import audit
from einvoice.services.principal import Operator
from einvoice.web import credentials
from einvoice.web.answered_posts import takes_no_key
from einvoice.web.api import Family

View = TypeVar("View", bound=Callable[..., Any])
PREFIX = "/api/operator"


class OperatorFamily(Family):
    """Routes below /api/operator, for the key of an operator."""

    def __init__(self, name: str, import_name: str, path: str) -> None:
        super().__init__(
            name,
            import_name,
            url_prefix=f"{PREFIX}{path}",
            credential=credentials.operator,
            tag="Operators",
        )

    def scoped(self, rule: str, scope: str, **options: Any) -> Callable[[View], View]:
        """A route that needs this scope."""
        add = self.route(rule, **options)

        def add_view(view: View) -> View:
            return add(takes_no_key(acting(view, scope)))

        return add_view


def acting(view: View, scope: str) -> View:
    """The view; the operator of the request makes its changes.

    Raises InsufficientScope for an operator without the scope.
    """

    @wraps(view)
    def act(*args: Any, **values: Any) -> Any:
        by = operator()
        if scope not in by.scopes:
            raise InsufficientScope(f"This needs the scope {scope}, which the key lacks.")
        with audit.of_operator(by):
            return view(*args, **values)

    return cast("View", act)


def operator() -> Operator:
    """The operator of the request."""
    found: Operator = g.operator
    return found
