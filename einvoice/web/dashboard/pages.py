"""A family of pages: who may see it, how it is rendered, and what a refusal looks like.

    family = Pages("dashboard_keys", __name__, "/dashboard/keys")

    @family.page("", least=Role.ADMIN)
    def list_keys() -> Response:
        return render("dashboard/keys.html", keys=…)

A page without a role cannot be declared. Its view runs for a person who is logged in, has chosen an
account and has the role; a request that changes something has the token of its form.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

import flask
from babel import Locale
from flask import Response, g, render_template, request, url_for
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Forbidden, InvalidField, RequestRefused
from einvoice.domain.roles import Role
from einvoice.services.account import seats, tenants, web_sessions
from einvoice.services.account.web_sessions import WebSession
from einvoice.services.invoices import lists
from einvoice.services.principal import Principal, Session
from einvoice.web import credentials, limits, locales, problems
from einvoice.web.api import Family
from einvoice.web.dashboard import assets, cookies, csrf, forms, refusals, sentences
from einvoice.web.dashboard.cookies import DASHBOARD, Area
from einvoice.web.dashboard.languages import finding_language as finding_language
from einvoice.web.dashboard.languages import language as language
from einvoice.web.dashboard.languages import words as words
from einvoice.web.dashboard.navigation import SECTIONS, Section
from einvoice.web.dashboard.words import Say
from einvoice.web.headers import accepted_languages
from einvoice.web.runtime import runtime
from einvoice.web.security_requirements import Credential, security_requirement
from einvoice.web.shared import rule_words

View = TypeVar("View", bound=Callable[..., Any])
# Of every page: whose session it is of; an answer without it is none of this service.
SESSION = "Einvoice-Session"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'{provider}; base-uri 'none'; "
    "frame-ancestors {ancestors}"
)


class LoginNeeded(Exception):
    """Nobody is logged in, or the session has ended."""


class AccountNeeded(Exception):
    """The person has several accounts and has not chosen one."""


class StaleForm(Forbidden):
    """The form is not one of the session: it is of an earlier one, or of another site."""

    def __init__(self) -> None:
        super().__init__(
            "This form is not one of your session any more: load its page again.", Role.VIEWER
        )


# Titles of problems by status, for languages without a title of the problem; others are of input.
_TITLES = {
    401: "invalid-token", 402: "not-allowed", 403: "not-allowed", 404: "not-found",
    405: "not-found", 409: "conflict", 410: "not-found", 412: "precondition-failed",
    413: "payload-too-large", 429: "rate-limit-exceeded", 500: "internal-error",
}  # fmt: skip
# The least role of each page, by endpoint; a page declares its own.
LEAST: dict[str, Role] = {}


@security_requirement()
def person() -> None:
    """The cookie of a session, with an account and a role that are enough for the page."""
    _enter()
    session: WebSession = g.web_session
    if session.tenant_id is None or session.tenant_id not in session.roles:
        raise AccountNeeded
    reader = session.person(request.remote_addr)
    seats.take(reader.tenant_id, reader.subject, runtime().caches)
    g.session = reader
    limits.count_person()
    least = LEAST[request.endpoint or ""]
    if reader.role < least:
        raise Forbidden(f"This needs the role {least}; yours is {reader.role}.", least)
    credentials.check_changing(reader.tenant_id)


@security_requirement()
def logged_in() -> None:
    """The cookie of a session, also before an account is chosen."""
    _enter()


def _enter() -> None:
    """Find the session, and check the token of a form."""
    token = cookies.session_token()
    found = None
    if token is not None:
        found = web_sessions.find(token, runtime())
    if token is None or found is None:
        raise LoginNeeded
    g.web_session, g.web_session_token = found, token
    if request.method not in _SAFE:
        check_form(token)


def check_form(token: str) -> None:
    """Raise StaleForm unless the form has a token of this session, and is of this site."""
    given = request.headers.get(csrf.HEADER)
    if given is None:
        given = forms.submitted().get(csrf.FIELD, "")
    if not csrf.is_of_this_site() or not csrf.is_valid(token, given):
        raise StaleForm


class Pages(Family):
    """Pages with a common address, for a person unless another credential is given."""

    def __init__(
        self,
        name: str,
        import_name: str,
        url_prefix: str,
        credential: Credential = person,
        *,
        secret_paths: bool = False,
    ) -> None:
        super().__init__(
            name,
            import_name,
            url_prefix=url_prefix,
            template_folder="templates",
            credential=credential,
            tag="",
            secret_paths=secret_paths,
        )
        self.after_request(protect)
        if secret_paths:
            self.after_request(_keep_to_yourself)
        self.register_error_handler(LoginNeeded, _to_login)
        self.register_error_handler(AccountNeeded, _to_accounts)
        self.register_error_handler(RequestRefused, _refused)
        self.register_error_handler(HTTPException, _http)
        self.register_error_handler(Exception, _unforeseen)

    def page(
        self, rule: str, *, least: Role | None = None, **options: Any
    ) -> Callable[[View], View]:
        """A page, which is not in /openapi.json.

        least  the role that it needs; left out only in families whose credential is not `person`
        """
        if (self.credential is person) != (least is not None):
            raise TypeError(f"{self.name}: exactly the pages of people in an account have a role")

        def add(view: View) -> View:
            if least is not None:
                LEAST[f"{self.name}.{view.__name__}"] = least
            self.undocumented.add(view.__name__)
            flask.Blueprint.add_url_rule(self, rule, view.__name__, view, **options)
            return view

        return add


def who() -> Session:
    """The person of the request, in the account they chose."""
    return credentials.session_of_request()


def with_cursor(query: Mapping[str, Any]) -> dict[str, Any]:
    """The query of a list with the cursor of the address, if there is one."""
    return {**query, "cursor": request.args["cursor"]} if "cursor" in request.args else {**query}


def pager(endpoint: str, end: str | None, /, **values: Any) -> dict[str, Any]:
    """The addresses below a list.

    following  the address of the next page, which begins after the cursor `end`
    first      the address of the first page, where a later one is shown
    """
    return {
        "following": url_for(endpoint, **values, cursor=end) if end else None,
        "first": url_for(endpoint, **values) if request.args.get("cursor") else None,
    }


def environment() -> Environment:
    """The environment whose documents the page shows: of the address, else the person's choice."""
    asked = request.args.get("environment")
    if asked is not None:
        with suppress(ValueError):
            return Environment(asked)
    session: WebSession = g.web_session
    return session.environment


