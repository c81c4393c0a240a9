"""The cookies of an area of pages: one of the session, one of a login that has begun, and in the
dashboard one of the language that a person chose.

The areas are the dashboard and the console of operators: a session of one is none of the other.

In production both have the prefix `__Host-`: a browser takes them over HTTPS only, for this host
only (RFC 6265bis, section 4.1.3.2). A login's cookie is sealed, so nothing is stored for people who
have not logged in.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from flask import Response, request

from einvoice import clock
from einvoice.config import Settings
from einvoice.security import sealing
from einvoice.security.identity_provider import Login
from einvoice.security.sealing import SealBroken
from einvoice.web.locales import LANGUAGES
from einvoice.web.runtime import runtime

LOGIN_LASTS = timedelta(minutes=10)
HOME = "/dashboard"


@dataclass(frozen=True, slots=True)
class Area:
    """Pages with sessions of their own: the end of the names of their cookies, the first page."""

    suffix: str
    home: str


DASHBOARD, CONSOLE = Area("", HOME), Area("-operator", "/operator")
TYPED = "einvoice-typed"  # read by page.js, which keeps what was typed
_TYPED_LASTS = timedelta(hours=1)
_ONCE_LASTS = timedelta(minutes=1)
_LANGUAGE_LASTS = timedelta(days=365)
# Another host, or (RFC 3986, section 5.2.4) a directory above.
_LEADS_AWAY = re.compile(r"//|/(?:\.|%2e){2}", re.IGNORECASE)
_NEXT = re.compile(
    r"(/dashboard|/operator)(?:/[A-Za-z0-9._~%/-]*)?(?:\?[A-Za-z0-9._~%=&+:*/-]*)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Begun:
    """A login that has begun in this browser, and the page it leads to."""

    login: Login
    next: str


def session_token(area: Area = DASHBOARD) -> str | None:
    """The token of the browser's session; None without one."""
    return request.cookies.get(_session_name(area)) or None


def keep_session(response: Response, token: str, area: Area = DASHBOARD) -> None:
    """Give the browser its session, until it is closed."""
    _set(response, _session_name(area), token, None)


def forget_session(response: Response, area: Area = DASHBOARD) -> None:
    response.delete_cookie(_session_name(area), secure=_settings().production, httponly=True)


def keep_login(response: Response, login: Login, then: str, area: Area = DASHBOARD) -> None:
    """Keep what the return of this login is compared with."""
    plain = {**asdict(login), "next": then, "until": _now() + LOGIN_LASTS.total_seconds()}
    sealed = sealing.keyring(_settings()).seal(json.dumps(plain).encode(), _begun(area))
    text = base64.urlsafe_b64encode(sealed).decode()
    _set(response, _login_name(area), text, LOGIN_LASTS)


def begun_login(area: Area = DASHBOARD) -> Begun | None:
    """The login that has begun in this browser; None without one, or if it took too long."""
    try:
        sealed = base64.urlsafe_b64decode(request.cookies.get(_login_name(area), ""))
        plain = json.loads(sealing.keyring(_settings()).open(sealed, _begun(area)))
    except (binascii.Error, ValueError, SealBroken):
        return None
    if plain.pop("until") < _now():
        return None
    then = plain.pop("next")
    return Begun(Login(**plain), then)


def forget_login(response: Response, area: Area = DASHBOARD) -> None:
    response.delete_cookie(_login_name(area), secure=_settings().production, httponly=True)


def keep_typed(response: Response) -> None:
    """Tell the script of the page after the login that a form was typed in and not taken."""
    response.set_cookie(
        TYPED, "1", max_age=_TYPED_LASTS, path="/dashboard", secure=_settings().production,
        samesite="Lax",
    )  # fmt: skip


def keep_once(response: Response, session_token: str, values: Mapping[str, str]) -> None:
    """Keep secrets in the browser, sealed, for the next page of this session to show them once."""
    plain = {**values, "until": str(_now() + _ONCE_LASTS.total_seconds())}
    sealed = sealing.keyring(_settings()).seal(json.dumps(plain).encode(), _once(session_token))
    _set(response, _once_name(), base64.urlsafe_b64encode(sealed).decode(), _ONCE_LASTS)


def kept_once(session_token: str) -> Mapping[str, str] | None:
    """The secrets that were kept for this session within the last minute."""
    try:
        sealed = base64.urlsafe_b64decode(request.cookies.get(_once_name(), ""))
        plain = json.loads(sealing.keyring(_settings()).open(sealed, _once(session_token)))
    except (binascii.Error, ValueError, SealBroken):
        return None
    return plain if float(plain.pop("until")) >= _now() else None


def forget_once(response: Response) -> None:
    response.delete_cookie(_once_name(), secure=_settings().production, httponly=True)


def _once(session_token: str) -> str:
    """The context that the secrets of a session are sealed for."""
    return f"dashboard/once/{hashlib.sha256(session_token.encode()).hexdigest()}"


def keep_language(response: Response, language: str) -> None:
    """Keep the language that the person chose, beyond the session."""
    _set(response, _language_name(), language, _LANGUAGE_LASTS)


def kept_language() -> str | None:
    """The language that was chosen in this browser; None without one that there is."""
    found = request.cookies.get(_language_name())
    return found if found in LANGUAGES else None


def page_after(given: str, area: Area = DASHBOARD) -> str:
    """The page to return to after a login: one of the area, never another address.

    >>> page_after("/dashboard/invoices?status=Failed"), page_after("//other.example/dashboard")
    ('/dashboard/invoices?status=Failed', '/dashboard')
    """
    found = _NEXT.fullmatch(given) if len(given) <= 1_000 else None
    fits = found is not None and found[1] == area.home and not _LEADS_AWAY.search(given)
    return given if fits else area.home


def _set(response: Response, name: str, value: str, lasts: timedelta | None) -> None:
    response.set_cookie(
        name,
        value,
        max_age=lasts,
        path="/",
        secure=_settings().production,
        httponly=True,
        samesite="Lax",
    )


def _session_name(area: Area) -> str:
    return ("__Host-einvoice" if _settings().production else "einvoice") + area.suffix


def _login_name(area: Area) -> str:
    return f"{_session_name(area)}-login"


def _begun(area: Area) -> str:
    """The context that a begun login is sealed for."""
    return f"{area.home[1:]}/login"


def _once_name() -> str:
    return f"{_session_name(DASHBOARD)}-once"


def _language_name() -> str:
    return f"{_session_name(DASHBOARD)}-language"


def _now() -> float:
    return clock.now().timestamp()


def _settings() -> Settings:
    return runtime().settings
