"""A family of pages for operators: who may see them, how they are rendered, and refusals.

They share layout, style and forms with the dashboard, but neither its sessions nor its cookies.
Their texts are English, and in the templates.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import quote

import flask
from flask import Response, g, render_template, request, url_for
from werkzeug.exceptions import HTTPException, NotFound

from einvoice import clock
from einvoice.domain import errors
from einvoice.domain.errors import FieldError, InvalidField, RequestRefused
from einvoice.domain.identifiers import is_id
from einvoice.domain.operators import MAX_REASON, READ
from einvoice.services.account import operators
from einvoice.web import limits, locales, problems
from einvoice.web.api import Family
from einvoice.web.dashboard import assets, cookies, csrf, forms, pages
from einvoice.web.dashboard.pages import LoginNeeded
from einvoice.web.dashboard.pages import pager as pager
from einvoice.web.dashboard.words import speaker
from einvoice.web.headers import accepted_languages
from einvoice.web.operator.api import acting
from einvoice.web.runtime import runtime
from einvoice.web.security_requirements import Credential, security_requirement

View = TypeVar("View", bound=Callable[..., Any])
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LANGUAGE: Final = "en"
# Name and endpoint of each section, in their order; a family belongs to the section of its name.
SECTIONS = (
    ("Overview", "operator_overview.show_overview"),
    ("Tenants", "operator_tenant_pages.list_tenants"),
    ("To decide", "operator_decision_pages.list_decisions"),
    ("Transmissions", "operator_transmission_pages.list_transmissions"),
    ("Networks", "operator_network_pages.show_networks"),
    ("Doctor", "operator_doctor_pages.show_doctor"),
    ("Incidents", "operator_incident_pages.list_incidents"),
    ("Legal holds", "operator_hold_pages.list_holds"),
    ("Audit log", "operator_audit_pages.list_entries"),
    ("Releases", "operator_release_pages.show_release"),
)
# What a page says once after a form, by the name in its address.
NOTICES = {
    "saved": "Saved.",
    "suspended": "The tenant is suspended.",
    "resumed": "The tenant sends again.",
    "approved": "The claim is verified.",
    "rejected": "The claim is rejected.",
    "decided": "The identification is decided.",
    "revoked": "It is revoked.",
    "tested": "A test is on its way.",
    "checked": "The network was asked.",
    "closed": "The tenant is closed.",
    "ended": "Its sessions have ended.",
    "settled": "It is settled.",
    "retried": "Its next step is due.",
    "held": "The hold lasts from now on.",
    "released": "The hold is released.",
    "published": "The status page shows it within half a minute.",
    "added": "The account is added; its state says whether it works.",
    "removed": "It is removed.",
    "redelivered": "The event is delivered again.",
    "amended": "It is on its way.",
    "publishing": "A worker publishes it; this page says how far it is.",
    "withdrawn": "A worker takes it out of the network.",
    "moved": "It is taken over, and published here.",
    "republished": "Every id whose entry was missing or outdated is queued.",
    "republishedMore": "Some are queued, others are left: queue them again.",
    "exported": "A worker writes the export; load this page again to follow it.",
    "lifted": "The address gets e-mails again.",
    "purged": "The purge has begun, and goes on by itself.",
}


@security_requirement()
def person() -> None:
    """The cookie of a session at the console; forms have its token."""
    token = cookies.session_token(cookies.CONSOLE)
    found = None if token is None else operators.find(token, runtime(), request.remote_addr)
    if token is None or found is None:
        raise LoginNeeded
    g.operator, g.operator_token = found, token
    limits.count_operator()
    if request.method not in _SAFE:
        pages.check_form(token)


class OperatorPages(Family):
    """Pages with a common address, for operators unless another credential is given."""

    def __init__(
        self, name: str, import_name: str, path: str, credential: Credential = person
    ) -> None:
        super().__init__(
            name,
            import_name,
            url_prefix=f"/operator{path}",
            template_folder="templates",
            credential=credential,
            tag="",
        )
        self.after_request(pages.protect)
        self.register_error_handler(LoginNeeded, _to_login)
        self.register_error_handler(RequestRefused, _refused)
        self.register_error_handler(HTTPException, _http)
        self.register_error_handler(Exception, _unforeseen)

    def page(self, rule: str, **options: Any) -> Callable[[View], View]:
        """A page, which is not in /openapi.json; what it changes is the operator's action."""

        def add(view: View) -> View:
            self.undocumented.add(view.__name__)
            shown = acting(view, READ) if self.credential is person else view
            flask.Blueprint.add_url_rule(self, rule, view.__name__, shown, **options)
            return view

        return add


