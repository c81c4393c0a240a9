"""A family of endpoints: a blueprint with the credential that its routes require.

The documentation of a route at /openapi.json follows from its family and its decorators: the
refusals of the credential, of bodies, queries and paths, and those that the view adds:

    @family.route("/invoices/send", methods=["POST"])  # and least=Role.… where people may call it
    @family.reads_headers("Idempotency-Key", "Prefer")
    @family.refuses(SelfInvoicing, ValidationFailed)
    @family.response(200, SendResponse())
    def send_invoice() -> Response: ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import flask
from flask import current_app, g, request
from flask_smorest import Blueprint

from einvoice.domain.errors import IdempotencyKeyUnsupported, NotFound, RequestRefused
from einvoice.domain.identifiers import is_id
from einvoice.domain.roles import Role
from einvoice.web import addresses, answered_posts, roles, sandbox_problems
from einvoice.web.credentials import challenge
from einvoice.web.security_requirements import Credential, requirement_of

View = TypeVar("View", bound=Callable[..., Any])
_REFUSED, _HEADERS_READ = "_refused", "_headers_read"


class Family(Blueprint):  # type: ignore[misc]
    """A smorest blueprint whose routes all require the family's credential first.

    `tag`: the resource of its routes, one of `openapi/tags.TAGS`; a view of another resource has
    `@family.doc(tags=[…])`. `secret_paths`: the addresses contain a secret, and every wrong one
    gets the same response, whatever its form and whatever media types the caller accepts.
    `ids_only`: the values in its addresses are ids, and what cannot be one is not found.
    """

    def __init__(
        self,
        name: str,
        import_name: str,
        *,
        credential: Credential,
        tag: str,
        secret_paths: bool = False,
        ids_only: bool = True,
        **rest: str,
    ) -> None:
        super().__init__(name, import_name, **rest)
        self.credential = credential
        self.tag = tag
        self.undocumented: set[str] = set()
        self.before_request(credential)
        if "bearer" in requirement_of(credential).schemes:
            self.before_request(_simulate_problem)
            self.after_request(challenge)
        self.before_request(addresses.refuse_other_methods)
        if not secret_paths:
            self.before_request(addresses.refuse_other_media)
        if ids_only and not secret_paths:
            self.before_request(_refuse_non_ids)
        self.before_request(addresses.refuse_parameters)
        self._is_for_tenants = bool(requirement_of(credential).schemes)
        self._is_for_people = "session" in requirement_of(credential).schemes
        if self._is_for_tenants:
            self.before_request(answered_posts.begin)
            self.after_request(answered_posts.end)

    def route(
        self, rule: str, *, least: Role | None = None, **options: Any
    ) -> Callable[[View], View]:
        """A route of the document. A POST for tenants is safe to repeat with an Idempotency-Key.

        least   the least role of a person who may call it; required where people are let in

        Raises RoleUndeclared.
        """
        if (least is not None) is not self._is_for_people:
            raise roles.RoleUndeclared(f"{self.name}, {rule}: least={least}")
        add: Callable[[View], View] = super().route(rule, **options)
        is_kept = self._is_for_tenants and "POST" in options.get("methods", ())

        def add_view(view: View) -> View:
            if least is not None:
                roles.LEAST[f"{self.name}.{view.__name__}"] = least
            return add(_with_kept_answers(view) if is_kept else view)

        return add_view

    def unlisted(self, rule: str, **options: Any) -> Callable[[View], View]:
        """A route that is not in the document, because others define its requests and responses.

        It takes no session tokens. Raises RoleUndeclared.
        """
        if self._is_for_people:
            raise roles.RoleUndeclared(f"{self.name}, {rule}: it is not in the document")

        def add(view: View) -> View:
            name = f"{view.__name__}_{len(self.undocumented)}"
            self.undocumented.add(name)
            flask.Blueprint.add_url_rule(self, rule, name, view, **options)
            return view

        return add

    @staticmethod
    def refuses(*refusals: type[RequestRefused]) -> Callable[[View], View]:
        """Document the refusals of this route besides the ones of every route of its kind.

        Documented without this: the credential's refusals, invalid-body and its like where there is
        a body, invalid-field where there is a query, not-found where there is an id in the path.
        """
        return _noting(_REFUSED, tuple(refusal.slug for refusal in refusals))

    @staticmethod
    def reads_headers(*headers: str) -> Callable[[View], View]:
        """Document the request headers this route reads, and the response headers they lead to.

        Their names are in `openapi/headers.REQUEST_HEADERS`.
        """
        return _noting(_HEADERS_READ, headers)


def _with_kept_answers(view: View) -> View:
    if answered_posts.refuses_keys(view):
        return Family.refuses(IdempotencyKeyUnsupported)(view)
    if answered_posts.KEY in headers_read(view):
        return view
    return Family.reads_headers(answered_posts.KEY)(answered_posts.keep(view))


def named(name: str, text: str) -> Callable[[View], View]:
    """Give a view that several families have the name of its endpoint and its documentation."""

    def name_view(view: View) -> View:
        view.__name__, view.__doc__ = name, text
        return view

    return name_view


def for_platform(view: View) -> View:
    """The same view for another family: `list_webhooks` as `list_platform_webhooks`."""

    @wraps(view)
    def again(*args: Any, **values: Any) -> Any:
        return view(*args, **values)

    verb, _, noun = view.__name__.partition("_")
    again.__name__ = f"{verb}_platform_{noun}"
    return cast("View", again)


def refused(view: Callable[..., Any]) -> tuple[str, ...]:
    """The slugs a view's `refuses` names."""
    return _noted(view, _REFUSED)


def headers_read(view: Callable[..., Any]) -> tuple[str, ...]:
    """The request headers a view's `reads_headers` names."""
    return _noted(view, _HEADERS_READ)


def _noting(name: str, values: tuple[str, ...]) -> Callable[[View], View]:
    def note(view: View) -> View:
        view.__dict__[name] = _noted(view, name) + values
        return view

    return note


def _noted(view: Callable[..., Any], name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = view.__dict__.get(name, ())
    return found


def _simulate_problem() -> None:
    """Raise the problem that a key of the sandbox asks for."""
    if sandbox_problems.HEADER in request.headers and "principal" in g:
        view = current_app.view_functions[request.endpoint or ""]
        sandbox_problems.simulate(g.principal, refused(view))


def _refuse_non_ids() -> None:
    """Raise NotFound for path values that cannot be ids, without a query."""
    for value in (request.view_args or {}).values():
        text = str(value)
        if not is_id(text):
            raise NotFound(f"There is nothing named {text[:40]!r}.")