def principal() -> Principal:
    """The person, as who sends and checks documents: in the environment of the page."""
    person = who()
    return Principal(person.tenant_id, environment(), frozenset(), person=person)


def page_locale() -> Locale:
    """The locale of the page: its language, in the region of the browser."""
    return locales.chosen_in(language(), accepted_languages())


def date_form() -> str | None:
    """The form of dates that the person chose (locales.DATE_FORMS); None: that of the language."""
    session: WebSession | None = g.get("web_session")
    return session.dates if session else None


def day(value: date | datetime) -> str:
    """A day as the person reads it."""
    return locales.day(value, page_locale(), date_form())


def brief_day(value: date) -> str:
    """A day in a table or a filter, as the person reads it."""
    return locales.brief_day(value, clock.today(), page_locale(), date_form())


def render(
    template: str, status: int = 200, *, family: str | None = None, **values: Any
) -> Response:
    """A page, or a part of one for htmx.

    family  whose section the page is in; by default its endpoint's
    """
    session: WebSession | None = g.get("web_session")
    locale, say, form = page_locale(), words(), date_form()
    text = render_template(
        template,
        say=say,
        language=str(locale).replace("_", "-"),
        languages=locales.LANGUAGES,
        amount=lambda value, currency: locales.amount(value, currency, locale),
        figure=lambda value, currency: locales.figure(value, currency, locale),
        compact=lambda value: locales.compact(value, locale),
        signed=lists.signed,
        number=lambda value: locales.number(value, locale),
        dates=form,
        date_forms=locales.DATE_FORMS,
        day=day,
        brief_day=brief_day,
        short_day=lambda value: locales.short_day(value, locale),
        duration=lambda value: locales.duration(value, locale),
        moment=lambda value: locales.moment(value, locale, form),
        countries=lambda: locales.countries(locale),
        utc=clock.timestamp,
        asset=assets.address,
        provider=runtime().settings.provider,
        logged_in=session,
        account=_account(),
        environment=environment() if session else None,
        csrf=csrf.token_of(g.web_session_token) if session else None,
        session_mark=_session_mark(),
        sections=_sections(family or (request.endpoint or "").partition(".")[0]),
        may=lambda endpoint: "session" in g and who().role >= LEAST[endpoint],
        endpoint=request.endpoint,
        notice=_notice(say),
        month=lambda value: locales.month(value, locale),
        reason=lambda refusal: refusals.reason(refusal, say),
        sentence=say.sentence,
        rule_words=rule_words.beside,
        because=lambda text, code: sentences.failure(text, code, say.language),
        **values,
    )
    response = Response(text, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = str(locale).replace("_", "-")
    return response


def redirect_to(endpoint: str, notice: str | None = None, **values: Any) -> Response:
    """Send the browser to a page, which shows the notice of this name (`notices.…`) once."""
    address = url_for(endpoint, notice=notice, **values)
    if request.headers.get("HX-Request"):
        return Response(status=204, headers={"HX-Redirect": address})
    return Response(status=303, headers={"Location": address})


def shown_once(address: str, /, **secrets: str) -> Response:
    """To a page that shows these secrets once: loading it again neither shows nor makes them."""
    response = Response(status=303, headers={"Location": address})
    cookies.keep_once(response, g.web_session_token, {"path": address.partition("?")[0], **secrets})
    return response


def secrets() -> Mapping[str, str] | None:
    """The secrets that this page shows once; the answer then makes the browser forget them."""
    found = cookies.kept_once(g.web_session_token)
    if found is None or found["path"] != request.path:
        return None
    flask.after_this_request(_forgotten)
    return found


def _forgotten(response: Response) -> Response:
    cookies.forget_once(response)
    return response


def at(response: Response, address: str) -> Response:
    """The part of a page, whose address in the browser becomes this one."""
    if "HX-Request" in request.headers:
        response.headers["HX-Push-Url"] = address
    return response


def _account() -> str | None:
    if "session" not in g:
        return None
    return tenants.get(who().tenant_id, runtime().caches).name


def _sections(family: str) -> list[tuple[str, str, bool]]:
    """(name, address, whether the page is in it) of the sections that the role may see."""
    if "session" not in g:
        return []
    return [
        (section.name, _start(section), family in section.families)
        for section in SECTIONS
        if who().role >= LEAST[section.endpoint]
    ]


def _start(section: Section) -> str:
    """The address of the first page of a section."""
    values: dict[str, Any] = dict(section.values)
    return url_for(section.endpoint, **values)


def _notice(say: Say) -> str | None:
    """The notice that the address names; other texts are not shown."""
    name = request.args.get("notice", "")
    try:
        return say(f"notices.{name}") if name else None
    except KeyError:
        return None


def _keep_to_yourself(response: Response) -> Response:
    """No page that is left for another one tells it the address."""
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def protect(response: Response) -> Response:
    """Add the headers of every page: never kept, never framed by others, nothing of other hosts."""
    response.headers["Cache-Control"] = "no-store"
    response.headers.setdefault("Referrer-Policy", "same-origin")
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Vary"] = "Cookie, Accept-Language"
    response.headers.setdefault("Content-Security-Policy", _policy())
    response.headers[SESSION] = _session_mark()
    return response


def _session_mark() -> str:
    """Names person and account of the session to their own pages: those that stay open while
    someone else logs in do not take over what that person sees."""
    session: WebSession | None = g.get("web_session")
    if session is None:
        return "none"
    text = f"{session.subject}\n{session.tenant_id}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def framed(response: Response) -> Response:
    """The response, which pages of this host may show in a frame."""
    response.headers["Content-Security-Policy"] = _policy("'self'")
    return response


def _policy(ancestors: str = "'none'") -> str:
    """The Content-Security-Policy. `ancestors`: the hosts whose pages may frame the response."""
    issuer = runtime().settings.jwt_issuer
    parts = urlsplit(issuer)
    # A form may lead to the provider: logging out does.
    provider = f" {parts.scheme}://{parts.netloc}" if issuer else ""
    return _POLICY.format(provider=provider, ancestors=ancestors)


def _to_login(_: LoginNeeded) -> Response:
    """To the login, and from there back to this page, or to the one that has the form.

    A part of a page is not answered: the page stays with what was typed, and says what to do.
    """
    if "HX-Request" in request.headers:
        return protect(Response(status=401))
    back = request.full_path.rstrip("?")
    if request.method not in _SAFE:
        back = page_before()
    response = protect(Response(status=303))
    response.headers["Location"] = f"/dashboard/login?next={quote(back, safe='')}"
    if request.method not in _SAFE:
        cookies.keep_typed(response)
    return response


def page_before(area: Area = DASHBOARD) -> str:
    """The page of the area that the request comes from; its first one if that is not known."""
    with suppress(ValueError):
        parts = urlsplit(request.headers.get("Referer", ""))
        if parts.netloc == request.host:
            address = f"{parts.path}?{parts.query}" if parts.query else parts.path
            return cookies.page_after(address, area)
    return area.home


def _to_accounts(_: AccountNeeded) -> Response:
    return protect(Response(status=303, headers={"Location": "/dashboard/accounts"}))


def _refused(refusal: RequestRefused) -> Response:
    """The page of a problem, with the headers of the problem document."""
    say = words()
    if isinstance(refusal, Forbidden):
        response = _as_page(problems.refused(refusal), _forbidden(refusal, say))
        if isinstance(refusal, StaleForm) and csrf.is_of_this_site():
            response.headers[csrf.HEADER] = csrf.token_of(g.web_session_token)
        return response
    errors = refusal.errors if isinstance(refusal, InvalidField) else ()
    texts = [refusals.worded(error, say) for error in errors]
    return _as_page(problems.refused(refusal), refusals.reason(refusal, say), texts)


def _forbidden(refusal: Forbidden, say: Say) -> str:
    """Why a form or a role was refused."""
    if isinstance(refusal, StaleForm) or "session" not in g:
        return say("problem.staleForm")
    needed, yours = (say(f"role.{role.value}") for role in (refusal.required, who().role))
    return say("problem.role", needed=needed, yours=yours)


def _http(fault: HTTPException) -> Response:
    return _as_page(problems.of_http(fault), None)


def not_found(fault: NotFound) -> Response:
    """The response where no route matches: a page at addresses of pages, else the problem."""
    document = problems.of_http(fault)
    if not request.path.startswith("/dashboard/"):
        return document
    return protect(_as_page(document, words()("problem.noPage")))


def not_allowed(fault: MethodNotAllowed) -> Response:
    """The response where an address takes forms only: the page above it, for a person who opens it.

    The address of a form that was refused stays in the browser, which may open it again.
    """
    homes = (cookies.HOME, cookies.CONSOLE.home)
    if request.method in _SAFE and request.path.startswith(tuple(f"{each}/" for each in homes)):
        routes, path = flask.current_app.create_url_adapter(request), request.path
        while routes is not None and path not in homes:
            path = path.rpartition("/")[0]
            if routes.test(path, method="GET"):
                return protect(Response(status=303, headers={"Location": path}))
    return problems.of_http(fault)


def _unforeseen(fault: Exception) -> Response:
    """The page of a fault of ours; the problem document if the page cannot be made either."""
    document = problems.unforeseen(fault)
    try:
        return _as_page(document, None)
    except Exception:  # noqa: BLE001 - logged above
        return document


def _title_of(problem: Mapping[str, Any]) -> str:
    """The title of a problem document, in the language of the page if there are words for it."""
    name, say = str(problem["type"]).rpartition("/")[2], words()
    with suppress(KeyError):
        return say("problems.unavailable" if problem["status"] == 503 else f"problems.{name}")
    if say.language == locales.DEFAULT_LANGUAGE:
        return str(problem["title"])
    return say(f"problems.{_TITLES.get(problem['status'], 'invalid-field')}")


def _as_page(document: Response, detail: str | None, errors: Sequence[str] = ()) -> Response:
    body = flask.json.loads(document.get_data())
    page = render(
        "dashboard/problem.html",
        document.status_code,
        problem=body,
        detail=detail or words().sentence(body["detail"]),
        errors=errors,
        slug=body["type"].rpartition("/")[2],
        title=_title_of(body),
    )
    for name in ("Retry-After", "Allow"):
        if name in document.headers:
            page.headers[name] = document.headers[name]
    return page