def render(template: str, status: int = 200, **values: Any) -> Response:
    """A page in the layout of the console."""
    say, locale = speaker(_LANGUAGE), locales.chosen_in(_LANGUAGE, accepted_languages())
    by = g.get("operator")
    text = render_template(
        template,
        say=say,
        language=str(locale).replace("_", "-"),
        number=lambda value: locales.number(value, locale),
        moment=lambda value: locales.moment(value, locale),
        ago=ago,
        utc=clock.timestamp,
        asset=assets.address,
        provider=runtime().settings.provider,
        operator=by,
        csrf=csrf.token_of(g.operator_token) if by else None,
        sections=_sections() if by else [],
        notice=NOTICES.get(request.args.get("notice", "")),
        longest_reason=MAX_REASON,
        **values,
    )
    response = Response(text, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = _LANGUAGE
    return response


def _sections() -> list[tuple[str, str, bool]]:
    """(name, address, whether the page is in it)."""
    here = (request.endpoint or "").partition(".")[0]
    return [
        (name, url_for(endpoint), endpoint.partition(".")[0] == here) for name, endpoint in SECTIONS
    ]


def ago(since: datetime | None) -> str:
    """How long ago something was, in words.

    >>> ago(None)
    'never'
    """
    if since is None:
        return "never"
    seconds = max(0, int((clock.now() - since).total_seconds()))
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{seconds} seconds"


def redirect_to(endpoint: str, notice: str, **values: Any) -> Response:
    """Send the browser to a page, which shows the notice of this name once."""
    return Response(status=303, headers={"Location": url_for(endpoint, notice=notice, **values)})


def see(endpoint: str, **values: str) -> Response:
    """Send the browser to the page of these ids. Raises NotFound for what cannot be one."""
    for text in values.values():
        if "/" in text or not is_id(text):
            raise errors.NotFound(f"There is nothing named {text[:40]!r}.")
    named: dict[str, Any] = {**values}
    return Response(status=303, headers={"Location": url_for(endpoint, **named)})


def field(name: str) -> str:
    """The text of a field of the form, without surrounding spaces."""
    return forms.search_text(forms.submitted().get(name, ""), 10_000)


def reason() -> str:
    """The reason that was typed in. Raises InvalidField without one, or for a long one."""
    text = field("reason")
    if not text:
        raise InvalidField([FieldError("/reason", "required", "is required: type in why")])
    if len(text) > MAX_REASON:
        message = f"has {len(text):,} characters, at most {MAX_REASON} are kept"
        raise InvalidField([FieldError("/reason", "too-long", message)])
    return text


def _to_login(_: LoginNeeded) -> Response:
    """To the login, and from there back to the page."""
    back = (
        request.full_path.rstrip("?")
        if request.method in _SAFE
        else pages.page_before(cookies.CONSOLE)
    )
    response = pages.protect(Response(status=303))
    response.headers["Location"] = f"/operator/login?next={quote(back, safe='')}"
    return response


def _refused(refusal: RequestRefused) -> Response:
    """The page of a refusal, with the headers of the problem document."""
    errors = refusal.errors if isinstance(refusal, InvalidField) else ()
    texts = [f"{error.pointer.strip('/')} {error.message}" for error in errors]
    return _as_page(problems.refused(refusal), texts)


def _http(fault: HTTPException) -> Response:
    return _as_page(problems.of_http(fault))


def not_found(fault: NotFound) -> Response:
    """The response where no route matches: a page at addresses of pages, else the problem."""
    if not request.path.startswith("/operator/"):
        return pages.not_found(fault)
    return pages.protect(_as_page(problems.of_http(fault)))


def _unforeseen(fault: Exception) -> Response:
    """The page of a fault of ours; the problem document if the page cannot be made either."""
    document = problems.unforeseen(fault)
    try:
        return _as_page(document)
    except Exception:  # noqa: BLE001 - logged above
        return document


def _as_page(document: Response, errors: list[str] | None = None) -> Response:
    body = flask.json.loads(document.get_data())
    page = render(
        "operator/problem.html",
        document.status_code,
        problem=body,
        errors=errors or [],
        slug=body["type"].rpartition("/")[2],
        back=pages.page_before(cookies.CONSOLE),
    )
    for name in ("Retry-After", "Allow"):
        if name in document.headers:
            page.headers[name] = document.headers[name]
    return page
